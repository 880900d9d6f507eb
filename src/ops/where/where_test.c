/* where_test.c - evaluate an expression on a record; values compare exactly, and only within a
 * type. */
#include "core/row.h"
#include "ops/where/where_tree.h"

#include <math.h>

static enum where_order order_of(bool less, bool greater)
{
    return less ? ORDER_LESS : greater ? ORDER_GREATER : ORDER_EQUAL;
}

static enum where_order reverse(enum where_order order)
{
    return order == ORDER_NONE ? order : (enum where_order)(-(int)order);
}

/* ---- numbers ----------------------------------------------------------------------- */

static bool is_number(const struct ras_value *v)
{
    return v->kind >= RAS_UINT && v->kind <= RAS_F64;
}

static bool is_float(const struct ras_value *v)
{
    return v->kind == RAS_F32 || v->kind == RAS_F64;
}

static double float_of(const struct ras_value *v)
{
    return v->kind == RAS_F32 ? (double)v->f32 : v->f64;
}

static enum where_order compare_floats(double a, double b)
{
    if (isnan(a) || isnan(b))
        return ORDER_NONE;
    return order_of(a<b, a> b);
}

static enum where_order compare_integers(const struct ras_value *a, const struct ras_value *b)
{
    bool a_negative = a->kind == RAS_INT && a->i < 0, b_negative = b->kind == RAS_INT && b->i < 0;
    if (a_negative != b_negative)
        return a_negative ? ORDER_LESS : ORDER_GREATER;
    return a_negative ? order_of(a->i<b->i, a->i> b->i) : order_of(a->u<b->u, a->u> b->u);
}

/* Integers are not rounded: the float's whole part is an integer itself. */
static enum where_order compare_mixed(const struct ras_value *a, double b)
{
    bool negative = a->kind == RAS_INT && a->i < 0;
    if (isnan(b))
        return ORDER_NONE;
    if (negative) {
        if (b >= 0)
            return ORDER_LESS;
        if (b < -0x1p63)
            return ORDER_GREATER;
        int64_t whole = (int64_t)b;
        return a->i != whole ? order_of(a->i < whole, true) : order_of(false, (double)whole > b);
    }
    if (b < 0)
        return ORDER_GREATER;
    if (b >= 0x1p64)
        return ORDER_LESS;
    uint64_t whole = (uint64_t)b;
    return a->u != whole ? order_of(a->u < whole, true) : order_of((double)whole < b, false);
}

/* A 32-bit float is shown by the shortest text for it, which is another number as a 64-bit float: a
 * written number is rounded to 32 bits, too. */
static enum where_order compare_numbers(const struct where_value *x, const struct where_value *y)
{
    const struct ras_value *a = x->cell, *b = y->cell;
    if (!is_float(a) && !is_float(b))
        return compare_integers(a, b);
    if (!is_float(a))
        return compare_mixed(a, float_of(b));
    if (!is_float(b))
        return reverse(compare_mixed(b, float_of(a)));
    if (a->kind == RAS_F32 && y->written)
        return compare_floats((double)a->f32, (double)(float)b->f64);
    if (b->kind == RAS_F32 && x->written)
        return compare_floats((double)(float)a->f64, (double)b->f32);
    return compare_floats(float_of(a), float_of(b));
}

/* ---- anything ----------------------------------------------------------------------- */

static enum where_order compare_bytes(const struct ras_value *a, const struct ras_value *b)
{
    uint32_t shared = a->count < b->count ? a->count : b->count;
    int order = shared ? memcmp(a->at, b->at, shared) : 0;
    if (order)
        return order < 0 ? ORDER_LESS : ORDER_GREATER;
    return order_of(a->count<b->count, a->count> b->count);
}

enum where_order where_compare(const struct where_value *x, const struct where_value *y)
{
    const struct ras_value *a = x->cell, *b = y->cell;
    if (is_number(a) && is_number(b))
        return compare_numbers(x, y);
    if (a->kind != b->kind)
        return ORDER_NONE;
    switch (a->kind) {
    case RAS_STR:
    case RAS_BLOB:
        return compare_bytes(a, b);
    case RAS_BOOL:
        return a->u == b->u ? ORDER_EQUAL : ORDER_NONE;
    case RAS_NULL:
        return ORDER_EQUAL;
    default:
        return ORDER_NONE; /* lists and maps are searched, not compared */
    }
}

/* ---- operands ------------------------------------------------------------------------ */

