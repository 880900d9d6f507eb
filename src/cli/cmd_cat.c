/* cmd_cat.c - the records of a trace.
 *
 * --header prints JSON Lines from which convert --from-jsonl rebuilds the trace: the header, every
 * record, and a last line that says how the bytes differ from those built from the records; the
 * lines are kept in memory until then. */
#include "cli/name_check.h"
#include "cli/range.h"
#include "cli/session.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cat_options {
    struct common common;
    const char *format, *condition, *time;
    struct ras_where *where; /* the condition; NULL: none */
    struct range range;
    struct list types, fields, streams;
    struct number limit, offset, depth;
    bool follow, merged, no_symbols, float_bits, strict, csv_safe, header, blobs;
};

static const char *unwanted(const struct cat_options *o)
{
    const struct {
        bool given;
        const char *name;
    } rows[] = {{o->types.count, "--type"},
                {o->fields.count, "--fields"},
                {o->streams.count, "--stream"},
                {o->condition, "--where"},
                {o->limit.given, "--limit"},
                {o->offset.given, "--offset"},
                {o->depth.given, "--depth"},
                {o->merged, "--merged"},
                {o->follow, "--follow"},
                {has_choice(&o->common, "with-detail"), "--with-detail"},
                {range_given(&o->range), "a range"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return rows[i].name;
    return NULL;
}

/* 0, or EXIT_TROUBLE after reporting options that cannot be combined. */
static int cat_lines_refuse(const struct cat_options *o)
{
    const char *other = unwanted(o);
    if (!o->header && !o->blobs)
        return 0;
    if (!o->header)
        return trouble("--blobs needs --header; --type blob_bytes prints only the bytes of blobs");
    if (!o->format || strcmp(o->format, "jsonl") != 0)
        return trouble("--header needs JSON Lines: add --json");
    if (o->common.operands.count > 1)
        return trouble("--header takes one trace");
    if (other)
        return trouble("--header prints the whole trace: omit %s, or slice the trace first", other);
    return 0;
}

static size_t add_types(struct ras_pick *picks, size_t count, const char *const *types)
{
    for (; *types; types++)
        picks[count++] = (struct ras_pick){.type = *types};
    return count;
}

static int put_records(struct ras_trace *t, bool blobs, struct ras_sink *to, struct ras_error *err)
{
    struct ras_pick picks[16] = {{0}}; /* the first pick: all default types */
    struct ras_scan scan = {.picks = picks, .pick_count = 1};
    struct ras_printer_options how = {0};
    struct ras_cursor *cursor = NULL;
    struct ras_printer *export = NULL;
    const struct ras_record *r;
    scan.pick_count = add_types(picks, scan.pick_count, ras_lines_types(t, false));
    if (blobs)
        scan.pick_count = add_types(picks, scan.pick_count, ras_lines_types(t, true));
    int status = ras_cursor_open(&cursor, t, &scan, err);
    if (status == RAS_OK)
        status = ras_printer_open(&export, "jsonl", t, &scan, &how, to, err);
    while (status == RAS_OK && (status = ras_next(cursor, &r, err)) == RAS_OK)
        status = ras_printer_record(export, cursor, r, err);
    struct ras_error late;
    if (ras_printer_close(export, &late) < 0 && status >= 0) {
        status = late.status;
        *err = late;
    }
    ras_cursor_close(cursor);
    return status == RAS_END ? RAS_OK : status;
}

/* Print the whole trace so that it can be rebuilt; returns the exit status. */
static int cat_lines(const struct cat_options *o, const char *path, struct ras_trace *t,
                     struct answer *answer)
{
    struct ras_sink *lines;
    struct ras_error err;
    if (ras_sink_memory(&lines, &err) < 0)
        return trouble_with(&err);
    int status = ras_lines_header(t, lines, &err);
    if (status == RAS_OK)
        status = put_records(t, o->blobs, lines, &err);
    struct ras_bytes all = ras_sink_bytes(lines);
    if (status == RAS_OK)
        status = ras_sink_write(answer->sink, all.at, all.len, &err);
    if (status == RAS_OK)
        status = ras_lines_exact(t, all, answer->sink, &err);
    ras_sink_drop(lines);
    struct ras_ending ending = ras_ending(t);
    return status < 0 ? trouble_at(path, &err) : say_ending(path, t, &ending, o->common.quiet);
}

/* ---- the walk ------------------------------------------------------------------- */

/* The decoded fields: those that are printed and those that the condition uses. */
static bool add_fields(struct list *fields, const struct cat_options *o)
{
    size_t count = 0;
    const char *const *tested = o->where ? ras_where_fields(o->where, &count) : NULL;
    bool fine = true;
    for (size_t i = 0; fine && i < o->fields.count; i++)
        fine = list_add(fields, o->fields.items[i]);
    for (size_t i = 0; fine && o->fields.count && i < count; i++)
        fine = list_add(fields, tested[i]);
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

/* The state of the walk and its output. */
struct cat_walk {
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    struct ras_printer *export;
    struct answer *answer;
    struct progress progress;
    uint64_t seen, skipped, shown; /* records */
    bool settled;                  /* the given names have been checked */
    const char *followed;          /* a file that may be replaced; NULL: none */
    struct stat was;
};

/* What is open is followed to its end by whoever writes it; its name may be that of another file by
 * now, as of a log that is rotated. */
static void tell_if_replaced(struct cat_walk *w)
{
    struct stat now;
    bool there = w->followed && stat(w->followed, &now) == 0;
    if (!w->followed || (there && now.st_dev == w->was.st_dev && now.st_ino == w->was.st_ino))
        return;
    remark(false, "%s: %s while it was followed: only the file that was opened is shown",
           shown_path(w->followed), there ? "replaced by another file" : "removed");
    w->followed = NULL;
}

/* No new record yet: flush the output, then wait for more. */
static int wait_for_more(struct cat_walk *w, struct ras_error *err)
{
    int status = ras_printer_flush(w->export, err);
    if (status < 0)
        return status;
    answer_check_reader(w->answer);
    tell_if_replaced(w);
    return ras_wait(w->trace, 200, err);
}

static void report_progress(struct cat_walk *w)
{
    uint64_t total, done = ras_cursor_progress(w->cursor, &total);
    progress_at(&w->progress, done, total);
}

/* The next record; waits for it with --follow. */
static int next(struct cat_walk *w, const struct ras_record **r, struct ras_error *err)
{
    int status = ras_next(w->cursor, r, err);
    while (status == RAS_WAIT && !interrupted()) {
        status = wait_for_more(w, err);
        if (status >= 0)
            status = ras_next(w->cursor, r, err);
    }
    return status;
}

static int walk(const struct cat_options *o, struct cat_walk *w, struct ras_error *err)
{
    const struct ras_record *r;
    int status = RAS_OK;
    while (!interrupted() && (!o->limit.given || w->shown < o->limit.value)) {
        bool wanted = true;
        status = next(w, &r, err);
        if (status == RAS_OK && o->where)
            status = ras_where_matches(o->where, w->cursor, r, &wanted, err);
        if (status == RAS_OK && wanted && w->skipped < o->offset.value) {
            w->skipped++;
        } else if (status == RAS_OK && wanted) {
            status = ras_printer_record(w->export, w->cursor, r, err);
            w->shown++;
        }
        if (status != RAS_OK)
            break;
        if (++w->seen % 65536 == 0)
            report_progress(w);
    }
    return status;
}

/* No record matches: report unknown names, or that there is none. Without a match of a condition
 * the answer is no; a range or a type may well be empty. */
static int cat_report_none(const struct cat_options *o, const char *path, struct ras_trace *t,
                           const struct cat_walk *w)
{
    const struct given_names names = {&o->types, &o->fields, o->where};
    int found = w->settled ? EXIT_YES : check_names(path, t, &names, o->common.quiet);
    bool selects = range_given(&o->range) || o->types.count || o->streams.count || o->where;
    if (found == EXIT_YES && selects && !w->shown && !w->skipped) {
        remark(o->common.quiet, "%s: no records match", shown_path(path));
        found = o->where ? EXIT_NO : EXIT_YES;
    }
    return found;
}

static int cat_finish(const struct cat_options *o, const char *path, const struct cat_walk *w,
                      int status, const struct ras_error *err)
{
    struct ras_trace *t = w->trace;
    if (status < 0)
        return trouble_at(path, err);
    if (interrupted()) /* --follow normally ends by a signal; otherwise a partial output is an error
                        */
        return o->follow ? EXIT_YES : EXIT_TROUBLE;
    struct ras_ending ending = {0};
    if (status != RAS_END) /* the limit was reached: the ending is not known */
        return say_ending(path, t, &ending, o->common.quiet);
    int found = cat_report_none(o, path, t, w);
    ending = ras_ending(t);
    int lost = say_ending(path, t, &ending, o->common.quiet);
    return lost ? lost : found;
}

static int show_records(const struct cat_options *o, const char *path, struct ras_trace *t,
                        const struct ras_scan *scan, bool live, struct answer *answer)
{
    struct ras_printer_options how = {.fields = o->fields.count ? o->fields.items : NULL,
                                      .field_count = o->fields.count,
                                      .float_bits = o->float_bits,
                                      .color = answer->color,
                                      .symbols = !o->no_symbols && !o->follow && !arrives(path),
                                      .to_terminal = answer->on_terminal,
                                      .csv_safe = o->csv_safe};
    struct ras_error err;
    struct cat_walk w = {.trace = t, .answer = answer, .settled = !live};
    if (time_find(path, o->time, RAS_TIME_RAW, t, &how.time))
        return EXIT_TROUBLE;
    const char *format = o->format ? o->format : "text";
    if (o->common.operands.count > 1)
        how.label = shown_path(path);
    if (o->where && ras_where_begin(o->where, t, &err) < 0)
        return trouble("%s: --where: %s", shown_path(path), text_of(&err));
    if (o->follow && !o->common.quiet && stat(path, &w.was) == 0 && S_ISREG(w.was.st_mode))
        w.followed = path;
    int status = ras_cursor_open(&w.cursor, t, scan, &err);
    if (status == RAS_OK)
        status = ras_printer_open(&w.export, format, t, scan, &how, answer->sink, &err);
    progress_start(&w.progress, &o->common, "cat", answer->on_screen);
    if (status == RAS_OK)
        status = walk(o, &w, &err);
    progress_stop(&w.progress);
    struct ras_error late;
    if (ras_printer_close(w.export, &late) < 0 && status >= 0) {
        status = late.status;
        err = late;
    }
    ras_cursor_close(w.cursor);
    if (ras_sink_flush(answer->sink, &late) <
        0) /* not an error of the trace; closing stdout reports it */
        return answer->to_file ? trouble("%s", late.text) : EXIT_TROUBLE;
    return cat_finish(o, path, &w, status, &err);
}

/* The columns of CSV are the fields of the requested types. */
static bool has_columns_of_types(const struct cat_options *o)
{
    return o->format && !strcmp(o->format, "csv") && o->types.count && !o->fields.count;
}

static bool may_be_several(const struct list *types)
{
    return types->count > 1 || (types->count && strpbrk(types->items[0], ",*?["));
}

/* Unknown names are an error before anything is printed; the types of a pipe are not known yet. */
static int check_before(const struct cat_options *o, const char *path, struct ras_trace *t,
                        bool live)
{
    const struct given_names names = {&o->types, &o->fields, o->where};
    if (live)
        return EXIT_YES;
    bool all = has_columns_of_types(o) && ras_format_of(t)->defines_types;
    int status = learn_names(path, t, &names, &o->common, all);
    return status ? status : check_names(path, t, &names, o->common.quiet);
}

static int show_picked(const struct cat_options *o, const char *path, struct ras_trace *t,
                       bool live, struct answer *answer)
{
    struct ras_scan scan = {.frames_only = o->depth.given && !o->depth.value,
                            .merged = o->merged,
                            .follow = o->follow,
                            .strict = o->strict,
                            .by_index = !o->condition || !strstr(o->condition, "seq"),
                            .choices = o->common.choices,
                            .choice_count = o->common.choice_count};
    struct type_names types;
    struct list fields = {0};
    struct ras_pick *picks = NULL;
    if (names_of_types(&types, t, &o->types) && add_fields(&fields, o))
        picks = make_picks(&fields, &types.names, &scan.pick_count);
    uint32_t *streams = calloc(o->streams.count + 1, sizeof *streams);
    scan.picks = picks;
    scan.streams = streams;
    scan.stream_count = o->streams.count;
    int status =
        picks && streams ? range_find(path, &o->range, t, &scan) : trouble("out of memory");
    if (!status)
        status = find_streams(path, t, &o->streams, live, streams);
    if (!status)
        status = show_records(o, path, t, &scan, live, answer);
    free(streams);
    free(picks);
    free(fields.items);
    names_free(&types);
    return status;
}

/* The first time of a pipe is known only when all of it has arrived. */
static bool counts_from_first(const struct cat_options *o)
{
    return range_relative(&o->range) || (o->time && !strcmp(o->time, "relative")) ||
           (o->condition && strchr(o->condition, '+'));
}

/* Print the requested records of one trace; `options` is a struct cat_options. Returns the exit
 * status. */
static int cat_show(void *options, const char *path, struct answer *answer)
{
    const struct cat_options *o = options;
    bool whole = o->merged || o->header || counts_from_first(o) || /* only then it is known */
                 (has_columns_of_types(o) && may_be_several(&o->types));
    bool live = o->follow || (arrives(path) && !whole);
    struct ras_trace *t = open_operand(&o->common, path, live);
    if (!t)
        return EXIT_TROUBLE;
    if (o->header) {
        int done = cat_lines(o, path, t, answer);
        ras_close(t);
        return done;
    }
    int status = check_before(o, path, t, live);
    if (!status)
        status = show_picked(o, path, t, live, answer);
    ras_close(t);
    return status;
}

static const char *const format_words[] = {"text", "jsonl", "csv", NULL};

static int cat_run(void *options)
{
    struct cat_options *o = options;
    if (o->common.json) { /* a stream of records, not one document */
        o->format = "jsonl";
        o->common.json = false;
    }
    if (o->time && o->format && strcmp(o->format, "text") != 0)
        return trouble("--time applies to text; %s has nanoseconds", o->format);
    if (o->merged && o->follow)
        return trouble("--merged and --follow cannot be combined");
    if (cat_lines_refuse(o))
        return EXIT_TROUBLE;
    struct ras_error err;
    if (o->condition && ras_where_parse(&o->where, o->condition, &err) < 0)
        return trouble("--where: %s", text_of(&err));
    if (o->follow || o->common.out)
        interrupts_watch();
    int status = each_operand(options, cat_show);
    ras_where_free(o->where);
    end_if_interrupted();
    return status;
}

static const struct option_row rows[] = {
    {"format", 'F', OPTION_TEXT, "NAME", "text (default), jsonl or csv", format_words,
     offsetof(struct cat_options, format)},
    {"type", 't', OPTION_NAMES, "NAME", "only records of this type; may be repeated", NULL,
     offsetof(struct cat_options, types)},
    {"fields", 0, OPTION_LIST, "A,B", "only these fields", NULL,
     offsetof(struct cat_options, fields)},
    {"stream", 0, OPTION_LIST, "ID", "only this stream, by number or name; may be repeated", NULL,
     offsetof(struct cat_options, streams)},
    RANGE_ROWS(struct cat_options, range),
    TIME_ROW(struct cat_options, time),
    {"where", 'w', OPTION_TEXT, "EXPR", "only records that match this condition", NULL,
     offsetof(struct cat_options, condition)},
    {"limit", 'n', OPTION_NUMBER, "N", "stop after N records", NULL,
     offsetof(struct cat_options, limit)},
    {"all", 0, OPTION_ALL, NULL, "print all records (default)", NULL,
     offsetof(struct cat_options, limit)},
    {"offset", 0, OPTION_NUMBER, "N", "leave out the first N records that match", NULL,
     offsetof(struct cat_options, offset)},
    {"depth", 0, OPTION_NUMBER, "N", "0: leave out nested records", NULL,
     offsetof(struct cat_options, depth)},
    {"merged", 0, OPTION_FLAG, NULL, "merge all streams in the order of time", NULL,
     offsetof(struct cat_options, merged)},
    {"follow", 0, OPTION_FLAG, NULL, "wait for more at the end of a growing trace", NULL,
     offsetof(struct cat_options, follow)},
    {"no-symbols", 0, OPTION_FLAG, NULL, "text: show stacks as addresses, not as names", NULL,
     offsetof(struct cat_options, no_symbols)},
    {"float-bits", 0, OPTION_FLAG, NULL, "show floats with their bit patterns", NULL,
     offsetof(struct cat_options, float_bits)},
    {"csv-safe", 0, OPTION_FLAG, NULL, "put ' before CSV text that a spreadsheet would evaluate",
     NULL, offsetof(struct cat_options, csv_safe)},
    {"header", 0, OPTION_FLAG, NULL, "JSON Lines that convert --from-jsonl rebuilds byte for byte",
     NULL, offsetof(struct cat_options, header)},
    {"blobs", 0, OPTION_FLAG, NULL, "JSON Lines with the bytes of blobs (AeroGPU)", NULL,
     offsetof(struct cat_options, blobs)},
    {"strict", 0, OPTION_FLAG, NULL, "stop with an error at a cut, a gap or damage", NULL,
     offsetof(struct cat_options, strict)},
    {0},
};

const struct command cmd_cat = {
    .name = "cat",
    .alias = "dump",
    .operands = "TRACE...",
    .about = "print the records of a trace as text, JSON Lines or CSV",
    .text =
        "Prints every complete record. If a trace is cut or damaged, a message on standard\n"
        "error says where and the exit status is 3. Ranges are half-open. A plain number on\n"
        "the time axis is in nanoseconds; 12.5ms, 3s and +250us (from the start of the trace)\n"
        "work too, and ISO 8601 if the trace has a wall clock. Records from a pipe are printed\n"
        "as they arrive.\n",
    .examples = "rastrum cat run.murk\n"
                "rastrum cat --format jsonl --type command --fields payload_name,coord run.murk\n"
                "rastrum cat --where 'type == \"command\" and coord[0] > 3' run.murk\n"
                "rastrum cat --from 3s --to 3.5s --merged session/\n"
                "zcat trace.gz | rastrum cat --format csv --type PollStartEvent -\n",
    .exits = "0 printed; 1 no record matches --where; 2 error; 3 printed, but a trace is cut\n"
             "or damaged",
    .rows = rows,
    .size = sizeof(struct cat_options),
    .reads = true,
    .run = cat_run,
};
