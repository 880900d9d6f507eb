/* where_compare.c - how two values lie to each other: exact, and only within a type. */
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

/* No integer is rounded: the float's whole part is an integer itself. */
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

/* A float of 32 bits is shown by the shortest text that means it, which means another
 * number as a float of 64: what was written is taken for 32 bits, too. */
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
        return ORDER_NONE; /* lists and maps are looked into, not compared */
    }
}
