/* aerogpu_play_content.c - the content of resources: a texture as a picture, vertices with the
 * layout of the draw that reads them.
 *
 * Uploads, copies and draws make the content of a resource, so the trace is executed, and the back
 * end inspected. A blob is found by the command or submission that uploads it. */
#include "base/memory.h"
#include "base/struct_size.h"
#include "core/format.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_play.h"

#include <stdio.h>
#include <stdlib.h>

enum { PACKET_UPLOAD = 2, CREATE_BUFFER = 0x100, CREATE_TEXTURE = 0x101 };
enum { BACKED_MAX = 65536 };

/* ---- the resource of a blob ------------------------------------------------------------ */

struct backed {
    uint32_t handle, alloc_id;
    bool texture;
};

struct owner {
    bool found, packet;
    uint32_t handle;
    uint64_t offset;     /* of the record that uploads the blob */
    uint64_t from, size; /* the bytes of the resource that are the blob's; size 0: all */
    bool has_frame;
    uint64_t frame;
};

struct search {
    struct ras_trace *trace;
    uint64_t blob_id;
    bool texture;
    struct backed *backed;
    size_t count, room;
    struct owner owner;
    bool nomem;
};

uint32_t aero_op_field(const struct ras_aero_op *op, struct ras_bytes payload, const char *name)
{
    uint64_t value;
    return op && ras_aero_field_uint(op, payload, name, &value) ? (uint32_t)value : 0;
}

static void see_packet(struct search *s, struct ras_bytes bytes, const struct ras_record *r)
{
    struct ras_aero_packet p;
    uint64_t id;
    if (s->texture || ras_aero_packet_get(bytes, &p, NULL) < 0 || p.opcode != PACKET_UPLOAD)
        return;
    const struct ras_aero_op *op = ras_aero_packet_op(p.opcode);
    if (!ras_aero_field_uint(op, p.payload, "blob_id", &id) || id != s->blob_id)
        return;
    s->owner = (struct owner){.found = true,
                              .packet = true,
                              .handle = aero_op_field(op, p.payload, "buffer_id"),
                              .offset = r->offset,
                              .from = aero_op_field(op, p.payload, "offset_bytes"),
                              .size = aero_op_field(op, p.payload, "data_len_bytes")};
}

static void see_stream(struct search *s, struct ras_bytes bytes)
{
    struct ras_aero_stream stream;
    struct ras_aero_command c;
    uint64_t at = 0;
    if (ras_aero_stream_get(bytes, &stream, NULL) < 0)
        return;
    while (!s->nomem && ras_aero_command_get(stream.commands, &at, &c, NULL) == RAS_OK) {
        bool texture = c.opcode == CREATE_TEXTURE;
        const struct ras_aero_op *op = ras_aero_command_op(c.opcode, c.size_bytes);
        uint32_t alloc = texture || c.opcode == CREATE_BUFFER
                             ? aero_op_field(op, c.payload, "backing_alloc_id")
                             : 0;
        if (!alloc || texture != s->texture || s->count == BACKED_MAX)
            continue;
        s->nomem = !array_grow(&s->backed, &s->room, s->count + 1, sizeof *s->backed);
        if (!s->nomem)
            s->backed[s->count++] = (struct backed){
                aero_op_field(op, c.payload, texture ? "texture_handle" : "buffer_handle"), alloc,
                texture};
    }
}

static void see_submission(struct search *s, const struct ras_aero_submission *sub,
                           const struct ras_record *r)
{
    struct ras_aero_blob blob;
    uint64_t offset = r->offset; /* draws are at offsets of the stream */
    if (aero_blob_before(s->trace, sub->cmd_stream_blob_id, r->offset, &blob, &offset, &s->nomem))
        see_stream(s, blob.data);
    for (uint32_t i = 0; i < sub->memory_range_count && !s->owner.found; i++) {
        struct ras_aero_range range = ras_aero_range_at(sub, i);
        for (size_t k = s->count; range.blob_id == s->blob_id && k-- && !s->owner.found;)
            if (s->backed[k].alloc_id == range.alloc_id)
                s->owner =
                    (struct owner){.found = true, .handle = s->backed[k].handle, .offset = offset};
    }
}

