/* stepping.c - one tick of any world, a user's own too: what it answers is not taken on trust. */
#include "world/stepping.h"
#include "base/error.h"

int world_step(const struct ras_world_type *type, void *world, struct ras_step *s,
               struct ras_error *err)
{
    int status = type->step(world, s, err);
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
