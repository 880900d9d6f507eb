/* mcp_cursor.h - where a list goes on, as text that a client hands back.
 *
 * It names the trace, the question and the place. The place is trusted by the readers of formats,
 * so the text is signed with a key of this process: one that was changed is refused. */
#ifndef MCP_MCP_CURSOR_H
#define MCP_MCP_CURSOR_H

#include "mcp/mcp_call.h"

enum { MCP_KEY_SIZE = 32 };

struct mcp_place {
    uint64_t shown;       /* items of the pages before */
    uint64_t skip;        /* items to leave out, where `mark` is not used */
    struct ras_mark mark; /* of the next record */
    bool marked;
};

/* Sign a place of a trace in the answer to this call. */
void cursor_put(struct mcp_call *call, const char *key, uint64_t identity,
                const struct mcp_place *place);
/* The place of the argument `cursor`; zeros without it. False after saying why. */
bool cursor_get(struct mcp_call *call, uint64_t identity, struct mcp_place *place);

const uint8_t *server_key(const struct mcp *server);
#endif
