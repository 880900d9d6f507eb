/* mcp_tools.c - the tools and their arguments as one table: tools/list, the check of arguments and
 * the table of docs/agents.md come from it. */
#include "mcp/mcp.h"
#include "mcp/mcp_answers.h"
#include "mcp/mcp_lists.h"

#include <stdio.h>
#include <string.h>

static const char *const axis_words[] = {"seq", "time", "tick", NULL};
static const char *const order_words[] = {"stored", "time", NULL};
static const char *const projection_words[] = {"minimal", "full", NULL};
static const char *const severity_words[] = {"note", "warning", "error", NULL};

#define PATH_ROW                                                                                   \
    {                                                                                              \
        "path", MCP_TEXT, true, "a trace: a file, or the directory of a session; below a root",    \
            NULL, 0, 0                                                                             \
    }
#define ANY_PATH_ROW                                                                               \
    {                                                                                              \
        "path", MCP_TEXT, true,                                                                    \
            "a trace, or a run directory (one that has run.json); below a root", NULL, 0, 0        \
    }
#define BUDGET_ROW                                                                                 \
    {                                                                                              \
        "budget_tokens", MCP_NUMBER, false,                                                        \
            "size of the answer, 4 bytes a token: 4000 unless given", NULL, MCP_TOKENS_LEAST,      \
            MCP_TOKENS_MOST                                                                        \
    }
#define AXIS_ROW                                                                                   \
    {                                                                                              \
        "axis", MCP_TEXT, false, "what from and to count: the format's own axis unless given",     \
            axis_words, 0, 0                                                                       \
    }
#define FROM_ROW                                                                                   \
    {                                                                                              \
        "from", MCP_WORD, false,                                                                   \
            "first place: a tick or record, or a time as ns, 3s, 12.5ms, +250us (from the first "  \
            "record)",                                                                             \
            NULL, 0, 0                                                                             \
    }
#define TO_ROW                                                                                     \
    {                                                                                              \
        "to", MCP_WORD, false, "the place after the last one", NULL, 0, 0                          \
    }
#define CURSOR_ROW                                                                                 \
    {                                                                                              \
        "cursor", MCP_TEXT, false, "next_cursor of the page before", NULL, 0, 0                    \
    }
#define LIMIT_ROW(what)                                                                            \
    {                                                                                              \
        "limit", MCP_NUMBER, false, what, NULL, 1, 65536                                           \
    }

