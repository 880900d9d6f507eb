/* duckdb_engine.c - DuckDB as the engine, where it is installed.
 *
 * Its database is in memory and has only views of the traces; files and settings are denied to
 * statements. SQLite, which is always there, prepares every statement, too: where it understands
 * it, the names and types of the result are those of SQLite, so that both print the same. */
#include "sql/duckdb_engine.h"
#include "base/error.h"
#include "base/os.h"
#include "base/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct duckdb_query {
    struct ras_sql_query query;
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
    struct module *m = &d->module;
    char text[200];
    if (said && !strncmp(said, "INTERRUPT", 9) && module_goes_on(m))
        return fail_canceled(err);
    if (m->timed_out)
        return fail(err, RAS_ELIMIT, RAS_NONE, "the query ran longer than %" PRIu64 " ms",
                    m->options.timeout_ms);
    if (m->canceled)
        return fail_canceled(err);
    if (m->err.status < 0) { /* of a table: as it was told there */
        *err = m->err;
        return err->status;
    }
    one_line(said ? said : "no reason given", text, sizeof text);
    if (strstr(text, "Out of Memory Error"))
        return fail(err, RAS_EMEMORY, RAS_NONE,
                    "the query needs more than %" PRIu64 " bytes of memory", m->options.max_memory);
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
    d->names = (struct ras_sql){
        .engine = &sqlite_engine, .options = sql->options, .catalog = sql->catalog};
    d->tables = calloc(sql->catalog.table_count + 2, sizeof *d->tables);
    int status = d->tables ? sqlite_engine.open(&d->names, err) : fail_memory(err);
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
    struct duckdb *d = q->query.sql->state;
    duckdb_handle all = NULL;
    uint64_t count = duck.extract_statements(d->connection, text, &all);
    const char *said = all ? duck.extract_statements_error(all) : NULL;
    int status = RAS_OK;
    if (!count)
        status = said && *said ? duckdb_fail(q->query.sql, said, err) : RAS_END;
    else if (count > 1)
        status = fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                      "the end of the statement is not clear: ask for one at a time");
    else if (duck.prepare_extracted_statement(d->connection, all, 0, &q->statement))
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
    if (ras_sql_prepare(&q->names, &d->names, text, strlen(text), &used, &err) < 0)
        q->names = NULL;
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

/* A thread that interrupts DuckDB at the deadline, or when the caller cancels: one step of an
 * execution can take any time. */
struct watch {
    struct duckdb *duckdb;
    struct os_mutex mutex;
    struct os_condition changed;
    struct os_thread thread;
    uint64_t deadline_ns; /* of os_boot_ns(); 0: none */
    bool done;
};
enum { WATCH_MS = 20 };

static void *watch_run(void *user)
{
    struct watch *w = user;
    const struct ras_sql_options *o = &w->duckdb->module.options;
    mutex_lock(&w->mutex);
    while (!w->done) {
        condition_wait_ms(&w->changed, &w->mutex, WATCH_MS);
        if (!w->done && ((w->deadline_ns && os_boot_ns() >= w->deadline_ns) ||
                         (o->progress && !o->progress(o->user, 0, 0))))
            duck.interrupt(w->duckdb->connection);
    }
    mutex_unlock(&w->mutex);
    return NULL;
}

static bool watch_start(struct watch *w, struct duckdb *d)
{
    uint64_t ms = d->module.options.timeout_ms;
    *w = (struct watch){.duckdb = d, .deadline_ns = ms ? os_boot_ns() + ms * 1000000 : 0};
    if (!mutex_init(&w->mutex))
        return false;
    if (condition_init(&w->changed)) {
        if (thread_start(&w->thread, watch_run, w))
            return true;
        condition_free(&w->changed);
    }
    mutex_free(&w->mutex);
    return false;
}

static void watch_stop(struct watch *w)
{
    mutex_lock(&w->mutex);
    w->done = true;
    condition_notify_all(&w->changed);
    mutex_unlock(&w->mutex);
    thread_join(&w->thread);
    condition_free(&w->changed);
    mutex_free(&w->mutex);
}

static int execute_steps(struct duckdb_query *q, struct ras_error *err)
{
    struct duckdb *d = q->query.sql->state;
    duckdb_handle pending = NULL;
    int status = RAS_OK, step = DUCKDB_NOT_READY;
    if (duck.pending_prepared(q->statement, &pending))
        status = duckdb_fail(q->query.sql, pending ? duck.pending_error(pending) : NULL, err);
    while (status == RAS_OK && step == DUCKDB_NOT_READY) {
        if (!module_goes_on(&d->module))
            status = duckdb_fail(q->query.sql, NULL, err);
        else if ((step = duck.pending_execute_task(pending)) == DUCKDB_FAILED)
            status = duckdb_fail(q->query.sql, duck.pending_error(pending), err);
    }
    if (status == RAS_OK) {
        q->has_result = true;
        if (duck.execute_pending(pending, &q->result))
            status = duckdb_fail(q->query.sql, duck.result_error(&q->result), err);
    }
    if (pending)
        duck.destroy_pending(&pending);
    return status == RAS_OK ? show_columns(q, err) : status;
}

static int execute(struct duckdb_query *q, struct ras_error *err)
{
    struct watch watch;
    if (!watch_start(&watch, q->query.sql->state))
        return fail(err, RAS_EMEMORY, RAS_NONE, "no thread can be started");
    int status = execute_steps(q, err);
    watch_stop(&watch);
    return status;
}

static int duckdb_engine_prepare(struct ras_sql_query **out, struct ras_sql *sql, const char *text,
                                 size_t len, size_t *used, struct ras_error *err)
{
    struct duckdb *d = sql->state;
    if (len > 1 << 20)
        return fail(err, RAS_ELIMIT, RAS_NONE, "SQL of %zu bytes exceeds the limit of %d", len,
                    1 << 20);
    *used = statement_length(text, len);
    struct duckdb_query *q = calloc(1, sizeof *q);
    char *copy = text_copy(text, *used);
    int status = q && copy ? RAS_OK : fail_memory(err);
    if (status == RAS_OK) {
        q->query.sql = sql;
        if (!d->live++)
            module_between(&d->module);
        d->module.err.status = RAS_OK;
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
    ras_sql_query_close(q->names);
    d->live--;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int next_chunk(struct duckdb_query *q, struct ras_error *err)
{
    struct duckdb *d = q->query.sql->state;
    do {
        if (!module_goes_on(&d->module))
            return duckdb_fail(q->query.sql, NULL, err);
        if (q->chunk)
            duck.destroy_data_chunk(&q->chunk);
        q->chunk = duck.fetch_chunk(q->result);
        if (!q->chunk) {
            const char *said = duck.result_error(&q->result);
            return said && *said ? duckdb_fail(q->query.sql, said, err) : RAS_END;
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
