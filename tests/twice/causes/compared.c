/* compared.c - blocks of the heap, taken in the order of their addresses and then sorted by value:
 * the output is always the same, the calls of the comparison are not. */
#include "take.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 12 };

static void sort(int *values, int (*before)(int, int))
{
    for (int i = 1; i < COUNT; i++)
        for (int k = i; k && before(values[k], values[k - 1]); k--) {
            int value = values[k];
            values[k] = values[k - 1];
            values[k - 1] = value;
        }
}

static int is_less(int x, int y)
{
    return x < y;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

int main(void)
{
    int *blocks[COUNT], values[COUNT], sum = 0;
    for (int i = 0; i < COUNT; i++)
        blocks[i] = malloc(40);
    for (int i = 0; i < COUNT; i++)
        free(blocks[i * 5 % COUNT]);
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = malloc(40);
        *blocks[i] = i * 7 % COUNT;
    }
    qsort(blocks, COUNT, sizeof *blocks, by_address);
    for (int i = 0; i < COUNT; i++)
        values[i] = *blocks[i];
    sort(values, is_less);
    for (int i = 0; i < COUNT; i++)
        sum += take((unsigned)values[i]);
    printf("%d\n", sum);
}
