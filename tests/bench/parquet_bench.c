/* parquet_bench.c - a table of calls as Parquet, beside DuckDB's own writer of the same rows in the
 * same run: rows a second of processor time, and bytes. DuckDB has the rows in its memory before
 * its time begins, rastrum reads the trace. */
#include "bench.h"
#include <rastrum/export.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5, PATH_ROOM = 4096 + 32 };

/* DuckDB's C interface, as its documentation declares it. */
struct duck_result {
    uint64_t unused[3];
    void *columns;
    char *message;
    void *internal;
};
struct duck {
    void *library, *database, *connection;
    int (*open)(const char *path, void **database);
    int (*connect)(void *database, void **connection);
    int (*query)(void *connection, const char *text, struct duck_result *result);
    const char *(*result_error)(struct duck_result *result);
    int64_t (*value_int64)(struct duck_result *result, uint64_t column, uint64_t row);
    void (*destroy_result)(struct duck_result *result);
    void (*disconnect)(void **connection);
    void (*close)(void **database);
};

static bool duck_find(struct duck *d)
{
    const struct {
        const char *name;
        void *to;
    } functions[] = {{"duckdb_open", &d->open},
                     {"duckdb_connect", &d->connect},
                     {"duckdb_query", &d->query},
                     {"duckdb_result_error", &d->result_error},
                     {"duckdb_value_int64", &d->value_int64},
                     {"duckdb_destroy_result", &d->destroy_result},
                     {"duckdb_disconnect", &d->disconnect},
                     {"duckdb_close", &d->close}};
    const char *named = getenv("RASTRUM_DUCKDB");
    d->library = dlopen(named && *named ? named : "libduckdb.so", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; d->library && i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(d->library, functions[i].name);
        if (!found)
            return false;
        memcpy(functions[i].to, &found, sizeof found);
    }
    return d->library && d->open(NULL, &d->database) == 0 &&
           d->connect(d->database, &d->connection) == 0;
}

/* -1: it fails; else the number that it answers. */
static int64_t duck_ask(struct bench *b, const struct duck *d, const char *text)
{
    struct duck_result result;
    int64_t answer = -1;
    if (d->query(d->connection, text, &result) == 0)
        answer = d->value_int64(&result, 0, 0);
    else
        bench_remark(b, "DuckDB: %.200s", d->result_error(&result));
    d->destroy_result(&result);
    return answer;
}

static void duck_end(struct duck *d)
{
    if (d->connection)
        d->disconnect(&d->connection);
    if (d->database)
        d->close(&d->database);
}

static double process_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The pages and row groups that DuckDB writes: its own size of groups is the first one, ours the
 * second. Both programs use one processor, and zstd of level 1. */
struct duck_way {
    const char *version;
    unsigned group_rows;
};
enum { WAYS = 4 };
static const struct duck_way ways[WAYS] = {
    {"V1", 122880}, {"V2", 122880}, {"V1", 1 << 20}, {"V2", 1 << 20}};

static double size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size : 0;
}

/* One file, by the library in this process, as DuckDB's is; 0: it fails. */
static double own_write(struct ras_trace *trace, const char *path)
{
    static const char *const types[] = {"event"};
    static const char *const fields[] = {"time_ns",    "function_id", "thread_id", "event_kind",
                                         "call_depth", "detail_seq",  "function"};
    struct ras_export_options how = {.struct_size = sizeof how,
                                     .target = "parquet",
                                     .types = types,
                                     .type_count = 1,
                                     .fields = fields,
                                     .field_count = sizeof fields / sizeof *fields};
    struct ras_export_result *result;
    double start = process_now();
    if (ras_sink_report(&how.sink, path, true, NULL) < 0)
        return 0;
    int status = ras_export(&result, trace, &how, NULL);
    if (status < 0) {
        ras_sink_drop(how.sink);
        return 0;
    }
    ras_export_result_free(result);
    return ras_sink_close(how.sink, NULL) == RAS_OK ? process_now() - start : 0;
}

