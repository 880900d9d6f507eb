/* aerogpu_write_test.c - written traces: byte for byte, refused calls, whole records. */
#include "aerogpu_make.h"
#include "faults.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPAN(text)                                                                                 \
    (struct ras_bytes)                                                                             \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }
#define OK(call) assert_int_equal(call, RAS_OK)

static struct ras_error err;

static struct ras_aero_writer_options a_start(uint32_t version)
{
    return (struct ras_aero_writer_options){.container_version = version,
                                            .command_abi_version = version == 1 ? 1 : 0x10004,
                                            .emulator_version = SPAN("1.0")};
}

struct pen {
    struct ras_sink *sink;
    struct ras_aero_writer *w;
};

static struct pen a_pen(uint32_t version)
{
    struct pen p;
    struct ras_aero_writer_options start = a_start(version);
    OK(ras_sink_memory(&p.sink, &err));
    OK(ras_aero_writer_open(&p.w, p.sink, &start, &err));
    return p;
}

static void drop(struct pen *p)
{
    OK(ras_aero_writer_close(p->w, &err));
    ras_sink_drop(p->sink);
}

/* ---- bytes --------------------------------------------------------------------- */

static void a_version_1_trace_has_these_bytes(void **state)
{
    (void)state;
    struct pen p = a_pen(1);
    struct out want = {0};
    uint64_t id = 0;
    OK(ras_aero_writer_begin_frame(p.w, 0, &err));
    OK(ras_aero_writer_blob(p.w, RAS_AERO_BUFFER_DATA, SPAN("abc"), &id, &err));
    assert_int_equal(id, 1);
    OK(ras_aero_writer_packet(p.w, SPAN("\x0a\0\0\0\2\0\0\0"), &err));
    OK(ras_aero_writer_present(p.w, 0, &err));
    OK(ras_aero_writer_blob(p.w, RAS_AERO_TEXTURE_DATA, (struct ras_bytes){0}, &id, &err));
    assert_int_equal(id, 2);
    OK(ras_aero_writer_begin_frame(p.w, 1, &err));
    OK(ras_aero_writer_packet(p.w, (struct ras_bytes){0}, &err));
    OK(ras_aero_writer_end_frame(p.w, &err));
    OK(ras_aero_writer_blob(p.w, RAS_AERO_BUFFER_DATA, SPAN("z"), &id, &err)); /* still its own */
    OK(ras_aero_writer_finish(p.w, &err));

    put_header(&want, 1, "{\"emulator_version\":\"1.0\",\"command_abi_version\":1}");
    struct ras_aero_frame frames[2] = {{.start_offset = want.len}, {.frame_index = 1}};
    put_marker(&want, RAS_AERO_BEGIN_FRAME, 0);
    put_blob(&want, 1, RAS_AERO_BUFFER_DATA, "abc", 3);
    put_record(&want, RAS_AERO_PACKET, 8);
    put(&want, 10, 4);
    put(&want, 2, 4);
    frames[0].present_offset = want.len;
    put_marker(&want, RAS_AERO_PRESENT, 0);
    frames[0].end_offset = want.len;
    put_blob(&want, 2, RAS_AERO_TEXTURE_DATA, "", 0);
    frames[1].start_offset = want.len;
    put_marker(&want, RAS_AERO_BEGIN_FRAME, 1);
    put_record(&want, RAS_AERO_PACKET, 0);
    put_blob(&want, 3, RAS_AERO_BUFFER_DATA, "z", 1);
    frames[1].end_offset = want.len; /* present_offset stays 0 */
    put_seal(&want, 1, frames, 2);
    struct ras_bytes got = ras_sink_bytes(p.sink);
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.at, want.at, want.len);
    assert_int_equal(ras_aero_writer_count(p.w), 2);
    out_free(&want);
    drop(&p);
}

