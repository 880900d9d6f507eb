/* duckdb_engine.c - DuckDB as the engine, where it is installed.
 *
 * Its database is in memory and has only views of the traces; files and settings are denied to
 * statements. SQLite, which is always there, prepares every statement, too: where it understands
 * it, the names and types of the result are those of SQLite, so that both print the same. */
#include "sql/duckdb_engine.h"
#include "base/error.h"
#include "base/os.h"
#include "sql/lost.h"
#include "sql/run_tables.h"

#include <inttypes.h>
#include <rastrum/symbols.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MOST = 64 };

struct duckdb_query {
    struct ras_sql_query query;
    duckdb_handle connection; /* the engine's, or its own while another query is live */
    struct duckdb_watch watch;
    duckdb_handle statement, chunk;
    struct duckdb_result result;
    struct ras_sql_query *names; /* the same in SQLite; NULL: it is unknown there */
    struct duckdb_column *shown;
    size_t shown_count;
    uint64_t row, rows; /* of the chunk */
    bool has_result, has_ended;
};

/* ---- failures ------------------------------------------------------------------------------ */

/* One line of what DuckDB says, without the lines that show the statement. */
static void one_line(const char *said, char *text, size_t room)
{
    const char *place = strstr(said, "\n\nLINE ");
    size_t len = place ? (size_t)(place - said) : strlen(said), n = 0;
    for (size_t i = 0; i < len && n + 3 < room; i++) {
        if (said[i] != '\n') {
            text[n++] = said[i];
        } else if (n && text[n - 1] != ' ') {
            text[n++] = ';';
            text[n++] = ' ';
        }
    }
    text[n] = 0;
}

static int duckdb_fail(struct ras_sql *sql, const char *said, struct ras_error *err)
{
    struct duckdb *d = sql->state;
    const struct ras_sql_options *o = &d->module.options;
    int stop = atomic_load(&d->stop);
    char text[200];
    if (stop == DUCKDB_TIMED_OUT)
        return fail(err, RAS_ELIMIT, RAS_NONE, "the query ran longer than %" PRIu64 " ms",
                    o->timeout_ms);
    if (stop || (said && !strncmp(said, "INTERRUPT", 9)))
        return fail_canceled(err);
    if (d->module.err.status < 0) { /* of a table: as it was reported there */
        *err = d->module.err;
        return err->status;
    }
    one_line(said ? said : "no reason given", text, sizeof text);
    if (strstr(text, "Out of Memory Error"))
        return fail(err, RAS_EMEMORY, RAS_NONE,
                    "the query needs more than %" PRIu64 " bytes of memory", o->max_memory);
    if (!strncmp(text, "Permission Error", 16))
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s: traces are only read here", text);
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s", text);
}

/* ---- opening ------------------------------------------------------------------------------- */

/* Nothing is loaded or kept outside memory, whatever statements say. */
static int open_database(struct duckdb *d, struct ras_error *err)
{
    static const char *const settings[][2] = {{"temp_directory", ""},
                                              {"autoinstall_known_extensions", "false"},
                                              {"autoload_known_extensions", "false"},
                                              {"allow_persistent_secrets", "false"},
                                              {"allow_community_extensions", "false"},
                                              {"threads", "1"}};
    duckdb_handle config = NULL;
    char *said = NULL;
    if (duck.create_config(&config))
        return fail_memory(err);
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof settings / sizeof *settings; i++)
        if ((failed = duck.set_config(config, settings[i][0], settings[i][1])))
            fail(err, RAS_EUNSUPPORTED, RAS_NONE, "duckdb: it has no setting %s", settings[i][0]);
    if (!failed && (failed = duck.open_ext(":memory:", &d->database, config, &said)))
        fail(err, RAS_EUNSUPPORTED, RAS_NONE, "duckdb: %.180s", said ? said : "cannot be opened");
    duck.free(said);
    duck.destroy_config(&config);
    if (!failed && (failed = duck.connect(d->database, &d->connection)))
        fail(err, RAS_EUNSUPPORTED, RAS_NONE, "duckdb: no connection");
    return failed ? RAS_EUNSUPPORTED : RAS_OK;
}

