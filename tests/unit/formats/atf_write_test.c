/* atf_write_test.c - a thread's files as written: links, limits, blocks, sealing, faults. */
#include "codec/crc32.h"
#include "faults.h"
#include <rastrum/atf.h>

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- a thread in memory --------------------------------------------------------- */

struct pair {
    struct ras_sink *index, *detail;
    struct ras_atf_writer *writer;
    unsigned made; /* number of detail sinks that were requested */
};

static int make_detail(void *user, struct ras_sink **out, struct ras_error *err)
{
    struct pair *p = user;
    p->made++;
    int status = ras_sink_memory(&p->detail, err);
    *out = p->detail;
    return status;
}

static void begin(struct pair *p, const struct ras_atf_index_header *header,
                  struct ras_atf_writer_options options)
{
    static const struct ras_atf_index_header plain = {.thread_id = 7};
    *p = (struct pair){0};
    options.detail = make_detail;
    options.user = p;
    assert_int_equal(ras_sink_memory(&p->index, NULL), RAS_OK);
    assert_int_equal(
        ras_atf_writer_open(&p->writer, p->index, header ? header : &plain, &options, NULL),
        RAS_OK);
}

static void end(struct pair *p)
{
    assert_int_equal(ras_atf_writer_close(p->writer, NULL), RAS_OK);
    ras_sink_drop(p->index);
    ras_sink_drop(p->detail);
}

static struct ras_atf_index_event an_event(uint64_t i)
{
    return (struct ras_atf_index_event){.timestamp_ns = 1000 + 10 * i,
                                        .function_id = UINT64_C(0x2a00000000) | (i % 5 + 1),
                                        .thread_id = 7,
                                        .event_kind = (uint32_t)(i % 3 + 1),
                                        .call_depth = (uint32_t)(i % 4 + 1)};
}

static struct ras_atf_detail_event a_detail(uint64_t i)
{
    static uint8_t payload[400];
    memset(payload, (int)i, sizeof payload);
    return (struct ras_atf_detail_event){.flags = (uint16_t)i,
                                         .payload = {payload, (size_t)(i * 7 % 400)}};
}

/* Every `each`-th event has a detail; 0: none. */
static void put_events(struct ras_atf_writer *w, uint64_t from, uint64_t to, unsigned each)
{
    for (uint64_t i = from; i < to; i++) {
        struct ras_atf_index_event e = an_event(i);
        struct ras_atf_detail_event d = a_detail(i);
        bool has = each && i % each == 0;
        assert_int_equal(ras_atf_writer_event(w, &e, has ? &d : NULL, NULL), RAS_OK);
    }
}

/* Both files: complete, linked both ways, with right totals and checksums. */
static void check_files(struct ras_bytes index, struct ras_bytes detail, uint64_t count,
                        unsigned each)
{
    struct ras_atf_index_file f;
    struct ras_atf_detail_file g;
    struct ras_error err;
    uint64_t seq = 0, at;
    assert_int_equal(ras_atf_index_open(&f, index, &err), RAS_OK);
    assert_int_equal(f.counted, RAS_ATF_BY_FOOTER);
    assert_int_equal(f.header.event_count, count);
    assert_int_equal(f.footer.event_count, count);
    assert_int_equal(f.footer.bytes_written, count * 32);
    assert_int_equal(index.len, f.at + count * 32 + 64);
    assert_int_equal(f.footer.checksum, count ? crc32_update(0, index.at + f.at, count * 32) : 0);
    assert_int_equal(f.header.flags & RAS_ATF_HAS_DETAIL, each && count ? 1 : 0);
    if (count)
        assert_int_equal(f.header.time_end_ns, 1000 + 10 * (count - 1));
    if (!each || !count) {
        assert_int_equal(detail.len, 0);
        each = 0;
    } else {
        assert_int_equal(ras_atf_detail_open(&g, detail, &err), RAS_OK);
        at = g.at;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct ras_atf_index_event e, want = an_event(i);
        struct ras_atf_detail_event d, made = a_detail(i);
        assert_true(ras_atf_index_event_get((struct ras_bytes){index.at + f.at + 32 * i, 32}, &e));
        want.detail_seq = each && i % each == 0 ? (uint32_t)seq++ : RAS_ATF_NO_DETAIL;
        assert_memory_equal(&e, &want, sizeof e);
        if (e.detail_seq == RAS_ATF_NO_DETAIL)
            continue;
        assert_int_equal(ras_atf_detail_step(&g, detail, &at, &d), RAS_OK);
        assert_int_equal(d.index_seq, i);
        assert_int_equal(d.timestamp, e.timestamp_ns);
        assert_int_equal(d.thread_id, 7);
        assert_int_equal(d.flags, made.flags);
        assert_int_equal(d.event_type, e.event_kind == RAS_ATF_RETURN ? 4 : 3);
        assert_int_equal(d.payload.len, made.payload.len);
        assert_memory_equal(d.payload.at, made.payload.at, d.payload.len);
    }
    if (!each)
        return;
    assert_int_equal(at, g.limit);
    assert_int_equal(g.header.event_count, seq);
    assert_int_equal(g.footer.event_count, seq);
    assert_int_equal(g.header.bytes_length, at - g.at);
    assert_int_equal(g.header.index_seq_start, 0);
    assert_int_equal(g.header.index_seq_end, (count - 1) / each * each);
    assert_int_equal(g.footer.checksum, crc32_update(0, detail.at + g.at, at - g.at));
}

