/* dial9_batch.h - what one batch has defined so far: types and pools.
 *
 * A batch is learnt from its bytes in order and once: `learnt` is how far. Reading the same
 * frames again, after a jump back or by another cursor, adds nothing. Definitions are kept as
 * offsets, since the bytes may move. */
#ifndef DIAL9_BATCH_H
#define DIAL9_BATCH_H

#include "formats/dial9/dial9_pool.h"
#include "formats/dial9/dial9_schema.h"

/* The rules by which a stream is read. */
struct dial9_rules {
    enum ras_dial9_dialect dialect;
    uint32_t depth;
    uint64_t pool_bytes, record_bytes;
    struct shapes *shapes;
};

/* Type ids are found in two steps, pages of 64 ids; page 0 stays empty. The ids below 64, nearly
 * all, have a table of their own. */
#define BATCH_PAGES     1024u
#define BATCH_PAGE_SIZE 64u

struct dial9_batch {
    const struct shape *low[BATCH_PAGE_SIZE];
    uint16_t pages[BATCH_PAGES];
    const struct shape **shapes; /* page_count * BATCH_PAGE_SIZE */
    uint64_t *defined;           /* offsets of their Schema frames, likewise */
    size_t page_count, shape_room, defined_room;
    struct dial9_pool strings, stacks;
    uint64_t *annotations; /* offsets of the Schema Annotations frames */
    size_t annotation_count, annotation_room;
    uint32_t number;
    uint64_t offset; /* of its header */
    uint64_t learnt; /* frames before this offset are known */

    /* For whoever keeps several. */
    uint32_t users;
    struct dial9_batch *newer, *older;
};

/* NULL when memory is short. */
struct dial9_batch *dial9_batch_new(void);
void dial9_batch_free(struct dial9_batch *batch); /* NULL is fine */
/* Forget everything but the memory, for the batch whose header is at `offset`. */
void dial9_batch_start(struct dial9_batch *batch, uint32_t number, uint64_t offset);

/* The shape of a type id; NULL: none. */
static inline const struct shape *dial9_batch_shape(const struct dial9_batch *batch, uint16_t id)
{
    if (id < BATCH_PAGE_SIZE)
        return batch->low[id];
    return batch
        ->shapes[batch->pages[id / BATCH_PAGE_SIZE] * BATCH_PAGE_SIZE + id % BATCH_PAGE_SIZE];
}
/* The offset of its Schema frame. */
uint64_t dial9_batch_defined(const struct dial9_batch *batch, uint16_t id);

/* Read the frame at `in`, which starts at `base`, and learn from it. An event is
 * checked to its last byte, but not decoded: event.values is NULL. A header is
 * reported, not entered. RAS_OK; RAS_ECUT, RAS_EFORMAT, RAS_ELIMIT, RAS_EMEMORY
 * with `in` where it was. */
int dial9_frame_read(struct dial9_batch *batch, const struct dial9_rules *rules,
                     const uint8_t *base, uint64_t base_ns, struct in *in,
                     struct ras_dial9_frame *frame, struct ras_error *err);

/* The timestamp base after a frame (spec "Timestamp Encoding"); a header resets it, an event
 * advances it, possibly by 0. */
static inline uint64_t dial9_base_after(const struct ras_dial9_frame *frame, uint64_t base_ns)
{
    switch (frame->tag) {
    case RAS_DIAL9_HEADER:
        return 0;
    case RAS_DIAL9_TIMESTAMP_RESET:
        return frame->timestamp_ns;
    case RAS_DIAL9_EVENT:
        return frame->event.time_ns;
    default:
        return base_ns;
    }
}

/* Step over the events at `in` that their layouts can decode, nearly all, and update the
 * timestamp base. */
void dial9_events_pass(const struct dial9_batch *batch, const struct dial9_rules *rules,
                       struct in *in, uint64_t *base_ns);

/* Learn everything up to an offset, at which a frame starts. */
int dial9_batch_learn(struct dial9_batch *batch, const struct dial9_rules *rules,
                      struct ras_bytes bytes, uint64_t until, struct ras_error *err);
#endif
