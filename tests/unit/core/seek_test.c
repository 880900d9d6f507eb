/* seek_test.c - marks, jumps and seeks in any order. */
#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct ras_cursor *open_cursor(struct ras_trace *t, const struct ras_scan *scan)
{
    struct ras_cursor *c;
    struct ras_error err;
    assert_int_equal(ras_cursor_open(&c, t, scan, &err), RAS_OK);
    return c;
}

/* The next record lies at `offset` and is number `seq`. */
static void gives(struct ras_cursor *c, uint64_t offset, uint64_t seq)
{
    const struct ras_record *r;
    struct ras_error err;
    assert_int_equal(ras_next(c, &r, &err), RAS_OK);
    assert_int_equal(r->offset, offset);
    assert_int_equal(r->seq, seq);
}

static void a_mark_after_a_seek_is_of_the_record_sought(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1ar\2\1br\5\1cr\6\1d", 1);
    struct ras_cursor *c = open_cursor(t, NULL);
    struct ras_mark mark;
    struct ras_error err;
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 3, &err), RAS_OK);
    ras_mark(c, &mark);
    gives(c, 8, 2);
    assert_int_equal(ras_jump(c, &mark, &err), RAS_OK);
    gives(c, 8, 2);
    gives(c, 12, 3);
    assert_int_equal(ras_seek(c, RAS_AXIS_SEQ, 1, &err), RAS_OK);
    ras_mark(c, &mark);
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 9, &err), RAS_OK);
    const struct ras_record *r;
    assert_int_equal(ras_next(c, &r, &err), RAS_END);
    assert_int_equal(ras_jump(c, &mark, &err), RAS_OK);
    gives(c, 4, 1);
    ras_cursor_close(c);
    ras_close(t);
}

static void a_seek_shows_no_values_of_what_it_passed(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1ar\2\1b", 1);
    struct ras_cursor *c = open_cursor(t, NULL);
    struct ras_error err;
    size_t count;
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 2, &err), RAS_OK);
    ras_values(c, &count);
    assert_int_equal(count, 0);
    ras_cursor_close(c);
    ras_close(t);
}

static void a_seek_beyond_what_is_there_goes_on_when_more_comes(void **state)
{
    (void)state;
    char bytes[] = "r\1\1ar\2\1br\5\1cr\6\1d";
    struct ras_trace *t = fake_open(bytes, 6, 1, true);
    struct ras_cursor *c = open_cursor(t, NULL);
    struct ras_error err;
    const struct ras_record *r;
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 6, &err), RAS_OK);
    assert_int_equal(ras_next(c, &r, &err), RAS_WAIT);
    assert_int_equal(ras_trace_grow(t, 16, false, &err), RAS_OK);
    gives(c, 12, 3);
    assert_int_equal(ras_next(c, &r, &err), RAS_END);
    ras_cursor_close(c);
    ras_close(t);
}

static void a_strict_seek_leaves_a_gap_to_be_reported(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1ag\0\0\1r\5\1c", 1);
    struct ras_cursor *c = open_cursor(t, &(struct ras_scan){.strict = true});
    struct ras_error err;
    const struct ras_record *r;
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 5, &err), RAS_OK);
    assert_int_equal(ras_next(c, &r, &err), RAS_EFORMAT);
    assert_int_equal(err.offset, 4);
    ras_cursor_close(c);
    ras_close(t);
}

static void types_on_request_are_numbered_only_from_the_start(void **state)
{
    (void)state;
    struct ras_pick picks[] = {{.type = "row"}, {.type = "extra"}};
    struct ras_scan scan = {.picks = picks, .pick_count = 2};
    struct ras_trace *t = FAKE_OPEN("r\1\1aq\1\1aq\2\1br\3\1cq\5\1d", 1);
    struct ras_cursor *c = open_cursor(t, &scan);
    struct ras_mark start, mark;
    struct ras_error err;
    ras_mark(c, &start);
    gives(c, 0, 0);
    gives(c, 4, 0);
    ras_mark(c, &mark);
    gives(c, 8, 1);
    gives(c, 12, 1);
    assert_int_equal(ras_jump(c, &mark, &err), RAS_OK);
    gives(c, 8, RAS_NONE);
    gives(c, 12, 1);
    assert_int_equal(ras_jump(c, &start, &err), RAS_OK);
    gives(c, 0, 0);
    gives(c, 4, 0);
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 2, &err), RAS_OK);
    gives(c, 8, 1);
    gives(c, 12, 1);
    gives(c, 16, 2);
    ras_cursor_close(c);
    ras_close(t);
}

