/* file_times.c - times and numbers of files: those that files had before the first run, or a day
 * later, and others.
 *
 * Files that runs have made or changed have the time of the fixed clock. All times of a file are
 * that of its contents. */
#include "conditions/condition.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DAY = 86400 };

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit system");

static time_t time_of_file(time_t changed)
{
    time_t day = setting(SET_FILES) == 2 ? DAY : 0;
    bool known = (uint64_t)changed < setting(SET_SINCE);
    return known ? changed + day : (time_t)setting(SET_MADE);
}

/* The order of the changed numbers is the reverse, but for those that are 64 million apart. None
 * becomes one of the lowest, which are those of roots, nor do two become the same. */
uint64_t condition_file_number(uint64_t inode)
{
    enum { LOW = 0x3ff, SPAN = 0x3ffffff };
    uint64_t near = inode & SPAN;
    if (setting(SET_FILES) != 2 || near <= LOW)
        return inode;
    return (inode & ~(uint64_t)SPAN) | (SPAN + LOW + 1 - near);
}

static int set_times(int status, void *result)
{
    struct stat *st = result;
    if (status)
        return status;
    if (condition_is_device(st->st_dev, st->st_ino))
        (void)syscall(SYS_newfstatat, AT_FDCWD, "/dev/urandom", st, 0);
    const struct timespec t = {time_of_file(st->st_mtim.tv_sec), 0};
    st->st_atim = st->st_mtim = st->st_ctim = t;
    st->st_ino = condition_file_number(st->st_ino);
    return 0;
}

void condition_set_times(struct stat *st)
{
    if (setting(SET_FILES))
        (void)set_times(0, st);
}

#define IS_SET() (setting(SET_FILES) && !IS_OWN_CALL())
#define STAT(name, parameters, arguments, result)                                                  \
    WRAP int name parameters;                                                                      \
    int name parameters                                                                            \
    {                                                                                              \
        REAL(name);                                                                                \
        int status = real arguments;                                                               \
        return IS_SET() ? set_times(status, result) : status;                                      \
    }
STAT(stat, (const char *restrict path, struct stat *restrict st), (path, st), st)
STAT(stat64, (const char *restrict path, struct stat64 *restrict st), (path, st), st)
STAT(lstat, (const char *restrict path, struct stat *restrict st), (path, st), st)
STAT(lstat64, (const char *restrict path, struct stat64 *restrict st), (path, st), st)
STAT(fstat, (int fd, struct stat *st), (fd, st), st)
STAT(fstat64, (int fd, struct stat64 *st), (fd, st), st)
STAT(fstatat, (int dir, const char *restrict path, struct stat *restrict st, int flags),
     (dir, path, st, flags), st)
STAT(fstatat64, (int dir, const char *restrict path, struct stat64 *restrict st, int flags),
     (dir, path, st, flags), st)
/* Of programs that were linked with a C library before 2.33. */
STAT(__xstat, (int version, const char *path, struct stat *st), (version, path, st), st)
STAT(__xstat64, (int version, const char *path, struct stat64 *st), (version, path, st), st)
STAT(__lxstat, (int version, const char *path, struct stat *st), (version, path, st), st)
STAT(__lxstat64, (int version, const char *path, struct stat64 *st), (version, path, st), st)
STAT(__fxstat, (int version, int fd, struct stat *st), (version, fd, st), st)
STAT(__fxstat64, (int version, int fd, struct stat64 *st), (version, fd, st), st)
STAT(__fxstatat, (int version, int dir, const char *path, struct stat *st, int flags),
     (version, dir, path, st, flags), st)
STAT(__fxstatat64, (int version, int dir, const char *path, struct stat64 *st, int flags),
     (version, dir, path, st, flags), st)

WRAP int statx(int dir, const char *restrict path, int flags, unsigned mask,
               struct statx *restrict st)
{
    REAL(statx);
    int status = real(dir, path, flags, mask, st);
    if (status || !IS_SET())
        return status;
    const struct statx_timestamp t = {.tv_sec = time_of_file(st->stx_mtime.tv_sec)};
    st->stx_atime = st->stx_mtime = st->stx_ctime = st->stx_btime = t;
    st->stx_ino = condition_file_number(st->stx_ino);
    return 0;
}
