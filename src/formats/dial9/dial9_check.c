/* dial9_check.c - the rules of a stream: frames, and the values inside events. */
#include "codec/leb128.h"
#include "codec/utf8.h"
#include "formats/dial9/dial9_driver.h"
#include "ops/verify/report.h"

#include <stdarg.h>
#include <stdlib.h>

/* The number of a rule; its id; its severity, and with --strict; deep; what holds. */
#define DIAL9_RULES(RULE)                                                                          \
    RULE(FRAME_CUT, "dial9.frame.cut", ERROR, ERROR, false, "the stream ends between frames")      \
    RULE(FRAME_TAG, "dial9.frame.tag", ERROR, ERROR, false,                                        \
         "a frame begins with a known tag; in the seed dialect, one of the published text")        \
    RULE(TAIL_ZERO, "dial9.tail.zero", ERROR, ERROR, false,                                        \
         "the stream does not end in zeros, as a crash leaves them")                               \
    RULE(HEADER_VERSION, "dial9.header.version", ERROR, ERROR, false,                              \
         "every header says version 1")                                                            \
    RULE(HEADER_AGAIN, "dial9.header.again", NOTE, NOTE, false,                                    \
         "a further header starts a batch that holds something")                                   \
    RULE(SCHEMA_UTF8, "dial9.schema.utf8", ERROR, ERROR, false,                                    \
         "names of schemas and fields are UTF-8")                                                  \
    RULE(SCHEMA_TYPE, "dial9.schema.type", ERROR, ERROR, false,                                    \
         "a field has a type that exists; in the seed dialect, in the published text")             \
    RULE(SCHEMA_CONFLICT, "dial9.schema.conflict", ERROR, ERROR, false,                            \
         "a type_id is not registered again with another schema")                                  \
    RULE(SCHEMA_FLAG, "dial9.schema.flag", WARNING, ERROR, false, "has_timestamp is 0 or 1")       \
    RULE(SCHEMA_NAMES, "dial9.schema.names", NOTE, NOTE, false,                                    \
         "names hold no NUL, and no two fields of a schema share one")                             \
    RULE(EVENT_TYPE, "dial9.event.type", ERROR, ERROR, false,                                      \
         "an event's type_id was registered before it")                                            \
    RULE(EVENT_TIME, "dial9.event.time", ERROR, ERROR, false, "a timestamp fits 64 bits")          \
    RULE(EVENT_VALUE, "dial9.event.value", ERROR, ERROR, false,                                    \
         "values can be followed: varints fit 64 bits in 10 bytes, type tags exist, nesting has "  \
         "an end")                                                                                 \
    RULE(VARINT_MINIMAL, "dial9.varint.minimal", NOTE, WARNING, false,                             \
         "a varint takes no more bytes than it needs")                                             \
    RULE(OPTIONAL_FLAG, "dial9.optional.flag", WARNING, ERROR, false,                              \
         "the presence byte of an optional field is 0 or 1")                                       \
    RULE(BOOL_VALUE, "dial9.bool.value", NOTE, NOTE, false, "a Bool is stored as 0 or 1")          \
    RULE(VALUE_UTF8, "dial9.value.utf8", WARNING, ERROR, false,                                    \
         "strings, and the keys and values of string maps, are UTF-8")                             \
    RULE(POOL_UTF8, "dial9.pool.utf8", WARNING, ERROR, false, "pooled strings are UTF-8")          \
    RULE(POOL_DANGLING, "dial9.pool.dangling", WARNING, ERROR, false,                              \
         "a pool id that an event uses is defined in its batch")                                   \
    RULE(POOL_FORWARD, "dial9.pool.forward", NOTE, NOTE, false,                                    \
         "a pool id is defined before the first event that uses it")                               \
    RULE(POOL_AGAIN, "dial9.pool.again", NOTE, NOTE, false,                                        \
         "a pool id is defined once in its batch")                                                 \
    RULE(ANNOTATION_TYPE, "dial9.annotation.type", WARNING, WARNING, false,                        \
         "annotations belong to a type_id registered before them")                                 \
    RULE(ANNOTATION_FIELD, "dial9.annotation.field", WARNING, WARNING, false,                      \
         "an annotation belongs to a field that its schema has")                                   \
    RULE(ANNOTATION_UTF8, "dial9.annotation.utf8", WARNING, ERROR, false,                          \
         "keys and values of annotations are UTF-8")                                               \
    RULE(RESET_BACKWARDS, "dial9.reset.backwards", NOTE, NOTE, false,                              \
         "timestamps ascend within a batch")                                                       \
    RULE(RESET_NEEDLESS, "dial9.reset.needless", NOTE, NOTE, false,                                \
         "a reset goes where a delta cannot")                                                      \
    RULE(SEGMENT_GAP, "dial9.segment.gap", ERROR, ERROR, false,                                    \
         "no number is missing between the segments of a directory")                               \
    RULE(SEGMENT_WHOLE, "dial9.segment.whole", ERROR, ERROR, false,                                \
         "a segment begins with a header, and ends between frames if another one follows")         \
    RULE(SEGMENT_CLEAN, "dial9.segment.clean", WARNING, WARNING, false,                            \
         "a segment's metadata does not say that events were lost")                                \
    RULE(EVENTS_NONE, "dial9.events.none", NOTE, NOTE, false, "a stream holds events")             \
    RULE(OVER_LIMIT, "dial9.limit", ERROR, ERROR, false,                                           \
         "records, pools and schemas stay within the reader's limits")