static struct ras_bytes bytes_of(const struct ras_sink *sink)
{
    return sink ? ras_sink_bytes(sink) : (struct ras_bytes){0};
}

/* ---- contents --------------------------------------------------------------------- */

static void files_are_linked_and_sealed(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 2, 8191, 8192, 8193, 30000};
    static const unsigned eaches[] = {0, 1, 3, 1000};
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
        for (unsigned e = 0; e < 4; e++) {
            struct pair p;
            begin(&p, NULL, (struct ras_atf_writer_options){0});
            put_events(p.writer, 0, counts[c], eaches[e]);
            assert_int_equal(ras_atf_writer_events(p.writer), counts[c]);
            assert_int_equal(ras_atf_writer_finalize(p.writer, NULL), RAS_OK);
            check_files(bytes_of(p.index), bytes_of(p.detail), counts[c], eaches[e]);
            assert_int_equal(p.made, p.detail ? 1 : 0);
            end(&p);
        }
}

/* Blocks of ready records give the same files as events one by one. */
static void blocks_give_the_same_files(void **state)
{
    (void)state;
    enum { COUNT = 40000, EACH = 9 };
    struct pair one, many;
    begin(&one, NULL, (struct ras_atf_writer_options){0});
    put_events(one.writer, 0, COUNT, EACH);
    assert_int_equal(ras_atf_writer_finalize(one.writer, NULL), RAS_OK);
    struct ras_bytes index = bytes_of(one.index), detail = bytes_of(one.detail);
    begin(&many, NULL, (struct ras_atf_writer_options){0});
    uint64_t seed = 5;
    for (size_t at = 0; at < COUNT;) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        size_t count = (size_t)(seed >> 33) % (seed >> 62 ? 50 : 12000);
        count = count < COUNT - at ? count : COUNT - at;
        assert_int_equal(ras_atf_writer_append(many.writer, index.at + 64 + 32 * at, count, NULL),
                         RAS_OK);
        at += count;
    }
    for (size_t at = 64, to = 64; to < detail.len - 64; at = to) {
        struct ras_atf_detail_event d;
        seed = seed * UINT64_C(6364136223846793005) + 1;
        for (size_t n = (size_t)(seed >> 33) % 900 + 1; n-- && to < detail.len - 64;) {
            assert_true(
                ras_atf_detail_event_get((struct ras_bytes){detail.at + to, detail.len - to}, &d));
            to += d.total_length;
        }
        assert_int_equal(ras_atf_writer_append_details(many.writer, detail.at + at, to - at, NULL),
                         RAS_OK);
    }
    assert_int_equal(ras_atf_writer_finalize(many.writer, NULL), RAS_OK);
    assert_int_equal(bytes_of(many.index).len, index.len);
    assert_memory_equal(bytes_of(many.index).at, index.at, index.len);
    assert_int_equal(bytes_of(many.detail).len, detail.len);
    assert_memory_equal(bytes_of(many.detail).at, detail.at, detail.len);
    end(&one);
    end(&many);
}

