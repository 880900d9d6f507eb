/* draw.c - draws: from the command to the vertices of its primitives. */
#include "base/error.h"
#include "base/memory.h"
#include "base/out.h"
#include "gpu/draw.h"

#include <stddef.h>

/* ---- topology ---------------------------------------------------------------------------- */

/* Lists, strips and fans; adjacent vertices are for geometry shaders alone. */

static void list(uint64_t i, uint64_t c[3])
{
    c[0] = 3 * i;
    c[1] = 3 * i + 1;
    c[2] = 3 * i + 2;
}

/* Every other triangle is turned, so that all face the same way. */
static void strip(uint64_t i, uint64_t c[3])
{
    c[0] = i;
    c[1] = i + 1 + (i & 1);
    c[2] = i + 2 - (i & 1);
}

static void fan(uint64_t i, uint64_t c[3])
{
    c[0] = i + 1;
    c[1] = i + 2;
    c[2] = 0;
}

static void list_adjacent(uint64_t i, uint64_t c[3])
{
    c[0] = 6 * i;
    c[1] = 6 * i + 2;
    c[2] = 6 * i + 4;
}

static void strip_adjacent(uint64_t i, uint64_t c[3])
{
    strip(i, c);
    for (int k = 0; k < 3; k++)
        c[k] *= 2;
}

static const struct topology topologies[] = {
    {4, 3, 3, list},           {5, 3, 1, strip},           {6, 3, 1, fan},
    {12, 6, 6, list_adjacent}, {13, 6, 2, strip_adjacent},
};

const struct topology *topology_find(uint32_t id)
{
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        if (topologies[i].id == id)
            return &topologies[i];
    return NULL;
}

/* ---- draw -------------------------------------------------------------------------------- */

/* Vertices in batches through their shader, triangle by triangle to the raster. */

/* ---- draws without shaders --------------------------------------------------------------- */

/* A program that copies: register i of the inputs is register i of the outputs. */
static struct program *handing_on(bool vertex, uint32_t regs)
{
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->is_vertex = vertex;
    p->input_regs = p->output_regs = regs;
    p->input_count = p->output_count = regs;
    for (uint32_t r = 0; r < regs; r++) {
        struct instruction *in = program_code(p);
        if (!in) {
            program_free(p);
            return NULL;
        }
        in->op = PROGRAM_MOV;
        in->mask = 15;
        in->to = 4 * (regs + r);
        for (uint32_t c = 0; c < 4; c++)
            in->from[0][c] = 4 * r + c;
        p->inputs[r] = p->outputs[r] = (struct semantic){.hash = r, .reg = r, .mask = 15};
    }
    return p;
}

/* Position and color through the vertex shader, color through the pixel shader. */
static bool fixed_programs(struct draw *d)
{
    d->fixed[0] = handing_on(true, 2);
    d->fixed[1] = handing_on(false, 1);
    if (!d->fixed[0] || !d->fixed[1])
        return false;
    d->fixed[0]->outputs[0].system = SYSTEM_POSITION;
    d->fixed[1]->inputs[0].hash = 1;
    d->fixed[1]->outputs[0].system = SYSTEM_TARGET;
    return true;
}

int draw_new(struct draw **out, struct ras_error *err)
{
    *out = NULL;
    struct draw *d = aligned_take(_Alignof(struct draw), sizeof *d);
    if (!d)
        return fail_memory(err);
    memset(d, 0, sizeof *d);
    if (!fixed_programs(d)) {
        draw_free(d);
        return fail_memory(err);
    }
    *out = d;
    return RAS_OK;
}

void draw_free(struct draw *d)
{
    if (!d)
        return;
    for (int i = 0; i < 2; i++) {
        aligned_free(d->stages[i].file);
        program_free(d->fixed[i]);
    }
    aligned_free(d);
}

/* ---- batches ----------------------------------------------------------------------------- */

static void vertices_out(struct draw *d)
{
    const struct lanes *file = d->stages[GPU_VERTEX].file;
    struct batch *b = &d->batch;
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t i = 0; i < b->count; i++)
            b->vertices[i].position[c] = file[d->position_from + c].at[i];
    for (uint32_t k = 0; k < d->raster.varying_count; k++)
        for (uint32_t i = 0; i < b->count; i++)
            b->vertices[i].varying[k] = file[d->varying_from[k]].at[i];
}

