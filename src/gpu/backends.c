/* backends.c - what this library offers to librastrum, and the limits where the caller sets none.
 */
#include "gpu/backends.h"
#include <rastrum/gpu.h>

static const struct ras_gpu engine = {
    .version = GPU_ENGINE_VERSION,
    .gles = &gpu_gles,
    .software = &gpu_software,
    .attribute_at = gpu_attribute_at,
    .attribute_bytes = gpu_attribute_bytes,
};

const struct ras_gpu *ras_gpu(void)
{
    return &engine;
}

const struct gpu_limits gpu_limits_default = {
    .memory_bytes = UINT64_C(1) << 30,
    .work = UINT64_C(1) << 35,
    .side = 16384,
    .objects = 65536,
    .time_ms = 10000,
};

struct gpu_limits gpu_limits_of(const struct gpu_limits *requested)
{
    struct gpu_limits l = *requested;
    l.memory_bytes = l.memory_bytes ? l.memory_bytes : gpu_limits_default.memory_bytes;
    l.work = l.work ? l.work : gpu_limits_default.work;
    l.side = l.side ? l.side : gpu_limits_default.side;
    l.objects = l.objects ? l.objects : gpu_limits_default.objects;
    l.time_ms = l.time_ms ? l.time_ms : gpu_limits_default.time_ms;
    return l;
}
