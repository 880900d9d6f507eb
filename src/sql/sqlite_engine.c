/* sqlite_engine.c - SQLite as the engine: a connection that can read traces and nothing else.
 *
 * Statements come from anybody: after the tables are made, an authorizer denies what it does not
 * know, and limits hold for memory, time and the size of everything. */
#include "base/error.h"
#include "sql/engine.h"
#include "sql/run_tables.h"
#include "sql/sqlite_hints.h"
#include "sql/sqlite_module.h"

#include <rastrum/symbols.h>
#include <stdio.h>
#include <string.h>

enum { PROGRESS_STEPS = 10000, ROOM = 240 };

struct state {
    sqlite3 *db;
    struct module module;
    size_t live; /* statements */
};

struct sqlite_query {
    struct ras_sql_query query;
    sqlite3_stmt *statement;
    char *text; /* to prepare it once more */
    uint64_t rows;
};

/* ---- what a statement may do --------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (!sqlite3_stricmp(name, names[i]))
            return true;
    return false;
}

/* Default deny. */
static int authorize(void *user, int action, const char *a, const char *b, const char *database,
                     const char *trigger)
{
    static const char *const pragmas[] = {"table_info", "table_xinfo", "table_list",
                                          "database_list", "function_list"};
    static const char *const functions[] = {"load_extension", "fts3_tokenizer"};
    if (((const struct module *)user)->declaring)
        return SQLITE_OK;
    (void)trigger;
    bool is_temp = database && !sqlite3_stricmp(database, "temp");
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_one_of(b, functions, 2) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return is_one_of(a, pragmas, sizeof pragmas / sizeof *pragmas) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        return is_temp ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static void set_limits(sqlite3 *db, uint64_t max_memory)
{
    static const struct {
        int what, most;
    } rows[] = {{SQLITE_LIMIT_ATTACHED, 0},
                {SQLITE_LIMIT_LENGTH, 64 << 20},
                {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                {SQLITE_LIMIT_EXPR_DEPTH, 200},
                {SQLITE_LIMIT_COMPOUND_SELECT, 100},
                {SQLITE_LIMIT_VDBE_OP, 1000000},
                {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 5000},
                {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sqlite3_limit(db, rows[i].what, rows[i].most);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_hard_heap_limit64((sqlite3_int64)(max_memory > INT64_MAX ? INT64_MAX : max_memory));
}

/* Tables that SQLite makes when they are first named, by a statement that the authorizer would
 * deny: named once before. */
static void name_built_in(sqlite3 *db)
{
    static const char *const texts[] = {"SELECT 1 FROM pragma_table_info LIMIT 0",
                                        "SELECT 1 FROM pragma_table_xinfo LIMIT 0",
                                        "SELECT 1 FROM pragma_table_list LIMIT 0",
                                        "SELECT 1 FROM pragma_database_list LIMIT 0",
                                        "SELECT 1 FROM pragma_function_list LIMIT 0",
                                        "SELECT 1 FROM json_each('[]')",
                                        "SELECT 1 FROM json_tree('[]')"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        (void)sqlite3_exec(db, texts[i], NULL, NULL, NULL); /* one that is missing stays denied */
}

static int on_progress(void *user)
{
    return !module_goes_on(user);
}

/* ---- opening ------------------------------------------------------------------------------- */

static int fail_db(struct ras_error *err, sqlite3 *db, const char *what)
{
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s: %s", what,
                db ? sqlite3_errmsg(db) : "out of memory");
}

/* A statement of our own, of three names or texts. */
static int run_own(sqlite3 *db, struct ras_error *err, char *text)
{
    int status = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return status == SQLITE_OK ? RAS_OK : fail_db(err, db, "cannot make a table");
}

static int make_table(sqlite3 *db, const struct sql_table *table, size_t i, struct ras_error *err)
{
    char *schema = ras_sql_quote(table->shown.schema), *name = ras_sql_quote(table->shown.name);
    int status = RAS_OK;
    if (!schema || !name)
        status = fail_memory(err);
    else if (table->shown.view)
        status = run_own(
            db, err, sqlite3_mprintf("CREATE VIEW %s.%s AS %s", schema, name, table->shown.view));
    else
        status = run_own(db, err,
                         sqlite3_mprintf("CREATE VIRTUAL TABLE %s.%s USING rastrum(%llu)", schema,
                                         name, (unsigned long long)i));
    free(schema);
    free(name);
    return status;
}

static int make_schemas(sqlite3 *db, const struct catalog *c, struct ras_error *err)
{
    for (size_t i = 0; i < c->schema_count; i++) {
        char *name = ras_sql_quote(c->schemas[i]);
        int status = name ? run_own(db, err, sqlite3_mprintf("ATTACH ':memory:' AS %s", name))
                          : fail_memory(err);
        free(name);
        if (status < 0)
            return status;
    }
    for (size_t i = 0; i < c->table_count; i++) {
        int status = make_table(db, &c->tables[i], i, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

/* ---- names in several schemas -------------------------------------------------------------- */

/* SQLite takes a table that is in several schemas from the first of them; a query of one trace
 * would look like one of all. SQLite searches `main` first, and its own names of a statement before
 * that: such a name is a view there, of a table that does not exist and whose name is the answer.
 * Whether a name is qualified is thus decided by SQLite itself. */
static const char several_schemas[] = " is in several schemas: write ";

static int by_name(const void *a, const void *b)
{
    const struct ras_sql_table *const *x = a, *const *y = b;
    int order = sqlite3_stricmp((*x)->name, (*y)->name);
    return order ? order : (*x > *y) - (*x < *y);
}

static int make_several(sqlite3 *db, const struct ras_sql_table *const *tables, size_t count,
                        struct ras_error *err)
{
    char text[ROOM];
    size_t len = (size_t)snprintf(text, sizeof text, "%.60s%s", tables[0]->name, several_schemas);
    for (size_t i = 0; i < count && i < 4 && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.40s.%.60s", i ? " or " : "",
                                tables[i]->schema, tables[i]->name);
    if (count > 4 && len < sizeof text)
        snprintf(text + len, sizeof text - len, " or ...");
    char *name = ras_sql_quote(tables[0]->name), *from = ras_sql_quote(text);
    int status =
        name && from
            ? run_own(db, err,
                      sqlite3_mprintf("CREATE VIEW main.%s AS SELECT * FROM %s", name, from))
            : fail_memory(err);
    free(name);
    free(from);
    return status;
}

static int name_several(sqlite3 *db, const struct catalog *c, struct ras_error *err)
{
    const struct ras_sql_table **all = calloc(c->table_count + 1, sizeof *all);
    int status = all ? RAS_OK : fail_memory(err);
    for (size_t i = 0; all && i < c->table_count; i++)
        all[i] = &c->tables[i].shown;
    if (all && c->schema_count > 1)
        qsort(all, c->table_count, sizeof *all, by_name);
    for (size_t i = 0, next; status == RAS_OK && c->schema_count > 1 && i < c->table_count;
         i = next) {
        bool is_main = false;
        for (next = i; next < c->table_count && !sqlite3_stricmp(all[next]->name, all[i]->name);
             next++)
            is_main |= !strcmp(all[next]->schema, "main");
        if (next - i > 1 && !is_main)
            status = make_several(db, all + i, next - i, err);
    }
    free(all);
    return status;
}

/* The answer in SQLite's message about such a view; NULL: it is another one. */
static const char *several_text(const char *message)
{
    static const char missing[] = "no such table: main.";
    if (strncmp(message, missing, strlen(missing)) != 0 || !strstr(message, several_schemas))
        return NULL;
    return message + strlen(missing);
}

static int sqlite_engine_open(struct ras_sql *sql, struct ras_error *err)
{
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return fail_memory(err);
    sql->state = s;
    s->module.catalog = &sql->catalog;
    s->module.options = sql->options;
    s->module.stop = sql->stop;
    s->module.lost = sql->lost;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(":memory:", &s->db, flags, NULL) != SQLITE_OK)
        return fail_db(err, s->db, "cannot open SQLite");
    if (module_register(s->db, &s->module, "rastrum") != SQLITE_OK ||
        functions_register(s->db, &s->module) != SQLITE_OK)
        return fail_db(err, s->db, "cannot open SQLite");
    int status = make_schemas(s->db, &sql->catalog, err);
    if (status == RAS_OK)
        status = run_tables_make(s->db, &s->module, err);
    if (status == RAS_OK)
        status = name_several(s->db, &sql->catalog, err);
    if (status < 0)
        return status;
    name_built_in(s->db);
    set_limits(s->db, sql->options.max_memory);
    sqlite3_set_authorizer(s->db, authorize, &s->module);
    sqlite3_progress_handler(s->db, PROGRESS_STEPS, on_progress, &s->module);
    return RAS_OK;
}

static void sqlite_engine_close(struct ras_sql *sql)
{
    struct state *s = sql->state;
    module_between(&s->module);
    sqlite3_close(s->db);
    run_tables_free(&s->module);
    ras_symbols_close(s->module.symbols);
    free(s);
}

/* ---- failures ------------------------------------------------------------------------------ */

/* A failure of SQLite in our words; `at` is the place in the text, or -1. */
static int fail_query(struct ras_sql *sql, int code, int at, struct ras_error *err)
{
    struct state *s = sql->state;
    const struct module *m = &s->module;
    const char *message = sqlite3_errmsg(s->db);
    char hint[240];
    uint64_t offset = at < 0 ? RAS_NONE : (uint64_t)at;
    if (m->timed_out)
        return fail(err, RAS_ELIMIT, RAS_NONE, "the query ran longer than %" PRIu64 " ms",
                    m->options.timeout_ms);
    if (m->canceled || code == SQLITE_INTERRUPT)
        return fail_canceled(err);
    if (code == SQLITE_NOMEM)
        return fail(err, RAS_EMEMORY, RAS_NONE,
                    "the query needs more than %" PRIu64 " bytes of memory", m->options.max_memory);
    const char *several = several_text(message);
    if (several)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s", several);
    if (!strcmp(message, "incomplete input") && m->text)
        return fail(err, RAS_EUSAGE, strlen(m->text), "the statement is incomplete: it ends here");
    static const char token[] = "unrecognized token: \"";
    const char *quote = message + strlen(token);
    if (!strncmp(message, token, strlen(token)) && (*quote == '\'' || *quote == '"'))
        return fail(err, RAS_EUSAGE, offset, "the text that begins here has no closing %c", *quote);
    if (strstr(message, "may not be modified"))
        return fail(err, RAS_EUSAGE, offset, "%s: traces are only read here", message);
    if (code == SQLITE_AUTH)
        return fail(err, RAS_EUSAGE, offset, "%s: traces are only read here", message);
    char *said = sqlite3_mprintf("%s", message); /* the hint's statements replace it */
    if (!said)
        return fail_memory(err);
    if (offset == RAS_NONE)
        offset = sqlite_place(m->text, said);
    sqlite_hint(s->db, &sql->catalog, m->text, said, hint, sizeof hint);
    int status =
        fail(err, code == SQLITE_TOOBIG ? RAS_ELIMIT : RAS_EUSAGE, offset, "%s%s", said, hint);
    sqlite3_free(said);
    return status;
}

/* ---- queries ------------------------------------------------------------------------------- */

/* Names and types live as long as the statement. */
static void describe_columns(struct sqlite_query *q)
{
    for (size_t i = 0; i < q->query.column_count; i++) {
        const char *type = sqlite3_column_decltype(q->statement, (int)i);
        q->query.columns[i] =
            (struct ras_sql_column){.name = sqlite3_column_name(q->statement, (int)i),
                                    .type = type,
                                    .flags = type && !strcmp(type, "UBIGINT_HEX") ? RAS_HEX : 0};
    }
}

static int make_columns(struct sqlite_query *q, struct ras_error *err)
{
    size_t count = (size_t)sqlite3_column_count(q->statement);
    q->query.columns = calloc(count + 1, sizeof *q->query.columns);
    q->query.cells = calloc(count + 1, sizeof *q->query.cells);
    if (!q->query.columns || !q->query.cells)
        return fail_memory(err);
    q->query.column_count = count;
    describe_columns(q);
    return RAS_OK;
}

static int compile(struct sqlite_query *q, const char *text, size_t len, size_t *used,
                   struct ras_error *err)
{
    struct state *s = q->query.sql->state;
    const char *tail = text;
    if (!s->live)
        module_between(&s->module);
    s->module.text = text;
    int code = sqlite3_prepare_v2(s->db, text, (int)len, &q->statement, &tail), status = RAS_OK;
    *used = (size_t)(tail - text);
    if (code != SQLITE_OK)
        status = fail_query(q->query.sql, code, sqlite3_error_offset(s->db), err);
    s->module.text = NULL;
    return status;
}

static int sqlite_engine_prepare(struct ras_sql_query **out, struct ras_sql *sql, const char *text,
                                 size_t len, size_t *used, struct ras_error *err)
{
    struct state *s = sql->state;
    if (len > 1 << 20)
        return fail(err, RAS_ELIMIT, RAS_NONE, "SQL of %zu bytes exceeds the limit of %d", len,
                    1 << 20);
    struct sqlite_query *q = calloc(1, sizeof *q);
    if (!q)
        return fail_memory(err);
    q->query.sql = sql;
    q->text = text_copy(text, len);
    int status = q->text ? compile(q, q->text, len, used, err) : fail_memory(err);
    if (status == RAS_OK && q->statement) {
        s->live++;
        status = make_columns(q, err);
        q->text[*used] = 0;
    }
    if (status < 0 || !q->statement)
        ras_sql_query_close(&q->query);
    else
        *out = &q->query;
    return status;
}

static void sqlite_engine_query_close(struct ras_sql_query *query)
{
    struct sqlite_query *q = (struct sqlite_query *)query;
    struct state *s = query->sql->state;
    if (q->statement) {
        sqlite3_finalize(q->statement);
        if (!--s->live)
            module_between(&s->module);
    }
    free(q->text);
}

/* An integer by the type that its column was declared with. */
static struct ras_value integer_cell(const char *type, int64_t value)
{
    struct ras_value v = {.kind = RAS_INT, .i = value};
    if (type && type[0] == 'U') /* UTINYINT, USMALLINT, UINTEGER, UBIGINT, UBIGINT_HEX */
        v.kind = RAS_UINT;
    else if (type && !strcmp(type, "BOOLEAN") && (value == 0 || value == 1))
        v.kind = RAS_BOOL;
    return v;
}

static struct ras_value take_cell(sqlite3_stmt *statement, int i, const char *type)
{
    struct ras_value v = {.kind = RAS_NULL};
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
        return integer_cell(type, sqlite3_column_int64(statement, i));
    case SQLITE_FLOAT:
        v.kind = RAS_F64;
        v.f64 = sqlite3_column_double(statement, i);
        if (type && !strcmp(type, "FLOAT") && (double)(float)v.f64 == v.f64) {
            float single = (float)v.f64;
            v.kind = RAS_F32;
            v.u = 0;
            v.f32 = single;
        }
        return v;
    case SQLITE_TEXT:
        v.kind = RAS_STR;
        v.at = sqlite3_column_text(statement, i);
        break;
    case SQLITE_BLOB:
        v.kind = RAS_BLOB;
        v.at = sqlite3_column_blob(statement, i);
        break;
    default:
        return v;
    }
    v.count = (uint32_t)sqlite3_column_bytes(statement, i);
    return v;
}

/* Grouping needed too much memory and no row was given out: once more, with SQLite's sorter. */
static int step_ungrouped(struct sqlite_query *q, struct ras_error *err, int *code)
{
    struct state *s = q->query.sql->state;
    size_t used;
    sqlite3_finalize(q->statement);
    q->statement = NULL;
    if (!--s->live)
        module_between(&s->module);
    s->module.ungrouped = true;
    int status = compile(q, q->text, strlen(q->text), &used, err);
    s->module.ungrouped = false;
    if (status < 0 || !q->statement)
        return status < 0 ? status : fail_memory(err);
    s->live++;
    describe_columns(q);
    *code = sqlite3_step(q->statement);
    return RAS_OK;
}

static int sqlite_engine_next(struct ras_sql_query *query, struct ras_error *err)
{
    struct sqlite_query *q = (struct sqlite_query *)query;
    struct state *s = query->sql->state;
    if (!q->statement)
        return fail(err, RAS_EUSAGE, RAS_NONE, "the query has failed");
    int code = sqlite3_step(q->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE && s->module.grouping_failed && !q->rows) {
        int status = step_ungrouped(q, err, &code);
        if (status < 0)
            return status;
    }
    if (code == SQLITE_DONE)
        return RAS_END;
    if (code != SQLITE_ROW)
        return fail_query(query->sql, code, -1, err);
    q->rows++;
    for (size_t i = 0; i < query->column_count; i++)
        query->cells[i] = take_cell(q->statement, (int)i, query->columns[i].type);
    return RAS_OK;
}

bool ras_sql_is_complete(const char *text)
{
    return sqlite3_complete(text);
}

const struct sql_engine sqlite_engine = {
    .name = "sqlite",
    .open = sqlite_engine_open,
    .close = sqlite_engine_close,
    .prepare = sqlite_engine_prepare,
    .next = sqlite_engine_next,
    .query_close = sqlite_engine_query_close,
};
