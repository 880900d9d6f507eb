/* python_text.c - values as Python's repr and str show them. */
#include "codec/json_python.h"
#include "codec/number.h"
#include "codec/utf8.h"

enum { DEPTH_MOST = 64 };

/* A sequence of UTF-8 as it is; one that controls a terminal, and a byte that is no UTF-8, by
 * number. How many bytes it was. */
static size_t put_wide(struct out *out, const uint8_t *at, size_t len)
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
        else if (byte < 0x80)
            out_byte(out, byte);
        else
            i += put_wide(out, at + i, len - i) - 1;
    }
    out_byte(out, quote);
}

/* Bytes that are no text, as everywhere: two digits each. */
static void put_hex(struct out *out, const void *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++)
        out_bytes(out, (char[]){digits[at[i] >> 4], digits[at[i] & 15]}, 2);
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
                                              put_float, python_repr_text, put_hex};
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
