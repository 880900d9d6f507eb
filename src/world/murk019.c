/* murk019.c - the world of the public engine, version 0.1.9, bit for bit.
 *
 * Of the seven commands only SetField acts. Its value goes to the bare rank of its cell, also
 * in a field of several components: the engine does so, and a replay must. */
#include "world/worlds.h"
#include "base/error.h"
#include "world/grid.h"

#include <stdlib.h>

static enum ras_receipt_reason murk019_apply(struct grid_world *w,
                                             const struct ras_world_command *c, uint32_t index)
{
    (void)index;
    if (c->wire.payload_type != RAS_MURK_SET_FIELD)
        return RAS_RECEIPT_UNSUPPORTED;
    uint64_t rank = space_rank(&w->grid.recipe.space, c->typed.coord);
    struct grid_field *f = grid_writable(&w->grid, c->typed.field_id);
    if (rank == RAS_NONE || !f || rank >= f->count)
        return RAS_RECEIPT_NOT_APPLIED;
    f->staged[rank] = c->typed.value_f32;
    return RAS_RECEIPT_APPLIED;
}

static const struct grid_rules rules = {.apply = murk019_apply};

static void murk019_destroy(void *world)
{
    if (world)
        grid_world_free(world);
    free(world);
}

static int murk019_create(void **world, struct ras_bytes recipe, uint64_t seed,
                          struct ras_error *err)
{
    struct grid_world *w = calloc(1, sizeof *w);
    int status = w ? grid_world_make(w, recipe, seed, false, err) : fail_memory(err);
    if (status < 0) {
        murk019_destroy(w);
        w = NULL;
    }
    *world = w;
    return status;
}

static int murk019_step(void *world, struct ras_step *s, struct ras_error *err)
{
    return grid_world_step(world, &rules, s, err);
}

static int murk019_keep(void *world, struct ras_world_keeper *keeper, struct ras_error *err)
{
    if (grid_world_keep(world, keeper))
        return RAS_OK;
    return keeper->restoring
               ? fail(err, RAS_EFORMAT, RAS_NONE, "state: ends before all of the fields")
               : fail_memory(err);
}

const struct ras_world_type murk019_world = {
    .abi = RAS_WORLD_ABI,
    .name = "murk-0.1.9",
    .title = "the public Murk engine, version 0.1.9",
    .create = murk019_create,
    .destroy = murk019_destroy,
    .shape = grid_world_shape,
    .step = murk019_step,
    .field = grid_world_field,
    .coord = grid_world_coord,
    .keep = murk019_keep,
};
