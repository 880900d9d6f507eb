/* out.h - growing output with a sticky failure.
 *
 * Writers append without checking and check once, at the end, whether memory or the sink failed.
 * With a drain the buffer is emptied whenever it is full, so memory stays constant. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include "base/in.h"

struct out {
    uint8_t *at;
    size_t len, room;
    bool failed;
    bool (*drain)(void *user, const uint8_t *bytes, size_t len); /* NULL: grow */
    void *user;
};

void out_free(struct out *out);
/* Pass the buffered bytes to the drain. */
void out_flush(struct out *out);
/* Make room for n more bytes; the address to write at, or NULL when failed. */
uint8_t *out_room(struct out *out, size_t n);

/* The same, without a call while there is more room than that: so n = 0 with a missing buffer is
 * left to out_room(), which then returns NULL without failing. */
static inline uint8_t *out_reserve(struct out *out, size_t n)
{
    if (out->room - out->len > n)
        return out->at + out->len;
    return out_room(out, n);
}

/* Bytes the buffer has no room for: a long piece goes to the drain uncopied. */
void out_bytes_through(struct out *out, const void *bytes, size_t n);

static inline void out_bytes(struct out *out, const void *bytes, size_t n)
{
    if (!n)
        return;
    if (out->room - out->len < n) {
        out_bytes_through(out, bytes, n);
        return;
    }
    memcpy(out->at + out->len, bytes, n);
    out->len += n;
}

static inline void out_byte(struct out *out, uint8_t byte)
{
    uint8_t *p = out_reserve(out, 1);
    if (p) {
        *p = byte;
        out->len++;
    }
}

static inline void out_text(struct out *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

/* The name of a type or a field as the trace has it: RAS_NAME_NUL is a NUL. */
void out_name(struct out *out, const char *name);
void out_format(struct out *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Decimal digits without printf: the exporters' hot path. */
void out_u64(struct out *out, uint64_t value);
void out_i64(struct out *out, int64_t value);
/* 0x and `digits` lower-case hexadecimal digits. */
void out_hex(struct out *out, uint64_t value, unsigned digits);

/* The two digits of value, which is below 100: two at a time are half the divisions. */
static inline void put_two_digits(void *at, unsigned value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    memcpy(at, pairs + (size_t)2 * value, 2);
}

/* ---- little-endian stores to memory that is known to be there ----------------------------- */

static inline uint8_t *store_u8(uint8_t *p, uint8_t v)
{
    *p = v;
    return p + 1;
}

static inline uint8_t *store_u16(uint8_t *p, uint16_t v)
{
    v = LITTLE16(v);
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static inline uint8_t *store_u32(uint8_t *p, uint32_t v)
{
    v = LITTLE32(v);
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static inline uint8_t *store_u64(uint8_t *p, uint64_t v)
{
    v = LITTLE64(v);
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static inline uint8_t *store_bytes(uint8_t *p, const void *bytes, size_t n)
{
    if (n)
        memcpy(p, bytes, n);
    return p + n;
}
#endif
