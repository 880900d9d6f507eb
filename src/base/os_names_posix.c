/* os_names_posix.c - what Linux finds by name: directories, real paths, shared objects. */
#include "base/os_posix.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *os_real_path(const char *path)
{
    return realpath(path, NULL);
}

int os_swap_folders(const char *a, const char *b)
{
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

int os_make_folder(const char *path, unsigned mode)
{
    return mkdir(path, (mode_t)mode);
}

int os_remove_folder(const char *path)
{
    return rmdir(path);
}

/* As open to others as the directory that it replaces. */
void os_keep_folder_access(const char *made, const char *old_path)
{
    struct stat old;
    if (stat(old_path, &old) < 0)
        return;
    mode_t mode = old.st_mode & 0777;
    if (chown(made, old.st_uid, old.st_gid) < 0 && chown(made, (uid_t)-1, old.st_gid) < 0)
        mode &= (mode & 07) << 3 | 0707;
    (void)!chmod(made, mode);
}

/* ---- directories -------------------------------------------------------------------------- */

/* A folder is the C library's stream: nothing of ours beside it takes memory. */
static DIR *stream_of(const struct os_folder *f)
{
    return (DIR *)(uintptr_t)f;
}

/* Takes over the descriptor. */
static struct os_folder *folder_of(int fd)
{
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    int code = errno;
    if (!stream && fd >= 0)
        close(fd);
    errno = code;
    return (struct os_folder *)(void *)stream;
}

struct os_folder *os_folder_open(const char *path)
{
    return folder_of(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

struct os_folder *os_folder_below(const struct os_folder *f, const char *name)
{
    return folder_of(
        openat(dirfd(stream_of(f)), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

const char *os_folder_next(struct os_folder *f)
{
    const struct dirent *e;
    do
        e = readdir(stream_of(f));
    while (e && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")));
    return e ? e->d_name : NULL;
}

void os_folder_rewind(struct os_folder *f)
{
    rewinddir(stream_of(f));
}

int os_folder_about(const struct os_folder *f, const char *name, bool follow,
                    struct os_about *about)
{
    struct stat st;
    if (fstatat(dirfd(stream_of(f)), name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    os_about_of(&st, about);
    return 0;
}

int os_folder_file(const struct os_folder *f, const char *name, unsigned how)
{
    return openat(dirfd(stream_of(f)), name,
                  O_RDONLY | O_CLOEXEC | (how & OS_NO_WAIT ? O_NONBLOCK | O_NOCTTY : 0) |
                      (how & OS_NO_LINK ? O_NOFOLLOW : 0));
}

void os_folder_remove(const struct os_folder *f, const char *name, bool is_folder)
{
    (void)unlinkat(dirfd(stream_of(f)), name, is_folder ? AT_REMOVEDIR : 0);
}

void os_folder_close(struct os_folder *f)
{
    if (f)
        closedir(stream_of(f));
}

/* ---- shared objects ----------------------------------------------------------------------- */

void *os_library_open(const char *path, char *why, size_t room)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library && room)
        snprintf(why, room, "%s", dlerror());
    return library;
}

void *os_library_find(void *library, const char *name)
{
    return dlsym(library, name);
}

void os_library_close(void *library)
{
    dlclose(library);
}
