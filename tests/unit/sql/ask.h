/* ask.h - a query on golden traces, its rows as text: cells between bars, a row a line. */
#ifndef TESTS_ASK_H
#define TESTS_ASK_H

#include <inttypes.h>
#include <rastrum/sql.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct asked {
    struct ras_trace *traces[16];
    struct ras_sql_source sources[16];
    size_t count;
    struct ras_sql *sql;
    struct ras_error err;
    char text[1 << 16];
};

/* Add a golden trace. */
static inline void ask_add(struct asked *a, const char *name, const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", GOLDEN_DIR, path);
    assert_int_equal(ras_open(&a->traces[a->count], whole, NULL, NULL), RAS_OK);
    a->sources[a->count] = (struct ras_sql_source){.name = name, .trace = a->traces[a->count]};
    a->count++;
}

static inline int ask_open(struct asked *a, const struct ras_sql_options *options)
{
    return ras_sql_open(&a->sql, a->sources, a->count, options, &a->err);
}

static inline void ask_close(struct asked *a)
{
    ras_sql_close(a->sql);
    for (size_t i = 0; i < a->count; i++)
        ras_close(a->traces[i]);
    free(a);
}

/* A trace alone. */
static inline struct asked *ask_new(const char *path, const struct ras_sql_options *options)
{
    struct asked *a = calloc(1, sizeof *a);
    assert_non_null(a);
    if (path) {
        ask_add(a, NULL, path);
        assert_int_equal(ask_open(a, options), RAS_OK);
    }
    return a;
}

static inline size_t ask_cell(char *to, size_t room, const struct ras_value *v, unsigned flags)
{
    int n = 0;
    switch (v->kind) {
    case RAS_NULL:
        n = snprintf(to, room, "NULL");
        break;
    case RAS_BOOL:
        n = snprintf(to, room, "%s", v->u ? "true" : "false");
        break;
    case RAS_UINT:
        n = flags & RAS_HEX ? snprintf(to, room, "0x%016" PRIx64, v->u)
                            : snprintf(to, room, "%" PRIu64, v->u);
        break;
    case RAS_INT:
        n = snprintf(to, room, "%" PRId64, v->i);
        break;
    case RAS_F32:
        n = snprintf(to, room, "%gf", (double)v->f32);
        break;
    case RAS_F64:
        n = snprintf(to, room, "%g", v->f64);
        break;
    default:
        n = snprintf(to, room, "%.*s", (int)v->count, (const char *)v->at);
    }
    return (size_t)n < room ? (size_t)n : room - 1;
}

/* The rows of a statement in a->text; the last status. */
static inline int ask(struct asked *a, const char *text)
{
    struct ras_sql_query *query;
    const struct ras_value *cells;
    size_t used, count, len = 0;
    a->text[0] = 0;
    int status = ras_sql_prepare(&query, a->sql, text, strlen(text), &used, &a->err);
    if (status < 0 || !query)
        return status;
    while ((status = ras_sql_next(query, &cells, &a->err)) == RAS_OK) {
        const struct ras_sql_column *columns = ras_sql_columns(query, &count);
        for (size_t i = 0; i < count && len + 64 < sizeof a->text; i++) {
            if (i)
                a->text[len++] = '|';
            len += ask_cell(a->text + len, sizeof a->text - len - 2, &cells[i], columns[i].flags);
        }
        a->text[len++] = '\n';
        a->text[len] = 0;
    }
    ras_sql_query_close(query);
    return status;
}

static inline void ask_want(struct asked *a, const char *text, const char *rows)
{
    int status = ask(a, text);
    if (status != RAS_END)
        fail_msg("%s: %s", text, a->err.text);
    assert_string_equal(a->text, rows);
}
#endif
