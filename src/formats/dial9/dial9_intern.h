/* dial9_intern.h - the ids of strings, stacks and schemas by their bytes.
 *
 * Ids are given from 0 upwards, except those that the caller has taken for itself. */
#ifndef DIAL9_INTERN_H
#define DIAL9_INTERN_H

#include "base/in.h"
#include "base/memory.h"
#include <rastrum/rastrum.h>

struct intern_entry {
    uint64_t hash;
    const uint8_t *at; /* NULL: its id was taken for something else */
    uint32_t len, id;
};

struct intern {
    struct intern_entry *entries; /* ids ascend */
    size_t count, room;
    uint32_t *slots; /* by hash: index + 1; a power of two of them */
    size_t slot_room;
    uint32_t *taken; /* by id: id + 1, 0 for none; UINT32_MAX has a flag of its own */
    size_t taken_count, taken_room;
    bool taken_last;
    uint64_t next;  /* the smallest id that may be free */
    uint64_t bytes; /* held */
    struct arena arena;
};

/* Fewer than eight bytes as one number; some of them may be in it twice. */
static inline uint64_t intern_word(const uint8_t *at, size_t len)
{
    if (len >= 4)
        return load_u32(at) | (uint64_t)load_u32(at + len - 4) << 32;
    return len ? at[0] | (uint64_t)at[len / 2] << 8 | (uint64_t)at[len - 1] << 16 : 0;
}

/* Whether an entry has these bytes; short ones, most, without a call. */
static inline bool intern_is(const struct intern_entry *e, struct ras_bytes bytes)
{
    if (e->len != bytes.len)
        return false;
    if (bytes.len < 8)
        return intern_word(e->at, bytes.len) == intern_word(bytes.at, bytes.len);
    return !memcmp(e->at, bytes.at, bytes.len);
}

void intern_free(struct intern *);
void intern_clear(struct intern *); /* keeps its memory */
/* The id of known bytes; false: they are not known. */
bool intern_find(const struct intern *, uint64_t hash, struct ras_bytes, uint32_t *id);
uint64_t intern_hash(struct ras_bytes);
/* The id for the next new bytes, up to `most`; false: all are in use. */
bool intern_free_id(struct intern *, uint32_t most, uint32_t *id);
/* Keep bytes under the id that intern_free_id() gave. False: memory is short. */
bool intern_add(struct intern *, uint64_t hash, struct ras_bytes, uint32_t id);
/* The caller takes an id: its bytes are forgotten. False: memory is short. */
bool intern_take(struct intern *, uint32_t id);
#endif
