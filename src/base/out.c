/* out.c - growing output with a sticky failure. */
#include "base/out.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (out->failed || n > SIZE_MAX - out->len ||
        !array_grow(&out->at, &out->room, out->len + n, 1)) {
        out->failed = true;
        return NULL;
    }
    return out->at + out->len;
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

void out_u64(struct out *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    out_bytes(out, digits + at, sizeof digits - at);
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
    char text[18] = "0x";
    for (unsigned i = 0; i < digits; i++)
        text[2 + i] = hex[value >> 4 * (digits - 1 - i) & 15];
    out_bytes(out, text, 2 + digits);
}
