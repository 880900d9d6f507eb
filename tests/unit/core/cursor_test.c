/* cursor_test.c - walking: ranges, policy, endings, gaps, waiting, seeking. */
#include "fake.h"
#include "../replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* Walk all: "type@offset ..." and how it ended. */
static void walks(struct ras_trace *t, const struct ras_scan *scan, const char *want,
                  enum ras_ending_kind kind)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    char got[1000] = "";
    size_t len = 0;
    int status = ras_cursor_open(&c, t, scan, &err);
    assert_int_equal(status, RAS_OK);
    while ((status = ras_next(c, &r, &err)) == RAS_OK)
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%s@%" PRIu64, len ? " " : "",
                                ras_schema_of(c)->name, r->offset);
    assert_string_equal(got, want);
    assert_int_equal(status, RAS_END);
    assert_null(r);
    assert_int_equal(ras_ending(t).kind, kind);
    assert_int_equal(ras_next(c, &r, &err), RAS_END);
    ras_cursor_close(c);
}

static void a_clean_end_is_complete(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xs\1\1x....rest", 1);
    walks(t, NULL, "row@0 sub@4", RAS_COMPLETE);
    struct ras_ending end = ras_ending(t);
    assert_int_equal(end.offset, 8);
    assert_int_equal(end.size, 16);
    assert_string_equal(end.why, "");
    ras_close(t);
}

static void before_the_end_the_ending_is_open(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1x", 1);
    assert_int_equal(ras_ending(t).kind, RAS_OPEN_END);
    assert_string_equal(ras_ending(t).why, "");
    ras_close(t);
}

static void a_record_cut_short_is_not_delivered(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xr\2\1", 1);
    walks(t, NULL, "row@0", RAS_CUT);
    assert_int_equal(ras_ending(t).offset, 4);
    assert_string_equal(ras_ending(t).why, "3 of 4 bytes");
    ras_close(t);
}

static void damage_ends_the_walk_where_the_good_part_ends(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1x!\0\0\0r\1\1x", 1);
    walks(t, NULL, "row@0", RAS_DAMAGED);
    assert_int_equal(ras_ending(t).offset, 4);
    assert_string_equal(ras_ending(t).why, "type 33");
    ras_close(t);
}

static void a_gap_is_a_record_and_spoils_the_ending(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xg\0\0\5r\1\1x", 1);
    walks(t, NULL, "row@0 gap@4 row@8", RAS_DAMAGED);
    assert_int_equal(ras_ending(t).offset, 4);
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t n;
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(r->schema, RAS_SCHEMA_GAP);
    const struct ras_value *v = ras_values(c, &n);
    assert_int_equal(n, 4);
    assert_int_equal(v[0].u, 4);
    assert_int_equal(v[1].u, 4);
    assert_memory_equal(v[2].at, "four bytes of nonsense", v[2].count);
    assert_int_equal(v[3].u, 5);
    ras_cursor_close(c);
    ras_close(t);
}

static void a_counted_drop_is_a_gap_without_damage(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xd\0\0\7....", 1);
    walks(t, NULL, "row@0 gap@0", RAS_COMPLETE);
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t n;
    const char *const fields[] = {"offset", "lost"};
    struct ras_pick pick = {.type = "gap", .fields = fields, .field_count = 2};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    const struct ras_value *v = ras_values(c, &n);
    assert_int_equal(n, 2);
    assert_int_equal(v[0].kind, RAS_NULL);
    assert_int_equal(v[1].u, 7);
    ras_cursor_close(c);
    ras_close(t);
}

static void of_two_endings_the_worse_is_told(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("g\0\0\0u\0\0\0", 1);
    walks(t, NULL, "gap@0", RAS_DAMAGED);
    ras_close(t);
    t = FAKE_OPEN("r\1\1xu\0\0\0", 1);
    walks(t, NULL, "row@0", RAS_UNSEALED);
    assert_string_equal(ras_ending(t).why, "no footer");
    ras_close(t);
}

