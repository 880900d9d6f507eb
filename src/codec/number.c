/* number.c - floats to the shortest text that reads back to the same bits, and digits to floats. */
#include "codec/number.h"
#include "base/out.h"
#include "codec/number_table.h"

#include <stdbool.h>
#include <string.h>

/* The digits are found as R. Giulietti's "The Schubfach way to render doubles"
 * (2020) describes: a scale 10^k is chosen such that the interval of reals that
 * round to the float holds one or more multiples of 10^k but at most one of
 * 10^(k+1); three products with one power of ten then decide. How products
 * are rounded is not from there: tools/number-table proves it. */

__extension__ typedef unsigned __int128 u128;

/* digits * 10^exponent. */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* A finite, positive float: significand * 2^exponent. `lopsided` is a power of
 * two whose lower neighbour is only half as far as its upper one. */
struct binary {
    uint64_t significand;
    int exponent;
    bool lopsided;
};

/* Shifts of negative numbers round down with every compiler this builds with;
 * tools/number-table checks the constants for all exponents there are. */
static int floor_log10_pow2(int e)
{
    return (e * 1262611) >> 22;
}

static int floor_log10_three_quarters_pow2(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

static int floor_log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

/* m * power / 2^128, its lowest bit set when something was cut off. Such a number
 * compares with any even one as the exact product does. */
static uint64_t product(struct power power, uint64_t m)
{
    u128 low = (u128)power.low * m;
    u128 high = (u128)power.high * m + (uint64_t)(low >> 64);
    /* The power was rounded up: what is left below 2^-68 stems from that. */
    bool inexact = (uint64_t)high != 0 || (uint64_t)low >> 60 != 0;
    return (uint64_t)(high >> 64) | inexact;
}

/* Everything is held in quarters of 10^k, so that the halves between two
 * neighbours are integers too. */
static struct decimal shortest(struct binary v)
{
    int k = v.lopsided ? floor_log10_three_quarters_pow2(v.exponent) : floor_log10_pow2(v.exponent);
    int shift = v.exponent + floor_log2_pow10(-k) + 1;
    struct power power = number_powers[-k - NUMBER_POWER_FIRST];
    uint64_t quarters = 4 * v.significand;
    uint64_t lower = product(power, (quarters - (v.lopsided ? 1 : 2)) << shift);
    uint64_t value = product(power, quarters << shift);
    uint64_t upper = product(power, (quarters + 2) << shift);
    /* The ends of the interval round to the float only when it is even. */
    uint64_t open = v.significand & 1;
    lower += open;
    upper -= open;

    uint64_t below = value / 4;
    if (below >= 10) {
        uint64_t tens = below / 10;
        bool low_fits = lower <= 40 * tens;
        bool high_fits = 40 * tens + 40 <= upper;
        if (low_fits != high_fits)
            return (struct decimal){tens + high_fits, k + 1};
    }
    bool low_fits = lower <= 4 * below;
    bool high_fits = 4 * below + 4 <= upper;
    if (low_fits != high_fits)
        return (struct decimal){below + high_fits, k};
    uint64_t middle = 4 * below + 2;
    bool up = value > middle || (value == middle && (below & 1));
    return (struct decimal){below + up, k};
}

/* An integer below 2^53 is its own shortest text. */
static struct decimal shortest_of(struct binary v)
{
    unsigned places = (unsigned)-v.exponent;
    if (places < 53 && (v.significand & (((uint64_t)1 << places) - 1)) == 0)
        return (struct decimal){v.significand >> places, 0};
    return shortest(v);
}

/* Writes the 17 digits of value, leading zeros too. */
static void put_digits(char out[17], uint64_t value)
{
    uint32_t low = (uint32_t)(value % 100000000);
    uint64_t rest = value / 100000000;
    uint32_t high = (uint32_t)(rest % 100000000);
    for (int at = 15; at >= 9; at -= 2) {
        put_two_digits(out + at, low % 100);
        put_two_digits(out + at - 8, high % 100);
        low /= 100;
        high /= 100;
    }
    out[0] = (char)('0' + rest / 100000000);
}

static size_t put_exponent(char *out, int exponent)
{
    size_t n = 0;
    out[n++] = 'e';
    out[n++] = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size >= 100)
        out[n++] = (char)('0' + size / 100);
    put_two_digits(out + n, size % 100);
    return n + 2;
}

