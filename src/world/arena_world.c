/* arena_world.c - the world arena-1: a top-down shooter, headless and deterministic. */
#include "base/error.h"
#include "world/arena_watch.h"

#include <stdlib.h>

static void arena_destroy(void *world)
{
    struct arena *a = world;
    if (!a)
        return;
    for (unsigned i = 0; i < ARENA_FIELDS; i++)
        free(a->fields[i]);
    arena_state_free(a->state);
    ingress_free(&a->ingress);
    free(a);
}

static int make(struct arena *a, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    int status = arena_recipe_read(&a->recipe, recipe, err);
    if (status < 0)
        return status;
    for (unsigned i = 0; i < ARENA_FIELDS; i++) {
        a->fields[i] = calloc(a->recipe.space.cells, sizeof *a->fields[i]);
        if (!a->fields[i])
            return fail_memory(err);
    }
    a->state = arena_state_new();
    if (!a->state)
        return fail_memory(err);
    a->ingress.room = a->recipe.queue;
    a->seed = seed;
    a->width = (float)a->recipe.space.cols * ARENA_CELL;
    a->height = (float)a->recipe.space.rows * ARENA_CELL;
    a->dt = (float)double_of(a->recipe.dt_bits);
    a->dt_ms = (int32_t)(a->dt * 1000.0f);
    arena_start(a);
    return RAS_OK;
}

static int arena_create(void **world, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    struct arena *a = calloc(1, sizeof *a);
    int status = a ? make(a, recipe, seed, err) : fail_memory(err);
    if (status < 0) {
        arena_destroy(a);
        a = NULL;
    }
    *world = a;
    return status;
}

static int arena_world_step(void *world, struct ras_step *s, struct ras_error *err)
{
    struct arena *a = world;
    s->receipt_count = 0;
    s->result = RAS_STEP_OK;
    s->why[0] = 0;
    int status = ingress_take(&a->ingress, s, a->tick + 1, err);
    if (status < 0)
        return status;
    ARENA_ENTER(a, FN_STEP);
    arena_begin(a);
    ARENA_ENTER(a, FN_COMMANDS);
    for (uint32_t i = 0; i < a->ingress.count; i++) {
        uint32_t index = a->ingress.queue[i].index;
        enum ras_receipt_reason reason = arena_apply(a, &s->commands[index]);
        receipt_add(s, index, reason == RAS_RECEIPT_APPLIED, reason, a->tick + 1);
    }
    ARENA_LEAVE(a, FN_COMMANDS);
    arena_play(a);
    s->tick = a->tick;
    ARENA_LEAVE(a, FN_STEP);
    return RAS_OK;
}

static struct ras_world_shape shape(const void *world)
{
    const struct arena *a = world;
    return (struct ras_world_shape){
        .dt_bits = a->recipe.dt_bits,
        .field_count = ARENA_FIELDS,
        .cell_count = a->recipe.space.cells,
    };
}

static struct ras_world_field field(const void *world, uint32_t index)
{
    static const char *const names[ARENA_FIELDS] = {"density", "heat", "digest"};
    const struct arena *a = world;
    if (index >= ARENA_FIELDS)
        return (struct ras_world_field){0};
    return (struct ras_world_field){.name = names[index],
                                    .values = (const uint32_t *)(const void *)a->fields[index],
                                    .count = a->recipe.space.cells,
                                    .components = 1};
}

static uint32_t coord(const void *world, uint64_t cell, int32_t *to)
{
    const struct arena *a = world;
    return space_coord(&a->recipe.space, cell, to);
}

const struct ras_world_type arena_world = {
    .abi = RAS_WORLD_ABI,
    .name = "arena-1",
    .title = "a top-down shooter, all of it reproducible",
    .create = arena_create,
    .destroy = arena_destroy,
    .shape = shape,
    .step = arena_world_step,
    .field = field,
    .coord = coord,
    .play = arena_bot,
    .draw = arena_draw_picture,
    .state = arena_state,
    .perturb = arena_perturb,
    .keep = arena_keep,
    .watch = arena_watch,
    .functions = arena_functions,
    .recipe = "murkworld 1 arena-1\nsize 32 32\nmode survival\nplayers 2\n",
};
