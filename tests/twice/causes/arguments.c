/* arguments.c - addresses of the heap, the stack and a variable as arguments, and a number; with
 * "order", two blocks, of which the second use is by the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int table[4];

__attribute__((noinline)) static int use(const int *heap, const int *stack, const int *fixed,
                                         long number)
{
    return *heap + *stack + *fixed + (number > 100);
}

int main(int argc, char **argv)
{
    int *heap = malloc(40), *other = malloc(40), stack = 3;
    int order = argc > 1 && !strcmp(argv[1], "order");
    *heap = *other = 5;
    table[1] = 7;
    printf("%d\n", use(heap, &stack, &table[1], argc > 1 && !order ? (long)time(NULL) : 4711));
    if (order)
        printf("%d\n", use(time(NULL) > 2000000000 ? heap : other, &stack, &table[1], 4711));
}
