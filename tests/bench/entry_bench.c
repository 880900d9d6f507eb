/* entry_bench.c - a program recorded by its function entries, beside uftrace: CPU time of both
 * commands with all that they start, the median of several runs that take turns. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RUNS = 7 };
enum { FENTRY, PATCHED, PLAIN, KINDS };

/* Each program by both recorders: their commands, but for the folder and the program. */
static const struct {
    const char *name, *program, *options, *other;
} kinds[KINDS] = {
    [FENTRY] = {"entry.fentry", ENTRY_FENTRY, "", ""},
    [PATCHED] = {"entry.patched", ENTRY_PATCHED, "", ""},
    [PLAIN] = {"entry.unmodified", ENTRY_PLAIN, "--unmodified", "-P ."},
};

static double children_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* CPU seconds of a command; 0: it failed. */
static double seconds_of(const char *command)
{
    double start = children_seconds();
    return system(command) == 0 ? children_seconds() - start : 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, RUNS, sizeof *times, by_size);
    return times[0] > 0 ? times[RUNS / 2] : 0;
}

static void own_command(struct bench *b, unsigned kind, char *command, size_t room)
{
    snprintf(command, room, "'%s' record -q --force %s -o '%s/entries' -- '%s' >'%s/said' 2>&1",
             bench_program(b), kinds[kind].options, bench_folder(b), kinds[kind].program,
             bench_folder(b));
}

/* uftrace knows entries of -mfentry; for patched ones it is measured on those, too. */
static void measure(struct bench *b, unsigned kind, double ours[RUNS], double theirs[RUNS])
{
    char command[8192], other[8192];
    const char *same = *kinds[kind].other ? kinds[kind].program : ENTRY_FENTRY;
    own_command(b, kind, command, sizeof command);
    snprintf(other, sizeof other,
             "uftrace record --no-libcall %s -d '%s/uftrace' '%s' >'%s/said' 2>&1; s=$?; "
             "rm -rf '%s/uftrace' '%s/uftrace.old'; exit $s",
             kinds[kind].other, bench_folder(b), same, bench_folder(b), bench_folder(b),
             bench_folder(b));
    for (unsigned i = 0; i < RUNS; i++) {
        ours[i] = seconds_of(command);
        theirs[i] = seconds_of(other);
    }
}

/* A program as it is, beside the same built with entries to patch. */
static void measure_plain(struct bench *b)
{
    char plain[8192], patched[8192];
    double times[2][RUNS];
    own_command(b, PLAIN, plain, sizeof plain);
    own_command(b, PATCHED, patched, sizeof patched);
    for (unsigned i = 0; i < RUNS; i++) {
        times[0][i] = seconds_of(plain);
        times[1][i] = seconds_of(patched);
    }
    double mine = median(times[0]), other = median(times[1]);
    if (mine > 0 && other > 0)
        bench_report(b, "entry.plain", mine / other, 0);
    else
        bench_skip(b, "entry.plain", "the program could not be recorded");
}

void entry_bench(struct bench *b)
{
    bool there = system("uftrace --version >/dev/null 2>&1") == 0;
    for (unsigned i = 0; i < KINDS; i++) {
        double ours[RUNS], theirs[RUNS];
        if (!there) {
            bench_skip(b, kinds[i].name, "uftrace is not installed");
            continue;
        }
        measure(b, i, ours, theirs);
        double mine = median(ours), other = median(theirs);
        if (mine > 0 && other > 0)
            bench_report(b, kinds[i].name, mine / other, 0);
        else
            bench_skip(b, kinds[i].name, "the program could not be recorded");
    }
    measure_plain(b);
}
