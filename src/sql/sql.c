/* sql.c - questions to traces in SQL: the public functions, over one of several engines. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/sql_engine.h"
#include "sql/engine.h"
#include "sql/lost.h"

#include <stdio.h>
#include <string.h>

static const struct sql_engine *const engines[] = {&sqlite_engine, &duckdb_engine};

enum { ENGINE_COUNT = sizeof engines / sizeof *engines };
static const uint64_t memory_default = UINT64_C(1) << 30;

bool ras_sql_engine_at(size_t i, struct ras_sql_engine_about *out)
{
    if (i >= ENGINE_COUNT)
        return false;
    *out = (struct ras_sql_engine_about){.name = engines[i]->name};
    if (engines[i]->find && engines[i]->find(out->missing, sizeof out->missing))
        out->missing[0] = 0;
    return true;
}

static int find_engine(const struct sql_engine **out, const char *name, struct ras_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < ENGINE_COUNT; i++)
        if (!name || !strcmp(name, engines[i]->name)) {
            *out = engines[i];
            break;
        }
    if (!*out)
        return fail(err, RAS_ENAME, RAS_NONE, "there is no engine %.40s", name);
    char why[200];
    if ((*out)->find && !(*out)->find(why, sizeof why))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s: %s", (*out)->name, why);
    return RAS_OK;
}

int ras_sql_open(struct ras_sql **out, const struct ras_sql_source *sources, size_t count,
                 const struct ras_sql_options *options, struct ras_error *err)
{
    struct ras_sql *sql = calloc(1, sizeof *sql);
    *out = NULL;
    if (!sql)
        return fail_memory(err);
    int status = OPTIONS(&sql->options, options, err) ? RAS_OK : RAS_EUSAGE;
    if (!sql->options.max_memory)
        sql->options.max_memory = memory_default;
    sql->lost = calloc(1, sizeof *sql->lost);
    if (status == RAS_OK && (!sql->lost || !lost_open(sql->lost)))
        status = fail_memory(err);
    if (status == RAS_OK)
        status = find_engine(&sql->engine, sql->options.engine, err);
    if (status == RAS_OK)
        status = catalog_open(&sql->catalog, sources, count, &sql->options, err);
    if (status == RAS_OK)
        status = sql->engine->open(sql, err);
    if (status < 0)
        ras_sql_close(sql);
    else
        *out = sql;
    return status;
}

void ras_sql_close(struct ras_sql *sql)
{
    if (!sql)
        return;
    if (sql->state)
        sql->engine->close(sql);
    catalog_close(&sql->catalog);
    if (sql->lost)
        lost_close(sql->lost);
    free(sql->lost);
    free(sql);
}

const char *const *ras_sql_notes(const struct ras_sql *sql, size_t *count)
{
    *count = sql->catalog.note_count;
    return sql->catalog.notes;
}

const struct ras_sql_lost *ras_sql_lost_at(struct ras_sql *sql, size_t i)
{
    if (i >= sql->lost->count)
        return NULL;
    const struct lost_column *l = &sql->lost->columns[i];
    const struct ras_sql_table *t = &l->table->shown;
    sql->lost_shown = (struct ras_sql_lost){.schema = t->schema,
                                            .table = t->name,
                                            .column = t->columns[l->column].name,
                                            .type = ras_sql_type(&t->columns[l->column]),
                                            .unfit = l->count.unfit,
                                            .nan = l->count.nan};
    return &sql->lost_shown;
}

const struct ras_sql_table *ras_sql_table_at(const struct ras_sql *sql, size_t i)
{
    return i < sql->catalog.table_count ? &sql->catalog.tables[i].shown : NULL;
}

int ras_sql_prepare(struct ras_sql_query **out, struct ras_sql *sql, const char *text, size_t len,
                    size_t *used, struct ras_error *err)
{
    *out = NULL;
    *used = 0;
    return sql->engine->prepare(out, sql, text, len, used, err);
}

void ras_sql_query_close(struct ras_sql_query *query)
{
    if (!query)
        return;
    query->sql->engine->query_close(query);
    free(query->columns);
    free(query->cells);
    free(query);
}

const struct ras_sql_column *ras_sql_columns(const struct ras_sql_query *query, size_t *count)
{
    *count = query->column_count;
    return query->columns;
}

int ras_sql_next(struct ras_sql_query *query, const struct ras_value **cells, struct ras_error *err)
{
    *cells = query->cells;
    return query->sql->engine->next(query, err);
}

const struct ras_sql_queries *ras_sql_queries(void)
{
    static const struct ras_sql_queries queries = {.version = SQL_ENGINE_VERSION,
                                                   .open = ras_sql_open,
                                                   .close = ras_sql_close,
                                                   .notes = ras_sql_notes,
                                                   .table_at = ras_sql_table_at,
                                                   .type = ras_sql_type,
                                                   .prepare = ras_sql_prepare,
                                                   .query_close = ras_sql_query_close,
                                                   .columns = ras_sql_columns,
                                                   .next = ras_sql_next};
    return &queries;
}
