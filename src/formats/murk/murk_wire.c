/* murk_wire.c - Murk's header, frames, commands and payloads from bytes.
 *
 * Limits are checked before the bytes after a length are requested, as in the reference, so "over
 * the limit and cut" is reported as the limit. */
#include "formats/murk/murk_wire.h"
#include "codec/utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum { FIELD_VALUE_SIZE = 8, PARAM_SIZE = 12, COMPONENT_SIZE = 4 };

/* A get function names the field that was cut; NULL: complete. */
typedef const char *get_payload(struct in *, struct ras_murk_payload *);

/* count * size in 64 bits: 2^30 components must not wrap to 0. */
static inline bool get_array(struct in *in, uint32_t size, struct ras_bytes *array)
{
    *array = in_span(in, (uint64_t)in_u32(in) * size);
    return !in->cut;
}

static inline const char *get_coord(struct in *in, struct ras_bytes *coord)
{
    if (in_left(in) < 4)
        return "coord length";
    return get_array(in, COMPONENT_SIZE, coord) ? NULL : "coord data";
}

static const char *get_move(struct in *in, struct ras_murk_payload *p)
{
    p->entity_id = in_u64(in);
    return in->cut ? "Move payload" : get_coord(in, &p->coord);
}

static const char *get_spawn(struct in *in, struct ras_murk_payload *p)
{
    const char *cut = get_coord(in, &p->coord);
    if (cut)
        return cut;
    if (in_left(in) < 4)
        return "Spawn field_values count";
    return get_array(in, FIELD_VALUE_SIZE, &p->field_values) ? NULL : "Spawn field_values entry";
}

static const char *get_despawn(struct in *in, struct ras_murk_payload *p)
{
    p->entity_id = in_u64(in);
    return in->cut ? "Despawn payload" : NULL;
}

static const char *get_set_field(struct in *in, struct ras_murk_payload *p)
{
    const char *cut = get_coord(in, &p->coord);
    if (cut)
        return cut;
    p->field_id = in_u32(in);
    p->value_f32 = in_u32(in);
    return in->cut ? "SetField payload" : NULL;
}

static const char *get_custom(struct in *in, struct ras_murk_payload *p)
{
    if (in_left(in) < 8)
        return "Custom payload";
    p->type_id = in_u32(in);
    return get_array(in, 1, &p->data) ? NULL : "Custom data";
}

static const char *get_set_parameter(struct in *in, struct ras_murk_payload *p)
{
    p->key = in_u32(in);
    p->value_f64 = in_u64(in);
    return in->cut ? "SetParameter payload" : NULL;
}

static const char *get_batch(struct in *in, struct ras_murk_payload *p)
{
    if (in_left(in) < 4)
        return "SetParameterBatch count";
    return get_array(in, PARAM_SIZE, &p->params) ? NULL : "SetParameterBatch entry";
}

static const struct {
    const char *name;
    get_payload *get;
} payloads[RAS_MURK_PAYLOAD_TYPES] = {
    [RAS_MURK_MOVE] = {"Move", get_move},
    [RAS_MURK_SPAWN] = {"Spawn", get_spawn},
    [RAS_MURK_DESPAWN] = {"Despawn", get_despawn},
    [RAS_MURK_SET_FIELD] = {"SetField", get_set_field},
    [RAS_MURK_CUSTOM] = {"Custom", get_custom},
    [RAS_MURK_SET_PARAMETER] = {"SetParameter", get_set_parameter},
    [RAS_MURK_SET_PARAMETER_BATCH] = {"SetParameterBatch", get_batch},
};

const char *ras_murk_payload_name(uint8_t type)
{
    return type < RAS_MURK_PAYLOAD_TYPES ? payloads[type].name : NULL;
}

bool ras_murk_payload_get(uint8_t type, struct ras_bytes bytes, struct ras_murk_payload *p,
                          struct ras_murk_fault *fault)
{
    if (type >= RAS_MURK_PAYLOAD_TYPES) {
        *fault = (struct ras_murk_fault){RAS_MURK_UNKNOWN_PAYLOAD, 0, type, "payload type"};
        return false;
    }
    struct in in = in_bytes(bytes);
    const uint8_t *front = in.at; /* not bytes.at, which may be NULL if there are none */
    const char *cut = payloads[type].get(&in, p);
    if (cut) {
        *fault = (struct ras_murk_fault){RAS_MURK_SHORT_PAYLOAD, (uint64_t)(in.at - front),
                                         bytes.len, cut};
        return false;
    }
    p->trailing = in_left(&in);
    return true;
}

