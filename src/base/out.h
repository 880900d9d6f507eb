/* out.h - growing output with a sticky failure.
 *
 * Writers append without checking and ask once, at the end, whether memory or
 * the sink failed. With a drain the buffer is emptied whenever it is full, so
 * memory stays constant. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <rastrum/rastrum.h>
#include <string.h>

struct out {
    uint8_t *at;
    size_t len, room;
    bool failed;
    bool (*drain)(void *user, const uint8_t *bytes, size_t len); /* NULL: grow */
    void *user;
};

void out_free(struct out *out);
/* Hand what is buffered to the drain. */
void out_flush(struct out *out);
/* Make room for n more bytes; the address to write at, or NULL when failed. */
uint8_t *out_room(struct out *out, size_t n);

/* The same, without a call while there is more room than that: so n = 0 meets a
 * missing buffer only in out_room(), which then returns NULL without failing. */
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

void out_format(struct out *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Decimal digits without printf: the exporters' hot path. */
void out_u64(struct out *out, uint64_t value);
void out_i64(struct out *out, int64_t value);
/* 0x and `digits` lower-case hexadecimal digits. */
void out_hex(struct out *out, uint64_t value, unsigned digits);
#endif