static int duckdb_engine_open(struct ras_sql *sql, struct ras_error *err)
{
    char why[200];
    if (!duckdb_load(why, sizeof why))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "duckdb: %s", why);
    struct duckdb *d = calloc(1, sizeof *d);
    if (!d)
        return fail_memory(err);
    sql->state = d;
    d->module.catalog = &sql->catalog;
    d->module.options = sql->options;
    d->module.is_extension = true; /* what was read is not kept for a statement */
    d->module.stop = &d->stop;
    d->module.lost = sql->lost;
    d->module.lost->keeps_nan = true;
    d->threads = sql->options.threads ? sql->options.threads : os_processors();
    d->threads = d->threads > THREADS_MOST ? THREADS_MOST : d->threads;
    d->names = (struct ras_sql){.engine = &sqlite_engine,
                                .options = sql->options,
                                .catalog = sql->catalog,
                                .stop = &d->stop};
    d->tables = calloc(sql->catalog.table_count + 2, sizeof *d->tables);
    int status = d->tables ? duckdb_traces_open(d, err) : fail_memory(err);
    if (status == RAS_OK)
        status = sqlite_engine.open(&d->names, err);
    if (status == RAS_OK)
        status = open_database(d, err);
    return status == RAS_OK ? duckdb_views_make(sql, err) : status;
}

static void duckdb_engine_close(struct ras_sql *sql)
{
    struct duckdb *d = sql->state;
    if (d->connection)
        duck.disconnect(&d->connection);
    if (d->database)
        duck.close(&d->database);
    if (d->names.state)
        sqlite_engine.close(&d->names);
    duckdb_traces_close(d);
    run_tables_free(&d->module);
    ras_symbols_close(d->module.symbols);
    free(d->tables);
    free(d);
}

/* ---- statements ---------------------------------------------------------------------------- */

/* How long a text in quotes or a comment is that begins here; 0: there is none. */
static size_t skip_quoted(const char *at, size_t len)
{
    static const struct {
        const char *begin, *end;
    } rows[] = {{"'", "'"}, {"\"", "\""}, {"--", "\n"}, {"/*", "*/"}, {"$$", "$$"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t from = strlen(rows[i].begin), size = strlen(rows[i].end);
        if (len < from || memcmp(at, rows[i].begin, from) != 0)
            continue;
        for (size_t k = from; k + size <= len; k++)
            if (!memcmp(at + k, rows[i].end, size))
                return k + size;
        return len;
    }
    return 0;
}

/* The length of the first statement, with its semicolon. */
static size_t statement_length(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        size_t quoted = skip_quoted(text + at, len - at);
        if (!quoted && text[at] == ';')
            return at + 1;
        at += quoted ? quoted : 1;
    }
    return len;
}

/* RAS_END: only blanks and comments. */
static int compile_statement(struct duckdb_query *q, const char *text, struct ras_error *err)
{
    duckdb_handle all = NULL;
    uint64_t count = duck.extract_statements(q->connection, text, &all);
    const char *said = all ? duck.extract_statements_error(all) : NULL;
    int status = RAS_OK;
    if (!count)
        status = said && *said ? duckdb_fail(q->query.sql, said, err) : RAS_END;
    else if (count > 1)
        status = fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                      "the end of the statement is not clear: ask for one at a time");
    else if (duck.prepare_extracted_statement(q->connection, all, 0, &q->statement))
        status = duckdb_fail(q->query.sql, duck.prepare_error(q->statement), err);
    duck.destroy_extracted(&all);
    return status;
}

/* SQLite's names and types, where it knows the statement. */
static void name_columns(struct duckdb_query *q, const char *text)
{
    struct duckdb *d = q->query.sql->state;
    struct ras_error err;
    size_t used;
    mutex_lock(&d->lock);
    if (ras_sql_prepare(&q->names, &d->names, text, strlen(text), &used, &err) < 0)
        q->names = NULL;
    mutex_unlock(&d->lock);
}

/* ---- execution ----------------------------------------------------------------------------- */

