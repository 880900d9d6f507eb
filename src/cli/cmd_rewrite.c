/* cmd_rewrite.c - the verbs that write a trace from others: slice, merge and convert. */
#include "cli/name_check.h"
#include "cli/range.h"
#include "cli/rewrite_output.h"
#include "cli/session.h"
#include "cli/host.h"
#include <rastrum/replay.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPES_LISTED = 5 };

int output_refuse(const struct common *common, const char *what)
{
    const char *out = common->out;
    if (!out)
        return trouble("missing -o FILE for the %s", what);
    if (strcmp(out, "-") != 0)
        return 0;
    if (isatty(STDOUT_FILENO))
        return trouble("a trace is binary and standard output is a terminal: use -o FILE");
    if (common->json)
        return trouble("the trace and the report cannot both go to standard output");
    return 0;
}

/* Whether an error names this file, and so is about it. */
static bool names(const struct ras_error *err, const char *path)
{
    size_t len = path ? strlen(path) : 0;
    return len && !strncmp(err->text, path, len) && strchr(": /", err->text[len]);
}

int output_trouble(const struct common *common, const struct ras_error *err)
{
    const char *in = common->operands.items[0];
    return names(err, common->out) || names(err, in) ? trouble_with(err) : trouble_at(in, err);
}

/* Open every operand. 0, or EXIT_TROUBLE after saying why. */
static int rewrite_open(struct rewrite *w, const struct common *common)
{
    const struct list *paths = &common->operands;
    w->common = common;
    if (!paths->count)
        return trouble("missing trace: name a file, a directory, or - for standard input");
    w->traces = calloc(paths->count, sizeof(struct ras_trace *));
    if (!w->traces)
        return trouble("out of memory");
    for (; w->count < paths->count; w->count++) {
        w->traces[w->count] = open_operand(common, paths->items[w->count], false);
        if (!w->traces[w->count])
            return EXIT_TROUBLE;
    }
    return 0;
}

static void rewrite_close(struct rewrite *w)
{
    for (size_t i = 0; i < w->count; i++)
        ras_close(w->traces[i]);
    free((void *)w->traces);
}

static uint64_t sum_of(const struct ras_count *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i].records;
    return sum;
}

static void rewrite_put_counts(struct answer *a, const struct ras_count *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        answer_format(a, i ? ", " : "");
        answer_count(a, &counts[i]);
    }
}

/* Traces of other formats that were copied with it. */
static void rewrite_put_carried(struct answer *a, const struct ras_rewritten *r)
{
    for (size_t i = 0; i < r->carried_count && i < TYPES_LISTED; i++) {
        answer_format(a, "  beside    ");
        answer_text(a, r->carried[i].name, strlen(r->carried[i].name));
        answer_format(a, ": %s, %s\n", r->carried[i].format,
                      ras_counted(r->carried[i].records, "record").text);
    }
    if (r->carried_count > TYPES_LISTED)
        answer_format(a, "            and %zu more: --json has them all\n",
                      r->carried_count - TYPES_LISTED);
}

/* A few types are listed; many would fill the screen and need --verbose. */
static void rewrite_put_text(const struct common *common, bool verbose, struct answer *a,
                             const struct ras_rewritten *r)
{
    uint64_t needed = sum_of(r->companions, r->companion_count);
    answer_path(a, common->out, "");
    answer_format(a, ": %s, ", r->target);
    if (!r->kept_count)
        answer_format(a, "no records");
    else if (verbose || r->kept_count <= TYPES_LISTED)
        rewrite_put_counts(a, r->kept, r->kept_count);
    else
        answer_format(a, "%s of %s (-v lists them)",
                      ras_counted(sum_of(r->kept, r->kept_count), "record").text,
                      ras_counted(r->kept_count, "type").text);
    if (needed)
        answer_format(a, "; with what they need: ");
    rewrite_put_counts(a, r->companions, r->companion_count);
    answer_format(a, "\n");
    rewrite_put_carried(a, r);
    answer_notes(a, r->notes, r->note_count);
}