static const struct mcp_arg list_args[] = {
    {"root", MCP_TEXT, false, "only this root", NULL, 0, 0},
    {"depth", MCP_NUMBER, false, "levels of directories: 4 unless given", NULL, 1, 8},
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg info_args[] = {
    ANY_PATH_ROW,
    {"samples", MCP_FLAG, false, "also the first and the last 5 records", NULL, 0, 0},
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg records_args[] = {
    PATH_ROW,
    {"type", MCP_TEXTS, false, "only records of these types; globs", NULL, 0, 0},
    {"where", MCP_TEXT, false, "only records that match: \"coord[0] > 3 and type == 'command'\"",
     NULL, 0, 0},
    {"fields", MCP_TEXTS, false, "only these fields", NULL, 0, 0},
    AXIS_ROW,
    FROM_ROW,
    TO_ROW,
    {"thread", MCP_TEXTS, false, "only these threads or streams, by number or name", NULL, 0, 0},
    {"order", MCP_TEXT, false, "as stored, or all threads by time", order_words, 0, 0},
    {"projection", MCP_TEXT, false,
     "minimal: no values but those of fields; full: texts are not shortened", projection_words, 0,
     0},
    LIMIT_ROW("at most so many records"),
    CURSOR_ROW,
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg spans_args[] = {
    PATH_ROW,
    {"function", MCP_TEXT, false, "only functions whose name has this text", NULL, 0, 0},
    {"min_duration_ns", MCP_NUMBER, false, "only spans that last at least so long", NULL, 0, 0},
    {"max_duration_ns", MCP_NUMBER, false, "only spans that last at most so long", NULL, 0, 0},
    {"min_depth", MCP_NUMBER, false, "only calls at least so deep", NULL, 0, 0},
    {"max_depth", MCP_NUMBER, false, "only calls at most so deep", NULL, 0, 0},
    {"thread", MCP_WORD, false, "only this thread, by number", NULL, 0, 0},
    AXIS_ROW,
    FROM_ROW,
    TO_ROW,
    LIMIT_ROW("at most so many spans"),
    CURSOR_ROW,
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg stats_args[] = {
    PATH_ROW,
    {"table", MCP_TEXTS, false, "these tables; none: their names, and red flags", NULL, 0, 0},
    {"sort", MCP_TEXT, false, "rows by this column, numbers from the largest", NULL, 0, 0},
    LIMIT_ROW("rows of each table"),
    {"offset", MCP_NUMBER, false, "rows to leave out before the first", NULL, 0, 0},
    AXIS_ROW,
    FROM_ROW,
    TO_ROW,
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg tree_args[] = {
    PATH_ROW,
    {"depth", MCP_NUMBER, false, "levels shown", NULL, 1, 1000},
    {"min_percent", MCP_REAL, false, "only calls with at least this share of all time", NULL, 0, 0},
    {"threads", MCP_TEXTS, false, "a tree for each of these threads, by name or number", NULL, 0,
     0},
    {"focus", MCP_TEXTS, false, "the tree below these functions; globs", NULL, 0, 0},
    {"open", MCP_FLAG, false, "instead, the calls that are open at the end", NULL, 0, 0},
    AXIS_ROW,
    FROM_ROW,
    TO_ROW,
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg summary_args[] = {ANY_PATH_ROW, BUDGET_ROW, {0}};
static const struct mcp_arg findings_args[] = {
    ANY_PATH_ROW,
    {"deep", MCP_FLAG, false, "also hashes, links and references", NULL, 0, 0},
    {"severity", MCP_TEXT, false, "only findings at least so severe", severity_words, 0, 0},
    BUDGET_ROW,
    {0},
};
#define PAIR_ROWS                                                                                  \
    {"expected", MCP_TEXT, true, "the good trace or run directory", NULL, 0, 0},                   \
        {"actual", MCP_TEXT, true, "the other one", NULL, 0, 0},                                   \
        {"channel", MCP_TEXTS, false, "only these channels", NULL, 0, 0},                          \
    {                                                                                              \
        "ignore", MCP_TEXTS, false, "paths of fields to leave out: players[*].hp", NULL, 0, 0      \
    }
static const struct mcp_arg diff_args[] = {
    PAIR_ROWS,
    {"first", MCP_NUMBER, false, "first tick, frame or record to compare", NULL, 0, 0},
    {"last", MCP_NUMBER, false, "the last one", NULL, 0, 0},
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg bisect_args[] = {
    PAIR_ROWS,
    {"before", MCP_NUMBER, false, "ticks of the window before the divergence: 2", NULL, 0, 100000},
    {"after", MCP_NUMBER, false, "ticks of the window after it: 2", NULL, 0, 100000},
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg sql_args[] = {
    {"query", MCP_TEXT, true, "one SELECT; a table for each type of records, and _tables", NULL, 0,
     0},
    {"traces", MCP_MAP, true, "paths by the name of their schema", NULL, 0, 0},
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg frame_args[] = {
    PATH_ROW,
    {"frame", MCP_NUMBER, false, "its number: 0 unless given", NULL, 0, 0},
    {"until_draw", MCP_NUMBER, false, "as it is after this draw of it, from 1", NULL, 0, 0},
    {"size", MCP_TEXT, false, "of the canvas: 512x512", NULL, 0, 0},
    BUDGET_ROW,
    {0},
};
static const struct mcp_arg blob_args[] = {
    PATH_ROW,
    {"id", MCP_NUMBER, false, "the blob; none: the list of all", NULL, 0, 0},
    BUDGET_ROW,
    {0},
};

const struct mcp_tool mcp_tools[] = {
    {"list_traces", "List traces", "Traces and runs below the roots: path, format, size.", NULL,
     list_args, tool_list_traces},
    {"info", "Describe a trace",
     "What a trace is: format, records of each type, ticks and times, streams, producer, and how "
     "it "
     "ends. Read ending.state first: of a trace that is cut or damaged all counts are of what is "
     "left.",
     "trace.info", info_args, tool_info},
    {"summary", "Summarize a trace",
     "A trace or run in a few lines: what it is, how it ends, red flags, worst delays, key "
     "symbols, "
     "calls that are open at the end; each line with the call that proves it.",
     "narration.summary, plan.keySymbols", summary_args, tool_summary},
    {"records", "Read records",
     "Records by type, condition, range and thread, page by page. Never read a whole trace: ask "
     "stats or bisect first, then for a range.",
     "events.get, search.scoped", records_args, tool_records},
    {"spans", "List calls",
     "Calls with their start, end, duration, depth and thread; reason says why one has no end.",
     "spans.list", spans_args, tool_spans},
    {"stats", "Figures",
     "Tables of figures. Without table: the names of tables and their columns, and red flags.",
     "stats.functionsTopN", stats_args, tool_stats},
    {"tree", "Call tree", "Who called what and how long it took, or which calls are open.", NULL,
     tree_args, tool_tree},
    {"findings", "Check a trace", "Rules of the format that a trace breaks, and red flags.",
     "findings.search", findings_args, tool_findings},
    {"bisect", "Find the first divergence",
     "The first tick, frame or record where two traces or runs differ, and the window around it.",
     NULL, bisect_args, tool_bisect},
    {"diff", "Compare",
     "The first divergence of two traces, or of each trace of two runs, with both values.", NULL,
     diff_args, tool_diff},
    {"sql", "Query in SQL", "A SELECT over the tables of one or more traces, without an import.",
     NULL, sql_args, tool_sql},
    {"frame", "Draw a frame", "A frame of a trace of GPU commands as a PNG image.", NULL,
     frame_args, tool_frame},
    {"blob", "Read a blob", "The text of a shader; size and hash of other data of GPU commands.",
     NULL, blob_args, tool_blob},
    {0},
};

const struct mcp_tool *mcp_tool_of(const struct json_token *name)
{
    for (const struct mcp_tool *t = mcp_tools; t->name; t++)
        if (json_text_is(name, t->name, strlen(t->name)))
            return t;
    return NULL;
}

/* ---- as JSON -------------------------------------------------------------------------------- */

static void put_type(struct json *j, enum mcp_kind kind)
{
    static const char *const types[] = {
        [MCP_TEXT] = "string",  [MCP_NUMBER] = "integer", [MCP_REAL] = "number",
        [MCP_FLAG] = "boolean", [MCP_MAP] = "object",
    };
    if (kind == MCP_WORD || kind == MCP_TEXTS) {
        json_array(j, "type");
        json_text(j, NULL, "string");
        json_text(j, NULL, kind == MCP_WORD ? "integer" : "array");
        json_close(j);
    } else {
        json_text(j, "type", types[kind]);
    }
    if (kind == MCP_TEXTS || kind == MCP_MAP) {
        json_object(j, kind == MCP_MAP ? "additionalProperties" : "items");
        json_text(j, "type", "string");
        json_close(j);
    }
}

static void put_argument(struct json *j, const struct mcp_arg *arg)
{
    json_object(j, arg->name);
    put_type(j, arg->kind);
    json_text(j, "description", arg->about);
    if (arg->words) {
        json_array(j, "enum");
        for (size_t i = 0; arg->words[i]; i++)
            json_text(j, NULL, arg->words[i]);
        json_close(j);
    }
    if (arg->kind == MCP_NUMBER) {
        json_uint(j, "minimum", arg->least);
        if (arg->most)
            json_uint(j, "maximum", arg->most);
    }
    json_close(j);
}

static void put_schema(struct json *j, const struct mcp_tool *tool)
{
    json_object(j, "inputSchema");
    json_text(j, "type", "object");
    json_object(j, "properties");
    for (const struct mcp_arg *a = tool->args; a->name; a++)
        put_argument(j, a);
    json_close(j);
    json_array(j, "required");
    for (const struct mcp_arg *a = tool->args; a->name; a++)
        if (a->required)
            json_text(j, NULL, a->name);
    json_close(j);
    json_bool(j, "additionalProperties", false);
    json_close(j);
}

void lists_put_tools(struct json *j)
{
    json_array(j, "tools");
    for (const struct mcp_tool *t = mcp_tools; t->name; t++) {
        json_object(j, NULL);
        json_text(j, "name", t->name);
        json_text(j, "title", t->title);
        json_text(j, "description", t->about);
        put_schema(j, t);
        json_object(j, "annotations");
        json_bool(j, "readOnlyHint", true);
        json_bool(j, "openWorldHint", false);
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

/* ---- as a page ------------------------------------------------------------------------------ */

enum { PAGE_COLUMNS = 120 };

/* A paragraph in lines of a page. */
static void put_wrapped(struct out *to, const char *text)
{
    size_t column = 0;
    while (*text) {
        size_t len = strcspn(text, " ");
        if (column && column + 1 + len > PAGE_COLUMNS) {
            out_byte(to, '\n');
            column = 0;
        } else if (column) {
            out_byte(to, ' ');
            column++;
        }
        out_bytes(to, text, len);
        column += len;
        text += len + (text[len] == ' ');
    }
}

int mcp_tools_page(struct ras_sink *sink, struct ras_error *err)
{
    struct out text = {0};
    for (const struct mcp_tool *t = mcp_tools; t->name; t++) {
        char about[600];
        snprintf(about, sizeof about, "%s%s%s%s", t->about, t->covers ? " Covers ADA's `" : "",
                 t->covers ? t->covers : "", t->covers ? "`." : "");
        out_format(&text, "%s### `%s`\n\n", t == mcp_tools ? "" : "\n", t->name);
        put_wrapped(&text, about);
        out_text(&text, "\n\n| argument | type | |\n|---|---|---|\n");
        for (const struct mcp_arg *a = t->args; a->name; a++) {
            static const char *const kinds[] = {
                [MCP_TEXT] = "string",         [MCP_WORD] = "string, integer",
                [MCP_NUMBER] = "integer",      [MCP_REAL] = "number",
                [MCP_FLAG] = "boolean",        [MCP_TEXTS] = "strings",
                [MCP_MAP] = "strings by name",
            };
            out_format(&text, "| `%s`%s | %s | %s |\n", a->name, a->required ? " (required)" : "",
                       kinds[a->kind], a->about);
        }
    }
    int status = text.failed ? RAS_EMEMORY : ras_sink_write(sink, text.at, text.len, err);
    out_free(&text);
    return status;
}
