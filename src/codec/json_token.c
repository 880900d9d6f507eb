/* json_token.c - what a JSON token means: text without escapes, exact numbers. */
#include "codec/json_read.h"
#include "codec/decimal.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- text --------------------------------------------------------------- */

static uint32_t hex4(const uint8_t *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 4 | (at[i] <= '9' ? at[i] - (uint32_t)'0' : (at[i] | 0x20u) - 'a' + 10);
    return value;
}

static size_t put_utf8(uint8_t *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
    out[0] = (uint8_t)(0xf0u << (4 - size) | code);
    return size;
}

/* One escape or plain byte at *at, as 1 to 4 bytes; 0: half of a surrogate pair.
 * The tokenizer has seen to it that every escape is whole. */
static size_t unescape(const uint8_t **at, const uint8_t *end, uint8_t out[4])
{
    const uint8_t *p = *at;
    if (*p != '\\') {
        out[0] = *p;
        *at = p + 1;
        return 1;
    }
    if (p[1] != 'u') {
        static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
        const char *found = memchr(from, p[1], sizeof from - 1);
        out[0] = found ? (uint8_t)to[found - from] : p[1];
        *at = p + 2;
        return 1;
    }
    uint32_t code = hex4(p + 2);
    p += 6;
    if (code >= 0xd800 && code < 0xe000) {
        uint32_t low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2) : 0;
        if (code >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
            return 0;
        code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
        p += 6;
    }
    *at = p;
    return put_utf8(out, code);
}

bool json_read_text(struct json_read *in, const struct json_token *token, void *out, size_t room,
                    size_t *len)
{
    *len = 0;
    if (in->fault != JSON_FINE || room < token->span.len)
        return false;
    if (!token->escaped) {
        if (token->span.len)
            memcpy(out, token->span.at, token->span.len);
        *len = token->span.len;
        return true;
    }
    const uint8_t *at = token->span.at, *end = at + token->span.len;
    uint8_t *to = out;
    while (at < end) {
        uint8_t piece[4];
        size_t size = unescape(&at, end, piece);
        if (!size) {
            in->fault = JSON_INVALID;
            in->fault_at = (size_t)(at - in->start);
            in->why = "half of a surrogate pair in a string";
            in->at = in->end;
            return false;
        }
        memcpy(to, piece, size);
        to += size;
    }
    *len = (size_t)(to - (uint8_t *)out);
    return true;
}

bool json_bytes_of(const struct json_token *token, void *out, size_t *len)
{
    const uint8_t *at = token->span.at, *end = at + token->span.len;
    uint8_t *to = out;
    while (at < end) {
        uint8_t piece[4];
        size_t size = unescape(&at, end, piece);
        if (!size) { /* \udcXX stands for the byte XX, which is no UTF-8 */
            uint32_t code = hex4(at + 2);
            if (code < 0xdc80 || code > 0xdcff)
                return false;
            piece[0] = (uint8_t)code;
            size = 1;
            at += 6;
        }
        memcpy(to, piece, size);
        to += size;
    }
    *len = (size_t)(to - (uint8_t *)out);
    return true;
}

bool json_text_is(const struct json_token *token, const char *text, size_t len)
{
    struct ras_bytes span = token->span;
    if (token->kind != JSON_STRING && token->kind != JSON_KEY)
        return false;
    if (!token->escaped)
        return span.len == len && (!len || memcmp(span.at, text, len) == 0);
    const uint8_t *at = span.at, *end = at + span.len;
    while (at < end) {
        uint8_t piece[4];
        size_t size = unescape(&at, end, piece);
        if (!size || size > len || memcmp(piece, text, size) != 0)
            return false;
        text += size;
        len -= size;
    }
    return !len;
}

/* ---- numbers ------------------------------------------------------------ */

/* The digits of an integer token without its sign. */
static bool magnitude(const struct json_token *token, uint64_t *value)
{
    if (token->kind != JSON_NUMBER || !token->integer)
        return false;
    const uint8_t *at = token->span.at, *end = at + token->span.len;
    *value = 0;
    for (at += *at == '-'; at < end; at++)
        if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
            __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
            return false;
    return true;
}

bool json_u64_of(const struct json_token *token, uint64_t *value)
{
    uint64_t size;
    if (!magnitude(token, &size) || (*token->span.at == '-' && size))
        return false;
    *value = size;
    return true;
}

bool json_i64_of(const struct json_token *token, int64_t *value)
{
    uint64_t size;
    if (!magnitude(token, &size))
        return false;
    bool negative = *token->span.at == '-';
    if (size > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - size : size);
    return true;
}

/* 768 digits decide how any decimal rounds to a double; what follows matters
 * only in being zero or not. */
enum { DIGITS_MAX = 768, EXPONENT_MAX = 99999 };

/* A number as digits and a power of ten: bounded however long it is written. */
struct decimal {
    bool negative, more; /* more: digits that are not zero were left out */
    char digits[DIGITS_MAX];
    size_t count;
    int64_t exponent;
};

static void add_digit(struct decimal *d, uint8_t digit, bool fraction)
{
    if (fraction)
        d->exponent--;
    if (digit == '0' && !d->count)
        return; /* leading */
    if (d->count < DIGITS_MAX) {
        d->digits[d->count++] = (char)digit;
        return;
    }
    d->exponent++;
    d->more |= digit != '0';
}

static struct decimal decimal_of(struct ras_bytes text)
{
    struct decimal d;
    d.count = 0;
    d.exponent = 0;
    d.more = false;
    d.negative = *text.at == '-';
    const uint8_t *at = text.at + d.negative, *end = text.at + text.len;
    bool fraction = false;
    for (; at < end && (*at | 0x20) != 'e'; at++) {
        if (*at == '.')
            fraction = true;
        else
            add_digit(&d, *at, fraction);
    }
    if (at == end)
        return d;
    bool negative = *++at == '-';
    int64_t written = 0;
    for (at += *at == '-' || *at == '+'; at < end; at++)
        if (written < INT64_MAX / 100)
            written = written * 10 + (*at - '0');
    d.exponent += negative ? -written : written;
    return d;
}

/* Nineteen digits fit a word. */
static bool small_real(const struct decimal *d, double *value)
{
    uint64_t digits = 0;
    if (d->count > 19 || d->exponent < -400 || d->exponent > 400)
        return false;
    for (size_t i = 0; i < d->count; i++)
        digits = digits * 10 + (uint64_t)(d->digits[i] - '0');
    return decimal_f64(digits, (int)d->exponent, value);
}

bool json_f64_of(const struct json_token *token, double *value)
{
    if (token->kind != JSON_NUMBER)
        return false;
    struct decimal d = decimal_of(token->span);
    double result = 0;
    if (d.count && !small_real(&d, &result)) {
        /* Without a decimal point strtod() does not depend on the locale. */
        char text[DIGITS_MAX + 32];
        int64_t exponent = d.exponent > EXPONENT_MAX    ? EXPONENT_MAX
                           : d.exponent < -EXPONENT_MAX ? -EXPONENT_MAX
                                                        : d.exponent;
        snprintf(text, sizeof text, "%.*s%se%lld", (int)d.count, d.digits, d.more ? "1" : "",
                 (long long)(exponent - d.more));
        result = strtod(text, NULL);
        if (result > 1.7976931348623157e308)
            return false;
    }
    *value = d.negative ? -result : result;
    return true;
}
