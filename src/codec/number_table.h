/* number_table.h - powers of ten, for number.c and decimal.c. */
#ifndef CODEC_NUMBER_TABLE_H
#define CODEC_NUMBER_TABLE_H

#include <stdint.h>

#define NUMBER_POWER_FIRST (-292)
#define NUMBER_POWER_LAST  324

/* 10^k, scaled by a power of two into [2^127, 2^128) and rounded up. */
struct power {
    uint64_t high, low;
};

extern const struct power number_powers[NUMBER_POWER_LAST - NUMBER_POWER_FIRST + 1];
#endif
