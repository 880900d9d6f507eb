/* scribe_dial9.c - the events of a run: the program's own, its values, the parts of ticks; and the
 * event `tick`, the last of its tick. */
#include "base/error.h"
#include "core/tick_index.h"
#include "pens/scribe.h"
#include <rastrum/dial9.h>

#include <stdlib.h>
#include <string.h>

enum kind { TICK, PHASE, STATE, VALUE, VALUE_F64, VALUE_TEXT, STATE_BYTES, KINDS };
/* Type ids: those above in their order, then the program's. */
enum { FIRST_TYPE = 1, CRASH_TYPE = 63, OWN_TYPE = 64, FIELDS_MOST = 255, NAME_MOST = 65535 };

struct dial9 {
    struct ras_folder *folder;
    struct ras_sink *sink;
    struct ras_dial9_writer *writer;
    uint64_t events;
    struct ras_dial9_value *values;
    size_t room;
};

static const struct ras_dial9_schema schemas[KINDS];

/* ---- values -------------------------------------------------------------------------------- */

static struct ras_dial9_value varint(uint64_t value)
{
    return (struct ras_dial9_value){.type = RAS_DIAL9_VARINT, .u = value};
}

static int pooled(struct dial9 *d, struct ras_bytes text, struct ras_dial9_value *to,
                  struct ras_error *err)
{
    uint32_t id = 0;
    int status = ras_dial9_writer_string(d->writer, text, &id, err);
    *to = (struct ras_dial9_value){.type = RAS_DIAL9_POOLED_STRING, .u = id};
    return status;
}

static int put_event(struct dial9 *d, uint16_t type, uint64_t time_ns,
                     const struct ras_dial9_value *values, uint16_t count, struct ras_error *err)
{
    int status = ras_dial9_writer_event(d->writer, type, time_ns, values, count, err);
    d->events += status == RAS_OK;
    return status;
}

static int put_kind(struct dial9 *d, enum kind kind, uint64_t time_ns,
                    const struct ras_dial9_value *values, struct ras_error *err)
{
    return put_event(d, (uint16_t)(FIRST_TYPE + kind), time_ns, values, schemas[kind].field_count,
                     err);
}

static int bad_note(const struct note *n, struct ras_error *err)
{
    return fail(err, RAS_EFORMAT, RAS_NONE, "an event note of kind %d with %zu bytes", n->kind,
                n->size);
}

/* ---- notes --------------------------------------------------------------------------------- */

/* State and values have no times: two runs are compared by them. */
static int put_named(struct dial9 *d, uint64_t tick, const struct note *n, struct ras_error *err)
{
    struct state_note s;
    if (n->size < sizeof s)
        return bad_note(n, err);
    memcpy(&s, n->at, sizeof s);
    struct ras_bytes name = {n->at + sizeof s, s.name_len};
    if (s.name_len > n->size - sizeof s)
        return bad_note(n, err);
    struct ras_bytes rest = {name.at + name.len, n->size - sizeof s - name.len};
    struct ras_dial9_value values[5] = {varint(tick), {0}, varint(s.index), {0}, varint(s.word)};
    int status = pooled(d, name, &values[1], err);
    if (status < 0)
        return status;
    struct ras_dial9_value *v = &values[3];
    switch (n->kind) {
    case NOTE_STATE:
        *v = varint(s.size);
        return put_kind(d, STATE, 0, values, err);
    case NOTE_INT:
        *v = (struct ras_dial9_value){.type = RAS_DIAL9_I64, .u = s.word};
        return put_kind(d, VALUE, 0, values, err);
    case NOTE_REAL:
        *v = (struct ras_dial9_value){.type = RAS_DIAL9_F64, .u = s.word};
        return put_kind(d, VALUE_F64, 0, values, err);
    case NOTE_TEXT:
        *v = (struct ras_dial9_value){
            .type = RAS_DIAL9_STRING, .count = (uint32_t)rest.len, .at = rest.at};
        return put_kind(d, VALUE_TEXT, 0, values, err);
    default:
        *v = (struct ras_dial9_value){
            .type = RAS_DIAL9_BYTES, .count = (uint32_t)rest.len, .at = rest.at};
        return put_kind(d, STATE_BYTES, 0, values, err);
    }
}

static int put_span(struct dial9 *d, uint64_t tick, const struct note *n, struct ras_error *err)
{
    struct span_note s;
    struct ras_dial9_value values[3] = {varint(tick)};
    if (n->size < sizeof s)
        return bad_note(n, err);
    memcpy(&s, n->at, sizeof s);
    int status =
        pooled(d, (struct ras_bytes){n->at + sizeof s, n->size - sizeof s}, &values[1], err);
    values[2] = varint(s.duration_ns);
    return status < 0 ? status : put_kind(d, PHASE, s.time_ns, values, err);
}