/* Totals of every source, to report the records that were left out. */
static int rewrite_put_json(const struct rewrite *w, struct answer *a,
                            const struct ras_rewritten *r)
{
    struct ras_info **totals = calloc(w->count, sizeof(struct ras_info *));
    struct ras_error err;
    int status = totals ? RAS_OK : RAS_EMEMORY;
    size_t n = 0;
    for (; status == RAS_OK && n < w->count; n++)
        status = ras_info(&totals[n], w->traces[n], NULL, NULL, &err);
    if (status == RAS_OK)
        status = ras_rewritten_json(a->sink, w->common->operands.items, w->traces, w->count, totals,
                                    r, &err);
    for (size_t i = 0; totals && i < n; i++)
        ras_info_free(totals[i]);
    free((void *)totals);
    return status == RAS_OK
               ? EXIT_YES
               : trouble("%s", status == RAS_EMEMORY ? "out of memory" : text_of(&err));
}

/* The format has no empty trace: nothing is written. Damage is reported as the cause, if any. */
static int rewrite_report_none(const struct rewrite *w)
{
    const char *const *paths = w->common->operands.items;
    for (size_t i = 0; i < w->count; i++) {
        struct ras_ending e = ras_ending(w->traces[i]);
        const char *part = ras_part_name(w->traces[i], e.part);
        if (e.kind > RAS_UNSEALED)
            return trouble("%s%s%s: offset %" PRIu64 ": %s: %s; nothing is written",
                           shown_path(paths[i]), slash_between(paths[i], part), part, e.offset,
                           ras_ending_name(e.kind), e.why);
    }
    trouble(w->selects ? "%s: no records match; nothing is written"
                       : "%s: no record could be copied; nothing is written",
            shown_path(paths[0]));
    return EXIT_NO;
}

/* Report lost and made-up data in the output: EXIT_LOSS, or EXIT_YES if there is none. */
static int rewrite_loss(const char *path, const struct ras_rewritten *r)
{
    if (r->made_up_bytes)
        trouble("%s: %" PRIu64 " byte%s of data %s not given: zeros stand for %s", shown_path(path),
                r->made_up_bytes, r->made_up_bytes == 1 ? "" : "s",
                r->made_up_bytes == 1 ? "was" : "were", r->made_up_bytes == 1 ? "it" : "them");
    if (r->lost_records)
        trouble("%s: %" PRIu64 " record%s %s lost, for which %s has no place", shown_path(path),
                r->lost_records, r->lost_records == 1 ? "" : "s",
                r->lost_records == 1 ? "is" : "are", r->target);
    return r->made_up_bytes || r->lost_records ? EXIT_LOSS : EXIT_YES;
}

static int rewrite_report(const struct rewrite *w, struct answer *a, const struct ras_rewritten *r)
{
    const char *path = w->common->operands.items[r->ending_source];
    int status = EXIT_YES;
    if (w->common->json)
        status = rewrite_put_json(w, a, r);
    else if (!w->how.sink)
        rewrite_put_text(w->common, w->verbose, a, r);
    answer_flush(a);
    const struct ras_trace *trace = w->traces[r->ending_source];
    int lost = r->carried_left ? say_ending(path, trace, &r->ending, w->common->quiet)
                               : say_end(path, trace, &r->ending, w->common->quiet);
    if (!status)
        status = lost;
    int dropped = rewrite_loss(path, r);
    if (!status)
        status = dropped;
    if (!status && w->selects && !r->kept_count && !r->carried_count) {
        trouble("%s: no records match", shown_path(path));
        status = EXIT_NO;
    }
    return status;
}

/* Report the records kept of a trace that was built; returns the exit status. */
static int rewrite_report_built(const struct common *common, bool verbose, struct answer *a,
                                const struct ras_rewritten *r)
{
    struct ras_error err;
    if (!common->json)
        rewrite_put_text(common, verbose, a, r);
    else if (ras_rewritten_json(a->sink, common->operands.items, NULL, 1, NULL, r, &err) < 0)
        return trouble_with(&err);
    return EXIT_YES;
}

