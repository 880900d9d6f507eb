/* ingress.c - the commands of a tick: who is let in, who is too late, and in what order.
 *
 * A command that is let in gets the next arrival number, whatever was recorded. They are
 * executed by (priority, source, sequence, arrival), an absent source or sequence being the
 * largest number; a sequence without a source counts for nothing. */
#include "world/ingress.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void receipt_add(struct ras_step *s, uint32_t index, bool accepted, enum ras_receipt_reason reason,
                 uint64_t tick)
{
    s->receipts[s->receipt_count++] =
        (struct ras_receipt){.command_index = index,
                             .accepted = accepted,
                             .reason = (uint8_t)reason,
                             .applied_tick = reason == RAS_RECEIPT_APPLIED ? tick : RAS_NONE};
}

static int by_order(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->source_seq != y->source_seq)
        return x->source_seq < y->source_seq ? -1 : 1;
    if (x->arrival != y->arrival)
        return x->arrival < y->arrival ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void enqueue(struct ingress *in, const struct ras_step *s, uint32_t index)
{
    const struct ras_murk_command *c = &s->commands[index].wire;
    bool has_seq = c->has_source_id && c->has_source_seq;
    uint64_t arrival = in->arrivals++;
    in->queue[in->count++] =
        (struct arrival){.priority = c->priority_class,
                         .source = c->has_source_id ? c->source_id : UINT64_MAX,
                         .source_seq = has_seq ? c->source_seq : UINT64_MAX,
                         .arrival = s->recorded_order ? c->arrival_seq : arrival,
                         .index = index};
}

/* Expired commands leave the queue in its order. */
static void drop_stale(struct ingress *in, struct ras_step *s, uint64_t tick)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        const struct arrival *a = &in->queue[i];
        if (s->commands[a->index].wire.expires_after_tick < tick)
            receipt_add(s, a->index, true, RAS_RECEIPT_STALE, 0);
        else
            in->queue[kept++] = *a;
    }
    in->count = kept;
}

int ingress_take(struct ingress *in, struct ras_step *s, uint64_t tick, struct ras_error *err)
{
    uint32_t let_in = s->command_count < in->room ? s->command_count : (uint32_t)in->room;
    in->count = 0;
    if (let_in && !array_grow(&in->queue, &in->queue_room, let_in, sizeof *in->queue))
        return fail_memory(err);
    for (uint32_t i = 0; i < let_in; i++)
        enqueue(in, s, i);
    for (uint32_t i = let_in; i < s->command_count; i++)
        receipt_add(s, i, false, RAS_RECEIPT_QUEUE_FULL, 0);
    drop_stale(in, s, tick);
    if (in->count)
        qsort(in->queue, in->count, sizeof *in->queue, by_order);
    return RAS_OK;
}

void ingress_refuse(struct ras_step *s)
{
    for (uint32_t i = 0; i < s->command_count; i++)
        receipt_add(s, i, false, RAS_RECEIPT_TICK_DISABLED, 0);
}

void ingress_free(struct ingress *in)
{
    free(in->queue);
    *in = (struct ingress){0};
}

const char *ras_receipt_text(enum ras_receipt_reason reason)
{
    static const char *const texts[RAS_RECEIPT_REASONS] = {
        [RAS_RECEIPT_QUEUE_FULL] = "QueueFull",
        [RAS_RECEIPT_STALE] = "Stale",
        [RAS_RECEIPT_TICK_ROLLBACK] = "TickRollback",
        [RAS_RECEIPT_TICK_DISABLED] = "TickDisabled",
        [RAS_RECEIPT_SHUTTING_DOWN] = "ShuttingDown",
        [RAS_RECEIPT_UNSUPPORTED] = "UnsupportedCommand",
        [RAS_RECEIPT_NOT_APPLIED] = "NotApplied",
        [RAS_RECEIPT_UNKNOWN_ENTITY] = "UnknownEntity",
        [RAS_RECEIPT_ENTITY_CAPACITY] = "EntityCapacityFull",
    };
    return reason < RAS_RECEIPT_REASONS ? texts[reason] : NULL;
}
