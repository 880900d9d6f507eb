/* cmd_tick.c - one tick of a trace. */
#include "cli/detail_text.h"
#include "cli/looking.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
    struct common common;
    const char *json_out;
};

static void tick_put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    struct page p = {.a = a, .lines = INT32_MAX};
    (void)l;
    put_detail(&p, v);
}

static int tick_run(void *options)
{
    const struct options *o = options;
    const struct list *operands = &o->common.operands;
    struct ras_inspect_options look = {RAS_INSPECT_TICK};
    char instead[80] = "rastrum cat";
    const struct looking how = {.common = &o->common,
                                .verb = "tick",
                                .json_out = o->json_out,
                                .operands = 1,
                                .more = 1,
                                .usage = "a trace and the number of a tick",
                                .instead = instead,
                                .put_text = tick_put_text};
    if (operands->count == 2 && !integer_parse(operands->items[1], &look.number))
        return trouble("'%s' is not a valid tick", operands->items[1]);
    if (look.number >= 0 && look.number < INT64_MAX)
        snprintf(instead, sizeof instead, "rastrum cat --from %" PRId64 " --to %" PRId64,
                 look.number, look.number + 1);
    return looking_run(&how, &look);
}

static const struct option_row rows[] = {JSON_OUT_ROW(struct options), {0}};

const struct command cmd_tick = {
    .name = "tick",
    .operands = "TRACE N",
    .about = "show one tick of a CDT trace",
    .text =
        "Prints the tick's own numbers, its checkpoint, and the number of rows in each channel.\n"
        "Only the chunk that contains it is read. Exits 1 if the trace has no such tick.\n",
    .examples = "rastrum tick run.cdt 1777\nrastrum tick --json run.cdt 1777\n",
    .exits = "0 shown; 1 no such tick; 2 error; 3 the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = tick_run,
};
