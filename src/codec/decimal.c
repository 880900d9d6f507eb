/* decimal.c - the nearest double of digits and a power of ten, by one product.
 *
 * The powers of number_table.c have 128 bits and are too large by less than one unit of
 * the last. So a product with 64 bits is too large by less than one unit of its 64th bit
 * from below, and whatever does not lie that near the middle of two doubles is decided. */
#include "codec/decimal.h"
#include "codec/number_table.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;

enum { BIAS = 1023, MANTISSA = 52 };

/* Both factors are exact doubles, so one operation rounds once. */
static bool small(uint64_t digits, int exponent, double *value)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits >> 53 || exponent < -22 || exponent > 22)
        return false;
    *value = exponent < 0 ? (double)digits / tens[-exponent] : (double)digits * tens[exponent];
    return true;
}

bool decimal_f64(uint64_t digits, int exponent, double *value)
{
    if (small(digits, exponent, value))
        return true;
    if (!digits) {
        *value = 0;
        return true;
    }
    if (exponent < NUMBER_POWER_FIRST || exponent > NUMBER_POWER_LAST)
        return false;
    int zeros = __builtin_clzll(digits);
    struct power power = number_powers[exponent - NUMBER_POWER_FIRST];
    u128 low = (u128)power.low * (digits << zeros);
    u128 high = (u128)power.high * (digits << zeros) + (uint64_t)(low >> 64);
    int shift = 127 - MANTISSA - !(high >> 127); /* bits below those of a double */
    int binary = ((exponent * 1741647) >> 19) - zeros + 63 + !!(high >> 127) + BIAS;
    u128 tail = high & (((u128)1 << shift) - 1), half = (u128)1 << (shift - 1);
    if (binary < 1 || binary >= 2 * BIAS || (tail >= half - 2 && tail <= half + 2))
        return false;
    uint64_t bits = (uint64_t)(high >> shift) & ((UINT64_C(1) << MANTISSA) - 1);
    bits += (uint64_t)binary << MANTISSA; /* rounding up carries into the exponent */
    bits += tail > half;
    memcpy(value, &bits, sizeof bits);
    return true;
}
