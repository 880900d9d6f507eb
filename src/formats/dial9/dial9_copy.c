/* dial9_copy.c - events copied into a new stream, with the definitions they need. */
#include "base/memory.h"
#include "base/out.h"
#include "codec/leb128.h"
#include "formats/dial9/dial9_copy.h"
#include "formats/dial9/dial9_put.h"

#include <stdlib.h>

/* ---- pools ----------------------------------------------------------------------- */

enum { POOL_SIZE = 5, ENTRY_SIZE = 8 };

/* One of the two pools, on both sides. */
struct side {
    struct copier *k;
    struct copied_batch *b;
    const struct dial9_pool *pool;
    struct id_map *map;
    struct intern *now, *lost;
    uint8_t tag;
};

static struct side side_of(struct copier *k, struct copied_batch *b, bool stack)
{
    return (struct side){k,
                         b,
                         stack ? &b->batch->stacks : &b->batch->strings,
                         stack ? &b->stacks : &b->strings,
                         stack ? &k->stacks : &k->strings,
                         stack ? &b->lost_stacks : &b->lost_strings,
                         stack ? RAS_DIAL9_STACK_POOL : RAS_DIAL9_STRING_POOL};
}

static struct ras_bytes data_of(const struct side *s, const struct pool_entry *entry)
{
    struct ras_bytes all = source_bytes(s->k->rw->sources[s->b->source]->source, 0);
    size_t width = s->tag == RAS_DIAL9_STACK_POOL ? DIAL9_ADDRESS_SIZE : 1;
    return (struct ras_bytes){all.at + entry->offset, entry->length * width};
}

static int copy_put_entry(const struct side *s, uint32_t id, const struct pool_entry *entry,
                          struct ras_error *err)
{
    struct ras_bytes data = data_of(s, entry);
    size_t size = POOL_SIZE + ENTRY_SIZE + data.len;
    uint8_t *p = dial9_copy_room(s->k, size, err);
    if (!p)
        return s->k->failed;
    if (s->k->with_companions && s->tag == RAS_DIAL9_STACK_POOL &&
        !dial9_companions_stack(s->k, data))
        return fail_memory(err);
    p = store_u32(store_u8(p, s->tag), 1);
    p = store_u32(store_u32(p, id), entry->length);
    store_bytes(p, data.at, data.len);
    s->k->len += size;
    return RAS_OK;
}

static int all_given(const struct side *s, struct ras_error *err)
{
    return fail(err, RAS_ELIMIT, RAS_NONE, "one batch would have more than %" PRIu32 " %s",
                UINT32_MAX, s->tag == RAS_DIAL9_STACK_POOL ? "stacks" : "strings");
}

static int new_id(const struct side *s, const struct pool_entry *entry, uint32_t *id,
                  struct ras_error *err)
{
    struct ras_bytes data = data_of(s, entry);
    uint64_t hash = intern_hash(data);
    if (intern_find(s->now, hash, data, id))
        return RAS_OK;
    if (!intern_free_id(s->now, UINT32_MAX, id))
        return all_given(s, err);
    if (!intern_add(s->now, hash, data, *id))
        return fail_memory(err);
    return copy_put_entry(s, *id, entry, err);
}

/* An id that is undefined where it is used. */
static int lost_id(const struct side *s, uint32_t was, uint32_t *id, struct ras_error *err)
{
    uint8_t key[4];
    store_u32(key, was);
    struct ras_bytes bytes = {key, sizeof key};
    uint64_t hash = intern_hash(bytes);
    if (intern_find(s->lost, hash, bytes, id))
        return RAS_OK;
    if (!intern_free_id(s->now, UINT32_MAX, id))
        return all_given(s, err);
    if (!intern_take(s->now, *id) || !intern_add(s->lost, hash, bytes, *id))
        return fail_memory(err);
    return RAS_OK;
}

