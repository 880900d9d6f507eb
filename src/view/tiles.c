/* tiles.c - the bytes of a tile: docs/view-protocol.md, "Tile bytes". */
#include "view/tiles.h"
#include "view/tracks.h"

_Static_assert(TILE_BUCKETS == 1 << TILE_SHIFT, "buckets of a tile");
enum { PARTS_SHIFT = 6 }; /* places are in 1/64 of a bucket */

bool tile_range(int32_t shift, uint64_t index, uint64_t *from, uint64_t *last)
{
    if (shift < 0 || shift > 63)
        return false;
    unsigned bits = (unsigned)shift + TILE_SHIFT;
    if (bits >= 64 ? index > 0 : index > UINT64_MAX >> bits)
        return false;
    *from = bits >= 64 ? 0 : index << bits;
    *last = bits >= 64 ? UINT64_MAX : *from + ((UINT64_C(1) << bits) - 1);
    return true;
}

static size_t offsets_size(uint32_t rows)
{
    return (TILE_HEADER + 4 * ((size_t)rows + 1) + 15) / 16 * 16 - TILE_HEADER;
}

void tile_begin(struct tile_writer *w, struct out *out, const struct tile *t)
{
    *w = (struct tile_writer){.tile = *t, .out = out, .at = out->len};
    (void)tile_range(t->shift, t->index, &w->from, &w->last);
    size_t size = TILE_HEADER + offsets_size(t->rows);
    uint8_t *p = out_reserve(out, size);
    if (!p)
        return;
    memset(p, 0, size);
    out->len += size;
}

/* A time in 1/64 of a bucket from the left edge, 65536 being the right one. */
static uint32_t tile_x(const struct tile_writer *w, uint64_t time)
{
    if (time <= w->from)
        return 0;
    if (time > w->last)
        return TILE_BUCKETS << PARTS_SHIFT;
    uint64_t at = time - w->from;
    unsigned shift = (unsigned)w->tile.shift;
    return (uint32_t)(shift >= PARTS_SHIFT ? at >> (shift - PARTS_SHIFT)
                                           : at << (PARTS_SHIFT - shift));
}

static unsigned count_log2(uint32_t count)
{
    return count ? 31u - (unsigned)__builtin_clz(count) : 0;
}

/* The share of a bucket that is covered, 255 being all of it. */
static uint8_t busy_share(const struct tile_writer *w, const struct entry *e)
{
    double share = 255.0 * (double)e->busy / (double)(UINT64_C(1) << w->tile.shift);
    return share >= 255 ? 255 : (uint8_t)(share + 0.5);
}

static uint8_t *put_slice(const struct tile_writer *w, uint8_t *p, const struct entry *e)
{
    uint64_t end = e->start + e->dur;
    uint32_t x = tile_x(w, e->start), to = tile_x(w, end);
    uint32_t width = to > x ? to - x : 1;
    unsigned flags = (e->start < w->from ? ITEM_BEGAN_BEFORE : 0) |
                     (end > w->last || e->name & ENTRY_OPEN ? ITEM_GOES_ON : 0) |
                     (e->count == 1 ? ITEM_EXACT : 0) | count_log2(e->count) << 3;
    if (w->tile.kind == TILE_INSTANTS)
        width = 0;
    p = store_u16(p, (uint16_t)x);
    p = store_u16(p, (uint16_t)(width > UINT16_MAX ? UINT16_MAX : width));
    p = store_u32(p, e->name & ~ENTRY_OPEN);
    p = store_u32(p, e->seq);
    p = store_u16(p, (uint16_t)w->row);
    p = store_u8(p, busy_share(w, e));
    return store_u8(p, (uint8_t)flags);
}

static uint8_t *put_value(const struct tile_writer *w, uint8_t *p, const struct entry *e)
{
    const float values[] = {e->min, e->max, (float)(e->sum / e->count)};
    p = store_u16(p, (uint16_t)tile_x(w, e->start));
    p = store_u16(p, (uint16_t)count_log2(e->count));
    for (size_t i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        p = store_u32(p, bits);
    }
    return p;
}

/* Whether what begins before the tile is seen in it. */
static bool is_seen(const struct tile_writer *w, const struct entry *e)
{
    if (e->start >= w->from)
        return e->start <= w->last;
    return w->tile.kind != TILE_COUNTER && w->tile.kind != TILE_INSTANTS &&
           e->start + e->dur > w->from;
}

void tile_row(struct tile_writer *w, const struct entry *e, size_t count)
{
    struct out *out = w->out;
    size_t most = (TILE_BYTES_MOST - TILE_HEADER - offsets_size(w->tile.rows)) / TILE_ITEM;
    if (w->items + count > most) {
        w->tile.flags |= TILE_LOSSY;
        count = 0;
    }
    uint8_t *p = out_reserve(out, count * TILE_ITEM + 1);
    uint8_t *begin = p;
    for (size_t i = 0; p && i < count; i++)
        if (is_seen(w, &e[i]))
            p = w->tile.kind == TILE_COUNTER ? put_value(w, p, &e[i]) : put_slice(w, p, &e[i]);
    if (!p)
        return;
    out->len += (size_t)(p - begin);
    w->items += (uint32_t)((size_t)(p - begin) / TILE_ITEM);
    w->row++;
    store_u32(out->at + w->at + TILE_HEADER + (size_t)4 * w->row, w->items);
}

bool tile_end(struct tile_writer *w)
{
    const struct tile *t = &w->tile;
    if (w->out->failed)
        return false;
    uint8_t *p = w->out->at + w->at;
    p = store_u32(p, TILE_MAGIC);
    p = store_u32(p, (uint32_t)(w->out->len - w->at));
    p = store_u32(p, t->track);
    p = store_u32(p, (uint32_t)t->shift);
    p = store_u64(p, t->index);
    p = store_u64(p, t->seq_base);
    p = store_u16(p, (uint16_t)t->kind);
    p = store_u16(p, (uint16_t)t->flags);
    p = store_u32(p, t->rows);
    p = store_u32(p, w->items);
    store_u32(p, t->generation);
    return true;
}
