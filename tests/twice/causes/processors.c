/* processors.c - how many processors there are. */
#include "take.h"
#include <unistd.h>

int main(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    printf("%ld %d\n", count, take(count > 1));
}