static void a_capture_is_its_blobs_then_the_submission(void **state)
{
    (void)state;
    struct pen p = a_pen(2);
    struct out want = {0};
    struct ras_bytes table = SPAN("table");
    struct ras_aero_memory memory[] = {{7, 1, UINT64_MAX, SPAN("memory")}, {8, 0, 2, {NULL, 0}}};
    struct ras_aero_capture c = {1, 2, 3, UINT64_MAX - 1, SPAN("stream"), &table, memory, 2};
    OK(ras_aero_writer_begin_frame(p.w, 5, &err));
    uint64_t at = ras_sink_size(p.sink);
    OK(ras_aero_writer_capture(p.w, &c, &err));
    put_blob(&want, 1, RAS_AERO_CMD_STREAM, "stream", 6);
    put_blob(&want, 2, RAS_AERO_ALLOC_TABLE, "table", 5);
    put_blob(&want, 3, RAS_AERO_ALLOC_MEMORY, "memory", 6);
    put_blob(&want, 4, RAS_AERO_ALLOC_MEMORY, "", 0);
    const uint64_t words[][2] = {
        {1, 4}, {56, 4}, {1, 4}, {2, 4}, {3, 4}, {0, 4}, {UINT64_MAX - 1, 8},
        {1, 8}, {2, 8},  {2, 4}, {0, 4}, {7, 4}, {1, 4}, {UINT64_MAX, 8},
        {6, 8}, {3, 8},  {8, 4}, {0, 4}, {2, 8}, {0, 8}, {4, 8}};
    put_record(&want, RAS_AERO_SUBMISSION, 56 + 64);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(&want, words[i][0], (unsigned)words[i][1]);
    struct ras_bytes got = ras_sink_bytes(p.sink);
    assert_int_equal(got.len, at + want.len);
    assert_memory_equal(got.at + at, want.at, want.len);

    c = (struct ras_aero_capture){.cmd_stream =
                                      SPAN("")}; /* as recorders store a malformed stream */
    OK(ras_aero_writer_capture(p.w, &c, &err));
    uint64_t id;
    OK(ras_aero_writer_blob(p.w, RAS_AERO_SHADER_WGSL, SPAN(""), &id, &err));
    assert_int_equal(id, 6);
    out_free(&want);
    drop(&p);
}

/* The same by blobs and a submission that names them. */
static void a_submission_by_ids_has_the_bytes_of_a_capture(void **state)
{
    (void)state;
    struct pen a = a_pen(2), b = a_pen(2);
    struct ras_aero_memory memory = {7, 1, 0x1000, SPAN("memory")};
    struct ras_aero_capture c = {.submit_flags = 1,
                                 .signal_fence = 9,
                                 .cmd_stream = SPAN("stream"),
                                 .memory = &memory,
                                 .memory_count = 1};
    OK(ras_aero_writer_begin_frame(a.w, 0, &err));
    OK(ras_aero_writer_capture(a.w, &c, &err));
    OK(ras_aero_writer_begin_frame(b.w, 0, &err));
    OK(ras_aero_writer_blob_as(b.w, 1, RAS_AERO_CMD_STREAM, c.cmd_stream, &err));
    OK(ras_aero_writer_blob_as(b.w, 2, RAS_AERO_ALLOC_MEMORY, memory.data, &err));
    struct ras_aero_submission s = {.submit_flags = 1,
                                    .signal_fence = 9,
                                    .cmd_stream_blob_id = 1,
                                    .memory_range_count = 1,
                                    .reserved0 = 77, /* not taken over */
                                    .record_version = 5};
    struct ras_aero_range r = {7, 1, 0x1000, 6, 2};
    OK(ras_aero_writer_submission(b.w, &s, &r, &err));
    struct ras_bytes one = ras_sink_bytes(a.sink), other = ras_sink_bytes(b.sink);
    assert_int_equal(one.len, other.len);
    assert_memory_equal(one.at, other.at, one.len);
    drop(&a);
    drop(&b);
}

static void offsets_count_from_the_start_of_the_trace(void **state)
{
    (void)state;
    struct ras_aero_writer_options start = a_start(1);
    struct ras_aero_writer *w;
    struct ras_sink *sink;
    struct ras_aero_footer f;
    OK(ras_sink_memory(&sink, &err));
    OK(ras_sink_write(sink, "before", 6, &err));
    OK(ras_aero_writer_open(&w, sink, &start, &err));
    OK(ras_aero_writer_begin_frame(w, 0, &err));
    OK(ras_aero_writer_present(w, 0, &err));
    OK(ras_aero_writer_finish(w, &err));
    struct ras_bytes all = ras_sink_bytes(sink);
    struct ras_bytes trace = {all.at + 6, all.len - 6};
    OK(ras_aero_footer_get(trace, &f, &err));
    assert_int_equal(ras_aero_toc_entry(trace, &f, 0).start_offset, 32 + 50);
    OK(ras_aero_writer_close(w, &err));
    ras_sink_drop(sink);
}

