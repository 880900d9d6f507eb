/* draw.c - vertices in batches through their shader, triangle by triangle to the raster. */
#include "gpu/draw.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/store.h"

/* ---- draws without shaders ------------------------------------------------------------------- */

/* A program that hands on: register i of the inputs is register i of the outputs. */
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

/* ---- batches ------------------------------------------------------------------------- */

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
