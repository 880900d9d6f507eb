/* listed.c - the files of a directory, listed in each way that there is. */
#define _GNU_SOURCE
#include "take.h"
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
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

static int visit(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    if (kind == FTW_F)
        show(path + place->base);
    return 0;
}

static void by_glob(void)
{
    glob_t g = {0};
    glob("data/*", GLOB_NOSORT, NULL, &g);
    for (size_t i = 0; i < g.gl_pathc; i++)
        show(g.gl_pathv[i] + 5);
    globfree(&g);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "readdir64";
    DIR *d = opendir("data");
    if (!strcmp(how, "readdir_r"))
        by_readdir_r(d);
    else if (!strcmp(how, "nftw"))
        nftw("data", visit, 4, FTW_PHYS);
    else if (!strcmp(how, "glob"))
        by_glob();
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
