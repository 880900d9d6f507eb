/* rundir_staff_test.c - what differs in each tick of a window, against comparisons of one tick and
 * against the records of whole traces. */
#include "ops/rundir/rundir_axes.h"
#include <rastrum/run.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { TICKS = 24, AT = 9 };

static char home[] = "rastrum-staff-XXXXXX";

static void record(const char *dir, uint64_t ticks, uint64_t seed, enum ras_perturbation perturb,
                   size_t pens)
{
    static const char *const names[] = {"murk", "cdt", "aerogpu", "dial9"};
    static const char recipe[] = "murkworld 1 arena-1\n";
    struct ras_run_options how = {.has_seed = true,
                                  .seed = seed,
                                  .ticks = ticks,
                                  .pens = names,
                                  .pen_count = pens,
                                  .perturb = perturb,
                                  .perturb_tick = AT};
    struct ras_run out;
    how.recipe = (struct ras_bytes){(const uint8_t *)recipe, sizeof recipe - 1};
    assert_int_equal(ras_world_type_of(&how.world, how.recipe, NULL), RAS_OK);
    assert_int_equal(ras_run(&out, dir, &how, NULL), RAS_OK);
}

static int enter(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    if (chdir(temporary ? temporary : "/tmp") || !mkdtemp(home) || chdir(home))
        return -1;
    record("good", TICKS, 7, RAS_PERTURB_NOTHING, 4);
    record("bad", TICKS, 7, RAS_PERTURB_RNG, 4);
    record("lost", TICKS, 7, RAS_PERTURB_DROP, 4);
    record("other", TICKS, 8, RAS_PERTURB_NOTHING, 4);
    record("short", TICKS - 4, 7, RAS_PERTURB_NOTHING, 4);
    record("few", TICKS, 7, RAS_PERTURB_NOTHING, 2);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return chdir("..") || system(command);
}

static void open_runs(struct ras_rundir *runs[2], const char *a, const char *b)
{
    assert_int_equal(ras_rundir_open(&runs[0], a, NULL, NULL), RAS_OK);
    assert_int_equal(ras_rundir_open(&runs[1], b, NULL, NULL), RAS_OK);
}

static void close_runs(struct ras_rundir *runs[2])
{
    ras_rundir_close(runs[0]);
    ras_rundir_close(runs[1]);
}

