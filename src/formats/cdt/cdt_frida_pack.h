/* cdt_frida_pack.h - MessagePack appended to output: for the files beside the trace of a run. */
#ifndef CDT_FRIDA_PACK_H
#define CDT_FRIDA_PACK_H

#include "base/out.h"
#include "formats/cdt/cdt_encoder.h"

#include <string.h>

/* An item without text: `put` writes it to room for 16 bytes. */
#define FRIDA_ITEM(out, put)                                                                       \
    do {                                                                                           \
        uint8_t *p = out_room((out), 16);                                                          \
        if (p)                                                                                     \
            (out)->len = (size_t)((put) - (out)->at);                                              \
    } while (0)

static inline void frida_put_number(struct out *out, struct ras_cdt_int n)
{
    FRIDA_ITEM(out, put_int(p, n.value, n.wide, false));
}

static inline void frida_put_int(struct out *out, int64_t value)
{
    frida_put_number(out, (struct ras_cdt_int){.value = value});
}

static inline void frida_put_f64(struct out *out, double value)
{
    FRIDA_ITEM(out, put_f64(p, value));
}

static inline void frida_put_bool(struct out *out, bool value)
{
    out_byte(out, value ? PACK_TRUE : PACK_FALSE);
}

static inline void frida_put_nil(struct out *out)
{
    out_byte(out, PACK_NIL);
}

static inline void frida_put_map(struct out *out, size_t count)
{
    FRIDA_ITEM(out, put_count(p, count, 0x80, 0xde));
}

static inline void frida_put_array(struct out *out, size_t count)
{
    FRIDA_ITEM(out, put_count(p, count, 0x90, 0xdc));
}

static inline void frida_put_text(struct out *out, struct ras_bytes text)
{
    FRIDA_ITEM(out, text.len < 32            ? (*p = (uint8_t)(0xa0 | text.len), p + 1)
                    : text.len <= UINT8_MAX  ? put_tagged(p, 0xd9, text.len, 1)
                    : text.len <= UINT16_MAX ? put_tagged(p, 0xda, text.len, 2)
                                             : put_tagged(p, 0xdb, text.len, 4));
    out_bytes(out, text.at, text.len);
}

static inline void frida_put_key(struct out *out, const char *key)
{
    frida_put_text(out, (struct ras_bytes){(const uint8_t *)key, strlen(key)});
}

static inline void frida_put_named(struct out *out, const char *key, int64_t value)
{
    frida_put_key(out, key);
    frida_put_int(out, value);
}

static inline void frida_put_flag(struct out *out, const char *key, bool value)
{
    frida_put_key(out, key);
    frida_put_bool(out, value);
}
#endif
