/* dial9_copy.h - events copied into a new stream, with the definitions they need.
 *
 * An event's bytes stay the same except for its type_id, its delta and the pool ids in it.
 * Schemas, annotations and pool entries are put before the first event that needs them, numbered
 * in the order of their use, so that there are no unused ones. Batches are kept separate, or
 * joined into one. */
#ifndef DIAL9_COPY_H
#define DIAL9_COPY_H

#include "base/id_table.h"
#include "formats/dial9/dial9_driver.h"
#include "formats/dial9/dial9_intern.h"
#include "ops/rewrite/rewrite_driver.h"

/* The new id of an entry of a source's pool: by its index, id + 1; 0: none yet. */
struct id_map {
    uint32_t *at;
    size_t room;
};

/* One batch of a source, while its events are copied. */
struct copied_batch {
    size_t source;
    uint32_t number;
    struct dial9_batch *batch; /* held: it stays in memory */
    struct id_map strings, stacks;
    struct intern lost_strings, lost_stacks; /* ids without a definition: to their new ones */
    size_t annotated;                        /* of its annotations, how many were checked */
};

/* A shape of a source in the batch being written. */
struct copied_type {
    uint32_t serial; /* of the batch it was written in; 0: none */
    uint16_t id;
    uint16_t fields; /* so many of its fields may hold pool ids, or precede one that may */
    uint64_t kept;   /* events that were taken with others, and so not counted */
};

struct copied_source {
    struct copied_type *types; /* by schema, without and with timestamp */
    size_t type_room;
    struct copied_batch **batches; /* by number; NULL: none of its events were copied */
    size_t batch_room;
};

/* Four bytes of an event, and what to put there. */
struct patch_place {
    uint32_t offset, id;
};

struct copier {
    struct rewrite *rw;
    bool joined;
    uint8_t *at; /* written, not yet handed over */
    size_t len, room;
    int failed;      /* why there was no room */
    uint32_t serial; /* of the batch being written; 0: none yet */
    uint64_t base_ns;
    struct copied_source *sources;
    struct copied_batch *current;           /* whose events were copied last */
    struct intern schemas, strings, stacks; /* of the batch being written */
    struct intern notes;                    /* its annotations, if joined: each once */
    struct patch_place *places;
    size_t place_count, place_room;
    bool with_companions;      /* dial9_companions.c */
    bool any_address;          /* stacks were copied whose addresses are not listed here */
    struct id_table addresses; /* of stacks that were copied */
};

int dial9_copy_begin(struct copier *, struct rewrite *, bool joined, struct ras_error *);
/* Copy the event of a record. */
int dial9_copy_event(struct copier *, size_t source, const struct ras_record *, struct ras_error *);
/* What is still due, and the last bytes. */
int dial9_copy_end(struct copier *, struct ras_error *);
void dial9_copy_stop(struct copier *);
/* Bytes as they are. */
int dial9_copy_raw(struct copier *, struct ras_bytes, struct ras_error *);

/* dial9_copy_run.c: copy the events after the current one, of types that were copied before, as
 * far as possible. */
int dial9_copy_run(struct copier *, const struct taken *, struct ras_error *);
/* The same without copying: skip and count them. False: memory is short. */
bool dial9_pass_run(struct copier *, const struct taken *);

/* A stack was copied: its symbols are needed. False: memory is short. */
bool dial9_companions_stack(struct copier *, struct ras_bytes stack);

/* ---- between the two halves ---- */

static inline size_t dial9_copied_index(const struct shape *shape)
{
    return (size_t)shape->schema * 2 + shape->native.has_timestamp;
}

/* The new id of a pool id that was used before: nearly always. */
static inline bool dial9_known_id(const struct dial9_pool *pool, const struct id_map *map,
                                  uint32_t was, uint64_t at, uint32_t *id)
{
    const struct pool_entry *entry = dial9_pool_find(pool, was, at);
    size_t index = entry ? (size_t)(entry - pool->entries) : SIZE_MAX;
    if (index >= map->room || !map->at[index])
        return false;
    *id = map->at[index] - 1;
    return true;
}

/* Room for so many more bytes; NULL: the sink or memory failed, see `failed`. */
uint8_t *dial9_copy_room(struct copier *, size_t, struct ras_error *);
/* The copy of a shape; NULL: memory is short. */
struct copied_type *dial9_copied_type(struct copier *, size_t source, const struct shape *);
/* The reset that an event needs before it; returns the byte after it. */
uint8_t *dial9_copy_reset(struct copier *, uint8_t *, bool timed, uint64_t time_ns);
/* Write the event of a record, under a new id and with `places` patched. */
int dial9_copy_put(struct copier *, const struct ras_record *, uint16_t id, size_t head,
                   struct ras_error *);
/* Write the entries that an event needs, and list where its new ids go in `places`. */
int dial9_copy_ids(struct copier *, struct copied_batch *, const struct ras_dial9_schema *,
                   unsigned fields, const struct ras_record *, size_t head, struct ras_error *);
#endif
