/* dial9_write.c - events to a sink or to memory, each whole or not at all. */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "codec/leb128.h"
#include "codec/utf8.h"
#include "formats/dial9/dial9_intern.h"
#include "formats/dial9/dial9_put.h"

#include <stdlib.h>

/* A type and its frames, to be written again in the next batch. */
struct known_type {
    struct put_layout *layout; /* NULL: no such type */
    uint8_t *frames;           /* its Schema frame, then its annotations */
    size_t schema_size, size, room;
};

struct ras_dial9_writer {
    /* What an event touches, first. */
    uint8_t *at;
    size_t len, room;
    const struct put_layout **layouts; /* by type_id: those registered in this batch */
    size_t layout_count, layout_room;
    uint64_t base_ns;
    uint64_t events;

    struct known_type *types; /* by type_id, layout_count of them */
    size_t type_room;
    struct intern schemas, strings, stacks;
    struct ras_sink *sink; /* NULL: the buffer grows */
    uint64_t passed;       /* bytes that left the buffer */
    enum ras_dial9_dialect dialect;
    unsigned depth;
    uint64_t record_bytes, pool_bytes;
    bool spent; /* seed dialect: its only batch was appended */
};

/* The offset of the next frame. */
static inline uint64_t dial9_writer_offset(const struct ras_dial9_writer *w)
{
    return w->passed + w->len;
}

#define ROOM_USUAL ((size_t)64 << 10)

/* ---- the buffer ----------------------------------------------------------------- */

/* Write the buffer to the sink; after a failure the sink is rewound. */
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

/* Room for `need` bytes after what is buffered, and the slack. */
static int dial9_make_room(struct ras_dial9_writer *w, uint64_t need, struct ras_error *err)
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

/* RAS_OK, or why nothing can be added. */
static int dial9_writer_open_for(const struct ras_dial9_writer *w, struct ras_error *err)
{
    if (w->spent)
        return fail(err, RAS_EUNSUPPORTED, dial9_writer_offset(w),
                    "a stream of the seed dialect has one header, and its batch was appended");
    return RAS_OK;
}

/* ---- definitions ----------------------------------------------------------------- */

enum { POOL_SIZE = 5, ENTRY_SIZE = 8, ANNOTATION_SIZE = 8, TYPE_ID_SIZE = 3 };

static int define_refuse(const struct ras_dial9_writer *w, const struct put_fault *fault,
                         struct ras_error *err)
{
    return fail(err, fault->status, dial9_writer_offset(w), "%s", fault->text);
}

static int beyond_seed(const struct ras_dial9_writer *w, const char *what, struct ras_error *err)
{
    if (w->dialect != RAS_DIAL9_SEED)
        return dial9_writer_open_for(w, err);
    return fail(err, RAS_EUNSUPPORTED, dial9_writer_offset(w), "the seed dialect has no %s", what);
}

/* ---- schemas -------------------------------------------------------------------- */

/* Put the frame after what is buffered, without counting it yet. */
static int draft_schema(struct ras_dial9_writer *w, uint16_t type_id,
                        const struct ras_dial9_schema *schema, struct ras_bytes *frame,
                        struct ras_error *err)
{
    struct put_fault fault;
    int status = dial9_writer_open_for(w, err);
    if (status < 0)
        return status;
    uint64_t size = dial9_schema_size(schema, w->dialect, &fault);
    if (size == 0)
        return define_refuse(w, &fault, err);
    status = dial9_make_room(w, size, err);
    if (status < 0)
        return status;
    dial9_schema_put(w->at + w->len, type_id, schema);
    *frame = (struct ras_bytes){w->at + w->len, (size_t)size};
    return RAS_OK;
}

static bool types_grow(struct ras_dial9_writer *w, size_t count)
{
    if (count <= w->layout_count)
        return true;
    if (!array_grow(&w->types, &w->type_room, count, sizeof *w->types) ||
        !array_grow(&w->layouts, &w->layout_room, count, sizeof *w->layouts))
        return false;
    memset(w->types + w->layout_count, 0, (count - w->layout_count) * sizeof *w->types);
    memset(w->layouts + w->layout_count, 0, (count - w->layout_count) * sizeof *w->layouts);
    w->layout_count = count;
    return true;
}

