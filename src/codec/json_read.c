/* json_read.c - the tokenizer: the grammar of RFC 8259 and nothing beyond it. */
#include "codec/json_read.h"
#include "base/digits.h"
#include "codec/json_scan.h"
#include "codec/utf8.h"

/* What the grammar allows where the reader stands. */
enum want {
    WANT_VALUE,
    WANT_ITEM_OR_END,
    WANT_KEY,
    WANT_KEY_OR_END,
    WANT_COMMA_OR_END,
};

/* The first fault stays, and an empty reader makes it stick. JSON_BAD is zero:
 * functions that return bool return it as false. */
static enum json_kind bad(struct json_read *in, enum json_fault fault, const uint8_t *at,
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

static enum json_kind cut(struct json_read *in, const char *why)
{
    return bad(in, JSON_SHORT, in->end, why);
}

static enum json_kind invalid(struct json_read *in, const uint8_t *at, const char *why)
{
    return bad(in, JSON_INVALID, at, why);
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
static bool escape(struct json_read *in)
{
    const uint8_t *from = in->at++;
    if (in->at == in->end)
        return cut(in, "text ends inside a string");
    uint8_t letter = *in->at++;
    if (letter != 'u') {
        if (memchr("\"\\/bfnrt", letter, 8))
            return true;
        return invalid(in, from, "unknown escape in a string");
    }
    for (int i = 0; i < 4; i++, in->at++) {
        if (in->at == in->end)
            return cut(in, "text ends inside a string");
        if (hex_digit(*in->at) < 0)
            return invalid(in, from, "\\u without four hexadecimal digits");
    }
    return true;
}

/* The string whose quote is at in->at. False: fault. */
static bool string(struct json_read *in, struct json_token *token)
{
    const uint8_t *from = ++in->at;
    bool ascii = true;
    token->escaped = false;
    for (;;) {
        in->at = json_plain_run(in->at, in->end);
        if (in->at == in->end)
            return cut(in, "text ends inside a string");
        if (*in->at == '"')
            break;
        if (*in->at < 0x20)
            return invalid(in, in->at, "control character in a string");
        if (*in->at >= 0x80) {
            ascii = false;
            while (in->at < in->end && *in->at >= 0x80)
                in->at++;
            continue;
        }
        token->escaped = true;
        if (!escape(in))
            return false;
    }
    token->span = (struct ras_bytes){from, (size_t)(in->at - from)};
    struct utf8_fault fault;
    if (!ascii && !utf8_check(token->span.at, token->span.len, &fault))
        return invalid(in, from + fault.at, "string is not UTF-8");
    in->at++;
    return true;
}

/* ---- numbers and names -------------------------------------------------- */

/* One digit at least. False: fault. */
static bool digits(struct json_read *in)
{
    if (in->at == in->end)
        return cut(in, "text ends inside a number");
    if (*in->at < '0' || *in->at > '9')
        return invalid(in, in->at, "number lacks a digit");
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9')
        in->at++;
    return true;
}

static bool at_byte(const struct json_read *in, uint8_t a, uint8_t b)
{
    return in->at < in->end && (*in->at == a || *in->at == b);
}

static enum json_kind number(struct json_read *in, struct json_token *token)
{
    const uint8_t *from = in->at;
    in->at += *in->at == '-';
    const uint8_t *first = in->at;
    if (!digits(in))
        return JSON_BAD;
    if (*first == '0' && in->at - first > 1)
        return invalid(in, first, "number with a leading zero");
    token->integer = true;
    if (at_byte(in, '.', '.')) {
        token->integer = false;
        in->at++;
        if (!digits(in))
            return JSON_BAD;
    }
    if (at_byte(in, 'e', 'E')) {
        token->integer = false;
        in->at++;
        in->at += at_byte(in, '+', '-');
        if (!digits(in))
            return JSON_BAD;
    }
    token->span = (struct ras_bytes){from, (size_t)(in->at - from)};
    return JSON_NUMBER;
}

static enum json_kind name(struct json_read *in, struct json_token *token, const char *literal,
                           enum json_kind kind)
{
    const uint8_t *from = in->at;
    for (; *literal; literal++, in->at++) {
        if (in->at == in->end)
            return cut(in, "text ends inside true, false or null");
        if (*in->at != (uint8_t)*literal)
            return invalid(in, from, "unknown word");
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
        return invalid(in, in->at, "nested deeper than 512");
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

static enum json_kind key(struct json_read *in, struct json_token *token)
{
    if (*in->at != '"')
        return invalid(in, in->at, "key is not a string");
    if (!string(in, token))
        return JSON_BAD;
    skip_white(in);
    if (in->at == in->end)
        return cut(in, "text ends after a key");
    if (*in->at != ':')
        return invalid(in, in->at, "no colon after a key");
    in->at++;
    in->want = WANT_VALUE;
    return JSON_KEY;
}

static enum json_kind value(struct json_read *in, struct json_token *token)
{
    in->want = WANT_COMMA_OR_END;
    switch (*in->at) {
    case '{':
    case '[':
        return open_container(in, token);
    case '"':
        return string(in, token) ? JSON_STRING : JSON_BAD;
    case 't':
        return name(in, token, "true", JSON_BOOL);
    case 'f':
        return name(in, token, "false", JSON_BOOL);
    case 'n':
        return name(in, token, "null", JSON_NULL);
    case 0xef:
        if (in->at == in->start)
            return invalid(in, in->at, "byte order mark");
        break;
    default:
        if (*in->at == '-' || (*in->at >= '0' && *in->at <= '9'))
            return number(in, token);
    }
    return invalid(in, in->at, "no value where one should be");
}

/* Behind the value, or at the end of the text too early. */
static enum json_kind end_of_text(struct json_read *in)
{
    if (in->fault != JSON_FINE)
        return JSON_BAD;
    if (in->depth)
        return cut(in, in_object(in) ? "text ends inside an object" : "text ends inside an array");
    if (in->want == WANT_VALUE)
        return cut(in, "no value");
    return JSON_END;
}

static enum json_kind next(struct json_read *in, struct json_token *token)
{
    skip_white(in);
    if (in->at == in->end)
        return end_of_text(in);
    if (in->want == WANT_COMMA_OR_END && !in->depth)
        return invalid(in, in->at, "content after the value");
    if (in->want != WANT_VALUE && in->want != WANT_KEY && *in->at == (in_object(in) ? '}' : ']'))
        return close_container(in, token);
    if (in->want == WANT_COMMA_OR_END) {
        if (*in->at != ',')
            return invalid(in, in->at, "no comma between two values");
        in->at++;
        in->want = in_object(in) ? WANT_KEY : WANT_VALUE;
        skip_white(in);
        if (in->at == in->end)
            return end_of_text(in);
    }
    return in->want == WANT_KEY || in->want == WANT_KEY_OR_END ? key(in, token) : value(in, token);
}

enum json_kind json_read_next(struct json_read *in, struct json_token *token)
{
    token->span = (struct ras_bytes){in->at, 0};
    token->kind = next(in, token);
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
