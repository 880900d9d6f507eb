/* dial9_record.c - events of a recording: encoded by their threads, joined in events.trc.
 *
 * Each run of frames that the drain takes from a thread becomes a batch: a header, the
 * schemas that the thread has used, a Timestamp Reset where the run does not begin with
 * one, and the frames as the thread wrote them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/out.h"
#include "formats/dial9/dial9_put.h"
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A schema that was declared; never changed, never freed. */
struct type {
    uint8_t *frame;
    size_t frame_size;
    struct put_plan *plan;
};

enum { DEPTH = 32 };

/* ---- schemas ------------------------------------------------------------------------ */

static int check_fields(const struct ras_dial9_schema *schema, struct ras_error *err)
{
    for (unsigned i = 0; i < schema->field_count; i++) {
        uint8_t type = schema->fields[i].type & (uint8_t)~RAS_DIAL9_OPTIONAL;
        if (type == RAS_DIAL9_POOLED_STRING || type == RAS_DIAL9_POOLED_STACK_FRAMES)
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                        "field '%s' is pooled: events of a recording have no pools",
                        dial9_label(schema->fields[i].name).text);
    }
    return RAS_OK;
}

static struct type *type_new(const struct ras_dial9_schema *schema, uint16_t id, size_t size)
{
    struct type *t = calloc(1, sizeof *t);
    uint8_t *frame = malloc(size);
    struct put_plan *plan = calloc(1, sizeof *plan + schema->field_count * sizeof *plan->steps);
    if (!t || !frame || !plan) {
        free(t);
        free(frame);
        free(plan);
        return NULL;
    }
    dial9_schema_put(frame, id, schema);
    dial9_put_plan_fill(plan, id, schema);
    t->plan = plan;
    t->frame = frame;
    t->frame_size = size;
    return t;
}

/* The same schema has one id. All but the id, bytes 1 and 2, are compared. */
static bool is_declared(const struct type *fresh, uint32_t *id)
{
    for (uint32_t i = 0; i < recorder.type_count; i++) {
        const struct type *t = recorder.types[i];
        if (t->frame_size == fresh->frame_size &&
            !memcmp(t->frame + 3, fresh->frame + 3, fresh->frame_size - 3)) {
            *id = i;
            return true;
        }
    }
    return false;
}

static int declare(const struct ras_dial9_schema *schema, size_t size, uint32_t *id,
                   struct ras_error *err)
{
    uint32_t next = recorder.type_count;
    if (next >= STREAM_TYPES)
        return fail(err, RAS_ELIMIT, RAS_NONE, "%d schemas are declared, no more can be",
                    STREAM_TYPES);
    struct type *t = type_new(schema, (uint16_t)next, size);
    if (!t)
        return fail_memory(err);
    if (is_declared(t, id)) {
        free(t->frame);
        free(t->plan);
        free(t);
        return RAS_OK;
    }
    *id = next;
    STORE_RELEASE(&recorder.types[next], t);
    STORE_RELEASE(&recorder.type_count, next + 1);
    return RAS_OK;
}

static const struct stream_ops ops;

int ras_event_schema(const struct ras_dial9_schema *schema, uint32_t *id, struct ras_error *err)
{
    struct put_fault fault;
    uint64_t size = dial9_schema_size(schema, RAS_DIAL9_FULL, &fault);
    if (!size)
        return fail(err, fault.status, RAS_NONE, "%s", fault.text);
    int status = check_fields(schema, err);
    if (status < 0)
        return status;
    struct ras_lane *was = lane_hush();
    pthread_mutex_lock(&recorder.names.lock);
    STORE_RELEASE(&recorder.stream_ops, &ops);
    status = declare(schema, (size_t)size, id, err);
    stream_declare();
    pthread_mutex_unlock(&recorder.names.lock);
    lane_unhush(was);
    return status;
}

/* ---- events ------------------------------------------------------------------------- */

