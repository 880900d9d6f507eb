/* traced.c - a program to be recorded: it knows nothing of it.
 *
 *   cc -g -finstrument-functions -o traced examples/traced.c
 *   rastrum record -o traced.calls -- ./traced */
#include <stdio.h>

static unsigned steps(unsigned n, unsigned count)
{
    if (n == 1)
        return count;
    return steps(n % 2 ? 3 * n + 1 : n / 2, count + 1);
}

static unsigned longest(unsigned below)
{
    unsigned best = 1;
    for (unsigned n = 2; n < below; n++)
        if (steps(n, 0) > steps(best, 0))
            best = n;
    return best;
}

int main(void)
{
    printf("%u\n", longest(4));
    return 0;
}
