/* dial9_bench.c - all fields of the public demo trace: visited natively, and as rows. */
#include "bench.h"
#include <rastrum/dial9.h>

#include <stdlib.h>

struct job {
    const uint8_t *bytes; /* inflated */
    size_t size;
    uint64_t events, sum;
};

static int visitor(void *user, const struct ras_dial9_event *event)
{
    struct job *job = user;
    uint64_t sum = event->time_ns;
    for (unsigned i = 0; i < event->schema->field_count; i++)
        sum += event->values[i].u;
    job->sum += sum;
    job->events++;
    return 0;
}

static void visit(void *user)
{
    struct job *job = user;
    struct ras_dial9 *reader;
    job->events = 0;
    if (ras_dial9_open(&reader, job->bytes, job->size, NULL, NULL) < 0)
        return;
    if (ras_dial9_visit(reader, visitor, job, NULL) != RAS_END)
        job->events = 0;
    ras_dial9_close(reader);
}

static void scan(void *user)
{
    struct job *job = user;
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    job->events = 0;
    if (ras_open_memory(&t, job->bytes, job->size, NULL, NULL) < 0)
        return;
    if (ras_cursor_open(&c, t, NULL, NULL) == RAS_OK) {
        while (ras_next(c, &r, NULL) == RAS_OK) {
            size_t count;
            const struct ras_value *v = ras_values(c, &count);
            uint64_t sum = r->time_ns;
            for (size_t i = 0; i < count; i++)
                sum += v[i].u;
            job->sum += sum;
            job->events++;
        }
        ras_cursor_close(c);
    }
    ras_close(t);
}

/* The stream's own bytes: a copy of what the wrapping inflates to. */
static uint8_t *inflate(const char *path, size_t *size)
{
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r, *last = NULL;
    uint8_t *bytes = NULL;
    if (ras_open(&t, path, NULL, NULL) < 0)
        return NULL;
    if (ras_cursor_open(&c, t, NULL, NULL) == RAS_OK) {
        /* The demo trace ends with an event: its end is the stream's. */
        while (ras_next(c, &r, NULL) == RAS_OK)
            last = r;
        *size = last ? (size_t)(last->offset + last->raw_len) : 0;
        bytes = last ? malloc(*size) : NULL;
        for (size_t i = 0; bytes && i < *size; i++)
            bytes[i] = (last->raw - last->offset)[i];
        ras_cursor_close(c);
    }
    ras_close(t);
    return bytes;
}

void dial9_bench(struct bench *b)
{
    const char *path = bench_fixture(b, "dial9/demo-trace.bin");
    struct job job = {0};
    uint8_t *bytes = path ? inflate(path, &job.size) : NULL;
    if (!bytes) {
        bench_skip(b, "dial9.visit", "the demo trace is absent");
        bench_skip(b, "dial9.scan", "the demo trace is absent");
        return;
    }
    job.bytes = bytes;
    double seconds = bench_best(b, visit, &job);
    double per_event = (double)job.size / (double)job.events;
    double limit = bench_read_speed(b, bytes, job.size) / per_event;
    bench_report(b, "dial9.visit", (double)job.events / seconds, limit);
    seconds = bench_best(b, scan, &job);
    bench_report(b, "dial9.scan", (double)job.events / seconds, limit);
    bench_use(job.sum);
    free(bytes);
}
