/* value_text.c - values of a trace on one line of text, shortened where they are long. */
#include "cli/value_text.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_MOST = 160, TEXT_MOST = 60, HASH_MOST = 20, NAME_MOST = 128 };

/* ---- values ------------------------------------------------------------------------------ */

bool holds(const struct ras_value *v)
{
    return v && (v->kind == RAS_LIST || v->kind == RAS_MAP);
}

bool is_text(const struct ras_value *v)
{
    return v && v->kind == RAS_STR;
}

/* Only numbers and texts, which fit on a line. */
bool is_flat_list(const struct ras_value *v)
{
    if (v->kind != RAS_LIST)
        return false;
    for (const struct ras_value *item = v + 1; item < ras_value_next(v); item++)
        if (holds(item))
            return false;
    return true;
}

bool values_same(const struct ras_value *a, const struct ras_value *b)
{
    if (!a || !b || a->kind != b->kind || a->count != b->count || holds(a))
        return false;
    return is_text(a) ? !memcmp(a->at, b->at, a->count) : a->u == b->u;
}

/* With all that is inside them. */
bool all_same(const struct ras_value *a, const struct ras_value *b)
{
    if (!a || !b)
        return false;
    const struct ras_value *end = ras_value_next(a);
    for (; a < end; a++, b++)
        if (holds(a) ? a->kind != b->kind || a->count != b->count : !values_same(a, b))
            return false;
    return true;
}

/* ---- values as text ---------------------------------------------------------------------- */

/* The longest prefix of whole characters that fits. */
static size_t cut_at(const char *text, size_t len, size_t most)
{
    if (len <= most)
        return len;
    while (most && ((uint8_t)text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

static void put_cut(struct page *p, const char *text, size_t len, size_t most)
{
    size_t shown = cut_at(text, len, most);
    answer_text(p->a, text, shown);
    answer_format(p->a, "%s", shown < len ? "..." : "");
    p->cut |= shown < len && most != HASH_MOST; /* bytes are shortened */
}

static bool is_hex(const struct ras_value *v)
{
    const char *text = v->at;
    for (uint32_t i = 0; i < v->count; i++)
        if (!text[i] || !strchr("0123456789abcdef", text[i]))
            return false;
    return true;
}

void put_scalar(struct answer *a, const struct ras_value *v)
{
    if (!v || v->kind == RAS_NULL)
        answer_format(a, "null");
    else if (v->kind == RAS_BOOL)
        answer_format(a, v->u ? "true" : "false");
    else
        put_value(a, v);
}

/* A list or map on one line, and not too long. */
static void put_inside(struct page *p, const struct ras_value *v)
{
    struct answer memory = {0};
    struct page inner = {.a = &memory};
    const char *before = "";
    if (ras_sink_memory(&memory.sink, NULL) < 0)
        return;
    if (v->kind == RAS_MAP)
        put_members(&inner, "", v, NULL, NULL, &before);
    else
        (void)!ras_value_json(memory.sink, v, false, RAS_LAYOUT_LINE, NULL);
    struct ras_bytes text = ras_sink_bytes(memory.sink);
    bool braces = v->kind == RAS_MAP;
    answer_format(p->a, "%s", braces ? "{" : "");
    put_cut(p, (const char *)text.at, text.len, VALUE_MOST);
    answer_format(p->a, "%s", braces ? "}" : "");
    ras_sink_drop(memory.sink);
}

void put_one(struct page *p, const struct ras_value *v)
{
    if (is_text(v))
        put_cut(p, v->at, v->count, is_hex(v) ? HASH_MOST : TEXT_MOST);
    else if (holds(v))
        put_inside(p, v);
    else
        put_scalar(p->a, v);
}

void put_short(struct answer *a, const struct ras_value *v)
{
    struct page p = {.a = a};
    put_one(&p, v);
}

/* Members as KEY=VALUE, those of maps with dots between their names. */
void put_members(struct page *p, const char *name, const struct ras_value *map,
                 const struct ras_value *unlike, const char *except, const char **before)
{
    char below[NAME_MOST];
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1)) {
        const struct ras_value *v = key + 1,
                               *old = unlike ? ras_value_member(unlike, key->at) : NULL;
        if (all_same(v, old) || (except && !strcmp(key->at, except)))
            continue;
        snprintf(below, sizeof below, "%.60s%s%.60s", name, *name ? "." : "",
                 (const char *)key->at);
        if (v->kind == RAS_MAP) {
            put_members(p, below, v, old && old->kind == RAS_MAP ? old : NULL, NULL, before);
            continue;
        }
        answer_format(p->a, "%s", *before);
        answer_name(p->a, below);
        answer_format(p->a, "=");
        put_one(p, v);
        *before = " ";
    }
}

void put_flat(struct answer *a, const struct ras_value *map, const struct ras_value *unlike,
              const char *except)
{
    struct page p = {.a = a};
    const char *before = "";
    put_members(&p, "", map, unlike, except, &before);
    answer_format(a, *before ? "" : "unchanged");
}
