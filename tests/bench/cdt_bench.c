/* cdt_bench.c - every struct of a CDT trace, decoded and written, beside what its bytes
 * cost anyway.
 *
 * The yardsticks are zstd and BLAKE2b of the same chunks, without which no reader can
 * begin and no writer end: the figure is how many times that the whole takes. */
#include "bench.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include <rastrum/cdt.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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

double cdt_bench_bytes(struct bench *b, struct ras_bytes file)
{
    struct job job = {.file = file, .zstd = zstd_chunk_ctx_new()};
    job.room = malloc(largest(file) + 1u);
    double took = job.zstd && job.room ? bench_best(b, bytes_only, &job) : 0;
    zstd_chunk_ctx_free(job.zstd);
    free(job.room);
    return job.payload ? took : 0;
}

/* ---- writing ------------------------------------------------------------- */

enum { TURNS = 3 };

/* A block from the middle of a trace, typed, and written over and over to one trace: what a
 * recorder has at hand is in the processor's caches, and so is what the yardstick packs. */
struct write_job {
    struct ras_cdt *reader;
    const struct ras_cdt_tick_block *block;
    struct zstd_maker *zstd;
    uint8_t *room;
    size_t size;
    struct ras_sink *sink;
    struct ras_cdt_writer *writer;
    int64_t tick_index; /* the next one */
    int status;
};

static bool load_block(struct write_job *job, struct ras_bytes file)
{
    if (ras_cdt_open(&job->reader, file.at, file.len, NULL, NULL) < 0)
        return false;
    const struct ras_cdt_trace_footer *footer = ras_cdt_footer(job->reader);
    if (!footer || !footer->tick_blocks.count)
        return false;
    size_t middle = footer->tick_blocks.count / 2;
    uint64_t at = (uint64_t)footer->tick_blocks.at[middle].file_offset;
    if (ras_cdt_block_at(job->reader, at, &job->block, NULL) < 0)
        return false;
    job->size = zstd_chunk_bound(ras_cdt_payload(job->reader).len);
    job->room = malloc(job->size);
    return job->room != NULL;
}

/* The payload compressed and hashed, nothing encoded. */
static void pack_only(void *user)
{
    struct write_job *job = user;
    struct ras_bytes payload = ras_cdt_payload(job->reader);
    bench_use(blake2b64(payload.at, payload.len) +
              zstd_chunk_put(job->zstd, payload, job->room, job->size));
}

/* The same from its structs to the sink. */
static void write_block(void *user)
{
    struct write_job *job = user;
    for (size_t i = 0; i < job->block->ticks.count && job->status == RAS_OK; i++) {
        struct ras_cdt_tick_record tick = job->block->ticks.at[i]; /* its lists stay */
        tick.tick_index = job->tick_index++;
        job->status = ras_cdt_writer_tick(job->writer, &tick, NULL);
    }
    if (job->status == RAS_OK)
        job->status = ras_cdt_writer_flush(job->writer, NULL);
}

static void race(struct bench *b, struct write_job *job)
{
    double least = 1e9, whole = 1e9, took, payload = (double)ras_cdt_payload(job->reader).len;
    for (int i = 0; i < TURNS; i++) { /* in turns, so that both meet the same machine */
        took = bench_best(b, pack_only, job);
        least = took < least ? took : least;
        took = bench_best(b, write_block, job);
        whole = took < whole ? took : whole;
    }
    if (job->status == RAS_OK)
        bench_report(b, "cdt.write", whole / least, 1);
    bench_remark(b, "cdt.write: %.1f MB a chunk: zstd 3 and BLAKE2b %.2f GB/s, all %.2f GB/s",
                 payload / 1e6, payload / least / 1e9, payload / whole / 1e9);
}

static void bench_write(struct bench *b, struct ras_bytes file)
{
    struct write_job job = {.zstd = zstd_maker_new(3)};
    int null = open("/dev/null", O_WRONLY); /* no disk takes part */
    if (job.zstd && load_block(&job, file) && ras_sink_fd(&job.sink, null, NULL) == RAS_OK &&
        ras_cdt_writer_open(&job.writer, job.sink, ras_cdt_meta(job.reader), NULL, NULL) == RAS_OK)
        race(b, &job);
    ras_cdt_writer_drop(job.writer);
    ras_sink_drop(job.sink);
    ras_cdt_close(job.reader);
    zstd_maker_free(job.zstd);
    free(job.room);
    close(null);
}

void cdt_bench(struct bench *b)
{
    size_t size;
    const char *path = bench_fixture(b, "cdt/large_2000.cdt");
    uint8_t *bytes = path ? bench_file(path, &size) : NULL;
    if (!bytes) {
        bench_skip(b, "cdt.decode", "fixtures/cdt/large_2000.cdt is absent");
        bench_skip(b, "cdt.write", "fixtures/cdt/large_2000.cdt is absent");
        bench_skip(b, "cdt.range", "fixtures/cdt/large_2000.cdt is absent");
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
    bench_write(b, job.file);
    bench_range(b, "cdt.range", job.file, 1000);
    free(bytes);
}
