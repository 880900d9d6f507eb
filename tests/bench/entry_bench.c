/* entry_bench.c - a program recorded by its function entries, beside uftrace: CPU time of both
 * commands with all that they start, the median of several runs that take turns. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RUNS = 7, KINDS = 3 };

/* Each program by both recorders: their commands, but for the folder and the program. */
static const struct {
    const char *name, *program, *options, *other;
} kinds[KINDS] = {
    {"entry.fentry", ENTRY_FENTRY, "", ""},
    {"entry.patched", ENTRY_PATCHED, "", ""},
    {"entry.unmodified", ENTRY_PLAIN, "--unmodified", "-P ."},
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

/* uftrace knows entries of -mfentry; for patched ones it is measured on those, too. */
static void measure(struct bench *b, unsigned kind, double ours[RUNS], double theirs[RUNS])
{
    char command[8192], other[8192];
    const char *same = *kinds[kind].other ? kinds[kind].program : ENTRY_FENTRY;
    snprintf(command, sizeof command,
             "'%s' record -q --force %s -o '%s/entries' -- '%s' >'%s/said' 2>&1", bench_program(b),
             kinds[kind].options, bench_folder(b), kinds[kind].program, bench_folder(b));
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
}
