/* dial9_copy_pools.c - the pool entries that copied events need, and their new ids.
 *
 * An id means the last definition before the event, so an entry, not an id, is what is
 * numbered anew; equal texts get one id. An id without a definition gets one that is
 * given to nothing else, and stays without, unless it is defined later. */
#include "base/memory.h"
#include "base/store.h"
#include "formats/dial9/dial9_copy.h"

#include <stdlib.h>

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

static int put_entry(const struct side *s, uint32_t id, const struct pool_entry *entry,
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
    return put_entry(s, *id, entry, err);
}

/* An id that stands for nothing where it is used. */
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

/* An event whose values were found good: no length is doubted here. */
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

/* The same for the fields of an event, its common ones without a call: slices are made
 * of this loop. */
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
            status = put_entry(s, lost->id, entry, err);
    }
    return status;
}

int dial9_copy_late(struct copier *k, struct copied_batch *b, struct ras_error *err)
{
    struct side strings = side_of(k, b, false), stacks = side_of(k, b, true);
    int status = put_late(&strings, err);
    return status == RAS_OK ? put_late(&stacks, err) : status;
}