/* What the values take with the head of the event; RAS_NONE: not what the schema says. */
static uint64_t measure(const struct put_plan *plan, const struct ras_dial9_value *values)
{
    struct put_fault fault;
    uint64_t size = DIAL9_RESET_SIZE + plan->head_size + PUT_SLACK;
    for (unsigned i = 0; i < plan->field_count; i++) {
        uint64_t more = dial9_value_size(&values[i], plan->steps[i].field, DEPTH, &fault);
        if (more == RAS_NONE)
            return RAS_NONE;
        size += more;
    }
    return size;
}

/* From here on frames stand for themselves: the first begins with a reset. */
static void make_cut(struct stream *s, uint64_t place)
{
    STORE_RELEASE(&s->cut, 0); /* the two are whole while this does not change */
    STORE_RELEASE(&s->cut_count, s->count);
    STORE_RELEASE(&s->cut, place);
    s->cut_due = place + STREAM_CUT;
}

static void publish(struct stream *s, uint64_t room, uint64_t used, uint64_t base_ns)
{
    STORE(&s->mark, byte_ring_place(&s->ring, room) + used);
    STORE_RELEASE(&s->base_ns, base_ns);
    STORE_RELEASE(&s->count, s->count + 1);
    byte_ring_commit(&s->ring, room, used);
}

static bool put(struct stream *s, const struct type *t, uint32_t id, uint64_t time_ns,
                const struct ras_dial9_value *values)
{
    const struct put_plan *plan = t->plan;
    bool careful = plan->most == UINT64_MAX;
    uint64_t room = careful ? measure(plan, values) : plan->most, wrong = 0;
    if (room == RAS_NONE) {
        stream_drop(s, RAS_RECORD_REFUSED);
        return false;
    }
    if (!stream_room(s, room))
        return false;
    uint64_t place = byte_ring_place(&s->ring, room), base_ns = s->base_ns;
    bool cut = place >= s->cut_due || place != s->ring.head || !s->count;
    if (__builtin_expect(cut, 0))
        base_ns = UINT64_MAX; /* every time lies before it: a reset */
    uint8_t *start = s->ring.at + (place & (s->ring.size - 1));
    uint8_t *p = put_head(start, plan, &base_ns, time_ns);
    if (careful)
        for (unsigned i = 0; i < plan->field_count; i++)
            p = dial9_value_put(p, &values[i], plan->steps[i].field);
    else
        p = put_by_plan(plan, &values, p, &wrong);
    if (__builtin_expect(wrong != 0, 0)) {
        stream_drop(s, RAS_RECORD_REFUSED);
        return false;
    }
    if (__builtin_expect(cut && plan->timed, 0))
        make_cut(s, place);
    if (!s->used[id])
        STORE(&s->used[id], 1);
    publish(s, room, (uint64_t)(p - start), plan->timed ? base_ns : s->base_ns);
    if (s->ring.head - LOAD(&s->ring.tail) >= s->ring.size / 4)
        drain_ring();
    return true;
}

