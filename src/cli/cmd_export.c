/* cmd_export.c - a trace or a run in the format of another tool. */
#include "cli/export_dataset.h"
#include "cli/name_check.h"
#include "cli/range.h"
#include "cli/rundirs.h"
#include "cli/session.h"
#include <rastrum/export.h>
#include <rastrum/sql.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct export_options {
    struct common common;
    struct range range;
    const char *to, *condition;
    struct list types, fields, streams, slices;
    struct ras_where *where;
    bool list, merged, ddl;
    const char *cluster, *batch, *shard;
    struct dataset_options dataset;
};

/* One export: what is read, and where it goes. */
struct exporting {
    const struct export_options *o;
    const char *path;
    const struct ras_export_target *target;
    struct ras_trace *trace;
    struct ras_rundir *run;
    struct ras_export_options how;
    struct ras_sink *sink;
    struct ras_folder *folder;
    struct type_names types;
    uint32_t *streams;
    struct ras_export_streams *run_streams;
};

/* ---- the output ------------------------------------------------------------------------- */

static bool to_stdout(const struct common *common)
{
    return !common->out || !strcmp(common->out, "-");
}

static int export_refuse(const struct export_options *o, const struct ras_export_target *target)
{
    const struct common *common = &o->common;
    if (target->is_folder && to_stdout(common))
        return trouble("%s is a directory: use -o DIRECTORY", target->name);
    if (target->needs_file && to_stdout(common))
        return trouble("%s is not written from front to back: use -o FILE", target->name);
    if (to_stdout(common) && target->is_binary && isatty(STDOUT_FILENO))
        return trouble("%s is binary and standard output is a terminal: use -o FILE", target->name);
    if (to_stdout(common) && common->json)
        return trouble("the export and the report cannot both go to standard output");
    if (common->choice_count && target->kind != RAS_EXPORT_TIMELINE)
        return trouble("--%s is for timelines, and %s has tables", common->choices[0].name,
                       target->name);
    return 0;
}

/* A target that has a file a table writes one where one table is named. */
static bool is_in_folder(const struct exporting *x)
{
    const struct export_options *o = x->o;
    bool one = x->trace && o->types.count == 1 && !strpbrk(o->types.items[0], "*?[");
    if (!x->target->is_per_table)
        return x->target->is_folder;
    return !one && !o->ddl && !to_stdout(&o->common);
}

static int export_open(struct exporting *x)
{
    const struct common *common = &x->o->common;
    struct ras_error err;
    int status;
    if (is_in_folder(x))
        status = ras_folder_report(&x->folder, common->out, common->force, &err);
    else if (to_stdout(common))
        status = ras_sink_fd(&x->sink, STDOUT_FILENO, &err);
    else
        status = ras_sink_report(&x->sink, common->out, common->force, &err);
    return status < 0 ? trouble_with(&err) : 0;
}

static int export_close(struct exporting *x, bool keep)
{
    struct ras_error err;
    int status = RAS_OK;
    if (keep && x->folder)
        status = ras_folder_close(x->folder, &err);
    else if (keep && x->sink)
        status = ras_sink_close(x->sink, &err);
    else {
        ras_folder_drop(x->folder);
        ras_sink_drop(x->sink);
    }
    return status < 0 ? trouble_with(&err) : 0;
}

/* ---- the report -------------------------------------------------------------------------- */

/* "perfetto: 12 slices, 3 counter values; not carried: 2 ends without a begin, ..." */
static void export_say(const struct exporting *x, const struct ras_export_result *r)
{
    char text[1024];
    size_t len =
        (size_t)snprintf(text, sizeof text, "%s: %s", shown_path(x->path), x->target->name);
    for (size_t i = 0; i < r->written_count && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%" PRIu64 " %.*s",
                                i ? ", " : ": ", r->written[i].count,
                                (int)strlen(r->written[i].what) - (r->written[i].count == 1),
                                r->written[i].what); /* a plural, without its s of one */
    if (!r->written_count && len < sizeof text)
        len += (size_t)snprintf(text + len, sizeof text - len, ": nothing to show");
    for (size_t i = 0; i < r->lost_count && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%" PRIu64 " %s",
                                i ? "; " : "; not carried as recorded: ", r->lost[i].count,
                                r->lost[i].what);
    remark(x->o->common.quiet, "%s", text);
}

static void export_put_counts(struct ras_json *j, const char *key,
                              const struct ras_export_count *counts, size_t count)
{
    ras_json_array(j, key);
    for (size_t i = 0; i < count; i++) {
        ras_json_object(j, NULL);
        ras_json_text(j, "what", counts[i].what);
        ras_json_uint(j, "count", counts[i].count);
        ras_json_end(j);
    }
    ras_json_end(j);
}

