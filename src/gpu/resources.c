/* resources.c - commands that create, fill, copy and destroy buffers and textures. */
#include "base/error.h"
#include "gpu/texture.h"

enum { COPY_WRITEBACK = 1 };

static bool is_written_back(const struct gpu *g, uint32_t alloc_id)
{
    const uint32_t most = sizeof g->written_back / sizeof *g->written_back;
    for (uint32_t i = 0; i < g->written_back_count; i++)
        if (i == most || g->written_back[i] == alloc_id)
            return true; /* where there is no room for more, it may be any */
    return false;
}

static void write_back(struct gpu *g, uint32_t flags, uint32_t alloc_id)
{
    const uint32_t most = sizeof g->written_back / sizeof *g->written_back;
    if (!(flags & COPY_WRITEBACK) || is_written_back(g, alloc_id))
        return;
    if (g->written_back_count < most)
        g->written_back[g->written_back_count] = alloc_id;
    g->written_back_count++;
}

/* Bytes of the allocation of a resource; NULL: they were not recorded, as recorders skip large
 * ones, and the content is unknown. */
static int backing(struct gpu *g, const struct gpu_call *call, uint32_t alloc_id, uint64_t offset,
                   uint64_t size, const uint8_t **at)
{
    struct ras_bytes memory = {0};
    *at = NULL;
    if (is_written_back(g, alloc_id))
        return call_remark(g, call, "allocation %" PRIu32 " was written by a copy before",
                           alloc_id);
    if (!call->source->memory || !call->source->memory(call->source->user, alloc_id, &memory))
        return call_remark(g, call, "allocation %" PRIu32 " is not in this submission", alloc_id);
    int status = call_copies(g, call, size);
    if (status)
        return status;
    if (offset > memory.len || size > memory.len - offset)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu64 " bytes at %" PRIu64 " of allocation %" PRIu32
                         ", which has %zu",
                         size, offset, alloc_id, memory.len);
    *at = memory.at + offset;
    return RAS_OK;
}

int run_create_buffer(struct gpu *g, const struct gpu_call *call)
{
    uint32_t handle = call_u32(call, 0), alloc_id = call_u32(call, 16);
    uint64_t size = call_u64(call, 8);
    const uint8_t *from = NULL;
    struct gpu_buffer *b;
    int status = alloc_id ? backing(g, call, alloc_id, call_u32(call, 20), size, &from) : RAS_OK;
    if (!status)
        status = object_new(g, call, GPU_BUFFER, handle, sizeof *b, &b);
    if (status)
        return status;
    status = machine_memory(g, call, size, &b->bytes);
    if (status) {
        object_drop(g, GPU_RESOURCES, handle);
        return status;
    }
    b->size = size;
    b->alloc_id = alloc_id;
    b->alloc_offset = call_u32(call, 20);
    if (from && size)
        memcpy(b->bytes, from, (size_t)size);
    else if (alloc_id && size)
        b->object.taint = call_bit(call);
    return RAS_OK;
}

static int create_texture(struct gpu *g, const struct gpu_call *call, struct gpu_texture *t)
{
    const struct gpu_texture_shape shape = {
        .format = pixel_format_find(call_u32(call, 8)),
        .width = call_u32(call, 12),
        .height = call_u32(call, 16),
        .mips = call_u32(call, 20),
        .layers = call_u32(call, 24),
        .row_pitch = call_u32(call, 28),
    };
    if (!shape.format)
        return call_fail(call, RAS_EFORMAT, "format %" PRIu32 " is not known", call_u32(call, 8));
    struct gpu_texture laid = {0};
    int status = texture_layout(g, call, &shape, &laid);
    const uint8_t *from = NULL;
    uint32_t alloc_id = call_u32(call, 32), alloc_offset = call_u32(call, 36);
    if (!status && alloc_id)
        status = backing(g, call, alloc_id, alloc_offset, laid.size, &from);
    if (!status)
        status = machine_memory(g, call, laid.size, &laid.bytes);
    if (status)
        return status;
    laid.object = t->object;
    laid.alloc_id = alloc_id;
    laid.alloc_offset = alloc_offset;
    *t = laid;
    if (from)
        memcpy(t->bytes, from, (size_t)t->size);
    else if (alloc_id)
        t->object.taint = call_bit(call);
    return RAS_OK;
}

int run_create_texture2d(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_texture *t;
    int status = object_new(g, call, GPU_TEXTURE, call_u32(call, 0), sizeof *t, &t);
    if (status)
        return status;
    status = create_texture(g, call, t);
    if (status)
        object_drop(g, GPU_RESOURCES, call_u32(call, 0));
    return status;
}

int run_destroy_resource(struct gpu *g, const struct gpu_call *call)
{
    uint32_t handle = call_u32(call, 0);
    if (!object_find(g, GPU_RESOURCES, handle))
        return call_fail(call, RAS_EFORMAT, "resource %" PRIu32 " does not exist", handle);
    object_drop(g, GPU_RESOURCES, handle);
    return RAS_OK;
}

