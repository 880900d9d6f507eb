/* finalize_bench.c - a raw capture to traces: how many MB of JSON a second, in what memory.
 *
 * The capture is made by the generator of the command-line tests; a long one repeats its
 * ticks, of which a chunk has fewer than are made. */
#include "bench.h"
#include <rastrum/cdt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { SPEED_BYTES = 48 << 20, ANON_MIB_MAX = 64 };

static const char what[] = "finalize";

/* Lines as the generator prints them; NULL: there is no Python. */
static char *make_lines(struct bench *b, size_t *size)
{
    char command[4096], path[2048];
    snprintf(path, sizeof path, "%s/part.jsonl", bench_folder(b));
    snprintf(command, sizeof command,
             "python3 '%s' --ticks 600 --creatures 40 --slots 384 --no-end >'%s'",
             bench_golden(b, "../cli/tools/capture.py"), path);
    char *lines = system(command) == 0 ? (char *)bench_file(path, size) : NULL;
    unlink(path);
    return lines;
}

/* The first two lines, then the others over and over until there are `size` bytes. */
static bool make_capture(const char *path, const char *lines, size_t length, uint64_t size)
{
    const char *ticks = memchr(lines, '\n', length);
    ticks = ticks ? memchr(ticks + 1, '\n', length - (size_t)(ticks + 1 - lines)) : NULL;
    FILE *out = ticks ? fopen(path, "wb") : NULL;
    if (!out)
        return false;
    size_t head = (size_t)(++ticks - lines), body = length - head;
    bool good = fwrite(lines, 1, head, out) == head;
    for (uint64_t n = head; good && n < size; n += body)
        good = fwrite(ticks, 1, body, out) == body;
    return fclose(out) == 0 && good;
}

struct job {
    const char *path, *folder;
    uint64_t ticks;
};

static void finalize(void *user)
{
    struct job *job = user;
    const struct ras_cdt_finalize_options how = {.out = job->folder};
    struct ras_cdt_finalized *r;
    job->ticks = 0;
    if (ras_cdt_finalize(&r, job->path, &how, NULL) < 0)
        return;
    job->ticks = r->refusal ? 0 : r->ticks;
    ras_cdt_finalized_free(r);
}

static void measure_speed(struct bench *b, const char *path)
{
    struct job job = {path, bench_folder(b), 0};
    size_t size;
    uint8_t *bytes = bench_file(path, &size);
    double took = bench_best(b, finalize, &job);
    if (job.ticks)
        bench_report(b, what, (double)size / 1e6 / took, 0);
    else
        bench_skip(b, what, "the capture is refused");
    bench_remark(b, "finalize: %.1f MB of JSON, %llu ticks", (double)size / 1e6,
                 (unsigned long long)job.ticks);
    free(bytes);
}

static void measure_memory(struct bench *b, const char *path, uint64_t bytes)
{
    char *argv[] = {(char *)(uintptr_t)bench_program(b),
                    "finalize",
                    "--no-progress",
                    (char *)(uintptr_t)path,
                    "--out",
                    (char *)(uintptr_t)bench_folder(b),
                    NULL};
    struct bench_run run;
    if (!bench_run(argv, true, &run) || run.status != 0)
        bench_remark(b, "memory finalize: not run: exit status %d", run.status);
    else
        bench_remark(b,
                     "memory cdt      finalize %.1f GB in %5.1f s: peak %.1f MiB (%.0f with "
                     "mapped pages)%s",
                     (double)bytes / 1e9, run.wall_ms / 1e3, run.anon_mib, run.peak_mib,
                     run.anon_mib > ANON_MIB_MAX ? "  GROWS" : "");
}

void finalize_bench(struct bench *b, uint64_t bytes)
{
    char path[2048];
    size_t length = 0;
    struct statvfs disk;
    char *lines = make_lines(b, &length);
    snprintf(path, sizeof path, "%s/capture.jsonl", bench_folder(b));
    if (!lines || !make_capture(path, lines, length, SPEED_BYTES))
        bench_skip(b, what, "no capture can be made: is there a python3?");
    else
        measure_speed(b, path);
    bool room = statvfs(bench_folder(b), &disk) == 0 && disk.f_bavail * disk.f_frsize > 2 * bytes;
    if (bytes && !room)
        bench_remark(b, "memory finalize: not run: less than %.0f GB free", 2e-9 * (double)bytes);
    else if (bytes && lines && make_capture(path, lines, length, bytes))
        measure_memory(b, path, bytes);
    unlink(path);
    free(lines);
}
