/* sorted.c - numbers, sorted. */
#include "take.h"
#include <stdlib.h>

static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int v[200];
    unsigned x = 12345;
    for (int i = 0; i < 200; i++)
        v[i] = (int)((x = x * 1103515245u + 12345u) >> 16 & 1023);
    qsort(v, 200, sizeof *v, order);
    for (int i = 0; i < 200; i += 20)
        printf("%d ", take((unsigned)v[i]));
    puts("");
}