static int map_id(const struct side *s, uint32_t was, uint64_t at, uint32_t *id,
                  struct ras_error *err)
{
    const struct pool_entry *entry = dial9_pool_find(s->pool, was, at);
    if (!entry)
        return lost_id(s, was, id, err);
    size_t index = (size_t)(entry - s->pool->entries), old = s->map->room;
    if (index >= old) {
        if (!array_grow(&s->map->at, &s->map->room, index + 1, sizeof *s->map->at))
            return fail_memory(err);
        memset(s->map->at + old, 0, (s->map->room - old) * sizeof *s->map->at);
    }
    if (s->map->at[index]) {
        *id = s->map->at[index] - 1;
        return RAS_OK;
    }
    int status = new_id(s, entry, id, err);
    if (status == RAS_OK && *id < UINT32_MAX)
        s->map->at[index] = *id + 1;
    return status;
}

/* ---- where ids stand in an event -------------------------------------------------------- */

/* An event whose values were checked: lengths are trusted here. */
struct walk {
    struct copier *k;
    struct copied_batch *b;
    const struct ras_record *r;
    const uint8_t *p;
    struct ras_error *err;
    int status;
};

static const uint8_t widths[] = {
    [RAS_DIAL9_I64] = 8, [RAS_DIAL9_F64] = 8, [RAS_DIAL9_BOOL] = 1,
    [RAS_DIAL9_U8] = 1,  [RAS_DIAL9_U16] = 2, [RAS_DIAL9_U32] = 4,
};

static void note_id(struct walk *w, bool stack)
{
    struct copied_batch *b = w->b;
    struct copier *k = w->k;
    uint32_t id, was = load_u32(w->p);
    bool known = stack ? dial9_known_id(&b->batch->stacks, &b->stacks, was, w->r->offset, &id)
                       : dial9_known_id(&b->batch->strings, &b->strings, was, w->r->offset, &id);
    if (!known) {
        struct side side = side_of(k, b, stack);
        w->status = map_id(&side, was, w->r->offset, &id, w->err);
    }
    if (w->status == RAS_OK && k->place_count == k->place_room &&
        !array_grow(&k->places, &k->place_room, k->place_count + 1, sizeof *k->places))
        w->status = fail_memory(w->err);
    if (w->status == RAS_OK)
        k->places[k->place_count++] = (struct patch_place){(uint32_t)(w->p - w->r->raw), id};
    w->p += 4;
}

static void walk_value(struct walk *w, uint8_t type);

static void walk_long(struct walk *w, uint8_t type)
{
    uint64_t count = load_u32(w->p);
    w->p += 4;
    switch (type) {
    case RAS_DIAL9_STRING:
    case RAS_DIAL9_BYTES:
        w->p += count;
        return;
    case RAS_DIAL9_STACK_FRAMES:
        w->p += count * DIAL9_ADDRESS_SIZE;
        return;
    case RAS_DIAL9_STRING_MAP:
        for (uint64_t i = 0; i < 2 * count; i++)
            w->p += 4 + (size_t)load_u32(w->p);
        return;
    default:
        for (uint64_t i = type == RAS_DIAL9_DYNAMIC_LIST ? count : 2 * count; i; i--) {
            uint8_t tag = *w->p++;
            walk_value(w, tag);
            if (w->status < 0)
                return;
        }
    }
}

static void walk_value(struct walk *w, uint8_t type)
{
    if (type & RAS_DIAL9_OPTIONAL) {
        if (!*w->p++)
            return;
        type &= (uint8_t)~RAS_DIAL9_OPTIONAL;
    }
    if (type == RAS_DIAL9_VARINT)
        while (*w->p++ & 0x80)
            ;
    else if (type == RAS_DIAL9_POOLED_STRING || type == RAS_DIAL9_POOLED_STACK_FRAMES)
        note_id(w, type == RAS_DIAL9_POOLED_STACK_FRAMES);
    else if (type < sizeof widths && widths[type])
        w->p += widths[type];
    else
        walk_long(w, type);
}

