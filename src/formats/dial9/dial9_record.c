/* dial9_record.c - events of a recording: encoded by their threads, joined in events.trc.
 *
 * Each run of frames that the drain takes from a thread becomes a batch: a header, the schemas
 * and entries of pools that the thread has used, a Timestamp Reset if the run does not begin
 * with one, and the frames as the thread wrote them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/fnv1a.h"
#include "codec/utf8.h"
#include "core/sink.h"
#include "formats/dial9/dial9_put.h"
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Declarations have a number, the type id or pool id; they are never changed or freed. A batch
 * begins with the frames of those that its events refer to. */
enum type_kind { TYPE_SCHEMA, TYPE_STRING, TYPE_STACK };

struct type {
    enum type_kind kind;
    uint8_t *frame;
    size_t frame_size;
    struct put_layout *layout; /* of a schema */
    bool pooled;               /* a schema with fields that refer to pools */
};

extern const struct event_stream_ops dial9_stream_ops;

/* ---- schemas and entries of pools ------------------------------------------------ */

enum { POOL_SIZE = 5, ENTRY_SIZE = 8 };

/* ---- one number each ------------------------------------------------------------------ */

/* Where in its frame the number is, and its size. */
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

static uint32_t *type_slot(const struct type *t)
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
        *type_slot(recorder.types[i]) = i + 1;
    free(old);
    return true;
}

static void type_free(struct type *t)
{
    if (!t)
        return;
    free(t->frame);
    free(t->layout);
    free(t);
}

static void number_type(struct type *t, uint32_t id)
{
    if (t->kind != TYPE_SCHEMA) {
        store_u32(t->frame + number_at(t->kind), id);
        return;
    }
    store_u16(t->frame + number_at(t->kind), (uint16_t)id);
}

/* The number of `t`, which is kept if it is new, else freed. */
static int add(struct type *t, const struct ras_dial9_schema *schema, uint32_t *id,
               struct ras_error *err)
{
    uint32_t next = recorder.type_count;
    uint32_t *slot = make_index() ? type_slot(t) : NULL;
    int status = RAS_OK;
    if (!slot)
        status = fail_memory(err);
    else if (*slot)
        *id = *slot - 1;
    else if (next >= STREAM_TYPES)
        status = fail(err, RAS_ELIMIT, RAS_NONE,
                      "the limit of %d schemas, strings and stacks is reached", STREAM_TYPES);
    if (!slot || *slot || status < 0) {
        type_free(t);
        return status;
    }
    number_type(t, next);
    if (schema)
        dial9_put_layout_fill(t->layout, (uint16_t)next, schema);
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
    event_stream_declare();
    lock_give(&recorder.names.lock);
    lane_resume(was);
    return status;
}

static struct type *type_new(enum type_kind kind, size_t size, size_t layout_size)
{
    struct type *t = calloc(1, sizeof *t);
    uint8_t *frame = malloc(size);
    struct put_layout *layout = layout_size ? calloc(1, layout_size) : NULL;
    if (!t || !frame || (layout_size && !layout)) {
        free(t);
        free(frame);
        free(layout);
        return NULL;
    }
    *t = (struct type){.kind = kind, .frame = frame, .frame_size = size, .layout = layout};
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
                              sizeof *t->layout + schema->field_count * sizeof *t->layout->steps);
    if (t) {
        dial9_schema_put(t->frame, 0, schema);
        t->pooled = has_pooled(schema);
    }
    return declare(t, schema, id, err);
}

/* ---- pools ---------------------------------------------------------------------------- */

/* A frame of one entry, up to its bytes. */
static uint8_t *declare_entry(struct type *t, uint8_t tag, uint32_t count)
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
        store_bytes(declare_entry(t, RAS_DIAL9_STRING_POOL, (uint32_t)text.len), text.at, text.len);
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
    uint8_t *p = t ? declare_entry(t, RAS_DIAL9_STACK_POOL, count) : NULL;
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

/* Records of a number, a size and the bytes: the beginning of a batch, a Timestamp Reset, and
 * the frames of declarations by their numbers. */
static void dial9_types_declare(const char *dir, uint32_t from)
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

/* For the drain, see stream_ops. */
static void dial9_types_forget(const char *dir)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/" STREAM_TYPES_NAME, dir);
    unlink(path);
}

/* ---- events ---------------------------------------------------------------------- */

enum { DEPTH = 32 };

/* ---- events ------------------------------------------------------------------------- */

