/* detail_text.c - what differs at one place of two traces, as lines of text.
 *
 * The one printer for single traces and for runs. It goes by the schema that the format states
 * (struct ras_detail_member): rows are lines of their own; the two members of a pair
 * (expected_calls, actual_calls) are one; values are printed as KEY=VALUE. Left out are counts, and
 * the copies of both sides that rows were made from. */
#include "cli/detail_text.h"
#include "cli/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MOST = 8, NAME_MOST = 128 };

/* ---- lines ------------------------------------------------------------------------------- */

bool line_begins(struct page *p)
{
    if (p->lines <= 0) {
        p->left++;
        return false;
    }
    p->lines--;
    answer_format(p->a, "%*s", p->indent, "");
    return true;
}

static void detail_put_pair(struct page *p, const struct ras_value *expected,
                            const struct ras_value *actual)
{
    answer_format(p->a, "expected ");
    if (expected)
        put_one(p, expected);
    answer_format(p->a, expected ? ", actual " : "has none, actual ");
    if (actual)
        put_one(p, actual);
    answer_format(p->a, actual ? "" : "has none");
}

/* What two maps share is printed once. */
static void put_maps(struct page *p, const struct ras_value *expected,
                     const struct ras_value *actual)
{
    const char *before = "";
    for (int shared = 1; shared >= 0; shared--)
        for (const struct ras_value *key = expected + 1; key < ras_value_next(expected);
             key = ras_value_next(key + 1)) {
            const struct ras_value *other = ras_value_member(actual, key->at);
            if (all_same(key + 1, other) != shared)
                continue;
            answer_format(p->a, "%s", before);
            answer_text(p->a, key->at, key->count);
            answer_format(p->a, shared ? "=" : " ");
            if (shared)
                put_one(p, key + 1);
            else
                detail_put_pair(p, key + 1, other);
            before = ", ";
        }
}

static void put_sides(struct page *p, const struct ras_value *expected,
                      const struct ras_value *actual)
{
    if (expected && actual && expected->kind == RAS_MAP && actual->kind == RAS_MAP)
        put_maps(p, expected, actual);
    else
        detail_put_pair(p, expected, actual);
}

/* ---- the schema -------------------------------------------------------------------------- */

/* The stated member of this key. A map without a schema, such as a record, has plain values; a
 * member that a schema does not state repeats others. */
static const struct ras_detail_member *stated(const struct ras_detail_member *members,
                                              const struct ras_value *key)
{
    static const struct ras_detail_member plain = {.role = RAS_DETAIL_VALUE},
                                          repeats = {.role = RAS_DETAIL_COUNT};
    if (!members)
        return &plain;
    for (; members->key; members++)
        if (!strcmp(members->key, key->at))
            return members;
    return &repeats;
}

/* Whether a map, or a map in a list, has rows in a member that the schema states as such. */
static bool has_rows(const struct ras_detail_member *members, const struct ras_value *v)
{
    if (v->kind == RAS_LIST)
        for (const struct ras_value *item = v + 1; item < ras_value_next(v);
             item = ras_value_next(item))
            if (has_rows(members, item))
                return true;
    if (v->kind != RAS_MAP)
        return false;
    for (const struct ras_value *key = v + 1; key < ras_value_next(v);
         key = ras_value_next(key + 1)) {
        const struct ras_detail_member *m = stated(members, key);
        if (m->role == RAS_DETAIL_ROWS || m->role == RAS_DETAIL_CHANNELS) {
            if (key[1].kind == RAS_LIST && key[1].count)
                return true;
        } else if (m->role == RAS_DETAIL_VALUE && m->of && has_rows(m->of, key + 1)) {
            return true;
        }
    }
    return false;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* The bits of two floats, and how many float32 they are apart. */
static void put_f32_bits(struct page *p, const struct ras_value *row)
{
    const struct ras_value *a = ras_value_member(row, "expected_f32_hex");
    const struct ras_value *b = ras_value_member(row, "actual_f32_hex");
    const struct ras_value *ulp = ras_value_member(row, "f32_ulp_distance");
    if (!a || !b || !ulp)
        return;
    answer_format(p->a, " (%.*s, %.*s: %s)", (int)a->count, (const char *)a->at, (int)b->count,
                  (const char *)b->at, ras_counted(ulp->u, "ulp").text);
}

/* A hash is printed in the same form for every format. */
static bool is_hash(const struct ras_value *path, const struct ras_value *a,
                    const struct ras_value *b)
{
    static const char word[] = "hash";
    const size_t len = sizeof word - 1;
    return path->count >= len && a->kind == RAS_UINT && b->kind == RAS_UINT &&
           !memcmp((const char *)path->at + path->count - len, word, len);
}

static void detail_put_row(struct page *p, const char *channel, const struct ras_value *row)
{
    static const struct {
        const char *kind, *word;
    } words[] = {{"length_mismatch", "length "},
                 {"type_mismatch", "type "},
                 {"moved", "moved, "},
                 {"bits_mismatch", "bits "}};
    const struct ras_value *path = ras_value_member(row, "path"),
                           *kind = ras_value_member(row, "kind");
    const struct ras_value *expected = ras_value_member(row, "expected");
    const struct ras_value *actual = ras_value_member(row, "actual");
    if (!line_begins(p))
        return;
    if (*channel && strncmp(path->at, channel, strlen(channel)) != 0)
        answer_format(p->a, "%s.", channel);
    answer_text(p->a, path->at, path->count);
    answer_format(p->a, ": ");
    for (size_t i = 0; is_text(kind) && i < sizeof words / sizeof *words; i++)
        if (!strcmp(kind->at, words[i].kind))
            answer_format(p->a, "%s", words[i].word);
    bool no_actual = is_text(kind) && !strcmp(kind->at, "missing_actual");
    bool no_expected = is_text(kind) && !strcmp(kind->at, "missing_expected");
    if (no_actual || no_expected) {
        detail_put_pair(p, no_expected ? NULL : expected, no_actual ? NULL : actual);
    } else if (is_hash(path, expected, actual)) {
        answer_format(p->a, "expected 0x%016" PRIx64 ", actual 0x%016" PRIx64, expected->u,
                      actual->u);
    } else {
        put_sides(p, expected, actual);
        put_f32_bits(p, row);
    }
    answer_format(p->a, "\n");
}

/* ---- what has no rows -------------------------------------------------------------------- */

/* Names of calls, from the outermost to the innermost. */
static void detail_put_path(struct page *p, const struct ras_value *list)
{
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v)) {
        answer_format(p->a, "%s", v == list + 1 ? "" : " > ");
        put_one(p, v);
    }
}

