/* cdt_frida_value.c - scalars out of a line of JSON, and what lies between them. */
#include "codec/json_read.h"
#include "codec/utf8.h"
#include "formats/cdt/cdt_frida_json.h"

/* ---- text --------------------------------------------------------------------- */

/* The slow way, from the opening quote on: escapes, UTF-8. The span of a text without
 * escapes is the line's. */
static const uint8_t *any_text(struct frida_in *d, const uint8_t *p, struct ras_bytes *out)
{
    struct json_read in = json_read_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    struct json_token token;
    if (json_read_next(&in, &token) == JSON_BAD) {
        if (in.fault == JSON_SHORT)
            return frida_malformed(d, d->end, "");
        const uint8_t *at = p + in.fault_at;
        return frida_malformed(d, at, *at < 0x80 ? "invalid character" : "invalid UTF-8");
    }
    *out = token.span;
    if (!token.escaped)
        return in.at;
    uint8_t *room = arena_take(d->arena, token.span.len);
    if (!room)
        return frida_no_memory(d);
    const uint8_t *next = in.at;
    if (!json_read_text(&in, &token, room, token.span.len, &out->len))
        return frida_malformed(d, token.span.at, "invalid utf-16 surrogate pair");
    out->at = room;
    return next;
}

const uint8_t *frida_text(struct frida_in *d, const uint8_t *p, bool null, struct ras_bytes *out)
{
    if (*p != '"')
        return frida_expected(d, p, "str", null);
    const uint8_t *stop = json_plain_run(p + 1, d->end + JSON_PADDING);
    if (*stop != '"')
        return any_text(d, p, out);
    *out = (struct ras_bytes){p + 1, (size_t)(stop - p - 1)};
    return stop + 1;
}

/* ---- numbers -------------------------------------------------------------------- */

static struct json_token token_of(const uint8_t *p, const uint8_t *end, bool integer)
{
    return (struct json_token){
        .kind = JSON_NUMBER, .integer = integer, .span = {p, (size_t)(end - p)}};
}

static bool is_number(const uint8_t *p)
{
    return json_digit(*p) || *p == '-';
}

const uint8_t *frida_int(struct frida_in *d, const uint8_t *p, bool null, bool loose,
                         struct ras_cdt_int *out)
{
    struct json_number n;
    const uint8_t *fault, *end = is_number(p) ? json_number(p, &n, &fault) : NULL;
    if (!is_number(p))
        return frida_expected(d, p, "int", null);
    if (!end)
        return frida_malformed(d, fault, "invalid number");
    if (!n.integer)
        return frida_expected(d, p, "int", null);
    out->wide = false;
    if (n.exact && n.digits <= INT64_MAX) {
        out->value = n.negative ? -(int64_t)n.digits : (int64_t)n.digits;
        return end;
    }
    const struct json_token token = token_of(p, end, true);
    uint64_t value;
    if (json_i64_of(&token, &out->value))
        return end;
    out->wide = json_u64_of(&token, &value);
    if (!out->wide && !loose)
        return frida_bad(d, p, "Integer beyond 64 bits");
    out->value = out->wide ? (int64_t)value : n.negative ? INT64_MIN : INT64_MAX;
    return end;
}

const uint8_t *frida_float(struct frida_in *d, const uint8_t *p, bool null, double *out)
{
    struct json_number n;
    const uint8_t *fault, *end = is_number(p) ? json_number(p, &n, &fault) : NULL;
    if (!is_number(p))
        return frida_expected(d, p, "float", null);
    if (!end)
        return frida_malformed(d, fault, "invalid number");
    if (!n.exact || !decimal_f64(n.digits, n.exponent, out)) {
        const struct json_token token = token_of(p, end, n.integer);
        return json_f64_of(&token, out) ? end : frida_bad(d, p, "Number out of range");
    }
    /* -0 is an int, and so zero has no sign; -0.0 has. */
    if (n.negative && (n.digits || !n.integer))
        *out = -*out;
    return end;
}

const uint8_t *frida_bool(struct frida_in *d, const uint8_t *p, bool null, bool *out)
{
    *out = load_u32(p) == 0x65757274; /* "true" */
    if (*out)
        return p + 4;
    return load_u32(p) == 0x736c6166 && p[4] == 'e' ? p + 5 : frida_expected(d, p, "bool", null);
}

/* ---- between values --------------------------------------------------------------- */

const uint8_t *frida_skip(struct frida_in *d, const uint8_t *p)
{
    struct json_number n;
    const uint8_t *fault, *end;
    if (*p == '"') {
        end = json_plain_run(p + 1, d->end + JSON_PADDING);
        if (*end == '"')
            return end + 1;
    }
    if (is_number(p) && (end = json_number(p, &n, &fault)))
        return end;
    struct json_read in = json_read_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    struct json_token token;
    json_read_next(&in, &token);
    if (json_read_skip(&in, &token))
        return in.at;
    return frida_malformed(d, in.fault == JSON_SHORT ? d->end : p + in.fault_at,
                           "invalid character");
}

const uint8_t *frida_next(struct frida_in *d, const uint8_t *p, char close, bool *more)
{
    p = json_white(p);
    *more = *p == ',';
    if (*p == (uint8_t)close)
        return p + 1;
    if (!*more)
        return frida_malformed(d, p, "invalid character");
    const uint8_t *next = json_white(p + 1);
    if (*next == (uint8_t)close)
        return frida_malformed(
            d, next, close == '}' ? "trailing comma in object" : "trailing comma in array");
    return next;
}

const uint8_t *frida_key(struct frida_in *d, const uint8_t *p, struct ras_bytes *key)
{
    if (*p != '"')
        return frida_malformed(d, p, "object keys must be strings");
    p = frida_text(d, p, false, key);
    if (!p)
        return NULL;
    p = json_white(p);
    return *p == ':' ? json_white(p + 1) : frida_malformed(d, p, "expected ':'");
}
