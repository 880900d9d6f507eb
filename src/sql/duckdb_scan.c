/* duckdb_scan.c - a table of a trace as a table function of DuckDB.
 *
 * DuckDB names the columns that it uses; conditions stay with it. The table is a list of units:
 * the shares of each trace, or a trace as a whole. Threads take one after the other, so that one
 * thread alone delivers rows in stored order; DuckDB uses only one where the order matters. */
#include "base/error.h"
#include "sql/duckdb_engine.h"
#include "sql/sqlite_reader.h"

#include <stdio.h>
#include <string.h>

/* A share of a member of the table; without marks: all of it, over the trace of the catalog. */
struct unit {
    size_t member;
    bool is_share;
    const struct ras_mark *begin, *end;
    uint64_t size_bytes; /* about */
};

/* One execution: what all threads have in common. */
struct scan {
    struct duckdb_table *table;
    uint16_t *wanted, *read; /* read: without row numbers, which count rows */
    size_t wanted_count, read_count;
    struct unit *units;
    size_t unit_count, unit_room;
    atomic_size_t next;
    atomic_uint users;       /* itself, and threads: the last one frees it */
    struct lost_count *lost; /* by column, of all units */
};

/* What a thread reads. */
struct scan_thread {
    struct duckdb *duckdb;
    struct scan *scan; /* known with the first call for rows */
    struct reader reader;
    struct unit unit;
    bool has_unit;
    const struct sql_trace *trace; /* of the unit */
    struct ras_tables *tables;     /* of a share */
    size_t at;                     /* row of the batch */
    bool has_batch;
    struct ras_sql_query *query; /* of a table that is a query */
    bool has_ended;              /* it: SQLite would begin again */
    struct out text;
};

void duckdb_note_failure(struct duckdb *d, const struct ras_error *err)
{
    mutex_lock(&d->lock);
    if (d->module.err.status == RAS_OK)
        d->module.err = *err;
    mutex_unlock(&d->lock);
}

/* ---- binding ------------------------------------------------------------------------------- */

static void scan_bind(duckdb_handle info)
{
    const struct duckdb_table *t = duck.bind_get_extra_info(info);
    uint64_t rows = 0;
    struct out name = {0};
    for (size_t i = 0; i < t->column_count; i++) {
        const char *own = t->columns[i].name;
        struct ras_bytes shown =
            duckdb_text((struct ras_bytes){(const uint8_t *)own, strlen(own)}, &name);
        char *copy = text_copy(shown.at, shown.len);
        duckdb_handle type = duckdb_type_of(t, i);
        duck.bind_add_result_column(info, copy ? copy : own, type);
        duck.destroy_logical_type(&type);
        free(copy);
    }
    out_free(&name);
    for (size_t i = 0; t->read.table && i < t->read.table->member_count; i++) {
        uint64_t more = t->read.table->members[i].about->rows;
        rows = more == RAS_NONE || rows == RAS_NONE ? RAS_NONE : rows + more;
    }
    if (t->read.table && rows != RAS_NONE)
        duck.bind_set_cardinality(info, rows, false);
}

/* ---- units --------------------------------------------------------------------------------- */

static void scan_forget(void *data)
{
    struct scan *s = data;
    if (atomic_fetch_sub(&s->users, 1) > 1)
        return;
    if (s->lost)
        lost_note(s->table->duckdb->module.lost, s->table->read.table, s->lost);
    free(s->lost);
    free(s->wanted);
    free(s->units);
    free(s);
}

static bool add_units(struct scan *s, size_t member)
{
    const struct sql_member *m = &s->table->read.table->members[member];
    struct duckdb *d = s->table->duckdb;
    size_t count = 1;
    const struct ras_mark *marks = duckdb_shares_of(d, m, &count);
    if (!marks)
        count = 1;
    if (!array_grow(&s->units, &s->unit_room, s->unit_count + count, sizeof *s->units))
        return false;
    uint64_t size = ras_size(m->trace->trace);
    for (size_t i = 0; i < count; i++)
        s->units[s->unit_count++] = (struct unit){.member = member,
                                                  .is_share = marks != NULL,
                                                  .begin = marks && i ? &marks[i - 1] : NULL,
                                                  .end = i + 1 < count ? &marks[i] : NULL,
                                                  .size_bytes = size / count};
    atomic_fetch_add(&d->total, size);
    return true;
}

