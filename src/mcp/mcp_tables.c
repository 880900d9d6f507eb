/* mcp_tables.c - the tools about one trace as a whole: info, stats, tree, spans, findings. */
#include "mcp/mcp_answers.h"
#include "mcp/mcp_cursor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 5, ROWS_MOST = 1000, SPANS_MOST = 65536, SPAN_ROOM = 700 };

/* ---- info ----------------------------------------------------------------------------------- */

bool put_info(struct mcp_call *call, const char *key, const char *path, struct ras_trace *trace)
{
    struct ras_info *info = NULL;
    struct ras_error err;
    struct ras_sink *sink = call_sink(call);
    if (!sink)
        return false;
    int status = ras_info(&info, trace, call_goes_on, call, &err);
    if (status >= 0)
        status = ras_info_json(sink, path, info, &err);
    ras_info_free(info);
    return call_put_sink(call, key, sink, status, path, &err);
}

/* The first and the last records. */
static bool put_samples(struct mcp_call *call, const char *path, struct ras_trace *trace)
{
    struct ras_info *info;
    struct ras_error err;
    if (ras_info(&info, trace, call_goes_on, call, &err) < 0)
        return tool_fail_with(call, path, &err);
    uint64_t records = info->records;
    ras_info_free(info);
    struct ras_scan scan = {.struct_size = sizeof scan, .axis = RAS_AXIS_SEQ, .to = RAS_NONE};
    json_object(&call->json, "samples");
    json_array(&call->json, "first");
    bool fine = put_some_records(call, path, trace, &scan, SAMPLES);
    json_close(&call->json);
    json_array(&call->json, "last");
    scan.from = records > 2 * SAMPLES ? records - SAMPLES : SAMPLES;
    fine = fine && put_some_records(call, path, trace, &scan, SAMPLES);
    json_close(&call->json);
    json_close(&call->json);
    return fine;
}

static bool put_run_info(struct mcp_call *call, const char *path, const struct ras_rundir *run)
{
    char name[512];
    struct ras_error err = {0};
    json_text(&call->json, "path", path);
    json_text(&call->json, "format", "run");
    if (run->json) {
        struct ras_sink *sink = call_sink(call);
        int status = sink ? ras_value_json(sink, run->json, false, RAS_LAYOUT_LINE, &err) : 0;
        if (!sink || !call_put_sink(call, "run", sink, status, path, &err))
            return false;
    }
    json_array(&call->json, "parts");
    for (size_t i = 0; i < run->pen_count; i++) {
        const struct ras_rundir_pen *pen = &run->pens[i];
        snprintf(name, sizeof name, "%.250s/%.250s", path, pen->file ? pen->file : "");
        if (pen->trace && !put_info(call, NULL, name, pen->trace))
            return false;
        if (pen->trace)
            continue;
        json_object(&call->json, NULL);
        json_text(&call->json, "path", name);
        json_text(&call->json, "format", pen->format);
        json_text(&call->json, "error", pen->left_out ? pen->left_out : pen->err.text);
        json_close(&call->json);
    }
    json_close(&call->json);
    return true;
}

bool tool_info(struct mcp_call *call)
{
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_open(call, path);
    bool samples = call_flag(call, "samples");
    if (!shown)
        return false;
    if (shown->trace && !samples)
        return put_info(call, NULL, path, shown->trace);
    json_object(&call->json, NULL);
    bool fine = shown->run ? put_run_info(call, path, shown->run)
                           : put_info(call, "info", path, shown->trace);
    if (fine && samples && shown->trace)
        fine = put_samples(call, path, shown->trace);
    json_close(&call->json);
    return fine;
}

/* ---- stats ---------------------------------------------------------------------------------- */

const struct ras_value *table_named(const struct ras_stats *stats, const char *name)
{
    return ras_value_member(stats->tables, name);
}