static int show_column(struct duckdb_query *q, size_t i, struct ras_error *err)
{
    struct duckdb_column *c = &q->shown[i];
    struct ras_sql_column *column = &q->query.columns[i];
    c->type = duck.column_logical_type(&q->result, i);
    c->kind = duck.get_type_id(c->type);
    int kind = c->kind;
    if (kind == DUCKDB_LIST) {
        duckdb_handle item = duck.list_type_child_type(c->type);
        kind = duck.get_type_id(item);
        duck.destroy_logical_type(&item);
        kind = kind == DUCKDB_LIST ? -1 : kind;
    }
    column->name = duck.column_name(&q->result, i);
    if (!duckdb_column_can_show(kind))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "column %.80s has a type that is not shown: CAST it AS VARCHAR", column->name);
    return RAS_OK;
}

static int show_columns(struct duckdb_query *q, struct ras_error *err)
{
    size_t count = duck.column_count(&q->result), named = 0;
    q->query.columns = calloc(count + 1, sizeof *q->query.columns);
    q->query.cells = calloc(count + 1, sizeof *q->query.cells);
    q->shown = calloc(count + 1, sizeof *q->shown);
    if (!q->query.columns || !q->query.cells || !q->shown)
        return fail_memory(err);
    q->shown_count = q->query.column_count = count;
    const struct ras_sql_column *names = q->names ? ras_sql_columns(q->names, &named) : NULL;
    for (size_t i = 0; i < count; i++) {
        int status = show_column(q, i, err);
        if (status < 0)
            return status;
        if (!names || named != count)
            continue;
        q->query.columns[i] = names[i];
        if (q->shown[i].kind != DUCKDB_UBIGINT)
            q->query.columns[i].flags &= ~(unsigned)RAS_HEX;
        q->shown[i].known = true;
        q->shown[i].declared = names[i].type;
    }
    return RAS_OK;
}

/* Rows are handed out while it executes, where this version of DuckDB can do that. */
static int start_execution(struct duckdb_query *q, duckdb_handle *pending)
{
    return duck.pending_prepared_streaming ? duck.pending_prepared_streaming(q->statement, pending)
                                           : duck.pending_prepared(q->statement, pending);
}

/* Until there is a result; with several threads there may be nothing to do for this one. */
static int execute_steps(struct duckdb_query *q, duckdb_handle pending, struct ras_error *err)
{
    struct ras_sql *sql = q->query.sql;
    int step = DUCKDB_NOT_READY;
    while (step == DUCKDB_NOT_READY || step == DUCKDB_NO_TASK) {
        if (!duckdb_goes_on(sql->state))
            return duckdb_fail(sql, NULL, err);
        step = duck.pending_execute_task(pending);
        if (step == DUCKDB_FAILED)
            return duckdb_fail(sql, duck.pending_error(pending), err);
        if (step == DUCKDB_NO_TASK)
            (void)os_sleep(1);
    }
    q->has_result = true;
    return duck.execute_pending(pending, &q->result)
               ? duckdb_fail(sql, duck.result_error(&q->result), err)
               : RAS_OK;
}

static int execute(struct duckdb_query *q, struct ras_error *err)
{
    struct duckdb *d = q->query.sql->state;
    duckdb_handle pending = NULL;
    if (!duckdb_watch_start(&q->watch, d, q->connection))
        return fail(err, RAS_EMEMORY, RAS_NONE, "no thread can be started");
    int status = start_execution(q, &pending)
                     ? duckdb_fail(q->query.sql, pending ? duck.pending_error(pending) : NULL, err)
                     : execute_steps(q, pending, err);
    if (pending)
        duck.destroy_pending(&pending);
    return status == RAS_OK ? show_columns(q, err) : status;
}

/* A result that is handed out while it is made ends with the next query of its connection. */
static int connect_query(struct duckdb_query *q, struct ras_error *err)
{
    struct duckdb *d = q->query.sql->state;
    q->connection = d->connection;
    if (!d->live++) {
        module_between(&d->module);
        d->module.err.status = RAS_OK;
        atomic_store(&d->stop, DUCKDB_GOES_ON);
        atomic_store(&d->done, 0);
        atomic_store(&d->total, 0);
        return RAS_OK;
    }
    return duck.connect(d->database, &q->connection)
               ? fail(err, RAS_EMEMORY, RAS_NONE, "duckdb: no further connection")
               : RAS_OK;
}

