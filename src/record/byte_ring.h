/* byte_ring.h - records of any length from one thread to another, each in one piece.
 *
 * Positions only grow. A record that does not fit before the end of the ring begins at its
 * start; `wrap` is where the bytes before it end. */
#ifndef RECORD_BYTE_RING_H
#define RECORD_BYTE_RING_H

#include "record/atom.h"
#include <rastrum/rastrum.h>

struct byte_ring {
    uint8_t *at;   /* NULL: not allocated */
    uint64_t size; /* a power of two */
    uint64_t head; /* the producer's: published up to here */
    uint64_t wrap;
    _Alignas(64) uint64_t tail; /* the consumer's: taken up to here */
};

/* Empty, and never wrapped: the first lap may be filled to the end. */
static inline void byte_ring_clear(struct byte_ring *r)
{
    r->head = r->tail = 0;
    r->wrap = UINT64_MAX;
}

/* Where a record of n bytes would begin. */
static inline uint64_t byte_ring_place(const struct byte_ring *r, uint64_t n)
{
    uint64_t head = LOAD(&r->head), left = r->size - (head & (r->size - 1));
    return left < n ? head + left : head;
}

static inline bool byte_ring_has_room(const struct byte_ring *r, uint64_t n)
{
    return byte_ring_place(r, n) + n - LOAD_ORDERED(&r->tail) <= r->size;
}

/* Where to write n bytes for which there is room; then publish them. */
static inline uint8_t *byte_ring_reserve(const struct byte_ring *r, uint64_t n)
{
    return r->at + (byte_ring_place(r, n) & (r->size - 1));
}

/* A record of n bytes comes next. Call this before its position is published: otherwise the
 * consumer takes the bytes between the last record and the end of the ring for records. */
static inline void byte_ring_turn(struct byte_ring *r, uint64_t n)
{
    if (byte_ring_place(r, n) != r->head)
        STORE(&r->wrap, r->head);
    else if (LOAD(&r->wrap) == r->head) /* of a record that was abandoned */
        STORE(&r->wrap, UINT64_MAX);
}

/* `n` as it was reserved, `used` of it. */
static inline void byte_ring_commit(struct byte_ring *r, uint64_t n, uint64_t used)
{
    uint64_t place = byte_ring_place(r, n);
    byte_ring_turn(r, n);
    STORE_RELEASE(&r->head, place + used);
}

/* The consumer: the next bytes in one piece, up to position `head`, which was read before; *next
 * is the tail after them. */
static inline struct ras_bytes byte_ring_take(const struct byte_ring *r, uint64_t head,
                                              uint64_t *next)
{
    uint64_t tail = r->tail, at = tail & (r->size - 1), lap = tail - at + r->size, end = head;
    *next = head;
    if (head >= lap) {
        uint64_t wrap = LOAD(&r->wrap);
        end = wrap >= tail && wrap < lap ? wrap : lap;
        *next = lap;
    }
    return (struct ras_bytes){r->at + at, (size_t)(end - tail)};
}
#endif
