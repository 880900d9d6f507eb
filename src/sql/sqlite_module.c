/* sqlite_module.c - the virtual tables of SQLite over the tables of a trace.
 *
 * A cursor walks the batches of a reader, or the rows of a copy (sqlite_copy.c) where rows must be
 * grouped or a join looks them up. */
#include "sql/sqlite_module.h"
#include "base/error.h"
#include "sql/sqlite_copy.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Readers that are kept for the texts that a statement got from them. */
enum { RETIRED_MOST = 64 };

struct retired {
    struct retired *next;
    struct ras_columns *columns;
};

struct module_cursor {
    sqlite3_vtab_cursor base;
    struct reader reader;
    struct condition_value values[PLAN_CONDITIONS];
    size_t value_count;
    struct plan plan; /* of the last xFilter */
    uint16_t *wanted;
    size_t wanted_count;
    const struct copy *copy; /* NULL: the reader */
    struct copy *own;        /* of this cursor alone: grouped rows */
    struct fast_cell {
        const void *values; /* of an integer column of the batch without NULL; NULL: any other */
        enum ras_type type;
    } * fast; /* by column */
    const uint32_t *selected;
    size_t at, end; /* of the batch's selected rows, or of the copy */
    sqlite3_int64 row;
    bool eof;
    bool lasting; /* texts may be borrowed until the statement ends */
};

/* ---- the connection ------------------------------------------------------------------------ */

static uint64_t module_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool module_goes_on(struct module *m)
{
    if (m->stop)
        return !atomic_load(m->stop);
    if (m->deadline_ms && module_now_ns() / 1000000 >= m->deadline_ms)
        m->timed_out = true;
    else if (m->options.progress && !m->options.progress(m->options.user, 0, 0))
        m->canceled = true;
    return !m->timed_out && !m->canceled;
}

bool module_progress(void *module, uint64_t done, uint64_t total)
{
    struct module *m = module;
    if (m->stop)
        return module_goes_on(m);
    if (m->options.progress && !m->options.progress(m->options.user, done, total))
        m->canceled = true;
    return !m->canceled && module_goes_on(m);
}

static void drop_copies(struct module_table *t)
{
    while (t->copies) {
        struct copy *next = t->copies->next;
        copy_free(t->copies);
        t->copies = next;
    }
}

void module_between(struct module *m)
{
    while (m->retired) {
        struct retired *next = m->retired->next;
        ras_columns_close(m->retired->columns);
        free(m->retired);
        m->retired = next;
    }
    m->retired_count = 0;
    for (struct module_table *t = m->tables; t; t = t->next)
        drop_copies(t);
    m->statement++;
    m->timed_out = m->canceled = m->grouping_failed = false;
    m->deadline_ms = m->options.timeout_ms ? module_now_ns() / 1000000 + m->options.timeout_ms : 0;
}

void reader_retire(struct reader *r)
{
    struct module *m = r->table ? r->table->module : NULL;
    struct retired *kept = NULL;
    if (!r->columns)
        return;
    if (!m->is_extension && m->retired_count < RETIRED_MOST)
        kept = malloc(sizeof *kept);
    if (kept) {
        *kept = (struct retired){m->retired, r->columns};
        m->retired = kept;
        m->retired_count++;
    } else {
        ras_columns_close(r->columns);
    }
    r->columns = NULL;
}

/* ---- tables -------------------------------------------------------------------------------- */

char *module_declaration(const struct ras_column_about *columns, size_t count)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (size_t i = 0; i < count; i++) {
        char *name = ras_sql_quote(columns[i].name);
        sqlite3_str_appendf(text, "%s%s %s%s", i ? "," : "", name ? name : "",
                            ras_sql_type(&columns[i]),
                            columns[i].flags & RAS_HIDDEN ? " HIDDEN" : "");
        free(name);
    }
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

/* Rows of a table, where nobody counted them: a record has some 24 bytes. */
static uint64_t estimate_rows(const struct sql_table *table)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < table->member_count; i++) {
        const struct sql_member *m = &table->members[i];
        rows += m->about->rows != RAS_NONE ? m->about->rows : ras_size(m->trace->trace) / 24;
    }
    return rows + 1;
}

