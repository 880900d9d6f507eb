/* grid_world.c - how a world of grid fields goes from tick to tick.
 *
 * Fields are staged, commands applied, propagators run, and only then is the tick published.
 * One that fails leaves no trace; the third failure in a row ends the ticking. */
#include "world/grid_world.h"
#include "base/error.h"

#include <stdio.h>

enum { FAILURES = 3 };

int grid_world_make(struct grid_world *w, struct ras_bytes recipe, uint64_t seed, bool full,
                    struct ras_error *err)
{
    int status = grid_make(&w->grid, recipe, full, err);
    w->ingress.room = w->grid.recipe.queue;
    w->seed = seed;
    return status;
}

void grid_world_free(struct grid_world *w)
{
    grid_free(&w->grid);
    ingress_free(&w->ingress);
}

static void apply_all(struct grid_world *w, const struct grid_rules *rules, struct ras_step *s)
{
    for (uint32_t i = 0; i < w->ingress.count; i++) {
        uint32_t index = w->ingress.queue[i].index;
        enum ras_receipt_reason reason = rules->apply(w, &s->commands[index], index);
        receipt_add(s, index, reason == RAS_RECEIPT_APPLIED, reason, w->tick + 1);
    }
    if (rules->applied)
        rules->applied(w);
}

static void roll_back(struct grid_world *w, const struct grid_rules *rules,
                      const struct recipe_prop *failed, struct ras_step *s)
{
    for (uint32_t i = 0; i < s->receipt_count; i++)
        if (s->receipts[i].reason == RAS_RECEIPT_APPLIED) {
            s->receipts[i].reason = RAS_RECEIPT_TICK_ROLLBACK;
            s->receipts[i].applied_tick = RAS_NONE;
        }
    if (rules->restore)
        rules->restore(w);
    w->disabled = ++w->failures >= FAILURES;
    s->result = RAS_STEP_ROLLED_BACK;
    snprintf(s->why, sizeof s->why,
             "propagator '%s' failed: execution failed: deliberate failure after %" PRIu64
             " successful calls",
             prop_name(failed->kind), failed->number);
}

int grid_world_step(struct grid_world *w, const struct grid_rules *rules, struct ras_step *s,
                    struct ras_error *err)
{
    struct grid_user user = rules->user;
    user.world = w;
    s->receipt_count = 0;
    s->result = RAS_STEP_OK;
    s->why[0] = 0;
    s->tick = w->tick;
    if (w->disabled) {
        ingress_refuse(s);
        s->result = RAS_STEP_DISABLED;
        snprintf(s->why, sizeof s->why, "ticking disabled after consecutive rollbacks");
        return RAS_OK;
    }
    int status = ingress_take(&w->ingress, s, w->tick + 1, err);
    if (status < 0)
        return status;
    if (rules->save && !rules->save(w))
        return fail_memory(err);
    grid_stage(&w->grid);
    apply_all(w, rules, s);
    const struct recipe_prop *failed = grid_propagate(&w->grid, &user);
    if (failed) {
        roll_back(w, rules, failed, s);
        return RAS_OK;
    }
    grid_publish(&w->grid);
    w->failures = 0;
    s->tick = ++w->tick;
    return RAS_OK;
}

bool grid_world_keep(struct grid_world *w, struct ras_world_keeper *k)
{
    uint32_t failures = w->failures;
    uint8_t disabled = w->disabled;
    struct grid *g = &w->grid;
    bool ok = k->numbers(k, &w->tick, 8, 1) && k->numbers(k, &w->ingress.arrivals, 8, 1) &&
              k->numbers(k, &failures, 4, 1) && k->numbers(k, &disabled, 1, 1) &&
              k->numbers(k, g->calls, 8, g->recipe.prop_count);
    w->failures = failures;
    w->disabled = disabled;
    for (size_t i = 0; ok && i < g->recipe.field_count; i++)
        ok = k->numbers(k, g->fields[i].published, 4, g->fields[i].count);
    return ok;
}

struct ras_world_shape grid_world_shape(const void *world)
{
    const struct grid_world *w = world;
    return grid_shape(&w->grid);
}

struct ras_world_field grid_world_field(const void *world, uint32_t index)
{
    const struct grid_world *w = world;
    return grid_field(&w->grid, index);
}

uint32_t grid_world_coord(const void *world, uint64_t cell, int32_t *coord)
{
    const struct grid_world *w = world;
    return space_coord(&w->grid.recipe.space, cell, coord);
}
