/* zstd_plain.c - zstd frames decoded without libzstd (RFC 8878): at once, or in pieces.
 *
 * In a stream the last bytes of the frame are kept as far as its window reaches, which meets a
 * limit before memory, and grows with what was made, not with what the header states. */
#include "base/memory.h"
#include "codec/xxh64.h"
#include "codec/zstd_block.h"
#include "codec/zstd_engine.h"

#include <stdlib.h>

enum plain_piece { PLAIN_HEAD, PLAIN_BLOCK_HEAD, PLAIN_BODY, PLAIN_CHECKSUM, PLAIN_END };

struct plain {
    struct zstd_blocks blocks;
    struct zstd_head head;
    uint32_t block_max;
    uint64_t made; /* bytes of the frame */
    struct xxh64 sum;
    uint8_t body[ZSTD_BLOCK_MAX + ZSTD_SLACK]; /* of a block, from which bits are loaded */
    /* Of a stream. */
    enum plain_piece piece;
    struct zstd_block block;
    size_t body_len;
    uint8_t *history;
    size_t history_room, filled, flushed;
};

/* As libzstd words it, where it has a word for it. */
static const char corrupt[] = "data corruption detected";
static const char too_long[] = "destination buffer is too small";
static const char no_memory[] = "out of memory";
static const char wrong_sum[] = "restored data doesn't match checksum";
static const char needs_dictionary[] = "dictionary mismatch";
static const char window_too_large[] = "frame requires too much memory for decoding";

static void *plain_open(void)
{
    struct plain *z = calloc(1, sizeof *z);
    if (z)
        zstd_blocks_init(&z->blocks);
    return z;
}

static void plain_close(void *engine)
{
    struct plain *z = engine;
    if (!z)
        return;
    free(z->history);
    free(z);
}

/* The header is in z->head. NULL, or why not. */
static const char *frame_start(struct plain *z)
{
    if (z->head.dictionary)
        return needs_dictionary;
    zstd_blocks_reset(&z->blocks);
    z->block_max = z->head.window < ZSTD_BLOCK_MAX ? (uint32_t)z->head.window : ZSTD_BLOCK_MAX;
    z->made = 0;
    z->sum = xxh64_start();
    return NULL;
}

static const char *block_allowed(const struct plain *z, const struct zstd_block *block)
{
    if (block->kind == ZSTD_RESERVED)
        return corrupt;
    return block->size > z->block_max ? corrupt : NULL;
}

/* Count and sum what a block has made. It must not exceed what the header states, and with the last
 * block be all of it. */
static const char *count_made(struct plain *z, const uint8_t *bytes, size_t len, bool last)
{
    z->made += len;
    if (z->head.content != RAS_NONE && z->made > z->head.content)
        return too_long;
    if (z->head.content != RAS_NONE && last && z->made != z->head.content)
        return corrupt;
    if (z->head.checksum)
        xxh64_add(&z->sum, bytes, len);
    return NULL;
}

static const char *check_sum(const struct plain *z, const uint8_t stored[ZSTD_CHECKSUM_SIZE])
{
    return load_u32(stored) == (uint32_t)xxh64_end(&z->sum) ? NULL : wrong_sum;
}

/* One whole block into `place`. */
static const char *whole_block(struct plain *z, const struct zstd_block *block,
                               struct ras_bytes body, struct zstd_place *place)
{
    if (block->kind == ZSTD_COMPRESSED)
        return zstd_block_decode(&z->blocks, body, place);
    if (block->size > place->end - place->at)
        return corrupt;
    if (block->kind == ZSTD_RAW)
        memcpy(place->out + place->at, body.at, block->size);
    else
        memset(place->out + place->at, body.at[0], block->size);
    place->at += block->size;
    return NULL;
}

/* ---- at once ------------------------------------------------------------------ */

/* The body, followed by bytes that may be loaded. */
static struct ras_bytes padded_body(struct plain *z, const struct in *in, size_t size)
{
    const uint8_t *at = in->at - size;
    if (in_left(in) < ZSTD_SLACK) {
        memcpy(z->body, at, size);
        at = z->body;
    }
    return (struct ras_bytes){at, size};
}

static const char *blocks_at_once(struct plain *z, struct in *in, uint8_t *out, size_t expected)
{
    struct zstd_place place = {.out = out, .room = expected, .window = z->head.window};
    struct zstd_block block;
    do {
        block = zstd_block_get(in_take(in, ZSTD_BLOCK_HEAD_SIZE));
        const char *why = block_allowed(z, &block);
        if (why)
            return why;
        in_take(in, block.body);
        struct ras_bytes body = padded_body(z, in, block.body);
        size_t from = place.at, left = expected - place.at;
        place.end = from + (left < z->block_max ? left : z->block_max);
        why = whole_block(z, &block, body, &place);
        if (!why)
            why = count_made(z, out + from, place.at - from, block.last);
        if (why)
            return why;
    } while (!block.last);
    return NULL;
}