/* Of `expected_calls` "calls", of `expected` "": the name that both sides share. */
static const char *pair_name(const struct ras_detail_member *m, const struct ras_value *key)
{
    const char *joint = strchr(key->at, '_');
    return m->role == RAS_DETAIL_PAIR && joint ? joint + 1 : "";
}

/* The two of a pair, one of which may be missing. */
static void find_pair(const struct ras_value *map, const char *name,
                      const struct ras_value **expected, const struct ras_value **actual)
{
    char key[NAME_MOST];
    const char *joint = *name ? "_" : "";
    snprintf(key, sizeof key, "expected%s%.100s", joint, name);
    *expected = ras_value_member(map, key);
    snprintf(key, sizeof key, "actual%s%.100s", joint, name);
    *actual = ras_value_member(map, key);
}

/* Whether a member is one of a pair that is printed on one line; the second of both is not
 * printed again. `expected` without `actual` is not a pair. */
static bool is_paired(const struct ras_detail_member *m, const struct ras_value *map,
                      const struct ras_value *key, bool *second)
{
    const struct ras_value *expected, *actual;
    if (m->role != RAS_DETAIL_SIDE && m->role != RAS_DETAIL_PAIR)
        return false;
    find_pair(map, pair_name(m, key), &expected, &actual);
    *second = expected && actual && (key + 1) == (expected < actual ? actual : expected);
    return (expected && actual) || (m->role == RAS_DETAIL_PAIR && holds(key + 1));
}

/* The function that two events of a call both name: the rows are of its details. */
static const struct ras_value *function_of(const struct ras_value *map)
{
    const struct ras_value *a = ras_value_member(map, "expected"),
                           *b = ras_value_member(map, "actual");
    if (!a || !b || a->kind != RAS_MAP || b->kind != RAS_MAP)
        return NULL;
    const struct ras_value *function = ras_value_member(a, "function");
    return values_same(function, ras_value_member(b, "function")) ? function : NULL;
}

/* Whether a member goes on the line of its map. */
static bool is_plain(const struct ras_detail_member *m, const struct ras_value *map,
                     const struct ras_value *key)
{
    bool second;
    if (m->role == RAS_DETAIL_CALLS)
        return key[1].count != 0;
    if (m->role == RAS_DETAIL_COUNT || is_paired(m, map, key, &second))
        return false;
    return !holds(key + 1) || is_flat_list(key + 1);
}

static bool has_plain(const struct ras_detail_member *members, const struct ras_value *map)
{
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1))
        if (is_plain(stated(members, key), map, key))
            return true;
    return false;
}

