/* sql_engine.h - the interface by which this library queries traces in SQL: librastrum-sql, which
 * it is not linked with. The members are the functions ras_sql_NAME() of sql.h. */
#ifndef CORE_SQL_ENGINE_H
#define CORE_SQL_ENGINE_H

#include <rastrum/sql.h>

enum { SQL_ENGINE_VERSION = 1 }; /* counts up with every change */

struct ras_sql_queries {
    unsigned version;
    int (*open)(struct ras_sql **, const struct ras_sql_source *, size_t count,
                const struct ras_sql_options *, struct ras_error *);
    void (*close)(struct ras_sql *);
    const char *const *(*notes)(const struct ras_sql *, size_t *count);
    const struct ras_sql_table *(*table_at)(const struct ras_sql *, size_t i);
    const char *(*type)(const struct ras_column_about *);
    int (*prepare)(struct ras_sql_query **, struct ras_sql *, const char *text, size_t len,
                   size_t *used, struct ras_error *);
    void (*query_close)(struct ras_sql_query *);
    const struct ras_sql_column *(*columns)(const struct ras_sql_query *, size_t *count);
    int (*next)(struct ras_sql_query *, const struct ras_value **cells, struct ras_error *);
};
#endif
