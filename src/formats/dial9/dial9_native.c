/* dial9_native.c - the native reader: frames and events on the caller's memory. */
#include "base/error.h"
#include "base/struct_size.h"
#include "formats/dial9/dial9_batch.h"
#include "formats/dial9/dial9_wire.h"

#include <stdlib.h>

/* ---- items ----------------------------------------------------------------------- */

/* The items were measured when they were handed out; a caller's mistake still stays within the
 * bytes. */
static bool items_in(struct ras_dial9_items *items, unsigned type, struct in *in)
{
    if (items->left == 0 || items->type != type)
        return false;
    *in = (struct in){items->at, items->end, false};
    items->left--;
    return true;
}

bool ras_dial9_next_string(struct ras_dial9_items *entries, uint32_t *pool_id,
                           struct ras_bytes *text)
{
    struct in in;
    struct wire_string entry;
    if (!items_in(entries, RAS_DIAL9_STRING_POOL, &in))
        return false;
    dial9_string_get(&in, &entry);
    *pool_id = entry.pool_id;
    *text = entry.text;
    entries->at = in.at;
    return !in.cut;
}

bool ras_dial9_next_stack(struct ras_dial9_items *entries, uint32_t *pool_id,
                          struct ras_dial9_stack *stack)
{
    struct in in;
    struct wire_stack entry;
    if (!items_in(entries, RAS_DIAL9_STACK_POOL, &in))
        return false;
    dial9_stack_get(&in, &entry);
    *pool_id = entry.pool_id;
    *stack = entry.frames;
    entries->at = in.at;
    return !in.cut;
}

bool ras_dial9_next_annotation(struct ras_dial9_items *entries,
                               struct ras_dial9_annotation *annotation)
{
    struct in in;
    if (!items_in(entries, RAS_DIAL9_SCHEMA_ANNOTATIONS, &in))
        return false;
    dial9_annotation_get(&in, annotation);
    entries->at = in.at;
    return !in.cut;
}

struct ras_dial9_items dial9_items(const struct ras_dial9_value *container, const uint8_t *end)
{
    struct ras_dial9_items items = {.at = container->at, .end = end, .type = container->type};
    switch (container->type) {
    case RAS_DIAL9_STACK_FRAMES:
    case RAS_DIAL9_DYNAMIC_LIST:
        items.left = container->count;
        break;
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_MAP:
        items.left = 2 * (uint64_t)container->count;
        break;
    default:
        break;
    }
    return items;
}

bool ras_dial9_next_item(struct ras_dial9_items *items, struct ras_dial9_value *value)
{
    struct in in;
    if (!items_in(items, items->type, &in))
        return false;
    uint8_t type = 0;
    switch (items->type) {
    case RAS_DIAL9_STACK_FRAMES:
        *value = (struct ras_dial9_value){.type = RAS_DIAL9_VARINT, .u = in_u64(&in)};
        break;
    case RAS_DIAL9_STRING_MAP:
        type = RAS_DIAL9_STRING;
        break;
    default:
        type = in_u8(&in);
    }
    enum wire_fault fault = WIRE_FINE;
    if (type)
        fault = dial9_value_get(&in, type, DIAL9_DEPTH_MOST, value);
    items->at = in.at;
    return !in.cut && !fault;
}

uint64_t ras_dial9_address(const struct ras_dial9_stack *stack, uint32_t i)
{
    return load_u64(stack->at + (size_t)i * DIAL9_ADDRESS_SIZE);
}

/* ---- frames and events ----------------------------------------------------------- */

struct ras_dial9 {
    struct in in;
    const uint8_t *base;
    uint64_t base_ns;
    struct dial9_batch *batch;
    struct dial9_rules rules;
    struct shapes shapes; /* their scratch holds the values of the last event */
    bool started;         /* the first header was delivered */
};

static int check_header(struct in in, struct ras_error *err)
{
    uint8_t version;
    if (in_left(&in) == 0 || dial9_header_begins(&in))
        return fail(err, RAS_ECUT, 0, "the bytes end inside the header, after %" PRIu64 " of %u",
                    in_left(&in), RAS_DIAL9_HEADER_SIZE);
    if (!dial9_header_get(&in, &version))
        return fail(err, RAS_EFORMAT, 0, "not a dial9 stream: it does not start with TRC and NUL");
    if (version != RAS_DIAL9_VERSION)
        return fail(err, RAS_EVERSION, DIAL9_MAGIC_SIZE, "dial9 version %u, only %u is read",
                    version, RAS_DIAL9_VERSION);
    return RAS_OK;
}

int ras_dial9_open(struct ras_dial9 **out, const void *bytes, size_t size,
                   const struct ras_dial9_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_dial9_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct ras_dial9_options *o = options;
    struct in in = in_bytes((struct ras_bytes){bytes, size});
    int status = check_header(in, err);
    if (status < 0)
        return status;
    struct ras_dial9 *reader = calloc(1, sizeof *reader);
    if (!reader || !(reader->batch = dial9_batch_new())) {
        free(reader);
        return fail_memory(err);
    }
    dial9_batch_start(reader->batch, 0, 0);
    uint32_t depth = o->limits.depth ? o->limits.depth : 32;
    reader->in = in;
    reader->base = bytes;
    reader->rules = (struct dial9_rules){
        .dialect = o->dialect,
        .depth = depth < DIAL9_DEPTH_MOST ? depth : DIAL9_DEPTH_MOST,
        .pool_bytes = o->limits.pool_bytes ? o->limits.pool_bytes : UINT64_C(1) << 30,
        .record_bytes = o->limits.record_bytes ? o->limits.record_bytes : UINT64_C(1) << 30,
        .shapes = &reader->shapes};
    *out = reader;
    return RAS_OK;
}

