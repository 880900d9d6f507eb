/* table_target.c - targets that have tables in files: which tables and columns are written, and
 * where each goes. */
#include "base/error.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/json_write.h"
#include "export/arrow_ipc.h"
#include "export/carried.h"
#include "export/dataset.h"
#include "export/parquet.h"
#include "export/table_writer.h"
#include "export/target.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Parquet and Arrow as writers of tables ---------------------------------------------- */

struct parquet_state {
    struct parquet *file;
    struct table_source source;
};

static int parquet_begin(void **state, struct ras_sink *sink, const struct table_source *s,
                         struct ras_error *err)
{
    struct parquet_state *x = calloc(1, sizeof *x);
    *state = x;
    if (!x)
        return fail_memory(err);
    x->source = *s;
    return parquet_open(&x->file, sink, s->table, s->columns, s->column_count, err);
}

static int parquet_rows_in(void *state, const struct ras_batch *batch, struct ras_error *err)
{
    struct parquet_state *x = state;
    return parquet_write(x->file, batch, err);
}

static int parquet_end(void *state, struct ras_error *err)
{
    struct parquet_state *x = state;
    struct out columns = {0};
    columns_put_json(&columns, &x->source);
    out_byte(&columns, 0);
    const struct parquet_fact facts[] = {{"rastrum.table", x->source.name},
                                         {"rastrum.columns", (const char *)columns.at},
                                         {"rastrum.traces", x->source.traces}};
    int status = columns.failed ? fail_memory(err) : parquet_finish(x->file, facts, 3, err);
    out_free(&columns);
    return status;
}

static void parquet_drop(void *state)
{
    struct parquet_state *x = state;
    if (x)
        parquet_free(x->file);
    free(x);
}

static uint64_t parquet_replaced(const void *state)
{
    const struct parquet_state *x = state;
    return parquet_not_utf8(x->file);
}

const struct ras_table_writer parquet_writer = {.open = parquet_begin,
                                                .write = parquet_rows_in,
                                                .finish = parquet_end,
                                                .close = parquet_drop,
                                                .not_utf8 = parquet_replaced};

static int arrow_begin(void **state, struct ras_sink *sink, const struct table_source *s,
                       struct ras_error *err)
{
    struct arrow_ipc *stream;
    int status = arrow_ipc_open(&stream, sink, s->table, s->columns, s->column_count, err);
    *state = stream;
    return status;
}

static int arrow_rows_in(void *state, const struct ras_batch *batch, struct ras_error *err)
{
    return arrow_ipc_write(state, batch, err);
}

static int arrow_end(void *state, struct ras_error *err)
{
    return arrow_ipc_finish(state, err);
}

static void arrow_drop(void *state)
{
    arrow_ipc_free(state);
}

static uint64_t arrow_replaced(const void *state)
{
    return arrow_ipc_not_utf8(state);
}

const struct ras_table_writer arrow_writer = {.open = arrow_begin,
                                              .write = arrow_rows_in,
                                              .finish = arrow_end,
                                              .close = arrow_drop,
                                              .not_utf8 = arrow_replaced};

void columns_put_json(struct out *out, const struct table_source *s)
{
    struct json j = json_start(out, 0);
    json_array(&j, NULL);
    for (size_t i = 0; i < s->column_count; i++) {
        const struct ras_column_about *c = source_column(s, i);
        json_object(&j, NULL);
        json_text(&j, "column", c->name);
        json_name(&j, "field", c->field);
        json_text(&j, "type", ras_type_name(c->type));
        if (c->type == RAS_T_LIST)
            json_text(&j, "item", ras_type_name(c->item));
        json_text(&j, "unit", c->unit);
        json_bool(&j, "nullable", column_may_be_null(c));
        json_bool(&j, "hex", c->flags & RAS_HEX);
        json_close(&j);
    }
    json_close(&j);
}

/* ---- which tables and columns ------------------------------------------------------------ */

/* The tables of one trace, on their way to files. */
struct tables_export {
    struct export_job *job;
    const struct ras_table_writer *writer;
    const char *extension;
    struct ras_trace *trace;
    size_t pen;        /* of a run: which of its traces it is */
    uint64_t ticks[2]; /* of a run: those of the range; half-open */
    struct ras_tables *tables;
    uint16_t *columns; /* of the table that is written */
    size_t column_count, column_room;
    uint32_t *streams; /* chosen ones: those of a shard, of those that are named */
    size_t stream_count, stream_room;
    uint64_t written, views; /* tables; views of them, in a file of all */
    struct carried carried;
    void *file; /* of all tables, where the writer has one */
};

