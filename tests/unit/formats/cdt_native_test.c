/* cdt_native_test.c - typed ticks from memory: by index, by walking, after damage. */
#include "cdt_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Blocks of ticks 0,1 | 4 | 7,7,9; sealed or not. */
struct fixture {
    struct out out;
    uint64_t at[4]; /* of the blocks and the footer */
    struct ras_cdt *cdt;
    struct ras_error err;
};

static int setup(void **state)
{
    struct fixture *f = *state = calloc(1, sizeof *f);
    make_header(&f->out);
    make_chunk(&f->out, "META", -1, -1, MAKE_META);
    f->at[0] = f->out.len;
    make_chunk(&f->out, "TICK", 0, 1, MAKE_BLOCK("0", "1", MAKE_TICK("0") "," MAKE_TICK("1")));
    f->at[1] = f->out.len;
    make_chunk(&f->out, "TICK", 4, 4, MAKE_BLOCK("4", "4", MAKE_TICK("4")));
    f->at[2] = f->out.len;
    make_chunk(&f->out, "TICK", 7, 9,
               MAKE_BLOCK("7", "9", MAKE_TICK("7") "," MAKE_TICK("7") "," MAKE_TICK("9")));
    f->at[3] = f->out.len;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    ras_cdt_close(f->cdt);
    out_free(&f->out);
    free(f);
    return 0;
}

static void seal(struct fixture *f)
{
    static const int ends[3][2] = {{0, 1}, {4, 4}, {7, 9}};
    struct out text = {0};
    out_text(&text, "{'tick_blocks':[");
    for (int i = 0; i < 3; i++)
        out_format(&text,
                   "%s{'start_tick':%d,'end_tick':%d,'file_offset':%llu,'compressed_len':1,"
                   "'uncompressed_len':1,'checksum':1}",
                   i ? "," : "", ends[i][0], ends[i][1], (unsigned long long)f->at[i]);
    out_text(&text, "],'tick_count':6,'first_tick':0,'last_tick':9}");
    out_byte(&text, 0);
    make_chunk(&f->out, "FOTR", -1, -1, (const char *)text.at);
    out_text(&f->out, RAS_CDT_TRAILER_MAGIC);
    make_le(&f->out, f->at[3], 8);
    out_free(&text);
}

static void open_it(struct fixture *f)
{
    assert_int_equal(ras_cdt_open(&f->cdt, f->out.at, f->out.len, NULL, &f->err), RAS_OK);
}

static void walk(struct fixture *f, const int *want, size_t count)
{
    const struct ras_cdt_tick_record *tick;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_OK);
        assert_int_equal(tick->tick_index, want[i]);
        struct ras_bytes payload = ras_cdt_payload(f->cdt);
        assert_true(tick->node.at + (uint64_t)tick->node.length <= payload.len);
        assert_int_equal(payload.at[tick->node.at], 0x85);
    }
    assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_END);
    assert_null(tick);
}

static void ticks_by_number(struct fixture *f)
{
    const struct ras_cdt_tick_record *tick;
    static const int there[] = {9, 0, 4, 1, 7};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(ras_cdt_tick_at(f->cdt, there[i], &tick, &f->err), RAS_OK);
        assert_int_equal(tick->tick_index, there[i]);
    }
    static const int not_there[] = {-1, 2, 8, 10};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ras_cdt_tick_at(f->cdt, not_there[i], &tick, &f->err), RAS_END);
        assert_null(tick);
    }
}

static void sealed_trace(void **state)
{
    struct fixture *f = *state;
    seal(f);
    open_it(f);
    assert_int_equal(ras_cdt_meta(f->cdt)->trace_schema_version, 12);
    assert_int_equal(ras_cdt_footer(f->cdt)->tick_blocks.count, 3);
    walk(f, (const int[]){0, 1, 4, 7, 7, 9}, 6);
    ticks_by_number(f);
    ras_cdt_rewind(f->cdt, 4);
    walk(f, (const int[]){4, 7, 7, 9}, 4);
    ras_cdt_rewind(f->cdt, 8);
    walk(f, (const int[]){9}, 1);
    ras_cdt_rewind(f->cdt, 10);
    walk(f, NULL, 0);
}

