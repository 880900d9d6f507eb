/* mcp_budget.c - documents made to fit: as many items of each list as there is room for.
 *
 * The document is written again and again with another number of items for each list, until the
 * largest one that fits is found. A pass ends as soon as it is too long, so that a large document
 * costs little more than a small one. */
#include "codec/json_write.h"
#include "codec/utf8.h"
#include "mcp/mcp_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVELS_MOST = 64, /* what is nested deeper is null */
    LEFT_MOST = 8,    /* lists that are named in left_out */
    LEFT_PATH = 96,
    MEMBERS_LEAST = 64,
    TEXT_SHORT = 40, /* bytes of a text when nothing else helps */
    KEY_MOST = 200,
};
#define SAFE_INTEGER (UINT64_C(1) << 53)

struct level {
    bool is_array;
    uint64_t items, left;
    char key[LEFT_PATH / 2];
};

struct left {
    char at[LEFT_PATH];
    uint64_t items;
};

struct pass {
    struct json_read in;
    struct json j;
    size_t bytes;     /* room */
    uint64_t items;   /* of each list */
    size_t text_most; /* bytes of each text */
    struct level levels[LEVELS_MOST];
    unsigned depth;
    struct left lists[LEFT_MOST];
    size_t list_count;
    uint64_t left, shortened; /* items, texts */
    uint8_t *scratch;         /* a text with its escapes resolved */
    size_t scratch_room;
    bool quiet; /* nothing is said of what was left out */
    bool failed;
};

/* ---- members of requests ------------------------------------------------------------------- */

struct mcp_member json_member_of(struct ras_bytes object, const char *key)
{
    struct json_read in = json_read_bytes(object);
    struct json_token token;
    struct mcp_member none = {.token = {.kind = JSON_BAD}}, found;
    if (json_read_next(&in, &token) != JSON_OBJECT)
        return none;
    while (json_read_next(&in, &token) == JSON_KEY) {
        if (!json_text_is(&token, key, strlen(key))) {
            if (!json_read_skip(&in, &token))
                return none;
            continue;
        }
        if (json_read_next(&in, &found.token) == JSON_BAD)
            return none;
        found.text = json_read_value(&in, &found.token);
        return found;
    }
    return none;
}

