/* plain.c - text from outside made harmless to a terminal. */
#include "codec/utf8.h"
#include <rastrum/rastrum.h>

#include <stdio.h>

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
