/* cdt_read_test.c - CDT as records: order, parents, axes, seeking, marks. */
#include "cdt_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct fixture {
    struct out out;
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    struct ras_error err;
};

/* Blocks of two ticks from 0 on; each tick is a tick, a checkpoint and a sim_state. */
enum { BLOCKS = 4, ROWS = 3 };

static int setup(void **state)
{
    struct fixture *f = *state = calloc(1, sizeof *f);
    struct out footer = {0};
    make_header(&f->out);
    make_chunk(&f->out, "META", -1, -1, MAKE_META);
    out_text(&footer, "{'tick_blocks':[");
    for (int i = 0; i < BLOCKS; i++) {
        struct out text = {0};
        out_format(&text, "{'start_tick':%d,'end_tick':%d,'ticks':[", 2 * i, 2 * i + 1);
        for (int n = 2 * i; n < 2 * i + 2; n++) {
            out_format(&text, "%s{'tick_index':%d,'elapsed_ms':%d,'dt_ms_i32':16,'mode_id':1,",
                       n % 2 ? "," : "", n, 16 * n);
            out_text(&text, "'channels':" MAKE_CHANNELS "}");
        }
        out_text(&text, "]}");
        out_byte(&text, 0);
        out_format(&footer,
                   "%s{'start_tick':%d,'end_tick':%d,'file_offset':%zu,'compressed_len':0,"
                   "'uncompressed_len':0,'checksum':0}",
                   i ? "," : "", 2 * i, 2 * i + 1, f->out.len);
        make_chunk(&f->out, "TICK", 2 * i, 2 * i + 1, (const char *)text.at);
        out_free(&text);
    }
    out_format(&footer, "],'tick_count':%d,'first_tick':0,'last_tick':%d}", 2 * BLOCKS,
               2 * BLOCKS - 1);
    out_byte(&footer, 0);
    size_t at = f->out.len;
    make_chunk(&f->out, "FOTR", -1, -1, (const char *)footer.at);
    out_text(&f->out, RAS_CDT_TRAILER_MAGIC);
    make_le(&f->out, at, 8);
    out_free(&footer);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    ras_cursor_close(f->cursor);
    ras_close(f->trace);
    out_free(&f->out);
    free(f);
    return 0;
}

static void open_it(struct fixture *f, const struct ras_scan *scan)
{
    assert_int_equal(ras_open_memory(&f->trace, f->out.at, f->out.len, NULL, &f->err), RAS_OK);
    assert_int_equal(ras_cursor_open(&f->cursor, f->trace, scan, &f->err), RAS_OK);
}

static const struct ras_record *next(struct fixture *f)
{
    const struct ras_record *r;
    assert_int_equal(ras_next(f->cursor, &r, &f->err), RAS_OK);
    return r;
}

static void rows_follow_their_tick(void **state)
{
    struct fixture *f = *state;
    open_it(f, NULL);
    for (uint64_t n = 0; n < 2 * BLOCKS; n++) {
        for (unsigned row = 0; row < ROWS; row++) {
            static const char *const names[] = {"tick", "checkpoint", "sim_state"};
            const struct ras_record *r = next(f);
            assert_string_equal(ras_schema_of(f->cursor)->name, names[row]);
            assert_int_equal(r->seq, n * ROWS + row);
            assert_true(r->parent == (row ? n * ROWS : RAS_NONE));
            assert_int_equal(r->flags, RAS_HAS_TICK | RAS_HAS_TIME);
            assert_int_equal(r->tick, n);
            assert_int_equal(r->time_ns, 16 * n * 1000000);
            assert_int_equal(r->raw[0] & 0xf0, 0x80);
        }
    }
    const struct ras_record *r;
    assert_int_equal(ras_next(f->cursor, &r, &f->err), RAS_END);
    assert_int_equal(ras_ending(f->trace).kind, RAS_COMPLETE);
    assert_int_equal(ras_ending(f->trace).offset, f->out.len);
    assert_string_equal(ras_dialect(f->trace), "zig");
}

static void seek_through_the_index(void **state)
{
    struct fixture *f = *state;
    open_it(f, NULL);
    for (uint64_t to = 0; to < 2 * BLOCKS; to++) {
        uint64_t tick = to * 5 % (2 * BLOCKS);
        assert_int_equal(ras_seek(f->cursor, RAS_AXIS_TICK, tick, &f->err), RAS_OK);
        const struct ras_record *r = next(f);
        assert_int_equal(r->tick, tick);
        assert_string_equal(ras_schema_of(f->cursor)->name, "tick");
        assert_true(r->seq == RAS_NONE);
        assert_true(next(f)->parent == RAS_NONE);
    }
    const struct ras_record *r;
    assert_int_equal(ras_seek(f->cursor, RAS_AXIS_TICK, 99, &f->err), RAS_OK);
    assert_int_equal(ras_next(f->cursor, &r, &f->err), RAS_END);
    /* A record number is found by walking. */
    assert_int_equal(ras_seek(f->cursor, RAS_AXIS_SEQ, 7, &f->err), RAS_OK);
    assert_int_equal(next(f)->seq, 7);
}

