/* ctf.c - a timeline in the Common Trace Format 1.8: a stream for every track.
 *
 * Spans are one stream together, and calls have the number of their track. A stream is a file of
 * packets of at most 1 MiB; a packet has the time of its first and last event and how many were
 * lost before its end. An event class is one kind of event with one set of arguments: its fields
 * are typed, and its real name is the field `name`. The metadata is written last, when all classes
 * are known. */
#include "codec/fnv1a.h"
#include "codec/json_write.h"
#include "export/target.h"
#include "export/track_log.h"

#include <stdlib.h>

#define CTF_MAGIC UINT32_C(0xc1fc1fc1)
enum {
    CTF_PACKET = 1 << 20,
    CTF_HEAD = 4 + 4 + 8 + 5 * 8, /* of a packet: magic, stream, instance, and its context */
    CTF_TEXT = 12000,             /* of one argument: 64 of them fit into a packet */
    CTF_CLASSES = 65535,
};

enum ctf_type { CTF_UINT, CTF_HEX, CTF_INT, CTF_BOOL, CTF_REAL, CTF_STRING };

struct ctf_field {
    uint32_t name; /* 0: that of the event itself */
    uint8_t type;
};

struct ctf_class {
    enum timeline_verb verb;
    uint32_t name; /* of instants; of others 0 */
    struct ctf_field fields[TIMELINE_ARGS];
    uint32_t field_count;
    uint64_t hash;
};

struct ctf {
    struct track_log log;
    struct ctf_class *classes;
    size_t class_count, class_room;
    struct id_table by_hash; /* the last class of a hash; others are searched */
    struct out text;         /* an argument as JSON */
};

#define CTF_LOST UINT32_MAX /* in place of a class: records that were lost */

/* ---- classes ---------------------------------------------------------------------------- */

static enum ctf_type ctf_type_of(const struct timeline_arg *arg)
{
    switch ((enum ras_kind)arg->value->kind) {
    case RAS_BOOL:
        return CTF_BOOL;
    case RAS_UINT:
        return arg->flags & RAS_HEX ? CTF_HEX : CTF_UINT;
    case RAS_INT:
        return CTF_INT;
    case RAS_F32:
    case RAS_F64:
        return CTF_REAL;
    default:
        return CTF_STRING;
    }
}

static bool ctf_same(const struct ctf_class *a, const struct ctf_class *b)
{
    if (a->hash != b->hash || a->verb != b->verb || a->name != b->name ||
        a->field_count != b->field_count)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (a->fields[i].name != b->fields[i].name || a->fields[i].type != b->fields[i].type)
            return false;
    return true;
}

static void ctf_describe(struct ctf_class *k, const struct timeline_event *e)
{
    *k = (struct ctf_class){.verb = e->verb, .name = e->verb == TIMELINE_INSTANT ? e->name : 0};
    if (e->verb == TIMELINE_COUNT)
        k->name = e->is_real; /* two classes of counters */
    k->hash = (FNV1A_START ^ (uint64_t)e->verb << 32 ^ k->name) * FNV1A_PRIME;
    for (size_t i = 0; i < e->arg_count; i++) {
        k->fields[i] = (struct ctf_field){e->args[i].name, (uint8_t)ctf_type_of(&e->args[i])};
        k->hash = (k->hash ^ k->fields[i].name) * FNV1A_PRIME;
        k->hash = (k->hash ^ k->fields[i].type) * FNV1A_PRIME;
    }
    k->field_count = (uint32_t)e->arg_count;
}

