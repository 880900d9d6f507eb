/* cdt_repair_test.c - repaired traces: they have the footer of a writer and lose nothing. */
#include "base/out.h"
#include "cdt_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { TICKS = 5, PER_CHUNK = 2 };

/* A complete trace of three chunks, in a sink that the caller drops. */
static struct ras_bytes write_trace(struct ras_sink **sink, enum ras_cdt_style style)
{
    struct ras_cdt_trace_meta meta = {.trace_format_version = 1,
                                      .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
                                      .tick_range = {.end_tick = TICKS - 1, .tick_count = TICKS}};
    struct ras_cdt_writer_options options = {.style = style, .chunk_ticks = PER_CHUNK};
    struct ras_cdt_writer *w;
    const char *impl = style == RAS_CDT_ZIG ? "zig" : "python";
    meta.producer.impl = (struct ras_bytes){(const uint8_t *)impl, strlen(impl)};
    assert_int_equal(ras_sink_memory(sink, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_open(&w, *sink, &meta, &options, NULL), RAS_OK);
    for (int64_t i = 0; i < TICKS; i++) {
        struct ras_cdt_tick_record tick = {.tick_index = i, .elapsed_ms = 16 * i};
        assert_int_equal(ras_cdt_writer_tick(w, &tick, NULL), RAS_OK);
    }
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    return ras_sink_bytes(*sink);
}

static int repair(const void *bytes, size_t size, struct ras_repair **r, struct ras_sink **out)
{
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(ras_open_memory(&t, bytes, size, NULL, &err), RAS_OK);
    assert_int_equal(ras_sink_memory(out, NULL), RAS_OK);
    int status = ras_repair(r, t, &(struct ras_repair_options){.sink = *out}, &err);
    ras_close(t);
    return status;
}

/* Where the chunks of a trace begin: META, three blocks, FOTR; then its end. */
static void find_chunks(struct ras_bytes file, uint64_t at[6])
{
    struct ras_cdt_chunk chunk;
    at[0] = RAS_CDT_HEADER_SIZE;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ras_cdt_chunk_get(file, at[i], &chunk, NULL), RAS_OK);
        at[i + 1] = at[i] + RAS_CDT_CHUNK_HEADER_SIZE + chunk.compressed_len;
    }
}

/* What is cut after the last block is restored byte for byte. */
static void a_footer_is_made_as_the_writer_makes_it(void **state)
{
    (void)state;
    for (enum ras_cdt_style style = RAS_CDT_PYTHON; style <= RAS_CDT_ZIG; style++) {
        struct ras_sink *sink, *out;
        struct ras_repair *r;
        uint64_t at[6];
        struct ras_bytes file = write_trace(&sink, style);
        find_chunks(file, at);
        for (size_t n = (size_t)at[4]; n <= file.len; n++) {
            assert_int_equal(repair(file.at, n, &r, &out), RAS_OK);
            assert_int_equal(r->plan.patch_count, n < file.len);
            assert_int_equal(r->plan.lost_bytes, 0);
            assert_int_equal(ras_sink_size(out), file.len);
            assert_memory_equal(ras_sink_bytes(out).at, file.at, file.len);
            ras_repair_free(r);
            ras_sink_drop(out);
        }
        ras_sink_drop(sink);
    }
}

static void before_the_first_whole_block_there_is_nothing_to_repair(void **state)
{
    (void)state;
    struct ras_sink *sink, *out;
    struct ras_repair *r;
    uint64_t at[6];
    struct ras_bytes file = write_trace(&sink, RAS_CDT_PYTHON);
    find_chunks(file, at);
    for (size_t n = (size_t)at[1]; n <= at[2]; n++) {
        assert_int_equal(repair(file.at, n, &r, &out), n < at[2] ? RAS_EFORMAT : RAS_OK);
        if (n == at[2])
            ras_repair_free(r);
        ras_sink_drop(out);
    }
    ras_sink_drop(sink);
}

