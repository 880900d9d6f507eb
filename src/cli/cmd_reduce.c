/* cmd_reduce.c - reduce a failing trace to a minimal one.
 *
 * Several candidates are tested at a time, each as if those before it did not fail. Outcomes are
 * reported in order, and the first that fails discards the ones after it: the result is the same as
 * with one test at a time. */
#include "cli/reduce_trials.h"
#include "cli/rewrite_output.h"
#include "cli/session.h"
#include <rastrum/replay.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct reduction {
    const struct common *common;
    const char *path; /* of the trace */
    struct ras_trace *trace;
    struct ras_reduce *reduce;
    struct trials trials;
    struct journal journal;
    uint64_t test_most; /* 0: no limit */
    uint64_t tests, failed, timed_out, resumed;
    bool fails;   /* the full trace fails */
    bool minimal; /* no more records can be left out */
    bool line_wanted;
    double line_at;
    int caught; /* the signal that interrupted it */
};

static uint64_t size_of(const char *path)
{
    struct ras_trace *t;
    uint64_t size = ras_open(&t, path, NULL, NULL) == RAS_OK ? ras_size(t) : 0;
    ras_close(t);
    return size;
}

static void reduce_put_text(struct answer *a, const struct ras_reduced *r)
{
    answer_path(a, r->out, "");
    answer_format(a, ": %" PRIu64 " of %s, %" PRIu64 " of %s", r->records_to,
                  ras_counted(r->records_from, "record").text, r->bytes_to,
                  ras_counted(r->bytes_from, "byte").text);
    for (size_t i = 0; i < r->kept->kept_count; i++) {
        answer_format(a, i ? ", " : " (");
        answer_count(a, &r->kept->kept[i]);
    }
    answer_format(a, "%s; %s, %s\n", r->kept->kept_count ? ")" : "",
                  ras_counted(r->tests, "test").text, r->status);
}

static int reduce_put_answer(const struct reduction *r, const struct ras_reduced *done)
{
    struct common common = *r->common;
    struct answer answer;
    struct ras_error err;
    common.out = NULL; /* the trace is there; the report goes to standard output */
    int status = answer_open(&answer, &common);
    if (status)
        return status;
    if (!common.json)
        reduce_put_text(&answer, done);
    else if (ras_reduced_json(answer.sink, r->path, r->trace, done, &err) < 0)
        status = trouble_with(&err);
    answer_flush(&answer);
    int lost = say_ending(r->path, r->trace, &done->kept->ending, common.quiet);
    return answer_close(&answer, worse(status, lost));
}

/* Write the smallest trace that is known to fail, and report it; returns the exit status. */
static int reduce_finish(struct reduction *r)
{
    const struct ras_reduce_state s = *ras_reduce_state(r->reduce);
    struct ras_rewritten *kept;
    struct ras_error err;
    const char *out = r->common->out;
    const struct ras_rewrite_options how = {.path = out, .replace = r->common->force || r->resumed};
    int status = ras_reduce_write(r->reduce, NULL, &how, &kept, &err);
    if (status != RAS_OK)
        return status < 0 ? output_trouble(r->common, &err) : trouble("%s: no record is left", out);
    struct ras_reduced done = {.out = out,
                               .status = r->caught    ? "interrupted"
                                         : r->minimal ? "minimal"
                                                      : "stopped",
                               .records_from = s.records,
                               .bytes_from = ras_size(r->trace),
                               .bytes_to = size_of(out),
                               .tests = r->tests,
                               .failed = r->failed,
                               .timed_out = r->timed_out,
                               .resumed = r->resumed,
                               .kept = kept};
    for (size_t i = 0; i < kept->kept_count; i++)
        done.records_to += kept->kept[i].records;
    status = reduce_put_answer(r, &done);
    if (!r->minimal)
        remark(r->common->quiet, "%s: not minimal; the same command resumes from %s", out,
               r->journal.path);
    ras_rewritten_free(kept);
    return status;
}

/* ---- the line that shrinks ------------------------------------------------------------- */

static double reduce_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void reduce_show_progress(struct reduction *r)
{
    double time = reduce_now();
    if (!r->line_wanted || time - r->line_at < 0.1)
        return;
    const struct ras_reduce_state s = *ras_reduce_state(r->reduce);
    r->line_at = time;
    char now_without[80] = "";
    if (s.size)
        snprintf(now_without, sizeof now_without, ", now without %" PRIu64 " %s", s.size, s.parts);
    progress_draw("reduce: %" PRIu64 " of %s left, %s%s", s.left,
                  ras_counted(s.records, "record").text, ras_counted(r->tests, "test").text,
                  now_without);
}

/* ---- outcomes ---------------------------------------------------------------------------- */

static int reduce_report(struct reduction *r, bool fails)
{
    struct ras_error err;
    if (ras_reduce_report(r->reduce, fails, &err) < 0)
        return trouble_with(&err);
    r->fails |= fails;
    return 0;
}