/* Keep a type for its events, and its frame for later batches. */
static int keep_type(struct ras_dial9_writer *w, uint16_t type_id,
                     const struct ras_dial9_schema *schema, struct ras_bytes frame,
                     struct ras_error *err)
{
    struct put_layout *layout =
        malloc(sizeof *layout + schema->field_count * sizeof *layout->steps);
    uint8_t *copy = malloc(frame.len);
    if (!layout || !copy || !types_grow(w, type_id + (size_t)1)) {
        free(layout);
        free(copy);
        return fail_memory(err);
    }
    memcpy(copy, frame.at, frame.len);
    dial9_put_layout_fill(layout, type_id, schema);
    struct known_type *type = &w->types[type_id];
    free(type->layout);
    free(type->frames);
    *type = (struct known_type){layout, copy, frame.len, frame.len, frame.len};
    return RAS_OK;
}

/* All of a type's frames, once in a batch. */
static int register_again(struct ras_dial9_writer *w, uint16_t type_id, struct ras_error *err)
{
    const struct known_type *type = &w->types[type_id];
    if (w->layouts[type_id])
        return RAS_OK;
    int status = dial9_make_room(w, type->size, err);
    if (status < 0)
        return status;
    memcpy(w->at + w->len, type->frames, type->size);
    w->len += type->size;
    w->layouts[type_id] = type->layout;
    return RAS_OK;
}

int ras_dial9_writer_schema(struct ras_dial9_writer *w, const struct ras_dial9_schema *schema,
                            uint16_t *type_id, struct ras_error *err)
{
    struct ras_bytes frame;
    uint32_t id;
    int status = draft_schema(w, 0, schema, &frame, err);
    if (status < 0)
        return status;
    /* The contents of a schema begin after its id. */
    struct ras_bytes body = {frame.at + TYPE_ID_SIZE, frame.len - TYPE_ID_SIZE};
    uint64_t hash = intern_hash(body);
    if (intern_find(&w->schemas, hash, body, &id)) {
        *type_id = (uint16_t)id;
        return register_again(w, *type_id, err);
    }
    if (!intern_free_id(&w->schemas, UINT16_MAX, &id))
        return fail(err, RAS_ELIMIT, dial9_writer_offset(w), "all %u type ids are in use",
                    UINT16_MAX + 1u);
    store_u16(w->at + w->len + 1, (uint16_t)id);
    status = keep_type(w, (uint16_t)id, schema, frame, err);
    if (status < 0)
        return status;
    if (!intern_add(&w->schemas, hash, body, id))
        return fail_memory(err);
    *type_id = (uint16_t)id;
    w->layouts[id] = w->types[id].layout;
    w->len += frame.len;
    return RAS_OK;
}

int ras_dial9_writer_schema_as(struct ras_dial9_writer *w, uint16_t type_id,
                               const struct ras_dial9_schema *schema, struct ras_error *err)
{
    struct ras_bytes frame;
    int status = draft_schema(w, type_id, schema, &frame, err);
    if (status < 0)
        return status;
    const struct known_type *known = type_id < w->layout_count ? &w->types[type_id] : NULL;
    bool same = known && known->layout && known->schema_size == frame.len &&
                !memcmp(known->frames, frame.at, frame.len);
    if (!same && known && w->layouts[type_id])
        return fail(err, RAS_EUSAGE, dial9_writer_offset(w),
                    "type_id %u is registered in this batch with another schema than '%s'", type_id,
                    dial9_label(schema->name).text);
    /* An id that was given for this very schema is kept. */
    if (!same && !intern_take(&w->schemas, type_id))
        return fail_memory(err);
    if (!same)
        status = keep_type(w, type_id, schema, frame, err);
    if (status < 0)
        return status;
    w->layouts[type_id] = w->types[type_id].layout;
    w->len += frame.len;
    return RAS_OK;
}

/* ---- annotations ------------------------------------------------------------------ */

static int check_annotation(const struct ras_dial9_writer *w, const struct known_type *type,
                            const struct ras_dial9_annotation *note, struct ras_error *err)
{
    uint64_t at = dial9_writer_offset(w);
    if (type && type->layout && note->field_index >= type->layout->field_count)
        return fail(err, RAS_EUSAGE, at, "annotation of field %u of a type that has %u",
                    note->field_index, type->layout->field_count);
    if (note->key.len > UINT16_MAX || note->value.len > UINT32_MAX)
        return fail(err, RAS_ELIMIT, at, "annotation with a key of %zu and a value of %zu bytes",
                    note->key.len, note->value.len);
    if (!utf8_check(note->key.at, note->key.len, NULL) ||
        !utf8_check(note->value.at, note->value.len, NULL))
        return fail(err, RAS_EFORMAT, at, "annotation of field %u is not UTF-8", note->field_index);
    return RAS_OK;
}