static struct ras_staff *window(struct ras_rundir *runs[2], uint64_t first, uint64_t last)
{
    struct ras_staff *s;
    struct ras_error err = {0};
    int status = ras_rundiff_window(&s, runs[0], runs[1], first, last, NULL, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    return s;
}

/* ---- by hand ------------------------------------------------------------------------ */

static uint64_t number(const struct ras_value *map, const char *key)
{
    const struct ras_value *v = map && map->kind == RAS_MAP ? ras_value_member(map, key) : NULL;
    return v && (v->kind == RAS_UINT || v->kind == RAS_INT) ? v->u : 0;
}

static size_t items(const struct ras_value *list)
{
    size_t n = 0;
    for (const struct ras_value *v = list ? list + 1 : NULL; v && v < ras_value_next(list);
         v = ras_value_next(v))
        n++;
    return n;
}

/* Things that rows are about: "commands[3].coord" and "commands[3].key" are one. */
static uint64_t things(const struct ras_value *rows)
{
    char last[64] = "", now[64];
    uint64_t count = 0;
    for (const struct ras_value *row = rows ? rows + 1 : NULL; row && row < ras_value_next(rows);
         row = ras_value_next(row)) {
        const struct ras_value *path = ras_value_member(row, "path");
        const char *text = path->at, *dot = memchr(text, ']', path->count);
        size_t len = dot ? (size_t)(dot - text) + 1 : path->count;
        snprintf(now, sizeof now, "%.*s", (int)len, text);
        count += strcmp(now, last) != 0;
        memcpy(last, now, sizeof last);
    }
    return count;
}

static uint64_t entities(const struct ras_value *detail)
{
    static const char *const pools[] = {"creatures_uids", "projectiles_uids",
                                        "secondary_projectiles_uids", "bonuses_uids"};
    uint64_t count = items(ras_value_member(detail, "row_diffs"));
    for (size_t i = 0; i < 4; i++) {
        const struct ras_value *uids = ras_value_member(detail, pools[i]);
        if (uids)
            count +=
                items(ras_value_member(uids, "missing")) + items(ras_value_member(uids, "extra"));
    }
    return count;
}

/* Channels of a tick: one row each, draws from the first that differs on, entities. */
static uint64_t channels(const struct ras_value *list)
{
    uint64_t count = 0;
    for (const struct ras_value *row = list + 1; row < ras_value_next(list);
         row = ras_value_next(row)) {
        const struct ras_value *name = ras_value_member(row, "channel");
        const struct ras_value *detail = ras_value_member(row, "detail");
        uint64_t a = number(detail, "expected_calls"), b = number(detail, "actual_calls");
        if (!strncmp(name->at, "rng_stream", name->count))
            count += (a > b ? a : b) - number(detail, "prefix_match_len");
        else if (!strncmp(name->at, "entity_samples", name->count))
            count += entities(detail);
        else
            count++;
    }
    return count;
}

static uint64_t amount(const struct ras_divergence *v)
{
    const struct ras_value *rows = v->detail ? ras_value_member(v->detail, "mismatches") : NULL;
    uint64_t lone = number(v->detail, "deleted_count") + number(v->detail, "inserted_count");
    if (lone)
        return lone;
    if (!strncmp(v->kind, "missing", 7) || !strcmp(v->kind, "event_changed"))
        return 1;
    bool by_channel = rows && items(rows) && ras_value_member(rows + 1, "channel");
    return by_channel ? channels(rows) : things(rows);
}

/* One tick, with every divergence. */
static void check_tick(struct ras_rundir *runs[2], const struct ras_staff *s, uint64_t tick)
{
    const struct ras_compare_options how = {.has_first = true,
                                            .has_last = true,
                                            .first = (int64_t)tick,
                                            .last = (int64_t)tick,
                                            .keep_going = true};
    struct ras_rundiff *d;
    assert_int_equal(ras_rundiff(&d, runs[0], runs[1], &how, NULL), RAS_OK);
    assert_int_equal(d->pen_count, s->line_count);
    for (size_t i = 0; i < d->pen_count; i++) {
        const struct ras_diff *found = d->pens[i].diff;
        uint64_t expected = 0;
        assert_string_equal(d->pens[i].format, s->lines[i].format);
        for (size_t k = 0; found && k < found->divergence_count; k++)
            expected += amount(&found->divergences[k]);
        if (found && s->lines[i].d[tick - s->first] != expected)
            print_error("%s tick %" PRIu64 "\n", d->pens[i].format, tick);
        if (found)
            assert_int_equal(s->lines[i].d[tick - s->first], expected);
    }
    ras_rundiff_free(d);
}

static void windows_agree_with_single_ticks(void **state)
{
    static const char *const others[] = {"bad", "lost", "other", "good"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ras_rundir *runs[2];
        open_runs(runs, "good", others[i]);
        struct ras_staff *s = window(runs, 1, TICKS);
        assert_int_equal(s->line_count, 4);
        for (uint64_t tick = 1; tick <= TICKS; tick++)
            check_tick(runs, s, tick);
        ras_staff_free(s);
        close_runs(runs);
    }
}

/* A part of a window has the same figures. */
static void any_window_has_the_same_figures(void **state)
{
    struct ras_rundir *runs[2];
    (void)state;
    open_runs(runs, "good", "bad");
    struct ras_staff *all = window(runs, 0, TICKS + 2);
    for (uint64_t first = 0; first <= TICKS; first += 5)
        for (uint64_t last = first; last <= TICKS; last += 7) {
            struct ras_staff *s = window(runs, first, last);
            for (size_t i = 0; i < s->line_count; i++)
                for (uint64_t t = first; t <= last; t++) {
                    assert_int_equal(s->lines[i].d[t - first], all->lines[i].d[t]);
                    assert_int_equal(s->lines[i].n[0][t - first], all->lines[i].n[0][t]);
                    assert_int_equal(s->lines[i].n[1][t - first], all->lines[i].n[1][t]);
                }
            ras_staff_free(s);
        }
    ras_staff_free(all);
    close_runs(runs);
}

/* ---- how much goes on ---------------------------------------------------------------- */

/* What each format counts: records of a type, or a field of theirs. */
static const struct counted {
    const char *format, *type, *field;
} counted[] = {
    {"murk", "frame", "command_count"},
    {"cdt", "rng", NULL},
    {"aerogpu", "command", NULL},
    {"dial9", NULL, NULL},
};

static uint64_t in_trace(const struct ras_rundir *run, size_t pen, const struct counted *of,
                         uint64_t tick)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t n = 0;
    assert_int_equal(ras_cursor_open(&c, run->pens[pen].trace, NULL, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK) {
        if (of->type && strcmp(ras_schema_of(c)->name, of->type) != 0)
            continue;
        if (ras_rundir_tick_of(run, pen, r->stream, r->seq) == tick)
            n += of->field ? ras_value_of(c, of->field)->u : 1;
    }
    ras_cursor_close(c);
    return n;
}

static void activity_is_that_of_the_records(void **state)
{
    struct ras_rundir *runs[2];
    (void)state;
    open_runs(runs, "good", "bad");
    struct ras_staff *s = window(runs, AT - 2, AT + 2);
    for (size_t i = 0; i < s->line_count; i++)
        for (int side = 0; side < 2; side++)
            for (uint64_t tick = s->first; tick <= s->last; tick++) {
                assert_string_equal(s->lines[i].format, counted[i].format);
                assert_int_equal(s->lines[i].n[side][tick - s->first],
                                 in_trace(runs[side], i, &counted[i], tick));
            }
    assert_string_equal(s->lines[0].counts, "commands");
    assert_string_equal(s->lines[1].counts, "random numbers");
    ras_staff_free(s);
    close_runs(runs);
}

/* ---- what is missing ------------------------------------------------------------------ */

static void ticks_that_one_run_lacks_are_rests(void **state)
{
    struct ras_rundir *runs[2];
    (void)state;
    open_runs(runs, "good", "short");
    struct ras_staff *s = window(runs, TICKS - 6, TICKS + 3);
    for (size_t i = 0; i < s->line_count; i++)
        for (uint64_t t = s->first; t <= s->last; t++) {
            const struct ras_staff_line *l = &s->lines[i];
            assert_int_equal(l->n[0][t - s->first] == RAS_NONE, t > TICKS);
            assert_int_equal(l->n[1][t - s->first] == RAS_NONE, t > TICKS - 4);
            if (t > TICKS)
                assert_int_equal(l->d[t - s->first], RAS_NONE); /* neither has it */
            else
                assert_int_equal(l->d[t - s->first] != 0, t > TICKS - 4);
        }
    ras_staff_free(s);
    close_runs(runs);
}

static void a_line_that_one_run_lacks_is_not_known(void **state)
{
    struct ras_rundir *runs[2];
    (void)state;
    open_runs(runs, "good", "few");
    struct ras_staff *s = window(runs, 1, TICKS);
    assert_int_equal(s->line_count, 4);
    for (size_t i = 0; i < s->line_count; i++) {
        bool there = i < 2;
        assert_int_equal(s->lines[i].err.status == RAS_OK, there);
        assert_int_equal(s->lines[i].failed, there ? 2 : 1);
        assert_int_equal(s->lines[i].d[3], there ? 0 : RAS_NONE);
        assert_true(s->lines[i].n[0][3] != RAS_NONE);
        assert_int_equal(s->lines[i].n[1][3] == RAS_NONE, !there);
    }
    ras_staff_free(s);
    close_runs(runs);
}

/* A trace that is cut is known up to there. */
static void after_a_cut_nothing_is_known(void **state)
{
    struct ras_rundir *runs[2];
    (void)state;
    assert_int_equal(system("cp -r good cut && truncate -s 4000 cut/replay.murk"), 0);
    open_runs(runs, "good", "cut");
    struct ras_staff *s = window(runs, 1, TICKS);
    const struct ras_staff_line *l = &s->lines[0];
    size_t known = 0;
    while (known < TICKS && l->d[known] == 0)
        known++;
    assert_true(known > 4 && known < TICKS);
    for (size_t i = known; i < TICKS; i++) {
        assert_int_equal(l->d[i], RAS_NONE);
        assert_true(l->n[0][i] != RAS_NONE);
        assert_int_equal(l->n[1][i], RAS_NONE);
    }
    ras_staff_free(s);
    close_runs(runs);
}

static void windows_that_cannot_be_are_refused(void **state)
{
    static const uint64_t bad[][2] = {{2, 1}, {0, RAS_STAFF_MOST}, {0, UINT64_MAX}};
    struct ras_rundir *runs[2];
    struct ras_staff *s;
    (void)state;
    open_runs(runs, "good", "bad");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ras_rundiff_window(&s, runs[0], runs[1], bad[i][0], bad[i][1], NULL, NULL),
                         RAS_EUSAGE);
        assert_null(s);
    }
    s = window(runs, INT64_MAX - 3, INT64_MAX - 1);
    assert_int_equal(s->lines[0].d[0], RAS_NONE);
    ras_staff_free(s);
    close_runs(runs);
}