/* The members of a map that are plain, on a line; `rows`: the rows are of a function's details. */
static void put_plain(struct page *p, const char *name, const struct ras_detail_member *members,
                      const struct ras_value *map, bool rows)
{
    const struct ras_value *function = rows ? function_of(map) : NULL;
    const char *before = "";
    if (!has_plain(members, map) || !line_begins(p))
        return;
    if (*name)
        answer_format(p->a, "%s: ", name);
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1)) {
        const struct ras_detail_member *m = stated(members, key);
        if (!is_plain(m, map, key))
            continue;
        answer_format(p->a, "%s", before);
        answer_text(p->a, key->at, key->count);
        answer_format(p->a, "=");
        if (m->role == RAS_DETAIL_CALLS)
            detail_put_path(p, key + 1);
        else
            put_one(p, key + 1);
        before = " ";
    }
    if (function) {
        answer_format(p->a, " function=");
        put_one(p, function);
    }
    answer_format(p->a, "\n");
}

static void detail_put_tree(struct page *p, const char *name,
                            const struct ras_detail_member *members, const struct ras_value *v,
                            int depth);

/* All of a side, where no rows say how it differs from the other. */
static void put_side(struct page *p, const char *name, const char *side, const struct ras_value *v)
{
    char below[NAME_MOST];
    snprintf(below, sizeof below, "%.80s%s%s", name, *name ? "." : "", side);
    if (v->kind == RAS_MAP && line_begins(p)) {
        const char *before = "";
        answer_format(p->a, "%s: ", below);
        put_members(p, "", v, NULL, NULL, &before);
        answer_format(p->a, "\n");
    } else if (v->kind == RAS_LIST) {
        detail_put_tree(p, below, NULL, v, 1);
    }
}

/* `calls: expected 2, actual 3` */
static void put_paired(struct page *p, const char *name, const struct ras_detail_member *m,
                       const struct ras_value *map, const struct ras_value *key)
{
    const struct ras_value *expected, *actual;
    const char *word = pair_name(m, key);
    find_pair(map, word, &expected, &actual);
    if (!*word && holds(expected) && holds(actual)) {
        put_side(p, name, "expected", expected);
        put_side(p, name, "actual", actual);
        return;
    }
    if (!line_begins(p))
        return;
    answer_format(p->a, "%s%s%s%s", name, *name && *word ? "." : "", word,
                  *name || *word ? ": " : "");
    if (values_same(expected, actual)) {
        put_one(p, expected);
        answer_format(p->a, " in both");
    } else {
        put_sides(p, expected, actual);
    }
    answer_format(p->a, "\n");
}

static void put_map(struct page *p, const char *name, const struct ras_detail_member *members,
                    const struct ras_value *map, bool rows, int depth)
{
    char below[NAME_MOST];
    bool second;
    put_plain(p, name, members, map, rows);
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1)) {
        const struct ras_detail_member *m = stated(members, key);
        const struct ras_value *v = key + 1;
        if (is_paired(m, map, key, &second)) {
            if (!second && !(rows && m->role == RAS_DETAIL_SIDE))
                put_paired(p, name, m, map, key);
            continue;
        }
        bool tree = m->role == RAS_DETAIL_VALUE || m->role == RAS_DETAIL_SIDE;
        if (!tree || !holds(v) || is_flat_list(v) || has_rows(m->of, v) || depth == DEPTH_MOST)
            continue;
        snprintf(below, sizeof below, "%.80s%s%.32s", name, *name ? "." : "",
                 (const char *)key->at);
        detail_put_tree(p, below, m->of, v, depth + 1);
    }
}

/* A map without rows by its members, each item of a list on a line. */
static void detail_put_tree(struct page *p, const char *name,
                            const struct ras_detail_member *members, const struct ras_value *v,
                            int depth)
{
    size_t index = 0;
    if (v->kind == RAS_MAP) {
        put_map(p, name, members, v, false, depth);
        return;
    }
    for (const struct ras_value *item = v + 1; item < ras_value_next(v);
         item = ras_value_next(item), index++) {
        const char *before = "";
        if (!line_begins(p))
            continue;
        answer_format(p->a, "%.80s[%zu]: ", name, index);
        if (item->kind == RAS_MAP)
            put_members(p, "", item, NULL, NULL, &before);
        else
            put_one(p, item);
        answer_format(p->a, "\n");
    }
}

/* ---- details ----------------------------------------------------------------------------- */

static void put_stated(struct page *p, const char *channel, const struct ras_detail_member *members,
                       const struct ras_value *v, int depth);

/* {"kind", "channel", "detail"}: a detail with the members of its channel. */
static void detail_put_channels(struct page *p, const struct ras_detail_member *channels,
                                const struct ras_value *list)
{
    for (const struct ras_value *item = list + 1; item < ras_value_next(list);
         item = ras_value_next(item)) {
        const struct ras_value *name = ras_value_member(item, "channel");
        const struct ras_value *detail = ras_value_member(item, "detail");
        if (name && detail && holds(detail))
            put_stated(p, name->at, stated(channels, name)->of, detail, 1);
    }
}

