/* cdt_query_holds.c - how two values compare: as numbers, by value, or by their text. */
#include "codec/json_python.h"
#include "formats/cdt/cdt_query.h"

static bool is_number_value(const struct ras_value *v)
{
    return v->kind == RAS_BOOL || v->kind == RAS_UINT || v->kind == RAS_INT || v->kind == RAS_F64;
}

static double number_of(const struct ras_value *v)
{
    return v->kind == RAS_F64 ? v->f64 : v->kind == RAS_INT ? (double)v->i : (double)v->u;
}

static bool as_number(const struct ras_value *v, double *number)
{
    if (v->kind == RAS_STR)
        return python_float((struct ras_bytes){v->at, v->count}, number);
    if (!is_number_value(v))
        return false;
    *number = number_of(v);
    return true;
}

/* An int and a float are equal when the float is that very int. */
static bool exactly(const struct ras_value *i, double f)
{
    if (i->kind == RAS_INT)
        return f >= -0x1p63 && f < 0x1p63 && (double)(int64_t)f == f && (int64_t)f == i->i;
    return f >= 0 && f < 0x1p64 && (double)(uint64_t)f == f && (uint64_t)f == i->u;
}

static bool numbers_equal(const struct ras_value *a, const struct ras_value *b)
{
    if (a->kind == RAS_F64 && b->kind == RAS_F64)
        return a->f64 == b->f64;
    if (a->kind == RAS_F64)
        return exactly(b, a->f64);
    if (b->kind == RAS_F64)
        return exactly(a, b->f64);
    bool negative = (a->kind == RAS_INT && a->i < 0) || (b->kind == RAS_INT && b->i < 0);
    return a->u == b->u && (!negative || a->kind == b->kind);
}

static bool equal(const struct ras_value *a, const struct ras_value *b);

static bool lists_equal(const struct ras_value *a, const struct ras_value *b)
{
    const struct ras_value *x = a + 1, *y = b + 1;
    const struct ras_value *x_end = ras_value_next(a), *y_end = ras_value_next(b);
    for (; x < x_end && y < y_end; x = ras_value_next(x), y = ras_value_next(y))
        if (!equal(x, y))
            return false;
    return x == x_end && y == y_end;
}

/* Every key of `a` is in `b` with its value; the last of equal keys counts. */
static bool within(const struct ras_value *a, const struct ras_value *b)
{
    const struct ras_value *a_end = ras_value_next(a), *b_end = ras_value_next(b);
    for (const struct ras_value *x = a + 1; x < a_end; x = ras_value_next(x + 1)) {
        const struct ras_value *found = NULL;
        for (const struct ras_value *y = b + 1; y < b_end; y = ras_value_next(y + 1))
            if (equal(x, y))
                found = y + 1;
        if (!found || !equal(x + 1, found))
            return false;
    }
    return true;
}

static bool equal(const struct ras_value *a, const struct ras_value *b)
{
    if (is_number_value(a) && is_number_value(b))
        return numbers_equal(a, b);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case RAS_STR:
    case RAS_BLOB:
        return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count));
    case RAS_LIST:
        return lists_equal(a, b);
    case RAS_MAP:
        return within(a, b) && within(b, a);
    default:
        return true;
    }
}

static bool ordered(enum query_op op, int order)
{
    return op == QUERY_GE   ? order >= 0
           : op == QUERY_LE ? order <= 0
           : op == QUERY_GT ? order > 0
                            : order < 0;
}

static void put_text_of(struct out *out, const struct ras_value *v)
{
    if (v->kind == RAS_BLOB)
        out_bytes(out, v->at, v->count);
    else
        python_str(out, v);
}

static bool by_text(enum query_op op, const struct ras_value *a, const struct ras_value *b)
{
    struct out x = {0}, y = {0};
    put_text_of(&x, a);
    put_text_of(&y, b);
    size_t least = x.len < y.len ? x.len : y.len;
    int order = least ? memcmp(x.at, y.at, least) : 0;
    if (!order)
        order = x.len < y.len ? -1 : x.len > y.len;
    bool holds = !x.failed && !y.failed && ordered(op, order);
    out_free(&x);
    out_free(&y);
    return holds;
}

bool query_holds(enum query_op op, const struct ras_value *left, const struct ras_value *right)
{
    double a, b;
    if (!as_number(left, &a) || !as_number(right, &b)) {
        if (op == QUERY_EQ || op == QUERY_NE)
            return equal(left, right) == (op == QUERY_EQ);
        return by_text(op, left, right);
    }
    switch (op) {
    case QUERY_EQ:
        return a == b;
    case QUERY_NE:
        return a != b;
    case QUERY_GE:
        return a >= b;
    case QUERY_LE:
        return a <= b;
    case QUERY_GT:
        return a > b;
    default:
        return a < b;
    }
}
