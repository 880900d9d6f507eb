/* decimal.h - the nearest double of digits and a power of ten. */
#ifndef CODEC_DECIMAL_H
#define CODEC_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* digits * 10^exponent, rounded to nearest, ties to even. False: it lies so near the
 * middle of two doubles, or so far from 1, that this does not decide; whoever asks has
 * a slower way. */
bool decimal_f64(uint64_t digits, int exponent, double *value);
#endif
