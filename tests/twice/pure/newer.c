/* newer.c - a file that it has just written is not older than one that was there, nor of a time to
 * come. */
#include "take.h"
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct stat old, new;
    FILE *f = fopen("made.txt", "w");
    fputs("x\n", f);
    fclose(f);
    if (stat("data/a", &old) || stat("made.txt", &new))
        return 1;
    printf("%d %d\n", take(new.st_mtime >= old.st_mtime), take(new.st_mtime <= time(NULL)));
    return unlink("made.txt");
}
