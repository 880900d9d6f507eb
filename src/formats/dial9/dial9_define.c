/* dial9_define.c - what a writer's events refer to: schemas, pools, annotations. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/leb128.h"
#include "codec/utf8.h"
#include "formats/dial9/dial9_write.h"

#include <stdlib.h>

enum { POOL_SIZE = 5, ENTRY_SIZE = 8, ANNOTATION_SIZE = 8, TYPE_ID_SIZE = 3 };

static int refuse(const struct ras_dial9_writer *w, const struct put_fault *fault,
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

/* The frame, put behind what is buffered but not counted yet. */
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
        return refuse(w, &fault, err);
    status = dial9_make_room(w, size, err);
    if (status < 0)
        return status;
    dial9_schema_put(w->at + w->len, type_id, schema);
    *frame = (struct ras_bytes){w->at + w->len, (size_t)size};
    return RAS_OK;
}

static bool types_grow(struct ras_dial9_writer *w, size_t count)
{
    if (count <= w->plan_count)
        return true;
    if (!array_grow(&w->types, &w->type_room, count, sizeof *w->types) ||
        !array_grow(&w->plans, &w->plan_room, count, sizeof *w->plans))
        return false;
    memset(w->types + w->plan_count, 0, (count - w->plan_count) * sizeof *w->types);
    memset(w->plans + w->plan_count, 0, (count - w->plan_count) * sizeof *w->plans);
    w->plan_count = count;
    return true;
}

/* Keep a type for its events, and its frame for later batches. */
static int keep_type(struct ras_dial9_writer *w, uint16_t type_id,
                     const struct ras_dial9_schema *schema, struct ras_bytes frame,
                     struct ras_error *err)
{
    struct put_plan *plan = malloc(sizeof *plan + schema->field_count * sizeof *plan->steps);
    uint8_t *copy = malloc(frame.len);
    if (!plan || !copy || !types_grow(w, type_id + (size_t)1)) {
        free(plan);
        free(copy);
        return fail_memory(err);
    }
    memcpy(copy, frame.at, frame.len);
    dial9_put_plan_fill(plan, type_id, schema);
    struct known_type *type = &w->types[type_id];
    free(type->plan);
    free(type->frames);
    *type = (struct known_type){plan, copy, frame.len, frame.len, frame.len};
    return RAS_OK;
}

/* All of a type's frames, once in a batch. */
static int register_again(struct ras_dial9_writer *w, uint16_t type_id, struct ras_error *err)
{
    const struct known_type *type = &w->types[type_id];
    if (w->plans[type_id])
        return RAS_OK;
    int status = dial9_make_room(w, type->size, err);
    if (status < 0)
        return status;
    memcpy(w->at + w->len, type->frames, type->size);
    w->len += type->size;
    w->plans[type_id] = type->plan;
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
    /* What a schema says begins behind its id. */
    struct ras_bytes body = {frame.at + TYPE_ID_SIZE, frame.len - TYPE_ID_SIZE};
    uint64_t hash = intern_hash(body);
    if (intern_find(&w->schemas, hash, body, &id)) {
        *type_id = (uint16_t)id;
        return register_again(w, *type_id, err);
    }
    if (!intern_free_id(&w->schemas, UINT16_MAX, &id))
        return fail(err, RAS_ELIMIT, dial9_writer_offset(w), "all %u type ids are given",
                    UINT16_MAX + 1u);
    store_u16(w->at + w->len + 1, (uint16_t)id);
    status = keep_type(w, (uint16_t)id, schema, frame, err);
    if (status < 0)
        return status;
    if (!intern_add(&w->schemas, hash, body, id))
        return fail_memory(err);
    *type_id = (uint16_t)id;
    w->plans[id] = w->types[id].plan;
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
    const struct known_type *known = type_id < w->plan_count ? &w->types[type_id] : NULL;
    bool same = known && known->plan && known->schema_size == frame.len &&
                !memcmp(known->frames, frame.at, frame.len);
    if (!same && known && w->plans[type_id])
        return fail(err, RAS_EUSAGE, dial9_writer_offset(w),
                    "type_id %u is registered in this batch with another schema than '%s'", type_id,
                    dial9_label(schema->name).text);
    /* An id that was given for this very schema keeps standing for it. */
    if (!same && !intern_take(&w->schemas, type_id))
        return fail_memory(err);
    if (!same)
        status = keep_type(w, type_id, schema, frame, err);
    if (status < 0)
        return status;
    w->plans[type_id] = w->types[type_id].plan;
    w->len += frame.len;
    return RAS_OK;
}

/* ---- annotations ------------------------------------------------------------------ */

static int check_annotation(const struct ras_dial9_writer *w, const struct known_type *type,
                            const struct ras_dial9_annotation *note, struct ras_error *err)
{
    uint64_t at = dial9_writer_offset(w);
    if (type && type->plan && note->field_index >= type->plan->field_count)
        return fail(err, RAS_EUSAGE, at, "annotation of field %u of a type that has %u",
                    note->field_index, type->plan->field_count);
    if (note->key.len > UINT16_MAX || note->value.len > UINT32_MAX)
        return fail(err, RAS_ELIMIT, at, "annotation with a key of %zu and a value of %zu bytes",
                    note->key.len, note->value.len);
    if (!utf8_check(note->key.at, note->key.len, NULL) ||
        !utf8_check(note->value.at, note->value.len, NULL))
        return fail(err, RAS_EFORMAT, at, "annotation of field %u is not UTF-8", note->field_index);
    return RAS_OK;
}

/* Annotations come again with their type in the next batch. */
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
    struct known_type *type = type_id < w->plan_count ? &w->types[type_id] : NULL;
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
    if (type && w->plans[type_id] && !remember_frame(type, start, (size_t)size))
        return fail_memory(err);
    w->len += (size_t)size;
    return RAS_OK;
}

/* ---- pools ------------------------------------------------------------------------ */

/* An entry that is new, drafted with its frame: give it an id, and count it in. */
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
        return fail(err, RAS_ELIMIT, at, "all %" PRIu64 " pool ids are given",
                    (uint64_t)UINT32_MAX + 1);
    if (!intern_add(pool, hash, data, *pool_id))
        return fail_memory(err);
    store_u32(frame + POOL_SIZE, *pool_id);
    w->len += size;
    return RAS_OK;
}

static int check_text(const struct ras_dial9_writer *w, struct ras_bytes text,
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
        status = check_text(w, text, err);
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
        status = check_text(w, entries[i].text, err);
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