static void detail_put_rows(struct page *p, const char *channel, const struct ras_value *list)
{
    for (const struct ras_value *row = list + 1; row < ras_value_next(list);
         row = ras_value_next(row))
        detail_put_row(p, channel, row);
}

/* A map with these members, or a list of such maps. */
static void put_stated(struct page *p, const char *channel, const struct ras_detail_member *members,
                       const struct ras_value *v, int depth)
{
    if (v->kind == RAS_LIST && has_rows(members, v)) {
        for (const struct ras_value *item = v + 1; item < ras_value_next(v);
             item = ras_value_next(item))
            put_stated(p, channel, members, item, 0);
        return;
    }
    if (!has_rows(members, v)) {
        detail_put_tree(p, channel, members, v, depth);
        return;
    }
    put_map(p, channel, members, v, true, 0);
    for (const struct ras_value *key = v + 1; key < ras_value_next(v);
         key = ras_value_next(key + 1)) {
        const struct ras_detail_member *m = stated(members, key);
        if (m->role == RAS_DETAIL_ROWS)
            detail_put_rows(p, channel, key + 1);
        else if (m->role == RAS_DETAIL_CHANNELS)
            detail_put_channels(p, m->of, key + 1);
        else if (m->role == RAS_DETAIL_VALUE && m->of && has_rows(m->of, key + 1))
            put_stated(p, channel, m->of, key + 1, 0);
    }
}

/* Lists that are the same on both sides, such as the commands of a tick. */
static void put_alike(struct page *p, const struct ras_value *detail)
{
    const struct ras_value *a =
        detail->kind == RAS_MAP ? ras_value_member(detail, "expected") : NULL;
    const struct ras_value *b = a ? ras_value_member(detail, "actual") : NULL, *v;
    if (!b || a->kind != RAS_MAP || b->kind != RAS_MAP)
        return;
    for (const struct ras_value *key = a + 1; key < ras_value_next(a); key = ras_value_next(v)) {
        const struct ras_value *other = ras_value_member(b, key->at);
        const char *before = ": ";
        v = key + 1;
        if (v->kind != RAS_LIST || !other || !all_same(v, other) || !line_begins(p))
            continue;
        answer_text(p->a, key->at, key->count);
        answer_format(p->a, " the same");
        for (const struct ras_value *item = v + 1; item < ras_value_next(v);
             item = ras_value_next(item)) {
            const struct ras_value *name =
                item->kind == RAS_MAP ? ras_value_member(item, "payload_name") : NULL;
            if (!name)
                continue;
            answer_format(p->a, "%s", before);
            put_one(p, name);
            before = ", ";
        }
        answer_format(p->a, "\n");
    }
}

void put_detail(struct page *p, const struct ras_detail_member *members,
                const struct ras_value *detail)
{
    if (!holds(detail))
        return;
    put_stated(p, "", members, detail, 0);
    put_alike(p, detail);
}

const struct ras_detail_member *detail_members(const struct ras_divergence *v)
{
    return v->schema ? v->schema->members : NULL;
}

void put_detail_rows(struct page *p, const struct ras_value *rows)
{
    if (holds(rows))
        detail_put_rows(p, "", rows);
}

void put_left(const struct page *p)
{
    if (p->left)
        answer_format(p->a, "%*sand %s: --json has them all\n", p->indent, "",
                      ras_counted(p->left, "more line").text);
    else if (p->cut)
        answer_format(p->a, "%*s... shortened: --json has all of it\n", p->indent, "");
}

/* ---- places ------------------------------------------------------------------------------ */

void put_places(struct answer *a, const struct ras_divergence *v, const char *before,
                const char *except)
{
    for (size_t i = 0; i < v->at_count; i++) {
        bool left_out = except && !strcmp(v->at[i].word, except);
        if (left_out || v->at[i].value.kind == RAS_NULL)
            continue;
        answer_format(a, "%s%s ", before, v->at[i].word);
        put_value(a, &v->at[i].value);
        before = ", ";
    }
}

void put_result(struct answer *a, const char *result)
{
    answer_format(a, "result=");
    answer_paint(a, strcmp(result, "ok") ? "\033[1;31m" : "\033[1;32m");
    answer_format(a, "%s", result);
    answer_paint(a, "\033[0m");
}

void put_found_at(struct answer *a, const struct ras_divergence *v, const char *prefix)
{
    for (size_t i = 0; i < v->at_count; i++) {
        if (v->at[i].value.kind == RAS_NULL)
            continue;
        answer_format(a, " %s%s=", i ? "" : prefix, v->at[i].word);
        put_value(a, &v->at[i].value);
    }
    answer_format(a, " kind=%s", v->kind);
}
