/* sql_bench.c - questions in SQL beside other ways to the same rows, and beside the same question
 * with a part of the module switched off; and how soon the first rows of a long trace come. */
#include "bench.h"
#include <rastrum/atf.h>
#include <rastrum/rundir.h>
#include <rastrum/sql.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = 2000000, READ = 256, FIRST_RUNS = 20 };

/* A question, or another way to its rows. */
struct job {
    struct ras_trace *trace;
    struct ras_sql *sql;
    const char *query;
    const char *type;           /* the cursor's only one; NULL: all */
    uint64_t rows, sum;         /* of the answer; the sum is that of its integers */
    bool headers_only, is_good; /* is_good: it was read to its end */
};

static void ask(void *user)
{
    struct job *job = user;
    struct ras_sql_query *q;
    const struct ras_value *cells;
    size_t used, width;
    job->rows = job->sum = 0;
    job->is_good = false;
    if (ras_sql_prepare(&q, job->sql, job->query, strlen(job->query), &used, NULL) < 0)
        return;
    (void)ras_sql_columns(q, &width);
    int status;
    for (; (status = ras_sql_next(q, &cells, NULL)) == RAS_OK; job->rows++)
        for (size_t i = 0; i < width; i++)
            if (cells[i].kind == RAS_INT || cells[i].kind == RAS_UINT)
                job->sum += cells[i].u;
    job->is_good = status == RAS_END;
    ras_sql_query_close(q);
}

