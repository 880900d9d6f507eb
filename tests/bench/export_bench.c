/* export_bench.c - a session of calls written for other tools, beside its rows as JSON lines; and
 * the memory that every target takes. Each is a process; time is that of the processor. */
#include "bench.h"
#include <rastrum/export.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = 2000000, RUNS = 5, WIDTH = 12 };

/* The arguments of one export of the session. A target of several files is written to a new
 * folder, one that is read back while it is made to a new file, all else to standard output, which
 * is thrown away. */
struct order {
    char *argv[WIDTH];
    unsigned count;
    char folder[4096];
};

static void add(struct order *o, const char *word)
{
    o->argv[o->count++] = (char *)(uintptr_t)word;
}

static void order_of(struct order *o, struct bench *b, const char *target, const char *session)
{
    static unsigned number;
    const struct ras_export_target *about = ras_export_target_of(target);
    *o = (struct order){0};
    add(o, bench_program(b));
    add(o, "export");
    add(o, "--to");
    add(o, target);
    add(o, session);
    add(o, "--no-progress");
    if (about && about->is_per_table) {
        add(o, "--type");
        add(o, "event");
    }
    if (about && (about->is_folder || about->needs_file)) {
        snprintf(o->folder, sizeof o->folder, "%s/export-%u", bench_folder(b), number++);
        add(o, "-o");
        add(o, o->folder);
    }
}

/* CPU seconds of the best of several runs; 0: it does not run. */
static double least(struct bench *b, const char *target, const char *session)
{
    double best = 0;
    for (unsigned i = 0; i < RUNS; i++) {
        struct order o;
        struct bench_run run;
        order_of(&o, b, target, session);
        if (!bench_run(o.argv, false, &run) || run.status != 0)
            return 0;
        best = i == 0 || run.cpu_ms < best ? run.cpu_ms : best;
    }
    bench_remark(b, "export to %s: %.1f M events/s", target, EVENTS / best / 1e3);
    return best / 1e3;
}

static void report(struct bench *b, const char *name, double own, double other)
{
    if (own > 0 && other > 0)
        bench_report(b, name, other / own, 1);
    else
        bench_skip(b, name, "rastrum export does not run");
}

static void measure_speed(struct bench *b, const char *session)
{
    static const char *const timelines[][2] = {
        {"perfetto", "export.perfetto"}, {"chrome", "export.chrome"}, {"ctf", "export.ctf"}};
    double lines = least(b, "jsonl", session);
    for (size_t i = 0; i < sizeof timelines / sizeof *timelines; i++)
        report(b, timelines[i][1], least(b, timelines[i][0], session), lines);
    parquet_bench(b, session, EVENTS);
}

/* The most that any target takes; what it writes is thrown away or in a folder. */
static void measure_memory(struct bench *b, const char *session, uint64_t events)
{
    const struct ras_export_target *about;
    double most = 0;
    for (size_t i = 0; (about = ras_export_target_at(i)); i++) {
        struct order o;
        struct bench_run run;
        order_of(&o, b, about->name, session);
        if (!bench_run(o.argv, true, &run) || run.status != 0) {
            bench_remark(b, "export.memory: %s ends with exit status %d", about->name, run.status);
            bench_skip(b, "export.memory", "rastrum export does not run");
            return;
        }
        bench_remark(b,
                     "export.memory: %-10s %.1f M events in %.1f s: peak %.1f MiB (%.0f with"
                     " mapped pages)",
                     about->name, (double)events / 1e6, run.wall_ms / 1e3, run.anon_mib,
                     run.peak_mib);
        most = run.anon_mib > most ? run.anon_mib : most;
    }
    bench_report(b, "export.memory", most, 0);
}

void export_bench(struct bench *b, uint64_t bytes)
{
    static const char *const names[] = {"export.perfetto", "export.chrome", "export.ctf",
                                        "export.parquet", "export.parquet.size"};
    char session[4096];
    snprintf(session, sizeof session, "%s/exported", bench_folder(b));
    if (bench_make_calls(session, EVENTS))
        measure_speed(b, session);
    else
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            bench_skip(b, names[i], "the session cannot be made");
    bench_remove_calls(session);
    if (bytes && bench_make_calls(session, bytes / 32))
        measure_memory(b, session, bytes / 32);
    else if (bytes)
        bench_skip(b, "export.memory", "the session cannot be made");
    bench_remove_calls(session);
}
