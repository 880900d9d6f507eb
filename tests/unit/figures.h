/* figures.h - one cell of the tables that stats report, found by the names around it. */
#ifndef TESTS_FIGURES_H
#define TESTS_FIGURES_H

#include <rastrum/rastrum.h>

#include <stdio.h>
#include <string.h>

static inline const struct ras_value *figures_next(const struct ras_value *v)
{
    return v + 1 + (v->kind == RAS_LIST || v->kind == RAS_MAP ? v->count : 0);
}

static inline const struct ras_value *figures_rows(const struct ras_stats *s, const char *table)
{
    const struct ras_value *found = ras_value_member(s->tables, table);
    return found ? ras_value_member(found, "rows") : NULL;
}

/* Whether a cell shows this text, be it a text or a number. */
static inline bool figures_shows(const struct ras_value *v, const char *text)
{
    char number[32];
    if (v->kind == RAS_STR)
        return v->count == strlen(text) && !memcmp(v->at, text, v->count);
    snprintf(number, sizeof number, "%llu", (unsigned long long)v->u);
    return v->kind == RAS_UINT && !strcmp(number, text);
}

/* The cell of the row whose first cell shows `row`; NULL: there is none. */
static inline const struct ras_value *figures_cell(const struct ras_stats *s, const char *table,
                                                   const char *row, const char *column)
{
    const struct ras_value *rows = figures_rows(s, table);
    if (!rows)
        return NULL;
    const struct ras_value *columns =
        ras_value_member(ras_value_member(s->tables, table), "columns");
    size_t at = 1;
    while (at <= columns->count && !figures_shows(&columns[at], column))
        at++;
    if (at > columns->count)
        return NULL;
    for (const struct ras_value *r = rows + 1; r < figures_next(rows); r = figures_next(r))
        if (figures_shows(&r[1], row))
            return &r[at];
    return NULL;
}

/* A number that must be there; else RAS_NONE. */
static inline uint64_t figures_uint(const struct ras_stats *s, const char *table, const char *row,
                                    const char *column)
{
    const struct ras_value *v = figures_cell(s, table, row, column);
    return v && v->kind == RAS_UINT ? v->u : RAS_NONE;
}

static inline bool figures_cover(const struct ras_stats *s, const char *table, const char *text)
{
    const struct ras_value *v = ras_value_member(ras_value_member(s->tables, table), "coverage");
    return strstr(v->at, text) != NULL; /* texts of a document end with a NUL */
}
#endif
