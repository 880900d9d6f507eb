/* utf8.h - check UTF-8, and find where it stops being well-formed.
 *
 * Well-formed means table 3-7 of the Unicode standard: no overlong forms, no
 * surrogates, nothing above U+10FFFF. NUL and noncharacters are fine. */
#ifndef CODEC_UTF8_H
#define CODEC_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first bytes that are not UTF-8: `length` counts the maximal ill-formed
 * subpart (1 to 3), and is 0 where the text only ends too early. */
struct utf8_fault {
    size_t at;
    unsigned length;
};

/* The size (1 to 4) of the well-formed sequence that starts the `len` > 0 bytes,
 * or 0 with *fault as in struct utf8_fault. */
unsigned utf8_sequence(const uint8_t *bytes, size_t len, unsigned *fault);

/* Whether a well-formed sequence is a character that controls how a terminal shows text: C0, DEL,
 * C1 (U+0080 to U+009F), and the marks, embeddings, overrides and isolates of the bidirectional
 * algorithm (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). */
static inline bool utf8_controls(const uint8_t *bytes, unsigned size)
{
    if (size == 1)
        return bytes[0] < 0x20 || bytes[0] == 0x7f;
    if (size == 2)
        return (bytes[0] == 0xc2 && bytes[1] < 0xa0) || (bytes[0] == 0xd8 && bytes[1] == 0x9c);
    if (size != 3 || bytes[0] != 0xe2)
        return false;
    if (bytes[1] == 0x81)
        return bytes[2] >= 0xa6 && bytes[2] <= 0xa9;
    return bytes[1] == 0x80 &&
           (bytes[2] == 0x8e || bytes[2] == 0x8f || (bytes[2] >= 0xaa && bytes[2] <= 0xae));
}

/* The code point of a well-formed sequence of at most three bytes. */
static inline unsigned utf8_code_point(const uint8_t *bytes, unsigned size)
{
    if (size == 1)
        return bytes[0];
    if (size == 2)
        return (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu);
    return (bytes[0] & 0x0fu) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
}

/* How many of the bytes, from the first, are well-formed. */
size_t utf8_prefix(const uint8_t *bytes, size_t len);

/* True when all bytes are well-formed; else *fault, if given, is filled. */
bool utf8_check(const uint8_t *bytes, size_t len, struct utf8_fault *fault);

/* Append text with U+FFFD in the place of each byte that is not UTF-8; true when there was none. */
struct out;
bool utf8_put(struct out *out, const void *text, size_t len);
#endif
