/* frames.h - frames as pictures: one, a strip of small ones, and the history of a pixel. */
#ifndef VIEW_FRAMES_H
#define VIEW_FRAMES_H

#include "base/out.h"
#include <rastrum/render.h>

enum {
    FRAMES_STRIP_MOST = 64,
    FRAMES_THUMB_MOST = 512, /* pixels a side */
    FRAMES_SIDE_MOST = 8192, /* of a picture that is sent */
    FRAMES_REMARKS_MOST = 32,
};

/* A frame that was kept. Zero-initialised: none; frame_free(). */
struct frame_kept {
    bool any;
    uint64_t index, draws, offset;
    struct ras_picture picture; /* its own */
    uint8_t sha256[RAS_SHA256_SIZE];
    char inexact[1024]; /* commands that were not executed: "DISPATCH,..." */
    const char *backend;
    struct ras_canvas canvas; /* where its size is from */
    struct out remarks;       /* texts, each with its NUL */
    unsigned remark_count;
};
void frame_free(struct frame_kept *);

/* What a frame is drawn with. */
struct frame_how {
    const struct ras_gpu *gpu;
    uint32_t width, height; /* of the canvas; 0: as the trace has it */
    uint64_t frame;
    uint64_t draw; /* the picture after it; 0: after all */
    ras_progress *progress;
    void *user;
};
/* RAS_ENOTHING: there is no such frame or draw. */
int frame_draw(struct frame_kept *, struct ras_trace *, const struct frame_how *,
               struct ras_error *);
/* A picture as a PNG file, appended. */
int frame_png(struct out *, const struct ras_picture *, struct ras_error *);
/* A smaller one of at most `side` pixels a side, each the mean of those that it covers; its pixels
 * are the caller's to free. */
int frame_thumb(struct ras_picture *small, const struct ras_picture *, uint32_t side,
                struct ras_error *);

/* Thumbnails of `count` frames from how->frame on, as docs/view-protocol.md has them. */
int frame_strip(struct out *, struct ras_trace *, const struct frame_how *, uint32_t count,
                uint32_t side, struct ras_error *);

/* RAS_EUSAGE: the frame has no such pixel. Free the history in any case. */
int frame_pixel(struct ras_pixel_history *, struct ras_trace *, const struct frame_how *,
                struct ras_error *);
#endif