static void count(struct reduction *r, char outcome)
{
    r->tests += outcome != JOURNAL_CANNOT;
    r->failed += outcome == JOURNAL_FAILS;
    r->timed_out += outcome == JOURNAL_TIMEOUT;
}

/* Use the outcomes of an earlier run without running the tests again. */
static int reduce_take_outcomes(struct reduction *r)
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

static int take_outcome(struct reduction *r, struct trial *trial)
{
    static const char outcomes[] = {[OUTCOME_FAILS] = JOURNAL_FAILS,
                                    [OUTCOME_PASSES] = JOURNAL_PASSES,
                                    [OUTCOME_TIMEOUT] = JOURNAL_TIMEOUT,
                                    [OUTCOME_CANNOT] = JOURNAL_CANNOT};
    bool fails = trial->outcome == OUTCOME_FAILS;
    char outcome = outcomes[trial->outcome];
    trial_drop(trial);
    for (size_t i = 0; fails && i < r->trials.count; i++) /* the journal has too few outcomes */
        trial_drop(&r->trials.at[i]);
    count(r, outcome);
    int status = reduce_report(r, fails);
    return status ? status : journal_add(&r->journal, outcome);
}

/* ---- tests --------------------------------------------------------------------------------- */

static int begin_test(struct reduction *r, const struct ras_candidate *c)
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

/* Start as many tests as allowed, in order. *first is the test of the next candidate; NULL: none.
 * */
static int begin_tests(struct reduction *r, struct trial **first)
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

/* The copy of the full trace does not fail: check the trace itself. */
static int report_exactness(struct reduction *r, const struct trial *whole)
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

static int run_tests(struct reduction *r)
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
            return report_exactness(r, &whole);
        }
        status = take_outcome(r, first);
    }
    return status;
}

/* Take the outcomes of an earlier run, then test until no record can be left out or a limit is
 * reached. 0, EXIT_NO if the trace does not fail, or EXIT_TROUBLE; both are reported. */
static int reduce_run_tests(struct reduction *r)
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

struct options {
    struct common common;
    struct number jobs, max_tests;
    const char *timeout;
    bool restart, replay;
};

enum { JOBS_MOST = 256 };

/* ---- options ------------------------------------------------------------------------ */

static int check_command(const struct options *o)
{
    const struct common *c = &o->common;
    if (!c->before_dashes)
        return trouble("missing trace: rastrum reduce TRACE -o MIN -- COMMAND {}");
    if (o->replay && c->operands.count > 1)
        return trouble("--replay and a command cannot be combined");
    if (c->operands.count < 2 && !o->replay)
        return trouble("missing test: rastrum reduce TRACE -o MIN -- COMMAND {}, or --replay");
    bool any = o->replay;
    for (size_t i = 1; i < c->operands.count; i++)
        any |= strstr(c->operands.items[i], "{}") != NULL;
    if (!any)
        return trouble("the command needs {} where the path of the candidate goes");
    if (!c->out || !strcmp(c->out, "-"))
        return trouble("reduce needs -o FILE for the reduced trace");
    return 0;
}

static int set_bounds(const struct options *o, struct reduction *r)
{
    struct ras_error err;
    uint64_t ns = 0, jobs = o->jobs.given ? o->jobs.value : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (o->jobs.given && (!jobs || jobs > JOBS_MOST))
        return trouble("--jobs takes 1 to %d", JOBS_MOST);
    if (o->max_tests.given && !o->max_tests.value)
        return trouble("--max-tests takes 1 or more");
    r->test_most = o->max_tests.value;
    r->trials.count = jobs > JOBS_MOST ? JOBS_MOST : (size_t)jobs;
    const char *text = o->timeout;
    if (!text)
        return 0;
    if (ras_time_parse(NULL, text, &ns, &err) < 0)
        return trouble("--timeout: %s", text_of(&err));
    bool plain = text[strspn(text, "0123456789.")] == 0; /* seconds, not nanoseconds */
    r->trials.timeout = plain ? strtod(text, NULL) : (double)ns / 1e9;
    return r->trials.timeout > 0 ? 0 : trouble("--timeout must be greater than 0");
}

/* ---- the test that is built in ------------------------------------------------------------ */

struct replay_test {
    char self[PATH_MAX], verdict[160];
    const char *words[7];
};

/* A candidate fails in the same way if it fails at the same tick, with the same hashes. */
static int make_replay_test(struct replay_test *t, const char *path, struct ras_trace *trace)
{
    const struct ras_replay_options replaying = {.worlds = ras_worlds()};
    struct ras_replay *replay;
    struct ras_error err;
    ssize_t len = readlink("/proc/self/exe", t->self, sizeof t->self - 1);
    if (len < 0)
        return trouble("cannot find the path of this program: %s", strerror(errno));
    t->self[len] = 0;
    if (ras_replay(&replay, trace, &replaying, &err) < 0)
        return trouble_at(path, &err);
    enum ras_replay_verdict verdict = replay->verdict;
    snprintf(t->verdict, sizeof t->verdict,
             "result=mismatch tick=%" PRIu64 " recorded=0x%016" PRIx64 " replayed=0x%016" PRIx64,
             replay->tick_id, replay->recorded, replay->replayed);
    ras_replay_free(replay);
    if (verdict != RAS_REPLAY_MISMATCH)
        return trouble("%s: --replay needs a recording whose replay fails; rastrum replay shows "
                       "the result of this one",
                       shown_path(path));
    const char *const words[] = {
        "sh",      "-c",    "test \"$(\"$1\" replay \"$2\" 2>/dev/null | tail -n 1)\" = \"$3\"",
        "sh",      t->self, "{}",
        t->verdict};
    memcpy((void *)t->words, words, sizeof words);
    return 0;
}

