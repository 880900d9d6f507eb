/* gpu_none.c - no GPU: a build that reads only. Its back ends refuse to be opened. */
#include "base/error.h"
#include "core/gpu_engine.h"
#include <rastrum/gpu.h>

static int refuse_open(struct gpu **out, const struct gpu_setup *setup, struct ras_error *err)
{
    (void)setup;
    *out = NULL;
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "this build reads only: pictures are drawn on a little-endian machine");
}

static void close_none(struct gpu *gpu)
{
    (void)gpu;
}

static const struct gpu_backend none = {.name = "none", .open = refuse_open, .close = close_none};
static const struct ras_gpu engine = {
    .version = GPU_ENGINE_VERSION, .gles = &none, .software = &none};

const struct ras_gpu *ras_gpu(void)
{
    return &engine;
}
