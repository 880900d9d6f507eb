/* search_test.c - causes are found by halves, alone and together; chance is not blamed. */
#include "twice/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A program that exists only here: it differs if one of these sets is changed. */
struct subject {
    uint32_t sets[4];
    size_t count;
    unsigned every;      /* of runs that should differ, only every such does; 0: all */
    unsigned noise;      /* every such run differs whatever is changed; 0: none */
    unsigned pinned_odd; /* every such pinned run differs; 0: none */
    unsigned rare;       /* one of as many runs differs, by chance; 0: none */
    uint32_t state;      /* of that chance */
    uint32_t calls_by;   /* calls alone differ if one of these is changed */
    bool calls_vary;     /* they differ in every run */
    uint32_t shares_by;  /* what threads share: by these conditions, or in every run */
    bool shares_vary;
    bool calls_last;
    bool threads;
    int fails; /* in this run; 0: never */
    unsigned runs, shown, pinned;
};

static int subject_reference(void *user)
{
    ((struct subject *)user)->runs++;
    return 0;
}

static int subject_differs(void *user, uint32_t changed, unsigned attempt, bool calls)
{
    struct subject *s = user;
    bool differs = false;
    (void)attempt;
    s->runs++;
    if (s->fails && s->runs == (unsigned)s->fails)
        return -2;
    for (size_t i = 0; i < s->count; i++)
        differs |= (changed & s->sets[i]) == s->sets[i];
    if (differs && s->every)
        differs = s->shown++ % s->every == s->every - 1;
    if (!changed && s->pinned_odd)
        differs = ++s->pinned % s->pinned_odd == 0;
    s->state = s->state * 1664525 + 1013904223;
    if (differs || (s->noise && s->runs % s->noise == 0) ||
        (s->rare && (s->state >> 16) % s->rare == 0))
        return TWICE_DIFFERS;
    if (calls && (changed & s->calls_by || s->calls_vary))
        return TWICE_DIFFERS_IN_CALLS;
    return calls && (changed & s->shares_by || s->shares_vary) ? TWICE_DIFFERS_IN_SHARES
                                                               : TWICE_SAME;
}

static bool subject_has_threads(void *user)
{
    return ((struct subject *)user)->threads;
}

static int search_in(struct subject *s, unsigned most, struct twice_found *found)
{
    const struct twice_search how = {.varied = TWICE_ALL,
                                     .pinned = 2,
                                     .tries = 3,
                                     .runs_most = most,
                                     .calls_last = s->calls_last,
                                     .user = s,
                                     .reference = subject_reference,
                                     .differs = subject_differs,
                                     .has_threads = subject_has_threads};
    return twice_search(&how, found);
}

static void each_cause_alone_is_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++) {
        struct subject s = {.sets = {TWICE_BIT(i)}, .count = 1};
        struct twice_found f;
        assert_int_equal(search_in(&s, 1000, &f), 0);
        assert_int_equal(f.cause_count, 1);
        assert_int_equal(f.causes[0].set, TWICE_BIT(i));
        assert_true(f.causes[0].confirmed);
        assert_false(f.uncontrolled);
        assert_int_equal(f.runs, s.runs);
        assert_in_range(f.runs, 8, 26);
    }
}

static void several_causes_are_all_found(void **state)
{
    struct subject s = {
        .sets = {TWICE_BIT(TWICE_ASLR), TWICE_BIT(TWICE_CLOCK), TWICE_BIT(TWICE_FLOAT)},
        .count = 3};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 3);
    assert_false(f.uncontrolled);
}

static void conditions_that_differ_only_together_are_one_cause(void **state)
{
    const uint32_t both = TWICE_BIT(TWICE_ENV) | TWICE_BIT(TWICE_FILES);
    struct subject s = {.sets = {both}, .count = 1};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, both);
}

static void what_never_differs_is_the_same(void **state)
{
    struct subject s = {.count = 0};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 0);
    assert_false(f.uncontrolled);
    assert_int_equal(f.runs, 8);
}