/* Rewrite, report the records kept, close; returns the exit status. */
static int rewrite_run(struct rewrite *w)
{
    struct common common = *w->common;
    struct answer answer;
    bool to_stream = !strcmp(common.out, "-");
    if (!to_stream)
        common.out = NULL; /* the trace goes there; the report to standard output */
    int status = answer_open(&answer, &common);
    if (status)
        return status;
    if (to_stream)
        w->how.sink = answer.sink;
    else
        w->how.path = w->common->out;
    struct progress progress;
    struct ras_rewritten *r;
    struct ras_error err;
    w->how.replace = w->common->force;
    w->how.progress = progress_at;
    w->how.user = &progress;
    progress_start(&progress, w->common, "write", to_stream && answer.on_screen);
    status = ras_rewrite(&r, w->traces, w->count, &w->how, &err);
    progress_stop(&progress);
    if (status < 0)
        return answer_close(&answer, output_trouble(w->common, &err));
    if (status == RAS_END)
        return answer_close(&answer, rewrite_report_none(w));
    status = rewrite_report(w, &answer, r);
    ras_rewritten_free(r);
    return answer_close(&answer, status);
}

struct slice_options {
    struct common common;
    struct range range;
    struct list types, streams;
    bool with_state, bare, verbose;
};

/* ---- the world before it ----------------------------------------------------------------- */

static int save_world(const struct slice_options *o, struct ras_trace *t, uint64_t first)
{
    const char *path = o->common.operands.items[0];
    const struct ras_replay_options replaying = {.worlds = ras_worlds()};
    struct ras_replay *r = NULL;
    struct ras_sink *sink;
    struct ras_error err;
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s.state", o->common.out) >= (int)sizeof name)
        return trouble("%s: the path is too long", o->common.out);
    if (ras_sink_file(&sink, name, o->common.force, &err) < 0)
        return trouble_with(&err);
    int status = 0;
    if (ras_replay_save(&r, t, first, &replaying, sink, &err) < 0)
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

/* The first tick that is kept; RAS_NONE: it is the world's first tick, or there is none. */
static int keep_world(const struct slice_options *o, struct ras_trace *t,
                      const struct ras_scan *scan)
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
    const struct slice_options *o = options;
    struct rewrite w = {.selects = range_given(&o->range) || o->types.count || o->streams.count,
                        .verbose = o->verbose};
    struct ras_scan scan = {0};
    if (o->common.operands.count != 1)
        return trouble("slice takes one trace");
    int status = output_refuse(&o->common, "slice");
    if (status)
        return status;
    uint32_t *ids = calloc(o->streams.count + 1, sizeof *ids);
    status = ids ? rewrite_open(&w, &o->common) : trouble("out of memory");
    if (!status)
        status = range_find(o->common.operands.items[0], &o->range, w.traces[0], &scan);
    const struct given_names names = {.types = &o->types};
    if (!status)
        status = learn_names(o->common.operands.items[0], w.traces[0], &names, &o->common, false);
    if (!status)
        status = check_names(o->common.operands.items[0], w.traces[0], &names, o->common.quiet);
    if (!status)
        status = find_streams(o->common.operands.items[0], w.traces[0], &o->streams, false, ids);
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
        status = rewrite_run(&w);
    rewrite_close(&w);
    free(ids);
    return status;
}

static const struct option_row slice_rows[] = {
    RANGE_ROWS(struct slice_options, range),
    {"type", 't', OPTION_LIST, "NAME", "only records of this type; may be repeated", NULL,
     offsetof(struct slice_options, types)},
    {"stream", 0, OPTION_LIST, "ID", "only this stream, by number or name; may be repeated", NULL,
     offsetof(struct slice_options, streams)},
    {"with-state", 0, OPTION_FLAG, NULL,
     "Murk: also write the state before the slice, to OUT.state", NULL,
     offsetof(struct slice_options, with_state)},
    {"bare", 0, OPTION_FLAG, NULL, "only the requested records, not those that they need", NULL,
     offsetof(struct slice_options, bare)},
    VERBOSE_ROW(struct slice_options, verbose),
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
    .rows = slice_rows,
    .size = sizeof(struct slice_options),
    .reads = true,
    .run = slice_run,
};

