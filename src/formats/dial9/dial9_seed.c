/* dial9_seed.c - events of any dialect into a stream of the published text.
 *
 * The published text knows one header, no optional fields, no lists and maps, no pool of
 * stacks and no annotations. An event goes under a schema of its name that has just the
 * fields that are there, stacks into the event, lists and maps as JSON into a string;
 * what has no place is left out and counted. */
#include "formats/dial9/dial9_seed.h"
#include "base/memory.h"
#include "codec/json_write.h"
#include "codec/utf8.h"

#include <stdlib.h>

/* ---- lists and maps as JSON ---------------------------------------------------------- */

/* A container has a writer of its own: one writer holds fewer levels than a trace may nest. */
static void seed_put_json(struct seeder *s, struct json *j, const struct ras_dial9_value *v,
                          const uint8_t *end, uint64_t at);

static void seed_put_pooled(struct seeder *s, struct json *j, const struct dial9_pool *pool,
                            uint32_t id, uint64_t at)
{
    const struct pool_entry *entry = dial9_pool_find(pool, id, at);
    const uint8_t *all = source_bytes(s->rw->sources[s->source]->source, 0).at;
    if (!entry) {
        json_null(j, NULL);
        return;
    }
    const uint8_t *bytes = all + entry->offset;
    if (pool == &s->batch->strings) {
        json_string(j, NULL, bytes, entry->length);
        return;
    }
    const struct ras_dial9_value frames = {
        .type = RAS_DIAL9_STACK_FRAMES, .count = entry->length, .at = bytes};
    seed_put_json(s, j, &frames, bytes + (size_t)entry->length * DIAL9_ADDRESS_SIZE, at);
}

/* A key that is not a string becomes the JSON text of its value, as everywhere. */
static void seed_put_key(struct seeder *s, struct json *j, const struct ras_dial9_value *key,
                         const uint8_t *end, uint64_t at)
{
    if (key->type == RAS_DIAL9_STRING) {
        json_key_text(j, key->at, key->count);
        return;
    }
    struct out text = {0};
    struct json inner = json_start(&text, 0);
    seed_put_json(s, &inner, key, end, at);
    json_key_text(j, text.at, text.len);
    j->out->failed |= text.failed;
    out_free(&text);
}

static void seed_put_container(struct seeder *s, struct json *outer,
                               const struct ras_dial9_value *v, const uint8_t *end, uint64_t at)
{
    bool map = v->type == RAS_DIAL9_DYNAMIC_MAP || v->type == RAS_DIAL9_STRING_MAP;
    struct ras_dial9_items items = dial9_items(v, end);
    struct ras_dial9_value item;
    struct json j = json_start(outer->out, 0);
    json_lead(outer);
    (map ? json_object : json_array)(&j, NULL);
    for (uint64_t i = 0; ras_dial9_next_item(&items, &item); i++)
        (map && i % 2 == 0 ? seed_put_key : seed_put_json)(s, &j, &item, end, at);
    json_close(&j);
}

static void seed_put_json(struct seeder *s, struct json *j, const struct ras_dial9_value *v,
                          const uint8_t *end, uint64_t at)
{
    switch (v->type) {
    case RAS_DIAL9_I64:
        json_int(j, NULL, v->i);
        return;
    case RAS_DIAL9_F64:
        json_f64(j, NULL, v->f64);
        return;
    case RAS_DIAL9_BOOL:
        json_bool(j, NULL, v->u);
        return;
    case RAS_DIAL9_STRING:
        json_string(j, NULL, v->at, v->count);
        return;
    case RAS_DIAL9_BYTES:
        json_blob(j, NULL, v->at, v->count);
        return;
    case RAS_DIAL9_POOLED_STRING:
        seed_put_pooled(s, j, &s->batch->strings, (uint32_t)v->u, at);
        return;
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        seed_put_pooled(s, j, &s->batch->stacks, (uint32_t)v->u, at);
        return;
    case RAS_DIAL9_STACK_FRAMES:
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_LIST:
    case RAS_DIAL9_DYNAMIC_MAP:
        seed_put_container(s, j, v, end, at);
        return;
    default:
        json_uint(j, NULL, v->u);
    }
}

/* ---- values -------------------------------------------------------------------------- */

