/* sqlite_bench.c - SQLite's own loop: its count of the rows of a virtual table that does nothing.
 * No table of ours can be counted faster by it. */
#include "bench.h"

#include <sqlite3.h>
#include <stdlib.h>

struct empty_cursor {
    sqlite3_vtab_cursor base;
    uint64_t left;
};

static int empty_connect(sqlite3 *db, void *user, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message)
{
    (void)user, (void)argc, (void)argv, (void)message;
    *out = calloc(1, sizeof **out);
    return *out ? sqlite3_declare_vtab(db, "CREATE TABLE x(a INTEGER)") : SQLITE_NOMEM;
}

static int empty_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int empty_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table, (void)info;
    return SQLITE_OK;
}

static int empty_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct empty_cursor *c = calloc(1, sizeof *c);
    *out = c ? &c->base : NULL;
    return c ? SQLITE_OK : SQLITE_NOMEM;
}

static int empty_close(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

static uint64_t empty_rows; /* of the table */

static int empty_filter(sqlite3_vtab_cursor *cursor, int plan, const char *text, int argc,
                        sqlite3_value **argv)
{
    (void)plan, (void)text, (void)argc, (void)argv;
    ((struct empty_cursor *)cursor)->left = empty_rows;
    return SQLITE_OK;
}

static int empty_next(sqlite3_vtab_cursor *cursor)
{
    ((struct empty_cursor *)cursor)->left--;
    return SQLITE_OK;
}

static int empty_eof(sqlite3_vtab_cursor *cursor)
{
    return !((struct empty_cursor *)cursor)->left;
}

static int empty_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    (void)cursor, (void)column;
    sqlite3_result_int64(context, 1);
    return SQLITE_OK;
}

static int empty_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
    *row = (sqlite3_int64)((struct empty_cursor *)cursor)->left;
    return SQLITE_OK;
}

static const sqlite3_module empty_module = {.xConnect = empty_connect,
                                            .xBestIndex = empty_best_index,
                                            .xDisconnect = empty_disconnect,
                                            .xOpen = empty_open,
                                            .xClose = empty_close,
                                            .xFilter = empty_filter,
                                            .xNext = empty_next,
                                            .xEof = empty_eof,
                                            .xColumn = empty_column,
                                            .xRowid = empty_rowid};

static void empty_count(void *user)
{
    sqlite3_stmt *query = user;
    if (sqlite3_step(query) == SQLITE_ROW)
        bench_use((uint64_t)sqlite3_column_int64(query, 0));
    sqlite3_reset(query);
}

static double empty_time(struct bench *b, sqlite3 *db, const char *text)
{
    sqlite3_stmt *query = NULL;
    double best = 0;
    if (sqlite3_prepare_v2(db, text, -1, &query, NULL) == SQLITE_OK)
        best = bench_best(b, empty_count, query);
    sqlite3_finalize(query);
    return best;
}

/* The same settings as the engine has, but for what it denies: its progress handler counts, too. */
static int empty_progress(void *user)
{
    (void)user;
    return 0;
}

void sqlite_bench_loop(struct bench *b, uint64_t rows, double *count, double *sum)
{
    sqlite3 *db = NULL;
    empty_rows = rows;
    *count = *sum = 0;
    if (sqlite3_open_v2(":memory:", &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
                        NULL) == SQLITE_OK &&
        sqlite3_create_module(db, "empty", &empty_module, NULL) == SQLITE_OK) {
        sqlite3_progress_handler(db, 10000, empty_progress, NULL);
        *count = empty_time(b, db, "SELECT count(*) FROM empty");
        *sum = empty_time(b, db, "SELECT sum(a) FROM empty");
    }
    sqlite3_close(db);
}
