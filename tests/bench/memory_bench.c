/* memory_bench.c - memory stays constant in the length of a trace.
 *
 * A trace of each format is made from the records of a golden, repeated until it
 * is long, and streamed through the verbs that promise it. Peak memory is reported
 * twice: with and without the pages of mapped files. */
#include "bench.h"
#include "base/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { BLOCK = 8 << 20, ANON_MIB_MAX = 64 };

/* The bytes of a trace that may be repeated: whole records, nothing before or
 * after them. Formats that pack records into chunks repeat chunks. */
struct body {
    uint64_t from, to;
};

static bool find_body(const uint8_t *bytes, size_t size, struct body *body)
{
    struct ras_trace *t;
    struct ras_cursor *c = NULL;
    const struct ras_record *r;
    body->from = body->to = RAS_NONE;
    if (ras_open_memory(&t, bytes, size, NULL, NULL) < 0)
        return false;
    int status = ras_cursor_open(&c, t, &(struct ras_scan){.headers_only = true}, NULL);
    while (status >= 0 && (status = ras_next(c, &r, NULL)) == RAS_OK) {
        bool in_place = r->raw == bytes + r->offset;
        if (body->from == RAS_NONE)
            body->from = r->offset;
        if (in_place && (body->to == RAS_NONE || r->offset + r->raw_len > body->to))
            body->to = r->offset + r->raw_len;
        else if (!in_place && r->offset > body->from)
            body->to = r->offset; /* where the last chunk begins */
    }
    ras_cursor_close(c);
    ras_close(t);
    return body->from < body->to && body->to != RAS_NONE;
}

/* A block of whole repetitions, so that writing is a few large calls. */
static uint8_t *fill_block(const uint8_t *unit, size_t size, size_t *filled)
{
    size_t times = BLOCK / size + 1;
    uint8_t *block = malloc(times * size);
    for (size_t i = 0; block && i < times; i++)
        memcpy(block + i * size, unit, size);
    *filled = times * size;
    return block;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool make_long(const char *path, const uint8_t *bytes, const struct body *body,
                      uint64_t size)
{
    size_t filled;
    uint8_t *block = fill_block(bytes + body->from, (size_t)(body->to - body->from), &filled);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    bool good = fd >= 0 && block && write_all(fd, bytes, (size_t)body->from);
    for (uint64_t n = body->from; good && n < size; n += filled)
        good = write_all(fd, block, filled);
    if (fd >= 0)
        good &= close(fd) == 0;
    free(block);
    return good;
}

static void stream(struct bench *b, const char *format, const char *path, double gib)
{
    static const char *const verbs[] = {"info", "verify", "cat"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        char *argv[] = {(char *)(uintptr_t)bench_program(b), (char *)(uintptr_t)verbs[i],
                        "--no-progress", (char *)(uintptr_t)path, NULL};
        struct bench_run run;
        if (!bench_run(argv, true, &run) || run.status < 0 || run.status == 2) {
            bench_remark(b, "memory %-8s %-7s not run: exit status %d", format, verbs[i],
                         run.status);
            continue;
        }
        bench_remark(
            b, "memory %-8s %-7s %.1f GB in %5.1f s: peak %.1f MiB (%.0f with mapped pages)%s",
            format, verbs[i], gib, run.wall_ms / 1e3, run.anon_mib, run.peak_mib,
            run.anon_mib > ANON_MIB_MAX ? "  GROWS" : "");
    }
}

/* A trace that is left early would prove nothing. */
static bool read_through(const char *path, uint64_t *records)
{
    struct ras_trace *t;
    struct ras_info *info;
    bool through = false;
    if (ras_open(&t, path, NULL, NULL) < 0)
        return false;
    if (ras_info(&info, t, NULL, NULL, NULL) == RAS_OK) {
        *records = info->records;
        through = info->ending.offset > info->ending.size / 100 * 99;
        ras_info_free(info);
    }
    ras_close(t);
    return through;
}

bool bench_make_long(struct bench *b, const char *golden, const char *path, uint64_t size)
{
    size_t length;
    struct body body;
    uint64_t records = 0;
    uint8_t *bytes = bench_file(bench_golden(b, golden), &length);
    bool good = false;
    if (!bytes || !find_body(bytes, length, &body))
        bench_remark(b, "not run: %s cannot be repeated", golden);
    else if (!make_long(path, bytes, &body, size))
        bench_remark(b, "not run: cannot write %s", path);
    else if (!read_through(path, &records))
        bench_remark(b, "not run: %s repeated is left after %" PRIu64 " records", golden, records);
    else
        good = true;
    free(bytes);
    return good;
}

static void one_format(struct bench *b, const char *format, const char *golden, uint64_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/long", bench_folder(b));
    if (bench_make_long(b, golden, path, size))
        stream(b, format, path, (double)size / 1e9);
    unlink(path);
}

static const char *const longs[][2] = {
    {"murk", "murk/big-steady.murk"},
    {"cdt", "cdt/big-steady.cdt"},
    {"aerogpu", "aerogpu/big-steady.aerogputrace"},
    {"dial9", "dial9/big-steady.trc"},
    {"atf", "atf/big-steady.atf"},
};

void memory_bench(struct bench *b, uint64_t bytes)
{
    struct statvfs disk;
    if (statvfs(bench_folder(b), &disk) < 0 || disk.f_bavail * disk.f_frsize < 3 * bytes) {
        bench_remark(b, "memory: not run: less than %.0f GB free for temporary files",
                     (double)(3 * bytes) / 1e9);
        return;
    }
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
        one_format(b, longs[i][0], longs[i][1], bytes);
}
