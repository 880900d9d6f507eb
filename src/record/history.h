/* history.h - memory for what a flight recorder takes out of its rings before a window wants it.
 *
 * A queue of bytes in chunks of one size, which all queues share. Only the drain uses it. */
#ifndef RECORD_HISTORY_H
#define RECORD_HISTORY_H

#include <rastrum/rastrum.h>

enum { HISTORY_CHUNK = (256 << 10) + 4096, HISTORY_HEAD = 64 };

struct history_chunk {
    struct history_chunk *next;
    size_t from, to; /* the bytes that are in use, counted from the chunk's beginning */
};

struct history {
    struct history_chunk *first, *last;
};

/* The chunks of all queues. */
struct history_pool {
    struct history_chunk *spare;
    uint64_t bytes; /* in queues */
};

/* Where to write n bytes, which stay in one piece; NULL: no memory, or no more than `most` may be
 * used. */
void *history_add(struct history *, struct history_pool *, size_t n, uint64_t most);
/* The bytes of a chunk in use. */
struct ras_bytes history_bytes(const struct history_chunk *);
/* Take n bytes from the front, all of them from the first chunk. */
void history_drop(struct history *, struct history_pool *, size_t n);
void history_clear(struct history *, struct history_pool *);
/* Give the spare chunks back to the system. */
void history_trim(struct history_pool *);
#endif
