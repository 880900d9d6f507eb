/* dial9_batch.c - what one batch has defined so far: types and pools. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/leb128.h"
#include "formats/dial9/dial9_batch.h"
#include "formats/dial9/dial9_driver.h"

#include <stdlib.h>

static bool page_add(struct dial9_batch *batch)
{
    size_t need = (batch->page_count + 1) * BATCH_PAGE_SIZE, old = need - BATCH_PAGE_SIZE;
    if (!array_grow(&batch->shapes, &batch->shape_room, need, sizeof *batch->shapes) ||
        !array_grow(&batch->defined, &batch->defined_room, need, sizeof *batch->defined))
        return false;
    memset(batch->shapes + old, 0, BATCH_PAGE_SIZE * sizeof *batch->shapes);
    batch->page_count++;
    return true;
}

struct dial9_batch *dial9_batch_new(void)
{
    struct dial9_batch *batch = calloc(1, sizeof *batch);
    if (batch && !page_add(batch)) {
        dial9_batch_free(batch);
        return NULL;
    }
    return batch;
}

void dial9_batch_free(struct dial9_batch *batch)
{
    if (!batch)
        return;
    dial9_pool_free(&batch->strings);
    dial9_pool_free(&batch->stacks);
    free(batch->shapes);
    free(batch->defined);
    free(batch->annotations);
    free(batch);
}

void dial9_batch_start(struct dial9_batch *batch, uint32_t number, uint64_t offset)
{
    if (batch->page_count > 1) {
        memset(batch->low, 0, sizeof batch->low);
        memset(batch->pages, 0, sizeof batch->pages);
    }
    batch->page_count = 1;
    dial9_pool_clear(&batch->strings);
    dial9_pool_clear(&batch->stacks);
    batch->annotation_count = 0;
    batch->number = number;
    batch->offset = offset;
    batch->learnt = offset + RAS_DIAL9_HEADER_SIZE;
}

static size_t dial9_batch_bytes(const struct dial9_batch *batch)
{
    return sizeof *batch + batch->shape_room * sizeof *batch->shapes +
           batch->defined_room * sizeof *batch->defined +
           batch->annotation_room * sizeof *batch->annotations + dial9_pool_bytes(&batch->strings) +
           dial9_pool_bytes(&batch->stacks);
}

static size_t cell_of(const struct dial9_batch *batch, uint16_t id)
{
    return (size_t)batch->pages[id / BATCH_PAGE_SIZE] * BATCH_PAGE_SIZE + id % BATCH_PAGE_SIZE;
}

uint64_t dial9_batch_defined(const struct dial9_batch *batch, uint16_t id)
{
    return batch->defined[cell_of(batch, id)];
}

/* ---- frames -------------------------------------------------------------- */

/* One frame being read: what every step needs. */
struct reading {
    struct dial9_batch *batch;
    const struct dial9_rules *rules;
    const uint8_t *base;
    uint64_t base_ns;
    struct in in;
    struct ras_dial9_frame *frame;
    struct ras_error *err;
};

static int cut_inside(const struct reading *r, const char *what)
{
    return fail(r->err, RAS_ECUT, r->frame->offset,
                "the bytes end inside %s, %" PRIu64 " bytes into it", what,
                (uint64_t)(r->in.end - r->base) - r->frame->offset);
}

static bool is_new(const struct reading *r)
{
    return r->frame->offset >= r->batch->learnt;
}

static int over_limit(const struct reading *r, size_t more)
{
    uint64_t held = dial9_batch_bytes(r->batch) + r->rules->shapes->bytes;
    if (held + more <= r->rules->pool_bytes)
        return RAS_OK;
    return fail(r->err, RAS_ELIMIT, r->frame->offset,
                "pools and schemas need more than %" PRIu64 " bytes of memory, they hold %" PRIu64,
                r->rules->pool_bytes, held);
}

