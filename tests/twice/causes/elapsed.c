/* elapsed.c - how long something took, by a clock that is none of the calendar. */
#include "take.h"
#include <time.h>

int main(void)
{
    struct timespec a, b;
    volatile unsigned sum = 0;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (unsigned i = 0; i < 100000; i++)
        sum += i;
    clock_gettime(CLOCK_MONOTONIC, &b);
    long ns = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
    printf("%ld %d\n", ns, take((unsigned)ns / 100));
}