static void export_put_json(const struct exporting *x, struct answer *a,
                            const struct ras_export_result *r)
{
    struct ras_json *j = answer_json(a);
    ras_json_object(j, NULL);
    ras_json_uint(j, "schema_version", 1);
    ras_json_text(j, "path", x->path);
    ras_json_text(j, "to", x->target->name);
    ras_json_text(j, "out", x->o->common.out);
    export_put_counts(j, "written", r->written, r->written_count);
    export_put_counts(j, "not_carried", r->lost, r->lost_count);
    ras_json_end(j);
    ras_json_newline(j);
}

static int export_report(const struct exporting *x, const struct ras_export_result *r)
{
    struct answer answer;
    if (!x->o->common.json) {
        export_say(x, r);
        return EXIT_YES;
    }
    struct common plain = x->o->common; /* the report goes to standard output, -o has the export */
    plain.out = NULL;
    if (answer_open(&answer, &plain))
        return EXIT_TROUBLE;
    export_put_json(x, &answer, r);
    return answer_close(&answer, EXIT_YES);
}

/* How each trace ended: EXIT_YES or EXIT_LOSS. */
static int export_endings(const struct exporting *x)
{
    int status = EXIT_YES;
    struct ras_ending ending;
    if (x->trace) {
        ending = ras_ending(x->trace);
        return say_ending(x->path, x->trace, &ending, x->o->common.quiet);
    }
    for (size_t i = 0; i < x->run->pen_count; i++) {
        const struct ras_rundir_pen *pen = &x->run->pens[i];
        if (!pen->trace)
            continue;
        ending = ras_ending(pen->trace);
        status = worse(status, say_ending(pen->path, pen->trace, &ending, x->o->common.quiet));
    }
    return worse(status, say_missing(x->run));
}

/* ---- what is read ------------------------------------------------------------------------ */

/* Names are looked up in one trace; of a run each has its own, and unknown ones match nothing. */
static int export_names(struct exporting *x)
{
    const struct export_options *o = x->o;
    const struct given_names names = {&o->types, &o->fields, o->where};
    bool are_tables = x->target->kind == RAS_EXPORT_TABLES; /* the library checks their names */
    int status = EXIT_YES;
    if (x->trace && !are_tables) {
        status = learn_names(x->path, x->trace, &names, &o->common, false);
        if (!status)
            status = check_names(x->path, x->trace, &names, o->common.quiet);
    }
    if (status)
        return status;
    struct ras_trace *any = x->trace;
    for (size_t i = 0; !any && i < x->run->pen_count; i++)
        any = x->run->pens[i].trace;
    x->streams = calloc(o->streams.count + 1, sizeof *x->streams);
    if (!x->streams || (!are_tables && !names_of_types(&x->types, any, &o->types)))
        return trouble("out of memory");
    if (o->streams.count && !x->trace) {
        x->run_streams = find_run_streams(x->path, x->run, &o->streams);
        return x->run_streams ? EXIT_YES : EXIT_TROUBLE;
    }
    return o->streams.count ? find_streams(x->path, x->trace, &o->streams, false, x->streams)
                            : EXIT_YES;
}

static int export_range(struct exporting *x)
{
    struct ras_scan scan = {.axis = RAS_AXIS_NONE};
    if (!range_given(&x->o->range))
        return EXIT_YES;
    int status = x->trace ? range_find(x->path, &x->o->range, x->trace, &scan)
                          : range_find_run(x->path, &x->o->range, x->run, &scan);
    x->how.axis = scan.axis;
    x->how.from = scan.from;
    x->how.to = scan.to;
    return status;
}

static bool export_on(void *user, uint64_t done, uint64_t total)
{
    return progress_at(user, done, total) && !interrupted();
}

/* "1/4": the second of four. */
static int export_shard(struct exporting *x)
{
    const char *text = x->o->shard;
    unsigned shard, count;
    char more;
    if (!text)
        return EXIT_YES;
    if (sscanf(text, "%u/%u%c", &shard, &count, &more) != 2 || shard >= count)
        return trouble("--shard: '%s' is not a shard such as 0/2: its number from 0 on, a slash, "
                       "and how many there are",
                       text);
    x->how.shard = shard;
    x->how.shard_count = count;
    return EXIT_YES;
}