struct merge_options {
    struct common common;
    bool interleave, verbose;
};

static int merge_run(void *options)
{
    const struct merge_options *o = options;
    struct rewrite w = {.how = {.interleave = o->interleave}, .verbose = o->verbose};
    int status = output_refuse(&o->common, "merged trace");
    if (status)
        return status;
    status = rewrite_open(&w, &o->common);
    if (!status)
        status = rewrite_run(&w);
    rewrite_close(&w);
    return status;
}

static const struct option_row merge_rows[] = {
    {"interleave", 0, OPTION_FLAG, NULL, "dial9: merge into one batch, in the order of time", NULL,
     offsetof(struct merge_options, interleave)},
    VERBOSE_ROW(struct merge_options, verbose),
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
    .rows = merge_rows,
    .size = sizeof(struct merge_options),
    .reads = true,
    .run = merge_run,
};

struct convert_options {
    struct common common;
    const char *to;
    bool from_jsonl, compress, decompress, verbose;
};

/* Standard input is read twice: a pipe is copied to a file first. */
static int keep_input(void)
{
    char piece[65536];
    ssize_t n = 0;
    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return 0;
    FILE *kept = tmpfile();
    while (kept && (n = read(STDIN_FILENO, piece, sizeof piece)) > 0)
        if (fwrite(piece, 1, (size_t)n, kept) != (size_t)n)
            break;
    int status = 0;
    if (!kept || n || fflush(kept) || fseek(kept, 0, SEEK_SET) ||
        dup2(fileno(kept), STDIN_FILENO) < 0)
        status = trouble("standard input: %s", strerror(errno));
    if (kept)
        fclose(kept);
    return status;
}

