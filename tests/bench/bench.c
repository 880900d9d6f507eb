/* bench.c - the table of jobs, what they must reach, and what they did. */
#include "bench.h"
#include "base/memory.h"

#include <fts.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REMARK_MAX = 256, RUNS_MIN = 3, RUNS_MAX = 2000 };

struct target {
    const char *name, *unit;
    bool at_most; /* a time or a ratio: smaller is better */
    double limit;
    double peer; /* the best public implementation on this class of machine; 0: none */
};

struct figure {
    const struct target *target;
    double value, yardstick;
    const char *skipped; /* why it was not measured, or NULL */
};

struct bench {
    const char *program, *golden, *fixtures;
    const char *only; /* the group of requested jobs; NULL: all */
    char *folder;
    struct figure *figures;
    size_t count, room;
    char (*remarks)[REMARK_MAX];
    size_t remark_count, remark_room;
};

static const struct target targets[] = {
    {"dial9.visit", "events/s", false, 5.0e7, 1.67e7},
    {"dial9.scan", "events/s", false, 3.0e7, 1.8e6},
    {"dial9.encode", "events/s", false, 8.0e7, 3.9e7},
    {"dial9.analysis", "ms", true, 60.0, 1310.0},
    {"dial9.analysis.memory", "MiB", true, 40.0, 216.0},
    {"dial9.folded", "ms", true, 300.0, 0},
    {"dial9.spans", "events/s", false, 2.0e7, 0},
    {"dial9.stats30m", "s", true, 5.0, 0},
    {"dial9.stats30m.memory", "MiB", true, 256.0, 0},
    {"diff.dial9", "events/s", false, 1.0e7, 0},
    {"atf.scan", "ns", true, 5.0, 2.8},
    {"atf.scan.native", "ns", true, 2.5, 2.8},
    {"atf.merge", "ns", true, 15.0, 34.0},
    {"atf.head100", "ms", true, 10.0, 460.0},
    {"atf.write", "ns", true, 12.0, 45.0},
    {"diff.atf", "ns", true, 10.0, 0},
    {"atf.threads.1", "ns", true, 60000.0, 0}, /* of all that a session costs, whatever is in it */
    {"atf.threads.16", "ns", true, 15000.0, 0},
    {"atf.threads.256", "ns", true, 15000.0, 0},
    {"atf.threads.1k", "ns", true, 15000.0, 0},
    {"atf.threads.4k", "ns", true, 15000.0, 0},
    {"atf.threads.16k", "ns", true, 15000.0, 0},
    {"atf.threads.64k", "ns", true, 15000.0, 0},
    {"atf.processes.16k", "ns", true, 15000.0, 0},
    {"murk.decode", "GB/s", false, 5.0, 0.53},
    {"murk.encode", "GB/s", false, 10.0, 1.17},
    {"diff.murk", "GB/s", false, 2.0, 0},
    {"columns.atf", "ratio", false, 0.5, 0},
    {"columns.generic", "ratio", false, 0.5, 0},
    {"murk.range", "ratio", true, 0.02, 0},
    {"cdt.decode", "ratio", true, 1.5, 0},
    {"cdt.range", "ratio", true, 0.2, 0},
    {"cdt.write", "ratio", true, 1.1, 0},
    {"cdt.tick", "ms", true, 10.0, 0},
    {"cdt.diff.last", "ms", true, 100.0, 0},
    {"cdt.diff.same", "ms", true, 50.0, 0},
    {"cdt.diff.equal", "ratio", true, 1.5, 0},
    {"cdt.query.ticks", "ratio", true, 1.0, 0},
    {"cdt.query.rows", "ratio", true, 1.2, 0},
    {"cdt.health", "ratio", true, 1.0, 0},
    {"finalize", "MB/s", false, 150, 0},
    {"aerogpu.range", "ratio", true, 0.02, 0},
    {"aerogpu.scan", "ns", true, 8.0, 0},
    {"diff.aerogpu", "ns", true, 16.0, 0},
    {"zstd.plain", "ratio", true, 2.5, 0},
    {"pack.size", "ratio", true, 1.05, 0},
    {"pack.speed", "ratio", false, 0.8, 0},
    {"pack.event", "bytes", true, 6.0, 0},
    {"raster.flat", "Mpixels/s", false, 250, 0},
    {"raster.smooth", "Mpixels/s", false, 100, 0},
    {"raster.textured", "Mpixels/s", false, 50, 0},
    {"raster.frame", "ms", true, 3.0, 0},
    {"raster.frame.bgra", "ms", true, 3.0, 0},
    {"record.tsc", "ns", true, 16.0, 62.0},
    {"record.boottime", "ns", true, 32.0, 0},
    {"hook.cyg", "ns", true, 18.0, 62.0},
    {"entry.fentry", "ratio", true, 0.6, 0},
    {"entry.patched", "ratio", true, 0.6, 0},
    {"entry.unmodified", "ratio", true, 0.6, 0},
    {"entry.plain", "ratio", true, 1.1, 0},
    {"attach.stop", "ms", true, 50.0, 0},
    {"dial9.event", "ns", true, 20.0, 26.0},
    {"record.disk1", "events/s", false, 1.5e7, 0},
    {"record.disk2", "events/s", false, 1.5e7, 0},
    {"record.packed", "events/s", false, 4e6, 0},
    {"info.startup", "ms", true, 3.0, 0},
    {"where.filter", "ns", true, 50.0, 0},
    {"replay.grid64", "ticks/s", false, 15000, 6100},
    {"run.arena", "ticks/s", false, 20000, 0},
    {"run.pens", "ticks/s", false, 5000, 0},
    {"run.pens.ratio", "ratio", true, 1.3, 0},
    {"pens.tick", "us", true, 2.0, 0},
    {"pens.entity", "ns", true, 100.0, 0},
    {"pens.picture", "ratio", true, 2.0, 0},
    {"frame.hash", "ratio", false, 0.95, 0},
    {"frame.png", "ms", true, 40.0, 0},
    {"gles.start", "ms", true, 2000.0, 0},
    {"snapshot.zeros", "GB/s", false, 4.0, 0},
    {"snapshot.dense", "ratio", false, 0.9, 0},
    {"rewrite.slice", "ratio", false, 0.8, 0},
    {"rewrite.slice.atf", "ratio", false, 0.8, 0},
    {"rewrite.slice.dial9", "ratio", false, 0.8, 0},
    {"rewrite.slice.aerogpu", "ratio", false, 0.8, 0},
    {"rewrite.slice.cdt", "ratio", false, 0.8, 0},
    {"rewrite.merge", "ratio", false, 0.8, 0},
    /* Beside SQLite's own loop over a virtual table that does nothing: decision 20. */
    {"sql.count", "ratio", false, 0.87, 0},
    {"sql.sum", "ratio", false, 0.81, 0},
    {"sql.equal", "ratio", false, 0.6, 0},
    {"sql.group2", "ratio", false, 1.8, 0},
    {"sql.group5000", "ratio", false, 2.8, 0},
    {"sql.join", "ratio", false, 20, 0},
    {"sql.dial9", "ratio", false, 0.85, 0},
    {"sql.first", "ms", true, 20, 0},
    {"sql.duckdb.count", "ratio", false, 4, 0}, /* one thread, beside SQLite */
    {"sql.duckdb.group", "ratio", false, 8, 0},
    {"export.perfetto", "ratio", false, 1, 0},
    {"export.chrome", "ratio", false, 0.5, 0},
    {"export.ctf", "ratio", false, 1, 0},
    {"export.parquet", "ratio", false, 1.4, 0}, /* rows a second, beside DuckDB's writer */
    {"export.parquet.size", "ratio", true, 1, 0},
    {"export.memory", "MiB", true, 256, 0},
    {"view.build.atf", "ratio", true, 3, 0},
    {"view.build.dial9", "ratio", true, 3, 0},
    {"view.memory", "MiB", true, 72, 0},
    {"view.tile.pyramid", "ms", true, 1, 0},
    {"view.tile.raw", "ms", true, 25, 0},
    {"view.open", "ms", true, 50, 0}, /* time of the processor, as those below */
    {"view.staff", "ms", true, 100, 0},
    {"view.report", "ms", true, 2000, 0},
};
enum { TARGETS = sizeof targets / sizeof *targets };