enum dial9_rule { DIAL9_RULES(RULE_NUMBER) RULE_COUNT };

/* Findings of one rule in one batch are reported once, with their number: a real trace has
 * thousands of late events, and a report is limited. */
struct tally_of_rule {
    uint64_t count, offset, length;
    char text[160];
};

/* An id that was not defined when an event used it. */
struct unresolved {
    uint64_t offset;
    uint32_t id;
    bool stack;
};

struct checker {
    struct report *report;
    struct ras_bytes all;
    struct dial9_rules rules;
    struct dial9_batch *batch;
    uint64_t base_ns;
    uint64_t events;
    uint64_t headers;      /* further ones, of empty batches */
    uint64_t fresh;        /* offset of a further header that no frame follows yet; 0: none */
    uint64_t header_again; /* offset of the first of them */
    const char *event;     /* name of the current event */
    uint64_t event_at;
    struct tally_of_rule found[RULE_COUNT];
    struct unresolved unresolved[256]; /* the first different ones of the batch */
    size_t unresolved_count;
};

/* One more finding of a rule in this batch. */
static void dial9_found(struct checker *k, enum dial9_rule rule, uint64_t offset, uint64_t length,
                        const char *fmt, ...)
{
    struct tally_of_rule *found = &k->found[rule];
    if (found->count++)
        return;
    found->offset = offset;
    found->length = length;
    va_list args;
    va_start(args, fmt);
    vsnprintf(found->text, sizeof found->text, fmt, args);
    va_end(args);
}

/* ---- values ---------------------------------------------------------------------- */

static uint64_t check_offset(const struct checker *k, const uint8_t *at)
{
    return (uint64_t)(at - k->all.at);
}

static void check_utf8_text(struct checker *k, const uint8_t *at, size_t len)
{
    struct utf8_fault fault;
    if (!utf8_check(at, len, &fault))
        dial9_found(k, VALUE_UTF8, check_offset(k, at) + fault.at, len - fault.at,
                    "a string of '%s' is not UTF-8 from byte %zu of %zu",
                    dial9_label(k->event).text, fault.at, len);
}

static void check_id(struct checker *k, const uint8_t *at, bool stack)
{
    uint32_t id = load_u32(at);
    const struct dial9_pool *pool = stack ? &k->batch->stacks : &k->batch->strings;
    if (dial9_pool_find(pool, id, k->event_at))
        return;
    for (size_t i = 0; i < k->unresolved_count; i++)
        if (k->unresolved[i].id == id && k->unresolved[i].stack == stack)
            return;
    size_t room = sizeof k->unresolved / sizeof *k->unresolved;
    if (k->unresolved_count < room)
        k->unresolved[k->unresolved_count++] = (struct unresolved){check_offset(k, at), id, stack};
}

static void check_value(struct checker *k, struct in *in, uint8_t type, unsigned depth);

/* Elements of a container, each after its tag. */
static void check_tagged(struct checker *k, struct in *in, uint64_t count, unsigned depth)
{
    for (uint64_t i = 0; i < count; i++) {
        uint8_t tag = in_u8(in);
        check_value(k, in, tag, depth - 1);
    }
}

