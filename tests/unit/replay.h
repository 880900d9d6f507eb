/* replay.h - small Murk replays, made in memory for tests. */
#ifndef UNIT_REPLAY_H
#define UNIT_REPLAY_H

#include "base/out.h"

static inline void put_u32(struct out *o, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        out_byte(o, (uint8_t)(v >> 8 * i));
}

static inline void put_u64(struct out *o, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        out_byte(o, (uint8_t)(v >> 8 * i));
}

static inline void put_lp(struct out *o, const void *bytes, size_t n)
{
    put_u32(o, (uint32_t)n);
    out_bytes(o, bytes, n);
}

/* A header of HEADER_SIZE bytes: empty strings but for the toolchain "t". */
enum { HEADER_SIZE = 54 };

static inline void put_header(struct out *o)
{
    out_bytes(o, "MURK\3", 5);
    put_lp(o, "t", 1);
    for (int i = 0; i < 3; i++)
        put_lp(o, "", 0);
    put_u64(o, 7);      /* seed */
    put_u64(o, 0xabcd); /* config_hash */
    put_u32(o, 2);      /* field_count */
    put_u64(o, 16);     /* cell_count */
    put_lp(o, "", 0);   /* space_descriptor */
}

struct command {
    uint8_t tag;
    const void *payload;
    size_t payload_len;
    uint8_t priority;
    const uint64_t *source_id, *source_seq; /* NULL: absent */
    uint64_t expires, arrival;
};

static inline void put_optional(struct out *o, const uint64_t *value)
{
    out_byte(o, value != NULL);
    if (value)
        put_u64(o, *value);
}

static inline void put_command(struct out *o, const struct command *c)
{
    out_byte(o, c->tag);
    put_lp(o, c->payload, c->payload_len);
    out_byte(o, c->priority);
    put_optional(o, c->source_id);
    put_optional(o, c->source_seq);
    put_u64(o, c->expires);
    put_u64(o, c->arrival);
}

/* An empty frame: 20 bytes. */
static inline void put_frame(struct out *o, uint64_t tick)
{
    put_u64(o, tick);
    put_u32(o, 0);
    put_u64(o, tick * 17);
}

/* A frame of `count` Despawn commands of entities 0, 1, ...: 20 + 32 a command. */
enum { DESPAWN_SIZE = 32 };

static inline void put_despawns(struct out *o, uint64_t tick, uint32_t count)
{
    put_u64(o, tick);
    put_u32(o, count);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t entity[8] = {(uint8_t)i};
        put_command(
            o,
            &(struct command){
                .tag = 2, .payload = entity, .payload_len = 8, .expires = RAS_NONE, .arrival = i});
    }
    put_u64(o, tick * 17);
}
#endif
