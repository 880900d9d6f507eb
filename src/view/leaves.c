/* leaves.c - nested values as rows by path, and which rows changed. */
#include "view/leaves.h"
#include "base/sort.h"

#include <stdlib.h>

enum { LEAF_DEPTH_MOST = 64, LEAF_PATH_MOST = 512 };
#define LEAF_EXACT (INT64_C(1) << 53)

void leaves_free(struct leaves *l)
{
    free(l->at);
    arena_free(&l->texts);
    *l = (struct leaves){0};
}

static void leaf_add(struct leaves *l, const char *path, const struct ras_value *v, unsigned flags)
{
    size_t size = strlen(path) + 1;
    if (l->count == LEAVES_MOST) {
        l->more = true;
        return;
    }
    char *copy = arena_take(&l->texts, size);
    if (!copy || !array_grow(&l->at, &l->room, l->count + 1, sizeof *l->at)) {
        l->nomem = true;
        return;
    }
    l->at[l->count++] = (struct leaf){memcpy(copy, path, size), v, flags};
}

/* The name of a member: its key, which may be a number. */
static void leaf_key(char *to, size_t room, const struct ras_value *key, bool first)
{
    const char *dot = first ? "" : ".";
    if (key->kind == RAS_STR)
        snprintf(to, room, "%s%.*s", dot, (int)(key->count < 200 ? key->count : 200),
                 (const char *)key->at);
    else
        snprintf(to, room, "%s%lld", dot, (long long)key->i);
}

static void leaves_walk(struct leaves *l, char *path, size_t len, const struct ras_value *v,
                        unsigned flags, unsigned depth)
{
    bool map = v->kind == RAS_MAP, holds = map || v->kind == RAS_LIST;
    if (!holds || !v->count || depth == LEAF_DEPTH_MOST || len + 1 >= LEAF_PATH_MOST) {
        leaf_add(l, path, v, flags);
        return;
    }
    const struct ras_value *end = ras_value_next(v), *at = v + 1;
    for (size_t i = 0; at < end && !l->more && !l->nomem; i++) {
        const struct ras_value *item = map ? ras_value_next(at) : at;
        if (item >= end)
            break;
        if (map)
            leaf_key(path + len, LEAF_PATH_MOST - len, at, !len);
        else
            snprintf(path + len, LEAF_PATH_MOST - len, "[%zu]", i);
        leaves_walk(l, path, strlen(path), item, flags, depth + 1);
        path[len] = 0;
        at = ras_value_next(item);
    }
}

void leaves_add(struct leaves *l, const char *path, const struct ras_value *v, unsigned flags)
{
    char room[LEAF_PATH_MOST];
    snprintf(room, sizeof room, "%s", path);
    leaves_walk(l, room, strlen(room), v, flags, 0);
}

void leaves_add_record(struct leaves *l, const struct ras_schema *schema, const struct ras_value *v,
                       size_t count)
{
    for (const struct ras_value *end = v + count; v < end; v = ras_value_next(v))
        if (v->field < schema->field_count)
            leaves_add(l, schema->fields[v->field].name, v, schema->fields[v->field].flags);
}

void leaf_put(struct json *j, const char *key, const struct ras_value *v, unsigned flags)
{
    char text[24];
    if (v->kind == RAS_UINT && !(flags & RAS_HEX) && v->u > LEAF_EXACT) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)v->u);
        json_text(j, key, text);
    } else if (v->kind == RAS_INT && (v->i > LEAF_EXACT || v->i < -LEAF_EXACT)) {
        snprintf(text, sizeof text, "%lld", (long long)v->i);
        json_text(j, key, text);
    } else {
        json_cell(j, key, v, flags);
    }
}

/* Whether two scalars are the same, bit for bit: NaN is the same as itself. */
static bool leaf_same(const struct ras_value *a, const struct ras_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == RAS_STR || a->kind == RAS_BLOB)
        return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count));
    if (a->kind == RAS_LIST || a->kind == RAS_MAP)
        return a->count == b->count;
    if (a->kind == RAS_F32)
        return !memcmp(&a->f32, &b->f32, sizeof a->f32);
    return a->kind == RAS_NULL || a->u == b->u;
}

static int compare_leaves(const void *a, const void *b, void *user)
{
    (void)user;
    return strcmp((*(const struct leaf *const *)a)->path, (*(const struct leaf *const *)b)->path);
}

static size_t leaf_find(const struct leaf *const *sorted, size_t count, const char *path)
{
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(sorted[middle]->path, path);
        if (!order)
            return middle;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return count;
}

static void leaf_row(struct json *j, const struct leaf *now, const struct leaf *before,
                     bool compared, uint64_t *changed)
{
    bool differs = compared && (!now || !before || !leaf_same(now->value, before->value));
    json_object(j, NULL);
    json_text(j, "name", now ? now->path : before->path);
    if (now)
        leaf_put(j, "value", now->value, now->flags);
    if (before)
        leaf_put(j, "before", before->value, before->flags);
    if (compared)
        json_bool(j, "changed", differs);
    json_close(j);
    *changed += differs;
}

bool leaves_put(struct json *j, const struct leaves *now, const struct leaves *before,
                uint64_t *changed)
{
    size_t count = before ? before->count : 0;
    const struct leaf **sorted = calloc(count + 1, sizeof *sorted);
    bool *taken = calloc(count + 1, sizeof *taken);
    *changed = 0;
    bool fine = sorted && taken && !now->nomem && !(before && before->nomem);
    for (size_t i = 0; fine && i < count; i++)
        sorted[i] = &before->at[i];
    if (fine)
        sort_with(sorted, count, sizeof *sorted, compare_leaves, NULL);
    for (size_t i = 0; fine && i < now->count; i++) {
        size_t at = leaf_find(sorted, count, now->at[i].path);
        taken[at] = true;
        leaf_row(j, &now->at[i], at < count ? sorted[at] : NULL, before, changed);
    }
    for (size_t i = 0; fine && i < count; i++)
        if (!taken[i])
            leaf_row(j, NULL, sorted[i], true, changed);
    free(sorted);
    free(taken);
    return fine;
}
