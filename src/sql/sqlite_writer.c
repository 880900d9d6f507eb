/* sqlite_writer.c - tables of traces as a database of SQLite: one transaction, a prepared INSERT a
 * table. Values are those of `rastrum sql`: a u64 by its bit pattern, lists as JSON, NaN is NULL.
 */
#include "base/error.h"
#include "export/table_writer.h"
#include "sql/catalog.h"
#include "sql/cell_text.h"
#include "sql/run_tables.h"
#include "sql/sqlite_file.h"
#include <rastrum/sql.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct database {
    struct sink_vfs vfs;
    sqlite3 *db;
};

/* A table whose rows are inserted. */
struct insertion {
    struct database *to;
    struct table_source source;
    sqlite3_stmt *insert;
    struct cell_text text;
};

/* ---- the file ------------------------------------------------------------------------------- */

static int database_do(struct database *d, const char *text, struct ras_error *err)
{
    return sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK
               ? RAS_OK
               : sink_vfs_fail(&d->vfs, d->db, "database", err);
}

/* Whatever ends it early, the sink is dropped: no journal is needed. */
static int database_open(void **file, struct ras_sink *sink, struct ras_error *err)
{
    struct database *d = calloc(1, sizeof *d);
    *file = d;
    if (!d)
        return fail_memory(err);
    int status = sink_vfs_open(&d->vfs, sink, &d->db, err);
    if (status == RAS_OK)
        status = database_do(d,
                             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                             "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                             "PRAGMA cache_size=-8192; PRAGMA encoding='UTF-8'; BEGIN",
                             err);
    return status;
}

static int database_finish(void *file, struct ras_error *err)
{
    struct database *d = file;
    int status = database_do(d, "COMMIT", err);
    if (status == RAS_OK && sqlite3_close(d->db) != SQLITE_OK)
        return sink_vfs_fail(&d->vfs, d->db, "database", err);
    if (status == RAS_OK)
        d->db = NULL;
    return status;
}

static void database_close(void *file)
{
    struct database *d = file;
    if (!d)
        return;
    sqlite3_close(d->db);
    sink_vfs_close(&d->vfs);
    free(d);
}

/* ---- a table -------------------------------------------------------------------------------- */

static void put_quoted_name(struct out *out, const char *name)
{
    char *quoted = ras_sql_quote(name);
    if (quoted)
        out_text(out, quoted);
    else
        out->failed = true;
    free(quoted);
}

static void put_create(struct out *out, const struct table_source *s)
{
    out_text(out, "CREATE TABLE ");
    put_quoted_name(out, s->name);
    for (size_t i = 0; i < s->column_count; i++) {
        const struct ras_column_about *about = source_column(s, i);
        out_text(out, i ? ", " : " (");
        put_quoted_name(out, about->name);
        out_byte(out, ' ');
        out_text(out, ras_sql_type(about));
    }
    out_text(out, ")");
    out_byte(out, 0);
}

static void put_insert(struct out *out, const struct table_source *s)
{
    out_text(out, "INSERT INTO ");
    put_quoted_name(out, s->name);
    for (size_t i = 0; i < s->column_count; i++)
        out_text(out, i ? ", ?" : " VALUES (?");
    out_text(out, ")");
    out_byte(out, 0);
}

static int insertion_open(void **state, struct ras_sink *sink, const struct table_source *s,
                          struct ras_error *err)
{
    struct insertion *x = calloc(1, sizeof *x);
    struct out create = {0}, insert = {0};
    int status = RAS_OK;
    (void)sink; /* the file has it */
    *state = x;
    if (!x)
        return fail_memory(err);
    x->to = s->file;
    x->source = *s;
    int most = sqlite3_limit(x->to->db, SQLITE_LIMIT_COLUMN, -1);
    if (s->column_count > (size_t)most)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "%.60s has %zu columns, a table of SQLite at most %d: choose fields", s->name,
                    s->column_count, most);
    put_create(&create, s);
    put_insert(&insert, s);
    sqlite3 *db = x->to->db;
    if (create.failed || insert.failed)
        status = fail_memory(err);
    else if (sqlite3_exec(db, (const char *)create.at, NULL, NULL, NULL) != SQLITE_OK ||
             sqlite3_prepare_v2(db, (const char *)insert.at, -1, &x->insert, NULL) != SQLITE_OK)
        status = sink_vfs_fail(&x->to->vfs, db, s->name, err);
    out_free(&create);
    out_free(&insert);
    return status;
}

