/* history.c - queues of bytes in chunks, in memory that is not the program's heap. */
#include "record/history.h"

#include <sys/mman.h>

static struct history_chunk *take_chunk(struct history_pool *pool, uint64_t most)
{
    struct history_chunk *chunk = pool->spare;
    if (pool->bytes + HISTORY_CHUNK > most)
        return NULL;
    if (chunk) {
        pool->spare = chunk->next;
    } else {
        chunk =
            mmap(NULL, HISTORY_CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk == MAP_FAILED)
            return NULL;
    }
    pool->bytes += HISTORY_CHUNK;
    *chunk = (struct history_chunk){.from = HISTORY_HEAD, .to = HISTORY_HEAD};
    return chunk;
}

void *history_add(struct history *h, struct history_pool *pool, size_t n, uint64_t most)
{
    if (!h->last || HISTORY_CHUNK - h->last->to < n) {
        struct history_chunk *chunk =
            n <= HISTORY_CHUNK - HISTORY_HEAD ? take_chunk(pool, most) : NULL;
        if (!chunk)
            return NULL;
        if (h->last)
            h->last->next = chunk;
        else
            h->first = chunk;
        h->last = chunk;
    }
    h->last->to += n;
    return (uint8_t *)h->last + h->last->to - n;
}

struct ras_bytes history_bytes(const struct history_chunk *chunk)
{
    return (struct ras_bytes){(const uint8_t *)chunk + chunk->from, chunk->to - chunk->from};
}

void history_drop(struct history *h, struct history_pool *pool, size_t n)
{
    struct history_chunk *chunk = h->first;
    chunk->from += n;
    if (chunk->from < chunk->to)
        return;
    h->first = chunk->next;
    if (!h->first)
        h->last = NULL;
    chunk->next = pool->spare;
    pool->spare = chunk;
    pool->bytes -= HISTORY_CHUNK;
}

void history_clear(struct history *h, struct history_pool *pool)
{
    while (h->first)
        history_drop(h, pool, history_bytes(h->first).len);
}

void history_trim(struct history_pool *pool)
{
    for (struct history_chunk *chunk; (chunk = pool->spare);) {
        pool->spare = chunk->next;
        munmap(chunk, HISTORY_CHUNK);
    }
}
