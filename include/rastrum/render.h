/* render.h - execute a trace of GPU commands again: its frames as pictures.
 *
 *     struct ras_canvas canvas;
 *     char text[RAS_CANVAS_TEXT];
 *     if (ras_can_render(trace) && ras_canvas_of(trace, &canvas, err) == RAS_OK) {
 *         ras_canvas_text(&canvas, text);
 *         puts(text); // gpu.h shows how its frames become pictures
 *     } */
#ifndef RASTRUM_RENDER_H
#define RASTRUM_RENDER_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* RGBA, 8 bits each, rows from the top without padding. */
struct ras_picture {
    uint32_t width, height;
    const uint8_t *rgba;
};

enum ras_backend {
    RAS_BACKEND_AUTO,     /* for every command the one that executes it */
    RAS_BACKEND_GLES,     /* OpenGL ES 3, loaded when needed, in a process of its own */
    RAS_BACKEND_SOFTWARE, /* our own executor */
};

/* Where the size of a picture comes from. The canvas is what is drawn on where a trace sets no
 * target: no command states its size. */
enum ras_size_from {
    RAS_SIZE_TARGET, /* the color target that the picture is of */
    RAS_SIZE_OPTION, /* ras_render_options */
    RAS_SIZE_META,   /* the trace states its canvas: canvas_width and canvas_height in meta_json */
    RAS_SIZE_VIEWPORT, /* it has room for the viewports of draws on it: it may be larger */
    RAS_SIZE_TARGETS,  /* the largest color target of the trace: a guess */
    RAS_SIZE_DEFAULT,  /* the trace does not say */
};
#define RAS_CANVAS_SIDE 64u /* a default, in pixels */

struct ras_canvas {
    uint32_t width, height;
    enum ras_size_from from;
    uint64_t offset; /* of what gives it, in the file; RAS_NONE: nothing in it does */
};

#define RAS_SHA256_SIZE 32u
#define RAS_RENDER_WORK (UINT64_C(1) << 34)

/* One presented frame. All of it is the callee's and valid until it is given back. */
struct ras_rendered {
    uint64_t frame_index;
    uint64_t offset; /* of what presented it, in the file */
    uint64_t draws;  /* of this frame */
    struct ras_picture picture;
    uint8_t sha256[RAS_SHA256_SIZE]; /* see ras_picture_sha256() */
    /* The commands that may have changed the picture and were not executed: "DISPATCH,...";
     * "": it is exact. */
    const char *inexact;
    const char *backend;          /* its name */
    enum ras_size_from size_from; /* all but RAS_SIZE_TARGET: it was drawn on the canvas */
    uint64_t size_offset;         /* as in ras_canvas */
};

/* A draw that was executed, with the picture before and after it: both are the callee's until it
 * returns, and of one size unless the size differs. */
struct ras_drawn {
    uint64_t frame_index;
    uint64_t draw;   /* of the frame, from 1 */
    uint64_t offset; /* of its command, in the file */
    struct ras_picture before, after;
};

/* What untrusted commands may use; zero: the default named beside it. */
struct ras_render_limits {
    uint64_t memory_bytes; /* of all resources together: 1 GiB */
    uint64_t work;         /* of the whole replay, in instructions for one vertex or pixel, or
                            * nanoseconds of OpenGL: RAS_RENDER_WORK and 2^19 a byte of trace */
    uint32_t side;         /* of a texture or the canvas, in pixels: 16384 */
    uint32_t objects;      /* resources and all else that is created: 65536 */
    uint32_t time_ms;      /* of one packet or submission: 10000 */
    uint64_t reserved[4];
};

struct ras_gpu; /* gpu.h */

struct ras_render_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    /* What executes the commands: ras_gpu() of librastrum-gpu. NULL: RAS_EUNSUPPORTED. */
    const struct ras_gpu *gpu;
    uint32_t width, height; /* of the canvas; 0: as ras_canvas_of() says */
    enum ras_backend backend;
    bool has_frame;
    uint64_t frame; /* the only one to show; what it needs is executed before */
    /* The picture as it is after this draw of the frame, counted from 1: of `frame`, or of the
     * first frame that has that many. */
    bool has_draw;
    uint64_t draw;
    struct ras_render_limits limits;
    /* Every frame that was presented; false ends the execution. May be NULL. */
    bool (*frame_shown)(void *user, const struct ras_rendered *frame);
    /* Every draw of the requested frames that counts for their pictures, before their frame is
     * shown. NULL: it is not reported. */
    void (*drawn)(void *user, const struct ras_drawn *draw);
    /* What could not be executed, and where; one line each. May be NULL. */
    void (*remark)(void *user, uint64_t offset, const char *text);
    ras_progress *progress; /* bytes of the trace that were executed; NULL: none */
    void *user;
    uint64_t frame_count; /* as many frames from `frame` on; 0: that one */
};