static int open_all(const struct options *o, struct reduction *r, struct replay_test *test)
{
    const struct list *words = &o->common.operands;
    struct ras_error err;
    r->path = words->items[0];
    r->trials.command = words->items + 1;
    r->trials.word_count = words->count - 1;
    r->line_wanted = isatty(STDERR_FILENO) && !o->common.quiet && !o->common.no_progress;
    r->trace = open_operand(&o->common, r->path, false);
    if (!r->trace)
        return EXIT_TROUBLE;
    if (o->replay) {
        if (make_replay_test(test, r->path, r->trace))
            return EXIT_TROUBLE;
        r->trials.command = test->words;
        r->trials.word_count = sizeof test->words / sizeof *test->words;
    }
    struct progress progress;
    progress_start(&progress, &o->common, "reduce", false);
    int opened = ras_reduce_open(&r->reduce, r->trace, progress_at, &progress, &err);
    progress_stop(&progress);
    if (opened < 0)
        return trouble_at(r->path, &err);
    bool there = access(o->common.out, F_OK) == 0;
    int status = journal_open(&r->journal, o->common.out, ras_reduce_state(r->reduce)->identity,
                              r->trials.command, r->trials.word_count, o->restart);
    if (!status && there && !o->common.force && !r->journal.known_count) {
        r->minimal = true; /* no test ran: remove the journal */
        status = trouble("%s exists; --force replaces it", o->common.out);
    }
    return status ? status : trials_open(&r->trials, r->path);
}

static int reduce_run(void *options)
{
    const struct options *o = options;
    struct reduction r = {.common = &o->common, .journal = {.fd = -1}};
    struct replay_test test;
    int status = check_command(o);
    if (!status)
        status = set_bounds(o, &r);
    if (!status)
        status = open_all(o, &r, &test);
    if (!status)
        status = reduce_run_tests(&r);
    trials_close(&r.trials);
    if (!status && r.fails)
        status = reduce_finish(&r);
    bool nothing = !r.fails && !r.journal.known_count; /* there are no outcomes to resume from */
    journal_close(&r.journal, r.minimal || nothing);
    ras_reduce_close(r.reduce);
    ras_close(r.trace);
    if (r.caught) { /* end with the signal's default action */
        sigset_t all;
        sigfillset(&all);
        signal(r.caught, SIG_DFL);
        raise(r.caught);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
    }
    return status;
}

static const struct option_row rows[] = {
    {"jobs", 'j', OPTION_NUMBER, "N", "run N tests at a time (default: one per processor)", NULL,
     offsetof(struct options, jobs)},
    {"max-tests", 0, OPTION_NUMBER, "N", "stop after N tests", NULL,
     offsetof(struct options, max_tests)},
    {"timeout", 0, OPTION_TEXT, "TIME", "time limit of a test (seconds, or 500ms, 2m): no failure",
     NULL, offsetof(struct options, timeout)},
    {"replay", 0, OPTION_FLAG, NULL, "Murk: test that replay fails at the same tick and hashes",
     NULL, offsetof(struct options, replay)},
    {"restart", 0, OPTION_FLAG, NULL, "discard the results of an earlier run", NULL,
     offsetof(struct options, restart)},
    {0},
};

const struct command cmd_reduce = {
    .name = "reduce",
    .operands = "TRACE -- COMMAND {}...",
    .about = "reduce a failing trace to a minimal one that still fails",
    .text =
        "Runs COMMAND with {} replaced by the path of a candidate: a valid trace that contains\n"
        "a part of TRACE. COMMAND must exit 0 if the candidate still shows the bug, and\n"
        "non-zero otherwise. Streams, frames and records are left out, first many at a time,\n"
        "then one by one, until none can be left out. The result does not depend on --jobs.\n"
        "Results are kept in MIN.reduce until the end, so that the same command resumes after\n"
        "an interruption.\n",
    .examples = "rastrum reduce run.murk -o min.murk -- sh -c '! my-game --replay \"$1\"' sh {}\n"
                "rastrum reduce desync.murk -o min.murk --replay\n"
                "rastrum reduce session/ -o min/ --timeout 10 -- ./still-fails.sh {}\n",
    .exits = "0 reduced; 1 the test does not fail on the whole trace; 2 error; 3 reduced, but\n"
             "the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = reduce_run,
};
