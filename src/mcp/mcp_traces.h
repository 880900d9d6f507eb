/* mcp_traces.h - traces and runs that stay open between calls, as long as their files are the same.
 */
#ifndef MCP_MCP_TRACES_H
#define MCP_MCP_TRACES_H

#include "mcp/mcp_roots.h"
#include <rastrum/rundir.h>

struct mcp_trace {
    uint64_t identity;
    struct ras_trace *trace; /* one of the two */
    struct ras_rundir *run;
};

enum { MCP_OPEN_MOST = 8 };

struct mcp_traces;
struct mcp_traces *traces_new(void); /* NULL: memory is short */
void traces_free(struct mcp_traces *traces);
struct mcp_roots *traces_roots(struct mcp_traces *traces);
/* URLs of http, https and s3 are opened, too. */
void traces_allow_remote(struct mcp_traces *traces);
/* A call begins: what was opened before may be closed when there are too many. Transfers end when
 * `goes_on` says so, until traces_end(). */
void traces_begin(struct mcp_traces *traces, bool (*goes_on)(void *user, uint64_t, uint64_t),
                  void *user);
/* The call is over. If it failed what is on servers is opened again: it may have changed, or its
 * transfer was ended. */
void traces_end(struct mcp_traces *traces, bool failed);
/* Open it, or find it among those that are open; it lives until traces_begin(). Twice in a call it
 * is opened twice. */
int traces_open(struct mcp_traces *traces, const char *path, const struct mcp_trace **out,
                struct ras_error *err);
/* The limits of traces. */
struct ras_options mcp_open_options(void);
#endif
