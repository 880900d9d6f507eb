/* marks_test.c - resume points stay few, and none leads past what is sought. */
#include "core/marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SPACING = 64 << 10 };

static uint64_t add(struct marks *m, uint64_t seq, uint64_t offset, uint64_t tick_max)
{
    struct ras_mark mark = {.seq = seq, .offset = offset};
    return marks_add(m, &mark, 10 * tick_max, tick_max);
}

static void without_marks_one_starts_at_the_start(void **state)
{
    (void)state;
    struct marks *m = marks_new();
    assert_non_null(m);
    assert_null(marks_find(m, RAS_AXIS_SEQ, 5));
    assert_null(marks_find(m, RAS_AXIS_TICK, 5));
    marks_free(m);
    marks_free(NULL);
}

static void a_mark_is_due_every_64_kib(void **state)
{
    (void)state;
    struct marks *m = marks_new();
    assert_int_equal(add(m, 0, 100, 0), 100 + SPACING);
    assert_int_equal(add(m, 9, 70000, 3), 70000 + SPACING);
    marks_free(m);
}

static void by_number_the_last_mark_not_beyond_it_is_found(void **state)
{
    (void)state;
    struct marks *m = marks_new();
    for (uint64_t i = 0; i < 10; i++)
        add(m, 100 * i, SPACING * i, i);
    assert_int_equal(marks_find(m, RAS_AXIS_SEQ, 0)->seq, 0);
    assert_int_equal(marks_find(m, RAS_AXIS_SEQ, 99)->seq, 0);
    assert_int_equal(marks_find(m, RAS_AXIS_SEQ, 100)->seq, 100);
    assert_int_equal(marks_find(m, RAS_AXIS_SEQ, 555)->seq, 500);
    assert_int_equal(marks_find(m, RAS_AXIS_SEQ, UINT64_MAX)->seq, 900);
    marks_free(m);
}

/* Between marks 0, 1, 2, 3 the largest ticks are 5, 9, 2 and, after the last, unknown. */
static void on_an_unordered_axis_no_record_is_passed_over(void **state)
{
    (void)state;
    struct marks *m = marks_new();
    add(m, 0, 0, 0);
    add(m, 1, SPACING, 5);
    add(m, 2, 2 * SPACING, 9);
    add(m, 3, 3 * SPACING, 2);
    assert_int_equal(marks_find(m, RAS_AXIS_TICK, 1)->seq, 0);
    assert_int_equal(marks_find(m, RAS_AXIS_TICK, 5)->seq, 0);
    assert_int_equal(marks_find(m, RAS_AXIS_TICK, 6)->seq, 1);
    assert_int_equal(marks_find(m, RAS_AXIS_TICK, 9)->seq, 1);
    assert_int_equal(marks_find(m, RAS_AXIS_TICK, 10)->seq, 3);
    assert_int_equal(marks_find(m, RAS_AXIS_TIME, 90)->seq, 1);
    assert_int_equal(marks_find(m, RAS_AXIS_TIME, 91)->seq, 3);
    marks_free(m);
}

/* There is room for 4096: three times every other one goes and the spacing doubles, and
 * what is found is still at or before what is sought. */
static void too_many_marks_are_thinned_out(void **state)
{
    (void)state;
    enum { COUNT = 9000 };
    struct marks *m = marks_new();
    uint64_t due = 0;
    for (uint64_t i = 0; i < COUNT; i++)
        due = add(m, i, i * SPACING, i);
    assert_int_equal(due, (uint64_t)(COUNT - 1) * SPACING + 8 * SPACING);
    for (uint64_t to = 0; to < COUNT; to += 7) {
        const struct ras_mark *mark = marks_find(m, RAS_AXIS_SEQ, to);
        assert_true(mark->seq <= to && to - mark->seq < 8);
        mark = marks_find(m, RAS_AXIS_TICK, to);
        assert_true(mark->seq <= to && to - mark->seq <= 8);
    }
    marks_free(m);
}

static void one_walker_collects_and_the_next_goes_on_where_it_stopped(void **state)
{
    (void)state;
    struct marks *m = marks_new();
    int first, second;
    uint64_t next = 1;
    assert_true(marks_take(m, &first, &next));
    assert_int_equal(next, 0);
    assert_false(marks_take(m, &second, &next));
    add(m, 0, 10, 0);
    marks_leave(m, &second, 99, 0, 0); /* not its walker: nothing happens */
    assert_false(marks_take(m, &second, &next));
    marks_leave(m, &first, 5000, 0, 42);
    assert_true(marks_take(m, &second, &next));
    assert_int_equal(next, 5000);
    add(m, 50, 6000, 7);
    assert_int_equal(marks_find(m, RAS_AXIS_TICK, 42)->seq, 0); /* what the first one saw holds */
    assert_int_equal(marks_find(m, RAS_AXIS_TICK, 43)->seq, 50);
    marks_free(m);
}

static void a_walker_that_saw_nothing_new_changes_nothing(void **state)
{
    (void)state;
    struct marks *m = marks_new();
    int first, second;
    uint64_t next;
    assert_true(marks_take(m, &first, &next));
    add(m, 0, 10, 0);
    marks_leave(m, &first, 5000, 0, 3);
    assert_true(marks_take(m, &second, &next));
    marks_leave(m, &second, 20, 0, 99);
    assert_true(marks_take(m, &first, &next));
    assert_int_equal(next, 5000);
    marks_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_marks_one_starts_at_the_start),
        cmocka_unit_test(a_mark_is_due_every_64_kib),
        cmocka_unit_test(by_number_the_last_mark_not_beyond_it_is_found),
        cmocka_unit_test(on_an_unordered_axis_no_record_is_passed_over),
        cmocka_unit_test(too_many_marks_are_thinned_out),
        cmocka_unit_test(one_walker_collects_and_the_next_goes_on_where_it_stopped),
        cmocka_unit_test(a_walker_that_saw_nothing_new_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
