/* tree_copy.h - copies of a directory to run in, and which files a run has written there. */
#ifndef TWICE_TREE_COPY_H
#define TWICE_TREE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TREE_FILES_MOST = 4096, TREE_DEPTH_MOST = 32 };
#define TREE_BYTES_MOST (UINT64_C(64) << 20)

/* A file, directory or link below a directory. */
struct tree_entry {
    char *name; /* its path below the directory */
    uint32_t mode;
    uint64_t size, inode;
    int64_t changed_ns; /* of its contents */
    uint8_t sha256[32]; /* of a file that was hashed */
    bool hashed;
};

/* Sorted by name. */
struct tree {
    struct tree_entry *entries;
    size_t count, room;
    uint64_t bytes;
    uint64_t skip[2]; /* device and inode of a directory that is left out; 0: none */
    const char *why;  /* it is not complete: there is too much, or memory is short; NULL: it is */
};

/* `skip` is the path of a directory to leave out; NULL: none. */
void tree_scan(struct tree *, const char *dir, const char *skip);
void tree_free(struct tree *);
/* Copy what is in the tree of `from` to a new directory `to`; false: not possible. */
bool tree_copy(const struct tree *, const char *from, const char *to);
/* Remove it all, and the directory; what is not there is fine. */
void tree_remove(const char *dir);
/* The bytes of all files below a directory. */
uint64_t tree_bytes(const char *dir);
/* What a run has written in `dir`: what is new or changed since `before`, hashed, and what was
 * removed, with the mode 0. */
void tree_written(const struct tree *before, const char *dir, struct tree *written);
/* Leave out entries of which neither the path nor its last name matches one of the patterns. */
void tree_keep(struct tree *, const char *const *patterns, size_t count);
/* The number of names that differ between what two runs have written; the first, with what is
 * wrong with it. */
size_t tree_differences(const struct tree *a, const struct tree *b, const char **first,
                        const char **what);
#endif
