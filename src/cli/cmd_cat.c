/* cmd_cat.c - the records of a trace. */
#include "cli/asked.h"
#include "cli/range.h"
#include "cli/session.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct common common;
    const char *format, *condition;
    struct ras_where *where; /* the condition; NULL: none */
    struct range range;
    struct list types, fields;
    struct number limit, depth;
    bool follow, merged, with_detail, float_bits, strict;
};

static const char *const format_words[] = {"text", "jsonl", "csv", NULL};

/* ---- the walk ------------------------------------------------------------------- */

/* What is decoded: the fields that are shown and those that the condition looks at. */
static bool add_fields(struct list *fields, const struct options *o)
{
    size_t count = 0;
    const char *const *asked = o->where ? ras_where_fields(o->where, &count) : NULL;
    bool fine = true;
    for (size_t i = 0; fine && i < o->fields.count; i++)
        fine = list_add(fields, o->fields.items[i]);
    for (size_t i = 0; fine && o->fields.count && i < count; i++)
        fine = list_add(fields, asked[i]);
    return fine;
}

/* One pick per type, all with the same fields; one for every type when none is named. */
static struct ras_pick *make_picks(const struct list *fields, const struct list *types,
                                   size_t *count)
{
    *count = types->count ? types->count : fields->count ? 1 : 0;
    struct ras_pick *picks = calloc(*count + 1, sizeof *picks);
    for (size_t i = 0; picks && i < *count; i++)
        picks[i] = (struct ras_pick){.type = types->count ? types->items[i] : NULL,
                                     .fields = fields->items,
                                     .field_count = fields->count};
    return picks;
}

/* What is walked, and where it goes. */
struct way {
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    struct ras_export *export;
    struct answer *answer;
    struct progress progress;
    uint64_t seen, shown; /* records */
};

/* Nothing new yet: show what there is, then wait for more. */
static int wait_for_more(struct way *w, struct ras_error *err)
{
    int status = ras_export_flush(w->export, err);
    if (status < 0)
        return status;
    answer_check_reader(w->answer);
    return ras_wait(w->trace, 200, err);
}

static void tell_progress(struct way *w)
{
    uint64_t total, done = ras_passed(w->cursor, &total);
    progress_at(&w->progress, done, total);
}

/* The next record, be it waited for. */
static int next(struct way *w, const struct ras_record **r, struct ras_error *err)
{
    int status = ras_next(w->cursor, r, err);
    while (status == RAS_WAIT && !interrupted()) {
        status = wait_for_more(w, err);
        if (status >= 0)
            status = ras_next(w->cursor, r, err);
    }
    return status;
}

static int walk(const struct options *o, struct way *w, struct ras_error *err)
{
    const struct ras_record *r;
    int status = RAS_OK;
    while (!interrupted() && (!o->limit.given || w->shown < o->limit.value)) {
        bool wanted = true;
        status = next(w, &r, err);
        if (status == RAS_OK && o->where)
            status = ras_where_matches(o->where, w->cursor, r, &wanted, err);
        if (status == RAS_OK && wanted) {
            status = ras_export_record(w->export, w->cursor, r, err);
            w->shown++;
        }
        if (status != RAS_OK)
            break;
        if (++w->seen % 65536 == 0)
            tell_progress(w);
    }
    return status;
}

/* Something was asked for and is not there: the names that mean nothing, or no record. */
static int tell_nothing(const struct options *o, const char *path, struct ras_trace *t,
                        const struct way *w)
{
    int found = check_asked(path, t, &o->types, &o->fields);
    if (found == EXIT_YES && o->where)
        found = check_where(path, t, &o->types, o->where);
    bool asked = range_asked(&o->range) || o->types.count || o->where;
    if (found == EXIT_YES && asked && !w->shown) {
        remark(o->common.quiet, "%s: no record is in what was asked for", shown_path(path));
        found = EXIT_NO;
    }
    return found;
}

static int finish(const struct options *o, const char *path, const struct way *w, int status,
                  const struct ras_error *err)
{
    struct ras_trace *t = w->trace;
    if (status < 0)
        return trouble_at(path, err);
    if (interrupted()) /* whoever follows ends so; else half an answer is none */
        return o->follow ? EXIT_YES : EXIT_TROUBLE;
    if (status != RAS_END) /* the limit was reached: what lies behind is not known */
        return EXIT_YES;
    int found = tell_nothing(o, path, t, w);
    struct ras_ending ending = ras_ending(t);
    int lost = say_ending(path, t, &ending, o->common.quiet);
    return lost ? lost : found;
}