/* ---- views and tables of a run --------------------------------------------------------------- */

static bool database_has(const struct database *d, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(d->db, "main", table, column, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* "command" AS (SELECT ...): a table of the file under the name that it has in `rastrum sql`, with
 * the columns that it has there. False: the file does not have it. */
static bool put_renamed(struct out *out, const struct database *d, const char *format,
                        const struct ras_table_about *about)
{
    char full[1200];
    size_t count = 0;
    snprintf(full, sizeof full, "%s_%.1100s", format, about->name);
    put_quoted_name(out, about->name);
    for (size_t i = 0; i < about->column_count; i++) {
        const struct ras_column_about *c = &about->columns[i];
        if (c->flags & RAS_HIDDEN || !strcmp(c->name, "trace") || !database_has(d, full, c->name))
            continue;
        out_text(out, count++ ? ", " : " AS (SELECT ");
        put_quoted_name(out, c->name);
    }
    out_text(out, " FROM ");
    put_quoted_name(out, full);
    out_byte(out, ')');
    return count;
}

/* The text that creates a view and uses it once, with a NUL; false: the file does not have all of
 * its tables. */
static bool put_view(struct out *out, const struct database *d, const char *format,
                     const struct sql_view *view, const struct ras_tables *tables)
{
    char full[1200];
    snprintf(full, sizeof full, "%s_%s", format, view->name);
    out_text(out, "CREATE VIEW ");
    put_quoted_name(out, full);
    for (size_t i = 0; i < sizeof view->needs / sizeof *view->needs && view->needs[i]; i++) {
        out_text(out, i ? ", " : " AS WITH ");
        if (!put_renamed(out, d, format, ras_table_of(tables, view->needs[i])))
            return false;
    }
    out_byte(out, ' ');
    out_text(out, view->select);
    out_text(out, "; SELECT 1 FROM ");
    put_quoted_name(out, full);
    out_text(out, " LIMIT 0");
    out_byte(out, 0);
    return true;
}

static int drop_view(struct database *d, const char *format, const char *name,
                     struct ras_error *err)
{
    char *text = sqlite3_mprintf("DROP VIEW IF EXISTS \"%w_%w\"", format, name);
    int status = text ? database_do(d, text, err) : fail_memory(err);
    sqlite3_free(text);
    return status;
}

/* The views of `rastrum sql`. One that needs columns which were not chosen fails when it is used,
 * and goes. */
static int database_views(void *file, const struct ras_tables *tables, const char *format,
                          uint64_t *views, struct ras_error *err)
{
    struct database *d = file;
    const struct sql_view *view;
    struct out text = {0};
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && (view = sql_view_at(i)) != NULL; i++) {
        text.len = 0;
        if (!sql_view_fits(view, tables) || !put_view(&text, d, format, view, tables))
            continue;
        if (text.failed)
            status = fail_memory(err);
        else if (database_do(d, (const char *)text.at, NULL) == RAS_OK)
            ++*views;
        else
            status = drop_view(d, format, view->name, err);
    }
    out_free(&text);
    return status;
}

static int database_run(void *file, struct ras_rundir *run, uint64_t *tables, struct ras_error *err)
{
    struct database *d = file;
    const struct ras_sql_source source = {.run = run};
    const struct ras_sql_options options = {.struct_size = sizeof options};
    struct catalog catalog = {0};
    int status = catalog_open(&catalog, &source, 1, &options, err);
    if (status == RAS_OK) {
        struct module module = {.catalog = &catalog};
        status = run_tables_store(d->db, &module, err);
        run_tables_free(&module);
    }
    catalog_close(&catalog);
    *tables += 2;
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int bind_bytes(sqlite3_stmt *insert, int at, struct ras_bytes bytes, bool is_blob)
{
    if (is_blob)
        return bytes.len ? sqlite3_bind_blob64(insert, at, bytes.at, bytes.len, SQLITE_STATIC)
                         : sqlite3_bind_zeroblob(insert, at, 0);
    return sqlite3_bind_text64(insert, at, bytes.len ? (const char *)bytes.at : "", bytes.len,
                               SQLITE_STATIC, SQLITE_UTF8);
}

/* Bytes need not live longer than the row; JSON of the next cell would replace that of this one. */
static int bind_json(struct insertion *x, int at, const struct ras_column *c,
                     const struct ras_column_about *about, size_t row)
{
    struct ras_bytes json = cell_text_of(&x->text, c, about, about->type, row);
    if (!json.at || x->text.out.failed)
        return SQLITE_NOMEM;
    return sqlite3_bind_text64(x->insert, at, (const char *)json.at, json.len, SQLITE_TRANSIENT,
                               SQLITE_UTF8);
}

static int bind_cell(struct insertion *x, int at, const struct ras_column *c,
                     const struct ras_column_about *about, size_t row)
{
    if (cell_is_null(c, row))
        return sqlite3_bind_null(x->insert, at);
    if (about->type <= RAS_T_I64)
        return sqlite3_bind_int64(x->insert, at, cell_integer(c, about->type, row));
    if (about->type <= RAS_T_F64)
        return sqlite3_bind_double(x->insert, at, cell_real(c, about->type, row));
    if (about->type == RAS_T_LIST)
        return bind_json(x, at, c, about, row);
    return bind_bytes(x->insert, at, cell_text_of(&x->text, c, about, about->type, row),
                      about->type == RAS_T_BLOB);
}

static int insertion_write(void *state, const struct ras_batch *batch, struct ras_error *err)
{
    struct insertion *x = state;
    const struct table_source *s = &x->source;
    for (size_t i = 0; i < batch_count(batch); i++) {
        size_t row = batch_row(batch, i);
        int code = SQLITE_OK;
        for (size_t c = 0; code == SQLITE_OK && c < s->column_count; c++)
            code = bind_cell(x, (int)c + 1, &batch->columns[c], source_column(s, c), row);
        if (code == SQLITE_NOMEM)
            return fail_memory(err);
        if (code != SQLITE_OK || sqlite3_step(x->insert) != SQLITE_DONE)
            return sink_vfs_fail(&x->to->vfs, x->to->db, s->name, err);
        sqlite3_reset(x->insert);
    }
    return RAS_OK;
}

static int insertion_finish(void *state, struct ras_error *err)
{
    struct insertion *x = state;
    sqlite3_stmt *insert = x->insert;
    x->insert = NULL;
    return sqlite3_finalize(insert) == SQLITE_OK
               ? RAS_OK
               : sink_vfs_fail(&x->to->vfs, x->to->db, x->source.name, err);
}

static void insertion_close(void *state)
{
    struct insertion *x = state;
    if (!x)
        return;
    sqlite3_finalize(x->insert);
    cell_text_free(&x->text);
    free(x);
}

const struct ras_table_writer *ras_sql_table_writer(void)
{
    static const struct ras_table_writer writer = {.open = insertion_open,
                                                   .write = insertion_write,
                                                   .finish = insertion_finish,
                                                   .close = insertion_close,
                                                   .has_null_items = true,
                                                   .nans = "numbers that are NaN are null",
                                                   .file_open = database_open,
                                                   .file_views = database_views,
                                                   .file_run = database_run,
                                                   .file_finish = database_finish,
                                                   .file_close = database_close};
    return &writer;
}
