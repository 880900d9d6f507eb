/* column_filter.c - conditions on a column of a batch: which rows pass. Texts are judged once per
 * code of the dictionary. */
#include "base/error.h"
#include "ops/columns/column_buffer.h"

#include <math.h>
#include <stdlib.h>

/* ---- order ---------------------------------------------------------------------------- */

static int order_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
    size_t least = a_len < b_len ? a_len : b_len;
    int order = least ? memcmp(a, b, least) : 0;
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int order_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Exact: a double of 2^63 and beyond is no int64, others are compared by their whole part first. */
static int order_i64_f64(int64_t a, double b)
{
    if (b >= 0x1p63)
        return -1;
    if (b < -0x1p63)
        return 1;
    double whole = trunc(b);
    int order = order_i64(a, (int64_t)whole);
    return order ? order : (whole > b) - (whole < b);
}

static int order_u64_f64(uint64_t a, double b)
{
    if (b >= 0x1p64)
        return -1;
    if (b < 0)
        return 1;
    double whole = trunc(b);
    int order = order_u64(a, (uint64_t)whole);
    return order ? order : (whole > b) - (whole < b);
}

static int order_f64(double a, double b)
{
    return (a > b) - (a < b);
}

static bool passes_order(unsigned op, int order)
{
    switch (op) {
    case RAS_TEST_EQ:
        return order == 0;
    case RAS_TEST_NE:
        return order != 0;
    case RAS_TEST_LT:
        return order < 0;
    case RAS_TEST_LE:
        return order <= 0;
    case RAS_TEST_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* ---- a value and a test ------------------------------------------------------------------- */

static int order_integer(const struct ras_test *t, uint64_t bits, const struct ras_value *v)
{
    if (v->kind == RAS_F64)
        return t->is_unsigned ? order_u64_f64(bits, v->f64) : order_i64_f64((int64_t)bits, v->f64);
    if (!t->is_unsigned)
        return order_i64((int64_t)bits, v->i);
    return v->kind == RAS_INT && v->i < 0 ? 1 : order_u64(bits, v->u);
}

static int order_float(double a, const struct ras_value *v)
{
    if (v->kind == RAS_F64)
        return order_f64(a, v->f64);
    return v->kind == RAS_INT ? -order_i64_f64(v->i, a) : -order_u64_f64(v->u, a);
}

static bool is_nan(const struct ras_value *v)
{
    return v->kind == RAS_F64 && isnan(v->f64);
}

/* Whether a value, given by how it compares with another, is one of those of the test. */
#define PASSES(name, param, compare)                                                               \
    static bool name(const struct ras_test *t, param)                                              \
    {                                                                                              \
        const struct ras_value *v = &t->value;                                                     \
        if (t->op != RAS_TEST_IN)                                                                  \
            return !is_nan(v) && passes_order(t->op, compare);                                     \
        size_t low = 0, high = t->in_count;                                                        \
        while (low < high) {                                                                       \
            size_t mid = low + (high - low) / 2;                                                   \
            v = &t->in[mid];                                                                       \
            int order = compare;                                                                   \
            if (!order)                                                                            \
                return !is_nan(v);                                                                 \
            if (order < 0)                                                                         \
                high = mid;                                                                        \
            else                                                                                   \
                low = mid + 1;                                                                     \
        }                                                                                          \
        return false;                                                                              \
    }

PASSES(passes_integer, uint64_t bits, order_integer(t, bits, v))
PASSES(passes_float, double a, order_float(a, v))
PASSES(passes_bytes, struct ras_bytes b, order_bytes(b.at, b.len, v->at, v->count))

/* ---- a batch -------------------------------------------------------------------------------- */

static bool is_valid(const struct ras_column *c, size_t row)
{
    return !c->valid || c->valid[row / 8] >> row % 8 & 1;
}

static bool judge_texts(struct column_test *k)
{
    const struct column_names *names = k->of->names;
    if (k->names != names)
        k->known = 0;
    k->names = names;
    if (!array_grow(&k->passes, &k->room, names->count + 1, 1))
        return false;
    for (; k->known < names->count; k->known++) {
        struct ras_bytes text = {(const uint8_t *)names->at[k->known], names->len[k->known]};
        k->passes[k->known] = passes_bytes(&k->test, text);
    }
    return true;
}

/* The loops over values of one width. `all`: the rows were not selected yet, they are all. */
#define KEEP(condition)                                                                            \
    for (size_t i = 0; i < n; i++) {                                                               \
        uint32_t row = all ? (uint32_t)i : selected[i];                                            \
        selected[kept] = row;                                                                      \
        kept += (condition) && is_valid(c, row);                                                   \
    }

/* The most frequent one: equal to a number, in a column without nulls. */
#define KEEP_EQUAL(row_of)                                                                         \
    for (size_t i = 0; i < n; i++) {                                                               \
        uint32_t row = row_of;                                                                     \
        selected[kept] = row;                                                                      \
        kept += values[row] == wanted;                                                             \
    }

#define KEEP_INTEGERS(type)                                                                        \
    {                                                                                              \
        const type *values = c->values;                                                            \
        if (quick && all)                                                                          \
            KEEP_EQUAL((uint32_t)i)                                                                \
        else if (quick)                                                                            \
            KEEP_EQUAL(selected[i])                                                                \
        else                                                                                       \
            KEEP(passes_integer(t, (uint64_t)values[row]))                                         \
    }                                                                                              \
    break

static struct ras_bytes bytes_at(const struct ras_column *c, size_t row)
{
    const uint8_t *bytes = c->values;
    return (struct ras_bytes){bytes ? bytes + c->offsets[row] : NULL,
                              c->offsets[row + 1] - c->offsets[row]};
}

bool column_test_run(struct column_test *k, uint32_t *selected, size_t *count, bool all)
{
    const struct ras_test *t = &k->test;
    const struct ras_column *c = &k->of->out;
    size_t n = *count, kept = 0;
    bool integer = t->value.kind == RAS_UINT || t->value.kind == RAS_BOOL ||
                   (t->value.kind == RAS_INT && (!t->is_unsigned || t->value.i >= 0));
    bool quick = t->op == RAS_TEST_EQ && integer && !c->valid;
    uint64_t wanted = t->value.u;
    if (t->op == RAS_TEST_IS_NULL || t->op == RAS_TEST_NOT_NULL) {
        for (size_t i = 0; i < n; i++) {
            uint32_t row = all ? (uint32_t)i : selected[i];
            selected[kept] = row;
            kept += is_valid(c, row) == (t->op == RAS_TEST_NOT_NULL);
        }
        *count = kept;
        return true;
    }
    switch (k->of->type) {
    case RAS_T_BOOL:
    case RAS_T_U8:
        KEEP_INTEGERS(uint8_t);
    case RAS_T_U16:
        KEEP_INTEGERS(uint16_t);
    case RAS_T_U32:
        KEEP_INTEGERS(uint32_t);
    case RAS_T_U64:
    case RAS_T_I64:
        KEEP_INTEGERS(uint64_t);
    case RAS_T_F32: {
        const float *values = c->values;
        KEEP(!isnan(values[row]) && passes_float(t, (double)values[row]))
    } break;
    case RAS_T_F64: {
        const double *values = c->values;
        KEEP(!isnan(values[row]) && passes_float(t, values[row]))
    } break;
    case RAS_T_TEXT: {
        const uint32_t *values = c->values;
        if (!judge_texts(k))
            return false;
        KEEP(is_valid(c, row) && k->passes[values[row]])
    } break;
    default:
        KEEP(passes_bytes(t, bytes_at(c, row)))
    }
    *count = kept;
    return true;
}

/* ---- init ------------------------------------------------------------------------------------ */

static bool is_text(const struct ras_value *v)
{
    return v->kind == RAS_STR || v->kind == RAS_BLOB;
}

static bool fits(const struct column_buffer *b, const struct ras_value *v)
{
    bool number =
        v->kind == RAS_BOOL || v->kind == RAS_UINT || v->kind == RAS_INT || v->kind == RAS_F64;
    return b->type < RAS_T_TEXT ? number : b->type < RAS_T_LIST && is_text(v);
}

/* The values, with their texts after them. */
static bool copy_values(struct column_test *k, const struct ras_value *from, size_t count)
{
    size_t texts = 0;
    for (size_t i = 0; i < count; i++)
        texts += is_text(&from[i]) ? from[i].count : 0;
    k->in = malloc((count + 1) * sizeof *k->in + texts);
    if (!k->in)
        return false;
    char *text = (char *)(k->in + count + 1);
    for (size_t i = 0; i < count; i++) {
        k->in[i] = from[i];
        if (!is_text(&from[i]))
            continue;
        if (from[i].count)
            memcpy(text, from[i].at, from[i].count);
        k->in[i].at = text;
        text += from[i].count;
    }
    return true;
}

int column_test_init(struct column_test *k, const struct ras_test *t, const struct column_buffer *b,
                     struct ras_error *err)
{
    bool unary = t->op == RAS_TEST_IS_NULL || t->op == RAS_TEST_NOT_NULL;
    bool many = t->op == RAS_TEST_IN;
    const struct ras_value *from = many ? t->in : &t->value;
    size_t count = unary ? 0 : many ? t->in_count : 1;
    *k = (struct column_test){.test = *t, .of = b};
    if (t->op > RAS_TEST_IN)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%u is not a valid test", t->op);
    for (size_t i = 0; i < count; i++)
        if (!fits(b, &from[i]))
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "a column of type %s cannot be compared with such a value",
                        ras_type_name(b->type));
    if (!copy_values(k, from, count))
        return fail_memory(err);
    if (many)
        k->test.in = k->in;
    else if (count)
        k->test.value = k->in[0];
    return RAS_OK;
}

void column_test_free(struct column_test *k)
{
    free(k->in);
    free(k->passes);
}
