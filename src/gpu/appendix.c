/* appendix.c - packets of Appendix A in software: resources, state, draws on the canvas.
 *
 * An id that is created again refers to the new object; a binding keeps the old one until something
 * else is bound, as in OpenGL. */
#include "gpu/machine.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpu/draw.h"
#include "gpu/glsl.h"
#include "gpu/backends.h"

enum { POSITION_SIZE = 8, COLOR_SIZE = 16, ALIGNMENT = 4, STRIDE_MAX = 2048, TEXT_MAX = 256 << 10 };

/* A buffer, the text of a shader, or two programs. */
struct item {
    uint32_t refs; /* its id, and being set */
    uint8_t *bytes;
    uint64_t size;
    struct program *programs[2];
};

struct ids {
    struct id_table table;
    struct item **items;
    size_t count, room;
};

struct appendix {
    struct ids buffers, shaders, pipelines;
    struct item *buffer, *pipeline; /* that are set */
    uint32_t stride, offsets[2];
    struct gpu_state state;
};

/* ---- objects ----------------------------------------------------------------------------- */

static void item_release(struct gpu *g, struct item *item)
{
    if (!item || --item->refs)
        return;
    machine_memory_free(g, item->bytes, item->size);
    program_free(item->programs[0]);
    program_free(item->programs[1]);
    free(item);
}

static void item_set(struct gpu *g, struct item **to, struct item *item)
{
    item->refs++;
    item_release(g, *to);
    *to = item;
}

static int item_find(const struct gpu_call *call, const struct ids *ids, uint32_t id,
                     const char *what, struct item **item)
{
    uint32_t at = id_table_find(&ids->table, id);
    *item = at == ID_TABLE_NONE ? NULL : ids->items[at];
    return *item ? RAS_OK : call_fail(call, RAS_EFORMAT, "there is no %s %" PRIu32, what, id);
}

/* An empty object that the id refers to from now on. */
static int item_new(struct gpu *g, const struct gpu_call *call, struct ids *ids, uint32_t id,
                    struct item **made)
{
    uint32_t at = id_table_find(&ids->table, id);
    if (at == ID_TABLE_NONE && ids->count >= g->limits.objects)
        return call_fail(call, RAS_ELIMIT, "more than %" PRIu32 " objects", g->limits.objects);
    struct item *item = calloc(1, sizeof *item);
    if (!item || (at == ID_TABLE_NONE &&
                  (!array_grow(&ids->items, &ids->room, ids->count + 1, sizeof(struct item *)) ||
                   !id_table_add(&ids->table, id, (uint32_t)ids->count)))) {
        free(item);
        return fail_memory(call->err);
    }
    if (at == ID_TABLE_NONE)
        at = (uint32_t)ids->count++;
    else
        item_release(g, ids->items[at]);
    item->refs = 1;
    ids->items[at] = *made = item;
    return RAS_OK;
}

static void ids_free(struct gpu *g, struct ids *ids)
{
    for (size_t i = 0; i < ids->count; i++)
        item_release(g, ids->items[i]);
    free(ids->items);
    id_table_free(&ids->table);
}

void appendix_free(struct gpu *g)
{
    struct appendix *a = g->appendix;
    if (!a)
        return;
    item_release(g, a->buffer);
    item_release(g, a->pipeline);
    ids_free(g, &a->buffers);
    ids_free(g, &a->shaders);
    ids_free(g, &a->pipelines);
    free(a);
}

/* ---- packets: resources ------------------------------------------------------------------ */

static int packet_create_buffer(struct gpu *g, const struct gpu_call *call)
{
    uint8_t *bytes;
    struct item *item;
    uint32_t size = call_u32(call, 4);
    int status = machine_memory(g, call, size, &bytes);
    if (!status)
        status = item_new(g, call, &g->appendix->buffers, call_u32(call, 0), &item);
    if (status) {
        machine_memory_free(g, bytes, size);
        return status;
    }
    item->bytes = bytes;
    item->size = size;
    return RAS_OK;
}

static int blob_get(const struct gpu_call *call, size_t at, uint32_t kind, struct ras_bytes *data)
{
    return packet_blob(call->source, call->name, call_u64(call, at), kind, data, call->err);
}

