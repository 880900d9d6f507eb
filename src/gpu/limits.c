/* limits.c - what untrusted commands may ask for when nobody says otherwise. */
#include "gpu/gpu.h"

const struct gpu_limits gpu_limits_usual = {
    .memory_bytes = UINT64_C(1) << 30,
    .work = UINT64_C(1) << 32,
    .side = 16384,
    .objects = 65536,
    .time_ms = 10000,
};