/* The fields of a note, behind the field `tick`; false: not valid. */
static bool read_fields(struct in *in, struct ras_dial9_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t type = in_u8(in);
        const uint8_t *end = in->cut ? NULL : memchr(in->at, 0, (size_t)in_left(in));
        if (!end)
            return false;
        fields[i] = (struct ras_dial9_field){(const char *)in->at, type};
        in->at = end + 1;
    }
    return true;
}

static int put_type(struct dial9 *d, const struct note *n, struct ras_error *err)
{
    struct type_note t;
    struct ras_dial9_field fields[FIELDS_MOST + 2];
    if (n->size < sizeof t)
        return bad_note(n, err);
    memcpy(&t, n->at, sizeof t);
    struct in in = {n->at + sizeof t, n->at + n->size, false};
    fields[0] = (struct ras_dial9_field){"tick", RAS_DIAL9_VARINT};
    if (t.count > FIELDS_MOST || t.type > UINT16_MAX - OWN_TYPE ||
        !read_fields(&in, fields + 1, t.count))
        return bad_note(n, err);
    const uint8_t *end = memchr(in.at, 0, (size_t)in_left(&in));
    if (!end)
        return bad_note(n, err);
    const struct ras_dial9_schema schema = {(const char *)in.at, fields, (uint16_t)(t.count + 1),
                                            t.has_timestamp & 1};
    return ras_dial9_writer_schema_as(d->writer, (uint16_t)(OWN_TYPE + t.type), &schema, err);
}

static int read_value(struct dial9 *d, struct in *in, struct ras_dial9_value *to,
                      struct ras_error *err)
{
    struct value_note v;
    const uint8_t *p = in_take(in, sizeof v);
    if (!p)
        return fail(err, RAS_EFORMAT, RAS_NONE, "an event without all its values");
    memcpy(&v, p, sizeof v);
    struct ras_bytes bytes = in_span(in, v.len);
    (void)in_take(in, (8 - v.len % 8) % 8);
    if (in->cut)
        return fail(err, RAS_EFORMAT, RAS_NONE, "an event without all its values");
    if (v.type == RAS_DIAL9_POOLED_STRING)
        return pooled(d, bytes, to, err);
    *to = (struct ras_dial9_value){.type = (uint8_t)v.type, .u = v.word};
    if (v.type == RAS_DIAL9_STRING || v.type == RAS_DIAL9_BYTES ||
        v.type == RAS_DIAL9_STACK_FRAMES) {
        to->count = (uint32_t)(v.type == RAS_DIAL9_STACK_FRAMES ? v.len / 8 : v.len);
        to->at = bytes.at;
    }
    return RAS_OK;
}

static int put_own(struct dial9 *d, uint64_t tick, const struct note *n, struct ras_error *err)
{
    struct event_note e;
    if (n->size < sizeof e)
        return bad_note(n, err);
    memcpy(&e, n->at, sizeof e);
    struct in in = {n->at + sizeof e, n->at + n->size, false};
    int status = RAS_OK;
    if (e.count > FIELDS_MOST || e.type > UINT16_MAX - OWN_TYPE)
        return bad_note(n, err);
    if (!array_grow(&d->values, &d->room, e.count + 1u, sizeof *d->values))
        return fail_memory(err);
    d->values[0] = varint(tick);
    for (uint32_t i = 0; status == RAS_OK && i < e.count; i++)
        status = read_value(d, &in, &d->values[i + 1], err);
    return status < 0 ? status
                      : put_event(d, (uint16_t)(OWN_TYPE + e.type), e.time_ns, d->values,
                                  (uint16_t)(e.count + 1), err);
}

static int dial9_scribe_note(void *scribe, uint64_t tick, const struct note *n,
                             struct ras_error *err)
{
    struct dial9 *d = scribe;
    switch (n->kind) {
    case NOTE_STATE:
    case NOTE_BYTES:
    case NOTE_INT:
    case NOTE_REAL:
    case NOTE_TEXT:
        return put_named(d, tick, n, err);
    case NOTE_SPAN:
        return put_span(d, tick, n, err);
    case NOTE_EVENT_TYPE:
        return put_type(d, n, err);
    case NOTE_EVENT:
        return put_own(d, tick, n, err);
    default:
        return RAS_OK;
    }
}

static int dial9_scribe_tick(void *scribe, const struct desk_tick *t, struct ras_error *err)
{
    uint64_t took = t->end_ns > t->begin_ns ? t->end_ns - t->begin_ns : 0;
    const struct ras_dial9_value values[] = {varint(t->tick), varint(t->command_count),
                                             varint(t->hash), varint(took)};
    return put_kind(scribe, TICK, t->end_ns, values, err);
}

