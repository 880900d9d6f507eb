/* mcp_roots.h - the directories that traces are read from, and files below them.
 *
 * A path is resolved first, then opened from its root down without following any link: what is
 * exchanged for a link in between is not opened. */
#ifndef MCP_MCP_ROOTS_H
#define MCP_MCP_ROOTS_H

#include <rastrum/rastrum.h>

struct mcp_root {
    char *path; /* without links and dots */
    int fd;
};

struct mcp_roots {
    struct mcp_root *at;
    size_t count, room;
    const char *url_hint; /* what to do instead of a URL, or NULL */
};

int roots_add(struct mcp_roots *roots, const char *path, struct ras_error *err);
void roots_free(struct mcp_roots *roots);

/* "scheme://...": no path of a file. */
bool roots_is_url(const char *path);
/* A descriptor of a regular file or a directory; relative paths begin at the first root that has
 * them. *real is its path without links, to be freed. RAS_EREFUSED: it is not below a root. */
int roots_open(const struct mcp_roots *roots, const char *path, int *fd, char **real,
               struct ras_error *err);
/* Open a path below a directory without following links; with `walks`, level by level, as systems
 * without openat2() need. -1: errno. */
int root_open_below(int dir, const char *path, bool walks);

/* The regular files below a directory, mapped into memory: as a trace is read from a directory, but
 * links are left out. */
struct mcp_files {
    struct ras_part *parts; /* sorted by their names */
    size_t count, room;
    uint64_t identity; /* changes with names, sizes, times and the first 4 KiB of each */
    bool is_folder;
};
/* `fd` is a file or a directory and stays the caller's. */
int files_open(struct mcp_files *files, int fd, struct ras_error *err);
void files_close(struct mcp_files *files);

/* Call `each` on the files and directories below one, at most `depth` levels; it returns whether to
 * go into a directory. Links and names that begin with a dot are left out. False: `goes_on` ended
 * it. */
struct mcp_walk {
    unsigned depth;
    bool (*each)(void *user, const char *path, int fd, bool is_folder);
    bool (*goes_on)(void *user);
    void *user;
};
bool files_walk(int fd, const struct mcp_walk *walk);
#endif
