/* block_index.h - which records show what at a time, and where reading can begin.
 *
 * A block is some thousand records in their stored order, with the times of the items that they
 * complete. A checkpoint is the state of reading before a block. Checkpoints are bytes of any
 * length: when all of them exceed a limit, every other one goes. */
#ifndef VIEW_BLOCK_INDEX_H
#define VIEW_BLOCK_INDEX_H

#include <rastrum/rastrum.h>

enum { BLOCK_RECORDS = 4096 };

struct block {
    uint64_t seq;         /* of its first record; it ends where the next one begins */
    uint64_t first, last; /* times at which its items end; first > last: there are none */
    uint32_t stream;      /* UINT32_MAX: of several */
    uint32_t count;       /* records */
};

struct checkpoint {
    uint32_t block; /* it is before this one */
    uint32_t len;
    uint8_t *bytes;
};

/* Zero-initialised but for the limit. */
struct block_index {
    struct block *blocks;
    size_t count, room;
    struct checkpoint *points;
    size_t point_count, point_room;
    size_t point_bytes, limit; /* of checkpoints */
    uint32_t spacing;          /* blocks between two of them, at least */
};

void block_index_free(struct block_index *);
/* False: memory is short. */
bool block_index_add(struct block_index *, const struct block *);
/* Whether a checkpoint before the next block would be kept. */
bool block_index_wants(const struct block_index *);
/* Copy one. False: memory is short. */
bool block_index_keep(struct block_index *, struct ras_bytes state);
/* Remove the last one. */
void block_index_forget(struct block_index *);
/* The last checkpoint at or before a block; NULL: reading begins with the first record. */
const struct checkpoint *block_index_find(const struct block_index *, size_t block);
/* The first block from `block` on that has items ending in [first, last] of a stream (UINT32_MAX:
 * any); `count`: none. */
size_t block_index_next(const struct block_index *, size_t block, uint64_t first, uint64_t last,
                        uint32_t stream);
size_t block_index_bytes(const struct block_index *);
#endif
