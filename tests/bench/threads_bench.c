/* threads_bench.c - sessions of many threads and of many processes: what one of them costs must not
 * grow with their number. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
    struct ras_part *parts;
    char (*names)[48];
    size_t count;
    bool failed;
};

/* Open it and have it counted, checked and analysed. */
static void look(void *user)
{
    struct session *s = user;
    struct ras_trace *trace;
    struct ras_info *info = NULL;
    struct ras_report *report = NULL;
    struct ras_stats *stats = NULL, *tree = NULL;
    if (ras_open_parts(&trace, s->parts, s->count, NULL, NULL) < 0) {
        s->failed = true;
        return;
    }
    s->failed |= ras_info(&info, trace, NULL, NULL, NULL) < 0;
    s->failed |= ras_verify(&report, trace, NULL, NULL) < 0;
    s->failed |= ras_stats(&stats, trace, NULL, NULL) < 0;
    s->failed |= ras_tree(&tree, trace, NULL, NULL) < 0;
    bench_use(info ? info->records : 0);
    ras_info_free(info);
    ras_report_free(report);
    ras_stats_free(stats);
    ras_stats_free(tree);
    ras_close(trace);
}

static void measure(struct bench *b, const char *name, struct ras_bytes index, size_t count,
                    bool processes)
{
    struct session s = {calloc(count, sizeof *s.parts), calloc(count, sizeof *s.names), count,
                        false};
    for (size_t i = 0; s.parts && s.names && i < count; i++) {
        snprintf(s.names[i], sizeof s.names[i], "pid_%zu/thread_%zu/index.atf",
                 processes ? i + 100000 : 1, processes ? 0 : i + 100000);
        s.parts[i] = (struct ras_part){s.names[i], index};
    }
    double seconds = s.parts && s.names ? bench_best(b, look, &s) : 0;
    if (!s.parts || !s.names || s.failed)
        bench_skip(b, name, "the made session does not read");
    else
        bench_report(b, name, seconds * 1e9 / (double)count, 0);
    free(s.parts);
    free(s.names);
}

void threads_bench(struct bench *b)
{
    static const struct {
        const char *name;
        size_t count;
        bool processes;
    } rows[] = {{"atf.threads.1", 1, false},       {"atf.threads.16", 16, false},
                {"atf.threads.256", 256, false},   {"atf.threads.1k", 1000, false},
                {"atf.threads.4k", 4000, false},   {"atf.threads.16k", 16000, false},
                {"atf.threads.64k", 64000, false}, {"atf.processes.16k", 16000, true}};
    size_t size;
    uint8_t *index = bench_file(bench_golden(b, "atf/two_threads/thread_0/index.atf"), &size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (index)
            measure(b, rows[i].name, (struct ras_bytes){index, size}, rows[i].count,
                    rows[i].processes);
        else
            bench_skip(b, rows[i].name, "the golden is not there");
    }
    free(index);
}
