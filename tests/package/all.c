/* all.c - a program that uses every library: reads, queries, executes, writes a run, records.
 *
 *   all REPLAY.murk DIRECTORY */
#include <inttypes.h>
#include <rastrum/gpu.h>
#include <rastrum/pens.h>
#include <rastrum/record.h>
#include <rastrum/replay.h>
#include <rastrum/sql.h>
#include <rastrum/world.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, const struct ras_error *err)
{
    fprintf(stderr, "all: %s: %s\n", what, err->text);
    return 1;
}

static int query(struct ras_trace *trace, uint64_t *rows)
{
    static const char text[] = "SELECT count(*) FROM frame";
    const struct ras_sql_source source = {.trace = trace};
    struct ras_sql *sql = NULL;
    struct ras_sql_query *query = NULL;
    const struct ras_value *cells;
    struct ras_error err;
    size_t used;
    int status = ras_sql_open(&sql, &source, 1, NULL, &err);
    if (status == RAS_OK)
        status = ras_sql_prepare(&query, sql, text, strlen(text), &used, &err);
    if (status == RAS_OK && (status = ras_sql_next(query, &cells, &err)) == RAS_OK)
        *rows = cells[0].u;
    ras_sql_query_close(query);
    ras_sql_close(sql);
    return status == RAS_OK ? 0 : fail("query", &err);
}

static int replay(struct ras_trace *trace, uint64_t *ticks)
{
    const struct ras_replay_options options = {.worlds = ras_worlds()};
    struct ras_replay *replay = NULL;
    struct ras_error err;
    int status = ras_replay(&replay, trace, &options, &err);
    bool same = status == RAS_OK && replay->verdict == RAS_REPLAY_OK;
    *ticks = same ? replay->ticks : 0;
    ras_replay_free(replay);
    return same ? 0 : status < 0 ? fail("replay", &err) : 1;
}

static int write_run(const char *dir)
{
    const struct ras_pens_options options = {.dir = dir};
    struct ras_pens *pens;
    struct ras_error err;
    if (ras_pens_open(&pens, &options, &err) < 0)
        return fail("pens", &err);
    for (uint64_t tick = 0; tick < 3; tick++)
        ras_pens_tick(pens, tick);
    return ras_pens_close(pens, &err) < 0 ? fail("pens", &err) : 0;
}

static int record(const char *dir)
{
    const struct ras_record_options options = {.exact = dir};
    struct ras_error err;
    if (ras_record_start(&options, &err) < 0)
        return fail("record", &err);
    ras_marker("recorded");
    return ras_record_stop(&err) < 0 ? fail("record", &err) : 0;
}

int main(int argc, char **argv)
{
    char run[1000], calls[1000];
    struct ras_trace *trace;
    struct ras_error err;
    uint64_t rows = 0, ticks = 0;
    if (argc != 3)
        return 2;
    snprintf(run, sizeof run, "%s/run", argv[2]);
    snprintf(calls, sizeof calls, "%s/calls", argv[2]);
    if (ras_open(&trace, argv[1], NULL, &err) < 0)
        return fail("open", &err);
    int failed = query(trace, &rows) + replay(trace, &ticks) + write_run(run) + record(calls);
    failed += rows != ticks || !ras_gpu();
    printf("%" PRIu64 " frames, %" PRIu64 " ticks as recorded\n", rows, ticks);
    ras_close(trace);
    return failed != 0;
}
