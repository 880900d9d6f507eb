/* places.c - where the program is, by its argument: the working directory, or its own name. */
#include "take.h"
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char path[4096] = "";
    unsigned sum = 0;
    if (argc > 1 && !strcmp(argv[1], "cwd"))
        (void)!getcwd(path, sizeof path);
    else
        snprintf(path, sizeof path, "%s", argv[0]);
    for (const char *c = path; *c; c++)
        sum += (unsigned char)*c;
    printf("%s %d\n", path, take(sum));
}
