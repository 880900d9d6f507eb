/* query.c - the routes of Table: sql, and tables, which lists what can be queried.
 *
 * Queries go through the functions of librastrum-sql that the program passed. They can only read,
 * within limits of time and memory. */
#include "base/memory.h"
#include "base/os.h"
#include "core/format.h"
#include "core/sql_engine.h"
#include "view/leaves.h"
#include "view/route.h"
#include <rastrum/columns.h>

#include <stdlib.h>

enum {
    QUERY_ROWS_MOST = 10000,
    QUERY_TIMEOUT_MS = 10000,
    QUERY_TEXT_MOST = 4096, /* bytes of a text or blob in a cell */
    QUERY_NAME = 32,
};
#define QUERY_MEMORY       (UINT64_C(256) << 20)
#define QUERY_ANSWER_BYTES ((size_t)32 << 20)

/* ---- sources -------------------------------------------------------------------------------- */

struct query_sources {
    struct ras_sql_source at[SIDES_MOST];
    char names[SIDES_MOST][QUERY_NAME];
    size_t count;
};

/* The name of a side as that of a schema. */
static void schema_name(char *to, const char *name)
{
    size_t len = 0;
    for (; *name && len + 1 < QUERY_NAME; name++) {
        bool word = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                    (*name >= '0' && *name <= '9' && len);
        to[len++] = word ? *name : '_';
    }
    to[len] = 0;
}

/* One side: its own schemas. Both: a schema by the name of each, or expected and actual. */
static void query_sources(struct query_sources *q, const struct request *r, size_t arg)
{
    bool one = r->args[arg].given || r->shown->side_count < 2;
    for (unsigned i = 0; i < r->shown->side_count; i++) {
        const struct side *s = &r->shown->sides[i];
        if (one && i != r->args[arg].value)
            continue;
        schema_name(q->names[i], s->origin->name);
        q->at[q->count++] = (struct ras_sql_source){
            .name = one ? NULL : q->names[i], .trace = s->trace, .run = s->run};
    }
    if (q->count == 2 && (!*q->names[0] || !*q->names[1] || !strcmp(q->names[0], q->names[1]))) {
        q->at[0].name = "expected";
        q->at[1].name = "actual";
    }
}

/* ---- sql ------------------------------------------------------------------------------------ */

static void put_query_columns(struct json *j, const struct ras_sql_column *columns, size_t count)
{
    json_array(j, "columns");
    for (size_t i = 0; i < count; i++) {
        json_object(j, NULL);
        json_text(j, "name", columns[i].name);
        json_text(j, "type", columns[i].type);
        json_bool(j, "hex", columns[i].flags & RAS_HEX);
        json_close(j);
    }
    json_close(j);
}

static void put_query_cell(struct json *j, const struct ras_value *v, unsigned flags)
{
    if ((v->kind == RAS_STR || v->kind == RAS_BLOB) && v->count > QUERY_TEXT_MOST) {
        struct ras_value cut = *v;
        cut.count = QUERY_TEXT_MOST;
        json_cell(j, NULL, &cut, flags);
        return;
    }
    leaf_put(j, NULL, v, flags);
}

/* All rows of a statement, as far as they fit. */
static int put_query_rows(struct request *r, const struct ras_sql_queries *sql,
                          struct ras_sql_query *query, struct json *j)
{
    size_t count, rows = 0;
    const struct ras_sql_column *columns = sql->columns(query, &count);
    const struct ras_value *cells;
    int status = RAS_OK;
    put_query_columns(j, columns, count);
    json_array(j, "rows");
    bool full = false;
    while (!full && (status = sql->next(query, &cells, &r->err)) == RAS_OK) {
        full = rows == QUERY_ROWS_MOST || r->out->len > QUERY_ANSWER_BYTES;
        if (full)
            break;
        json_array(j, NULL);
        for (size_t i = 0; i < count; i++)
            put_query_cell(j, &cells[i], columns[i].flags);
        json_close(j);
        rows++;
    }
    json_close(j);
    json_bool(j, "more", full);
    return status < 0 ? status : RAS_OK;
}

