/* keys.c - the keys of two maps, each once, with the values that both have for it. */
#include "ops/compare/keys.h"
#include "base/memory.h"
#include "codec/json_python.h"
#include "core/row.h"

#include <stdlib.h>

/* A member of one of the maps; its key's text lies in a buffer that they share. */
struct entry {
    const struct ras_value *key;
    int side;
    size_t order, at, len;
    const uint8_t *text;
};

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    size_t least = x->len < y->len ? x->len : y->len;
    int order = least ? memcmp(x->text, y->text, least) : 0;
    if (order)
        return order;
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
    const struct key_pair *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool collect(const struct ras_value *map, int side, struct entry **entries, size_t *count,
                    size_t *room, struct out *texts)
{
    const struct ras_value *end = ras_value_next(map);
    for (const struct ras_value *at = map + 1; at < end; at = ras_value_next(at + 1)) {
        if (!array_grow(entries, room, *count + 1, sizeof **entries))
            return false;
        struct entry *e = &(*entries)[*count];
        *e = (struct entry){.key = at, .side = side, .order = (*count)++, .at = texts->len};
        python_repr(texts, at);
        e->len = texts->len - e->at;
    }
    return !texts->failed;
}

/* Entries of one key lie together: of each side the last one counts. */
static size_t join(const struct entry *entries, size_t count, struct key_pair *pairs)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = &entries[i], *before = i ? e - 1 : NULL;
        bool same =
            before && before->len == e->len && (!e->len || !memcmp(before->text, e->text, e->len));
        if (!same)
            pairs[n++] = (struct key_pair){.key = e->key, .order = e->order};
        pairs[n - 1].values[e->side] = e->key + 1;
    }
    return n;
}

struct key_pair *key_pairs(const struct ras_value *a, const struct ras_value *b, bool sorted,
                           size_t *count)
{
    struct entry *entries = NULL;
    struct key_pair *pairs = NULL;
    struct out texts = {0};
    size_t total = 0, room = 0;
    *count = 0;
    if (collect(a, 0, &entries, &total, &room, &texts) &&
        collect(b, 1, &entries, &total, &room, &texts))
        pairs = calloc(total + 1, sizeof *pairs);
    for (size_t i = 0; pairs && i < total; i++)
        entries[i].text = texts.at + entries[i].at;
    if (pairs && total) {
        qsort(entries, total, sizeof *entries, by_text);
        *count = join(entries, total, pairs);
        if (!sorted)
            qsort(pairs, *count, sizeof *pairs, by_order);
    }
    free(entries);
    out_free(&texts);
    return pairs;
}
