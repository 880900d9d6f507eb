/* profile_pair.c - one table of the statistics of two traces, its rows paired by what they are
 * about: rows with the same keys in the order in which they are listed. */
#include "ops/compare/profile_pair.h"
#include "base/error.h"
#include "base/sort.h"
#include "core/row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ras_value *member(const struct ras_value *table, const char *key)
{
    return table ? map_find(table, key) : NULL;
}

static size_t width_of(const struct ras_value *table)
{
    return 1 + member(table, "columns")->count;
}

/* ---- columns ------------------------------------------------------------------------------ */

static void add_names(struct profile_pairs *p, int side)
{
    const struct ras_value *columns = member(p->table[side], "columns");
    for (size_t i = 1; columns && i <= columns->count; i++) {
        size_t at = profile_column(p, columns[i].at);
        if (at == SIZE_MAX && p->column_count < PAIR_COLUMNS_MOST) {
            at = p->column_count++;
            p->names[at] = columns[i].at;
        }
        if (at != SIZE_MAX)
            p->at[side][at] = i;
    }
}

/* Whether it has texts and nothing else, on both sides. */
static bool is_text(const struct profile_pairs *p, size_t column)
{
    bool any = false;
    for (int side = 0; side < 2; side++) {
        const struct ras_value *rows = member(p->table[side], "rows");
        size_t at = p->at[side][column];
        if (!rows || !at)
            continue;
        for (const struct ras_value *r = rows + 1; r < ras_value_next(rows);
             r += width_of(p->table[side])) {
            if (r[at].kind != RAS_STR && r[at].kind != RAS_NULL)
                return false;
            any |= r[at].kind == RAS_STR;
        }
    }
    return any;
}

static void find_keys(struct profile_pairs *p, const char *const *keys)
{
    bool any = false;
    for (size_t i = 0; keys && keys[i]; i++) {
        size_t at = profile_column(p, keys[i]);
        if (at != SIZE_MAX)
            any = p->is_key[at] = true;
    }
    for (size_t i = 0; !keys && i < p->column_count; i++)
        any |= p->is_key[i] = is_text(p, i);
    if (!any && p->column_count)
        p->is_key[0] = true;
}

size_t profile_column(const struct profile_pairs *p, const char *name)
{
    for (size_t i = 0; i < p->column_count; i++)
        if (!strcmp(p->names[i], name))
            return i;
    return SIZE_MAX;
}

/* ---- rows --------------------------------------------------------------------------------- */

struct pair_row {
    const struct ras_value *row;
    size_t order;
    int side;
};

static int cell_order(const struct ras_value *a, const struct ras_value *b)
{
    unsigned x = a ? a->kind : RAS_NULL, y = b ? b->kind : RAS_NULL;
    if (x != y)
        return x < y ? -1 : 1;
    if (x == RAS_NULL)
        return 0;
    if (x != RAS_STR)
        return (a->u > b->u) - (a->u < b->u);
    size_t shared = a->count < b->count ? a->count : b->count;
    int order = shared ? memcmp(a->at, b->at, shared) : 0;
    return order ? order : (a->count > b->count) - (a->count < b->count);
}

static int key_order(const struct profile_pairs *p, const struct pair_row *a,
                     const struct pair_row *b)
{
    for (size_t i = 0; i < p->column_count; i++) {
        size_t x = p->at[a->side][i], y = p->at[b->side][i];
        int order = !p->is_key[i] ? 0 : cell_order(x ? &a->row[x] : NULL, y ? &b->row[y] : NULL);
        if (order)
            return order;
    }
    return 0;
}

