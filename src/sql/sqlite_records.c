/* sqlite_records.c - rastrum_records('PATH'[, 'type']): the records of any trace as one table.
 *
 * A table-valued function declares its columns before it sees its arguments, so these are the
 * columns that the table `record` of every trace can have. */
#include "base/error.h"
#include "sql/sqlite_extension.h"

#include <string.h>

static const char *const record_columns[] = {"seq",    "type",   "time_ns",    "tick",  "stream",
                                             "offset", "parent", "size_bytes", "values"};
enum {
    RECORD_COLUMNS = sizeof record_columns / sizeof *record_columns,
    RECORD_TYPE = 1,
    RECORD_PATH = RECORD_COLUMNS,
    RECORD_WANTED,
};

struct records_table {
    sqlite3_vtab base;
    struct extension *extension;
};
struct records_cursor {
    sqlite3_vtab_cursor base;
    char *path, *wanted;
    struct ras_columns *columns;
    const struct ras_table_about *about;
    const struct ras_batch *batch;
    int slots[RECORD_COLUMNS]; /* of the batch; -1: the trace has no such column */
    size_t at, end;
    sqlite3_int64 row;
    bool eof;
};

static int records_connect(sqlite3 *db, void *user, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **message)
{
    struct records_table *t = calloc(1, sizeof *t);
    (void)argc;
    (void)argv;
    (void)message;
    if (!t)
        return SQLITE_NOMEM;
    t->extension = user;
    *out = &t->base;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    return sqlite3_declare_vtab(
        db, "CREATE TABLE x(seq UBIGINT, type TEXT, time_ns UBIGINT, tick UBIGINT, stream UINTEGER,"
            " \"offset\" UBIGINT, parent UBIGINT, size_bytes UINTEGER, \"values\" JSON_TEXT,"
            " path TEXT HIDDEN, wanted TEXT HIDDEN)");
}

static int records_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

/* The path must be given; so may be a type. */
static int records_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int found[2] = {-1, -1};
    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (c->iColumn < RECORD_PATH || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!c->usable)
            return SQLITE_CONSTRAINT;
        found[c->iColumn - RECORD_PATH] = i;
    }
    if (found[0] < 0) {
        sqlite3_free(table->zErrMsg);
        table->zErrMsg = sqlite3_mprintf("rastrum_records('PATH'[, 'type'])");
        return SQLITE_ERROR;
    }
    for (int k = 0; k < 2; k++)
        if (found[k] >= 0) {
            info->aConstraintUsage[found[k]].argvIndex = k + 1;
            info->aConstraintUsage[found[k]].omit = 1;
        }
    info->idxNum = found[1] >= 0;
    info->estimatedCost = 1e6;
    return SQLITE_OK;
}

static int records_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct records_cursor *c = calloc(1, sizeof *c);
    (void)table;
    if (!c)
        return SQLITE_NOMEM;
    *out = &c->base;
    return SQLITE_OK;
}

static void records_reset(struct records_cursor *c)
{
    ras_columns_close(c->columns);
    c->columns = NULL;
    free(c->path);
    free(c->wanted);
    c->path = c->wanted = NULL;
    c->row = 0;
}

static int records_close(sqlite3_vtab_cursor *cursor)
{
    struct records_cursor *c = (struct records_cursor *)cursor;
    records_reset(c);
    free(c);
    return SQLITE_OK;
}

static int records_fail(struct records_cursor *c, const struct ras_error *err)
{
    c->eof = true;
    sqlite3_free(c->base.pVtab->zErrMsg);
    c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", err->text);
    return SQLITE_ERROR;
}

static int records_batch(struct records_cursor *c)
{
    struct ras_error err;
    int status;
    do {
        status = ras_columns_next(c->columns, &c->batch, &err);
        if (status < 0)
            return records_fail(c, &err);
        c->end = status == RAS_END    ? 0
                 : c->batch->selected ? c->batch->selected_count
                                      : c->batch->rows;
    } while (status == RAS_OK && !c->end);
    c->at = 0;
    c->eof = status == RAS_END;
    return SQLITE_OK;
}

