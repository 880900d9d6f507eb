/* registers.c - arguments and results in every kind of register come through the hooks. */
#include <complex.h>
#include <stdarg.h>
#include <string.h>

#if defined(__AVX__) || defined(__GNUC__)
#include <immintrin.h>
#endif

#define PLAIN __attribute__((noinline))

struct two {
    long a, b;
};
struct pair {
    double a, b;
};
struct mixed {
    long a;
    double b;
};
struct big {
    long at[8];
};

static volatile long sink;

PLAIN static long many(long a, long b, long c, long d, long e, long f, long g, double s, double t,
                       double u, double v, double w, double x, double y, double z, double more)
{
    sink = a;
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (long)(s + t + u + v + w + x + y) +
           (long)(10 * z + more);
}

PLAIN static double variadic(int count, ...)
{
    va_list more;
    double sum = 0;
    va_start(more, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(more, double) * (double)va_arg(more, long);
    va_end(more);
    return sum;
}

PLAIN static struct two twice(long a)
{
    sink = a;
    return (struct two){a, -a};
}

PLAIN static struct pair halves(double a)
{
    sink = 1;
    return (struct pair){a / 2, a / 4};
}

PLAIN static struct mixed mix(long a)
{
    sink = a;
    return (struct mixed){a, (double)a / 2};
}

PLAIN static struct big spread(long a)
{
    struct big b;
    for (int i = 0; i < 8; i++)
        b.at[i] = a + i;
    sink = a;
    return b;
}

PLAIN static long double slow(long double a)
{
    sink = 2;
    return a * 3;
}

PLAIN static _Complex long double turn(_Complex long double a)
{
    sink = 3;
    return a * (_Complex long double)I;
}

#if defined(__GNUC__)
PLAIN __attribute__((target("avx"))) static __m256d wide(__m256d a, __m256d b)
{
    sink = 4;
    return _mm256_add_pd(a, b);
}

__attribute__((target("avx"))) PLAIN static int check_wide(long i)
{
    double x = (double)i, got[4];
    _mm256_storeu_pd(got, wide(_mm256_set_pd(x, x + 1, x + 2, x + 3), _mm256_set1_pd(1)));
    return got[0] == x + 4 && got[1] == x + 3 && got[2] == x + 2 && got[3] == x + 1;
}
#endif

PLAIN static int round_of(long i)
{
    double x = (double)i;
    struct two t = twice(i);
    struct pair p = halves(x);
    struct mixed m = mix(i);
    struct big b = spread(i);
    int good = many(i, 1, 2, 3, 4, 5, 6, x, 1, 1, 1, 1, 1, 1, 2, x) ==
               i + 2 + 6 + 12 + 20 + 30 + 42 + (long)(x + 6) + (long)(20 + x);
    good &= variadic(3, 1.5, 2L, 2.5, 4L, x, 2L) == 13 + 2 * x;
    good &= t.a == i && t.b == -i && p.a == x / 2 && p.b == x / 4 && m.a == i && m.b == x / 2;
    good &= b.at[0] == i && b.at[7] == i + 7;
    good &= slow(x) == 3 * (long double)x;
    good &= turn(x) == (_Complex long double)x * (_Complex long double)I;
#if defined(__GNUC__)
    if (__builtin_cpu_supports("avx"))
        good &= check_wide(i);
#endif
    return good;
}

int main(void)
{
    int good = 1;
    for (long i = 0; i < 300; i++)
        good &= round_of(i);
    return good ? 0 : 1;
}