static int duckdb_engine_prepare(struct ras_sql_query **out, struct ras_sql *sql, const char *text,
                                 size_t len, size_t *used, struct ras_error *err)
{
    if (len > 1 << 20)
        return fail(err, RAS_ELIMIT, RAS_NONE, "SQL of %zu bytes exceeds the limit of %d", len,
                    1 << 20);
    *used = statement_length(text, len);
    struct duckdb_query *q = calloc(1, sizeof *q);
    char *copy = text_copy(text, *used);
    int status = q && copy ? RAS_OK : fail_memory(err);
    if (status == RAS_OK) {
        q->query.sql = sql;
        status = connect_query(q, err);
        if (status == RAS_OK)
            status = compile_statement(q, copy, err);
        if (status == RAS_OK) {
            name_columns(q, copy);
            status = execute(q, err); /* before that its columns are unknown */
        }
    }
    free(copy);
    if (status == RAS_OK)
        *out = &q->query;
    else if (q && q->query.sql)
        ras_sql_query_close(&q->query);
    else
        free(q);
    return status == RAS_END ? RAS_OK : status;
}

static void duckdb_engine_query_close(struct ras_sql_query *query)
{
    struct duckdb_query *q = (struct duckdb_query *)query;
    struct duckdb *d = query->sql->state;
    if (q->watch.runs) { /* it has not ended: threads that work for it are to leave */
        duck.interrupt(q->connection);
        duckdb_watch_stop(&q->watch);
    }
    for (size_t i = 0; i < q->shown_count; i++) {
        if (q->shown[i].type)
            duck.destroy_logical_type(&q->shown[i].type);
        out_free(&q->shown[i].text);
    }
    free(q->shown);
    if (q->chunk)
        duck.destroy_data_chunk(&q->chunk);
    if (q->has_result)
        duck.destroy_result(&q->result);
    if (q->statement)
        duck.destroy_prepare(&q->statement);
    if (q->connection && q->connection != d->connection)
        duck.disconnect(&q->connection);
    mutex_lock(&d->lock);
    ras_sql_query_close(q->names);
    mutex_unlock(&d->lock);
    d->live--;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int next_chunk(struct duckdb_query *q, struct ras_error *err)
{
    struct duckdb *d = q->query.sql->state;
    do {
        if (!duckdb_goes_on(d))
            return duckdb_fail(q->query.sql, NULL, err);
        if (q->chunk)
            duck.destroy_data_chunk(&q->chunk);
        q->chunk = duck.fetch_chunk(q->result);
        if (!q->chunk) {
            const char *said = duck.result_error(&q->result);
            if (atomic_load(&d->stop) || (said && *said))
                return duckdb_fail(q->query.sql, said, err);
            duckdb_watch_stop(&q->watch);
            int status = duckdb_traces_end(d, err);
            return status < 0 ? status : RAS_END;
        }
        q->rows = duck.data_chunk_get_size(q->chunk);
    } while (!q->rows);
    q->row = 0;
    for (size_t i = 0; i < q->shown_count; i++)
        q->shown[i].vector = duck.data_chunk_get_vector(q->chunk, i);
    return RAS_OK;
}

static int duckdb_engine_next(struct ras_sql_query *query, struct ras_error *err)
{
    struct duckdb_query *q = (struct duckdb_query *)query;
    int status = RAS_OK;
    if (q->has_ended)
        return RAS_END;
    if (q->row == q->rows)
        status = next_chunk(q, err);
    q->has_ended = status != RAS_OK;
    if (status != RAS_OK)
        return status;
    for (size_t i = 0; i < q->shown_count; i++) {
        query->cells[i] = duckdb_cell(&q->shown[i], q->row);
        if (q->shown[i].text.failed)
            return fail_memory(err);
    }
    q->row++;
    return RAS_OK;
}

const struct sql_engine duckdb_engine = {
    .name = "duckdb",
    .find = duckdb_load,
    .open = duckdb_engine_open,
    .close = duckdb_engine_close,
    .prepare = duckdb_engine_prepare,
    .next = duckdb_engine_next,
    .query_close = duckdb_engine_query_close,
};