/* What a value becomes: RAS_OK; RAS_END, it has no place; or an error. */
static int keep_string_id(struct seeder *s, struct ras_dial9_value *v, uint64_t at,
                          struct ras_error *err)
{
    const struct pool_entry *entry = dial9_pool_find(&s->batch->strings, (uint32_t)v->u, at);
    struct ras_bytes all = source_bytes(s->rw->sources[s->source]->source, 0);
    uint32_t id;
    if (!entry) {
        s->loss.ids++;
        return RAS_END;
    }
    struct ras_bytes text = {all.at + entry->offset, entry->length};
    if (!utf8_check(text.at, text.len, NULL)) {
        s->loss.texts++;
        return RAS_END;
    }
    int status = ras_dial9_writer_string(s->writer, text, &id, err);
    if (status == RAS_OK)
        v->u = id;
    return status;
}

static int keep_stack_id(struct seeder *s, struct ras_dial9_value *v, uint64_t at)
{
    const struct pool_entry *entry = dial9_pool_find(&s->batch->stacks, (uint32_t)v->u, at);
    if (!entry) {
        s->loss.ids++;
        return RAS_END;
    }
    const uint8_t *all = source_bytes(s->rw->sources[s->source]->source, 0).at;
    v->type = RAS_DIAL9_STACK_FRAMES;
    v->count = entry->length;
    v->at = all + entry->offset;
    s->loss.stacks++;
    return RAS_OK;
}

/* Items are found by their index until the event is whole: their array may move. */
static int keep_map(struct seeder *s, struct ras_dial9_value *v, const uint8_t *end,
                    struct ras_error *err)
{
    struct ras_dial9_items items = dial9_items(v, end);
    size_t first = s->item_count;
    if (!array_grow(&s->items, &s->item_room, first + (size_t)items.left + 1, sizeof *s->items))
        return fail_memory(err);
    while (ras_dial9_next_item(&items, &s->items[s->item_count])) {
        const struct ras_dial9_value *item = &s->items[s->item_count++];
        if (!utf8_check(item->at, item->count, NULL)) {
            s->loss.texts++;
            s->item_count = first;
            return RAS_END;
        }
    }
    *v = ras_dial9_made(RAS_DIAL9_STRING_MAP, NULL, v->count);
    v->u = first;
    return RAS_OK;
}

static int keep_value(struct seeder *s, struct ras_dial9_value *v, const struct ras_record *r,
                      struct ras_error *err)
{
    const uint8_t *end = r->raw + r->raw_len;
    size_t start = s->json.len;
    switch (v->type) {
    case 0:
        s->loss.absent++;
        return RAS_END;
    case RAS_DIAL9_POOLED_STRING:
        return keep_string_id(s, v, r->offset, err);
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        return keep_stack_id(s, v, r->offset);
    case RAS_DIAL9_STRING:
        s->loss.texts += !utf8_check(v->at, v->count, NULL);
        return utf8_check(v->at, v->count, NULL) ? RAS_OK : RAS_END;
    case RAS_DIAL9_STRING_MAP:
        return keep_map(s, v, end, err);
    case RAS_DIAL9_DYNAMIC_LIST:
    case RAS_DIAL9_DYNAMIC_MAP:
        seed_put_json(s, &(struct json){.out = &s->json}, v, end, r->offset);
        *v = (struct ras_dial9_value){
            .type = RAS_DIAL9_STRING, .made = 1, .count = (uint32_t)(s->json.len - start)};
        v->u = start;
        s->loss.containers++;
        return s->json.failed ? fail_memory(err) : RAS_OK;
    default:
        return RAS_OK;
    }
}

/* ---- events -------------------------------------------------------------------------- */

static int enter_batch(struct seeder *s, size_t source, uint32_t number, struct ras_error *err)
{
    if (s->batch && s->source == source && s->batch->number == number)
        return RAS_OK;
    if (s->batch) {
        s->loss.annotations += s->batch->annotation_count;
        dial9_batch_leave(s->rw->sources[s->source]->priv, s->batch);
    }
    struct ras_trace *t = s->rw->sources[source];
    const struct dial9 *d = t->priv;
    s->source = source;
    s->batch = dial9_batch_take(t, number, d->places[number].offset);
    s->loss.batches++;
    return s->batch ? RAS_OK : fail_memory(err);
}