/* Records on request lie between those that count; the range is of their own numbers. */
static void a_range_of_numbers_waits_for_types_on_request(void **state)
{
    (void)state;
    struct ras_pick pick = {.type = "extra"};
    struct ras_scan scan = {
        .picks = &pick, .pick_count = 1, .axis = RAS_AXIS_SEQ, .from = 1, .to = 2};
    struct ras_trace *t = FAKE_OPEN("r\1\1ar\1\1ar\1\1aq\1\1aq\1\1aq\1\1a", 1);
    struct ras_cursor *c = open_cursor(t, &scan);
    const struct ras_record *r;
    struct ras_error err;
    gives(c, 16, 1);
    assert_int_equal(ras_next(c, &r, &err), RAS_END);
    ras_cursor_close(c);
    ras_close(t);
}

/* ---- a driver that hands out rows by itself ------------------------------------------ */

static int deliver_row(struct ras_cursor *c, const struct ras_record **record,
                       struct ras_error *err)
{
    if (c->in.at == c->in.end || *c->in.at != 'r') {
        c->deliver = cursor_deliver;
        return cursor_deliver(c, record, err);
    }
    c->values.count = 0;
    (void)fake_put(c, FAKE_ROW, c->in.at);
    c->in.at += 4;
    c->record.seq = c->seq++;
    *record = &c->record;
    return RAS_OK;
}

static enum step next_or_shortcut(struct ras_cursor *c)
{
    if (c->plain && !c->live)
        c->deliver = deliver_row;
    return fake_next(c);
}

static bool seek_to_the_start(struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    (void)axis;
    (void)to;
    c->seq = 0;
    return cursor_enter(c, 0, 0);
}

static void a_seek_ends_a_shortcut_of_the_driver(void **state)
{
    (void)state;
    struct ras_format format = fake_format;
    format.next = next_or_shortcut;
    for (int indexed = 0; indexed < 2; indexed++) {
        format.seek = indexed ? seek_to_the_start : NULL;
        struct ras_trace *t = FAKE_OPEN("r\1\1ar\2\1br\5\1cr\6\1dr\7\1e", 1);
        t->format = &format;
        struct ras_cursor *c = open_cursor(t, NULL);
        struct ras_error err;
        gives(c, 0, 0);
        gives(c, 4, 1);
        assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 6, &err), RAS_OK);
        gives(c, 12, 3);
        gives(c, 16, 4);
        ras_cursor_close(c);
        ras_close(t);
    }
}

/* Marks that a walk left which did not come to the end say nothing of what it saw. */
static void a_range_ends_as_the_whole_trace_does(void **state)
{
    enum { RECORDS = 80 << 10 }; /* several marks */
    static const struct ras_scan late = {.axis = RAS_AXIS_TIME, .from = 200, .to = RAS_NONE};
    uint8_t *bytes = malloc(4 * RECORDS);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < RECORDS; i++)
        memcpy(bytes + 4 * (size_t)i, i == 1 ? "g\0\1x" : "r\0\1a", 4);
    for (uint32_t i = 0; i < RECORDS; i++)
        bytes[4 * (size_t)i + 1] = (uint8_t)((uint64_t)i * 250 / RECORDS);
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct ras_trace *t = fake_open(bytes, 4 * RECORDS, 1, false);
        struct ras_cursor *c = open_cursor(t, NULL);
        const struct ras_record *r;
        uint64_t last = whole ? RECORDS : RECORDS * 9 / 10, count = 0;
        for (uint64_t i = 0; i < last; i++)
            assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_int_equal(ras_next(c, &r, NULL), whole ? RAS_END : RAS_OK);
        ras_cursor_close(c);
        c = open_cursor(t, &late);
        while (ras_next(c, &r, NULL) == RAS_OK)
            count += r->time_ns >= late.from;
        assert_int_equal(count, RECORDS / 5);
        assert_int_equal(ras_ending(t).kind, RAS_DAMAGED);
        assert_int_equal(ras_ending(t).offset, 4);
        ras_cursor_close(c);
        ras_close(t);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_after_a_seek_is_of_the_record_sought),
        cmocka_unit_test(a_seek_shows_no_values_of_what_it_passed),
        cmocka_unit_test(a_seek_beyond_what_is_there_goes_on_when_more_comes),
        cmocka_unit_test(a_strict_seek_leaves_a_gap_to_be_reported),
        cmocka_unit_test(types_on_request_are_numbered_only_from_the_start),
        cmocka_unit_test(a_range_of_numbers_waits_for_types_on_request),
        cmocka_unit_test(a_seek_ends_a_shortcut_of_the_driver),
        cmocka_unit_test(a_range_ends_as_the_whole_trace_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