/* Lays out `count` digits, the decimal point after the first `point`
 * ones, as Python's repr does: an exponent below 1e-4 and from 1e16 on. */
static size_t put_layout(char *out, const char *digits, int count, int point)
{
    size_t n = (size_t)count;
    if (point <= -4 || point > 16) {
        out[0] = digits[0];
        out[1] = '.';
        memcpy(out + 2, digits + 1, n - 1);
        size_t end = n > 1 ? n + 1 : 1;
        return end + put_exponent(out + end, point - 1);
    }
    if (point <= 0) {
        memcpy(out, "0.000", 5);
        memcpy(out + 2 - point, digits, n);
        return (size_t)(2 - point) + n;
    }
    size_t whole = (size_t)point;
    if (n > whole) {
        memcpy(out, digits, whole);
        out[whole] = '.';
        memcpy(out + whole + 1, digits + whole, n - whole);
        return n + 1;
    }
    memcpy(out, digits, n);
    memset(out + n, '0', whole - n);
    memcpy(out + whole, ".0", 2);
    return whole + 2;
}

static size_t put_decimal(char *out, struct decimal d)
{
    char digits[17];
    put_digits(digits, d.digits);
    int first = 0, end = 17;
    while (digits[first] == '0')
        first++;
    while (digits[end - 1] == '0')
        end--;
    return put_layout(out, digits + first, end - first, 17 - first + d.exponent);
}

static size_t put_special(char *out, bool negative, const char *text)
{
    size_t n = 0;
    if (negative)
        out[n++] = '-';
    memcpy(out + n, text, 3);
    return n + 3;
}

/* One float, given as its sign, its stored exponent and fraction; `bits` of
 * fraction, `most` the exponent of infinity, `bias` so that the value is
 * significand * 2^(exponent - bias). */
static size_t put_finite_or_special(char *out, bool negative, uint64_t fraction, int exponent,
                                    unsigned bits, int most, int bias)
{
    if (exponent == most)
        return fraction ? put_special(out, false, "nan") : put_special(out, negative, "inf");
    if (!exponent && !fraction)
        return put_special(out, negative, "0.0");
    uint64_t hidden = exponent ? (uint64_t)1 << bits : 0;
    struct binary v = {
        .significand = fraction | hidden,
        .exponent = (exponent ? exponent : 1) - bias,
        .lopsided = !fraction && exponent > 1,
    };
    out[0] = '-';
    return negative + put_decimal(out + negative, shortest_of(v));
}

size_t f64_text(char out[NUMBER_TEXT_SIZE], double value)
{
    uint64_t u;
    memcpy(&u, &value, sizeof u);
    return put_finite_or_special(out, u >> 63, u & 0xfffffffffffff, u >> 52 & 0x7ff, 52, 0x7ff,
                                 1075);
}

size_t f32_text(char out[NUMBER_TEXT_SIZE], float value)
{
    uint32_t u;
    memcpy(&u, &value, sizeof u);
    return put_finite_or_special(out, u >> 31, u & 0x7fffff, u >> 23 & 0xff, 23, 0xff, 150);
}

/* The powers of number_table.c have 128 bits and are too large by less than one unit of
 * the last. So a product with 64 bits is too large by less than one unit of its 64th bit
 * from below, and whatever does not lie that near the middle of two doubles is decided. */

/* ---- digits to floats --------------------------------------------------------------------- */

enum { BIAS = 1023, MANTISSA = 52 };

/* Both factors are exact doubles, so one operation rounds once. */
static bool small_decimal(uint64_t digits, int exponent, double *value)
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
    if (small_decimal(digits, exponent, value))
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
