/* run_tables.c - what only run directories have: run.json as a table, and when each tick was.
 *
 * A tick begins with the first of its records that has a time: which records these are is known by
 * order (ras_rundir_tick_of), not by comparing clocks. The times are read when they are first
 * needed. */
#include "sql/run_tables.h"
#include "base/error.h"
#include <rastrum/rundir.h>
#include "base/id_table.h"
#include "base/out.h"
#include "base/sort.h"

#include <stdio.h>
#include <string.h>

struct run_ticks {
    struct run_ticks *next;
    const struct ras_rundir *run;
    const char *name;
    uint64_t first_tick, first_frame; /* RAS_NONE: no frames */
    struct run_tick *ticks;
    size_t count, room;
};

/* ---- run.json ------------------------------------------------------------------------------ */

static bool append_json(void *user, const void *bytes, size_t size)
{
    out_bytes(user, bytes, size);
    return !((struct out *)user)->failed;
}

static int bind_value(sqlite3_stmt *insert, const struct ras_value *v, struct out *text)
{
    struct ras_json *json;
    if (v->kind == RAS_NULL)
        return sqlite3_bind_null(insert, 3);
    if (v->kind == RAS_STR)
        return sqlite3_bind_text64(insert, 3, v->at, v->count, SQLITE_TRANSIENT, SQLITE_UTF8);
    text->len = 0;
    if (ras_json_open_callback(&json, append_json, text, 0, NULL) < 0)
        return SQLITE_NOMEM;
    ras_json_cell(json, NULL, v, 0);
    if (ras_json_close(json, NULL) < 0)
        return SQLITE_NOMEM;
    return sqlite3_bind_text64(insert, 3, (const char *)text->at, text->len, SQLITE_TRANSIENT,
                               SQLITE_UTF8);
}

