/* fuzz.h - what must hold for every trace, whatever its bytes. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Read the bytes as a trace of `format` (NULL: detected) in every mode. Aborts when two modes
 * disagree: when it is read twice, as it grows, or in parts; when du does not add up. */
void fuzz_trace(const char *format, const uint8_t *bytes, size_t size);

/* Prints what is wrong and aborts. */
void fuzz_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
#endif