static void strict_makes_an_error_of_cut_gap_and_damage(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        uint64_t offset;
        const char *text;
    } cases[] = {
        {"r\1\1xr\2\1", 7, 4, "3 of 4 bytes"},
        {"r\1\1xg\0\0\0", 8, 4, "four bytes of nonsense"},
        {"r\1\1x!\0\0\0", 8, 5, "type 33"},
    };
    struct ras_scan scan = {.strict = true};
    for (size_t i = 0; i < 3; i++) {
        struct ras_trace *t = fake_open(cases[i].bytes, cases[i].size, 1, false);
        struct ras_cursor *c;
        const struct ras_record *r;
        struct ras_error err;
        assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
        assert_int_equal(ras_next(c, &r, &err), RAS_OK);
        assert_int_equal(ras_next(c, &r, &err), RAS_EFORMAT);
        assert_int_equal(err.offset, cases[i].offset);
        assert_string_equal(err.text, cases[i].text);
        ras_cursor_close(c);
        ras_close(t);
    }
}

static void an_unsealed_end_is_no_strict_error(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xu\0\0\0", 1);
    struct ras_scan scan = {.strict = true};
    walks(t, &scan, "row@0", RAS_UNSEALED);
    ras_close(t);
}

static void growing_memory_is_waited_for(void **state)
{
    (void)state;
    static const char bytes[] = "r\1\1Ar\2\1B";
    struct ras_trace *t = fake_open(bytes, 0, 1, true);
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t n;
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    for (size_t size = 0; size <= 8; size++) {
        assert_int_equal(ras_trace_grow(t, size, true, NULL), RAS_OK);
        if (size && size % 4 == 0) {
            assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
            assert_int_equal(ras_values(c, &n)->u, size == 4 ? 'A' : 'B');
            assert_int_equal(r->seq, size / 4 - 1);
        }
        assert_int_equal(ras_next(c, &r, NULL), RAS_WAIT);
        assert_int_equal(ras_wait(t, 0, NULL), RAS_WAIT); /* its owner calls ras_trace_grow */
    }
    assert_int_equal(ras_trace_grow(t, 8, false, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    assert_int_equal(ras_wait(t, 0, NULL), RAS_END);
    assert_int_equal(ras_ending(t).kind, RAS_COMPLETE);
    ras_cursor_close(c);
    ras_close(t);
}

static void memory_that_stops_growing_inside_a_record_is_cut(void **state)
{
    (void)state;
    struct ras_trace *t = fake_open("r\1\1xr\2", 6, 1, true);
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_WAIT);
    assert_int_equal(ras_trace_grow(t, 6, false, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    assert_int_equal(ras_ending(t).kind, RAS_CUT);
    ras_cursor_close(c);
    ras_close(t);
}

static void damage_is_not_waited_for(void **state)
{
    (void)state;
    struct ras_trace *t = fake_open("!\0\0\0", 4, 1, true);
    walks(t, NULL, "", RAS_DAMAGED);
    ras_close(t);
}

static void ranges_are_half_open(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xr\2\1xr\3\1xr\2\1xr\4\1x", 1);
    struct ras_scan time = {.axis = RAS_AXIS_TIME, .from = 2, .to = 3};
    walks(t, &time, "row@4 row@12", RAS_COMPLETE);
    time.to = RAS_NONE;
    walks(t, &time, "row@4 row@8 row@12 row@16", RAS_COMPLETE);
    struct ras_scan seq = {.axis = RAS_AXIS_SEQ, .from = 1, .to = 99};
    walks(t, &seq, "row@4 row@8 row@12 row@16", RAS_COMPLETE);
    struct ras_scan tick = {.axis = RAS_AXIS_TICK, .from = 0, .to = RAS_NONE};
    walks(t, &tick, "", RAS_COMPLETE); /* none has a tick */
    ras_close(t);
}

static void a_range_by_number_ends_the_walk_early(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xr\2\1xr\3\1x!\0\0\0", 1);
    struct ras_scan seq = {.axis = RAS_AXIS_SEQ, .from = 1, .to = 2};
    walks(t, &seq, "row@4", RAS_OPEN_END);
    ras_close(t);
}

static void the_largest_tick_is_not_beyond_an_open_range(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    put_header(&o);
    put_frame(&o, 5);
    put_frame(&o, UINT64_MAX);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    struct ras_scan scan = {.axis = RAS_AXIS_TICK, .from = 6, .to = RAS_NONE};
    walks(t, &scan, "frame@74", RAS_COMPLETE);
    ras_close(t);
    out_free(&o);
}

static void numbers_and_parents_are_places_in_the_trace(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xs\1\1xq\1\1xs\1\1xq\1\1xr\1\1x", 1);
    struct ras_pick picks[] = {{.type = "sub"}, {.type = "extra"}};
    struct ras_scan scan = {.picks = picks, .pick_count = 2};
    struct ras_cursor *c;
    const struct ras_record *r;
    static const struct {
        uint64_t seq, parent;
        uint32_t schema;
    } want[] = {
        {1, 0, FAKE_SUB}, {0, RAS_NONE, FAKE_EXTRA}, {2, 0, FAKE_SUB}, {1, RAS_NONE, FAKE_EXTRA}};
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_int_equal(r->schema, want[i].schema);
        assert_int_equal(r->seq, want[i].seq);
        assert_int_equal(r->parent, want[i].parent);
    }
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    ras_cursor_close(c);
    ras_close(t);
}

/* A replay of 3000 frames, a command each: long enough for several marks. */
static struct ras_trace *long_replay(struct out *o)
{
    struct ras_trace *t;
    put_header(o);
    for (uint64_t tick = 0; tick < 6000; tick++)
        put_despawns(o, tick, 1);
    assert_int_equal(ras_open_memory(&t, o->at, o->len, NULL, NULL), RAS_OK);
    return t;
}

static void seeking_finds_the_first_record_not_before(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t = long_replay(&o);
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    for (int pass = 0; pass < 2; pass++) { /* without marks, then with */
        static const uint64_t to[] = {5999, 0, 3000, 2999, 5000, 1};
        for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
            assert_int_equal(ras_seek(c, RAS_AXIS_TICK, to[i], NULL), RAS_OK);
            assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
            assert_int_equal(r->tick, to[i]);
            assert_int_equal(r->seq, 2 * to[i]);
            assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
            assert_int_equal(r->parent, 2 * to[i]);
            assert_int_equal(ras_seek(c, RAS_AXIS_SEQ, 2 * to[i] + 1, NULL), RAS_OK);
            assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
            assert_int_equal(r->seq, 2 * to[i] + 1);
            assert_int_equal(r->parent, 2 * to[i]);
        }
        assert_int_equal(ras_seek(c, RAS_AXIS_TICK, 6000, NULL), RAS_OK);
        assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    }
    assert_int_equal(ras_seek(c, RAS_AXIS_NONE, 0, NULL), RAS_EUSAGE);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void a_mark_leads_back_from_any_cursor(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t = long_replay(&o);
    struct ras_cursor *c, *other;
    const struct ras_record *r;
    struct ras_mark mark;
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    for (int i = 0; i < 1001; i++) /* inside a frame: its command comes next */
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    ras_mark(c, &mark);
    while (ras_next(c, &r, NULL) == RAS_OK)
        ;
    assert_int_equal(ras_cursor_open(&other, t, NULL, NULL), RAS_OK);
    struct ras_cursor *const both[] = {c, other};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ras_jump(both[i], &mark, NULL), RAS_OK);
        assert_int_equal(ras_next(both[i], &r, NULL), RAS_OK);
        assert_int_equal(r->seq, 1001);
        assert_int_equal(r->parent, 1000);
        assert_int_equal(r->tick, 500);
    }
    struct ras_mark foreign = {.part = 3};
    assert_int_equal(ras_jump(c, &foreign, NULL), RAS_EUSAGE);
    ras_cursor_close(c);
    ras_cursor_close(other);
    ras_cursor_close(NULL);
    ras_close(t);
    out_free(&o);
}