int table_column(const struct ras_value *table, const char *name)
{
    const struct ras_value *columns = table ? ras_value_member(table, "columns") : NULL;
    int i = 0;
    for (const struct ras_value *c = columns ? columns + 1 : NULL; c && c < ras_value_next(columns);
         c = ras_value_next(c), i++)
        if (c->kind == RAS_STR && c->count == strlen(name) && !memcmp(c->at, name, c->count))
            return i;
    return -1;
}

const struct ras_value *row_cell(const struct ras_value *row, int column)
{
    const struct ras_value *cell = row + 1;
    while (column-- > 0)
        cell = ras_value_next(cell);
    return cell;
}

static bool put_stats(struct mcp_call *call, const char *path, struct ras_trace *trace,
                      struct ras_stats *stats, int status, struct ras_error *err)
{
    struct ras_sink *sink = status >= 0 ? call_sink(call) : NULL;
    if (status < 0)
        return tool_fail_with(call, path, err);
    if (!sink)
        return false;
    json_object(&call->json, NULL);
    call_put_ending(call, "ending", trace, &stats->ending);
    status = ras_stats_json(sink, path, trace, stats, err);
    bool fine = call_put_sink(call, "stats", sink, status, path, err);
    json_close(&call->json);
    return fine;
}

/* Without a table: which there are, and what a user must know at once. */
static bool put_overview(struct mcp_call *call, const char *path, struct ras_trace *trace,
                         struct ras_stats_options *how)
{
    static const char *const first[] = {"red_flags"};
    struct ras_stats *all, *flags = NULL;
    struct ras_error err, none;
    how->no_rows = true;
    int status = ras_stats(&all, trace, how, &err);
    if (status < 0)
        return tool_fail_with(call, path, &err);
    bool has_flags = table_named(all, *first);
    if (has_flags) {
        how->no_rows = false;
        how->tables = first;
        how->table_count = 1;
        how->limit = 20;
        (void)!ras_stats(&flags, trace, how, &none);
    }
    struct ras_sink *sink = call_sink(call), *more = flags ? call_sink(call) : NULL;
    bool fine = sink && (more || !flags);
    json_object(&call->json, NULL);
    if (fine && flags)
        fine = call_put_sink(
            call, "red_flags", more,
            ras_value_json(more, table_named(flags, *first), false, RAS_LAYOUT_LINE, &err), path,
            &err);
    if (fine)
        fine = call_put_sink(call, "tables", sink, ras_stats_json(sink, path, trace, all, &err),
                             path, &err);
    json_text(&call->json, "how_to_go_on", "call stats again with table, and sort and limit");
    json_close(&call->json);
    ras_stats_free(flags);
    ras_stats_free(all);
    return fine;
}

bool tool_stats(struct mcp_call *call)
{
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_trace(call, path);
    const struct mcp_value *tables = call_value(call, "table");
    struct ras_scan scan = {0};
    struct ras_stats *stats;
    struct ras_error err;
    if (!shown || !call_range(call, shown->trace, &scan))
        return false;
    struct ras_stats_options how = {.struct_size = sizeof how,
                                    .axis = scan.axis,
                                    .from = scan.from,
                                    .to = scan.to,
                                    .tables = tables->items,
                                    .table_count = tables->count,
                                    .sort = call_text(call, "sort"),
                                    .limit = call_number(call, "limit", ROWS_MOST),
                                    .offset = call_number(call, "offset", 0),
                                    .progress = call_goes_on,
                                    .user = call};
    if (!tables->count)
        return put_overview(call, path, shown->trace, &how);
    int status = ras_stats(&stats, shown->trace, &how, &err);
    bool fine = put_stats(call, path, shown->trace, stats, status, &err);
    if (status == RAS_EUSAGE)
        tool_fail(call, "%.200s: %s; stats without table lists them", path, err.text);
    ras_stats_free(stats);
    return fine;
}

/* ---- tree ----------------------------------------------------------------------------------- */

