/* dial9_record_types.c - schemas and entries of pools that a program declares for its events.
 *
 * They are few, and have one number each in the process, whichever threads use them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/fnv1a.h"
#include "codec/utf8.h"
#include "formats/dial9/dial9_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { POOL_SIZE = 5, ENTRY_SIZE = 8 };

/* ---- one number each ------------------------------------------------------------------ */

/* Where in its frame the number is, and how long. */
static size_t number_at(enum type_kind kind)
{
    return kind == TYPE_SCHEMA ? 1 : POOL_SIZE;
}

static size_t number_size(enum type_kind kind)
{
    return kind == TYPE_SCHEMA ? 2 : 4;
}

static uint64_t hash_of(const struct type *t)
{
    size_t at = number_at(t->kind), end = at + number_size(t->kind);
    return fnv1a_bytes(fnv1a_bytes(FNV1A_START, t->frame, at), t->frame + end, t->frame_size - end);
}

static bool is_same(const struct type *a, const struct type *b)
{
    size_t at = number_at(a->kind), end = at + number_size(a->kind);
    return a->kind == b->kind && a->frame_size == b->frame_size &&
           !memcmp(a->frame, b->frame, at) &&
           !memcmp(a->frame + end, b->frame + end, a->frame_size - end);
}

static uint32_t *slot_of(const struct type *t)
{
    size_t i = (size_t)hash_of(t) & (recorder.type_index_room - 1);
    while (recorder.type_index[i] && !is_same(recorder.types[recorder.type_index[i] - 1], t))
        i = (i + 1) & (recorder.type_index_room - 1);
    return &recorder.type_index[i];
}

static bool make_index(void)
{
    size_t room = recorder.type_index_room ? recorder.type_index_room * 2 : 256;
    if (recorder.type_count < recorder.type_index_room / 2)
        return true;
    uint32_t *slots = calloc(room, sizeof *slots), *old = recorder.type_index;
    if (!slots)
        return false;
    recorder.type_index = slots;
    recorder.type_index_room = room;
    for (uint32_t i = 0; i < recorder.type_count; i++)
        *slot_of(recorder.types[i]) = i + 1;
    free(old);
    return true;
}

static void type_free(struct type *t)
{
    if (!t)
        return;
    free(t->frame);
    free(t->plan);
    free(t);
}

static void number(struct type *t, uint32_t id)
{
    if (t->kind != TYPE_SCHEMA) {
        store_u32(t->frame + number_at(t->kind), id);
        return;
    }
    store_u16(t->frame + number_at(t->kind), (uint16_t)id);
}

/* The number of what `t` is, which is kept if it is new, else freed. */
static int add(struct type *t, const struct ras_dial9_schema *schema, uint32_t *id,
               struct ras_error *err)
{
    uint32_t next = recorder.type_count;
    uint32_t *slot = make_index() ? slot_of(t) : NULL;
    int status = RAS_OK;
    if (!slot)
        status = fail_memory(err);
    else if (*slot)
        *id = *slot - 1;
    else if (next >= STREAM_TYPES)
        status = fail(err, RAS_ELIMIT, RAS_NONE,
                      "%d schemas, strings and stacks are declared, no more can be", STREAM_TYPES);
    if (!slot || *slot || status < 0) {
        type_free(t);
        return status;
    }
    number(t, next);
    if (schema)
        dial9_put_plan_fill(t->plan, (uint16_t)next, schema);
    *slot = next + 1;
    *id = next;
    STORE_RELEASE(&recorder.types[next], t);
    STORE_RELEASE(&recorder.type_count, next + 1);
    return RAS_OK;
}

static int declare(struct type *t, const struct ras_dial9_schema *schema, uint32_t *id,
                   struct ras_error *err)
{
    if (!t)
        return fail_memory(err);
    struct ras_lane *was = lane_suspend();
    lock_take(&recorder.names.lock);
    STORE_RELEASE(&recorder.stream_ops, &dial9_stream_ops);
    int status = add(t, schema, id, err);
    stream_declare();
    lock_give(&recorder.names.lock);
    lane_resume(was);
    return status;
}

static struct type *type_new(enum type_kind kind, size_t size, size_t plan_size)
{
    struct type *t = calloc(1, sizeof *t);
    uint8_t *frame = malloc(size);
    struct put_plan *plan = plan_size ? calloc(1, plan_size) : NULL;
    if (!t || !frame || (plan_size && !plan)) {
        free(t);
        free(frame);
        free(plan);
        return NULL;
    }
    *t = (struct type){.kind = kind, .frame = frame, .frame_size = size, .plan = plan};
    return t;
}

/* ---- schemas -------------------------------------------------------------------------- */

