/* cmd_reduce.c - a failing trace made as small as it can be. */
#include "cli/reducing.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct common common;
    struct number jobs, max_tests;
    const char *timeout;
    bool restart;
};

enum { JOBS_MOST = 256 };

/* ---- what is asked ------------------------------------------------------------------------ */

static int check_command(const struct common *c)
{
    if (!c->operands.count)
        return trouble("which trace? rastrum reduce TRACE -o MIN -- COMMAND {}");
    if (c->operands.count < 2)
        return trouble("which test? rastrum reduce TRACE -o MIN -- COMMAND {}");
    bool any = false;
    for (size_t i = 1; i < c->operands.count; i++)
        any |= strstr(c->operands.items[i], "{}") != NULL;
    if (!any)
        return trouble("{} in the command says where the candidate's name goes");
    if (!c->out || !strcmp(c->out, "-"))
        return trouble("say where the smallest trace goes: -o FILE");
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
        return trouble("--timeout: %s", err.text);
    bool plain = text[strspn(text, "0123456789.")] == 0; /* seconds, not nanoseconds */
    r->trials.timeout = plain ? strtod(text, NULL) : (double)ns / 1e9;
    return r->trials.timeout > 0 ? 0 : trouble("--timeout takes more than 0");
}

static int open_all(const struct options *o, struct reducing *r)
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

static int run(void *options)
{
    const struct options *o = options;
    struct reducing r = {.common = &o->common, .journal = {.fd = -1}};
    int status = check_command(&o->common);
    if (!status)
        status = set_bounds(o, &r);
    if (!status)
        status = open_all(o, &r);
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
    {"jobs", 'j', OPTION_NUMBER, "N", "run so many tests at a time (default: the processors)", NULL,
     offsetof(struct options, jobs)},
    {"max-tests", 0, OPTION_NUMBER, "N", "stop after N tests", NULL,
     offsetof(struct options, max_tests)},
    {"timeout", 0, OPTION_TEXT, "TIME",
     "end a test after so long (seconds, or 500ms, 2m): it passes", NULL,
     offsetof(struct options, timeout)},
    {"restart", 0, OPTION_FLAG, NULL, "forget what an earlier run found", NULL,
     offsetof(struct options, restart)},
    {0},
};

const struct command cmd_reduce = {
    .name = "reduce",
    .operands = "TRACE -- COMMAND {}...",
    .about = "shrink a failing trace to the least that still fails",
    .text = "Runs COMMAND with {} replaced by the path of a candidate: a part of the trace, as a\n"
            "valid trace. COMMAND ends with 0 where the candidate still fails in the way that is\n"
            "looked for, else with anything but 0. Streams, frames and records are left out, many\n"
            "at a time first, then single ones, until none can be left out. The result does not\n"
            "depend on --jobs. What was found is kept in MIN.reduce until the end, so that the\n"
            "same command goes on where an earlier one was ended.\n",
    .examples = "rastrum reduce run.murk -o min.murk -- sh -c '! my-game --replay \"$1\"' sh {}\n"
                "rastrum reduce session/ -o min/ --timeout 10 -- ./still-fails.sh {}\n",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = run,
};
