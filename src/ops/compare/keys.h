/* keys.h - the keys of two maps, each once, with the values that both have for it. */
#ifndef OPS_COMPARE_KEYS_H
#define OPS_COMPARE_KEYS_H

#include <rastrum/rastrum.h>

struct key_pair {
    const struct ras_value *key;
    const struct ras_value *values[2]; /* NULL: that map has no such key; the last of several */
    size_t order;                      /* where it first stands: in `a`, then in `b` */
};

/* In the order of their repr, or as they stand. NULL: memory is short. free() it. */
struct key_pair *key_pairs(const struct ras_value *a, const struct ras_value *b, bool sorted,
                           size_t *count);
#endif
