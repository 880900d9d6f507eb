/* pipeline.c - the state of the machine as one draw needs it. */
#include "base/error.h"
#include "gpu/draw.h"
#include "gpu/raster.h"

#include <math.h>

/* ---- clip -------------------------------------------------------------------------------- */

/* What of a triangle can be seen: cut by the planes of clip space. Near and far are the planes of
 * the specification's clip space, 0 <= z <= w. To the sides only what would not fit the raster's
 * numbers is cut: the rest is left to the rectangle of pixels, which gives the same picture. */

enum { PLANES = 7, CORNERS = 3 + PLANES };

/* The smallest divisor. */
#define W_LEAST 1e-7

/* Inside is where the distance is not negative. */
static double distance(const struct raster *r, int plane, const double p[4])
{
    double x = p[0], y = p[1], z = p[2], w = p[3];
    switch (plane) {
    case 0:
        return w - W_LEAST;
    case 1:
        return r->rules.depth_clip ? z : 0;
    case 2:
        return r->rules.depth_clip ? w - z : 0;
    case 3: /* a position in pixels, times w */
        return x * r->scale[0] + (r->move[0] + RASTER_REACH) * w;
    case 4:
        return (RASTER_REACH - r->move[0]) * w - x * r->scale[0];
    case 5:
        return y * r->scale[1] + (r->move[1] + RASTER_REACH) * w;
    default:
        return (RASTER_REACH - r->move[1]) * w - y * r->scale[1];
    }
}

static void clip_between(const double a[4], const double b[4], double t, double to[4])
{
    for (int i = 0; i < 4; i++)
        to[i] = a[i] + (b[i] - a[i]) * t;
}

/* The polygon cut by one plane; its corners go from one array to the other. */
static uint32_t cut(const struct raster *r, int plane, double (*from)[4], uint32_t count,
                    double (*to)[4])
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = from[i], *b = from[(i + 1) % count];
        double da = distance(r, plane, a), db = distance(r, plane, b);
        if (da >= 0)
            memcpy(to[made++], a, sizeof *to);
        /* From the inner corner, so that neighbours that share the edge cut it at the same point.
         */
        if (da >= 0 && db < 0)
            clip_between(a, b, da / (da - db), to[made++]);
        else if (da < 0 && db >= 0)
            clip_between(b, a, db / (db - da), to[made++]);
    }
    return made;
}

static void draw_polygon(struct raster *r, struct triangle *t, double (*corners)[4], uint32_t count)
{
    for (uint32_t i = 1; i + 1 < count; i++) {
        const double *const part[3] = {corners[0], corners[i], corners[i + 1]};
        triangle_draw(r, t, part);
    }
}

bool clip_triangle(struct raster *r, struct triangle *t, const struct vertex *const v[3])
{
    double polygons[2][CORNERS][4];
    uint32_t some = 0, all = UINT32_MAX, count = 3, now = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t outside = 0;
        for (int k = 0; k < 4; k++) {
            if (!isfinite(v[i]->position[k]))
                return false;
            polygons[0][i][k] = (double)v[i]->position[k];
        }
        for (int p = 0; p < PLANES; p++)
            outside |= (uint32_t)(distance(r, p, polygons[0][i]) < 0) << p;
        some |= outside;
        all &= outside;
    }
    if (all)
        return true;
    for (int p = 0; p < PLANES && count; p++)
        if (some >> p & 1) {
            count = cut(r, p, polygons[now], count, polygons[!now]);
            now = !now;
        }
    t->corners = v;
    t->prepared = false;
    draw_polygon(r, t, polygons[now], count);
    return true;
}

/* ---- targets ----------------------------------------------------------------------------- */

static void smaller(struct raster *r, const struct gpu_surface *s)
{
    if (s->width < r->width)
        r->width = s->width;
    if (s->height < r->height)
        r->height = s->height;
}

static void add_target(struct raster *r, const struct gpu_view *view, uint32_t output)
{
    struct raster_target *t = &r->targets[r->target_count++];
    *t = (struct raster_target){
        .surface = texture_surface(view->texture, view->format, view->mip, view->layer),
        .bits = pixel_mask(view->format, r->blend.write_masks[output]),
        .output = output, /* for now which target it is */
    };
    t->keeps = t->bits != pixel_mask(view->format, 15);
    smaller(r, &t->surface);
}

