/* work.c - slices of work, and the clock that is read between them. */
#include "gpu/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

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
