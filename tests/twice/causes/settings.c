/* settings.c - variables of the environment, or how large it is. */
#include "take.h"
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv)
{
    size_t size = 0;
    const char *home = getenv("HOME");
    for (char **e = environ; argc > 1 && !strcmp(argv[1], "size") && *e; e++)
        size += strlen(*e) + 1;
    if (!size)
        for (; home && *home; home++)
            size = size * 31 + (unsigned char)*home;
    printf("%zu %d\n", size, take((unsigned)(size >> 12)));
}
