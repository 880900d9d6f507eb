/* dial9_write.c - events to a sink or to memory, each whole or not at all. */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "formats/dial9/dial9_write.h"

#include <stdlib.h>

#define ROOM_USUAL ((size_t)64 << 10)

/* ---- the buffer ----------------------------------------------------------------- */

/* Hand over what is buffered; what a failure left behind is taken back. */
static int pass(struct ras_dial9_writer *w, struct ras_sink *sink, struct ras_error *err)
{
    uint64_t end = ras_sink_size(sink);
    int status = ras_sink_write(sink, w->at, w->len, err);
    if (status < 0) {
        (void)!ras_sink_rewind(sink, end, NULL); /* a pipe cannot: it stays failed */
        return status;
    }
    w->passed += w->len;
    w->len = 0;
    return RAS_OK;
}

int dial9_make_room(struct ras_dial9_writer *w, uint64_t need, struct ras_error *err)
{
    need += PUT_SLACK;
    if (w->sink && w->len && w->room - w->len < need) {
        int status = pass(w, w->sink, err);
        if (status < 0)
            return status;
    }
    if (need > SIZE_MAX / 2 || !array_grow(&w->at, &w->room, w->len + (size_t)need, 1))
        return fail_memory(err);
    return RAS_OK;
}

int dial9_writer_open_for(const struct ras_dial9_writer *w, struct ras_error *err)
{
    if (w->spent)
        return fail(err, RAS_EUNSUPPORTED, dial9_writer_offset(w),
                    "a stream of the seed dialect has one header, and its batch was appended");
    return RAS_OK;
}

static int put_header(struct ras_dial9_writer *w, struct ras_error *err)
{
    int status = dial9_make_room(w, RAS_DIAL9_HEADER_SIZE, err);
    if (status < 0)
        return status;
    uint8_t *p = store_bytes(w->at + w->len, DIAL9_MAGIC, DIAL9_MAGIC_SIZE);
    store_u8(p, RAS_DIAL9_VERSION);
    w->len += RAS_DIAL9_HEADER_SIZE;
    return RAS_OK;
}

/* ---- open and close -------------------------------------------------------------- */

static void writer_free(struct ras_dial9_writer *w)
{
    for (size_t i = 0; i < w->plan_count; i++) {
        free(w->types[i].plan);
        free(w->types[i].frames);
    }
    free(w->types);
    free(w->plans);
    intern_free(&w->schemas);
    intern_free(&w->strings);
    intern_free(&w->stacks);
    free(w->at);
    free(w);
}

int ras_dial9_writer_open(struct ras_dial9_writer **out, struct ras_sink *sink,
                          const struct ras_dial9_writer_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_dial9_writer_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct ras_dial9_writer_options *o = options;
    struct ras_dial9_writer *w = calloc(1, sizeof *w);
    if (!w)
        return fail_memory(err);
    uint32_t depth = o->limits.depth ? o->limits.depth : 32;
    w->dialect = o->dialect;
    w->depth = depth < DIAL9_DEPTH_MOST ? depth : DIAL9_DEPTH_MOST;
    w->pool_bytes = o->limits.pool_bytes ? o->limits.pool_bytes : UINT64_C(1) << 30;
    w->record_bytes = o->limits.record_bytes ? o->limits.record_bytes : UINT64_C(1) << 30;
    int status = dial9_make_room(w, o->room ? o->room : ROOM_USUAL, err);
    if (status == RAS_OK)
        status = put_header(w, err);
    if (status < 0) {
        writer_free(w);
        return status;
    }
    w->sink = sink;
    *out = w;
    return RAS_OK;
}

int ras_dial9_writer_close(struct ras_dial9_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = w->sink ? pass(w, w->sink, err) : RAS_OK;
    if (w->sink && status == RAS_OK) {
        status = ras_sink_flush(w->sink, err);
        if (status < 0)
            (void)!ras_sink_rewind(w->sink, ras_sink_size(w->sink), NULL);
    }
    writer_free(w);
    return status;
}

struct ras_bytes ras_dial9_writer_bytes(const struct ras_dial9_writer *w)
{
    return (struct ras_bytes){w->at, w->len};
}

uint64_t ras_dial9_writer_count(const struct ras_dial9_writer *w)
{
    return w->events;
}

/* ---- batches ---------------------------------------------------------------------- */

static void forget_batch(struct ras_dial9_writer *w)
{
    if (w->plan_count)
        memset(w->plans, 0, w->plan_count * sizeof *w->plans);
    intern_clear(&w->strings);
    intern_clear(&w->stacks);
    w->base_ns = 0;
}

int ras_dial9_writer_batch(struct ras_dial9_writer *w, struct ras_error *err)
{
    if (w->dialect == RAS_DIAL9_SEED)
        return fail(err, RAS_EUNSUPPORTED, dial9_writer_offset(w),
                    "a stream of the seed dialect has one header");
    int status = put_header(w, err);
    if (status == RAS_OK)
        forget_batch(w);
    return status;
}