static void see_record(struct search *s, const struct ras_record *r)
{
    struct ras_aero_record record;
    struct ras_aero_submission submission;
    uint64_t at = 0;
    if (ras_aero_record_get((struct ras_bytes){r->raw, r->raw_len}, &at, &record, NULL) != RAS_OK)
        return;
    if (r->schema == AERO_PACKET_TYPE && ras_aero_is_stream(record.payload))
        see_stream(s, record.payload);
    else if (r->schema == AERO_PACKET_TYPE)
        see_packet(s, record.payload, r);
    else if (ras_aero_submission_get(record.payload, &submission, NULL) == RAS_OK)
        see_submission(s, &submission, r);
    if (s->owner.found && r->flags & RAS_HAS_TICK) {
        s->owner.has_frame = true;
        s->owner.frame = r->tick;
    }
}

/* The first resource that the blob is uploaded to. */
static int find_owner(struct ras_trace *t, uint64_t blob_id, bool texture, struct owner *owner,
                      struct ras_error *err)
{
    static const struct ras_pick picks[] = {{.type = "packet"}, {.type = "submission"}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2, .headers_only = true};
    struct search s = {.trace = t, .blob_id = blob_id, .texture = texture};
    struct ras_cursor *cursor;
    const struct ras_record *r;
    int status = ras_cursor_open(&cursor, t, &scan, err);
    if (status < 0)
        return status;
    while (!s.owner.found && !s.nomem && (status = walk_next(t, cursor, &r, err)) == RAS_OK)
        if (r->schema == AERO_PACKET_TYPE || r->schema == AERO_SUBMISSION_TYPE)
            see_record(&s, r);
    ras_cursor_close(cursor);
    free(s.backed);
    *owner = s.owner;
    if (s.nomem)
        return fail_memory(err);
    if (status < 0)
        return status;
    return s.owner.found
               ? RAS_OK
               : fail(err, RAS_EFORMAT, RAS_NONE, "no command makes a %s of blob %" PRIu64,
                      texture ? "texture" : "vertex buffer", blob_id);
}

static int find(struct ras_trace *t, const struct ras_aero_resource_options *which, bool texture,
                struct owner *owner, struct ras_error *err)
{
    const struct aero *a = t->priv;
    if (t->format->next != aero_next || a->shape == AERO_TABLE)
        return fail(err, RAS_EUSAGE, RAS_NONE, "only AeroGPU commands have resources");
    if (which->by_blob && a->shape == AERO_CONTAINER)
        return find_owner(t, which->id, texture, owner, err);
    *owner = (struct owner){.found = true,
                            .handle = (uint32_t)which->id,
                            .has_frame = which->has_frame,
                            .frame = which->frame};
    return RAS_OK;
}

void aero_no_remark(void *user, uint64_t offset, const char *text)
{
    (void)user;
    (void)offset;
    (void)text;
}

static bool pass_frame(void *user, const struct ras_rendered *frame)
{
    (void)user;
    (void)frame;
    return true;
}

/* Up to the frame, if there is one and it is presented; else to the end. */
static int play_until(struct ras_trace *t, const struct ras_gpu *gpu, const struct owner *owner,
                      struct aero_inspect *inspect, struct ras_error *err)
{
    const struct ras_render_options how = {.gpu = gpu,
                                           .backend = RAS_BACKEND_SOFTWARE,
                                           .has_frame = owner->has_frame,
                                           .frame = owner->frame,
                                           .frame_shown = pass_frame,
                                           .remark = aero_no_remark};
    struct ras_render out = {0};
    return aero_render_inspected(t, &how, inspect, &out, err);
}

/* The rule of the web tool: 1, or 1.x of the canonical ABI. */
int aero_check_abi(const struct ras_trace *t, struct ras_error *err)
{
    uint32_t abi = ((const struct aero *)t->priv)->header.command_abi_version;
    if (abi == 1 || abi >> 16 == 1)
        return RAS_OK;
    return fail(err, RAS_EVERSION, 16,
                "command_abi_version 0x%08" PRIx32 " is neither 1 nor 1.x (0x0001xxxx)", abi);
}

int aero_render(struct ras_trace *t, const struct ras_render_options *options,
                struct ras_render *out, struct ras_error *err)
{
    return aero_render_inspected(t, options, NULL, out, err);
}

/* ---- textures ----------------------------------------------------------------------------- */

struct texture_inspect {
    struct aero_inspect inspect;
    const struct owner *owner;
    struct ras_picture picture;
    bool inexact;
};

static int pass_draw(struct aero_inspect *inspect, const struct gpu_backend *b, struct gpu *g,
                     uint64_t offset, struct ras_error *err)
{
    (void)inspect;
    (void)b;
    (void)g;
    (void)offset;
    (void)err;
    return RAS_OK;
}

