/* cmd_merge.c - several traces of one format as one. */
#include "cli/rewriting.h"

#include <stddef.h>

struct options {
    struct common common;
    bool interleave, verbose;
};

static int merge_run(void *options)
{
    const struct options *o = options;
    struct rewriting w = {.how = {.interleave = o->interleave}, .verbose = o->verbose};
    int status = output_refuse(&o->common, "merged trace");
    if (status)
        return status;
    status = rewriting_open(&w, &o->common);
    if (!status)
        status = rewriting_run(&w);
    rewriting_close(&w);
    return status;
}

static const struct option_row rows[] = {
    {"interleave", 0, OPTION_FLAG, NULL, "dial9: merge into one batch, in the order of time", NULL,
     offsetof(struct options, interleave)},
    VERBOSE_ROW(struct options, verbose),
    {0},
};

const struct command cmd_merge = {
    .name = "merge",
    .operands = "TRACE...",
    .about = "join traces of one format into one",
    .text = "Joins Murk or CDT traces of one run if their ticks do not overlap, in whatever order\n"
            "they are given. AeroGPU frame numbers continue and blob ids stay distinct. dial9\n"
            "batches stay separate unless --interleave merges them. ATF threads and sessions\n"
            "become threads of one session, together with their events (events.trc).\n",
    .examples = "rastrum merge first.murk second.murk -o run.murk\n"
                "rastrum merge --interleave a.trc b.trc -o both.trc\n",
    .exits = "0 written; 2 error, or they cannot be merged; 3 written, but a trace is cut or\n"
             "damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = merge_run,
};