/* The fields of an event that have a place, and their values. */
static int keep_fields(struct seeder *s, const struct shape *shape, const struct ras_record *r,
                       uint16_t *count, struct ras_error *err)
{
    const struct dial9 *d = s->rw->sources[s->source]->priv;
    struct in in = {r->raw + shape->plan.head, r->raw + r->raw_len, false};
    size_t most = shape->native.field_count + 1u;
    s->item_count = 0;
    s->json.len = 0;
    *count = 0;
    if (!array_grow(&s->fields, &s->field_room, most, sizeof *s->fields) ||
        !array_grow(&s->values, &s->value_room, most, sizeof *s->values))
        return fail_memory(err);
    for (unsigned i = 0; i < shape->native.field_count; i++) {
        struct ras_dial9_value *v = &s->values[*count];
        (void)dial9_value_get(&in, shape->native.fields[i].type, d->rules.depth, v);
        int status = keep_value(s, v, r, err);
        if (status < 0)
            return status;
        if (status == RAS_OK)
            s->fields[(*count)++] = (struct ras_dial9_field){shape->native.fields[i].name, v->type};
    }
    for (unsigned i = 0; i < *count; i++) {
        struct ras_dial9_value *v = &s->values[i];
        if (v->made && v->type == RAS_DIAL9_STRING)
            v->at = s->json.at + v->u;
        else if (v->made)
            v->items = s->items + v->u;
    }
    return RAS_OK;
}

int dial9_seed_event(struct seeder *s, size_t source, const struct ras_record *r,
                     struct ras_error *err)
{
    uint16_t count, type_id;
    int status = enter_batch(s, source, r->stream, err);
    if (status < 0)
        return status;
    const struct shape *shape = dial9_batch_shape(s->batch, load_u16(r->raw + 1));
    status = keep_fields(s, shape, r, &count, err);
    const struct ras_dial9_schema schema = {shape->native.name, s->fields, count,
                                            shape->native.has_timestamp};
    if (status == RAS_OK)
        status = ras_dial9_writer_schema(s->writer, &schema, &type_id, err);
    if (status == RAS_OK)
        status = ras_dial9_writer_event(s->writer, type_id, r->time_ns, s->values, count, err);
    return status;
}

/* ---- begin and end --------------------------------------------------------------------- */

int dial9_seed_begin(struct seeder *s, struct rewrite *rw, struct ras_error *err)
{
    s->rw = rw;
    const struct ras_dial9_writer_options options = {
        .dialect = RAS_DIAL9_SEED, .limits = rw->sources[0]->limits, .room = (size_t)256 << 10};
    return ras_dial9_writer_open(&s->writer, rw->sink, &options, err);
}

static void note_count(struct seeder *s, uint64_t count, const char *what)
{
    if (count)
        rewrite_note(s->rw, "%" PRIu64 " %s", count, what);
}

int dial9_seed_end(struct seeder *s, struct ras_error *err)
{
    const struct seed_loss *l = &s->loss;
    if (s->batch)
        s->loss.annotations += s->batch->annotation_count;
    if (l->batches > 1)
        note_count(s, l->batches, "batches became one: which events belong together is lost");
    note_count(s, l->annotations, "annotation frames were left out");
    rewrite_lost(s->rw, "annotation", l->annotations);
    note_count(s, l->absent,
               "absent optional values: their events have a schema without the field");
    note_count(s, l->containers, "lists and maps became strings of JSON");
    note_count(s, l->stacks, "pooled stacks were put into their events");
    note_count(s, l->ids, "pool ids without a definition were left out");
    note_count(s, l->texts, "values that are not UTF-8 were left out");
    struct ras_dial9_writer *w = s->writer;
    s->writer = NULL;
    return ras_dial9_writer_close(w, err);
}

void dial9_seed_stop(struct seeder *s)
{
    (void)!ras_dial9_writer_close(s->writer, NULL);
    if (s->batch)
        dial9_batch_leave(s->rw->sources[s->source]->priv, s->batch);
    free(s->fields);
    free(s->values);
    free(s->items);
    out_free(&s->json);
}
