/* cdt_bench.c - decoding every struct of a CDT trace beside what its bytes cost anyway.
 *
 * The yardstick is zstd decompression and BLAKE2b of the same chunks, without
 * which no reader can begin: the figure is how many times that the whole takes. */
#include "bench.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include <rastrum/cdt.h>

#include <stdlib.h>

struct job {
    struct ras_bytes file;
    uint8_t *room; /* for the largest payload */
    struct zstd_chunk_ctx *zstd;
    uint64_t ticks, rows, payload;
};

/* Every chunk decompressed and hashed, nothing decoded. */
static void bytes_only(void *user)
{
    struct job *job = user;
    struct ras_cdt_chunk chunk;
    uint64_t at = RAS_CDT_HEADER_SIZE, sum = 0;
    job->payload = 0;
    while (ras_cdt_chunk_get(job->file, at, &chunk, NULL) == RAS_OK && chunk.kind) {
        struct ras_bytes body = {job->file.at + at + RAS_CDT_CHUNK_HEADER_SIZE,
                                 chunk.compressed_len};
        const char *why;
        if (zstd_chunk_get(job->zstd, body, job->room, chunk.uncompressed_len, NULL, &why) < 0)
            return;
        sum += blake2b64(job->room, chunk.uncompressed_len) == chunk.checksum64;
        job->payload += chunk.uncompressed_len;
        at += RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)chunk.compressed_len;
    }
    bench_use(sum);
}

/* The same, and every struct typed: each tick with all its rows is at hand. */
static void decode(void *user)
{
    struct job *job = user;
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    job->ticks = job->rows = 0;
    if (ras_cdt_open(&cdt, job->file.at, job->file.len, NULL, NULL) < 0)
        return;
    while (ras_cdt_tick_next(cdt, &tick, NULL) == RAS_OK) {
        job->ticks++;
        job->rows += tick->channels.entity_samples.creatures.count;
    }
    ras_cdt_close(cdt);
}

static uint32_t largest(struct ras_bytes file)
{
    struct ras_cdt_chunk chunk;
    uint64_t at = RAS_CDT_HEADER_SIZE;
    uint32_t most = 0;
    while (ras_cdt_chunk_get(file, at, &chunk, NULL) == RAS_OK && chunk.kind) {
        most = chunk.uncompressed_len > most ? chunk.uncompressed_len : most;
        at += RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)chunk.compressed_len;
    }
    return most;
}

void cdt_bench(struct bench *b)
{
    size_t size;
    const char *path = bench_fixture(b, "cdt/large_2000.cdt");
    uint8_t *bytes = path ? bench_file(path, &size) : NULL;
    if (!bytes) {
        bench_skip(b, "cdt.decode", "fixtures/cdt/large_2000.cdt is absent");
        return;
    }
    struct job job = {.file = {bytes, size}, .zstd = zstd_chunk_ctx_new()};
    job.room = malloc(largest(job.file) + 1u);
    if (job.zstd && job.room) {
        double least = bench_best(b, bytes_only, &job);
        double whole = bench_best(b, decode, &job);
        bench_report(b, "cdt.decode", whole / least, 1);
        bench_remark(b, "cdt.decode: %.1f MB of payload: zstd and BLAKE2b %.2f GB/s, all %.2f GB/s",
                     (double)job.payload / 1e6, (double)job.payload / least / 1e9,
                     (double)job.payload / whole / 1e9);
    }
    zstd_chunk_ctx_free(job.zstd);
    free(job.room);
    free(bytes);
}
