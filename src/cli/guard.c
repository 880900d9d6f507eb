/* guard.c - output that would harm its own input, or open it to others. */
#include "cli/guard.h"
#include "cli/say.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Whether a place is this file or directory, or lies below it: links and mounts do not matter. */
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
        return 0; /* who opens them says what is wrong */
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

/* What others may not do with any of these files, they may not do with what is made of them. */
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
