/* pid_seed.c - a seed from the process id. */
#include "take.h"
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    srand((unsigned)getpid());
    for (int i = 0; i < 6; i++)
        printf("%d ", take((unsigned)rand() >> 4));
    puts("");
}