static void a_half_block_is_cut_off_and_counted(void **state)
{
    (void)state;
    struct ras_sink *sink, *out;
    struct ras_repair *r;
    uint64_t at[6];
    struct ras_bytes file = write_trace(&sink, RAS_CDT_PYTHON);
    find_chunks(file, at);
    assert_int_equal(repair(file.at, (size_t)at[4] - 1, &r, &out), RAS_OK);
    assert_int_equal(r->plan.lost_bytes, at[4] - 1 - at[3]);
    assert_int_equal(r->after.kind, RAS_COMPLETE);
    assert_int_equal(r->left->by_severity[RAS_ERROR], 0);
    struct ras_cdt *cdt;
    struct ras_bytes made = ras_sink_bytes(out);
    assert_int_equal(ras_cdt_open(&cdt, made.at, made.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cdt_footer(cdt)->tick_count, 4);
    assert_int_equal(ras_cdt_footer(cdt)->last_tick, 3);
    ras_cdt_close(cdt);
    ras_repair_free(r);
    ras_sink_drop(out);
    ras_sink_drop(sink);
}

/* Zeros come from disk blocks that were never written: removing them loses nothing. */
static void a_tail_of_zeros_is_not_content(void **state)
{
    (void)state;
    struct ras_sink *sink, *out;
    struct ras_repair *r;
    uint64_t at[6];
    struct ras_bytes file = write_trace(&sink, RAS_CDT_PYTHON);
    find_chunks(file, at);
    uint8_t *copy = calloc(1, file.len + 5000);
    memcpy(copy, file.at, (size_t)at[4]);
    assert_int_equal(repair(copy, file.len + 5000, &r, &out), RAS_OK);
    assert_int_equal(r->plan.lost_bytes, 0);
    assert_int_equal(ras_sink_size(out), file.len);
    assert_memory_equal(ras_sink_bytes(out).at, file.at, file.len);
    ras_repair_free(r);
    ras_sink_drop(out);
    ras_sink_drop(sink);
    free(copy);
}

/* A block in the middle is removed, and the index is corrected. */
static void a_damaged_block_is_removed(void **state)
{
    (void)state;
    struct ras_sink *sink, *out;
    struct ras_repair *r;
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    uint64_t at[6];
    struct ras_bytes file = write_trace(&sink, RAS_CDT_ZIG);
    find_chunks(file, at);
    uint8_t *copy = malloc(file.len);
    memcpy(copy, file.at, file.len);
    copy[at[2] + 40] ^= 1;
    assert_int_equal(repair(copy, file.len, &r, &out), RAS_OK);
    assert_int_equal(r->plan.lost_bytes, at[3] - at[2]);
    assert_int_equal(r->plan.lost_records, RAS_NONE);
    struct ras_bytes made = ras_sink_bytes(out);
    assert_int_equal(ras_cdt_open(&cdt, made.at, made.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cdt_footer(cdt)->tick_blocks.count, 2);
    assert_int_equal(ras_cdt_tick_at(cdt, 4, &tick, NULL), RAS_OK);
    assert_int_equal(ras_cdt_tick_at(cdt, 2, &tick, NULL), RAS_END);
    ras_cdt_close(cdt);
    ras_repair_free(r);
    ras_sink_drop(out);
    ras_sink_drop(sink);
    free(copy);
}

/* The ticks in a chunk's header follow from its rows; they are corrected in place. */
static void a_header_with_wrong_ticks_is_corrected(void **state)
{
    (void)state;
    struct ras_sink *sink, *out;
    struct ras_repair *r;
    uint64_t at[6];
    struct ras_bytes file = write_trace(&sink, RAS_CDT_PYTHON);
    find_chunks(file, at);
    uint8_t *copy = malloc(file.len);
    memcpy(copy, file.at, file.len);
    store_u32(copy + at[2] + 4, 77);
    assert_int_equal(repair(copy, file.len, &r, &out), RAS_OK);
    assert_int_equal(r->plan.patch_count, 1);
    assert_int_equal(r->plan.lost_bytes, 0);
    assert_memory_equal(ras_sink_bytes(out).at, file.at, file.len);
    ras_repair_free(r);
    ras_sink_drop(out);
    ras_sink_drop(sink);
    free(copy);
}

/* The ticks do not depend on a lost META; its replacement is minimal. */
static void a_lost_meta_is_rebuilt(void **state)
{
    (void)state;
    struct ras_sink *sink, *out;
    struct ras_repair *r;
    struct ras_cdt *cdt;
    struct ras_bytes file = write_trace(&sink, RAS_CDT_PYTHON);
    uint8_t *copy = malloc(file.len);
    memcpy(copy, file.at, file.len);
    copy[RAS_CDT_HEADER_SIZE + 40] ^= 1;
    assert_int_equal(repair(copy, file.len, &r, &out), RAS_OK);
    assert_int_equal(r->after.kind, RAS_COMPLETE);
    assert_int_equal(r->plan.note_count, 1);
    assert_int_equal(r->plan.lost_records, 0);
    struct ras_bytes made = ras_sink_bytes(out);
    assert_int_equal(ras_cdt_open(&cdt, made.at, made.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cdt_meta(cdt)->tick_range.tick_count, TICKS);
    assert_int_equal(ras_cdt_meta(cdt)->created_utc.len, 0);
    assert_int_equal(ras_cdt_footer(cdt)->tick_blocks.count, 3);
    ras_cdt_close(cdt);
    ras_repair_free(r);
    ras_sink_drop(out);
    ras_sink_drop(sink);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_footer_is_made_as_the_writer_makes_it),
        cmocka_unit_test(before_the_first_whole_block_there_is_nothing_to_repair),
        cmocka_unit_test(a_half_block_is_cut_off_and_counted),
        cmocka_unit_test(a_tail_of_zeros_is_not_content),
        cmocka_unit_test(a_damaged_block_is_removed),
        cmocka_unit_test(a_header_with_wrong_ticks_is_corrected),
        cmocka_unit_test(a_lost_meta_is_rebuilt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