/* The same for the fields of an event, common types inline: slices spend their time here. */
int dial9_copy_ids(struct copier *k, struct copied_batch *b, const struct ras_dial9_schema *schema,
                   unsigned fields, const struct ras_record *r, size_t head, struct ras_error *err)
{
    struct walk w = {k, b, r, r->raw + head, err, RAS_OK};
    if (!array_grow(&k->places, &k->place_room, fields, sizeof *k->places))
        return fail_memory(err);
    for (unsigned i = 0; i < fields && w.status == RAS_OK; i++) {
        uint8_t type = schema->fields[i].type;
        const uint8_t *p = w.p;
        uint32_t id;
        if (type == RAS_DIAL9_VARINT) {
            while (*p++ & 0x80)
                ;
            w.p = p;
        } else if (type == RAS_DIAL9_POOLED_STRING && k->place_count < k->place_room &&
                   dial9_known_id(&b->batch->strings, &b->strings, load_u32(p), r->offset, &id)) {
            k->places[k->place_count++] = (struct patch_place){(uint32_t)(p - r->raw), id};
            w.p = p + 4;
        } else {
            walk_value(&w, type);
        }
    }
    return w.status;
}

/* ---- definitions that come too late -------------------------------------------------------- */

static int put_late(const struct side *s, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; i < s->lost->count && status == RAS_OK; i++) {
        const struct intern_entry *lost = &s->lost->entries[i];
        const struct pool_entry *entry = dial9_pool_find(s->pool, load_u32(lost->at), UINT64_MAX);
        if (entry)
            status = copy_put_entry(s, lost->id, entry, err);
    }
    return status;
}

/* Entries that were defined after the last event that used their ids. */
static int dial9_copy_late(struct copier *k, struct copied_batch *b, struct ras_error *err)
{
    struct side strings = side_of(k, b, false), stacks = side_of(k, b, true);
    int status = put_late(&strings, err);
    return status == RAS_OK ? put_late(&stacks, err) : status;
}

/* ---- events ---------------------------------------------------------------------- */

enum { BUFFER = 256 << 10, TYPE_ID_SIZE = 3 };

/* ---- bytes ----------------------------------------------------------------------- */

static int hand_over(struct copier *k, struct ras_error *err)
{
    int status = k->len ? ras_sink_write(k->rw->sink, k->at, k->len, err) : RAS_OK;
    k->len = 0;
    return status;
}

uint8_t *dial9_copy_room(struct copier *k, size_t size, struct ras_error *err)
{
    if (k->room - k->len >= size)
        return k->at + k->len;
    int status = k->len >= BUFFER ? hand_over(k, err) : RAS_OK;
    if (status == RAS_OK && !array_grow(&k->at, &k->room, k->len + size, 1))
        status = fail_memory(err);
    k->failed = status;
    return status == RAS_OK ? k->at + k->len : NULL;
}

int dial9_copy_raw(struct copier *k, struct ras_bytes bytes, struct ras_error *err)
{
    int status = hand_over(k, err);
    k->serial++; /* a stream begins with a header of its own */
    return status < 0 ? status : ras_sink_write(k->rw->sink, bytes.at, bytes.len, err);
}

static struct ras_bytes source_of(const struct copier *k, size_t source)
{
    return source_bytes(k->rw->sources[source]->source, 0);
}

/* ---- annotations ------------------------------------------------------------------- */

/* The frame at an offset, under its type's new id. */
static int put_annotations(struct copier *k, const struct copied_batch *b, uint64_t offset,
                           uint16_t id, struct ras_error *err)
{
    struct ras_bytes all = source_of(k, b->source);
    struct in in = {all.at + offset + 1, all.at + all.len, false};
    struct ras_dial9_annotation entry;
    bool bad = false;
    in_leb128(&in, &bad);
    const uint8_t *rest = in.at;
    for (unsigned left = in_u16(&in); left; left--)
        dial9_annotation_get(&in, &entry);
    size_t size = (size_t)(in.at - rest);
    uint8_t *start = dial9_copy_room(k, 1 + LEB128_SIZE_MOST + size, err);
    if (!start)
        return k->failed;
    uint8_t *p = dial9_leb128_put(store_u8(start, RAS_DIAL9_SCHEMA_ANNOTATIONS), id);
    p = store_bytes(p, rest, size);
    struct ras_bytes frame = {start, (size_t)(p - start)};
    uint64_t hash = k->joined ? intern_hash(frame) : 0;
    uint32_t known;
    if (k->joined && intern_find(&k->notes, hash, frame, &known))
        return RAS_OK;
    if (k->joined && !intern_add(&k->notes, hash, frame, (uint32_t)k->notes.count))
        return fail_memory(err);
    k->len += frame.len;
    return RAS_OK;
}