void ras_dial9_close(struct ras_dial9 *reader)
{
    if (!reader)
        return;
    dial9_batch_free(reader->batch);
    dial9_shapes_free(&reader->shapes);
    free(reader);
}

void ras_dial9_extend(struct ras_dial9 *reader, const void *bytes, size_t size)
{
    uint64_t at = ras_dial9_offset(reader);
    reader->base = bytes;
    reader->in = (struct in){reader->base + at, reader->base + size, false};
}

uint64_t ras_dial9_offset(const struct ras_dial9 *reader)
{
    return (uint64_t)(reader->in.at - reader->base);
}

uint64_t ras_dial9_base_ns(const struct ras_dial9 *reader)
{
    return reader->base_ns;
}

/* Fields of a checked event, on the slow path. */
static void decode_values(struct ras_dial9 *reader, struct ras_dial9_frame *frame)
{
    struct ras_dial9_value *values = reader->shapes.scratch;
    const struct ras_dial9_schema *schema = frame->event.schema;
    struct in in = in_bytes(frame->raw);
    in_take(&in, DIAL9_EVENT_SIZE + (schema->has_timestamp ? DIAL9_DELTA_SIZE : 0));
    for (unsigned i = 0; i < schema->field_count; i++) {
        (void)dial9_value_get(&in, schema->fields[i].type, reader->rules.depth, &values[i]);
        values[i].field = (uint16_t)i;
    }
    frame->event.values = values;
}

int ras_dial9_next(struct ras_dial9 *reader, struct ras_dial9_frame *frame, struct ras_error *err)
{
    if (in_left(&reader->in) == 0)
        return RAS_END;
    int status = dial9_frame_read(reader->batch, &reader->rules, reader->base, reader->base_ns,
                                  &reader->in, frame, err);
    if (status < 0)
        return status;
    reader->base_ns = dial9_base_after(frame, reader->base_ns);
    if (frame->tag == RAS_DIAL9_HEADER) {
        if (reader->started)
            dial9_batch_start(reader->batch, reader->batch->number + 1, frame->offset);
        reader->started = true;
        frame->batch = reader->batch->number;
    } else if (frame->tag == RAS_DIAL9_EVENT) {
        decode_values(reader, frame);
    }
    return RAS_OK;
}

/* Visit the events at `in` as long as their layouts can decode them. True: the visitor stops.
 * What changes with every event is kept in registers. */
static bool visit_run(struct ras_dial9 *reader, ras_dial9_visitor *visitor, void *user)
{
    const struct dial9_batch *batch = reader->batch;
    const uint8_t *p = reader->in.at, *end = reader->in.end;
    uint64_t time_ns = reader->base_ns;
    struct ras_dial9_value *values = reader->shapes.scratch;
    struct ras_dial9_event event = {.values = values};
    bool stopped = false;
    while (!stopped && end - p >= (ptrdiff_t)DIAL9_EVENT_SIZE && *p == RAS_DIAL9_EVENT) {
        event.type_id = load_u16(p + 1);
        const struct shape *shape = dial9_batch_shape(batch, event.type_id);
        if (!shape || end - p < (ptrdiff_t)shape->layout.need)
            break;
        event.time_ns = time_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->layout.delta_mask);
        const uint8_t *next =
            layout_native(shape->steps, p + shape->layout.head, end, values, reader->rules.depth);
        if (!next || event.time_ns < time_ns || (uint64_t)(next - p) > reader->rules.record_bytes)
            break;
        event.offset = (uint64_t)(p - reader->base);
        event.schema = &shape->native;
        event.size = (uint32_t)(next - p);
        time_ns = event.time_ns;
        p = next;
        stopped = visitor(user, &event) != 0;
    }
    reader->in.at = p;
    reader->base_ns = time_ns;
    return stopped;
}

int ras_dial9_visit(struct ras_dial9 *reader, ras_dial9_visitor *visitor, void *user,
                    struct ras_error *err)
{
    while (!visit_run(reader, visitor, user)) {
        struct ras_dial9_frame frame;
        int status = ras_dial9_next(reader, &frame, err);
        if (status != RAS_OK)
            return status;
        if (frame.tag == RAS_DIAL9_EVENT && visitor(user, &frame.event))
            return RAS_OK;
    }
    return RAS_OK;
}

/* ---- what ids stand for --------------------------------------------------- */

bool ras_dial9_string(const struct ras_dial9 *reader, uint32_t pool_id, struct ras_bytes *text)
{
    const struct pool_entry *entry =
        dial9_pool_find(&reader->batch->strings, pool_id, ras_dial9_offset(reader));
    if (entry)
        *text = (struct ras_bytes){reader->base + entry->offset, entry->length};
    return entry != NULL;
}

bool ras_dial9_stack(const struct ras_dial9 *reader, uint32_t pool_id,
                     struct ras_dial9_stack *stack)
{
    const struct pool_entry *entry =
        dial9_pool_find(&reader->batch->stacks, pool_id, ras_dial9_offset(reader));
    if (entry)
        *stack = (struct ras_dial9_stack){reader->base + entry->offset, entry->length};
    return entry != NULL;
}

const struct ras_dial9_schema *ras_dial9_schema(const struct ras_dial9 *reader, uint16_t type_id)
{
    const struct shape *shape = dial9_batch_shape(reader->batch, type_id);
    return shape ? &shape->native : NULL;
}

struct ras_dial9_items ras_dial9_items(const struct ras_dial9 *reader,
                                       const struct ras_dial9_value *container)
{
    return dial9_items(container, reader->in.end);
}