/* The size of the values with the head of the event; RAS_NONE: they do not match the schema. */
static uint64_t record_measure(const struct put_layout *layout,
                               const struct ras_dial9_value *values)
{
    struct put_fault fault;
    uint64_t size = DIAL9_RESET_SIZE + layout->head_size + PUT_SLACK;
    for (unsigned i = 0; i < layout->field_count; i++) {
        uint64_t more = dial9_value_size(&values[i], layout->steps[i].field, DEPTH, &fault);
        if (more == RAS_NONE)
            return RAS_NONE;
        size += more;
    }
    return size;
}

/* From here on frames are standalone: the first begins with a reset, and everything referred to
 * from now on is marked with the next epoch. */
static void make_cut(struct event_stream *s, uint64_t place)
{
    STORE_RELEASE(&s->cut,
                  0); /* the values that belong to it are valid while this does not change */
    STORE_RELEASE(&s->cut_count, s->count);
    STORE_RELEASE(&s->epoch, s->epoch + 1);
    STORE_RELEASE(&s->cut_epoch, s->epoch);
    STORE_RELEASE(&s->cut, place);
    s->cut_due = place + STREAM_CUT;
}

static void publish(struct event_stream *s, uint64_t room, uint64_t used, uint64_t base_ns)
{
    STORE(&s->mark, byte_ring_place(&s->ring, room) + used);
    STORE_RELEASE(&s->base_ns, base_ns);
    STORE_RELEASE(&s->count, s->count + 1);
    byte_ring_commit(&s->ring, room, used);
}

static void mark_used(struct event_stream *s, uint64_t id)
{
    if (s->used[id] != s->epoch)
        STORE(&s->used[id], s->epoch);
}

/* Which pool a field refers to; TYPE_SCHEMA: none. */
static enum type_kind pool_of(const struct put_step *step)
{
    if (step->type == RAS_DIAL9_POOLED_STRING)
        return TYPE_STRING;
    return step->type == RAS_DIAL9_POOLED_STACK_FRAMES ? TYPE_STACK : TYPE_SCHEMA;
}

/* Whether the pools have what an event refers to. */
static bool are_pooled(const struct put_layout *layout, const struct ras_dial9_value *values)
{
    for (unsigned i = 0; i < layout->field_count; i++) {
        enum type_kind pool = pool_of(&layout->steps[i]);
        if (pool == TYPE_SCHEMA || !values[i].type)
            continue;
        const struct type *t =
            values[i].u < STREAM_TYPES ? LOAD_ACQUIRE(&recorder.types[values[i].u]) : NULL;
        if (!t || t->kind != pool)
            return false;
    }
    return true;
}

static void mark_pooled(struct event_stream *s, const struct put_layout *layout,
                        const struct ras_dial9_value *values)
{
    for (unsigned i = 0; i < layout->field_count; i++)
        if (pool_of(&layout->steps[i]) != TYPE_SCHEMA && values[i].type)
            mark_used(s, values[i].u);
}

static bool record_put(struct event_stream *s, const struct type *t, uint32_t id, uint64_t time_ns,
                       const struct ras_dial9_value *values)
{
    const struct put_layout *layout = t->layout;
    const struct ras_dial9_value *at = values; /* the layout moves on */
    bool careful = layout->most == UINT64_MAX;
    uint64_t room = careful ? record_measure(layout, values) : layout->most, wrong = 0;
    if (room == RAS_NONE || (t->pooled && !are_pooled(layout, values))) {
        event_stream_drop(s, RAS_RECORD_REFUSED);
        return false;
    }
    if (!event_stream_room(s, room))
        return false;
    uint64_t place = byte_ring_place(&s->ring, room), base_ns = s->base_ns;
    bool cut = place >= s->cut_due || place != s->ring.head || !s->count;
    if (__builtin_expect(cut, 0))
        base_ns = UINT64_MAX; /* every time lies before it: a reset */
    uint8_t *start = s->ring.at + (place & (s->ring.size - 1));
    uint8_t *p = put_head(start, layout, &base_ns, time_ns);
    if (careful)
        for (unsigned i = 0; i < layout->field_count; i++)
            p = dial9_value_put(p, &values[i], layout->steps[i].field);
    else
        p = put_by_layout(layout, &at, p, &wrong);
    if (__builtin_expect(wrong != 0, 0)) {
        event_stream_drop(s, RAS_RECORD_REFUSED);
        return false;
    }
    if (__builtin_expect(cut && layout->timed, 0)) {
        byte_ring_turn(&s->ring, room);
        make_cut(s, place);
    }
    mark_used(s, id);
    if (t->pooled)
        mark_pooled(s, layout, values);
    publish(s, room, (uint64_t)(p - start), layout->timed ? base_ns : s->base_ns);
    if (s->ring.head - LOAD(&s->ring.tail) >= s->ring.size / 4)
        drain_notify();
    return true;
}

