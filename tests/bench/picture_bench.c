/* picture_bench.c - what becomes of a frame once it is drawn: its hash, its PNG; and how long
 * OpenGL takes before it draws the first. */
#include "bench.h"
#include "codec/sha256.h"
#include <rastrum/render.h>

#include <stdlib.h>

enum { WIDTH = 1920, HEIGHT = 1080, BOXES = 400, STARTS = 10 };
#define SIZE ((size_t)WIDTH * HEIGHT * 4)

struct job {
    struct ras_picture picture;
    struct ras_sink *sink;
};

static uint32_t next_random(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

/* A frame as games draw them: a sky, boxes over each other, some of them with a grain. */
static void paint(uint8_t *rgba)
{
    uint32_t random = 7;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint8_t sky[4] = {(uint8_t)(y / 8), (uint8_t)(80 + y / 16),
                                    (uint8_t)(255 - y / 9), 255};
            for (int i = 0; i < 4; i++)
                rgba[((size_t)y * WIDTH + x) * 4 + (size_t)i] = sky[i];
        }
    for (int box = 0; box < BOXES; box++) {
        uint32_t left = next_random(&random) >> 8, top = next_random(&random) >> 8;
        uint32_t color = next_random(&random);
        for (uint32_t y = 0; y < 64; y++)
            for (uint32_t x = 0; x < 90; x++) {
                uint8_t *to =
                    rgba + ((size_t)((top + y) % HEIGHT) * WIDTH + (left + x) % WIDTH) * 4;
                uint32_t grain = box % 8 ? 0 : next_random(&random) >> 28;
                for (int i = 0; i < 3; i++)
                    to[i] = (uint8_t)((color >> (8 * i)) + grain);
            }
    }
}

static void hash_picture(void *user)
{
    const struct job *job = user;
    uint8_t digest[RAS_SHA256_SIZE];
    ras_picture_sha256(&job->picture, digest);
    bench_use(digest[0]);
}

/* The blocks alone, by the quickest way that the machine has. */
static void hash_blocks(void *user)
{
    const struct job *job = user;
    struct sha256 sha = sha256_start();
    sha.blocks(sha.state, job->picture.rgba, SIZE / SHA256_BLOCK);
    bench_use(sha.state[0]);
}

static void write_png(void *user)
{
    struct job *job = user;
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        return;
    bench_use((uint64_t)ras_png_put(sink, &job->picture, NULL));
    bench_use(ras_sink_size(sink));
    ras_sink_drop(sink);
}

static void start_bench(struct bench *b)
{
    const char *trace = bench_golden(b, "aerogpu/pictures.aerogputrace");
    char *argv[] = {(char *)(uintptr_t)bench_program(b), "replay", (char *)(uintptr_t)trace, NULL};
    struct bench_run run = {0};
    if (!bench_process(b, argv, STARTS, &run) || run.status != 0)
        bench_skip(b, "gles.start", "OpenGL ES is not here, or does not draw");
    else
        bench_report(b, "gles.start", run.wall_ms, 0);
}

void picture_bench(struct bench *b)
{
    uint8_t *rgba = malloc(SIZE);
    struct job job = {.picture = {WIDTH, HEIGHT, rgba}};
    if (!rgba)
        return;
    paint(rgba);
    double whole = bench_best(b, hash_picture, &job), blocks = bench_best(b, hash_blocks, &job);
    bench_report(b, "frame.hash", blocks / whole, 0);
    bench_remark(b, "frame.hash: %.2f GB/s", (double)SIZE / whole * 1e-9);
    bench_report(b, "frame.png", bench_best(b, write_png, &job) * 1e3, 0);
    free(rgba);
    start_bench(b);
}