/* By default all types of records, and in a file of all tables those on request and what describes
 * them; `record`, which has them all once more, when it is named. */
static bool table_wanted(const struct tables_export *x, const struct ras_table_about *t)
{
    const struct ras_export_options *how = x->job->how;
    if (!how->type_count)
        return (t->kind == RAS_TABLE_RECORDS && t->type) ||
               ((t->kind == RAS_TABLE_SYSTEM || t->kind == RAS_TABLE_ON_REQUEST) && x->file);
    for (size_t i = 0; i < how->type_count; i++)
        if (glob_matches(how->types[i], t->name))
            return true;
    return false;
}

/* A hidden column goes by its own name only: the word for a code has the field of the code. */
static bool field_wanted(const struct ras_export_options *how, const struct ras_column_about *c)
{
    const char *field = c->flags & RAS_HIDDEN ? NULL : c->field;
    if (!how->field_count)
        return !(c->flags & RAS_HIDDEN);
    for (size_t i = 0; i < how->field_count; i++)
        if (!strcmp(how->fields[i], c->name) || (field && !strcmp(how->fields[i], field)))
            return true;
    return false;
}

static int choose_columns(struct tables_export *x, const struct ras_table_about *t,
                          struct ras_error *err)
{
    if (!array_grow(&x->columns, &x->column_room, t->column_count + 1, sizeof *x->columns))
        return fail_memory(err);
    x->column_count = 0;
    for (size_t i = 0; i < t->column_count; i++)
        if (field_wanted(x->job->how, &t->columns[i]))
            x->columns[x->column_count++] = (uint16_t)i;
    return RAS_OK;
}

/* The streams that are named: of the trace, or of its place in the run. */
static struct ras_export_streams named_streams(const struct tables_export *x)
{
    const struct ras_export_options *how = x->job->how;
    if (x->job->run)
        return how->run_streams ? how->run_streams[x->pen] : (struct ras_export_streams){0};
    return (struct ras_export_streams){how->streams, how->stream_count};
}

static bool has_stream(const struct ras_export_streams *named, uint32_t id)
{
    bool found = !named->count;
    for (size_t i = 0; i < named->count && !found; i++)
        found = named->ids[i] == id;
    return found;
}

/* Streams are dealt out by their number, so that each is in one shard. */
static int choose_streams(struct tables_export *x, struct ras_error *err)
{
    const struct ras_export_options *how = x->job->how;
    const struct ras_export_streams named = named_streams(x);
    size_t count;
    const struct ras_stream *all = ras_streams(x->trace, &count);
    x->stream_count = 0;
    if (!array_grow(&x->streams, &x->stream_room, count + named.count + 1, sizeof *x->streams))
        return fail_memory(err);
    if (how->shard_count < 2) {
        for (; x->stream_count < named.count; x->stream_count++)
            x->streams[x->stream_count] = named.ids[x->stream_count];
        return RAS_OK;
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].id % how->shard_count == how->shard && has_stream(&named, all[i].id))
            x->streams[x->stream_count++] = all[i].id;
    if (!count && how->shard == 0)
        x->streams[x->stream_count++] = 0;
    return RAS_OK;
}

/* Records of a run have its times, or its ticks; then a range is one of ticks. */
static bool is_range_of_ticks(const struct tables_export *x)
{
    enum ras_axis axis = x->job->run ? x->job->how->axis : RAS_AXIS_NONE;
    bool has_ticks = ras_format_of(x->trace)->axes >> RAS_AXIS_TICK & 1;
    return axis == RAS_AXIS_TICK || (axis == RAS_AXIS_TIME && has_ticks);
}

/* The ticks of a range of a run: those that are named, or begin at the times that are. */
static int choose_ticks(struct tables_export *x, struct ras_error *err)
{
    const struct ras_export_options *how = x->job->how;
    x->ticks[0] = how->from;
    x->ticks[1] = how->to;
    if (x->job->run && how->axis == RAS_AXIS_SEQ)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "numbers of records are those of one trace, and a run has several");
    if (!x->job->run || how->axis != RAS_AXIS_TIME)
        return RAS_OK;
    return timeline_ticks_between(x->job->run, how->from, how->to, x->ticks, err);
}

/* ---- one table --------------------------------------------------------------------------- */

