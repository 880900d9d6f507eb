/* dial9_intern.h - the ids of strings, stacks and schemas by their bytes.
 *
 * Ids are given from 0 upwards, except those that the caller has taken for itself. */
#ifndef DIAL9_INTERN_H
#define DIAL9_INTERN_H

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
