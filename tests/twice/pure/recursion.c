/* recursion.c - calls within calls. */
#include "take.h"

static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
    printf("%d\n", take(fib(15)));
}
