/* murk_play_fields.c - the values on which two executions of a tick disagree. */
#include "formats/murk/murk_play.h"

#include <stdio.h>

static void add(const struct murk_player *p, uint32_t field, const struct ras_world_field *f,
                uint64_t at, uint32_t other, struct ras_replay *out)
{
    if (out->differences++ >= RAS_REPLAY_DIFFERENCES)
        return;
    struct ras_field_difference *d = &out->differing[out->differences - 1];
    *d = (struct ras_field_difference){.field = field,
                                       .cell = at / f->components,
                                       .component = (uint32_t)(at % f->components),
                                       .replayed = f->values[at],
                                       .other = other};
    snprintf(d->name, sizeof d->name, "%s", f->name);
    if (p->type->coord)
        d->axes = p->type->coord(p->world, d->cell, d->coord);
}

void murk_play_differences(const struct murk_player *p, const struct murk_player *other,
                           struct ras_replay *out)
{
    uint32_t count = p->type->shape(p->world).field_count;
    uint32_t theirs = other->type->shape(other->world).field_count;
    for (uint32_t i = 0; i < count && i < theirs; i++) {
        struct ras_world_field a = p->type->field(p->world, i);
        struct ras_world_field b = other->type->field(other->world, i);
        for (uint64_t k = 0; k < a.count && k < b.count; k++)
            if (a.values[k] != b.values[k])
                add(p, i, &a, k, b.values[k], out);
    }
}