static bool wire_wrong(struct ras_murk_fault *fault, enum ras_murk_fault_code code, uint64_t offset,
                       uint64_t number, const char *field)
{
    *fault = (struct ras_murk_fault){code, offset, number, field};
    return false;
}

/* ---- header -------------------------------------------------------------- */

static bool get_string(struct in *in, const uint8_t *front, const char *field,
                       struct ras_bytes *text, struct ras_murk_fault *fault)
{
    uint64_t at = (uint64_t)(in->at - front);
    uint32_t length = in_u32(in);
    if (length > RAS_MURK_STRING_MAX)
        return wire_wrong(fault, RAS_MURK_LONG_STRING, at, length, field);
    *text = in_span(in, length);
    if (in->cut)
        return wire_wrong(fault, RAS_MURK_CUT, at, 0, field);
    struct utf8_fault bad;
    if (!utf8_check(text->at, text->len, &bad))
        return wire_wrong(fault, RAS_MURK_BAD_UTF8, at + 4 + bad.at, bad.at, field);
    return true;
}

bool murk_header(struct ras_bytes bytes, unsigned oldest, struct ras_murk_header *h,
                 struct ras_murk_fault *fault)
{
    *h = (struct ras_murk_header){0};
    struct in in = in_bytes(bytes);
    const uint8_t *magic = in_take(&in, 4);
    if (!magic)
        return wire_wrong(fault, RAS_MURK_CUT, bytes.len, 0, "magic");
    if (memcmp(magic, "MURK", 4) != 0)
        return wire_wrong(fault, RAS_MURK_BAD_MAGIC, 0, load_u32(magic), "magic");
    h->version = in_u8(&in);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, 4, 0, "version");
    if (h->version < oldest || h->version > RAS_MURK_VERSION)
        return wire_wrong(fault, RAS_MURK_BAD_VERSION, 4, h->version, "version");
    if (!get_string(&in, bytes.at, "toolchain", &h->toolchain, fault) ||
        !get_string(&in, bytes.at, "target_triple", &h->target_triple, fault) ||
        !get_string(&in, bytes.at, "murk_version", &h->murk_version, fault) ||
        !get_string(&in, bytes.at, "compile_flags", &h->compile_flags, fault))
        return false;
    uint64_t at = (uint64_t)(in.at - bytes.at);
    h->seed = in_u64(&in);
    h->config_hash = in_u64(&in);
    h->field_count = in_u32(&in);
    h->cell_count = in_u64(&in);
    uint32_t length = in_u32(&in);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, at, 0, "init descriptor");
    if (length > RAS_MURK_BYTES_MAX)
        return wire_wrong(fault, RAS_MURK_LONG_BYTES, at + 28, length, "space_descriptor");
    h->space_descriptor = in_span(&in, length);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, at + 28, 0, "space_descriptor");
    h->size = (uint64_t)(in.at - bytes.at);
    return true;
}

bool ras_murk_header_get(struct ras_bytes bytes, struct ras_murk_header *h,
                         struct ras_murk_fault *fault)
{
    return murk_header(bytes, RAS_MURK_VERSION, h, fault);
}

/* ---- commands and frames --------------------------------------------------- */

enum { COMMAND_MAX = RAS_MURK_COMMAND_MIN + 8 + 8 }; /* both sources present, no payload */

static inline bool get_optional(struct in *in, bool *has, uint64_t *value, uint8_t *flag)
{
    *flag = in_u8(in);
    *has = *flag == 1;
    *value = *has ? in_u64(in) : 0;
    return *flag <= 1;
}

/* spec "Presence Flag Encoding": neither 0 nor 1 is a decode error. Errors found before the input
 * was cut are reported first, as in the reference. */
static bool get_careful(struct in *in, struct ras_murk_command *c, struct ras_murk_fault *fault)
{
    const uint8_t *start = in->at;
    uint8_t flag;
    c->payload_type = in_u8(in);
    uint32_t length = in_u32(in);
    if (length > RAS_MURK_BYTES_MAX)
        return wire_wrong(fault, RAS_MURK_LONG_BYTES, 1, length, "payload");
    c->payload = in_span(in, length);
    c->priority_class = in_u8(in);
    if (!get_optional(in, &c->has_source_id, &c->source_id, &flag))
        return wire_wrong(fault, RAS_MURK_BAD_ID_FLAG, (uint64_t)(in->at - start) - 1, flag,
                          "source_id");
    if (!get_optional(in, &c->has_source_seq, &c->source_seq, &flag))
        return wire_wrong(fault, RAS_MURK_BAD_SEQ_FLAG, (uint64_t)(in->at - start) - 1, flag,
                          "source_seq");
    c->expires_after_tick = in_u64(in);
    c->arrival_seq = in_u64(in);
    c->size = (uint64_t)(in->at - start);
    return !in->cut;
}

