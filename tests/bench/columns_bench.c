/* columns_bench.c - batches of four columns: those that the driver of ATF fills beside its native
 * reader, and those that core fills beside a cursor with the same pick. */
#include "bench.h"
#include <rastrum/atf.h>
#include <rastrum/columns.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { READ = 256, WIDTH = 4, LONG = 32 << 20 };

struct job {
    struct ras_trace *trace;
    struct ras_tables *tables;
    const char *table;
    uint16_t columns[WIDTH];
    const char *fields[WIDTH];
    uint64_t rows;
};

static void read_batches(void *user)
{
    struct job *job = user;
    const struct ras_columns_scan scan = {
        .table = job->table, .columns = job->columns, .column_count = WIDTH};
    struct ras_columns *c;
    const struct ras_batch *batch;
    uint64_t sum = 0;
    job->rows = 0;
    if (ras_columns_open(&c, job->tables, &scan, NULL) < 0)
        return;
    while (ras_columns_next(c, &batch, NULL) == RAS_OK) {
        job->rows += batch->rows;
        sum += *(const uint8_t *)batch->columns[0].values;
    }
    ras_columns_close(c);
    bench_use(sum);
}

static void walk_picked(void *user)
{
    struct job *job = user;
    const struct ras_pick pick = {.type = job->table, .fields = job->fields, .field_count = WIDTH};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t sum = 0;
    size_t count;
    job->rows = 0;
    if (ras_cursor_open(&c, job->trace, &scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        sum += ras_values(c, &count)[0].u;
        job->rows++;
    }
    ras_cursor_close(c);
    bench_use(sum);
}

static void read_native(void *user)
{
    struct job *job = user;
    struct ras_atf_session *s = ras_atf_session(job->trace);
    struct ras_atf_index_event events[READ];
    uint64_t sum = 0;
    size_t got;
    for (job->rows = 0; (got = ras_atf_index_read(s, 0, job->rows, events, READ)); job->rows += got)
        for (size_t i = 0; i < got; i++)
            sum += events[i].timestamp_ns + events[i].call_depth;
    bench_use(sum);
}

/* Speed beside that of another way to the same rows, as a ratio. */
static void measure(struct bench *b, const char *name, struct job *job, void (*other)(void *))
{
    const struct ras_table_about *t = NULL;
    if (ras_tables_open(&job->tables, job->trace, NULL, NULL) == RAS_OK)
        t = ras_table_of(job->tables, job->table);
    for (unsigned k = 0; t && k < WIDTH; k++)
        for (uint16_t i = 0; i < t->column_count; i++)
            if (!strcmp(t->columns[i].name, job->fields[k]))
                job->columns[k] = i;
    double batches = t ? bench_best(b, read_batches, job) : 0;
    uint64_t rows = job->rows;
    double plain = t ? bench_best(b, other, job) : 0;
    if (batches > 0 && rows && rows == job->rows) {
        bench_report(b, name, plain / batches, 1);
        bench_remark(b, "%s: %.1f ns a row, %.1f without columns", name,
                     batches * 1e9 / (double)rows, plain * 1e9 / (double)rows);
    } else {
        bench_skip(b, name, "its rows cannot be read");
    }
    ras_tables_close(job->tables);
}

void columns_bench(struct bench *b, struct ras_trace *atf)
{
    struct job events = {.trace = atf,
                         .table = "event",
                         .fields = {"time_ns", "function_id", "event_kind", "call_depth"}};
    measure(b, "columns.atf", &events, read_native);
    struct job commands = {
        .table = "command",
        .fields = {"payload_type", "priority_class", "expires_after_tick", "arrival_seq"}};
    char path[4096];
    snprintf(path, sizeof path, "%s/long.murk", bench_folder(b));
    if (bench_make_long(b, "murk/big-steady.murk", path, LONG) &&
        ras_open(&commands.trace, path, NULL, NULL) == RAS_OK)
        measure(b, "columns.generic", &commands, walk_picked);
    else
        bench_skip(b, "columns.generic", "a long trace cannot be written");
    ras_close(commands.trace);
    unlink(path);
}
