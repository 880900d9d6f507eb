/* html_escape.c - text of a trace in HTML and SVG. */
#include "view/html_escape.h"
#include "codec/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

/* A single byte as it is shown; NULL: as it is. */
static const char *escaped_byte(uint8_t byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    default:
        return byte < 0x20 || byte == 0x7f ? replacement : NULL;
    }
}

/* Noncharacters, which XML and HTML do not allow: U+FFFE, U+FFFF. */
static bool is_forbidden(unsigned point)
{
    return point == 0xfffe || point == 0xffff;
}

/* One sequence of several bytes that is well-formed. */
static void put_sequence(struct out *out, const uint8_t *at, unsigned size)
{
    unsigned point = size < 4 ? utf8_code_point(at, size) : 0;
    bool c1 = size == 2 && point < 0xa0;
    if (c1 || is_forbidden(point))
        out_text(out, replacement);
    else if (utf8_controls(at, size) || (point >= 0x2028 && point <= 0x2029))
        out_format(out, "\\u%04x", point);
    else
        out_bytes(out, at, size);
}

void html_bytes(struct out *out, const void *text, size_t len)
{
    const uint8_t *at = text, *end = at + len;
    while (at < end) {
        unsigned fault = 0, size = utf8_sequence(at, (size_t)(end - at), &fault);
        const char *other = size == 1 ? escaped_byte(*at) : NULL;
        if (!size) {
            out_text(out, replacement);
            at += fault ? fault : (size_t)(end - at);
            continue;
        }
        if (other)
            out_text(out, other);
        else if (size == 1)
            out_byte(out, *at);
        else
            put_sequence(out, at, size);
        at += size;
    }
}

void html_text(struct out *out, const char *text)
{
    html_bytes(out, text, strlen(text));
}

void html_format(struct out *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = len < 0 ? NULL : malloc((size_t)len + 1);
    if (!text) {
        out->failed = true;
        return;
    }
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    html_bytes(out, text, (size_t)len);
    free(text);
}