/* Input that can be read only once is copied too: a named pipe, or <(...) of a shell. */
static int take_pipe(struct common *common)
{
    struct stat st;
    const char *path = common->operands.items[0];
    if (!strcmp(path, "-") || stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return trouble("%s: %s", shown_path(path), strerror(errno));
    close(fd);
    common->operands.items[0] = "-";
    return 0;
}

/* A version that cannot be read is first upgraded to the next version. */
static int upgrade(const struct convert_options *o, const char *path, struct ras_sink **bytes,
                   uint64_t *lost)
{
    struct ras_trace *t;
    struct ras_error err, why;
    const struct ras_options how = {.format = o->common.input_format, .debug = debug_options()};
    const char *name = strcmp(path, "-") ? path : "/dev/stdin";
    *bytes = NULL;
    if (name != path && keep_input())
        return EXIT_TROUBLE;
    int status = ras_open(&t, name, &how, &err);
    ras_close(t);
    if (status != RAS_EVERSION)
        return 0; /* other errors are reported when it is opened */
    if (ras_sink_memory(bytes, &why) < 0)
        return trouble("%s", why.text);
    uint64_t from;
    status = ras_upgrade(name, *bytes, &from, lost, &why);
    if (status == RAS_OK && *lost)
        trouble("%s: offset %" PRIu64 ": cut: the last %" PRIu64 " bytes are not a complete frame",
                shown_path(path), from, *lost);
    if (status == RAS_OK)
        return 0;
    ras_sink_drop(*bytes);
    *bytes = NULL;
    return trouble_at(path, status == RAS_EUNSUPPORTED ? &err : &why);
}

static int open_upgraded(struct rewrite *w, const struct convert_options *o, struct ras_sink *bytes)
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

/* ---- from JSON Lines ------------------------------------------------------------------ */

static bool convert_read_all(FILE *file, struct ras_sink *to)
{
    char piece[65536];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        if (ras_sink_write(to, piece, n, NULL) < 0)
            return false;
    return !ferror(file);
}

/* The format is named by --to, by --input-format, or by the file's extension. */
static const char *format_named(const struct convert_options *o, const char **dialect)
{
    const struct ras_format_about *f;
    const char *out = o->common.out, *dot = strrchr(out, '.');
    *dialect = o->common.dialect ? o->common.dialect : o->to;
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        if (o->to && !strcmp(o->to, f->name)) {
            *dialect = o->common.dialect;
            return f->name;
        }
    if (o->common.input_format)
        return o->common.input_format;
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        for (size_t k = 0; dot && f->extensions[k]; k++)
            if (!strcmp(dot, f->extensions[k]))
                return f->name;
    return NULL;
}

static int build(const struct convert_options *o, struct ras_bytes text, struct answer *answer)
{
    struct ras_build_options how = {.replace = o->common.force};
    struct ras_rewritten *r;
    struct ras_error err;
    how.format = format_named(o, &how.dialect);
    if (strcmp(o->common.out, "-") != 0)
        how.path = o->common.out;
    else
        how.sink = answer->sink;
    struct progress progress;
    progress_start(&progress, &o->common, "convert", how.sink && answer->on_screen);
    how.progress = progress_at;
    how.user = &progress;
    int built = ras_build(&r, text, &how, &err);
    progress_stop(&progress);
    if (built < 0)
        return output_trouble(&o->common, &err);
    int status = how.sink ? EXIT_YES : rewrite_report_built(&o->common, o->verbose, answer, r);
    int lost = rewrite_loss(o->common.operands.items[0], r);
    status = status ? status : lost;
    ras_rewritten_free(r);
    return status;
}

static int convert_lines(const struct convert_options *o)
{
    const char *path = o->common.operands.items[0];
    struct common common = o->common;
    struct answer answer;
    struct ras_sink *text;
    struct ras_error err;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!file)
        return trouble("%s: %s", path, strerror(errno));
    if (ras_sink_memory(&text, &err) < 0)
        return trouble_with(&err);
    bool whole = convert_read_all(file, text);
    if (file != stdin)
        fclose(file);
    if (strcmp(common.out, "-") != 0)
        common.out = NULL;
    int status =
        whole ? answer_open(&answer, &common) : trouble("%s: cannot be read", shown_path(path));
    if (!status)
        status = answer_close(&answer, build(o, ras_sink_bytes(text), &answer));
    ras_sink_drop(text);
    return status;
}

/* ---- compression ----------------------------------------------------------------------- */

static void repack_put_json(struct answer *a, const struct common *common,
                            const struct ras_repacked *done)
{
    struct ras_json *j = answer_json(a);
    ras_json_object(j, NULL);
    ras_json_text(j, "trace", common->out);
    ras_json_uint(j, "files", done->files);
    ras_json_uint(j, "bytes", done->bytes);
    ras_json_uint(j, "stored_bytes", done->stored_bytes);
    ras_json_uint(j, "lost_files", done->lost_files);
    ras_json_end(j);
    ras_json_newline(j);
}

static int repack_report(const struct common *c, const struct ras_repacked *done)
{
    struct answer answer;
    struct common common = *c;
    common.out = NULL;
    int status = answer_open(&answer, &common);
    if (status)
        return status;
    if (c->json) {
        repack_put_json(&answer, c, done);
    } else {
        answer_path(&answer, c->out, "");
        answer_format(&answer, ": %s of %s, stored as %" PRIu64 "\n",
                      ras_counted(done->files, "file").text, ras_counted(done->bytes, "byte").text,
                      done->stored_bytes);
    }
    status = answer_close(&answer, 0);
    if (done->lost_files)
        trouble("%s: the compression of %s is cut or damaged: what follows is lost",
                shown_path(c->operands.items[0]), ras_counted(done->lost_files, "file").text);
    return !status && done->lost_files ? EXIT_LOSS : status;
}