static bool event(uint32_t id, const uint64_t *time_ns, const struct ras_dial9_value *values,
                  uint32_t count)
{
    uint64_t now;
    struct event_stream *s = event_stream_hold(time_ns ? NULL : &now);
    if (!s)
        return false;
    const struct type *t = id < STREAM_TYPES ? LOAD_ACQUIRE(&recorder.types[id]) : NULL;
    bool done = t && t->layout && count == t->layout->field_count;
    if (done)
        done = record_put(s, t, id, time_ns ? *time_ns : now, values);
    else
        event_stream_drop(s, RAS_RECORD_REFUSED);
    event_stream_release();
    return done;
}

bool ras_event(uint32_t id, const struct ras_dial9_value *values, uint32_t count)
{
    return event(id, NULL, values, count);
}

bool ras_event_at(uint32_t id, uint64_t time_ns, const struct ras_dial9_value *values,
                  uint32_t count)
{
    return event(id, &time_ns, values, count);
}

/* ---- markers ------------------------------------------------------------------------ */

/* Signal handlers cannot allocate or lock, and may give the first marker. */
void event_stream_ready(void)
{
    static const struct ras_dial9_field fields[] = {{"thread_id", RAS_DIAL9_VARINT},
                                                    {"text", RAS_DIAL9_STRING}};
    static const struct ras_dial9_schema schema = {"RecordMarker", fields, 2, true};
    uint32_t id;
    if (!LOAD(&recorder.marker) && ras_event_schema(&schema, &id, NULL) == RAS_OK)
        STORE_RELEASE(&recorder.marker, id + 1); /* 0: not declared */
}

bool ras_marker(const char *text)
{
    uint32_t id = LOAD_ACQUIRE(&recorder.marker), before = RAS_LANE->thread_id;
    if (!id) {
        if (LOAD_ACQUIRE(&recorder.on))
            ADD(&recorder.stray_events[RAS_RECORD_NO_MEMORY], 1);
        return false;
    }
    const struct ras_dial9_value values[] = {
        {.type = RAS_DIAL9_VARINT, .u = before},
        {.type = RAS_DIAL9_STRING, .count = (uint32_t)strlen(text), .at = (const uint8_t *)text}};
    return ras_event(id - 1, values, 2);
}

/* ---- the file ----------------------------------------------------------------------- */

struct event_stream_file {
    int fd;
    struct ras_sink *sink;
    uint64_t end; /* of the last whole batch */
};

static int file_open(struct event_stream_file **out, const char *dir, struct ras_error *err)
{
    char path[8192];
    struct event_stream_file *f = calloc(1, sizeof *f);
    if (!f)
        return fail_memory(err);
    snprintf(path, sizeof path, "%s/events.trc", dir);
    f->fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    int status = f->fd < 0 ? fail_os(err, path) : ras_sink_fd(&f->sink, f->fd, err);
    if (status == RAS_OK && recorder.options.compress)
        status = sink_compress(f->sink, 0, err);
    if (status < 0) {
        ras_sink_drop(f->sink);
        if (f->fd >= 0)
            close(f->fd);
        free(f);
        return status;
    }
    *out = f;
    return RAS_OK;
}

static int taken_back(struct event_stream_file *f, int status)
{
    if (status < 0)
        (void)!ras_sink_rewind(f->sink, f->end, NULL);
    return status;
}

