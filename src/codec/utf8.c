/* utf8.c - check UTF-8 and find where it stops being well-formed; escape text for a terminal. */
#include "codec/utf8.h"
#include "base/in.h"
#include "base/out.h"
#include <rastrum/rastrum.h>

#include <stdio.h>

bool utf8_put(struct out *out, const void *text, size_t len)
{
    const uint8_t *at = text;
    struct utf8_fault bad;
    bool all = true;
    while (!utf8_check(at, len, &bad)) {
        all = false;
        out_bytes(out, at, bad.at);
        out_text(out, "\xef\xbf\xbd");
        at += bad.at + 1;
        len -= bad.at + 1;
    }
    out_bytes(out, at, len);
    return all;
}

/* How many bytes a sequence has, by its first one; 0 for a byte that starts none. */
static unsigned sequence_size(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2)
        return 0;
    if (first < 0xe0)
        return 2;
    if (first < 0xf0)
        return 3;
    return first < 0xf5 ? 4 : 0;
}

unsigned utf8_sequence(const uint8_t *bytes, size_t len, unsigned *fault)
{
    unsigned size = sequence_size(bytes[0]);
    /* Only the second byte's range depends on the first: this keeps out overlong
     * forms (e0, f0), surrogates (ed) and numbers above U+10FFFF (f4). */
    uint8_t low = bytes[0] == 0xe0 ? 0xa0 : bytes[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t high = bytes[0] == 0xed ? 0x9f : bytes[0] == 0xf4 ? 0x8f : 0xbf;
    *fault = 1;
    for (unsigned i = 1; i < size; i++) {
        *fault = i;
        if (i == len)
            *fault = 0;
        if (i == len || bytes[i] < low || bytes[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return size;
}

/* How many of the bytes, from the first, are ASCII. */
static size_t ascii_prefix(const uint8_t *bytes, size_t len)
{
    size_t i = 0;
    while (len - i >= 8 && !(load_u64(bytes + i) & 0x8080808080808080u))
        i += 8;
    while (i < len && bytes[i] < 0x80)
        i++;
    return i;
}

bool utf8_check(const uint8_t *bytes, size_t len, struct utf8_fault *fault)
{
    size_t i = ascii_prefix(bytes, len);
    while (i < len) {
        unsigned bad;
        unsigned size = utf8_sequence(bytes + i, len - i, &bad);
        if (!size) {
            if (fault)
                *fault = (struct utf8_fault){i, bad};
            return false;
        }
        i += size;
        /* Text that is not ASCII seldom has eight ASCII bytes in a row. */
        if (size == 1)
            i += ascii_prefix(bytes + i, len - i);
    }
    return true;
}

size_t utf8_prefix(const uint8_t *bytes, size_t len)
{
    struct utf8_fault fault;
    return utf8_check(bytes, len, &fault) ? len : fault.at;
}

size_t ras_plain_prefix(const void *text, size_t len)
{
    const uint8_t *at = text;
    size_t i = 0;
    while (i < len) {
        unsigned fault;
        unsigned size = at[i] < 0x80 ? 1 : utf8_sequence(at + i, len - i, &fault);
        if (!size || utf8_controls(at + i, size))
            break;
        i += size;
    }
    return i;
}

size_t ras_plain_escape(char escape[RAS_ESCAPE_SIZE], const void *text, size_t len)
{
    const uint8_t *at = text;
    unsigned fault;
    unsigned size = utf8_sequence(at, len, &fault);
    if (size > 1 && size < 4) {
        snprintf(escape, RAS_ESCAPE_SIZE, "\\u%04x", utf8_code_point(at, size));
        return size;
    }
    /* A name of a trace that holds a NUL: see RAS_NAME_NUL. */
    bool nul = len > 1 && at[0] == 0xc0 && at[1] == 0x80;
    snprintf(escape, RAS_ESCAPE_SIZE, "\\x%02x", nul ? 0 : at[0]);
    return nul ? 2 : 1;
}
