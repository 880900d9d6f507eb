/* seekable_index.c - the index of seekable zstd, read. */
#include "codec/seekable.h"
#include "base/in.h"

#include <stdlib.h>

enum { DESCRIPTOR_CHECKSUM = 0x80, DESCRIPTOR_RESERVED = 0x7c, ENTRY_CHECKSUM = 4 };
#define INDEX_MAGIC      UINT32_C(0x184D2A5E)
#define INDEX_FOOT_MAGIC UINT32_C(0x8F92EAB1)

/* Where the entries are; 0: there are none, or their sizes do not agree. */
static size_t find_entries(struct ras_bytes file, size_t *count, size_t *entry)
{
    if (file.len < FRAME_INDEX_HEAD + FRAME_INDEX_FOOT)
        return 0;
    const uint8_t *foot = file.at + file.len - FRAME_INDEX_FOOT;
    uint8_t descriptor = foot[4];
    if (load_u32(foot + 5) != INDEX_FOOT_MAGIC || descriptor & DESCRIPTOR_RESERVED)
        return 0;
    *count = load_u32(foot);
    *entry = FRAME_INDEX_ENTRY + (descriptor & DESCRIPTOR_CHECKSUM ? ENTRY_CHECKSUM : 0);
    size_t room = file.len - FRAME_INDEX_HEAD - FRAME_INDEX_FOOT;
    if (*count > room / *entry)
        return 0;
    size_t size = *count * *entry, at = file.len - FRAME_INDEX_FOOT - size;
    const uint8_t *head = file.at + at - FRAME_INDEX_HEAD;
    return load_u32(head) == INDEX_MAGIC && load_u32(head + 4) == size + FRAME_INDEX_FOOT ? at : 0;
}

/* Frames follow each other from the first byte of the file to the index; none is empty. */
static bool take_entries(struct ras_bytes file, size_t at, size_t entry, uint64_t most,
                         struct frames_index *x)
{
    uint64_t stored = 0, size = 0, end = at - FRAME_INDEX_HEAD;
    for (size_t i = 0; i < x->count; i++) {
        const uint8_t *p = file.at + at + i * entry;
        struct frame f = {
            .at = stored, .stored = load_u32(p), .from = size, .size = load_u32(p + 4)};
        stored += f.stored;
        size += f.size;
        if (stored > end || size > most || !f.size || !f.stored)
            return false;
        x->frames[i] = f;
    }
    x->size = size;
    x->stored_at = end;
    return stored == end;
}

int frames_index_get(struct ras_bytes file, uint64_t most, struct frames_index *x)
{
    size_t entry = 0, at = find_entries(file, &x->count, &entry);
    x->frames = NULL;
    if (!at || !x->count)
        return RAS_END;
    x->frames = calloc(x->count, sizeof *x->frames);
    if (!x->frames)
        return RAS_EMEMORY;
    if (take_entries(file, at, entry, most, x))
        return RAS_OK;
    frames_index_free(x);
    return RAS_END;
}

void frames_index_free(struct frames_index *x)
{
    free(x->frames);
    *x = (struct frames_index){0};
}

size_t frames_find(const struct frames_index *x, uint64_t at)
{
    size_t low = 0, high = x->count;
    if (at >= x->size)
        return x->count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (x->frames[middle].from <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}