static const struct target *target_of(const char *name)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (!strcmp(targets[i].name, name))
            return &targets[i];
    fprintf(stderr, "bench: no job is called %s\n", name);
    abort();
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_best(struct bench *b, void (*work)(void *user), void *user)
{
    (void)b;
    double best = 1e9, spent = 0;
    for (unsigned i = 0; i < RUNS_MIN || (spent < 1.0 && i < RUNS_MAX); i++) {
        double start = cpu_now();
        work(user);
        double took = cpu_now() - start;
        best = took < best ? took : best;
        spent += took;
    }
    return best;
}

struct ranges {
    struct ras_trace *trace;
    struct ras_scan scan;
    uint64_t records;
};

static void walk_range(void *user)
{
    struct ranges *w = user;
    struct ras_cursor *c;
    const struct ras_record *r;
    w->records = 0;
    if (ras_cursor_open(&c, w->trace, &w->scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK)
        w->records++;
    ras_cursor_close(c);
}

void bench_range(struct bench *b, const char *name, struct ras_bytes file, uint64_t tick)
{
    struct ranges w = {0};
    if (ras_open_memory(&w.trace, file.at, file.len, NULL, NULL) < 0) {
        bench_skip(b, name, "the trace cannot be opened");
        return;
    }
    double all = bench_best(b, walk_range, &w);
    uint64_t total = w.records;
    w.scan = (struct ras_scan){.axis = RAS_AXIS_TICK, .from = tick, .to = tick + 1};
    double one = bench_best(b, walk_range, &w);
    if (w.records && w.records < total)
        bench_report(b, name, one / all, 1);
    else
        bench_skip(b, name, "the tick has no records, or all of them");
    bench_remark(b, "%s: %.1f us for one tick, %.1f us for the whole trace", name, one * 1e6,
                 all * 1e6);
    ras_close(w.trace);
}

void bench_use(uint64_t value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

struct span {
    const uint8_t *at;
    size_t size;
};

static void read_words(void *user)
{
    const struct span *s = user;
    uint64_t sum = 0, word;
    for (size_t i = 0; i + 8 <= s->size; i += 8) {
        memcpy(&word, s->at + i, 8);
        sum += word;
    }
    bench_use(sum);
}

double bench_read_speed(struct bench *b, const void *bytes, size_t size)
{
    struct span s = {bytes, size};
    return (double)size / bench_best(b, read_words, &s);
}

static void keep(struct bench *b, struct figure figure)
{
    if (array_grow(&b->figures, &b->room, b->count + 1, sizeof *b->figures))
        b->figures[b->count++] = figure;
}

void bench_report(struct bench *b, const char *name, double value, double yardstick)
{
    keep(b, (struct figure){target_of(name), value, yardstick, NULL});
}

void bench_skip(struct bench *b, const char *name, const char *why)
{
    keep(b, (struct figure){target_of(name), 0, 0, why});
}

void bench_remark(struct bench *b, const char *fmt, ...)
{
    if (!array_grow(&b->remarks, &b->remark_room, b->remark_count + 1, REMARK_MAX))
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(b->remarks[b->remark_count++], REMARK_MAX, fmt, args);
    va_end(args);
}

/* ---- where things are ---------------------------------------------------- */

const char *bench_program(const struct bench *b)
{
    return b->program;
}

static const char *joined(const char *folder, const char *name)
{
    static char paths[4][4096];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *bench_golden(const struct bench *b, const char *name)
{
    return joined(b->golden, name);
}

const char *bench_fixture(const struct bench *b, const char *name)
{
    const char *path = joined(b->fixtures, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *bench_folder(struct bench *b)
{
    if (!b->folder) {
        const char *where = getenv("TMPDIR");
        b->folder = strdup(joined(where ? where : P_tmpdir, "rastrum-bench-XXXXXX"));
        if (!b->folder || !mkdtemp(b->folder)) {
            perror("bench: no temporary directory");
            exit(2);
        }
    }
    return b->folder;
}

static void remove_folder(struct bench *b)
{
    char *argv[] = {b->folder, NULL};
    FTS *fts = b->folder ? fts_open(argv, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    for (FTSENT *e; fts && (e = fts_read(fts));)
        if (e->fts_info != FTS_D)
            (void)remove(e->fts_accpath);
    if (fts)
        fts_close(fts);
    free(b->folder);
    b->folder = NULL;
}

uint8_t *bench_file(const char *path, size_t *size)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    struct stat st;
    uint8_t *bytes = NULL;
    if (file && fstat(fileno(file), &st) == 0 && (bytes = malloc((size_t)st.st_size + 1))) {
        *size = fread(bytes, 1, (size_t)st.st_size, file);
        if (*size != (size_t)st.st_size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file)
        fclose(file);
    return bytes;
}

/* ---- the answer ------------------------------------------------------------ */

/* A number as people read it: 52.3 M rather than 5.23e+07. */
static const char *shown(double value)
{
    static char texts[8][32];
    static unsigned turn;
    char *text = texts[turn++ % 8];
    if (value == 0)
        snprintf(text, sizeof texts[0], "-");
    else if (value >= 1e6)
        snprintf(text, sizeof texts[0], "%.1f M", value / 1e6);
    else
        snprintf(text, sizeof texts[0], "%.*f", value < 100 ? 2 : 0, value);
    return text;
}

static bool reached(const struct figure *f)
{
    return f->target->at_most ? f->value <= f->target->limit : f->value >= f->target->limit;
}

/* How many figures missed their limit; what was not run did not reach it either. */
static size_t print_table(const struct bench *b)
{
    size_t missed = 0, skipped = 0;
    printf("%-22s %10s %-9s %13s %12s %9s\n", "name", "value", "unit", "must reach", "yardstick",
           "peer");
    for (size_t i = 0; i < b->count; i++) {
        const struct figure *f = &b->figures[i];
        const struct target *t = f->target;
        skipped += f->skipped != NULL;
        missed += !f->skipped && !reached(f);
        if (f->skipped)
            printf("%-22s not run: %s\n", t->name, f->skipped);
        else
            printf("%-22s %10s %-9s %s %10s %12s %9s  %s\n", t->name, shown(f->value), t->unit,
                   t->at_most ? "<=" : ">=", shown(t->limit), shown(f->yardstick), shown(t->peer),
                   reached(f) ? "ok" : "MISSED");
    }
    for (size_t i = 0; i < b->remark_count; i++)
        printf("%s\n", b->remarks[i]);
    printf("%zu reached, %zu missed, %zu not run\n", b->count - missed - skipped, missed, skipped);
    return missed;
}

/* Every figure on a line; of one that was not run only why. */
static bool write_json(const struct bench *b, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fprintf(out, "[");
    for (size_t i = 0; i < b->count; i++) {
        const struct figure *f = &b->figures[i];
        const struct target *t = f->target;
        fprintf(out, "%s\n{\"name\":\"%s\",\"unit\":\"%s\",\"at_most\":%s,\"limit\":%.6g",
                i ? "," : "", t->name, t->unit, t->at_most ? "true" : "false", t->limit);
        if (t->peer > 0)
            fprintf(out, ",\"peer\":%.6g", t->peer);
        if (f->skipped)
            fprintf(out, ",\"skipped\":\"%s\"}", f->skipped);
        else if (f->yardstick > 0)
            fprintf(out, ",\"value\":%.6g,\"yardstick\":%.6g}", f->value, f->yardstick);
        else
            fprintf(out, ",\"value\":%.6g}", f->value);
    }
    fprintf(out, "\n]\n");
    return fclose(out) == 0;
}

static bool is_wanted(const struct bench *b, const char *group)
{
    return !b->only || !strcmp(b->only, group);
}

static void run_formats(struct bench *b)
{
#define BENCH(name)                                                                                \
    if (is_wanted(b, #name))                                                                       \
        name##_bench(b);
#include "bench_list.h"
#undef BENCH
}

static void run_others(struct bench *b, uint64_t bytes)
{
    if (is_wanted(b, "process"))
        process_bench(b);
    if (is_wanted(b, "compare"))
        compare_bench(b);
    if (is_wanted(b, "where"))
        where_bench(b);
    if (is_wanted(b, "stats"))
        stats_bench(b);
    if (is_wanted(b, "spans"))
        spans_bench(b);
    if (is_wanted(b, "zstd"))
        zstd_bench(b);
    if (is_wanted(b, "pack"))
        pack_bench(b);
    if (is_wanted(b, "raster"))
        raster_bench(b);
    if (is_wanted(b, "world"))
        world_bench(b);
    if (is_wanted(b, "pens"))
        pens_bench(b);
    if (is_wanted(b, "picture"))
        picture_bench(b);
    if (is_wanted(b, "finalize"))
        finalize_bench(b, bytes);
    if (bytes && is_wanted(b, "rewrite"))
        rewrite_bench(b, bytes / 2);
    if (is_wanted(b, "sql"))
        sql_bench(b, bytes / 2);
    if (is_wanted(b, "export"))
        export_bench(b, bytes / 4);
    if (is_wanted(b, "view"))
        view_bench(b, bytes ? bytes / 70 : 3000000);
    if (is_wanted(b, "answer"))
        answer_bench(b, bytes ? bytes / 2 : 64 << 20);
    if (bytes && is_wanted(b, "memory"))
        memory_bench(b, bytes);
}

/* DuckDB of the engines' lock file, where none is named. */
static void find_duckdb(const char *root)
{
    const char *path =
        joined(root, "tests/engines/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so");
    if (access(path, R_OK) == 0)
        setenv("RASTRUM_DUCKDB", path, 0);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench --rastrum PROGRAM --source ROOT --out FILE [--memory-bytes N]\n"
                    "             [--only GROUP]\n"
                    "       bench --make calls|events N PATH\n");
    return 2;
}

/* A trace of so many events for others to measure: a session of calls, or a dial9 file. */
static int make_trace(char **words)
{
    uint64_t events = strtoull(words[1], NULL, 10);
    bool made = !strcmp(words[0], "calls")    ? bench_make_calls(words[2], events)
                : !strcmp(words[0], "events") ? bench_make_events(words[2], events)
                                              : false;
    return made ? 0 : 2;
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    const char *root = NULL, *out = NULL;
    uint64_t bytes = (uint64_t)2 << 30;
    if (argc == 5 && !strcmp(argv[1], "--make"))
        return make_trace(argv + 2);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rastrum"))
            b.program = argv[i + 1];
        else if (!strcmp(argv[i], "--source"))
            root = argv[i + 1];
        else if (!strcmp(argv[i], "--out"))
            out = argv[i + 1];
        else if (!strcmp(argv[i], "--only"))
            b.only = argv[i + 1];
        else if (!strcmp(argv[i], "--memory-bytes"))
            bytes = strtoull(argv[i + 1], NULL, 10);
        else
            return usage();
    }
    if (!b.program || !root || !out || argc % 2 == 0)
        return usage();
    char *golden = strdup(joined(root, "tests/golden"));
    const char *fixtures = getenv("RASTRUM_FIXTURES");
    char *other = strdup(fixtures && fixtures[0] == '/'
                             ? fixtures
                             : joined(root, fixtures ? fixtures : "../shared/fixtures"));
    b.golden = golden;
    b.fixtures = other;
    find_duckdb(root);
    run_formats(&b);
    run_others(&b, bytes);
    size_t missed = print_table(&b);
    bool written = write_json(&b, out);
    if (!written)
        perror(out);
    remove_folder(&b);
    free(b.figures);
    free(b.remarks);
    free(golden);
    free(other);
    return !written ? 2 : missed ? 1 : 0;
}
