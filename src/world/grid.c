/* grid.c - the fields of a grid world: made, staged, published. */
#include "world/grid.h"
#include "base/error.h"
#include "world/float_bits.h"

#include <stdlib.h>
#include <string.h>

#define NEIGHBOURS_MOST (UINT64_C(2) * RAS_WORLD_BYTES_MAX)

/* Diffusion goes wild when a step is too long for it. */
static int judge_steps(const struct grid *g, struct ras_error *err)
{
    unsigned degree = g->near.most > 12 ? g->near.most : 12;
    double dt = double_of(g->recipe.dt_bits);
    for (size_t i = 0; i < g->recipe.prop_count; i++) {
        const struct recipe_prop *p = &g->recipe.props[i];
        if (p->kind != PROP_DIFFUSE)
            continue;
        if (!(p->factor >= 0))
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "recipe line %u: diffuse: a factor of %g, at least 0", p->line, p->factor);
        if (dt > 1 / (p->factor * degree))
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "recipe line %u: diffuse: a step of %g s is too long for a factor of %g, "
                        "at most %g s",
                        p->line, dt, p->factor, 1 / (p->factor * degree));
    }
    return RAS_OK;
}

/* Only diffusion asks who is next to whom. */
static bool spreads(const struct recipe *r)
{
    for (size_t i = 0; i < r->prop_count; i++)
        if (r->props[i].kind == PROP_DIFFUSE)
            return true;
    return false;
}

/* The table of neighbours may be larger than the fields. */
static int judge_neighbours(const struct grid *g, struct ras_error *err)
{
    uint64_t size = neighbours_size(&g->recipe.space);
    if (!spreads(&g->recipe) || size <= NEIGHBOURS_MOST)
        return RAS_OK;
    return fail(err, RAS_ELIMIT, RAS_NONE,
                "recipe: diffuse: neighbours of %" PRIu64 " cells in %" PRIu64
                " bytes, at most %" PRIu64,
                g->recipe.space.cells, size, NEIGHBOURS_MOST);
}

static bool make_fields(struct grid *g)
{
    const struct recipe *r = &g->recipe;
    g->fields = calloc(r->field_count, sizeof *g->fields);
    g->calls = calloc(r->prop_count, sizeof *g->calls);
    if (!g->fields || !g->calls)
        return false;
    for (size_t i = 0; i < r->field_count; i++) {
        struct grid_field *f = &g->fields[i];
        f->count = r->fields[i].components * r->space.cells;
        f->published = calloc(f->count, sizeof *f->published);
        f->staged = calloc(f->count, sizeof *f->staged);
        if (!f->published || !f->staged)
            return false;
    }
    return true;
}

int grid_make(struct grid *g, struct ras_bytes text, bool full, struct ras_error *err)
{
    int status = recipe_read(&g->recipe, text, full, err);
    if (status < 0)
        return status;
    status = judge_neighbours(g, err);
    if (status < 0)
        return status;
    if (!make_fields(g) || (spreads(&g->recipe) && !neighbours_make(&g->near, &g->recipe.space)))
        return fail_memory(err);
    return judge_steps(g, err);
}

void grid_free(struct grid *g)
{
    for (size_t i = 0; g->fields && i < g->recipe.field_count; i++) {
        free(g->fields[i].published);
        free(g->fields[i].staged);
    }
    free(g->fields);
    free(g->calls);
    neighbours_free(&g->near);
    recipe_free(&g->recipe);
    *g = (struct grid){0};
}

void grid_stage(struct grid *g)
{
    for (size_t i = 0; i < g->recipe.field_count; i++) {
        struct grid_field *f = &g->fields[i];
        f->fresh = false;
        if (g->recipe.fields[i].kind == FIELD_PERTICK)
            memset(f->staged, 0, f->count * sizeof *f->staged);
        else
            memcpy(f->staged, f->published, f->count * sizeof *f->staged);
    }
}

void grid_publish(struct grid *g)
{
    for (size_t i = 0; i < g->recipe.field_count; i++) {
        uint32_t *was = g->fields[i].published;
        g->fields[i].published = g->fields[i].staged;
        g->fields[i].staged = was;
    }
}

struct ras_world_field grid_field(const struct grid *g, uint32_t index)
{
    const struct recipe_field *named = &g->recipe.fields[index];
    return (struct ras_world_field){named->name, g->fields[index].published, g->fields[index].count,
                                    named->components};
}

struct ras_world_shape grid_shape(const struct grid *g)
{
    return (struct ras_world_shape){g->recipe.dt_bits, (uint32_t)g->recipe.field_count,
                                    g->recipe.space.cells};
}

struct grid_field *grid_writable(struct grid *g, uint32_t id)
{
    return id < g->recipe.field_count && g->recipe.fields[id].kind != FIELD_STATIC ? &g->fields[id]
                                                                                   : NULL;
}
