/* detail_check.h - whether the detail of a divergence has the shape that its format states. */
#ifndef UNIT_DETAIL_CHECK_H
#define UNIT_DETAIL_CHECK_H

#include "core/row.h"
#include "ops/compare/detail_schema.h"

#include <stdio.h>
#include <string.h>

struct detail_checker {
    char *why;
    size_t size;
};

static inline bool detail_wrong(const struct detail_checker *c, const char *key, const char *what)
{
    snprintf(c->why, c->size, "%s %s", key, what);
    return false;
}

static inline unsigned detail_kind_bit(const struct ras_value *v)
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

static inline const struct ras_detail_member *detail_member_of(const struct ras_detail_member *m,
                                                               const struct ras_value *key)
{
    for (; m->key; m++)
        if (key->kind == RAS_STR && strlen(m->key) == key->count &&
            !memcmp(m->key, key->at, key->count))
            return m;
    return NULL;
}

static inline bool detail_check_map(const struct detail_checker *, const struct ras_detail_member *,
                                    const struct ras_value *map);

static inline bool detail_is_row_kind(const struct ras_value *kind)
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
static inline bool detail_check_channel(const struct detail_checker *c,
                                        const struct ras_detail_member *channels,
                                        const struct ras_value *item)
{
    const struct ras_value *name = map_find(item, "channel"), *detail = map_find(item, "detail");
    const struct ras_value *kind = map_find(item, "kind");
    const struct ras_detail_member *m = name ? detail_member_of(channels, name) : NULL;
    if (!m || !kind || kind->kind != RAS_STR || !detail || detail->kind != RAS_MAP)
        return detail_wrong(c, "mismatches", "names an unknown channel");
    return detail_check_map(c, m->of, detail);
}

static inline bool detail_check_item(const struct detail_checker *c,
                                     const struct ras_detail_member *m,
                                     const struct ras_value *item)
{
    if (item->kind != RAS_MAP)
        return detail_wrong(c, m->key, "has an item that is not a map");
    if (m->role == RAS_DETAIL_CHANNELS)
        return detail_check_channel(c, m->of, item);
    if (m->role == RAS_DETAIL_ROWS && !detail_is_row_kind(map_find(item, "kind")))
        return detail_wrong(c, m->key, "has a row of a kind that is not stated");
    return detail_check_map(c, m->of, item);
}

static inline bool detail_check_value(const struct detail_checker *c,
                                      const struct ras_detail_member *m, const struct ras_value *v)
{
    if (!(m->kinds & detail_kind_bit(v)))
        return detail_wrong(c, m->key, "is of another kind");
    if (!m->of || (v->kind != RAS_MAP && v->kind != RAS_LIST))
        return true;
    if (v->kind == RAS_MAP)
        return detail_check_map(c, m->of, v);
    for (const struct ras_value *item = v + 1; item < ras_value_next(v);
         item = ras_value_next(item))
        if (!detail_check_item(c, m, item))
            return false;
    return true;
}

static inline bool detail_check_map(const struct detail_checker *c,
                                    const struct ras_detail_member *members,
                                    const struct ras_value *map)
{
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1)) {
        const struct ras_detail_member *m = detail_member_of(members, key);
        if (!m)
            return detail_wrong(c, key->kind == RAS_STR ? key->at : "a member", "is not stated");
        if (!detail_check_value(c, m, key + 1))
            return false;
    }
    for (const struct ras_detail_member *m = members; m->key; m++)
        if (!m->optional && !map_find(map, m->key))
            return detail_wrong(c, m->key, "is missing");
    return true;
}

/* Check a detail (NULL: none, which is always allowed); false: `why` says what is wrong. */
static inline bool detail_check(const struct ras_detail_kind *schema,
                                const struct ras_value *detail, char *why, size_t size)
{
    const struct detail_checker c = {why, size};
    *why = 0;
    if (!schema)
        return detail_wrong(&c, "the kind of divergence", "is not stated");
    if (!detail)
        return true;
    if (!schema->members || detail->kind != RAS_MAP)
        return detail_wrong(&c, "the detail", "is not a map, or there should be none");
    return detail_check_map(&c, schema->members, detail);
}
#endif