static void walk(void *user)
{
    struct job *job = user;
    const struct ras_pick pick = {.type = job->type};
    const struct ras_scan scan = {.headers_only = job->headers_only,
                                  .picks = job->type ? &pick : NULL,
                                  .pick_count = job->type ? 1 : 0};
    struct ras_cursor *c;
    const struct ras_record *r;
    job->sum = 0;
    if (ras_cursor_open(&c, job->trace, &scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK)
        job->sum++;
    ras_cursor_close(c);
}

#define ONE_FUNCTION 2500
/* Returns of one function, from the native reader. */
static void read_native(void *user)
{
    struct job *job = user;
    struct ras_atf_session *s = ras_atf_session(job->trace);
    struct ras_atf_index_event events[READ];
    uint64_t at = 0, found = 0;
    size_t got;
    for (; (got = ras_atf_index_read(s, 0, at, events, READ)); at += got)
        for (size_t i = 0; i < got; i++)
            found += events[i].function_id == ((uint64_t)7 << 32 | ONE_FUNCTION) &&
                     events[i].event_kind == RAS_ATF_RETURN;
    job->sum = found;
}

/* How many times as fast as `other` a question is; both have the same answer, or it is skipped. */
static double faster(struct bench *b, const char *name, struct job *job, struct job *other,
                     void (*work)(void *))
{
    double own = bench_best(b, ask, job), plain = bench_best(b, work, other);
    if (!job->is_good || !job->sum || job->sum != other->sum) {
        bench_remark(b, "%s: %" PRIu64 " is not %" PRIu64, name, job->sum, other->sum);
        return 0;
    }
    bench_remark(b, "%s: %.2f ms, the other way %.2f ms", name, own * 1e3, plain * 1e3);
    return plain / own;
}

static void report(struct bench *b, const char *name, double ratio)
{
    if (ratio > 0)
        bench_report(b, name, ratio, 1);
    else
        bench_skip(b, name, "it cannot be asked, or the answers differ");
}

/* ---- one thread of calls ------------------------------------------------------------------- */

static const char count_events[] = "SELECT count(*) FROM event";

static double grouped(struct bench *b, const char *name, const char *query, struct ras_sql *with,
                      struct ras_sql *without)
{
    struct job on = {.sql = with, .query = query}, off = {.sql = without, .query = query};
    double ratio = faster(b, name, &on, &off, ask);
    return on.rows == off.rows && off.is_good ? ratio : 0;
}

static void ask_calls(struct bench *b, struct ras_trace *trace, struct ras_sql *with,
                      struct ras_sql *without)
{
    struct job count = {.sql = with, .query = count_events};
    struct job other = {.trace = trace, .headers_only = true};
    double walked = faster(b, "sql.count beside a cursor of headers", &count, &other, walk);
    double counted = bench_best(b, ask, &count), loop, loop_sum;
    sqlite_bench_loop(b, EVENTS, &loop, &loop_sum);
    bench_remark(b, "sql.count: %.2f ms, SQLite over an empty virtual table %.2f ms", counted * 1e3,
                 loop * 1e3);
    report(b, "sql.count", walked > 0 ? loop / counted : 0);
    struct job sum = {.sql = with, .query = "SELECT sum(call_depth) FROM event"};
    double summed = bench_best(b, ask, &sum);
    bench_remark(b, "sql.sum: %.2f ms, SQLite over an empty virtual table %.2f ms", summed * 1e3,
                 loop_sum * 1e3);
    report(b, "sql.sum", sum.is_good && sum.sum == EVENTS / 8 * 20 ? loop_sum / summed : 0);
    char text[128];
    snprintf(text, sizeof text,
             "SELECT count(*) FROM event WHERE function_id = %" PRIu64 " AND event_kind = %d",
             (uint64_t)7 << 32 | ONE_FUNCTION, RAS_ATF_RETURN);
    struct job equal = {.sql = with, .query = text};
    report(b, "sql.equal", faster(b, "sql.equal", &equal, &other, read_native));
    report(b, "sql.group2",
           grouped(b, "sql.group2",
                   "SELECT event_kind, count(*), max(call_depth) FROM event GROUP BY event_kind",
                   with, without));
    double by_id = grouped(b, "sql.group5000 by number",
                           "SELECT function_id, count(*) n FROM event GROUP BY function_id"
                           " ORDER BY n DESC",
                           with, without);
    double by_name = grouped(b, "sql.group5000 by text",
                             "SELECT function, count(*) n FROM event GROUP BY function"
                             " ORDER BY n DESC",
                             with, without);
    report(b, "sql.group5000", by_id < by_name ? by_id : by_name);
}

/* ---- DuckDB, where it is installed: one thread beside SQLite ------------------------------- */

static const char group_by_id[] = "SELECT function_id, count(*), max(call_depth) FROM event"
                                  " GROUP BY function_id";

static void ask_duckdb(struct bench *b, const struct ras_sql_source *source, struct ras_sql *sqlite)
{
    static const char *const names[] = {"sql.duckdb.count", "sql.duckdb.group"};
    static const char *const queries[] = {count_events, group_by_id};
    struct ras_sql_engine_about about;
    struct ras_sql *duckdb = NULL;
    size_t i = 0;
    while (ras_sql_engine_at(i, &about) && strcmp(about.name, "duckdb") != 0)
        i++;
    bool is_open =
        !*about.missing &&
        ras_sql_open(&duckdb, source, 1,
                     &(struct ras_sql_options){.engine = "duckdb", .threads = 1}, NULL) == RAS_OK;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        struct job own = {.sql = duckdb, .query = queries[i]};
        struct job other = {.sql = sqlite, .query = queries[i]};
        if (is_open)
            report(b, names[i], faster(b, names[i], &own, &other, ask));
        else
            bench_skip(b, names[i],
                       *about.missing ? "libduckdb is not there" : "it cannot be opened");
    }
    ras_sql_close(duckdb);
}

/* ---- both of them -------------------------------------------------------------------------- */

static bool open_both(const struct ras_sql_source *source, const struct ras_sql_options *off,
                      struct ras_sql **with, struct ras_sql **without)
{
    *with = *without = NULL;
    return ras_sql_open(with, source, 1, NULL, NULL) == RAS_OK &&
           ras_sql_open(without, source, 1, off, NULL) == RAS_OK;
}

static void measure_calls(struct bench *b)
{
    static const char *const names[] = {"sql.count",       "sql.sum",       "sql.equal",
                                        "sql.group2",      "sql.group5000", "sql.duckdb.count",
                                        "sql.duckdb.group"};
    struct ras_sql_source source = {0};
    struct ras_sql *with = NULL, *without = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/calls", bench_folder(b));
    if (bench_make_calls(path, EVENTS) && ras_open(&source.trace, path, NULL, NULL) == RAS_OK &&
        open_both(&source, &(struct ras_sql_options){.no_grouping = true}, &with, &without)) {
        ask_calls(b, source.trace, with, without);
        ask_duckdb(b, &source, with);
    } else {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            bench_skip(b, names[i], "the session cannot be made or opened");
    }
    ras_sql_close(with);
    ras_sql_close(without);
    ras_close(source.trace);
    bench_remove_calls(path);
}

