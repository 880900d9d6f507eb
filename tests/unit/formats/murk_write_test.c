/* murk_write_test.c - written replays: byte for byte, within limits, atomic per frame. */
#include "faults.h"
#include <rastrum/murk.h>

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

#define SPAN(text)                                                                                 \
    (struct ras_bytes)                                                                             \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static struct ras_murk_header a_header(void)
{
    return (struct ras_murk_header){.toolchain = SPAN("1.78.0"),
                                    .target_triple = SPAN("x86_64-unknown-linux-gnu"),
                                    .murk_version = SPAN("0.1.9"),
                                    .compile_flags = SPAN("release"),
                                    .seed = UINT64_MAX,
                                    .config_hash = 1,
                                    .field_count = UINT32_MAX,
                                    .cell_count = 3,
                                    .space_descriptor = SPAN("\0\1\2")};
}

/* ---- bytes -------------------------------------------------------------------- */

static void a_header_reads_back(void **state)
{
    (void)state;
    struct ras_murk_header h = a_header(), again;
    struct ras_murk_fault fault;
    uint8_t bytes[200];
    size_t size;
    assert_true(ras_murk_header_put(&h, bytes, sizeof bytes, &size, &fault));
    assert_true(ras_murk_header_get((struct ras_bytes){bytes, size}, &again, &fault));
    assert_int_equal(again.size, size);
    assert_int_equal(again.seed, h.seed);
    assert_int_equal(again.field_count, h.field_count);
    assert_int_equal(again.target_triple.len, h.target_triple.len);
    assert_memory_equal(again.space_descriptor.at, "\0\1\2", 3);
}

static void a_header_beyond_the_limits_is_refused(void **state)
{
    (void)state;
    struct ras_murk_header h = a_header();
    struct ras_murk_fault fault;
    size_t size;
    h.toolchain.len = RAS_MURK_STRING_MAX + 1u;
    assert_false(ras_murk_header_put(&h, NULL, 0, &size, &fault));
    assert_int_equal(fault.code, RAS_MURK_LONG_STRING);
    h = a_header();
    h.compile_flags = SPAN("\xff");
    assert_false(ras_murk_header_put(&h, NULL, 0, &size, &fault));
    assert_int_equal(fault.code, RAS_MURK_BAD_UTF8);
    h = a_header();
    h.space_descriptor.len = RAS_MURK_BYTES_MAX + 1u;
    assert_false(ras_murk_header_put(&h, NULL, 0, &size, &fault));
    assert_int_equal(fault.code, RAS_MURK_LONG_BYTES);
}

static void every_payload_length_and_presence_reads_back(void **state)
{
    (void)state;
    uint8_t payload[70], bytes[200];
    struct ras_murk_fault fault;
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7 + 1);
    for (size_t n = 0; n <= sizeof payload; n++) {
        for (unsigned has = 0; has < 4; has++) {
            struct ras_murk_command c = {.payload_type = (uint8_t)n,
                                         .priority_class = 255,
                                         .has_source_id = has & 1,
                                         .has_source_seq = has & 2,
                                         .payload = {payload, n},
                                         .source_id = has & 1 ? UINT64_MAX : 0,
                                         .source_seq = has & 2 ? 5 : 0,
                                         .expires_after_tick = 6,
                                         .arrival_seq = UINT64_MAX - 1};
            struct ras_murk_frame frame;
            struct ras_murk_command again;
            size_t size;
            assert_true(ras_murk_frame_put(9, &c, 1, 10, bytes, sizeof bytes, &size, &fault));
            assert_true(ras_murk_frame_get((struct ras_bytes){bytes, size}, &frame, &fault));
            assert_int_equal(frame.size, size);
            assert_int_equal(frame.snapshot_hash, 10);
            assert_true(ras_murk_command_get(frame.commands, &again, &fault));
            assert_int_equal(again.payload_type, c.payload_type);
            assert_int_equal(again.payload.len, n);
            assert_memory_equal(again.payload.at, payload, n);
            assert_int_equal(again.source_id, c.source_id);
            assert_int_equal(again.source_seq, c.source_seq);
            assert_int_equal(again.has_source_id, c.has_source_id);
            assert_int_equal(again.has_source_seq, c.has_source_seq);
            assert_int_equal(again.arrival_seq, c.arrival_seq);
        }
    }
}

static void a_frame_beyond_the_limits_is_refused(void **state)
{
    (void)state;
    struct ras_murk_command c = {.payload = {NULL, RAS_MURK_BYTES_MAX + 1u}};
    struct ras_murk_fault fault;
    size_t size;
    assert_false(ras_murk_frame_put(0, &c, 1, 0, NULL, 0, &size, &fault));
    assert_int_equal(fault.code, RAS_MURK_LONG_BYTES);
    assert_false(ras_murk_frame_put(0, &c, RAS_MURK_COMMANDS_MAX + 1u, 0, NULL, 0, &size, &fault));
    assert_int_equal(fault.code, RAS_MURK_MANY_COMMANDS);
}

