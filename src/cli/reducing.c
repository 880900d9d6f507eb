/* reducing.c - the course of a reduction: candidates, tests, what is told of them.
 *
 * Several candidates are tested at a time, each as if those before it did not fail; outcomes are
 * told in order, and the first that fails makes those behind it void. So the result is the one
 * that a single test at a time would have. */
#include "cli/reducing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* ---- the line that shrinks ------------------------------------------------------------- */

static double reduce_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void reduce_show_progress(struct reducing *r)
{
    double time = reduce_now();
    if (!r->line_wanted || time - r->line_at < 0.1)
        return;
    struct ras_reduce_state s = ras_reduce_state(r->reduce);
    r->line_at = time;
    char now_without[80] = "";
    if (s.size)
        snprintf(now_without, sizeof now_without, ", now without %" PRIu64 " %s", s.size, s.parts);
    progress_draw("reduce: %" PRIu64 " of %s left, %s%s", s.left,
                  ras_counted(s.records, "record").text, ras_counted(r->tests, "test").text,
                  now_without);
}

/* ---- outcomes ---------------------------------------------------------------------------- */

static int reduce_report(struct reducing *r, bool fails)
{
    struct ras_error err;
    if (ras_reduce_tell(r->reduce, fails, &err) < 0)
        return trouble_with(&err);
    r->fails |= fails;
    return 0;
}

static void count(struct reducing *r, char outcome)
{
    r->tests += outcome != JOURNAL_CANNOT;
    r->failed += outcome == JOURNAL_FAILS;
    r->timed_out += outcome == JOURNAL_TIMEOUT;
}

/* What an earlier run found; nothing is run for it. */
static int reduce_take_outcomes(struct reducing *r)
{
    char outcome;
    int status = 0;
    while (!status && (outcome = journal_next(&r->journal))) {
        struct ras_candidate c;
        struct ras_error err;
        if (!strchr("01tx", outcome) || ras_reduce_next(r->reduce, 0, &c, &err) != RAS_OK)
            return trouble("%s does not match the trace; --restart starts over", r->journal.path);
        status = reduce_report(r, outcome == JOURNAL_FAILS);
        count(r, outcome);
    }
    r->resumed = r->tests;
    if (r->resumed)
        remark(r->common->quiet, "%s: resuming after %s", r->journal.path,
               ras_counted(r->resumed, "test").text);
    return status;
}

static int take_outcome(struct reducing *r, struct trial *trial)
{
    static const char outcomes[] = {[OUTCOME_FAILS] = JOURNAL_FAILS,
                                    [OUTCOME_PASSES] = JOURNAL_PASSES,
                                    [OUTCOME_TIMEOUT] = JOURNAL_TIMEOUT,
                                    [OUTCOME_CANNOT] = JOURNAL_CANNOT};
    bool fails = trial->outcome == OUTCOME_FAILS;
    char outcome = outcomes[trial->outcome];
    trial_drop(trial);
    for (size_t i = 0; fails && i < r->trials.count; i++) /* they left out too little */
        trial_drop(&r->trials.at[i]);
    count(r, outcome);
    int status = reduce_report(r, fails);
    return status ? status : journal_add(&r->journal, outcome);
}

/* ---- tests --------------------------------------------------------------------------------- */

static int begin_test(struct reducing *r, const struct ras_candidate *c)
{
    struct trial *place = trials_place(&r->trials);
    struct ras_rewritten *made;
    struct ras_error err;
    char *path = trial_path(&r->trials, place);
    if (!path)
        return EXIT_TROUBLE;
    const struct ras_rewrite_options how = {.path = path};
    int status = ras_reduce_write(r->reduce, c, &how, &made, &err);
    if (status == RAS_OK) {
        ras_rewritten_free(made);
        status = trial_start(&r->trials, place, c->key, path);
    } else if (status == RAS_END) {
        *place = (struct trial){
            .key = c->key, .pid = -1, .outcome = OUTCOME_CANNOT, .folder = place->folder};
        status = 0;
    } else {
        status = trouble_at(r->path, &err);
    }
    free(path);
    return status;
}

/* Start as many as may run, in order. *first is the test of the next candidate; NULL: there is
 * none. */
static int begin_tests(struct reducing *r, struct trial **first)
{
    int status = 0;
    *first = NULL;
    for (size_t ahead = 0; !status && ahead < r->trials.count; ahead++) {
        struct ras_candidate c;
        struct ras_error err;
        if (r->test_most && r->tests + ahead >= r->test_most)
            break;
        int found = ras_reduce_next(r->reduce, ahead, &c, &err);
        if (found < 0)
            return trouble_with(&err);
        if (found == RAS_END)
            break;
        if (!trials_find(&r->trials, c.key))
            status = begin_test(r, &c);
        if (!ahead)
            *first = trials_find(&r->trials, c.key);
    }
    return status;
}

/* ---- the trace itself ------------------------------------------------------------------------ */

static const char *how_it_ended(const struct trial *t, char text[64])
{
    if (t->outcome == OUTCOME_TIMEOUT)
        snprintf(text, 64, "timed out");
    else if (WIFSIGNALED(t->status))
        snprintf(text, 64, "signal %d", WTERMSIG(t->status));
    else if (WEXITSTATUS(t->status) == 127)
        snprintf(text, 64, "exit status 127: command not found?");
    else
        snprintf(text, 64, "exit status %d", WEXITSTATUS(t->status));
    return text;
}

/* The whole, copied, does not fail: does the trace itself? */
static int tell_sound(struct reducing *r, const struct trial *whole)
{
    char text[64];
    how_it_ended(whole, text);
    const char *path = shown_path(r->path);
    struct trial *own = trials_place(&r->trials);
    if (!own || !strcmp(r->path, "-") || trial_start(&r->trials, own, 0, r->path)) {
        trouble("%s: the test does not fail on the full trace (%s)", path, text);
        return EXIT_NO;
    }
    while (own->outcome == OUTCOME_NONE && !r->caught)
        r->caught = trials_wait(&r->trials);
    if (own->outcome == OUTCOME_FAILS)
        trouble("%s: the test fails on it, but not on a copy of all its records (%s): the cause is "
                "not in a record",
                path, text);
    else if (!r->caught)
        trouble("%s: the test does not fail on the full trace (%s); it must exit 0 when the bug "
                "is present",
                path, text);
    return EXIT_NO;
}

/* ---- the course ---------------------------------------------------------------------- */

static int run_tests(struct reducing *r)
{
    int status = 0;
    while (!status && !r->caught) {
        struct trial *first;
        status = begin_tests(r, &first);
        reduce_show_progress(r);
        if (status || !first)
            break;
        if (first->outcome == OUTCOME_NONE) {
            r->caught = trials_wait(&r->trials);
            continue;
        }
        if (!r->fails && first->outcome != OUTCOME_FAILS) {
            struct trial whole = *first;
            trial_drop(first);
            return tell_sound(r, &whole);
        }
        status = take_outcome(r, first);
    }
    return status;
}

int reducing_run(struct reducing *r)
{
    struct ras_candidate c;
    struct ras_error err;
    int status = reduce_take_outcomes(r);
    if (!status)
        status = run_tests(r);
    progress_clear();
    if (!status && !r->caught)
        r->minimal = ras_reduce_next(r->reduce, 0, &c, &err) == RAS_END;
    return status;
}
