/* mcp_roots.c - paths below the roots: resolved, compared, then opened without following links. */
#include "mcp/mcp_roots.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A pipe without a writer does not block, and a terminal does not become ours. */
enum { OPEN_HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW };

/* ---- below a directory ---------------------------------------------------------------------- */

/* Every level is opened from the one above it: none of them may be a link. */
static int open_by_walk(int dir, const char *path)
{
    char name[NAME_MAX + 1];
    int at = dir;
    for (;;) {
        const char *end = strchrnul(path, '/');
        size_t len = (size_t)(end - path);
        if (len >= sizeof name || !len || !strncmp(path, "..", len > 2 ? len : 2)) {
            if (at != dir)
                os_close(at);
            errno = len >= sizeof name ? ENAMETOOLONG : EINVAL;
            return -1;
        }
        memcpy(name, path, len);
        name[len] = 0;
        int next = openat(at, name, *end ? OPEN_HOW | O_DIRECTORY : OPEN_HOW);
        int why = errno;
        if (at != dir)
            os_close(at);
        errno = why;
        if (next < 0 || !*end)
            return next;
        at = next;
        path = end + 1;
    }
}

int root_open_below(int dir, const char *path, bool walks)
{
    struct open_how how = {.flags = OPEN_HOW,
                           .resolve =
                               RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    if (!*path)
        path = ".";
    if (!walks) {
        long fd = syscall(SYS_openat2, dir, path, &how, sizeof how);
        if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
            return (int)fd;
    }
    return open_by_walk(dir, path);
}

/* ---- roots ---------------------------------------------------------------------------------- */

int roots_add(struct mcp_roots *roots, const char *path, struct ras_error *err)
{
    if (!array_grow(&roots->at, &roots->room, roots->count + 1, sizeof *roots->at))
        return fail_memory(err);
    char *real = os_real_path(path);
    int fd = real ? open(real, OPEN_HOW | O_DIRECTORY) : -1;
    if (fd < 0) {
        free(real);
        return fail_os(err, path);
    }
    roots->at[roots->count++] = (struct mcp_root){real, fd};
    return RAS_OK;
}

void roots_free(struct mcp_roots *roots)
{
    for (size_t i = 0; i < roots->count; i++) {
        os_close(roots->at[i].fd);
        free(roots->at[i].path);
    }
    free(roots->at);
    *roots = (struct mcp_roots){0};
}

/* The rest of a path below a root; NULL: it is not below it. */
static const char *below(const struct mcp_root *root, const char *real)
{
    size_t len = strlen(root->path);
    if (len == 1) /* the root of the file system */
        return real + 1;
    if (strncmp(real, root->path, len) != 0 || (real[len] && real[len] != '/'))
        return NULL;
    return real[len] ? real + len + 1 : real + len;
}

static const char *below_any(const struct mcp_roots *roots, const char *real, int *dir)
{
    for (size_t i = 0; i < roots->count; i++) {
        const char *rest = below(&roots->at[i], real);
        *dir = roots->at[i].fd;
        if (rest)
            return rest;
    }
    return NULL;
}

static int refuse(const struct mcp_roots *roots, const char *path, struct ras_error *err)
{
    return fail(err, RAS_EREFUSED, RAS_NONE, "%.100s is not below a root; the %s %.90s", path,
                roots->count > 1 ? "first root is" : "root is", roots->at[0].path);
}

/* The path without links, of the first root that has it. */
static char *roots_real(const struct mcp_roots *roots, const char *path)
{
    char joined[PATH_MAX], *real = NULL;
    if (*path == '/')
        return os_real_path(path);
    for (size_t i = 0; !real && i < roots->count; i++) {
        int n = snprintf(joined, sizeof joined, "%s/%s", roots->at[i].path, path);
        errno = ENAMETOOLONG;
        real = n > 0 && (size_t)n < sizeof joined ? os_real_path(joined) : NULL;
    }
    return real;
}

bool roots_is_url(const char *path)
{
    return strstr(path, "://");
}

int roots_open(const struct mcp_roots *roots, const char *path, int *fd, char **real,
               struct ras_error *err)
{
    struct os_about about;
    int dir;
    *fd = -1;
    *real = NULL;
    if (roots_is_url(path))
        return fail(err, RAS_EREFUSED, RAS_NONE,
                    "this server reads no URLs; %s%sdownload the trace to a root",
                    roots->url_hint ? roots->url_hint : "", roots->url_hint ? ", or " : "");
    char *found = roots_real(roots, path);
    /* What exists elsewhere and what does not are refused alike. */
    if (!found && *path == '/' && !below_any(roots, path, &dir))
        return refuse(roots, path, err);
    if (!found)
        return fail_os(err, "cannot open");
    const char *rest = below_any(roots, found, &dir);
    int opened = rest ? root_open_below(dir, rest, false) : -1;
    int status = RAS_OK;
    if (!rest)
        status = refuse(roots, path, err);
    else if (opened < 0)
        status = fail_os(err, "cannot open");
    else if (os_about_fd(opened, &about) < 0)
        status = fail_os(err, "cannot open");
    else if (about.kind != OS_FILE && about.kind != OS_FOLDER)
        status = fail(err, RAS_EUNSUPPORTED, RAS_NONE, "it is a pipe or a device, not a file");
    if (status < 0) {
        if (opened >= 0)
            os_close(opened);
        free(found);
        return status;
    }
    *fd = opened;
    *real = found;
    return RAS_OK;
}
