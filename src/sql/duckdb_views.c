/* duckdb_views.c - the tables of the catalog in DuckDB: schemas, views over table functions.
 *
 * All of it is made before the settings that keep statements from files are made and locked. */
#include "base/error.h"
#include "sql/duckdb_engine.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

int duckdb_run_own(struct duckdb *d, const char *text, struct ras_error *err)
{
    struct duckdb_result result = {0};
    int status = RAS_OK;
    if (duck.query(d->connection, text, &result)) {
        const char *said = duck.result_error(&result);
        status = fail(err, RAS_EUNSUPPORTED, RAS_NONE, "DuckDB: %.*s",
                      said ? (int)strcspn(said, "\n") : 7, said ? said : "no more");
    }
    duck.destroy_result(&result);
    return status;
}

static int run_text(struct duckdb *d, struct out *text, struct ras_error *err)
{
    out_byte(text, 0);
    int status = text->failed ? fail_memory(err) : duckdb_run_own(d, (const char *)text->at, err);
    text->len = 0;
    return status;
}

/* A name in quotes, as UTF-8. */
static void put_name(struct out *text, const char *name)
{
    struct out copy = {0};
    struct ras_bytes shown =
        duckdb_text((struct ras_bytes){(const uint8_t *)name, strlen(name)}, &copy);
    out_byte(text, '"');
    for (size_t i = 0; i < shown.len; i++) {
        if (shown.at[i] == '"')
            out_byte(text, '"');
        out_byte(text, shown.at[i]);
    }
    out_byte(text, '"');
    text->failed = text->failed || copy.failed;
    out_free(&copy);
}

/* CREATE VIEW schema.name AS SELECT its columns that are not hidden. */
static int make_view(struct duckdb *d, const char *schema, const char *name, size_t table,
                     struct out *text, struct ras_error *err)
{
    const struct duckdb_table *t = &d->tables[table];
    size_t shown = 0;
    out_text(text, "CREATE VIEW ");
    put_name(text, schema);
    out_byte(text, '.');
    put_name(text, name);
    out_text(text, " AS SELECT ");
    for (size_t i = 0; i < t->column_count; i++) {
        if (t->columns[i].flags & RAS_HIDDEN)
            continue;
        out_text(text, shown++ ? ", " : "");
        put_name(text, t->columns[i].name);
    }
    out_format(text, "%s FROM rastrum_%zu()", shown ? "" : "*", table);
    return run_text(d, text, err);
}

static int make_schema(struct duckdb *d, const char *name, struct out *text, struct ras_error *err)
{
    out_text(text, "CREATE SCHEMA ");
    put_name(text, name);
    return run_text(d, text, err);
}

/* A view of the catalog: its tables are those of its own schema. */
static int make_own_view(struct duckdb *d, const struct ras_sql_table *t, struct out *text,
                         struct ras_error *err)
{
    out_text(text, "USE ");
    put_name(text, t->schema);
    int status = run_text(d, text, err);
    if (status < 0)
        return status;
    out_text(text, "CREATE VIEW ");
    put_name(text, t->name);
    out_format(text, " AS %s", t->view);
    return run_text(d, text, err);
}

/* ---- tables of a run ----------------------------------------------------------------------- */

#define NUMBER(column_name)                                                                        \
    {                                                                                              \
        .name = column_name, .type = RAS_T_U64                                                     \
    }
static const struct ras_column_about text_columns[] = {{.name = "trace", .type = RAS_T_TEXT},
                                                       {.name = "key", .type = RAS_T_TEXT},
                                                       {.name = "value", .type = RAS_T_TEXT}};
static const struct ras_column_about tick_columns[] = {NUMBER("run_tick"), NUMBER("frame"),
                                                       NUMBER("begin_ns"), NUMBER("end_ns")};