/* The fields are those that the recorder of calls writes. */
int dial9_scribe_crash(void *scribe, const struct scribe_crash *c, struct ras_error *err)
{
    enum { FIELDS = 7, MAYBE = RAS_DIAL9_VARINT | RAS_DIAL9_OPTIONAL };
    static const struct ras_dial9_field fields[FIELDS] = {{"tick", MAYBE},
                                                          {"signal", RAS_DIAL9_VARINT},
                                                          {"code", RAS_DIAL9_I64},
                                                          {"address", MAYBE},
                                                          {"pc", RAS_DIAL9_VARINT},
                                                          {"thread_id", MAYBE},
                                                          {"stack", RAS_DIAL9_STACK_FRAMES}};
    static const struct ras_dial9_schema schema = {"crash", fields, FIELDS, true};
    struct dial9 *d = scribe;
    uint8_t stack[sizeof c->stack], *p = stack;
    for (uint32_t i = 0; i < c->stack_count; i++)
        p = store_u64(p, c->stack[i]);
    const struct ras_dial9_value values[FIELDS] = {
        {.type = c->tick != RAS_NONE ? RAS_DIAL9_VARINT : 0, .u = c->tick},
        varint(c->signal),
        {.type = RAS_DIAL9_I64, .i = c->code},
        {.type = c->has_address ? RAS_DIAL9_VARINT : 0, .u = c->address},
        varint(c->stack[0]),
        {.type = c->has_thread ? RAS_DIAL9_VARINT : 0, .u = c->thread_id},
        {.type = RAS_DIAL9_STACK_FRAMES, .count = c->stack_count, .at = stack}};
    int status = ras_dial9_writer_schema_as(d->writer, CRASH_TYPE, &schema, err);
    return status < 0 ? status : put_event(d, CRASH_TYPE, c->time_ns, values, FIELDS, err);
}

/* ---- the scribe ---------------------------------------------------------------------------- */

static void dial9_scribe_drop(void *scribe)
{
    struct dial9 *d = scribe;
    if (!d)
        return;
    (void)!ras_dial9_writer_close(d->writer, NULL);
    free(d->values);
    free(d);
}

static int dial9_scribe_open(void **scribe, const struct scribe_run *run, struct ras_error *err)
{
    struct dial9 *d = calloc(1, sizeof *d);
    *scribe = NULL;
    if (!d)
        return fail_memory(err);
    d->folder = run->folder;
    int status = ras_folder_sink(run->folder, dial9_scribe.file, &d->sink, err);
    if (status == RAS_OK)
        status = ras_dial9_writer_open(&d->writer, d->sink, NULL, err);
    for (unsigned i = 0; status == RAS_OK && i < KINDS; i++)
        status =
            ras_dial9_writer_schema_as(d->writer, (uint16_t)(FIRST_TYPE + i), &schemas[i], err);
    if (status < 0)
        dial9_scribe_drop(d);
    else
        *scribe = d;
    return status;
}

static int dial9_scribe_flush(void *scribe, struct ras_error *err)
{
    return ras_dial9_writer_flush(((struct dial9 *)scribe)->writer, err);
}

static uint64_t dial9_scribe_size(const void *scribe)
{
    return ras_sink_size(((const struct dial9 *)scribe)->sink);
}

static void dial9_scribe_place(const void *scribe, struct tick_rows *rows)
{
    tick_rows_put(rows, "dial9.event", ((const struct dial9 *)scribe)->events - 1);
}

static int dial9_scribe_close(void *scribe, struct ras_error *err)
{
    struct dial9 *d = scribe;
    int status = ras_dial9_writer_close(d->writer, err);
    d->writer = NULL;
    if (status == RAS_OK)
        status = ras_folder_finish(d->folder, d->sink, err);
    dial9_scribe_drop(d);
    return status;
}

/* ---- an old file --------------------------------------------------------------------------- */

/* The tick that an event ends; false: it ends none. */
static bool ends_tick(const struct ras_dial9_frame *f, uint64_t *tick)
{
    if (f->tag != RAS_DIAL9_EVENT || f->type_id != FIRST_TYPE + TICK ||
        f->event.schema->field_count != schemas[TICK].field_count)
        return false;
    *tick = f->event.values[0].u;
    return true;
}

static int take_strings(struct dial9 *d, struct ras_dial9_items entries, struct ras_error *err)
{
    struct ras_dial9_string_entry e;
    int status = RAS_OK;
    while (status == RAS_OK && ras_dial9_next_string(&entries, &e.pool_id, &e.text))
        status = ras_dial9_writer_strings(d->writer, &e, 1, err);
    return status;
}