/* The cells of the requested fields, found once per record. */
static void find_cells(struct ras_where *w)
{
    size_t count, found = 0;
    const struct ras_value *v = ras_values(w->cursor, &count);
    const struct where_binding *b = w->binding;
    w->cells_found = true;
    for (size_t i = 0; i < w->root_count; i++)
        w->cells[i] = NULL;
    for (size_t i = 0; i < count && found < b->found; i++) {
        unsigned root = b->roots[v[i].field];
        if (root) {
            w->cells[root - 1] = &v[i];
            w->flags[root - 1] = b->schema->fields[v[i].field].flags;
            found++;
        }
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
}

static const struct ras_value *list_item(const struct ras_value *list, uint64_t index)
{
    const struct ras_value *cell = list + 1, *end = ras_value_next(list);
    for (; cell < end; cell = ras_value_next(cell))
        if (!index--)
            return cell;
    return NULL;
}

static const struct ras_value *map_item(const struct ras_value *map, const struct where_step *s)
{
    const struct ras_value *cell = map + 1, *end = ras_value_next(map);
    while (cell < end) {
        const struct ras_value *value = ras_value_next(cell);
        if (value >= end)
            return NULL;
        bool same = s->key ? cell->kind == RAS_STR && cell->count == s->len &&
                                 !memcmp(cell->at, s->key, s->len)
                           : (cell->kind == RAS_UINT || (cell->kind == RAS_INT && cell->i >= 0)) &&
                                 cell->u == s->index;
        if (same)
            return value;
        cell = ras_value_next(value);
    }
    return NULL;
}

static const struct ras_value *field(struct ras_where *w, const struct where_operand *o)
{
    if (!w->cells_found)
        find_cells(w);
    const struct ras_value *cell = w->cells[o->root];
    for (size_t i = 0; cell && i < o->step_count; i++) {
        const struct where_step *s = &o->steps[i];
        cell = cell->kind == RAS_MAP               ? map_item(cell, s)
               : cell->kind == RAS_LIST && !s->key ? list_item(cell, s->index)
                                                   : NULL;
    }
    return cell;
}

/* NULL: the record does not have it. */
static const struct ras_value *header(const struct ras_where *w, enum where_header which,
                                      struct ras_value *room)
{
    const struct ras_record *r = w->record;
    const char *name = w->binding->schema->name;
    *room = (struct ras_value){.kind = RAS_UINT};
    switch (which) {
    case HEADER_TYPE:
        *room = (struct ras_value){.kind = RAS_STR, .count = (uint32_t)strlen(name)};
        room->at = name;
        return room;
    case HEADER_SEQ:
        room->u = r->seq;
        return r->seq == RAS_NONE ? NULL : room;
    case HEADER_TIME:
        room->u = r->time_ns;
        return r->flags & RAS_HAS_TIME ? room : NULL;
    case HEADER_TICK:
        room->u = r->tick;
        return r->flags & RAS_HAS_TICK ? room : NULL;
    case HEADER_STREAM:
        room->u = r->stream;
        return room;
    case HEADER_OFFSET:
        room->u = r->offset;
        return room;
    default:
        room->u = r->parent;
        return r->parent == RAS_NONE ? NULL : room;
    }
}

/* The value of an operand; `room` holds members of the header. */
static struct where_value where_fetch(struct ras_where *w, const struct where_operand *o,
                                      struct ras_value *room)
{
    struct where_value v = {.written = o->from == FROM_WRITTEN};
    if (v.written)
        v.cell = &o->value;
    else if (o->from == FROM_HEADER)
        v.cell = header(w, o->header, room);
    else if ((v.cell = field(w, o)) && !o->step_count)
        v.flags = w->flags[o->root];
    return v;
}

/* ---- tests ---------------------------------------------------------------------------- */

/* The value exists: a null of the record counts as missing. */
static bool is_there(const struct where_value *v)
{
    return v->cell && (v->written || v->cell->kind != RAS_NULL);
}

/* A number that is shown as "0x..." may be written like that. */
static void take_hex(struct where_value *v, const struct where_operand *o,
                     const struct where_value *other, struct ras_value *room)
{
    if (!o->is_hex || !(other->flags & RAS_HEX) || other->cell->kind != RAS_UINT)
        return;
    *room = (struct ras_value){.kind = RAS_UINT, .u = o->hex};
    v->cell = room;
}

/* The order of two operands; false: one of them is missing, or both are null, which is only matched
 * where it is written. */
static bool operands_order(struct ras_where *w, const struct where_operand *a,
                           const struct where_operand *b, enum where_order *order)
{
    struct ras_value left, right;
    struct where_value x = where_fetch(w, a, &left), y = where_fetch(w, b, &right);
    if (!x.cell || !y.cell)
        return false;
    bool null = (x.written && x.cell->kind == RAS_NULL) || (y.written && y.cell->kind == RAS_NULL);
    if (!null && (!is_there(&x) || !is_there(&y)))
        return false;
    take_hex(&x, a, &y, &left);
    take_hex(&y, b, &x, &right);
    *order = where_compare(&x, &y);
    return true;
}

static bool compare(struct ras_where *w, const struct where_node *n)
{
    enum where_order order;
    if (!operands_order(w, n->a, n->b, &order))
        return false;
    switch (n->op) {
    case WHERE_EQ:
        return order == ORDER_EQUAL;
    case WHERE_NE:
        return order != ORDER_EQUAL;
    case WHERE_LT:
        return order == ORDER_LESS;
    case WHERE_LE:
        return order == ORDER_LESS || order == ORDER_EQUAL;
    case WHERE_GT:
        return order == ORDER_GREATER;
    default:
        return order == ORDER_GREATER || order == ORDER_EQUAL;
    }
}

static bool in_items(struct ras_where *w, const struct where_node *n)
{
    for (size_t i = 0; i < n->item_count; i++) {
        const struct where_item *item = &n->items[i];
        enum where_order from, to;
        if (!operands_order(w, n->a, item->from, &from))
            continue;
        if (!item->to && from == ORDER_EQUAL)
            return true;
        if (item->to && (from == ORDER_EQUAL || from == ORDER_GREATER) &&
            operands_order(w, n->a, item->to, &to) && to == ORDER_LESS)
            return true;
    }
    return false;
}

/* An element of a list, or a key of a map. */
static bool in_value(struct ras_where *w, const struct where_node *n)
{
    struct ras_value left, right, hex;
    struct where_value x = where_fetch(w, n->a, &left), list = where_fetch(w, n->b, &right);
    if (!is_there(&x) || !list.cell || (list.cell->kind != RAS_LIST && list.cell->kind != RAS_MAP))
        return false;
    bool map = list.cell->kind == RAS_MAP;
    const struct ras_value *cell = list.cell + 1, *end = ras_value_next(list.cell);
    while (cell < end) {
        struct where_value y = {.cell = cell, .flags = list.flags}, tested = x;
        take_hex(&tested, n->a, &y, &hex);
        if (where_compare(&tested, &y) == ORDER_EQUAL)
            return true;
        cell = ras_value_next(cell);
        if (map && cell < end)
            cell = ras_value_next(cell);
    }
    return false;
}

static bool same_list(struct ras_where *w, const struct where_node *n)
{
    struct ras_value room;
    struct where_value list = where_fetch(w, n->a, &room);
    if (!is_there(&list))
        return false;
    bool same = list.cell->kind == RAS_LIST;
    const struct ras_value *cell = list.cell + 1, *end = same ? ras_value_next(list.cell) : cell;
    for (size_t i = 0; same && i < n->item_count;
         i++, cell = cell < end ? ras_value_next(cell) : cell) {
        struct where_value x = {.cell = cell, .flags = list.flags},
                           y = {.cell = &n->items[i].from->value, .written = true};
        same = cell < end && !n->items[i].to && where_compare(&x, &y) == ORDER_EQUAL;
    }
    return (same && cell == end) == (n->op == WHERE_EQ_LIST);
}

static bool is_like(struct ras_where *w, const struct where_node *n)
{
    struct ras_value room;
    struct where_value v = where_fetch(w, n->a, &room);
    if (!v.cell || v.cell->kind != RAS_STR)
        return false;
    return regex_search(n->regex, v.cell->at, v.cell->count) == (n->op == WHERE_LIKE);
}

static bool test_value(struct ras_where *w, const struct where_node *n)
{
    struct ras_value room;
    struct where_value v = where_fetch(w, n->a, &room);
    if (n->op == WHERE_IS_NULL)
        return v.cell && v.cell->kind == RAS_NULL;
    if (n->op == WHERE_HAS)
        return is_there(&v);
    return v.cell && v.cell->kind == RAS_BOOL && v.cell->u;
}

bool where_test(struct ras_where *w, const struct where_node *n)
{
    while (n->op == WHERE_AND || n->op == WHERE_OR) {
        if (where_test(w, n->left) == (n->op == WHERE_OR))
            return n->op == WHERE_OR;
        n = n->right;
    }
    switch (n->op) {
    case WHERE_NOT:
        return !where_test(w, n->left);
    case WHERE_EQ_LIST:
    case WHERE_NE_LIST:
        return same_list(w, n);
    case WHERE_IN:
        return in_items(w, n);
    case WHERE_IN_VALUE:
        return in_value(w, n);
    case WHERE_LIKE:
    case WHERE_UNLIKE:
        return is_like(w, n);
    case WHERE_HAS:
    case WHERE_IS_NULL:
    case WHERE_TRUTH:
        return test_value(w, n);
    default:
        return compare(w, n);
    }
}