/* Reads a presence flag and its value at *q, within bounds. False: neither 0 nor 1. */
static inline bool take_optional(const uint8_t **q, bool *has, uint64_t *value)
{
    uint8_t flag = *(*q)++;
    *has = flag;
    *value = 0;
    if (flag == 1) {
        *value = load_u64(*q);
        *q += 8;
    }
    return flag <= 1;
}

/* Fast because where even the longest command of this payload length fits, one comparison covers
 * all bounds, and because the flags are branched on: a predicted branch lets the next command start
 * before this one's flags arrive. Input near the end or with errors is read again by the careful
 * path. */
static inline bool get_command(struct in *in, struct ras_murk_command *c,
                               struct ras_murk_fault *fault)
{
    const uint8_t *p = in->at;
    uint64_t left = in_left(in);
    if (left < COMMAND_MAX || in->cut)
        return get_careful(in, c, fault);
    uint32_t length = load_u32(p + 1);
    if (length > RAS_MURK_BYTES_MAX || left - COMMAND_MAX < length)
        return get_careful(in, c, fault);
    const uint8_t *q = p + 6 + length;
    __builtin_prefetch(
        (const void *)((uintptr_t)p + 1024)); /* the chain of lengths stalls on misses */
    if (!take_optional(&q, &c->has_source_id, &c->source_id) ||
        !take_optional(&q, &c->has_source_seq, &c->source_seq))
        return get_careful(in, c, fault);
    c->payload_type = p[0];
    c->payload = (struct ras_bytes){p + 5, length};
    c->priority_class = p[5 + length];
    c->expires_after_tick = load_u64(q);
    c->arrival_seq = load_u64(q + 8);
    c->size = (uint64_t)(q + 16 - p);
    in->at = q + 16;
    return true;
}

bool murk_command(struct in *in, struct ras_murk_command *c, struct ras_murk_fault *fault)
{
    return get_command(in, c, fault);
}

bool ras_murk_command_get(struct ras_bytes bytes, struct ras_murk_command *c,
                          struct ras_murk_fault *fault)
{
    struct in in = in_bytes(bytes);
    if (get_command(&in, c, fault))
        return true;
    return in.cut ? wire_wrong(fault, RAS_MURK_CUT, 0, bytes.len, "command") : false;
}

bool ras_murk_walk_open(struct ras_bytes bytes, struct ras_murk_walk *w,
                        struct ras_murk_fault *fault)
{
    struct in in = in_bytes(bytes);
    w->tick_id = in_u64(&in);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, 0, bytes.len, "tick_id");
    w->command_count = w->left = in_u32(&in);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, 8, 0, "command_count");
    if (w->command_count > RAS_MURK_COMMANDS_MAX)
        return wire_wrong(fault, RAS_MURK_MANY_COMMANDS, 8, w->command_count, "command_count");
    w->front = bytes.at;
    w->rest = (struct ras_bytes){in.at, (size_t)in_left(&in)};
    return true;
}

bool ras_murk_walk_next(struct ras_murk_walk *w, struct ras_murk_command *c,
                        struct ras_murk_payload *payload, struct ras_murk_fault *fault)
{
    struct in in = in_bytes(w->rest);
    uint64_t at = (uint64_t)(w->rest.at - w->front);
    if (!w->left || !get_command(&in, c, fault)) {
        if (!w->left || in.cut)
            return wire_wrong(fault, RAS_MURK_CUT, at, w->command_count - w->left, "command");
        fault->offset += at;
        return false;
    }
    w->left--;
    w->rest = (struct ras_bytes){in.at, (size_t)in_left(&in)};
    if (ras_murk_payload_get(c->payload_type, c->payload, payload, fault))
        return true;
    fault->offset += at + MURK_PAYLOAD_AT;
    return false;
}

