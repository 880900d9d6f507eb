/* goldens.h - the golden traces, in memory or as a directory. */
#ifndef PROPERTY_GOLDENS_H
#define PROPERTY_GOLDENS_H

#include "walk.h"

struct golden {
    char *path, *name; /* name: FORMAT/FILE */
    bool is_dir;
    bool big; /* too long for tests of every byte */
    uint8_t *bytes;
    size_t size;
};

struct goldens {
    struct golden *at;
    size_t count, room;
};

/* Every trace below the directory of goldens, or those of one format; sorted.
 * False: cannot be read. */
bool goldens_load(struct goldens *g, const char *directory, const char *format);
void goldens_free(struct goldens *g);

/* Open a golden, or a copy of bytes at their exact size. */
int golden_open(const struct golden *g, struct ras_trace **t, struct ras_error *err);
/* Everything it delivers by default. Reports it when it does not open; its format may refuse it,
 * then false. */
bool golden_walk(const struct golden *g, struct walk *w);

/* A whole file; free() its bytes. */
bool read_file(const char *path, uint8_t **bytes, size_t *size);
/* An exact copy, so that a sanitizer detects a read beyond it. */
uint8_t *exact_copy(const uint8_t *bytes, size_t size);

/* Copy a directory tree into a new temporary one; its path, to be given to
 * tree_remove(). NULL: cannot. */
char *tree_copy(const char *path);
void tree_remove(char *path);
/* The regular files below a directory, as paths; the list ends with NULL. */
char **tree_files(const char *path);
void tree_files_free(char **files);
#endif
