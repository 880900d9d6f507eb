/* json_scan.h - runs of text and numbers of JSON, inline, for readers that know what
 * comes next.
 *
 * The text must be followed by a NUL, which ends every run, and by JSON_PADDING more
 * readable bytes: lengths are not checked. json_read.h reads any text. */
#ifndef CODEC_JSON_SCAN_H
#define CODEC_JSON_SCAN_H

#include "base/in.h"

enum { JSON_PADDING = 64 };

static inline const uint8_t *json_white(const uint8_t *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
        p++;
    return p;
}

/* A byte below n (n <= 0x80) or above 0x7f sets its high bit; so may bytes after
 * such a one. */
static inline uint64_t json_below_or_high(uint64_t word, uint64_t n)
{
    return ((word - n * 0x0101010101010101u) | word) & 0x8080808080808080u;
}

/* The first byte from `at` that ends a plain run: a quote, a backslash, a control
 * character or one that is not ASCII. */
static inline const uint8_t *json_plain_run(const uint8_t *at, const uint8_t *end)
{
    for (; end - at >= 8; at += 8) {
        uint64_t word = load_u64(at);
        uint64_t quote = word ^ 0x2222222222222222u, slash = word ^ 0x5c5c5c5c5c5c5c5cu;
        uint64_t stops = json_below_or_high(word, 0x20) | json_below_or_high(quote, 1) |
                         json_below_or_high(slash, 1);
        if (stops)
            return at + __builtin_ctzll(stops) / 8;
    }
    while (at < end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* digits * 10^exponent, as far as 19 digits go. */
struct json_number {
    uint64_t digits;
    int exponent;
    bool negative, integer;
    bool exact; /* nothing was left out, and an integer fits 64 bits */
};

static inline bool json_digit(uint8_t byte)
{
    return (uint8_t)(byte - '0') < 10;
}

/* Eight digits at once; false: they are not all digits. */
static inline bool json_eight_digits(const uint8_t *p, uint64_t *value)
{
    uint64_t word = load_u64(p), low = word - 0x3030303030303030u;
    if (((word + 0x4646464646464646u) | low) & 0x8080808080808080u)
        return false;
    low = low * 10 + (low >> 8);
    *value = ((low & 0x000000ff000000ffu) * 0x000f424000000064u +
              (low >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
             32;
    return true;
}

/* The digits from p on, appended to those of *n. Nineteen of them fit. */
static inline const uint8_t *json_digits(const uint8_t *p, struct json_number *n)
{
    uint64_t eight;
    while (json_eight_digits(p, &eight)) {
        n->digits = n->digits * 100000000 + eight;
        p += 8;
    }
    for (; json_digit(*p); p++)
        n->digits = n->digits * 10 + (uint64_t)(*p - '0');
    return p;
}

/* The number at p, which is a digit or a minus: where it ends. NULL: it is not a number;
 * *fault is where. */
static inline const uint8_t *json_number(const uint8_t *p, struct json_number *n,
                                         const uint8_t **fault)
{
    *n = (struct json_number){.negative = *p == '-', .integer = true, .exact = true};
    p += n->negative;
    const uint8_t *first = p, *fraction = NULL;
    p = json_digits(p, n);
    *fault = p;
    if (p == first || (*first == '0' && p - first > 1))
        return NULL;
    size_t count = (size_t)(p - first);
    if (*p == '.') {
        fraction = ++p;
        p = json_digits(p, n);
        *fault = p;
        if (p == fraction)
            return NULL;
        n->integer = false;
        n->exponent = (int)-(p - fraction);
        count += (size_t)(p - fraction);
    }
    /* Beyond nineteen digits only zeros in front are harmless. */
    for (const uint8_t *zero = first; count > 19 && (*zero == '0' || *zero == '.'); zero++)
        count -= *zero == '0';
    n->exact = count <= 19 && p - first < 1 << 20;
    if ((*p | 0x20) != 'e')
        return p;
    bool less = *++p == '-';
    p += *p == '-' || *p == '+';
    *fault = p;
    if (!json_digit(*p))
        return NULL;
    int written = 0;
    for (; json_digit(*p); p++)
        written = written < 100000 ? written * 10 + (*p - '0') : written;
    n->integer = false;
    n->exponent += less ? -written : written;
    return p;
}
#endif