/* Annotations are repeated with their type in the next batch. */
static bool remember_frame(struct known_type *type, const uint8_t *frame, size_t size)
{
    if (!array_grow(&type->frames, &type->room, type->size + size, 1))
        return false;
    memcpy(type->frames + type->size, frame, size);
    type->size += size;
    return true;
}

int ras_dial9_writer_annotate(struct ras_dial9_writer *w, uint64_t type_id,
                              const struct ras_dial9_annotation *annotations, uint16_t count,
                              struct ras_error *err)
{
    struct known_type *type = type_id < w->layout_count ? &w->types[type_id] : NULL;
    uint64_t size = 1 + leb128_size(type_id) + 2;
    int status = beyond_seed(w, "annotations", err);
    for (unsigned i = 0; i < count && status == RAS_OK; i++) {
        size += ANNOTATION_SIZE + (uint64_t)annotations[i].key.len + annotations[i].value.len;
        status = check_annotation(w, type, &annotations[i], err);
    }
    if (status == RAS_OK)
        status = dial9_make_room(w, size, err);
    if (status < 0)
        return status;
    uint8_t *start = w->at + w->len;
    uint8_t *p = dial9_leb128_put(store_u8(start, RAS_DIAL9_SCHEMA_ANNOTATIONS), type_id);
    p = store_u16(p, count);
    for (unsigned i = 0; i < count; i++) {
        const struct ras_dial9_annotation *note = &annotations[i];
        p = store_u16(store_u16(p, note->field_index), (uint16_t)note->key.len);
        p = store_u32(store_bytes(p, note->key.at, note->key.len), (uint32_t)note->value.len);
        p = store_bytes(p, note->value.at, note->value.len);
    }
    if (type && w->layouts[type_id] && !remember_frame(type, start, (size_t)size))
        return fail_memory(err);
    w->len += (size_t)size;
    return RAS_OK;
}

/* ---- pools ------------------------------------------------------------------------ */

/* A new entry, drafted with its frame: give it an id, and count it. */
static int add_entry(struct ras_dial9_writer *w, struct intern *pool, uint64_t hash, size_t size,
                     uint32_t *pool_id, struct ras_error *err)
{
    enum { HEAD = POOL_SIZE + ENTRY_SIZE };
    uint8_t *frame = w->at + w->len;
    struct ras_bytes data = {frame + HEAD, size - HEAD};
    uint64_t at = dial9_writer_offset(w);
    if (pool->bytes + data.len > w->pool_bytes)
        return fail(err, RAS_ELIMIT, at,
                    "a pool needs more than %" PRIu64 " bytes of memory, it holds %" PRIu64,
                    w->pool_bytes, pool->bytes);
    if (!intern_free_id(pool, UINT32_MAX, pool_id))
        return fail(err, RAS_ELIMIT, at, "all %" PRIu64 " pool ids are in use",
                    (uint64_t)UINT32_MAX + 1);
    if (!intern_add(pool, hash, data, *pool_id))
        return fail_memory(err);
    store_u32(frame + POOL_SIZE, *pool_id);
    w->len += size;
    return RAS_OK;
}

static int define_check_text(const struct ras_dial9_writer *w, struct ras_bytes text,
                             struct ras_error *err)
{
    struct utf8_fault bad;
    if (text.len > UINT32_MAX)
        return fail(err, RAS_ELIMIT, dial9_writer_offset(w),
                    "string of %zu bytes, the most is %" PRIu32, text.len, UINT32_MAX);
    if (!utf8_check(text.at, text.len, &bad))
        return fail(err, RAS_EFORMAT, dial9_writer_offset(w),
                    "string is not UTF-8 from byte %zu of %zu", bad.at, text.len);
    return RAS_OK;
}

static uint8_t *put_pool(uint8_t *p, uint8_t tag, uint32_t count)
{
    return store_u32(store_u8(p, tag), count);
}

int ras_dial9_writer_string(struct ras_dial9_writer *w, struct ras_bytes text, uint32_t *pool_id,
                            struct ras_error *err)
{
    uint64_t size = POOL_SIZE + ENTRY_SIZE + (uint64_t)text.len, hash = intern_hash(text);
    int status = dial9_writer_open_for(w, err);
    if (status == RAS_OK && intern_find(&w->strings, hash, text, pool_id))
        return RAS_OK;
    if (status == RAS_OK)
        status = define_check_text(w, text, err);
    if (status == RAS_OK)
        status = dial9_make_room(w, size, err);
    if (status < 0)
        return status;
    uint8_t *p = store_u32(put_pool(w->at + w->len, RAS_DIAL9_STRING_POOL, 1), 0);
    store_bytes(store_u32(p, (uint32_t)text.len), text.at, text.len);
    return add_entry(w, &w->strings, hash, (size_t)size, pool_id, err);
}