/* ---- refused calls ---------------------------------------------------------------- */

#define REFUSED(pen, status, text_, call)                                                          \
    do {                                                                                           \
        uint64_t size_ = ras_sink_size((pen)->sink);                                               \
        assert_int_equal(call, status);                                                            \
        assert_string_equal(err.text, text_);                                                      \
        assert_int_equal(ras_sink_size((pen)->sink), size_);                                       \
    } while (0)

static void calls_out_of_order_are_refused(void **state)
{
    (void)state;
    struct pen p = a_pen(2);
    struct ras_aero_capture c = {.cmd_stream = SPAN("s")};
    struct ras_aero_submission s = {.cmd_stream_blob_id = 1};
    REFUSED(&p, RAS_EUSAGE, "Packet outside any frame",
            ras_aero_writer_packet(p.w, SPAN("x"), &err));
    REFUSED(&p, RAS_EUSAGE, "Present outside any frame", ras_aero_writer_present(p.w, 0, &err));
    REFUSED(&p, RAS_EUSAGE, "end of a frame outside any frame",
            ras_aero_writer_end_frame(p.w, &err));
    REFUSED(&p, RAS_EUSAGE, "AerogpuSubmission outside any frame",
            ras_aero_writer_capture(p.w, &c, &err));
    REFUSED(&p, RAS_EUSAGE, "AerogpuSubmission outside any frame",
            ras_aero_writer_submission(p.w, &s, NULL, &err));
    OK(ras_aero_writer_begin_frame(p.w, 3, &err));
    REFUSED(&p, RAS_EUSAGE, "frame 4 inside frame 3", ras_aero_writer_begin_frame(p.w, 4, &err));
    REFUSED(&p, RAS_EUSAGE, "Present of frame 4 in frame 3", ras_aero_writer_present(p.w, 4, &err));
    REFUSED(&p, RAS_EUSAGE, "frame 3 is open", ras_aero_writer_finish(p.w, &err));
    OK(ras_aero_writer_present(p.w, 3, &err));
    REFUSED(&p, RAS_EUSAGE, "frame 3 was written just before",
            ras_aero_writer_begin_frame(p.w, 3, &err));
    OK(ras_aero_writer_begin_frame(p.w, 2, &err)); /* the reference requires no order */
    OK(ras_aero_writer_present(p.w, 2, &err));
    OK(ras_aero_writer_finish(p.w, &err));
    REFUSED(&p, RAS_EUSAGE, "the trace is finished: nothing can follow",
            ras_aero_writer_finish(p.w, &err));
    REFUSED(&p, RAS_EUSAGE, "the trace is finished: nothing can follow",
            ras_aero_writer_begin_frame(p.w, 9, &err));
    REFUSED(&p, RAS_EUSAGE, "the trace is finished: nothing can follow",
            ras_aero_writer_blob(p.w, RAS_AERO_BUFFER_DATA, SPAN(""), NULL, &err));
    drop(&p);
}

static void version_1_lacks_submissions_and_their_kinds(void **state)
{
    (void)state;
    struct pen p = a_pen(1);
    struct ras_aero_capture c = {.cmd_stream = SPAN("s")};
    OK(ras_aero_writer_begin_frame(p.w, 0, &err));
    REFUSED(&p, RAS_EUNSUPPORTED,
            "AerogpuSubmission needs container version 2, this trace is version 1",
            ras_aero_writer_capture(p.w, &c, &err));
    REFUSED(&p, RAS_EUNSUPPORTED,
            "AerogpuCmdStream needs container version 2, this trace is version 1",
            ras_aero_writer_blob(p.w, RAS_AERO_CMD_STREAM, SPAN(""), NULL, &err));
    drop(&p);
}

