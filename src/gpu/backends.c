/* backends.c - what this library offers to librastrum, and the limits where the caller sets none.
 */
#include "base/error.h"
#include "gpu/backends.h"
#include <rastrum/aerogpu.h>
#include <rastrum/gpu.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

/* ---- work -------------------------------------------------------------------------------- */

/* Slices of work, and the clock that is read between them. */

enum { SLICE = 1 << 24 }; /* some milliseconds */

int64_t work_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void work_start(struct work *w, const struct gpu_limits *limits)
{
    *w = (struct work){.rest = limits->work, .limit = limits->work, .time_ms = limits->time_ms};
    work_begin(w);
}

void work_begin(struct work *w)
{
    w->began_ms = work_now_ms();
}

bool work_more(struct work *w, uint64_t cost)
{
    uint64_t all = w->left + w->rest;
    int64_t took = work_now_ms() - w->began_ms;
    if (took > w->time_ms) {
        w->took_ms = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
        w->left = w->rest = 0;
        return false;
    }
    if (all <= cost) {
        if (!w->wanted)
            w->wanted = w->limit - all > UINT64_MAX - cost ? UINT64_MAX : w->limit - all + cost;
        w->left = w->rest = 0;
        return false;
    }
    uint64_t slice = all - cost < SLICE ? all - cost : SLICE;
    w->left = slice;
    w->rest = all - cost - slice;
    return true;
}

const char *work_refusal(const struct work *w, char text[120])
{
    if (w->took_ms)
        snprintf(text, 120, "took %" PRIu32 " ms, at most %" PRIu32 " (timeout)", w->took_ms,
                 w->time_ms);
    else
        snprintf(text, 120, "work of %" PRIu64 " so far, at most %" PRIu64 " in a replay",
                 w->wanted, w->limit);
    return text;
}

/* ---- packet blob ------------------------------------------------------------------------- */

/* The blobs that packets of Appendix A refer to, and the numbers in them, for every back end. */

int packet_blob(const struct gpu_source *source, const char *opcode, uint64_t id, uint32_t kind,
                struct ras_bytes *data, struct ras_error *err)
{
    uint32_t found;
    if (!source->blob || !source->blob(source->user, id, &found, data))
        return fail(err, RAS_EFORMAT, source->offset, "%s: there is no blob %" PRIu64 " before it",
                    opcode, id);
    if (found == kind)
        return RAS_OK;
    const char *name = ras_aero_blob_kind_name(found);
    return fail(err, RAS_EFORMAT, source->offset,
                "%s: blob %" PRIu64 " is %s (0x%" PRIx32 "), not %s", opcode, id,
                name ? name : "unknown", found, ras_aero_blob_kind_name(kind));
}

bool packet_numbers(const struct packet_attribute *a, const uint8_t *buffer, uint32_t stride,
                    uint32_t first, uint32_t count, char why[80])
{
    uint64_t step = stride ? stride : a->size;
    for (uint64_t i = first; i < (uint64_t)first + count; i++)
        for (uint32_t at = 0; at < a->size; at += 4) {
            float value;
            memcpy(&value, buffer + a->offset + i * step + at, sizeof value);
            if (!isfinite(value)) {
                snprintf(why, 80, "the %s of vertex %" PRIu64 " is not a number", a->what, i);
                return false;
            }
        }
    return true;
}
