/* mcp_summary.c - the tool summary: what a trace is in a few lines, each with the call that proves
 * it. */
#include "mcp/mcp_answers.h"
#include <rastrum/render.h>

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { LINES_OF_TABLE = 4, NAMES_IN_LINE = 5, LINE_ROOM = 400 };

/* One line, and a tool with one more argument than the path that shows it. */
static void put_line(struct mcp_call *call, const char *path, const char *tool, const char *key,
                     const char *value, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

static void put_line(struct mcp_call *call, const char *path, const char *tool, const char *key,
                     const char *value, const char *fmt, ...)
{
    char text[LINE_ROOM];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    json_object(&call->json, NULL);
    json_text(&call->json, "line", text);
    json_object(&call->json, "proof");
    json_text(&call->json, "tool", tool);
    json_object(&call->json, "arguments");
    json_text(&call->json, "path", path);
    if (key && !strcmp(value, "true"))
        json_bool(&call->json, key, true);
    else if (key)
        json_text(&call->json, key, value);
    json_close(&call->json);
    json_close(&call->json);
    json_close(&call->json);
}

/* ---- from the walk -------------------------------------------------------------------------- */

static void put_axes_line(struct mcp_call *call, const char *path, const struct ras_info *info)
{
    if (info->has_tick)
        put_line(call, path, "info", NULL, NULL, "%s %" PRIu64 " to %" PRIu64,
                 ras_can_render(info->trace) ? "frames" : "ticks", info->tick_first,
                 info->tick_last);
    if (info->has_time)
        put_line(call, path, "info", NULL, NULL, "time %" PRIu64 " to %" PRIu64 " ns: %.6f s",
                 info->time_first, info->time_last,
                 (double)(info->time_last - info->time_first) / 1e9);
}

static void put_types_line(struct mcp_call *call, const char *path, const struct ras_info *info)
{
    char names[LINE_ROOM - 100] = "";
    size_t len = 0;
    for (size_t i = 0; i < info->type_count && i < NAMES_IN_LINE && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%.40s %" PRIu64,
                                len ? ", " : "", info->types[i].name, info->types[i].records);
    put_line(call, path, "info", NULL, NULL, "%zu types of records: %s%s", info->type_count, names,
             info->type_count > NAMES_IN_LINE ? ", ..." : "");
}

static bool put_walk_lines(struct mcp_call *call, const char *path, struct ras_trace *trace)
{
    struct ras_info *info;
    struct ras_error err;
    if (ras_info(&info, trace, call_goes_on, call, &err) < 0)
        return tool_fail_with(call, path, &err);
    const struct ras_ending *e = &info->ending;
    put_line(call, path, "info", NULL, NULL,
             "%s, dialect %s, %" PRIu64 " bytes, %" PRIu64 " records", ras_format_of(trace)->title,
             ras_dialect(trace), ras_size(trace), info->records);
    put_line(call, path, "info", NULL, NULL, "ending: %s%s%s%s", ras_ending_name(e->kind),
             *e->why ? ": " : "", e->why,
             e->kind > RAS_UNSEALED ? "; all counts are of what is left" : "");
    put_axes_line(call, path, info);
    put_types_line(call, path, info);
    if (info->stream_count > 1)
        put_line(call, path, "info", NULL, NULL, "%zu streams or threads", info->stream_count);
    if (info->gaps)
        put_line(call, path, "records", "type", "gap", "%" PRIu64 " gaps: records are missing",
                 info->gaps);
    ras_info_free(info);
    return true;
}

/* ---- from findings -------------------------------------------------------------------------- */

static bool put_verify_lines(struct mcp_call *call, const char *path, struct ras_trace *trace)
{
    const struct ras_verify_options how = {
        .struct_size = sizeof how, .progress = call_goes_on, .user = call};
    struct ras_report *report;
    struct ras_error err;
    if (ras_verify(&report, trace, &how, &err) < 0)
        return tool_fail_with(call, path, &err);
    put_line(call, path, "findings", NULL, NULL,
             "rules of the format: %" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64 " notes",
             report->by_severity[RAS_ERROR], report->by_severity[RAS_WARNING],
             report->by_severity[RAS_NOTE]);
    if (report->finding_count)
        put_line(call, path, "findings", NULL, NULL, "first finding: %s: %s",
                 report->findings[0].rule->id, report->findings[0].text);
    ras_report_free(report);
    return true;
}

/* ---- from tables ---------------------------------------------------------------------------- */

/* The cells of a row as text, as many as fit. */
static void row_text(const struct ras_value *columns, const struct ras_value *row, char *text,
                     size_t room)
{
    const struct ras_value *cell = row + 1;
    size_t len = 0;
    text[0] = 0;
    for (const struct ras_value *c = columns + 1; c < ras_value_next(columns) && len + 1 < room;
         c = ras_value_next(c), cell = ras_value_next(cell)) {
        char value[120];
        if (cell->kind == RAS_STR)
            snprintf(value, sizeof value, "%.*s", (int)(cell->count < 100 ? cell->count : 100),
                     (const char *)cell->at);
        else if (cell->kind == RAS_UINT || cell->kind == RAS_INT)
            snprintf(value, sizeof value, "%" PRId64, cell->i);
        else if (cell->kind == RAS_F64)
            snprintf(value, sizeof value, "%.4g", cell->f64);
        else
            continue;
        len += (size_t)snprintf(text + len, room - len, "%s%.*s=%s", len ? " " : "",
                                (int)(c->count < 40 ? c->count : 40), (const char *)c->at, value);
    }
}

/* The first rows of a table; false: there is no such table, or it is empty. */
static bool put_table_lines(struct mcp_call *call, const char *path, const struct ras_stats *stats,
                            const char *name, const char *what, unsigned most)
{
    const struct ras_value *table = table_named(stats, name);
    const struct ras_value *columns = table ? ras_value_member(table, "columns") : NULL;
    const struct ras_value *rows = table ? ras_value_member(table, "rows") : NULL;
    unsigned shown = 0;
    char text[LINE_ROOM - 60];
    for (const struct ras_value *r = rows ? rows + 1 : NULL;
         r && r < ras_value_next(rows) && shown < most; r = ras_value_next(r), shown++) {
        row_text(columns, r, text, sizeof text);
        put_line(call, path, "stats", "table", name, "%s: %s", what, text);
    }
    return shown;
}

static bool put_stats_lines(struct mcp_call *call, const char *path, struct ras_trace *trace)
{
    static const struct {
        const char *table, *what;
        unsigned most;
    } rows[] = {
        {"red_flags", "red flag", LINES_OF_TABLE},
        {"findings", "finding", LINES_OF_TABLE},
        {"long_delays", "worst delay", 2},
        {"long_polls", "longest poll", 2},
        {"functions", "key symbol", NAMES_IN_LINE},
        {"unmatched", "calls without an end", 2},
        {"channels", "channel", 2},
        {"commands", "command", 2},
    };
    const struct ras_stats_options how = {
        .struct_size = sizeof how, .limit = NAMES_IN_LINE, .progress = call_goes_on, .user = call};
    struct ras_stats *stats;
    struct ras_error err;
    if (ras_stats(&stats, trace, &how, &err) < 0)
        return tool_fail_with(call, path, &err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        (void)put_table_lines(call, path, stats, rows[i].table, rows[i].what, rows[i].most);
    ras_stats_free(stats);
    return true;
}

/* Where each thread was when the recording ended. */
static bool put_open_lines(struct mcp_call *call, const char *path, struct ras_trace *trace)
{
    const struct ras_tree_options how = {
        .struct_size = sizeof how, .open = true, .progress = call_goes_on, .user = call};
    struct ras_stats *stats;
    struct ras_error err;
    int status = ras_tree(&stats, trace, &how, &err);
    if (status == RAS_EUNSUPPORTED || status == RAS_EUSAGE || status == RAS_ENOTHING)
        return true; /* it has no calls */
    if (status < 0)
        return tool_fail_with(call, path, &err);
    const struct ras_value *table = table_named(stats, "open_calls");
    const struct ras_value *coverage = table ? ras_value_member(table, "coverage") : NULL;
    const struct ras_value *rows = table ? ras_value_member(table, "rows") : NULL;
    char text[LINE_ROOM - 60];
    if (coverage && coverage->kind == RAS_STR)
        put_line(call, path, "tree", "open", "true", "%.*s", (int)coverage->count,
                 (const char *)coverage->at);
    const struct ras_value *last = NULL;
    for (const struct ras_value *r = rows ? rows + 1 : NULL; r && r < ras_value_next(rows);
         r = ras_value_next(r))
        last = r;
    if (last) {
        row_text(ras_value_member(table, "columns"), last, text, sizeof text);
        put_line(call, path, "tree", "open", "true", "innermost open call of the last thread: %s",
                 text);
    }
    ras_stats_free(stats);
    return true;
}

/* ---- the tool ------------------------------------------------------------------------------- */

static bool put_trace_lines(struct mcp_call *call, const char *path, struct ras_trace *trace)
{
    return put_walk_lines(call, path, trace) && put_verify_lines(call, path, trace) &&
           put_stats_lines(call, path, trace) && put_open_lines(call, path, trace);
}

/* A run: its traces in a line each. */
static bool put_run_lines(struct mcp_call *call, const char *path, const struct ras_rundir *run)
{
    char name[512];
    put_line(call, path, "info", NULL, NULL, "a run of %zu traces", run->pen_count);
    for (size_t i = 0; i < run->pen_count; i++) {
        const struct ras_rundir_pen *pen = &run->pens[i];
        struct ras_info *info;
        struct ras_error err;
        snprintf(name, sizeof name, "%.250s/%.250s", path, pen->file ? pen->file : "");
        if (!pen->trace) {
            put_line(call, path, "info", NULL, NULL, "%s: there is no trace: %s", pen->format,
                     pen->left_out ? pen->left_out : pen->err.text);
            continue;
        }
        if (ras_info(&info, pen->trace, call_goes_on, call, &err) < 0)
            return tool_fail_with(call, name, &err);
        put_line(call, name, "summary", NULL, NULL, "%s: %" PRIu64 " records, ending: %s%s%s",
                 pen->format, info->records, ras_ending_name(info->ending.kind),
                 *info->ending.why ? ": " : "", info->ending.why);
        ras_info_free(info);
    }
    return true;
}

bool tool_summary(struct mcp_call *call)
{
    const char *path = call_text(call, "path");
    const struct mcp_trace *shown = call_open(call, path);
    if (!shown)
        return false;
    call->text_most = LINE_ROOM;
    json_object(&call->json, NULL);
    json_text(&call->json, "path", path);
    json_array(&call->json, "lines");
    bool fine = shown->run ? put_run_lines(call, path, shown->run)
                           : put_trace_lines(call, path, shown->trace);
    json_close(&call->json);
    json_close(&call->json);
    return fine;
}
