/* bench.h - named jobs, measured, beside the figures they must reach.
 *
 * A format's jobs are NAME_bench() in NAME_bench.c; it is called when that file
 * is there. A job measures itself with bench_best() or bench_process() and hands
 * its figure to bench_report(); its unit, limit and peer are known by its name. */
#ifndef BENCH_H
#define BENCH_H

#include <rastrum/rastrum.h>

struct bench;

void murk_bench(struct bench *b);
void dial9_bench(struct bench *b);
void atf_bench(struct bench *b);
/* Of atf_bench(): sessions of many threads. */
void threads_bench(struct bench *b);
/* Of atf_bench(): batches of columns, of this session and of a golden. */
void columns_bench(struct bench *b, struct ras_trace *atf);
void aerogpu_bench(struct bench *b);
void cdt_bench(struct bench *b);
/* CPU seconds that zstd and BLAKE2b of all chunks of a CDT trace take; 0: it cannot be read. */
double cdt_bench_bytes(struct bench *b, struct ras_bytes file);
void record_bench(struct bench *b);
/* Of record_bench(): a program recorded by its function entries, beside uftrace; how long one that
 * runs is stopped to be recorded. */
void entry_bench(struct bench *b);
void attach_bench(struct bench *b);
void process_bench(struct bench *b);
/* diff, tick and query of a long CDT trace. */
void compare_bench(struct bench *b);
void where_bench(struct bench *b);
/* The analyses of dial9 traces: a recorded one, and one of 30 M events. */
void stats_bench(struct bench *b);
/* Modern spans of dial9 through stats, beside a scan. */
void spans_bench(struct bench *b);
/* The zstd decoder without libzstd. */
void zstd_bench(struct bench *b);
/* Recordings compressed as they are written. */
void pack_bench(struct bench *b);
/* Pixels drawn in software. */
void raster_bench(struct bench *b);
/* Ticks executed again, and the hash of fields. */
void world_bench(struct bench *b);
/* Ticks, entities and pictures that a program hands over. */
void pens_bench(struct bench *b);
/* A frame of 1920x1080 hashed and written as PNG; the start of OpenGL. */
void picture_bench(struct bench *b);
/* A raw capture finalized: its speed, and the memory of one of so many bytes (0: none). */
void finalize_bench(struct bench *b, uint64_t bytes);
/* Slices and merges of a trace of so many bytes, beside a copy of it. */
void rewrite_bench(struct bench *b, uint64_t bytes);
/* Questions in SQL; the first rows of traces of so many bytes (0: none). */
void sql_bench(struct bench *b, uint64_t bytes);
/* CPU seconds that SQLite takes for a count, and a sum, of the rows of a virtual table that does
 * nothing; 0: it cannot be opened. */
void sqlite_bench_loop(struct bench *b, uint64_t rows, double *count, double *sum);
/* Exports beside each other; their memory with a trace of so many bytes (0: none). */
void export_bench(struct bench *b, uint64_t bytes);
/* Of export_bench(): Parquet beside DuckDB's writer, of a session with so many events. */
void parquet_bench(struct bench *b, const char *session, uint64_t rows);
/* The timeline of the viewer, of traces of so many events. */
void view_bench(struct bench *b, uint64_t events);
/* The viewer's first answer of traces of so many bytes; the staff and the report of two runs. */
void answer_bench(struct bench *b, uint64_t bytes);
/* Peak memory of the streaming verbs on a trace of each format of so many bytes. */
void memory_bench(struct bench *b, uint64_t bytes);

/* CPU seconds of this thread that work(user) takes: the best of several runs
 * over about a second, and of three at least. */
double bench_best(struct bench *b, void (*work)(void *user), void *user);

/* A job's figure, in its unit. The yardstick is measured in the same run, in the
 * same unit: what a plain loop over the same bytes, or the libraries alone, would
 * reach on this machine now; 0: none. */
void bench_report(struct bench *b, const char *name, double value, double yardstick);
/* A job that cannot be run here, and why. */
void bench_skip(struct bench *b, const char *name, const char *why);
/* A line below the table. */
void bench_remark(struct bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Bytes a second at which memory is read, 8 bytes at a time, on one core now. */
double bench_read_speed(struct bench *b, const void *bytes, size_t size);
/* The records of one tick of a trace that was walked once: their time as a share of the walk's. */
void bench_range(struct bench *b, const char *name, struct ras_bytes file, uint64_t tick);
/* Keeps the compiler from leaving out a computation. */
void bench_use(uint64_t value);

/* How one run of a program went. */
struct bench_run {
    double wall_ms;
    double cpu_ms;   /* of its processor, in the program and for it in the system */
    int status;      /* of exit; -1: it did not end by itself */
    double anon_mib; /* peak of memory that is no file's, sampled every few ms */
    double peak_mib; /* peak of all resident memory, mapped files too; sampled likewise, or else
                      * at least what the bench itself has */
};
/* Run a program, its output thrown away. False: cannot. */
bool bench_run(char *const argv[], bool sample, struct bench_run *run);
/* The fastest of `times` runs; its memory is the largest of them. */
bool bench_process(struct bench *b, char *const argv[], unsigned times, struct bench_run *best);

/* The program under test; the folder of goldens; a public fixture or NULL where
 * it is absent; a directory for temporary files, removed at the end. */
const char *bench_program(const struct bench *b);
const char *bench_golden(const struct bench *b, const char *name);
const char *bench_fixture(const struct bench *b, const char *name);
const char *bench_folder(struct bench *b);
/* A whole file in memory; free() it. NULL: cannot be read. */
uint8_t *bench_file(const char *path, size_t *size);
/* A trace of about so many bytes at `path`: the records of a golden, repeated. False: cannot,
 * and a remark says why. */
bool bench_make_long(struct bench *b, const char *golden, const char *path, uint64_t size);
/* A dial9 trace of so many events: workers that are unparked, poll tasks inside spans, and park.
 * False: cannot. */
bool bench_make_events(const char *path, uint64_t events);
/* A new session of so many calls and returns, 32 bytes each, of so many functions with names:
 * module 7, numbers from 1 on, depths 1 to 4. False: cannot. */
enum { BENCH_FUNCTIONS = 5000 };
bool bench_make_calls(const char *session, uint64_t events);
void bench_remove_calls(const char *session);
#endif
