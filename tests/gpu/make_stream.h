/* make_stream.h - ACMD streams and shaders of AeroGPU's dialect, for tests and benchmarks. */
#ifndef GPU_MAKE_STREAM_H
#define GPU_MAKE_STREAM_H

#include "base/out.h"

#include <stdarg.h>

static inline void make_u32(struct out *o, uint32_t v)
{
    uint8_t bytes[4];
    store_u32(bytes, v);
    out_bytes(o, bytes, 4);
}

static inline void make_f32(struct out *o, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    make_u32(o, bits);
}

static inline void make_start(struct out *o)
{
    const uint32_t header[6] = {0x444d4341, 0x10004, 24};
    o->len = 0;
    for (int i = 0; i < 6; i++)
        make_u32(o, header[i]);
}

/* The stream so far, as one that can be submitted. */
static inline struct ras_bytes make_done(struct out *o)
{
    store_u32(o->at + 8, (uint32_t)o->len);
    return (struct ras_bytes){o->at, o->len};
}

/* A command of dwords and, after them, bytes. */
static inline void make_command(struct out *o, uint32_t opcode, const void *bytes, size_t size,
                                uint32_t count, ...)
{
    va_list args;
    uint32_t padded = (uint32_t)(size + 3) / 4 * 4;
    make_u32(o, opcode);
    make_u32(o, 8 + 4 * count + padded);
    va_start(args, count);
    for (uint32_t i = 0; i < count; i++)
        make_u32(o, va_arg(args, uint32_t));
    va_end(args);
    out_bytes(o, bytes, size);
    for (size_t i = size; i < padded; i++)
        out_byte(o, 0);
}

static inline void make_buffer(struct out *o, uint32_t handle, const void *bytes, uint32_t size)
{
    make_command(o, 0x100, NULL, 0, 8, handle, 0, size, 0, 0, 0, 0, 0);
    make_command(o, 0x104, bytes, size, 6, handle, 0, 0, 0, size, 0);
}

static inline void make_texture(struct out *o, uint32_t handle, uint32_t format, uint32_t width,
                                uint32_t height)
{
    make_command(o, 0x101, NULL, 0, 12, handle, 0, format, width, height, 1, 1, 0, 0, 0, 0, 0);
}

static inline void make_targets(struct out *o, uint32_t color, uint32_t depth)
{
    make_command(o, 0x400, NULL, 0, 10, color ? 1 : 0, depth, color, 0, 0, 0, 0, 0, 0, 0);
}

static inline void make_floats(struct out *o, uint32_t opcode, uint32_t first, bool has_first,
                               const float *values, uint32_t count)
{
    make_u32(o, opcode);
    make_u32(o, 8 + 4 * (count + has_first));
    if (has_first)
        make_u32(o, first);
    for (uint32_t i = 0; i < count; i++)
        make_f32(o, values[i]);
}

static inline void make_viewport(struct out *o, float x, float y, float width, float height)
{
    make_floats(o, 0x401, 0, false, (const float[]){x, y, width, height, 0, 1}, 6);
}

static inline void make_clear(struct out *o, float r, float g, float b, float a)
{
    const float values[5] = {r, g, b, a, 1};
    make_u32(o, 0x600);
    make_u32(o, 36);
    make_u32(o, 7);
    for (int i = 0; i < 5; i++)
        make_f32(o, values[i]);
    make_u32(o, 0);
}

static inline void make_present(struct out *o)
{
    make_command(o, 0x700, NULL, 0, 2, 0, 0);
}

static inline void make_draw(struct out *o, uint32_t count, uint32_t first)
{
    make_command(o, 0x601, NULL, 0, 4, count, 1, first, 0);
}

/* ---- shaders -------------------------------------------------------------------------------- */

struct make_row {
    const char *name;
    uint32_t reg;
};