/* Members with dots between their names; lists as JSON. */
static int insert_members(sqlite3_stmt *insert, const char *name, const char *above,
                          const struct ras_value *map, struct out *text)
{
    const struct ras_value *end = ras_value_next(map), *v;
    int status = SQLITE_OK;
    for (const struct ras_value *key = map + 1; status == SQLITE_OK && key < end;
         key = ras_value_next(v)) {
        char path[512];
        v = key + 1;
        snprintf(path, sizeof path, "%s%s%.*s", above, *above ? "." : "",
                 key->count < 120 ? (int)key->count : 120, (const char *)key->at);
        if (v->kind == RAS_MAP && strlen(path) < 300) {
            status = insert_members(insert, name, path, v, text);
            continue;
        }
        sqlite3_bind_text(insert, 1, name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(insert, 2, path, -1, SQLITE_TRANSIENT);
        status = bind_value(insert, v, text);
        if (status == SQLITE_OK && sqlite3_step(insert) != SQLITE_DONE)
            status = SQLITE_ERROR;
        sqlite3_reset(insert);
    }
    return status;
}

/* ---- ticks --------------------------------------------------------------------------------- */

static size_t column_named(const struct ras_table_about *about, const char *name)
{
    for (size_t i = 0; about && i < about->column_count; i++)
        if (!strcmp(about->columns[i].name, name))
            return i;
    return SQL_NO_COLUMN;
}

/* The smallest trace of a run whose records have times and ticks. */
static const struct sql_trace *find_clock(const struct catalog *c, const struct ras_rundir *run,
                                          uint16_t columns[2])
{
    const struct sql_trace *best = NULL;
    for (size_t i = 0; i < c->trace_count; i++) {
        const struct sql_trace *t = &c->traces[i];
        const struct ras_table_about *about =
            t->run == run ? ras_table_of(t->tables, "record") : NULL;
        size_t tick = column_named(about, "run_tick"), time = column_named(about, "time_ns");
        if (tick == SQL_NO_COLUMN || time == SQL_NO_COLUMN ||
            (best && ras_size(best->trace) <= ras_size(t->trace)))
            continue;
        best = t;
        columns[0] = (uint16_t)tick;
        columns[1] = (uint16_t)time;
    }
    return best;
}

static bool is_valid(const struct ras_column *c, size_t row)
{
    return !c->valid || c->valid[row / 8] >> row % 8 & 1;
}

static bool note_time(struct run_ticks *t, struct id_table *ids, uint64_t tick, uint64_t time)
{
    uint32_t i = id_table_find(ids, tick);
    if (i == ID_TABLE_NONE) {
        if (!array_grow(&t->ticks, &t->room, t->count + 1, sizeof *t->ticks) ||
            !id_table_add(ids, tick, (uint32_t)t->count))
            return false;
        t->ticks[t->count++] = (struct run_tick){tick, time, time};
        return true;
    }
    if (time < t->ticks[i].begin_ns)
        t->ticks[i].begin_ns = time;
    if (time > t->ticks[i].end_ns)
        t->ticks[i].end_ns = time;
    return true;
}

static int read_times(struct run_ticks *t, struct module *m, struct id_table *ids,
                      struct ras_error *err)
{
    uint16_t columns[2];
    const struct sql_trace *clock = find_clock(m->catalog, t->run, columns);
    struct ras_columns_scan scan = {.struct_size = sizeof scan,
                                    .table = "record",
                                    .columns = columns,
                                    .column_count = 2,
                                    .progress = module_progress,
                                    .user = m};
    struct ras_columns *reader;
    const struct ras_batch *batch;
    if (!clock)
        return RAS_OK;
    int status = ras_columns_open(&reader, clock->tables, &scan, err);
    if (status < 0)
        return status;
    while ((status = ras_columns_next(reader, &batch, err)) == RAS_OK) {
        const struct ras_column *tick = &batch->columns[0], *time = &batch->columns[1];
        for (size_t i = 0; status == RAS_OK && i < batch->rows; i++)
            if (is_valid(tick, i) && is_valid(time, i) &&
                !note_time(t, ids, ((const uint64_t *)tick->values)[i],
                           ((const uint64_t *)time->values)[i]))
                status = fail_memory(err);
        if (status < 0)
            break;
    }
    ras_columns_close(reader);
    return status < 0 ? status : RAS_OK;
}

static int compare_ticks(const void *a, const void *b, void *context)
{
    const struct run_tick *x = a, *y = b;
    (void)context;
    return (x->tick > y->tick) - (x->tick < y->tick);
}

static uint64_t axis_number(const struct ras_rundir *run, const char *axis, const char *member)
{
    const struct ras_value *v = run->json ? ras_value_member(run->json, "axes") : NULL;
    v = v && v->kind == RAS_MAP ? ras_value_member(v, axis) : NULL;
    v = v && v->kind == RAS_MAP ? ras_value_member(v, member) : NULL;
    return v && (v->kind == RAS_UINT || (v->kind == RAS_INT && v->i >= 0)) ? v->u : RAS_NONE;
}

static struct run_ticks *make_ticks(struct module *m, const struct sql_trace *trace, int *status,
                                    struct ras_error *err)
{
    struct run_ticks *t = calloc(1, sizeof *t);
    struct id_table ids = {0};
    if (!t) {
        *status = fail_memory(err);
        return NULL;
    }
    t->run = trace->run;
    t->name = trace->name;
    t->first_frame = axis_number(t->run, "frame", "first");
    t->first_tick = axis_number(t->run, "frame", "first_tick");
    *status = read_times(t, m, &ids, err);
    id_table_free(&ids);
    if (t->count)
        sort_with(t->ticks, t->count, sizeof *t->ticks, compare_ticks, NULL);
    for (size_t i = 0; i + 1 < t->count; i++) /* a tick lasts until the next one */
        t->ticks[i].end_ns = t->ticks[i + 1].begin_ns;
    t->next = m->ticks;
    m->ticks = t;
    return t;
}

static const struct run_ticks *ticks_of(struct module *m, const struct sql_trace *trace,
                                        int *status, struct ras_error *err)
{
    *status = RAS_OK;
    for (const struct run_ticks *t = m->ticks; t; t = t->next)
        if (t->run == trace->run)
            return t;
    struct run_ticks *made = make_ticks(m, trace, status, err);
    if (*status < 0 && made) { /* not kept: it may work another time */
        m->ticks = made->next;
        free(made->ticks);
        free(made);
        made = NULL;
    }
    return made;
}

const struct run_tick *run_ticks_of(struct module *m, const char *name, size_t *count, int *status,
                                    struct ras_error *err)
{
    for (size_t i = 0; i < m->catalog->trace_count; i++) {
        const struct sql_trace *trace = &m->catalog->traces[i];
        if (!trace->run || (name && sqlite3_stricmp(name, trace->name) != 0))
            continue;
        const struct run_ticks *t = ticks_of(m, trace, status, err);
        *count = t ? t->count : 0;
        return t ? t->ticks : NULL;
    }
    *count = 0;
    *status = RAS_END;
    return NULL;
}

void run_tables_free(struct module *m)
{
    while (m->ticks) {
        struct run_ticks *next = m->ticks->next;
        free(m->ticks->ticks);
        free(m->ticks);
        m->ticks = next;
    }
}

/* ---- the table run_ticks ------------------------------------------------------------------- */

struct ticks_table {
    sqlite3_vtab base;
    struct module *module;
};
struct ticks_cursor {
    sqlite3_vtab_cursor base;
    size_t trace, at; /* of the catalog, and a tick of it */
    const struct run_ticks *ticks;
};

static int ticks_connect(sqlite3 *db, void *user, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message)
{
    struct ticks_table *t = calloc(1, sizeof *t);
    (void)argc;
    (void)argv;
    (void)message;
    if (!t)
        return SQLITE_NOMEM;
    t->module = user;
    *out = &t->base;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    t->module->declaring = true;
    int status = sqlite3_declare_vtab(db, "CREATE TABLE x(trace TEXT HIDDEN, run_tick UBIGINT,"
                                          " frame UBIGINT, begin_ns UBIGINT, end_ns UBIGINT)");
    t->module->declaring = false;
    if (status != SQLITE_OK)
        free(t);
    return status;
}

static int ticks_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int ticks_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1000;
    return SQLITE_OK;
}

