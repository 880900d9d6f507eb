/* json_write.h - strings, numbers and values as JSON text.
 *
 * Whatever the bytes, the text is valid JSON and valid UTF-8, harmless to a terminal, and
 * nothing is lost: characters that would control a terminal are escaped, and a byte that is
 * not UTF-8 becomes the lone surrogate \udc80 .. \udcff (Python's "surrogateescape"), which
 * no valid text can hold. */
#ifndef CODEC_JSON_WRITE_H
#define CODEC_JSON_WRITE_H

#include "base/out.h"

/* A quoted string. */
void json_string(struct out *out, const void *bytes, size_t len);
/* The name of a type or a field, in which RAS_NAME_NUL is the character U+0000. */
void json_name(struct out *out, const char *name);
/* The bytes as one quoted string of lower-case hexadecimal digits. */
void json_hex_bytes(struct out *out, const void *bytes, size_t len);

/* The shortest text that reads back to the same bits; what JSON has no number
 * for is one of the strings "NaN", "Infinity", "-Infinity". */
void json_f64(struct out *out, double value);
void json_f32(struct out *out, float value);

/* One value: a cell and, of a container, the cells inside it. With RAS_HEX in
 * `flags` its integers, map keys aside, are "0x%016x" strings; with `float_bits`
 * its floats are {"bits":"0x...","text":"..."}. A map key that is no string is
 * the JSON text of its value, in a string; keys may repeat. Containers nested
 * deeper than 64 are null, as are keys inside keys inside keys. */
void json_value(struct out *out, const struct ras_value *cell, unsigned flags, bool float_bits);
#endif
