/* view_beside.c - what the only operand of view may be compared with: its like beside it. */
#include "cli/view_beside.h"
#include "cli/host.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BESIDE_MOST = 64, BESIDE_READ = 1024 };

/* Whether two paths may be compared, as far as their names tell: run directories, or files with the
 * same ending. */
static bool view_is_like(const struct common *c, const char *path, const char *other)
{
    struct stat about;
    const char *end = strrchr(path, '.'), *other_end = strrchr(other, '.');
    if (is_run(c, path))
        return is_run(c, other);
    return end && other_end && !strcmp(end, other_end) && stat(other, &about) == 0 &&
           S_ISREG(about.st_mode);
}

static int view_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Paths of what is in the folder beside `name` and like it, sorted, to be freed; how many. A folder
 * with very many entries is not read to its end: the page is to be there at once. */
static size_t view_list_beside(const struct common *c, const char *path, const char *folder,
                               const char *name, char *found[BESIDE_MOST])
{
    char other[PATH_MAX];
    size_t count = 0;
    DIR *dir = opendir(folder);
    struct dirent *entry;
    for (int i = 0; dir && i < BESIDE_READ && count < BESIDE_MOST && (entry = readdir(dir)); i++) {
        int size = snprintf(other, sizeof other, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, name) || size >= (int)sizeof other ||
            !view_is_like(c, path, other))
            continue;
        found[count] = strdup(other);
        count += found[count] != NULL;
    }
    if (dir)
        closedir(dir);
    qsort(found, count, sizeof *found, view_by_name);
    return count;
}

void view_offer_beside(const struct common *c, struct ras_view *view, const struct ras_options *how)
{
    const char *path = c->operands.items[0];
    char *whole = host_real_path(path), *found[BESIDE_MOST];
    struct ras_error ignored;
    if (!whole || !strcmp(whole, "/")) {
        free(whole);
        return;
    }
    char *name = strrchr(whole, '/');
    *name++ = '\0';
    size_t count = view_list_beside(c, path, *whole ? whole : "/", name, found);
    (void)!ras_view_offer(view, path, how, &ignored);
    for (size_t i = 0; i < count; i++) {
        (void)!ras_view_offer(view, found[i], how, &ignored);
        free(found[i]);
    }
    free(whole);
}
