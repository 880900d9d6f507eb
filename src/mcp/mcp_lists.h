/* mcp_lists.h - what the server offers: tools, resources, prompts. */
#ifndef MCP_MCP_LISTS_H
#define MCP_MCP_LISTS_H

#include "mcp/mcp_call.h"

void lists_put_tools(struct json *j);
void lists_put_resources(struct json *j);
void lists_put_templates(struct json *j);
void lists_put_prompts(struct json *j);

/* The text of a resource into `call->doc`, and its type. False: there is none, or `why` says what
 * failed. */
bool resource_read(struct mcp_call *call, const char *uri, const char **type);
/* The messages of a prompt as members of an object that is open; false: `why` has the reason. */
bool prompt_put(struct mcp_call *call, struct json *j, const struct json_token *name,
                struct ras_bytes arguments);
#endif
