/* leftovers.c - what is being written has no name of its own yet, and goes when a signal ends us.
 *
 * A directory is made beside its final place, under a hidden name that bears our process id; a
 * file too where the file system has none without a name. A signal that ends us removes them and
 * then ends us as it would have: whoever waits for us sees the signal. All of it happens in the
 * handler, which the thread that makes the names runs, so that none is made after it: hence the
 * system calls without the C library's lists of directories, which are not safe there. */
#include "cli/leftovers.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PLACES = 32, NAME_LEN = 25, DEEP = 16 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static char places[PLACES][4096]; /* the directories that names are made in */
static size_t place_count;
static char prefix[32]; /* of the names: see file_name_beside() */
static pid_t process;
static pthread_t worker;

/* As the kernel writes it. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

static void leftover_remove_entry(int dir, const char *name, unsigned depth);

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Remove what is in the directory: all of it, or what bears our prefix. What goes may move the
 * rest, so that the list is read until a whole pass finds nothing. */
static void sweep(int dir, bool ours_only, unsigned depth)
{
    _Alignas(struct entry) char list[2048];
    for (bool found = true; found;) {
        found = false;
        if (lseek(dir, 0, SEEK_SET) < 0)
            return;
        for (long got; (got = syscall(SYS_getdents64, dir, list, sizeof list)) > 0;)
            for (long at = 0; at < got;) {
                const struct entry *e = (const struct entry *)(const void *)(list + at);
                at += e->size;
                bool ours =
                    !strncmp(e->name, prefix, strlen(prefix)) && strlen(e->name) == NAME_LEN;
                if (is_dots(e->name) || (ours_only && !ours))
                    continue;
                leftover_remove_entry(dir, e->name, depth);
                found = found || faccessat(dir, e->name, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
            }
    }
}

static void leftover_remove_entry(int dir, const char *name, unsigned depth)
{
    if (unlinkat(dir, name, 0) == 0 || depth == DEEP)
        return;
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    sweep(fd, false, depth + 1);
    close(fd);
    unlinkat(dir, name, AT_REMOVEDIR);
}

static void on_signal(int number)
{
    if (getpid() == process && !pthread_equal(pthread_self(), worker)) {
        pthread_kill(worker, number);
        return;
    }
    for (size_t i = 0; getpid() == process && i < place_count; i++) {
        int dir = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (dir < 0)
            continue;
        sweep(dir, true, 0);
        close(dir);
    }
    signal(number, SIG_DFL);
    raise(number); /* it comes when this returns */
}

static void add_place(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len && path[len - 1] != '/')
        len--;
    char *place = places[place_count];
    if (place_count == PLACES || len >= sizeof *places)
        return;
    snprintf(place, sizeof *places, "%.*s", len ? (int)len : 1, len ? path : ".");
    for (size_t i = 0; i < place_count; i++)
        if (!strcmp(places[i], place))
            return;
    place_count++;
}

/* Beside what a link leads to as well: that is what is replaced. */
static void add_places(const char *path)
{
    char *real = realpath(path, NULL);
    add_place(path);
    if (real)
        add_place(real);
    free(real);
}

void leftovers_watch(const struct common *common)
{
    process = getpid();
    worker = pthread_self();
    snprintf(prefix, sizeof prefix, ".rastrum-%08lx", (unsigned long)process & 0xffffffff);
    if (common->out && strcmp(common->out, "-") != 0)
        add_places(common->out);
    for (size_t i = 0; i < common->operands.count; i++) /* one may be changed in place */
        add_places(common->operands.items[i]);
    struct sigaction action = {.sa_handler = on_signal}, before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}
