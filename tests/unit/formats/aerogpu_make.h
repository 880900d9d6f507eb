/* aerogpu_make.h - traces for the tests of AeroGPU, made by hand. */
#ifndef AEROGPU_MAKE_H
#define AEROGPU_MAKE_H

#include "base/out.h"
#include <rastrum/aerogpu.h>

/* cmocka needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static inline void put(struct out *out, uint64_t value, unsigned size)
{
    while (size--) {
        out_byte(out, (uint8_t)value);
        value >>= 8;
    }
}

static inline void put_header(struct out *out, uint32_t version, const char *meta)
{
    const uint32_t fields[] = {32, version, version == 1 ? 1 : 0x10004, 0, (uint32_t)strlen(meta),
                               0};
    out_text(out, "AEROGPUT");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put(out, fields[i], 4);
    out_text(out, meta);
}

/* The payload follows. */
static inline void put_record(struct out *out, uint8_t type, uint32_t payload_len)
{
    put(out, type, 4);
    put(out, payload_len, 4);
}

static inline void put_marker(struct out *out, uint8_t type, uint32_t frame)
{
    put_record(out, type, 4);
    put(out, frame, 4);
}

static inline void put_blob(struct out *out, uint64_t id, uint32_t kind, const void *data,
                            size_t len)
{
    put_record(out, RAS_AERO_BLOB, (uint32_t)(16 + len));
    put(out, id, 8);
    put(out, kind, 4);
    put(out, 0, 4);
    out_bytes(out, data, len);
}

/* DRAW of Appendix A. */
static inline void put_draw(struct out *out, uint32_t vertices)
{
    put_record(out, RAS_AERO_PACKET, 16);
    put(out, 9, 4);
    put(out, 4, 4);
    put(out, vertices, 4);
    put(out, 0, 4);
}

/* A stream of `count` PRESENT commands, numbered by their scanout_id. */
static inline void put_stream(struct out *out, uint32_t count)
{
    out_text(out, "ACMD");
    put(out, 0x10004, 4);
    put(out, 24 + 16 * count, 4);
    for (unsigned i = 0; i < 3; i++)
        put(out, 0, 4);
    for (uint32_t i = 0; i < count; i++) {
        put(out, 0x700, 4);
        put(out, 16, 4);
        put(out, i, 4);
        put(out, 0, 4);
    }
}

static inline void put_stream_blob(struct out *out, uint64_t id, uint32_t count)
{
    struct out stream = {0};
    put_stream(&stream, count);
    put_blob(out, id, RAS_AERO_CMD_STREAM, stream.at, stream.len);
    out_free(&stream);
}

static inline void put_submission(struct out *out, uint64_t cmd_stream_blob_id)
{
    put_record(out, RAS_AERO_SUBMISSION, 56);
    put(out, 1, 4);
    put(out, 56, 4);
    put(out, 0, 8);
    put(out, 0, 8);
    put(out, 0, 8);
    put(out, cmd_stream_blob_id, 8);
    put(out, 0, 8);
    put(out, 0, 8);
}

/* TOC and footer for frames with given offsets. */
static inline void put_seal(struct out *out, uint32_t version, const struct ras_aero_frame *frames,
                            uint32_t count)
{
    uint64_t toc = out->len;
    out_bytes(out, "AEROTOC", 8);
    put(out, 1, 4);
    put(out, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        put(out, frames[i].frame_index, 4);
        put(out, frames[i].flags, 4);
        put(out, frames[i].start_offset, 8);
        put(out, frames[i].present_offset, 8);
        put(out, frames[i].end_offset, 8);
    }
    uint64_t len = out->len - toc;
    out_text(out, "AEROGPUF");
    put(out, 32, 4);
    put(out, version, 4);
    put(out, toc, 8);
    put(out, len, 8);
}

enum { FRAME_DRAWS = 3 };

/* `count` frames of FRAME_DRAWS packets each, sealed. */
static inline void put_frames(struct out *out, uint32_t count)
{
    struct ras_aero_frame frames[64] = {{0}};
    put_header(out, 1, "{}");
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = (struct ras_aero_frame){.frame_index = i, .start_offset = out->len};
        put_marker(out, RAS_AERO_BEGIN_FRAME, i);
        for (uint32_t d = 0; d < FRAME_DRAWS; d++)
            put_draw(out, 100 * i + d);
        frames[i].present_offset = out->len;
        put_marker(out, RAS_AERO_PRESENT, i);
        frames[i].end_offset = out->len;
    }
    put_seal(out, 1, frames, count);
}

static inline struct ras_bytes bytes_of(const struct out *out)
{
    return (struct ras_bytes){out->at, out->len};
}

/* Overwrite a little-endian u32. */
static inline void patch(struct out *out, size_t at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out->at[at + i] = (uint8_t)(value >> 8 * i);
}
#endif
