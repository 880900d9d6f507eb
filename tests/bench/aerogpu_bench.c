/* aerogpu_bench.c - scanning the records of a trace that holds packets only.
 *
 * 2000 frames of 100 small packets, through the cursor, values left undecoded; each
 * packet is delivered, and the command that it is. The yardstick is the same trace
 * walked natively, record by record. */
#include "bench.h"
#include "base/out.h"
#include <rastrum/aerogpu.h>

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 2000, PACKETS = 100 };

static void put(struct out *out, uint64_t value, unsigned size)
{
    while (size--) {
        out_byte(out, (uint8_t)value);
        value >>= 8;
    }
}

static void put_record(struct out *out, uint8_t type, uint32_t payload_len)
{
    put(out, type, 4);
    put(out, payload_len, 4);
}

static void put_marker(struct out *out, uint8_t type, uint32_t frame)
{
    put_record(out, type, 4);
    put(out, frame, 4);
}

/* A packet of Appendix A with so many dwords after its header. */
static void put_packet(struct out *out, uint32_t opcode, uint32_t dwords)
{
    put_record(out, RAS_AERO_PACKET, 8 + 4 * dwords);
    put(out, opcode, 4);
    put(out, 2 + dwords, 4);
    while (dwords--)
        put(out, dwords, 4);
}

static void put_trace(struct out *out)
{
    static const uint8_t dwords[] = {[5] = 1, [7] = 2, [8] = 4, [9] = 2};
    static const uint8_t opcodes[] = {5, 7, 8, 9, 9};
    out_text(out, "AEROGPUT");
    put(out, 32, 4);
    put(out, 1, 4);
    put(out, 1, 4);
    put(out, 0, 12);
    for (uint32_t f = 0; f < FRAMES; f++) {
        put_marker(out, RAS_AERO_BEGIN_FRAME, f);
        for (unsigned i = 0; i < PACKETS; i++) {
            uint8_t opcode = opcodes[i % sizeof opcodes];
            put_packet(out, opcode, dwords[opcode]);
        }
        put_marker(out, RAS_AERO_PRESENT, f);
    }
}

struct job {
    struct ras_bytes bytes;
    struct ras_trace *trace, *other;
    struct ras_scan scan;
    uint64_t records;
};

static void scan(void *user)
{
    struct job *job = user;
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t sum = 0;
    job->records = 0;
    if (ras_cursor_open(&c, job->trace, &job->scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        sum += r->offset;
        job->records++;
    }
    ras_cursor_close(c);
    bench_use(sum);
}

static void walk(void *user)
{
    struct job *job = user;
    struct ras_aero_record r;
    uint64_t at = RAS_AERO_HEADER_SIZE, sum = 0;
    job->records = 0;
    while (ras_aero_record_get(job->bytes, &at, &r, NULL) == RAS_OK) {
        sum += r.payload.len;
        job->records++;
    }
    bench_use(sum);
}

/* Against a trace that parts from it in the last packet. */
static void diff(void *user)
{
    struct job *job = user;
    struct ras_diff *d;
    job->records = 0;
    if (ras_diff(&d, job->trace, job->other, NULL, NULL) == RAS_OK && d->divergence_count == 1 &&
        d->checked == FRAMES)
        job->records = FRAMES * (PACKETS + 2);
    ras_diff_free(d);
}

static double ns_each(struct bench *b, void (*work)(void *), struct job *job)
{
    double seconds = bench_best(b, work, job);
    return job->records ? seconds * 1e9 / (double)job->records : 0;
}

/* A record of the container, beside a plain scan of it. */
static void measure_diff(struct bench *b, struct job *job, double scanned)
{
    uint8_t *copy = malloc(job->bytes.len);
    double each = 0;
    if (copy)
        memcpy(copy, job->bytes.at, job->bytes.len);
    if (copy)
        copy[job->bytes.len - 12 - 4] ^= 1; /* before the Present */
    if (copy && ras_open_memory(&job->other, copy, job->bytes.len, NULL, NULL) == RAS_OK)
        each = ns_each(b, diff, job);
    if (each > 0)
        bench_report(b, "diff.aerogpu", each, scanned);
    else
        bench_skip(b, "diff.aerogpu", "the divergence is not found");
    ras_close(job->other);
    free(copy);
}

void aerogpu_bench(struct bench *b)
{
    struct out out = {0};
    put_trace(&out);
    struct job job = {.bytes = {out.at, out.len}};
    if (ras_open_memory(&job.trace, out.at, out.len, NULL, NULL) < 0) {
        bench_skip(b, "aerogpu.scan", "the made trace does not open");
        bench_skip(b, "aerogpu.range", "the made trace does not open");
        out_free(&out);
        return;
    }
    double native = ns_each(b, walk, &job);
    double values = ns_each(b, scan, &job);
    job.scan.headers_only = true;
    double headers = ns_each(b, scan, &job);
    if (job.records == FRAMES * (2 * PACKETS + 1))
        bench_report(b, "aerogpu.scan", headers, native);
    else
        bench_skip(b, "aerogpu.scan", "the made trace has other records than it should");
    /* The scan delivers each packet twice: as such, and as the command that it is. */
    measure_diff(b, &job, headers * (2 * PACKETS + 1) / (PACKETS + 2));
    bench_range(b, "aerogpu.range", job.bytes, FRAMES / 2);
    bench_remark(b, "aerogpu.scan with all values decoded: %.1f ns per record", values);
    ras_close(job.trace);
    out_free(&out);
}