static int take_texture(struct aero_inspect *inspect, const struct gpu_backend *b, struct gpu *g,
                        struct ras_error *err)
{
    struct texture_inspect *t = (struct texture_inspect *)inspect;
    struct gpu_present now;
    int status = b->texture(g, t->owner->handle, &now, err);
    if (status != RAS_OK)
        return status;
    size_t size = (size_t)now.picture.width * now.picture.height * 4;
    uint8_t *rgba = malloc(size ? size : 1);
    if (!rgba)
        return fail_memory(err);
    memcpy(rgba, now.picture.rgba, size);
    t->picture = (struct ras_picture){now.picture.width, now.picture.height, rgba};
    t->inexact = now.inexact_count;
    return RAS_OK;
}

int ras_aero_texture(struct ras_picture *picture, bool *inexact, struct ras_trace *t,
                     const struct ras_aero_resource_options *which, struct ras_error *err)
{
    struct owner owner;
    struct texture_inspect inspect = {.inspect = {pass_draw, take_texture}, .owner = &owner};
    *picture = (struct ras_picture){0};
    struct ras_aero_resource_options own;
    which = OPTIONS(&own, which, err);
    if (!which)
        return RAS_EUSAGE;
    int status = gpu_engine_check(which->gpu, "ras_aero_resource_options.gpu", err);
    if (status == RAS_OK)
        status = find(t, which, true, &owner, err);
    if (status == RAS_OK)
        status = play_until(t, which->gpu, &owner, &inspect.inspect, err);
    if (status >= 0 && !inspect.picture.rgba)
        status = fail(err, RAS_EFORMAT, RAS_NONE, "there is no texture %" PRIu32 " %s",
                      owner.handle, owner.has_frame ? "after that frame" : "at the end");
    *picture = inspect.picture;
    *inexact = inspect.inexact;
    return status;
}

/* ---- vertices ----------------------------------------------------------------------------- */

struct vertex_inspect {
    struct aero_inspect inspect;
    const struct owner *owner;
    struct ras_aero_vertices *out;
    struct gpu_vertices layout;
    bool used; /* a draw reads the buffer; out has vertices if there is a layout */
};

/* FNV-1a of the upper-case name; these are the usual ones. */
static void name_attribute(const struct gpu_attribute *a, char name[RAS_AERO_NAME])
{
    static const char *const known[] = {"POSITION", "NORMAL",       "COLOR",      "TEXCOORD",
                                        "TANGENT",  "BINORMAL",     "PSIZE",      "BLENDWEIGHT",
                                        "FOG",      "BLENDINDICES", "SV_Position"};
    static const char *const locations[] = {"position", "color"};
    if (!a->semantic_hash) {
        snprintf(name, RAS_AERO_NAME, "%s", locations[a->semantic_index & 1]);
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t hash = 0x811c9dc5u;
        for (const char *p = known[i]; *p; p++)
            hash = (hash ^ (uint8_t)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p)) * 0x01000193u;
        if (hash == a->semantic_hash) {
            snprintf(name, RAS_AERO_NAME, "%s%" PRIu32, known[i], a->semantic_index);
            return;
        }
    }
    snprintf(name, RAS_AERO_NAME, "0x%08" PRIx32 "_%" PRIu32, a->semantic_hash, a->semantic_index);
}

/* Complete vertices, as many as the buffer has. */
static uint64_t count_vertices(const struct ras_gpu *gpu, const struct gpu_vertices *v)
{
    uint64_t need = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        uint64_t end = (uint64_t)v->attributes[i].offset + gpu->attribute_bytes(&v->attributes[i]);
        need = end > need ? end : need;
    }
    if (!v->count || v->bytes.len < need)
        return 0;
    return v->stride ? (v->bytes.len - need) / v->stride + 1 : 1;
}

/* Of a blob that is a part of a buffer, only the vertices that begin in it. */
static void narrow(const struct vertex_inspect *v, struct ras_aero_vertices *out)
{
    const struct owner *o = v->owner;
    uint32_t stride = v->layout.stride ? v->layout.stride : 1;
    uint64_t from = o->from > v->layout.first ? o->from - v->layout.first : 0;
    uint64_t first = (from + stride - 1) / stride;
    if (!o->size)
        return;
    uint64_t end = o->from + o->size > v->layout.first
                       ? (o->from + o->size - v->layout.first + stride - 1) / stride
                       : 0;
    end = end < out->count ? end : out->count;
    out->first = first < end ? first : end;
    out->count = end - out->first;
}