static int flush(struct gpu *g, const struct gpu_call *call, struct draw *d)
{
    struct batch *b = &d->batch;
    const struct draw_stage *vs = &d->stages[GPU_VERTEX];
    if (!raster_work(&d->raster, LANES * d->vertex_cost))
        return call_work_refused(g, call);
    program_run(vs->program, vs->file, (b->count + 7) & ~7u, &vs->env);
    vertices_out(d);
    for (uint32_t i = 0; i < b->triangle_count; i++) {
        const struct vertex *corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = &b->vertices[b->corners[i][k]];
        if (!clip_triangle(&d->raster, &d->triangle, corners))
            d->not_a_number = true;
    }
    b->count = b->triangle_count = 0;
    memset(b->lane_of, 0, sizeof b->lane_of);
    return g->work.left ? RAS_OK : call_work_refused(g, call);
}

/* The vertex that item `at` of the draw names. */
static int vertex_id(const struct gpu_call *call, const struct draw_call *a, uint64_t at,
                     int64_t *id)
{
    at += a->first;
    if (!a->indexed) {
        *id = (int64_t)at;
        return RAS_OK;
    }
    if (at >= a->index_count)
        return call_fail(call, RAS_EFORMAT,
                         "index %" PRIu64 " lies beyond the buffer, which has %" PRIu64, at,
                         a->index_count);
    *id = a->base + (a->wide ? load_u32(a->indices + 4 * at) : load_u16(a->indices + 2 * at));
    return RAS_OK;
}

static int batch_vertex(struct draw *d, const struct gpu_call *call, const struct draw_call *a,
                        uint32_t instance, uint64_t at, uint8_t *lane)
{
    struct batch *b = &d->batch;
    int64_t id = 0;
    int status = vertex_id(call, a, at, &id);
    if (status)
        return status;
    uint8_t *known = &b->lane_of[(uint64_t)id % (2 * LANES)];
    if (*known && b->ids[*known - 1] == id) {
        *lane = (uint8_t)(*known - 1);
        return RAS_OK;
    }
    status = vertex_fetch(call, &d->inputs, d->stages[GPU_VERTEX].file, b->count, id, instance,
                          a->first_instance);
    if (status)
        return status;
    b->ids[b->count] = id;
    *lane = (uint8_t)b->count++;
    *known = (uint8_t)(*lane + 1);
    return RAS_OK;
}

/* `count` items from `from` on, all of one strip, fan or list. */
static int draw_run_of(struct gpu *g, const struct gpu_call *call, struct draw *d,
                       const struct topology *topology, const struct draw_call *a,
                       uint32_t instance, uint64_t from, uint64_t count)
{
    struct batch *b = &d->batch;
    uint64_t triangles = topology_triangles(topology, count);
    for (uint64_t i = 0; i < triangles; i++) {
        uint64_t at[3];
        topology->corners(i, at);
        if (b->count + 3 > LANES || b->triangle_count == 2 * LANES) {
            int status = flush(g, call, d);
            if (status)
                return status;
        }
        for (int k = 0; k < 3; k++) {
            int status =
                batch_vertex(d, call, a, instance, from + at[k], &b->corners[b->triangle_count][k]);
            if (status)
                return status;
        }
        b->triangle_count++;
    }
    return RAS_OK;
}

/* In a strip the largest index ends it, and the next one begins. */
static int draw_strips(struct gpu *g, const struct gpu_call *call, struct draw *d,
                       const struct topology *topology, const struct draw_call *a,
                       uint32_t instance)
{
    uint64_t from = 0;
    int64_t cut = a->base + (a->wide ? (int64_t)UINT32_MAX : UINT16_MAX);
    for (uint64_t i = 0; i <= a->count; i++) {
        int64_t id = cut;
        int status = i < a->count ? vertex_id(call, a, i, &id) : RAS_OK;
        if (!status && id == cut) {
            status = draw_run_of(g, call, d, topology, a, instance, from, i - from);
            from = i + 1;
        }
        if (status)
            return status;
    }
    return RAS_OK;
}