int ras_dial9_writer_stack(struct ras_dial9_writer *w, const uint64_t *addresses, uint32_t count,
                           uint32_t *pool_id, struct ras_error *err)
{
    uint64_t size = POOL_SIZE + ENTRY_SIZE + (uint64_t)count * DIAL9_ADDRESS_SIZE;
    int status = beyond_seed(w, "Stack Pool frames", err);
    if (status == RAS_OK)
        status = dial9_make_room(w, size, err);
    if (status < 0)
        return status;
    uint8_t *p = store_u32(put_pool(w->at + w->len, RAS_DIAL9_STACK_POOL, 1), 0);
    p = store_u32(p, count);
    struct ras_bytes data = {p, (size_t)count * DIAL9_ADDRESS_SIZE};
    for (uint32_t i = 0; i < count; i++)
        p = store_u64(p, addresses[i]);
    uint64_t hash = intern_hash(data); /* of the bytes as stored, whatever the machine */
    if (intern_find(&w->stacks, hash, data, pool_id))
        return RAS_OK;
    return add_entry(w, &w->stacks, hash, (size_t)size, pool_id, err);
}

int ras_dial9_writer_strings(struct ras_dial9_writer *w,
                             const struct ras_dial9_string_entry *entries, uint32_t count,
                             struct ras_error *err)
{
    uint64_t size = POOL_SIZE;
    int status = dial9_writer_open_for(w, err);
    for (uint32_t i = 0; i < count && status == RAS_OK; i++) {
        size += ENTRY_SIZE + (uint64_t)entries[i].text.len;
        status = define_check_text(w, entries[i].text, err);
    }
    if (status == RAS_OK)
        status = dial9_make_room(w, size, err);
    for (uint32_t i = 0; i < count && status == RAS_OK; i++)
        if (!intern_take(&w->strings, entries[i].pool_id))
            status = fail_memory(err);
    if (status < 0)
        return status;
    uint8_t *p = put_pool(w->at + w->len, RAS_DIAL9_STRING_POOL, count);
    for (uint32_t i = 0; i < count; i++) {
        p = store_u32(store_u32(p, entries[i].pool_id), (uint32_t)entries[i].text.len);
        p = store_bytes(p, entries[i].text.at, entries[i].text.len);
    }
    w->len += (size_t)size;
    return RAS_OK;
}

int ras_dial9_writer_stacks(struct ras_dial9_writer *w, const struct ras_dial9_stack_entry *entries,
                            uint32_t count, struct ras_error *err)
{
    uint64_t size = POOL_SIZE;
    int status = beyond_seed(w, "Stack Pool frames", err);
    for (uint32_t i = 0; i < count; i++)
        size += ENTRY_SIZE + (uint64_t)entries[i].stack.count * DIAL9_ADDRESS_SIZE;
    if (status == RAS_OK)
        status = dial9_make_room(w, size, err);
    for (uint32_t i = 0; i < count && status == RAS_OK; i++)
        if (!intern_take(&w->stacks, entries[i].pool_id))
            status = fail_memory(err);
    if (status < 0)
        return status;
    uint8_t *p = put_pool(w->at + w->len, RAS_DIAL9_STACK_POOL, count);
    for (uint32_t i = 0; i < count; i++) {
        p = store_u32(store_u32(p, entries[i].pool_id), entries[i].stack.count);
        p = store_bytes(p, entries[i].stack.at,
                        (size_t)entries[i].stack.count * DIAL9_ADDRESS_SIZE);
    }
    w->len += (size_t)size;
    return RAS_OK;
}

/* ---- events ---------------------------------------------------------------------- */

static int write_put_header(struct ras_dial9_writer *w, struct ras_error *err)
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
    for (size_t i = 0; i < w->layout_count; i++) {
        free(w->types[i].layout);
        free(w->types[i].frames);
    }
    free(w->types);
    free(w->layouts);
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
        status = write_put_header(w, err);
    if (status < 0) {
        writer_free(w);
        return status;
    }
    w->sink = sink;
    *out = w;
    return RAS_OK;
}

int ras_dial9_writer_flush(struct ras_dial9_writer *w, struct ras_error *err)
{
    int status = w->sink ? pass(w, w->sink, err) : RAS_OK;
    if (w->sink && status == RAS_OK) {
        status = ras_sink_flush(w->sink, err);
        if (status < 0)
            (void)!ras_sink_rewind(w->sink, ras_sink_size(w->sink), NULL);
    }
    return status;
}