/* The number of the event's class; false: there are too many. */
static bool ctf_class_of(struct timeline *t, const struct timeline_event *e, uint32_t *number)
{
    struct ctf *c = t->state;
    struct ctf_class k;
    ctf_describe(&k, e);
    uint32_t found = id_table_find(&c->by_hash, k.hash);
    if (found != ID_TABLE_NONE && ctf_same(&c->classes[found], &k)) {
        *number = found;
        return true;
    }
    if (c->class_count == CTF_CLASSES) {
        timeline_lost(t, "events beyond 65535 classes", 1);
        return false;
    }
    if (!array_grow(&c->classes, &c->class_room, c->class_count + 1, sizeof *c->classes)) {
        timeline_nomem(t);
        return false;
    }
    if (found != ID_TABLE_NONE)
        id_table_remove(&c->by_hash, k.hash);
    if (!id_table_add(&c->by_hash, k.hash, (uint32_t)c->class_count))
        timeline_nomem(t);
    c->classes[c->class_count] = k;
    *number = (uint32_t)c->class_count++;
    return true;
}

/* ---- events ----------------------------------------------------------------------------- */

static void ctf_u64(struct out *out, uint64_t value)
{
    uint8_t bytes[8];
    store_u64(bytes, value);
    out_bytes(out, bytes, sizeof bytes);
}

static void ctf_u32(struct out *out, uint32_t value)
{
    uint8_t bytes[4];
    store_u32(bytes, value);
    out_bytes(out, bytes, sizeof bytes);
}

/* A string ends with a NUL: one inside it becomes the picture of one. */
static void ctf_string(struct timeline *t, struct out *out, const void *text, size_t len)
{
    const uint8_t *at = text;
    if (len > CTF_TEXT) {
        timeline_lost(t, "texts longer than 12000 bytes, cut", 1);
        len = CTF_TEXT;
    }
    timeline_lost(t, "texts with NUL, which is U+2400 instead", len && memchr(at, 0, len));
    for (size_t i = 0; i < len; i++)
        if (at[i])
            out_byte(out, at[i]);
        else
            out_text(out, "\xe2\x90\x80");
    out_byte(out, 0);
}

static void ctf_real(struct out *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ctf_u64(out, bits);
}

static void ctf_argument(struct timeline *t, struct out *out, const struct timeline_arg *arg)
{
    struct ctf *c = t->state;
    const struct ras_value *v = arg->value;
    switch (ctf_type_of(arg)) {
    case CTF_UINT:
    case CTF_HEX:
    case CTF_INT:
        ctf_u64(out, v->u);
        break;
    case CTF_BOOL:
        out_byte(out, v->u != 0);
        break;
    case CTF_REAL:
        ctf_real(out, v->kind == RAS_F32 ? (double)v->f32 : v->f64);
        break;
    default:
        if (v->kind == RAS_STR) {
            ctf_string(t, out, v->at, v->count);
            break;
        }
        c->text.len = 0;
        json_put_value(&c->text, v, arg->flags, false);
        size_t quote = v->kind == RAS_BLOB && c->text.len >= 2; /* digits only */
        ctf_string(t, out, c->text.at + quote, c->text.len - 2 * quote);
        break;
    }
}

/* The stack of a sample in one text, the outermost frame first. */
static void ctf_stack(struct timeline *t, struct out *out, const struct timeline_event *e)
{
    struct ctf *c = t->state;
    c->text.len = 0;
    for (size_t i = 0; i < e->frame_count; i++) {
        struct timeline_name name = timeline_name(t, e->frames[i].name);
        if (i)
            out_byte(&c->text, ';');
        if (name.len)
            out_bytes(&c->text, name.at, name.len);
        else
            out_hex(&c->text, e->frames[i].address, 16);
    }
    ctf_string(t, out, c->text.at, c->text.len);
}

/* Tracks inside a track, as spans have them, are one stream: there may be very many. */
static uint32_t ctf_stream_of(const struct timeline *t, uint32_t track)
{
    uint32_t parent = t->tracks[track].parent;
    bool inside = t->tracks[track].kind == TIMELINE_TRACK && parent != TIMELINE_NONE &&
                  t->tracks[parent].kind == TIMELINE_TRACK;
    return inside ? parent : track;
}