static void ids_are_unique_and_count_on(void **state)
{
    (void)state;
    struct pen p = a_pen(2);
    struct ras_aero_capture c = {.cmd_stream = SPAN("s")};
    uint64_t id;
    OK(ras_aero_writer_blob_as(p.w, 10, RAS_AERO_BUFFER_DATA, SPAN("a"), &err));
    OK(ras_aero_writer_blob_as(p.w, 4, RAS_AERO_BUFFER_DATA, SPAN("b"), &err));
    OK(ras_aero_writer_blob(p.w, RAS_AERO_BUFFER_DATA, SPAN("c"), &id, &err));
    assert_int_equal(id, 11);
    REFUSED(&p, RAS_EUSAGE, "blob 4 was written before",
            ras_aero_writer_blob_as(p.w, 4, RAS_AERO_BUFFER_DATA, SPAN("d"), &err));
    REFUSED(&p, RAS_EUSAGE, "blob_id is 0, which names no blob",
            ras_aero_writer_blob_as(p.w, 0, RAS_AERO_BUFFER_DATA, SPAN("d"), &err));
    REFUSED(&p, RAS_EUSAGE, "a blob of unknown kind 0x6",
            ras_aero_writer_blob(p.w, 6, SPAN("d"), NULL, &err));
    OK(ras_aero_writer_blob_as(p.w, UINT64_MAX, RAS_AERO_BUFFER_DATA, SPAN("e"), &err));
    REFUSED(&p, RAS_ELIMIT, "1 blob ids wanted, 0 are left",
            ras_aero_writer_blob(p.w, RAS_AERO_BUFFER_DATA, SPAN("f"), NULL, &err));
    OK(ras_aero_writer_begin_frame(p.w, 0, &err));
    REFUSED(&p, RAS_ELIMIT, "1 blob ids wanted, 0 are left",
            ras_aero_writer_capture(p.w, &c, &err));
    drop(&p);
}

/* Lengths are checked before the bytes are read: there are none. */
static void payloads_too_long_for_a_record_are_refused(void **state)
{
    (void)state;
    struct pen p = a_pen(2);
    struct ras_bytes more = {NULL, (size_t)RAS_AERO_PAYLOAD_MAX + 1};
    struct ras_bytes most = {NULL, (size_t)RAS_AERO_PAYLOAD_MAX - 15};
    struct ras_aero_memory memory = {1, 0, 0, most};
    struct ras_aero_capture c = {.cmd_stream = SPAN("s"), .memory = &memory, .memory_count = 1};
    struct ras_aero_submission s = {.memory_range_count = 0x08000000};
    OK(ras_aero_writer_begin_frame(p.w, 0, &err));
    REFUSED(&p, RAS_ELIMIT, "Packet of 4294967288 bytes, a record holds 4294967287",
            ras_aero_writer_packet(p.w, more, &err));
    REFUSED(&p, RAS_ELIMIT, "BufferData of 4294967272 bytes, a record holds 4294967271",
            ras_aero_writer_blob(p.w, RAS_AERO_BUFFER_DATA, most, NULL, &err));
    REFUSED(&p, RAS_ELIMIT, "AerogpuAllocMemory of 4294967272 bytes, a record holds 4294967271",
            ras_aero_writer_capture(p.w, &c, &err));
    REFUSED(&p, RAS_ELIMIT, "list of memory ranges of 4294967296 bytes, a record holds 4294967231",
            ras_aero_writer_submission(p.w, &s, NULL, &err));
    drop(&p);
}

static void a_bad_beginning_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *meta, *text;
    } cases[] = {
        {"[]", "meta_json of 2 bytes: it is not an object"},
        {"{\"command_abi_version\":1}", "meta_json lacks emulator_version or command_abi_version"},
        {"{\"emulator_version\":\"\"}", "meta_json lacks emulator_version or command_abi_version"},
        {"{\"emulator_version\":\"\",\"command_abi_version\":2}",
         "command_abi_version is 2 in meta_json, 1 in the header"},
    };
    struct ras_aero_writer_options start = a_start(3);
    struct ras_aero_writer *w;
    struct ras_sink *sink;
    OK(ras_sink_memory(&sink, &err));
    assert_int_equal(ras_aero_writer_open(&w, sink, &start, &err), RAS_EVERSION);
    assert_string_equal(err.text, "container_version 3, 1 and 2 are written");
    assert_null(w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start = a_start(1);
        start.meta_json = (struct ras_bytes){(const uint8_t *)cases[i].meta, strlen(cases[i].meta)};
        assert_int_equal(ras_aero_writer_open(&w, sink, &start, &err), RAS_EUSAGE);
        assert_string_equal(err.text, cases[i].text);
        assert_null(w);
    }
    start = a_start(1);
    start.emulator_version = SPAN("\xff");
    assert_int_equal(ras_aero_writer_open(&w, sink, &start, &err), RAS_EUSAGE);
    assert_int_equal(ras_sink_size(sink), 0);
    ras_sink_drop(sink);
}