static void a_mark_beyond_the_bytes_is_the_end(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1x", 1);
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_mark mark = {.offset = 1000};
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    assert_int_equal(ras_jump(c, &mark, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    ras_cursor_close(c);
    ras_close(t);
}

/* A name that was found is remembered by its address, which may hold another one next time. */
static void a_name_in_a_reused_buffer_is_looked_up_again(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1\4r\1\1\6", 1);
    struct ras_cursor *c;
    const struct ras_record *r;
    char name[8] = "value";
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_value_of(c, name)->u, 4);
    memcpy(name, "twice", sizeof "twice");
    assert_int_equal(ras_value_of(c, name)->u, 8);
    memcpy(name, "none", sizeof "none");
    assert_null(ras_value_of(c, name));
    memcpy(name, "value", sizeof "value");
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_value_of(c, name)->u, 6);
    ras_cursor_close(c);
    ras_close(t);
}

static void values_are_found_by_name_and_by_index(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1\4g\0\0\1", 1);
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_bytes bytes;
    struct ras_error err;
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_field_index(ras_schema_of(c), "twice"), 1);
    assert_int_equal(ras_field_index(ras_schema_of(c), "thrice"), -1);
    assert_int_equal(ras_value_at(c, 1)->u, 8);
    assert_int_equal(ras_value_of(c, "value")->u, 4);
    assert_null(ras_value_at(c, -1));
    assert_null(ras_value_of(c, "thrice"));
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_value_of(c, "why")->kind, RAS_STR);
    assert_int_equal(ras_value_of(c, "lost")->u, 1); /* text before it holds no cells */
    assert_null(ras_value_of(c, "value"));
    ras_cursor_close(c);
    assert_int_equal(ras_part_bytes(t, 0, &bytes, NULL), RAS_OK);
    assert_int_equal(bytes.len, 8);
    assert_int_equal(ras_part_bytes(t, 1, &bytes, &err), RAS_EUSAGE);
    assert_null(bytes.at);
    assert_string_equal(err.text, "there is no part 1: the trace has 1 part");
    ras_close(t);
}