static int ticks_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct ticks_cursor *c = calloc(1, sizeof *c);
    (void)table;
    if (!c)
        return SQLITE_NOMEM;
    *out = &c->base;
    return SQLITE_OK;
}

static int ticks_close(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

/* The next run that has ticks, from c->trace on. */
static int ticks_find(struct ticks_cursor *c)
{
    struct ticks_table *table = (struct ticks_table *)c->base.pVtab;
    const struct catalog *catalog = table->module->catalog;
    struct ras_error err;
    int status = RAS_OK;
    c->ticks = NULL;
    for (; c->trace < catalog->trace_count; c->trace++) {
        const struct sql_trace *t = &catalog->traces[c->trace];
        if (!t->run || (c->trace && catalog->traces[c->trace - 1].run == t->run))
            continue;
        c->at = 0;
        c->ticks = ticks_of(table->module, t, &status, &err);
        if (status < 0) {
            sqlite3_free(table->base.zErrMsg);
            table->base.zErrMsg = sqlite3_mprintf("%s", err.text);
            return status == RAS_ECANCELED ? SQLITE_INTERRUPT : SQLITE_ERROR;
        }
        if (c->ticks->count)
            return SQLITE_OK;
    }
    c->ticks = NULL;
    return SQLITE_OK;
}

static int ticks_filter(sqlite3_vtab_cursor *cursor, int plan, const char *text, int argc,
                        sqlite3_value **argv)
{
    struct ticks_cursor *c = (struct ticks_cursor *)cursor;
    (void)plan;
    (void)text;
    (void)argc;
    (void)argv;
    c->trace = 0;
    return ticks_find(c);
}

static int ticks_next(sqlite3_vtab_cursor *cursor)
{
    struct ticks_cursor *c = (struct ticks_cursor *)cursor;
    if (++c->at < c->ticks->count)
        return SQLITE_OK;
    c->trace++;
    return ticks_find(c);
}

static int ticks_eof(sqlite3_vtab_cursor *cursor)
{
    return !((struct ticks_cursor *)cursor)->ticks;
}

static int ticks_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int i)
{
    const struct ticks_cursor *c = (const struct ticks_cursor *)cursor;
    const struct run_tick *t = &c->ticks->ticks[c->at];
    const struct run_ticks *all = c->ticks;
    if (i == 0)
        sqlite3_result_text(context, all->name, -1, SQLITE_TRANSIENT);
    else if (i == 1)
        sqlite3_result_int64(context, (sqlite3_int64)t->tick);
    else if (i == 3)
        sqlite3_result_int64(context, (sqlite3_int64)t->begin_ns);
    else if (i == 4)
        sqlite3_result_int64(context, (sqlite3_int64)t->end_ns);
    else if (all->first_frame != RAS_NONE && all->first_tick != RAS_NONE &&
             t->tick >= all->first_tick)
        sqlite3_result_int64(context,
                             (sqlite3_int64)(all->first_frame + (t->tick - all->first_tick)));
    return SQLITE_OK;
}