/* The last name of a path. */
static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int export_write(struct exporting *x)
{
    const struct export_options *o = x->o;
    struct ras_export_result *result;
    struct progress progress;
    struct ras_error err;
    x->how.struct_size = sizeof x->how;
    x->how.target = x->target->name;
    x->how.sink = x->sink;
    x->how.folder = x->folder;
    const struct list *types = x->target->kind == RAS_EXPORT_TABLES ? &o->types : &x->types.names;
    x->how.types = types->count ? types->items : NULL;
    x->how.type_count = types->count;
    x->how.fields = o->fields.count ? o->fields.items : NULL;
    x->how.field_count = o->fields.count;
    x->how.streams = x->trace && o->streams.count ? x->streams : NULL;
    x->how.stream_count = x->trace ? o->streams.count : 0;
    x->how.run_streams = x->run_streams;
    x->how.slices = o->slices.items;
    x->how.slice_count = o->slices.count;
    x->how.where = o->where;
    x->how.merged = o->merged;
    x->how.trace_name = last_name(x->path);
    x->how.ddl = o->ddl;
    x->how.cluster = o->cluster;
    x->how.batch = o->batch;
    x->how.sqlite = ras_sql_table_writer();
    x->how.choices = o->common.choices;
    x->how.choice_count = o->common.choice_count;
    x->how.progress = export_on;
    x->how.user = &progress;
    progress_start(&progress, &o->common, "export", false);
    int status = x->run ? ras_export_run(&result, x->run, &x->how, &err)
                        : ras_export(&result, x->trace, &x->how, &err);
    progress_stop(&progress);
    if (status < 0) {
        export_close(x, false);
        if (status == RAS_ECANCELED)
            return EXIT_TROUBLE;
        return trouble_at(x->path, &err);
    }
    int found = export_close(x, true);
    if (!found)
        found = export_report(x, result);
    ras_export_result_free(result);
    return found ? found : export_endings(x);
}

