/* spans_bench.c - modern spans through stats, beside a scan of the same bytes.
 *
 * Four threads record spans that are entered and left twice, closed with a summary and an
 * attribute; their buffers are appended as they fill, so that times overlap. */
#include "bench.h"
#include <rastrum/dial9.h>

#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, EVENTS = 8000000, CLOSE_FIELDS = 11 };
#define BATCH_BYTES ((size_t)1 << 20)
#define V           RAS_DIAL9_VARINT
#define OPTIONAL(t) ((t) | RAS_DIAL9_OPTIONAL)

enum { ENTER, EXIT, CLOSE, KINDS };

static const struct ras_dial9_field stays[] = {
    {"span_instance_id", V}, {"tid", RAS_DIAL9_U32}, {"worker_id", V}};
static const struct ras_dial9_field close_fields[CLOSE_FIELDS] = {
    {"span_instance_id", V},
    {"start_timestamp_ns", V},
    {"first_enter_timestamp_ns", OPTIONAL(V)},
    {"active_ns", V},
    {"span_name", RAS_DIAL9_POOLED_STRING},
    {"target", RAS_DIAL9_POOLED_STRING},
    {"file", OPTIONAL(RAS_DIAL9_POOLED_STRING)},
    {"line", OPTIONAL(RAS_DIAL9_U32)},
    {"parent_span_instance_id", OPTIONAL(V)},
    {"attributes", RAS_DIAL9_STRING_MAP},
    {"unbalanced_enters", RAS_DIAL9_U32}};
static const struct ras_dial9_schema schemas[KINDS] = {
    [ENTER] = {"SpanEnter__app::request", stays, 3, true},
    [EXIT] = {"SpanExit__app::request", stays, 3, true},
    [CLOSE] = {"SpanClose__app::request", close_fields, CLOSE_FIELDS, true},
};

struct recording {
    struct ras_dial9_writer *writer;
    uint16_t ids[KINDS];
    uint32_t name, target, file;
    uint64_t time_ns, number, span;
};

struct spans_job {
    struct ras_bytes bytes;
    uint64_t events, sum;
    bool failed;
};

static void texts(struct spans_job *j, struct recording *r)
{
    static const struct ras_bytes name = {(const uint8_t *)"request", 7},
                                  target = {(const uint8_t *)"app::http", 9},
                                  file = {(const uint8_t *)"src/http.rs", 11};
    j->failed |= ras_dial9_writer_string(r->writer, name, &r->name, NULL) < 0 ||
                 ras_dial9_writer_string(r->writer, target, &r->target, NULL) < 0 ||
                 ras_dial9_writer_string(r->writer, file, &r->file, NULL) < 0;
}

static void stay(struct spans_job *j, struct recording *r, int kind, uint64_t after)
{
    const struct ras_dial9_value values[] = {
        {.type = V, .u = r->span}, {.type = RAS_DIAL9_U32, .u = r->number}, {.type = V, .u = 1}};
    r->time_ns += after;
    j->failed |= ras_dial9_writer_event(r->writer, r->ids[kind], r->time_ns, values, 3, NULL) < 0;
    j->events++;
}

static void shut(struct spans_job *j, struct recording *r, uint64_t start)
{
    static const char *const methods[] = {"GET", "PUT", "POST", "HEAD"};
    const char *method = methods[r->span % 4];
    const struct ras_dial9_value pair[] = {
        {.type = RAS_DIAL9_STRING, .count = 6, .at = (const uint8_t *)"method"},
        {.type = RAS_DIAL9_STRING,
         .count = (uint32_t)strlen(method),
         .at = (const uint8_t *)method}};
    const struct ras_dial9_value values[CLOSE_FIELDS] = {
        {.type = V, .u = r->span},
        {.type = V, .u = start},
        {.type = V, .u = start + 100},
        {.type = V, .u = 0},
        {.type = RAS_DIAL9_POOLED_STRING, .u = r->name},
        {.type = RAS_DIAL9_POOLED_STRING, .u = r->target},
        {.type = RAS_DIAL9_POOLED_STRING, .u = r->file},
        {.type = RAS_DIAL9_U32, .u = 42},
        {0},
        ras_dial9_made(RAS_DIAL9_STRING_MAP, pair, 1),
        {.type = RAS_DIAL9_U32, .u = 0}};
    r->time_ns += 50;
    j->failed |= ras_dial9_writer_event(r->writer, r->ids[CLOSE], r->time_ns, values, CLOSE_FIELDS,
                                        NULL) < 0;
    j->events++;
}