/* The bytes stay the same: nothing is converted. */
static int convert_repack(const struct convert_options *o)
{
    const struct common *c = &o->common;
    struct ras_repacked done;
    struct ras_error err;
    if (o->to || o->from_jsonl || (o->compress && o->decompress))
        return trouble("--compress and --decompress copy a trace as it is: neither can be combined "
                       "with the other, --to or --from-jsonl");
    if (!strcmp(c->out, "-"))
        return trouble("--compress and --decompress need -o with a name");
    struct ras_trace *t = open_operand(c, c->operands.items[0], false);
    if (!t)
        return EXIT_TROUBLE;
    struct progress progress;
    progress_start(&progress, c, "write", false);
    const struct ras_repack_options how = {.decompress = o->decompress,
                                           .path = c->out,
                                           .replace = c->force,
                                           .progress = progress_at,
                                           .user = &progress};
    int status = ras_repack(&done, t, &how, &err);
    progress_stop(&progress);
    ras_close(t);
    return status < 0 ? output_trouble(c, &err) : repack_report(c, &done);
}

static int convert_run(void *options)
{
    struct convert_options *o = options;
    struct rewrite w = {.verbose = o->verbose};
    struct ras_sink *bytes;
    uint64_t lost = 0;
    if (o->common.operands.count != 1)
        return trouble("convert takes one trace");
    int status = output_refuse(&o->common, "converted trace");
    if (!status && (o->compress || o->decompress))
        return convert_repack(o);
    if (!status && o->from_jsonl)
        return convert_lines(o);
    if (!status)
        status = take_pipe(&o->common);
    if (!status)
        status = upgrade(o, o->common.operands.items[0], &bytes, &lost);
    if (status)
        return status;
    status = bytes ? open_upgraded(&w, o, bytes) : rewrite_open(&w, &o->common);
    w.how = (struct ras_rewrite_options){.target = o->to, .newest = !o->to};
    if (!status)
        status = rewrite_run(&w);
    rewrite_close(&w);
    ras_sink_drop(bytes);
    return !status && lost ? EXIT_LOSS : status;
}

static const struct option_row convert_rows[] = {
    {"to", 0, OPTION_TEXT, "NAME", "dialect or version to write (default: the newest)", NULL,
     offsetof(struct convert_options, to)},
    {"from-jsonl", 0, OPTION_FLAG, NULL, "read records as JSON Lines, as printed by cat", NULL,
     offsetof(struct convert_options, from_jsonl)},
    {"compress", 0, OPTION_FLAG, NULL, "copy the trace as it is, its files as seekable zstd", NULL,
     offsetof(struct convert_options, compress)},
    {"decompress", 0, OPTION_FLAG, NULL, "copy the trace as it is, its files not compressed", NULL,
     offsetof(struct convert_options, decompress)},
    VERBOSE_ROW(struct convert_options, verbose),
    {0},
};

const struct command cmd_convert = {
    .name = "convert",
    .operands = "TRACE",
    .about = "write a trace in another dialect or version",
    .text =
        "Converts Murk v1 and v2 to v3, AeroGPU v1 to v2, CDT between zig style and python\n"
        "style, dial9 from full to seed, ATF from the production layout to that of the\n"
        "specification. Data that the target cannot hold is reported.\n\n"
        "With --from-jsonl a trace is built from records as printed by cat --format jsonl, or\n"
        "typed by hand; --to names the format, unless the extension of the output or the\n"
        "records do.\n\n"
        "--compress and --decompress change no byte of a trace, only how its files are stored:\n"
        "as record --compress does, or plainly. Every verb reads both.\n",
    .examples = "rastrum convert old.murk -o new.murk\n"
                "rastrum convert --to seed trace.bin -o plain.trc\n"
                "rastrum convert --compress demo.calls -o small.calls\n"
                "rastrum convert --from-jsonl --to murk run.jsonl -o run.murk\n",
    .exits = "0 written; 2 error, or it cannot be converted; 3 written, but the source is cut\n"
             "or damaged, or something was lost",
    .rows = convert_rows,
    .size = sizeof(struct convert_options),
    .reads = true,
    .run = convert_run,
};
