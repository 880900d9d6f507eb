/* fixed_random.c - random numbers of the system, as a sequence by a seed, of each thread its own.
 */
#include "conditions/condition.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))

enum { DEVICE_SIZE = 4 << 20, DEVICES_MOST = 64 };

LOCAL uint64_t drawn; /* words of the sequence so far */

static uint64_t random_word(void)
{
    static uint32_t begun;
    if (setting(SET_FIRST) && !__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED))
        return setting(SET_FIRST) == 2 ? UINT64_MAX : 0;
    return condition_mix(condition_mix(setting(SET_RANDOM) ^ condition_thread() << 20) + ++drawn);
}

void condition_random(void *to, size_t size)
{
    char *at = to;
    for (size_t n; size; at += n, size -= n) {
        uint64_t word = random_word();
        n = size < sizeof word ? size : sizeof word;
        memcpy(at, &word, n);
    }
}

static bool is_fixed(uintptr_t caller)
{
    return setting(SET_RANDOM) && !condition_is_own(caller);
}
#define IS_FIXED() is_fixed((uintptr_t)__builtin_return_address(0))

WRAP ssize_t getrandom(void *to, size_t size, unsigned flags)
{
    REAL(getrandom);
    if (!IS_FIXED())
        return real(to, size, flags);
    condition_random(to, size);
    return (ssize_t)size;
}

WRAP int getentropy(void *to, size_t size)
{
    REAL(getentropy);
    if (!IS_FIXED() || size > 256)
        return real(to, size);
    condition_random(to, size);
    return 0;
}

/* The C library has these since 2.36. */
uint32_t arc4random(void);
void arc4random_buf(void *, size_t);
uint32_t arc4random_uniform(uint32_t);

WRAP uint32_t arc4random(void)
{
    return (uint32_t)random_word();
}

WRAP void arc4random_buf(void *to, size_t size)
{
    condition_random(to, size);
}

WRAP uint32_t arc4random_uniform(uint32_t below)
{
    return below ? (uint32_t)((random_word() >> 32) * below >> 32) : 0;
}

