/* raster_bench.c - triangles to pixels in software: flat ones, textured and blended ones, and a
 * frame that is cleared and shown. */
#include "../gpu/make_stream.h"
#include "bench.h"
#include "gpu/backends.h"

enum { WIDTH = 1920, HEIGHT = 1080, SIDE = 256, DRAWS = 16 };

struct job {
    struct gpu *gpu;
    struct out stream;
    struct gpu_source source;
    struct ras_error err;
    int status;
};

static int see(void *user, const struct gpu_present *present, struct ras_error *err)
{
    (void)user;
    (void)err;
    bench_use(present->picture.rgba[0]);
    return RAS_OK;
}

static void submit(void *user)
{
    struct job *j = user;
    int status = gpu_software.submit(j->gpu, make_done(&j->stream), &j->source, &j->err);
    if (status)
        j->status = status;
}

/* Two triangles that fill the target: position and color or coordinates of each corner. */
static void quad(struct out *o, uint32_t handle, bool varies)
{
    static const float corners[6][2] = {{-1, 1}, {1, 1}, {-1, -1}, {1, 1}, {1, -1}, {-1, -1}};
    float data[6][8];
    for (int i = 0; i < 6; i++) {
        float x = corners[i][0], y = corners[i][1];
        const float row[8] = {
            x,    y, 0.5f, 1, varies ? 3 * x + 0.3f * y : 0.2f, varies ? 3 * y - 0.2f * x : 0.7f,
            0.4f, 1};
        memcpy(data[i], row, sizeof row);
    }
    make_buffer(o, handle, data, sizeof data);
}

static bool begin(struct job *j)
{
    const struct gpu_setup setup = {.events = {.present = see}};
    uint32_t texels[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        texels[i] = i * 2654435761u;
    if (gpu_software.open(&j->gpu, &setup, &j->err))
        return false;
    struct out *o = &j->stream;
    make_start(o);
    make_texture(o, 1, 3, WIDTH, HEIGHT);
    make_texture(o, 6, 1, WIDTH, HEIGHT);
    make_texture(o, 2, 3, SIDE, SIDE);
    make_command(o, 0x104, texels, sizeof texels, 6, 2u, 0u, 0u, 0u, (uint32_t)sizeof texels, 0u);
    make_targets(o, 1, 0);
    make_viewport(o, 0, 0, WIDTH, HEIGHT);
    make_shaders(o);
    quad(o, 3, false);
    quad(o, 4, true);
    make_command(o, 0x510, NULL, 0, 4, 1, 0, 2, 0);
    make_command(o, 0x520, NULL, 0, 5, 5, 1, 1, 1, 0);
    make_command(o, 0x522, NULL, 0, 5, 1, 0, 1, 0, 5);
    submit(j);
    return !j->status;
}

static void measure(struct bench *b, struct job *j, const char *name, uint32_t ps, uint32_t buffer,
                    bool blended)
{
    make_start(&j->stream);
    make_bind(&j->stream, 10, ps);
    make_vertices(&j->stream, buffer, 32);
    make_command(&j->stream, 0x300, NULL, 0, 13, blended, 2, 3, 0, 15, 1, 3, 0, 0, 0, 0, 0, ~0u);
    for (int i = 0; i < DRAWS; i++)
        make_draw(&j->stream, 6, 0);
    double seconds = bench_best(b, submit, j);
    if (j->status)
        bench_skip(b, name, j->err.text);
    else
        bench_report(b, name, (double)WIDTH * HEIGHT * DRAWS / seconds / 1e6, 0);
}

/* Of the format that pictures have, and of the one that most targets have. */
static void measure_frame(struct bench *b, struct job *j, const char *name, uint32_t target)
{
    make_start(&j->stream);
    make_targets(&j->stream, target, 0);
    make_clear(&j->stream, 0.1f, 0.2f, 0.3f, 1);
    make_present(&j->stream);
    bench_report(b, name, bench_best(b, submit, j) * 1e3, 0);
}

void raster_bench(struct bench *b)
{
    struct job j = {0};
    if (begin(&j)) {
        measure(b, &j, "raster.flat", 11, 3, false);
        measure(b, &j, "raster.smooth", 11, 4, false);
        measure(b, &j, "raster.textured", 12, 4, true);
        measure_frame(b, &j, "raster.frame", 1);
        measure_frame(b, &j, "raster.frame.bgra", 6);
    } else {
        bench_skip(b, "raster.flat", j.err.text);
    }
    out_free(&j.stream);
    gpu_software.close(j.gpu);
}
