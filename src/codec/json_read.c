/* json_read.c - the tokenizer of JSON (the grammar of RFC 8259 and nothing beyond it), and the text
 * and exact numbers that its tokens hold. */
#include "codec/json_read.h"
#include "base/in.h"
#include "codec/json_scan.h"
#include "codec/number.h"
#include "codec/utf8.h"

#include <stdio.h>
#include <stdlib.h>

/* What the grammar allows next. */
enum want {
    WANT_VALUE,
    WANT_ITEM_OR_END,
    WANT_KEY,
    WANT_KEY_OR_END,
    WANT_COMMA_OR_END,
};

/* The first fault stays, and an empty reader makes it stick. JSON_BAD is zero:
 * functions that return bool return it as false. */
static enum json_kind set_fault(struct json_read *in, enum json_fault fault, const uint8_t *at,
                                const char *why)
{
    if (in->fault == JSON_FINE) {
        in->fault = fault;
        in->fault_at = (size_t)(at - in->start);
        in->why = why;
    }
    in->at = in->end;
    return JSON_BAD;
}

static enum json_kind fault_cut(struct json_read *in, const char *why)
{
    return set_fault(in, JSON_SHORT, in->end, why);
}

static enum json_kind fault_invalid(struct json_read *in, const uint8_t *at, const char *why)
{
    return set_fault(in, JSON_INVALID, at, why);
}

struct json_read json_read_bytes(struct ras_bytes text)
{
    return (struct json_read){.at = text.at,
                              .end = text.len ? text.at + text.len : text.at,
                              .start = text.at,
                              .why = "",
                              .want = WANT_VALUE};
}

