/* cdt_make.h - builds CDT payloads and traces from text, for tests.
 *
 * The notation is JSON with 'single quotes'; 1.5 is a float64, 1.5f a float32, <ca00> are raw
 * bytes. Ints take their shortest unsigned or signed form. */
#ifndef TESTS_CDT_MAKE_H
#define TESTS_CDT_MAKE_H

#include "base/out.h"
#include "codec/blake2b.h"
#include <rastrum/cdt.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static inline void make_be(struct out *o, uint8_t tag, uint64_t value, unsigned size)
{
    out_byte(o, tag);
    while (size--)
        out_byte(o, (uint8_t)(value >> 8 * size));
}

static inline void make_number(struct out *o, const char **p)
{
    char *end;
    size_t n = strcspn(*p, ",]}: ");
    if (memchr(*p, '.', n)) {
        double d = strtod(*p, &end);
        float f = (float)d;
        uint64_t bits;
        uint32_t bits32;
        memcpy(&bits, &d, 8);
        memcpy(&bits32, &f, 4);
        if (*end == 'f')
            make_be(o, 0xca, bits32, 4);
        else
            make_be(o, 0xcb, bits, 8);
        *p = *end == 'f' ? end + 1 : end;
        return;
    }
    bool minus = **p == '-';
    uint64_t u = strtoull(*p, &end, 10);
    *p = end;
    if (minus && (int64_t)u >= -32)
        out_byte(o, (uint8_t)u);
    else if (minus)
        make_be(o, 0xd3, u, 8);
    else if (u < 128)
        out_byte(o, (uint8_t)u);
    else
        make_be(o,
                u <= UINT8_MAX    ? 0xcc
                : u <= UINT32_MAX ? 0xce
                                  : 0xcf,
                u,
                u <= UINT8_MAX    ? 1
                : u <= UINT32_MAX ? 4
                                  : 8);
}

static inline void make_value(struct out *o, const char **p);

static inline void make_many(struct out *o, const char **p)
{
    bool map = **p == '{';
    struct out inner = {0};
    size_t count = 0;
    for (++*p; **p != '}' && **p != ']'; count++) {
        if (!**p)
            abort(); /* the text ends too early */
        make_value(&inner, p);
        *p += **p == ',' || **p == ':';
    }
    ++*p;
    count /= map ? 2 : 1;
    if (count < 16)
        out_byte(o, (uint8_t)((map ? 0x80 : 0x90) | count));
    else
        make_be(o, map ? 0xde : 0xdc, count, 2);
    out_bytes(o, inner.at, inner.len);
    out_free(&inner);
}

static inline void make_value(struct out *o, const char **p)
{
    size_t n;
    if (**p == '{' || **p == '[') {
        make_many(o, p);
    } else if (**p == '\'') {
        n = strcspn(*p + 1, "'");
        if (n < 32)
            out_byte(o, (uint8_t)(0xa0 | n));
        else
            make_be(o, 0xd9, n, 1);
        out_bytes(o, *p + 1, n);
        *p += n + 2;
    } else if (**p == '<') {
        for (++*p; **p != '>'; *p += 2)
            out_byte(o, (uint8_t)strtoul((const char[]){(*p)[0], (*p)[1], 0}, NULL, 16));
        ++*p;
    } else if (isalpha((unsigned char)**p)) {
        out_byte(o, **p == 'n' ? 0xc0 : **p == 't' ? 0xc3 : 0xc2);
        *p += strcspn(*p, ",]}");
    } else {
        make_number(o, p);
    }
}

/* The payload that the text describes, with padding for decoders. */
static inline struct ras_bytes make(struct out *o, const char *text)
{
    static const uint8_t padding[64] = {0};
    o->len = 0;
    make_value(o, &text);
    size_t len = o->len;
    out_bytes(o, padding, sizeof padding);
    o->len = len;
    return (struct ras_bytes){o->at, len};
}

/* ---- chunks, not compressed ------------------------------------------------ */

static inline void make_le(struct out *o, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        out_byte(o, (uint8_t)(value >> 8 * i));
}

static inline void make_chunk(struct out *o, const char *kind, int32_t start, int32_t end,
                              const char *text)
{
    struct out payload = {0};
    struct ras_bytes b = make(&payload, text);
    out_bytes(o, kind, 4);
    make_le(o, (uint32_t)start, 4);
    make_le(o, (uint32_t)end, 4);
    make_le(o, RAS_CDT_FLAG_MSGPACK, 4);
    make_le(o, b.len, 4);
    make_le(o, b.len, 4);
    make_le(o, blake2b64(b.at, b.len), 8);
    out_bytes(o, b.at, b.len);
    out_free(&payload);
}

static inline void make_header(struct out *o)
{
    out_bytes(o, RAS_CDT_MAGIC, RAS_CDT_MAGIC_SIZE);
    make_le(o, 1, 4);
}

#define MAKE_META                                                                                  \
    "{'trace_format_version':1,'trace_schema_version':12,'created_utc':'','producer':{'impl':"     \
    "'zig'},'source':{},'tick_range':{'start_tick':0,'end_tick':0,'tick_count':1}}"
#define MAKE_GAMEPLAY                                                                              \
    "{'mode_id':1,'quest_stage_major':0,'quest_stage_minor':0,'perk_pending_count':0,"             \
    "'perk_choices_dirty':false,'bonus_timers':{'weapon_power_up_ms':0,'reflex_boost_ms':0,"       \
    "'energizer_ms':0,'double_experience_ms':0,'freeze_ms':0}}"
#define MAKE_CHECKPOINT                                                                            \
    "{'tick_index':0,'rng_state':1,'elapsed_ms':16,'score_xp':0,'kills':0,'creature_count':0,"     \
    "'perk_pending':0,'players':[],'bonus_timers':{}}"
#define MAKE_CHANNELS                                                                              \
    "{'checkpoint':" MAKE_CHECKPOINT ",'sim_state':{'gameplay':" MAKE_GAMEPLAY                     \
    ",'players':[]},'entity_samples':{'creatures':[],'projectiles':[],'secondary_projectiles':[]," \
    "'bonuses':[]}}"
#define MAKE_TICK(index)                                                                           \
    "{'tick_index':" index ",'elapsed_ms':16,'dt_ms_i32':16,'mode_id':1,'channels':" MAKE_CHANNELS \
    "}"
#define MAKE_BLOCK(start, end, ticks)                                                              \
    "{'start_tick':" start ",'end_tick':" end ",'ticks':[" ticks "]}"
#endif
