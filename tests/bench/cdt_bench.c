/* cdt_bench.c - every struct of a CDT trace, decoded and written, beside what its bytes
 * cost anyway.
 *
 * The yardsticks are zstd and BLAKE2b of the same chunks, without which no reader can
 * begin and no writer end: the figure is how many times that the whole takes. */
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

/* ---- writing ------------------------------------------------------------- */

enum { BLOCKS_MOST = 64, ROUNDS = 4 };

/* The blocks of a trace, all typed at once: one reader for each. They are written several
 * times over, so that what is paid once for a trace weighs as little as in a long one. */
struct write_job {
    struct ras_bytes file;
    const struct ras_cdt_trace_meta *meta;
    struct ras_cdt *readers[BLOCKS_MOST];
    const struct ras_cdt_tick_block *blocks[BLOCKS_MOST];
    size_t count;
    struct zstd_maker *zstd;
    uint8_t *room;
    size_t size;
    uint64_t payload, written;
};

static bool load_blocks(struct write_job *job)
{
    for (job->count = 0; job->count < BLOCKS_MOST; job->count++) {
        struct ras_cdt **reader = &job->readers[job->count];
        if (ras_cdt_open(reader, job->file.at, job->file.len, NULL, NULL) < 0)
            return false;
        const struct ras_cdt_trace_footer *footer = ras_cdt_footer(*reader);
        job->meta = ras_cdt_meta(job->readers[0]);
        if (!footer || job->count == footer->tick_blocks.count)
            return footer != NULL;
        uint64_t at = (uint64_t)footer->tick_blocks.at[job->count].file_offset;
        if (ras_cdt_block_at(*reader, at, &job->blocks[job->count], NULL) < 0)
            return false;
        size_t bound = zstd_chunk_bound(ras_cdt_payload(*reader).len);
        job->size = bound > job->size ? bound : job->size;
        job->payload += ROUNDS * ras_cdt_payload(*reader).len;
    }
    return false;
}

/* Every payload compressed and hashed, nothing encoded. */
static void pack_only(void *user)
{
    struct write_job *job = user;
    uint64_t sum = 0;
    for (size_t i = 0; i < ROUNDS * job->count; i++) {
        struct ras_bytes payload = ras_cdt_payload(job->readers[i % job->count]);
        sum += blake2b64(payload.at, payload.len);
        sum += zstd_chunk_put(job->zstd, payload, job->room, job->size);
    }
    bench_use(sum);
}

static int write_block(struct ras_cdt_writer *writer, const struct ras_cdt_tick_block *block,
                       int64_t *tick_index)
{
    int status = RAS_OK;
    for (size_t i = 0; i < block->ticks.count && status == RAS_OK; i++) {
        struct ras_cdt_tick_record tick = block->ticks.at[i]; /* its lists stay where they are */
        tick.tick_index = (*tick_index)++;
        status = ras_cdt_writer_tick(writer, &tick, NULL);
    }
    return status < 0 ? status : ras_cdt_writer_flush(writer, NULL);
}

/* The whole trace from its structs to a sink in memory. */
static void write_all(void *user)
{
    struct write_job *job = user;
    struct ras_cdt_writer *writer;
    struct ras_sink *sink;
    int64_t tick_index = 0;
    int status = RAS_OK;
    job->written = 0;
    if (ras_sink_memory(&sink, NULL) < 0)
        return;
    if (ras_cdt_writer_open(&writer, sink, job->meta, NULL, NULL) == RAS_OK) {
        for (size_t i = 0; i < ROUNDS * job->count && status == RAS_OK; i++)
            status = write_block(writer, job->blocks[i % job->count], &tick_index);
        if (ras_cdt_writer_close(writer, NULL) == RAS_OK && status == RAS_OK)
            job->written = ras_sink_size(sink);
    }
    ras_sink_drop(sink);
}

static void bench_write(struct bench *b, struct ras_bytes file)
{
    struct write_job job = {.file = file, .zstd = zstd_maker_new(3)};
    if (job.zstd && load_blocks(&job) && (job.room = malloc(job.size))) {
        double least = bench_best(b, pack_only, &job);
        double whole = bench_best(b, write_all, &job);
        if (job.written)
            bench_report(b, "cdt.write", whole / least, 1);
        bench_remark(b,
                     "cdt.write: %.1f MB of payload: zstd 3 and BLAKE2b %.2f GB/s, all %.2f GB/s",
                     (double)job.payload / 1e6, (double)job.payload / least / 1e9,
                     (double)job.payload / whole / 1e9);
    }
    for (size_t i = 0; i < BLOCKS_MOST; i++)
        ras_cdt_close(job.readers[i]);
    zstd_maker_free(job.zstd);
    free(job.room);
}

void cdt_bench(struct bench *b)
{
    size_t size;
    const char *path = bench_fixture(b, "cdt/large_2000.cdt");
    uint8_t *bytes = path ? bench_file(path, &size) : NULL;
    if (!bytes) {
        bench_skip(b, "cdt.decode", "fixtures/cdt/large_2000.cdt is absent");
        bench_skip(b, "cdt.write", "fixtures/cdt/large_2000.cdt is absent");
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
    free(bytes);
}