static void stepping_over_a_value_steps_over_its_content(void **state)
{
    (void)state;
    const struct ras_value cells[] = {
        {.kind = RAS_STR, .count = 9},   {.kind = RAS_LIST, .count = 3},
        {.kind = RAS_MAP, .count = 2},   {.kind = RAS_STR, .count = 1},
        {.kind = RAS_BLOB, .count = 70}, {.kind = RAS_UINT}};
    assert_ptr_equal(ras_value_next(&cells[0]), &cells[1]);
    assert_ptr_equal(ras_value_next(&cells[1]), &cells[5]);
    assert_ptr_equal(ras_value_next(&cells[2]), &cells[5]);
    assert_ptr_equal(ras_value_next(&cells[4]), &cells[5]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_name_and_by_index),
        cmocka_unit_test(a_name_in_a_reused_buffer_is_looked_up_again),
        cmocka_unit_test(stepping_over_a_value_steps_over_its_content),
        cmocka_unit_test(a_clean_end_is_complete),
        cmocka_unit_test(before_the_end_the_ending_is_open),
        cmocka_unit_test(a_record_cut_short_is_not_delivered),
        cmocka_unit_test(damage_ends_the_walk_where_the_good_part_ends),
        cmocka_unit_test(a_gap_is_a_record_and_spoils_the_ending),
        cmocka_unit_test(a_counted_drop_is_a_gap_without_damage),
        cmocka_unit_test(of_two_endings_the_worse_is_told),
        cmocka_unit_test(strict_makes_an_error_of_cut_gap_and_damage),
        cmocka_unit_test(an_unsealed_end_is_no_strict_error),
        cmocka_unit_test(growing_memory_is_waited_for),
        cmocka_unit_test(memory_that_stops_growing_inside_a_record_is_cut),
        cmocka_unit_test(damage_is_not_waited_for),
        cmocka_unit_test(ranges_are_half_open),
        cmocka_unit_test(a_range_by_number_ends_the_walk_early),
        cmocka_unit_test(the_largest_tick_is_not_beyond_an_open_range),
        cmocka_unit_test(numbers_and_parents_are_places_in_the_trace),
        cmocka_unit_test(seeking_finds_the_first_record_not_before),
        cmocka_unit_test(a_mark_leads_back_from_any_cursor),
        cmocka_unit_test(a_mark_beyond_the_bytes_is_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
