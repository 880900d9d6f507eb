/* processors.c - how many processors there are, by the C library or by a file of the system. */
#include "take.h"
#include <string.h>
#include <unistd.h>

static long listed(void)
{
    char line[4096];
    long count = 0;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        count += !strncmp(line, "processor", 9);
    if (f)
        fclose(f);
    return count;
}

int main(int argc, char **argv)
{
    (void)argv;
    long count = argc > 1 ? listed() : sysconf(_SC_NPROCESSORS_ONLN);
    printf("%ld %d\n", count, take(count > 1));
}
