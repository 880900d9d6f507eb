/* murk_payload.c - the seven payloads of a command, by their own fields. */
#include "formats/murk/murk_wire.h"

enum { FIELD_VALUE_SIZE = 8, PARAM_SIZE = 12, COMPONENT_SIZE = 4 };

/* A get function names what ran short; NULL: all there. */
typedef const char *get_payload(struct in *, struct ras_murk_payload *);

/* count * size in 64 bits: 2^30 components must not wrap to none. */
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
    const uint8_t *front = in.at; /* not bytes.at, which may be NULL where there are none */
    const char *cut = payloads[type].get(&in, p);
    if (cut) {
        *fault = (struct ras_murk_fault){RAS_MURK_SHORT_PAYLOAD, (uint64_t)(in.at - front),
                                         bytes.len, cut};
        return false;
    }
    p->trailing = in_left(&in);
    return true;
}