int draw_batches(struct gpu *g, const struct gpu_call *call, struct draw *d,
                 const struct topology *topology, const struct draw_call *a)
{
    enum { STRIP = 5, STRIP_ADJACENT = 13 };
    struct batch *b = &d->batch;
    bool strips = a->indexed && (topology->id == STRIP || topology->id == STRIP_ADJACENT);
    b->count = b->triangle_count = 0;
    memset(b->lane_of, 0, sizeof b->lane_of);
    d->not_a_number = false;
    for (uint32_t instance = 0; instance < a->instances; instance++) {
        int status = strips ? draw_strips(g, call, d, topology, a, instance)
                            : draw_run_of(g, call, d, topology, a, instance, 0, a->count);
        /* Vertices of one instance are not those of the next. */
        if (!status)
            status = flush(g, call, d);
        if (status)
            return status;
    }
    return RAS_OK;
}

/* ---- drawing ----------------------------------------------------------------------------- */

/* Commands that change pixels and show them: clear, draw, present. */

/* ---- CLEAR ------------------------------------------------------------------------------- */

enum { CLEAR_COLOR = 1, CLEAR_DEPTH = 2, CLEAR_STENCIL = 4 };

static void fill_row(const struct pixel_format *f, uint8_t *row, uint32_t width, uint32_t raw)
{
    if (f->bytes == 4)
        for (uint32_t x = 0; x < width; x++)
            store_u32(row + 4 * (size_t)x, raw);
    else
        for (uint32_t x = 0; x < width; x++)
            store_u16(row + 2 * (size_t)x, (uint16_t)raw);
}

static bool one_surface(const struct gpu_texture *t)
{
    return t->mips == 1 && t->layers == 1;
}

void surface_fill(const struct gpu_surface *s, uint32_t raw)
{
    for (uint32_t y = 0; y < s->height; y++)
        fill_row(s->format, s->at + (size_t)y * s->pitch, s->width, raw);
    s->texture->decoded_fresh = false;
    if (one_surface(s->texture))
        s->texture->object.taint = 0;
}

static void clear_color(const struct gpu_call *call, const struct gpu_surface *s)
{
    const float color[4] = {call_f32(call, 4), call_f32(call, 8), call_f32(call, 12),
                            call_f32(call, 16)};
    uint32_t raw = pixel_from_color(s->format, color);
    surface_fill(s, raw);
}

static void clear_depth(const struct gpu_call *call, uint32_t flags, const struct gpu_surface *s)
{
    float depth = call_f32(call, 20);
    depth = depth > 0 ? depth < 1 ? depth : 1 : 0;
    uint32_t raw, bits = UINT32_MAX;
    if (s->format->is_float) {
        memcpy(&raw, &depth, sizeof raw);
        bits = flags & CLEAR_DEPTH ? bits : 0;
    } else {
        raw = (uint32_t)((double)depth * 16777215.0 + 0.5) | call_u32(call, 24) << 24;
        bits = (flags & CLEAR_DEPTH ? 0xffffff : 0) | (flags & CLEAR_STENCIL ? 0xff000000u : 0);
    }
    for (uint32_t y = 0; y < s->height; y++) {
        uint8_t *row = s->at + (size_t)y * s->pitch;
        if (bits == UINT32_MAX)
            fill_row(s->format, row, s->width, raw);
        else
            for (uint32_t x = 0; x < s->width; x++)
                store_u32(row + 4 * (size_t)x,
                          (load_u32(row + 4 * (size_t)x) & ~bits) | (raw & bits));
    }
    if (bits == UINT32_MAX && one_surface(s->texture))
        s->texture->object.taint = 0;
}

static uint64_t surface_bytes(const struct gpu_surface *s)
{
    return (uint64_t)s->pitch * s->height;
}

/* Whole targets, whatever viewport and scissor are. */
int run_clear(struct gpu *g, const struct gpu_call *call)
{
    uint32_t flags = call_u32(call, 0);
    struct raster *r = &g->draw->raster;
    int status = pipeline_targets(g, call, &g->state, r);
    if (status)
        return status;
    for (uint32_t i = 0; i < r->target_count && !status; i++)
        status = call_copies(g, call, surface_bytes(&r->targets[i].surface));
    if (!status && r->depth_surface.at)
        status = call_copies(g, call, surface_bytes(&r->depth_surface));
    if (status)
        return status;
    for (uint32_t i = 0; flags & CLEAR_COLOR && i < r->target_count; i++)
        clear_color(call, &r->targets[i].surface);
    if (flags & (CLEAR_DEPTH | CLEAR_STENCIL) && r->depth_surface.at)
        clear_depth(call, flags, &r->depth_surface);
    return RAS_OK;
}