static void check_scalar(struct checker *k, const uint8_t *start, uint64_t size,
                         const struct ras_dial9_value *value)
{
    switch (value->type) {
    case RAS_DIAL9_BOOL:
        if (*start > 1)
            dial9_found(k, BOOL_VALUE, check_offset(k, start), 1, "a Bool of '%s' is stored as %u",
                        dial9_label(k->event).text, *start);
        break;
    case RAS_DIAL9_VARINT:
        if (size > leb128_size(value->u))
            dial9_found(k, VARINT_MINIMAL, check_offset(k, start), size,
                        "%" PRIu64 " in '%s' takes %" PRIu64 " bytes, %zu would do", value->u,
                        dial9_label(k->event).text, size, leb128_size(value->u));
        break;
    case RAS_DIAL9_POOLED_STRING:
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        check_id(k, start, value->type == RAS_DIAL9_POOLED_STACK_FRAMES);
        break;
    case RAS_DIAL9_STRING:
        check_utf8_text(k, value->at, value->count);
        break;
    default:
        break;
    }
}

static void check_value(struct checker *k, struct in *in, uint8_t type, unsigned depth)
{
    if (type & RAS_DIAL9_OPTIONAL) {
        const uint8_t *flag = in->at;
        uint8_t present = in_u8(in);
        if (present > 1)
            dial9_found(k, OPTIONAL_FLAG, check_offset(k, flag), 1,
                        "the presence byte of an optional field of '%s' is %u, taken as 1",
                        dial9_label(k->event).text, present);
        if (!present)
            return;
        type &= (uint8_t)~RAS_DIAL9_OPTIONAL;
    }
    const uint8_t *start = in->at;
    struct ras_dial9_value value;
    switch (type) {
    case RAS_DIAL9_DYNAMIC_LIST:
        check_tagged(k, in, in_u32(in), depth);
        return;
    case RAS_DIAL9_DYNAMIC_MAP:
        check_tagged(k, in, 2 * (uint64_t)in_u32(in), depth);
        return;
    case RAS_DIAL9_STRING_MAP:
        for (uint64_t left = 2 * (uint64_t)in_u32(in); left--;) {
            struct ras_bytes text = in_span(in, in_u32(in));
            check_utf8_text(k, text.at, text.len);
        }
        return;
    default:
        (void)dial9_value_get(in, type, depth, &value);
        check_scalar(k, start, (uint64_t)(in->at - start), &value);
    }
}

/* The fields of a checked event. */
static void dial9_check_values(struct checker *k, const struct ras_dial9_frame *frame)
{
    const struct ras_dial9_schema *schema = frame->event.schema;
    struct in in = in_bytes(frame->raw);
    in_take(&in, DIAL9_EVENT_SIZE + (schema->has_timestamp ? DIAL9_DELTA_SIZE : 0));
    k->event = schema->name;
    k->event_at = frame->offset;
    for (unsigned i = 0; i < schema->field_count; i++)
        check_value(k, &in, schema->fields[i].type, k->rules.depth);
}

/* ---- frames ---------------------------------------------------------------------- */

const struct ras_rule dial9_rules[] = {DIAL9_RULES(RULE_ROW) RULES_END};

/* ---- frames ----------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_names(struct checker *k, const struct ras_dial9_frame *frame,
                        const struct wire_schema *wire)
{
    const struct ras_dial9_schema *schema = frame->registered.schema;
    bool nul = wire->name.len && memchr(wire->name.at, 0, wire->name.len);
    struct in in = in_bytes(wire->fields);
    for (unsigned i = 0; i < wire->field_count; i++) {
        struct wire_field field;
        dial9_field_get(&in, &field);
        nul |= field.name.len && memchr(field.name.at, 0, field.name.len);
    }
    if (nul)
        dial9_found(k, SCHEMA_NAMES, frame->offset, frame->raw.len,
                    "a name of schema '%s' holds a NUL", dial9_label(schema->name).text);
    const char **names = calloc(schema->field_count + 1u, sizeof *names);
    if (!names) {
        k->report->nomem = true;
        return;
    }
    for (unsigned i = 0; i < schema->field_count; i++)
        names[i] = schema->fields[i].name;
    qsort(names, schema->field_count, sizeof *names, by_text);
    for (unsigned i = 1; i < schema->field_count; i++)
        if (!strcmp(names[i - 1], names[i]))
            dial9_found(k, SCHEMA_NAMES, frame->offset, frame->raw.len,
                        "two fields of schema '%s' are called '%s'", dial9_label(schema->name).text,
                        dial9_label(names[i]).text);
    free(names);
}

static void check_schema(struct checker *k, const struct ras_dial9_frame *frame)
{
    struct wire_schema wire;
    struct in in = in_bytes(frame->raw);
    in_u8(&in);
    dial9_schema_get(&in, &wire);
    if (wire.has_timestamp > 1)
        dial9_found(k, SCHEMA_FLAG, frame->offset + 5 + wire.name.len, 1,
                    "has_timestamp of schema '%s' is %u, taken as 1",
                    dial9_label(frame->registered.schema->name).text, wire.has_timestamp);
    if (!frame->registered.again)
        check_names(k, frame, &wire);
}

/* Entries whose id the batch had defined before. */
static void check_again(struct checker *k, const struct dial9_pool *pool, uint32_t id,
                        const uint8_t *data, const char *what)
{
    uint64_t at = (uint64_t)(data - k->all.at);
    const struct pool_entry *entry = dial9_pool_find(pool, id, at);
    if (entry && entry->offset == at && entry->depth)
        dial9_found(k, POOL_AGAIN, at - 8, 8, "%s %" PRIu32 " is defined again, first at %" PRIu64,
                    what, id, pool->entries[entry->earlier].offset - 8);
}

