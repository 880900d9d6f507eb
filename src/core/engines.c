/* engines.c - whether the caller passed the engines of the other libraries, and of this version. */
#include "base/error.h"
#include "core/gpu_engine.h"
#include "core/world_engine.h"

static int refuse_version(const char *library, uint32_t found, uint32_t wanted,
                          struct ras_error *err)
{
    return fail(err, RAS_EVERSION, RAS_NONE,
                "%s has interface %u, this version of librastrum (%s) needs %u", library, found,
                RASTRUM_VERSION, wanted);
}

int gpu_engine_check(const struct ras_gpu *gpu, const char *member, struct ras_error *err)
{
    if (!gpu)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "GPU commands are executed by librastrum-gpu: link it and set %s = ras_gpu()",
                    member);
    return gpu->version == GPU_ENGINE_VERSION
               ? RAS_OK
               : refuse_version("librastrum-gpu", gpu->version, GPU_ENGINE_VERSION, err);
}

int world_engine_check(const struct ras_worlds *worlds, const char *member, struct ras_error *err)
{
    if (!worlds)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "replays are executed by librastrum-world: link it and set %s = ras_worlds()",
                    member);
    return worlds->version == WORLD_ENGINE_VERSION
               ? RAS_OK
               : refuse_version("librastrum-world", worlds->version, WORLD_ENGINE_VERSION, err);
}