static int take_frame(struct dial9 *d, const struct ras_dial9_frame *f, struct ras_error *err)
{
    switch (f->tag) {
    case RAS_DIAL9_SCHEMA:
        return ras_dial9_writer_schema_as(d->writer, (uint16_t)f->type_id, f->registered.schema,
                                          err);
    case RAS_DIAL9_STRING_POOL:
        return take_strings(d, f->entries, err);
    case RAS_DIAL9_EVENT:
        return put_event(d, (uint16_t)f->type_id, f->event.time_ns, f->event.values,
                         f->event.schema->field_count, err);
    default:
        return RAS_OK;
    }
}

/* Two walks: the first finds the last tick, the second takes what comes before its end. */
static int dial9_walk(struct dial9 *d, struct ras_bytes old, uint64_t *last, took_tick *took,
                      void *user, struct ras_error *err)
{
    struct ras_dial9 *reader;
    struct ras_dial9_frame f;
    uint64_t tick, limit = *last;
    int status = RAS_OK;
    *last = RAS_NONE;
    if (ras_dial9_open(&reader, old.at, old.len, NULL, NULL) < 0)
        return RAS_OK;
    while (status == RAS_OK && (d == NULL || *last == RAS_NONE || *last < limit) &&
           ras_dial9_next(reader, &f, NULL) == RAS_OK) {
        bool ends = ends_tick(&f, &tick);
        if (ends && (tick > limit || (*last != RAS_NONE && tick <= *last)))
            break;
        if (d)
            status = take_frame(d, &f, err);
        if (!ends)
            continue;
        *last = tick;
        took(user, tick, 0);
    }
    ras_dial9_close(reader);
    return status;
}

static void took_nothing(void *user, uint64_t tick, uint32_t commands)
{
    (void)user, (void)tick, (void)commands;
}

static int dial9_scribe_resume(void *scribe, struct ras_bytes old, uint64_t first_tick,
                               uint64_t *last, took_tick *took, void *user, struct ras_error *err)
{
    (void)first_tick;
    int status = dial9_walk(NULL, old, last, scribe ? took_nothing : took, user, err);
    if (status < 0 || !scribe || *last == RAS_NONE)
        return status;
    return dial9_walk(scribe, old, last, took, user, err);
}

#define FIELDS(...)                                                                                \
    .fields = (const struct ras_dial9_field[]){__VA_ARGS__},                                       \
    .field_count =                                                                                 \
        sizeof((const struct ras_dial9_field[]){__VA_ARGS__}) / sizeof(struct ras_dial9_field)
#define NAMED                                                                                      \
    {"tick", RAS_DIAL9_VARINT}, {"name", RAS_DIAL9_POOLED_STRING},                                 \
    {                                                                                              \
        "index", RAS_DIAL9_VARINT                                                                  \
    }

static const struct ras_dial9_schema schemas[KINDS] = {
    [TICK] = {"tick",
              FIELDS({"tick", RAS_DIAL9_VARINT}, {"commands", RAS_DIAL9_VARINT},
                     {"snapshot_hash", RAS_DIAL9_VARINT}, {"duration_ns", RAS_DIAL9_VARINT}),
              true},
    [PHASE] = {"phase",
               FIELDS({"tick", RAS_DIAL9_VARINT}, {"name", RAS_DIAL9_POOLED_STRING},
                      {"duration_ns", RAS_DIAL9_VARINT}),
               true},
    [STATE] = {"state", FIELDS(NAMED, {"size", RAS_DIAL9_VARINT}, {"hash", RAS_DIAL9_VARINT})},
    [VALUE] = {"value", FIELDS(NAMED, {"value", RAS_DIAL9_I64})},
    [VALUE_F64] = {"value_f64", FIELDS(NAMED, {"value", RAS_DIAL9_F64})},
    [VALUE_TEXT] = {"value_text", FIELDS(NAMED, {"value", RAS_DIAL9_STRING})},
    [STATE_BYTES] = {"state_bytes", FIELDS(NAMED, {"bytes", RAS_DIAL9_BYTES})},
};

static const char *const dial9_varies[] = {"tick.duration_ns", "phase.duration_ns", NULL};

const struct scribe_type dial9_scribe = {
    .name = "dial9",
    .file = "events.trc",
    .lacks = "no tick was recorded",
    .always = true,
    .varies = dial9_varies,
    .open = dial9_scribe_open,
    .note = dial9_scribe_note,
    .tick = dial9_scribe_tick,
    .flush = dial9_scribe_flush,
    .size = dial9_scribe_size,
    .place = dial9_scribe_place,
    .close = dial9_scribe_close,
    .drop = dial9_scribe_drop,
    .resume = dial9_scribe_resume,
};