static int define(struct reading *r, const struct wire_schema *wire)
{
    int status = dial9_schema_check(wire, r->rules->dialect, r->frame->offset, r->err);
    if (status == RAS_OK)
        status = over_limit(r, wire->fields.len);
    if (status < 0)
        return status;
    struct shape *shape;
    status = dial9_shape_get(r->rules->shapes, wire, &shape, r->err);
    if (status < 0)
        return status;
    uint16_t *page = &r->batch->pages[wire->type_id / BATCH_PAGE_SIZE];
    if (*page == 0) {
        if (!page_add(r->batch))
            return fail_memory(r->err);
        *page = (uint16_t)(r->batch->page_count - 1);
    }
    size_t cell = cell_of(r->batch, wire->type_id);
    r->batch->shapes[cell] = shape;
    if (wire->type_id < BATCH_PAGE_SIZE)
        r->batch->low[wire->type_id] = shape;
    r->batch->defined[cell] = r->frame->offset;
    return RAS_OK;
}

/* spec "Schema Frame": a type_id must not be registered with another schema;
 * registering the same again is fine. Annotations play no part in that. */
static int read_schema(struct reading *r)
{
    struct wire_schema wire;
    dial9_schema_get(&r->in, &wire);
    if (r->in.cut)
        return cut_inside(r, "a Schema frame");
    const struct shape *known = dial9_batch_shape(r->batch, wire.type_id);
    if (known && !dial9_shape_is(known, &wire)) {
        return fail(r->err, RAS_EFORMAT, r->frame->offset,
                    "type_id %u is registered again with another schema: '%s' at %" PRIu64
                    ", '%s' at %" PRIu64,
                    wire.type_id, dial9_label(known->native.name).text,
                    dial9_batch_defined(r->batch, wire.type_id), dial9_label_bytes(wire.name).text,
                    r->frame->offset);
    }
    if (!known) {
        int status = define(r, &wire);
        if (status < 0)
            return status;
        known = dial9_batch_shape(r->batch, wire.type_id);
    }
    r->frame->type_id = wire.type_id;
    r->frame->registered = (struct ras_dial9_registration){
        .schema = &known->native,
        .again = dial9_batch_defined(r->batch, wire.type_id) < r->frame->offset};
    return RAS_OK;
}

static int read_event(struct reading *r)
{
    uint16_t id = in_u16(&r->in);
    const struct shape *shape = r->in.cut ? NULL : dial9_batch_shape(r->batch, id);
    if (r->in.cut)
        return cut_inside(r, "an Event frame");
    if (!shape)
        return fail(r->err, RAS_EFORMAT, r->frame->offset,
                    "event of type_id %u, which no schema of"
                    " batch %u has registered",
                    id, r->batch->number);
    uint64_t delta = shape->native.has_timestamp ? in_u24(&r->in) : 0;
    if (delta > UINT64_MAX - r->base_ns)
        return fail(r->err, RAS_EFORMAT, r->frame->offset,
                    "timestamp %" PRIu64 " + %" PRIu64 " overflows 64 bits", r->base_ns, delta);
    for (unsigned i = 0; i < shape->native.field_count && !r->in.cut; i++) {
        struct ras_dial9_value value;
        enum wire_fault fault =
            dial9_value_get(&r->in, shape->native.fields[i].type, r->rules->depth, &value);
        if (fault)
            return fail(r->err, RAS_EFORMAT, r->frame->offset, "field '%s' of event '%s': %s",
                        dial9_label(shape->native.fields[i].name).text,
                        dial9_label(shape->native.name).text, dial9_fault_text(fault));
    }
    if (r->in.cut)
        return cut_inside(r, "an Event frame");
    uint64_t size = (uint64_t)(r->in.at - r->base) - r->frame->offset;
    if (size > r->rules->record_bytes || size > UINT32_MAX)
        return fail(r->err, RAS_ELIMIT, r->frame->offset,
                    "event of %" PRIu64 " bytes, the limit is %" PRIu64, size,
                    r->rules->record_bytes);
    r->frame->type_id = id;
    r->frame->event = (struct ras_dial9_event){.offset = r->frame->offset,
                                               .time_ns = r->base_ns + delta,
                                               .schema = &shape->native,
                                               .type_id = id};
    return RAS_OK;
}