static bool has_pooled(const struct ras_dial9_schema *schema)
{
    for (unsigned i = 0; i < schema->field_count; i++) {
        uint8_t type = schema->fields[i].type & (uint8_t)~RAS_DIAL9_OPTIONAL;
        if (type == RAS_DIAL9_POOLED_STRING || type == RAS_DIAL9_POOLED_STACK_FRAMES)
            return true;
    }
    return false;
}

int ras_event_schema(const struct ras_dial9_schema *schema, uint32_t *id, struct ras_error *err)
{
    struct put_fault fault;
    uint64_t size = dial9_schema_size(schema, RAS_DIAL9_FULL, &fault);
    if (!size)
        return fail(err, fault.status, RAS_NONE, "%s", fault.text);
    struct type *t = type_new(TYPE_SCHEMA, (size_t)size,
                              sizeof *t->plan + schema->field_count * sizeof *t->plan->steps);
    if (t) {
        dial9_schema_put(t->frame, 0, schema);
        t->pooled = has_pooled(schema);
    }
    return declare(t, schema, id, err);
}

/* ---- pools ---------------------------------------------------------------------------- */

/* A frame of one entry, up to its bytes. */
static uint8_t *put_entry(struct type *t, uint8_t tag, uint32_t count)
{
    uint8_t *p = store_u32(store_u8(t->frame, tag), 1);
    return store_u32(store_u32(p, 0), count);
}

int ras_event_string(struct ras_bytes text, uint32_t *pool_id, struct ras_error *err)
{
    struct utf8_fault bad;
    if (text.len > RAS_EVENT_POOLED_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "string of %zu bytes, the most is %u", text.len,
                    RAS_EVENT_POOLED_MOST);
    if (!utf8_check(text.at, text.len, &bad))
        return fail(err, RAS_EFORMAT, RAS_NONE, "string is not UTF-8 from byte %zu of %zu", bad.at,
                    text.len);
    struct type *t = type_new(TYPE_STRING, POOL_SIZE + ENTRY_SIZE + text.len, 0);
    if (t)
        store_bytes(put_entry(t, RAS_DIAL9_STRING_POOL, (uint32_t)text.len), text.at, text.len);
    return declare(t, NULL, pool_id, err);
}

int ras_event_stack(const uint64_t *addresses, uint32_t count, uint32_t *pool_id,
                    struct ras_error *err)
{
    if (count > RAS_EVENT_POOLED_MOST / DIAL9_ADDRESS_SIZE)
        return fail(err, RAS_ELIMIT, RAS_NONE, "stack of %u addresses, the most is %u", count,
                    RAS_EVENT_POOLED_MOST / DIAL9_ADDRESS_SIZE);
    struct type *t =
        type_new(TYPE_STACK, POOL_SIZE + ENTRY_SIZE + (size_t)count * DIAL9_ADDRESS_SIZE, 0);
    uint8_t *p = t ? put_entry(t, RAS_DIAL9_STACK_POOL, count) : NULL;
    for (uint32_t i = 0; t && i < count; i++)
        p = store_u64(p, addresses[i]);
    return declare(t, NULL, pool_id, err);
}

/* ---- what a lane that outlives its process needs ------------------------------------- */

static void put_type(struct out *out, uint32_t id, const void *bytes, size_t size)
{
    uint8_t head[8];
    store_u32(store_u32(head, id), (uint32_t)size);
    out_bytes(out, head, sizeof head);
    out_bytes(out, bytes, size);
}

/* Records of a number, a size and the bytes: those that begin a batch, those that begin a
 * Timestamp Reset, and the frames of what was declared by their numbers. */
void dial9_types_declare(const char *dir, uint32_t from)
{
    static const uint8_t reset[] = {RAS_DIAL9_TIMESTAMP_RESET};
    uint8_t header[RAS_DIAL9_HEADER_SIZE];
    char path[8192];
    struct out out = {0};
    store_u8(store_bytes(header, DIAL9_MAGIC, DIAL9_MAGIC_SIZE), RAS_DIAL9_VERSION);
    if (!from) {
        put_type(&out, STREAM_BATCH, header, sizeof header);
        put_type(&out, STREAM_BASE, reset, sizeof reset);
    }
    for (uint32_t i = from; i < recorder.type_count; i++) {
        const struct type *t = recorder.types[i];
        put_type(&out, i, t->frame, t->frame_size);
    }
    snprintf(path, sizeof path, "%s/" STREAM_TYPES_NAME, dir);
    int fd =
        out.failed || !out.len ? -1 : open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0) {
        (void)!write(fd, out.at, out.len);
        close(fd);
    }
    out_free(&out);
}

void dial9_types_forget(const char *dir)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/" STREAM_TYPES_NAME, dir);
    unlink(path);
}
