/* cmd_convert.c - a trace in another dialect or version of its format. */
#include "cli/rewriting.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct common common;
    const char *to;
};

/* A version that reading refuses goes through the bytes of the one that followed it. */
static int upgrade(const struct options *o, const char *path, struct ras_sink **bytes)
{
    struct ras_trace *t;
    struct ras_error err, why;
    const struct ras_options how = {.format = o->common.input_format};
    *bytes = NULL;
    int status = strcmp(path, "-") ? ras_open(&t, path, &how, &err) : RAS_OK;
    if (status == RAS_OK && strcmp(path, "-") != 0)
        ras_close(t);
    if (status != RAS_EVERSION)
        return 0; /* what else is wrong is said when it is opened for good */
    if (ras_sink_memory(bytes, &why) < 0)
        return trouble("%s", why.text);
    status = ras_upgrade(path, *bytes, &why);
    if (status == RAS_OK)
        return 0;
    ras_sink_drop(*bytes);
    *bytes = NULL;
    return trouble_at(path, status == RAS_EUNSUPPORTED ? &err : &why);
}

static int open_upgraded(struct rewriting *w, const struct options *o, struct ras_sink *bytes)
{
    struct ras_error err;
    struct ras_bytes b = ras_sink_bytes(bytes);
    w->common = &o->common;
    w->traces = calloc(1, sizeof(struct ras_trace *));
    if (!w->traces)
        return trouble("out of memory");
    if (ras_open_memory(&w->traces[0], b.at, b.len, NULL, &err) < 0)
        return trouble_at(o->common.operands.items[0], &err);
    w->count = 1;
    return 0;
}

static int run(void *options)
{
    const struct options *o = options;
    struct rewriting w = {0};
    struct ras_sink *bytes;
    if (o->common.operands.count != 1)
        return trouble("convert takes one trace");
    int status = output_refuse(&o->common, "converted trace");
    if (!status)
        status = upgrade(o, o->common.operands.items[0], &bytes);
    if (status)
        return status;
    status = bytes ? open_upgraded(&w, o, bytes) : rewriting_open(&w, &o->common);
    w.how = (struct ras_rewrite_options){.target = o->to, .newest = !o->to};
    if (!status)
        status = rewriting_run(&w);
    rewriting_close(&w);
    ras_sink_drop(bytes);
    return status;
}

static const struct option_row rows[] = {
    {"to", 0, OPTION_TEXT, "NAME", "the dialect or version to write; the newest by default", NULL,
     offsetof(struct options, to)},
    {0},
};

const struct command cmd_convert = {
    .name = "convert",
    .operands = "TRACE",
    .about = "write a trace in another dialect or version",
    .text = "Murk v1 and v2 become v3, AeroGPU v1 becomes v2, CDT goes from zig style to\n"
            "python style and back, dial9 from full to seed, ATF from the shape of production\n"
            "to that of the specification. What the target cannot hold is told.\n",
    .examples = "rastrum convert old.murk -o new.murk\n"
                "rastrum convert --to seed trace.bin -o plain.trc\n",
    .rows = rows,
    .size = sizeof(struct options),
    .run = run,
};
