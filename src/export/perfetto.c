/* perfetto.c - a timeline as a Perfetto trace: a sequence of packets for every track.
 *
 * Packets of a sequence have times relative to the one before, and names by number: a name is
 * stored with the first packet that uses it. Both start again with a packet that has the flag for
 * it, when a sequence has stored 2^16 strings or the tables here are full, so that neither the
 * reader's memory nor ours grows with the trace. */
#include "export/perfetto.h"
#include "codec/fnv1a.h"

#include <stdlib.h>

enum {
    PERFETTO_STRINGS = 1 << 16, /* of a sequence */
    PERFETTO_KNOWN = 1 << 20,   /* of all sequences */
    POOL_STRINGS = 1 << 16,     /* values of arguments */
    POOL_BYTES = 8 << 20,
    POOLED_LENGTH = 64, /* longer ones are stored in place */
    BOOTTIME = 6,
    INCREMENTAL = 64,
    DEPTH_MOST = 32,
};

/* TracePacket */
enum {
    PACKET = 1,
    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    PACKET_SAMPLE = 66,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

/* TrackEvent */
enum {
    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER = 30,
    EVENT_COUNTER_REAL = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
};

/* DebugAnnotation */
enum {
    NOTE_NAME_ID = 1,
    NOTE_BOOL = 2,
    NOTE_UINT = 3,
    NOTE_INT = 4,
    NOTE_REAL = 5,
    NOTE_TEXT = 6,
    NOTE_POINTER = 7,
    NOTE_NAME = 10,
    NOTE_ENTRY = 11,
    NOTE_ITEM = 12,
    NOTE_TEXT_ID = 17,
};

/* InternedData; the members of its entries are 1 for the number and 2 for the text. */
enum {
    INTERNED_CATEGORY = 1,
    INTERNED_EVENT = 2,
    INTERNED_NOTE = 3,
    INTERNED_FUNCTION = 5,
    INTERNED_FRAME = 6,
    INTERNED_STACK = 7,
    INTERNED_PATH = 17,
    INTERNED_MAPPING = 19,
    INTERNED_TEXT = 29,
};

/* What has numbers of its own. */
enum known {
    KNOWN_CATEGORY,
    KNOWN_EVENT,
    KNOWN_NOTE,
    KNOWN_FUNCTION,
    KNOWN_FRAME,
    KNOWN_TEXT,
    KNOWN_MAPPING
};

struct sequence {
    uint32_t epoch;      /* 0: not begun */
    uint32_t generation; /* of the tables */
    uint32_t strings;
    uint64_t last_ns;
};

struct pooled {
    uint32_t at, len;
};

struct frame_known {
    uint64_t address;
    uint32_t name;
};

struct perfetto {
    struct sequence *sequences; /* by track */
    size_t room;
    uint32_t epochs, generation;
    uint64_t begin_ns;     /* what clocks begin at; RAS_NONE: not known yet */
    struct id_table known; /* epoch << 32 | kind << 29 | number */
    struct pooled *pool;
    size_t pool_count, pool_room;
    uint32_t *pool_slots;
    struct out pool_bytes;
    struct frame_known *frames;
    size_t frame_count, frame_room;
    uint32_t *frame_slots;
    size_t frame_slot_count;
    uint64_t stacks;
    struct out packet, event, interned, note, inner; /* under construction */
    struct out nested[DEPTH_MOST];
};

/* ---- numbers of strings ---------------------------------------------------------------- */

/* Whether the reader of the sequence knows it by now; if not, it will. */
static bool perfetto_knows(struct timeline *t, struct sequence *s, enum known kind, uint32_t number)
{
    struct perfetto *p = t->state;
    uint64_t key = (uint64_t)s->epoch << 32 | (uint64_t)kind << 29 | number;
    if (id_table_find(&p->known, key) != ID_TABLE_NONE)
        return true;
    if (!id_table_add(&p->known, key, 0))
        timeline_nomem(t);
    s->strings++;
    return false;
}

static void intern_text(struct perfetto *p, uint32_t field, uint64_t number, const void *text,
                        size_t len)
{
    p->inner.len = 0;
    proto_uint(&p->inner, 1, number);
    proto_bytes(&p->inner, 2, text, len);
    proto_message(&p->interned, field, &p->inner);
}

/* The number of a name in this sequence. */
static uint64_t perfetto_name(struct timeline *t, struct sequence *s, enum known kind,
                              uint32_t field, uint32_t name)
{
    struct perfetto *p = t->state;
    if (!perfetto_knows(t, s, kind, name)) {
        struct timeline_name text = timeline_name(t, name);
        intern_text(p, field, (uint64_t)name + 1, text.at, text.len);
    }
    return (uint64_t)name + 1;
}

/* The number of a short text, or 0: it is stored in place. */
static uint32_t perfetto_pooled(struct timeline *t, const void *text, size_t len)
{
    struct perfetto *p = t->state;
    if (!len || len > POOLED_LENGTH)
        return 0;
    size_t mask = 2 * POOL_STRINGS - 1;
    size_t at = (size_t)fnv1a_bytes(FNV1A_START, text, len) & mask;
    for (; p->pool_slots[at]; at = (at + 1) & mask) {
        const struct pooled *one = &p->pool[p->pool_slots[at] - 1];
        if (one->len == len && !memcmp(p->pool_bytes.at + one->at, text, len))
            return p->pool_slots[at];
    }
    if (p->pool_count == POOL_STRINGS || p->pool_bytes.len + len > POOL_BYTES)
        return 0; /* until the tables start again */
    if (!array_grow(&p->pool, &p->pool_room, p->pool_count + 1, sizeof *p->pool)) {
        timeline_nomem(t);
        return 0;
    }
    p->pool[p->pool_count++] = (struct pooled){(uint32_t)p->pool_bytes.len, (uint32_t)len};
    out_bytes(&p->pool_bytes, text, len);
    p->pool_slots[at] = (uint32_t)p->pool_count;
    return (uint32_t)p->pool_count;
}

/* The tables are full: all sequences start again. */
static void perfetto_forget(struct perfetto *p)
{
    if (p->known.count < PERFETTO_KNOWN && p->pool_count < POOL_STRINGS &&
        p->pool_bytes.len + POOLED_LENGTH <= POOL_BYTES)
        return;
    id_table_free(&p->known);
    p->known = (struct id_table){0};
    p->generation++;
    p->pool_count = p->pool_bytes.len = 0;
    memset(p->pool_slots, 0, 2 * POOL_STRINGS * sizeof *p->pool_slots);
}

/* ---- packets --------------------------------------------------------------------------- */

static void packet_clocks(struct perfetto *p)
{
    static const uint64_t ids[] = {BOOTTIME, INCREMENTAL};
    struct out *clocks = &p->nested[0];
    for (size_t i = 0; i < 2; i++) {
        p->inner.len = 0;
        proto_uint(&p->inner, 1, ids[i]);
        proto_uint(&p->inner, 2, p->begin_ns);
        if (ids[i] == INCREMENTAL)
            proto_uint(&p->inner, 3, 1);
        proto_message(clocks, 1, &p->inner);
    }
    proto_uint(clocks, 2, BOOTTIME);
    proto_message(&p->packet, PACKET_CLOCKS, clocks);
}

/* Clock and track of all packets of a sequence that follow. */
static void packet_defaults(struct perfetto *p, uint32_t track)
{
    struct out *defaults = &p->nested[0];
    proto_uint(&p->inner, EVENT_TRACK, (uint64_t)track + 1);
    proto_message(defaults, PACKET_EVENT, &p->inner);
    proto_uint(defaults, PACKET_CLOCK, INCREMENTAL);
    proto_message(&p->packet, PACKET_DEFAULTS, defaults);
}

static void packet_end(struct timeline *t)
{
    struct perfetto *p = t->state;
    t->out.failed |= p->packet.failed;
    proto_message(&t->out, PACKET, &p->packet);
}

/* The first packet of a sequence, or the first after its strings were forgotten. */
static void sequence_start(struct timeline *t, uint32_t track, struct sequence *s)
{
    struct perfetto *p = t->state;
    *s = (struct sequence){
        .epoch = ++p->epochs, .generation = p->generation, .last_ns = p->begin_ns};
    proto_uint(&p->packet, PACKET_SEQUENCE, (uint64_t)track + 2);
    proto_uint(&p->packet, PACKET_FLAGS, FLAG_CLEARED);
    packet_clocks(p);
    packet_defaults(p, track);
    packet_end(t);
}

static struct sequence *perfetto_sequence(struct timeline *t, const struct timeline_event *e)
{
    struct perfetto *p = t->state;
    struct sequence *s = &p->sequences[e->track];
    if (p->begin_ns == RAS_NONE)
        p->begin_ns = e->time_ns;
    perfetto_forget(p);
    if (!s->epoch || s->generation != p->generation || s->strings >= PERFETTO_STRINGS)
        sequence_start(t, e->track, s);
    return s;
}

/* The time, relative to the packet before; one that is earlier is stored as it is. */
static void packet_time(struct perfetto *p, struct sequence *s, uint64_t time_ns)
{
    if (time_ns >= s->last_ns) {
        proto_uint(&p->packet, PACKET_TIME, time_ns - s->last_ns);
        s->last_ns = time_ns;
        return;
    }
    proto_uint(&p->packet, PACKET_TIME, time_ns);
    proto_uint(&p->packet, PACKET_CLOCK, BOOTTIME);
}

static void packet_put(struct timeline *t, uint32_t field, uint32_t track, struct sequence *s,
                       uint64_t time_ns)
{
    struct perfetto *p = t->state;
    packet_time(p, s, time_ns);
    proto_uint(&p->packet, PACKET_SEQUENCE, (uint64_t)track + 2);
    proto_uint(&p->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
    if (p->interned.len)
        proto_message(&p->packet, PACKET_INTERNED, &p->interned);
    proto_message(&p->packet, field, &p->event);
    packet_end(t);
}

/* ---- arguments ------------------------------------------------------------------------- */

static void note_text(struct timeline *t, struct sequence *s, struct out *note, const void *text,
                      size_t len)
{
    struct perfetto *p = t->state;
    uint32_t pooled = perfetto_pooled(t, text, len);
    if (!pooled) {
        proto_bytes(note, NOTE_TEXT, text, len);
        return;
    }
    if (!perfetto_knows(t, s, KNOWN_TEXT, pooled))
        intern_text(p, INTERNED_TEXT, pooled, text, len);
    proto_uint(note, NOTE_TEXT_ID, pooled);
}

static void note_hex(struct out *note, const struct ras_value *v)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = v->at;
    proto_tag(note, NOTE_TEXT, PROTO_BYTES);
    proto_varint(note, (uint64_t)v->count * 2);
    for (uint32_t i = 0; i < v->count; i++) {
        out_byte(note, (uint8_t)digits[at[i] >> 4]);
        out_byte(note, (uint8_t)digits[at[i] & 15]);
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void note_value(struct timeline *t, struct sequence *s, struct out *note,
                       const struct ras_value *v, unsigned flags, unsigned depth);

/* The items of a list, or the entries of a map with their keys. */
static void note_inside(struct timeline *t, struct sequence *s, struct out *note,
                        const struct ras_value *v, unsigned flags, unsigned depth)
{
    struct perfetto *p = t->state;
    const struct ras_value *end = ras_value_next(v);
    if (depth + 1 >= DEPTH_MOST) {
        timeline_lost(t, "values nested more than 30 deep", 1);
        return;
    }
    struct out *inside = &p->nested[depth + 1];
    for (const struct ras_value *at = v + 1; at < end; at = ras_value_next(at)) {
        inside->len = 0;
        if (v->kind == RAS_MAP) {
            char number[24];
            int len = 0;
            if (at->kind != RAS_STR)
                len = snprintf(number, sizeof number, "%" PRIu64, at->u);
            proto_bytes(inside, NOTE_NAME, at->kind == RAS_STR ? at->at : number,
                        at->kind == RAS_STR ? at->count : (size_t)len);
            at = ras_value_next(at);
            if (at >= end)
                break;
        }
        note_value(t, s, inside, at, flags, depth + 1);
        proto_message(note, v->kind == RAS_MAP ? NOTE_ENTRY : NOTE_ITEM, inside);
    }
}

static void note_value(struct timeline *t, struct sequence *s, struct out *note,
                       const struct ras_value *v, unsigned flags, unsigned depth)
{
    switch ((enum ras_kind)v->kind) {
    case RAS_BOOL:
        proto_uint(note, NOTE_BOOL, v->u != 0);
        break;
    case RAS_UINT:
        proto_uint(note, flags & RAS_HEX ? NOTE_POINTER : NOTE_UINT, v->u);
        break;
    case RAS_INT:
        proto_uint(note, NOTE_INT, (uint64_t)v->i);
        break;
    case RAS_F32:
        proto_fixed64(note, NOTE_REAL, bits_of((double)v->f32));
        break;
    case RAS_F64:
        proto_fixed64(note, NOTE_REAL, bits_of(v->f64));
        break;
    case RAS_STR:
        note_text(t, s, note, v->at, v->count);
        break;
    case RAS_BLOB:
        note_hex(note, v);
        break;
    case RAS_LIST:
    case RAS_MAP:
        note_inside(t, s, note, v, flags, depth);
        break;
    default:
        break;
    }
}

static void event_notes(struct timeline *t, struct sequence *s, const struct timeline_event *e)
{
    struct perfetto *p = t->state;
    for (size_t i = 0; i < e->arg_count; i++) {
        const struct timeline_arg *arg = &e->args[i];
        p->note.len = 0;
        proto_uint(&p->note, NOTE_NAME_ID,
                   perfetto_name(t, s, KNOWN_NOTE, INTERNED_NOTE, arg->name));
        note_value(t, s, &p->note, arg->value, arg->flags, 0);
        proto_message(&p->event, EVENT_ANNOTATION, &p->note);
    }
}

/* ---- samples --------------------------------------------------------------------------- */

static size_t frame_slot(const struct perfetto *p, const struct timeline_frame *f)
{
    uint64_t hash = (f->address ^ (uint64_t)f->name << 32) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (p->frame_slot_count - 1);
    for (; p->frame_slots[at]; at = (at + 1) & (p->frame_slot_count - 1)) {
        const struct frame_known *one = &p->frames[p->frame_slots[at] - 1];
        if (one->address == f->address && one->name == f->name)
            break;
    }
    return at;
}

static bool more_frame_slots(struct perfetto *p)
{
    size_t count = p->frame_slot_count ? 2 * p->frame_slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(p->frame_slots);
    p->frame_slots = slots;
    p->frame_slot_count = count;
    for (size_t i = 0; i < p->frame_count; i++)
        p->frame_slots[frame_slot(
            p, &(struct timeline_frame){p->frames[i].name, p->frames[i].address})] =
            (uint32_t)i + 1;
    return true;
}

static uint32_t frame_number(struct timeline *t, const struct timeline_frame *f)
{
    struct perfetto *p = t->state;
    if (2 * p->frame_count >= p->frame_slot_count && !more_frame_slots(p)) {
        timeline_nomem(t);
        return 0;
    }
    size_t slot = frame_slot(p, f);
    if (p->frame_slots[slot])
        return p->frame_slots[slot];
    if (!array_grow(&p->frames, &p->frame_room, p->frame_count + 1, sizeof *p->frames)) {
        timeline_nomem(t);
        return 0;
    }
    p->frames[p->frame_count++] = (struct frame_known){f->address, f->name};
    p->frame_slots[slot] = (uint32_t)p->frame_count;
    return (uint32_t)p->frame_count;
}

/* Every frame has a mapping, and all have the same: addresses are not those of files. */
static void intern_mapping(struct timeline *t, struct sequence *s)
{
    struct perfetto *p = t->state;
    static const char path[] = "trace";
    if (perfetto_knows(t, s, KNOWN_MAPPING, 1))
        return;
    intern_text(p, INTERNED_PATH, 1, path, sizeof path - 1);
    proto_uint(&p->inner, 1, 1);
    proto_uint(&p->inner, 7, 1);
    proto_message(&p->interned, INTERNED_MAPPING, &p->inner);
}

static uint32_t intern_frame(struct timeline *t, struct sequence *s, const struct timeline_frame *f)
{
    struct perfetto *p = t->state;
    uint32_t number = frame_number(t, f);
    if (perfetto_knows(t, s, KNOWN_FRAME, number))
        return number;
    uint64_t function =
        f->name ? perfetto_name(t, s, KNOWN_FUNCTION, INTERNED_FUNCTION, f->name) : 0;
    p->inner.len = 0;
    proto_uint(&p->inner, 1, number);
    if (function)
        proto_uint(&p->inner, 2, function);
    proto_uint(&p->inner, 3, 1);
    proto_uint(&p->inner, 4, f->address);
    proto_message(&p->interned, INTERNED_FRAME, &p->inner);
    return number;
}

static void perfetto_sample(struct timeline *t, const struct timeline_event *e)
{
    struct perfetto *p = t->state;
    struct sequence *s = perfetto_sequence(t, e);
    uint64_t stack = ++p->stacks;
    intern_mapping(t, s);
    for (size_t i = 0; i < e->frame_count; i++)
        proto_uint(&p->note, 2, intern_frame(t, s, &e->frames[i]));
    p->inner.len = 0;
    proto_uint(&p->inner, 1, stack);
    out_bytes(&p->inner, p->note.at, p->note.len);
    p->note.len = 0;
    proto_message(&p->interned, INTERNED_STACK, &p->inner);
    struct perfetto_ids ids = perfetto_ids(t, e->track);
    proto_uint(&p->event, 2, ids.pid);
    proto_uint(&p->event, 3, ids.tid);
    proto_uint(&p->event, 4, stack);
    packet_put(t, PACKET_SAMPLE, e->track, s, e->time_ns);
}

/* ---- events ---------------------------------------------------------------------------- */

static void perfetto_flows(struct perfetto *p, const struct timeline_event *e)
{
    for (size_t i = 0; i < e->flow_count; i++)
        proto_fixed64(&p->event, e->flow_ends[i] ? EVENT_FLOW_END : EVENT_FLOW, e->flows[i]);
}

static void perfetto_event(struct timeline *t, const struct timeline_event *e)
{
    static const uint8_t types[] = {
        [TIMELINE_BEGIN] = 1, [TIMELINE_END] = 2, [TIMELINE_INSTANT] = 3, [TIMELINE_COUNT] = 4};
    struct perfetto *p = t->state;
    if (e->verb == TIMELINE_OPEN || t->nomem)
        return; /* without an end it stays open */
    if (e->verb == TIMELINE_SAMPLE) {
        perfetto_sample(t, e);
        return;
    }
    struct sequence *s = perfetto_sequence(t, e);
    proto_uint(&p->event, EVENT_TYPE, types[e->verb]);
    if (e->verb == TIMELINE_COUNT) {
        if (e->is_real)
            proto_fixed64(&p->event, EVENT_COUNTER_REAL, bits_of(e->real));
        else
            proto_uint(&p->event, EVENT_COUNTER, (uint64_t)e->whole);
    } else if (e->verb != TIMELINE_END) {
        if (e->category)
            proto_uint(&p->event, EVENT_CATEGORY,
                       perfetto_name(t, s, KNOWN_CATEGORY, INTERNED_CATEGORY, e->category));
        proto_uint(&p->event, EVENT_NAME,
                   perfetto_name(t, s, KNOWN_EVENT, INTERNED_EVENT, e->name));
    }
    perfetto_flows(p, e);
    event_notes(t, s, e);
    packet_put(t, PACKET_EVENT, e->track, s, e->time_ns);
}

/* ---- tracks ---------------------------------------------------------------------------- */

static void perfetto_track(struct timeline *t, uint32_t track)
{
    struct perfetto *p = t->state;
    if (!array_grow(&p->sequences, &p->room, track + 1u, sizeof *p->sequences)) {
        timeline_nomem(t);
        return;
    }
    p->sequences[track] = (struct sequence){0};
    proto_uint(&p->packet, PACKET_SEQUENCE, 1);
    perfetto_describe(t, track, &p->event, &p->inner);
    proto_message(&p->packet, PACKET_TRACK, &p->event);
    packet_end(t);
}

static bool perfetto_start(struct timeline *t)
{
    struct perfetto *p = t->state;
    p->begin_ns = RAS_NONE;
    p->pool_slots = calloc((size_t)2 * POOL_STRINGS, sizeof *p->pool_slots);
    return p->pool_slots;
}

static void perfetto_release(struct timeline *t)
{
    struct perfetto *p = t->state;
    free(p->sequences);
    free(p->pool);
    free(p->pool_slots);
    free(p->frames);
    free(p->frame_slots);
    id_table_free(&p->known);
    out_free(&p->pool_bytes);
    out_free(&p->packet);
    out_free(&p->event);
    out_free(&p->interned);
    out_free(&p->note);
    out_free(&p->inner);
    for (size_t i = 0; i < DEPTH_MOST; i++)
        out_free(&p->nested[i]);
}

const struct target perfetto_target = {
    .about = {.name = "perfetto",
              .about = "Perfetto trace: ui.perfetto.dev, trace_processor",
              .extension = ".perfetto-trace",
              .kind = RAS_EXPORT_TIMELINE,
              .is_binary = true},
    .timeline = &(const struct timeline_writer){.state_size = sizeof(struct perfetto),
                                                .start = perfetto_start,
                                                .track = perfetto_track,
                                                .event = perfetto_event,
                                                .release = perfetto_release},
};
