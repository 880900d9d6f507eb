/* json_python.c - values laid out as Python's json.dumps, repr and str do it. */
#include "codec/json_python.h"
#include "base/memory.h"
#include "codec/json_write.h"
#include "codec/number.h"
#include "codec/utf8.h"

#include <stdlib.h>

enum { DEPTH_MOST = 64 };

/* How a scalar is written: JSON and repr differ in these. */
struct python_words {
    const char *none, *yes, *no;
    void (*real)(struct out *, double, unsigned how);
    void (*text)(struct out *, const void *, size_t);
    void (*blob)(struct out *, const void *, size_t);
};

/* number.c writes floats as repr does; JSON has other words for NaN and infinity. */
static void dumps_float(struct out *out, double value, unsigned how)
{
    char text[NUMBER_TEXT_SIZE];
    size_t len = f64_text(text, value);
    bool minus = text[0] == '-';
    const char *word = text[minus] == 'n' ? "NaN" : text[minus] == 'i' ? "Infinity" : NULL;
    if (!word) {
        out_bytes(out, text, len);
        return;
    }
    const char *quote = how & JSON_NAN_QUOTED ? "\"" : "";
    out_format(out, "%s%s%s%s", quote, minus && word[0] == 'I' ? "-" : "", word, quote);
}

static void python_scalar(struct out *out, const struct ras_value *cell,
                          const struct python_words *words, unsigned how)
{
    switch (cell->kind) {
    case RAS_BOOL:
        out_text(out, cell->u ? words->yes : words->no);
        return;
    case RAS_UINT:
        out_u64(out, cell->u);
        return;
    case RAS_INT:
        out_i64(out, cell->i);
        return;
    case RAS_F32:
    case RAS_F64:
        words->real(out, cell->kind == RAS_F32 ? (double)cell->f32 : cell->f64, how);
        return;
    case RAS_STR:
        words->text(out, cell->at, cell->count);
        return;
    case RAS_BLOB:
        words->blob(out, cell->at, cell->count);
        return;
    default:
        out_text(out, words->none);
    }
}

static void dumps_scalar(struct out *out, const struct ras_value *cell, unsigned how)
{
    static const struct python_words words = {"null",      "true",         "false",
                                              dumps_float, json_put_ascii, json_put_blob};
    python_scalar(out, cell, &words, how);
}

static int by_key(const void *a, const void *b)
{
    const struct ras_value *x = *(const struct ras_value *const *)a;
    const struct ras_value *y = *(const struct ras_value *const *)b;
    size_t least = x->count < y->count ? x->count : y->count;
    int order = least ? memcmp(x->at, y->at, least) : 0;
    if (order)
        return order;
    return x->count == y->count ? (x < y ? -1 : 1) : x->count < y->count ? -1 : 1;
}

/* The first cell of each member: elements, or keys, sorted on request. */
static const struct ras_value **members(const struct ras_value *cell, unsigned how, size_t *count)
{
    const struct ras_value **found = NULL;
    const struct ras_value *end = ras_value_next(cell);
    size_t room = 0;
    bool map = cell->kind == RAS_MAP;
    *count = 0;
    for (const struct ras_value *at = cell + 1; at < end;) {
        if (!array_grow(&found, &room, *count + 1, sizeof *found)) {
            free(found);
            return NULL;
        }
        found[(*count)++] = at;
        at = ras_value_next(map ? at + 1 : at);
    }
    if (map && how & JSON_SORTED && *count)
        qsort(found, *count, sizeof *found, by_key);
    return found;
}

/* A key that is not a string is the text of its value. */
static void dumps_key(struct json *j, const struct ras_value *key, unsigned how)
{
    struct out text = {0};
    if (key->kind == RAS_STR) {
        json_key_text(j, key->at, key->count);
        return;
    }
    dumps_scalar(&text, key, how);
    json_key_text(j, text.at, text.len);
    j->out->failed |= text.failed;
    out_free(&text);
}