static void every_payload_type_reads_back(void **state)
{
    (void)state;
    struct ras_murk_payload p = {.entity_id = 7,
                                 .coord = SPAN("\1\0\0\0\xff\xff\xff\xff"),
                                 .field_id = 3,
                                 .value_f32 = 0x7f800001,
                                 .field_values = SPAN("\1\0\0\0\2\0\0\0"),
                                 .type_id = 9,
                                 .data = SPAN("abc"),
                                 .key = 4,
                                 .value_f64 = 0x7ff0000000000001,
                                 .params = SPAN("\1\0\0\0\2\0\0\0\3\0\0\0")};
    static const size_t sizes[] = {20, 24, 8, 20, 11, 12, 16};
    for (uint8_t type = 0; type < RAS_MURK_PAYLOAD_TYPES; type++) {
        struct ras_murk_payload again = {0};
        struct ras_murk_fault fault;
        uint8_t bytes[64];
        size_t size;
        assert_true(ras_murk_payload_put(type, &p, bytes, sizeof bytes, &size, &fault));
        assert_int_equal(size, sizes[type]);
        assert_true(ras_murk_payload_get(type, (struct ras_bytes){bytes, size}, &again, &fault));
        assert_int_equal(again.trailing, 0);
        if (type == RAS_MURK_SET_FIELD)
            assert_int_equal(again.value_f32, p.value_f32);
        if (type == RAS_MURK_SET_PARAMETER)
            assert_int_equal(again.value_f64, p.value_f64);
        if (again.coord.len)
            assert_memory_equal(again.coord.at, p.coord.at, 8);
    }
}

/* ---- the writer ----------------------------------------------------------------- */

enum { FRAMES = 6 };

/* Writes header and frames until the sink fails; returns how many frames were flushed. */
static uint64_t write_until_failure(struct ras_sink *sink)
{
    struct ras_murk_header h = a_header();
    struct ras_murk_command c = {.payload_type = RAS_MURK_DESPAWN, .payload = SPAN("12345678")};
    struct ras_murk_writer *w;
    struct ras_error err;
    uint64_t flushed = 0;
    if (ras_murk_writer_open(&w, sink, &h, &err) < 0)
        return 0;
    for (uint64_t i = 0; i < FRAMES; i++) {
        if (ras_murk_writer_frame(w, i + 1, &c, 1, i, &err) < 0 || ras_sink_flush(sink, &err) < 0) {
            assert_int_equal(err.status, RAS_EIO);
            assert_true(err.offset <= ras_sink_size(sink));
            break;
        }
        flushed++;
    }
    (void)!ras_murk_writer_close(w, NULL);
    return flushed;
}

static uint64_t count_frames(const char *path)
{
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    uint64_t count = 0;
    assert_int_equal(ras_open(&t, path, NULL, &err), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, &(struct ras_scan){.frames_only = true}, &err), RAS_OK);
    while (ras_next(c, &r, &err) == RAS_OK)
        count++;
    assert_true(ras_ending(t).kind == RAS_COMPLETE || faults_stayed());
    ras_cursor_close(c);
    ras_close(t);
    return count;
}

/* To a descriptor: what was flushed stays, and no incomplete frame follows, unless truncating fails
 * too. */
static void to_a_descriptor(void *user)
{
    const char *path = user;
    struct ras_sink *sink;
    int fd = creat(path, 0600);
    assert_int_equal(ras_sink_fd(&sink, fd, NULL), RAS_OK);
    uint64_t flushed = write_until_failure(sink);
    ras_sink_drop(sink);
    faults_stop();
    close(fd);
    assert_true(faults_hit() || flushed == FRAMES);
    if (flushed)
        assert_true(count_frames(path) >= flushed);
    unlink(path);
}

/* To an atomic file: all of it, or nothing and no temporary files. */
static void to_a_file(void *user)
{
    const char *path = user;
    struct ras_sink *sink;
    struct ras_error err;
    int status = ras_sink_file(&sink, path, false, &err);
    if (status == RAS_OK) {
        uint64_t flushed = write_until_failure(sink);
        if (flushed == FRAMES)
            status = ras_sink_close(sink, &err);
        else
            ras_sink_drop(sink);
        status = flushed == FRAMES ? status : RAS_EIO;
    }
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    if (status == RAS_OK)
        assert_int_equal(count_frames(path), FRAMES);
    assert_int_equal(unlink(path), status == RAS_OK ? 0 : -1);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/rastrum-murk-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.murk", folder);
    signal(SIGPIPE, SIG_IGN);
    faults_everywhere(to_a_descriptor, path);
    faults_everywhere(to_a_file, path);
    assert_int_equal(rmdir(folder), 0);
}

static void a_refused_frame_changes_nothing(void **state)
{
    (void)state;
    struct ras_murk_header h = a_header();
    struct ras_murk_command bad = {.payload = {NULL, RAS_MURK_BYTES_MAX + 1u}};
    struct ras_murk_writer *w;
    struct ras_sink *sink;
    struct ras_error err;
    assert_int_equal(ras_sink_memory(&sink, &err), RAS_OK);
    assert_int_equal(ras_murk_writer_open(&w, sink, &h, &err), RAS_OK);
    assert_int_equal(ras_murk_writer_frame(w, 1, NULL, 0, 5, &err), RAS_OK);
    uint64_t size = ras_sink_size(sink);
    assert_int_equal(ras_murk_writer_frame(w, 2, &bad, 1, 6, &err), RAS_ELIMIT);
    assert_int_equal(ras_sink_size(sink), size);
    assert_int_equal(ras_murk_writer_frame(w, 2, NULL, 0, 6, &err), RAS_OK);
    assert_int_equal(ras_murk_writer_count(w), 2);
    assert_int_equal(ras_murk_writer_close(w, &err), RAS_OK);
    assert_int_equal(ras_sink_size(sink), size + RAS_MURK_FRAME_MIN);
    ras_sink_drop(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_reads_back),
        cmocka_unit_test(a_header_beyond_the_limits_is_refused),
        cmocka_unit_test(every_payload_length_and_presence_reads_back),
        cmocka_unit_test(a_frame_beyond_the_limits_is_refused),
        cmocka_unit_test(every_payload_type_reads_back),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(a_refused_frame_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
