/* dial9_rewrite.c - slice, merge and convert dial9 streams.
 *
 * Traces that are merged whole are concatenated byte for byte, as the format defines. Otherwise
 * events are copied with what they need (dial9_copy.c). For the seed dialect, which is the
 * published text, they are written again: it has one header, no optional fields, no lists and
 * maps, no pool of stacks and no annotations. An event gets a schema of its name with just the
 * fields that are there, stacks go into the event, lists and maps become JSON in a string; what
 * does not fit is left out and counted. */
#include "base/memory.h"
#include "codec/json_write.h"
#include "codec/utf8.h"
#include "formats/dial9/dial9_copy.h"
#include "formats/dial9/dial9_driver.h"
#include "ops/rewrite/rewrite_driver.h"

#include <stdlib.h>

/* What the published text cannot hold, counted. */
struct seed_loss {
    uint64_t batches, annotations, absent, texts, ids;
    uint64_t stacks, containers; /* written otherwise: not lost */
};

struct seeder {
    struct rewrite *rw;
    struct ras_dial9_writer *writer;
    size_t source; /* of the current batch */
    struct dial9_batch *batch;
    struct seed_loss loss;
    struct ras_dial9_field *fields; /* of the event at hand: those that are kept */
    struct ras_dial9_value *values;
    size_t field_room, value_room;
    struct ras_dial9_value *items; /* of its string maps */
    size_t item_count, item_room;
    struct out json; /* its lists and maps */
};

/* ---- events that a slice needs besides its own ----------------------------------- */

/* A reader takes the clock from the first frames of a stream, which were cut off. */
enum { HEAD_RECORDS = 64 };

static const char *const names[] = {"SymbolTableEntry", "CallframeDefEvent", "ClockSyncEvent",
                                    "SegmentMetadataEvent"};
enum { SYMBOL_TYPES = 2, TYPES = 4 };
static const char *const addresses[] = {"addr", "address"};

static bool taken_anyway(const struct copier *k, const struct ras_record *r, const char *type)
{
    const struct ras_rewrite_options *o = k->rw->options;
    return rewrite_in_range(o, r) && rewrite_asks_type(o, type) &&
           rewrite_asks_stream(o, r->stream);
}

static bool is_symbol(const char *type)
{
    return !strcmp(type, names[0]) || !strcmp(type, names[1]);
}

/* A symbol whose address is in no stack is not needed; the head was copied already. */
static bool is_needed(const struct copier *k, const struct ras_cursor *c,
                      const struct ras_record *r, bool head)
{
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    if (!is_symbol(ras_schema_of(c)->name))
        return head || r->seq >= HEAD_RECORDS;
    return k->any_address ||
           (count && v->kind == RAS_UINT && id_table_find(&k->addresses, v->u) != ID_TABLE_NONE);
}

