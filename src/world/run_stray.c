/* run_stray.c - one tick of a run that goes wrong.
 *
 * Numbers and arithmetic go wrong inside the world. Commands go wrong on their way to it: the
 * requested command is recorded, another is executed. A second world, which gets the commands as
 * requested, shows which of them can be exchanged or lost with an effect. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world_run.h"
#include "world/worlds.h"

#include <stdlib.h>
#include <string.h>

static bool is_of_commands(enum ras_perturbation what)
{
    return what == RAS_PERTURB_ORDER || what == RAS_PERTURB_DROP;
}

int run_stray_open(struct run_stray *s, const struct pen_run *run, struct ras_error *err)
{
    const struct ras_run_options *options = run->options;
    *s = (struct run_stray){
        .what = options->perturb, .tick = options->perturb_tick, .type = run->type};
    if (s->what == RAS_PERTURB_NOTHING)
        return RAS_OK;
    if (s->tick < 1 || s->tick > run->ticks)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "tick %" PRIu64 " cannot go wrong: the ticks are 1 to %" PRIu64, s->tick,
                    run->ticks);
    if (is_of_commands(s->what))
        return world_create(run->type, &s->spared, run->recipe, run->seed, err);
    if (!run->type->perturb)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "%s: the world has no numbers that could go wrong", run->type->name);
    return RAS_OK;
}

/* ---- commands ---------------------------------------------------------------------------- */

static bool has_effect(const struct ras_receipt *r)
{
    return r->accepted && r->reason == RAS_RECEIPT_APPLIED;
}

static bool same_payload(const struct ras_world_command *a, const struct ras_world_command *b)
{
    return a->wire.payload_type == b->wire.payload_type &&
           a->wire.payload.len == b->wire.payload.len &&
           !memcmp(a->wire.payload.at, b->wire.payload.at, a->wire.payload.len);
}

static bool same_source(const struct ras_world_command *a, const struct ras_world_command *b)
{
    return a->wire.has_source_id == b->wire.has_source_id && a->wire.source_id == b->wire.source_id;
}

/* Two that are executed one after the other; of one source if possible, since these affect each
 * other. */
static bool find_pair(const struct run_stray *s, uint32_t *first, uint32_t *second)
{
    bool found = false;
    for (uint32_t i = 1; i < s->step.receipt_count; i++) {
        const struct ras_receipt *a = &s->step.receipts[i - 1], *b = &s->step.receipts[i];
        const struct ras_world_command *x = &s->commands[a->command_index];
        const struct ras_world_command *y = &s->commands[b->command_index];
        if (!has_effect(a) || !has_effect(b) || same_payload(x, y) || (found && !same_source(x, y)))
            continue;
        *first = a->command_index;
        *second = b->command_index;
        if (same_source(x, y))
            return true;
        found = true;
    }
    return found;
}

/* Each does the other's work in its own place. */
static bool exchange(struct run_stray *s)
{
    uint32_t a, b;
    if (!find_pair(s, &a, &b))
        return false;
    struct ras_world_command x = s->commands[a], y = s->commands[b];
    s->commands[a].wire.payload_type = y.wire.payload_type;
    s->commands[a].wire.payload = y.wire.payload;
    s->commands[a].typed = y.typed;
    s->commands[b].wire.payload_type = x.wire.payload_type;
    s->commands[b].wire.payload = x.wire.payload;
    s->commands[b].typed = x.typed;
    return true;
}

/* The last one, which no later command can make up for. */
static bool lose(struct run_stray *s, struct ras_step *step)
{
    for (uint32_t i = s->step.receipt_count; i-- > 0;) {
        const struct ras_receipt *r = &s->step.receipts[i];
        if (!has_effect(r))
            continue;
        uint32_t after = --step->command_count - r->command_index;
        memmove(&s->commands[r->command_index], &s->commands[r->command_index + 1],
                after * sizeof *s->commands);
        return true;
    }
    return false;
}

/* The spared world goes one tick ahead. */
static int go_ahead(struct run_stray *s, const struct ras_step *step, struct ras_error *err)
{
    uint32_t count = step->command_count;
    if (!array_grow(&s->commands, &s->room, count + 1u, sizeof *s->commands) ||
        !array_grow(&s->step.receipts, &s->receipt_room, count + 1u, sizeof *s->step.receipts))
        return fail_memory(err);
    if (count)
        memcpy(s->commands, step->commands, count * sizeof *s->commands);
    s->step.commands = s->commands;
    s->step.command_count = count;
    int status = world_step(s->type, s->spared, &s->step, err);
    if (status == RAS_OK)
        s->hash = ras_world_hash(s->type, s->spared);
    return status;
}

int run_stray_before(struct run_stray *s, void *world, uint64_t tick, struct ras_step *step,
                     struct ras_error *err)
{
    s->tried = false;
    if (s->what == RAS_PERTURB_NOTHING)
        return RAS_OK;
    if (!is_of_commands(s->what)) {
        s->tried = tick == s->tick;
        return s->tried ? world_perturb(s->type, world, s->what, err) : RAS_OK;
    }
    int status = go_ahead(s, step, err);
    if (status < 0 || tick < s->tick)
        return status;
    s->tried = s->what == RAS_PERTURB_ORDER ? exchange(s) : lose(s, step);
    if (s->tried)
        step->commands = s->commands;
    return RAS_OK;
}

bool run_stray_after(struct run_stray *s, uint64_t hash)
{
    if (!s->tried || (s->spared && hash == s->hash))
        return false;
    s->what = RAS_PERTURB_NOTHING;
    return true;
}

void run_stray_free(struct run_stray *s)
{
    if (s->spared)
        s->type->destroy(s->spared);
    free(s->commands);
    free(s->step.receipts);
}