static int packet_upload_buffer(struct gpu *g, const struct gpu_call *call)
{
    struct item *item;
    struct ras_bytes data;
    uint32_t at = call_u32(call, 4), len = call_u32(call, 8);
    int status = item_find(call, &g->appendix->buffers, call_u32(call, 0), "buffer", &item);
    if (!status)
        status = blob_get(call, 12, RAS_AERO_BUFFER_DATA, &data);
    if (status)
        return status;
    if (data.len != len)
        return call_fail(call, RAS_EFORMAT, "data_len_bytes is %" PRIu32 ", the blob has %zu bytes",
                         len, data.len);
    if (at > item->size || len > item->size - at)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu32 " bytes at %" PRIu32 ", the buffer has %" PRIu64 " bytes", len,
                         at, item->size);
    if (len)
        memcpy(item->bytes + at, data.at, len);
    return RAS_OK;
}

static int packet_create_shader(struct gpu *g, const struct gpu_call *call)
{
    struct ras_bytes text;
    struct item *item;
    uint8_t *bytes = NULL;
    uint32_t id = call_u32(call, 0);
    if (!call_u64(call, 8))
        return call_fail(
            call, RAS_EUNSUPPORTED,
            "shader %" PRIu32 " has no GLSL ES 3.00%s, which alone can be compiled here", id,
            call_u64(call, 16)   ? ", only WGSL"
            : call_u64(call, 24) ? ", only DXBC"
                                 : "");
    int status = blob_get(call, 8, RAS_AERO_SHADER_GLSL_ES300, &text);
    if (status)
        return status;
    if (text.len > TEXT_MAX)
        return call_fail(call, RAS_ELIMIT, "a shader of %zu bytes, at most %d", text.len,
                         (int)TEXT_MAX);
    status = machine_memory(g, call, text.len, &bytes);
    if (!status)
        status = item_new(g, call, &g->appendix->shaders, id, &item);
    if (status) {
        machine_memory_free(g, bytes, text.len);
        return status;
    }
    if (text.len)
        memcpy(bytes, text.at, text.len);
    item->bytes = bytes;
    item->size = text.len;
    return RAS_OK;
}

static int packet_compile(struct gpu *g, const struct gpu_call *call, size_t at, bool vertex,
                          struct program **program)
{
    struct item *shader;
    struct ras_error why;
    const char *what = vertex ? "vertex shader" : "fragment shader";
    int status = item_find(call, &g->appendix->shaders, call_u32(call, at), what, &shader);
    if (status)
        return status;
    const struct ras_bytes text = {shader->bytes, (size_t)shader->size};
    status = program_from_glsl(program, text, vertex, &why);
    if (status == RAS_EUNSUPPORTED)
        return call_fail(call, status, "%s %" PRIu32 " is more than this back end can prove: %s",
                         what, call_u32(call, at), why.text);
    return status ? call_fail(call, status, "%s", why.text) : RAS_OK;
}

/* Every input of the second has an output of the first, of the same name and type. */
static int check_link(const struct gpu_call *call, const struct program *vs,
                      const struct program *fs)
{
    for (uint32_t i = 0; i < fs->input_count; i++)
        if (!semantic_find(vs->outputs, vs->output_count, fs->inputs[i].hash, fs->inputs[i].index))
            return call_fail(call, RAS_EUNSUPPORTED,
                             "input %" PRIu32 " of the fragment shader is not an output of the "
                             "vertex shader",
                             i);
    if (!fs->output_count)
        return call_fail(call, RAS_EUNSUPPORTED, "the fragment shader has no output");
    return RAS_OK;
}

static int packet_create_pipeline(struct gpu *g, const struct gpu_call *call)
{
    struct program *programs[2] = {0};
    struct item *item;
    int status = packet_compile(g, call, 4, true, &programs[0]);
    if (!status)
        status = packet_compile(g, call, 8, false, &programs[1]);
    if (!status)
        status = check_link(call, programs[0], programs[1]);
    if (!status)
        status = item_new(g, call, &g->appendix->pipelines, call_u32(call, 0), &item);
    if (status) {
        program_free(programs[0]);
        program_free(programs[1]);
        return status;
    }
    memcpy(item->programs, programs, sizeof programs);
    return RAS_OK;
}

/* ---- packets: state and drawing ---------------------------------------------------------- */

static int packet_set_pipeline(struct gpu *g, const struct gpu_call *call)
{
    struct item *item;
    int status = item_find(call, &g->appendix->pipelines, call_u32(call, 0), "pipeline", &item);
    if (!status)
        item_set(g, &g->appendix->pipeline, item);
    return status;
}