/* Copy what is needed of the records with numbers from `from` to `to`. */
static int copy_range(struct copier *k, size_t source, bool head, uint64_t from, uint64_t to,
                      struct ras_error *err)
{
    const size_t first = head ? SYMBOL_TYPES : 0;
    struct ras_pick picks[TYPES];
    for (size_t i = 0; i < TYPES; i++)
        picks[i] = (struct ras_pick){names[i], addresses, 2};
    const struct ras_scan scan = {.picks = picks + first,
                                  .pick_count = TYPES - first,
                                  .axis = RAS_AXIS_SEQ,
                                  .from = from,
                                  .to = to};
    struct ras_cursor *c;
    const struct ras_record *r;
    int status = ras_cursor_open(&c, k->rw->sources[source], &scan, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        const char *type = ras_schema_of(c)->name;
        if (r->schema == RAS_SCHEMA_GAP || taken_anyway(k, r, type) || !is_needed(k, c, r, head))
            continue;
        rewrite_companion(k->rw, type, 1);
        status = dial9_copy_event(k, source, r, err);
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* Records that a slice needs besides its own, before its first event and after its last one. */
static int dial9_companions_first(struct copier *k, struct ras_error *err)
{
    int status = RAS_OK;
    k->with_companions = true;
    for (size_t i = 0; i < k->rw->count && status == RAS_OK; i++)
        status = copy_range(k, i, true, 0, HEAD_RECORDS, err);
    return status;
}

/* A range by seq is known, and need not be walked again. */
static int dial9_companions_last(struct copier *k, struct ras_error *err)
{
    const struct ras_rewrite_options *o = k->rw->options;
    bool known = o->axis == RAS_AXIS_SEQ && !o->span_count && !o->type_count && !o->stream_count;
    int status = RAS_OK;
    for (size_t i = 0; i < k->rw->count && status == RAS_OK; i++) {
        if (!known || o->from)
            status = copy_range(k, i, false, 0, known ? o->from : RAS_NONE, err);
        if (status == RAS_OK && known && o->to != RAS_NONE)
            status = copy_range(k, i, false, o->to, RAS_NONE, err);
    }
    return status;
}

bool dial9_companions_stack(struct copier *k, struct ras_bytes stack)
{
    const uint8_t *at = stack.at;
    for (size_t i = 0; i + DIAL9_ADDRESS_SIZE <= stack.len; i += DIAL9_ADDRESS_SIZE) {
        uint64_t address = load_u64(at + i);
        if (id_table_find(&k->addresses, address) == ID_TABLE_NONE &&
            !id_table_add(&k->addresses, address, 0))
            return false;
    }
    return true;
}

/* ---- the seed dialect ------------------------------------------------------------ */

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

/* What a value becomes: RAS_OK; RAS_END, it does not fit; or an error. */
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

/* Items are referenced by index until the event is complete: their array may move. */
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

static int seed_enter_batch(struct seeder *s, size_t source, uint32_t number, struct ras_error *err)
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

/* The fields of an event that fit, and their values. */
static int keep_fields(struct seeder *s, const struct shape *shape, const struct ras_record *r,
                       uint16_t *count, struct ras_error *err)
{
    const struct dial9 *d = s->rw->sources[s->source]->priv;
    struct in in = {r->raw + shape->layout.head, r->raw + r->raw_len, false};
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

static int dial9_seed_event(struct seeder *s, size_t source, const struct ras_record *r,
                            struct ras_error *err)
{
    uint16_t count, type_id;
    int status = seed_enter_batch(s, source, r->stream, err);
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

static int dial9_seed_begin(struct seeder *s, struct rewrite *rw, struct ras_error *err)
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

static int dial9_seed_end(struct seeder *s, struct ras_error *err)
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

static void dial9_seed_stop(struct seeder *s)
{
    (void)!ras_dial9_writer_close(s->writer, NULL);
    if (s->batch)
        dial9_batch_leave(s->rw->sources[s->source]->priv, s->batch);
    free(s->fields);
    free(s->values);
    free(s->items);
    out_free(&s->json);
}

/* ---- slice, merge, convert ------------------------------------------------------- */

__extension__ typedef __int128 long_time;

enum rewrite_mode { JOIN_STREAMS, COPY_EVENTS, WRITE_SEED };

enum { PIECE = 1 << 20 }; /* bytes of a stream written at one go */

struct rewriter {
    enum rewrite_mode mode;
    size_t joined;      /* of the sources in order: those that are written */
    uint64_t joined_at; /* and so many bytes of the next */
    struct copier copier;
    struct seeder seeder;
};

static bool all_seed(const struct rewrite *rw)
{
    for (size_t i = 0; i < rw->count; i++)
        if (strcmp(rw->sources[i]->dialect, "seed") != 0)
            return false;
    return true;
}

static const struct ras_fact *fact_of(const struct ras_trace *t, const char *key)
{
    size_t count;
    const struct ras_fact *facts = ras_facts(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(facts[i].key, key) && facts[i].value.kind == RAS_STR)
            return &facts[i];
    return NULL;
}

static bool another_host(const struct ras_trace *a, const struct ras_trace *b)
{
    const struct ras_fact *x = fact_of(a, "host"), *y = fact_of(b, "host");
    return x && y &&
           (x->value.count != y->value.count ||
            (x->value.count && memcmp(x->value.at, y->value.at, x->value.count) != 0));
}

/* Event times count from the boot of a machine; the wall clock distinguishes two boots, and is
 * adjusted by less than this during one. */
static void note_clocks(struct rewrite *rw)
{
    const int64_t set_most = 60000000000;
    const struct ras_trace *a = rw->sources[0];
    for (size_t i = 1; i < rw->count; i++) {
        const struct ras_trace *b = rw->sources[i];
        long_time apart = (long_time)b->wall_ns - a->wall_ns;
        bool clocks = a->has_wall && b->has_wall && (apart > set_most || -apart > set_most);
        if (!clocks && !another_host(a, b))
            continue;
        rewrite_note(rw,
                     "trace %zu was recorded %s: its times do not compare with those of trace 1",
                     i + 1, another_host(a, b) ? "on another host" : "in another boot");
    }
}

static int rewrite_begin(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    bool seed = !strcmp(rw->target, "seed");
    if (seed && !all_seed(rw)) {
        r->mode = WRITE_SEED;
        return dial9_seed_begin(&r->seeder, rw, err);
    }
    bool many = rw->count > 1;
    if (many)
        note_clocks(rw);
    r->mode = many && rw->whole && !seed && !rw->options->interleave ? JOIN_STREAMS : COPY_EVENTS;
    /* A stream of the published text has one header, however many it is made of. */
    int status = dial9_copy_begin(&r->copier, rw, rw->options->interleave || (seed && many), err);
    if (status == RAS_OK && !rw->whole && !rw->options->bare)
        status = dial9_companions_first(&r->copier, err);
    return status;
}

/* ---- streams that are joined ----------------------------------------------------------- */

static int join_up_to(struct rewrite *rw, uint64_t end, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    const struct ras_trace *t = rw->sources[rw->order[r->joined]];
    const uint8_t *bytes = source_bytes(t->source, 0).at;
    int status = RAS_OK;
    while (r->joined_at < end && status == RAS_OK) {
        uint64_t size = end - r->joined_at < PIECE ? end - r->joined_at : PIECE;
        status =
            dial9_copy_raw(&r->copier, (struct ras_bytes){bytes + r->joined_at, (size_t)size}, err);
        r->joined_at += size;
    }
    return status;
}

/* The bytes of a stream up to which it could be read. */
static int join_rest(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    const struct ras_trace *t = rw->sources[rw->order[r->joined]];
    struct ras_ending e = ras_ending(t);
    uint64_t size = source_bytes(t->source, 0).len;
    int status = join_up_to(rw, e.kind > RAS_COMPLETE && e.offset < size ? e.offset : size, err);
    r->joined++;
    r->joined_at = 0;
    return status;
}

static int join_event(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    int status = RAS_OK;
    while (status == RAS_OK && rw->order[r->joined] != t->source)
        status = join_rest(rw, err);
    if (status == RAS_OK && !dial9_pass_run(&r->copier, t))
        status = fail_memory(err);
    uint64_t passed = cursor_offset(t->cursor);
    if (status < 0 || passed < r->joined_at + PIECE)
        return status;
    return join_up_to(rw, passed, err);
}

/* ---- events ------------------------------------------------------------------------------ */

static int rewrite_take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    if (!t->wanted)
        return RAS_OK;
    if (r->mode == JOIN_STREAMS)
        return join_event(rw, t, err);
    if (r->mode == WRITE_SEED)
        return dial9_seed_event(&r->seeder, t->source, t->record, err);
    int status = dial9_copy_event(&r->copier, t->source, t->record, err);
    return status == RAS_OK ? dial9_copy_run(&r->copier, t, err) : status;
}

static int rewrite_end(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    if (r->mode == WRITE_SEED)
        return dial9_seed_end(&r->seeder, err);
    int status = RAS_OK;
    while (r->mode == JOIN_STREAMS && r->joined < rw->count && status == RAS_OK)
        status = join_rest(rw, err);
    if (status == RAS_OK && r->copier.with_companions)
        status = dial9_companions_last(&r->copier, err);
    return status == RAS_OK ? dial9_copy_end(&r->copier, err) : status;
}

static void rewrite_stop(struct rewrite *rw)
{
    struct rewriter *r = rw->priv;
    if (r->mode == WRITE_SEED)
        dial9_seed_stop(&r->seeder);
    else
        dial9_copy_stop(&r->copier);
}

const struct rewrite_ops dial9_rewrite = {
    .targets = (const char *const[]){"full", "seed", NULL},
    .size = sizeof(struct rewriter),
    .interleaves = true,
    .relays = true,
    .begin = rewrite_begin,
    .take = rewrite_take,
    .end = rewrite_end,
    .stop = rewrite_stop,
};
