/* forgotten.c - a local variable that is set only sometimes, some calls deep. */
#include "take.h"

__attribute__((noinline)) static int look(int n)
{
    volatile unsigned found[8];
    for (int i = 0; i < 8; i++)
        if (i * 3 == n)
            found[5] = (unsigned)i;
    return take(found[5]);
}

__attribute__((noinline)) static int deep(int n)
{
    return n ? deep(n - 1) + 1 : look(40);
}

int main(void)
{
    printf("%d\n", deep(5));
}