int ras_dial9_writer_close(struct ras_dial9_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = ras_dial9_writer_flush(w, err);
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
    if (w->layout_count)
        memset(w->layouts, 0, w->layout_count * sizeof *w->layouts);
    intern_clear(&w->strings);
    intern_clear(&w->stacks);
    w->base_ns = 0;
}

int ras_dial9_writer_batch(struct ras_dial9_writer *w, struct ras_error *err)
{
    if (w->dialect == RAS_DIAL9_SEED)
        return fail(err, RAS_EUNSUPPORTED, dial9_writer_offset(w),
                    "a stream of the seed dialect has one header");
    int status = write_put_header(w, err);
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
    return w->spent ? RAS_OK : write_put_header(w, err);
}

/* ---- events ------------------------------------------------------------------------ */

static int write_refuse(const struct ras_dial9_writer *w, const struct known_type *type, unsigned i,
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

/* The size of the values; RAS_NONE and err if they cannot be written. */
static uint64_t measure_event(const struct ras_dial9_writer *w, const struct known_type *type,
                              const struct ras_dial9_value *values, struct ras_error *err)
{
    uint64_t size = type->layout->head_size;
    for (unsigned i = 0; i < type->layout->field_count; i++) {
        struct put_fault fault;
        uint64_t more =
            dial9_value_size(&values[i], type->layout->steps[i].field, w->depth, &fault);
        if (more == RAS_NONE) {
            write_refuse(w, type, i, &fault, err);
            return RAS_NONE;
        }
        size += more;
    }
    return size;
}

/* The slow path, which also registers the type again in a new batch. */
static int write_put_event(struct ras_dial9_writer *w, uint16_t type_id, uint64_t time_ns,
                           const struct ras_dial9_value *values, unsigned count,
                           struct ras_error *err)
{
    int status = dial9_writer_open_for(w, err);
    if (status < 0)
        return status;
    const struct known_type *type = type_id < w->layout_count ? &w->types[type_id] : NULL;
    if (!type || !type->layout)
        return fail(err, RAS_EUSAGE, dial9_writer_offset(w),
                    "event of type_id %u, which no schema has registered", type_id);
    if (count != type->layout->field_count)
        return fail(err, RAS_EUSAGE, dial9_writer_offset(w),
                    "%u values for the %u fields of type_id %u", count, type->layout->field_count,
                    type_id);
    struct ras_error why = {0};
    uint64_t size = measure_event(w, type, values, &why);
    if (size == RAS_NONE) {
        if (err)
            *err = why;
        return why.status;
    }
    if (size > w->record_bytes || size > UINT32_MAX)
        return fail(err, RAS_ELIMIT, dial9_writer_offset(w),
                    "event of %" PRIu64 " bytes, the limit is %" PRIu64, size, w->record_bytes);
    uint64_t before = w->layouts[type_id] ? 0 : type->size;
    status = dial9_make_room(w, before + DIAL9_RESET_SIZE + size, err);
    if (status < 0)
        return status;
    uint8_t *p = store_bytes(w->at + w->len, type->frames, (size_t)before);
    p = put_head(p, type->layout, &w->base_ns, time_ns);
    for (unsigned i = 0; i < count; i++)
        p = dial9_value_put(p, &values[i], type->layout->steps[i].field);
    w->layouts[type_id] = type->layout;
    w->len = (size_t)(p - w->at);
    w->events++;
    return RAS_OK;
}

int ras_dial9_writer_event(struct ras_dial9_writer *w, uint16_t type_id, uint64_t time_ns,
                           const struct ras_dial9_value *values, uint16_t count,
                           struct ras_error *err)
{
    const struct put_layout *layout = type_id < w->layout_count ? w->layouts[type_id] : NULL;
    if (__builtin_expect(!layout || count != layout->field_count || w->room - w->len < layout->most,
                         0))
        return write_put_event(w, type_id, time_ns, values, count, err);
    uint64_t wrong, base_ns = w->base_ns;
    uint8_t *p = put_head(w->at + w->len, layout, &base_ns, time_ns);
    p = put_by_layout(layout, &values, p, &wrong);
    if (__builtin_expect(wrong != 0, 0)) { /* uncommitted until `len` moves */
        unsigned n = layout->field_count;  /* read from the layout, so that it need not be kept */
        return write_put_event(w, (uint16_t)(layout->head >> 8), time_ns, values - n, n, err);
    }
    w->len = (size_t)(p - w->at);
    w->base_ns = base_ns;
    w->events++;
    return RAS_OK;
}
