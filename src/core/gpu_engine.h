/* gpu_engine.h - the interface between this library and librastrum-gpu, which executes GPU
 * commands.
 *
 * A back end takes command streams and packets as bytes, fetches the data that they refer to
 * through callbacks, and reports every presented picture. It knows no container: the caller
 * walks the records and feeds it. Everything here belongs to one thread at a time. */
#ifndef CORE_GPU_ENGINE_H
#define CORE_GPU_ENGINE_H

#include <rastrum/rastrum.h>

/* Limits for untrusted commands; zero: the back end's default. */
struct gpu_limits {
    uint64_t memory_bytes; /* of all resources together */
    uint64_t work;         /* of all that is executed: an instruction for one vertex or pixel is 1,
                            * and so is a nanosecond of OpenGL */
    uint32_t side;         /* of a texture or canvas, in pixels */
    uint32_t objects;      /* resources, views, shaders, layouts and samplers together */
    uint32_t time_ms;      /* of one submission or packet */
};

/* RGBA, 8 bits each, rows from the top without padding. */
struct gpu_picture {
    uint32_t width, height;
    const uint8_t *rgba; /* the back end's, until the next call on it */
};

/* One presented picture. `inexact` names, each once, the commands that may have changed it
 * and were not executed; none: the picture is exact. */
struct gpu_present {
    struct gpu_picture picture;
    const char *const *inexact;
    size_t inexact_count;
    uint32_t scanout_id;
    uint64_t offset; /* of the command that presented, as gpu_source counts */
    bool canvas;     /* it is of the canvas: no command gave it its size */
};

/* Callbacks while a submission or packet is executed. Members may be NULL. A result other than
 * RAS_OK ends the call at once and is what it returns. */
struct gpu_events {
    void *user;
    int (*present)(void *user, const struct gpu_present *present, struct ras_error *err);
    /* A DRAW or DRAW_INDEXED, at this offset, is about to be executed; `picture` may be called. */
    int (*drawing)(void *user, uint64_t offset, struct ras_error *err);
    /* A DRAW or DRAW_INDEXED was executed, the count-th since the back end was opened, from 1;
     * the row's `picture` is the picture so far. */
    int (*drawn)(void *user, uint64_t count, struct ras_error *err);
    /* A command that was not executed, and why: one line. */
    int (*remark)(void *user, uint64_t offset, const char *opcode, const char *why,
                  struct ras_error *err);
};

struct gpu_setup {
    struct gpu_limits limits;
    uint32_t width, height; /* of the canvas, used where no target is set; 0: 64 */
    struct gpu_events events;
};

/* What commands refer to. Both callbacks give borrowed bytes that are valid until the call
 * returns, or false when it does not exist. */
struct gpu_source {
    void *user;
    uint64_t offset; /* in the file, of the first byte handed over; errors count from it */
    bool (*memory)(void *user, uint32_t alloc_id, struct ras_bytes *bytes);
    bool (*blob)(void *user, uint64_t blob_id, uint32_t *kind, struct ras_bytes *data);
};

/* A number or vector of a vertex. */
struct gpu_attribute {
    uint32_t semantic_hash; /* of its name; 0: it has none, and semantic_index is its location */
    uint32_t semantic_index;
    uint32_t offset; /* in the vertex */
    uint32_t components;
    bool integer, negative; /* integers, that may be negative; else floats */
    bool per_instance;
    const struct element_format *format;
};

/* A vertex buffer as a draw reads it. No attributes: its layout is not known. */
struct gpu_vertices {
    struct ras_bytes bytes; /* from the first vertex on; the back end's until the next call on it */
    uint64_t first;         /* where that is in the buffer */
    uint32_t stride, count;
    struct gpu_attribute attributes[32];
};

struct gpu; /* each back end has its own */

/* A failed call leaves what was executed before the failing command. The error has the
 * command's offset, and its text begins with the opcode's name: "DRAW: ...". */
struct gpu_backend {
    const char *name;
    /* RAS_EUNSUPPORTED: it cannot run here; the text says what is missing. */
    int (*open)(struct gpu **out, const struct gpu_setup *setup, struct ras_error *err);
    /* One ACMD command stream, header included. NULL: cannot. */
    int (*submit)(struct gpu *gpu, struct ras_bytes stream, const struct gpu_source *source,
                  struct ras_error *err);
    /* One packet of Appendix A. NULL: cannot. */
    int (*packet)(struct gpu *gpu, struct ras_bytes packet, const struct gpu_source *source,
                  struct ras_error *err);
    /* The frame of the container ends here: deferred commands are executed and reported. */
    int (*end_frame)(struct gpu *gpu, struct ras_error *err);
    /* While on, presented pictures are neither made nor reported: only state is kept up to date. */
    void (*quiet)(struct gpu *gpu, bool on);
    /* The picture as it is now: colour target 0, or the canvas. RAS_END: there is none. */
    int (*picture)(struct gpu *gpu, struct gpu_present *now, struct ras_error *err);
    /* The first level of a texture as it is now. RAS_END: there is none of that handle. */
    int (*texture)(struct gpu *gpu, uint32_t handle, struct gpu_present *now,
                   struct ras_error *err);
    /* During the callback `drawing`: a vertex buffer of that handle, or of that id of Appendix A.
     * RAS_END: the draw does not use it. */
    int (*vertices)(struct gpu *gpu, uint32_t handle, bool packet, struct gpu_vertices *vertices,
                    struct ras_error *err);
    void (*close)(struct gpu *gpu); /* NULL is fine */
};

/* Counts up with every change to this header: both libraries must have the same. */
enum { GPU_ENGINE_VERSION = 1 };

/* All that librastrum-gpu has to offer: ras_gpu() returns it, options carry it. */
struct ras_gpu {
    uint32_t version; /* GPU_ENGINE_VERSION */
    const struct gpu_backend *gles, *software;
    /* Component c of an attribute of the vertex at `at`; of integers the bits. */
    float (*attribute_at)(const struct gpu_attribute *attribute, const uint8_t *at, uint32_t c);
    uint32_t (*attribute_bytes)(const struct gpu_attribute *attribute);
};

/* RAS_EUNSUPPORTED: the caller set no engine in `member`, such as "ras_render_options.gpu".
 * RAS_EVERSION: it is of another version of this header. */
int gpu_engine_check(const struct ras_gpu *gpu, const char *member, struct ras_error *err);

#endif
