/* world_choice.c - the world and its recipe from the command line. */
#include "cli/world_choice.h"
#include "cli/session.h"
#include "cli/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int read_file(const char *path, size_t most, const char *what, struct ras_bytes *out)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool known = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    size_t room = known && (uint64_t)about.st_size < most ? (size_t)about.st_size + 1 : most + 1;
    uint8_t *at = fd >= 0 ? malloc(room) : NULL;
    size_t len = 0;
    ssize_t got = 0;
    while (at && len < room && (got = read(fd, at + len, room - len)) > 0)
        len += (size_t)got;
    int why = errno;
    if (fd >= 0)
        close(fd);
    *out = (struct ras_bytes){at, len};
    if (fd < 0 || got < 0)
        return trouble("%s: %s", shown_path(path), strerror(why));
    if (!at)
        return trouble("out of memory");
    return len <= most ? 0
                       : trouble("%s: %s may have at most %zu bytes", shown_path(path), what, most);
}

int read_recipe(const char *path, struct ras_bytes *out)
{
    int status = read_file(path, RAS_WORLD_RECIPE_MAX, "a recipe", out);
    if (!status && !out->len)
        status = trouble("%s: an empty recipe", shown_path(path));
    return status;
}

const char *input_of(const struct ras_error *err, const char *recipe, const char *replay,
                     const char *state)
{
    switch (err->about) {
    case RAS_ABOUT_RECIPE:
    case RAS_ABOUT_NO_RECIPE:
        return recipe ? recipe : replay;
    case RAS_ABOUT_REPLAY:
        return replay;
    case RAS_ABOUT_STATE:
        return state;
    default:
        return NULL;
    }
}

/* A name may omit its number: "arena" for "arena-1". */
static bool is_named(const struct ras_world_type *w, const char *name)
{
    size_t len = strlen(name);
    const char *number = strrchr(w->name, '-');
    return !strcmp(w->name, name) ||
           (number && (size_t)(number - w->name) == len && !strncmp(w->name, name, len));
}

static int unknown_world(const char *name)
{
    char names[200] = "";
    size_t len = 0;
    for (const struct ras_world_type *const *w = ras_world_types(); *w && len < sizeof names; w++)
        len +=
            (size_t)snprintf(names + len, sizeof names - len, "%s%s", len ? ", " : "", (*w)->name);
    return trouble("no world '%s': there are %s; --world FILE.so loads your own", name, names);
}

int find_world(const char *name, const char *object, const struct ras_world_type **type)
{
    struct ras_error err;
    if (object)
        return ras_world_load(type, object, &err) < 0 ? trouble_with(&err) : 0;
    for (const struct ras_world_type *const *w = ras_world_types(); *w; w++)
        if (is_named(*w, name)) {
            *type = *w;
            return 0;
        }
    return unknown_world(name);
}