static inline void make_signature(struct out *o, const char *chunk, const struct make_row *rows,
                                  uint32_t count)
{
    size_t size_at = o->len + 4, start = o->len + 8;
    uint32_t names = 8 + 24 * count;
    out_bytes(o, chunk, 4);
    make_u32(o, 0);
    make_u32(o, count);
    make_u32(o, 8);
    for (uint32_t i = 0; i < count; i++) {
        make_u32(o, names);
        for (int k = 0; k < 3; k++)
            make_u32(o, 0);
        make_u32(o, rows[i].reg);
        make_u32(o, 0x0f0f);
        names += (uint32_t)strlen(rows[i].name) + 1;
    }
    for (uint32_t i = 0; i < count; i++)
        out_bytes(o, rows[i].name, strlen(rows[i].name) + 1);
    store_u32(o->at + size_at, (uint32_t)(o->len - start));
}

/* CREATE_SHADER_DXBC with two inputs or fewer, two outputs or fewer, and code of dwords. */
static inline void make_shader(struct out *o, uint32_t handle, bool vertex,
                               const struct make_row *in, uint32_t in_count,
                               const struct make_row *out, uint32_t out_count, const uint32_t *code,
                               uint32_t dwords)
{
    struct out d = {0};
    out_bytes(&d, "DXBC", 4);
    for (int i = 0; i < 10; i++)
        make_u32(&d, i == 6 ? 3 : 0);
    store_u32(d.at + 32, (uint32_t)d.len);
    make_signature(&d, "ISGN", in, in_count);
    store_u32(d.at + 36, (uint32_t)d.len);
    make_signature(&d, "OSGN", out, out_count);
    store_u32(d.at + 40, (uint32_t)d.len);
    out_bytes(&d, "SHDR", 4);
    make_u32(&d, 4 * (dwords + 2));
    make_u32(&d, vertex ? 0x10040 : 0x40);
    make_u32(&d, dwords + 2);
    for (uint32_t i = 0; i < dwords; i++)
        make_u32(&d, code[i]);
    make_command(o, 0x200, d.at, d.len, 4, handle, vertex ? 0 : 1, (uint32_t)d.len, 0);
    out_free(&d);
}

/* Shader 10: position and a second value handed on; 11: the second value is the color; 12: it is
 * where texture 0 is sampled. Layout 20: both as four floats. */
static inline void make_shaders(struct out *o)
{
    static const struct make_row in[] = {{"POSITION", 0}, {"COLOR", 1}};
    static const struct make_row out[] = {{"SV_Position", 0}, {"COLOR", 1}};
    static const struct make_row target[] = {{"SV_Target", 0}};
    static const uint32_t both[] = {0x2801,   0x10f022, 0,        0x1e4016, 0,     0x2801,
                                    0x10f022, 1,        0x1e4016, 1,        0x083e};
    static const uint32_t color[] = {0x2801, 0x10f022, 0, 0x1e4016, 1, 0x083e};
    static const uint32_t texel[] = {0x4845,   0x10f022, 0,        0x1e4016, 1,
                                     0x1e4070, 0,        0x1e4060, 0,        0x083e};
    static const uint32_t layout[] = {0x59414c49, 1, 2,          0, 0x7808e88a, 0, 2,  0, 0,
                                      0,          0, 0xe7c308f8, 0, 2,          0, 16, 0, 0};
    make_shader(o, 10, true, in, 2, out, 2, both, 11);
    make_shader(o, 11, false, &out[1], 1, target, 1, color, 6);
    make_shader(o, 12, false, &out[1], 1, target, 1, texel, 10);
    make_command(o, 0x204, layout, sizeof layout, 3, 20, (uint32_t)sizeof layout, 0);
    make_command(o, 0x206, NULL, 0, 2, 20, 0);
}

static inline void make_bind(struct out *o, uint32_t vs, uint32_t ps)
{
    make_command(o, 0x202, NULL, 0, 4, vs, ps, 0, 0);
}

static inline void make_vertices(struct out *o, uint32_t handle, uint32_t stride)
{
    make_command(o, 0x500, NULL, 0, 6, 0, 1, handle, stride, 0, 0);
}
#endif