static bool stop_at_once(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return false;
}

static void it_can_be_cancelled(void **state)
{
    const struct ras_compare_options how = {.progress = stop_at_once, .paranoid = true};
    struct ras_rundir *runs[2];
    struct ras_staff *s;
    (void)state;
    open_runs(runs, "good", "bad");
    assert_int_equal(ras_rundiff_window(&s, runs[0], runs[1], 1, TICKS, &how, NULL), RAS_ECANCELED);
    assert_null(s);
    close_runs(runs);
}

/* ---- two traces -------------------------------------------------------------------------- */

/* Two traces of a run have one line, with its figures: frames count from 0. */
static void single_traces_have_one_line(void **state)
{
    struct ras_rundir *runs[2];
    struct ras_staff *one;
    (void)state;
    open_runs(runs, "good", "bad");
    struct ras_staff *s = window(runs, 1, TICKS);
    for (size_t i = 0; i < 3; i++) {
        uint64_t shift = i == 2;
        assert_int_equal(ras_diff_window(&one, runs[0]->pens[i].trace, runs[1]->pens[i].trace, 0,
                                         1 - shift, TICKS - shift, NULL, NULL),
                         RAS_OK);
        assert_int_equal(one->line_count, 1);
        for (size_t k = 0; k < TICKS; k++) {
            assert_int_equal(one->lines[0].d[k], s->lines[i].d[k]);
            assert_int_equal(one->lines[0].n[0][k], s->lines[i].n[0][k]);
            assert_int_equal(one->lines[0].n[1][k], s->lines[i].n[1][k]);
        }
        ras_staff_free(one);
    }
    ras_staff_free(s);
    close_runs(runs);
}