static int ticks_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
    const struct ticks_cursor *c = (const struct ticks_cursor *)cursor;
    *row = (sqlite3_int64)(c->trace << 40 | c->at);
    return SQLITE_OK;
}

static const sqlite3_module ticks_rows = {
    .iVersion = 3,
    .xCreate = ticks_connect,
    .xConnect = ticks_connect,
    .xBestIndex = ticks_best_index,
    .xDisconnect = ticks_disconnect,
    .xDestroy = ticks_disconnect,
    .xOpen = ticks_open,
    .xClose = ticks_close,
    .xFilter = ticks_filter,
    .xNext = ticks_next,
    .xEof = ticks_eof,
    .xColumn = ticks_column,
    .xRowid = ticks_rowid,
};

/* ---- both ---------------------------------------------------------------------------------- */

static int insert_runs(sqlite3 *db, const struct catalog *c, size_t runs, struct ras_error *err)
{
    sqlite3_stmt *insert = NULL;
    struct out text = {0};
    int status =
        sqlite3_prepare_v2(db,
                           runs > 1 ? "INSERT INTO main.run(trace, key, value) VALUES(?1, ?2, ?3)"
                                    : "INSERT INTO main.run(key, value) VALUES(?2, ?3)",
                           -1, &insert, NULL);
    for (size_t i = 0; status == SQLITE_OK && i < c->trace_count; i++) {
        const struct sql_trace *t = &c->traces[i];
        if (t->run && t->run->json && t->run->json->kind == RAS_MAP &&
            (!i || c->traces[i - 1].run != t->run))
            status = insert_members(insert, t->name, "", t->run->json, &text);
    }
    sqlite3_finalize(insert);
    out_free(&text);
    return status == SQLITE_OK
               ? RAS_OK
               : fail(err, RAS_EMEMORY, RAS_NONE, "run.json cannot be made a table");
}

static size_t count_runs(const struct catalog *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->trace_count; i++)
        count += c->traces[i].run && (!i || c->traces[i - 1].run != c->traces[i].run);
    return count;
}

static int make_run(sqlite3 *db, struct module *m, size_t runs, const char *more,
                    struct ras_error *err)
{
    const char *create = runs > 1 ? "CREATE TABLE main.run(trace TEXT, key TEXT, value TEXT)"
                                  : "CREATE TABLE main.run(key TEXT, value TEXT)";
    if (sqlite3_exec(db, create, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_module_v2(db, "rastrum_ticks", &ticks_rows, m, NULL) != SQLITE_OK ||
        sqlite3_exec(db, more, NULL, NULL, NULL) != SQLITE_OK)
        return fail(err, RAS_EMEMORY, RAS_NONE, "cannot make tables of the run: %s",
                    sqlite3_errmsg(db));
    return insert_runs(db, m->catalog, runs, err);
}

int run_tables_make(sqlite3 *db, struct module *m, struct ras_error *err)
{
    size_t runs = count_runs(m->catalog);
    return runs ? make_run(db, m, runs, "CREATE VIRTUAL TABLE main.run_ticks USING rastrum_ticks",
                           err)
                : RAS_OK;
}

int run_tables_store(sqlite3 *db, struct module *m, struct ras_error *err)
{
    size_t runs = count_runs(m->catalog);
    int status =
        make_run(db, m, runs,
                 "CREATE VIRTUAL TABLE temp.rastrum_ticks USING rastrum_ticks;"
                 "CREATE TABLE main.run_ticks(run_tick UBIGINT, frame UBIGINT, begin_ns UBIGINT,"
                 " end_ns UBIGINT);"
                 "INSERT INTO main.run_ticks SELECT run_tick, frame, begin_ns, end_ns"
                 " FROM temp.rastrum_ticks;"
                 "DROP TABLE temp.rastrum_ticks",
                 err);
    sqlite3_create_module_v2(db, "rastrum_ticks", NULL, NULL, NULL);
    return status;
}
