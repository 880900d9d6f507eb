/* os_posix.c - Linux, with glibc or musl: files, directories, maps, times and errors; see os.h. */
#include "base/os.h"
#include "base/map.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE /* musl does not know it; the numbers are those of linux/fs.h */
#define RENAME_NOREPLACE (1 << 0)
#define RENAME_EXCHANGE  (1 << 1)
static int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned how)
{
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, how);
}
#endif

/* ---- what a name or a descriptor refers to ----------------------------------------------- */

static void about_of(const struct stat *st, struct os_about *about)
{
    *about = (struct os_about){.kind = S_ISREG(st->st_mode)   ? OS_FILE
                                       : S_ISDIR(st->st_mode) ? OS_FOLDER
                                       : S_ISLNK(st->st_mode) ? OS_LINK
                                                              : OS_OTHER,
                               .size = (uint64_t)st->st_size,
                               .links = (uint64_t)st->st_nlink,
                               .mtime_ns =
                                   (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
                               .mode = st->st_mode & 07777,
                               .owner = st->st_uid,
                               .group = st->st_gid};
}

int os_about(const char *path, struct os_about *about)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return -1;
    about_of(&st, about);
    return 0;
}

int os_about_link(const char *path, struct os_about *about)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return -1;
    about_of(&st, about);
    return 0;
}

int os_about_fd(int fd, struct os_about *about)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -1;
    about_of(&st, about);
    return 0;
}

int os_may_write(const char *path)
{
    return access(path, W_OK);
}

/* ---- open files --------------------------------------------------------------------------- */

int os_open(const char *path, unsigned how)
{
    static const int flags[] = {O_RDONLY, O_WRONLY, O_RDWR};
    return open(path, flags[how & 3] | O_CLOEXEC | (how & OS_NO_WAIT ? O_NONBLOCK | O_NOCTTY : 0) |
                          (how & OS_NO_LINK ? O_NOFOLLOW : 0));
}

int os_create(const char *path, bool fresh, unsigned mode)
{
    int how = fresh ? O_EXCL | O_RDWR : O_TRUNC | O_WRONLY;
    return open(path, O_CREAT | O_CLOEXEC | how, (mode_t)mode);
}

/* In $TMPDIR, or the system's directory for large temporary files. */
int os_temporary(void)
{
    const char *named = getenv("TMPDIR");
    const char *const places[] = {named && *named ? named : "/var/tmp", "/var/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int fd = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0)
            return fd;
        char name[4096];
        if (snprintf(name, sizeof name, "%s/rastrum-XXXXXX", places[i]) >= (int)sizeof name)
            continue;
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0) {
            unlink(name);
            return fd;
        }
    }
    return -1;
}

/* It can be given a name only through /proc. */
int os_create_nameless(const char *beside, unsigned mode)
{
    char folder[4096];
    const char *slash = strrchr(beside, '/');
    int len = slash ? (int)(slash + 1 - beside) : 0;
    if (access("/proc/self/fd", X_OK) < 0 || len >= (int)sizeof folder)
        return -1;
    snprintf(folder, sizeof folder, "%.*s", len ? len : 1, len ? beside : ".");
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode);
}

int os_name_file(int fd, const char *name)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

int os_dup(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void os_close(int fd)
{
    close(fd);
}

int64_t os_read(int fd, void *bytes, size_t size)
{
    return read(fd, bytes, size);
}

int64_t os_write(int fd, const void *bytes, size_t size)
{
    return write(fd, bytes, size);
}

int64_t os_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    return pread(fd, bytes, size, (off_t)offset);
}

int64_t os_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    return pwrite(fd, bytes, size, (off_t)offset);
}

int64_t os_position(int fd)
{
    return lseek(fd, 0, SEEK_CUR);
}

int os_cut(int fd, uint64_t size)
{
    return ftruncate(fd, (off_t)size) < 0 || lseek(fd, (off_t)size, SEEK_SET) < 0 ? -1 : 0;
}

int os_reserve(int fd, uint64_t size)
{
    int code = posix_fallocate(fd, 0, (off_t)size);
    errno = code ? code : errno;
    return code ? -1 : 0;
}

int os_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB);
}

int os_sync(int fd)
{
    return fsync(fd);
}

