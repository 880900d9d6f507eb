/* worlds_none.c - no worlds: a build that reads only. A replay finds none for its recipe. */
#include "base/error.h"
#include "core/world_engine.h"

static int refuse_type(const struct ras_world_type **type, struct ras_bytes recipe,
                       struct ras_error *err)
{
    (void)recipe;
    *type = NULL;
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "this build reads only: replays are executed on a little-endian machine");
}

static const struct ras_worlds engine = {.version = WORLD_ENGINE_VERSION, .type_of = refuse_type};

const struct ras_worlds *ras_worlds(void)
{
    return &engine;
}

const struct ras_world_type *const *ras_world_types(void)
{
    static const struct ras_world_type *const none[] = {NULL};
    return none;
}
