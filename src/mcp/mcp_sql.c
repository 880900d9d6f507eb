/* mcp_sql.c - the tool sql: one question to one or more traces.
 *
 * It can only read: the engine refuses statements that write or touch files, and ends those that
 * take more than 10 s or 256 MB. */
#include "mcp/mcp_answers.h"
#include <rastrum/sql.h>

#include <inttypes.h>
#include <string.h>

enum { SOURCES_MOST = 6, ROW_ROOM = 600 };

struct query {
    struct ras_sql_source sources[SOURCES_MOST];
    size_t source_count;
    struct ras_sql *sql;
    struct ras_sql_query *at;
    const struct ras_sql_column *columns;
    size_t column_count;
    struct out line;
};

static bool open_sources(struct mcp_call *call, struct query *q)
{
    const struct mcp_value *traces = call_value(call, "traces");
    if (!traces->count || traces->count > SOURCES_MOST)
        return tool_fail(
            call, "traces has from 1 to %d traces by name, such as t: run/state.cdt, not %zu",
            SOURCES_MOST, traces->count);
    for (size_t i = 0; i < traces->count; i++) {
        const struct mcp_trace *shown = call_open(call, traces->items[i]);
        if (!shown)
            return false;
        q->sources[i] = (struct ras_sql_source){.name = traces->count > 1 ? traces->names[i] : NULL,
                                                .trace = shown->trace,
                                                .run = shown->run};
    }
    q->source_count = traces->count;
    return true;
}

/* A mistake in the statement, with the place and what lists the tables. */
static bool sql_fail(struct mcp_call *call, const struct ras_error *err)
{
    if (err->status == RAS_ECANCELED)
        return tool_fail_with(call, "sql", err);
    if (err->status == RAS_EUSAGE && err->offset != RAS_NONE)
        return tool_fail(call, "sql: byte %" PRIu64 ": %s", err->offset, err->text);
    return tool_fail(call, "sql: %s; SELECT name, columns FROM _tables lists the tables of a trace",
                     err->text);
}

static bool query_start(struct mcp_call *call, struct query *q)
{
    const char *text = call_text(call, "query");
    const struct ras_sql_options how = {.struct_size = sizeof how,
                                        .engine = "sqlite",
                                        .max_memory = MCP_SQL_MEMORY,
                                        .timeout_ms = MCP_SQL_MS,
                                        .progress = call_goes_on,
                                        .user = call,
                                        .threads = 1,
                                        .stats = strstr(text, "stats_") != NULL};
    struct ras_sql_query *second = NULL;
    struct ras_error err;
    size_t used = 0, more = 0, len = strlen(text);
    if (!open_sources(call, q))
        return false;
    if (ras_sql_open(&q->sql, q->sources, q->source_count, &how, &err) < 0 ||
        ras_sql_prepare(&q->at, q->sql, text, len, &used, &err) < 0)
        return sql_fail(call, &err);
    if (!q->at)
        return tool_fail(call, "sql: the query is empty");
    int rest = ras_sql_prepare(&second, q->sql, text + used, len - used, &more, &err);
    ras_sql_query_close(second);
    if (rest < 0 || second)
        return tool_fail(call, "sql: one statement a call; a second one begins at byte %zu", used);
    q->columns = ras_sql_columns(q->at, &q->column_count);
    return true;
}

static void put_columns(struct mcp_call *call, const struct query *q)
{
    json_array(&call->json, "columns");
    for (size_t i = 0; i < q->column_count; i++)
        json_text(&call->json, NULL, q->columns[i].name);
    json_close(&call->json);
}

/* One row; false: there is no room for it. */
static bool put_row(struct mcp_call *call, struct query *q, const struct ras_value *cells)
{
    q->line.len = 0;
    struct json j = json_start(&q->line, 0);
    json_array(&j, NULL);
    for (size_t i = 0; i < q->column_count; i++) {
        struct ras_value cell = cells[i];
        bool text = cell.kind == RAS_STR || cell.kind == RAS_BLOB;
        if (text && cell.count > call->budget)
            cell.count = (uint32_t)call->budget; /* it is shortened once more */
        json_cell(&j, NULL, &cell, q->columns[i].flags);
    }
    json_close(&j);
    struct out fitted = {0};
    size_t used = call->doc.len + ROW_ROOM;
    bool fits = !q->line.failed && used < call->budget &&
                budget_copy((struct ras_bytes){q->line.at, q->line.len}, call->budget - used,
                            call->text_most, &fitted);
    if (fits)
        json_raw(&call->json, NULL, fitted.at, fitted.len);
    out_free(&fitted);
    return fits;
}

static bool put_rows(struct mcp_call *call, struct query *q)
{
    const struct ras_value *cells;
    struct ras_error err;
    uint64_t rows = 0;
    bool full = false;
    int status = RAS_OK;
    json_array(&call->json, "rows");
    while (!full && (status = ras_sql_next(q->at, &cells, &err)) == RAS_OK) {
        full = !put_row(call, q, cells);
        rows += !full;
    }
    json_close(&call->json);
    if (status < 0)
        return sql_fail(call, &err);
    if (full && !rows)
        return tool_fail(call,
                         "one row does not fit: raise budget_tokens, or select fewer columns");
    json_uint(&call->json, "count", rows);
    json_bool(&call->json, "did_truncate", full);
    if (full)
        json_text(&call->json, "how_to_go_on",
                  "more rows follow: raise budget_tokens, or use WHERE, LIMIT and OFFSET");
    return true;
}

/* How the traces end that were read: counts of a cut one are of what is left. */
static void put_sql_endings(struct mcp_call *call, const struct query *q)
{
    json_array(&call->json, "endings");
    for (size_t i = 0; i < q->source_count; i++) {
        struct ras_trace *trace = q->sources[i].trace;
        struct ras_ending ending = trace ? ras_ending(trace) : (struct ras_ending){0};
        if (trace && ending.kind > RAS_UNSEALED)
            call_put_ending(call, NULL, trace, &ending);
    }
    json_close(&call->json);
}

bool tool_sql(struct mcp_call *call)
{
    struct query q = {0};
    bool fine = query_start(call, &q);
    if (fine) {
        json_object(&call->json, NULL);
        put_columns(call, &q);
        fine = put_rows(call, &q);
        put_sql_endings(call, &q);
        json_close(&call->json);
    }
    ras_sql_query_close(q.at);
    ras_sql_close(q.sql);
    out_free(&q.line);
    return fine;
}