static void check_pool(struct checker *k, const struct ras_dial9_frame *frame)
{
    struct ras_dial9_items entries = frame->entries;
    struct ras_dial9_stack stack;
    struct ras_bytes text;
    uint32_t id;
    while (ras_dial9_next_string(&entries, &id, &text)) {
        struct utf8_fault fault;
        uint64_t at = (uint64_t)(text.at - k->all.at);
        if (!utf8_check(text.at, text.len, &fault))
            dial9_found(k, POOL_UTF8, at + fault.at, text.len - fault.at,
                        "string %" PRIu32 " is not UTF-8 from byte %zu of %zu", id, fault.at,
                        text.len);
        check_again(k, &k->batch->strings, id, text.at, "string");
    }
    while (ras_dial9_next_stack(&entries, &id, &stack))
        check_again(k, &k->batch->stacks, id, stack.at, "stack");
}

static void check_annotations(struct checker *k, const struct ras_dial9_frame *frame)
{
    struct ras_dial9_items entries = frame->entries;
    struct ras_dial9_annotation note;
    const struct shape *shape = NULL;
    size_t id_size = (size_t)(entries.at - frame->raw.at) - 3;
    if (id_size > leb128_size(frame->type_id))
        dial9_found(k, VARINT_MINIMAL, frame->offset + 1, id_size,
                    "type_id %" PRIu64 " of annotations takes %zu bytes, %zu would do",
                    frame->type_id, id_size, leb128_size(frame->type_id));
    if (frame->type_id <= UINT16_MAX)
        shape = dial9_batch_shape(k->batch, (uint16_t)frame->type_id);
    if (!shape)
        dial9_found(k, ANNOTATION_TYPE, frame->offset, frame->raw.len,
                    "annotations of type_id %" PRIu64 ", which is not registered", frame->type_id);
    for (;;) {
        uint64_t at = (uint64_t)(entries.at - k->all.at);
        if (!ras_dial9_next_annotation(&entries, &note))
            break;
        if (shape && note.field_index >= shape->native.field_count)
            dial9_found(k, ANNOTATION_FIELD, at, 2, "annotation of field %u of '%s', which has %u",
                        note.field_index, dial9_label(shape->native.name).text,
                        shape->native.field_count);
        if (!utf8_check(note.key.at, note.key.len, NULL) ||
            !utf8_check(note.value.at, note.value.len, NULL))
            dial9_found(k, ANNOTATION_UTF8, at, (uint64_t)(entries.at - k->all.at) - at,
                        "an annotation of type_id %" PRIu64 " is not UTF-8", frame->type_id);
    }
}

/* Recorders store events that have no time, such as symbols, at time 0. */
static void check_reset(struct checker *k, const struct ras_dial9_frame *frame)
{
    uint64_t to = frame->timestamp_ns, from = k->base_ns;
    if (to < from && !to)
        return;
    if (to < from)
        dial9_found(k, RESET_BACKWARDS, frame->offset, frame->raw.len,
                    "time goes back by %" PRIu64 " ns, from %" PRIu64, from - to, from);
    else if (to - from <= DIAL9_DELTA_MOST)
        dial9_found(k, RESET_NEEDLESS, frame->offset, frame->raw.len,
                    "the reset goes %" PRIu64 " ns on, a delta reaches %u", to - from,
                    DIAL9_DELTA_MOST);
}

/* ---- batches ------------------------------------------------------------------ */