static void unsealed_trace(void **state)
{
    struct fixture *f = *state;
    open_it(f);
    assert_null(ras_cdt_footer(f->cdt));
    walk(f, (const int[]){0, 1, 4, 7, 7, 9}, 6);
    ticks_by_number(f);
    ras_cdt_rewind(f->cdt, 7);
    walk(f, (const int[]){7, 7, 9}, 3);
}

static void cut_trace(void **state)
{
    struct fixture *f = *state;
    const struct ras_cdt_tick_record *tick;
    f->out.len -= 1;
    open_it(f);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_OK);
    assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_ECUT);
    assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_END);
    ras_cdt_close(f->cdt);
    f->out.len = f->at[2] + 10;
    open_it(f);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_OK);
    assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_ECUT);
    assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_END);
}

static void a_walk_continues_after_a_damaged_chunk(void **state)
{
    struct fixture *f = *state;
    const struct ras_cdt_tick_record *tick;
    seal(f);
    f->out.at[f->at[1] + 40] ^= 1;
    open_it(f);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_OK);
    assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_EFORMAT);
    assert_int_equal(f->err.offset, f->at[1]);
    walk(f, (const int[]){7, 7, 9}, 3);
    assert_int_equal(ras_cdt_tick_at(f->cdt, 4, &tick, &f->err), RAS_EFORMAT);
    assert_int_equal(ras_cdt_tick_at(f->cdt, 9, &tick, &f->err), RAS_OK);
    /* The header of the chunk is missing: the next one is found by its checksum. */
    memset(f->out.at + f->at[1], 0, 32);
    ras_cdt_rewind(f->cdt, INT64_MIN);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_OK);
    assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_EFORMAT);
    walk(f, (const int[]){7, 7, 9}, 3);
}

/* Found by fuzzing: a chunk of another kind with a length beyond the end of the file is not a
 * cut. */
static void a_walk_continues_after_a_misplaced_chunk(void **state)
{
    struct fixture *f = *state;
    const struct ras_cdt_tick_record *tick;
    memcpy(f->out.at + f->at[1], "META", 4);
    memset(f->out.at + f->at[1] + 16, 0xff, 8);
    open_it(f);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ras_cdt_tick_next(f->cdt, &tick, &f->err), RAS_OK);
    assert_true(ras_cdt_tick_next(f->cdt, &tick, &f->err) < 0);
    walk(f, (const int[]){7, 7, 9}, 3);
}

static void a_block_that_is_not_a_tick_chunk(void **state)
{
    struct fixture *f = *state;
    const struct ras_cdt_tick_block *block;
    open_it(f);
    assert_int_equal(ras_cdt_block_at(f->cdt, 27, &block, &f->err), RAS_EFORMAT);
    assert_int_equal(ras_cdt_block_at(f->cdt, f->out.len, &block, &f->err), RAS_ECUT);
    assert_int_equal(ras_cdt_block_at(f->cdt, UINT64_MAX, &block, &f->err), RAS_ECUT);
    assert_int_equal(ras_cdt_block_at(f->cdt, f->at[1], &block, &f->err), RAS_OK);
    assert_int_equal(block->ticks.count, 1);
}

static void invalid_traces_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct ras_cdt_options small = {.limits.chunk_bytes = 10};
    for (size_t n = 0; n < f->at[0]; n++)
        assert_int_equal(ras_cdt_open(&f->cdt, f->out.at, n, NULL, &f->err), RAS_ECUT);
    assert_int_equal(ras_cdt_open(&f->cdt, f->out.at, f->out.len, &small, &f->err), RAS_ELIMIT);
    assert_null(f->cdt);
    f->out.at[23] = 2;
    assert_int_equal(ras_cdt_open(&f->cdt, f->out.at, f->out.len, NULL, &f->err), RAS_EVERSION);
    assert_string_equal(f->err.text, "unsupported trace format version: 2 (supported: 1)");
    f->out.at[23] = 1;
    f->out.at[27 + 24] ^= 1;
    assert_int_equal(ras_cdt_open(&f->cdt, f->out.at, f->out.len, NULL, &f->err), RAS_EFORMAT);
    ras_cdt_close(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(sealed_trace),
        TEST(unsealed_trace),
        TEST(cut_trace),
        TEST(a_walk_continues_after_a_damaged_chunk),
        TEST(a_walk_continues_after_a_misplaced_chunk),
        TEST(a_block_that_is_not_a_tick_chunk),
        TEST(invalid_traces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
