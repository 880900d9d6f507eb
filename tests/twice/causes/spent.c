/* spent.c - time of the processor that it has taken so far, in milliseconds. */
#include "take.h"
#include <string.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct rusage r;
    long ms = (long)clock() / (CLOCKS_PER_SEC / 1000);
    if (argc > 1 && !strcmp(argv[1], "usage") && !getrusage(RUSAGE_SELF, &r))
        ms = r.ru_utime.tv_sec * 1000 + r.ru_utime.tv_usec / 1000;
    printf("%ld ms %d\n", ms, take((unsigned)ms));
}