/* The bytes of a buffer or texture. */
struct span {
    struct gpu_object *object;
    uint8_t *bytes;
    uint64_t size;
    uint32_t alloc_id, alloc_offset;
};

static int span_get(struct gpu *g, const struct gpu_call *call, uint32_t handle, struct span *s)
{
    struct gpu_object *object = object_find(g, GPU_RESOURCES, handle);
    if (!object)
        return call_fail(call, RAS_EFORMAT, "resource %" PRIu32 " does not exist", handle);
    if (object->kind == GPU_BUFFER) {
        struct gpu_buffer *b = (struct gpu_buffer *)object;
        *s = (struct span){object, b->bytes, b->size, b->alloc_id, b->alloc_offset};
        return RAS_OK;
    }
    if (object->kind != GPU_TEXTURE)
        return call_fail(call, RAS_EFORMAT, "resource %" PRIu32 " is %s, not a buffer or texture",
                         handle, object_kind_name(object->kind));
    struct gpu_texture *t = (struct gpu_texture *)object;
    *s = (struct span){object, t->bytes, t->size, t->alloc_id, t->alloc_offset};
    return RAS_OK;
}

static int span_holds(const struct gpu_call *call, const struct span *s, uint64_t offset,
                      uint64_t size)
{
    if (offset > s->size || size > s->size - offset)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu64 " bytes at %" PRIu64 " of resource %" PRIu32
                         ", which has %" PRIu64,
                         size, offset, s->object->handle, s->size);
    return RAS_OK;
}

static int span_write(const struct gpu_call *call, struct span *s, const uint8_t *from,
                      uint64_t offset, uint64_t size)
{
    int status = span_holds(call, s, offset, size);
    if (status)
        return status;
    if (size)
        memcpy(s->bytes + offset, from, (size_t)size);
    if (s->object->kind == GPU_TEXTURE)
        ((struct gpu_texture *)s->object)->decoded_fresh = false;
    if (size == s->size)
        s->object->taint = 0; /* overwrites the effects of commands that were not executed */
    return RAS_OK;
}

int run_dirty_range(struct gpu *g, const struct gpu_call *call)
{
    struct span s = {0};
    int status = span_get(g, call, call_u32(call, 0), &s);
    if (status)
        return status;
    if (!s.alloc_id)
        return call_fail(call, RAS_EFORMAT, "resource %" PRIu32 " has no allocation",
                         call_u32(call, 0));
    uint64_t offset = call_u64(call, 8), size = call_u64(call, 16);
    const uint8_t *from = NULL;
    status = span_holds(call, &s, offset, size);
    if (!status)
        status = backing(g, call, s.alloc_id, s.alloc_offset + offset, size, &from);
    if (status || from)
        return status ? status : span_write(call, &s, from, offset, size);
    s.object->taint |= call_bit(call);
    return RAS_OK;
}

int run_upload(struct gpu *g, const struct gpu_call *call)
{
    struct span s = {0};
    uint64_t size = call_u64(call, 16);
    int status = span_get(g, call, call_u32(call, 0), &s);
    if (!status)
        status = call_items(call, 24, size, 1);
    return status ? status : span_write(call, &s, call->payload.at + 24, call_u64(call, 8), size);
}

/* ---- copies ------------------------------------------------------------------------------ */

/* What a copy writes back into guest memory is in the memory that later submissions carry. */
static int check_flags(const struct gpu_call *call, uint32_t flags, uint32_t alloc_id,
                       uint32_t handle)
{
    if (flags & COPY_WRITEBACK && !alloc_id)
        return call_fail(call, RAS_EFORMAT,
                         "resource %" PRIu32 " is to be written back and has no allocation",
                         handle);
    return RAS_OK;
}

int run_copy_buffer(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_buffer *to, *from;
    int status = object_get(g, call, GPU_BUFFER, call_u32(call, 0), "destination", &to);
    if (!status)
        status = object_get(g, call, GPU_BUFFER, call_u32(call, 4), "source", &from);
    if (!status)
        status = check_flags(call, call_u32(call, 32), to->alloc_id, call_u32(call, 0));
    if (status)
        return status;
    uint64_t to_at = call_u64(call, 8), from_at = call_u64(call, 16), size = call_u64(call, 24);
    if (to_at > to->size || size > to->size - to_at)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu64 " bytes to %" PRIu64 " of a buffer of %" PRIu64, size, to_at,
                         to->size);
    if (from_at > from->size || size > from->size - from_at)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu64 " bytes from %" PRIu64 " of a buffer of %" PRIu64, size,
                         from_at, from->size);
    status = call_copies(g, call, size);
    if (status)
        return status;
    if (size)
        memmove(to->bytes + to_at, from->bytes + from_at, (size_t)size);
    to->object.taint = (size == to->size ? 0 : to->object.taint) | from->object.taint;
    write_back(g, call_u32(call, 32), to->alloc_id);
    return RAS_OK;
}