static bool event(uint32_t id, const uint64_t *time_ns, const struct ras_dial9_value *values,
                  uint32_t count)
{
    uint64_t now;
    struct stream *s = stream_hold(time_ns ? NULL : &now);
    if (!s)
        return false;
    const struct type *t = id < STREAM_TYPES ? LOAD_ACQUIRE(&recorder.types[id]) : NULL;
    bool done = t && count == t->plan->field_count;
    if (done)
        done = put(s, t, id, time_ns ? *time_ns : now, values);
    else
        stream_drop(s, RAS_RECORD_REFUSED);
    stream_release();
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

bool ras_marker(const char *text)
{
    static const struct ras_dial9_field fields[] = {{"thread_id", RAS_DIAL9_VARINT},
                                                    {"text", RAS_DIAL9_STRING}};
    static const struct ras_dial9_schema schema = {"RecordMarker", fields, 2, true};
    uint32_t id = LOAD_ACQUIRE(&recorder.marker), before = ras_lane->thread_id;
    if (!id) {
        if (ras_event_schema(&schema, &id, NULL) < 0)
            return false;
        STORE_RELEASE(&recorder.marker, ++id); /* 0: not declared */
    }
    const struct ras_dial9_value values[] = {
        {.type = RAS_DIAL9_VARINT, .u = before},
        {.type = RAS_DIAL9_STRING, .count = (uint32_t)strlen(text), .at = (const uint8_t *)text}};
    return ras_event(id - 1, values, 2);
}

/* ---- the file ----------------------------------------------------------------------- */

struct stream_file {
    int fd;
    struct ras_sink *sink;
    uint64_t end; /* of the last whole batch */
};

static int file_open(struct stream_file **out, const char *dir, struct ras_error *err)
{
    char path[8192];
    struct stream_file *f = calloc(1, sizeof *f);
    if (!f)
        return fail_memory(err);
    snprintf(path, sizeof path, "%s/events.trc", dir);
    f->fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    int status = f->fd < 0 ? fail_os(err, path) : ras_sink_fd(&f->sink, f->fd, err);
    if (status < 0) {
        if (f->fd >= 0)
            close(f->fd);
        free(f);
        return status;
    }
    *out = f;
    return RAS_OK;
}

static int taken_back(struct stream_file *f, int status)
{
    if (status < 0)
        (void)!ras_sink_rewind(f->sink, f->end, NULL);
    return status;
}

static int file_begin(struct stream_file *f, const struct stream *s, struct ras_error *err)
{
    uint8_t bytes[RAS_DIAL9_HEADER_SIZE + DIAL9_RESET_SIZE];
    uint8_t *p = store_bytes(bytes, DIAL9_MAGIC, DIAL9_MAGIC_SIZE);
    p = store_u8(p, RAS_DIAL9_VERSION);
    f->end = ras_sink_size(f->sink);
    int status = ras_sink_write(f->sink, bytes, (size_t)(p - bytes), err);
    for (uint32_t i = 0; status == RAS_OK && i < STREAM_TYPES; i++) {
        const struct type *t = LOAD(&s->used[i]) ? recorder.types[i] : NULL;
        if (t)
            status = ras_sink_write(f->sink, t->frame, t->frame_size, err);
    }
    if (status == RAS_OK && !s->standing) {
        p = store_u64(store_u8(bytes, RAS_DIAL9_TIMESTAMP_RESET), s->taken_base);
        status = ras_sink_write(f->sink, bytes, (size_t)(p - bytes), err);
    }
    return taken_back(f, status);
}

static int file_frames(struct stream_file *f, struct ras_bytes bytes, struct ras_error *err)
{
    return taken_back(f, ras_sink_write(f->sink, bytes.at, bytes.len, err));
}

static int file_flush(struct stream_file *f, struct ras_error *err)
{
    return ras_sink_flush(f->sink, err);
}

static uint64_t file_size(const struct stream_file *f)
{
    return ras_sink_size(f->sink);
}

static void file_leave(struct stream_file *f)
{
    ras_sink_drop(f->sink);
    close(f->fd);
    free(f);
}

static int file_close(struct stream_file *f, struct ras_error *err)
{
    int status = ras_sink_flush(f->sink, err);
    file_leave(f);
    return status;
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
 * Timestamp Reset, and the frames of schemas by their ids. */
static void file_declare(const char *dir, uint32_t from)
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

static void file_forget(const char *dir)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/" STREAM_TYPES_NAME, dir);
    unlink(path);
}

static const struct stream_ops ops = {
    .open = file_open,
    .begin = file_begin,
    .frames = file_frames,
    .flush = file_flush,
    .size = file_size,
    .declare = file_declare,
    .forget = file_forget,
    .close = file_close,
    .leave = file_leave,
};