static int packet_set_vertex_buffer(struct gpu *g, const struct gpu_call *call)
{
    struct appendix *a = g->appendix;
    struct item *item;
    uint32_t stride = call_u32(call, 4), position = call_u32(call, 8), color = call_u32(call, 12);
    if (!a->pipeline)
        return call_fail(call, RAS_EFORMAT, "no pipeline is set");
    int status = item_find(call, &a->buffers, call_u32(call, 0), "buffer", &item);
    if (status)
        return status;
    if (stride % ALIGNMENT || position % ALIGNMENT || color % ALIGNMENT || stride > STRIDE_MAX)
        return call_fail(call, RAS_EFORMAT,
                         "stride %" PRIu32 ", offsets %" PRIu32 " and %" PRIu32
                         ": multiples of %d, and the stride at most %d",
                         stride, position, color, (int)ALIGNMENT, (int)STRIDE_MAX);
    item_set(g, &a->buffer, item);
    a->stride = stride;
    a->offsets[0] = position;
    a->offsets[1] = color;
    return RAS_OK;
}

int appendix_vertices(struct gpu *g, uint32_t id, struct gpu_vertices *out)
{
    const struct appendix *a = g->appendix;
    uint32_t i = a ? id_table_find(&a->buffers.table, id) : ID_TABLE_NONE;
    if (i == ID_TABLE_NONE || !a->buffer || a->buffers.items[i] != a->buffer)
        return RAS_END;
    out->bytes = (struct ras_bytes){a->buffer->bytes, (size_t)a->buffer->size};
    out->stride = a->stride;
    content_fixed(out, a->offsets);
    return RAS_OK;
}

static int packet_set_viewport(struct gpu *g, const struct gpu_call *call)
{
    const struct gpu_level *canvas = &g->canvas->levels[0];
    uint32_t width = call_u32(call, 0), height = call_u32(call, 4);
    width = width ? width : canvas->width;
    height = height ? height : canvas->height;
    if (width > g->limits.side || height > g->limits.side)
        return call_fail(call, RAS_ELIMIT,
                         "%" PRIu32 "x%" PRIu32 " pixels, at most %" PRIu32 " a side", width,
                         height, g->limits.side);
    g->appendix->state.viewport = (struct gpu_viewport){
        .set = true, .width = (float)width, .height = (float)height, .max_depth = 1};
    return RAS_OK;
}

static int packet_clear(struct gpu *g, const struct gpu_call *call)
{
    const struct gpu_surface s = texture_surface(g->canvas, g->canvas->format, 0, 0);
    const float color[4] = {call_f32(call, 0), call_f32(call, 4), call_f32(call, 8),
                            call_f32(call, 12)};
    if (!g->quiet)
        surface_fill(&s, pixel_from_color(s.format, color));
    return RAS_OK;
}

static int packet_check_reach(const struct appendix *a, const struct gpu_call *call,
                              const char *what, uint32_t offset, uint32_t size, uint64_t last)
{
    uint64_t stride = a->stride ? a->stride : size;
    uint64_t end = offset + stride * last + size;
    if (end <= a->buffer->size)
        return RAS_OK;
    return call_fail(call, RAS_EFORMAT,
                     "%s of vertex %" PRIu64 " ends at %" PRIu64 ", the buffer has %" PRIu64
                     " bytes",
                     what, last, end, a->buffer->size);
}

static int packet_check_draw(const struct appendix *a, const struct gpu_call *call)
{
    static const struct {
        const char *what;
        uint32_t size;
    } attributes[] = {{"the position", POSITION_SIZE}, {"the colour", COLOR_SIZE}};
    if (!a->pipeline)
        return call_fail(call, RAS_EFORMAT, "no pipeline is set");
    const struct program *vs = a->pipeline->programs[0];
    uint64_t count = call_u32(call, 0), last = count + call_u32(call, 4) - 1;
    for (uint32_t i = 0; i < vs->input_count; i++) {
        uint32_t at = vs->inputs[i].reg;
        if (at > 1)
            continue;
        if (!a->buffer)
            return call_fail(call, RAS_EFORMAT, "no vertex buffer is set");
        int status = count ? packet_check_reach(a, call, attributes[at].what, a->offsets[at],
                                                attributes[at].size, last)
                           : RAS_OK;
        if (status)
            return status;
    }
    return RAS_OK;
}

