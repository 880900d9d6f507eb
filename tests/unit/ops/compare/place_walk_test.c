/* place_walk_test.c - digits as places of two sides. */
#include "ops/compare/place_walk.h"
#include "core/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { FAILURE = -7, OTHER = 100 };

struct digits {
    const char *text[2]; /* places still to come */
    char at[2];
    bool cut[2];
    char last;  /* stop here */
    char fault; /* advancing fails */
    int status; /* so */
    char said[100];
};

static int next(void *user, int side, struct ras_error *err)
{
    struct digits *d = user;
    (void)err;
    d->at[side] = *d->text[side];
    if (!d->at[side])
        return RAS_END;
    d->text[side]++;
    return d->at[side] == d->fault ? d->status : RAS_OK;
}

static bool is_cut(const void *user, int side)
{
    const struct digits *d = user;
    assert_int_equal(d->at[side], 0); /* for a side that has ended */
    return d->cut[side];
}

static int order(const void *user)
{
    const struct digits *d = user;
    return d->at[0] - d->at[1];
}

static int say(struct digits *d, const char *word, char at)
{
    size_t len = strlen(d->said);
    snprintf(d->said + len, sizeof d->said - len, "%s%c", word, at);
    return at == d->last ? RAS_END : RAS_OK;
}

static int lone(void *user, int side, struct ras_error *err)
{
    struct digits *d = user;
    (void)err;
    return say(d, side ? "+" : "-", d->at[side]);
}

static int pair(void *user, struct ras_error *err)
{
    struct digits *d = user;
    (void)err;
    assert_int_equal(d->at[0], d->at[1]);
    return say(d, "=", d->at[0]);
}

static const struct place_walk_ops ops = {
    .next = next, .is_cut = is_cut, .order = order, .lone = lone, .pair = pair};

static void expect(struct digits d, const char *a, const char *b, int status, const char *said)
{
    const struct ras_compare_options options = {0};
    struct compare c = {.options = &options};
    struct ras_error err;
    d.text[0] = a;
    d.text[1] = b;
    assert_int_equal(place_walk_run(&c, &ops, &d, &err), status);
    assert_string_equal(d.said, said);
}

static void places_are_paired_or_one_sided(void **state)
{
    (void)state;
    expect((struct digits){0}, "", "", RAS_OK, "");
    expect((struct digits){0}, "123", "123", RAS_OK, "=1=2=3");
    expect((struct digits){0}, "1245", "2346", RAS_OK, "-1=2+3=4-5+6");
    expect((struct digits){0}, "", "12", RAS_OK, "+1+2");
}

static void a_side_that_was_cut_ends_the_walk(void **state)
{
    (void)state;
    expect((struct digits){.cut = {true, false}}, "12", "1234", RAS_OK, "=1=2");
    expect((struct digits){.cut = {false, true}}, "12", "1234", RAS_OK, "=1=2+3+4");
    expect((struct digits){.cut = {false, true}}, "129", "124", RAS_OK, "=1=2+4");
}

static void it_ends_where_no_more_is_wanted_or_something_fails(void **state)
{
    (void)state;
    expect((struct digits){.last = '2'}, "123", "123", RAS_OK, "=1=2");
    expect((struct digits){.last = '3'}, "134", "124", RAS_OK, "=1+2-3");
    expect((struct digits){.fault = '3', .status = FAILURE}, "123", "124", FAILURE, "=1=2");
    expect((struct digits){.fault = '2', .status = OTHER}, "123", "123", OTHER, "=1");
}

static void memory_that_is_short_ends_it(void **state)
{
    struct digits d = {.text = {"12", "12"}};
    const struct ras_compare_options options = {0};
    struct compare c = {.options = &options, .doc.cells.nomem = true};
    struct ras_error err;
    (void)state;
    assert_int_equal(place_walk_run(&c, &ops, &d, &err), RAS_EMEMORY);
    assert_string_equal(d.said, "=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_paired_or_one_sided),
        cmocka_unit_test(a_side_that_was_cut_ends_the_walk),
        cmocka_unit_test(it_ends_where_no_more_is_wanted_or_something_fails),
        cmocka_unit_test(memory_that_is_short_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
