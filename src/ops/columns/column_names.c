/* column_names.c - texts of a column as codes: each text is copied and hashed once; and the codes
 * of the ids that a driver has instead of texts. */
#include "codec/fnv1a.h"
#include "ops/columns/columns_driver.h"

#include <stdlib.h>

enum { NAMES_MOST = 1 << 20 };
#define NAMES_BYTES_MOST ((uint64_t)64 << 20)

struct column_names *column_names_new(void)
{
    return calloc(1, sizeof(struct column_names));
}

void column_names_free(struct column_names *n)
{
    if (!n)
        return;
    free(n->at);
    free(n->len);
    free(n->slots);
    arena_free(&n->texts);
    free(n);
}

bool column_names_full(const struct column_names *n)
{
    return n->count >= NAMES_MOST || n->bytes >= NAMES_BYTES_MOST;
}

static size_t home_of(const struct column_names *n, const void *at, uint32_t len)
{
    uint64_t hash = fnv1a_bytes(FNV1A_START, at, len);
    return (size_t)(hash ^ hash >> 29) & (n->slot_count - 1);
}

static bool more_slots(struct column_names *n)
{
    size_t count = n->slot_count ? 2 * n->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(n->slots);
    n->slots = slots;
    n->slot_count = count;
    for (uint32_t code = 0; code < n->count; code++) {
        size_t slot = home_of(n, n->at[code], n->len[code]);
        while (n->slots[slot])
            slot = (slot + 1) & (count - 1);
        n->slots[slot] = code + 1;
    }
    return true;
}

static uint32_t add_new(struct column_names *n, const void *at, uint32_t len, size_t slot)
{
    if (!array_grow(&n->at, &n->room, n->count + 1, sizeof *n->at) ||
        !array_grow(&n->len, &n->len_room, n->count + 1, sizeof *n->len))
        return UINT32_MAX;
    char *text = arena_take(&n->texts, (uint64_t)len + 1);
    if (!text)
        return UINT32_MAX;
    if (len)
        memcpy(text, at, len);
    text[len] = 0;
    n->at[n->count] = text;
    n->len[n->count] = len;
    n->bytes += len;
    n->slots[slot] = (uint32_t)++n->count;
    return (uint32_t)n->count - 1;
}

uint32_t column_names_add(struct column_names *n, const void *at, uint32_t len)
{
    if (2 * n->count >= n->slot_count && !more_slots(n))
        return UINT32_MAX;
    size_t slot = home_of(n, at, len);
    uint32_t code;
    for (; (code = n->slots[slot]); slot = (slot + 1) & (n->slot_count - 1))
        if (n->len[code - 1] == len && (!len || !memcmp(n->at[code - 1], at, len)))
            break;
    code = code ? code - 1 : add_new(n, at, len, slot);
    uintptr_t key = (uintptr_t)at;
    if (code != UINT32_MAX && at)
        n->cache[(key >> 3 ^ key >> 13 ^ len) % NAMES_CACHE] = (struct name_hit){at, len, code};
    return code;
}

/* ---- by the ids of a driver --------------------------------------------------------------- */

struct fill_texts *fill_texts_new(void)
{
    struct fill_texts *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->at = calloc(FILL_TEXTS, sizeof *t->at);
    t->count = FILL_TEXTS;
    if (t->at)
        return t;
    free(t);
    return NULL;
}

void fill_texts_free(struct fill_texts *t)
{
    if (t)
        free(t->at);
    free(t);
}

void fill_texts_grow(struct fill_texts *t)
{
    struct fill_text *old = t->at;
    size_t count = t->count;
    t->replaced = 0;
    struct fill_text *more = calloc(2 * count, sizeof *more);
    if (!more)
        return;
    t->at = more;
    t->count = 2 * count;
    for (size_t i = 0; i < count; i++)
        if (old[i].code)
            *fill_place(t, old[i].id) = old[i];
    free(old);
}

void fill_texts_forget(struct fill_texts *t)
{
    t->count = FILL_TEXTS;
    t->replaced = 0;
    memset(t->at, 0, FILL_TEXTS * sizeof *t->at);
}