/* std::random_device, which asks the processor: unsigned _M_getval(). */
WRAP unsigned random_device_value(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned random_device_value(void *device)
{
    (void)device;
    return (unsigned)random_word();
}

/* ---- devices -------------------------------------------------------------------------------- */

static struct {
    uint64_t device, inode;
} devices[DEVICES_MOST];
static uint32_t device_count;

bool condition_is_device(uint64_t device, uint64_t inode)
{
    uint32_t count = __atomic_load_n(&device_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && i < DEVICES_MOST; i++)
        if (devices[i].device == device && devices[i].inode == inode)
            return true;
    return false;
}

static void note_device(int fd)
{
    struct stat st;
    if (syscall(SYS_fstat, fd, &st) < 0)
        return;
    uint32_t i = __atomic_fetch_add(&device_count, 1, __ATOMIC_ACQ_REL);
    if (i < DEVICES_MOST) {
        devices[i].device = st.st_dev;
        devices[i].inode = st.st_ino;
    }
}

/* The bytes of a device: as many as a program is expected to read. */
static bool fill_device(int fd)
{
    if (ftruncate(fd, DEVICE_SIZE) < 0)
        return false;
    uint64_t *at = mmap(NULL, DEVICE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return false;
    uint64_t seed = random_word();
    for (size_t i = 0; i < DEVICE_SIZE / sizeof *at; i++)
        at[i] = condition_mix(seed + i);
    munmap(at, DEVICE_SIZE);
    return true;
}

static bool fill_uuid(int fd)
{
    char text[40];
    uint64_t a = random_word(), b = random_word();
    int len = snprintf(text, sizeof text, "%08x-%04x-4%03x-a%03x-%012llx\n", (unsigned)(a >> 32),
                       (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff),
                       (unsigned)(b >> 48 & 0xfff), (unsigned long long)(b & 0xffffffffffff));
    return write(fd, text, (size_t)len) == len && lseek(fd, 0, SEEK_SET) == 0;
}

/* A descriptor in place of a device; -1: it is not one that is pinned. */
static int open_device(const char *path, int flags)
{
    if (!path || *path != '/' || !setting(SET_RANDOM))
        return -1;
    int of_system = condition_open_system_file(path, flags);
    if (of_system >= 0)
        return of_system;
    bool device = !strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random");
    if (!device && strcmp(path, "/proc/sys/kernel/random/uuid"))
        return -1;
    int fd = memfd_create("random", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    if (fd < 0)
        return -1;
    if (device ? !fill_device(fd) : !fill_uuid(fd)) {
        close(fd);
        return -1;
    }
    if (device)
        note_device(fd);
    return fd;
}

/* ---- open ------------------------------------------------------------------------------------ */

static mode_t mode_of(int flags, va_list *more)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(*more, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    WRAP int name(const char *path, int flags, ...)                                                \
    {                                                                                              \
        REAL(name);                                                                                \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, &more);                                                       \
        va_end(more);                                                                              \
        int fd = IS_FIXED() ? open_device(path, flags) : -1;                                       \
        return fd >= 0 ? fd : real(path, flags, mode);                                             \
    }
OPEN(open)
OPEN(open64)
int __open(const char *, int, ...);
int __open64(const char *, int, ...);
OPEN(__open)
OPEN(__open64)

#define OPENAT(name)                                                                               \
    WRAP int name(int dir, const char *path, int flags, ...)                                       \
    {                                                                                              \
        REAL(name);                                                                                \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, &more);                                                       \
        va_end(more);                                                                              \
        int fd = IS_FIXED() ? open_device(path, flags) : -1;                                       \
        return fd >= 0 ? fd : real(dir, path, flags, mode);                                        \
    }
OPENAT(openat)
OPENAT(openat64)

/* What a distribution's _FORTIFY_SOURCE calls. */
#define OPEN_CHECKED(name)                                                                         \
    WRAP int name(const char *path, int flags);                                                    \
    int name(const char *path, int flags)                                                          \
    {                                                                                              \
        REAL(name);                                                                                \
        int fd = IS_FIXED() ? open_device(path, flags) : -1;                                       \
        return fd >= 0 ? fd : real(path, flags);                                                   \
    }
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)

#define OPENAT_CHECKED(name)                                                                       \
    WRAP int name(int dir, const char *path, int flags);                                           \
    int name(int dir, const char *path, int flags)                                                 \
    {                                                                                              \
        REAL(name);                                                                                \
        int fd = IS_FIXED() ? open_device(path, flags) : -1;                                       \
        return fd >= 0 ? fd : real(dir, path, flags);                                              \
    }
OPENAT_CHECKED(__openat_2)
OPENAT_CHECKED(__openat64_2)

#define FOPEN(name)                                                                                \
    WRAP FILE *name(const char *restrict path, const char *restrict mode)                          \
    {                                                                                              \
        REAL(name);                                                                                \
        int fd = IS_FIXED() && mode[0] == 'r' ? open_device(path, O_CLOEXEC) : -1;                 \
        return fd >= 0 ? fdopen(fd, mode) : real(path, mode);                                      \
    }
FOPEN(fopen)
FOPEN(fopen64)

/* ---- names of temporary files ------------------------------------------------------------------
 */

enum { NAME_TRIES = 256 };

static bool put_name(char *template, int suffix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t len = strlen(template);
    if (suffix < 0 || len < 6 + (size_t)suffix) {
        errno = EINVAL;
        return false;
    }
    uint64_t word = random_word();
    for (unsigned i = 0; i < 6; i++, word /= 62)
        template[len - (size_t)suffix - 6 + i] = letters[word % 62];
    return true;
}

static bool is_template(const char *template, int suffix)
{
    size_t len = strlen(template);
    return suffix >= 0 && len >= 6 + (size_t)suffix &&
           !strncmp(template + len - (size_t)suffix - 6, "XXXXXX", 6);
}

static int make_file(char *template, int suffix, int flags)
{
    if (!is_template(template, suffix)) {
        errno = EINVAL;
        return -1;
    }
    for (unsigned i = 0; i < NAME_TRIES; i++) {
        if (!put_name(template, suffix))
            return -1;
        long fd = syscall(SYS_openat, AT_FDCWD, template,
                          (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST)
            return (int)fd;
    }
    return -1;
}

#define MAKE_FILE(name, parameters, real_arguments, suffix, flags)                                 \
    WRAP int name parameters                                                                       \
    {                                                                                              \
        REAL(name);                                                                                \
        return IS_FIXED() ? make_file(template, suffix, flags) : real real_arguments;              \
    }
MAKE_FILE(mkstemp, (char *template), (template), 0, 0)
MAKE_FILE(mkstemp64, (char *template), (template), 0, 0)
MAKE_FILE(mkostemp, (char *template, int flags), (template, flags), 0, flags)
MAKE_FILE(mkostemp64, (char *template, int flags), (template, flags), 0, flags)
MAKE_FILE(mkstemps, (char *template, int suffix), (template, suffix), suffix, 0)
MAKE_FILE(mkstemps64, (char *template, int suffix), (template, suffix), suffix, 0)

WRAP char *mkdtemp(char *template)
{
    REAL(mkdtemp);
    if (!IS_FIXED())
        return real(template);
    if (!is_template(template, 0)) {
        errno = EINVAL;
        return NULL;
    }
    for (unsigned i = 0; i < NAME_TRIES; i++) {
        if (put_name(template, 0) && mkdir(template, 0700) == 0)
            return template;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

/* ---- names that nothing is made of ---------------------------------------------------------- */

/* A name that does not exist, in `to`; false: none was found. */
static bool make_unused_name(char *to)
{
    struct stat st;
    for (unsigned i = 0; i < NAME_TRIES; i++)
        if (put_name(to, 0) && syscall(SYS_newfstatat, AT_FDCWD, to, &st, AT_SYMLINK_NOFOLLOW) < 0)
            return errno == ENOENT;
    return false;
}

WRAP char *mktemp(char *template)
{
    REAL(mktemp);
    if (!IS_FIXED())
        return real(template);
    if (!is_template(template, 0) || !make_unused_name(template)) {
        errno = is_template(template, 0) ? EEXIST : EINVAL;
        *template = 0;
    }
    return template;
}

static char *temporary_name(char *to)
{
    static char own_name[L_tmpnam];
    char *at = to ? to : own_name;
    memcpy(at, P_tmpdir "/fileXXXXXX", sizeof P_tmpdir "/fileXXXXXX");
    return make_unused_name(at) ? at : NULL;
}

WRAP char *tmpnam(char to[L_tmpnam])
{
    REAL(tmpnam);
    return IS_FIXED() ? temporary_name(to) : real(to);
}

WRAP char *tmpnam_r(char to[L_tmpnam])
{
    REAL(tmpnam_r);
    return IS_FIXED() && to ? temporary_name(to) : real(to);
}

/* TMPDIR is not set in any run. */
WRAP char *tempnam(const char *dir, const char *prefix)
{
    REAL(tempnam);
    char *name = real(dir, prefix);
    if (name && IS_FIXED() && strlen(name) >= 6 && !make_unused_name(name)) {
        free(name);
        name = NULL;
    }
    return name;
}
