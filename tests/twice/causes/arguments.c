/* arguments.c - addresses of the heap, the stack and a variable as arguments, and a number. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int table[4];

__attribute__((noinline)) static int use(const int *heap, const int *stack, const int *fixed,
                                         long number)
{
    return *heap + *stack + *fixed + (number > 100);
}

int main(int argc, char **argv)
{
    int *heap = malloc(40), stack = 3;
    (void)argv;
    *heap = 5;
    table[1] = 7;
    printf("%d\n", use(heap, &stack, &table[1], argc > 1 ? (long)time(NULL) : 4711));
}