bool json_is_valid(struct ras_bytes text, struct json_read *in)
{
    struct json_token token;
    enum json_kind kind;
    *in = json_read_bytes(text);
    while ((kind = json_read_next(in, &token)) != JSON_END)
        if (kind == JSON_BAD)
            return false;
    return true;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Escapes resolved, into the scratch. */
static bool pass_text(struct pass *p, const struct json_token *token, size_t *len)
{
    if (p->scratch_room < token->span.len + 1) {
        uint8_t *more = realloc(p->scratch, token->span.len * 2 + 64);
        if (!more)
            return false;
        p->scratch = more;
        p->scratch_room = token->span.len * 2 + 64;
    }
    return json_bytes_of(token, p->scratch, len);
}

/* How much of a text is kept: whole characters. */
static size_t text_kept(const uint8_t *text, size_t len, size_t most)
{
    if (len <= most)
        return len;
    while (most && (text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

/* Bytes that are not UTF-8 as \xNN. */
static void put_utf8(struct out *to, const uint8_t *text, size_t len)
{
    while (len) {
        size_t fine = utf8_prefix(text, len);
        out_bytes(to, text, fine);
        text += fine;
        len -= fine;
        if (!len)
            return;
        out_format(to, "\\x%02x", *text);
        text++, len--;
    }
}

static void put_text(struct pass *p, const struct json_token *token, bool is_key)
{
    struct out plain = {0};
    size_t len, most = is_key ? KEY_MOST : p->text_most;
    if (!pass_text(p, token, &len)) {
        p->failed = true;
        return;
    }
    size_t kept = text_kept(p->scratch, len, most);
    put_utf8(&plain, p->scratch, kept);
    if (kept < len) {
        out_format(&plain, "... (%zu bytes)", len);
        p->shortened++;
    }
    p->failed |= plain.failed;
    if (is_key)
        json_key_text(&p->j, plain.at, plain.len);
    else
        json_string(&p->j, NULL, plain.at, plain.len);
    out_free(&plain);
}

static void put_number(struct pass *p, const struct json_token *token)
{
    uint64_t u;
    int64_t i;
    bool safe = !token->integer || (json_u64_of(token, &u) && u <= SAFE_INTEGER) ||
                (json_i64_of(token, &i) && i < 0 && i >= -(int64_t)SAFE_INTEGER);
    if (safe)
        json_raw(&p->j, NULL, token->span.at, token->span.len);
    else
        json_string(&p->j, NULL, token->span.at, token->span.len);
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The keys down to a level, with dots between them. */
static void pass_path(const struct pass *p, unsigned depth, char path[LEFT_PATH])
{
    size_t len = 0;
    path[0] = 0;
    for (unsigned i = 0; i <= depth && len < LEFT_PATH; i++)
        if (*p->levels[i].key)
            len += (size_t)snprintf(path + len, LEFT_PATH - len, "%s%.47s", len ? "." : "",
                                    p->levels[i].key);
}

/* Lists of one place, such as those of every row, are counted together. */
static void leave_out(struct pass *p, unsigned depth, uint64_t items)
{
    char path[LEFT_PATH];
    p->left += items;
    pass_path(p, depth, path);
    for (size_t i = 0; i < p->list_count; i++)
        if (!strcmp(p->lists[i].at, path)) {
            p->lists[i].items += items;
            return;
        }
    if (p->list_count == LEFT_MOST)
        return;
    struct left *l = &p->lists[p->list_count++];
    memcpy(l->at, path, sizeof path);
    l->items = items;
}

/* Whether the next item or member is kept. */
static bool pass_takes(struct pass *p)
{
    struct level *l = &p->levels[p->depth - 1];
    uint64_t most = l->is_array || p->items >= MEMBERS_LEAST ? p->items : MEMBERS_LEAST;
    if (p->depth == 1 || l->items < most) {
        l->items++;
        return true;
    }
    l->left++;
    return false;
}

static void pass_enter(struct pass *p, bool is_array)
{
    struct level *l = &p->levels[p->depth++];
    l->is_array = is_array;
    l->items = l->left = 0;
    (is_array ? json_array : json_object)(&p->j, NULL);
}

static void pass_leave(struct pass *p)
{
    const struct level *l = &p->levels[p->depth - 1];
    if (l->left)
        leave_out(p, p->depth - 1, l->left);
    if (p->depth > 1)
        json_close(&p->j);
    p->depth--;
    if (p->depth < LEVELS_MOST)
        p->levels[p->depth].key[0] = 0;
}

/* The key of the value that comes next is that of the level which the value may open. */
static void keep_key(struct pass *p, const struct json_token *token)
{
    if (p->depth >= LEVELS_MOST)
        return;
    char *key = p->levels[p->depth].key;
    size_t len = token->span.len < LEFT_PATH / 2 - 1 ? token->span.len : LEFT_PATH / 2 - 1;
    memcpy(key, token->span.at, len);
    key[len] = 0;
    for (char *c = key; *c; c++)
        if (*c < 0x20 || *c > 0x7e || *c == '"' || *c == '\\')
            *c = '?';
}

/* A container that is not kept, or is nested too deep. */
static bool pass_drop(struct pass *p, const struct json_token *token)
{
    return json_read_skip(&p->in, token);
}

static bool pass_value(struct pass *p, const struct json_token *token)
{
    bool opens = token->kind == JSON_ARRAY || token->kind == JSON_OBJECT;
    bool in_array = p->depth && p->levels[p->depth - 1].is_array;
    if (in_array && !pass_takes(p))
        return pass_drop(p, token);
    if (in_array && opens && p->depth < LEVELS_MOST)
        p->levels[p->depth].key[0] = 0;
    if (opens && p->depth == LEVELS_MOST) {
        json_null(&p->j, NULL);
        p->left++;
        return pass_drop(p, token);
    }
    switch (token->kind) {
    case JSON_ARRAY:
    case JSON_OBJECT:
        pass_enter(p, token->kind == JSON_ARRAY);
        return true;
    case JSON_STRING:
        put_text(p, token, false);
        return true;
    case JSON_NUMBER:
        put_number(p, token);
        return true;
    case JSON_BOOL:
        json_bool(&p->j, NULL, token->truth);
        return true;
    default:
        json_null(&p->j, NULL);
        return token->kind == JSON_NULL;
    }
}

static bool pass_token(struct pass *p, const struct json_token *token)
{
    switch (token->kind) {
    case JSON_ARRAY_END:
    case JSON_OBJECT_END:
        pass_leave(p);
        return true;
    case JSON_KEY:
        if (!pass_takes(p))
            return pass_drop(p, token);
        keep_key(p, token);
        put_text(p, token, true);
        return true;
    default:
        return pass_value(p, token);
    }
}

/* ---- passes --------------------------------------------------------------------------------- */

static void put_left_out(struct pass *p)
{
    if ((p->left || p->shortened) && !p->quiet) {
        json_object(&p->j, "left_out");
        json_array(&p->j, "lists");
        for (size_t i = 0; i < p->list_count; i++) {
            json_object(&p->j, NULL);
            json_text(&p->j, "at", p->lists[i].at);
            json_uint(&p->j, "items", p->lists[i].items);
            json_close(&p->j);
        }
        json_close(&p->j);
        json_uint(&p->j, "texts_shortened", p->shortened);
        json_text(&p->j, "how_to_see_more",
                  "raise budget_tokens (at most 25000), or ask for less: a table, a range, fields");
        json_close(&p->j);
    }
    json_close(&p->j);
}

/* Write it with that many items; false: it does not fit. */
static bool pass_run(struct pass *p, struct ras_bytes doc, struct out *out)
{
    struct json_token token;
    out->len = 0;
    p->in = json_read_bytes(doc);
    p->j = json_start(out, 0);
    p->depth = 0;
    p->list_count = 0;
    p->left = p->shortened = 0;
    p->levels[0].key[0] = 0;
    while (out->len <= p->bytes && !p->failed && !out->failed) {
        enum json_kind kind = json_read_next(&p->in, &token);
        if (kind == JSON_END) {
            put_left_out(p);
            return !out->failed && out->len <= p->bytes;
        }
        p->failed |= kind == JSON_BAD || !pass_token(p, &token);
    }
    return false;
}

/* The most items of each list that fit. */
static bool find_items(struct pass *p, struct ras_bytes doc, struct out *out)
{
    uint64_t low = 1, high = doc.len < 4 ? 4 : doc.len;
    p->items = UINT64_MAX;
    if (pass_run(p, doc, out))
        return true;
    p->items = low;
    if (!pass_run(p, doc, out))
        return false;
    while (!p->failed && high - low > 1) {
        p->items = low + (high - low) / 2;
        if (pass_run(p, doc, out))
            low = p->items;
        else
            high = p->items;
    }
    p->items = low;
    return pass_run(p, doc, out);
}

bool budget_fit(struct ras_bytes doc, size_t bytes, size_t text_most, struct out *out)
{
    struct pass *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->bytes = bytes;
    p->text_most = text_most;
    bool fits = find_items(p, doc, out);
    if (!fits && !p->failed && text_most > TEXT_SHORT) {
        p->text_most = TEXT_SHORT;
        fits = find_items(p, doc, out);
    }
    free(p->scratch);
    free(p);
    return fits;
}

bool budget_copy(struct ras_bytes doc, size_t bytes, size_t text_most, struct out *out)
{
    struct pass *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    *p = (struct pass){.bytes = bytes, .text_most = text_most, .items = UINT64_MAX, .quiet = true};
    bool fits = pass_run(p, doc, out);
    free(p->scratch);
    free(p);
    return fits;
}