/* Filled in place, among events one by one and up to the limit. */
static void reserved_events_give_the_same_files(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct ras_atf_index_event *e;
    struct ras_error err;
    struct pair p;
    size_t room;
    begin(&p, NULL, (struct ras_atf_writer_options){.events_max = MANY});
    for (uint64_t i = 0; i < MANY;) {
        assert_int_equal(ras_atf_writer_reserve(p.writer, &e, &room, NULL), RAS_OK);
        assert_true(room > 0 && room <= MANY - i);
        size_t some = room > 700 ? 700 : room;
        for (size_t n = 0; n < some; n++, i++) {
            e[n] = an_event(i);
            e[n].detail_seq = RAS_ATF_NO_DETAIL;
        }
        assert_int_equal(ras_atf_writer_commit(p.writer, room + 1, &err), RAS_EUSAGE);
        assert_int_equal(ras_atf_writer_commit(p.writer, some, NULL), RAS_OK);
        if (i < MANY)
            put_events(p.writer, i, i + 1, 0);
        i += i < MANY;
    }
    assert_int_equal(ras_atf_writer_reserve(p.writer, &e, &room, &err), RAS_ELIMIT);
    assert_int_equal(ras_atf_writer_finalize(p.writer, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_reserve(p.writer, &e, &room, &err), RAS_EUSAGE);
    assert_int_equal(ras_atf_writer_commit(p.writer, 1, &err), RAS_EUSAGE);
    check_files(bytes_of(p.index), bytes_of(p.detail), MANY, 0);
    end(&p);
}

static void inlined_events_give_the_same_files(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct ras_error err;
    struct pair p;
    begin(&p, NULL, (struct ras_atf_writer_options){.events_max = MANY});
    struct ras_atf_index_event bad = an_event(0);
    for (uint32_t kind = 0; kind < 6; kind += 4) {
        bad.event_kind = kind;
        assert_int_equal(ras_atf_writer_put(p.writer, &bad, &err), RAS_EUSAGE);
    }
    for (uint64_t i = 0; i < MANY; i++) {
        struct ras_atf_index_event e = an_event(i);
        e.detail_seq = 5; /* the writer's number, whatever the event says */
        assert_int_equal(ras_atf_writer_put(p.writer, &e, NULL), RAS_OK);
    }
    struct ras_atf_index_event more = an_event(MANY);
    assert_int_equal(ras_atf_writer_put(p.writer, &more, &err), RAS_ELIMIT);
    assert_int_equal(ras_atf_writer_finalize(p.writer, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_put(p.writer, &more, &err), RAS_EUSAGE);
    check_files(bytes_of(p.index), bytes_of(p.detail), MANY, 0);
    end(&p);
}

static void a_detail_larger_than_a_block_is_whole(void **state)
{
    (void)state;
    enum { LONG = 700000 };
    struct ras_atf_index_event e = an_event(0);
    struct ras_atf_detail_event d = a_detail(1), big = {.payload = {calloc(1, LONG), LONG}}, got;
    struct ras_atf_detail_file f;
    struct pair p;
    begin(&p, NULL, (struct ras_atf_writer_options){0});
    assert_int_equal(ras_atf_writer_event(p.writer, &e, &d, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_event(p.writer, &e, &big, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_event(p.writer, &e, &d, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_finalize(p.writer, NULL), RAS_OK);
    struct ras_bytes bytes = bytes_of(p.detail);
    assert_int_equal(ras_atf_detail_open(&f, bytes, NULL), RAS_OK);
    uint64_t at = f.at;
    static const size_t sizes[] = {7, LONG, 7};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(ras_atf_detail_step(&f, bytes, &at, &got), RAS_OK);
        assert_int_equal(got.payload.len, sizes[i]);
        assert_int_equal(got.index_seq, i);
    }
    assert_int_equal(f.footer.checksum, crc32_update(0, bytes.at + f.at, (size_t)(at - f.at)));
    free((void *)(uintptr_t)big.payload.at);
    end(&p);
}

/* A header has the given values; a placeholder until they are known. */
static void a_header_is_rewritten_last(void **state)
{
    (void)state;
    struct ras_atf_index_header like = {.thread_id = 9,
                                        .arch = RAS_ATF_ARM64,
                                        .os = RAS_ATF_MACOS,
                                        .clock_type = RAS_ATF_MACH_CONTINUOUS,
                                        .flags = 0x80000001,
                                        .reserved2 = 5,
                                        .events_offset = 96,
                                        .event_count = 77};
    struct ras_atf_index_header h;
    struct pair p;
    begin(&p, &like, (struct ras_atf_writer_options){.no_checksum = true});
    put_events(p.writer, 0, 3, 0);
    assert_int_equal(ras_atf_writer_flush(p.writer, NULL), RAS_OK);
    assert_int_equal(bytes_of(p.index).len, 96 + 3 * 32);
    assert_true(ras_atf_index_header_get(bytes_of(p.index), &h));
    assert_int_equal(h.event_count, 0);
    assert_int_equal(h.footer_offset, 96);
    assert_int_equal(h.time_end_ns, 0);
    assert_int_equal(ras_atf_writer_finalize(p.writer, NULL), RAS_OK);
    assert_true(ras_atf_index_header_get(bytes_of(p.index), &h));
    assert_int_equal(h.event_count, 3);
    assert_int_equal(h.footer_offset, 96 + 3 * 32);
    assert_int_equal(h.time_start_ns, 1000);
    assert_int_equal(h.time_end_ns, 1020);
    assert_int_equal(h.flags, 0x80000000);
    assert_int_equal(h.reserved2, 5);
    assert_int_equal(h.arch, RAS_ATF_ARM64);
    struct ras_atf_index_footer f;
    assert_true(ras_atf_index_footer_get(
        (struct ras_bytes){bytes_of(p.index).at + h.footer_offset, 64}, &f));
    assert_int_equal(f.checksum, 0);
    end(&p);
    like.events_offset = 63;
    assert_int_equal(ras_sink_memory(&p.index, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_open(&p.writer, p.index, &like, NULL, NULL), RAS_EUSAGE);
    assert_int_equal(ras_sink_size(p.index), 0);
    ras_sink_drop(p.index);
}

/* ---- refusals ----------------------------------------------------------------------- */

static void a_full_file_is_refused_and_can_be_sealed(void **state)
{
    (void)state;
    struct ras_atf_index_event e = an_event(4);
    struct ras_atf_detail_event d = a_detail(4);
    struct ras_error err;
    uint8_t block[32] = {0};
    struct pair p;
    begin(&p, NULL, (struct ras_atf_writer_options){.events_max = 10, .details_max = 3});
    put_events(p.writer, 0, 9, 4); /* details at 0, 4, 8 */
    assert_int_equal(ras_atf_writer_event(p.writer, &e, &d, &err), RAS_ELIMIT);
    assert_non_null(strstr(err.text, "3 details, 1 more exceed the limit of 3"));
    uint8_t detail[24] = {24};
    assert_int_equal(ras_atf_writer_append_details(p.writer, detail, 24, &err), RAS_ELIMIT);
    assert_int_equal(ras_atf_writer_append(p.writer, block, 2, &err), RAS_ELIMIT);
    put_events(p.writer, 9, 10, 0);
    assert_int_equal(ras_atf_writer_event(p.writer, &e, NULL, &err), RAS_ELIMIT);
    assert_int_equal(ras_atf_writer_append(p.writer, block, 1, &err), RAS_ELIMIT);
    assert_int_equal(ras_atf_writer_append(p.writer, block, SIZE_MAX / 32, &err), RAS_ELIMIT);
    assert_int_equal(ras_atf_writer_finalize(p.writer, NULL), RAS_OK);
    check_files(bytes_of(p.index), bytes_of(p.detail), 10, 4);
    end(&p);
}

/* The numbers end one before the one that means none, for any limit. */
static void no_option_lifts_the_limit_of_32_bits(void **state)
{
    (void)state;
    struct ras_error err;
    static const uint32_t limits[] = {0, UINT32_MAX, UINT32_MAX - 1};
    for (unsigned i = 0; i < 3; i++) {
        struct pair p;
        begin(&p, NULL, (struct ras_atf_writer_options){.events_max = limits[i]});
        assert_int_equal(ras_atf_writer_append(p.writer, "", 0xffffffff, &err), RAS_ELIMIT);
        assert_non_null(strstr(err.text, "the limit of 4294967294"));
        end(&p);
    }
}

static void after_finalizing_everything_is_refused(void **state)
{
    (void)state;
    struct ras_atf_index_event e = an_event(1);
    struct ras_error err;
    uint8_t block[32] = {24};
    struct pair p;
    begin(&p, NULL, (struct ras_atf_writer_options){0});
    put_events(p.writer, 0, 100, 7);
    assert_int_equal(ras_atf_writer_finalize(p.writer, &err), RAS_OK);
    uint64_t size = ras_sink_size(p.index);
    assert_int_equal(ras_atf_writer_finalize(p.writer, &err), RAS_EUSAGE);
    assert_int_equal(ras_atf_writer_event(p.writer, &e, NULL, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "thread 7 is finalized");
    assert_int_equal(ras_atf_writer_append(p.writer, block, 1, &err), RAS_EUSAGE);
    assert_int_equal(ras_atf_writer_append_details(p.writer, block, 24, &err), RAS_EUSAGE);
    assert_int_equal(ras_sink_size(p.index), size);
    check_files(bytes_of(p.index), bytes_of(p.detail), 100, 7);
    end(&p);
}

static void values_that_cannot_be_stored_are_refused(void **state)
{
    (void)state;
    struct ras_atf_index_event e = an_event(1);
    struct ras_atf_detail_event d = {.payload = {NULL, (size_t)UINT32_MAX - 23}};
    struct ras_error err;
    uint8_t block[40] = {30};
    struct pair p;
    begin(&p, NULL, (struct ras_atf_writer_options){0});
    e.event_kind = 0;
    assert_int_equal(ras_atf_writer_event(p.writer, &e, NULL, &err), RAS_EUSAGE);
    e.event_kind = 4;
    assert_int_equal(ras_atf_writer_event(p.writer, &e, NULL, &err), RAS_EUSAGE);
    e.event_kind = 1;
    assert_int_equal(ras_atf_writer_event(p.writer, &e, &d, &err), RAS_ELIMIT);
    assert_int_equal(ras_atf_writer_append_details(p.writer, block, 40, &err), RAS_EUSAGE);
    block[30] = 10;
    assert_int_equal(ras_atf_writer_append_details(p.writer, block, 40, &err), RAS_EUSAGE);
    assert_int_equal(err.offset, 30);
    assert_int_equal(ras_atf_writer_events(p.writer), 0);
    assert_int_equal(ras_atf_writer_details(p.writer), 0);
    assert_int_equal(p.made, 0);
    assert_int_equal(ras_atf_writer_finalize(p.writer, NULL), RAS_OK);
    check_files(bytes_of(p.index), bytes_of(p.detail), 0, 0);
    end(&p);
    struct ras_sink *sink;
    struct ras_atf_writer *w;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_open(&w, sink, &(struct ras_atf_index_header){0}, NULL, &err),
                     RAS_OK);
    d = a_detail(1);
    assert_int_equal(ras_atf_writer_event(w, &e, &d, &err), RAS_EUSAGE);
    assert_int_equal(ras_atf_writer_close(w, NULL), RAS_OK);
    ras_sink_drop(sink);
}

/* ---- faults --------------------------------------------------------------------------- */

struct job {
    char folder[64];
    char path[2][96];
};

struct files {
    int fds[2];
    struct ras_sink *sinks[2];
};

static int create_detail(void *user, struct ras_sink **out, struct ras_error *err)
{
    struct files *files = user;
    int status = ras_sink_fd(&files->sinks[1], files->fds[1], err);
    *out = files->sinks[1];
    return status;
}

static struct ras_bytes read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 22);
    assert_non_null(file);
    size_t len = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return (struct ras_bytes){bytes, len};
}

enum { COUNT = 9000, EACH = 50, FLUSH = 3000 };

/* A failed call is repeated once, as a program does that has made room. */
static int again(int status, int (*call)(struct ras_atf_writer *, struct ras_error *),
                 struct ras_atf_writer *w, struct ras_error *err)
{
    if (status < 0)
        return status;
    status = call(w, err);
    return status < 0 ? call(w, err) : status;
}

static int write_all(struct ras_atf_writer *w, uint64_t *flushed, struct ras_error *err)
{
    int status = RAS_OK;
    for (uint64_t i = 0; status == RAS_OK && i < COUNT; i++) {
        struct ras_atf_index_event e = an_event(i);
        struct ras_atf_detail_event d = a_detail(i);
        const struct ras_atf_detail_event *has = i % EACH ? NULL : &d;
        status = ras_atf_writer_event(w, &e, has, err);
        if (status < 0)
            status = ras_atf_writer_event(w, &e, has, err);
        if (i % FLUSH == FLUSH - 1) {
            status = again(status, ras_atf_writer_flush, w, err);
            *flushed = status == RAS_OK ? i + 1 : *flushed;
        }
    }
    return again(status, ras_atf_writer_finalize, w, err);
}

/* Whichever call fails: flushed data is in the files; a file that was reported as sealed is
 * perfect. */
static void to_descriptors(void *user)
{
    struct job *job = user;
    struct files files = {0};
    struct ras_atf_writer_options options = {.detail = create_detail, .user = &files};
    struct ras_atf_index_header header = {.thread_id = 7};
    struct ras_atf_writer *w;
    struct ras_error err;
    uint64_t flushed = 0;
    for (unsigned i = 0; i < 2; i++)
        files.fds[i] = creat(job->path[i], 0600);
    assert_int_equal(ras_sink_fd(&files.sinks[0], files.fds[0], &err), RAS_OK);
    assert_int_equal(ras_atf_writer_open(&w, files.sinks[0], &header, &options, &err), RAS_OK);
    int status = write_all(w, &flushed, &err);
    if (status < 0)
        assert_int_equal(err.status, RAS_EIO);
    (void)!ras_atf_writer_close(w, NULL);
    faults_stop();
    for (unsigned i = 0; i < 2; i++) {
        ras_sink_drop(files.sinks[i]);
        close(files.fds[i]);
    }
    struct ras_bytes index = read_all(job->path[0]), detail = read_all(job->path[1]);
    struct ras_atf_index_file f;
    assert_true(faults_hit() || status == RAS_OK);
    if (status == RAS_OK)
        check_files(index, detail, COUNT, EACH);
    if (flushed) {
        assert_int_equal(ras_atf_index_open(&f, index, &err), RAS_OK);
        assert_true(f.count >= flushed);
    }
    for (unsigned i = 0; i < 2; i++)
        unlink(job->path[i]);
    free((void *)(uintptr_t)index.at);
    free((void *)(uintptr_t)detail.at);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    struct job job = {.folder = "/tmp/rastrum-atf-XXXXXX"};
    assert_non_null(mkdtemp(job.folder));
    snprintf(job.path[0], sizeof job.path[0], "%s/index.atf", job.folder);
    snprintf(job.path[1], sizeof job.path[1], "%s/detail.atf", job.folder);
    signal(SIGPIPE, SIG_IGN);
    faults_everywhere(to_descriptors, &job);
    assert_int_equal(rmdir(job.folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_linked_and_sealed),
        cmocka_unit_test(blocks_give_the_same_files),
        cmocka_unit_test(reserved_events_give_the_same_files),
        cmocka_unit_test(inlined_events_give_the_same_files),
        cmocka_unit_test(a_detail_larger_than_a_block_is_whole),
        cmocka_unit_test(a_header_is_rewritten_last),
        cmocka_unit_test(a_full_file_is_refused_and_can_be_sealed),
        cmocka_unit_test(no_option_lifts_the_limit_of_32_bits),
        cmocka_unit_test(after_finalizing_everything_is_refused),
        cmocka_unit_test(values_that_cannot_be_stored_are_refused),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
