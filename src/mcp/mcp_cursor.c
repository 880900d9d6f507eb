/* mcp_cursor.c - where a list goes on, as signed text. */
#include "mcp/mcp_cursor.h"
#include "codec/base64.h"
#include "codec/sha256.h"
#include "codec/xxh64.h"

#include <string.h>

/* What the text holds: numbers of this process, in its own byte order. */
struct sealed {
    uint64_t identity, query;
    struct mcp_place place;
};

enum {
    SIGN_BYTES = 16,
    CURSOR_BYTES = sizeof(struct sealed) + SIGN_BYTES,
    CURSOR_TEXT = (CURSOR_BYTES + 2) / 3 * 4,
};

/* All arguments but those that may differ from page to page. */
static uint64_t query_hash(const struct mcp_call *call)
{
    struct xxh64 h = xxh64_start();
    const char *name = call->tool->name;
    xxh64_add(&h, name, strlen(name) + 1);
    for (size_t i = 0; call->tool->args[i].name; i++) {
        const struct mcp_value *v = &call->values[i];
        name = call->tool->args[i].name;
        if (!v->given || !strcmp(name, "cursor") || !strcmp(name, "budget_tokens"))
            continue;
        uint64_t plain[3] = {i, v->number, v->flag};
        xxh64_add(&h, plain, sizeof plain);
        xxh64_add(&h, &v->real, sizeof v->real);
        if (v->text)
            xxh64_add(&h, v->text, strlen(v->text) + 1);
        for (size_t k = 0; k < v->count; k++)
            xxh64_add(&h, v->items[k], strlen(v->items[k]) + 1);
    }
    return xxh64_end(&h);
}

/* The inner and the outer hash with the key keep what is signed from being made longer. */
static void cursor_sign(const struct mcp *server, const struct sealed *s, uint8_t sign[SIGN_BYTES])
{
    uint8_t digest[SHA256_SIZE];
    struct sha256 h = sha256_start();
    sha256_add(&h, server_key(server), MCP_KEY_SIZE);
    sha256_add(&h, s, sizeof *s);
    sha256_end(&h, digest);
    h = sha256_start();
    sha256_add(&h, server_key(server), MCP_KEY_SIZE);
    sha256_add(&h, digest, sizeof digest);
    sha256_end(&h, digest);
    memcpy(sign, digest, SIGN_BYTES);
}

void cursor_put(struct mcp_call *call, const char *key, uint64_t identity,
                const struct mcp_place *place)
{
    uint8_t bytes[CURSOR_BYTES];
    struct sealed s;
    struct out text = {0};
    memset(&s, 0, sizeof s); /* the padding is signed, too */
    s.identity = identity;
    s.query = query_hash(call);
    s.place.shown = place->shown;
    s.place.skip = place->skip;
    s.place.mark = place->mark;
    s.place.marked = place->marked;
    memcpy(bytes, &s, sizeof s);
    cursor_sign(call->server, &s, bytes + sizeof s);
    base64_put(&text, (struct ras_bytes){bytes, sizeof bytes});
    json_string(&call->json, key, text.at, text.len);
    call->doc.failed |= text.failed;
    out_free(&text);
}

bool cursor_get(struct mcp_call *call, uint64_t identity, struct mcp_place *place)
{
    const char *text = call_text(call, "cursor");
    uint8_t bytes[CURSOR_TEXT], sign[SIGN_BYTES];
    struct sealed s;
    size_t len = 0;
    *place = (struct mcp_place){0};
    if (!text)
        return true;
    bool fine = strlen(text) == CURSOR_TEXT &&
                base64_get((struct ras_bytes){(const uint8_t *)text, CURSOR_TEXT}, bytes, &len) &&
                len == CURSOR_BYTES;
    if (fine) {
        memcpy(&s, bytes, sizeof s);
        cursor_sign(call->server, &s, sign);
        fine = !memcmp(sign, bytes + sizeof s, SIGN_BYTES);
    }
    if (!fine)
        return tool_fail(call, "the cursor is not one of this server's: start again without it");
    if (s.identity != identity)
        return tool_fail(call, "the trace changed: start again without the cursor");
    if (s.query != query_hash(call))
        return tool_fail(call, "the cursor belongs to a call with other arguments: pass the same "
                               "ones, or start again without it");
    *place = s.place;
    return true;
}
