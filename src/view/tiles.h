/* tiles.h - the bytes of a tile: docs/view-protocol.md, "Tile bytes". */
#ifndef VIEW_TILES_H
#define VIEW_TILES_H

#include "base/out.h"
#include "view/pyramid.h"

enum { TILE_SHIFT = 10, TILE_HEADER = 48, TILE_ITEM = 16, TILE_MAGIC = 0x314c5452 /* RTL1 */ };
enum tile_kind { TILE_SLICES = 1, TILE_COUNTER, TILE_INSTANTS, TILE_FILM };
enum tile_flags { TILE_PARTIAL = 1, TILE_COARSER = 2, TILE_LOSSY = 4 };
enum tile_item_flags { ITEM_BEGAN_BEFORE = 1, ITEM_GOES_ON = 2, ITEM_EXACT = 4 };

struct tile {
    uint32_t track;
    int32_t shift;
    uint64_t index, seq_base;
    enum tile_kind kind;
    unsigned flags;
    uint32_t rows, generation;
};

/* The times [from, last] that a tile covers. False: they are not within 64 bits. */
bool tile_range(int32_t shift, uint64_t index, uint64_t *from, uint64_t *last);

struct tile_writer {
    struct tile tile;
    struct out *out;
    size_t at;    /* where it begins */
    uint32_t row; /* the next */
    uint32_t items;
    uint64_t from, last;
};

/* Begin a tile; its rows follow in order, each with the folded entries that it shows and perhaps
 * the one before. */
void tile_begin(struct tile_writer *, struct out *, const struct tile *);
void tile_row(struct tile_writer *, const struct entry *, size_t count);
/* The header is completed. False: memory was short. */
bool tile_end(struct tile_writer *);
#endif