/* ---- events of one type among others -------------------------------------------------------- */

static void measure_dial9(struct bench *b)
{
    const char *path = bench_fixture(b, "dial9/demo-trace.bin");
    struct ras_trace *trace = NULL;
    struct ras_sql *sql = NULL;
    if (path && ras_open(&trace, path, NULL, NULL) == RAS_OK &&
        ras_sql_open(&sql, &(struct ras_sql_source){.trace = trace}, 1, NULL, NULL) == RAS_OK) {
        struct job count = {.sql = sql, .query = "SELECT count(*) FROM PollStartEvent"};
        struct job other = {.trace = trace, .type = "PollStartEvent"};
        double picked = faster(b, "sql.dial9 beside a cursor of that type", &count, &other, walk);
        other.type = NULL;
        double own = bench_best(b, ask, &count), all = bench_best(b, walk, &other);
        bench_remark(b, "sql.dial9: %.2f ms, the bare cursor %.2f ms", own * 1e3, all * 1e3);
        report(b, "sql.dial9", picked > 0 ? all / own : 0);
    } else {
        bench_skip(b, "sql.dial9", "the demo trace is absent");
    }
    ras_sql_close(sql);
    ras_close(trace);
}

/* ---- a join --------------------------------------------------------------------------------- */

/* About 100 commands of a run with the creatures of their ticks. */
static void measure_join(struct bench *b)
{
    static const char query[] = "SELECT count(*), sum(c.uid) FROM murk.command m"
                                " JOIN cdt.creature c ON c.tick = m.tick"
                                " WHERE m.payload_name = 'Custom'";
    struct ras_sql_source source = {0};
    struct ras_sql *with = NULL, *without = NULL;
    char path[4096];
    struct bench_run run;
    snprintf(path, sizeof path, "%s/arena", bench_folder(b));
    char *argv[] = {(char *)(uintptr_t)bench_program(b),
                    "run",
                    "arena",
                    "--ticks",
                    "600",
                    "--seed",
                    "7",
                    "-o",
                    path,
                    NULL};
    if (bench_run(argv, false, &run) && run.status == 0 &&
        ras_rundir_open(&source.run, path, NULL, NULL) == RAS_OK &&
        open_both(&source, &(struct ras_sql_options){.no_lookup = true}, &with, &without)) {
        struct job on = {.sql = with, .query = query}, off = {.sql = without, .query = query};
        report(b, "sql.join", faster(b, "sql.join", &on, &off, ask));
    } else {
        bench_skip(b, "sql.join", "the run cannot be made or opened");
    }
    ras_sql_close(with);
    ras_sql_close(without);
    ras_rundir_close(source.run);
}

/* ---- the first rows of a long trace -----------------------------------------------------------
 */

/* By the clock, with the start of the program, in ms; 0: it does not run. */
static double first_rows(struct bench *b, const char *golden, uint64_t bytes)
{
    char path[4096];
    struct bench_run run = {0};
    snprintf(path, sizeof path, "%s/long", bench_folder(b));
    char *argv[] = {(char *)(uintptr_t)bench_program(b), "sql", "--no-progress", path,
                    "SELECT * FROM record LIMIT 10",     NULL};
    bool good = bench_make_long(b, golden, path, bytes) &&
                bench_process(b, argv, FIRST_RUNS, &run) && run.status != 2;
    unlink(path);
    bench_remark(b, "sql.first %s: %.1f ms (%.1f ms of the processor), exit status %d", golden,
                 run.wall_ms, run.cpu_ms, run.status);
    return good ? run.wall_ms : 0;
}

/* The slowest of the formats that need no survey. */
static void measure_first(struct bench *b, uint64_t bytes)
{
    static const char *const goldens[] = {"murk/big-steady.murk", "cdt/big-steady.cdt",
                                          "aerogpu/big-steady.aerogputrace", "atf/big-steady.atf"};
    double worst = 0;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        double ms = first_rows(b, goldens[i], bytes);
        if (!(ms > 0)) {
            bench_skip(b, "sql.first", "a long trace cannot be made or asked");
            return;
        }
        worst = ms > worst ? ms : worst;
    }
    bench_report(b, "sql.first", worst, 0);
}

void sql_bench(struct bench *b, uint64_t bytes)
{
    measure_calls(b);
    measure_dial9(b);
    measure_join(b);
    if (bytes)
        measure_first(b, bytes);
}
