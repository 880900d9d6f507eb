/* goldens.c - the golden traces, in memory or as a directory. */
#include "goldens.h"
#include "base/memory.h"
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names that are expectations or makers, not traces. */
static bool is_trace(const char *name)
{
    static const char *const others[] = {".jsonl", ".json", ".rc", ".md", ".py", ".build"};
    if (name[0] == '.' || name[0] == '_')
        return false;
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof others / sizeof *others; i++)
        if (!strcmp(dot, others[i]))
            return false;
    return true;
}

bool read_file(const char *path, uint8_t **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    if (!file || fstat(fileno(file), &st) < 0) {
        if (file)
            fclose(file);
        return false;
    }
    *size = (size_t)st.st_size;
    *bytes = malloc(*size + 1);
    bool good = *bytes && fread(*bytes, 1, *size, file) == *size;
    fclose(file);
    return good;
}

static bool add(struct goldens *g, const char *directory, const char *format, const char *name)
{
    char path[4096];
    struct stat st;
    if (!array_grow(&g->at, &g->room, g->count + 1, sizeof *g->at))
        return false;
    struct golden *one = &g->at[g->count];
    snprintf(path, sizeof path, "%s/%s/%s", directory, format, name);
    *one = (struct golden){.path = strdup(path), .name = strdup(path + strlen(directory) + 1)};
    if (!one->path || !one->name || stat(path, &st) < 0)
        return false;
    one->is_dir = S_ISDIR(st.st_mode);
    one->big = !strncmp(name, "big-", 4);
    g->count++;
    return one->is_dir || read_file(path, &one->bytes, &one->size);
}

static bool add_format(struct goldens *g, const char *directory, const char *format)
{
    char path[4096];
    struct dirent **names;
    snprintf(path, sizeof path, "%s/%s", directory, format);
    int count = scandir(path, &names, NULL, alphasort);
    if (count < 0)
        return errno == ENOTDIR;
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (good && is_trace(names[i]->d_name))
            good = add(g, directory, format, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return good;
}

bool goldens_load(struct goldens *g, const char *directory, const char *format)
{
    struct dirent **names;
    int count = scandir(directory, &names, NULL, alphasort);
    if (count < 0)
        return false;
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (good && is_trace(names[i]->d_name) && (!format || !strcmp(names[i]->d_name, format)))
            good = add_format(g, directory, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return good;
}

void goldens_free(struct goldens *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->at[i].path);
        free(g->at[i].name);
        free(g->at[i].bytes);
    }
    free(g->at);
    *g = (struct goldens){0};
}

int golden_open(const struct golden *g, struct ras_trace **t, struct ras_error *err)
{
    if (g->is_dir)
        return ras_open(t, g->path, NULL, err);
    return ras_open_memory(t, g->bytes, g->size, NULL, err);
}

bool golden_walk(const struct golden *g, struct walk *w)
{
    struct ras_trace *t;
    *w = (struct walk){.base = g->bytes, .size = g->size};
    if (golden_open(g, &t, &w->err) < 0)
        return false;
    if (walk_all(w, t, NULL) != RAS_END)
        complain("ends with status %d: %s", w->status, w->err.text);
    ras_close(t);
    return w->status == RAS_END;
}

uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

static bool copy_file(const char *from, const char *to)
{
    uint8_t *bytes = NULL;
    size_t size;
    FILE *out = fopen(to, "wb");
    bool good = out && read_file(from, &bytes, &size) && fwrite(bytes, 1, size, out) == size;
    free(bytes);
    return (out ? !fclose(out) : false) && good;
}

char *tree_copy(const char *path)
{
    const char *where = getenv("TMPDIR");
    char to[4096], *argv[] = {strdup(path), NULL};
    snprintf(to, sizeof to, "%s/rastrum-property-XXXXXX", where ? where : P_tmpdir);
    FTS *fts = mkdtemp(to) ? fts_open(argv, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    bool good = fts;
    for (FTSENT *e; good && (e = fts_read(fts));) {
        char target[8192];
        snprintf(target, sizeof target, "%s%s", to, e->fts_path + strlen(path));
        if (e->fts_info == FTS_D && e->fts_level > 0)
            good = !mkdir(target, 0755);
        else if (e->fts_info == FTS_F)
            good = copy_file(e->fts_path, target);
    }
    if (fts)
        fts_close(fts);
    free(argv[0]);
    return good ? strdup(to) : NULL;
}

void tree_remove(char *path)
{
    char *argv[] = {path, NULL};
    FTS *fts = path ? fts_open(argv, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    for (FTSENT *e; fts && (e = fts_read(fts));)
        if (e->fts_info != FTS_D)
            (void)remove(e->fts_accpath);
    if (fts)
        fts_close(fts);
    free(path);
}

char **tree_files(const char *path)
{
    char *argv[] = {strdup(path), NULL}, **files = NULL;
    size_t count = 0, room = 0;
    FTS *fts = fts_open(argv, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e; fts && (e = fts_read(fts));)
        if (e->fts_info == FTS_F && array_grow(&files, &room, count + 2, sizeof *files))
            files[count++] = strdup(e->fts_path);
    if (files)
        files[count] = NULL;
    if (fts)
        fts_close(fts);
    free(argv[0]);
    return files;
}

void tree_files_free(char **files)
{
    for (char **f = files; f && *f; f++)
        free(*f);
    free(files);
}
