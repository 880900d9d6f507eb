/* detail_schema.c - check that the detail of a divergence has the shape that its format states. */
#include "ops/compare/detail_schema.h"
#include "core/row.h"

#include <stdio.h>
#include <string.h>

const struct ras_detail_member detail_row[] = {
    MEMBER_VALUE("path", TEXT, "which field"),
    MEMBER_VALUE("kind", TEXT,
                 "`value_mismatch`, `type_mismatch`, `length_mismatch`, `bits_mismatch`, "
                 "`bytes_mismatch`, `content_mismatch`, `missing_actual`, `missing_expected` or "
                 "`moved`"),
    MEMBER_VALUE("expected", ANY, "what the first side has there"),
    MEMBER_VALUE("actual", ANY, "what the second side has there"),
    {0},
};

const struct ras_detail_kind *detail_of(const struct ras_detail_kind *all, const char *kind)
{
    for (; all && all->kind; all++)
        if (!strcmp(all->kind, kind))
            return all;
    return NULL;
}

/* ---- checking ------------------------------------------------------------------------ */

struct check {
    char *why;
    size_t size;
};

static bool wrong(const struct check *c, const char *key, const char *what)
{
    snprintf(c->why, c->size, "%s %s", key, what);
    return false;
}

static unsigned kind_bit(const struct ras_value *v)
{
    static const unsigned bits[] = {
        [RAS_NULL] = RAS_DETAIL_NULL,   [RAS_BOOL] = RAS_DETAIL_BOOL,
        [RAS_UINT] = RAS_DETAIL_NUMBER, [RAS_INT] = RAS_DETAIL_NUMBER,
        [RAS_F32] = RAS_DETAIL_NUMBER,  [RAS_F64] = RAS_DETAIL_NUMBER,
        [RAS_STR] = RAS_DETAIL_TEXT,    [RAS_BLOB] = RAS_DETAIL_TEXT,
        [RAS_LIST] = RAS_DETAIL_LIST,   [RAS_MAP] = RAS_DETAIL_MAP,
    };
    return bits[v->kind];
}

static const struct ras_detail_member *member_of(const struct ras_detail_member *m,
                                                 const struct ras_value *key)
{
    for (; m->key; m++)
        if (key->kind == RAS_STR && strlen(m->key) == key->count &&
            !memcmp(m->key, key->at, key->count))
            return m;
    return NULL;
}

static bool check_map(const struct check *, const struct ras_detail_member *,
                      const struct ras_value *map);

static bool is_row_kind(const struct ras_value *kind)
{
    static const char *const kinds[] = {"value_mismatch", "type_mismatch",    "length_mismatch",
                                        "bits_mismatch",  "bytes_mismatch",   "content_mismatch",
                                        "missing_actual", "missing_expected", "moved"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kind && kind->kind == RAS_STR && strlen(kinds[i]) == kind->count &&
            !memcmp(kinds[i], kind->at, kind->count))
            return true;
    return false;
}

/* {"kind", "channel", "detail"}: the members of its detail are those of the channel. */
static bool check_channel(const struct check *c, const struct ras_detail_member *channels,
                          const struct ras_value *item)
{
    const struct ras_value *name = map_find(item, "channel"), *detail = map_find(item, "detail");
    const struct ras_value *kind = map_find(item, "kind");
    const struct ras_detail_member *m = name ? member_of(channels, name) : NULL;
    if (!m || !kind || kind->kind != RAS_STR || !detail || detail->kind != RAS_MAP)
        return wrong(c, "mismatches", "names an unknown channel");
    return check_map(c, m->of, detail);
}

static bool check_item(const struct check *c, const struct ras_detail_member *m,
                       const struct ras_value *item)
{
    if (item->kind != RAS_MAP)
        return wrong(c, m->key, "has an item that is not a map");
    if (m->role == RAS_DETAIL_CHANNELS)
        return check_channel(c, m->of, item);
    if (m->role == RAS_DETAIL_ROWS && !is_row_kind(map_find(item, "kind")))
        return wrong(c, m->key, "has a row of a kind that is not stated");
    return check_map(c, m->of, item);
}

static bool check_value(const struct check *c, const struct ras_detail_member *m,
                        const struct ras_value *v)
{
    if (!(m->kinds & kind_bit(v)))
        return wrong(c, m->key, "is of another kind");
    if (!m->of || (v->kind != RAS_MAP && v->kind != RAS_LIST))
        return true;
    if (v->kind == RAS_MAP)
        return check_map(c, m->of, v);
    for (const struct ras_value *item = v + 1; item < ras_value_next(v);
         item = ras_value_next(item))
        if (!check_item(c, m, item))
            return false;
    return true;
}

static bool check_map(const struct check *c, const struct ras_detail_member *members,
                      const struct ras_value *map)
{
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1)) {
        const struct ras_detail_member *m = member_of(members, key);
        if (!m)
            return wrong(c, key->kind == RAS_STR ? key->at : "a member", "is not stated");
        if (!check_value(c, m, key + 1))
            return false;
    }
    for (const struct ras_detail_member *m = members; m->key; m++)
        if (!m->optional && !map_find(map, m->key))
            return wrong(c, m->key, "is missing");
    return true;
}

bool detail_check(const struct ras_detail_kind *schema, const struct ras_value *detail, char *why,
                  size_t size)
{
    const struct check c = {why, size};
    *why = 0;
    if (!schema)
        return wrong(&c, "the kind of divergence", "is not stated");
    if (!detail)
        return true;
    if (!schema->members || detail->kind != RAS_MAP)
        return wrong(&c, "the detail", "is not a map, or there should be none");
    return check_map(&c, schema->members, detail);
}