bool tool_tree(struct mcp_call *call)
{
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_trace(call, path);
    const struct mcp_value *threads = call_value(call, "threads");
    const struct mcp_value *focus = call_value(call, "focus");
    struct ras_stats *stats;
    struct ras_error err;
    struct ras_scan scan = {0};
    if (!shown || !call_range(call, shown->trace, &scan))
        return false;
    const struct ras_tree_options how = {
        .struct_size = sizeof how,
        .axis = scan.axis,
        .from = scan.from,
        .to = scan.to,
        .thread_names = {threads->items, threads->count},
        .by_thread = threads->count > 0,
        .open = call_flag(call, "open"),
        .focus = {focus->items, focus->count},
        .depth = call_number(call, "depth", 0),
        .min_percent = call_value(call, "min_percent")->real,
        .progress = call_goes_on,
        .user = call,
    };
    int status = ras_tree(&stats, shown->trace, &how, &err);
    bool fine = put_stats(call, path, shown->trace, stats, status, &err);
    ras_stats_free(stats);
    return fine;
}

/* ---- spans ---------------------------------------------------------------------------------- */

struct span_columns {
    int function, duration, depth, thread;
};

static bool cell_is(const struct ras_value *cell, const char *text)
{
    char number[24];
    if (cell->kind == RAS_UINT) {
        snprintf(number, sizeof number, "%" PRIu64, cell->u);
        return !strcmp(number, text);
    }
    return cell->kind == RAS_STR && cell->count == strlen(text) &&
           !memcmp(cell->at, text, cell->count);
}

/* Whether a number is inside the bounds, where they are given; null is not. */
static bool cell_within(const struct mcp_call *call, const struct ras_value *cell,
                        const char *least, const char *most)
{
    const struct mcp_value *low = call_value(call, least), *high = call_value(call, most);
    bool number = cell->kind == RAS_UINT || (cell->kind == RAS_INT && cell->i >= 0);
    if (!low->given && !high->given)
        return true;
    return number && (!low->given || cell->u >= low->number) &&
           (!high->given || cell->u <= high->number);
}

static bool span_wanted(const struct mcp_call *call, const struct ras_value *row,
                        const struct span_columns *c)
{
    const struct ras_value *name = row_cell(row, c->function);
    const char *function = call_text(call, "function"), *thread = call_text(call, "thread");
    if (function &&
        !(name->kind == RAS_STR && memmem(name->at, name->count, function, strlen(function))))
        return false;
    if (thread && !cell_is(row_cell(row, c->thread), thread))
        return false;
    return cell_within(call, row_cell(row, c->duration), "min_duration_ns", "max_duration_ns") &&
           cell_within(call, row_cell(row, c->depth), "min_depth", "max_depth");
}

/* One row as an object; false: there is no room for it. */
static bool put_span(struct mcp_call *call, const struct ras_value *columns,
                     const struct ras_value *row)
{
    struct out text = {0};
    struct json j = json_start(&text, 0);
    const struct ras_value *cell = row + 1;
    json_object(&j, NULL);
    for (const struct ras_value *c = columns + 1; c < ras_value_next(columns);
         c = ras_value_next(c), cell = ras_value_next(cell)) {
        json_key_text(&j, c->at, c->count);
        json_cell(&j, NULL, cell, 0);
    }
    json_close(&j);
    bool fits = !text.failed && call->doc.len + text.len + SPAN_ROOM <= call->budget;
    if (fits)
        json_raw(&call->json, NULL, text.at, text.len);
    out_free(&text);
    return fits;
}

