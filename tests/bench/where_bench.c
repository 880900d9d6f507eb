/* where_bench.c - what a condition costs beside the plain walk over the same records. */
#include "bench.h"
#include "base/out.h"
#include <rastrum/murk.h>

#include <stdlib.h>
#include <string.h>

enum { TIMES = 500 };

struct job {
    struct ras_bytes bytes;
    const char *condition;     /* NULL: none */
    const char *const *fields; /* what is decoded; NULL: all */
    size_t field_count;
    uint64_t records, matches;
};

static void walk(void *user)
{
    struct job *job = user;
    struct ras_trace *t;
    struct ras_cursor *c = NULL;
    struct ras_where *where = NULL;
    const struct ras_record *r;
    const struct ras_pick pick = {.fields = job->fields, .field_count = job->field_count};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    job->records = job->matches = 0;
    if (ras_open_memory(&t, job->bytes.at, job->bytes.len, NULL, NULL) < 0)
        return;
    bool ready = ras_cursor_open(&c, t, &scan, NULL) == RAS_OK;
    if (ready && job->condition)
        ready = ras_where_parse(&where, job->condition, NULL) == RAS_OK &&
                ras_where_begin(where, t, NULL) == RAS_OK;
    while (ready && ras_next(c, &r, NULL) == RAS_OK) {
        bool matches = true;
        if (where && ras_where_matches(where, c, r, &matches, NULL) < 0)
            break;
        job->records++;
        job->matches += matches;
    }
    ras_where_free(where);
    ras_cursor_close(c);
    ras_close(t);
}

/* Nanoseconds a record. */
static double measure(struct bench *b, struct job *job)
{
    double seconds = bench_best(b, walk, job);
    return job->records ? seconds / (double)job->records * 1e9 : 0;
}

/* The frames of a replay, many times over. */
static void make_trace(struct bench *b, struct out *out)
{
    size_t size = 0;
    struct ras_murk_header header;
    struct ras_murk_fault fault;
    uint8_t *file = bench_file(bench_golden(b, "murk/big-steady.murk"), &size);
    if (file && ras_murk_header_get((struct ras_bytes){file, size}, &header, &fault)) {
        out_bytes(out, file, (size_t)header.size);
        for (int i = 0; i < TIMES; i++)
            out_bytes(out, file + header.size, size - (size_t)header.size);
    }
    free(file);
}

void where_bench(struct bench *b)
{
    static const char *const conditions[] = {
        "type == 'command'",
        "tick in 100..200",
        "entity_id == 7",
        "coord[0] > 3 and entity_id < 9",
        "payload_name in ['Spawn', 'Custom']",
        "payload_name ~ '^Set.*Batch$'",
    };
    static const char *const fields[] = {"entity_id", "coord", "payload_name"};
    struct out out = {0};
    make_trace(b, &out);
    struct job job = {.bytes = {out.at, out.len}};
    double all = measure(b, &job);
    if (!job.records) {
        bench_skip(b, "where.filter", "the golden is not there");
        out_free(&out);
        return;
    }
    job.fields = fields;
    job.field_count = 3;
    double some = measure(b, &job);
    bench_remark(b, "where: %.1f ns a record are walked with all values, %.1f with three fields",
                 all, some);
    double most = 0;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        job.condition = conditions[i];
        double cost = measure(b, &job) - some;
        bench_remark(b, "where: %+.1f ns a record: %s (%.0f%% match)", cost, conditions[i],
                     100 * (double)job.matches / (double)job.records);
        if (!strchr(conditions[i], '~')) /* a regular expression is as costly as its text is long */
            most = cost > most ? cost : most;
    }
    bench_report(b, "where.filter", most, some);
    out_free(&out);
}
