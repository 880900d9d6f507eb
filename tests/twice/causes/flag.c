/* flag.c - a member of a new block that is only tested, and never set. */
#include "take.h"
#include <stdlib.h>

struct job {
    int size, ready;
};

int main(void)
{
    struct job *j = malloc(sizeof *j);
    j->size = 3;
    printf("%d\n", j->ready ? take((unsigned)j->size) : take((unsigned)j->size + 1));
    free(j);
}
