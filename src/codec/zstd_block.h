/* zstd_block.h - the compressed blocks of zstd frames: literals, sequences, and both executed. */
#ifndef CODEC_ZSTD_BLOCK_H
#define CODEC_ZSTD_BLOCK_H

#include "codec/zstd_frame.h"
#include "codec/zstd_tables.h"

enum zstd_table { ZSTD_LITERAL_LENGTHS, ZSTD_OFFSETS, ZSTD_MATCH_LENGTHS, ZSTD_TABLES };

/* What a block leaves for those after it in the same frame, and room to work in. */
struct zstd_blocks {
    struct zstd_huffman huffman;
    struct zstd_fse own[ZSTD_TABLES], common[ZSTD_TABLES]; /* common: the predefined ones */
    const struct zstd_fse *table[ZSTD_TABLES];             /* in use; NULL: none yet */
    bool has_huffman;
    uint32_t recent[3]; /* offsets */
    uint8_t literals[ZSTD_BLOCK_MAX + ZSTD_SLACK];
};

/* Where a block is written: out[0] is the first byte that an offset may reach. */
struct zstd_place {
    uint8_t *out;
    size_t at, end; /* the block's first byte, and how far it may go */
    size_t room;    /* bytes that may be written, at least `end` */
    uint64_t window;
};

void zstd_blocks_init(struct zstd_blocks *);  /* once */
void zstd_blocks_reset(struct zstd_blocks *); /* before each frame */
/* ZSTD_SLACK bytes after the body must be readable. Advances place->at. NULL, or why not. */
const char *zstd_block_decode(struct zstd_blocks *, struct ras_bytes body,
                              struct zstd_place *place);
#endif
