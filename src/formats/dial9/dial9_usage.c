/* dial9_usage.c - where a trace's bytes go.
 *
 * Events are summed per shape and booked once a batch: booking looks up names. */
#include "formats/dial9/dial9_driver.h"
#include "ops/du/usage.h"

#include <stdlib.h>

/* What one batch holds of one shape. */
struct tally {
    const struct shape *shape;
    struct tally *next; /* of this batch */
    uint64_t records, framing, values;
    uint64_t fields[]; /* when fields are booked apart */
};

struct books {
    struct ras_trace *trace;
    struct usage *usage;
    struct shapes shapes;
    struct dial9_rules rules;
    struct dial9_batch *batch;
    struct tally *tallies;
    bool nomem;
};

static void book(struct books *b, const char *kind, const char *name, const char *field,
                 uint64_t records, uint64_t bytes)
{
    if (records || bytes)
        usage_add(b->usage, &(struct booking){.kind = kind,
                                              .name = name,
                                              .field = field,
                                              .records = records,
                                              .raw = bytes,
                                              .stream = b->batch->number,
                                              .frame = RAS_NONE});
}

/* End of the batch: book its events. */
static void book_tallies(struct books *b)
{
    bool by_field = usage_by_field(b->usage);
    for (struct tally *t = b->tallies, *next; t; t = next) {
        const struct ras_dial9_schema *schema = &t->shape->native;
        book(b, "type", schema->name, NULL, t->records, t->framing + (by_field ? 0 : t->values));
        for (unsigned i = 0; by_field && i < schema->field_count; i++) {
            book(b, "type", schema->name, schema->fields[i].name, 0, t->fields[i]);
            t->fields[i] = 0;
        }
        next = t->next;
        t->records = t->framing = t->values = 0;
        t->next = NULL;
    }
    b->tallies = NULL;
}

static struct tally *tally_of(struct books *b, struct shape *shape)
{
    struct tally *t = shape->tally;
    if (!t) {
        size_t fields = usage_by_field(b->usage) ? shape->native.field_count : 0;
        shape->tally = t = calloc(1, sizeof *t + fields * sizeof *t->fields);
        if (!t)
            return NULL;
        t->shape = shape;
    }
    if (!t->records) {
        t->next = b->tallies;
        b->tallies = t;
    }
    return t;
}

static void count_event(struct books *b, const struct ras_dial9_frame *frame)
{
    struct shape *shape =
        (struct shape *)(uintptr_t)dial9_batch_shape(b->batch, frame->event.type_id);
    struct tally *t = tally_of(b, shape);
    if (!t) {
        b->nomem = true;
        return;
    }
    t->records++;
    t->framing += shape->layout.head;
    t->values += frame->raw.len - shape->layout.head;
    if (!usage_by_field(b->usage))
        return;
    struct in in = in_bytes(frame->raw);
    in_take(&in, shape->layout.head);
    for (unsigned i = 0; i < shape->native.field_count; i++) {
        struct ras_dial9_value value;
        const uint8_t *start = in.at;
        (void)dial9_value_get(&in, shape->native.fields[i].type, b->rules.depth, &value);
        t->fields[i] += (uint64_t)(in.at - start);
    }
}

static void count_frame(struct books *b, const struct ras_dial9_frame *frame)
{
    size_t size = frame->raw.len;
    switch (frame->tag) {
    case RAS_DIAL9_EVENT:
        count_event(b, frame);
        break;
    case RAS_DIAL9_HEADER:
        book_tallies(b);
        dial9_batch_start(b->batch, b->batch->number + 1, frame->offset);
        b->nomem |= !dial9_batch_name(b->trace, b->batch->number);
        book(b, "header", "header", NULL, 1, size);
        break;
    case RAS_DIAL9_SCHEMA:
        book(b, "header", "schema", NULL, 1, size);
        break;
    case RAS_DIAL9_TIMESTAMP_RESET:
        book(b, "header", "timestamp reset", NULL, 1, size);
        break;
    case RAS_DIAL9_SCHEMA_ANNOTATIONS:
        book(b, "header", "annotation", NULL, frame->entries.left, size);
        break;
    case RAS_DIAL9_STRING_POOL:
        book(b, "pool", "string", NULL, frame->entries.left, size);
        break;
    default:
        book(b, "pool", "stack", NULL, frame->entries.left, size);
    }
}

int dial9_usage(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    const struct dial9 *d = t->priv;
    struct ras_bytes all = source_bytes(t->source, 0);
    struct books b = {.trace = t, .usage = u, .rules = d->rules, .batch = dial9_batch_new()};
    if (!b.batch)
        return fail_memory(err);
    b.rules.shapes = &b.shapes; /* separate, since it counts with them */
    dial9_batch_start(b.batch, 0, 0);
    book(&b, "header", "header", NULL, 1, t->body);
    struct in in = {all.at + t->body, all.at + all.len, false};
    struct ras_dial9_frame frame;
    uint64_t base_ns = 0;
    while (in_left(&in) && !b.nomem && !usage_stopped(u)) {
        int status = dial9_frame_read(b.batch, &b.rules, all.at, base_ns, &in, &frame, NULL);
        b.nomem = status == RAS_EMEMORY;
        if (status != RAS_OK)
            break;
        base_ns = dial9_base_after(&frame, base_ns);
        count_frame(&b, &frame);
    }
    book_tallies(&b);
    dial9_batch_free(b.batch);
    dial9_shapes_free(&b.shapes);
    return b.nomem ? fail_memory(err) : RAS_OK;
}
