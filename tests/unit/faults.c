/* faults.c - system calls that fail on request. */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Writers have threads of their own: what they touch is atomic. */
static struct {
    _Atomic unsigned calls;
    _Atomic unsigned at;
    _Atomic int error;
    _Atomic enum fault_way way;
    _Atomic bool armed;
    _Atomic bool hit;
} state;

void faults_count(void)
{
    state.calls = 0;
    state.armed = state.hit = false;
}

void faults_arm(unsigned call, int error, enum fault_way way)
{
    state.calls = 0;
    state.at = call;
    state.error = error;
    state.way = way;
    state.armed = true;
    state.hit = false;
}

unsigned faults_stop(void)
{
    state.armed = false;
    return state.calls;
}

bool faults_hit(void)
{
    return state.hit;
}

bool faults_stayed(void)
{
    return state.hit && state.way != FAULT_ONCE;
}

/* Whether this call fails; errno is set then. */
static bool fails(void)
{
    unsigned call = state.calls++;
    bool since = state.way == FAULT_SINCE ? call >= state.at : call == state.at;
    if (state.way == FAULT_TORN)
        since = call > state.at;
    if (!state.armed || !since || state.way == FAULT_SHORT)
        return false;
    state.hit = true;
    errno = state.error;
    return true;
}

/* The bytes that a write takes: asked before fails() counts it. */
static size_t taken(size_t size)
{
    bool half = state.armed && state.calls == state.at && size > 1 &&
                (state.way == FAULT_SHORT || state.way == FAULT_TORN);
    return half ? size / 2 : size;
}

void faults_everywhere(void (*work)(void *user), void *user)
{
    static const int errors[] = {ENOSPC, EIO, EPIPE};
    faults_count();
    work(user);
    unsigned calls = state.calls;
    for (unsigned call = 0; call < calls; call++) {
        for (unsigned e = 0; e < sizeof errors / sizeof *errors; e++)
            for (int way = FAULT_ONCE; way <= FAULT_TORN; way++) {
                faults_arm(call, errors[e], (enum fault_way)way);
                work(user);
                faults_stop();
            }
    }
}

/* The linker's names: it calls __wrap_X for X, and __real_X is X. */
ssize_t __real_write(int, const void *, size_t);
ssize_t __wrap_write(int, const void *, size_t);
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    size_t n = taken(size);
    return fails() ? -1 : __real_write(fd, bytes, n);
}

/* With offsets of 64 bits the C library gives these calls other names. */
ssize_t __real_pwrite64(int, const void *, size_t, off_t);
ssize_t __wrap_pwrite64(int, const void *, size_t, off_t);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t size, off_t at)
{
    size_t n = taken(size);
    return fails() ? -1 : __real_pwrite64(fd, bytes, n, at);
}

int __real_fsync(int);
int __wrap_fsync(int);
int __wrap_fsync(int fd)
{
    return fails() ? -1 : __real_fsync(fd);
}

int __real_ftruncate64(int, off_t);
int __wrap_ftruncate64(int, off_t);
int __wrap_ftruncate64(int fd, off_t size)
{
    return fails() ? -1 : __real_ftruncate64(fd, size);
}

static int mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
}

int __real_open64(const char *, int, ...);
int __wrap_open64(const char *, int, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int mode = mode_of(flags, args);
    va_end(args);
    return fails() ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int, const char *, int, ...);
int __wrap_openat64(int, const char *, int, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int mode = mode_of(flags, args);
    va_end(args);
    return fails() ? -1 : __real_openat64(dir, path, flags, mode);
}

int __real_posix_fallocate64(int, off_t, off_t);
int __wrap_posix_fallocate64(int, off_t, off_t);
int __wrap_posix_fallocate64(int fd, off_t at, off_t size)
{
    return fails() ? errno : __real_posix_fallocate64(fd, at, size);
}

int __real_mkdir(const char *, mode_t);
int __wrap_mkdir(const char *, mode_t);
int __wrap_mkdir(const char *path, mode_t mode)
{
    return fails() ? -1 : __real_mkdir(path, mode);
}

int __real_rename(const char *, const char *);
int __wrap_rename(const char *, const char *);
int __wrap_rename(const char *from, const char *to)
{
    return fails() ? -1 : __real_rename(from, to);
}

int __real_renameat2(int, const char *, int, const char *, unsigned);
int __wrap_renameat2(int, const char *, int, const char *, unsigned);
int __wrap_renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    return fails() ? -1 : __real_renameat2(a, from, b, to, flags);
}

int __real_linkat(int, const char *, int, const char *, int);
int __wrap_linkat(int, const char *, int, const char *, int);
int __wrap_linkat(int a, const char *from, int b, const char *to, int flags)
{
    return fails() ? -1 : __real_linkat(a, from, b, to, flags);
}