/* ---- a disk that is full ---------------------------------------------------------------- */

enum { BIG = 70000 }; /* more than a sink buffers */

/* One call of each kind; each acknowledged record is counted once it was flushed. */
static unsigned write_until_failure(struct ras_sink *sink, size_t big)
{
    static uint8_t memory[BIG];
    struct ras_aero_memory range = {1, 0, 0x1000, {memory, big}};
    struct ras_aero_capture c = {.cmd_stream = SPAN(""), .memory = &range, .memory_count = 1};
    struct ras_aero_writer_options start = a_start(2);
    struct ras_aero_writer *w;
    unsigned done = 0;
    if (ras_aero_writer_open(&w, sink, &start, &err) < 0)
        return 0;
    for (unsigned step = 0; step < 6; step++) {
        int status = step == 0   ? ras_aero_writer_begin_frame(w, 0, &err)
                     : step == 1 ? ras_aero_writer_packet(w, SPAN("\x0a\0\0\0\2\0\0\0"), &err)
                     : step == 2 ? ras_aero_writer_capture(w, &c, &err)
                     : step == 3 ? ras_aero_writer_blob(w, 1, range.data, NULL, &err)
                     : step == 4 ? ras_aero_writer_present(w, 0, &err)
                                 : ras_aero_writer_finish(w, &err);
        if (status < 0 || ras_sink_flush(sink, &err) < 0) {
            assert_int_equal(err.status, RAS_EIO);
            break;
        }
        done++;
    }
    (void)!ras_aero_writer_close(w, NULL);
    return done;
}

/* The content of the disk: complete records, at least as many as were acknowledged. */
static void look_at(int fd, unsigned done, size_t big)
{
    static uint8_t bytes[4 * BIG];
    static const unsigned records[] = {0, 1, 2, 5, 6, 7, 7};
    ssize_t size = pread(fd, bytes, sizeof bytes, 0);
    struct ras_bytes all = {bytes, (size_t)size};
    struct ras_aero_record r;
    struct ras_aero_footer f;
    uint64_t at = 32 + 54;
    unsigned count = 0;
    if (ras_aero_footer_get(all, &f, NULL) == RAS_OK)
        all.len = (size_t)f.toc_offset;
    if (all.len < at)
        return;
    while (ras_aero_record_get(all, &at, &r, &err) == RAS_OK)
        count++;
    assert_true(at == all.len || faults_stayed());
    assert_true(count >= records[done]);
    assert_true(done < 6 || (uint64_t)size > 2 * (uint64_t)big);
}

