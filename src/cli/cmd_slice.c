/* cmd_slice.c - a part of a trace as a trace. */
#include "cli/asked.h"
#include "cli/range.h"
#include "cli/rewriting.h"
#include <rastrum/replay.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct common common;
    struct range range;
    struct list types, streams;
    bool with_state, bare, verbose;
};

/* A stream is named by its number or its name. */
static bool find_stream(const struct ras_trace *t, const char *text, uint32_t *id)
{
    size_t count;
    const struct ras_stream *streams = ras_streams(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(streams[i].name, text)) {
            *id = streams[i].id;
            return true;
        }
    *id = 0;
    if (!count && !strcmp(text, "main")) /* as info calls the only one */
        return true;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    *id = (uint32_t)n;
    return !errno && *text >= '0' && *text <= '9' && !*end && n <= UINT32_MAX;
}

static int find_streams(const struct options *o, const struct ras_trace *t, uint32_t *ids)
{
    for (size_t i = 0; i < o->streams.count; i++)
        if (!find_stream(t, o->streams.items[i], &ids[i]))
            return trouble("%s: no stream '%s'; rastrum info lists them",
                           shown_path(o->common.operands.items[0]), o->streams.items[i]);
    return 0;
}

/* Streams of some formats are known only once the trace was walked. */
static int learn_streams(const struct options *o, struct ras_trace *t)
{
    struct ras_info *info;
    struct ras_error err;
    if (!o->streams.count)
        return 0;
    if (ras_info(&info, t, NULL, NULL, &err) < 0)
        return trouble_at(o->common.operands.items[0], &err);
    ras_info_free(info);
    return 0;
}

/* ---- the world before it ----------------------------------------------------------------- */

static int save_world(const struct options *o, struct ras_trace *t, uint64_t first)
{
    const char *path = o->common.operands.items[0];
    struct ras_replay *r = NULL;
    struct ras_sink *sink;
    struct ras_error err;
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s.state", o->common.out) >= (int)sizeof name)
        return trouble("%s: the path is too long", o->common.out);
    if (ras_sink_file(&sink, name, o->common.force, &err) < 0)
        return trouble_with(&err);
    int status = 0;
    if (ras_replay_save(&r, t, first, NULL, sink, &err) < 0)
        status = trouble_at(path, &err);
    else if (r->verdict != RAS_REPLAY_OK)
        status = r->verdict == RAS_REPLAY_MISMATCH
                     ? trouble("%s: no state written: tick %" PRIu64 " differs from the recording",
                               shown_path(path), r->tick_id)
                     : trouble("%s: no state written: %s", shown_path(path), r->why);
    if (status)
        ras_sink_drop(sink);
    else if (ras_sink_close(sink, &err) < 0)
        status = trouble_with(&err);
    ras_replay_free(r);
    return status;
}

/* The first tick that is kept; RAS_NONE: it is the world's own first, or there is none. */
static int keep_world(const struct options *o, struct ras_trace *t, const struct ras_scan *scan)
{
    struct ras_scan first = *scan;
    struct ras_cursor *cursor;
    const struct ras_record *record;
    struct ras_error err;
    first.headers_only = true;
    if (ras_cursor_open(&cursor, t, &first, &err) < 0)
        return trouble_at(o->common.operands.items[0], &err);
    int status = ras_next(cursor, &record, &err);
    uint64_t tick = status == RAS_OK ? record->tick : RAS_NONE;
    ras_cursor_close(cursor);
    if (status < 0)
        return trouble_at(o->common.operands.items[0], &err);
    return tick == RAS_NONE || tick <= 1 ? 0 : save_world(o, t, tick);
}

static int slice_run(void *options)
{
    const struct options *o = options;
    struct rewriting w = {.asked = range_asked(&o->range) || o->types.count || o->streams.count,
                          .verbose = o->verbose};
    struct ras_scan scan = {0};
    if (o->common.operands.count != 1)
        return trouble("slice takes one trace");
    int status = output_refuse(&o->common, "slice");
    if (status)
        return status;
    uint32_t *ids = calloc(o->streams.count + 1, sizeof *ids);
    status = ids ? rewriting_open(&w, &o->common) : trouble("out of memory");
    if (!status)
        status = range_find(o->common.operands.items[0], &o->range, w.traces[0], &scan);
    const struct asked_names names = {.types = &o->types};
    if (!status)
        status = learn_names(o->common.operands.items[0], w.traces[0], &names, &o->common, false);
    if (!status)
        status = check_names(o->common.operands.items[0], w.traces[0], &names, o->common.quiet);
    if (!status)
        status = learn_streams(o, w.traces[0]);
    if (!status)
        status = find_streams(o, w.traces[0], ids);
    w.how = (struct ras_rewrite_options){.axis = scan.axis,
                                         .from = scan.from,
                                         .to = scan.to,
                                         .types = o->types.items,
                                         .type_count = o->types.count,
                                         .streams = ids,
                                         .stream_count = o->streams.count,
                                         .bare = o->bare};
    if (!status && o->with_state)
        status = strcmp(o->common.out, "-") != 0
                     ? keep_world(o, w.traces[0], &scan)
                     : trouble("--with-state needs -o OUT: it writes OUT.state");
    if (!status)
        status = rewriting_run(&w);
    rewriting_close(&w);
    free(ids);
    return status;
}

static const struct option_row rows[] = {
    RANGE_ROWS(struct options, range),
    {"type", 't', OPTION_LIST, "NAME", "only records of this type; may be repeated", NULL,
     offsetof(struct options, types)},
    {"stream", 0, OPTION_LIST, "ID", "only this stream, by number or name; may be repeated", NULL,
     offsetof(struct options, streams)},
    {"with-state", 0, OPTION_FLAG, NULL,
     "Murk: also write the state before the slice, to OUT.state", NULL,
     offsetof(struct options, with_state)},
    {"bare", 0, OPTION_FLAG, NULL, "only the requested records, not those that they need", NULL,
     offsetof(struct options, bare)},
    VERBOSE_ROW(struct options, verbose),
    {0},
};

const struct command cmd_slice = {
    .name = "slice",
    .alias = "trim",
    .operands = "TRACE",
    .about = "copy a part of a trace into a new trace",
    .text =
        "Copies the records in range, unchanged, with only the schemas, pools, blobs and\n"
        "details that they need. Ticks and times do not change. A slice can be read without its\n"
        "source: for dial9 it includes the clock, the metadata and the symbols of its stacks,\n"
        "unless --bare is given; for a session the events (events.trc) of the same time, unless\n"
        "types or threads are selected. Ranges are half-open, on the format's own axis unless\n"
        "--axis is given.\n\n"
        "A Murk replay that does not begin at its world's first tick can be executed again\n"
        "only from the state before it: --with-state executes the ticks before the slice and\n"
        "writes that state to OUT.state, for replay --state.\n",
    .examples = "rastrum slice --from 100 --to 200 run.murk -o part.murk\n"
                "rastrum slice --from +2s --to +3s --stream 1 session/ -o part/\n",
    .exits = "0 written; 1 no record is in the range, type or stream; 2 error; 3 written, but\n"
             "the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = slice_run,
};