/* Pool ids that were undefined when they were used: some may be defined later. */
static void sort_out_unresolved(struct checker *k)
{
    for (size_t i = 0; i < k->unresolved_count; i++) {
        const struct unresolved *u = &k->unresolved[i];
        const char *what = u->stack ? "stack" : "string";
        const struct dial9_pool *pool = u->stack ? &k->batch->stacks : &k->batch->strings;
        if (dial9_pool_find(pool, u->id, UINT64_MAX))
            dial9_found(k, POOL_FORWARD, u->offset, 4,
                        "%s %" PRIu32 " is used before it is defined: null here", what, u->id);
        else
            dial9_found(k, POOL_DANGLING, u->offset, 4,
                        "%s %" PRIu32 " is not defined in this batch", what, u->id);
    }
    k->unresolved_count = 0;
}

static void end_batch(struct checker *k)
{
    sort_out_unresolved(k);
    for (int rule = 0; rule < RULE_COUNT; rule++) {
        struct tally_of_rule *found = &k->found[rule];
        if (found->count > 1)
            report_add(k->report, &dial9_rules[rule], 0, found->offset, found->length,
                       "%s (the first of %" PRIu64 " in batch %u)", found->text, found->count,
                       k->batch->number);
        else if (found->count)
            report_add(k->report, &dial9_rules[rule], 0, found->offset, found->length, "%s",
                       found->text);
        found->count = 0;
    }
}

/* Empty batches are left over by recorders. */
static void count_header(struct checker *k)
{
    if (k->headers++ == 0)
        k->header_again = k->fresh;
}

static void check_frame(struct checker *k, const struct ras_dial9_frame *frame)
{
    if (k->fresh && frame->tag == RAS_DIAL9_HEADER)
        count_header(k);
    k->fresh = 0;
    switch (frame->tag) {
    case RAS_DIAL9_SCHEMA:
        check_schema(k, frame);
        break;
    case RAS_DIAL9_EVENT:
        k->events++;
        dial9_check_values(k, frame);
        break;
    case RAS_DIAL9_TIMESTAMP_RESET:
        check_reset(k, frame);
        break;
    case RAS_DIAL9_SCHEMA_ANNOTATIONS:
        check_annotations(k, frame);
        break;
    case RAS_DIAL9_HEADER:
        end_batch(k);
        dial9_batch_start(k->batch, k->batch->number + 1, frame->offset);
        k->fresh = frame->offset;
        break;
    default:
        check_pool(k, frame);
    }
}

/* ---- the end -------------------------------------------------------------------- */

/* The rule that an unreadable frame breaks. */
static enum dial9_rule broken_rule(const struct checker *k, struct in in, int status)
{
    struct wire_schema wire;
    uint8_t tag = in_u8(&in);
    if (status != RAS_EFORMAT)
        return status == RAS_ECUT ? FRAME_CUT : OVER_LIMIT;
    switch (tag) {
    case RAS_DIAL9_SCHEMA:
        dial9_schema_get(&in, &wire);
        if (dial9_batch_shape(k->batch, wire.type_id))
            return SCHEMA_CONFLICT;
        for (struct in fields = in_bytes(wire.fields); in_left(&fields);) {
            struct wire_field field;
            dial9_field_get(&fields, &field);
            if (!dial9_type_known(field.type, k->rules.dialect))
                return SCHEMA_TYPE;
        }
        return SCHEMA_UTF8;
    case RAS_DIAL9_EVENT: {
        const struct shape *shape = dial9_batch_shape(k->batch, in_u16(&in));
        if (!shape)
            return EVENT_TYPE;
        bool timed = shape->native.has_timestamp;
        return timed && in_u24(&in) > UINT64_MAX - k->base_ns ? EVENT_TIME : EVENT_VALUE;
    }
    case RAS_DIAL9_HEADER:
        in.at--;
        return k->rules.dialect == RAS_DIAL9_FULL && dial9_header_get(&in, &tag) ? HEADER_VERSION
                                                                                 : FRAME_TAG;
    case RAS_DIAL9_SCHEMA_ANNOTATIONS:
        return k->rules.dialect == RAS_DIAL9_FULL ? EVENT_VALUE : FRAME_TAG;
    default:
        return FRAME_TAG;
    }
}

