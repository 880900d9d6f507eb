/* cmd_stats.c - figures of a trace: counts, durations, the analyses of its format. */
#include "cli/range.h"
#include "cli/table_text.h"

#include <inttypes.h>
#include <stddef.h>

enum { ROWS_SHOWN = 20 };

struct options {
    struct common common;
    struct range range;
    struct list tables;
    const char *sort, *time;
    struct number limit, offset;
    bool list;
};

static void stats_put_text(struct answer *a, const char *path, const struct ras_trace *t,
                           const struct ras_stats *stats, const struct ras_time_writing *time)
{
    const struct ras_value *tables = stats->tables, *end = ras_value_next(tables);
    answer_path(a, path, "");
    answer_format(a, ": %s\n", ras_format_of(t)->title);
    for (const struct ras_value *name = tables + 1; name < end;) {
        const struct ras_value *table = name + 1;
        put_figures(a, name, table, time);
        name = ras_value_next(table);
    }
}

/* Each table's name and its columns. */
static void stats_put_names(struct answer *a, const struct ras_stats *stats)
{
    const struct ras_value *tables = stats->tables, *end = ras_value_next(tables);
    for (const struct ras_value *name = tables + 1; name < end;) {
        const struct ras_value *table = name + 1, *columns = ras_value_member(table, "columns");
        answer_text(a, name->at, name->count);
        answer_format(a, ":");
        for (uint32_t i = 1; i <= columns->count; i++) {
            answer_format(a, " ");
            answer_text(a, columns[i].at, columns[i].count);
        }
        answer_format(a, "\n");
        name = ras_value_next(table);
    }
}

/* Text shows the first rows by default, JSON all of them. */
static uint64_t rows_wanted(const struct options *o)
{
    if (o->limit.given)
        return o->limit.value;
    return o->common.json ? 0 : ROWS_SHOWN;
}

static int stats_put_answer(const struct options *o, const char *path, struct ras_trace *t,
                            const struct ras_stats *stats, struct answer *answer)
{
    struct ras_error err;
    struct ras_time_writing time;
    if (time_find(path, o->time, RAS_TIME_RELATIVE, t, &time))
        return EXIT_TROUBLE;
    answer_item(answer);
    if (!o->common.json && o->list)
        stats_put_names(answer, stats);
    else if (!o->common.json)
        stats_put_text(answer, path, t, stats, &time);
    else if (ras_stats_json(answer->sink, path, t, stats, &err) < 0)
        return trouble_at(path, &err);
    answer_flush(answer);
    return say_ending(path, t, &stats->ending, o->common.quiet);
}

static int stats_show(void *options, const char *path, struct answer *answer)
{
    const struct options *o = options;
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    struct ras_scan scan = {.axis = RAS_AXIS_NONE};
    struct ras_stats *stats;
    struct ras_error err;
    int status = range_find(path, &o->range, trace, &scan);
    if (!status) {
        struct progress progress;
        progress_start(&progress, &o->common, "stats", answer->pager > 0);
        struct ras_stats_options how = {.struct_size = sizeof how,
                                        .axis = scan.axis,
                                        .from = scan.from,
                                        .to = scan.to,
                                        .tables = o->tables.items,
                                        .table_count = o->tables.count,
                                        .sort = o->sort,
                                        .limit = rows_wanted(o),
                                        .no_rows = o->limit.given && !o->limit.value,
                                        .progress = progress_at,
                                        .user = &progress,
                                        .offset = o->offset.value};
        int done = ras_stats(&stats, trace, &how, &err);
        progress_stop(&progress);
        if (done == RAS_EUSAGE && (o->tables.count || o->sort))
            status = trouble("%s: %s (rastrum stats --tables lists all)", shown_path(path),
                             text_of(&err));
        else
            status =
                done < 0 ? trouble_at(path, &err) : stats_put_answer(o, path, trace, stats, answer);
        ras_stats_free(stats);
    }
    ras_close(trace);
    return status;
}

static int stats_run(void *options)
{
    const struct options *o = options;
    if (o->time && o->common.json)
        return trouble("--time applies to text; JSON has nanoseconds");
    return each_operand(options, stats_show);
}

static const struct option_row rows[] = {
    {"table", 't', OPTION_LIST, "A,B", "only these tables", NULL, offsetof(struct options, tables)},
    {"tables", 0, OPTION_FLAG, NULL, "list the tables of this trace and their columns", NULL,
     offsetof(struct options, list)},
    {"sort", 0, OPTION_TEXT, "COLUMN", "sort rows by this column, numbers from the largest", NULL,
     offsetof(struct options, sort)},
    {"limit", 'n', OPTION_NUMBER, "N", "show N rows of each table (default: text 20, JSON all)",
     NULL, offsetof(struct options, limit)},
    {"all", 0, OPTION_ALL, NULL, "show all rows of each table", NULL,
     offsetof(struct options, limit)},
    {"offset", 0, OPTION_NUMBER, "N", "leave out the first N rows of each table", NULL,
     offsetof(struct options, offset)},
    RANGE_ROWS(struct options, range),
    TIME_ROW(struct options, time),
    {0},
};

const struct command cmd_stats = {
    .name = "stats",
    .operands = "TRACE...",
    .about = "print statistics: counts, durations, format-specific analyses",
    .text = "Prints tables of counts and durations. ATF: functions with total and self time,\n"
            "threads, modules and calls without an end; dial9: workers, polls, scheduling delays,\n"
            "tasks, spans, queues, samples and red flags; CDT: ticks and pools; Murk: commands by\n"
            "type, source and tick; AeroGPU: commands, draws and bytes of each frame. Every table\n"
            "says what its figures cover, and why a figure cannot be measured. A cut or damaged\n"
            "trace is measured up to that place (exit status 3).\n",
    .examples = "rastrum stats trace.bin\n"
                "rastrum stats --table functions --sort self_ns --limit 10 session/\n"
                "rastrum stats --json --table workers,long_polls trace.bin\n"
                "rastrum stats --from +1s --to +2s trace.bin\n",
    .exits = "0 shown; 2 error; 3 shown, but a trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = stats_run,
};
