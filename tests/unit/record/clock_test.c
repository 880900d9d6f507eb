/* clock_test.c - the counter follows the system's clock, and what a step does to it. */
#include "record/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

/* A counter of 2 GHz: a tick is half a nanosecond. */
static const struct anchor start = {.ticks = 1000, .ns = 5 * SECOND, .rate = UINT64_C(1) << 31};

static void a_steady_second_teaches_the_rate(void **state)
{
    struct anchor next;
    (void)state;
    assert_true(clock_next(&start, 1000 + 2 * SECOND, 6 * SECOND + 40, &next));
    assert_int_equal(next.ns, 6 * SECOND + 40);
    assert_in_range(next.rate, (UINT64_C(1) << 31) + 80, (UINT64_C(1) << 31) + 90);
}

static void a_step_forward_teaches_nothing(void **state)
{
    struct anchor next;
    (void)state; /* suspended for an hour: the counter stopped, the clock did not */
    assert_false(clock_next(&start, 1000 + 2 * SECOND, 3600 * SECOND, &next));
    assert_int_equal(next.ns, 3600 * SECOND);
    assert_int_equal(next.ticks, 1000 + 2 * SECOND);
    assert_int_equal(next.rate, start.rate);
}

static void a_step_back_teaches_nothing(void **state)
{
    struct anchor next;
    (void)state;
    assert_false(clock_next(&start, 1000 + 2 * SECOND, 4 * SECOND, &next));
    assert_false(clock_next(&start, 900, 6 * SECOND, &next));
    assert_int_equal(next.rate, start.rate);
}

static void steps_in_a_row_stop_use_of_the_counter(void **state)
{
    struct clock c = {.count = 1, .due = 0};
    (void)state;
    for (unsigned i = 0; i < CLOCK_STEPS_MOST; i++) {
        assert_int_not_equal(clock_anchor(&c).rate, i ? 0 : 1);
        c.anchors[c.count % CLOCK_ANCHORS] = (struct anchor){.ticks = 1, .ns = 1, .rate = 1};
        assert_true(clock_follow(&c, UINT64_MAX));
    }
    assert_int_equal(clock_anchor(&c).rate, 0);
    assert_false(clock_follow(&c, UINT64_MAX - 1));
}

static void the_system_alone_has_no_rate(void **state)
{
    struct clock c;
    (void)state;
    clock_start(&c, false);
    assert_int_equal(clock_anchor(&c).rate, 0);
    assert_false(clock_follow(&c, UINT64_MAX - 1));
}

static void the_counter_gives_the_time(void **state)
{
    struct clock c;
    (void)state;
    if (!clock_is_steady())
        skip();
    clock_start(&c, true);
    struct anchor a = clock_anchor(&c);
    for (unsigned i = 0; i < 100; i++) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
        uint64_t before = clock_system_ns();
        uint64_t now = a.ns + (uint64_t)((ras_u128_)(RAS_TICKS() - a.ticks) * a.rate >> 32);
        uint64_t after = clock_system_ns();
        /* The first rate is rough: on a busy machine, that takes its time, it is off by more. */
        uint64_t slack = 20000 + (after - a.ns) / 1000;
        assert_in_range(now, before - slack, after + slack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_second_teaches_the_rate),
        cmocka_unit_test(a_step_forward_teaches_nothing),
        cmocka_unit_test(a_step_back_teaches_nothing),
        cmocka_unit_test(steps_in_a_row_stop_use_of_the_counter),
        cmocka_unit_test(the_system_alone_has_no_rate),
        cmocka_unit_test(the_counter_gives_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
