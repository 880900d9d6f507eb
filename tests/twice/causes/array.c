/* array.c - an array of a size that is not constant, of which one member is set. */
#include "take.h"

__attribute__((noinline)) static unsigned sum(int count)
{
    int values[count];
    unsigned all = 0;
    __asm__ volatile("" ::"r"(values) : "memory");
    values[0] = 1;
    for (int i = 0; i < count; i++)
        all = all * 3 + (unsigned)values[i];
    return all;
}

int main(void)
{
    unsigned all = sum(100);
    printf("%u %d\n", all, take(all >> 3));
}