static int file_begin(struct event_stream_file *f, const struct event_stream *s,
                      struct ras_error *err)
{
    uint8_t bytes[RAS_DIAL9_HEADER_SIZE + DIAL9_RESET_SIZE];
    uint8_t *p = store_bytes(bytes, DIAL9_MAGIC, DIAL9_MAGIC_SIZE);
    p = store_u8(p, RAS_DIAL9_VERSION);
    f->end = ras_sink_size(f->sink);
    int status = ras_sink_write(f->sink, bytes, (size_t)(p - bytes), err);
    uint32_t count = LOAD_ACQUIRE(&recorder.type_count);
    for (uint32_t i = 0; status == RAS_OK && i < count; i++) {
        const struct type *t = event_stream_uses(s, i) ? recorder.types[i] : NULL;
        if (t)
            status = ras_sink_write(f->sink, t->frame, t->frame_size, err);
    }
    if (status == RAS_OK && !s->standalone) {
        p = store_u64(store_u8(bytes, RAS_DIAL9_TIMESTAMP_RESET), s->taken_base);
        status = ras_sink_write(f->sink, bytes, (size_t)(p - bytes), err);
    }
    return taken_back(f, status);
}

static int file_frames(struct event_stream_file *f, struct ras_bytes bytes, struct ras_error *err)
{
    return taken_back(f, ras_sink_write(f->sink, bytes.at, bytes.len, err));
}

static int file_flush(struct event_stream_file *f, struct ras_error *err)
{
    return ras_sink_flush(f->sink, err);
}

static uint64_t file_size(const struct event_stream_file *f)
{
    return ras_sink_size(f->sink);
}

/* A batch of its own: this is written by the drain, which has no stream. */
static int file_crash(struct event_stream_file *f, const struct crash_info *c,
                      struct ras_error *err)
{
    enum { FIELDS = 7, ROOM = 1024, VARINT_MAYBE = RAS_DIAL9_VARINT | RAS_DIAL9_OPTIONAL };
    static const struct ras_dial9_field fields[FIELDS] = {
        {"tick", VARINT_MAYBE},           {"signal", RAS_DIAL9_VARINT}, {"code", RAS_DIAL9_I64},
        {"address", VARINT_MAYBE},        {"pc", RAS_DIAL9_VARINT},     {"thread_id", VARINT_MAYBE},
        {"stack", RAS_DIAL9_STACK_FRAMES}};
    static const struct ras_dial9_schema schema = {"crash", fields, FIELDS, true};
    uint8_t stack[(1 + CRASH_CALLS) * DIAL9_ADDRESS_SIZE], bytes[ROOM], *p = stack;
    bool has_thread = c->thread_id != UINT32_MAX;
    const struct ras_dial9_value values[FIELDS] = {
        {.type = c->has_tick ? RAS_DIAL9_VARINT : 0, .u = c->tick},
        {.type = RAS_DIAL9_VARINT, .u = (uint64_t)c->number},
        {.type = RAS_DIAL9_I64, .i = c->code},
        {.type = c->has_address ? RAS_DIAL9_VARINT : 0, .u = c->address},
        {.type = RAS_DIAL9_VARINT, .u = c->pc},
        {.type = has_thread ? RAS_DIAL9_VARINT : 0, .u = c->thread_id},
        {.type = RAS_DIAL9_STACK_FRAMES, .count = c->has_pc + c->call_count, .at = stack}};
    if (c->has_pc)
        p = store_u64(p, c->pc);
    for (unsigned i = 0; i < c->call_count; i++)
        p = store_u64(p, c->calls[i]);
    p = store_u8(store_bytes(bytes, DIAL9_MAGIC, DIAL9_MAGIC_SIZE), RAS_DIAL9_VERSION);
    p = dial9_schema_put(p, 0, &schema);
    p = store_u64(store_u8(p, RAS_DIAL9_TIMESTAMP_RESET), c->time_ns);
    p = store_u16(store_u8(p, RAS_DIAL9_EVENT), 0);
    p = store_u8(store_u16(p, 0), 0); /* no time after the reset */
    for (unsigned i = 0; i < FIELDS; i++)
        p = dial9_value_put(p, &values[i], fields[i].type);
    f->end = ras_sink_size(f->sink);
    return taken_back(f, ras_sink_write(f->sink, bytes, (size_t)(p - bytes), err));
}

static void file_leave(struct event_stream_file *f)
{
    ras_sink_drop(f->sink);
    close(f->fd);
    free(f);
}

static int file_close(struct event_stream_file *f, struct ras_error *err)
{
    int status = sink_finish(f->sink, err);
    file_leave(f);
    return status;
}

const struct event_stream_ops dial9_stream_ops = {
    .open = file_open,
    .begin = file_begin,
    .frames = file_frames,
    .flush = file_flush,
    .size = file_size,
    .declare = dial9_types_declare,
    .forget = dial9_types_forget,
    .crash = file_crash,
    .close = file_close,
    .leave = file_leave,
};
