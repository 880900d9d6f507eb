/* zstd_bench.c - the zstd decoder of this library beside libzstd: a frame of records and text. */
#include "bench.h"
#include "codec/zstd_chunk.h"
#include "codec/zstd_engine.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 8 << 20, RECORD = 24, LEVEL = 3 };

struct job {
    struct zstd_chunk_ctx *zstd;
    struct ras_bytes packed;
    uint8_t *out;
    int status;
};

static void inflate_frame(void *user)
{
    struct job *job = user;
    const char *why;
    int status = zstd_chunk_get(job->zstd, job->packed, job->out, SIZE, NULL, &why);
    if (status)
        job->status = status;
    bench_use(job->out[SIZE - 1]);
}

/* Half of it records with counters and small values, half of it words. */
static void fill_data(uint8_t *at)
{
    static const char words[8][8] = {"tick ",  "frame ",  "player ", "0x1f8b ",
                                     "arena ", "rocket ", "7, ",     "\n"};
    uint32_t seed = 8878;
    memset(at, 0, SIZE);
    for (uint32_t i = 0; i < SIZE / 2 / RECORD; i++, at += RECORD) {
        seed = seed * 1664525 + 1013904223;
        memcpy(at, &i, sizeof i);
        at[8] = (uint8_t)((seed >> 24) % 5);
        at[17] = (uint8_t)(seed >> 16);
    }
    for (size_t n = 0; n + 8 < SIZE / 2; n += strlen(words[seed >> 29])) {
        seed = seed * 1664525 + 1013904223;
        memcpy(at + n, words[seed >> 29], 8);
    }
}

static double speed_by(struct bench *b, const struct zstd_engine *engine, struct job *job)
{
    job->zstd = zstd_chunk_ctx_by(engine);
    double took = job->zstd ? bench_best(b, inflate_frame, job) : 0;
    zstd_chunk_ctx_free(job->zstd);
    return took;
}

void zstd_bench(struct bench *b)
{
    size_t room = zstd_chunk_bound(SIZE);
    uint8_t *data = malloc(SIZE), *packed = malloc(room);
    struct zstd_maker *maker = zstd_maker_new(LEVEL);
    struct job job = {.out = malloc(SIZE)};
    if (data && packed && maker && job.out) {
        fill_data(data);
        job.packed = (struct ras_bytes){
            packed, zstd_chunk_put(maker, (struct ras_bytes){data, SIZE}, packed, room)};
        double plain = speed_by(b, &zstd_plain, &job), library = speed_by(b, &zstd_library, &job);
        if (job.status || memcmp(job.out, data, SIZE) != 0)
            bench_skip(b, "zstd.plain", "the frame cannot be decoded");
        else
            bench_report(b, "zstd.plain", plain / library, 0);
        bench_remark(b, "zstd.plain: %.0f MB/s, libzstd %.0f MB/s", SIZE / plain / 1e6,
                     SIZE / library / 1e6);
    }
    zstd_maker_free(maker);
    free(data);
    free(packed);
    free(job.out);
}