static int show_records(const struct options *o, const char *path, struct ras_trace *t,
                        const struct ras_scan *scan, struct answer *answer)
{
    struct ras_export_options how = {.fields = o->fields.count ? o->fields.items : NULL,
                                     .field_count = o->fields.count,
                                     .float_bits = o->float_bits,
                                     .color = answer->color};
    struct ras_error err;
    struct way w = {.trace = t, .answer = answer};
    const char *format = o->format ? o->format : "text";
    if (o->where && ras_where_begin(o->where, t, &err) < 0)
        return trouble("%s: --where: %s", shown_path(path), err.text);
    int status = ras_cursor_open(&w.cursor, t, scan, &err);
    if (status == RAS_OK)
        status = ras_export_open(&w.export, format, t, scan, &how, answer->sink, &err);
    progress_start(&w.progress, &o->common, "cat", answer->on_screen);
    if (status == RAS_OK)
        status = walk(o, &w, &err);
    progress_stop(&w.progress);
    struct ras_error late;
    if (ras_export_close(w.export, &late) < 0 && status >= 0) {
        status = late.status;
        err = late;
    }
    ras_cursor_close(w.cursor);
    if (ras_sink_flush(answer->sink, &late) < 0) /* no fault of the trace; closing stdout tells */
        return answer->to_file ? trouble("%s", late.text) : EXIT_TROUBLE;
    return finish(o, path, &w, status, &err);
}

static int show(void *options, const char *path, struct answer *answer)
{
    const struct options *o = options;
    bool live = o->follow || (arrives(path) && !o->merged);
    struct ras_trace *t = open_operand(&o->common, path, live);
    if (!t)
        return EXIT_TROUBLE;
    struct ras_scan scan = {.frames_only = o->depth.given && !o->depth.value,
                            .merged = o->merged,
                            .follow = o->follow,
                            .strict = o->strict,
                            .joined = o->with_detail};
    struct asked asked;
    struct list fields = {0};
    struct ras_pick *picks = NULL;
    if (asked_types(&asked, t, &o->types) && add_fields(&fields, o))
        picks = make_picks(&fields, &asked.names, &scan.pick_count);
    scan.picks = picks;
    int status = picks ? range_find(path, &o->range, t, &scan) : trouble("out of memory");
    if (!status)
        status = show_records(o, path, t, &scan, answer);
    free(picks);
    free(fields.items);
    asked_free(&asked);
    ras_close(t);
    return status;
}

static int run(void *options)
{
    struct options *o = options;
    if (o->common.json) { /* a stream of records, not one document */
        o->format = "jsonl";
        o->common.json = false;
    }
    if (o->merged && o->follow)
        return trouble("--merged wants the whole trace, --follow never has it: choose one");
    struct ras_error err;
    if (o->condition && ras_where_parse(&o->where, o->condition, &err) < 0)
        return trouble("--where: %s", err.text);
    if (o->follow || o->common.out)
        interrupts_watch();
    int status = each_operand(options, show);
    ras_where_free(o->where);
    int caught = interrupted();
    if (caught) { /* end as a program that was interrupted does */
        signal(caught, SIG_DFL);
        raise(caught);
    }
    return status;
}

static const struct option_row rows[] = {
    {"format", 'F', OPTION_TEXT, "NAME", "text (default), jsonl or csv", format_words,
     offsetof(struct options, format)},
    {"type", 't', OPTION_NAMES, "NAME", "only records of this type; may be repeated", NULL,
     offsetof(struct options, types)},
    {"fields", 0, OPTION_LIST, "A,B", "only these fields", NULL, offsetof(struct options, fields)},
    RANGE_ROWS(struct options, range),
    {"where", 'w', OPTION_TEXT, "EXPR", "only records for which this holds", NULL,
     offsetof(struct options, condition)},
    {"limit", 'n', OPTION_NUMBER, "N", "stop after N records", NULL,
     offsetof(struct options, limit)},
    {"depth", 0, OPTION_NUMBER, "N", "0: leave out records that belong to a parent", NULL,
     offsetof(struct options, depth)},
    {"merged", 0, OPTION_FLAG, NULL, "one order by time over all streams", NULL,
     offsetof(struct options, merged)},
    {"follow", 0, OPTION_FLAG, NULL, "wait for more at the end of a growing trace", NULL,
     offsetof(struct options, follow)},
    {"with-detail", 0, OPTION_FLAG, NULL, "join each event with its detail (ATF)", NULL,
     offsetof(struct options, with_detail)},
    {"float-bits", 0, OPTION_FLAG, NULL, "show floats with their bit patterns", NULL,
     offsetof(struct options, float_bits)},
    {"strict", 0, OPTION_FLAG, NULL, "stop with an error at a cut, a gap or damage", NULL,
     offsetof(struct options, strict)},
    {0},
};

const struct command cmd_cat = {
    .name = "cat",
    .alias = "dump",
    .operands = "TRACE...",
    .about = "print the records of a trace as text, JSON Lines or CSV",
    .text = "Every whole record is printed; a trace that is cut or damaged says so on standard\n"
            "error and exits 3. Ranges are half-open. A plain number on the time axis counts\n"
            "nanoseconds; 12.5ms, 3s and +250us (from the start of the trace) work too, and ISO\n"
            "8601 where the trace has a wall clock. From a pipe records are printed as they\n"
            "arrive.\n",
    .examples = "rastrum cat run.murk\n"
                "rastrum cat --format jsonl --type command --fields payload_name,coord run.murk\n"
                "rastrum cat --where 'type == \"command\" and coord[0] > 3' run.murk\n"
                "rastrum cat --from 3s --to 3.5s --merged session/\n"
                "zcat trace.gz | rastrum cat --format csv --type PollStartEvent -\n",
    .rows = rows,
    .size = sizeof(struct options),
    .run = run,
};
