/* zstd_frame.h - the outside of a zstd frame (RFC 8878, 3.1.1): its header and where it ends. */
#ifndef CODEC_ZSTD_FRAME_H
#define CODEC_ZSTD_FRAME_H

#include <rastrum/rastrum.h>

enum {
    ZSTD_MAGIC_SIZE = 4,
    ZSTD_HEAD_MAX = 18, /* magic, descriptor, window, dictionary, content size */
    ZSTD_BLOCK_HEAD_SIZE = 3,
    ZSTD_CHECKSUM_SIZE = 4,
    ZSTD_BLOCK_MAX = 128 << 10, /* what a block may decompress to, and its own size */
};

enum zstd_block_kind { ZSTD_RAW, ZSTD_RLE, ZSTD_COMPRESSED, ZSTD_RESERVED };

struct zstd_head {
    size_t size;      /* of the header, with its magic number */
    uint64_t content; /* RAS_NONE: not stated */
    uint64_t window;
    uint32_t dictionary; /* 0: none */
    bool checksum;
};

struct zstd_block {
    enum zstd_block_kind kind;
    uint32_t size; /* of its content; for RLE the number of repetitions */
    uint32_t body; /* bytes that follow the header */
    bool last;
};

/* Of a frame with content. RAS_OK; RAS_ECUT or RAS_EFORMAT with a static *why. */
int zstd_head_get(struct ras_bytes in, struct zstd_head *head, const char **why) RAS_CHECKED;

struct zstd_block zstd_block_get(const uint8_t head[ZSTD_BLOCK_HEAD_SIZE]);

/* The size of the frame at the start of `in`, found by the heads of its blocks alone. */
int zstd_frame_size(struct ras_bytes in, size_t *size, const char **why) RAS_CHECKED;

/* A frame of raw blocks that states its content size, in out[zstd_raw_bound()]: its size. */
size_t zstd_raw_bound(size_t size);
size_t zstd_raw_put(struct ras_bytes in, uint8_t *out);
#endif