/* ---- DRAW and DRAW_INDEXED --------------------------------------------------------------- */

/* Why this cannot be drawn, whatever its shaders; NULL: it can. */
static const char *beyond(const struct gpu_state *s)
{
    if (s->gs || s->hs || s->ds)
        return "a geometry, hull or domain shader is bound";
    /* No rule of the ABI says which pixels a line or a point is. */
    if (s->raster.wireframe)
        return "wireframes are not drawn";
    if (!topology_find(s->topology))
        return "only triangles are drawn";
    return NULL;
}

/* Direct3D counts vertices and instances of a draw from 0, WebGPU from its first ones. */
static const char *counted(const struct program *vs, const struct draw_call *a)
{
    if (a->first_instance && semantic_system(vs->inputs, vs->input_count, SYSTEM_INSTANCE_ID))
        return "SV_InstanceID after a first instance is not the same everywhere";
    bool moved = a->base || (!a->indexed && a->first);
    if (moved && semantic_system(vs->inputs, vs->input_count, SYSTEM_VERTEX_ID))
        return "SV_VertexID after a first or base vertex is not the same everywhere";
    return NULL;
}

/* Before any command depth is tested by LESS; Direct3D 9 tests by LESSEQUAL, or not at all. */
static bool depth_unsaid(const struct gpu_state *s, const struct raster *r)
{
    const struct gpu_depth *d = &s->depth;
    bool said = d->enable_said && (d->func_said || !d->enable);
    return s->direct3d9 && r->depth_surface.at && !said;
}

/* Not drawn: every target may lack something. */
static int refuse_draw(struct gpu *g, const struct gpu_call *call, const char *why)
{
    pipeline_taint(&g->draw->raster, call_bit(call) | g->state.taint);
    return call_remark(g, call, "%s", why);
}

static int take_work(struct gpu *g, const struct gpu_call *call, const struct draw_call *a)
{
    /* Empty instances cost something, too. */
    uint64_t vertices = ((uint64_t)a->count + 1) * a->instances;
    uint64_t left = g->work.left + g->work.rest;
    if (vertices >= left)
        return call_fail(call, RAS_ELIMIT,
                         "%" PRIu32 " vertices in %" PRIu32 " instances; work for %" PRIu64
                         " of %" PRIu64 " is left",
                         a->count, a->instances, left, g->limits.work);
    return call_work(g, call, vertices);
}

static int draw_command(struct gpu *g, const struct gpu_call *call, const struct draw_call *a,
                        uint64_t taint)
{
    struct draw *d = g->draw;
    struct draw_refusal refusal = {0};
    int status = pipeline_targets(g, call, &g->state, &d->raster);
    if (status)
        return status;
    const char *why = beyond(&g->state);
    if (why)
        return refuse_draw(g, call, why);
    status = pipeline_shaders(g, call, d, &refusal);
    if (status)
        return status;
    if (*refusal.why)
        return refuse_draw(g, call, refusal.why);
    why = counted(d->stages[GPU_VERTEX].program, a);
    if (why)
        return refuse_draw(g, call, why);
    status = take_work(g, call, a);
    if (status)
        return status;
    taint |= g->state.taint | d->inputs.taint | d->stages[0].taint | d->stages[1].taint;
    if (depth_unsaid(&g->state, &d->raster)) {
        taint |= call_bit(call);
        status = call_remark(g, call, "the default depth test is not that of Direct3D 9");
        if (status)
            return status;
    }
    pipeline_taint(&d->raster, taint);
    status = draw_batches(g, call, d, topology_find(g->state.topology), a);
    if (!status && d->not_a_number)
        status = refuse_draw(g, call, "a position is not a number, its triangles are left out");
    return status;
}

static int drawn(struct gpu *g, const struct gpu_call *call, const struct draw_call *a,
                 uint64_t taint)
{
    int status =
        g->events.drawing ? g->events.drawing(g->events.user, call->offset, call->err) : RAS_OK;
    if (!status)
        status = draw_command(g, call, a, taint);
    if (status)
        return status;
    g->draws++;
    return g->events.drawn ? g->events.drawn(g->events.user, g->draws, call->err) : RAS_OK;
}

