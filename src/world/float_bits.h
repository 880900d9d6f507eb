/* float_bits.h - floats and their bits, and where a compiler may not be trusted with them. */
#ifndef WORLD_FLOAT_BITS_H
#define WORLD_FLOAT_BITS_H

#include <float.h>
#include <stdint.h>
#include <string.h>

/* 16 is reported where the processor has floats of 16 bits: those of 32 bits are as with 0. */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "floats are rounded at every step");

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
#endif