bool ras_murk_walk_close(struct ras_murk_walk *w, struct ras_murk_frame *frame,
                         struct ras_murk_fault *fault)
{
    struct in in = in_bytes(w->rest);
    uint64_t at = (uint64_t)(w->rest.at - w->front);
    frame->tick_id = w->tick_id;
    frame->command_count = w->command_count;
    frame->commands =
        (struct ras_bytes){w->front + MURK_FRAME_HEAD_SIZE, (size_t)at - MURK_FRAME_HEAD_SIZE};
    frame->snapshot_hash = in_u64(&in);
    if (in.cut || w->left)
        return wire_wrong(fault, RAS_MURK_CUT, at, 0, w->left ? "command" : "snapshot_hash");
    frame->size = at + MURK_HASH_SIZE;
    return true;
}

/* Fast because a command is checked in registers and nothing of it is stored: the compiler drops
 * the values that only a reader of the command would need. */
bool ras_murk_frame_get(struct ras_bytes bytes, struct ras_murk_frame *frame,
                        struct ras_murk_fault *fault)
{
    struct in in = in_bytes(bytes);
    frame->tick_id = in_u64(&in);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, 0, bytes.len, "tick_id");
    frame->command_count = in_u32(&in);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, 8, 0, "command_count");
    if (frame->command_count > RAS_MURK_COMMANDS_MAX)
        return wire_wrong(fault, RAS_MURK_MANY_COMMANDS, 8, frame->command_count, "command_count");
    const uint8_t *first = in.at;
    for (uint32_t i = 0; i < frame->command_count; i++) {
        uint64_t at = (uint64_t)(in.at - bytes.at);
        struct ras_murk_command c;
        if (get_command(&in, &c, fault))
            continue;
        if (in.cut)
            return wire_wrong(fault, RAS_MURK_CUT, at, i, "command");
        fault->offset += at;
        return false;
    }
    frame->commands = (struct ras_bytes){first, (size_t)(in.at - first)};
    uint64_t at = (uint64_t)(in.at - bytes.at);
    frame->snapshot_hash = in_u64(&in);
    if (in.cut)
        return wire_wrong(fault, RAS_MURK_CUT, at, 0, "snapshot_hash");
    frame->size = at + MURK_HASH_SIZE;
    return true;
}

/* ---- words ----------------------------------------------------------------- */

static const struct {
    const char *kind, *text;
} faults[] = {
    [RAS_MURK_OK] = {"", "no fault in %s"},
    [RAS_MURK_CUT] = {"Io", "ends inside %s"},
    [RAS_MURK_BAD_MAGIC] = {"InvalidMagic", "invalid %s bytes (expected \"MURK\")"},
    [RAS_MURK_BAD_VERSION] = {"UnsupportedVersion",
                              "unsupported format %s %" PRIu64 " (this reader knows 3)"},
    [RAS_MURK_LONG_STRING] = {"MalformedFrame",
                              "%s: string length %" PRIu64 " exceeds limit 1048576"},
    [RAS_MURK_BAD_UTF8] = {"MalformedFrame", "%s: invalid UTF-8 from index %" PRIu64},
    [RAS_MURK_LONG_BYTES] = {"MalformedFrame",
                             "%s: byte array length %" PRIu64 " exceeds limit 67108864"},
    [RAS_MURK_MANY_COMMANDS] = {"MalformedFrame", "%s %" PRIu64 " exceeds limit 1000000"},
    [RAS_MURK_BAD_ID_FLAG] = {"MalformedFrame", "invalid %s presence flag: %" PRIu64},
    [RAS_MURK_BAD_SEQ_FLAG] = {"MalformedFrame", "invalid %s presence flag: %" PRIu64},
    [RAS_MURK_UNKNOWN_PAYLOAD] = {"UnknownPayloadType",
                                  "unknown %s tag %" PRIu64 " (known are 0 to 6)"},
    [RAS_MURK_SHORT_PAYLOAD] = {"MalformedFrame",
                                "truncated %s: the payload has %" PRIu64 " bytes"},
};

const char *ras_murk_kind(const struct ras_murk_fault *fault)
{
    /* The reference distinguishes a cut tick_id from every other short read. */
    if (fault->code == RAS_MURK_CUT && fault->number && !strcmp(fault->field, "tick_id"))
        return "MalformedFrame";
    return faults[fault->code].kind;
}

const char *ras_murk_text(const struct ras_murk_fault *fault, char *text, size_t room)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, room, faults[fault->code].text, fault->field, fault->number);
#pragma GCC diagnostic pop
    return text;
}