/* Events are places of their own, by their number. */
static void single_events_are_counted_by_number(void **state)
{
    const struct ras_compare_options keep = {.keep_going = true};
    struct ras_rundir *runs[2];
    struct ras_staff *s;
    struct ras_diff *d;
    (void)state;
    open_runs(runs, "good", "other");
    struct ras_trace *a = runs[0]->pens[3].trace, *b = runs[1]->pens[3].trace;
    assert_int_equal(ras_diff(&d, a, b, &keep, NULL), RAS_OK);
    uint64_t first = d->divergences[0].at[0].value.u, sum = 0, counted_sum = 0;
    assert_int_equal(ras_diff_window(&s, a, b, 0, 0, 4095, NULL, NULL), RAS_OK);
    for (size_t i = 0; i < d->divergence_count; i++)
        sum += amount(&d->divergences[i]);
    for (size_t i = 0; i < 4096; i++) {
        counted_sum += s->lines[0].d[i] == RAS_NONE ? 0 : s->lines[0].d[i];
        assert_true(i >= first || s->lines[0].d[i] == 0);
    }
    assert_true(s->lines[0].d[first] > 0);
    assert_int_equal(counted_sum, sum);
    assert_int_equal(s->lines[0].n[0][0], 1);
    assert_int_equal(s->lines[0].n[0][4095], RAS_NONE);
    ras_staff_free(s);
    ras_diff_free(d);
    assert_int_equal(ras_diff_window(&s, a, runs[1]->pens[0].trace, 0, 0, 9, NULL, NULL),
                     RAS_EUSAGE);
    assert_null(s);
    close_runs(runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_agree_with_single_ticks),
        cmocka_unit_test(any_window_has_the_same_figures),
        cmocka_unit_test(activity_is_that_of_the_records),
        cmocka_unit_test(ticks_that_one_run_lacks_are_rests),
        cmocka_unit_test(a_line_that_one_run_lacks_is_not_known),
        cmocka_unit_test(after_a_cut_nothing_is_known),
        cmocka_unit_test(windows_that_cannot_be_are_refused),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(single_traces_have_one_line),
        cmocka_unit_test(single_events_are_counted_by_number),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
