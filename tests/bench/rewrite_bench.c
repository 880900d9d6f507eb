/* rewrite_bench.c - slices and merges of a long trace, beside cp and fsync of its bytes.
 *
 * The copy and the rewriting take turns, and the best of each counts: wall time, for
 * both wait for the disk. */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TURNS = 3, ANON_MIB_MAX = 64 };

struct race {
    double copy_ms, rewrite_ms, cpu_ms, anon_mib;
    int status;
};

/* How often as fast as the copy the program is; 0: one of the two failed. Neither finds the file
 * that the other made: cp would use its memory again, the program would hold both. */
static double run_race(char *const copy[], char *const rewrite[], const char *to, struct race *r)
{
    *r = (struct race){.copy_ms = 1e12, .rewrite_ms = 1e12, .cpu_ms = 1e12};
    for (int i = 0; i < TURNS; i++) {
        struct bench_run a, b;
        unlink(to);
        if (!bench_run(copy, false, &a) || a.status)
            return 0;
        unlink(to);
        if (!bench_run(rewrite, i == 0, &b) || (b.status && b.status != 3)) {
            r->status = b.status;
            return 0;
        }
        r->copy_ms = a.wall_ms < r->copy_ms ? a.wall_ms : r->copy_ms;
        r->cpu_ms = b.cpu_ms < r->cpu_ms ? b.cpu_ms : r->cpu_ms;
        if (i) /* the first is watched for its memory, which costs time */
            r->rewrite_ms = b.wall_ms < r->rewrite_ms ? b.wall_ms : r->rewrite_ms;
        else
            r->anon_mib = b.anon_mib;
    }
    return r->copy_ms / r->rewrite_ms;
}

static void report_race(struct bench *b, const char *what, const char *format, const struct race *r,
                        double ratio)
{
    if (ratio == 0)
        bench_remark(b, "%s %-8s not run: exit status %d", what, format, r->status);
    else
        bench_remark(b,
                     "%s %-8s %.2f s (%.2f of the processor), cp and fsync %.2f s: %.2f x; peak "
                     "%.1f MiB%s",
                     what, format, r->rewrite_ms / 1e3, r->cpu_ms / 1e3, r->copy_ms / 1e3, ratio,
                     r->anon_mib, r->anon_mib > ANON_MIB_MAX ? "  GROWS" : "");
}

static char shell_copy[] = "cp \"$1\" \"$2\" && sync \"$2\"";

/* All but the first records, so that nothing can be copied unseen. */
static double slice(struct bench *b, const char *format, char *axis, char *from, char *to)
{
    struct race r;
    char *program = (char *)(uintptr_t)bench_program(b);
    char *copy[] = {"/bin/sh", "-c", shell_copy, "cp", from, to, NULL};
    char *rewrite[] = {program,   "slice",         "--axis", axis, "--from", "2",
                       "--force", "--no-progress", from,     "-o", to,       NULL};
    double ratio = run_race(copy, rewrite, to, &r);
    report_race(b, "slice", format, &r, ratio);
    unlink(to);
    return ratio;
}

/* Two halves, of ticks that follow each other, and the whole beside them. */
static double merge(struct bench *b, char *from, char *to, const char *middle)
{
    struct race r;
    struct bench_run run;
    char first[4200], second[4200];
    char *program = (char *)(uintptr_t)bench_program(b), *at = (char *)(uintptr_t)middle;
    snprintf(first, sizeof first, "%s.1", from);
    snprintf(second, sizeof second, "%s.2", from);
    char *head[] = {program, "slice", "--to", at, "--force", from, "-o", first, NULL};
    char *tail[] = {program, "slice", "--from", at, "--force", from, "-o", second, NULL};
    char *copy[] = {"/bin/sh", "-c", shell_copy, "cp", from, to, NULL};
    char *rewrite[] = {program, "merge", "--force", "--no-progress", first, second, "-o", to, NULL};
    double ratio = 0;
    if (bench_run(head, false, &run) && !run.status && bench_run(tail, false, &run) && !run.status)
        ratio = run_race(copy, rewrite, to, &r);
    report_race(b, "merge", "murk", &r, ratio);
    unlink(first);
    unlink(second);
    unlink(to);
    return ratio;
}

/* The records of a golden with ticks that ascend, as no repetition of bytes has them. */
static bool make_replay(const char *path, uint64_t size, uint64_t *frames)
{
    enum { COMMANDS = 50 };
    static const uint8_t payload[20] = {7};
    struct ras_sink *sink;
    uint8_t head[57] = "MURK\3\1\0\0\0t\1\0\0\0t\1\0\0\0t\1\0\0\0t", frame[8192];
    if (ras_sink_file(&sink, path, true, NULL) < 0)
        return false;
    int status = ras_sink_write(sink, head, sizeof head, NULL);
    size_t len = 12;
    memset(frame, 0, sizeof frame);
    frame[8] = COMMANDS;
    for (int i = 0; i < COMMANDS; i++) {
        frame[len + 1] = sizeof payload;
        memcpy(frame + len + 5, payload, sizeof payload);
        len += 5 + sizeof payload + 3 + 16;
    }
    len += 8;
    *frames = size / len;
    for (uint64_t tick = 1; status == RAS_OK && tick <= *frames; tick++) {
        memcpy(frame, &tick, 8);
        status = ras_sink_write(sink, frame, len, NULL);
    }
    if (status == RAS_OK)
        return ras_sink_close(sink, NULL) == RAS_OK;
    ras_sink_drop(sink);
    return false;
}

static void bench_replay(struct bench *b, char *from, char *to, uint64_t size)
{
    uint64_t frames;
    char middle[24];
    if (!make_replay(from, size, &frames)) {
        bench_skip(b, "rewrite.slice", "the trace cannot be written");
        bench_skip(b, "rewrite.merge", "the trace cannot be written");
        return;
    }
    snprintf(middle, sizeof middle, "%llu", (unsigned long long)(frames / 2));
    bench_report(b, "rewrite.slice", slice(b, "murk", "tick", from, to), 1);
    bench_report(b, "rewrite.merge", merge(b, from, to, middle), 1);
    unlink(from);
}

/* The records of a golden, repeated. */
static void bench_long(struct bench *b, const char *format, const char *golden, char *from,
                       char *to, uint64_t bytes)
{
    char name[40];
    snprintf(name, sizeof name, "rewrite.slice.%s", format);
    double ratio = bench_make_long(b, golden, from, bytes) ? slice(b, format, "seq", from, to) : 0;
    if (ratio > 0)
        bench_report(b, name, ratio, 1);
    else
        bench_skip(b, name, "the trace cannot be written or sliced");
    unlink(from);
}

void rewrite_bench(struct bench *b, uint64_t bytes)
{
    static const char *const others[][2] = {
        {"atf", "atf/big-steady.atf"},
        {"dial9", "dial9/big-steady.trc"},
        {"aerogpu", "aerogpu/big-steady.aerogputrace"},
        {"cdt", "cdt/big-steady.cdt"},
    };
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/from", bench_folder(b));
    snprintf(to, sizeof to, "%s/to", bench_folder(b));
    bench_replay(b, from, to, bytes);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        bench_long(b, others[i][0], others[i][1], from, to, bytes);
}
