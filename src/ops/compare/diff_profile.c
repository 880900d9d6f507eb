/* diff_profile.c - the statistics of two traces side by side: what increased, what decreased. */
#include "base/error.h"
#include "ops/compare/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_MOST = 16, FIGURES_MOST = 8, NAME_ROOM = 40 };

/* The key of a row, and its figures on both sides; RAS_NONE: none. */
struct pair {
    const struct ras_value *key;
    uint64_t figures[2][FIGURES_MOST];
    bool has[2];
};

struct pairs {
    struct pair *at;
    size_t count;
};

static int compare_keys(const struct ras_value *a, const struct ras_value *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind != RAS_STR)
        return (a->u > b->u) - (a->u < b->u);
    size_t shared = a->count < b->count ? a->count : b->count;
    int order = shared ? memcmp(a->at, b->at, shared) : 0;
    return order ? order : (a->count > b->count) - (a->count < b->count);
}

static int by_key(const void *a, const void *b)
{
    return compare_keys(((const struct pair *)a)->key, ((const struct pair *)b)->key);
}

static uint64_t change(const struct pair *p, unsigned figure)
{
    uint64_t a = p->figures[0][figure], b = p->figures[1][figure];
    a = a == RAS_NONE ? 0 : a;
    b = b == RAS_NONE ? 0 : b;
    return a > b ? a - b : b - a;
}

static int by_change(const void *a, const void *b)
{
    uint64_t x = change(a, 0), y = change(b, 0);
    return x != y ? (x > y ? -1 : 1) : by_key(a, b);
}

static size_t column_of(const struct ras_value *table, const char *name)
{
    const struct ras_value *columns = ras_value_member(table, "columns");
    for (size_t i = 1; i <= columns->count; i++)
        if (columns[i].count == strlen(name) && !memcmp(columns[i].at, name, columns[i].count))
            return i;
    return 0;
}

/* Rows of one side; those with the same key are added up. */
static void take_rows(struct pairs *p, const struct ras_value *table,
                      const struct compare_profile *of, int side)
{
    const struct ras_value *rows = ras_value_member(table, "rows");
    size_t width = 1 + ras_value_member(table, "columns")->count, key = column_of(table, of->key);
    for (const struct ras_value *r = rows + 1; key && r < ras_value_next(rows); r += width) {
        struct pair *pair = &p->at[p->count++];
        *pair = (struct pair){.key = &r[key]};
        pair->has[side] = true;
        for (unsigned i = 0; of->figures[i]; i++) {
            size_t column = column_of(table, of->figures[i]);
            bool known = column && r[column].kind == RAS_UINT;
            pair->figures[side][i] = known ? r[column].u : RAS_NONE;
            pair->figures[!side][i] = RAS_NONE;
        }
    }
}

static void join_rows(struct pairs *p)
{
    size_t kept = 0;
    if (p->count)
        qsort(p->at, p->count, sizeof *p->at, by_key);
    for (size_t i = 0; i < p->count; i++) {
        struct pair *last = kept ? &p->at[kept - 1] : NULL;
        int side = p->at[i].has[1];
        if (last && !last->has[side] && !by_key(last, &p->at[i])) {
            memcpy(last->figures[side], p->at[i].figures[side], sizeof last->figures[side]);
            last->has[side] = true;
        } else {
            p->at[kept++] = p->at[i];
        }
    }
    p->count = kept;
    if (kept)
        qsort(p->at, kept, sizeof *p->at, by_change);
}

static void put_figure(struct document *doc, const struct pair *p, unsigned i)
{
    uint64_t a = p->figures[0][i], b = p->figures[1][i];
    for (int side = 0; side < 2; side++)
        if (p->figures[side][i] == RAS_NONE)
            document_null(doc);
        else
            document_uint(doc, p->figures[side][i]);
    a = a == RAS_NONE ? 0 : a;
    b = b == RAS_NONE ? 0 : b;
    document_int(doc, (int64_t)(b - a));
    double tenths = a ? 1000.0 * ((double)b - (double)a) / (double)a : 0;
    if (a)
        document_f64(doc, (double)(int64_t)(tenths + (tenths < 0 ? -0.5 : 0.5)) / 10);
    else
        document_null(doc);
}

/* "total_ns" is total_ns, total_actual_ns, total_change_ns, total_percent, as of functions. */
static void name_columns(const struct compare_profile *of, char names[][NAME_ROOM],
                         const char **columns)
{
    unsigned n = 0;
    columns[n++] = of->key;
    for (unsigned i = 0; of->figures[i] && i < FIGURES_MOST; i++) {
        const char *unit = strstr(of->figures[i], "_ns");
        int stem = unit ? (int)(unit - of->figures[i]) : (int)strlen(of->figures[i]);
        static const char *const ends[] = {"", "_actual", "_change", "_percent"};
        for (unsigned k = 0; k < 4; k++, n++) {
            snprintf(names[n], NAME_ROOM, "%.*s%s%s", stem, of->figures[i], ends[k],
                     unit && k < 3 ? "_ns" : "");
            columns[n] = names[n];
        }
    }
    columns[n] = NULL;
}

static bool put_profile(struct compare *c, const struct compare_profile *of,
                        const struct ras_value *const tables[2])
{
    char names[1 + 4 * FIGURES_MOST][NAME_ROOM];
    const char *columns[2 + 4 * FIGURES_MOST];
    struct pairs p = {0};
    size_t rows = 0;
    for (int i = 0; i < 2; i++)
        rows += tables[i] ? ras_value_member(tables[i], "rows")->count : 0;
    p.at = calloc(rows + 1, sizeof *p.at);
    if (!p.at)
        return false;
    for (int i = 0; i < 2; i++)
        if (tables[i])
            take_rows(&p, tables[i], of, i);
    join_rows(&p);
    name_columns(of, names, columns);
    compare_table(c, of->table, columns);
    for (size_t i = 0; i < p.count; i++) {
        size_t row = document_open(&c->doc, RAS_LIST);
        document_copy(&c->doc, p.at[i].key);
        for (unsigned k = 0; of->figures[k]; k++)
            put_figure(&c->doc, &p.at[i], k);
        document_close(&c->doc, row);
    }
    compare_table_end(c);
    free(p.at);
    return true;
}

int diff_profile(struct compare *c, const struct compare_profile *profiles, struct ras_error *err)
{
    const char *names[TABLES_MOST];
    struct ras_stats *stats[2] = {NULL, NULL};
    size_t count = 0;
    int status = RAS_OK;
    for (; profiles[count].table && count < TABLES_MOST; count++)
        names[count] = profiles[count].table;
    const struct ras_stats_options how = {.tables = names, .table_count = count};
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = ras_stats(&stats[i], c->side[i], &how, err);
    for (size_t i = 0; i < count && status == RAS_OK; i++) {
        const struct ras_value *tables[2] = {ras_value_member(stats[0]->tables, names[i]),
                                             ras_value_member(stats[1]->tables, names[i])};
        if (!put_profile(c, &profiles[i], tables))
            status = fail_memory(err);
    }
    ras_stats_free(stats[0]);
    ras_stats_free(stats[1]);
    return status;
}
