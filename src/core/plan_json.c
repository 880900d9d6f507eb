/* plan_json.c - a repair plan as JSON, and back: the backup of a repair in place. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/json_read.h"
#include "codec/json_write.h"
#include "core/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void plan_put(struct out *out, const struct ras_plan *plan)
{
    out_byte(out, '[');
    for (size_t i = 0; i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        out_text(out, i ? ",\n {\"part\":" : "{\"part\":");
        json_string(out, p->part, strlen(p->part));
        out_format(out, ",\"at\":%" PRIu64 ",\"remove\":%" PRIu64 ",\"insert\":", p->at, p->remove);
        json_hex_bytes(out, p->insert.at, p->insert.len);
        if (p->fresh)
            out_text(out, ",\"fresh\":true");
        out_byte(out, '}');
    }
    out_byte(out, ']');
}

/* ---- reading ----------------------------------------------------------------------- */

struct reader {
    struct json_read json;
    struct json_token token;
    char *part;
    uint8_t *insert;
    size_t insert_len;
    uint64_t at, remove;
    bool fresh;
};

/* A plan comes from a file: a part lies below the trace, whatever the file says. */
static bool stays_inside(const char *part)
{
    if (*part == '/')
        return false;
    for (const char *p = part; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        if (p[0] == '.' && p[1] == '.' && (!p[2] || p[2] == '/'))
            return false;
    return true;
}

static bool read_part(struct reader *r)
{
    size_t len;
    free(r->part);
    r->part = malloc(r->token.span.len + 1);
    if (!r->part || r->token.kind != JSON_STRING ||
        !json_read_text(&r->json, &r->token, r->part, r->token.span.len, &len))
        return false;
    r->part[len] = 0;
    if (!stays_inside(r->part))
        r->json.why = "a part lies outside the trace";
    return !*r->json.why;
}

static int digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_insert(struct reader *r)
{
    struct ras_bytes hex = r->token.span;
    if (r->token.kind != JSON_STRING || r->token.escaped || hex.len % 2)
        return false;
    free(r->insert);
    r->insert = malloc(hex.len / 2 + 1);
    r->insert_len = hex.len / 2;
    for (size_t i = 0; r->insert && i < hex.len; i += 2) {
        int high = digit(hex.at[i]), low = digit(hex.at[i + 1]);
        if (high < 0 || low < 0)
            return false;
        r->insert[i / 2] = (uint8_t)(high << 4 | low);
    }
    return r->insert != NULL;
}

/* One member of a patch; its key is the token. */
static bool read_member(struct reader *r)
{
    struct json_token key = r->token;
    json_read_next(&r->json, &r->token);
    if (JSON_IS(&key, "part"))
        return read_part(r);
    if (JSON_IS(&key, "insert"))
        return read_insert(r);
    if (JSON_IS(&key, "at"))
        return json_u64_of(&r->token, &r->at);
    if (JSON_IS(&key, "remove"))
        return json_u64_of(&r->token, &r->remove);
    if (JSON_IS(&key, "fresh"))
        r->fresh = r->token.truth;
    return json_read_skip(&r->json, &r->token);
}

static bool read_patch(struct reader *r, struct plan *plan)
{
    r->at = r->remove = r->insert_len = 0;
    r->fresh = false;
    while (json_read_next(&r->json, &r->token) == JSON_KEY)
        if (!read_member(r))
            return false;
    if (r->token.kind != JSON_OBJECT_END || !r->part)
        return false;
    plan_patch(plan, r->part, r->at, r->remove, r->insert, r->insert_len);
    if (!plan->nomem)
        plan->out.patches[plan->out.patch_count - 1].fresh = r->fresh;
    return true;
}

int plan_get(struct ras_bytes json, struct plan *plan, struct ras_error *err)
{
    struct reader r = {.json = json_read_bytes(json)};
    bool ok = json_read_next(&r.json, &r.token) == JSON_ARRAY;
    while (ok && json_read_next(&r.json, &r.token) == JSON_OBJECT)
        ok = read_patch(&r, plan);
    ok = ok && r.token.kind == JSON_ARRAY_END && json_read_next(&r.json, &r.token) == JSON_END;
    free(r.part);
    free(r.insert);
    if (ok)
        return plan->nomem ? fail_memory(err) : RAS_OK;
    return fail(err, RAS_EFORMAT, json_read_offset(&r.json),
                "this is no repair plan: an array of {part, at, remove, insert}%s%s",
                *r.json.why ? ": " : "", r.json.why);
}
