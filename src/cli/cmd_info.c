/* cmd_info.c - what a trace is: format, counts, ranges, streams, how it ends. */
#include "cli/rundirs.h"
#include <rastrum/render.h>

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { STREAMS_SHOWN = 12, TYPES_SHOWN = 24, STRING_SHOWN = 200 };

struct options {
    struct common common;
    bool header;
};

static void info_put_fact(struct answer *a, const struct ras_fact *f)
{
    const struct ras_value *v = &f->value;
    switch (v->kind) {
    case RAS_STR:
        answer_text(a, v->at, v->count > STRING_SHOWN ? STRING_SHOWN : v->count);
        if (v->count > STRING_SHOWN)
            answer_format(a, "... (%u bytes)", v->count);
        break;
    case RAS_BOOL:
        answer_format(a, "%s", v->u ? "yes" : "no");
        break;
    case RAS_INT:
        answer_format(a, "%" PRId64, v->i);
        break;
    case RAS_F64:
        answer_format(a, "%.17g", v->f64);
        break;
    default:
        answer_format(a, f->flags & RAS_HEX ? "0x%016" PRIx64 : "%" PRIu64, v->u);
    }
}

/* A count and the name of the counted type. */
static void put_count(struct answer *a, const struct ras_count *c)
{
    answer_format(a, "            %10" PRIu64 "  ", c->records);
    answer_text(a, c->name, strlen(c->name));
    answer_format(a, "\n");
}

static void put_producer(struct answer *a, const struct ras_trace *t)
{
    size_t n;
    const struct ras_fact *facts = ras_facts(t, &n);
    for (size_t i = 0; i < n; i++) {
        answer_format(a, "%s", i ? "            " : "  producer  ");
        answer_name(a, facts[i].key);
        answer_format(a, " = ");
        info_put_fact(a, &facts[i]);
        answer_format(a, "\n");
    }
}

/* Traces of other formats inside it. */
static void info_put_carried(struct answer *a, const struct ras_info *info)
{
    for (size_t i = 0; i < info->carried_count && i < STREAMS_SHOWN; i++) {
        const struct ras_carried *c = &info->carried[i];
        answer_format(a, "%s", i ? "            " : "  beside    ");
        answer_text(a, c->name, strlen(c->name));
        if (c->format)
            answer_format(a, ": %s, %" PRIu64 " record%s, %s\n", c->format, c->records,
                          c->records == 1 ? "" : "s", ras_ending_name(c->ending.kind));
        else
            answer_format(a, ": %s%s\n", c->empty ? "empty" : "not readable: ", c->why);
    }
    if (info->carried_count > STREAMS_SHOWN)
        answer_format(a, "            and %zu more: --json has them all\n",
                      info->carried_count - STREAMS_SHOWN);
}

static int info_say_carried(const char *path, const struct ras_info *info, bool quiet)
{
    int worst = EXIT_YES;
    for (size_t i = 0; i < info->carried_count; i++) {
        const struct ras_carried *c = &info->carried[i];
        if (c->format)
            worst = worse(worst, say_ending_of(path, c->name, &c->ending, quiet));
        else if (!c->empty)
            worst = EXIT_LOSS;
    }
    return worst;
}

static bool carries_records(const struct ras_info *info)
{
    for (size_t i = 0; i < info->carried_count; i++)
        if (info->carried[i].records)
            return true;
    return false;
}

static void info_put_counts(struct answer *a, const struct ras_info *info)
{
    uint64_t size = ras_size(info->trace);
    answer_format(a, "  records   %" PRIu64, info->records);
    if (info->records)
        answer_format(a, ", %.1f bytes each", (double)size / (double)info->records);
    else
        answer_format(a, "%s",
                      carries_records(info) ? " here, but in the traces below"
                                            : ": THIS TRACE CONTAINS NO RECORDS");
    answer_format(a, "\n");
    for (size_t i = 0; i < info->type_count && i < TYPES_SHOWN; i++)
        put_count(a, &info->types[i]);
    if (info->type_count > TYPES_SHOWN)
        answer_format(a, "            and %zu more types: --json has them all\n",
                      info->type_count - TYPES_SHOWN);
}

