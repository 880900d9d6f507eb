/* murk_roundtrip.c - replays encoded again: way 0 from raw payloads, way 1 from typed fields. */
#include "roundtrip.h"
#include <rastrum/murk.h>

#include <stdlib.h>
#include <string.h>

enum { PAYLOAD_MAX = 1 << 20, LIST_MAX = 8 };

/* The payload from its fields. RAS_END: it has bytes that no field says. */
static int retype(struct ras_murk_command *c, uint8_t *room)
{
    struct ras_murk_payload p;
    struct ras_murk_fault fault;
    size_t size;
    if (!ras_murk_payload_get(c->payload_type, c->payload, &p, &fault) || p.trailing)
        return RAS_END;
    if (!ras_murk_payload_put(c->payload_type, &p, room, PAYLOAD_MAX, &size, &fault) ||
        size > PAYLOAD_MAX)
        return RAS_ELIMIT;
    c->payload = (struct ras_bytes){room, size};
    return RAS_OK;
}

static int put_frame(struct ras_murk_writer *w, const struct ras_murk_frame *f, unsigned way,
                     struct ras_error *err)
{
    struct ras_murk_command *commands = calloc(f->command_count + 1u, sizeof *commands);
    uint8_t *room = malloc((size_t)f->command_count * 4096 + PAYLOAD_MAX), *at = room;
    struct ras_bytes in = f->commands;
    struct ras_murk_fault fault;
    int status = commands && room ? RAS_OK : RAS_EMEMORY;
    for (uint32_t i = 0; status == RAS_OK && i < f->command_count; i++) {
        if (!ras_murk_command_get(in, &commands[i], &fault))
            status = RAS_EFORMAT;
        in = (struct ras_bytes){in.at + commands[i].size, in.len - commands[i].size};
        if (status == RAS_OK && way == 1)
            status = commands[i].payload.len > 4096 ? RAS_END : retype(&commands[i], at);
        at += 4096;
    }
    if (status == RAS_OK)
        status =
            ras_murk_writer_frame(w, f->tick_id, commands, f->command_count, f->snapshot_hash, err);
    free(commands);
    free(room);
    return status;
}

int reencode(struct ras_bytes file, unsigned way, struct ras_sink *sink, struct ras_error *err)
{
    struct ras_murk_header h;
    struct ras_murk_frame f;
    struct ras_murk_fault fault;
    struct ras_murk_writer *w;
    if (way > 1 || !ras_murk_header_get(file, &h, &fault))
        return RAS_END;
    int status = ras_murk_writer_open(&w, sink, &h, err);
    struct ras_bytes rest = {file.at + h.size, file.len - (size_t)h.size};
    while (status == RAS_OK && rest.len && ras_murk_frame_get(rest, &f, &fault)) {
        status = put_frame(w, &f, way, err);
        rest = (struct ras_bytes){rest.at + f.size, rest.len - (size_t)f.size};
    }
    int closed = ras_murk_writer_close(w, NULL);
    return status != RAS_OK ? status : closed;
}

/* ---- random values ---------------------------------------------------------------------- */

struct lists {
    uint8_t coord[4 * LIST_MAX], values[8 * LIST_MAX], params[12 * LIST_MAX], data[64];
};

static struct ras_murk_payload any_payload(uint64_t *state, struct lists *l)
{
    uint64_t n = any_number(state) % (LIST_MAX + 1);
    for (size_t i = 0; i < sizeof *l; i++)
        ((uint8_t *)l)[i] = (uint8_t)any_number(state);
    return (struct ras_murk_payload){.entity_id = any_number(state),
                                     .coord = {l->coord, 4 * n},
                                     .field_id = (uint32_t)any_number(state),
                                     .value_f32 = (uint32_t)any_number(state),
                                     .field_values = {l->values, 8 * n},
                                     .type_id = (uint32_t)any_number(state),
                                     .data = {l->data, 8 * n},
                                     .key = (uint32_t)any_number(state),
                                     .value_f64 = any_number(state),
                                     .params = {l->params, 12 * n}};
}

static bool same_bytes(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

/* Of the fields that the type has; the others read back as nothing. */
static bool same_payload(const struct ras_murk_payload *a, const struct ras_murk_payload *b)
{
    return (!b->entity_id || a->entity_id == b->entity_id) &&
           (!b->coord.len || same_bytes(a->coord, b->coord)) &&
           (!b->field_id || a->field_id == b->field_id) &&
           (!b->value_f32 || a->value_f32 == b->value_f32) &&
           (!b->field_values.len || same_bytes(a->field_values, b->field_values)) &&
           (!b->type_id || a->type_id == b->type_id) &&
           (!b->data.len || same_bytes(a->data, b->data)) && (!b->key || a->key == b->key) &&
           (!b->value_f64 || a->value_f64 == b->value_f64) &&
           (!b->params.len || same_bytes(a->params, b->params)) && !b->trailing;
}

const char *random_trip(uint64_t seed)
{
    struct lists l;
    uint8_t payload[512], frame[1024];
    struct ras_murk_fault fault;
    size_t size, len;
    uint8_t type = (uint8_t)(seed % RAS_MURK_PAYLOAD_TYPES);
    struct ras_murk_payload p = any_payload(&seed, &l), q = {0};
    if (!ras_murk_payload_put(type, &p, payload, sizeof payload, &size, &fault))
        return "a payload is refused";
    if (!ras_murk_payload_get(type, (struct ras_bytes){payload, size}, &q, &fault) ||
        !same_payload(&p, &q))
        return "a payload became another";
    struct ras_murk_command c = {.payload_type = type,
                                 .payload = {payload, size},
                                 .priority_class = (uint8_t)any_number(&seed),
                                 .has_source_id = any_number(&seed) & 1,
                                 .has_source_seq = any_number(&seed) & 1,
                                 .expires_after_tick = any_number(&seed),
                                 .arrival_seq = any_number(&seed)},
                            d;
    c.source_id = c.has_source_id ? any_number(&seed) : 0;
    c.source_seq = c.has_source_seq ? any_number(&seed) : 0;
    uint64_t tick = any_number(&seed), hash = any_number(&seed);
    struct ras_murk_frame f;
    if (!ras_murk_frame_put(tick, &c, 1, hash, frame, sizeof frame, &len, &fault) ||
        !ras_murk_frame_get((struct ras_bytes){frame, len}, &f, &fault) || f.tick_id != tick ||
        f.snapshot_hash != hash || f.size != len)
        return "a frame became another";
    if (!ras_murk_command_get(f.commands, &d, &fault) || !same_bytes(c.payload, d.payload) ||
        c.priority_class != d.priority_class || c.has_source_id != d.has_source_id ||
        c.source_id != d.source_id || c.has_source_seq != d.has_source_seq ||
        c.source_seq != d.source_seq || c.expires_after_tick != d.expires_after_tick ||
        c.arrival_seq != d.arrival_seq)
        return "a command became another";
    return NULL;
}