static int copy_rows(struct tables_export *x, const struct table_source *s, void *state,
                     struct ras_columns *reader, uint64_t *rows, struct ras_error *err)
{
    const struct ras_batch *batch;
    int status;
    while ((status = ras_columns_next(reader, &batch, err)) == RAS_OK) {
        for (size_t i = 0; i < s->column_count; i++)
            carried_column(&x->carried, batch, &batch->columns[i], source_column(s, i)->type,
                           x->writer->nans != NULL);
        *rows += batch_count(batch);
        status = x->writer->write(state, batch, err);
        if (status < 0)
            return status;
    }
    return status == RAS_END ? RAS_OK : status;
}

/* Of a file of all tables: those that describe the trace, whatever is chosen of it. */
static bool is_about_all(const struct tables_export *x, const struct ras_table_about *t)
{
    return x->file && t->kind == RAS_TABLE_SYSTEM;
}

/* What is read of a table; false: nothing is. */
static bool scan_of(const struct tables_export *x, const struct table_source *s,
                    struct ras_columns_scan *scan)
{
    const struct ras_export_options *how = x->job->how;
    bool of_ticks = is_range_of_ticks(x);
    *scan = (struct ras_columns_scan){
        .struct_size = sizeof *scan,
        .table = s->table->name,
        .columns = s->columns,
        .column_count = s->column_count,
        .merged = how->merged,
        .progress = how->progress,
        .user = how->user,
    };
    if (how->ddl || is_about_all(x, s->table))
        return !how->ddl;
    scan->axis = of_ticks ? RAS_AXIS_NONE : how->axis;
    scan->from = how->from;
    scan->to = how->to;
    scan->run_from = of_ticks ? x->ticks[0] : 0;
    scan->run_to = of_ticks ? x->ticks[1] : 0;
    scan->streams = x->streams;
    scan->stream_count = x->stream_count;
    scan->where = how->where;
    return !(how->shard_count > 1 && !x->stream_count) && !(of_ticks && x->ticks[0] >= x->ticks[1]);
}

static int write_rows(struct tables_export *x, const struct table_source *s, struct ras_sink *sink,
                      uint64_t *rows, struct ras_error *err)
{
    struct ras_columns_scan scan;
    struct ras_columns *reader = NULL;
    void *state = NULL;
    int status = x->writer->open(&state, sink, s, err);
    bool reads = scan_of(x, s, &scan);
    if (status == RAS_OK && reads)
        status = ras_columns_open(&reader, x->tables, &scan, err);
    if (status == RAS_OK && reads)
        status = copy_rows(x, s, state, reader, rows, err);
    if (status == RAS_OK)
        status = x->writer->finish(state, err);
    if (status == RAS_OK && x->writer->not_utf8)
        x->carried.not_utf8 += x->writer->not_utf8(state);
    x->writer->close(state);
    ras_columns_close(reader);
    return status;
}

static int write_table(struct tables_export *x, const struct ras_table_about *t,
                       struct ras_error *err)
{
    struct export_job *job = x->job;
    char full[1200], plain[PLAIN_NAME], name[PLAIN_NAME + 16], traces[64];
    snprintf(full, sizeof full, "%s_%.1100s", ras_format_of(x->trace)->name, t->name);
    snprintf(traces, sizeof traces, "1");
    struct table_source s = {t, x->columns, x->column_count, full, traces, job->how, x->file};
    struct ras_sink *sink = job->how->sink;
    uint64_t rows = 0;
    int status = RAS_OK;
    file_name_plain(full, plain);
    snprintf(name, sizeof name, "%s%s", plain, x->extension);
    if (job->how->folder)
        status = ras_folder_sink(job->how->folder, name, &sink, err);
    if (status == RAS_OK)
        status = write_rows(x, &s, sink, &rows, err);
    if (status == RAS_OK && job->how->folder)
        status = ras_folder_finish(job->how->folder, sink, err);
    if (status < 0)
        return status;
    x->written++;
    return export_wrote(job, "rows", rows) ? RAS_OK : fail_memory(err);
}

/* ---- all tables --------------------------------------------------------------------------- */