static void ctf_event(struct timeline *t, const struct timeline_event *e)
{
    struct ctf *c = t->state;
    struct out *out = &c->log.scratch;
    uint32_t class;
    if (e->verb == TIMELINE_OPEN || t->nomem || !ctf_class_of(t, e, &class))
        return;
    struct timeline_name name = timeline_name(t, e->name), category = timeline_name(t, e->category);
    ctf_u32(out, class);
    if (e->verb == TIMELINE_SAMPLE)
        ctf_stack(t, out, e);
    else
        ctf_string(t, out, name.at, name.len);
    if (e->verb == TIMELINE_BEGIN || e->verb == TIMELINE_INSTANT)
        ctf_string(t, out, category.at, category.len);
    if (e->verb == TIMELINE_BEGIN || e->verb == TIMELINE_END)
        ctf_u32(out, e->track);
    if (e->verb == TIMELINE_COUNT && e->is_real)
        ctf_real(out, e->real);
    else if (e->verb == TIMELINE_COUNT)
        ctf_u64(out, (uint64_t)e->whole);
    for (size_t i = 0; i < e->arg_count; i++)
        ctf_argument(t, out, &e->args[i]);
    track_log_add(&c->log, t, ctf_stream_of(t, e->track), e->time_ns);
}

static void ctf_track(struct timeline *t, uint32_t track)
{
    track_log_track(&((struct ctf *)t->state)->log, t, track);
}

static void ctf_gap(struct timeline *t, uint32_t track, uint64_t lost)
{
    struct ctf *c = t->state;
    track = ctf_stream_of(t, track);
    struct log_track *k = &c->log.tracks[track];
    ctf_u32(&c->log.scratch, CTF_LOST);
    ctf_u64(&c->log.scratch, lost);
    track_log_add(&c->log, t, track, k->last_ns);
}

/* ---- packets ----------------------------------------------------------------------------- */

struct ctf_stream {
    struct ras_sink *sink;
    uint32_t track;
    uint64_t begin_ns, end_ns, lost;
    struct out events;
};

static int ctf_packet(struct ctf_stream *s, struct ras_error *err)
{
    uint8_t head[CTF_HEAD], *p = head;
    uint64_t bits = (CTF_HEAD + (uint64_t)s->events.len) * 8;
    p = store_u32(p, CTF_MAGIC);
    p = store_u32(p, 0);
    p = store_u64(p, s->track);
    p = store_u64(p, s->begin_ns);
    p = store_u64(p, s->end_ns);
    p = store_u64(p, bits);
    p = store_u64(p, bits);
    p = store_u64(p, s->lost);
    int status = ras_sink_write(s->sink, head, sizeof head, err);
    if (status >= 0)
        status = ras_sink_write(s->sink, s->events.at, s->events.len, err);
    s->events.len = 0;
    s->begin_ns = s->end_ns;
    return status;
}

static int ctf_packets(struct ctf_stream *s, struct log_walk *w, struct ras_error *err)
{
    int status = RAS_OK;
    s->begin_ns = s->end_ns = w->first_ns;
    for (const struct log_entry *e; status >= 0 && (e = log_walk_next(w));) {
        bool lost = load_u32(e->at) == CTF_LOST;
        if (lost || CTF_HEAD + s->events.len + 8 + e->len > CTF_PACKET)
            status = ctf_packet(s, err);
        if (!s->events.len && !lost)
            s->begin_ns = e->time_ns;
        s->end_ns = e->time_ns;
        if (lost) {
            s->lost += load_u64(e->at + 4);
            continue;
        }
        out_bytes(&s->events, e->at, 4);
        ctf_u64(&s->events, e->time_ns);
        out_bytes(&s->events, e->at + 4, e->len - 4);
    }
    return status < 0 ? status : ctf_packet(s, err);
}

