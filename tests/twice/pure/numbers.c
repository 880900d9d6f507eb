/* numbers.c - floating point, in one order. */
#include "take.h"

int main(void)
{
    double sum = 0;
    for (int i = 1; i < 2000; i++)
        sum += (i & 1 ? 1.0 : -1.0) / i;
    printf("%.17g %d\n", sum, take((unsigned)(sum * 1000000)));
}
