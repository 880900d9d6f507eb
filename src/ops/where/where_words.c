/* where_words.c - the tokens of an expression: words, numbers, symbols. */
#include "base/in.h"
#include "codec/json_read.h"
#include "ops/where/where_tree.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *text;
    enum where_word word;
} words[] = {
    {"and", WORD_AND}, {"or", WORD_OR},           {"not", WORD_NOT},   {"in", WORD_IN},
    {"is", WORD_IS},   {"missing", WORD_MISSING}, {"null", WORD_NULL}, {"true", WORD_TRUE},
    {"has", WORD_HAS}, {"false", WORD_FALSE},
};

/* Longer symbols before their prefixes. */
static const struct {
    const char *text;
    enum where_word word;
} signs[] = {
    {"==", WORD_EQ},     {"!=", WORD_NE},   {"<=", WORD_LE},  {">=", WORD_GE},
    {"!~", WORD_UNLIKE}, {"..", WORD_TO},   {"&&", WORD_AND}, {"||", WORD_OR},
    {"<", WORD_LT},      {">", WORD_GT},    {"~", WORD_LIKE}, {"!", WORD_NOT},
    {"(", WORD_OPEN},    {")", WORD_CLOSE}, {"[", WORD_LIST}, {"]", WORD_LIST_END},
    {",", WORD_COMMA},   {".", WORD_DOT},
};

size_t where_column(const struct where_lexer *x, const char *at)
{
    size_t column = 1;
    for (const char *p = x->start; p < at; p++)
        column += ((uint8_t)*p & 0xc0) != 0x80;
    return column;
}

bool where_wrong(struct where_lexer *x, const char *at, const char *fmt, ...)
{
    char text[200];
    va_list args;
    if (x->status < 0)
        return false;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    x->status = fail(x->err, RAS_EUSAGE, RAS_NONE, "column %zu: %s", where_column(x, at), text);
    return false;
}

static bool no_memory(struct where_lexer *x)
{
    if (x->status == RAS_OK)
        x->status = fail_memory(x->err);
    return false;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (uint8_t)c >= 0x80;
}

/* ---- names -------------------------------------------------------------------------- */

static void set_text(struct where_token *t, enum ras_kind kind, const void *at, size_t len)
{
    t->value = (struct ras_value){.kind = (uint8_t)kind, .count = (uint32_t)len};
    t->value.at = at;
}

static bool name(struct where_lexer *x)
{
    struct where_token *t = &x->token;
    while (is_name(*x->at))
        x->at++;
    t->len = (size_t)(x->at - t->at);
    t->word = WORD_NAME;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].text) == t->len && !memcmp(words[i].text, t->at, t->len))
            t->word = words[i].word;
    set_text(t, RAS_STR, t->at, t->len);
    if (t->word != WORD_NAME)
        return true;
    bool nan = t->len == 3 && !memcmp(t->at, "NaN", 3);
    if (nan || (t->len == 8 && !memcmp(t->at, "Infinity", 8))) {
        t->word = WORD_NUMBER;
        t->value = (struct ras_value){.kind = RAS_F64, .f64 = nan ? (double)NAN : (double)INFINITY};
    }
    return true;
}

static bool quoted_name(struct where_lexer *x)
{
    const char *end = strchr(x->at + 1, '`');
    if (!end)
        return where_wrong(x, x->at, "the ` is not closed");
    set_text(&x->token, RAS_STR, x->at + 1, (size_t)(end - x->at - 1));
    x->token.word = WORD_QUOTED;
    x->at = end + 1;
    return true;
}

/* ---- strings ------------------------------------------------------------------------- */

static size_t put_utf8(uint8_t *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3f));
        return 2;
    }
    out[0] = (uint8_t)(0xe0 | c >> 12);
    out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    out[2] = (uint8_t)(0x80 | (c & 0x3f));
    return 3;
}

