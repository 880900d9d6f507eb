/* dial9_batches.c - the batches of a trace: which there are, what is kept of them.
 *
 * A trace may have thousands of batches, so what a batch has defined is kept
 * while a cursor reads it and, within a budget, for a while after: memory stays
 * constant in the length of the trace. Whatever was let go is learnt again from
 * the batch's own bytes when a jump needs it. */
#include "base/memory.h"
#include "formats/dial9/dial9_driver.h"

#include <stdlib.h>

/* Kept beyond what is in use. A batch shorter than WORTH_KEEPING is learnt again
 * faster than it is found. */
#define IDLE_BYTES_MOST ((size_t)8 << 20)
#define WORTH_KEEPING   4096u

static void unlink_idle(struct dial9 *d, struct dial9_batch *batch)
{
    *(batch->newer ? &batch->newer->older : &d->idle_newest) = batch->older;
    *(batch->older ? &batch->older->newer : &d->idle_oldest) = batch->newer;
    batch->newer = batch->older = NULL;
    d->idle_bytes -= dial9_batch_bytes(batch);
}

static void link_idle(struct dial9 *d, struct dial9_batch *batch)
{
    batch->older = d->idle_newest;
    *(d->idle_newest ? &d->idle_newest->newer : &d->idle_oldest) = batch;
    d->idle_newest = batch;
    d->idle_bytes += dial9_batch_bytes(batch);
}

/* Let go of what a batch holds; its memory serves the next one. */
static void retire(struct dial9 *d, struct dial9_batch *batch)
{
    d->places[batch->number].batch = NULL;
    if (d->spare)
        dial9_batch_free(batch);
    else
        d->spare = batch;
}

bool dial9_batch_name(struct ras_trace *t, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "batch %u", number);
    return stream_add(t, number, name);
}

static bool place_add(struct ras_trace *t, uint32_t number, uint64_t offset)
{
    struct dial9 *d = t->priv;
    if (number > d->place_count ||
        !array_grow(&d->places, &d->place_room, d->place_count + 1, sizeof *d->places) ||
        !dial9_batch_name(t, number))
        return false;
    d->places[d->place_count++] = (struct batch_place){.offset = offset};
    return true;
}

struct dial9_batch *dial9_batch_take(struct ras_trace *t, uint32_t number, uint64_t offset)
{
    struct dial9 *d = t->priv;
    if (number >= d->place_count && !place_add(t, number, offset))
        return NULL;
    struct batch_place *place = &d->places[number];
    if (place->offset != offset)
        return NULL;
    struct dial9_batch *batch = place->batch;
    if (batch) {
        if (batch->users++ == 0)
            unlink_idle(d, batch);
        return batch;
    }
    batch = d->spare ? d->spare : dial9_batch_new();
    d->spare = NULL;
    if (!batch)
        return NULL;
    dial9_batch_start(batch, number, offset);
    batch->users = 1;
    place->batch = batch;
    return batch;
}

void dial9_batch_leave(struct dial9 *d, struct dial9_batch *batch)
{
    if (!batch || --batch->users)
        return;
    if (batch->learnt - batch->offset < WORTH_KEEPING) {
        retire(d, batch);
        return;
    }
    link_idle(d, batch);
    while (d->idle_bytes > IDLE_BYTES_MOST && d->idle_oldest != d->idle_newest) {
        struct dial9_batch *oldest = d->idle_oldest;
        unlink_idle(d, oldest);
        retire(d, oldest);
    }
}

void dial9_batches_free(struct dial9 *d)
{
    for (struct dial9_batch *b = d->idle_newest, *older; b; b = older) {
        older = b->older;
        dial9_batch_free(b);
    }
    dial9_batch_free(d->spare);
    free(d->places);
}

/* Walk the whole trace for its headers, so that a merge can enter each batch. */
size_t dial9_run_count(struct ras_trace *t)
{
    struct dial9 *d = t->priv;
    struct ras_bytes bytes = source_bytes(t->source, 0);
    struct in in = {bytes.at + t->body, bytes.at + bytes.len, false};
    uint32_t number = 0;
    uint64_t base_ns = 0;
    int status = RAS_OK;
    struct dial9_batch *batch = dial9_batch_take(t, 0, 0);
    while (batch) {
        struct ras_dial9_frame frame;
        dial9_events_pass(batch, &d->rules, &in, &base_ns);
        if (in.at == in.end)
            break;
        status = dial9_frame_read(batch, &d->rules, bytes.at, base_ns, &in, &frame, NULL);
        if (status < 0)
            break;
        base_ns = dial9_base_after(&frame, base_ns);
        if (frame.tag == RAS_DIAL9_HEADER) {
            dial9_batch_leave(d, batch);
            batch = dial9_batch_take(t, ++number, frame.offset);
        }
    }
    if (!batch || status == RAS_EMEMORY)
        number = UINT32_MAX;
    dial9_batch_leave(d, batch);
    if (number == UINT32_MAX)
        return SIZE_MAX;
    return number < d->place_count ? number + 1u : d->place_count;
}
