/* file_list.h - the files of a directory, from what its server shows: a page of links, or the list
 * of a bucket. */
#ifndef REMOTE_FILE_LIST_H
#define REMOTE_FILE_LIST_H

#include <rastrum/rastrum.h>

struct listed_file {
    char *name;    /* below the directory; one that ends with '/' is a directory to list */
    uint64_t size; /* RAS_NONE: not said */
};

struct file_list {
    struct listed_file *at;
    size_t count, room;
};

enum { FILE_LIST_NAME = 4096 };

/* Append what the <a href> of a page lead to: files and directories below the page itself, whose
 * path is `path`, percent-encoded and with '/' at its end. What leads elsewhere, has a query, or is
 * hidden is skipped. Names get `below` before them. False: no memory. */
bool file_list_page(struct file_list *, struct ras_bytes html, const char *path, const char *below);
/* Append the objects of one answer of ListObjectsV2 whose keys begin with `prefix`. `next` becomes
 * the token of the answer that follows, empty after the last. False: no memory. */
bool file_list_bucket(struct file_list *, struct ras_bytes xml, const char *prefix, char *next,
                      size_t room);
/* Whether it is a whole answer of ListObjectsV2. */
bool file_list_is_bucket(struct ras_bytes xml);
/* Whether the bucket has more files than this answer. */
bool file_list_goes_on(struct ras_bytes xml);
/* Sort by name, each once. */
void file_list_sort(struct file_list *);
void file_list_free(struct file_list *);
#endif