static void a_race_that_shows_in_every_second_run_is_found(void **state)
{
    struct subject s = {
        .sets = {TWICE_BIT(TWICE_THREADS)}, .count = 1, .every = 2, .threads = true};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, TWICE_BIT(TWICE_THREADS));
}

static void pinned_runs_that_differ_are_uncontrolled(void **state)
{
    struct subject s = {.pinned_odd = 1};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_true(f.uncontrolled);
    assert_int_equal(f.cause_count, 0);
}

/* Whatever the period of the noise, no condition that does nothing is blamed and confirmed. */
static void noise_is_blamed_on_nothing(void **state)
{
    (void)state;
    for (unsigned noise = 2; noise < 40; noise++) {
        struct subject s = {.noise = noise, .threads = noise % 2};
        struct twice_found f;
        assert_int_equal(search_in(&s, 1000, &f), 0);
        for (size_t i = 0; i < f.cause_count; i++)
            if (f.causes[i].confirmed)
                assert_true(twice_set_chance(f.causes[i].set) || f.uncontrolled);
    }
}

/* What happens in one of N runs whatever is changed: in few of many searches a condition is named.
 */
static void rare_noise_is_seldom_blamed(void **state)
{
    unsigned blamed = 0, searches = 0;
    (void)state;
    for (unsigned rare = 3; rare < 30; rare++)
        for (uint32_t seed = 0; seed < 40; seed++, searches++) {
            struct subject s = {.rare = rare, .state = seed * 2654435761u + rare, .threads = true};
            struct twice_found f;
            assert_int_equal(search_in(&s, 1000, &f), 0);
            blamed += f.cause_count && !f.uncontrolled;
        }
    assert_in_range(blamed * 100 / searches, 0, 4);
}

/* A race shows now and then whatever is changed: what plays no dice is blamed only if it differs
 * each time. */
static void a_race_is_not_blamed_on_what_is_certain(void **state)
{
    unsigned blamed = 0, found = 0;
    (void)state;
    for (uint32_t seed = 0; seed < 400; seed++) {
        struct subject s = {.sets = {TWICE_BIT(TWICE_THREADS)}, .count = 1, .threads = true};
        struct twice_found f;
        s.rare = 6;
        s.state = seed * 2654435761u;
        assert_int_equal(search_in(&s, 1000, &f), 0);
        for (size_t i = 0; i < f.cause_count && !f.uncontrolled; i++) {
            found += f.causes[i].set == TWICE_BIT(TWICE_THREADS);
            blamed += !twice_set_chance(f.causes[i].set);
        }
    }
    assert_true(found > 0);
    assert_in_range(blamed * 100 / found, 0, 2);
}

static void calls_decide_only_where_nothing_else_differs(void **state)
{
    const uint32_t seeds = TWICE_BIT(TWICE_RANDOM) | TWICE_BIT(TWICE_ASLR);
    struct subject s = {
        .sets = {TWICE_BIT(TWICE_ENV)}, .count = 1, .calls_by = seeds, .calls_last = true};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, TWICE_BIT(TWICE_ENV));
    s = (struct subject){.calls_by = seeds, .calls_last = true};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 2);
    s = (struct subject){.sets = {TWICE_BIT(TWICE_ENV)}, .count = 1, .calls_by = seeds};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 3);
}

static void calls_that_vary_hide_no_cause(void **state)
{
    struct subject s = {
        .sets = {TWICE_BIT(TWICE_TZ)}, .count = 1, .calls_vary = true, .calls_last = true};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, TWICE_BIT(TWICE_TZ));
    assert_true(f.calls_vary);
    assert_false(f.uncontrolled);
    s = (struct subject){.calls_vary = true, .calls_last = true};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 0);
    assert_true(f.uncontrolled);
}

static void calls_of_threads_accuse_nothing_where_all_else_is_the_same(void **state)
{
    struct subject s = {.calls_vary = true, .calls_last = true, .threads = true};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 0);
    assert_false(f.uncontrolled);
    assert_true(f.calls_vary);
    s = (struct subject){.calls_by = TWICE_BIT(TWICE_THREADS), .calls_last = true, .threads = true};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 0);
    assert_false(f.uncontrolled);
    s = (struct subject){.calls_by = TWICE_BIT(TWICE_CLOCK), .calls_last = true, .threads = true};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, TWICE_BIT(TWICE_CLOCK));
}