/* One end of a copy between textures. */
static int copy_end(struct gpu *g, const struct gpu_call *call, uint32_t handle, size_t level_at,
                    size_t place_at, const char *what, struct gpu_surface *s)
{
    struct gpu_texture *t;
    int status = object_get(g, call, GPU_TEXTURE, handle, what, &t);
    if (status)
        return status;
    uint32_t mip = call_u32(call, level_at), layer = call_u32(call, level_at + 4);
    if (mip >= t->mips || layer >= t->layers)
        return call_fail(call, RAS_EFORMAT,
                         "mip %" PRIu32 " and layer %" PRIu32 " of %s %" PRIu32
                         ", which has %" PRIu32 " and %" PRIu32,
                         mip, layer, what, handle, t->mips, t->layers);
    *s = texture_surface(t, t->format, mip, layer);
    uint32_t x = call_u32(call, place_at), y = call_u32(call, place_at + 4);
    uint32_t width = call_u32(call, 40), height = call_u32(call, 44);
    if (x > s->width || width > s->width - x || y > s->height || height > s->height - y)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu32 "x%" PRIu32 " texels at %" PRIu32 ",%" PRIu32 " of %s %" PRIu32
                         ", which has %" PRIu32 "x%" PRIu32,
                         width, height, x, y, what, handle, s->width, s->height);
    uint32_t side = t->format->side;
    if (x % side || y % side || (width % side && x + width != s->width) ||
        (height % side && y + height != s->height))
        return call_fail(call, RAS_EFORMAT, "a rectangle of %s %" PRIu32 " that cuts blocks", what,
                         handle);
    s->at += (size_t)(y / side) * s->pitch + (size_t)(x / side) * t->format->bytes;
    return RAS_OK;
}

int run_copy_texture2d(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_surface to, from;
    int status = copy_end(g, call, call_u32(call, 0), 8, 24, "destination", &to);
    if (!status)
        status = copy_end(g, call, call_u32(call, 4), 16, 32, "source", &from);
    if (!status)
        status = check_flags(call, call_u32(call, 48), to.texture->alloc_id, call_u32(call, 0));
    if (status)
        return status;
    if (to.format->family != from.format->family)
        return call_fail(call, RAS_EFORMAT,
                         "formats differ: %" PRIu32 " to be written, %" PRIu32 " to be read",
                         to.format->id, from.format->id);
    uint32_t side = to.format->side, bytes = to.format->bytes;
    size_t row = (size_t)((call_u32(call, 40) + side - 1) / side) * bytes;
    uint32_t rows = (call_u32(call, 44) + side - 1) / side;
    status = call_copies(g, call, row * rows);
    if (status)
        return status;
    /* Within one level rows go in the order that reads each before it is overwritten. */
    bool upwards = to.at > from.at;
    for (uint32_t i = 0; i < rows; i++) {
        size_t y = upwards ? rows - 1 - i : i;
        memmove(to.at + y * to.pitch, from.at + y * from.pitch, row);
    }
    to.texture->decoded_fresh = false;
    to.texture->object.taint |= from.texture->object.taint;
    write_back(g, call_u32(call, 48), to.texture->alloc_id);
    return RAS_OK;
}

/* ---- views ------------------------------------------------------------------------------- */

int run_create_view(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_texture *t;
    int status = object_get(g, call, GPU_TEXTURE, call_u32(call, 4), "texture", &t);
    if (status)
        return status;
    uint32_t mip = call_u32(call, 12), mips = call_u32(call, 16);
    uint32_t layer = call_u32(call, 20), layers = call_u32(call, 24);
    const struct pixel_format *format = pixel_format_find(call_u32(call, 8));
    if (!format || format->family != t->format->family)
        return call_fail(call, RAS_EFORMAT,
                         "a view of format %" PRIu32 " on a texture of format %" PRIu32,
                         call_u32(call, 8), t->format->id);
    if (!mips || mip >= t->mips || mips > t->mips - mip || !layers || layer >= t->layers ||
        layers > t->layers - layer)
        return call_fail(call, RAS_EFORMAT,
                         "mips %" PRIu32 "+%" PRIu32 " and layers %" PRIu32 "+%" PRIu32
                         " of a texture with %" PRIu32 " and %" PRIu32,
                         mip, mips, layer, layers, t->mips, t->layers);
    struct gpu_view *v;
    status = object_new(g, call, GPU_VIEW, call_u32(call, 0), sizeof *v, &v);
    if (status)
        return status;
    v->texture = t;
    t->object.refs++;
    v->format = format;
    v->mip = mip;
    v->mips = mips;
    v->layer = layer;
    v->layers = layers;
    return RAS_OK;
}

/* As often as one likes: the ABI calls it idempotent. */
int run_destroy_view(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_object *object = object_find(g, GPU_RESOURCES, call_u32(call, 0));
    if (object && object->kind != GPU_VIEW)
        return call_fail(call, RAS_EFORMAT, "view %" PRIu32 " is %s", call_u32(call, 0),
                         object_kind_name(object->kind));
    object_drop(g, GPU_RESOURCES, call_u32(call, 0));
    return RAS_OK;
}
