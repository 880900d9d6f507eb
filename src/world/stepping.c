/* stepping.c - calls into any world, a user's own too: what it answers is not taken on trust. */
#include "world/stepping.h"
#include "base/error.h"

static struct ras_error *emptied(struct ras_error *err)
{
    if (err) {
        err->offset = RAS_NONE;
        err->os_errno = 0;
        err->text[0] = 0;
    }
    return err;
}

static int answered(const struct ras_world_type *type, const char *function, int status,
                    struct ras_error *err)
{
    if (status >= 0)
        return RAS_OK;
    if (err && !err->text[0])
        return fail(err, status, RAS_NONE, "%s: the world's %s() failed: %s (status %d)",
                    type->name, function, ras_status_text(status), status);
    if (err) {
        err->status = status;
        err->text[sizeof err->text - 1] = 0;
    }
    return status;
}

int world_create(const struct ras_world_type *type, void **world, struct ras_bytes recipe,
                 uint64_t seed, struct ras_error *err)
{
    return answered(type, "create", type->create(world, recipe, seed, emptied(err)), err);
}

int world_state(const struct ras_world_type *type, const void *world,
                struct ras_cdt_tick_record *row, struct ras_error *err)
{
    return answered(type, "state", type->state(world, row, emptied(err)), err);
}

int world_perturb(const struct ras_world_type *type, void *world, enum ras_perturbation what,
                  struct ras_error *err)
{
    return answered(type, "perturb", type->perturb(world, what, emptied(err)), err);
}

int world_keep(const struct ras_world_type *type, void *world, struct ras_world_keeper *keeper,
               struct ras_error *err)
{
    return answered(type, "keep", type->keep(world, keeper, emptied(err)), err);
}

int world_step(const struct ras_world_type *type, void *world, struct ras_step *s,
               struct ras_error *err)
{
    int status = answered(type, "step", type->step(world, s, emptied(err)), err);
    if (status < 0)
        return status;
    if (s->receipt_count > s->command_count)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "%s: tick %" PRIu64 ": the world gave %u receipts for %u commands", type->name,
                    s->tick, s->receipt_count, s->command_count);
    for (uint32_t i = 0; i < s->receipt_count; i++)
        if (s->receipts[i].command_index >= s->command_count)
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "%s: tick %" PRIu64 ": the world gave a receipt for command %u of %u",
                        type->name, s->tick, s->receipts[i].command_index, s->command_count);
    return RAS_OK;
}
