/* modified.c - when a file was changed. */
#include "take.h"
#include <sys/stat.h>

int main(void)
{
    struct stat st;
    if (stat("data/a", &st) == 0)
        printf("%ld %d\n", (long)st.st_mtime / 86400, take((unsigned)(st.st_mtime / 86400)));
}