int os_punch(int fd, uint64_t from, uint64_t size)
{
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)size);
}

void os_begin_writeback(int fd, uint64_t from, uint64_t size)
{
    sync_file_range(fd, (off_t)from, (off_t)size, SYNC_FILE_RANGE_WRITE);
}

int os_wait(int fd, bool to_write, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = to_write ? POLLOUT : POLLIN};
    return poll(&p, 1, timeout_ms);
}

/* ---- access ------------------------------------------------------------------------------- */

/* Extended attributes, access control lists among them; those that the file system refuses are
 * dropped. */
static void keep_attributes(int fd, const char *old_path)
{
    enum { NAMES = 4096, VALUE = 16384 };
    char names[NAMES], value[VALUE];
    ssize_t len = listxattr(old_path, names, sizeof names);
    for (const char *name = names; len > 0 && name < names + len; name += strlen(name) + 1) {
        ssize_t size = -1;
        if (!strncmp(name, "user.", 5) || !strcmp(name, "system.posix_acl_access"))
            size = getxattr(old_path, name, value, sizeof value);
        if (size >= 0)
            (void)!fsetxattr(fd, name, value, (size_t)size, 0);
    }
}

void os_keep_access(int fd, const struct os_about *old, const char *old_path)
{
    struct stat now;
    mode_t mode = old->mode & 0777;
    if (fstat(fd, &now) < 0)
        return;
    bool same = now.st_uid == old->owner && now.st_gid == old->group;
    if (!same && fchown(fd, old->owner, old->group) < 0 && fchown(fd, (uid_t)-1, old->group) < 0 &&
        now.st_gid != old->group)
        mode &= (mode & 07) << 3 | 0707;
    (void)!fchmod(fd, mode);
    keep_attributes(fd, old_path);
}

/* ---- names -------------------------------------------------------------------------------- */

int os_rename(const char *from, const char *to, bool replace)
{
    unsigned how = replace ? 0 : RENAME_NOREPLACE;
    int done = renameat2(AT_FDCWD, from, AT_FDCWD, to, how);
    if (done < 0 && how && errno == EINVAL) /* a file system without RENAME_NOREPLACE */
        done = rename(from, to);
    return done;
}

int os_remove(const char *path)
{
    return unlink(path);
}

int os_sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int done = fsync(fd), code = errno;
    close(fd);
    errno = code;
    return done < 0 && code == EINVAL ? 0 : done;
}

/* ---- the rest ----------------------------------------------------------------------------- */

uint64_t os_boot_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_BOOTTIME, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

int os_sleep(int ms)
{
    return poll(NULL, 0, ms);
}

unsigned os_process_id(void)
{
    return (unsigned)getpid();
}

unsigned os_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 1 ? (unsigned)n : 1;
}

/* There are two strerror_r(): one returns the text, one a status and fills the buffer. */
static const char *text_returned(const char *text, const char *buffer)
{
    (void)buffer;
    return text;
}

static const char *text_filled(int status, const char *buffer)
{
    return status == 0 ? buffer : "unknown error";
}

void os_error_text(int code, char *text, size_t room)
{
    char buffer[128] = "";
    const char *found = _Generic(strerror_r(code, buffer, sizeof buffer),
                                 char *: text_returned,
                                 int: text_filled)(strerror_r(code, buffer, sizeof buffer), buffer);
    snprintf(text, room, "%s", found);
}

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

/* The access rights of the directory that it replaces. */
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

/* A folder is the DIR of the C library itself, so that it needs no allocation of its own. */
static DIR *stream_of(const struct os_folder *f)
{
    return (DIR *)(uintptr_t)f;
}

/* Takes over the descriptor. */
static struct os_folder *folder_of_fd(int fd)
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
    return folder_of_fd(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

struct os_folder *os_folder_below(const struct os_folder *f, const char *name)
{
    return folder_of_fd(
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
    about_of(&st, about);
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

void *map_open(int fd, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

void *map_resize(void *at, size_t old, size_t size, int fd, bool may_move)
{
    (void)fd; /* the kernel knows it */
    at = mremap(at, old, size, may_move ? MREMAP_MAYMOVE : 0);
    return at == MAP_FAILED ? NULL : at;
}

void map_close(void *at, size_t size)
{
    munmap(at, size);
}
