/* out.c - growing output with a sticky failure. */
#include "base/out.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A drain is a system call: not worth it for less than this. */
#define DRAINED_ROOM 65536

void out_free(struct out *out)
{
    free(out->at);
    out->at = NULL;
    out->len = out->room = 0;
}

void out_flush(struct out *out)
{
    if (out->drain && out->len && !out->failed)
        out->failed = !out->drain(out->user, out->at, out->len);
    if (out->drain)
        out->len = 0;
}

uint8_t *out_room(struct out *out, size_t n)
{
    if (out->failed)
        return NULL;
    if (out->drain && out->len)
        out_flush(out);
    if (!n && !out->at)
        return NULL;
    size_t need = n;
    if (out->drain && need < DRAINED_ROOM)
        need = DRAINED_ROOM;
    if (out->failed || need > SIZE_MAX - out->len ||
        !array_grow(&out->at, &out->room, out->len + need, 1)) {
        out->failed = true;
        return NULL;
    }
    return out->at + out->len;
}

void out_bytes_through(struct out *out, const void *bytes, size_t n)
{
    if (out->drain && n >= DRAINED_ROOM) {
        out_flush(out);
        if (!out->failed)
            out->failed = !out->drain(out->user, bytes, n);
        return;
    }
    uint8_t *p = out_room(out, n);
    if (p) {
        memcpy(p, bytes, n);
        out->len += n;
    }
}

void out_name(struct out *out, const char *name)
{
    const char *nul;
    for (; (nul = strstr(name, RAS_NAME_NUL)); name = nul + strlen(RAS_NAME_NUL)) {
        out_bytes(out, name, (size_t)(nul - name));
        out_byte(out, 0);
    }
    out_text(out, name);
}

void out_format(struct out *out, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n > 0)
        out_bytes(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* 1233 / 4096 is log10(2), precise enough for 64 bits to be at most one too few. */
static unsigned digit_count(uint64_t value)
{
    static const uint64_t powers[] = {
        0,
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };
    unsigned count = (unsigned)(64 - __builtin_clzll(value | 1)) * 1233 >> 12;
    return count + (value >= powers[count]);
}

void out_u64(struct out *out, uint64_t value)
{
    unsigned count = digit_count(value);
    uint8_t *text = out_reserve(out, count);
    if (!text)
        return;
    out->len += count;
    for (; value >= 100; value /= 100)
        put_two_digits(text + (count -= 2), (unsigned)(value % 100));
    if (value >= 10)
        put_two_digits(text, (unsigned)value);
    else
        text[0] = (uint8_t)('0' + value);
}

void out_i64(struct out *out, int64_t value)
{
    if (value < 0)
        out_byte(out, '-');
    out_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void out_hex(struct out *out, uint64_t value, unsigned digits)
{
    static const char hex[] = "0123456789abcdef";
    uint8_t *text = out_reserve(out, (size_t)2 + digits);
    if (!text)
        return;
    text[0] = '0';
    text[1] = 'x';
    for (unsigned i = digits; i > 0; i--, value >>= 4)
        text[1 + i] = (uint8_t)hex[value & 15];
    out->len += (size_t)2 + digits;
}