static int plain_frame(void *engine, struct ras_bytes bytes, uint8_t *out, size_t expected,
                       size_t *taken, const char **why)
{
    struct plain *z = engine;
    int status = zstd_frame_size(bytes, taken, why); /* hence all its pieces are there */
    if (status == RAS_OK)
        status = zstd_head_get(bytes, &z->head, why);
    if (status)
        return status;
    struct in in = in_bytes((struct ras_bytes){bytes.at, *taken});
    in_take(&in, z->head.size);
    *why = frame_start(z);
    if (!*why)
        *why = blocks_at_once(z, &in, out, expected);
    if (!*why && z->head.checksum)
        *why = check_sum(z, in_take(&in, ZSTD_CHECKSUM_SIZE));
    if (!*why && z->made == expected)
        return RAS_OK;
    *why = *why == wrong_sum          ? "zstd frame does not match its checksum"
           : *why == needs_dictionary ? "zstd frame needs a dictionary"
                                      : "zstd frame is corrupt";
    return RAS_EFORMAT;
}

/* ---- in pieces ------------------------------------------------------------------ */

static void plain_reset(void *engine)
{
    struct plain *z = engine;
    z->piece = PLAIN_HEAD;
    z->filled = z->flushed = 0;
}

/* Room for a block after what is filled. What an offset can still reach is kept. */
static const char *make_room(struct plain *z)
{
    size_t window = (size_t)z->head.window, need = ZSTD_BLOCK_MAX + ZSTD_SLACK;
    size_t most = window + window / 2 + 2 * need;
    if (z->history_room - z->filled >= need)
        return NULL;
    if (z->filled + need > most) {
        memmove(z->history, z->history + z->filled - window, window);
        z->filled = z->flushed = window;
        return NULL;
    }
    return array_grow(&z->history, &z->history_room, z->filled + need, 1) ? NULL : no_memory;
}

static void flush(struct plain *z, uint8_t *out, size_t room, size_t *made)
{
    size_t left = z->filled - z->flushed, size = room - *made < left ? room - *made : left;
    if (size)
        memcpy(out + *made, z->history + z->flushed, size);
    z->flushed += size;
    *made += size;
}

static const char *stream_head(struct plain *z, struct ras_bytes *in)
{
    const char *why;
    if (zstd_head_get(*in, &z->head, &why))
        return why;
    if (z->head.window > (uint64_t)1 << ZSTD_WINDOW_LOG_MAX)
        return window_too_large;
    in->at += z->head.size;
    in->len -= z->head.size;
    z->piece = PLAIN_BLOCK_HEAD;
    return frame_start(z);
}

static void block_done(struct plain *z)
{
    z->body_len = 0;
    z->piece = !z->block.last ? PLAIN_BLOCK_HEAD : z->head.checksum ? PLAIN_CHECKSUM : PLAIN_END;
}

/* What has arrived of a body: raw bytes at once, others when all of them are there. */
static const char *stream_body(struct plain *z, struct ras_bytes *in)
{
    size_t left = z->block.body - z->body_len, size = in->len < left ? in->len : left;
    struct zstd_block piece = z->block;
    struct ras_bytes body = {in->at, size};
    const char *why = NULL;
    bool done = size == left;
    if (z->block.kind == ZSTD_RAW) {
        piece.size = (uint32_t)size;
    } else {
        if (size)
            memcpy(z->body + z->body_len, in->at, size);
        body = (struct ras_bytes){z->body, z->block.body};
    }
    z->body_len += size;
    in->at += size;
    in->len -= size;
    if (z->block.kind == ZSTD_RAW || done) {
        struct zstd_place place = {z->history, z->filled, z->filled + z->block_max, z->history_room,
                                   z->head.window};
        why = piece.size || done ? whole_block(z, &piece, body, &place) : NULL;
        if (!why)
            why = count_made(z, z->history + z->filled, place.at - z->filled, done && piece.last);
        if (!why)
            z->filled = place.at;
    }
    if (done)
        block_done(z);
    return why;
}

static const char *stream_block_head(struct plain *z, struct ras_bytes *in)
{
    z->block = zstd_block_get(in->at);
    in->at += ZSTD_BLOCK_HEAD_SIZE;
    in->len -= ZSTD_BLOCK_HEAD_SIZE;
    z->piece = PLAIN_BODY;
    const char *why = block_allowed(z, &z->block);
    if (!why)
        why = make_room(z);
    return why || z->block.body ? why : stream_body(z, &(struct ras_bytes){z->body, 0});
}

static const char *stream_piece(struct plain *z, struct ras_bytes *in)
{
    const char *why;
    switch (z->piece) {
    case PLAIN_HEAD:
        return stream_head(z, in);
    case PLAIN_BLOCK_HEAD:
        return stream_block_head(z, in);
    case PLAIN_BODY:
        return stream_body(z, in);
    case PLAIN_CHECKSUM:
        why = check_sum(z, in->at);
        in->at += ZSTD_CHECKSUM_SIZE;
        in->len -= ZSTD_CHECKSUM_SIZE;
        z->piece = PLAIN_END;
        return why;
    case PLAIN_END:
        break;
    }
    return NULL;
}

static const char *plain_feed(void *engine, struct ras_bytes *in, uint8_t *out, size_t room,
                              size_t *made)
{
    struct plain *z = engine;
    *made = 0;
    const char *why = in->len && z->flushed == z->filled ? stream_piece(z, in) : NULL;
    if (!why)
        flush(z, out, room, made);
    return why;
}

const struct zstd_engine zstd_plain = {
    .open = plain_open,
    .close = plain_close,
    .frame = plain_frame,
    .reset = plain_reset,
    .feed = plain_feed,
};
