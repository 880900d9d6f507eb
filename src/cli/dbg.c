/* dbg.c - rastrum dbg: the verbs of `crimson dbg`, and its record. */
#include "cli/dbg.h"
#include "cli/playing.h"
#include "cli/say.h"

#include <stddef.h>

static const struct command *const verbs[] = {&dbg_record, &dbg_health, &dbg_diff,
                                              &dbg_bisect, &dbg_focus,  &dbg_tick,
                                              &dbg_entity, &dbg_query,  NULL};

static int dbg_run(void *options)
{
    (void)options;
    return trouble("dbg takes a verb; rastrum help dbg lists them");
}

static const struct option_row no_rows[] = {{0}};

const struct command cmd_dbg = {
    .name = "dbg",
    .operands = "VERB ...",
    .about = "do what `crimson dbg` does to CDT traces, byte for byte",
    .text =
        "For scripts that were written for `crimson dbg`: the same texts on the same streams,\n"
        "the same JSON, the same exit statuses, with two additions: traces of different formats\n"
        "exit 2, and a cut trace is compared up to its end, exit 3. The verbs of the same names\n"
        "without dbg support more formats, print to standard output and exit 1 if anything\n"
        "differs.\n",
    .examples = "rastrum dbg diff golden.cdt candidate.cdt\n"
                "rastrum dbg focus --tick 1777 --json golden.cdt candidate.cdt\n",
    .exits = "that of crimson dbg; 2 error; 3 a trace is cut or damaged",
    .rows = no_rows,
    .verbs = verbs,
    .size = sizeof(struct common),
    .run = dbg_run,
};

/* ---- record ------------------------------------------------------------------------------ */

struct record_options {
    struct common common;
    struct state_asked state;
};

static int run_record(void *options)
{
    struct record_options *o = options;
    o->state.compat = true;
    if (!o->common.operands.count)
        return trouble("dbg record takes one replay");
    return record_state(&o->common, &o->state);
}

static const struct option_row record_rows[] = {
    {"world", 0, OPTION_TEXT, "FILE.so", "your own world (rastrum/world.h)", NULL,
     offsetof(struct record_options, state.world)},
    {"world-recipe", 0, OPTION_TEXT, "FILE", "recipe of the replay, if it has none", NULL,
     offsetof(struct record_options, state.recipe)},
    {0},
};

const struct command dbg_record = {
    .name = "dbg record",
    .operands = "REPLAY.murk",
    .about = "write the state of a replay as a CDT trace",
    .text = "Executes the replay and writes the trace that --out names.\n",
    .examples = "rastrum dbg record replay.murk --out state.cdt\n",
    .exits = "0 written; 1 it differs from the recording; 2 error; 3 written, but it was cut",
    .rows = record_rows,
    .size = sizeof(struct record_options),
    .reads = true,
    .run = run_record,
};
