/* table_names.c - names of tables and columns: unique with ASCII case folded, and safe to quote. */
#include "codec/fnv1a.h"
#include "ops/columns/table_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t fold_byte(uint8_t byte, bool fold)
{
    return fold && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

static uint64_t hash_of(const char *text, bool fold)
{
    uint64_t hash = FNV1A_START;
    for (; *text; text++)
        hash = (hash ^ fold_byte((uint8_t)*text, fold)) * FNV1A_PRIME;
    return hash;
}

static bool is_same(const char *a, const char *b, bool fold)
{
    while (*a && fold_byte((uint8_t)*a, fold) == fold_byte((uint8_t)*b, fold))
        a++, b++;
    return !*a && !*b;
}

static struct name_slot *slot_of(const struct name_table *t, const char *text, bool fold,
                                 uint64_t hash)
{
    size_t at = (size_t)hash & (t->size - 1);
    while (t->slots[at].text &&
           (t->slots[at].hash != hash || !is_same(t->slots[at].text, text, fold)))
        at = (at + 1) & (t->size - 1);
    return &t->slots[at];
}

uint32_t name_table_find(const struct name_table *t, const char *text, bool fold)
{
    if (!t->size)
        return UINT32_MAX;
    const struct name_slot *slot = slot_of(t, text, fold, hash_of(text, fold));
    return slot->text ? slot->index : UINT32_MAX;
}

static bool grow(struct name_table *t)
{
    struct name_table bigger = {.size = t->size ? 2 * t->size : 32, .count = t->count};
    bigger.slots = calloc(bigger.size, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < t->size; i++) {
        if (!t->slots[i].text)
            continue;
        size_t at = (size_t)t->slots[i].hash & (bigger.size - 1);
        while (bigger.slots[at].text)
            at = (at + 1) & (bigger.size - 1);
        bigger.slots[at] = t->slots[i];
    }
    free(t->slots);
    *t = bigger;
    return true;
}

bool name_table_add(struct name_table *t, const char *text, bool fold, uint32_t index)
{
    if (2 * t->count >= t->size && !grow(t))
        return false;
    uint64_t hash = hash_of(text, fold);
    struct name_slot *slot = slot_of(t, text, fold, hash);
    if (slot->text)
        return true;
    *slot = (struct name_slot){hash, text, index, 0};
    t->count++;
    return true;
}

void name_table_free(struct name_table *t)
{
    free(t->slots);
    *t = (struct name_table){0};
}

/* ---- texts ------------------------------------------------------------------------ */

const char *name_join(struct arena *arena, const char *a, const char *between, const char *b)
{
    size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = arena_take(arena, size);
    if (text)
        snprintf(text, size, "%s%s%s", a, between, b);
    return text;
}

/* The character U+0000 as the picture of it, U+2400. */
static const char *show_nul(struct arena *arena, const char *text)
{
    size_t extra = 0;
    for (const char *at = text; (at = strstr(at, RAS_NAME_NUL)); at += 2)
        extra++;
    if (!extra)
        return text;
    char *shown = arena_take(arena, strlen(text) + extra + 1), *to = shown;
    for (const char *at = text; to && *at;) {
        if (!strncmp(at, RAS_NAME_NUL, 2)) {
            memcpy(to, "\xe2\x90\x80", 3);
            to += 3;
            at += 2;
        } else {
            *to++ = *at++;
        }
    }
    if (to)
        *to = 0;
    return shown;
}

/* What is longer is cut between two characters and named by its hash. */
static const char *shorten(struct arena *arena, const char *text)
{
    size_t len = strlen(text), keep = NAME_MOST - 9;
    if (len <= NAME_MOST)
        return text;
    while (keep && ((uint8_t)text[keep] & 0xc0) == 0x80)
        keep--;
    char *cut = arena_take(arena, NAME_MOST + 1);
    if (cut) {
        memcpy(cut, text, keep);
        snprintf(cut + keep, 10, "~%08x",
                 (unsigned)(fnv1a_bytes(FNV1A_START, text, len) & UINT32_MAX));
    }
    return cut;
}

const char *name_plain(struct arena *arena, const char *text)
{
    if (!*text)
        return "~1";
    text = show_nul(arena, text);
    return text ? shorten(arena, text) : NULL;
}

/* The slot of a text that is there. */
static struct name_slot *slot_there(const struct name_table *t, const char *text)
{
    return slot_of(t, text, true, hash_of(text, true));
}

/* A twin is numbered from where the last one was, so that many of them cost no more than few. */
const char *name_take(struct arena *arena, struct name_table *taken, const char *text,
                      uint32_t index)
{
    size_t len = strlen(text);
    char *name = arena_take(arena, len + 16);
    if (!name)
        return NULL;
    memcpy(name, text, len + 1);
    while (name_table_find(taken, name, true) != UINT32_MAX) {
        struct name_slot *first = slot_there(taken, text);
        first->twins++;
        snprintf(name + len, 16, "~%u", first->twins + 1);
    }
    return name_table_add(taken, name, true, index) ? name : NULL;
}

static bool begins(const char *name, const char *with)
{
    for (; *with; name++, with++)
        if (fold_byte((uint8_t)*name, true) != (uint8_t)*with)
            return false;
    return true;
}

bool name_reserved(const struct ras_tables *t, const char *name)
{
    return *name == '_' || begins(name, "sqlite_") || begins(name, "stats_") ||
           name_table_find(&t->names, name, true) < t->fixed;
}
