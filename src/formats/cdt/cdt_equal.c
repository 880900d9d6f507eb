/* cdt_equal.c - typed structs compared as they are, by their tables. */
#include "formats/cdt/cdt_tell.h"

static bool texts_equal(const struct ras_bytes *a, const struct ras_bytes *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->at, b->at, a->len));
}

static bool ints_equal(const struct ras_cdt_int *a, const struct ras_cdt_int *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].value != b[i].value || a[i].wide != b[i].wide)
            return false;
    return true;
}

static bool counts_equal(const struct cdt_list *a, const struct cdt_list *b, unsigned depth)
{
    if (a->count != b->count)
        return false;
    if (!depth)
        return ints_equal((const void *)a->at, (const void *)b->at, a->count);
    const struct cdt_list *x = (const void *)a->at, *y = (const void *)b->at;
    for (size_t i = 0; i < a->count; i++)
        if (!counts_equal(&x[i], &y[i], depth - 1))
            return false;
    return true;
}

static bool strs_equal(const struct cdt_list *a, const struct cdt_list *b)
{
    const struct ras_bytes *x = (const void *)a->at, *y = (const void *)b->at;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!texts_equal(&x[i], &y[i]))
            return false;
    return true;
}

static bool timers_equal(const struct cdt_list *a, const struct cdt_list *b)
{
    const struct ras_cdt_timer *x = (const void *)a->at, *y = (const void *)b->at;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!texts_equal(&x[i].key, &y[i].key) || !ints_equal(&x[i].value, &y[i].value, 1))
            return false;
    return true;
}

bool cdt_lists_equal(const struct cdt_struct *of, struct cdt_list a, struct cdt_list b)
{
    if (a.count != b.count)
        return false;
    for (size_t i = 0; i < a.count; i++)
        if (!cdt_equal(of, a.at + i * of->size, b.at + i * of->size))
            return false;
    return true;
}

static bool members_equal(const struct cdt_field *f, const void *a, const void *b)
{
    switch (f->type) {
    case CDT_FLOAT:
        return *(const double *)a == *(const double *)b;
    case CDT_BOOL:
        return *(const bool *)a == *(const bool *)b;
    case CDT_STR:
    case CDT_BIN:
        return texts_equal(a, b);
    case CDT_STRUCT:
        return cdt_equal(f->of, a, b);
    case CDT_LIST:
        return cdt_lists_equal(f->of, *(const struct cdt_list *)a, *(const struct cdt_list *)b);
    case CDT_STRS:
        return strs_equal(a, b);
    case CDT_INTS:
        return counts_equal(a, b, 0);
    case CDT_COUNTS:
        return counts_equal(a, b, 2);
    case CDT_TIMERS:
        return timers_equal(a, b);
    case CDT_FIXED:
    case CDT_FIXED_POS:
        return ints_equal(a, b, f->fixed);
    default:
        return *(const int64_t *)a == *(const int64_t *)b;
    }
}

/* Members that may be nil: those that are not are named by their bits. */
static uint32_t nullable(const struct cdt_struct *s)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < s->count; i++)
        bits |= s->fields[i].need == CDT_NULLABLE ? UINT32_C(1) << i : 0;
    return bits;
}

bool cdt_equal(const struct cdt_struct *s, const void *a, const void *b)
{
    const struct ras_cdt_node *x = a, *y = b;
    uint32_t nil = 0;
    if (!s->plain) {
        nil = ~x->present & nullable(s);
        if (x->wide != y->wide || nil != (~y->present & nullable(s)))
            return false;
    }
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (!(nil >> i & 1) &&
            !members_equal(f, (const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset))
            return false;
    }
    return true;
}