/* A pool frame is measured before anything of it is kept. */
static int read_pool(struct reading *r)
{
    bool strings = r->frame->tag == RAS_DIAL9_STRING_POOL;
    const char *what = strings ? "a String Pool frame" : "a Stack Pool frame";
    uint32_t count = in_u32(&r->in);
    struct in start = r->in;
    struct wire_string string;
    struct wire_stack stack;
    for (uint32_t i = 0; i < count && !r->in.cut; i++)
        strings ? dial9_string_get(&r->in, &string) : dial9_stack_get(&r->in, &stack);
    if (r->in.cut)
        return cut_inside(r, what);
    r->frame->entries = (struct ras_dial9_items){
        .at = start.at, .end = r->in.at, .left = count, .type = r->frame->tag};
    if (!is_new(r))
        return RAS_OK;
    int status = over_limit(r, count * sizeof(struct pool_entry));
    bool good = status == RAS_OK;
    for (uint32_t i = 0; i < count && good; i++) {
        if (strings) {
            dial9_string_get(&start, &string);
            good = dial9_pool_add(&r->batch->strings, string.pool_id,
                                  (uint64_t)(string.text.at - r->base), (uint32_t)string.text.len);
        } else {
            dial9_stack_get(&start, &stack);
            good = dial9_pool_add(&r->batch->stacks, stack.pool_id,
                                  (uint64_t)(stack.frames.at - r->base), stack.frames.count);
        }
    }
    return status < 0 || good ? status : fail_memory(r->err);
}

static int read_annotations(struct reading *r)
{
    bool bad = false;
    r->frame->type_id = in_leb128(&r->in, &bad);
    if (bad)
        return fail(r->err, RAS_EFORMAT, r->frame->offset, "type_id of annotations: %s",
                    dial9_fault_text(WIRE_VARINT));
    uint16_t count = in_u16(&r->in);
    const uint8_t *start = r->in.at;
    for (unsigned i = 0; i < count && !r->in.cut; i++) {
        struct ras_dial9_annotation entry;
        dial9_annotation_get(&r->in, &entry);
    }
    if (r->in.cut)
        return cut_inside(r, "a Schema Annotations frame");
    r->frame->entries = (struct ras_dial9_items){
        .at = start, .end = r->in.at, .left = count, .type = r->frame->tag};
    struct dial9_batch *b = r->batch;
    if (!is_new(r))
        return RAS_OK;
    r->rules->shapes->annotated = true;
    int status = over_limit(r, sizeof *b->annotations);
    if (status == RAS_OK && !array_grow(&b->annotations, &b->annotation_room,
                                        b->annotation_count + 1, sizeof *b->annotations))
        status = fail_memory(r->err);
    if (status == RAS_OK)
        b->annotations[b->annotation_count++] = r->frame->offset;
    return status;
}

static int read_reset(struct reading *r)
{
    r->frame->timestamp_ns = in_u64(&r->in);
    return r->in.cut ? cut_inside(r, "a Timestamp Reset frame") : RAS_OK;
}

static int unknown_tag(const struct reading *r)
{
    const char *fmt = r->rules->dialect == RAS_DIAL9_SEED
                          ? "frame tag 0x%02x is not in the published text"
                          : "unknown frame tag 0x%02x";
    return fail(r->err, RAS_EFORMAT, r->frame->offset, fmt, r->frame->tag);
}

static int read_header(struct reading *r)
{
    struct in at = {r->in.at - 1, r->in.end, false};
    if (r->rules->dialect == RAS_DIAL9_SEED && r->frame->offset)
        return unknown_tag(r);
    if (dial9_header_begins(&at))
        return cut_inside(r, "a header");
    r->in = at;
    if (!dial9_header_get(&r->in, &r->frame->version))
        return unknown_tag(r);
    if (r->frame->version != RAS_DIAL9_VERSION)
        return fail(r->err, RAS_EFORMAT, r->frame->offset, "header of version %u, only %u is read",
                    r->frame->version, RAS_DIAL9_VERSION);
    return RAS_OK;
}

