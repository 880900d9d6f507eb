/* murk_write.c - encodes payloads, commands and frames, and writes a replay to a sink frame by
 * frame, each completely or not at all. */
#include "base/error.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/utf8.h"
#include "formats/murk/murk_wire.h"

#include <stdlib.h>

static bool put_wrong(struct ras_murk_fault *fault, enum ras_murk_fault_code code, uint64_t offset,
                      uint64_t number, const char *field)
{
    *fault = (struct ras_murk_fault){code, offset, number, field};
    return false;
}

/* ---- header -------------------------------------------------------------- */

static bool check_string(struct ras_bytes text, const char *field, struct ras_murk_fault *fault)
{
    struct utf8_fault bad;
    if (text.len > RAS_MURK_STRING_MAX)
        return put_wrong(fault, RAS_MURK_LONG_STRING, 0, text.len, field);
    if (!utf8_check(text.at, text.len, &bad))
        return put_wrong(fault, RAS_MURK_BAD_UTF8, bad.at, bad.at, field);
    return true;
}

static uint8_t *put_bytes(uint8_t *p, struct ras_bytes span)
{
    return store_bytes(store_u32(p, (uint32_t)span.len), span.at, span.len);
}

bool ras_murk_header_put(const struct ras_murk_header *h, void *to, size_t room, size_t *size,
                         struct ras_murk_fault *fault)
{
    if (!check_string(h->toolchain, "toolchain", fault) ||
        !check_string(h->target_triple, "target_triple", fault) ||
        !check_string(h->murk_version, "murk_version", fault) ||
        !check_string(h->compile_flags, "compile_flags", fault))
        return false;
    if (h->space_descriptor.len > RAS_MURK_BYTES_MAX)
        return put_wrong(fault, RAS_MURK_LONG_BYTES, 0, h->space_descriptor.len,
                         "space_descriptor");
    *size = RAS_MURK_HEADER_MIN + h->toolchain.len + h->target_triple.len + h->murk_version.len +
            h->compile_flags.len + h->space_descriptor.len;
    if (room < *size)
        return true;
    uint8_t *p = store_bytes(to, "MURK", 4);
    p = store_u8(p, RAS_MURK_VERSION);
    p = put_bytes(p, h->toolchain);
    p = put_bytes(p, h->target_triple);
    p = put_bytes(p, h->murk_version);
    p = put_bytes(p, h->compile_flags);
    p = store_u64(p, h->seed);
    p = store_u64(p, h->config_hash);
    p = store_u32(p, h->field_count);
    p = store_u64(p, h->cell_count);
    put_bytes(p, h->space_descriptor);
    return true;
}

/* ---- frames ---------------------------------------------------------------- */

static bool frame_size(const struct ras_murk_command *commands, uint32_t count, size_t *size,
                       struct ras_murk_fault *fault)
{
    if (count > RAS_MURK_COMMANDS_MAX)
        return put_wrong(fault, RAS_MURK_MANY_COMMANDS, 0, count, "command_count");
    uint64_t sum = RAS_MURK_FRAME_MIN + (uint64_t)count * RAS_MURK_COMMAND_MIN;
    for (uint32_t i = 0; i < count; i++) {
        const struct ras_murk_command *c = &commands[i];
        if (c->payload.len > RAS_MURK_BYTES_MAX)
            return put_wrong(fault, RAS_MURK_LONG_BYTES, 0, c->payload.len, "payload");
        sum += c->payload.len + (c->has_source_id ? 8 : 0) + (c->has_source_seq ? 8 : 0);
    }
    *size = (size_t)sum;
    return true;
}

static inline uint8_t *put_optional(uint8_t *p, bool has, uint64_t value)
{
    p = store_u8(p, has);
    return has ? store_u64(p, value) : p;
}

/* Short payloads, the usual ones, are copied in two or four overlapping words: a
 * call of memcpy for twenty bytes costs more than the rest of the command. */
static inline uint8_t *put_payload(uint8_t *p, struct ras_bytes payload)
{
    size_t n = payload.len;
    if (n < 8 || n > 32)
        return store_bytes(p, payload.at, n);
    if (n <= 16) {
        uint64_t a = load_u64(payload.at), b = load_u64(payload.at + n - 8);
        store_u64(p, a);
        store_u64(p + n - 8, b);
        return p + n;
    }
    memcpy(p, payload.at, 16);
    memcpy(p + n - 16, payload.at + n - 16, 16);
    return p + n;
}

bool ras_murk_frame_put(uint64_t tick_id, const struct ras_murk_command *commands,
                        uint32_t command_count, uint64_t snapshot_hash, void *to, size_t room,
                        size_t *size, struct ras_murk_fault *fault)
{
    if (!frame_size(commands, command_count, size, fault))
        return false;
    if (room < *size)
        return true;
    uint8_t *p = store_u32(store_u64(to, tick_id), command_count);
    for (uint32_t i = 0; i < command_count; i++) {
        const struct ras_murk_command *c = &commands[i];
        p = store_u8(p, c->payload_type);
        p = store_u32(p, (uint32_t)c->payload.len);
        p = put_payload(p, c->payload);
        p = store_u8(p, c->priority_class);
        p = put_optional(p, c->has_source_id, c->source_id);
        p = put_optional(p, c->has_source_seq, c->source_seq);
        p = store_u64(p, c->expires_after_tick);
        p = store_u64(p, c->arrival_seq);
    }
    store_u64(p, snapshot_hash);
    return true;
}

/* ---- payloads --------------------------------------------------------------- */

/* The parts of each payload, in wire order. */
enum { ENTITY = 1, COORD = 2, FIELD = 4, VALUES = 8, CUSTOM = 16, PARAM = 32, PARAMS = 64 };