int module_connect(sqlite3 *db, void *user, int argc, const char *const *argv, sqlite3_vtab **out,
                   char **message)
{
    struct module *m = user;
    size_t index = argc > 3 ? strtoull(argv[3], NULL, 10) : SIZE_MAX;
    if (index >= m->catalog->table_count) {
        *message = sqlite3_mprintf("there is no table of that number");
        return SQLITE_ERROR;
    }
    const struct sql_table *table = &m->catalog->tables[index];
    char *text = module_declaration(table->shown.columns, table->shown.column_count);
    m->declaring =
        true; /* also later: SQLite forgets tables when a statement that fails changes any */
    int status = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
    m->declaring = false;
    sqlite3_free(text);
    if (status != SQLITE_OK) {
        *message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
        return status;
    }
    struct module_table *t = calloc(1, sizeof *t);
    if (!t)
        return SQLITE_NOMEM;
    t->module = m;
    t->table = table;
    t->rows = estimate_rows(table);
    t->next = m->tables;
    m->tables = t;
    *out = &t->base;
    return sqlite3_vtab_config(db,
                               m->is_extension ? SQLITE_VTAB_DIRECTONLY : SQLITE_VTAB_INNOCUOUS);
}

static int module_disconnect(sqlite3_vtab *vtab)
{
    struct module_table *t = (struct module_table *)vtab;
    struct module_table **link = &t->module->tables;
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    drop_copies(t);
    free(t->plans);
    free(t->uses);
    free(t);
    return SQLITE_OK;
}

static int module_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    return plan_choose((struct module_table *)vtab, info);
}

/* ---- cursors ------------------------------------------------------------------------------- */

static int module_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    const struct module_table *t = (const struct module_table *)vtab;
    struct module_cursor *c = calloc(1, sizeof *c);
    if (!c)
        return SQLITE_NOMEM;
    size_t count = t->table->shown.column_count + 1;
    c->wanted = malloc(count * sizeof *c->wanted);
    c->fast = calloc(count, sizeof *c->fast);
    if (!c->wanted || !c->fast) {
        free(c->wanted);
        free(c->fast);
        free(c);
        return SQLITE_NOMEM;
    }
    *out = &c->base;
    return SQLITE_OK;
}

static void cursor_reset(struct module_cursor *c)
{
    values_free(c->values, c->value_count);
    c->value_count = 0;
    copy_free(c->own);
    c->own = NULL;
    c->copy = NULL;
    if (c->reader.columns)
        reader_retire(&c->reader);
    reader_settle(&c->reader);
    for (size_t i = 0; i < c->wanted_count; i++)
        c->fast[c->wanted[i]].values = NULL;
    c->reader.member = 0;
    c->at = c->end = 0;
    c->row = 0;
}

static int module_close(sqlite3_vtab_cursor *cursor)
{
    struct module_cursor *c = (struct module_cursor *)cursor;
    cursor_reset(c);
    reader_close(&c->reader);
    free(c->wanted);
    free(c->fast);
    free(c);
    return SQLITE_OK;
}

/* A failure in words, for SQLite and for the caller. */
static int cursor_fail(struct module_cursor *c, const struct ras_error *err)
{
    struct module_table *t = (struct module_table *)c->base.pVtab;
    t->module->err = *err;
    c->eof = true;
    if (err->status == RAS_ECANCELED)
        return SQLITE_INTERRUPT;
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("%s", *err->text ? err->text : ras_status_text(err->status));
    return SQLITE_ERROR;
}

/* Integers are most of what is asked for: their cells take one load. */
static void find_fast(struct module_cursor *c)
{
    const struct ras_column_about *shown = c->reader.table->table->shown.columns;
    for (size_t i = 0; i < c->wanted_count; i++) {
        size_t column = c->wanted[i];
        const struct ras_column *of = reader_column(&c->reader, column);
        enum ras_type type = of ? reader_about(&c->reader, column)->type : RAS_T_JSON;
        bool is_fast = of && !of->valid && type <= RAS_T_I64 && shown[column].type <= RAS_T_I64;
        c->fast[column] = (struct fast_cell){is_fast ? of->values : NULL, type};
    }
}