/* A mistake in the SQL: the sentence says where. */
static int query_fail(struct request *r, struct ras_bytes text, size_t before, int status)
{
    uint64_t at = r->err.offset == RAS_NONE ? RAS_NONE : before + r->err.offset;
    if (status != RAS_EUSAGE || at >= text.len)
        return status;
    size_t line = 1, column = 1;
    char why[sizeof r->err.text];
    for (size_t i = 0; i < at; i++) {
        column = text.at[i] == '\n' ? 1 : column + ((text.at[i] & 0xc0) != 0x80);
        line += text.at[i] == '\n';
    }
    snprintf(why, sizeof why, "%s", r->err.text);
    return fail(&r->err, status, at, "line %zu, column %zu: %.200s", line, column, why);
}

/* The statements of a text one after the other; the answer is that of the last one. */
static int query_run(struct request *r, const struct ras_sql_queries *sql, struct ras_sql *db,
                     struct json *j)
{
    const struct json begin = *j;
    size_t mark = r->out->len;
    size_t done = 0;
    int status = RAS_OK;
    bool any = false;
    while (status >= 0 && done < r->body.len) {
        struct ras_sql_query *query = NULL;
        size_t used = 0;
        status = sql->prepare(&query, db, (const char *)r->body.at + done, r->body.len - done,
                              &used, &r->err);
        if (status >= 0 && query) {
            r->out->len = mark;
            *j = begin;
            any = true;
            status = put_query_rows(r, sql, query, j);
        }
        sql->query_close(query);
        if (status < 0)
            return query_fail(r, r->body, done, status);
        if (!used)
            break;
        done += used;
    }
    if (!any)
        return fail(&r->err, RAS_EUSAGE, RAS_NONE, "there is no statement to execute");
    return RAS_OK;
}

static void put_query_notes(struct json *j, const struct ras_sql_queries *sql,
                            const struct ras_sql *db)
{
    size_t count;
    const char *const *notes = sql->notes(db, &count);
    json_array(j, "notes");
    for (size_t i = 0; i < count; i++)
        json_text(j, NULL, notes[i]);
    json_close(j);
}

static int check_sql(struct request *r)
{
    const struct ras_sql_queries *sql = r->options->sql;
    if (sql && sql->version == SQL_ENGINE_VERSION)
        return RAS_OK;
    r->hint = "conditions on one type of records work here";
    return fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "there is no SQL here");
}

static int answer_sql(struct request *r)
{
    const struct ras_sql_queries *sql = r->options->sql;
    struct query_sources q = {0};
    struct ras_sql *db = NULL;
    struct ras_sql_options how = {.struct_size = sizeof how,
                                  .max_memory = QUERY_MEMORY,
                                  .timeout_ms = QUERY_TIMEOUT_MS,
                                  .progress = r->progress,
                                  .user = r->user};
    uint64_t begin = os_boot_ns();
    int status = check_sql(r);
    query_sources(&q, r, 0);
    if (status >= 0 && !q.count)
        status = fail(&r->err, RAS_ENOTHING, RAS_NONE, "nothing is open");
    if (status >= 0)
        status = sql->open(&db, q.at, q.count, &how, &r->err);
    if (status >= 0) {
        struct json j = request_json(r);
        status = query_run(r, sql, db, &j);
        if (status >= 0) {
            put_query_notes(&j, sql, db);
            json_f64(&j, "ms", (double)((os_boot_ns() - begin) / 1000) / 1000);
            status = request_end(r, &j);
        }
    }
    if (db)
        sql->close(db);
    return status < 0 ? status : RAS_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

static void put_table_columns(struct json *j, const struct ras_table_about *table)
{
    json_array(j, "columns");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct ras_column_about *c = &table->columns[i];
        if (c->flags & (RAS_HIDDEN | RAS_ALIAS))
            continue;
        json_object(j, NULL);
        json_text(j, "name", c->name);
        json_text(j, "type", ras_type_name(c->type));
        json_text(j, "unit", c->unit);
        json_close(j);
    }
    json_close(j);
}