static const uint8_t parts[RAS_MURK_PAYLOAD_TYPES] = {
    [RAS_MURK_MOVE] = ENTITY | COORD,
    [RAS_MURK_SPAWN] = COORD | VALUES,
    [RAS_MURK_DESPAWN] = ENTITY,
    [RAS_MURK_SET_FIELD] = COORD | FIELD,
    [RAS_MURK_CUSTOM] = CUSTOM,
    [RAS_MURK_SET_PARAMETER] = PARAM,
    [RAS_MURK_SET_PARAMETER_BATCH] = PARAMS,
};

static uint8_t *put_array(uint8_t *p, struct ras_bytes items, size_t item_size)
{
    p = store_u32(p, (uint32_t)(items.len / item_size));
    return store_bytes(p, items.at, items.len);
}

static uint64_t payload_size(unsigned has, const struct ras_murk_payload *p)
{
    return (has & ENTITY ? 8 : 0) + (has & COORD ? 4 + p->coord.len : 0) + (has & FIELD ? 8 : 0) +
           (has & VALUES ? 4 + p->field_values.len : 0) + (has & CUSTOM ? 8 + p->data.len : 0) +
           (has & PARAM ? 12 : 0) + (has & PARAMS ? 4 + p->params.len : 0);
}

bool ras_murk_payload_put(uint8_t payload_type, const struct ras_murk_payload *payload, void *to,
                          size_t room, size_t *size, struct ras_murk_fault *fault)
{
    if (payload_type >= RAS_MURK_PAYLOAD_TYPES)
        return put_wrong(fault, RAS_MURK_UNKNOWN_PAYLOAD, 0, payload_type, "payload type");
    unsigned has = parts[payload_type];
    uint64_t sum = payload_size(has, payload);
    if (sum > RAS_MURK_BYTES_MAX)
        return put_wrong(fault, RAS_MURK_LONG_BYTES, 0, sum, "payload");
    *size = (size_t)sum;
    if (room < sum)
        return true;
    uint8_t *p = to;
    if (has & ENTITY)
        p = store_u64(p, payload->entity_id);
    if (has & COORD)
        p = put_array(p, payload->coord, 4);
    if (has & FIELD)
        p = store_u32(store_u32(p, payload->field_id), payload->value_f32);
    if (has & VALUES)
        p = put_array(p, payload->field_values, 8);
    if (has & CUSTOM)
        p = put_array(store_u32(p, payload->type_id), payload->data, 1);
    if (has & PARAM)
        p = store_u64(store_u32(p, payload->key), payload->value_f64);
    if (has & PARAMS)
        put_array(p, payload->params, 12);
    return true;
}

struct ras_murk_writer {
    struct ras_sink *sink;
    uint8_t *buffer;
    size_t room;
    uint64_t frames;
    uint64_t end; /* the last frame boundary in the sink */
};

static int writer_refuse(const struct ras_murk_fault *fault, uint64_t at, struct ras_error *err)
{
    char text[160];
    return fail(err, RAS_ELIMIT, at, "%s", ras_murk_text(fault, text, sizeof text));
}

/* Writes one structure; after a failure its bytes are removed. */
static int pass(struct ras_murk_writer *w, size_t size, struct ras_error *err)
{
    int status = ras_sink_write(w->sink, w->buffer, size, err);
    if (status < 0) {
        (void)!ras_sink_rewind(w->sink, w->end, NULL); /* a pipe cannot do that: it stays failed */
        return status;
    }
    w->end += size;
    return RAS_OK;
}

int ras_murk_writer_open(struct ras_murk_writer **out, struct ras_sink *sink,
                         const struct ras_murk_header *header, struct ras_error *err)
{
    *out = NULL;
    struct ras_murk_fault fault;
    size_t size;
    if (!ras_murk_header_put(header, NULL, 0, &size, &fault))
        return writer_refuse(&fault, 0, err);
    struct ras_murk_writer *w = calloc(1, sizeof *w);
    if (!w || !array_grow(&w->buffer, &w->room, size, 1)) {
        free(w);
        return fail_memory(err);
    }
    w->sink = sink;
    w->end = ras_sink_size(sink);
    ras_murk_header_put(header, w->buffer, w->room, &size, &fault);
    int status = pass(w, size, err);
    if (status < 0) {
        free(w->buffer);
        free(w);
        return status;
    }
    *out = w;
    return RAS_OK;
}

int ras_murk_writer_frame(struct ras_murk_writer *w, uint64_t tick_id,
                          const struct ras_murk_command *commands, uint32_t command_count,
                          uint64_t snapshot_hash, struct ras_error *err)
{
    struct ras_murk_fault fault;
    size_t size;
    if (!ras_murk_frame_put(tick_id, commands, command_count, snapshot_hash, w->buffer, w->room,
                            &size, &fault))
        return writer_refuse(&fault, w->end, err);
    if (size > w->room) {
        if (!array_grow(&w->buffer, &w->room, size, 1))
            return fail_memory(err);
        ras_murk_frame_put(tick_id, commands, command_count, snapshot_hash, w->buffer, w->room,
                           &size, &fault);
    }
    int status = pass(w, size, err);
    w->frames += status == RAS_OK;
    return status;
}

uint64_t ras_murk_writer_count(const struct ras_murk_writer *w)
{
    return w->frames;
}

int ras_murk_writer_close(struct ras_murk_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = ras_sink_flush(w->sink, err);
    if (status < 0)
        (void)!ras_sink_rewind(w->sink, w->end, NULL);
    free(w->buffer);
    free(w);
    return status;
}