int run_draw(struct gpu *g, const struct gpu_call *call)
{
    const struct draw_call args = {
        .count = call_u32(call, 0),
        .instances = call_u32(call, 4),
        .first = call_u32(call, 8),
        .first_instance = call_u32(call, 12),
    };
    return drawn(g, call, &args, 0);
}

int run_draw_indexed(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_buffer *b;
    if (!g->state.index_buffer)
        return call_fail(call, RAS_EFORMAT, "no index buffer is bound");
    int status = object_get(g, call, GPU_BUFFER, g->state.index_buffer, "index buffer", &b);
    if (status)
        return status;
    uint64_t offset = g->state.index_offset < b->size ? g->state.index_offset : b->size;
    const struct draw_call args = {
        .count = call_u32(call, 0),
        .instances = call_u32(call, 4),
        .first = call_u32(call, 8),
        .base = (int32_t)call_u32(call, 12),
        .first_instance = call_u32(call, 16),
        .indexed = true,
        .wide = g->state.index_wide,
        .indices = b->bytes + offset,
        .index_count = (b->size - offset) / (g->state.index_wide ? 4 : 2),
    };
    return drawn(g, call, &args, b->object.taint);
}

/* The results of a compute shader are unknown: every resource is uncertain from here on. */
int run_dispatch(struct gpu *g, const struct gpu_call *call)
{
    g->taint |= call_bit(call);
    return call_remark(g, call, "compute shaders are not executed");
}

/* ---- PRESENT ----------------------------------------------------------------------------- */

void machine_inexact(struct gpu *g, uint64_t taint, struct gpu_present *p)
{
    p->inexact = g->inexact;
    p->inexact_count = 0;
    for (size_t i = 0; i < gpu_command_count; i++)
        if (taint >> i & 1)
            g->inexact[p->inexact_count++] =
                ras_aero_command_op(gpu_commands[i].opcode, UINT32_MAX)->name;
    if (taint >> gpu_command_count & 1)
        g->inexact[p->inexact_count++] = "UNKNOWN";
}

/* Rows without padding, as RGBA. */
int machine_surface(struct gpu *g, const struct gpu_surface *s, struct gpu_picture *picture,
                    struct ras_error *err)
{
    bool as_stored = s->format->bytes == 4 && !s->format->shift[0] && !s->format->opaque;
    picture->width = s->width;
    picture->height = s->height;
    picture->rgba = s->at;
    if (as_stored && s->pitch == 4 * s->width)
        return RAS_OK;
    if (!array_grow(&g->picture, &g->picture_room, 4 * (size_t)s->width * s->height, 1))
        return fail_memory(err);
    for (uint32_t y = 0; y < s->height; y++)
        pixel_row_to_rgba(s->format, s->at + (size_t)y * s->pitch, s->width,
                          g->picture + 4 * (size_t)y * s->width);
    picture->rgba = g->picture;
    return RAS_OK;
}

int machine_picture(struct gpu *g, struct gpu_present *present, struct ras_error *err)
{
    struct raster *r = &g->draw->raster;
    const struct gpu_call call = {.err = err, .name = "picture", .offset = RAS_NONE};
    int status = pipeline_targets(g, &call, g->shown, r);
    if (status)
        return status;
    if (!r->target_count || r->targets[0].output)
        return RAS_END; /* depth alone, or no target 0 */
    const struct gpu_surface *s = &r->targets[0].surface;
    machine_inexact(g, g->taint | s->texture->object.taint, present);
    present->canvas = s->texture == g->canvas;
    return machine_surface(g, s, &present->picture, err);
}

int machine_present(struct gpu *g, uint32_t scanout_id, uint64_t offset, struct ras_error *err)
{
    if (g->quiet || !g->events.present)
        return RAS_OK;
    struct gpu_present present = {.scanout_id = scanout_id, .offset = offset};
    int status = machine_picture(g, &present, err);
    return status ? status : g->events.present(g->events.user, &present, err);
}

int run_present(struct gpu *g, const struct gpu_call *call)
{
    struct raster *r = &g->draw->raster;
    int status = pipeline_targets(g, call, &g->state, r);
    if (!status && r->target_count) /* every pixel will be read */
        status = call_work(g, call, (uint64_t)r->width * r->height);
    if (status)
        return status;
    status = machine_present(g, call_u32(call, 0), call->offset, call->err);
    if (status == RAS_END)
        return call_fail(call, RAS_EFORMAT, "there is no color target 0 to show");
    return status;
}