/* Spans from the place on; returns how many are shown, and whether there are more. */
static uint64_t put_spans(struct mcp_call *call, const struct ras_value *table, uint64_t skip,
                          bool *more)
{
    const struct ras_value *columns = ras_value_member(table, "columns");
    const struct ras_value *rows = ras_value_member(table, "rows");
    const struct span_columns c = {table_column(table, "function"),
                                   table_column(table, "duration_ns"), table_column(table, "depth"),
                                   table_column(table, "thread")};
    uint64_t shown = 0, most = call_number(call, "limit", UINT64_MAX);
    *more = false;
    json_array(&call->json, "spans");
    for (const struct ras_value *r = rows + 1; r < ras_value_next(rows); r = ras_value_next(r)) {
        if (!span_wanted(call, r, &c) || (skip && skip--))
            continue;
        *more = shown >= most || !put_span(call, columns, r);
        if (*more)
            break;
        shown++;
    }
    json_close(&call->json);
    return shown;
}

static bool put_span_page(struct mcp_call *call, const struct mcp_trace *shown,
                          const struct ras_stats *stats, const char *path)
{
    const struct ras_value *table = table_named(stats, "spans");
    const struct ras_value *coverage = table ? ras_value_member(table, "coverage") : NULL;
    struct mcp_place place;
    bool more;
    if (table_column(table, "span_id") < 0)
        return tool_fail(call,
                         "%.200s: this format lists no spans; stats with table 'spans' or "
                         "records may have what you need",
                         path);
    if (!cursor_get(call, shown->identity, &place))
        return false;
    json_object(&call->json, NULL);
    json_text(&call->json, "path", path);
    call_put_ending(call, "ending", shown->trace, &stats->ending);
    uint64_t count = put_spans(call, table, place.skip, &more);
    if (more && !count)
        return tool_fail(call, "one span does not fit: raise budget_tokens");
    json_uint(&call->json, "count", count);
    json_bool(&call->json, "did_truncate", more);
    if (coverage)
        json_cell(&call->json, "coverage", coverage, 0);
    place = (struct mcp_place){.shown = place.skip + count, .skip = place.skip + count};
    if (more)
        cursor_put(call, "next_cursor", shown->identity, &place);
    else
        json_uint(&call->json, "total", place.shown);
    json_close(&call->json);
    return true;
}

bool tool_spans(struct mcp_call *call)
{
    static const char *const table[] = {"spans"};
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_trace(call, path);
    struct ras_scan scan = {0};
    struct ras_stats *stats;
    struct ras_error err;
    if (!shown || !call_range(call, shown->trace, &scan))
        return false;
    const struct ras_stats_options how = {.struct_size = sizeof how,
                                          .axis = scan.axis,
                                          .from = scan.from,
                                          .to = scan.to,
                                          .tables = table,
                                          .table_count = 1,
                                          .limit = SPANS_MOST,
                                          .progress = call_goes_on,
                                          .user = call};
    int status = ras_stats(&stats, shown->trace, &how, &err);
    if (status == RAS_EUSAGE)
        return tool_fail(call, "%.200s: this format has no spans; stats lists its tables", path);
    if (status < 0)
        return tool_fail_with(call, path, &err);
    bool fine = put_span_page(call, shown, stats, path);
    ras_stats_free(stats);
    return fine;
}

/* ---- findings ------------------------------------------------------------------------------- */

static enum ras_severity least_severity(const struct mcp_call *call)
{
    const char *text = call_text(call, "severity");
    for (int s = RAS_ERROR; text && s > RAS_NOTE; s--)
        if (!strcmp(text, ras_severity_name((enum ras_severity)s)))
            return (enum ras_severity)s;
    return RAS_NOTE;
}

/* The findings of a severity only; how many there are of each is counted before. */
static void keep_severe(const struct mcp_call *call, struct ras_report *report)
{
    enum ras_severity least = least_severity(call);
    size_t kept = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].severity >= least)
            report->findings[kept++] = report->findings[i];
    report->finding_count = kept;
}

static void put_severities(struct mcp_call *call, const struct ras_report *report)
{
    json_object(&call->json, "counts");
    for (int s = RAS_ERROR; s >= RAS_NOTE; s--)
        json_uint(&call->json, ras_severity_name((enum ras_severity)s), report->by_severity[s]);
    json_uint(&call->json, "unlisted", report->unlisted);
    json_close(&call->json);
}