static int next_batch(struct module_cursor *c)
{
    struct ras_error err;
    int status = reader_next(&c->reader, &err);
    if (status < 0)
        return cursor_fail(c, &err);
    c->eof = status == RAS_END;
    if (!c->eof) {
        c->selected = c->reader.batch->selected;
        find_fast(c);
        c->at = 0;
        c->end = c->selected ? c->reader.batch->selected_count : c->reader.batch->rows;
    }
    return SQLITE_OK;
}

static int module_next(sqlite3_vtab_cursor *cursor)
{
    struct module_cursor *c = (struct module_cursor *)cursor;
    c->row++;
    if (++c->at < c->end)
        return SQLITE_OK;
    if (!c->copy)
        return next_batch(c);
    c->eof = true;
    return SQLITE_OK;
}

static int module_eof(sqlite3_vtab_cursor *cursor)
{
    return ((struct module_cursor *)cursor)->eof;
}

static int module_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
    *row = ((struct module_cursor *)cursor)->row;
    return SQLITE_OK;
}

/* ---- copies -------------------------------------------------------------------------------- */

/* Constants of the conditions, which a copy is filtered by. */
static uint64_t hash_constants(const struct module_cursor *c)
{
    uint64_t hash = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < c->plan.condition_count; i++) {
        const struct condition_value *v = &c->values[i];
        if (!c->plan.conditions[i].fixed || !v->usable)
            continue;
        const uint8_t *at = v->value.kind == RAS_STR ? v->value.at : (const uint8_t *)&v->value.u;
        size_t len = v->value.kind == RAS_STR ? v->value.count : sizeof v->value.u;
        for (size_t k = 0; k < len; k++)
            hash = (hash ^ at[k]) * UINT64_C(0x100000001b3);
        hash = (hash ^ i) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* IN (...) is not among the constants. */
static bool has_list(const struct module_cursor *c)
{
    for (size_t i = 0; i < c->plan.condition_count; i++)
        if (c->plan.conditions[i].op == RAS_TEST_IN)
            return true;
    return false;
}

static struct copy *find_copy(const struct module_table *t, const struct module_cursor *c,
                              uint64_t constants)
{
    for (struct copy *copy = t->copies; copy; copy = copy->next)
        if (copy->constants == constants && !memcmp(&copy->plan, &c->plan, sizeof c->plan))
            return copy;
    return NULL;
}

/* The values of the keys of a copy; false: one cannot be looked up. */
static bool take_keys(const struct module_cursor *c, const struct copy *copy,
                      struct ras_value *keys)
{
    for (size_t k = 0; k < copy->key_count; k++) {
        size_t i = 0;
        while (i < c->plan.condition_count &&
               (c->plan.conditions[i].fixed || c->plan.conditions[i].op != RAS_TEST_EQ ||
                c->plan.conditions[i].column != copy->key_columns[k]))
            i++;
        if (i == c->plan.condition_count || !c->values[i].usable)
            return false;
        keys[k] = c->values[i].value;
    }
    return true;
}

/* Only constants narrow what a copy holds: other values change with every lookup. */
static int make_lookup(struct module_cursor *c, struct module_table *t, uint64_t constants,
                       struct ras_error *err)
{
    struct plan_condition conditions[PLAN_CONDITIONS];
    struct condition_value values[PLAN_CONDITIONS];
    size_t count = 0;
    for (size_t i = 0; i < c->plan.condition_count; i++)
        if (c->plan.conditions[i].fixed) {
            conditions[count] = c->plan.conditions[i];
            values[count++] = c->values[i];
        }
    uint64_t half = t->module->options.max_memory / 2, used = t->module->copy_bytes;
    struct reader r = {.conditions = conditions,
                       .values = values,
                       .condition_count = count,
                       .wanted = c->wanted,
                       .wanted_count = c->wanted_count};
    struct copy *copy = NULL;
    int status = reader_open(&r, t, err);
    if (status == RAS_OK)
        status = copy_make(&copy, &r, &c->plan, c->wanted, c->wanted_count,
                           used < half ? half - used : 0, err);
    reader_close(&r);
    if (status < 0)
        return status;
    copy->constants = constants;
    copy->next = t->copies;
    t->copies = copy;
    return RAS_OK;
}

/* Whether reading the table again has become more expensive than a copy of it. */
static bool is_worth_copying(struct module_table *t, size_t plan)
{
    const struct module *m = t->module;
    struct plan_use *use = &t->uses[plan];
    if (use->statement != m->statement)
        *use = (struct plan_use){.statement = m->statement};
    use->runs++;
    return !m->options.no_lookup && use->runs > (m->is_extension ? 8u : 1u) &&
           (use->spent_ns > 200000 || use->runs > 64);
}

/* Use a copy, made now if it is worth it. RAS_END: read the table. */
static int look_up(struct module_cursor *c, struct module_table *t, size_t plan,
                   struct ras_error *err)
{
    struct ras_value keys[PLAN_KEYS];
    uint64_t constants = hash_constants(c);
    bool worth = is_worth_copying(t, plan);
    struct copy *copy = find_copy(t, c, constants);
    if (!copy) {
        int status = worth ? make_lookup(c, t, constants, err) : RAS_END;
        if (status == RAS_EMEMORY)
            t->uses[plan].spent_ns = t->uses[plan].runs = 0; /* not again for a while */
        if (status != RAS_OK)
            return status == RAS_EMEMORY ? RAS_END : status;
        copy = t->copies;
    }
    if (!take_keys(c, copy, keys))
        return RAS_END;
    c->copy = copy;
    copy_find(copy, keys, &c->at, &c->end);
    c->eof = c->at >= c->end;
    return RAS_OK;
}

static void use_all(struct module_cursor *c, const struct copy *copy)
{
    c->copy = copy;
    c->end = copy->row_count;
    c->eof = !c->end;
}

/* Rows sorted by their groups. They stay until the statement ends, which may group again by the
 * same; in an extension that is not known, and they go with the cursor. */
static int group_rows(struct module_cursor *c, struct module_table *t, struct ras_error *err)
{
    uint64_t half = t->module->options.max_memory / 2, used = t->module->copy_bytes;
    uint64_t constants = hash_constants(c);
    struct copy *copy = has_list(c) ? NULL : find_copy(t, c, constants);
    if (copy) {
        use_all(c, copy);
        return RAS_OK;
    }
    int status = copy_make(&copy, &c->reader, &c->plan, c->wanted, c->wanted_count,
                           used < half ? half - used : 0, err);
    if (status == RAS_EMEMORY)
        t->module->grouping_failed = true;
    if (status < 0)
        return status;
    if (t->module->is_extension) {
        c->own = copy;
    } else {
        copy->constants = has_list(c) ? ~constants : constants;
        copy->next = t->copies;
        t->copies = copy;
    }
    use_all(c, copy);
    return RAS_OK;
}

/* ---- filter -------------------------------------------------------------------------------- */

static int start_scan(struct module_cursor *c, struct module_table *t, size_t plan)
{
    uint64_t before = module_now_ns();
    int status = next_batch(c);
    t->uses[plan].spent_ns += module_now_ns() - before;
    return status;
}

static int module_filter(sqlite3_vtab_cursor *cursor, int plan, const char *text, int argc,
                         sqlite3_value **argv)
{
    struct module_cursor *c = (struct module_cursor *)cursor;
    struct module_table *t = (struct module_table *)cursor->pVtab;
    struct ras_error err;
    bool memory;
    (void)text;
    (void)argc;
    cursor_reset(c);
    c->plan = t->plans[plan];
    c->value_count = c->plan.condition_count;
    c->eof = true;
    if (!values_take(c->values, t, c->plan.conditions, c->value_count, argv, &memory))
        return memory ? SQLITE_NOMEM : SQLITE_OK;
    c->wanted_count = reader_wanted(t, &c->plan, c->wanted);
    c->reader.conditions = c->plan.conditions;
    c->reader.values = c->values;
    c->reader.condition_count = c->value_count;
    c->reader.wanted = c->wanted;
    c->reader.wanted_count = c->wanted_count;
    c->lasting = !t->module->is_extension && t->module->retired_count < RETIRED_MOST / 2;
    int status = reader_open(&c->reader, t, &err);
    if (status == RAS_OK)
        status = c->plan.key_count ? group_rows(c, t, &err) : look_up(c, t, (size_t)plan, &err);
    if (status == RAS_END)
        return start_scan(c, t, (size_t)plan);
    return status < 0 ? cursor_fail(c, &err) : SQLITE_OK;
}

/* ---- columns ------------------------------------------------------------------------------- */

static void result_bytes(sqlite3_context *context, struct ras_bytes bytes, bool is_blob,
                         sqlite3_destructor_type how)
{
    if (!bytes.at && !is_blob)
        sqlite3_result_text(context, "", 0, SQLITE_STATIC);
    else if (is_blob && !bytes.len)
        sqlite3_result_zeroblob(context, 0);
    else if (is_blob)
        sqlite3_result_blob64(context, bytes.at, bytes.len, how);
    else
        sqlite3_result_text64(context, (const char *)bytes.at, bytes.len, how, SQLITE_UTF8);
}

static void result_of_copy(sqlite3_context *context, const struct module_cursor *c, size_t i)
{
    const struct copy_column *column = &c->copy->columns[i];
    const struct module *m = c->copy->module;
    sqlite3_destructor_type how = m->is_extension ? SQLITE_TRANSIENT : SQLITE_STATIC;
    double real;
    if (column->kind == COPY_NONE || (column->nulls && column->nulls[c->at]))
        return;
    uint64_t cell = column->cells[c->at];
    switch (column->kind) {
    case COPY_REAL:
        memcpy(&real, &cell, sizeof real);
        sqlite3_result_double(context, real);
        break;
    case COPY_TEXT:
        sqlite3_result_text64(context, c->copy->texts[cell].at, c->copy->texts[cell].len, how,
                              SQLITE_UTF8);
        break;
    case COPY_BYTES:
        result_bytes(context, copy_bytes(c->copy, cell), column->is_blob, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_result_int64(context, (sqlite3_int64)cell);
    }
}

static void result_of_batch(sqlite3_context *context, struct module_cursor *c, size_t i)
{
    const struct ras_column *column = reader_column(&c->reader, i);
    size_t row = c->selected ? c->selected[c->at] : c->at;
    if (!column || cell_is_null(column, row))
        return;
    const struct ras_column_about *about = reader_about(&c->reader, i);
    enum ras_type shown = c->reader.table->table->shown.columns[i].type;
    if (about->type <= RAS_T_I64 && shown != RAS_T_JSON && shown != RAS_T_F64)
        sqlite3_result_int64(context, cell_integer(column, about->type, row));
    else if (about->type <= RAS_T_F64 && shown != RAS_T_JSON)
        sqlite3_result_double(context, cell_real(column, about->type, row));
    else
        result_bytes(context, cell_text_of(&c->reader.text, column, about, shown, row),
                     about->type == RAS_T_BLOB && shown != RAS_T_JSON,
                     about->type == RAS_T_TEXT && shown == RAS_T_TEXT && c->lasting
                         ? SQLITE_STATIC
                         : SQLITE_TRANSIENT);
}

static int module_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int i)
{
    struct module_cursor *c = (struct module_cursor *)cursor;
    const struct module_table *t = (const struct module_table *)cursor->pVtab;
    const struct fast_cell *fast = &c->fast[i];
    if (fast->values && !c->copy) {
        const struct ras_column column = {.values = fast->values};
        sqlite3_result_int64(
            context, cell_integer(&column, fast->type, c->selected ? c->selected[c->at] : c->at));
    } else if (c->copy) {
        result_of_copy(context, c, (size_t)i);
    } else if (t->table->has_trace && i == 0) {
        sqlite3_result_text(context, c->reader.current->trace->name, -1, SQLITE_STATIC);
    } else {
        result_of_batch(context, c, (size_t)i);
    }
    return SQLITE_OK;
}

const sqlite3_module module_rows = {
    .iVersion = 3,
    .xCreate = module_connect,
    .xConnect = module_connect,
    .xBestIndex = module_best_index,
    .xDisconnect = module_disconnect,
    .xDestroy = module_disconnect,
    .xOpen = module_open,
    .xClose = module_close,
    .xFilter = module_filter,
    .xNext = module_next,
    .xEof = module_eof,
    .xColumn = module_column,
    .xRowid = module_rowid,
};

int module_register(sqlite3 *db, struct module *m, const char *name)
{
    return sqlite3_create_module_v2(db, name, &module_rows, m, NULL);
}
