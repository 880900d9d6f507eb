/* compared.h - what a comparison says, looked into by tests. */
#ifndef TESTS_COMPARED_H
#define TESTS_COMPARED_H

#include <rastrum/rastrum.h>

#include <string.h>

static inline bool is_text(const struct ras_value *v, const char *text)
{
    return v && v->kind == RAS_STR && v->count == strlen(text) && !memcmp(v->at, text, v->count);
}

static inline size_t extent(const struct ras_value *v)
{
    return 1 + (v->kind == RAS_LIST || v->kind == RAS_MAP ? v->count : 0);
}

/* The i-th element of a list; NULL: there are fewer. */
static inline const struct ras_value *row_at(const struct ras_value *list, size_t i)
{
    const struct ras_value *at = list + 1;
    while (i-- && at < list + extent(list))
        at += extent(at);
    return at < list + extent(list) ? at : NULL;
}

/* The rows of the first divergence. */
static inline const struct ras_value *rows_of(const struct ras_diff *d)
{
    const struct ras_value *rows = ras_value_member(d->divergences[0].detail, "mismatches");
    return rows;
}
#endif
