/* written.c - a random number in a file, and nowhere else. */
#include "take.h"
#include <sys/random.h>

int main(void)
{
    unsigned v = 0;
    FILE *f = fopen("written.txt", "w");
    (void)!getrandom(&v, sizeof v, 0);
    if (f) {
        fprintf(f, "%u\n", v);
        fclose(f);
    }
    puts("done");
}