int ras_dial9_writer_append(struct ras_dial9_writer *w, struct ras_sink *sink,
                            struct ras_error *err)
{
    if (w->sink)
        return fail(err, RAS_EUSAGE, RAS_NONE, "this writer has a sink of its own");
    int status = dial9_writer_open_for(w, err);
    if (status < 0)
        return status;
    if (w->len == RAS_DIAL9_HEADER_SIZE)
        return RAS_OK;
    status = pass(w, sink, err);
    if (status < 0)
        return status;
    forget_batch(w);
    w->spent = w->dialect == RAS_DIAL9_SEED;
    /* The buffer held a batch, so there is room for a header. */
    return w->spent ? RAS_OK : put_header(w, err);
}

/* ---- events ------------------------------------------------------------------------ */

static int refuse(const struct ras_dial9_writer *w, const struct known_type *type, unsigned i,
                  const struct put_fault *fault, struct ras_error *err)
{
    struct in in = {type->frames + 1, type->frames + type->schema_size, false};
    struct wire_schema schema;
    struct wire_field field = {0};
    dial9_schema_get(&in, &schema);
    struct in fields = in_bytes(schema.fields);
    for (unsigned k = 0; k <= i; k++)
        dial9_field_get(&fields, &field);
    return fail(err, fault->status, dial9_writer_offset(w), "field '%s' of event '%s': %s",
                dial9_label_bytes(field.name).text, dial9_label_bytes(schema.name).text,
                fault->text);
}

/* What the values take; RAS_NONE and err where they cannot be written. */
static uint64_t measure(const struct ras_dial9_writer *w, const struct known_type *type,
                        const struct ras_dial9_value *values, struct ras_error *err)
{
    uint64_t size = type->plan->head_size;
    for (unsigned i = 0; i < type->plan->field_count; i++) {
        struct put_fault fault;
        uint64_t more = dial9_value_size(&values[i], type->plan->steps[i].field, w->depth, &fault);
        if (more == RAS_NONE) {
            refuse(w, type, i, &fault, err);
            return RAS_NONE;
        }
        size += more;
    }
    return size;
}

/* The careful way, which also registers the type anew in a new batch. */
static int put_event(struct ras_dial9_writer *w, uint16_t type_id, uint64_t time_ns,
                     const struct ras_dial9_value *values, unsigned count, struct ras_error *err)
{
    int status = dial9_writer_open_for(w, err);
    if (status < 0)
        return status;
    const struct known_type *type = type_id < w->plan_count ? &w->types[type_id] : NULL;
    if (!type || !type->plan)
        return fail(err, RAS_EUSAGE, dial9_writer_offset(w),
                    "event of type_id %u, which no schema has registered", type_id);
    if (count != type->plan->field_count)
        return fail(err, RAS_EUSAGE, dial9_writer_offset(w),
                    "%u values for the %u fields of type_id %u", count, type->plan->field_count,
                    type_id);
    struct ras_error why = {0};
    uint64_t size = measure(w, type, values, &why);
    if (size == RAS_NONE) {
        if (err)
            *err = why;
        return why.status;
    }
    if (size > w->record_bytes || size > UINT32_MAX)
        return fail(err, RAS_ELIMIT, dial9_writer_offset(w),
                    "event of %" PRIu64 " bytes, the limit is %" PRIu64, size, w->record_bytes);
    uint64_t before = w->plans[type_id] ? 0 : type->size;
    status = dial9_make_room(w, before + DIAL9_RESET_SIZE + size, err);
    if (status < 0)
        return status;
    uint8_t *p = store_bytes(w->at + w->len, type->frames, (size_t)before);
    p = put_head(p, type->plan, &w->base_ns, time_ns);
    for (unsigned i = 0; i < count; i++)
        p = dial9_value_put(p, &values[i], type->plan->steps[i].field);
    w->plans[type_id] = type->plan;
    w->len = (size_t)(p - w->at);
    w->events++;
    return RAS_OK;
}

int ras_dial9_writer_event(struct ras_dial9_writer *w, uint16_t type_id, uint64_t time_ns,
                           const struct ras_dial9_value *values, uint16_t count,
                           struct ras_error *err)
{
    const struct put_plan *plan = type_id < w->plan_count ? w->plans[type_id] : NULL;
    if (__builtin_expect(!plan || count != plan->field_count || w->room - w->len < plan->most, 0))
        return put_event(w, type_id, time_ns, values, count, err);
    uint64_t wrong, base_ns = w->base_ns;
    uint8_t *p = put_head(w->at + w->len, plan, &base_ns, time_ns);
    p = put_by_plan(plan, &values, p, &wrong);
    if (__builtin_expect(wrong != 0, 0)) { /* nothing counts before `len` moves */
        unsigned n = plan->field_count;    /* asked of the plan, so that nobody keeps it */
        return put_event(w, (uint16_t)(plan->head >> 8), time_ns, values - n, n, err);
    }
    w->len = (size_t)(p - w->at);
    w->base_ns = base_ns;
    w->events++;
    return RAS_OK;
}
