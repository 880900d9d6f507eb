/* zstd_frame.c - the outside of a zstd frame (RFC 8878, 3.1.1): its header and where it ends. */
#include "codec/zstd_frame.h"
#include "base/in.h"

enum {
    RESERVED_BIT = 8,
    CHECKSUM_BIT = 4,
    SINGLE_SEGMENT_BIT = 32,
    WINDOW_LOG_MIN = 10,
    WINDOW_LOG_LIMIT = 31, /* above it libzstd calls the header invalid */
    CONTENT_OFFSET = 256,  /* of a content size of two bytes */
};

static uint64_t in_sized(struct in *in, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)in_u8(in) << 8 * i;
    return value;
}

int zstd_head_get(struct ras_bytes bytes, struct zstd_head *head, const char **why)
{
    static const uint8_t dictionary_size[4] = {0, 1, 2, 4};
    static const uint8_t content_size[4] = {0, 2, 4, 8};
    struct in in = in_bytes(bytes);
    *head = (struct zstd_head){.content = RAS_NONE};
    *why = "zstd frame header is cut short";
    in_take(&in, ZSTD_MAGIC_SIZE);
    uint8_t descriptor = in_u8(&in);
    if (in.cut)
        return RAS_ECUT;
    bool single = descriptor & SINGLE_SEGMENT_BIT;
    uint8_t window = single ? 0 : in_u8(&in);
    head->dictionary = (uint32_t)in_sized(&in, dictionary_size[descriptor & 3]);
    unsigned stated = content_size[descriptor >> 6];
    if (single && !stated)
        stated = 1;
    uint64_t content = in_sized(&in, stated) + (stated == 2 ? CONTENT_OFFSET : 0);
    if (in.cut)
        return RAS_ECUT;
    *why = "zstd frame header is corrupt";
    if (descriptor & RESERVED_BIT || (window >> 3) + WINDOW_LOG_MIN > WINDOW_LOG_LIMIT)
        return RAS_EFORMAT;
    if (stated)
        head->content = content;
    uint64_t base = (uint64_t)1 << ((window >> 3) + WINDOW_LOG_MIN);
    head->window = single ? content : base + base / 8 * (window & 7);
    head->checksum = descriptor & CHECKSUM_BIT;
    head->size = (size_t)(in.at - bytes.at);
    *why = NULL;
    return RAS_OK;
}

struct zstd_block zstd_block_get(const uint8_t head[ZSTD_BLOCK_HEAD_SIZE])
{
    uint32_t bits = load_u24(head);
    struct zstd_block block = {
        .kind = bits >> 1 & 3, .size = bits >> 3, .body = bits >> 3, .last = bits & 1};
    if (block.kind == ZSTD_RLE)
        block.body = 1;
    return block;
}

int zstd_frame_size(struct ras_bytes bytes, size_t *size, const char **why)
{
    struct zstd_head head;
    int status = zstd_head_get(bytes, &head, why);
    if (status)
        return status;
    struct in in = in_bytes(bytes);
    in_take(&in, head.size);
    for (bool last = false; !last;) {
        const uint8_t *at = in_take(&in, ZSTD_BLOCK_HEAD_SIZE);
        struct zstd_block block = at ? zstd_block_get(at) : (struct zstd_block){0};
        *why = "zstd frame is corrupt";
        if (block.kind == ZSTD_RESERVED)
            return RAS_EFORMAT;
        in_take(&in, block.body);
        last = block.last || in.cut;
    }
    if (head.checksum)
        in_take(&in, ZSTD_CHECKSUM_SIZE);
    *why = in.cut ? "zstd frame is cut short" : NULL;
    *size = (size_t)(in.at - bytes.at);
    return in.cut ? RAS_ECUT : RAS_OK;
}

size_t zstd_raw_bound(size_t size)
{
    return size + ZSTD_HEAD_MAX + (size / ZSTD_BLOCK_MAX + 1) * ZSTD_BLOCK_HEAD_SIZE;
}

size_t zstd_raw_put(struct ras_bytes in, uint8_t *out)
{
    static const uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0}; /* a content size of 8 bytes */
    uint8_t *to = out;
    memcpy(to, head, sizeof head);
    to += sizeof head;
    for (unsigned i = 0; i < 8; i++)
        *to++ = (uint8_t)((uint64_t)in.len >> 8 * i);
    do {
        size_t size = in.len < ZSTD_BLOCK_MAX ? in.len : ZSTD_BLOCK_MAX;
        uint32_t block = (uint32_t)(size << 3) | (size == in.len);
        for (unsigned i = 0; i < ZSTD_BLOCK_HEAD_SIZE; i++)
            *to++ = (uint8_t)(block >> 8 * i);
        if (size)
            memcpy(to, in.at, size);
        to += size;
        in = (struct ras_bytes){in.at + size, in.len - size};
    } while (in.len);
    return (size_t)(to - out);
}
