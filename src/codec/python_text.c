/* python_text.c - values as Python's repr and str show them. */
#include "codec/json_python.h"
#include "codec/number.h"
#include "codec/utf8.h"

enum { DEPTH_MOST = 64 };

/* Quotes are single unless the text has such and no double ones. */
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
        else
            out_byte(out, byte);
    }
    out_byte(out, quote);
}

static void put_float(struct out *out, double value, unsigned how)
{
    char text[NUMBER_TEXT_SIZE];
    size_t len = f64_text(text, value);
    (void)how;
    out_bytes(out, text, len);
}

static void put_scalar(struct out *out, const struct ras_value *cell)
{
    static const struct python_words words = {"None",    "True",           "False",
                                              put_float, python_repr_text, python_repr_text};
    python_scalar(out, cell, &words, 0);
}

/* Writes one value and returns the cell behind it. */
static const struct ras_value *put_at(struct out *out, const struct ras_value *cell, unsigned depth)
{
    bool map = cell->kind == RAS_MAP;
    if (!map && cell->kind != RAS_LIST) {
        put_scalar(out, cell);
        return cell + 1;
    }
    const struct ras_value *at = cell + 1, *end = at + cell->count;
    out_byte(out, map ? '{' : '[');
    while (at < end && depth < DEPTH_MOST) {
        if (at != cell + 1)
            out_text(out, ", ");
        if (map) {
            put_scalar(out, at++);
            out_text(out, ": ");
        }
        at = put_at(out, at, depth + 1);
    }
    out_byte(out, map ? '}' : ']');
    return end;
}

void python_repr(struct out *out, const struct ras_value *cell)
{
    (void)put_at(out, cell, 0);
}

void python_str(struct out *out, const struct ras_value *cell)
{
    if (cell->kind == RAS_STR)
        out_bytes(out, cell->at, cell->count);
    else
        python_repr(out, cell);
}