static void info_put_axes(struct answer *a, const struct ras_info *info)
{
    if (info->has_tick)
        answer_format(a, "  %-8s  %" PRIu64 " to %" PRIu64 "\n",
                      ras_can_render(info->trace) ? "frames" : "ticks", info->tick_first,
                      info->tick_last);
    if (info->has_time)
        answer_format(a, "  time      %" PRIu64 " to %" PRIu64 " ns, %.9f s\n", info->time_first,
                      info->time_last, (double)(info->time_last - info->time_first) / 1e9);
}

static void put_streams(struct answer *a, const struct ras_info *info)
{
    if (info->stream_count < 2)
        return;
    answer_format(a, "  streams   %zu\n", info->stream_count);
    for (size_t i = 0; i < info->stream_count && i < STREAMS_SHOWN; i++)
        put_count(a, &info->streams[i]);
    if (info->stream_count > STREAMS_SHOWN)
        answer_format(a, "            and %zu more: --json has them all\n",
                      info->stream_count - STREAMS_SHOWN);
}

static void put_ending(struct answer *a, const struct ras_info *info)
{
    const struct ras_ending *e = &info->ending;
    const char *part = ras_part_name(info->trace, e->part);
    answer_format(a, "  ending    %s at byte %" PRIu64 " of %" PRIu64, ras_ending_name(e->kind),
                  e->offset, e->size);
    answer_format(a, "%s", *part ? " of " : "");
    answer_text(a, part, strlen(part));
    answer_format(a, "%s", *e->why ? ": " : "");
    answer_text(a, e->why, strlen(e->why));
    answer_format(a, "\n");
}

static void info_put_notes(struct answer *a, const struct ras_trace *t)
{
    size_t n;
    const char *const *notes = ras_notes(t, &n);
    for (size_t i = 0; i < n; i++) {
        answer_format(a, "%s", i ? "            " : "  notes     ");
        answer_text(a, notes[i], strlen(notes[i]));
        answer_format(a, "\n");
    }
}

/* What is known once it is open. */
static void info_put_header(struct answer *a, const char *path, const struct ras_trace *t)
{
    const char *wrap = ras_wrapping(t);
    answer_path(a, path, "");
    answer_format(a, "\n  format    %s\n", ras_format_of(t)->title);
    answer_format(a, "  dialect   %s, version %" PRIu64 "\n", ras_dialect(t),
                  ras_format_version(t));
    answer_format(a, "  size      %" PRIu64 " bytes%s%s\n", ras_size(t),
                  wrap ? ", wrapped in " : "", wrap ? wrap : "");
}

static void info_put_text(struct answer *a, const char *path, const struct ras_info *info)
{
    struct ras_trace *t = info->trace;
    info_put_header(a, path, t);
    put_ending(a, info);
    info_put_counts(a, info);
    info_put_axes(a, info);
    put_streams(a, info);
    info_put_carried(a, info);
    put_producer(a, t);
    info_put_notes(a, t);
}

static void info_put_header_json(struct ras_json *j, const char *path, const struct ras_trace *t)
{
    size_t n;
    const struct ras_fact *facts = ras_facts(t, &n);
    ras_json_object(j, NULL);
    ras_json_text(j, "path", path);
    ras_json_text(j, "format", ras_format_of(t)->name);
    ras_json_text(j, "dialect", ras_dialect(t));
    ras_json_uint(j, "version", ras_format_version(t));
    ras_json_uint(j, "size_bytes", ras_size(t));
    ras_json_object(j, "producer");
    for (size_t i = 0; i < n; i++)
        if (facts[i].flags & RAS_HEX)
            ras_json_hex(j, facts[i].key, facts[i].value.u, 16);
        else
            ras_json_cell(j, facts[i].key, &facts[i].value, 0);
    ras_json_end(j);
    ras_json_array(j, "notes");
    const char *const *notes = ras_notes(t, &n);
    for (size_t i = 0; i < n; i++)
        ras_json_text(j, NULL, notes[i]);
    ras_json_end(j);
    ras_json_end(j);
    ras_json_newline(j);
}