/* The file of a track, unless it has no event. */
static int ctf_stream(struct timeline *t, uint32_t track, struct ras_error *err)
{
    struct ctf *c = t->state;
    char name[32];
    struct ctf_stream s = {.track = track};
    struct log_walk w;
    log_walk_open(&w, &c->log, t, track);
    snprintf(name, sizeof name, "track_%" PRIu32, track);
    int status = RAS_OK;
    if (w.count)
        status = ras_folder_sink(t->folder, name, &s.sink, err);
    if (w.count && status >= 0)
        status = ctf_packets(&s, &w, err);
    if (w.count && status >= 0)
        status = s.events.failed ? fail_memory(err) : ras_folder_finish(t->folder, s.sink, err);
    out_free(&s.events);
    log_walk_close(&w);
    return status < 0 ? status : RAS_OK;
}

/* ---- metadata ---------------------------------------------------------------------------- */

/* An identifier: readers remove the first underscore. A number keeps two of them apart. */
static void ctf_identifier(struct out *out, struct timeline_name name, uint32_t number)
{
    out_byte(out, '_');
    for (uint32_t i = 0; i < name.len && i < 200; i++) {
        char c = name.at[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        out_byte(out, plain ? (uint8_t)c : '_');
    }
    if (number)
        out_format(out, "_%" PRIu32, number + 1);
}

/* How many fields before this one have the same identifier. */
static uint32_t ctf_twins(struct timeline *t, const struct ctf_class *k, uint32_t field)
{
    struct out own = {0}, other = {0};
    uint32_t twins = 0;
    ctf_identifier(&own, timeline_name(t, k->fields[field].name), 0);
    static const char *const taken[] = {"_name", "_category", "_value", "_stack", "_track"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        twins += own.len == strlen(taken[i]) && !memcmp(own.at, taken[i], own.len);
    for (uint32_t i = 0; i < field; i++) {
        other.len = 0;
        ctf_identifier(&other, timeline_name(t, k->fields[i].name), 0);
        twins += other.len == own.len && !memcmp(other.at, own.at, own.len);
    }
    out_free(&own);
    out_free(&other);
    return twins;
}

/* The text of a TSDL string, between its quotes. */
static void ctf_quoted(struct out *out, struct timeline_name name)
{
    for (uint32_t i = 0; i < name.len && i < 1000; i++) {
        char c = name.at[i];
        bool plain = c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?';
        out_byte(out, plain ? (uint8_t)c : '_');
    }
}

static void ctf_class_text(struct timeline *t, struct out *out, uint32_t number)
{
    static const char *const verbs[] = {
        [TIMELINE_BEGIN] = "call", [TIMELINE_END] = "return",    [TIMELINE_OPEN] = "",
        [TIMELINE_INSTANT] = "",   [TIMELINE_COUNT] = "counter", [TIMELINE_SAMPLE] = "sample"};
    static const char *const types[] = {
        [CTF_UINT] = "uint64_t", [CTF_HEX] = "hex64_t",   [CTF_INT] = "int64_t",
        [CTF_BOOL] = "uint8_t",  [CTF_REAL] = "double_t", [CTF_STRING] = "string"};
    const struct ctf_class *k = &((struct ctf *)t->state)->classes[number];
    out_text(out, "event {\n    name = \"");
    if (k->verb == TIMELINE_INSTANT)
        ctf_quoted(out, timeline_name(t, k->name));
    else
        out_text(out, verbs[k->verb]);
    out_format(out, "\";\n    id = %" PRIu32 ";\n    stream_id = 0;\n    fields := struct {\n",
               number);
    out_format(out, "        string %s;\n", k->verb == TIMELINE_SAMPLE ? "_stack" : "_name");
    if (k->verb == TIMELINE_BEGIN || k->verb == TIMELINE_INSTANT)
        out_text(out, "        string _category;\n");
    if (k->verb == TIMELINE_BEGIN || k->verb == TIMELINE_END)
        out_text(out, "        uint32_t _track;\n");
    if (k->verb == TIMELINE_COUNT)
        out_format(out, "        %s _value;\n", types[k->name ? CTF_REAL : CTF_INT]);
    for (uint32_t i = 0; i < k->field_count; i++) {
        out_format(out, "        %s ", types[k->fields[i].type]);
        ctf_identifier(out, timeline_name(t, k->fields[i].name), ctf_twins(t, k, i));
        out_text(out, ";\n");
    }
    out_text(out, "    };\n};\n\n");
}

static const char ctf_preamble[] =
    "/* CTF 1.8 */\n\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64_t;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; byte_order = le; align = 8; } "
    ":= double_t;\n\n"
    "trace {\n    major = 1;\n    minor = 8;\n    byte_order = le;\n"
    "    packet.header := struct {\n        uint32_t magic;\n        uint32_t stream_id;\n"
    "        uint64_t stream_instance_id;\n    };\n};\n\n"
    "env {\n    tracer_name = \"rastrum\";\n    domain = \"ust\";\n};\n\n"
    "clock {\n    name = \"boottime\";\n    freq = 1000000000;\n    offset_s = 0;\n"
    "    offset = 0;\n    absolute = false;\n};\n\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.boottime.value; } "
    ":= clock_t;\n\n"
    "stream {\n    id = 0;\n    event.header := struct {\n        uint32_t id;\n"
    "        clock_t timestamp;\n    };\n    packet.context := struct {\n"
    "        clock_t timestamp_begin;\n        clock_t timestamp_end;\n"
    "        uint64_t content_size;\n        uint64_t packet_size;\n"
    "        uint64_t events_discarded;\n    };\n};\n\n";

/* The names of the streams, for readers of the text: the format has no place for them. */
static void ctf_tracks_text(struct timeline *t, struct out *out)
{
    for (size_t i = 0; i < t->track_count; i++) {
        const struct ctf *c = t->state;
        if (!c->log.tracks[i].count)
            continue;
        out_format(out, "/* track_%zu: ", i);
        struct timeline_name name = timeline_name(t, t->tracks[i].name);
        for (uint32_t k = 0; k < name.len && k < 1000; k++)
            out_byte(out, name.at[k] >= ' ' && name.at[k] < 127 && name.at[k] != '*'
                              ? (uint8_t)name.at[k]
                              : '_');
        out_text(out, " */\n");
    }
}

static int ctf_finish(struct timeline *t, struct ras_error *err)
{
    struct ctf *c = t->state;
    struct ras_sink *sink;
    struct out text = {0};
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < t->track_count; i++)
        status = ctf_stream(t, (uint32_t)i, err);
    out_text(&text, ctf_preamble);
    for (size_t i = 0; i < c->class_count; i++)
        ctf_class_text(t, &text, (uint32_t)i);
    ctf_tracks_text(t, &text);
    if (status == RAS_OK)
        status = ras_folder_sink(t->folder, "metadata", &sink, err);
    if (status == RAS_OK)
        status = text.failed ? fail_memory(err) : ras_sink_write(sink, text.at, text.len, err);
    if (status >= 0)
        status = ras_folder_finish(t->folder, sink, err);
    out_free(&text);
    return status < 0 ? status : RAS_OK;
}

static void ctf_release(struct timeline *t)
{
    struct ctf *c = t->state;
    track_log_free(&c->log);
    free(c->classes);
    id_table_free(&c->by_hash);
    out_free(&c->text);
}

const struct target ctf_target = {
    .about = {.name = "ctf",
              .about = "Common Trace Format 1.8: babeltrace2, Trace Compass",
              .extension = "",
              .kind = RAS_EXPORT_TIMELINE,
              .is_folder = true,
              .is_binary = true},
    .timeline = &(const struct timeline_writer){.state_size = sizeof(struct ctf),
                                                .track = ctf_track,
                                                .event = ctf_event,
                                                .gap = ctf_gap,
                                                .finish = ctf_finish,
                                                .release = ctf_release,
                                                .no_flows = true},
};