static int records_scan(struct records_cursor *c, struct opened *o, struct ras_error *err)
{
    struct ras_tables *tables = o->catalog.traces[0].tables;
    uint16_t columns[RECORD_COLUMNS];
    struct ras_test test = {.op = RAS_TEST_EQ};
    struct ras_columns_scan scan = {
        .struct_size = sizeof scan, .table = "record", .columns = columns, .tests = &test};
    c->about = ras_table_of(tables, "record");
    for (size_t k = 0; k < RECORD_COLUMNS; k++) {
        c->slots[k] = -1;
        for (size_t i = 0; i < c->about->column_count; i++)
            if (!strcmp(c->about->columns[i].name, record_columns[k])) {
                c->slots[k] = (int)scan.column_count;
                columns[scan.column_count++] = (uint16_t)i;
            }
    }
    if (c->wanted && c->slots[RECORD_TYPE] >= 0) {
        test.column = columns[c->slots[RECORD_TYPE]];
        test.value = (struct ras_value){
            .kind = RAS_STR, .count = (uint32_t)strlen(c->wanted), .at = c->wanted};
        scan.test_count = 1;
    }
    return ras_columns_open(&c->columns, tables, &scan, err);
}

static int records_filter(sqlite3_vtab_cursor *cursor, int has_type, const char *text, int argc,
                          sqlite3_value **argv)
{
    struct records_cursor *c = (struct records_cursor *)cursor;
    const struct records_table *t = (const struct records_table *)cursor->pVtab;
    struct ras_error err;
    (void)text;
    (void)argc;
    records_reset(c);
    c->eof = true;
    const char *path = (const char *)sqlite3_value_text(argv[0]);
    const char *type = has_type ? (const char *)sqlite3_value_text(argv[1]) : NULL;
    if (!path || (has_type && !type))
        return SQLITE_OK;
    c->path = text_copy(path, strlen(path));
    c->wanted = type ? text_copy(type, strlen(type)) : NULL;
    if (!c->path || (type && !c->wanted))
        return SQLITE_NOMEM;
    struct opened *o = extension_open(t->extension, path, &err);
    if (!o || records_scan(c, o, &err) < 0)
        return records_fail(c, &err);
    return records_batch(c);
}

static int records_next(sqlite3_vtab_cursor *cursor)
{
    struct records_cursor *c = (struct records_cursor *)cursor;
    c->row++;
    return ++c->at < c->end ? SQLITE_OK : records_batch(c);
}

static int records_eof(sqlite3_vtab_cursor *cursor)
{
    return ((struct records_cursor *)cursor)->eof;
}

static void records_cell(sqlite3_context *context, const struct ras_column *column,
                         enum ras_type type, size_t row)
{
    if (column->valid && !(column->valid[row / 8] >> row % 8 & 1))
        return;
    if (type == RAS_T_TEXT) {
        uint32_t code = ((const uint32_t *)column->values)[row];
        sqlite3_result_text64(context, column->names->at[code], column->names->len[code],
                              SQLITE_TRANSIENT, SQLITE_UTF8);
    } else if (type == RAS_T_JSON) {
        sqlite3_result_text64(context, (const char *)column->items->values + column->offsets[row],
                              column->offsets[row + 1] - column->offsets[row], SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    } else if (type == RAS_T_U32) {
        sqlite3_result_int64(context, ((const uint32_t *)column->values)[row]);
    } else {
        sqlite3_result_int64(context, ((const sqlite3_int64 *)column->values)[row]);
    }
}

static int records_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int i)
{
    const struct records_cursor *c = (const struct records_cursor *)cursor;
    if (i == RECORD_PATH)
        sqlite3_result_text(context, c->path, -1, SQLITE_TRANSIENT);
    else if (i == RECORD_WANTED && c->wanted)
        sqlite3_result_text(context, c->wanted, -1, SQLITE_TRANSIENT);
    if (i >= RECORD_PATH || c->slots[i] < 0)
        return SQLITE_OK;
    for (size_t k = 0; k < c->about->column_count; k++)
        if (!strcmp(c->about->columns[k].name, record_columns[i]))
            records_cell(context, &c->batch->columns[c->slots[i]], c->about->columns[k].type,
                         c->batch->selected ? c->batch->selected[c->at] : c->at);
    return SQLITE_OK;
}

static int records_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
    *row = ((struct records_cursor *)cursor)->row;
    return SQLITE_OK;
}

static const sqlite3_module records_rows = {
    .iVersion = 3, /* without xCreate: it is there by its name alone */
    .xConnect = records_connect,
    .xBestIndex = records_best_index,
    .xDisconnect = records_disconnect,
    .xOpen = records_open,
    .xClose = records_close,
    .xFilter = records_filter,
    .xNext = records_next,
    .xEof = records_eof,
    .xColumn = records_column,
    .xRowid = records_rowid,
};

int records_register(sqlite3 *db, struct extension *e)
{
    return sqlite3_create_module_v2(db, "rastrum_records", &records_rows, e, NULL);
}
