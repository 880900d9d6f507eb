/* signs.c - what is read before it is set is compared with numbers that are not 0. */
#include "take.h"
#include <stdio.h>
#include <stdlib.h>

static int is_large(int set)
{
    int values[32];
    if (set)
        values[3] = set;
    __asm__ volatile("" ::"r"(values) : "memory");
    return values[3] > 100;
}

static int is_negative(int set)
{
    int values[32];
    if (set)
        values[3] = set;
    __asm__ volatile("" ::"r"(values) : "memory");
    return values[3] < 0;
}

/* Of a block that was given back: where nothing fills it, it holds what it held. */
static int is_empty(void)
{
    char *volatile block = calloc(1, 1000);
    free(block);
    return !block[500] && !block[700];
}

/* No function of a library comes first: binding it would write below the stack pointer. */
int main(int argc, char **argv)
{
    char what = argv[1][0];
    int set = argc > 2;
    int found = what == 'l' ? is_large(set) : what == 'n' ? is_negative(set) : is_empty();
    printf("%d\n", found);
}
