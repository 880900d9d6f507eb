/* texture.c - where the levels of a texture lie, and its texels decoded for sampling. */
#include "gpu/texture.h"

#include "base/error.h"

static uint32_t at_least_one(uint32_t n)
{
    return n ? n : 1;
}

static int check_shape(struct gpu *g, const struct gpu_call *call,
                       const struct gpu_texture_shape *s)
{
    if (!s->width || !s->height || s->width > g->limits.side || s->height > g->limits.side)
        return call_fail(call, s->width && s->height ? RAS_ELIMIT : RAS_EFORMAT,
                         "%" PRIu32 "x%" PRIu32 " pixels, each side 1 to %" PRIu32, s->width,
                         s->height, g->limits.side);
    uint32_t larger = s->width > s->height ? s->width : s->height;
    uint32_t most = 1;
    while (larger >>= 1)
        most++;
    if (!s->mips || s->mips > most)
        return call_fail(call, RAS_EFORMAT, "%" PRIu32 " mip levels, 1 to %" PRIu32 " wanted",
                         s->mips, most);
    if (!s->layers || s->layers > 2048)
        return call_fail(call, s->layers ? RAS_ELIMIT : RAS_EFORMAT,
                         "%" PRIu32 " array layers, 1 to 2048 wanted", s->layers);
    return RAS_OK;
}

int texture_layout(struct gpu *g, const struct gpu_call *call, const struct gpu_texture_shape *s,
                   struct gpu_texture *t)
{
    int status = check_shape(g, call, s);
    if (status)
        return status;
    t->format = s->format;
    t->mips = s->mips;
    t->layers = s->layers;
    uint64_t at = 0;
    for (uint32_t m = 0; m < s->mips; m++) {
        uint32_t width = at_least_one(s->width >> m), height = at_least_one(s->height >> m);
        uint32_t side = s->format->side;
        uint32_t tight = (width + side - 1) / side * s->format->bytes;
        uint32_t pitch = m || !s->row_pitch ? tight : s->row_pitch;
        if (pitch < tight)
            return call_fail(call, RAS_EFORMAT,
                             "row pitch of %" PRIu32 " bytes, a row has %" PRIu32, pitch, tight);
        uint32_t rows = (height + side - 1) / side;
        t->levels[m] = (struct gpu_level){at, width, height, pitch, rows};
        at += (uint64_t)pitch * rows;
    }
    t->layer_size = at;
    t->size = at * s->layers; /* at most 15 * 2^14 * 2^32 * 2^11 */
    return RAS_OK;
}

int texture_canvas(struct gpu *g, const struct gpu_call *call, uint32_t width, uint32_t height)
{
    struct gpu_texture *t = calloc(1, sizeof *t);
    if (!t)
        return fail_memory(call->err);
    g->canvas = t;
    t->object = (struct gpu_object){.kind = GPU_TEXTURE, .refs = 1};
    const struct gpu_texture_shape shape = {pixel_format_find(3), width, height, 1, 1, 0};
    int status = texture_layout(g, call, &shape, t);
    return status ? status : machine_memory(g, call, t->size, &t->bytes);
}

static uint64_t layer_texels(const struct gpu_texture *t, uint32_t mips)
{
    uint64_t texels = 0;
    for (uint32_t m = 0; m < mips; m++)
        texels += (uint64_t)t->levels[m].width * t->levels[m].height;
    return texels;
}

void texture_empty(struct gpu *g, struct gpu_texture *t)
{
    machine_memory_free(g, t->bytes, t->size);
    machine_memory_free(g, t->decoded, layer_texels(t, t->mips) * t->layers * 4);
}

void texture_free(struct gpu *g, struct gpu_texture *t)
{
    if (t)
        texture_empty(g, t);
    free(t);
}

struct gpu_surface texture_surface(struct gpu_texture *t, const struct pixel_format *format,
                                   uint32_t mip, uint32_t layer)
{
    const struct gpu_level *level = &t->levels[mip];
    return (struct gpu_surface){
        .texture = t,
        .format = format,
        .at = t->bytes + layer * t->layer_size + level->offset,
        .width = level->width,
        .height = level->height,
        .pitch = level->pitch,
    };
}

int texture_resolve(struct gpu *g, const struct gpu_call *call, uint32_t handle, const char *what,
                    struct gpu_view *view)
{
    struct gpu_object *object = object_find(g, GPU_RESOURCES, handle);
    if (!object)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 " does not exist", what, handle);
    if (object->kind == GPU_VIEW) {
        *view = *(struct gpu_view *)object;
        return RAS_OK;
    }
    if (object->kind != GPU_TEXTURE)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 " is %s, not a texture", what, handle,
                         object_kind_name(object->kind));
    struct gpu_texture *t = (struct gpu_texture *)object;
    *view =
        (struct gpu_view){.texture = t, .format = t->format, .mips = t->mips, .layers = t->layers};
    return RAS_OK;
}

/* ---- texels decoded ---------------------------------------------------------------------- */

void surface_decode(const struct gpu_surface *s, uint32_t *to)
{
    const struct pixel_format *f = s->format;
    if (f->side == 4) {
        bc_decode(f, s->at, s->pitch, s->width, s->height, to);
        return;
    }
    for (uint32_t y = 0; y < s->height; y++)
        for (uint32_t x = 0; x < s->width; x++)
            *to++ = pixel_to_rgba(f, load_u16(s->at + (size_t)y * s->pitch + 2 * (size_t)x));
}

int texture_decode(struct gpu *g, const struct gpu_call *call, struct gpu_texture *t)
{
    if (t->format->kind == PIXEL_DEPTH || t->format->bytes == 4 || t->decoded_fresh)
        return RAS_OK;
    uint64_t texels = layer_texels(t, t->mips) * t->layers;
    int status = call_work(g, call, texels + 1);
    if (!status && !t->decoded)
        status = machine_memory(g, call, 4 * texels, &t->decoded);
    if (status)
        return status;
    uint32_t *to = t->decoded;
    for (uint32_t layer = 0; layer < t->layers; layer++)
        for (uint32_t m = 0; m < t->mips; m++) {
            const struct gpu_surface s = texture_surface(t, t->format, m, layer);
            surface_decode(&s, to);
            to += (uint64_t)s.width * s.height;
        }
    t->decoded_fresh = true;
    return RAS_OK;
}

const uint32_t *texture_decoded(const struct gpu_texture *t, uint32_t mip, uint32_t layer)
{
    return t->decoded + layer * layer_texels(t, t->mips) + layer_texels(t, mip);
}