/* RLIMIT_FSIZE cuts writes short at any byte and then fails them. */
static void a_full_disk_leaves_whole_records(size_t big, rlim_t from, rlim_t to, rlim_t by)
{
    struct rlimit old, limit;
    char path[] = "/tmp/rastrum-aerogpu-XXXXXX";
    int fd = mkstemp(path);
    unsigned done = 0;
    assert_true(fd >= 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (rlim_t bytes = from; bytes < to; bytes += by) {
        struct ras_sink *sink;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        limit = (struct rlimit){bytes, old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        OK(ras_sink_fd(&sink, fd, NULL));
        done = write_until_failure(sink, big);
        ras_sink_drop(sink);
        setrlimit(RLIMIT_FSIZE, &old);
        look_at(fd, done, big);
    }
    assert_int_equal(done, 6); /* the last limit is large enough */
    close(fd);
    unlink(path);
}

static void small_records_are_whole_on_a_full_disk(void **state)
{
    (void)state;
    a_full_disk_leaves_whole_records(8, 0, 480, 1);
}

static void long_records_are_whole_on_a_full_disk(void **state)
{
    (void)state;
    a_full_disk_leaves_whole_records(BIG, 0, 2 * BIG + 1000, 997);
}

/* ---- calls that fail ---------------------------------------------------------------- */

static size_t big_now; /* of the blobs that are written */

/* To a descriptor: flushed records stay, and no partial record is after them unless the system
 * refuses to remove it, too. */
static void to_a_descriptor(void *user)
{
    struct ras_sink *sink;
    int fd = open(user, O_CREAT | O_TRUNC | O_RDWR, 0600);
    if (fd < 0) {
        faults_stop();
        return; /* it was this call */
    }
    OK(ras_sink_fd(&sink, fd, NULL));
    unsigned done = write_until_failure(sink, big_now);
    ras_sink_drop(sink);
    faults_stop();
    assert_true(faults_hit() || done == 6);
    look_at(fd, done, big_now);
    close(fd);
    unlink(user);
}

/* To an atomic file: all of it, or none and no remains. */
static void to_a_file(void *user)
{
    struct ras_sink *sink;
    int status = ras_sink_file(&sink, user, false, &err);
    if (status == RAS_OK) {
        unsigned done = write_until_failure(sink, big_now);
        if (done == 6)
            status = ras_sink_close(sink, &err);
        else
            ras_sink_drop(sink);
        status = done == 6 ? status : RAS_EIO;
    }
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    if (status == RAS_OK) {
        int fd = open(user, O_RDONLY);
        look_at(fd, 6, big_now);
        close(fd);
    }
    assert_int_equal(unlink(user), status == RAS_OK ? 0 : -1);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    static const size_t sizes[] = {8, BIG};
    char folder[] = "/tmp/rastrum-aerogpu-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.aerogputrace", folder);
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < 2; i++) {
        big_now = sizes[i];
        faults_everywhere(to_a_descriptor, path);
        faults_everywhere(to_a_file, path);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* A failed call can be repeated: none of it was kept, no id or frame is used up. */
static void a_call_that_failed_can_be_repeated(void **state)
{
    (void)state;
    static uint8_t memory[BIG];
    struct ras_aero_memory range = {1, 0, 0, {memory, BIG}};
    struct ras_aero_capture c = {.cmd_stream = SPAN(""), .memory = &range, .memory_count = 1};
    struct ras_aero_writer_options start = a_start(2);
    struct ras_aero_writer *w;
    struct ras_sink *sink;
    struct rlimit old, limit;
    char path[] = "/tmp/rastrum-aerogpu-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){BIG, old.rlim_max};
    OK(ras_sink_fd(&sink, fd, &err));
    OK(ras_aero_writer_open(&w, sink, &start, &err));
    OK(ras_aero_writer_begin_frame(w, 0, &err));
    uint64_t size = ras_sink_size(sink), id;
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(ras_aero_writer_capture(w, &c, &err), RAS_EIO);
    assert_int_equal(ras_sink_size(sink), size);
    assert_int_equal(ras_aero_writer_blob_as(w, 1, 1, range.data, &err), RAS_EIO);
    setrlimit(RLIMIT_FSIZE, &old);
    OK(ras_aero_writer_capture(w, &c, &err));
    OK(ras_aero_writer_blob(w, RAS_AERO_BUFFER_DATA, SPAN(""), &id, &err));
    assert_int_equal(id, 3);
    OK(ras_aero_writer_present(w, 0, &err));
    OK(ras_aero_writer_finish(w, &err));
    OK(ras_aero_writer_close(w, &err));
    OK(ras_sink_close(sink, &err));
    struct ras_trace *t;
    struct ras_report *report;
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    OK(ras_open_fd(&t, fd, NULL, &err));
    OK(ras_verify(&report, t, &(struct ras_verify_options){.strict = true}, &err));
    assert_int_equal(report->by_severity[RAS_ERROR], 0);
    ras_report_free(report);
    ras_close(t);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_1_trace_has_these_bytes),
        cmocka_unit_test(a_capture_is_its_blobs_then_the_submission),
        cmocka_unit_test(a_submission_by_ids_has_the_bytes_of_a_capture),
        cmocka_unit_test(offsets_count_from_the_start_of_the_trace),
        cmocka_unit_test(calls_out_of_order_are_refused),
        cmocka_unit_test(version_1_lacks_submissions_and_their_kinds),
        cmocka_unit_test(ids_are_unique_and_count_on),
        cmocka_unit_test(payloads_too_long_for_a_record_are_refused),
        cmocka_unit_test(a_bad_beginning_is_refused),
        cmocka_unit_test(small_records_are_whole_on_a_full_disk),
        cmocka_unit_test(long_records_are_whole_on_a_full_disk),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(a_call_that_failed_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