static bool scan_start(struct scan *s, duckdb_handle info)
{
    struct duckdb *d = s->table->duckdb;
    bool fine = s->wanted != NULL;
    if (fine && !s->table->query)
        fine = (s->lost = calloc(s->table->column_count + 1, sizeof *s->lost)) != NULL;
    s->read = s->wanted + s->wanted_count;
    for (size_t i = 0; fine && i < s->wanted_count; i++) {
        uint64_t column = duck.init_get_column_index(info, i);
        s->wanted[i] = column < s->table->column_count ? (uint16_t)column : SQL_NO_COLUMN;
        if (s->wanted[i] != SQL_NO_COLUMN)
            s->read[s->read_count++] = s->wanted[i];
    }
    mutex_lock(&d->lock);
    for (size_t i = 0; fine && !s->table->query && i < s->table->read.table->member_count; i++)
        fine = add_units(s, i);
    mutex_unlock(&d->lock);
    return fine;
}

static void scan_init(duckdb_handle info)
{
    struct scan *s = calloc(1, sizeof *s);
    if (!s) {
        duck.init_set_error(info, "out of memory");
        return;
    }
    s->table = duck.init_get_extra_info(info);
    s->users = 1;
    s->wanted_count = duck.init_get_column_count(info);
    s->wanted = calloc(2 * s->wanted_count + 1, sizeof *s->wanted);
    bool fine = scan_start(s, info);
    duck.init_set_init_data(info, s, scan_forget);
    duck.init_set_max_threads(info, s->unit_count ? s->unit_count : 1);
    if (!fine)
        duck.init_set_error(info, "out of memory");
}

/* ---- one thread ---------------------------------------------------------------------------- */

/* What is not a share is read over the trace of the catalog, or by SQLite: by one at a time. */
static void enter_trace(struct scan_thread *t)
{
    if (!t->tables)
        mutex_lock(&t->duckdb->lock);
}

static void leave_trace(struct scan_thread *t)
{
    if (!t->tables)
        mutex_unlock(&t->duckdb->lock);
}

static void end_unit(struct scan_thread *t)
{
    if (!t->has_unit)
        return;
    mutex_lock(&t->duckdb->lock);
    for (size_t i = 0; t->reader.lost && i < t->scan->table->column_count; i++) {
        t->scan->lost[i].unfit += t->reader.lost[i].unfit;
        t->scan->lost[i].nan += t->reader.lost[i].nan;
    }
    mutex_unlock(&t->duckdb->lock);
    enter_trace(t);
    reader_close(&t->reader);
    leave_trace(t);
    atomic_fetch_add(&t->duckdb->done, t->unit.size_bytes);
    if (t->tables)
        duckdb_tables_give(t->duckdb, t->trace, t->tables);
    t->tables = NULL;
    t->has_unit = t->has_batch = false;
}

/* RAS_END: there are no more. */
static int next_unit(struct scan_thread *t, struct ras_error *err)
{
    struct scan *s = t->scan;
    size_t i = atomic_fetch_add(&s->next, 1);
    int status = RAS_OK;
    end_unit(t);
    if (i >= s->unit_count)
        return RAS_END;
    const struct unit *u = &s->units[i];
    t->trace = s->table->read.table->members[u->member].trace;
    if (u->is_share)
        status = duckdb_tables_take(t->duckdb, t->trace, &t->tables, err);
    if (status < 0)
        return status;
    t->unit = *u;
    t->has_unit = true;
    t->reader = (struct reader){.wanted = s->read,
                                .wanted_count = s->read_count,
                                .member = u->member,
                                .last = u->member + 1,
                                .is_share = true,
                                .tables = t->tables,
                                .begin = u->begin,
                                .end = u->end};
    return reader_open(&t->reader, &s->table->read, err);
}

/* The next batch, of this unit or of another one. */
static int next_rows(struct scan_thread *t, struct ras_error *err)
{
    for (;;) {
        int status = RAS_END;
        if (t->has_unit) {
            enter_trace(t);
            status = reader_next(&t->reader, err);
            leave_trace(t);
        }
        t->has_batch = status == RAS_OK;
        t->at = 0;
        if (status != RAS_END)
            return status;
        status = next_unit(t, err);
        if (status != RAS_OK)
            return status;
    }
}