static const struct shape *annotated_shape(const struct copier *k, const struct copied_batch *b,
                                           uint64_t offset)
{
    struct ras_bytes all = source_of(k, b->source);
    struct in in = {all.at + offset + 1, all.at + all.len, false};
    bool bad = false;
    uint64_t type_id = in_leb128(&in, &bad);
    return type_id > UINT16_MAX ? NULL : dial9_batch_shape(b->batch, (uint16_t)type_id);
}

struct copied_type *dial9_copied_type(struct copier *k, size_t source, const struct shape *shape)
{
    struct copied_source *s = &k->sources[source];
    size_t index = dial9_copied_index(shape), old = s->type_room;
    if (index >= old) {
        if (!array_grow(&s->types, &s->type_room, index + 1, sizeof *s->types))
            return NULL;
        memset(s->types + old, 0, (s->type_room - old) * sizeof *s->types);
    }
    return &s->types[index];
}

/* Annotations that the batch has added since, of types that are written. */
static int put_new_annotations(struct copier *k, struct copied_batch *b, struct ras_error *err)
{
    int status = RAS_OK;
    while (b->annotated < b->batch->annotation_count && status == RAS_OK) {
        uint64_t offset = b->batch->annotations[b->annotated++];
        const struct shape *shape = annotated_shape(k, b, offset);
        const struct copied_type *type = shape ? dial9_copied_type(k, b->source, shape) : NULL;
        if (type && type->serial == k->serial)
            status = put_annotations(k, b, offset, type->id, err);
    }
    return status;
}

/* ---- types --------------------------------------------------------------------------- */

/* The fields up to the last one that may hold a pool id. */
static uint16_t fields_with_ids(const struct ras_dial9_schema *schema)
{
    uint16_t fields = 0;
    for (unsigned i = 0; i < schema->field_count; i++) {
        unsigned type = schema->fields[i].type & ~RAS_DIAL9_OPTIONAL;
        if (type == RAS_DIAL9_POOLED_STRING || type == RAS_DIAL9_POOLED_STACK_FRAMES ||
            type == RAS_DIAL9_DYNAMIC_LIST || type == RAS_DIAL9_DYNAMIC_MAP)
            fields = (uint16_t)(i + 1);
    }
    return fields;
}

/* Whether events contain stacks, not only ids of stacks. */
static bool has_addresses(const struct ras_dial9_schema *schema)
{
    for (unsigned i = 0; i < schema->field_count; i++) {
        unsigned type = schema->fields[i].type & ~RAS_DIAL9_OPTIONAL;
        if (type == RAS_DIAL9_STACK_FRAMES || type == RAS_DIAL9_DYNAMIC_LIST ||
            type == RAS_DIAL9_DYNAMIC_MAP)
            return true;
    }
    return false;
}

/* Write its Schema frame under a new id, unless an equal one is written. */
static int copy_put_schema(struct copier *k, const struct copied_batch *b, uint16_t type_id,
                           struct copied_type *type, struct ras_error *err)
{
    struct ras_bytes all = source_of(k, b->source);
    const uint8_t *frame = all.at + dial9_batch_defined(b->batch, type_id);
    struct in in = {frame + 1, all.at + all.len, false};
    struct wire_schema wire;
    dial9_schema_get(&in, &wire);
    struct ras_bytes body = {frame + TYPE_ID_SIZE, (size_t)(in.at - frame) - TYPE_ID_SIZE};
    uint64_t hash = intern_hash(body);
    uint32_t id;
    if (!intern_find(&k->schemas, hash, body, &id)) {
        if (!intern_free_id(&k->schemas, UINT16_MAX, &id))
            return fail(err, RAS_ELIMIT, RAS_NONE, "one batch would have more than %u types",
                        UINT16_MAX + 1u);
        uint8_t *p = dial9_copy_room(k, TYPE_ID_SIZE + body.len, err);
        if (!p)
            return k->failed;
        if (!intern_add(&k->schemas, hash, body, id))
            return fail_memory(err);
        p = store_u16(store_u8(p, RAS_DIAL9_SCHEMA), (uint16_t)id);
        store_bytes(p, body.at, body.len);
        k->len += TYPE_ID_SIZE + body.len;
    }
    type->serial = k->serial;
    type->id = (uint16_t)id;
    return RAS_OK;
}

