/* worlds.c - the worlds there are, by the first line of their recipe or as a shared object. */
#include "base/error.h"
#include "base/os.h"
#include "core/world_engine.h"
#include "world/arena_world.h"
#include "world/murk019.h"
#include "world/ref1.h"
#include "world/stepping.h"

#include <stdio.h>
#include <string.h>

static const struct ras_world_type *const worlds[] = {&murk019_world, &ref1_world, &arena_world,
                                                      NULL};

const struct ras_world_type *const *ras_world_types(void)
{
    return worlds;
}

const struct ras_worlds *ras_worlds(void)
{
    static const struct ras_worlds engine = {
        .version = WORLD_ENGINE_VERSION,
        .type_of = ras_world_type_of,
        .create = world_create,
        .step = world_step,
        .hash = ras_world_hash,
        .config_hash = ras_config_hash,
        .save = ras_world_save,
        .restore = ras_world_restore,
    };
    return &engine;
}

int ras_world_type_of(const struct ras_world_type **type, struct ras_bytes recipe,
                      struct ras_error *err)
{
    static const char first[] = "murkworld 1 ";
    const size_t skip = sizeof first - 1;
    *type = NULL;
    if (recipe.len < skip || memcmp(recipe.at, first, skip) != 0)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "no recipe for a world (its first line is `murkworld 1 NAME`)");
    const char *name = (const char *)recipe.at + skip;
    const char *end = memchr(name, '\n', recipe.len - skip);
    size_t len = end ? (size_t)(end - name) : recipe.len - skip;
    for (const struct ras_world_type *const *w = worlds; *w; w++)
        if (strlen((*w)->name) == len && !memcmp((*w)->name, name, len)) {
            *type = *w;
            return RAS_OK;
        }
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "recipe line 1: there is no world '%.*s'",
                (int)(len < 40 ? len : 40), name);
}

static bool is_whole(const struct ras_world_type *t)
{
    return t->name && t->create && t->destroy && t->shape && t->step && t->field;
}

int ras_world_load(const struct ras_world_type **type, const char *path, struct ras_error *err)
{
    char here[4096], why[240];
    *type = NULL;
    /* A bare name would be looked for among the system's libraries. */
    if (snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path) >=
        (int)sizeof here)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a path of %zu bytes", strlen(path));
    void *object = os_library_open(here, why, sizeof why);
    if (!object)
        return fail(err, OS_HAS_FILES ? RAS_EIO : RAS_EUNSUPPORTED, RAS_NONE, "%s", why);
    const struct ras_world_type *found = os_library_find(object, "ras_world_type");
    if (found && found->abi == RAS_WORLD_ABI && is_whole(found)) {
        *type = found;
        return RAS_OK;
    }
    int status = !found ? fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s: no ras_world_type in it", path)
                 : found->abi != RAS_WORLD_ABI
                     ? fail(err, RAS_EVERSION, RAS_NONE, "%s: a world of interface %u, not %u",
                            path, found->abi, RAS_WORLD_ABI)
                     : fail(err, RAS_EFORMAT, RAS_NONE, "%s: its ras_world_type has gaps", path);
    os_library_close(object);
    return status;
}