/* A file holds one table: which are there, where none or several were chosen. */
static int check_choice(struct tables_export *x, struct ras_error *err)
{
    const struct ras_export_options *how = x->job->how;
    const struct ras_table_about *t;
    size_t chosen = 0;
    char names[160] = "";
    for (size_t i = 0, len = 0; (t = ras_table_at(x->tables, i)) != NULL; i++) {
        bool wanted = table_wanted(x, t);
        chosen += wanted;
        if (wanted && len < sizeof names)
            len +=
                (size_t)snprintf(names + len, sizeof names - len, "%s%s", len ? ", " : "", t->name);
    }
    if (chosen > 1 && !how->folder && !how->ddl && !x->file)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a file holds one table, %zu are chosen (%.120s): name one, or write to "
                    "a directory",
                    chosen, names);
    return RAS_OK;
}

/* A name that no table of the trace has; globs match what there is. */
static int check_types(struct tables_export *x, struct ras_error *err)
{
    const struct ras_export_options *how = x->job->how;
    for (size_t i = 0; i < how->type_count; i++) {
        const struct ras_table_about *t;
        struct ras_near near;
        char meant[120];
        bool found = strpbrk(how->types[i], "*?[") != NULL;
        ras_near_start(&near, how->types[i]);
        for (size_t k = 0; (t = ras_table_at(x->tables, k)) != NULL; k++) {
            found |= glob_matches(how->types[i], t->name);
            ras_near_add(&near, t->name);
        }
        if (!found)
            return fail(err, RAS_ENAME, RAS_NONE,
                        "there is no table '%.60s'%s (the table _tables lists all)", how->types[i],
                        ras_near_text(&near, meant, sizeof meant));
    }
    return RAS_OK;
}

static int check_fields(struct tables_export *x, struct ras_error *err)
{
    const struct ras_export_options *how = x->job->how;
    for (size_t f = 0; f < how->field_count; f++) {
        struct ras_export_options one = {.fields = &how->fields[f], .field_count = 1};
        const struct ras_table_about *t;
        struct ras_near near;
        char meant[120];
        bool found = false;
        ras_near_start(&near, how->fields[f]);
        for (size_t i = 0; (t = ras_table_at(x->tables, i)) != NULL; i++)
            for (size_t c = 0; table_wanted(x, t) && c < t->column_count; c++) {
                found |= field_wanted(&one, &t->columns[c]);
                ras_near_add(&near, t->columns[c].name);
            }
        if (!found)
            return fail(err, RAS_ENAME, RAS_NONE, "no chosen table has a column '%.60s'%s",
                        how->fields[f], ras_near_text(&near, meant, sizeof meant));
    }
    return RAS_OK;
}

/* The trace is walked for them, so only where they are named. */
static bool wants_stats(const struct ras_export_options *how)
{
    for (size_t i = 0; i < how->type_count; i++)
        if (!strncmp(how->types[i], "stats", 5) || strchr("*?[", how->types[i][0]))
            return true;
    return false;
}

static int export_tables(struct tables_export *x, struct ras_error *err)
{
    const struct ras_export_options *how = x->job->how;
    struct ras_tables_options options = {.struct_size = sizeof options,
                                         .run = x->job->run,
                                         .pen = x->pen,
                                         .trace = how->trace_name,
                                         .stats = wants_stats(how),
                                         .progress = how->progress,
                                         .user = how->user};
    const struct ras_table_about *t;
    int status = ras_tables_open(&x->tables, x->trace, &options, err);
    if (status == RAS_OK && x->job->trace)
        status = check_types(x, err);
    if (status == RAS_OK)
        status = check_choice(x, err);
    if (status == RAS_OK && x->job->trace)
        status = check_fields(x, err);
    if (status == RAS_OK)
        status = choose_streams(x, err);
    for (size_t i = 0; status == RAS_OK && (t = ras_table_at(x->tables, i)) != NULL; i++) {
        if (!table_wanted(x, t))
            continue;
        status = choose_columns(x, t, err);
        if (status == RAS_OK && x->column_count)
            status = write_table(x, t, err);
    }
    if (status == RAS_OK && x->file && x->writer->file_views)
        status = x->writer->file_views(x->file, x->tables, ras_format_of(x->trace)->name, &x->views,
                                       err);
    ras_tables_close(x->tables);
    x->tables = NULL;
    return status;
}

