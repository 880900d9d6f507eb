/* dial9_stats_cpu.c - samples on and off the CPU: in which polls, and with which stacks. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

uint32_t dial9_stats_stack(struct dial9_stats *d, const uint8_t *at, size_t count)
{
    struct ras_bytes bytes = {at, count * sizeof(uint64_t)};
    uint64_t hash = intern_hash(bytes);
    uint32_t id;
    if (intern_find(&d->stack_ids, hash, bytes, &id))
        return id;
    if (d->address_count + count > ADDRESSES_MOST)
        return NO_STACK;
    if (!intern_free_id(&d->stack_ids, NO_STACK - 1, &id) ||
        !intern_add(&d->stack_ids, hash, bytes, id) ||
        !array_grow(&d->stacks, &d->stack_room, id + 1u, sizeof *d->stacks) ||
        !array_grow(&d->addresses, &d->address_room, d->address_count + count,
                    sizeof *d->addresses)) {
        stats_nomem(d);
        return NO_STACK;
    }
    d->stacks[id] = (struct stack){.first = d->address_count, .length = count};
    d->stack_count = id + 1u;
    for (size_t i = 0; i < count; i++)
        d->addresses[d->address_count++] = load_u64(at + 8 * i);
    return id;
}

/* New recorders do not know the worker of a sample: a thread is the worker that parked
 * or unparked on it last. */
static struct worker *worker_of(struct dial9_stats *d, const struct fact *f)
{
    if (f->worker != NO_WORKER)
        return &d->workers[f->worker];
    for (size_t i = 0; f->id != RAS_NONE && i < d->worker_count; i++)
        if (d->workers[i].tid == f->id) {
            d->samples_by_tid++;
            return &d->workers[i];
        }
    d->samples_alone++;
    return NULL;
}

void dial9_stats_on_sample(struct dial9_stats *d, const struct fact *f)
{
    struct worker *w = worker_of(d, f);
    bool off = f->small != 0, in_poll = w && dial9_stats_in_poll(d, w, f);
    d->samples[off]++;
    d->samples_in_poll[off] += in_poll;
    if (in_poll && w->polling && w->poll_stack[off] == NO_STACK)
        w->poll_stack[off] = f->ref;
    if (d->tree)
        dial9_tree_sample(d, f, w, in_poll);
    if (f->ref == NO_STACK) {
        d->samples_untold++;
        return;
    }
    struct stack *s = &d->stacks[f->ref];
    if (!s->count[off])
        s->first_ns[off] = f->time_ns;
    s->count[off]++;
    s->in_poll[off] += in_poll;
    d->stack_frames[off] += s->length;
}
