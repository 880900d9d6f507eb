/* aerogpu_state_thin.c - commands that nothing which follows can need are forgotten.
 *
 * A trace has frame after frame of commands, and what the next frame depends on is little: what
 * ids stand for, what is in it, the states that are set. So memory is bounded by that, not by the
 * length of the trace: whenever the commands have doubled, they are judged as if anything could
 * follow, and those that are not kept go. */
#include "formats/aerogpu/aerogpu_state_inner.h"

/* Places of objects and targets that no step names are free; their numbers do not change. */
static void free_places(struct finder *f)
{
    const struct aero_state *st = f->state;
    for (size_t i = 0; i < f->target_count; i++)
        f->targets[i].used = i == 0 || i == f->target_now; /* packets draw on the first */
    for (size_t i = 0; i < f->object_count; i++)
        f->objects[i].unused = i > CANVAS;
    for (size_t i = 0; i < st->count; i++) {
        f->targets[st->steps[i].targets].used = true;
        f->objects[st->steps[i].object].unused = false;
    }
    for (size_t i = 0; i < f->target_count; i++)
        for (uint32_t k = 0; f->targets[i].used && k < TARGETS; k++)
            f->objects[f->targets[i].objects[k]].unused = false;
    for (size_t i = 0; i < f->object_count; i++) /* a base is no view: it has none of its own */
        if (!f->objects[i].unused)
            f->objects[f->objects[i].base].unused = false;
    f->object_free = f->target_free = 0;
}

/* What an id stood for before a step that makes it anew. */
static void forget_previous(struct finder *f)
{
    struct aero_state *st = f->state;
    for (size_t i = 0; i < st->count; i++)
        if (f->objects[st->steps[i].previous].unused)
            st->steps[i].previous = NO_OBJECT;
}

/* Ids that stand for something. */
static void map_again(struct finder *f)
{
    struct aero_map ids = {0};
    for (uint32_t i = CANVAS + 1; i < f->object_count; i++) {
        const struct object *o = &f->objects[i];
        if (!o->unused && aero_map_get(&f->ids, o->key) == i)
            f->nomem |= !aero_map_set(&ids, o->key, i);
    }
    aero_map_free(&f->ids);
    f->ids = ids;
}

static void forget_steps(struct aero_state *st)
{
    size_t steps = 0, records = 0;
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < st->count; i++) {
        struct aero_step s = st->steps[i];
        if (!s.kept)
            continue;
        if (s.record != last)
            st->records[records++] = st->records[last = s.record];
        s.record = (uint32_t)records - 1;
        st->steps[steps++] = s;
    }
    st->count = steps;
    st->record_count = records;
}

void aero_state_thin(struct finder *f)
{
    aero_state_judge(f, true);
    f->open = false;
    if (f->nomem)
        return;
    forget_steps(f->state);
    free_places(f);
    forget_previous(f);
    map_again(f);
    f->thin_at = f->state->count > THIN_LEAST / 2 ? 2 * f->state->count : THIN_LEAST;
}
