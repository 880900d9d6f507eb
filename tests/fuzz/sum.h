/* sum.h - the content of records as one number: two traces with the same content have the same. */
#ifndef FUZZ_SUM_H
#define FUZZ_SUM_H

#include <rastrum/rastrum.h>

struct sum {
    uint64_t records, digest;
    enum ras_ending_kind ending;
};

static inline void mix(struct sum *s, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        s->digest = (s->digest ^ at[i]) * 0x100000001b3u;
}

static inline void mix_cell(struct sum *s, const struct ras_value *v)
{
    mix(s, &v->kind, 1);
    if (v->kind == RAS_STR || v->kind == RAS_BLOB)
        mix(s, v->at, v->count);
    else
        mix(s, &v->u, sizeof v->u);
}
#endif