static void seek_with_a_wrong_index(void **state)
{
    struct fixture *f = *state;
    /* The header of the third chunk has other ticks than the index. */
    uint8_t *at = f->out.at;
    for (int i = 0; i < 3; i++)
        at = memmem(at + 4, f->out.len - (size_t)(at + 4 - f->out.at), "TICK", 4);
    at[4] = 5;
    open_it(f, NULL);
    assert_int_equal(ras_seek(f->cursor, RAS_AXIS_TICK, 6, &f->err), RAS_OK);
    const struct ras_record *r = next(f);
    assert_int_equal(r->tick, 6);
    assert_int_equal(r->seq, 6 * ROWS); /* found by walking */
}

static void marks_come_back_inside_a_block(void **state)
{
    struct fixture *f = *state;
    struct ras_mark marks[2 * BLOCKS * ROWS];
    open_it(f, NULL);
    for (uint64_t i = 0; i < 2 * BLOCKS * ROWS; i++) {
        ras_mark(f->cursor, &marks[i]);
        assert_int_equal(next(f)->seq, i);
    }
    for (uint64_t i = 0; i < 2 * BLOCKS * ROWS; i++) {
        uint64_t n = i * 7 % (2 * BLOCKS * ROWS);
        assert_int_equal(ras_jump(f->cursor, &marks[n], &f->err), RAS_OK);
        const struct ras_record *r = next(f);
        assert_int_equal(r->seq, n);
        assert_int_equal(r->tick, n / ROWS);
        assert_true(r->parent == (n % ROWS ? n - n % ROWS : RAS_NONE));
    }
    /* A mark that is not of this trace leads to a record all the same. */
    struct ras_mark invalid = marks[4];
    invalid.state[1] = 99;
    assert_int_equal(ras_jump(f->cursor, &invalid, &f->err), RAS_OK);
    assert_int_equal(next(f)->tick, 2);
    invalid = marks[4];
    invalid.state[2] = 99;
    assert_int_equal(ras_jump(f->cursor, &invalid, &f->err), RAS_OK);
    assert_int_equal(next(f)->tick, 0);
}

static void ranges_keep_their_numbers(void **state)
{
    struct fixture *f = *state;
    open_it(f, &(struct ras_scan){.axis = RAS_AXIS_TICK, .from = 3, .to = 5});
    for (uint64_t i = 3 * ROWS; i < 5 * ROWS; i++)
        assert_int_equal(next(f)->seq, i);
    const struct ras_record *r;
    assert_int_equal(ras_next(f->cursor, &r, &f->err), RAS_END);
}

static void only_the_requested_fields(void **state)
{
    struct fixture *f = *state;
    const char *fields[] = {"perk", "kills"};
    struct ras_pick pick = {"checkpoint", fields, 2};
    open_it(f, &(struct ras_scan){.picks = &pick, .pick_count = 1});
    next(f);
    size_t count;
    const struct ras_value *v = ras_values(f->cursor, &count);
    assert_int_equal(count, 1 + 1 + 8); /* kills; a map of four keys, two of them empty lists */
    const struct ras_schema *s = ras_schema_of(f->cursor);
    assert_string_equal(s->fields[v[0].field].name, "kills");
    assert_string_equal(s->fields[v[1].field].name, "perk");
    assert_int_equal(v[1].kind, RAS_MAP);
    assert_int_equal(v[1].count, 8);
}

static void negative_ticks_have_no_axis(void **state)
{
    struct fixture *f = *state;
    f->out.len = 0;
    make_header(&f->out);
    make_chunk(&f->out, "META", -1, -1, MAKE_META);
    make_chunk(&f->out, "TICK", -5, -5,
               MAKE_BLOCK("-5", "-5",
                          "{'tick_index':-5,'elapsed_ms':-1,'dt_ms_i32':0,'mode_id':0,"
                          "'channels':" MAKE_CHANNELS "}"));
    open_it(f, NULL);
    const struct ras_record *r = next(f);
    assert_int_equal(r->flags, 0);
    size_t count;
    assert_int_equal(ras_values(f->cursor, &count)[0].i, -5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(rows_follow_their_tick),      TEST(seek_through_the_index),
        TEST(seek_with_a_wrong_index),     TEST(marks_come_back_inside_a_block),
        TEST(ranges_keep_their_numbers),   TEST(only_the_requested_fields),
        TEST(negative_ticks_have_no_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