static int batch_rows(struct scan_thread *t, duckdb_handle chunk, uint64_t *rows,
                      struct ras_error *err)
{
    const struct scan *s = t->scan;
    *rows = 0;
    if (!t->has_batch || t->at == t->reader.batch->rows) {
        int status = next_rows(t, err);
        if (status != RAS_OK)
            return status;
    }
    uint64_t left = t->reader.batch->rows - t->at, most = duck.vector_size();
    uint64_t count = left < most ? left : most;
    for (size_t i = 0; i < s->wanted_count; i++)
        if (s->wanted[i] != SQL_NO_COLUMN &&
            !duckdb_fill(s->table, &t->reader, duck.data_chunk_get_vector(chunk, i), s->wanted[i],
                         t->at, count, &t->text))
            return fail_memory(err);
    if (t->text.failed || t->reader.text.out.failed)
        return fail_memory(err);
    t->at += count;
    *rows = count;
    return RAS_OK;
}

static int query_rows(struct scan_thread *t, duckdb_handle chunk, uint64_t *rows,
                      struct ras_error *err)
{
    const struct scan *s = t->scan;
    const struct ras_value *cells;
    int status = RAS_OK;
    for (*rows = 0; !t->has_ended && *rows < duck.vector_size(); ++*rows) {
        status = ras_sql_next(t->query, &cells, err);
        t->has_ended = status != RAS_OK;
        if (t->has_ended)
            break;
        for (size_t i = 0; i < s->wanted_count; i++)
            if (s->wanted[i] != SQL_NO_COLUMN)
                duckdb_put_cell(duck.data_chunk_get_vector(chunk, i), *rows,
                                s->table->columns[s->wanted[i]].type, &cells[s->wanted[i]],
                                &t->text);
    }
    return status;
}

static void scan_rows(duckdb_handle info, duckdb_handle chunk)
{
    struct scan_thread *t = duck.function_get_local_init_data(info);
    struct ras_error err;
    uint64_t rows = 0;
    int status;
    if (!t->scan) {
        t->scan = duck.function_get_init_data(info);
        atomic_fetch_add(&t->scan->users, 1);
    }
    if (t->query) {
        enter_trace(t);
        status = query_rows(t, chunk, &rows, &err);
        leave_trace(t);
    } else {
        status = batch_rows(t, chunk, &rows, &err);
    }
    duck.data_chunk_set_size(chunk, status < 0 ? 0 : rows);
    if (status < 0) {
        duckdb_note_failure(t->duckdb, &err);
        duck.function_set_error(info, err.text);
    }
}

static void thread_forget(void *data)
{
    struct scan_thread *t = data;
    end_unit(t);
    if (t->query) {
        enter_trace(t);
        ras_sql_query_close(t->query);
        leave_trace(t);
    }
    if (t->scan)
        scan_forget(t->scan);
    out_free(&t->text);
    free(t);
}

static void thread_init(duckdb_handle info)
{
    struct duckdb_table *table = duck.init_get_extra_info(info);
    struct scan_thread *t = calloc(1, sizeof *t);
    struct ras_error err;
    size_t used;
    if (!t) {
        duck.init_set_error(info, "out of memory");
        return;
    }
    int status = RAS_OK;
    t->duckdb = table->duckdb;
    if (table->query) {
        mutex_lock(&table->duckdb->lock);
        status = ras_sql_prepare(&t->query, &table->duckdb->names, table->query,
                                 strlen(table->query), &used, &err);
        mutex_unlock(&table->duckdb->lock);
    }
    duck.init_set_init_data(info, t, thread_forget);
    if (status < 0) {
        duckdb_note_failure(table->duckdb, &err);
        duck.init_set_error(info, err.text);
    }
}

int duckdb_scan_register(struct duckdb *d, size_t table, struct ras_error *err)
{
    char name[40];
    duckdb_handle function = duck.create_table_function();
    snprintf(name, sizeof name, "rastrum_%zu", table);
    duck.table_function_set_name(function, name);
    duck.table_function_set_extra_info(function, &d->tables[table], NULL);
    duck.table_function_set_bind(function, scan_bind);
    duck.table_function_set_init(function, scan_init);
    duck.table_function_set_local_init(function, thread_init);
    duck.table_function_set_function(function, scan_rows);
    duck.table_function_supports_projection_pushdown(function, true);
    int status = duck.register_table_function(d->connection, function);
    duck.destroy_table_function(&function);
    return status ? fail(err, RAS_EUNSUPPORTED, RAS_NONE, "DuckDB takes no table function")
                  : RAS_OK;
}
