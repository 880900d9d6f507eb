/* aerogpu_play_watch.h - the picture before and after a draw. */
#ifndef AEROGPU_PLAY_WATCH_H
#define AEROGPU_PLAY_WATCH_H

#include "gpu/gpu.h"
#include <rastrum/render.h>

/* Who looks into the machine instead of at pictures: at every draw, until RAS_END is returned, and
 * when the execution has ended. */
struct aero_inspect {
    int (*drawing)(struct aero_inspect *, const struct gpu_backend *, struct gpu *, uint64_t offset,
                   struct ras_error *);
    int (*ended)(struct aero_inspect *, const struct gpu_backend *, struct gpu *,
                 struct ras_error *);
};
int aero_render_inspected(struct ras_trace *, const struct ras_render_options *,
                          struct aero_inspect *, struct ras_render *, struct ras_error *);

int aero_check_abi(const struct ras_trace *, struct ras_error *);

/* Zero-initialised; `pixels` is to be freed. */
struct aero_watch {
    struct aero_inspect *inspect; /* or NULL */
    uint8_t *pixels;              /* before the draw at hand */
    size_t room;
    uint32_t width, height;
    uint64_t offset; /* of its command */
    bool looked;
};

/* A draw is about to be executed. NULL as back end: nobody watches it. */
int aero_watch_before(struct aero_watch *, const struct gpu_backend *, struct gpu *,
                      uint64_t offset, struct ras_error *);
/* It was executed: both pictures, unless nobody watched it or it has no target to show. */
int aero_watch_after(const struct aero_watch *, const struct gpu_backend *, struct gpu *,
                     struct ras_drawn *, struct ras_error *);
#endif