static bool put_findings(struct mcp_call *call, const char *key, const char *path,
                         struct ras_trace *trace)
{
    const struct ras_verify_options how = {.struct_size = sizeof how,
                                           .deep = call_flag(call, "deep"),
                                           .progress = call_goes_on,
                                           .user = call};
    struct ras_report *report;
    struct ras_error err;
    struct ras_sink *sink;
    if (ras_verify(&report, trace, &how, &err) < 0)
        return tool_fail_with(call, path, &err);
    json_object(&call->json, key);
    put_severities(call, report);
    keep_severe(call, report);
    bool fine = (sink = call_sink(call)) &&
                call_put_sink(call, "report", sink,
                              ras_report_json(sink, path, trace, report, false, &err), path, &err);
    json_close(&call->json);
    ras_report_free(report);
    return fine;
}

static bool put_run_findings(struct mcp_call *call, const char *path, struct ras_rundir *run)
{
    const struct ras_verify_options how = {.struct_size = sizeof how,
                                           .deep = call_flag(call, "deep"),
                                           .progress = call_goes_on,
                                           .user = call};
    char name[512];
    struct ras_report *report;
    struct ras_error err;
    if (ras_rundir_verify(&report, run, &how, &err) < 0)
        return tool_fail_with(call, path, &err);
    put_severities(call, report);
    keep_severe(call, report);
    json_array(&call->json, "run");
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ras_finding *f = &report->findings[i];
        json_object(&call->json, NULL);
        json_text(&call->json, "rule", f->rule->id);
        json_text(&call->json, "severity", ras_severity_name(f->severity));
        json_text(&call->json, "part", ras_rundir_part(run, f->part));
        json_text(&call->json, "text", f->text);
        json_close(&call->json);
    }
    json_close(&call->json);
    ras_report_free(report);
    json_array(&call->json, "parts");
    for (size_t i = 0; i < run->pen_count; i++) {
        snprintf(name, sizeof name, "%.250s/%.250s", path, run->pens[i].file);
        if (run->pens[i].trace && !put_findings(call, NULL, name, run->pens[i].trace))
            return false;
    }
    json_close(&call->json);
    return true;
}

/* Tables of what is suspicious, which some formats have. */
static bool put_flags(struct mcp_call *call, const char *path, struct ras_trace *trace)
{
    static const char *const names[] = {"red_flags", "findings"};
    struct ras_stats *stats;
    struct ras_error err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ras_stats_options how = {.struct_size = sizeof how,
                                              .tables = &names[i],
                                              .table_count = 1,
                                              .limit = 100,
                                              .progress = call_goes_on,
                                              .user = call};
        int status = ras_stats(&stats, trace, &how, &err);
        struct ras_sink *sink = status >= 0 ? call_sink(call) : NULL;
        if (status == RAS_EUSAGE) /* it has no such table */
            continue;
        if (status >= 0 && sink)
            status =
                ras_value_json(sink, table_named(stats, names[i]), false, RAS_LAYOUT_LINE, &err);
        bool fine = status < 0 ? tool_fail_with(call, path, &err)
                               : sink && call_put_sink(call, names[i], sink, status, path, &err);
        if (status < 0)
            ras_sink_drop(sink);
        ras_stats_free(stats);
        if (!fine)
            return false;
    }
    return true;
}

bool tool_findings(struct mcp_call *call)
{
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_open(call, path);
    if (!shown)
        return false;
    json_object(&call->json, NULL);
    json_text(&call->json, "path", path);
    bool fine = shown->run ? put_run_findings(call, path, shown->run)
                           : put_findings(call, "verify", path, shown->trace) &&
                                 put_flags(call, path, shown->trace);
    json_close(&call->json);
    return fine;
}
