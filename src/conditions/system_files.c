/* system_files.c - files of the system that list processors or times: as many as a run has, and by
 * its clock. */
#include "conditions/condition.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LIST_MOST = 1 << 20 };

/* The paragraphs of as many processors, each of which ends with an empty line. */
static size_t first_paragraphs(const char *text, size_t len, uint64_t count)
{
    size_t at = 0;
    while (count-- && at < len) {
        const char *end = memmem(text + at, len - at, "\n\n", 2);
        at = end ? (size_t)(end - text) + 2 : len;
    }
    return at;
}

static size_t read_whole(const char *path, char *to)
{
    size_t len = 0;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC), got = fd < 0 ? 0 : 1;
    while (got > 0 && len < LIST_MOST) {
        got = syscall(SYS_read, fd, to + len, LIST_MOST - len);
        len += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        syscall(SYS_close, fd);
    return len;
}

static size_t put_processors(char *to)
{
    size_t len = read_whole("/proc/cpuinfo", to);
    return first_paragraphs(to, len, setting(SET_CPUS));
}

/* "0-3", of one "0". */
static size_t put_range(char *to)
{
    uint64_t last = setting(SET_CPUS) - 1;
    int len = last ? snprintf(to, LIST_MOST, "0-%llu\n", (unsigned long long)last)
                   : snprintf(to, LIST_MOST, "0\n");
    return len > 0 ? (size_t)len : 0;
}

/* Lines "cpuN ..." of other processors are left out. */
static size_t put_counters(char *to)
{
    size_t len = read_whole("/proc/stat", to), kept = 0;
    for (size_t at = 0, size; at < len; at += size) {
        const char *end = memchr(to + at, '\n', len - at);
        size = end ? (size_t)(end - to) + 1 - at : len - at;
        bool one = size > 4 && !memcmp(to + at, "cpu", 3) && to[at + 3] >= '0' && to[at + 3] <= '9';
        if (one && strtoull(to + at + 3, NULL, 10) >= setting(SET_CPUS))
            continue;
        memmove(to + kept, to + at, size);
        kept += size;
    }
    return kept;
}

/* Since the start, and idle. */
static size_t put_up_time(char *to)
{
    unsigned long long hundredths = condition_up_ns() / 10000000;
    int len = snprintf(to, LIST_MOST, "%llu.%02llu %llu.%02llu\n", hundredths / 100,
                       hundredths % 100, hundredths / 100, hundredths % 100);
    return len > 0 ? (size_t)len : 0;
}

static const struct {
    const char *path;
    size_t (*put)(char *to);
} system_files[] = {
    {"/proc/cpuinfo", put_processors},
    {"/proc/stat", put_counters},
    {"/proc/uptime", put_up_time},
    {"/sys/devices/system/cpu/online", put_range},
    {"/sys/devices/system/cpu/present", put_range},
    {"/sys/devices/system/cpu/possible", put_range},
};

int condition_open_system_file(const char *path, int flags)
{
    size_t i = 0, count = sizeof system_files / sizeof *system_files;
    while (i < count && strcmp(path, system_files[i].path))
        i++;
    char *text = i < count && setting(SET_CPUS) ? condition_memory(LIST_MOST) : NULL;
    if (!text)
        return -1;
    size_t len = system_files[i].put(text);
    int fd = len ? memfd_create("system", flags & O_CLOEXEC ? MFD_CLOEXEC : 0) : -1;
    if (fd >= 0 && (write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)) {
        close(fd);
        fd = -1;
    }
    condition_memory_free(text, LIST_MOST);
    return fd;
}
