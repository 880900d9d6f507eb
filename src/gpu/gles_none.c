/* gles_none.c - no OpenGL ES: a system without processes that can be confined. */
#include "base/error.h"
#include "gpu/gles_process.h"

static int refuse_gles(struct ras_error *err)
{
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "OpenGL ES runs in a confined process of its own, which this build cannot start; "
                "replay on Linux");
}

int gles_process_open(struct gles_process *p, uint32_t width, uint32_t height,
                      const struct gpu_limits *limits, struct ras_error *err)
{
    (void)p, (void)width, (void)height, (void)limits;
    return refuse_gles(err);
}

int gles_process_put(struct gles_process *p, const struct gles_call *call, const void *data,
                     struct ras_error *err)
{
    (void)p, (void)call, (void)data;
    return refuse_gles(err);
}

int gles_process_run(struct gles_process *p, struct ras_error *err)
{
    (void)p;
    return refuse_gles(err);
}

void gles_process_flip(struct gles_process *p)
{
    (void)p;
}

void gles_process_close(struct gles_process *p)
{
    (void)p;
}
