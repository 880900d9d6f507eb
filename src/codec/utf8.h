/* utf8.h - tell well-formed UTF-8 from the rest, and where it stops.
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

/* How many of the bytes, from the first, are well-formed. */
size_t utf8_prefix(const uint8_t *bytes, size_t len);

/* True when all bytes are well-formed; else *fault, if given, is filled. */
bool utf8_check(const uint8_t *bytes, size_t len, struct utf8_fault *fault);
#endif