static int find_targets(struct gpu *g, const struct gpu_call *call, const struct gpu_state *s,
                        struct raster *r)
{
    struct gpu_view view;
    if (s->target_lost)
        return call_fail(call, RAS_EFORMAT, "target %" PRIu32 " was destroyed", s->target_lost);
    for (uint32_t i = 0; i < s->color_count; i++) {
        if (!s->colors[i])
            continue;
        int status = texture_resolve(g, call, s->colors[i], "color target", &view);
        if (status)
            return status;
        add_target(r, &view, i);
    }
    if (s->depth_target) {
        int status = texture_resolve(g, call, s->depth_target, "depth target", &view);
        if (status)
            return status;
        r->depth_surface = texture_surface(view.texture, view.format, view.mip, view.layer);
        smaller(r, &r->depth_surface);
    }
    if (!s->color_count && !s->depth_target) {
        view = (struct gpu_view){.texture = g->canvas, .format = g->canvas->format};
        add_target(r, &view, 0);
    }
    return RAS_OK;
}

static int32_t clamp_to(double v, int32_t low, int32_t high)
{
    return v > low ? v < high ? (int32_t)v : high : low;
}

/* The pixels whose middles are inside the viewport, the scissor and the targets. */
static void find_rectangle(const struct gpu_state *s, struct raster *r)
{
    struct gpu_viewport v = s->viewport;
    if (!v.set)
        v = (struct gpu_viewport){
            .width = (float)r->width, .height = (float)r->height, .max_depth = 1};
    int32_t width = (int32_t)r->width, height = (int32_t)r->height;
    double x = (double)v.x, y = (double)v.y, w = (double)v.width, h = (double)v.height;
    r->left = clamp_to(ceil(x - 0.5), 0, width);
    r->top = clamp_to(ceil(y - 0.5), 0, height);
    r->right = clamp_to(ceil(x + w - 0.5), 0, width);
    r->bottom = clamp_to(ceil(y + h - 0.5), 0, height);
    if (s->raster.scissor && s->scissor_set) {
        const int32_t *c = s->scissor;
        r->left = clamp_to(c[0], r->left, r->right);
        r->top = clamp_to(c[1], r->top, r->bottom);
        r->right = clamp_to((double)c[0] + c[2], r->left, r->right);
        r->bottom = clamp_to((double)c[1] + c[3], r->top, r->bottom);
    }
    const double scale[3] = {w / 2, -h / 2, (double)v.max_depth - (double)v.min_depth};
    const double move[3] = {x + w / 2, y + h / 2, (double)v.min_depth};
    memcpy(r->scale, scale, sizeof scale);
    memcpy(r->move, move, sizeof move);
    r->depth_low = v.min_depth;
    r->depth_high = v.max_depth;
}

int pipeline_targets(struct gpu *g, const struct gpu_call *call, const struct gpu_state *s,
                     struct raster *r)
{
    *r = (struct raster){
        .width = UINT32_MAX,
        .height = UINT32_MAX,
        .blend = s->blend,
        .depth = s->depth,
        .rules = s->raster,
        .work = &g->work,
    };
    int status = find_targets(g, call, s, r);
    if (status)
        return status;
    if (r->width == UINT32_MAX) /* targets are set, and all of them are none */
        r->width = r->height = 0;
    find_rectangle(s, r);
    r->test_depth = r->depth_surface.at && s->depth.enable;
    r->test_stencil =
        r->depth_surface.at && s->depth.stencil_enable && r->depth_surface.format->stencil;
    if (!(s->blend.sample_mask & 1))
        r->right = r->left; /* the only sample there is, is masked out */
    return RAS_OK;
}

static void taint_texture(struct gpu_texture *t, uint64_t taint)
{
    t->object.taint |= taint;
    t->decoded_fresh = false;
}

void pipeline_taint(struct raster *r, uint64_t taint)
{
    if (r->test_depth || r->test_stencil)
        taint |= r->depth_surface.texture->object.taint;
    for (uint32_t i = 0; i < r->target_count; i++)
        taint_texture(r->targets[i].surface.texture, taint);
    if (r->depth_surface.at)
        taint_texture(r->depth_surface.texture, taint);
}

/* ---- from vertices to pixels ------------------------------------------------------------- */

/* Which components of the inputs any instruction reads. */
static void inputs_read(const struct program *p, bool read[RASTER_VARYINGS])
{
    memset(read, 0, RASTER_VARYINGS * sizeof *read);
    for (size_t i = 0; i < p->code_count; i++) {
        const struct instruction *in = &p->code[i];
        for (uint32_t s = 0; s < program_sources(in->op); s++)
            for (uint32_t c = 0; c < 4; c++)
                if (in->from[s][c] < 4 * p->input_regs)
                    read[in->from[s][c]] = true;
    }
}

static const struct semantic *input_at(const struct program *p, uint32_t reg)
{
    for (uint32_t i = 0; i < p->input_count; i++)
        if (p->inputs[i].reg == reg)
            return &p->inputs[i];
    return NULL;
}

/* What feeds an input of the pixel shader: the output of that name. */
static bool link_varying(struct draw *d, const struct semantic *in, const bool read[4])
{
    const struct program *vs = d->stages[GPU_VERTEX].program;
    const struct semantic *out = semantic_find(vs->outputs, vs->output_count, in->hash, in->index);
    if (!out)
        return false;
    for (uint32_t c = 0; c < 4; c++)
        if (read[c]) {
            d->varying_from[d->raster.varying_count] = 4 * (vs->input_regs + out->reg) + c;
            d->raster.varying_to[d->raster.varying_count++] = 4 * in->reg + c;
        }
    return true;
}

