/* render.c - execute the GPU commands of a trace: a line for every frame that it presents. */
#include <inttypes.h>
#include <rastrum/gpu.h>
#include <stdio.h>

static bool put_frame(void *user, const struct ras_rendered *frame)
{
    (void)user;
    printf("frame %" PRIu64 ": %" PRIu32 "x%" PRIu32 ", %" PRIu64 " draws, %02x%02x%02x%02x...\n",
           frame->frame_index, frame->picture.width, frame->picture.height, frame->draws,
           frame->sha256[0], frame->sha256[1], frame->sha256[2], frame->sha256[3]);
    return true;
}

int main(int argc, char **argv)
{
    /* ras_gpu() is in librastrum-gpu, all else in librastrum. */
    const struct ras_render_options options = {
        .gpu = ras_gpu(), .backend = RAS_BACKEND_SOFTWARE, .frame_shown = put_frame};
    struct ras_trace *trace = NULL;
    struct ras_render rendered;
    struct ras_error err;
    int status = ras_open(&trace, argc > 1 ? argv[1] : "", NULL, &err);
    if (status == RAS_OK)
        status = ras_render(&rendered, trace, &options, &err);
    if (status < 0)
        fprintf(stderr, "render: %s\n", err.text);
    ras_close(trace);
    return status < 0 ? 2 : 0;
}