static void skip_white(struct json_read *in)
{
    while (in->at < in->end &&
           (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t'))
        in->at++;
}

/* ---- strings ------------------------------------------------------------ */

/* Check the escape at in->at and pass over it. False: fault. */
static bool read_escape(struct json_read *in)
{
    const uint8_t *from = in->at++;
    if (in->at == in->end)
        return fault_cut(in, "text ends inside a string");
    uint8_t letter = *in->at++;
    if (letter != 'u') {
        if (memchr("\"\\/bfnrt", letter, 8))
            return true;
        return fault_invalid(in, from, "unknown escape in a string");
    }
    for (int i = 0; i < 4; i++, in->at++) {
        if (in->at == in->end)
            return fault_cut(in, "text ends inside a string");
        if (hex_digit(*in->at) < 0)
            return fault_invalid(in, from, "\\u without four hexadecimal digits");
    }
    return true;
}

/* The string whose quote is at in->at. False: fault. */
static bool read_string(struct json_read *in, struct json_token *token)
{
    const uint8_t *from = ++in->at;
    bool ascii = true;
    token->escaped = false;
    for (;;) {
        in->at = json_plain_run(in->at, in->end);
        if (in->at == in->end)
            return fault_cut(in, "text ends inside a string");
        if (*in->at == '"')
            break;
        if (*in->at < 0x20)
            return fault_invalid(in, in->at, "control character in a string");
        if (*in->at >= 0x80) {
            ascii = false;
            while (in->at < in->end && *in->at >= 0x80)
                in->at++;
            continue;
        }
        token->escaped = true;
        if (!read_escape(in))
            return false;
    }
    token->span = (struct ras_bytes){from, (size_t)(in->at - from)};
    struct utf8_fault fault;
    if (!ascii && !utf8_check(token->span.at, token->span.len, &fault))
        return fault_invalid(in, from + fault.at, "string is not UTF-8");
    in->at++;
    return true;
}

/* ---- numbers and names -------------------------------------------------- */

/* One digit at least. False: fault. */
static bool read_digits(struct json_read *in)
{
    if (in->at == in->end)
        return fault_cut(in, "text ends inside a number");
    if (*in->at < '0' || *in->at > '9')
        return fault_invalid(in, in->at, "number lacks a digit");
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9')
        in->at++;
    return true;
}

static bool at_byte(const struct json_read *in, uint8_t a, uint8_t b)
{
    return in->at < in->end && (*in->at == a || *in->at == b);
}

static enum json_kind read_number(struct json_read *in, struct json_token *token)
{
    const uint8_t *from = in->at;
    in->at += *in->at == '-';
    const uint8_t *first = in->at;
    if (!read_digits(in))
        return JSON_BAD;
    if (*first == '0' && in->at - first > 1)
        return fault_invalid(in, first, "number with a leading zero");
    token->integer = true;
    if (at_byte(in, '.', '.')) {
        token->integer = false;
        in->at++;
        if (!read_digits(in))
            return JSON_BAD;
    }
    if (at_byte(in, 'e', 'E')) {
        token->integer = false;
        in->at++;
        in->at += at_byte(in, '+', '-');
        if (!read_digits(in))
            return JSON_BAD;
    }
    token->span = (struct ras_bytes){from, (size_t)(in->at - from)};
    return JSON_NUMBER;
}

static enum json_kind read_name(struct json_read *in, struct json_token *token, const char *literal,
                                enum json_kind kind)
{
    const uint8_t *from = in->at;
    for (; *literal; literal++, in->at++) {
        if (in->at == in->end)
            return fault_cut(in, "text ends inside true, false or null");
        if (*in->at != (uint8_t)*literal)
            return fault_invalid(in, from, "unknown word");
    }
    token->span = (struct ras_bytes){from, (size_t)(in->at - from)};
    token->truth = *from == 't';
    return kind;
}

/* ---- structure ---------------------------------------------------------- */

static bool in_object(const struct json_read *in)
{
    unsigned level = in->depth - 1;
    return in->objects[level / 64] >> level % 64 & 1;
}

static enum json_kind open_container(struct json_read *in, struct json_token *token)
{
    if (in->depth == JSON_DEPTH_MAX)
        return fault_invalid(in, in->at, "nested deeper than 512");
    bool object = *in->at == '{';
    uint64_t bit = UINT64_C(1) << in->depth % 64;
    if (object)
        in->objects[in->depth / 64] |= bit;
    else
        in->objects[in->depth / 64] &= ~bit;
    in->depth++;
    in->want = object ? WANT_KEY_OR_END : WANT_ITEM_OR_END;
    token->span = (struct ras_bytes){in->at++, 1};
    return object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_kind close_container(struct json_read *in, struct json_token *token)
{
    bool object = in_object(in);
    in->depth--;
    in->want = WANT_COMMA_OR_END;
    token->span = (struct ras_bytes){in->at++, 1};
    return object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static enum json_kind read_key(struct json_read *in, struct json_token *token)
{
    if (*in->at != '"')
        return fault_invalid(in, in->at, "key is not a string");
    if (!read_string(in, token))
        return JSON_BAD;
    skip_white(in);
    if (in->at == in->end)
        return fault_cut(in, "text ends after a key");
    if (*in->at != ':')
        return fault_invalid(in, in->at, "no colon after a key");
    in->at++;
    in->want = WANT_VALUE;
    return JSON_KEY;
}

static enum json_kind read_value(struct json_read *in, struct json_token *token)
{
    in->want = WANT_COMMA_OR_END;
    switch (*in->at) {
    case '{':
    case '[':
        return open_container(in, token);
    case '"':
        return read_string(in, token) ? JSON_STRING : JSON_BAD;
    case 't':
        return read_name(in, token, "true", JSON_BOOL);
    case 'f':
        return read_name(in, token, "false", JSON_BOOL);
    case 'n':
        return read_name(in, token, "null", JSON_NULL);
    case 0xef:
        if (in->at == in->start)
            return fault_invalid(in, in->at, "byte order mark");
        break;
    default:
        if (*in->at == '-' || (*in->at >= '0' && *in->at <= '9'))
            return read_number(in, token);
    }
    return fault_invalid(in, in->at, "no value where one should be");
}

/* After the value, or at the end of the text too early. */
static enum json_kind end_of_text(struct json_read *in)
{
    if (in->fault != JSON_FINE)
        return JSON_BAD;
    if (in->depth)
        return fault_cut(in, in_object(in) ? "text ends inside an object"
                                           : "text ends inside an array");
    if (in->want == WANT_VALUE)
        return fault_cut(in, "no value");
    return JSON_END;
}

static enum json_kind read_next(struct json_read *in, struct json_token *token)
{
    skip_white(in);
    if (in->at == in->end)
        return end_of_text(in);
    if (in->want == WANT_COMMA_OR_END && !in->depth)
        return fault_invalid(in, in->at, "content after the value");
    if (in->want != WANT_VALUE && in->want != WANT_KEY && *in->at == (in_object(in) ? '}' : ']'))
        return close_container(in, token);
    if (in->want == WANT_COMMA_OR_END) {
        if (*in->at != ',')
            return fault_invalid(in, in->at, "no comma between two values");
        in->at++;
        in->want = in_object(in) ? WANT_KEY : WANT_VALUE;
        skip_white(in);
        if (in->at == in->end)
            return end_of_text(in);
    }
    return in->want == WANT_KEY || in->want == WANT_KEY_OR_END ? read_key(in, token)
                                                               : read_value(in, token);
}

enum json_kind json_read_next(struct json_read *in, struct json_token *token)
{
    token->span = (struct ras_bytes){in->at, 0};
    token->kind = read_next(in, token);
    return token->kind;
}

bool json_read_skip(struct json_read *in, const struct json_token *token)
{
    struct json_token inner = *token;
    if (inner.kind == JSON_KEY)
        json_read_next(in, &inner);
    if (inner.kind == JSON_OBJECT || inner.kind == JSON_ARRAY)
        for (unsigned outside = in->depth - 1; in->depth > outside;)
            if (json_read_next(in, &inner) == JSON_BAD)
                return false;
    return inner.kind != JSON_BAD;
}

struct ras_bytes json_read_value(struct json_read *in, const struct json_token *token)
{
    const uint8_t *at = token->span.at - (token->kind == JSON_STRING);
    if (token->kind == JSON_OBJECT || token->kind == JSON_ARRAY)
        at = in->at - 1;
    if (!json_read_skip(in, token))
        return (struct ras_bytes){0};
    return (struct ras_bytes){at, (size_t)(in->at - at)};
}

const char *json_kind_name(enum json_kind kind)
{
    static const char *const names[] = {
        [JSON_BAD] = "nothing",
        [JSON_END] = "end",
        [JSON_NULL] = "null",
        [JSON_BOOL] = "boolean",
        [JSON_NUMBER] = "number",
        [JSON_STRING] = "string",
        [JSON_KEY] = "key",
        [JSON_ARRAY] = "array",
        [JSON_ARRAY_END] = "array end",
        [JSON_OBJECT] = "object",
        [JSON_OBJECT_END] = "object end",
    };
    return names[kind];
}

/* ---- text of tokens --------------------------------------------------------------- */

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
 * The tokenizer has checked that every escape is whole. */
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
        if (!size) { /* \udcXX is the byte XX, which is not UTF-8 */
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

/* ---- numbers of tokens ------------------------------------------------------------ */

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

/* 768 digits decide how any decimal rounds to a double; the digits after
 * them matter only in being zero or not. */
enum { DIGITS_MAX = 768, EXPONENT_MAX = 99999 };

/* A number as digits and a power of ten: bounded however long it is written. */
struct long_decimal {
    bool negative, more; /* more: digits that are not zero were left out */
    char digits[DIGITS_MAX];
    size_t count;
    int64_t exponent;
};

static void add_digit(struct long_decimal *d, uint8_t digit, bool fraction)
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

static struct long_decimal long_decimal_of(struct ras_bytes text)
{
    struct long_decimal d;
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
static bool small_real(const struct long_decimal *d, double *value)
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
    struct long_decimal d = long_decimal_of(token->span);
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