/* No record is read: of a trace on a server that has an index only the header and the index come.
 */
static int show_header(const struct options *o, const char *path, struct ras_trace *trace,
                       struct answer *answer)
{
    struct ras_json *json = NULL;
    struct ras_error err;
    if (o->common.json) {
        (void)!ras_json_open(&json, answer->sink, 0, NULL);
        info_put_header_json(json, path, trace);
        if (ras_json_close(json, &err) < 0)
            return trouble_at(path, &err);
    } else {
        info_put_header(answer, path, trace);
        put_producer(answer, trace);
        info_put_notes(answer, trace);
    }
    answer_flush(answer);
    return EXIT_YES;
}

/* One trace, which may be one of a run. */
static int show_trace(const struct options *o, const char *path, struct ras_trace *trace,
                      struct answer *answer)
{
    struct ras_info *info;
    struct ras_error err;
    struct progress progress;
    if (o->header)
        return show_header(o, path, trace, answer);
    progress_start(&progress, &o->common, "info", answer->pager > 0);
    int status = ras_info(&info, trace, progress_at, &progress, &err);
    progress_stop(&progress);
    if (status < 0)
        return trouble_at(path, &err);
    if (o->common.json)
        status = ras_info_json(answer->sink, path, info, &err) < 0 ? trouble_at(path, &err) : 0;
    else
        info_put_text(answer, path, info);
    answer_flush(answer);
    if (!status)
        status = worse(say_end(path, trace, &info->ending, o->common.quiet),
                       info_say_carried(path, info, o->common.quiet));
    ras_info_free(info);
    return status;
}

/* A run: what it is, then each of its traces. */
static int show_run(const struct options *o, const char *path, struct answer *answer)
{
    struct ras_rundir *run = open_run(&o->common, path);
    if (!run)
        return EXIT_TROUBLE;
    int worst = EXIT_YES;
    struct ras_json *json = o->common.json ? answer_json(answer) : NULL;
    if (o->common.json)
        put_run_open(json, run);
    else
        put_run(answer, run);
    for (size_t i = 0; i < run->pen_count; i++) {
        const struct ras_rundir_pen *pen = &run->pens[i];
        if (pen->trace) {
            (void)ras_json_sink(json, NULL);
            worst = worse(worst, show_trace(o, pen->path, pen->trace, answer));
        } else {
            put_run_gap(json, pen);
        }
    }
    ras_json_end(json);
    ras_json_end(json);
    ras_json_newline(json);
    answer_flush(answer);
    worst = worse(worst, say_missing(run));
    ras_rundir_close(run);
    return worst;
}

static int info_show(void *options, const char *path, struct answer *answer)
{
    const struct options *o = options;
    if (is_run(&o->common, path))
        return show_run(o, path, answer);
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    answer_item(answer);
    int status = show_trace(o, path, trace, answer);
    ras_close(trace);
    return status;
}

static int info_run(void *options)
{
    return each_operand(options, info_show);
}

static const struct option_row rows[] = {
    {"header", 0, OPTION_FLAG, NULL, "only what the header says: no record is read or counted",
     NULL, offsetof(struct options, header)},
    {0},
};

const struct command cmd_info = {
    .name = "info",
    .operands = "TRACE...",
    .about = "show what a trace is, what it contains and how it ends",
    .text = "Reads the whole trace once and prints its format, dialect, version and producer, the\n"
            "number of records of each type, the range of its ticks and times, its streams, and\n"
            "how it ends: complete, unsealed (all records are complete but closing structures are\n"
            "missing), cut (it ends inside a record) or damaged. Exits 3 if data was lost.\n",
    .examples = "rastrum info run.murk\nrastrum info --header s3://bucket/state.cdt\nrastrum info "
                "--json session_20260101_120000\n",
    .exits = "0 shown; 2 error; 3 shown, but a trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = info_run,
};