/* A new type, with the annotations of its batch so far. */
static int add_type(struct copier *k, const struct copied_batch *b, uint16_t type_id,
                    const struct shape *shape, struct copied_type *type, struct ras_error *err)
{
    type->fields = fields_with_ids(&shape->native);
    k->any_address |= has_addresses(&shape->native);
    int status = copy_put_schema(k, b, type_id, type, err);
    for (size_t i = 0; status == RAS_OK && i < b->batch->annotation_count; i++)
        if (annotated_shape(k, b, b->batch->annotations[i]) == shape)
            status = put_annotations(k, b, b->batch->annotations[i], type->id, err);
    return status;
}

/* ---- batches -------------------------------------------------------------------------- */

static void batch_free(struct copier *k, struct copied_batch *b)
{
    if (!b)
        return;
    dial9_batch_leave(k->rw->sources[b->source]->priv, b->batch);
    free(b->strings.at);
    free(b->stacks.at);
    intern_free(&b->lost_strings);
    intern_free(&b->lost_stacks);
    free(b);
}

static int leave_batch(struct copier *k, struct copied_batch *b, struct ras_error *err)
{
    int status = put_new_annotations(k, b, err);
    return status == RAS_OK ? dial9_copy_late(k, b, err) : status;
}

static int copy_put_header(struct copier *k, struct ras_error *err)
{
    uint8_t *p = dial9_copy_room(k, RAS_DIAL9_HEADER_SIZE, err);
    if (!p)
        return k->failed;
    store_u8(store_bytes(p, DIAL9_MAGIC, DIAL9_MAGIC_SIZE), RAS_DIAL9_VERSION);
    k->len += RAS_DIAL9_HEADER_SIZE;
    k->serial++;
    k->base_ns = 0;
    intern_clear(&k->schemas);
    intern_clear(&k->strings);
    intern_clear(&k->stacks);
    return RAS_OK;
}

static int batch_new(struct copier *k, size_t source, uint32_t number, struct copied_batch **out,
                     struct ras_error *err)
{
    struct ras_trace *t = k->rw->sources[source];
    const struct dial9 *d = t->priv;
    struct copied_source *s = &k->sources[source];
    size_t old = s->batch_room;
    if (number >= old) {
        if (!array_grow(&s->batches, &s->batch_room, number + 1u, sizeof *s->batches))
            return fail_memory(err);
        memset(s->batches + old, 0, (s->batch_room - old) * sizeof *s->batches);
    }
    struct copied_batch *b = calloc(1, sizeof *b);
    if (b)
        b->batch = dial9_batch_take(t, number, d->places[number].offset);
    if (!b || !b->batch) {
        free(b);
        return fail_memory(err);
    }
    b->source = source;
    b->number = number;
    *out = s->batches[number] = b;
    return RAS_OK;
}

/* Make the batch of a record the current one. */
static int copy_enter_batch(struct copier *k, size_t source, uint32_t number, struct ras_error *err)
{
    struct copied_source *s = &k->sources[source];
    struct copied_batch *old = k->current;
    int status = RAS_OK;
    if (old && !k->joined) {
        status = leave_batch(k, old, err);
        k->sources[old->source].batches[old->number] = NULL;
        k->current = NULL;
        batch_free(k, old);
    }
    if (status == RAS_OK && (!k->serial || !k->joined))
        status = copy_put_header(k, err);
    if (status < 0)
        return status;
    if (number < s->batch_room && s->batches[number]) {
        k->current = s->batches[number];
        return RAS_OK;
    }
    return batch_new(k, source, number, &k->current, err);
}

/* ---- events ----------------------------------------------------------------------------- */

/* An event without a timestamp is ordered by the timestamp base. */
uint8_t *dial9_copy_reset(struct copier *k, uint8_t *p, bool timed, uint64_t time_ns)
{
    bool far = timed ? time_ns < k->base_ns || time_ns - k->base_ns > DIAL9_DELTA_MOST
                     : time_ns != k->base_ns;
    if (far) {
        p = store_u64(store_u8(p, RAS_DIAL9_TIMESTAMP_RESET), time_ns);
        k->base_ns = time_ns;
    }
    return p;
}