static int take_vertices(struct aero_inspect *inspect, const struct gpu_backend *b, struct gpu *g,
                         uint64_t offset, struct ras_error *err)
{
    struct vertex_inspect *v = (struct vertex_inspect *)inspect;
    struct gpu_vertices now;
    if (offset < v->owner->offset || (v->owner->offset && v->used))
        return RAS_OK;
    int status = b->vertices(g, v->owner->handle, v->owner->packet, &now, err);
    if (status == RAS_END && !v->owner->offset) /* a handle may be an id of Appendix A */
        status = b->vertices(g, v->owner->handle, true, &now, err);
    if (status != RAS_OK)
        return status == RAS_END ? RAS_OK : status;
    struct ras_aero_vertices *out = v->out;
    uint8_t *bytes = malloc(now.bytes.len ? now.bytes.len : 1);
    if (!bytes)
        return fail_memory(err);
    if (now.bytes.len)
        memcpy(bytes, now.bytes.at, now.bytes.len);
    free(out->bytes);
    v->layout = now;
    v->used = true;
    *out = (struct ras_aero_vertices){.handle = v->owner->handle,
                                      .draw_offset = offset,
                                      .buffer_offset = now.first,
                                      .stride = now.stride,
                                      .count = count_vertices(out->gpu, &now),
                                      .bytes = bytes,
                                      .gpu = out->gpu,
                                      .attribute_count = now.count};
    for (uint32_t i = 0; i < now.count; i++) {
        const struct gpu_attribute *a = &now.attributes[i];
        out->attributes[i] = (struct ras_aero_attribute){.offset = a->offset,
                                                         .components = a->components,
                                                         .integer = a->integer,
                                                         .negative = a->negative,
                                                         .per_instance = a->per_instance,
                                                         .format = a->format};
        name_attribute(a, out->attributes[i].name);
    }
    narrow(v, out);
    return RAS_OK;
}

static int vertices_find(struct ras_aero_vertices *out, struct ras_trace *t,
                         const struct ras_aero_resource_options *which, struct ras_error *err)
{
    struct owner owner;
    struct vertex_inspect inspect = {.inspect = {take_vertices, NULL}, .owner = &owner, .out = out};
    out->gpu = which->gpu;
    int status = gpu_engine_check(which->gpu, "ras_aero_resource_options.gpu", err);
    if (status == RAS_OK)
        status = find(t, which, false, &owner, err);
    if (status < 0)
        return status;
    if (which->by_blob) /* the draw may be in a later frame */
        owner.has_frame = false;
    status = play_until(t, which->gpu, &owner, &inspect.inspect, err);
    if (status >= 0 && !inspect.used)
        status = fail(err, RAS_EFORMAT, RAS_NONE,
                      "no draw reads buffer %" PRIu32 ": it has no layout", owner.handle);
    else if (status >= 0 && !out->attribute_count)
        status = fail(err, RAS_EFORMAT, out->draw_offset,
                      "the draw that reads buffer %" PRIu32 " has no input layout", owner.handle);
    return status < 0 ? status : RAS_OK;
}

int ras_aero_vertices(struct ras_aero_vertices **out, struct ras_trace *t,
                      const struct ras_aero_resource_options *options, struct ras_error *err)
{
    struct ras_aero_resource_options own;
    *out = NULL;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_aero_vertices *vertices = calloc(1, sizeof *vertices);
    if (!vertices)
        return fail_memory(err);
    int status = vertices_find(vertices, t, options, err);
    if (status == RAS_OK)
        *out = vertices;
    else
        ras_aero_vertices_free(vertices);
    return status;
}

double ras_aero_vertex_number(const struct ras_aero_vertices *v, uint64_t row, uint32_t attribute,
                              uint32_t component)
{
    const struct ras_aero_attribute *a = &v->attributes[attribute];
    const struct gpu_attribute inner = {.offset = a->offset, .format = a->format};
    const uint8_t *at = v->bytes + (v->first + row) * v->stride;
    float value = v->gpu->attribute_at(&inner, at, component);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!a->integer)
        return (double)value;
    return a->negative ? (double)(int32_t)bits : (double)bits;
}

void ras_aero_vertices_free(struct ras_aero_vertices *v)
{
    if (!v)
        return;
    free(v->bytes);
    free(v);
}
