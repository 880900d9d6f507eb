/* compare_bench.c - comparing and looking into a CDT trace of 100,000 ticks, beside a full
 * decode of it. */
#include "bench.h"
#include <rastrum/cdt.h>

#include <stdio.h>
#include <stdlib.h>

enum { TICKS = 100000, CREATURES = 8, TIMES = 10 };

struct pair {
    char paths[2][4096];
    struct ras_trace *trace;
    struct ras_bytes bytes;
    const struct ras_inspect_options *inspect;
    int status;
};

/* The rows of a trace over and over, with ticks that ascend; in the second copy the
 * last one differs. */
static int write_rows(struct ras_cdt *from, struct ras_cdt_writer *const *to)
{
    const struct ras_cdt_tick_record *row;
    int status = RAS_OK;
    for (int64_t i = 0; i < TICKS && status == RAS_OK; i++) {
        if (ras_cdt_tick_next(from, &row, NULL) != RAS_OK) {
            ras_cdt_rewind(from, 0);
            if (ras_cdt_tick_next(from, &row, NULL) != RAS_OK)
                return RAS_EFORMAT;
        }
        struct ras_cdt_tick_record tick = *row; /* its lists stay */
        size_t *creatures = &tick.channels.entity_samples.creatures.count;
        *creatures = *creatures < CREATURES ? *creatures : CREATURES;
        tick.tick_index = i;
        status = ras_cdt_writer_tick(to[0], &tick, NULL);
        tick.channels.checkpoint.kills += i == TICKS - 1;
        if (status == RAS_OK)
            status = ras_cdt_writer_tick(to[1], &tick, NULL);
    }
    return status;
}

static bool make_pair(struct bench *b, struct pair *p, struct ras_bytes sample)
{
    struct ras_cdt *from = NULL;
    struct ras_sink *sinks[2] = {NULL, NULL};
    struct ras_cdt_writer *writers[2] = {NULL, NULL};
    int status = ras_cdt_open(&from, sample.at, sample.len, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        snprintf(p->paths[i], sizeof p->paths[i], "%s/long%d.cdt", bench_folder(b), i);
        if (status == RAS_OK)
            status = ras_sink_file(&sinks[i], p->paths[i], true, NULL);
        if (status == RAS_OK)
            status = ras_cdt_writer_open(&writers[i], sinks[i], ras_cdt_meta(from), NULL, NULL);
    }
    if (status == RAS_OK)
        status = write_rows(from, writers);
    for (int i = 0; i < 2; i++) {
        int closed = ras_cdt_writer_close(writers[i], NULL);
        if (sinks[i] && closed == RAS_OK)
            closed = ras_sink_close(sinks[i], NULL);
        if (status == RAS_OK)
            status = closed;
    }
    ras_cdt_close(from);
    return status == RAS_OK;
}

static void decode(void *user)
{
    struct pair *p = user;
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    if (ras_cdt_open(&cdt, p->bytes.at, p->bytes.len, NULL, NULL) < 0)
        return;
    while (ras_cdt_tick_next(cdt, &tick, NULL) == RAS_OK)
        bench_use((uint64_t)tick->tick_index);
    ras_cdt_close(cdt);
}

static void inspect(void *user)
{
    struct pair *p = user;
    struct ras_inspection *seen;
    p->status = ras_inspect(&seen, p->trace, NULL, p->inspect, NULL);
    if (p->status == RAS_OK)
        ras_inspection_free(seen);
}

/* A verb as its user waits for it. */
static void bench_verb(struct bench *b, const char *name, char *const *argv, int wanted)
{
    struct bench_run run;
    if (bench_process(b, argv, TIMES, &run) && run.status == wanted)
        bench_report(b, name, run.wall_ms, 0);
    else
        bench_remark(b, "%s: exit status %d", name, run.status);
}

/* Two equal traces: every chunk is read, as its head alone proves nothing. Processor time of all
 * threads, beside what the chunks of one of the two cost anyway. */
static void bench_equal(struct bench *b, const struct pair *p)
{
    char *path = (char *)(uintptr_t)p->paths[0], *program = (char *)(uintptr_t)bench_program(b);
    char *argv[] = {program, "diff", path, path, NULL};
    double least = 1e12, bytes = cdt_bench_bytes(b, p->bytes) * 1e3;
    struct bench_run run = {0};
    bool good = bytes > 0;
    for (int i = 0; i < 3 && good; i++) {
        good = bench_run(argv, false, &run) && run.status == 0;
        least = run.cpu_ms < least ? run.cpu_ms : least;
    }
    if (!good) {
        bench_skip(b, "cdt.diff.equal", "the program does not find the trace equal to itself");
        return;
    }
    bench_report(b, "cdt.diff.equal", least / bytes, 1);
    bench_remark(b, "cdt.diff.equal: %.0f ms of the processor; zstd and BLAKE2b %.0f ms", least,
                 bytes);
}

static void bench_looks(struct bench *b, struct pair *p)
{
    static const struct {
        const char *name;
        struct ras_inspect_options inspect;
    } rows[] = {
        {"cdt.query.ticks", {.name = "query", .text = "ticks where checkpoint.kills > 1000000"}},
        {"cdt.query.rows", {.name = "query", .text = "entities where hp < 0"}},
        {"cdt.health", {.name = "health"}},
    };
    if (ras_open_memory(&p->trace, p->bytes.at, p->bytes.len, NULL, NULL) < 0)
        return;
    double whole = bench_best(b, decode, p);
    bench_remark(b, "cdt: a full decode of %d ticks takes %.0f ms", TICKS, whole * 1e3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        p->inspect = &rows[i].inspect;
        double took = bench_best(b, inspect, p);
        if (p->status == RAS_OK)
            bench_report(b, rows[i].name, took / whole, 1);
    }
    ras_close(p->trace);
}

void compare_bench(struct bench *b)
{
    struct pair *p = calloc(1, sizeof *p);
    size_t size;
    uint8_t *bytes = bench_file(bench_fixture(b, "cdt/large_2000.cdt"), &size);
    if (!p || !bytes || !make_pair(b, p, (struct ras_bytes){bytes, size})) {
        bench_skip(b, "cdt.tick", "fixtures/cdt/large_2000.cdt is absent");
        free(bytes);
        free(p);
        return;
    }
    free(bytes);
    char *program = (char *)(uintptr_t)bench_program(b);
    char *tick[] = {program, "tick", p->paths[0], "99999", NULL};
    char *last[] = {program, "diff", p->paths[0], p->paths[1], NULL};
    char *same[] = {program, "diff", "--trust-checksums", p->paths[0], p->paths[0], NULL};
    bench_verb(b, "cdt.tick", tick, 0);
    bench_verb(b, "cdt.diff.last", last, 1);
    bench_verb(b, "cdt.diff.same", same, 0);
    p->bytes.at = bench_file(p->paths[0], &p->bytes.len);
    if (p->bytes.at) {
        bench_equal(b, p);
        bench_looks(b, p);
    }
    free((void *)(uintptr_t)p->bytes.at);
    remove(p->paths[0]);
    remove(p->paths[1]);
    free(p);
}
