/* every.h - dial9 streams with fields of every type, laid out and changed as is asked. */
#ifndef UNIT_EVERY_H
#define UNIT_EVERY_H

#include "stream.h"

#include <stdio.h>

enum { COUNT = 300, FIELDS = 17 };

static const struct {
    const char *name;
    uint8_t type;
} fields[FIELDS] = {
    {"i64", RAS_DIAL9_I64},
    {"f64", RAS_DIAL9_F64},
    {"flag", RAS_DIAL9_BOOL},
    {"text", RAS_DIAL9_STRING},
    {"bytes", RAS_DIAL9_BYTES},
    {"pooled_stack", RAS_DIAL9_POOLED_STACK_FRAMES},
    {"pooled", RAS_DIAL9_POOLED_STRING},
    {"stack", RAS_DIAL9_STACK_FRAMES},
    {"varint", RAS_DIAL9_VARINT},
    {"map", RAS_DIAL9_STRING_MAP},
    {"u8", RAS_DIAL9_U8},
    {"u16", RAS_DIAL9_U16},
    {"u32", RAS_DIAL9_U32},
    {"list", RAS_DIAL9_DYNAMIC_LIST},
    {"dynamic", RAS_DIAL9_DYNAMIC_MAP},
    {"maybe", RAS_DIAL9_VARINT | 0x80},
    {"maybe_pooled", RAS_DIAL9_POOLED_STRING | 0x80},
};

/* How a stream is laid out, which must not matter. */
struct layout {
    unsigned type_id, pool_base;
    unsigned batch;   /* events of each; 0: all in one */
    bool reversed;    /* maps and pools from their ends */
    uint64_t time_ns; /* of the first event */
};

/* What is changed, if anything. */
enum what { NOTHING, FIELD, ABSENT, INSERTED, DELETED, DELAYED, RENAMED };
struct change {
    enum what what;
    size_t at;
    unsigned field, salt;
};

static inline void put_entry(struct out *o, const char *key, uint64_t value)
{
    char text[24];
    put_long(o, key);
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put_long(o, text);
}

static inline void put_text(struct out *o, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "value %llu", (unsigned long long)value);
    put_long(o, text);
}

static inline void put_string_entry(struct out *o, uint32_t id, uint64_t value)
{
    out_byte(o, RAS_DIAL9_STRING_POOL);
    put_le(o, 1, 4);
    put_le(o, id, 4);
    put_text(o, value);
}

static inline void put_stack_entry(struct out *o, uint32_t id, uint64_t value)
{
    out_byte(o, RAS_DIAL9_STACK_POOL);
    put_le(o, 1, 4);
    put_le(o, id, 4);
    put_le(o, 2, 4);
    put_le(o, 0x1000, 8);
    put_le(o, value, 8);
}

static inline void put_double(struct out *o, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_le(o, bits, 8);
}

/* A field of this value. Its pool entries have the ids base and base + 1. */
static inline void put_field(struct out *o, unsigned field, uint64_t v, const struct layout *l)
{
    uint8_t type = fields[field].type & 0x7f;
    if (fields[field].type & 0x80)
        out_byte(o, 1);
    switch (type) {
    case RAS_DIAL9_I64:
        put_le(o, (uint64_t)-1 - v, 8);
        return;
    case RAS_DIAL9_F64:
        put_double(o, (double)v / 4);
        return;
    case RAS_DIAL9_BOOL:
        out_byte(o, v & 1);
        return;
    case RAS_DIAL9_STRING:
    case RAS_DIAL9_BYTES:
        put_text(o, v);
        return;
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        put_le(o, l->pool_base, 4);
        return;
    case RAS_DIAL9_POOLED_STRING:
        put_le(o, l->pool_base + (field == FIELDS - 1), 4);
        return;
    case RAS_DIAL9_STACK_FRAMES:
        put_le(o, 2, 4);
        put_le(o, v, 8);
        put_le(o, 7, 8);
        return;
    case RAS_DIAL9_VARINT:
        put_varint(o, v);
        return;
    case RAS_DIAL9_STRING_MAP:
        put_le(o, 2, 4);
        put_entry(o, l->reversed ? "b" : "a", l->reversed ? 5 : v);
        put_entry(o, l->reversed ? "a" : "b", l->reversed ? v : 5);
        return;
    case RAS_DIAL9_U8:
    case RAS_DIAL9_U16:
    case RAS_DIAL9_U32:
        put_le(o, v, type == RAS_DIAL9_U8 ? 1 : type == RAS_DIAL9_U16 ? 2 : 4);
        return;
    case RAS_DIAL9_DYNAMIC_LIST:
        put_le(o, 2, 4);
        out_byte(o, RAS_DIAL9_U8);
        out_byte(o, 1);
        out_byte(o, RAS_DIAL9_VARINT);
        put_varint(o, v);
        return;
    default: /* a map from a number to a text */
        put_le(o, 1, 4);
        out_byte(o, RAS_DIAL9_U8);
        out_byte(o, 3);
        out_byte(o, RAS_DIAL9_STRING);
        put_text(o, v);
    }
}

