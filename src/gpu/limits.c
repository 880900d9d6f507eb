/* limits.c - what untrusted commands may ask for when nobody says otherwise. */
#include "gpu/gpu.h"

const struct gpu_limits gpu_limits_usual = {
    .memory_bytes = UINT64_C(1) << 30,
    .work = UINT64_C(1) << 35,
    .side = 16384,
    .objects = 65536,
    .time_ms = 10000,
};

struct gpu_limits gpu_limits_of(const struct gpu_limits *asked)
{
    struct gpu_limits l = *asked;
    l.memory_bytes = l.memory_bytes ? l.memory_bytes : gpu_limits_usual.memory_bytes;
    l.work = l.work ? l.work : gpu_limits_usual.work;
    l.side = l.side ? l.side : gpu_limits_usual.side;
    l.objects = l.objects ? l.objects : gpu_limits_usual.objects;
    l.time_ms = l.time_ms ? l.time_ms : gpu_limits_usual.time_ms;
    return l;
}