static uint64_t table_rows(const struct ras_table_about *table, const struct ras_info *info)
{
    uint64_t records = RAS_NONE;
    if (table->rows != RAS_NONE)
        return table->rows;
    if (table->kind == RAS_TABLE_RECORDS && !table->type)
        return info->records;
    for (size_t i = 0; table->kind == RAS_TABLE_RECORDS && i < info->type_count; i++)
        if (!strcmp(info->types[i].name, table->type))
            records = (records == RAS_NONE ? 0 : records) + info->types[i].records;
    return table->kind == RAS_TABLE_RECORDS && records == RAS_NONE ? 0 : records;
}

static void put_table(struct json *j, unsigned src, const char *schema,
                      const struct ras_table_about *table, const struct ras_info *info)
{
    json_object(j, NULL);
    json_uint(j, "src", src);
    json_text(j, "schema", schema);
    json_text(j, "name", table->name);
    json_text(j, "type", table->type);
    json_text(j, "kind", ras_table_kind_name(table->kind));
    json_uint_or_null(j, "rows", table_rows(table, info));
    put_table_columns(j, table);
    json_close(j);
}

/* The schema that a source's tables are in when its side is queried alone. */
static const char *source_schema(const struct request *r, const struct shown_source *s)
{
    return r->shown->sides[s->side].run ? s->pen : "main";
}

static int put_source_tables(struct request *r, struct json *j, unsigned src)
{
    const struct shown_source *s = &r->shown->sources[src];
    const struct ras_rundir *run = r->shown->sides[s->side].run;
    struct ras_tables_options how = {.struct_size = sizeof how,
                                     .run = run,
                                     .pen = run ? s->run_pen : 0,
                                     .progress = r->progress,
                                     .user = r->user};
    struct ras_tables *tables = NULL;
    struct ras_info *info = NULL;
    int status = ras_info(&info, s->trace, r->progress, r->user, &r->err);
    if (status >= 0)
        status = ras_tables_open(&tables, s->trace, &how, &r->err);
    const struct ras_table_about *table;
    for (size_t i = 0; status >= 0 && (table = ras_table_at(tables, i)); i++)
        if (table->kind != RAS_TABLE_SYSTEM && table->kind != RAS_TABLE_STATS)
            put_table(j, src, source_schema(r, s), table, info);
    ras_tables_close(tables);
    ras_info_free(info);
    return status < 0 ? status : RAS_OK;
}

static int answer_tables(struct request *r)
{
    struct json j = request_json(r);
    int status = RAS_OK;
    json_bool(&j, "sql", r->options->sql && r->options->sql->version == SQL_ENGINE_VERSION);
    json_uint(&j, "rows_most", QUERY_ROWS_MOST);
    json_uint(&j, "timeout_ms", QUERY_TIMEOUT_MS);
    json_uint(&j, "memory_bytes", QUERY_MEMORY);
    json_array(&j, "tables");
    for (unsigned i = 0; i < r->shown->source_count && status >= 0; i++)
        if (r->shown->sources[i].trace &&
            (!r->args[0].given || r->shown->sources[i].side == r->args[0].value))
            status = put_source_tables(r, &j, i);
    json_close(&j);
    return status < 0 ? status : request_end(r, &j);
}

const struct route query_routes[] = {
    {.path = "sql",
     .post = true,
     .job = true,
     .is_long = true,
     .args = {{"side", ARG_SIDE}},
     .answer = answer_sql},
    {.path = "tables", .job = true, .args = {{"side", ARG_SIDE}}, .answer = answer_tables},
    {0},
};
