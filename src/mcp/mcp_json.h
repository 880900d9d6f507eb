/* mcp_json.h - members of JSON objects that are texts, and documents made to fit a budget. */
#ifndef MCP_MCP_JSON_H
#define MCP_MCP_JSON_H

#include "base/out.h"
#include "codec/json_read.h"

struct mcp_member {
    struct json_token token; /* JSON_BAD: there is no such member */
    struct ras_bytes text;   /* of the value, as written */
};

/* The first member of that name. The text is an object, and valid JSON. */
struct mcp_member json_member_of(struct ras_bytes object, const char *key);
/* Whether text is one JSON value and no more. False: `in` has the reason. */
bool json_is_valid(struct ras_bytes text, struct json_read *in);

/* Make a document fit into `bytes`: texts beyond `text_most` bytes are shortened and say how long
 * they were; of lists as many items are kept as fit; what was left out is the last member of the
 * document, `left_out`. Integers beyond 2^53 become strings, and bytes that are not UTF-8 \xNN. The
 * document is an object, and valid JSON. False: it cannot fit, or memory is short. */
bool budget_fit(struct ras_bytes doc, size_t bytes, size_t text_most, struct out *out);
/* The same without leaving out items or saying so; false: it does not fit, or memory is short. */
bool budget_copy(struct ras_bytes doc, size_t bytes, size_t text_most, struct out *out);
#endif