static void how_threads_share_their_calls_is_no_cause(void **state)
{
    struct subject s = {.shares_by = TWICE_BIT(TWICE_THREADS), .threads = true};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 0);
    assert_false(f.uncontrolled);
    assert_true(f.shares_vary);
    s = (struct subject){.shares_vary = true, .threads = true};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 0);
    assert_false(f.uncontrolled);
    s = (struct subject){.shares_by = TWICE_BIT(TWICE_CLOCK), .threads = true};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, TWICE_BIT(TWICE_CLOCK));
    s = (struct subject){.shares_by = TWICE_BIT(TWICE_THREADS),
                         .calls_by = TWICE_BIT(TWICE_THREADS),
                         .threads = true};
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, TWICE_BIT(TWICE_THREADS));
}

static void a_race_beside_rare_noise_is_named_with_it(void **state)
{
    struct subject s = {.sets = {TWICE_BIT(TWICE_THREADS)}, .count = 1, .threads = true};
    struct twice_found f;
    (void)state;
    s.pinned_odd = 9;
    s.pinned = 8; /* the first pinned run differs, then every ninth */
    assert_int_equal(search_in(&s, 1000, &f), 0);
    assert_true(f.uncontrolled);
    assert_int_equal(f.cause_count, 1);
    assert_int_equal(f.causes[0].set, TWICE_BIT(TWICE_THREADS));
}

static void the_search_ends_at_its_limit_and_at_a_failure(void **state)
{
    struct subject s = {.sets = {TWICE_BIT(TWICE_CLOCK)}, .count = 1};
    struct twice_found f;
    (void)state;
    assert_int_equal(search_in(&s, 6, &f), 0);
    assert_true(f.exhausted);
    assert_int_equal(f.runs, 6);
    assert_int_equal(f.cause_count, 1); /* not split to the end */
    assert_true(f.causes[0].set & TWICE_BIT(TWICE_CLOCK));
    s = (struct subject){.sets = {TWICE_BIT(TWICE_CLOCK)}, .count = 1, .fails = 4};
    assert_int_equal(search_in(&s, 1000, &f), -2);
    assert_int_equal(s.runs, 4);
}

static void names_are_those_of_the_table(void **state)
{
    const char *const names[] = {"clock", "weather", "tz"};
    const char *unknown;
    (void)state;
    assert_int_equal(twice_set_of(names, 1, &unknown), TWICE_BIT(TWICE_CLOCK));
    assert_null(unknown);
    assert_int_equal(twice_set_of(names, 3, &unknown),
                     TWICE_BIT(TWICE_CLOCK) | TWICE_BIT(TWICE_TZ));
    assert_string_equal(unknown, "weather");
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++) {
        assert_non_null(twice_condition_rows[i].name);
        assert_non_null(twice_condition_rows[i].advice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cause_alone_is_found),
        cmocka_unit_test(several_causes_are_all_found),
        cmocka_unit_test(conditions_that_differ_only_together_are_one_cause),
        cmocka_unit_test(what_never_differs_is_the_same),
        cmocka_unit_test(a_race_that_shows_in_every_second_run_is_found),
        cmocka_unit_test(pinned_runs_that_differ_are_uncontrolled),
        cmocka_unit_test(noise_is_blamed_on_nothing),
        cmocka_unit_test(rare_noise_is_seldom_blamed),
        cmocka_unit_test(a_race_is_not_blamed_on_what_is_certain),
        cmocka_unit_test(calls_decide_only_where_nothing_else_differs),
        cmocka_unit_test(calls_that_vary_hide_no_cause),
        cmocka_unit_test(calls_of_threads_accuse_nothing_where_all_else_is_the_same),
        cmocka_unit_test(how_threads_share_their_calls_is_no_cause),
        cmocka_unit_test(a_race_beside_rare_noise_is_named_with_it),
        cmocka_unit_test(the_search_ends_at_its_limit_and_at_a_failure),
        cmocka_unit_test(names_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
