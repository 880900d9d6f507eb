/* parquet_bench.c - a table of calls as Parquet, beside DuckDB's own writer of the same rows in the
 * same run: rows a second, and bytes. DuckDB has the rows in its memory before its time begins. */
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

static double size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size : 0;
}

/* The best of several; 0: it fails. */
static double duck_write(struct bench *b, const struct duck *d, const char *version,
                         const char *path)
{
    char text[PATH_ROOM + 200];
    double best = 0;
    snprintf(text, sizeof text,
             "COPY t TO '%s' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,"
             " PARQUET_VERSION %s)",
             path, version);
    for (unsigned i = 0; i < RUNS; i++) {
        double start = process_now();
        if (duck_ask(b, d, text) < 0)
            return 0;
        double took = process_now() - start;
        best = i == 0 || took < best ? took : best;
    }
    return best;
}

/* Beside the version of its pages that DuckDB writes faster, and the one that is smaller. */
static bool compare_writers(struct bench *b, const struct duck *d, const char *own, double seconds,
                            uint64_t rows)
{
    static const char *const versions[] = {"V1", "V2"};
    char text[PATH_ROOM + 100], other[PATH_ROOM];
    double fastest = 0, smallest = 0;
    snprintf(text, sizeof text, "CREATE TABLE t AS SELECT * FROM read_parquet('%s')", own);
    if (duck_ask(b, d, "SET threads=1") < 0 || duck_ask(b, d, text) != (int64_t)rows)
        return false;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        snprintf(other, sizeof other, "%s/duckdb-%s.parquet", bench_folder(b), versions[i]);
        double took = duck_write(b, d, versions[i], other), size = size_of(other);
        unlink(other);
        if (!(took > 0) || !(size > 0))
            return false;
        bench_remark(b, "export.parquet: DuckDB, pages %s: %.1f M rows/s, %.2f MB", versions[i],
                     (double)rows / took / 1e6, size / 1e6);
        fastest = i == 0 || took < fastest ? took : fastest;
        smallest = i == 0 || size < smallest ? size : smallest;
    }
    bench_report(b, "export.parquet", fastest / seconds, 1);
    bench_report(b, "export.parquet.size", size_of(own) / smallest, 1);
    return true;
}

/* One file, by the library in this process, as DuckDB's is; 0: it fails. */
static double own_write(struct ras_trace *trace, const char *path)
{
    static const char *const types[] = {"event"};
    static const char *const fields[] = {"time_ns",    "function_id", "thread_id", "event_kind",
                                         "call_depth", "detail_seq",  "function"};
    struct ras_export_request how = {.struct_size = sizeof how,
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

void parquet_bench(struct bench *b, const char *session, uint64_t rows)
{
    char path[PATH_ROOM];
    struct duck d = {0};
    struct ras_trace *trace = NULL;
    double best = 0;
    snprintf(path, sizeof path, "%s/rastrum.parquet", bench_folder(b));
    bool good = ras_open(&trace, session, NULL, NULL) == RAS_OK;
    for (unsigned i = 0; good && i < RUNS; i++) {
        double took = own_write(trace, path);
        good = took > 0;
        best = i == 0 || took < best ? took : best;
    }
    if (good)
        bench_remark(b, "export.parquet: %.1f M rows/s, %.2f MB", (double)rows / best / 1e6,
                     size_of(path) / 1e6);
    bool found = duck_find(&d);
    if (!good || !found || !compare_writers(b, &d, path, best, rows)) {
        const char *why = !good    ? "rastrum export does not run"
                          : !found ? "libduckdb is not there"
                                   : "DuckDB does not read and write the rows";
        bench_skip(b, "export.parquet", why);
        bench_skip(b, "export.parquet.size", why);
    }
    duck_end(&d);
    ras_close(trace);
    unlink(path);
}