int dial9_copy_put(struct copier *k, const struct ras_record *r, uint16_t id, size_t head,
                   struct ras_error *err)
{
    bool timed = head > DIAL9_EVENT_SIZE;
    uint8_t *p = dial9_copy_room(k, DIAL9_RESET_SIZE + (size_t)r->raw_len + 1, err);
    if (!p)
        return k->failed;
    p = dial9_copy_reset(k, p, timed, r->time_ns);
    uint8_t *values = store_u16(store_u8(p, RAS_DIAL9_EVENT), id);
    if (timed) {
        store_u32(values, (uint32_t)(r->time_ns - k->base_ns));
        values += DIAL9_DELTA_SIZE;
        k->base_ns = r->time_ns;
    }
    store_bytes(values, r->raw + head, r->raw_len - head);
    for (size_t i = 0; i < k->place_count; i++)
        store_u32(p + k->places[i].offset, k->places[i].id);
    k->len = (size_t)(p - k->at) + r->raw_len;
    return RAS_OK;
}

int dial9_copy_event(struct copier *k, size_t source, const struct ras_record *r,
                     struct ras_error *err)
{
    struct copied_batch *b = k->current;
    int status = RAS_OK;
    if (!b || b->number != r->stream || b->source != source)
        status = copy_enter_batch(k, source, r->stream, err);
    if (status < 0)
        return status;
    b = k->current;
    uint16_t type_id = load_u16(r->raw + 1);
    const struct shape *shape = dial9_batch_shape(b->batch, type_id);
    if (b->annotated < b->batch->annotation_count)
        status = put_new_annotations(k, b, err);
    struct copied_type *type = dial9_copied_type(k, source, shape);
    if (!type)
        return fail_memory(err);
    if (status == RAS_OK && type->serial != k->serial)
        status = add_type(k, b, type_id, shape, type, err);
    k->place_count = 0;
    size_t head = shape->layout.head;
    if (status == RAS_OK && type->fields)
        status = dial9_copy_ids(k, b, &shape->native, type->fields, r, head, err);
    return status == RAS_OK ? dial9_copy_put(k, r, type->id, head, err) : status;
}

/* ---- begin and end ------------------------------------------------------------------------ */

int dial9_copy_begin(struct copier *k, struct rewrite *rw, bool joined, struct ras_error *err)
{
    k->rw = rw;
    k->joined = joined;
    k->sources = calloc(rw->count, sizeof *k->sources);
    return k->sources ? RAS_OK : fail_memory(err);
}

static void note_kept(const struct copier *k, size_t source)
{
    const struct copied_source *s = &k->sources[source];
    for (size_t i = 0; i < s->type_room; i++)
        if (s->types[i].kept)
            rewrite_kept(k->rw, ras_schema_at(k->rw->sources[source], i / 2)->name,
                         s->types[i].kept);
}

int dial9_copy_end(struct copier *k, struct ras_error *err)
{
    int status = k->serial ? RAS_OK : copy_put_header(k, err);
    for (size_t i = 0; i < k->rw->count; i++)
        for (size_t n = 0; n < k->sources[i].batch_room && status == RAS_OK; n++)
            if (k->sources[i].batches[n])
                status = leave_batch(k, k->sources[i].batches[n], err);
    for (size_t i = 0; i < k->rw->count; i++)
        note_kept(k, i);
    return status == RAS_OK ? hand_over(k, err) : status;
}

void dial9_copy_stop(struct copier *k)
{
    for (size_t i = 0; k->sources && i < k->rw->count; i++) {
        for (size_t n = 0; n < k->sources[i].batch_room; n++)
            batch_free(k, k->sources[i].batches[n]);
        free(k->sources[i].batches);
        free(k->sources[i].types);
    }
    free(k->sources);
    free(k->at);
    free(k->places);
    intern_free(&k->schemas);
    intern_free(&k->strings);
    intern_free(&k->stacks);
    intern_free(&k->notes);
    id_table_free(&k->addresses);
}