/* What came of it. */
struct ras_render {
    uint64_t frames;      /* shown */
    uint64_t inexact;     /* of these */
    uint64_t unpresented; /* frames that ended without a picture */
    uint64_t draws;       /* executed, in all */
    uint64_t reserved[4];
};

/* RAS_EUNSUPPORTED: a trace of another kind, a back end that is missing here, a shader that
 * cannot be compiled here. *out also has the frames before a failure. RAS_END: the frame
 * or requested draw is not there. */
RAS_API int ras_render(struct ras_render *out, struct ras_trace *trace,
                       const struct ras_render_options *options, struct ras_error *err) RAS_CHECKED;
/* The canvas of a trace, as far as it is stated; a full scan unless meta_json states it.
 * RAS_EUNSUPPORTED: a trace of another kind. */
RAS_API int ras_canvas_of(struct ras_trace *trace, struct ras_canvas *canvas,
                          struct ras_error *err) RAS_CHECKED;
/* One for two traces whose pictures are compared: of the one that states more, or the larger one.
 */
RAS_API struct ras_canvas ras_canvas_of_two(struct ras_canvas a, struct ras_canvas b);
/* "target", "option", "meta_json", "viewport", "targets", "default". */
RAS_API const char *ras_size_from_name(enum ras_size_from from);
/* One line for a reader: "canvas 64x64: ...", and how sure that is. */
#define RAS_CANVAS_TEXT 200u
RAS_API void ras_canvas_text(const struct ras_canvas *canvas, char to[RAS_CANVAS_TEXT]);
/* Whether a trace's format has frames to render. */
RAS_API bool ras_can_render(const struct ras_trace *trace);

/* The hash of a frame: SHA-256 of width and height, 4 bytes each, little-endian, and the rows. */
RAS_API void ras_picture_sha256(const struct ras_picture *picture, uint8_t digest[RAS_SHA256_SIZE]);

/* How two pictures differ. */
struct ras_picture_difference {
    bool sizes;                        /* they have not the same size; the rest is 0 */
    uint64_t pixels;                   /* that differ */
    uint32_t left, top, right, bottom; /* around them; right and bottom are exclusive */
    uint8_t most;                      /* of any channel */
    uint64_t reserved[2];
};
/* False: they are the same. */
RAS_API bool ras_picture_compare(const struct ras_picture *a, const struct ras_picture *b,
                                 struct ras_picture_difference *difference);
/* Where they differ: what is the same is dim and gray, what is not is red. `rgba` has room for
 * width x height pixels of both, which are of one size. */
RAS_API void ras_picture_differences(const struct ras_picture *a, const struct ras_picture *b,
                                     uint8_t *rgba);

/* What changed a pixel of a frame, in order: begin with zeros, x and y, pass each draw of the frame
 * and then its picture. Set `count` to 0 before the next frame. */
struct ras_pixel_change {
    uint64_t draw, offset; /* draw 0: another command, somewhere before the next draw */
    uint8_t before[4], after[4];
};
struct ras_pixel_history {
    uint32_t x, y;
    struct ras_pixel_change *changes;
    size_t count, room;
    uint8_t now[4]; /* its color */
    bool any;       /* draw was seen in the frame */
    bool nomem;     /* memory was short: changes are missing */
    uint64_t reserved[2];
};
RAS_API void ras_pixel_drawn(struct ras_pixel_history *history, const struct ras_drawn *draw);
/* False: the picture has no such pixel. */
RAS_API bool ras_pixel_shown(struct ras_pixel_history *history, const struct ras_picture *picture);
RAS_API void ras_pixel_history_free(struct ras_pixel_history *history);

/* A picture as a PNG file. */
RAS_API int ras_png_put(struct ras_sink *sink, const struct ras_picture *picture,
                        struct ras_error *err) RAS_CHECKED;
/* The picture of a PNG file of 8 bits, not interlaced; its pixels are to be freed with
 * ras_picture_free(). RAS_EUNSUPPORTED: a PNG of another kind. */
RAS_API int ras_png_get(struct ras_bytes file, struct ras_picture *picture,
                        struct ras_error *err) RAS_CHECKED;
RAS_API void ras_picture_free(struct ras_picture *picture);

#ifdef __cplusplus
}
#endif
#endif
