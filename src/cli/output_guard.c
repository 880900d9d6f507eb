/* output_guard.c - output that would overwrite or expose its input, and temporary files.
 *
 * A directory is made beside its final place, under a hidden name that has our process id; so is a
 * file where the file system has no unnamed files. A signal that ends the program removes them and
 * then ends it with the same signal, which the parent sees. All of this happens in the handler, in
 * the thread that makes the names, so that no name is made after it: hence the system calls instead
 * of opendir(), which is not async-signal-safe. */
#include "cli/output_guard.h"
#include "cli/say.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- output and input ------------------------------------------------------------------ */

/* Where it is, or would be: the last component need not exist. */
static bool find_place(const char *path, char *place, size_t room)
{
    char *whole = realpath(path, NULL);
    char *above = NULL;
    if (!whole) {
        const char *slash = strrchr(path, '/');
        above = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
        whole = above ? realpath(above, NULL) : NULL;
    }
    int n = whole ? snprintf(place, room, "%s", whole) : -1;
    free(above);
    free(whole);
    return n >= 0 && (size_t)n < room;
}

/* Whether a path is this file or directory, or is below it, independent of links and mounts. */
static bool is_within(const char *place, const struct stat *of)
{
    char path[4200];
    struct stat st;
    if (snprintf(path, sizeof path, "%s", place) >= (int)sizeof path)
        return false;
    for (;;) {
        if (stat(path, &st) == 0 && st.st_dev == of->st_dev && st.st_ino == of->st_ino)
            return true;
        char *slash = strrchr(path, '/');
        if (!slash || !path[1])
            return false;
        slash[slash == path] = 0;
    }
}

static int check_input(const char *out, const char *input)
{
    char in_place[4096], out_place[4096];
    struct stat in, old;
    if (stat(input, &in) < 0 || !find_place(out, out_place, sizeof out_place) ||
        !find_place(input, in_place, sizeof in_place))
        return 0; /* opening them reports the error */
    bool there = stat(out, &old) == 0;
    if (there && (S_ISREG(old.st_mode) || S_ISDIR(old.st_mode)) && old.st_dev == in.st_dev &&
        old.st_ino == in.st_ino)
        return trouble("%s is the input: choose another output", out);
    if (S_ISDIR(in.st_mode) && is_within(out_place, &in))
        return trouble("%s is inside the input %s: choose an output outside of it", out, input);
    if (there && S_ISDIR(old.st_mode) && is_within(in_place, &old))
        return trouble("%s contains the input %s: choose another output", out, input);
    return 0;
}

/* ---- private input ----------------------------------------------------------------------- */

enum { LOOKED_AT = 1000, DEEP = 4 };

/* Permissions that others lack on any of these files, they lack on the output. */
static mode_t denied(int dir, const char *name, unsigned depth, unsigned *left)
{
    struct stat st;
    if (fstatat(dir, name, &st, 0) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
        return 0;
    mode_t mask = 0;
    if (!(st.st_mode & 0040))
        mask |= 0070;
    if (!(st.st_mode & 0004))
        mask |= 0007;
    int fd = S_ISDIR(st.st_mode) && depth < DEEP
                 ? openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                 : -1;
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;
    while (list && *left && mask != 0077 && (e = readdir(list)))
        if (e->d_name[0] != '.' && (*left)--)
            mask |= denied(fd, e->d_name, depth + 1, left);
    if (list)
        closedir(list);
    else if (fd >= 0)
        close(fd);
    return mask;
}

void guard_private(const struct common *common)
{
    mode_t mask = 0;
    for (size_t i = 0; i < common->operands.count; i++) {
        unsigned left = LOOKED_AT;
        if (strcmp(common->operands.items[i], "-") != 0)
            mask |= denied(AT_FDCWD, common->operands.items[i], 0, &left);
    }
    umask(umask(0) | mask);
}

int guard_output(const struct common *common)
{
    const char *out = common->out;
    int status = 0;
    for (size_t i = 0; out && strcmp(out, "-") && !status && i < common->operands.count; i++)
        if (strcmp(common->operands.items[i], "-") != 0)
            status = check_input(out, common->operands.items[i]);
    return status;
}

enum { PLACES = 32, NAME_LEN = 25, LEFTOVER_DEEP = 16 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static char places[PLACES][4096]; /* the directories of temporary files */
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

/* Remove the entries of the directory: all, or those with our prefix. Removing entries may move the
 * others, so the directory is read until a whole pass finds none. */
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
    if (unlinkat(dir, name, 0) == 0 || depth == LEFTOVER_DEEP)
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

/* Also beside the target of a link: that file is replaced. */
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