static int export_with(struct export_job *job, const struct ras_table_writer *writer,
                       const char *extension, struct ras_error *err)
{
    struct tables_export x = {.job = job, .writer = writer, .extension = extension};
    int status = writer->file_open ? writer->file_open(&x.file, job->how->sink, err) : RAS_OK;
    const struct ras_export_streams *streams = job->run ? job->how->run_streams : NULL;
    if (status == RAS_OK)
        status = choose_ticks(&x, err);
    for (size_t i = 0; status == RAS_OK && i < (job->run ? job->run->pen_count : 1); i++) {
        x.trace = job->run ? job->run->pens[i].trace : job->trace;
        x.pen = i;
        if (x.trace && !(streams && !streams[i].count))
            status = export_tables(&x, err);
    }
    if (status == RAS_OK && x.file && job->run && !job->how->type_count && writer->file_run)
        status = writer->file_run(x.file, job->run, &x.written, err);
    if (status == RAS_OK && x.file)
        status = writer->file_finish(x.file, err);
    if (writer->file_open)
        writer->file_close(x.file);
    free(x.columns);
    free(x.streams);
    if (status < 0)
        return status;
    if (!x.written)
        return fail(err, RAS_ENAME, RAS_NONE, "no table matches what was chosen");
    bool ok =
        export_wrote(job, "tables", x.written) && export_wrote(job, "views", x.views) &&
        export_lost(job, CARRIED_UNFIT, x.carried.unfit) &&
        (writer->has_null_items || export_lost(job, CARRIED_NULL_ITEMS, x.carried.null_items)) &&
        export_lost(job, CARRIED_NOT_UTF8, x.carried.not_utf8) &&
        (!writer->null_lists || export_lost(job, writer->null_lists, x.carried.null_lists)) &&
        (!writer->nans || export_lost(job, writer->nans, x.carried.nans));
    return ok ? RAS_OK : fail_memory(err);
}

static int write_parquet(struct export_job *job, struct ras_error *err)
{
    return export_with(job, &parquet_writer, ".parquet", err);
}

static int write_arrow(struct export_job *job, struct ras_error *err)
{
    return export_with(job, &arrow_writer, ".arrows", err);
}

static int write_clickhouse(struct export_job *job, struct ras_error *err)
{
    return export_with(job, &clickhouse_writer, job->how->ddl ? ".sql" : ".rowbinary", err);
}

static int write_csv(struct export_job *job, struct ras_error *err)
{
    return export_with(job, &csv_writer, ".csv", err);
}

static int write_jsonl(struct export_job *job, struct ras_error *err)
{
    return export_with(job, &jsonl_writer, ".jsonl", err);
}

static int write_sqlite(struct export_job *job, struct ras_error *err)
{
    if (!job->how->sqlite)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "librastrum-sql writes SQLite: pass its ras_sql_table_writer()");
    return export_with(job, job->how->sqlite, ".db", err);
}

const struct target sqlite_target = {.about = {.name = "sqlite",
                                               .about = "SQLite database with all tables: sqlite3",
                                               .extension = ".db",
                                               .kind = RAS_EXPORT_TABLES,
                                               .is_binary = true,
                                               .needs_file = true},
                                     .write = write_sqlite};

#define TABLES_TARGET(target_name, text, ending, binary)                                           \
    .about = {.name = target_name,                                                                 \
              .about = text,                                                                       \
              .extension = ending,                                                                 \
              .kind = RAS_EXPORT_TABLES,                                                           \
              .is_per_table = true,                                                                \
              .is_binary = binary}

const struct target parquet_target = {
    TABLES_TARGET("parquet", "Apache Parquet: DuckDB, Spark, pandas", ".parquet", true),
    .write = write_parquet};
const struct target arrow_target = {
    TABLES_TARGET("arrow", "Apache Arrow IPC stream: pyarrow, polars", ".arrows", true),
    .write = write_arrow};
const struct target clickhouse_target = {
    TABLES_TARGET("clickhouse", "ClickHouse: rows as RowBinary, or its CREATE TABLE", ".rowbinary",
                  true),
    .write = write_clickhouse};
const struct target csv_target = {
    TABLES_TARGET("csv", "comma-separated values with a head line", ".csv", false),
    .write = write_csv};
const struct target jsonl_target = {
    TABLES_TARGET("jsonl", "one flat JSON object a row", ".jsonl", false), .write = write_jsonl};

static int refuse_dataset(struct export_job *job, struct ras_error *err)
{
    (void)job;
    return fail(err, RAS_EUSAGE, RAS_NONE, "traces are added to a dataset by ras_dataset_add()");
}

const struct target dataset_target = {
    .about = {.name = "dataset",
              .about = "directory of Parquet files that traces are added to, each once",
              .extension = "",
              .kind = RAS_EXPORT_TABLES,
              .is_folder = true,
              .is_binary = true},
    .write = refuse_dataset};
