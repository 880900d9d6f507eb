/* dice.c - rolls dice with a seed from the clock: a program for `rastrum twice`. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void odd(int *sum)
{
    *sum += 1;
}

static void even(int *sum)
{
    *sum += 2;
}

static int roll(int *sum)
{
    int face = rand() % 6 + 1;
    if (face % 2)
        odd(sum);
    else
        even(sum);
    return face;
}

int main(void)
{
    int sum = 0;
    srand((unsigned)time(NULL));
    for (int i = 0; i < 4; i++)
        printf(i < 3 ? "%d " : "%d\n", roll(&sum));
    return 0;
}