static void link_inputs(struct draw *d, struct draw_refusal *refusal)
{
    const struct program *ps = d->stages[GPU_PIXEL].program;
    bool read[RASTER_VARYINGS];
    inputs_read(ps, read);
    for (uint32_t reg = 0; reg < ps->input_regs; reg++) {
        const bool *some = &read[4 * reg];
        if (!(some[0] || some[1] || some[2] || some[3]))
            continue;
        const struct semantic *in = input_at(ps, reg);
        if (in && in->system == SYSTEM_POSITION) {
            d->raster.has_position = true;
            d->raster.position_to = 4 * reg;
        } else if (!in || in->system != SYSTEM_NONE || !link_varying(d, in, some)) {
            snprintf(refusal->why, sizeof refusal->why,
                     "input v%" PRIu32 " of the pixel shader comes from nowhere", reg);
        }
    }
}

/* Targets without an output of the shader stay as they are. */
static void link_outputs(struct draw *d)
{
    struct raster *r = &d->raster;
    const struct program *ps = d->stages[GPU_PIXEL].program;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->target_count; i++)
        for (uint32_t k = 0; k < ps->output_count; k++)
            if (ps->outputs[k].system == SYSTEM_TARGET &&
                ps->outputs[k].index == r->targets[i].output) {
                r->targets[kept] = r->targets[i];
                r->targets[kept++].output = 4 * (ps->input_regs + ps->outputs[k].reg);
                break;
            }
    r->target_count = kept;
}

/* ---- shaders ----------------------------------------------------------------------------- */

static int shader_get(struct gpu *g, const struct gpu_call *call, uint32_t handle, bool vertex,
                      const struct program **program, struct draw_refusal *refusal)
{
    const char *what = vertex ? "vertex shader" : "pixel shader";
    if (!handle)
        return call_fail(call, RAS_EFORMAT, "no %s is bound", what);
    struct gpu_shader *s;
    int status = object_get(g, call, GPU_SHADER, handle, what, &s);
    if (status)
        return status;
    if (*s->program->refused)
        snprintf(refusal->why, sizeof refusal->why, "%s %" PRIu32 ": %s", what, handle,
                 s->program->refused);
    else if (s->program->is_vertex != vertex)
        return call_fail(call, RAS_EFORMAT, "shader %" PRIu32 " is not a %s", handle, what);
    *program = s->program;
    return RAS_OK;
}

static int find_programs(struct gpu *g, const struct gpu_call *call, struct draw *d,
                         const struct program *programs[2], struct draw_refusal *refusal)
{
    if (!g->state.vs && !g->state.ps) {
        programs[0] = d->fixed[0];
        programs[1] = d->fixed[1];
        d->raster.rules.cull = 0; /* without shaders both sides are shown */
        return RAS_OK;
    }
    int status = shader_get(g, call, g->state.vs, true, &programs[0], refusal);
    return status ? status : shader_get(g, call, g->state.ps, false, &programs[1], refusal);
}

int pipeline_link(struct draw *d, struct draw_refusal *refusal)
{
    const struct program *vs = d->stages[GPU_VERTEX].program, *ps = d->stages[GPU_PIXEL].program;
    const struct semantic *position =
        semantic_system(vs->outputs, vs->output_count, SYSTEM_POSITION);
    if (!position) {
        snprintf(refusal->why, sizeof refusal->why, "the vertex shader gives no position");
        return RAS_OK;
    }
    d->position_from = 4 * (vs->input_regs + position->reg);
    link_inputs(d, refusal);
    link_outputs(d);
    d->raster.pixel = ps;
    d->raster.tile_cost = LANES * program_cost(ps);
    d->vertex_cost = program_cost(vs);
    d->raster.file = d->stages[GPU_PIXEL].file;
    d->raster.env = d->stages[GPU_PIXEL].env;
    return RAS_OK;
}

int pipeline_shaders(struct gpu *g, const struct gpu_call *call, struct draw *d,
                     struct draw_refusal *refusal)
{
    const struct program *programs[2] = {0};
    int status = find_programs(g, call, d, programs, refusal);
    if (status || *refusal->why)
        return status;
    for (int i = 0; !status && i < 2; i++)
        status = stage_prepare(g, call, (enum gpu_stage)i, programs[i], &d->stages[i]);
    if (!status)
        status = programs[0] == d->fixed[0] ? vertex_link_fixed(g, call, &d->inputs)
                                            : vertex_link(g, call, programs[0], &d->inputs);
    return status ? status : pipeline_link(d, refusal);
}