static void one_span(struct spans_job *j, struct recording *r, struct ras_sink *sink)
{
    uint64_t start = r->time_ns + 10;
    r->span += THREADS;
    stay(j, r, ENTER, 110);
    stay(j, r, EXIT, 400 + r->span % 97);
    stay(j, r, ENTER, 1000);
    stay(j, r, EXIT, 300);
    shut(j, r, start);
    if (ras_dial9_writer_bytes(r->writer).len > BATCH_BYTES) {
        j->failed |= ras_dial9_writer_append(r->writer, sink, NULL) < 0;
        texts(j, r);
    }
}

static bool begin(struct spans_job *j, struct recording *r, uint64_t number)
{
    *r = (struct recording){
        .number = number + 1, .time_ns = 1000000000 + number, .span = number + 1};
    if (ras_dial9_writer_open(&r->writer, NULL, NULL, NULL) < 0)
        return false;
    for (int i = 0; i < KINDS; i++)
        j->failed |= ras_dial9_writer_schema(r->writer, &schemas[i], &r->ids[i], NULL) < 0;
    texts(j, r);
    return !j->failed;
}

/* The bytes are those of the sink, which stays open. */
static bool make(struct spans_job *j, struct ras_sink *sink)
{
    struct recording all[THREADS] = {{0}};
    for (uint64_t i = 0; i < THREADS; i++)
        j->failed |= !begin(j, &all[i], i);
    while (!j->failed && j->events < EVENTS) { /* whoever is behind goes on */
        struct recording *next = &all[0];
        for (int i = 1; i < THREADS; i++)
            next = all[i].time_ns < next->time_ns ? &all[i] : next;
        one_span(j, next, sink);
    }
    for (int i = 0; i < THREADS; i++) {
        j->failed |= ras_dial9_writer_append(all[i].writer, sink, NULL) < 0;
        j->failed |= ras_dial9_writer_close(all[i].writer, NULL) < 0;
    }
    j->bytes = ras_sink_bytes(sink);
    return !j->failed;
}

static void figures(void *user)
{
    struct spans_job *j = user;
    struct ras_trace *t;
    struct ras_stats *stats = NULL;
    if (ras_open_memory(&t, j->bytes.at, j->bytes.len, NULL, NULL) < 0)
        return;
    j->failed |= ras_stats(&stats, t, NULL, NULL) < 0;
    ras_stats_free(stats);
    ras_close(t);
}

/* All events and values, and nothing done with them. */
static void read_all(void *user)
{
    struct spans_job *j = user;
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t events = 0;
    if (ras_open_memory(&t, j->bytes.at, j->bytes.len, NULL, NULL) < 0)
        return;
    if (ras_cursor_open(&c, t, NULL, NULL) == RAS_OK) {
        while (ras_next(c, &r, NULL) == RAS_OK) {
            j->sum += r->time_ns;
            events++;
        }
        ras_cursor_close(c);
    }
    j->failed |= events != j->events;
    ras_close(t);
}

void spans_bench(struct bench *b)
{
    struct spans_job j = {0};
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0 || !make(&j, sink)) {
        bench_skip(b, "dial9.spans", "the spans cannot be made");
        return;
    }
    double seconds = bench_best(b, figures, &j), scan = bench_best(b, read_all, &j);
    if (j.failed)
        bench_skip(b, "dial9.spans", "the spans cannot be read");
    else
        bench_report(b, "dial9.spans", (double)j.events / seconds, (double)j.events / scan);
    ras_sink_drop(sink);
}
