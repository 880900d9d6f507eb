/* zstd_tables.h - the entropy tables of zstd (RFC 8878, 4): FSE for sequences and weights, Huffman
 * for literals. */
#ifndef CODEC_ZSTD_TABLES_H
#define CODEC_ZSTD_TABLES_H

#include "codec/zstd_bits.h"

enum { ZSTD_FSE_LOG_MAX = 9, ZSTD_HUFFMAN_LOG_MAX = 11 };

/* What a code stands for: a value, and how many bits are added to it. */
struct zstd_code {
    uint32_t base;
    uint8_t extra;
};

/* A state of FSE: what it stands for, and the next state, to which bits are added. */
struct zstd_cell {
    uint32_t base;
    uint16_t next;
    uint8_t extra, bits;
};

struct zstd_fse {
    uint8_t log; /* there are 2^log states */
    struct zstd_cell cell[1 << ZSTD_FSE_LOG_MAX];
};

/* What a table may be, and what its codes are; NULL: a code stands for itself. */
struct zstd_alphabet {
    const struct zstd_code *codes;
    uint16_t count;
    uint8_t log_max;
};

/* From probabilities that are known to add up. */
void zstd_fse_build(struct zstd_fse *, const struct zstd_alphabet *, const int16_t *odds,
                    unsigned count, unsigned log);
/* One code, and no bits. */
void zstd_fse_single(struct zstd_fse *, const struct zstd_alphabet *, uint8_t code);
/* The description at the start of *in, which is advanced. NULL, or why not. */
const char *zstd_fse_get(struct zstd_fse *, const struct zstd_alphabet *, struct ras_bytes *in);

struct zstd_symbol {
    uint8_t symbol, bits;
};

struct zstd_huffman {
    uint8_t log;
    struct zstd_symbol cell[1 << ZSTD_HUFFMAN_LOG_MAX];
};

/* The tree at the start of *in, which is advanced. NULL, or why not. */
const char *zstd_huffman_get(struct zstd_huffman *, struct ras_bytes *in);
#endif
