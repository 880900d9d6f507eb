/* cmd_reduce.c - a failing trace made as small as it can be. */
#include "cli/reducing.h"
#include <rastrum/replay.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct common common;
    struct number jobs, max_tests;
    const char *timeout;
    bool restart, replay;
};

enum { JOBS_MOST = 256 };

/* ---- what is asked ------------------------------------------------------------------------ */

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

static int set_bounds(const struct options *o, struct reducing *r)
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

/* A candidate fails in the same way when it goes wrong at the same tick, with the same hashes. */
static int make_replay_test(struct replay_test *t, const char *path, struct ras_trace *trace)
{
    struct ras_replay *replay;
    struct ras_error err;
    ssize_t len = readlink("/proc/self/exe", t->self, sizeof t->self - 1);
    if (len < 0)
        return trouble("cannot find the path of this program: %s", strerror(errno));
    t->self[len] = 0;
    if (ras_replay(&replay, trace, NULL, &err) < 0)
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

static int open_all(const struct options *o, struct reducing *r, struct replay_test *test)
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
    if (ras_reduce_open(&r->reduce, r->trace, &err) < 0)
        return trouble_at(r->path, &err);
    bool there = access(o->common.out, F_OK) == 0;
    int status = journal_open(&r->journal, o->common.out, ras_reduce_state(r->reduce).identity,
                              r->trials.command, r->trials.word_count, o->restart);
    if (!status && there && !o->common.force && !r->journal.known_count) {
        r->minimal = true; /* nothing is begun: the journal goes */
        status = trouble("%s exists; --force replaces it", o->common.out);
    }
    return status ? status : trials_open(&r->trials, r->path);
}

static int reduce_run(void *options)
{
    const struct options *o = options;
    struct reducing r = {.common = &o->common, .journal = {.fd = -1}};
    struct replay_test test;
    int status = check_command(o);
    if (!status)
        status = set_bounds(o, &r);
    if (!status)
        status = open_all(o, &r, &test);
    if (!status)
        status = reducing_run(&r);
    trials_close(&r.trials);
    if (!status && r.fails)
        status = reducing_finish(&r);
    bool nothing = !r.fails && !r.journal.known_count; /* nothing is worth to be taken up */
    journal_close(&r.journal, r.minimal || nothing);
    ras_reduce_close(r.reduce);
    ras_close(r.trace);
    if (r.caught) { /* end as a program that was interrupted does */
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
