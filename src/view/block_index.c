/* block_index.c - which records show what at a time, and where reading can begin. */
#include "view/block_index.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void block_index_free(struct block_index *x)
{
    for (size_t i = 0; i < x->point_count; i++)
        free(x->points[i].bytes);
    free(x->points);
    free(x->blocks);
    *x = (struct block_index){0};
}

bool block_index_add(struct block_index *x, const struct block *b)
{
    if (!array_grow(&x->blocks, &x->room, x->count + 1, sizeof *x->blocks))
        return false;
    x->blocks[x->count++] = *b;
    return true;
}

bool block_index_wants(const struct block_index *x)
{
    if (x->count >= UINT32_MAX)
        return false;
    return !x->point_count || x->count - x->points[x->point_count - 1].block >= x->spacing;
}

/* Every other checkpoint goes, and the next are as far apart. */
static void points_thin(struct block_index *x)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->point_count; i++) {
        if (i % 2 == 0) {
            x->points[kept++] = x->points[i];
            continue;
        }
        x->point_bytes -= x->points[i].len;
        free(x->points[i].bytes);
    }
    x->point_count = kept;
    x->spacing = x->spacing ? 2 * x->spacing : 2;
}

bool block_index_keep(struct block_index *x, struct ras_bytes state)
{
    if (state.len > UINT32_MAX ||
        !array_grow(&x->points, &x->point_room, x->point_count + 1, sizeof *x->points))
        return false;
    uint8_t *bytes = malloc(state.len + 1);
    if (!bytes)
        return false;
    memcpy(bytes, state.at, state.len);
    x->points[x->point_count++] =
        (struct checkpoint){(uint32_t)x->count, (uint32_t)state.len, bytes};
    x->point_bytes += state.len;
    while (x->point_bytes > x->limit && x->point_count > 1)
        points_thin(x);
    return true;
}

void block_index_forget(struct block_index *x)
{
    struct checkpoint *last = &x->points[--x->point_count];
    x->point_bytes -= last->len;
    free(last->bytes);
}

const struct checkpoint *block_index_find(const struct block_index *x, size_t block)
{
    size_t low = 0, high = x->point_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->points[middle].block <= block)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &x->points[low - 1] : NULL;
}

size_t block_index_next(const struct block_index *x, size_t block, uint64_t first, uint64_t last,
                        uint32_t stream)
{
    for (; block < x->count; block++) {
        const struct block *b = &x->blocks[block];
        bool of_stream = stream == UINT32_MAX || b->stream == UINT32_MAX || b->stream == stream;
        if (of_stream && b->first <= last && b->last >= first)
            break;
    }
    return block;
}

size_t block_index_bytes(const struct block_index *x)
{
    return x->room * sizeof *x->blocks + x->point_room * sizeof *x->points + x->point_bytes;
}
