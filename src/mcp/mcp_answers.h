/* mcp_answers.h - the tools: each makes the document of one call. */
#ifndef MCP_MCP_ANSWERS_H
#define MCP_MCP_ANSWERS_H

#include "mcp/mcp_call.h"

bool tool_list_traces(struct mcp_call *call);
bool tool_info(struct mcp_call *call);
bool tool_records(struct mcp_call *call);
bool tool_spans(struct mcp_call *call);
bool tool_stats(struct mcp_call *call);
bool tool_tree(struct mcp_call *call);
bool tool_summary(struct mcp_call *call);
bool tool_findings(struct mcp_call *call);
bool tool_diff(struct mcp_call *call);
bool tool_bisect(struct mcp_call *call);
bool tool_sql(struct mcp_call *call);
bool tool_frame(struct mcp_call *call);
bool tool_blob(struct mcp_call *call);

/* At most `most` records of a scan as items of a list that is open; false after saying why. */
bool put_some_records(struct mcp_call *call, const char *path, struct ras_trace *trace,
                      const struct ras_scan *scan, uint64_t most);

/* The table of that name among those of statistics; NULL: there is none. */
const struct ras_value *table_named(const struct ras_stats *stats, const char *name);
/* The column of that name in a table; -1: none. */
int table_column(const struct ras_value *table, const char *name);
/* A cell of a row of a table. */
const struct ras_value *row_cell(const struct ras_value *row, int column);
/* The member of the info of a trace or of the traces of a run. */
bool put_info(struct mcp_call *call, const char *key, const char *path, struct ras_trace *trace);
#endif
