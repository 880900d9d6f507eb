/* mcp.h - a server of the Model Context Protocol as one function from a message to its answer.
 *
 * The transport is the caller's: `rastrum mcp` reads lines of standard input. Traces are read below
 * some directories only, from servers only where the caller allows it, nothing is written, and all
 * work has limits. docs/agents.md describes the tools. */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <rastrum/rastrum.h>

enum { MCP_MESSAGE_MOST = 1 << 20 }; /* bytes of a message, either way but for pictures */

struct mcp_options {
    const char *const *roots; /* directories; what is not below one of them is refused */
    size_t root_count;
    bool remote; /* traces by URL, too: http, https, s3 */
    /* How that is allowed, for whom it is refused; NULL: nothing more is said. */
    const char *remote_hint;
    /* Write the help of a verb; false: there is none. NULL: no verb has one. */
    bool (*help)(const char *verb, struct ras_sink *sink);
};

struct mcp;
int mcp_open(struct mcp **out, const struct mcp_options *options, struct ras_error *err);
void mcp_close(struct mcp *mcp); /* NULL is fine */

/* The answer to one message, without a newline; empty: there is none, as for a notification. It
 * lives until the next call. */
struct ras_bytes mcp_answer(struct mcp *mcp, struct ras_bytes message);
/* The answer to a message that exceeds MCP_MESSAGE_MOST and was dropped. */
struct ras_bytes mcp_answer_too_long(struct mcp *mcp);
/* By any thread, when a message arrives: true, it cancels another one, and there is no more to do
 * with it. That one may be answered at this moment, or not have been begun. */
bool mcp_cancels(struct mcp *mcp, struct ras_bytes message);

/* The tools as a table of Markdown, for docs/agents.md. */
int mcp_tools_page(struct ras_sink *sink, struct ras_error *err);
#endif
