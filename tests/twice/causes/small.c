/* small.c - numbers that are too small to be normal. */
#include "take.h"

int main(void)
{
    volatile double v = 1e-300;
    for (int i = 0; i < 10; i++)
        v *= 0.1;
    printf("%g %d\n", v, take(v > 0));
}
