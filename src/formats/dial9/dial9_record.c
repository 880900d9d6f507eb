/* dial9_record.c - events of a recording: encoded by their threads, joined in events.trc.
 *
 * Each run of frames that the drain takes from a thread becomes a batch: a header, the
 * schemas and entries of pools that the thread has used, a Timestamp Reset where the run does not
 * begin with one, and the frames as the thread wrote them. */
#include "base/error.h"
#include "base/memory.h"
#include "formats/dial9/dial9_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 32 };

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

/* From here on frames stand for themselves: the first begins with a reset, and whatever is
 * referred to from now on is marked with the next epoch. */
static void make_cut(struct stream *s, uint64_t place)
{
    STORE_RELEASE(&s->cut, 0); /* what belongs to it is whole while this does not change */
    STORE_RELEASE(&s->cut_count, s->count);
    STORE_RELEASE(&s->epoch, s->epoch + 1);
    STORE_RELEASE(&s->cut_epoch, s->epoch);
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

static void mark_used(struct stream *s, uint64_t id)
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
static bool are_pooled(const struct put_plan *plan, const struct ras_dial9_value *values)
{
    for (unsigned i = 0; i < plan->field_count; i++) {
        enum type_kind pool = pool_of(&plan->steps[i]);
        if (pool == TYPE_SCHEMA || !values[i].type)
            continue;
        const struct type *t =
            values[i].u < STREAM_TYPES ? LOAD_ACQUIRE(&recorder.types[values[i].u]) : NULL;
        if (!t || t->kind != pool)
            return false;
    }
    return true;
}

static void mark_pooled(struct stream *s, const struct put_plan *plan,
                        const struct ras_dial9_value *values)
{
    for (unsigned i = 0; i < plan->field_count; i++)
        if (pool_of(&plan->steps[i]) != TYPE_SCHEMA && values[i].type)
            mark_used(s, values[i].u);
}

static bool put(struct stream *s, const struct type *t, uint32_t id, uint64_t time_ns,
                const struct ras_dial9_value *values)
{
    const struct put_plan *plan = t->plan;
    const struct ras_dial9_value *at = values; /* the plan moves on */
    bool careful = plan->most == UINT64_MAX;
    uint64_t room = careful ? measure(plan, values) : plan->most, wrong = 0;
    if (room == RAS_NONE || (t->pooled && !are_pooled(plan, values))) {
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
        p = put_by_plan(plan, &at, p, &wrong);
    if (__builtin_expect(wrong != 0, 0)) {
        stream_drop(s, RAS_RECORD_REFUSED);
        return false;
    }
    if (__builtin_expect(cut && plan->timed, 0)) {
        byte_ring_turn(&s->ring, room);
        make_cut(s, place);
    }
    mark_used(s, id);
    if (t->pooled)
        mark_pooled(s, plan, values);
    publish(s, room, (uint64_t)(p - start), plan->timed ? base_ns : s->base_ns);
    if (s->ring.head - LOAD(&s->ring.tail) >= s->ring.size / 4)
        drain_notify();
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
    bool done = t && t->plan && count == t->plan->field_count;
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

/* Memory and locks are not for handlers, which may give the first marker. */
void stream_ready(void)
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
    uint32_t count = LOAD_ACQUIRE(&recorder.type_count);
    for (uint32_t i = 0; status == RAS_OK && i < count; i++) {
        const struct type *t = stream_uses(s, i) ? recorder.types[i] : NULL;
        if (t)
            status = ras_sink_write(f->sink, t->frame, t->frame_size, err);
    }
    if (status == RAS_OK && !s->standalone) {
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

const struct stream_ops dial9_stream_ops = {
    .open = file_open,
    .begin = file_begin,
    .frames = file_frames,
    .flush = file_flush,
    .size = file_size,
    .declare = dial9_types_declare,
    .forget = dial9_types_forget,
    .close = file_close,
    .leave = file_leave,
};
