/* dial9_bench.c - all fields of the public demo trace: visited natively, as rows, and
 * compared beside a scan; and light events, encoded. */
#include "bench.h"
#include <rastrum/dial9.h>

#include <stdlib.h>
#include <string.h>

struct job {
    const uint8_t *bytes; /* inflated */
    size_t size;
    uint64_t events, sum;
    uint8_t *room; /* for a copy */
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

/* The trace with itself: every event of both is decoded and compared. */
static void diff(void *user)
{
    struct job *job = user;
    struct ras_trace *a, *b = NULL;
    struct ras_diff *d = NULL;
    job->events = 0;
    if (ras_open_memory(&a, job->bytes, job->size, NULL, NULL) == RAS_OK &&
        ras_open_memory(&b, job->bytes, job->size, NULL, NULL) == RAS_OK &&
        ras_diff(&d, a, b, NULL, NULL) == RAS_OK && !d->divergence_count)
        job->events = d->checked;
    ras_diff_free(d);
    ras_close(a);
    ras_close(b);
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

/* ---- encoding --------------------------------------------------------------- */

enum { LIGHT = 1000000, LIGHT_BYTES = 16 };

static const struct ras_dial9_field poll_start[] = {{"worker_id", RAS_DIAL9_VARINT},
                                                    {"local_queue_depth", RAS_DIAL9_VARINT},
                                                    {"task_id", RAS_DIAL9_VARINT},
                                                    {"spawn_loc_id", RAS_DIAL9_VARINT}};
static const struct ras_dial9_field park[] = {{"worker_id", RAS_DIAL9_VARINT},
                                              {"local_queue_depth", RAS_DIAL9_VARINT},
                                              {"cpu_time_ns", RAS_DIAL9_VARINT}};
static const struct ras_dial9_field wake[] = {{"waker_task_id", RAS_DIAL9_VARINT},
                                              {"woken_task_id", RAS_DIAL9_VARINT},
                                              {"target_worker", RAS_DIAL9_VARINT}};
static const struct ras_dial9_schema light[] = {{"PollStart", poll_start, 4, true},
                                                {"PollEnd", poll_start, 1, true},
                                                {"WorkerPark", park, 3, true},
                                                {"WakeEvent", wake, 3, true}};

/* The public benchmark's light mix: four types in turn, none with a stack. */
static int put_light(struct ras_dial9_writer *w, const uint16_t *ids)
{
    struct ras_dial9_value v[4] = {{.type = RAS_DIAL9_VARINT},
                                   {.type = RAS_DIAL9_VARINT},
                                   {.type = RAS_DIAL9_VARINT},
                                   {.type = RAS_DIAL9_VARINT}};
    uint64_t time_ns = 1000000000;
    int status = RAS_OK;
    for (uint64_t i = 0; i < LIGHT && status == RAS_OK; i++) {
        unsigned kind = i % 4;
        time_ns += 500 + i % 200;
        v[0].u = i % 8;
        switch (kind) {
        case 0:
            v[1].u = i % 32;
            v[2].u = 1000 + i % 5000;
            v[3].u = i % 20;
            break;
        case 2:
            v[1].u = i % 16;
            v[2].u = 500000000 + i * 100;
            break;
        case 3:
            v[0].u = 1000 + i % 5000;
            v[1].u = 1000 + (i + 1) % 5000;
            v[2].u = i % 8;
        }
        status = ras_dial9_writer_event(w, ids[kind], time_ns, v, light[kind].field_count, NULL);
    }
    return status;
}

static void encode(void *user)
{
    struct job *job = user;
    struct ras_dial9_writer_options options = {.room = (size_t)LIGHT * LIGHT_BYTES};
    struct ras_dial9_writer *w;
    uint16_t ids[4];
    int status = ras_dial9_writer_open(&w, NULL, &options, NULL);
    if (status < 0)
        return;
    for (unsigned i = 0; i < 4 && status == RAS_OK; i++)
        status = ras_dial9_writer_schema(w, &light[i], &ids[i], NULL);
    if (status == RAS_OK)
        status = put_light(w, ids);
    job->events = status == RAS_OK ? ras_dial9_writer_count(w) : 0;
    job->size = ras_dial9_writer_bytes(w).len;
    bench_use(ras_dial9_writer_bytes(w).at[job->size - 1]);
    if (ras_dial9_writer_close(w, NULL) < 0)
        job->events = 0;
}

/* Beside it, the same bytes copied. */
static void copy(void *user)
{
    const struct job *job = user;
    memcpy(job->room, job->bytes, job->size);
    bench_use(job->room[job->size - 1]);
}

static void encode_bench(struct bench *b)
{
    struct job job = {0};
    double seconds = bench_best(b, encode, &job);
    job.bytes = calloc(1, job.size);
    job.room = malloc(job.size);
    if (!job.bytes || !job.room || !job.events)
        bench_skip(b, "dial9.encode", "out of memory");
    else
        bench_report(b, "dial9.encode", (double)job.events / seconds,
                     (double)job.events / bench_best(b, copy, &job));
    free((void *)job.bytes);
    free(job.room);
}

static void decode_bench(struct bench *b)
{
    const char *path = bench_fixture(b, "dial9/demo-trace.bin");
    struct job job = {0};
    uint8_t *bytes = path ? inflate(path, &job.size) : NULL;
    if (!bytes) {
        bench_skip(b, "dial9.visit", "the demo trace is absent");
        bench_skip(b, "dial9.scan", "the demo trace is absent");
        bench_skip(b, "diff.dial9", "the demo trace is absent");
        return;
    }
    job.bytes = bytes;
    double seconds = bench_best(b, visit, &job);
    double per_event = (double)job.size / (double)job.events;
    double limit = bench_read_speed(b, bytes, job.size) / per_event;
    bench_report(b, "dial9.visit", (double)job.events / seconds, limit);
    seconds = bench_best(b, scan, &job);
    double scanned = (double)job.events / seconds;
    bench_report(b, "dial9.scan", scanned, limit);
    seconds = bench_best(b, diff, &job);
    bench_report(b, "diff.dial9", (double)job.events / seconds, scanned);
    bench_use(job.sum);
    free(bytes);
}

void dial9_bench(struct bench *b)
{
    decode_bench(b);
    encode_bench(b);
}