/* The event's values: all its fields differ from those of other events, but for the bool. */
static inline void put_every(struct out *o, size_t i, const struct change *c,
                             const struct layout *l)
{
    bool here = c->at == i;
    for (unsigned f = 0; f < FIELDS; f++) {
        uint64_t v = i + f + (here && c->what == FIELD && c->field == f ? c->salt : 0);
        if (here && c->what == ABSENT && c->field == f)
            out_byte(o, 0);
        else
            put_field(o, f, v, l);
    }
}

static inline void put_pools(struct out *o, size_t i, const struct change *c,
                             const struct layout *l)
{
    uint64_t v[FIELDS];
    for (unsigned f = 0; f < FIELDS; f++)
        v[f] = i + f + (c->at == i && c->what == FIELD && c->field == f ? c->salt : 0);
    put_stack_entry(o, l->pool_base, v[5]);
    put_string_entry(o, l->pool_base + l->reversed, v[l->reversed ? FIELDS - 1 : 6]);
    put_string_entry(o, l->pool_base + !l->reversed, v[l->reversed ? 6 : FIELDS - 1]);
}

static inline void put_one_schema(struct out *o, unsigned id, const char *name)
{
    out_byte(o, RAS_DIAL9_SCHEMA);
    put_le(o, id, 2);
    put_short(o, name);
    out_byte(o, 1);
    put_le(o, FIELDS, 2);
    for (unsigned f = 0; f < FIELDS; f++) {
        put_short(o, fields[f].name);
        out_byte(o, fields[f].type);
    }
}

static inline void put_start(struct out *o, const struct layout *l)
{
    put_header(o);
    put_one_schema(o, l->type_id, "Every");
    put_one_schema(o, l->type_id + 1, "Other");
}

static inline void put_timed(struct out *o, unsigned id, uint64_t time_ns)
{
    out_byte(o, RAS_DIAL9_TIMESTAMP_RESET);
    put_le(o, time_ns, 8);
    put_event(o, id, 0);
}

static inline void put_one(struct out *o, size_t i, const struct layout *l, const struct change *c)
{
    put_pools(o, i, c, l);
    put_timed(o, l->type_id + (c->at == i && c->what == RENAMED), l->time_ns + 10 * i);
    put_every(o, i, c, l);
}

static inline void make(struct out *o, const struct layout *l, const struct change *c)
{
    *o = (struct out){0};
    put_start(o, l);
    for (size_t i = 0; i < COUNT; i++) {
        bool here = c->at == i;
        if (l->batch && i && i % l->batch == 0)
            put_start(o, l);
        uint64_t time_ns = l->time_ns + 10 * i + (here && c->what == DELAYED ? c->salt : 0);
        if (here && c->what == DELETED)
            continue;
        if (here && c->what == INSERTED) {
            put_pools(o, i + 100000, c, l);
            put_timed(o, l->type_id, time_ns);
            put_every(o, i + 100000, c, l);
        }
        put_pools(o, i, c, l);
        put_timed(o, l->type_id + (here && c->what == RENAMED), time_ns);
        put_every(o, i, c, l);
    }
}
#endif