/* The escape after a backslash; its length, 0: it is invalid. */
static size_t escape(struct where_lexer *x, uint8_t *out)
{
    static const char from[] = "nrt0\\\"'", to[] = "\n\r\t\0\\\"'";
    const char *at = x->at++, *found = *x->at ? strchr(from, *x->at) : NULL;
    if (found) {
        x->at++;
        out[0] = (uint8_t)to[found - from];
        return 1;
    }
    unsigned digits = *x->at == 'x' ? 2 : *x->at == 'u' ? 4 : 0;
    uint32_t c = 0;
    for (unsigned i = 0; i < digits; i++) {
        if (hex_digit((uint8_t)x->at[i + 1]) < 0)
            digits = 0;
        else
            c = c << 4 | (uint32_t)hex_digit((uint8_t)x->at[i + 1]);
    }
    if (!digits) {
        where_wrong(x, at,
                    "unknown escape; there are: \\n \\r \\t \\0 \\\\ \\\" \\' \\xNN \\uNNNN");
        return 0;
    }
    x->at += digits + 1;
    if (digits == 4)
        return put_utf8(out, c);
    out[0] = (uint8_t)c;
    return 1;
}

/* The bytes up to the quote that closes them, or to the end. */
static size_t quoted_size(const char *at, char quote)
{
    const char *p = at;
    while (*p && *p != quote)
        p += *p == '\\' && p[1] ? 2 : 1;
    return (size_t)(p - at);
}

static bool string(struct where_lexer *x)
{
    char quote = *x->at++;
    const char *open = x->token.at;
    uint8_t *text = arena_take(x->arena, quoted_size(x->at, quote) + 1); /* escapes are longer */
    size_t len = 0, n;
    if (!text)
        return no_memory(x);
    while (*x->at && *x->at != quote) {
        if (*x->at != '\\')
            text[len++] = (uint8_t)*x->at++;
        else if ((n = escape(x, text + len)))
            len += n;
        else
            return false;
    }
    if (!*x->at)
        return where_wrong(x, open, "the %c is not closed", quote);
    x->at++;
    x->token.word = WORD_TEXT;
    set_text(&x->token, RAS_STR, text, len);
    return true;
}

/* x'00ff' */
static bool bytes(struct where_lexer *x)
{
    char quote = x->at[1];
    x->at += 2;
    uint8_t *out = arena_take(x->arena, quoted_size(x->at, quote) / 2 + 1);
    size_t len = 0;
    if (!out)
        return no_memory(x);
    while (*x->at && *x->at != quote) {
        int high = hex_digit((uint8_t)x->at[0]), low = high < 0 ? -1 : hex_digit((uint8_t)x->at[1]);
        if (low < 0)
            return where_wrong(x, x->at, "bytes are pairs of hexadecimal digits");
        out[len++] = (uint8_t)(high << 4 | low);
        x->at += 2;
    }
    if (!*x->at)
        return where_wrong(x, x->token.at, "the %c is not closed", quote);
    x->at++;
    x->token.word = WORD_BYTES;
    set_text(&x->token, RAS_BLOB, out, len);
    return true;
}

/* ---- numbers ------------------------------------------------------------------------- */

static const char *digits(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

/* Report a number with an invalid rest. */
static bool bad_number(struct where_lexer *x)
{
    const char *end = x->token.at + 1;
    while (is_name(*end))
        end++;
    return where_wrong(x, x->token.at, "'%.*s' is not a valid number",
                       (int)(end - x->token.at > 40 ? 40 : end - x->token.at), x->token.at);
}

static bool hexadecimal(struct where_lexer *x)
{
    uint64_t value = 0;
    const char *p = x->at + 2;
    for (; hex_digit((uint8_t)*p) >= 0; p++) {
        if (value >> 60)
            return where_wrong(x, x->at, "the number does not fit 64 bits");
        value = value << 4 | (uint64_t)hex_digit((uint8_t)*p);
    }
    if (p == x->at + 2 || is_name(*p))
        return bad_number(x);
    x->at = p;
    x->token.value = (struct ras_value){.kind = RAS_UINT, .u = value};
    return true;
}

/* Digits of a year, a month and a day: ISO 8601. */
static const char *date_end(const char *p)
{
    for (unsigned i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? p[i] != '-' : !isdigit((unsigned char)p[i]))
            return NULL;
    p += 10;
    if (*p == 'T')
        for (p++; isdigit((unsigned char)*p) || *p == ':' ||
                  (*p == '.' && isdigit((unsigned char)p[1]));)
            p++;
    if (*p == 'Z')
        return p + 1;
    return strncmp(p, "+00:00", 6) ? p : p + 6;
}

/* The text of a time, which only a trace can resolve. */
static bool time_word(struct where_lexer *x, const char *end)
{
    char *copy = arena_take(x->arena, (size_t)(end - x->at) + 1);
    if (!copy)
        return no_memory(x);
    snprintf(copy, (size_t)(end - x->at) + 1, "%s", x->at);
    set_text(&x->token, RAS_STR, copy, (size_t)(end - x->at));
    x->token.word = WORD_TIME;
    x->at = end;
    return true;
}

/* 12.5ms: it does not depend on the trace. */
static bool duration(struct where_lexer *x, const char *end)
{
    struct ras_error err;
    if (!time_word(x, end))
        return false;
    x->token.word = WORD_NUMBER;
    x->token.value = (struct ras_value){.kind = RAS_UINT};
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(end - x->token.at > 60 ? 60 : end - x->token.at),
             x->token.at);
    if (ras_time_parse(NULL, text, &x->token.value.u, &err) < 0)
        return where_wrong(x, x->token.at, "%s", err.text);
    return true;
}

