/* file.c - whole reads and writes, temporary files and names. */
#include "base/file.h"
#include "base/error.h"
#include "base/map.h"
#include "base/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int file_temporary(struct ras_error *err)
{
    int fd = os_temporary();
    return fd < 0 ? fail_os(err, "cannot make a temporary file") : fd;
}

char *file_name_beside(const char *path)
{
    struct timespec now;
    const char *slash = strrchr(path, '/');
    int above = slash ? (int)(slash + 1 - path) : 0;
    size_t room = (size_t)above + sizeof ".rastrum-0123456789abcdef";
    char *name = malloc(room);
    clock_gettime(CLOCK_REALTIME, &now);
    if (name)
        snprintf(name, room, "%.*s.rastrum-%08lx%08lx", above, path,
                 (unsigned long)os_process_id() & 0xffffffff,
                 (unsigned long)now.tv_nsec & 0xffffffff);
    return name;
}

bool file_is_beside(const char *name)
{
    return !strncmp(name, ".rastrum-", 9) && strlen(name) == 25 &&
           strspn(name + 9, "0123456789abcdef") == 16;
}

char *file_pending(const char *path)
{
    const char *slash = strrchr(path, '/'), *name;
    int above = slash ? (int)(slash + 1 - path) : 0;
    char *dir = malloc((size_t)above + 2), *found = NULL;
    struct os_about about;
    if (!dir)
        return NULL;
    snprintf(dir, (size_t)above + 2, "%.*s", above ? above : 1, above ? path : ".");
    struct os_folder *folder = os_folder_open(dir);
    size_t room = (size_t)above + sizeof ".rastrum-0123456789abcdef", count = 0;
    while (folder && (name = os_folder_next(folder))) {
        if (!file_is_beside(name) || os_folder_about(folder, name, false, &about) < 0 ||
            about.kind != OS_FOLDER)
            continue;
        count++;
        found = found ? found : malloc(room);
        if (found)
            snprintf(found, room, "%.*s%s", above, path, name);
    }
    os_folder_close(folder);
    free(dir);
    if (count == 1)
        return found;
    free(found);
    return NULL;
}

/* Another process that shares the pipe or terminal may have made it non-blocking. */
static bool try_again(int fd)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN)
        return false;
    (void)os_wait(fd, true, -1);
    return true;
}

int file_write_all(int fd, const void *bytes, size_t n, struct ras_error *err)
{
    const uint8_t *at = bytes;
    while (n) {
        int64_t wrote = os_write(fd, at, n);
        if (wrote < 0 && try_again(fd))
            continue;
        if (wrote < 0)
            return fail_os(err, "write");
        at += wrote;
        n -= (size_t)wrote;
    }
    return RAS_OK;
}

int file_write_at(int fd, const void *bytes, size_t n, uint64_t offset, struct ras_error *err)
{
    const uint8_t *at = bytes;
    while (n) {
        int64_t wrote = os_write_at(fd, at, n, offset);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return fail_os(err, "write");
        at += wrote;
        offset += (uint64_t)wrote;
        n -= (size_t)wrote;
    }
    return RAS_OK;
}

int64_t file_read_at(int fd, void *bytes, size_t n, uint64_t offset, struct ras_error *err)
{
    size_t have = 0;
    while (have < n) {
        int64_t got = os_read_at(fd, (uint8_t *)bytes + have, n - have, offset + have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_os(err, "read");
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (int64_t)have;
}

struct ras_bytes file_map(const char *path)
{
    struct os_about about;
    int fd = os_open(path, OS_READ | OS_NO_WAIT);
    void *at = NULL;
    if (fd >= 0 && os_about_fd(fd, &about) == 0 && about.kind == OS_FILE && about.size &&
        about.size <= SIZE_MAX)
        at = map_open(fd, (size_t)about.size);
    if (fd >= 0)
        os_close(fd);
    return at ? (struct ras_bytes){at, (size_t)about.size} : (struct ras_bytes){0};
}

void file_unmap(struct ras_bytes bytes)
{
    if (bytes.at)
        map_close((void *)(uintptr_t)bytes.at, bytes.len);
}

void file_sync_name(const char *path)
{
    char above[4096];
    const char *slash = strrchr(path, '/');
    int len = slash ? (int)(slash - path) + (slash == path) : 0;
    if (len >= (int)sizeof above)
        return;
    snprintf(above, sizeof above, "%.*s", len ? len : 1, len ? path : ".");
    (void)os_sync_folder(above);
}
