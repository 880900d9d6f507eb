/* number.h - floats as the shortest text that reads back to the same bits, and digits as floats.
 *
 * The layout is that of Python's repr: 1.0, 0.1, 1e+16, 1e-05, -0.0, 5e-324,
 * nan, inf, -inf. Among equally short texts the nearest one is chosen. */
#ifndef CODEC_NUMBER_H
#define CODEC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_TEXT_SIZE 32

/* Both return the length of the text and write no terminator. */
size_t f64_text(char out[NUMBER_TEXT_SIZE], double value);
size_t f32_text(char out[NUMBER_TEXT_SIZE], float value);

/* digits * 10^exponent, rounded to nearest, ties to even. False: it is so near the middle of two
 * doubles, or so far from 1, that this does not decide; the caller needs a slower algorithm. */
bool decimal_f64(uint64_t digits, int exponent, double *value);
#endif
