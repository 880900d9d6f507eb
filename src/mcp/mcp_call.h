/* mcp_call.h - one call of a tool: its arguments, its limits and its document. */
#ifndef MCP_MCP_CALL_H
#define MCP_MCP_CALL_H

#include "base/memory.h"
#include "base/out.h"
#include "codec/json_write.h"
#include "mcp/mcp_json.h"
#include "mcp/mcp_traces.h"

enum {
    MCP_ARGS_MOST = 16,
    MCP_TOKEN_BYTES = 4, /* an estimate: text of traces has few words */
    MCP_TOKENS_LEAST = 250,
    MCP_TOKENS_DEFAULT = 4000,
    MCP_TOKENS_MOST = 25000,
    MCP_TEXT_MOST = 200, /* bytes of a text before it is shortened */
    MCP_CALL_MS = 60000,
    MCP_SQL_MS = 10000,
    MCP_PICTURE_MOST = 1 << 20, /* bytes of a PNG file */
};
#define MCP_SQL_MEMORY (UINT64_C(256) << 20)

enum mcp_kind {
    MCP_TEXT,
    MCP_WORD, /* a text or a number, as text */
    MCP_NUMBER,
    MCP_REAL,
    MCP_FLAG,
    MCP_TEXTS, /* a list, or one text */
    MCP_MAP,   /* texts by name */
};

/* An argument of a tool. The schema, the check and the page come from it. */
struct mcp_arg {
    const char *name;
    enum mcp_kind kind;
    bool required;
    const char *about;
    const char *const *words; /* that it may be, ends with NULL; NULL: any */
    uint64_t least, most;     /* of a number; 0, 0: any */
};

struct mcp_value {
    bool given, flag;
    const char *text;
    uint64_t number;
    double real;
    const char **items, **names; /* MCP_TEXTS; of MCP_MAP with the names */
    size_t count;
};

struct mcp_call;
struct mcp_tool {
    const char *name, *title, *about;
    const char *covers; /* methods that a format's project publishes for it; NULL: none */
    const struct mcp_arg *args;
    bool (*run)(struct mcp_call *call); /* false: `why` has the reason */
};

struct mcp_call {
    struct mcp *server;
    const struct mcp_tool *tool;
    struct mcp_value values[MCP_ARGS_MOST]; /* in the order of the tool's arguments */
    struct arena texts;
    size_t budget;    /* bytes of the document */
    size_t text_most; /* bytes of a text in it */
    struct out doc;
    struct json json;     /* writes to `doc` */
    struct out picture;   /* a PNG file; empty: none */
    uint64_t deadline_ns; /* as os_boot_ns() has it */
    bool late;            /* that was reached */
    char why[800];
};

extern const struct mcp_tool mcp_tools[]; /* ends with one without name */
const struct mcp_tool *mcp_tool_of(const struct json_token *name);

/* Take the arguments, a JSON object; false after saying why. */
bool call_arguments(struct mcp_call *call, struct ras_bytes object);
/* The value of an argument that the tool has. */
const struct mcp_value *call_value(const struct mcp_call *call, const char *name);
const char *call_text(const struct mcp_call *call, const char *name); /* NULL: not given */
uint64_t call_number(const struct mcp_call *call, const char *name, uint64_t otherwise);
bool call_flag(const struct mcp_call *call, const char *name);

/* Say why it failed; always false. */
bool tool_fail(struct mcp_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool tool_fail_with(struct mcp_call *call, const char *path, const struct ras_error *err);
bool tool_fail_memory(struct mcp_call *call);

/* A ras_progress: false when the call is canceled or takes too long. `user` is the call. */
bool call_goes_on(void *user, uint64_t done, uint64_t total);
bool server_is_canceled(const struct mcp *server);
struct mcp_traces *server_traces(struct mcp *server);
bool server_help(struct mcp *server, const char *verb, struct ras_sink *sink);

/* A trace or a run; NULL after saying why. It stays the server's. */
const struct mcp_trace *call_open(struct mcp_call *call, const char *path);
/* The same, and it must not be a run. */
const struct mcp_trace *call_trace(struct mcp_call *call, const char *path);

/* A sink in memory; NULL after saying why. */
struct ras_sink *call_sink(struct mcp_call *call);
/* What a function that writes to a sink wrote, as a member; of a list, or as the
 * whole document, with `key` NULL. A negative status is a failure instead, of `path`. `sink` is
 * freed. */
bool call_put_sink(struct mcp_call *call, const char *key, struct ras_sink *sink, int status,
                   const char *path, const struct ras_error *err);
/* How a trace ends, as a member. */
void call_put_ending(struct mcp_call *call, const char *key, const struct ras_trace *trace,
                     const struct ras_ending *ending);

/* A range by the arguments axis, from and to, on the trace's own axis by default. */
bool call_range(struct mcp_call *call, struct ras_trace *trace, struct ras_scan *scan);
#endif
