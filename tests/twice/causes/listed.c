/* listed.c - the files of a directory, listed in each way that there is. */
#define _GNU_SOURCE
#include "take.h"
#include <dirent.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void show(const char *name)
{
    if (name[0] != '.')
        printf("%s:%d ", name, take((unsigned)name[0]));
}

static void by_readdir_r(DIR *d)
{
    struct dirent entry, *e = NULL;
    while (!readdir_r(d, &entry, &e) && e)
        show(e->d_name);
}

static void by_scandir(void)
{
    struct dirent **list;
    int count = scandir("data", &list, NULL, NULL);
    for (int i = 0; i < count; i++) {
        show(list[i]->d_name);
        free(list[i]);
    }
    free(list);
}

static void by_fts(void)
{
    char path[] = "data", *paths[] = {path, NULL};
    FTS *f = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e; f && (e = fts_read(f));)
        if (e->fts_info == FTS_F)
            show(e->fts_name);
    fts_close(f);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "readdir64";
    DIR *d = opendir("data");
    if (!strcmp(how, "readdir_r"))
        by_readdir_r(d);
    else if (!strcmp(how, "scandir"))
        by_scandir();
    else if (!strcmp(how, "fts"))
        by_fts();
    else
        for (struct dirent64 *e; (e = readdir64(d));)
            show(e->d_name);
    closedir(d);
    puts("");
}
