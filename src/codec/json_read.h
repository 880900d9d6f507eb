/* json_read.h - pull tokens out of JSON text (RFC 8259), strictly.
 *
 * No allocation, no recursion, nesting up to 512. Strings and numbers are
 * spans of the input, kept as written until a helper converts them.
 * The first fault sticks. Not accepted: a byte order mark, comments, trailing
 * commas, NaN, anything but white space after the value, text that is not
 * UTF-8. Duplicate keys are left to the caller. */
#ifndef CODEC_JSON_READ_H
#define CODEC_JSON_READ_H

#include "base/in.h"

enum json_kind {
    JSON_BAD, /* a fault, now or before */
    JSON_END, /* the value was whole and nothing follows */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_KEY, /* its value is next */
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_OBJECT,
    JSON_OBJECT_END,
};

enum json_fault {
    JSON_FINE,
    JSON_SHORT,   /* the text ends too early: a longer one might go on */
    JSON_INVALID, /* no text that starts so is JSON */
};

enum { JSON_DEPTH_MAX = 512 };

struct json_read {
    const uint8_t *at, *end, *start;
    enum json_fault fault;
    size_t fault_at; /* offset of the offending byte */
    const char *why; /* static, "" while fine */
    unsigned depth;
    int want;                              /* what the grammar allows next; private */
    uint64_t objects[JSON_DEPTH_MAX / 64]; /* a bit per level: object or array */
};

struct json_token {
    enum json_kind kind;
    bool truth;            /* JSON_BOOL */
    bool escaped;          /* JSON_STRING, JSON_KEY: the span holds escapes */
    bool integer;          /* JSON_NUMBER: neither fraction nor exponent */
    struct ras_bytes span; /* as written; of strings and keys, without the quotes */
};

struct json_read json_read_bytes(struct ras_bytes in);

/* The next token; returns its kind. */
enum json_kind json_read_next(struct json_read *in, struct json_token *token);

/* Skip what the token begins: an object or array to its end, a key with
 * its value; other tokens need nothing. False: fault. */
bool json_read_skip(struct json_read *in, const struct json_token *token);

/* The same, and the text that was skipped. Empty: fault. */
struct ras_bytes json_read_value(struct json_read *in, const struct json_token *token);

static inline size_t json_read_offset(const struct json_read *in)
{
    return (size_t)(in->at - in->start);
}

/* "object", "string", ... for messages. */
const char *json_kind_name(enum json_kind kind);

/* The text of a string or key, escapes resolved, as *len bytes of UTF-8 without
 * a terminator; NUL can be among them. It is never longer than the span, and
 * `room` must be at least that. False: half of a surrogate pair, which is a
 * fault and cannot be UTF-8. */
bool json_read_text(struct json_read *in, const struct json_token *token, void *out, size_t room,
                    size_t *len);

/* The same for any bytes, the inverse of json_put_string(): \udc80 .. \udcff alone are
 * bytes that are not UTF-8. `out` has room for the span. False: another lone surrogate. */
bool json_bytes_of(const struct json_token *token, void *out, size_t *len);

/* Is the string or key this text, escapes resolved? */
bool json_text_is(const struct json_token *token, const char *text, size_t len);

#define JSON_IS(token, literal) json_text_is((token), "" literal, sizeof(literal) - 1)

/* The exact value of a number. False: not a number, not written as an integer,
 * or out of range. */
bool json_u64_of(const struct json_token *token, uint64_t *value);
bool json_i64_of(const struct json_token *token, int64_t *value);
/* The nearest double of any number. False: not a number, or beyond all doubles. */
bool json_f64_of(const struct json_token *token, double *value);
#endif
