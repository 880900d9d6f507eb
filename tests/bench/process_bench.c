/* process_bench.c - whole processes: how long they take and what memory they hold. */
#include "bench.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLE_NS = 3000000 };

static double wall_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void raise_to(double *most, double kib)
{
    *most = kib / 1024 > *most ? kib / 1024 : *most;
}

/* Its memory now that is no file's, and the peak of all; nothing when it is gone. */
static void sample_memory(pid_t pid, struct bench_run *run)
{
    char path[64], line[128];
    double kib;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "RssAnon: %lf kB", &kib) == 1)
            raise_to(&run->anon_mib, kib);
        else if (sscanf(line, "VmHWM: %lf kB", &kib) == 1)
            raise_to(&run->peak_mib, kib);
    }
    if (status)
        fclose(status);
}

static pid_t start(char *const argv[])
{
    /* vfork: the parent's size must not cost the child time. */
    pid_t pid = vfork();
    if (pid != 0)
        return pid;
    int null = open("/dev/null", O_RDWR);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(null, 1) >= 0 && dup2(null, 2) >= 0)
        execv(argv[0], argv);
    _exit(127);
}

bool bench_run(char *const argv[], bool sample, struct bench_run *run)
{
    int status = 0;
    struct rusage usage;
    struct timespec nap = {.tv_nsec = SAMPLE_NS};
    *run = (struct bench_run){.status = -1};
    double begun = wall_now();
    pid_t pid = start(argv);
    if (pid < 0)
        return false;
    pid_t ended = 0;
    while (sample && (ended = wait4(pid, &status, WNOHANG, &usage)) == 0) {
        sample_memory(pid, run);
        nanosleep(&nap, NULL);
    }
    if (!sample)
        ended = wait4(pid, &status, 0, &usage);
    run->wall_ms = wall_now() - begun;
    /* Of a child this is at least what its parent had when it was started. */
    if (!sample)
        run->peak_mib = (double)usage.ru_maxrss / 1024;
    run->cpu_ms = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
                  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-3;
    if (WIFEXITED(status))
        run->status = WEXITSTATUS(status);
    return ended == pid && run->status != 127;
}

bool bench_process(struct bench *b, char *const argv[], unsigned times, struct bench_run *best)
{
    (void)b;
    double peak = 0;
    best->wall_ms = 1e9;
    for (unsigned i = 0; i < times; i++) {
        struct bench_run run;
        if (!bench_run(argv, false, &run))
            return false;
        peak = run.peak_mib > peak ? run.peak_mib : peak;
        if (run.wall_ms < best->wall_ms)
            *best = run;
    }
    best->peak_mib = peak;
    return true;
}

/* A trace of 1 KB: the frames of a golden that fit. */
static const char *small_trace(struct bench *b)
{
    static char path[4096];
    size_t size = 0, end = 0;
    uint8_t *bytes = bench_file(bench_golden(b, "murk/big-steady.murk"), &size);
    struct ras_trace *t;
    struct ras_cursor *c = NULL;
    const struct ras_record *r;
    snprintf(path, sizeof path, "%s/small.murk", bench_folder(b));
    FILE *out = fopen(path, "wb");
    if (bytes && ras_open_memory(&t, bytes, size, NULL, NULL) == RAS_OK) {
        int status = ras_cursor_open(&c, t, &(struct ras_scan){.frames_only = true}, NULL);
        while (status >= 0 && (status = ras_next(c, &r, NULL)) == RAS_OK &&
               r->offset + r->raw_len <= 1024)
            end = (size_t)(r->offset + r->raw_len);
        ras_cursor_close(c);
        ras_close(t);
    }
    bool good = out && end && fwrite(bytes, 1, end, out) == end;
    good &= out && fclose(out) == 0;
    free(bytes);
    return good ? path : NULL;
}

/* `rastrum info` on a trace of 1 KB, beside a program that does nothing. */
void process_bench(struct bench *b)
{
    const char *trace = small_trace(b);
    char *info[] = {(char *)(uintptr_t)bench_program(b), "info", (char *)(uintptr_t)trace, NULL};
    char *nothing[] = {"/bin/true", NULL};
    struct bench_run run = {0}, least = {0};
    if (!trace)
        bench_skip(b, "info.startup", "the golden murk/big-steady.murk cannot be cut");
    else if (!bench_process(b, info, 200, &run) || run.status != 0)
        bench_skip(b, "info.startup", "rastrum info does not run");
    else if (bench_process(b, nothing, 200, &least))
        bench_report(b, "info.startup", run.wall_ms, least.wall_ms);
}
