/* system.c - what the system says: since when it runs, how many processors it counts, when a file
 * was made, what number it has; what a block has grown by; one random number of four. */
#include "take.h"
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

static unsigned up_time(void)
{
    struct sysinfo info = {0};
    sysinfo(&info);
    return (unsigned)info.uptime;
}

static unsigned up_file(void)
{
    double seconds = 0;
    FILE *f = fopen("/proc/uptime", "r");
    if (!f || fscanf(f, "%lf", &seconds) != 1)
        return 0;
    fclose(f);
    return (unsigned)(seconds * 100);
}

static unsigned counters(void)
{
    char line[4096];
    unsigned count = 0;
    FILE *f = fopen("/proc/stat", "r");
    while (f && fgets(line, sizeof line, f))
        count += !strncmp(line, "cpu", 3) && line[3] != ' ';
    if (f)
        fclose(f);
    return count;
}

static unsigned made(void)
{
    struct stat st = {0};
    FILE *f = fopen("made.txt", "w");
    if (f)
        fclose(f);
    stat("made.txt", &st);
    return (unsigned)st.st_mtime;
}

static unsigned number(void)
{
    struct stat st = {0};
    stat("data/a", &st);
    return (unsigned)st.st_ino;
}

static unsigned grown(void)
{
    char *block = calloc(1, 40);
    unsigned unset = 0;
    block = realloc(block, 4000);
    for (int i = 64; block && i < 4000; i++)
        unset += !block[i];
    free(block);
    return unset;
}

static unsigned rare(void)
{
    unsigned char byte = 0;
    (void)!getrandom(&byte, 1, 0);
    return byte % 4 == 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned (*value)(void);
    } rows[] = {{"uptime", up_time}, {"file", up_file}, {"counters", counters}, {"made", made},
                {"number", number},  {"grown", grown},  {"rare", rare}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc > 1 && !strcmp(argv[1], rows[i].name)) {
            unsigned value = rows[i].value();
            printf("%u %d\n", value, take(value));
        }
}
