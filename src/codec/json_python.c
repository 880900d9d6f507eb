/* json_python.c - values laid out as Python's json.dumps does it. */
#include "codec/json_python.h"
#include "base/memory.h"
#include "codec/json_write.h"
#include "codec/number.h"
#include "codec/utf8.h"

#include <stdlib.h>

enum { DEPTH_MOST = 64 };

static const struct ras_value *after(const struct ras_value *cell)
{
    bool holds = cell->kind == RAS_LIST || cell->kind == RAS_MAP;
    return cell + 1 + (holds ? cell->count : 0);
}

static void put_unit(struct out *out, unsigned unit)
{
    out_format(out, "\\u%04x", unit);
}

/* One sequence that is not printable ASCII. */
static size_t put_escaped(struct out *out, const uint8_t *at, size_t left)
{
    unsigned fault;
    unsigned size = utf8_sequence(at, left, &fault);
    if (!size) {
        put_unit(out, 0xdc00u + at[0]);
        return 1;
    }
    static const uint8_t lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = at[0] & lead[size];
    for (unsigned i = 1; i < size; i++)
        point = point << 6 | (at[i] & 0x3f);
    if (point >= 0x10000) {
        put_unit(out, 0xd800u + ((point - 0x10000) >> 10));
        point = 0xdc00u + ((point - 0x10000) & 0x3ff);
    }
    put_unit(out, point);
    return size;
}

void json_python_string(struct out *out, const void *bytes, size_t len)
{
    static const char letters[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    const uint8_t *at = bytes;
    out_byte(out, '"');
    for (size_t i = 0; i < len;) {
        uint8_t byte = at[i];
        char letter = byte == '"' || byte == '\\' ? (char)byte : byte < 32 ? letters[byte] : 0;
        if (letter) {
            out_bytes(out, (char[]){'\\', letter}, 2);
            i++;
        } else if (byte >= 0x20 && byte < 0x7f) {
            out_byte(out, byte);
            i++;
        } else {
            i += put_escaped(out, at + i, len - i);
        }
    }
    out_byte(out, '"');
}

/* number.c writes floats as repr does; JSON has other words for what is no number. */
static void put_float(struct out *out, double value, unsigned how)
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

void python_scalar(struct out *out, const struct ras_value *cell, const struct python_words *words,
                   unsigned how)
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

static void put_scalar(struct out *out, const struct ras_value *cell, unsigned how)
{
    static const struct python_words words = {
        "null", "true", "false", put_float, json_python_string, json_hex_bytes};
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

/* The first cell of each member: elements, or keys, sorted if that is asked for. */
static const struct ras_value **members(const struct ras_value *cell, unsigned how, size_t *count)
{
    const struct ras_value **found = NULL;
    const struct ras_value *end = after(cell);
    size_t room = 0;
    bool map = cell->kind == RAS_MAP;
    *count = 0;
    for (const struct ras_value *at = cell + 1; at < end;) {
        if (!array_grow(&found, &room, *count + 1, sizeof *found)) {
            free(found);
            return NULL;
        }
        found[(*count)++] = at;
        at = after(map ? at + 1 : at);
    }
    if (map && how & JSON_SORTED && *count)
        qsort(found, *count, sizeof *found, by_key);
    return found;
}

static void put_break(struct out *out, unsigned how, unsigned depth)
{
    if (!(how & JSON_INDENTED))
        return;
    out_byte(out, '\n');
    for (unsigned i = 0; i < depth; i++)
        out_bytes(out, "  ", 2);
}

static void put_at(struct out *out, const struct ras_value *cell, unsigned how, unsigned depth)
{
    bool map = cell->kind == RAS_MAP;
    if ((!map && cell->kind != RAS_LIST) || depth == DEPTH_MOST) {
        put_scalar(out, cell, how);
        return;
    }
    size_t count;
    const struct ras_value **found = members(cell, how, &count);
    out->failed |= cell->count && !found;
    out_byte(out, map ? '{' : '[');
    for (size_t i = 0; found && i < count; i++) {
        if (i)
            out_text(out, how & JSON_INDENTED ? "," : ", ");
        put_break(out, how, depth + 1);
        if (map) {
            put_scalar(out, found[i], how);
            out_text(out, ": ");
        }
        put_at(out, found[i] + map, how, depth + 1);
    }
    if (cell->count)
        put_break(out, how, depth);
    out_byte(out, map ? '}' : ']');
    free(found);
}

void json_python(struct out *out, const struct ras_value *cell, unsigned how)
{
    put_at(out, cell, how, 0);
}