static int read_by_tag(struct reading *r)
{
    bool seed = r->rules->dialect == RAS_DIAL9_SEED;
    switch (r->frame->tag) {
    case RAS_DIAL9_SCHEMA:
        return read_schema(r);
    case RAS_DIAL9_EVENT:
        return read_event(r);
    case RAS_DIAL9_STRING_POOL:
        return read_pool(r);
    case RAS_DIAL9_STACK_POOL:
        return seed ? unknown_tag(r) : read_pool(r);
    case RAS_DIAL9_TIMESTAMP_RESET:
        return read_reset(r);
    case RAS_DIAL9_SCHEMA_ANNOTATIONS:
        return seed ? unknown_tag(r) : read_annotations(r);
    case RAS_DIAL9_HEADER:
        return read_header(r);
    default:
        return unknown_tag(r);
    }
}

int dial9_frame_read(struct dial9_batch *batch, const struct dial9_rules *rules,
                     const uint8_t *base, uint64_t base_ns, struct in *in,
                     struct ras_dial9_frame *frame, struct ras_error *err)
{
    struct reading r = {batch, rules, base, base_ns, *in, frame, err};
    const uint8_t *start = in->at;
    *frame = (struct ras_dial9_frame){.batch = batch->number, .offset = (uint64_t)(start - base)};
    frame->tag = in_u8(&r.in);
    int status = r.in.cut ? cut_inside(&r, "a frame") : read_by_tag(&r);
    if (status < 0)
        return status;
    *in = r.in;
    frame->raw = (struct ras_bytes){start, (size_t)(in->at - start)};
    if (frame->tag == RAS_DIAL9_EVENT)
        frame->event.size = (uint32_t)frame->raw.len;
    uint64_t end = frame->offset + frame->raw.len;
    if (frame->tag != RAS_DIAL9_HEADER && end > batch->learnt)
        batch->learnt = end;
    return RAS_OK;
}

void dial9_events_pass(const struct dial9_batch *batch, const struct dial9_rules *rules,
                       struct in *in, uint64_t *base_ns)
{
    const uint8_t *p = in->at;
    while (in->end - p >= (ptrdiff_t)DIAL9_EVENT_SIZE && *p == RAS_DIAL9_EVENT) {
        const struct shape *shape = dial9_batch_shape(batch, load_u16(p + 1));
        if (!shape || in->end - p < (ptrdiff_t)shape->layout.need)
            break;
        uint64_t time_ns = *base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->layout.delta_mask);
        const uint8_t *next =
            dial9_layout_skip(shape->steps, p + shape->layout.head, in->end, rules->depth);
        if (!next || time_ns < *base_ns || (uint64_t)(next - p) > rules->record_bytes)
            break;
        *base_ns = time_ns;
        p = next;
    }
    in->at = p;
}

int dial9_batch_learn(struct dial9_batch *batch, const struct dial9_rules *rules,
                      struct ras_bytes bytes, uint64_t until, struct ras_error *err)
{
    if (batch->learnt >= until)
        return RAS_OK;
    struct in in = {bytes.at + batch->learnt, bytes.at + until, false};
    uint64_t base_ns = 0; /* times do not matter here */
    while (in.at < in.end) {
        struct ras_dial9_frame frame;
        dial9_events_pass(batch, rules, &in, &base_ns);
        if (in.at == in.end)
            break;
        int status = dial9_frame_read(batch, rules, bytes.at, 0, &in, &frame, err);
        if (status < 0)
            return status;
    }
    batch->learnt = until;
    return RAS_OK;
}

/* ---- the batches of a trace ------------------------------------------------------ */

/* Bytes kept beyond what is in use. Learning a batch shorter than WORTH_KEEPING again is faster
 * than finding it. */
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

/* Release what a batch holds; its memory serves the next one. */
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
    d->batch_count = number < d->place_count ? number + 1u : d->place_count;
    return d->batch_count + 1;
}