static void dumps_at(struct json *j, const struct ras_value *cell, unsigned how, unsigned depth)
{
    bool map = cell->kind == RAS_MAP;
    if ((!map && cell->kind != RAS_LIST) || depth == DEPTH_MOST) {
        json_lead(j);
        dumps_scalar(j->out, cell, how);
        return;
    }
    size_t count;
    const struct ras_value **found = members(cell, how, &count);
    j->out->failed |= cell->count && !found;
    (map ? json_object : json_array)(j, NULL);
    for (size_t i = 0; found && i < count; i++) {
        if (map)
            dumps_key(j, found[i], how);
        dumps_at(j, found[i] + map, how, depth + 1);
    }
    json_close(j);
    free(found);
}

void json_python(struct out *out, const struct ras_value *cell, unsigned how)
{
    struct json j = json_start(out, RAS_JSON_SPACED | RAS_JSON_ASCII |
                                        (how & JSON_INDENTED ? RAS_JSON_LINES : 0));
    dumps_at(&j, cell, how, 0);
}

/* ---- repr and str ------------------------------------------------------------------------- */

/* A sequence of UTF-8 unchanged; a character that controls a terminal, and a byte that is not
 * UTF-8, escaped. Returns its size. */
static size_t repr_wide(struct out *out, const uint8_t *at, size_t len)
{
    unsigned fault, size = utf8_sequence(at, len, &fault);
    if (!size) {
        out_format(out, "\\x%02x", at[0]);
        return 1;
    }
    if (!utf8_controls(at, size))
        out_bytes(out, at, size);
    else
        out_format(out, size == 2 && at[0] == 0xc2 ? "\\x%02x" : "\\u%04x",
                   utf8_code_point(at, size));
    return size;
}

/* Quotes are single unless the text has single ones and no double ones. */
void python_repr_text(struct out *out, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    bool single = len && memchr(at, '\'', len), twice = len && memchr(at, '"', len);
    uint8_t quote = single && !twice ? '"' : '\'';
    out_byte(out, quote);
    for (size_t i = 0; i < len; i++) {
        uint8_t byte = at[i];
        if (byte == quote || byte == '\\')
            out_bytes(out, (uint8_t[]){'\\', byte}, 2);
        else if (byte == '\n' || byte == '\r' || byte == '\t')
            out_text(out, byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t");
        else if (byte < 0x20 || byte == 0x7f)
            out_format(out, "\\x%02x", byte);
        else if (byte < 0x80)
            out_byte(out, byte);
        else
            i += repr_wide(out, at + i, len - i) - 1;
    }
    out_byte(out, quote);
}

/* Bytes that are not text: two hexadecimal digits each. */
static void repr_blob(struct out *out, const void *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++)
        out_bytes(out, (char[]){digits[at[i] >> 4], digits[at[i] & 15]}, 2);
}

static void repr_float(struct out *out, double value, unsigned how)
{
    char text[NUMBER_TEXT_SIZE];
    size_t len = f64_text(text, value);
    (void)how;
    out_bytes(out, text, len);
}

static void repr_scalar(struct out *out, const struct ras_value *cell)
{
    static const struct python_words words = {"None",     "True",           "False",
                                              repr_float, python_repr_text, repr_blob};
    python_scalar(out, cell, &words, 0);
}

/* Writes one value and returns the cell after it. */
static const struct ras_value *repr_at(struct out *out, const struct ras_value *cell,
                                       unsigned depth)
{
    bool map = cell->kind == RAS_MAP;
    if (!map && cell->kind != RAS_LIST) {
        repr_scalar(out, cell);
        return cell + 1;
    }
    const struct ras_value *at = cell + 1, *end = at + cell->count;
    out_byte(out, map ? '{' : '[');
    while (at < end && depth < DEPTH_MOST) {
        if (at != cell + 1)
            out_text(out, ", ");
        if (map) {
            repr_scalar(out, at++);
            out_text(out, ": ");
        }
        at = repr_at(out, at, depth + 1);
    }
    out_byte(out, map ? '}' : ']');
    return end;
}

void python_repr(struct out *out, const struct ras_value *cell)
{
    (void)repr_at(out, cell, 0);
}

void python_str(struct out *out, const struct ras_value *cell)
{
    if (cell->kind == RAS_STR)
        out_bytes(out, cell->at, cell->count);
    else
        python_repr(out, cell);
}