static int by_keys(const void *a, const void *b, void *pairs)
{
    const struct pair_row *x = a, *y = b;
    int order = key_order(pairs, x, y);
    if (!order)
        order = x->side - y->side;
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Rows of one key: those of the first side, then those of the second. */
static void join_key(struct profile_pairs *p, const struct pair_row *rows, size_t count)
{
    size_t first = 0;
    while (first < count && !rows[first].side)
        first++;
    size_t second = count - first, most = first > second ? first : second;
    for (size_t i = 0; i < most; i++)
        p->pairs[p->count++] = (struct profile_pair){
            {i < first ? rows[i].row : NULL, i < second ? rows[first + i].row : NULL}};
}

static size_t list_rows(const struct profile_pairs *p, struct pair_row *to)
{
    size_t count = 0;
    for (int side = 0; side < 2; side++) {
        const struct ras_value *rows = member(p->table[side], "rows");
        for (const struct ras_value *r = rows ? rows + 1 : NULL; rows && r < ras_value_next(rows);
             r += width_of(p->table[side]), count++)
            if (to)
                to[count] = (struct pair_row){r, count, side};
    }
    return count;
}

int profile_pairs_make(struct profile_pairs *p, const struct ras_value *a,
                       const struct ras_value *b, const char *const *keys, struct ras_error *err)
{
    *p = (struct profile_pairs){.table = {a, b}};
    size_t count = list_rows(p, NULL);
    struct pair_row *rows = calloc(count + 1, sizeof *rows);
    p->pairs = calloc(count + 1, sizeof *p->pairs);
    if (!rows || !p->pairs) {
        free(rows);
        return fail_memory(err);
    }
    add_names(p, 0);
    add_names(p, 1);
    find_keys(p, keys);
    list_rows(p, rows);
    if (count)
        sort_with(rows, count, sizeof *rows, by_keys, p);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !key_order(p, &rows[i], &rows[end]);)
            end++;
        join_key(p, rows + i, end - i);
    }
    free(rows);
    return RAS_OK;
}

void profile_pairs_free(struct profile_pairs *p)
{
    free(p->pairs);
}

/* ---- cells --------------------------------------------------------------------------------- */

bool profile_number(const struct ras_value *v, double *number)
{
    if (!v)
        return false;
    switch (v->kind) {
    case RAS_UINT:
        *number = (double)v->u;
        return true;
    case RAS_INT:
        *number = (double)v->i;
        return true;
    case RAS_F32:
        *number = (double)v->f32;
        return true;
    case RAS_F64:
        *number = v->f64;
        return true;
    default:
        return false;
    }
}

bool profile_change(const struct ras_value *a, const struct ras_value *b, double *change)
{
    double x = 0, y = 0;
    bool has_x = profile_number(a, &x), has_y = profile_number(b, &y);
    *change = y - x;
    if (has_x && has_y && a->kind == RAS_UINT && b->kind == RAS_UINT) /* exact where it is small */
        *change = b->u >= a->u ? (double)(b->u - a->u) : -(double)(a->u - b->u);
    return has_x || has_y;
}

static bool is_whole(const struct ras_value *v)
{
    return !v || v->kind == RAS_UINT || v->kind == RAS_NULL;
}

void profile_put_change(struct document *doc, const struct ras_value *a, const struct ras_value *b)
{
    double change;
    (void)profile_change(a, b, &change);
    if (!is_whole(a) || !is_whole(b))
        document_f64(doc, change);
    else
        document_int(doc, (int64_t)((b && b->kind == RAS_UINT ? b->u : 0) -
                                    (a && a->kind == RAS_UINT ? a->u : 0)));
}

const char *profile_row_name(const struct profile_pairs *p, const struct profile_pair *pair,
                             char *text, size_t size)
{
    size_t len = 0;
    *text = 0;
    for (size_t i = 0; i < p->column_count && len < size; i++) {
        const struct ras_value *v = profile_cell(p, pair, 0, i);
        v = v ? v : profile_cell(p, pair, 1, i);
        const char *join = len ? ", " : "";
        if (!p->is_key[i] || !v)
            continue;
        if (v->kind == RAS_STR)
            len += (size_t)snprintf(text + len, size - len, "%s%.*s", join,
                                    (int)(v->count < 500 ? v->count : 500), (const char *)v->at);
        else if (v->kind == RAS_UINT)
            len += (size_t)snprintf(text + len, size - len, "%s%" PRIu64, join, v->u);
        else if (v->kind == RAS_INT)
            len += (size_t)snprintf(text + len, size - len, "%s%" PRId64, join, v->i);
    }
    return text;
}