/* Seconds; 0: it fails. */
static double duck_write(struct bench *b, const struct duck *d, const struct duck_way *way,
                         const char *path)
{
    char text[PATH_ROOM + 200];
    snprintf(text, sizeof text,
             "COPY t TO '%s' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,"
             " PARQUET_VERSION %s, ROW_GROUP_SIZE %u)",
             path, way->version, way->group_rows);
    double start = process_now();
    return duck_ask(b, d, text) < 0 ? 0 : process_now() - start;
}

/* The least seconds of each, and bytes. */
struct written {
    double own, duck[WAYS], size[WAYS];
};

static void keep_least(double *least, double took, unsigned round)
{
    *least = round == 0 || took < *least ? took : *least;
}

/* All take turns, so that what else the machine does is the same for them. */
static bool write_in_turns(struct bench *b, const struct duck *d, struct ras_trace *trace,
                           const char *path, struct written *w)
{
    char other[PATH_ROOM];
    snprintf(other, sizeof other, "%s/duckdb.parquet", bench_folder(b));
    for (unsigned round = 0; round < RUNS; round++) {
        double took = own_write(trace, path);
        keep_least(&w->own, took, round);
        for (size_t i = 0; took > 0 && i < WAYS; i++) {
            took = duck_write(b, d, &ways[i], other);
            keep_least(&w->duck[i], took, round);
            w->size[i] = size_of(other);
            unlink(other);
        }
        if (!(took > 0))
            return false;
    }
    return true;
}

/* The rows of our file, in the memory of DuckDB. */
static bool duck_read(struct bench *b, const struct duck *d, const char *path, uint64_t rows)
{
    char text[PATH_ROOM + 100];
    snprintf(text, sizeof text, "CREATE TABLE t AS SELECT * FROM read_parquet('%s')", path);
    return duck_ask(b, d, "SET threads=1") >= 0 && duck_ask(b, d, text) == (int64_t)rows;
}

/* Beside what DuckDB writes fastest, and what is smallest. */
static void report_written(struct bench *b, const struct written *w, double size, uint64_t rows)
{
    double fastest = w->duck[0], smallest = w->size[0];
    bench_remark(b, "export.parquet: %.1f M rows/s, %.2f MB", (double)rows / w->own / 1e6,
                 size / 1e6);
    for (size_t i = 0; i < WAYS; i++) {
        bench_remark(b, "export.parquet: DuckDB, pages %s, %u rows a group: %.1f M rows/s, %.2f MB",
                     ways[i].version, ways[i].group_rows, (double)rows / w->duck[i] / 1e6,
                     w->size[i] / 1e6);
        fastest = w->duck[i] < fastest ? w->duck[i] : fastest;
        smallest = w->size[i] < smallest ? w->size[i] : smallest;
    }
    bench_report(b, "export.parquet", fastest / w->own, 1);
    bench_report(b, "export.parquet.size", size / smallest, 1);
}

void parquet_bench(struct bench *b, const char *session, uint64_t rows)
{
    char path[PATH_ROOM];
    struct duck d = {0};
    struct ras_trace *trace = NULL;
    struct written w;
    const char *why = NULL;
    snprintf(path, sizeof path, "%s/rastrum.parquet", bench_folder(b));
    if (ras_open(&trace, session, NULL, NULL) != RAS_OK || !(own_write(trace, path) > 0))
        why = "rastrum export does not run";
    else if (!duck_find(&d))
        why = "libduckdb is not there";
    else if (!duck_read(b, &d, path, rows) || !write_in_turns(b, &d, trace, path, &w))
        why = "DuckDB does not read and write the rows";
    if (why) {
        bench_skip(b, "export.parquet", why);
        bench_skip(b, "export.parquet.size", why);
    } else {
        report_written(b, &w, size_of(path), rows);
    }
    duck_end(&d);
    ras_close(trace);
    unlink(path);
}
