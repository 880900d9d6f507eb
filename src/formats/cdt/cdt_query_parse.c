/* cdt_query_parse.c - the grammar of a query: scope, condition, operands; Python's literals, as
 * ast.literal_eval() reads them, and its float(). */
#include "codec/json_read.h"
#include "codec/utf8.h"
#include "formats/cdt/cdt_query.h"

#include <math.h>

enum { DEPTH_MOST = 32, NUMBER_MOST = 400 };

struct reader {
    const uint8_t *at, *end;
    struct document *doc;
    unsigned depth;
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static void skip_spaces(struct reader *r)
{
    while (r->at < r->end && query_space(*r->at))
        r->at++;
}

static bool literal_take(struct reader *r, uint8_t c)
{
    skip_spaces(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* ---- numbers ----------------------------------------------------------------- */

/* Digits with single underscores between them; returns them without underscores. */
static size_t take_digits(const uint8_t **at, const uint8_t *end, char *to, size_t n)
{
    const uint8_t *p = *at;
    while (p < end && n < NUMBER_MOST) {
        bool joint = *p == '_' && p > *at && is_digit(p[-1]) && p + 1 < end && is_digit(p[1]);
        if (!is_digit(*p) && !joint)
            break;
        if (!joint)
            to[n++] = (char)*p;
        p++;
    }
    *at = p;
    return n;
}

/* A decimal as in JSON: a digit before the point and one after it. *real: it has a point or an
 * exponent; *zeros: it has digits after a leading zero. 0: not a decimal. */
static size_t take_decimal(const uint8_t **at, const uint8_t *end, char *to, bool *real,
                           bool *zeros)
{
    const uint8_t *p = *at;
    size_t n = take_digits(&p, end, to, 0), lead = 0;
    size_t whole = n;
    while (lead + 1 < n && to[lead] == '0')
        lead++;
    *zeros = lead > 0;
    memmove(to, to + lead, n - lead);
    n -= lead;
    if (!n)
        to[n++] = '0';
    *real = p < end && *p == '.';
    if (*real) {
        p++;
        to[n++] = '.';
        size_t before = n;
        n = take_digits(&p, end, to, n);
        if (n == before && !whole)
            return 0;
        if (n == before)
            to[n++] = '0';
    } else if (!whole) {
        return 0;
    }
    if (p < end && (*p | 32) == 'e') {
        const uint8_t *q = p + 1;
        size_t m = n;
        to[m++] = 'e';
        if (q < end && (*q == '+' || *q == '-'))
            to[m++] = (char)*q++;
        size_t before = m;
        m = take_digits(&q, end, to, m);
        if (m > before) {
            *real = true;
            p = q;
            n = m;
        }
    }
    *at = p;
    return n;
}

static double value_of(const char *text, size_t len)
{
    struct json_token token = {.kind = JSON_NUMBER, .span = {(const uint8_t *)text, len}};
    double value;
    return json_f64_of(&token, &value) ? value : (double)INFINITY;
}

static bool word_is(struct ras_bytes t, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n && t.len == n; i++)
        if ((t.at[i] | 32) != word[i])
            return false;
    return t.len == n;
}

bool python_float(struct ras_bytes text, double *value)
{
    char digits[NUMBER_MOST + 16];
    const uint8_t *at = text.at, *end = text.at + text.len;
    while (at < end && query_space(*at))
        at++;
    while (end > at && query_space(end[-1]))
        end--;
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    struct ras_bytes rest = {at, (size_t)(end - at)};
    bool real, zeros;
    if (word_is(rest, "inf") || word_is(rest, "infinity")) {
        *value = (double)INFINITY;
    } else if (word_is(rest, "nan")) {
        *value = (double)NAN;
    } else {
        size_t n = take_decimal(&at, end, digits, &real, &zeros);
        if (!n || at != end)
            return false;
        *value = value_of(digits, n);
    }
    *value = minus ? -*value : *value;
    return true;
}

static int digit_of(uint8_t c)
{
    return is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
}

/* 0x1f, 0o17, 0b1: the digits after the letter. */
static bool read_based(struct reader *r, int base, bool minus)
{
    uint64_t value = 0;
    double wide = 0;
    bool over = false, any = false;
    const uint8_t *p = r->at + 2;
    for (; p < r->end; p++) {
        if (*p == '_' && p + 1 < r->end && digit_of(p[1]) < base)
            continue;
        int digit = digit_of(*p);
        if (digit >= base)
            break;
        any = true;
        wide = wide * base + digit;
        over |= __builtin_mul_overflow(value, (uint64_t)base, &value) ||
                __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    r->at = p;
    if (over)
        document_f64(r->doc, minus ? -wide : wide);
    else if (!minus && value > INT64_MAX)
        document_uint(r->doc, value);
    else if (minus && value > INT64_MAX)
        document_f64(r->doc, -wide);
    else
        document_int(r->doc, minus ? -(int64_t)value : (int64_t)value);
    return any;
}

static void put_integer(struct document *d, const char *digits, size_t n, bool minus)
{
    char text[NUMBER_MOST + 16];
    text[0] = '-';
    memcpy(text + 1, digits, n);
    struct json_token token = {
        .kind = JSON_NUMBER, .integer = true, .span = {(const uint8_t *)text + !minus, n + minus}};
    int64_t i;
    uint64_t u;
    if (json_i64_of(&token, &i))
        document_int(d, i);
    else if (json_u64_of(&token, &u))
        document_uint(d, u);
    else
        document_f64(d, minus ? -value_of(digits, n) : value_of(digits, n));
}

static bool read_number(struct reader *r)
{
    char digits[NUMBER_MOST + 16];
    bool minus = *r->at == '-', real, zeros;
    if (*r->at == '-' || *r->at == '+') {
        r->at++;
        skip_spaces(r);
    }
    if (r->end - r->at > 2 && *r->at == '0') {
        uint8_t letter = r->at[1] | 32;
        int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
        if (base)
            return read_based(r, base, minus);
    }
    size_t n = take_decimal(&r->at, r->end, digits, &real, &zeros);
    if (!n || (!real && zeros && digits[0] != '0'))
        return false; /* 007 is not a number there; 0.5, 00 and 007.0 are */
    if (real)
        document_f64(r->doc, minus ? -value_of(digits, n) : value_of(digits, n));
    else
        put_integer(r->doc, digits, n, minus);
    return true;
}

/* ---- strings ----------------------------------------------------------------- */

static void put_point(struct out *out, uint32_t c)
{
    if (c < 0x80) {
        out_byte(out, (uint8_t)c);
        return;
    }
    unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    out_byte(out, (uint8_t)(lead[more] | c >> 6 * more));
    while (more--)
        out_byte(out, (uint8_t)(0x80 | (c >> 6 * more & 0x3f)));
}

static bool read_digits(struct reader *r, unsigned most, unsigned least, int base, uint32_t *value)
{
    unsigned n = 0;
    *value = 0;
    for (; n < most && r->at < r->end && digit_of(*r->at) < base; n++)
        *value = *value * (uint32_t)base + (uint32_t)digit_of(*r->at++);
    return n >= least;
}

/* After a backslash. */
static bool read_escape(struct reader *r, struct out *out)
{
    static const char letters[] = "abfnrtv\\'\"", meant[] = "\a\b\f\n\r\t\v\\'\"";
    uint8_t c = *r->at++;
    uint32_t value;
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        out_byte(out, (uint8_t)meant[found - letters]);
    } else if (c >= '0' && c <= '7') {
        r->at--;
        (void)read_digits(r, 3, 1, 8, &value);
        put_point(out, value);
    } else if (c == 'x' || c == 'u' || c == 'U') {
        unsigned size = c == 'x' ? 2 : c == 'u' ? 4 : 8;
        if (!read_digits(r, size, size, 16, &value) || value > 0x10ffff)
            return false;
        put_point(out, value);
    } else if (c == 'N') {
        return false; /* a character by its name */
    } else if (c != '\n') {
        out_byte(out, '\\');
        out_byte(out, c);
    }
    return true;
}

static bool read_quoted(struct reader *r, bool raw, struct out *out)
{
    uint8_t quote = *r->at;
    bool three = r->end - r->at >= 3 && r->at[1] == quote && r->at[2] == quote;
    r->at += three ? 3 : 1;
    while (r->at < r->end) {
        if (*r->at == quote &&
            (!three || (r->end - r->at >= 3 && r->at[1] == quote && r->at[2] == quote))) {
            r->at += three ? 3 : 1;
            return true;
        }
        uint8_t c = *r->at++;
        if (c == '\n' && !three)
            return false;
        if (c != '\\' || r->at == r->end) {
            out_byte(out, c);
        } else if (raw) {
            out_byte(out, c);
            out_byte(out, *r->at++);
        } else if (!read_escape(r, out)) {
            return false;
        }
    }
    return false;
}

static bool at_string(const struct reader *r, bool *raw, bool *bytes, unsigned *prefix)
{
    *raw = *bytes = false;
    for (*prefix = 0; *prefix < 3 && r->at + *prefix < r->end; ++*prefix) {
        uint8_t c = r->at[*prefix];
        if (c == '\'' || c == '"')
            return true;
        if ((c | 32) == 'r')
            *raw = true;
        else if ((c | 32) == 'b')
            *bytes = true;
        else if ((c | 32) != 'u')
            return false;
    }
    return false;
}

/* Adjacent strings are concatenated. */
static bool read_string(struct reader *r)
{
    struct out text = {0};
    bool raw, bytes, good = true, any_bytes = false;
    unsigned prefix;
    while (good && at_string(r, &raw, &bytes, &prefix)) {
        r->at += prefix;
        good = read_quoted(r, raw, &text);
        any_bytes |= bytes;
        skip_spaces(r);
    }
    good = good && !text.failed && utf8_check(text.at, text.len, NULL);
    r->doc->cells.nomem |= text.failed;
    if (good) {
        document_text(r->doc, text.at, text.len);
        if (any_bytes && !r->doc->cells.nomem)
            r->doc->cells.items[r->doc->cells.count - 1].kind = RAS_BLOB;
    }
    out_free(&text);
    return good;
}

/* ---- containers -------------------------------------------------------------- */

static bool read_value(struct reader *r);

/* Between braces the first item decides whether all are pairs: items are read once, however deep
 * they nest. */
static bool read_items(struct reader *r, uint8_t close, bool *pairs, size_t *count, bool *comma)
{
    *count = 0;
    *comma = false;
    *pairs = close == '}';
    while (!literal_take(r, close)) {
        if ((*count && !*comma) || !read_value(r))
            return false;
        if (*pairs && !literal_take(r, ':')) {
            if (*count)
                return false;
            *pairs = false;
        }
        if (*pairs && !read_value(r))
            return false;
        ++*count;
        *comma = literal_take(r, ',');
    }
    return true;
}

/* Values that equal nothing in a trace keep only their text. */
static void make_opaque(struct reader *r, size_t open, const uint8_t *start)
{
    document_cut(r->doc, open);
    document_text(r->doc, start, (size_t)(r->at - start));
    if (!r->doc->cells.nomem)
        r->doc->cells.items[r->doc->cells.count - 1].kind = RAS_BLOB;
}

static bool read_container(struct reader *r)
{
    const uint8_t *start = r->at;
    uint8_t c = *r->at++;
    size_t count, open = document_open(r->doc, c == '{' ? RAS_MAP : RAS_LIST);
    bool comma, pairs;
    bool good = read_items(r, c == '[' ? ']' : c == '{' ? '}' : ')', &pairs, &count, &comma);
    document_close(r->doc, open);
    if (!good || c == '[' || pairs)
        return good;
    if (c == '(' && count == 1 && !comma) { /* parentheses around one value */
        if (!r->doc->cells.nomem) {
            memmove(&r->doc->cells.items[open], &r->doc->cells.items[open + 1],
                    (r->doc->cells.count - open - 1) * sizeof *r->doc->cells.items);
            r->doc->cells.count--;
        }
        return true;
    }
    make_opaque(r, open, start);
    return true;
}

static bool read_name(struct reader *r)
{
    static const char *const names[] = {"None", "True", "False"};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(names[i]);
        if ((size_t)(r->end - r->at) < n || memcmp(r->at, names[i], n) != 0)
            continue;
        r->at += n;
        if (i)
            document_bool(r->doc, i == 1);
        else
            document_null(r->doc);
        return true;
    }
    return false;
}

static bool read_value(struct reader *r)
{
    bool raw, bytes;
    unsigned prefix;
    skip_spaces(r);
    if (r->at == r->end || r->depth == DEPTH_MOST || r->doc->cells.nomem)
        return false;
    r->depth++;
    uint8_t c = *r->at;
    bool good = c == '[' || c == '(' || c == '{'                  ? read_container(r)
                : at_string(r, &raw, &bytes, &prefix)             ? read_string(r)
                : is_digit(c) || c == '.' || c == '-' || c == '+' ? read_number(r)
                                                                  : read_name(r);
    r->depth--;
    return good;
}

/* A comma after the first value makes a tuple of all values, without parentheses. */
static bool read_more(struct reader *r)
{
    while (literal_take(r, ',')) {
        skip_spaces(r);
        if (r->at < r->end && *r->at != '#' && !read_value(r))
            return false;
    }
    return true;
}

static void put_opaque(struct document *doc, size_t open, const char *before, struct ras_bytes text)
{
    char all[4 + NUMBER_MOST];
    size_t n = text.len < NUMBER_MOST ? text.len : NUMBER_MOST, len = strlen(before);
    memcpy(all, before, len);
    memcpy(all + len, text.at, n);
    document_cut(doc, open);
    document_text(doc, all, len + n);
    if (!doc->cells.nomem)
        doc->cells.items[doc->cells.count - 1].kind = RAS_BLOB;
}

bool python_literal(struct ras_bytes text, struct document *doc)
{
    struct reader r = {text.at, text.at + text.len, doc, 0};
    size_t open = doc->cells.count;
    bool good = read_value(&r);
    skip_spaces(&r);
    if (good && r.at < r.end && *r.at == ',') {
        good = read_more(&r);
        put_opaque(doc, open, "(", text);
    }
    skip_spaces(&r);
    if (good && r.at < r.end && *r.at == '#') /* a comment */
        r.at = r.end;
    return good && r.at == r.end && !doc->cells.nomem;
}

/* ---- queries ----------------------------------------------------------------------------- */

static struct ras_bytes strip(struct ras_bytes t)
{
    while (t.len && query_space(t.at[t.len - 1]))
        t.len--;
    while (t.len && query_space(*t.at))
        t.at++, t.len--;
    return t;
}

static struct ras_bytes from(struct ras_bytes t, size_t n)
{
    return (struct ras_bytes){t.at + n, t.len - n};
}

static bool starts(struct ras_bytes t, const char *word)
{
    size_t n = strlen(word);
    return t.len >= n && !memcmp(t.at, word, n);
}

static size_t spaces(struct ras_bytes t)
{
    size_t n = 0;
    while (n < t.len && query_space(t.at[n]))
        n++;
    return n;
}

/* "ticks where " or "entities where ", then anything on the same line. */
static bool read_scope(struct ras_bytes text, bool *entities, struct ras_bytes *condition)
{
    size_t length = text.len;
    while (length && query_space(text.at[length - 1]))
        length--;
    struct ras_bytes t = from(text, spaces(text));
    *entities = starts(t, "entities");
    if (!*entities && !starts(t, "ticks"))
        return false;
    t = from(t, strlen(*entities ? "entities" : "ticks"));
    size_t gap = spaces(t);
    t = from(t, gap);
    if (!gap || !starts(t, "where"))
        return false;
    t = from(t, strlen("where"));
    gap = spaces(t);
    *condition = strip(from(t, gap));
    if (condition->len)
        return gap && !memchr(condition->at, '\n', condition->len);
    /* In a run of blanks one is the separator and another would be the condition. */
    return gap > 1;
}

/* Finds the leftmost operator that leaves something on both sides. */
static bool read_operator(struct ras_bytes condition, enum query_op *op, struct ras_bytes *sides)
{
    static const char *const names[] = {"==", "!=", ">=", "<=", ">", "<"};
    for (size_t i = 1; i < condition.len; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            struct ras_bytes rest = from(condition, i);
            if (!starts(rest, names[k]) || rest.len == strlen(names[k]))
                continue;
            *op = (enum query_op)k;
            sides[0] = strip((struct ras_bytes){condition.at, i});
            sides[1] = strip(from(rest, strlen(names[k])));
            return true;
        }
    return false;
}

static int read_operand(struct operand *o, struct ras_bytes text, struct ras_error *err)
{
    struct document *d = &o->literal;
    o->text = text;
    if (starts(text, "prev(") && text.at[text.len - 1] == ')') {
        o->kind = OPERAND_PREV;
        o->path = strip((struct ras_bytes){text.at + 5, text.len - 6});
        return o->path.len ? RAS_OK
                           : fail(err, RAS_EREFUSED, RAS_NONE, "empty prev(...) field path");
    }
    o->kind = OPERAND_LITERAL;
    if (word_is(text, "true") || word_is(text, "false"))
        document_bool(d, word_is(text, "true"));
    else if (word_is(text, "none") || word_is(text, "null"))
        document_null(d);
    else if (!python_literal(text, d)) {
        document_cut(d, 0);
        o->kind = OPERAND_FIELD;
        o->path = text;
    }
    return d->cells.nomem ? fail_memory(err) : RAS_OK;
}

int query_parse(struct query *q, const char *text, struct ras_error *err)
{
    struct ras_bytes all = {(const uint8_t *)text, strlen(text)}, condition, sides[2];
    *q = (struct query){0};
    if (!read_scope(all, &q->entities, &condition))
        return fail(err, RAS_EREFUSED, RAS_NONE,
                    "expression must start with 'ticks where ...' or 'entities where ...'");
    if (!read_operator(condition, &q->op, sides))
        return fail(err, RAS_EREFUSED, RAS_NONE,
                    "expression condition must use one of: == != >= <= > <");
    int status = read_operand(&q->operands[0], sides[0], err);
    return status < 0 ? status : read_operand(&q->operands[1], sides[1], err);
}

void query_free(struct query *q)
{
    document_free(&q->operands[0].literal);
    document_free(&q->operands[1].literal);
}