static int make_run_tables(struct ras_sql *sql, struct out *text, struct ras_error *err)
{
    struct duckdb *d = sql->state;
    const struct catalog *c = &sql->catalog;
    size_t runs = 0;
    for (size_t i = 0; i < c->trace_count; i++)
        runs += c->traces[i].run && (!i || c->traces[i - 1].run != c->traces[i].run);
    if (!runs)
        return RAS_OK;
    bool several = runs > 1;
    const struct duckdb_table made[] = {
        {.query =
             several ? "SELECT trace, key, value FROM main.run" : "SELECT key, value FROM main.run",
         .columns = several ? text_columns : text_columns + 1,
         .column_count = several ? 3 : 2},
        {.query = "SELECT run_tick, frame, begin_ns, end_ns FROM main.run_ticks",
         .columns = tick_columns,
         .column_count = 4}};
    static const char *const names[] = {"run", "run_ticks"};
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < 2; i++) {
        d->tables[d->table_count] = made[i];
        d->tables[d->table_count].duckdb = d;
        status = duckdb_scan_register(d, d->table_count++, err);
        if (status == RAS_OK)
            status = make_view(d, "main", names[i], d->table_count - 1, text, err);
    }
    return status;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int make_tables(struct ras_sql *sql, struct out *text, struct ras_error *err)
{
    struct duckdb *d = sql->state;
    const struct catalog *c = &sql->catalog;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < c->schema_count; i++)
        status = make_schema(d, c->schemas[i], text, err);
    for (size_t i = 0; status == RAS_OK && i < c->table_count; i++) {
        const struct sql_table *t = &c->tables[i];
        d->tables[i] = (struct duckdb_table){.duckdb = d,
                                             .read = {.module = &d->module, .table = t},
                                             .columns = t->shown.columns,
                                             .column_count = t->shown.column_count};
        d->table_count = i + 1;
        if (t->shown.view)
            continue;
        status = duckdb_scan_register(d, i, err);
        if (status == RAS_OK)
            status = make_view(d, t->shown.schema, t->shown.name, i, text, err);
    }
    for (size_t i = 0; status == RAS_OK && i < c->table_count; i++)
        if (c->tables[i].shown.view)
            status = make_own_view(d, &c->tables[i].shown, text, err);
    return status;
}

/* Functions that SQLite has by sqlite_functions.c. */
static const char *const functions[] = {
    "USE \"main\"",
    "CREATE MACRO main.hex64(x) AS format('0x{:016x}', CAST(x AS UBIGINT))",
    "CREATE MACRO main.u64(x) AS CAST(x AS UBIGINT)",
    "CREATE MACRO main.at(list, i) AS rastrum_at(list, CAST(i AS BIGINT))",
    "CREATE MACRO main.percentile(x, p) AS quantile_disc(x, p / 100.0)",
};

static int run_all(struct duckdb *d, const char *const *texts, size_t count, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < count; i++)
        status = duckdb_run_own(d, texts[i], err);
    return status;
}

int duckdb_views_make(struct ras_sql *sql, struct ras_error *err)
{
    struct duckdb *d = sql->state;
    struct out text = {0};
    int status = make_tables(sql, &text, err);
    if (status == RAS_OK)
        status = make_run_tables(sql, &text, err);
    if (status == RAS_OK)
        status = duckdb_functions_make(d, err);
    if (status == RAS_OK)
        status = run_all(d, functions, sizeof functions / sizeof *functions, err);
    /* In this order: the last one keeps statements from undoing the others. */
    if (status == RAS_OK)
        status = duckdb_run_own(d, "SET enable_external_access=false", err);
    if (status == RAS_OK) {
        out_format(&text, "SET memory_limit='%" PRIu64 "B'", sql->options.max_memory);
        status = run_text(d, &text, err);
    }
    if (status == RAS_OK) {
        out_format(&text, "SET threads=%u", d->threads);
        status = run_text(d, &text, err);
    }
    if (status == RAS_OK)
        status = duckdb_run_own(d, "SET lock_configuration=true", err);
    out_free(&text);
    return status;
}