static int export_one(const struct export_options *o, const struct ras_export_target *target,
                      const char *path)
{
    struct exporting x = {.o = o, .path = path, .target = target};
    if (is_run(&o->common, path))
        x.run = open_run(&o->common, path);
    else
        x.trace = open_operand(&o->common, path, false);
    int status = x.run || x.trace ? EXIT_YES : EXIT_TROUBLE;
    if (!status)
        status = export_names(&x);
    if (!status)
        status = export_range(&x);
    if (!status)
        status = export_shard(&x);
    if (!status)
        status = export_open(&x);
    if (!status)
        status = export_write(&x);
    names_free(&x.types);
    free(x.streams);
    run_streams_free(x.run_streams, x.run);
    ras_close(x.trace);
    ras_rundir_close(x.run);
    return status;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int export_unknown(const char *name)
{
    struct ras_near near;
    char meant[120];
    const struct ras_export_target *t;
    ras_near_start(&near, name);
    for (size_t i = 0; (t = ras_export_target_at(i)) != NULL; i++)
        ras_near_add(&near, t->name);
    ras_near_text(&near, meant, sizeof meant);
    return trouble("there is no target '%s'%s%s rastrum export --targets lists them", name, meant,
                   *meant ? "" : ";");
}

static int export_list(const struct common *common)
{
    struct answer a;
    const struct ras_export_target *t;
    if (answer_open(&a, common))
        return EXIT_TROUBLE;
    struct ras_json *j = common->json ? answer_json(&a) : NULL;
    if (common->json)
        ras_json_array(j, NULL);
    for (size_t i = 0; (t = ras_export_target_at(i)) != NULL; i++) {
        if (!common->json) {
            answer_format(&a, "%-11s %-9s %s\n", t->name,
                          t->kind == RAS_EXPORT_TIMELINE ? "timeline" : "tables", t->about);
            continue;
        }
        ras_json_object(j, NULL);
        ras_json_text(j, "name", t->name);
        ras_json_text(j, "kind", t->kind == RAS_EXPORT_TIMELINE ? "timeline" : "tables");
        ras_json_text(j, "extension", t->extension);
        ras_json_bool(j, "is_folder", t->is_folder);
        ras_json_text(j, "about", t->about);
        ras_json_end(j);
    }
    if (common->json) {
        ras_json_end(j);
        ras_json_newline(j);
    }
    return answer_close(&a, EXIT_YES);
}

static int export_verb(void *options)
{
    struct export_options *o = options;
    if (o->list)
        return export_list(&o->common);
    if (!o->to)
        return trouble("missing --to TARGET; rastrum export --targets lists them");
    const struct ras_export_target *target = ras_export_target_of(o->to);
    if (!target)
        return export_unknown(o->to);
    interrupts_watch();
    if (!strcmp(target->name, "dataset"))
        return export_dataset(&o->common, &o->dataset);
    if (!o->common.operands.count)
        return trouble("missing trace: name a file, a directory, or - for standard input");
    if (o->common.operands.count > 1)
        return trouble("%s takes one trace or run directory, %zu are given", target->name,
                       o->common.operands.count);
    struct ras_error err;
    int status = export_refuse(o, target);
    if (status)
        return status;
    if (o->condition && ras_where_parse(&o->where, o->condition, &err) < 0)
        return trouble("--where: %s", text_of(&err));
    o->range.to_option = "--until";
    status = export_one(o, target, o->common.operands.items[0]);
    ras_where_free(o->where);
    end_if_interrupted();
    return status;
}

static const struct option_row rows[] = {
    {"to", 0, OPTION_TEXT, "TARGET", "format to write (--targets lists them)", NULL,
     offsetof(struct export_options, to)},
    {"targets", 0, OPTION_FLAG, NULL, "list the targets", NULL,
     offsetof(struct export_options, list)},
    {"type", 't', OPTION_NAMES, "NAME", "only records of this type; may be repeated", NULL,
     offsetof(struct export_options, types)},
    {"fields", 0, OPTION_LIST, "A,B", "only these fields, as arguments or columns", NULL,
     offsetof(struct export_options, fields)},
    {"stream", 0, OPTION_LIST, "ID", "only this stream, by number or name; may be repeated", NULL,
     offsetof(struct export_options, streams)},
    {"from", 0, OPTION_TEXT, "A", "start at this tick, time or number", NULL,
     offsetof(struct export_options, range.from)},
    {"until", 0, OPTION_TEXT, "B", "end before this one", NULL,
     offsetof(struct export_options, range.to)},
    {"axis", 0, OPTION_TEXT, "AXIS", "unit of --from and --until: time, tick or seq", axis_words,
     offsetof(struct export_options, range.axis)},
    {"where", 'w', OPTION_TEXT, "EXPR", "only records that match this condition", NULL,
     offsetof(struct export_options, condition)},
    {"slice", 0, OPTION_LIST, "T:FIELD",
     "records of type T end slices of FIELD ns (T:FIELD:start: begin)", NULL,
     offsetof(struct export_options, slices)},
    {"merged", 0, OPTION_FLAG, NULL, "tables: one order by time over all streams", NULL,
     offsetof(struct export_options, merged)},
    {"ddl", 0, OPTION_FLAG, NULL, "clickhouse: the statements that create the tables", NULL,
     offsetof(struct export_options, ddl)},
    {"cluster", 0, OPTION_TEXT, "NAME", "clickhouse: --ddl of distributed tables", NULL,
     offsetof(struct export_options, cluster)},
    {"batch", 0, OPTION_TEXT, "NAME", "clickhouse: partition of the rows (1)", NULL,
     offsetof(struct export_options, batch)},
    {"shard", 0, OPTION_TEXT, "I/N", "tables: only streams whose number modulo N is I", NULL,
     offsetof(struct export_options, shard)},
    {"files-from", 0, OPTION_TEXT, "FILE", "dataset: paths of traces, a line each; - is stdin",
     NULL, offsetof(struct export_options, dataset.files_from)},
    {"jobs", 'j', OPTION_NUMBER, "N", "dataset: threads (1)", NULL,
     offsetof(struct export_options, dataset.jobs)},
    {"batch-traces", 0, OPTION_NUMBER, "N", "dataset: traces that are committed at once (1024)",
     NULL, offsetof(struct export_options, dataset.batch_traces)},
    {"prune", 0, OPTION_FLAG, NULL, "dataset: remove traces whose path has other content now", NULL,
     offsetof(struct export_options, dataset.prune)},
    {0},
};

const struct command cmd_export = {
    .name = "export",
    .operands = "TRACE",
    .about = "write a trace or a run for another tool: timelines, profiles, tables",
    .text =
        "Writes what other tools open: --targets lists them. A timeline shows calls, polls,\n"
        "ticks and frames as slices on tracks, events as instants, and counters; a run\n"
        "directory becomes one timeline on one clock. A line on standard error says what was\n"
        "written and what the target cannot carry. A cut or damaged trace is written as far as\n"
        "it goes (exit status 3). Without -o the output goes to standard output.\n",
    .examples = "rastrum export --to chrome session/ -o trace.json\n"
                "rastrum export --to folded session/ | flamegraph.pl > flame.svg\n"
                "rastrum export --to chrome --slice request:elapsed_ns trace.bin -o trace.json\n",
    .exits = "0 written; 2 error; 3 written, but a trace is cut or damaged",
    .refuses = "pager color colour",
    .rows = rows,
    .size = sizeof(struct export_options),
    .reads = true,
    .run = export_verb,
};