static bool plain_number(struct where_lexer *x, const char *end, bool integer)
{
    struct json_token t = {.kind = JSON_NUMBER,
                           .integer = integer,
                           .span = {(const uint8_t *)x->at, (size_t)(end - x->at)}};
    struct ras_value *v = &x->token.value;
    x->at = end;
    *v = (struct ras_value){.kind = RAS_UINT};
    if (integer && json_u64_of(&t, &v->u))
        return true;
    v->kind = RAS_INT;
    if (integer && json_i64_of(&t, &v->i))
        return true;
    v->kind = RAS_F64;
    if (!integer && json_f64_of(&t, &v->f64))
        return true;
    return where_wrong(x, x->token.at, "the number does not fit 64 bits");
}

static bool number(struct where_lexer *x)
{
    bool negative = *x->at == '-', integer = true;
    const char *first = x->at + (negative || *x->at == '+'), *p = digits(first);
    x->token.word = WORD_NUMBER;
    if (negative && !strncmp(first, "Infinity", 8) && !is_name(first[8])) {
        x->at = first + 8;
        x->token.value = (struct ras_value){.kind = RAS_F64, .f64 = -(double)INFINITY};
        return true;
    }
    if (p == first)
        return where_wrong(x, x->at, "'%c' is not followed by a number", *x->at);
    if (first == x->at && *first == '0' && (first[1] | 0x20) == 'x')
        return hexadecimal(x);
    if (first == x->at && date_end(first))
        return time_word(x, date_end(first));
    if (p[0] == '.' && isdigit((unsigned char)p[1])) {
        integer = false;
        p = digits(p + 1);
    }
    const char *exponent = p + 1 + (p[0] && (p[1] == '-' || p[1] == '+'));
    if ((*p | 0x20) == 'e' && isdigit((unsigned char)*exponent)) {
        integer = false;
        p = digits(exponent);
    }
    const char *unit = p;
    while (is_name(*p))
        p++;
    if (*x->at == '+')
        return time_word(x, p);
    if (p > unit)
        return negative ? bad_number(x) : duration(x, p);
    if (first[0] == '0' && isdigit((unsigned char)first[1]))
        return where_wrong(x, x->at, "a number must not begin with 0");
    return plain_number(x, p, integer);
}

/* ---- any of them ---------------------------------------------------------------------- */

static bool sign(struct where_lexer *x)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t len = strlen(signs[i].text);
        if (strncmp(x->at, signs[i].text, len) != 0)
            continue;
        x->token.word = signs[i].word;
        x->at += len;
        return true;
    }
    if (*x->at == '=')
        return where_wrong(x, x->at, "'=' is not an operator: write ==");
    if ((uint8_t)*x->at < 0x20)
        return where_wrong(x, x->at, "unexpected control character");
    return where_wrong(x, x->at, "unexpected '%c'", *x->at);
}

bool where_next(struct where_lexer *x)
{
    while (*x->at == ' ' || *x->at == '\t' || *x->at == '\n' || *x->at == '\r')
        x->at++;
    x->token = (struct where_token){.at = x->at};
    const char *p = x->at;
    bool fine;
    if (!*p)
        fine = true;
    else if (*p == '"' || *p == '\'')
        fine = string(x);
    else if (*p == 'x' && (p[1] == '"' || p[1] == '\''))
        fine = bytes(x);
    else if (*p == '`')
        fine = quoted_name(x);
    else if (isdigit((unsigned char)*p) || *p == '-' || *p == '+')
        fine = number(x);
    else
        fine = is_name(*p) ? name(x) : sign(x);
    x->token.len = (size_t)(x->at - x->token.at);
    return fine;
}