static int draw_triangles(struct gpu *g, const struct gpu_call *call)
{
    struct appendix *a = g->appendix;
    struct draw *d = g->draw;
    struct draw_refusal refusal = {0};
    const struct draw_call args = {
        .count = call_u32(call, 0), .instances = 1, .first = call_u32(call, 4)};
    int status = pipeline_targets(g, call, &a->state, &d->raster);
    d->raster.bottom_left = true;
    for (int i = 0; !status && i < 2; i++)
        status = stage_prepare(g, call, (enum gpu_stage)i, a->pipeline->programs[i], &d->stages[i]);
    if (status)
        return status;
    struct ras_bytes buffer = {0};
    if (a->buffer)
        buffer = (struct ras_bytes){a->buffer->bytes, (size_t)a->buffer->size};
    vertex_link_packets(a->pipeline->programs[0], buffer, a->stride, a->offsets, &d->inputs);
    status = pipeline_link(d, &refusal);
    if (!status && *refusal.why)
        return call_fail(call, RAS_EUNSUPPORTED, "%s", refusal.why);
    if (!status)
        status = draw_batches(g, call, d, topology_find(4), &args);
    if (!status && d->not_a_number)
        return call_fail(call, RAS_EFORMAT, "a position is not a number");
    return status;
}

/* In OpenGL the result of drawing NaN or infinity is undefined. */
static int packet_check_numbers(const struct appendix *a, const struct gpu_call *call)
{
    const struct packet_attribute all[] = {{"position", a->offsets[0], POSITION_SIZE},
                                           {"colour", a->offsets[1], COLOR_SIZE}};
    const struct program *vs = a->pipeline->programs[0];
    for (uint32_t i = 0; i < vs->input_count; i++) {
        char text[80];
        if (vs->inputs[i].reg < 2 &&
            !packet_numbers(&all[vs->inputs[i].reg], a->buffer->bytes, a->stride, call_u32(call, 4),
                            call_u32(call, 0), text))
            return call_fail(call, RAS_EFORMAT, "%s", text);
    }
    return RAS_OK;
}

static int packet_draw(struct gpu *g, const struct gpu_call *call)
{
    int status = packet_check_draw(g->appendix, call);
    if (!status && g->events.drawing)
        status = g->events.drawing(g->events.user, call->offset, call->err);
    if (!status && !g->quiet)
        status = packet_check_numbers(g->appendix, call);
    if (!status && !g->quiet)
        status = draw_triangles(g, call);
    if (status)
        return status;
    g->draws++;
    return g->events.drawn ? g->events.drawn(g->events.user, g->draws, call->err) : RAS_OK;
}

static int packet_present(struct gpu *g, const struct gpu_call *call)
{
    return machine_present(g, 0, call->offset, call->err);
}

/* ---- the packet -------------------------------------------------------------------------- */

static int prepare(struct gpu *g, struct ras_error *err)
{
    if (!g->appendix) {
        g->appendix = calloc(1, sizeof *g->appendix);
        if (!g->appendix)
            return fail_memory(err);
        state_reset(&g->appendix->state);
        g->appendix->state.raster.cull = 0;
    }
    g->shown = &g->appendix->state;
    work_begin(&g->work);
    return RAS_OK;
}

int appendix_packet(struct gpu *g, struct ras_bytes bytes, const struct gpu_source *source,
                    struct ras_error *err)
{
    /* By opcode. */
    static int (*const run[])(struct gpu *, const struct gpu_call *) = {
        NULL,
        packet_create_buffer,
        packet_upload_buffer,
        packet_create_shader,
        packet_create_pipeline,
        packet_set_pipeline,
        packet_set_vertex_buffer,
        packet_set_viewport,
        packet_clear,
        packet_draw,
        packet_present,
    };
    struct ras_aero_packet raw;
    struct ras_error why;
    struct gpu_call call = {.source = source, .err = err, .name = "packet"};
    call.offset = source->offset;
    if (ras_aero_packet_get(bytes, &raw, &why) < 0)
        return call_fail(&call, RAS_EFORMAT, "%s", why.text);
    const struct ras_aero_op *op = ras_aero_packet_op(raw.opcode);
    if (!op || raw.opcode >= sizeof run / sizeof *run)
        return call_fail(&call, RAS_EUNSUPPORTED, "unknown opcode 0x%04" PRIx32, raw.opcode);
    call.name = op->name;
    call.payload = raw.payload;
    if (bytes.len < op->size_bytes)
        return call_fail(&call, RAS_EFORMAT, "%zu bytes, it takes %" PRIu32, bytes.len,
                         op->size_bytes);
    int status = prepare(g, err);
    return status ? status : run[raw.opcode](g, &call);
}