/* Where reading can continue after damage: the next header, if there is one. */
static uint64_t check_next_header(const struct checker *k, struct in in)
{
    const uint8_t *p = in.at + 1;
    p = memmem(p, (size_t)(in.end - p), DIAL9_MAGIC "\1", RAS_DIAL9_HEADER_SIZE);
    return p ? (uint64_t)(p - k->all.at) : RAS_NONE;
}

static void check_rest(struct checker *k, struct in in, const struct ras_error *err)
{
    uint64_t at = (uint64_t)(in.at - k->all.at), left = in_left(&in);
    uint64_t again = check_next_header(k, in);
    enum dial9_rule rule = broken_rule(k, in, err->status);
    end_batch(k);
    bool zero = true;
    for (const uint8_t *p = in.at; p < in.end && zero; p++)
        zero = !*p;
    if (zero)
        report_add(k->report, &dial9_rules[TAIL_ZERO], 0, at, left,
                   "%" PRIu64 " zero bytes follow the last frame", left);
    char where[64] = "";
    if (again != RAS_NONE)
        snprintf(where, sizeof where, ", the next header is at %" PRIu64, again);
    report_add(k->report, &dial9_rules[rule], 0, at, left, "%s; %" PRIu64 " bytes are not read%s",
               err->text, left, where);
}

static int walk(struct checker *k, uint64_t body, struct ras_error *err)
{
    struct in in = {k->all.at + body, k->all.at + k->all.len, false};
    while (in_left(&in)) {
        struct ras_dial9_frame frame;
        struct ras_error why;
        int status =
            dial9_frame_read(k->batch, &k->rules, k->all.at, k->base_ns, &in, &frame, &why);
        if (status == RAS_EMEMORY)
            return fail_memory(err);
        if (status < 0) {
            check_rest(k, in, &why);
            k->fresh = 0;
            return RAS_OK;
        }
        check_frame(k, &frame);
        if (!report_progress(k->report, frame.offset + frame.raw.len))
            return RAS_OK;
        k->base_ns = dial9_base_after(&frame, k->base_ns);
    }
    end_batch(k);
    return RAS_OK;
}

/* What is known of the files of a directory. */
static void check_segments(struct ras_trace *t, struct report *report)
{
    const struct dial9 *d = t->priv;
    size_t count;
    const struct source_segment *at = source_segments(t->source, &count);
    for (size_t i = 0; i < count; i++) {
        const struct source_segment *s = &at[i];
        if (s->missing)
            report_add(report, &dial9_rules[SEGMENT_GAP], 0, s->offset, 0,
                       "%s missing before %s: numbers %" PRIu64 " to %" PRIu64,
                       ras_counted(s->missing, "segment").text, s->name, s->number - s->missing,
                       s->number - 1);
        if (s->kind > RAS_COMPLETE && (i + 1 < count || s->lost))
            report_add(report, &dial9_rules[SEGMENT_WHOLE], 0, s->offset + s->size, 0,
                       "%s is %s at its byte %" PRIu64 ": %.100s; %s left out", s->name,
                       ras_ending_name(s->kind), s->size, s->why,
                       ras_counted(s->lost, "byte").text);
    }
    for (size_t i = 0; i < d->segment_count; i++)
        if (d->segments[i].unclean)
            report_add(report, &dial9_rules[SEGMENT_CLEAN], 0, d->segments[i].offset, 0,
                       "%s says that events were lost: segment.sealed_clean or"
                       " segment.prior_sealed_clean is false",
                       i < count ? at[i].name : "metadata");
}

int dial9_check(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    const struct dial9 *d = t->priv;
    struct checker *k = calloc(1, sizeof *k);
    struct dial9_batch *batch = dial9_batch_new();
    int status = k && batch ? RAS_OK : fail_memory(err);
    if (status == RAS_OK) {
        *k = (struct checker){
            .report = report, .all = source_bytes(t->source, 0), .rules = d->rules, .batch = batch};
        dial9_batch_start(batch, 0, 0);
        status = walk(k, t->body, err);
    }
    if (status == RAS_OK)
        check_segments(t, report);
    if (status == RAS_OK && k->fresh)
        count_header(k);
    if (status == RAS_OK && k->headers)
        report_add(report, &dial9_rules[HEADER_AGAIN], 0, k->header_again, RAS_DIAL9_HEADER_SIZE,
                   "%s that nothing follows", ras_counted(k->headers, "further header").text);
    if (status == RAS_OK && !k->events)
        report_add(report, &dial9_rules[EVENTS_NONE], 0, t->body, 0, "the stream holds no events");
    dial9_batch_free(batch);
    free(k);
    return status;
}
