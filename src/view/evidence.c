/* evidence.c - the detail of a divergence as rows: expected here, actual there.
 *
 * It goes by the schema that the format states (struct ras_detail_member) and knows no format. */
#include "view/evidence.h"
#include "codec/json_write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 8, LABEL_MOST = 200, MEMBERS_ALL = 5 };

/* The place that is filled. */
struct evidence_work {
    struct evidence_place *place;
    struct arena *arena;
    struct out context;
    int lone; /* the side that alone has it; -1: it is not one-sided */
    bool nomem;
};

/* ---- text -------------------------------------------------------------------------------- */

const char *arena_format(struct arena *arena, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = len < 0 ? NULL : arena_take(arena, (uint64_t)len + 1);
    if (!text)
        return "";
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    return text;
}

static bool ends_with(const char *text, const char *word)
{
    size_t len = strlen(text), n = strlen(word);
    return len >= n && !strcmp(text + len - n, word);
}

/* Not more than a value may have, and no half of a character. */
static const char *keep_text(struct arena *arena, const uint8_t *at, size_t len)
{
    bool cut = len > EVIDENCE_TEXT_MOST;
    if (cut)
        for (len = EVIDENCE_TEXT_MOST; len && (at[len] & 0xc0) == 0x80;)
            len--;
    char *text = arena_take(arena, (uint64_t)len + 4);
    if (!text)
        return "";
    for (size_t i = 0; i < len; i++)
        text[i] = at[i] ? (char)at[i] : ' ';
    memcpy(text + len, cut ? "\xe2\x80\xa6" : "", cut ? 4 : 1);
    return text;
}

const char *evidence_text(struct arena *arena, const char *label, const struct ras_value *v)
{
    if (v->kind == RAS_STR)
        return keep_text(arena, v->at, v->count);
    if (v->kind == RAS_NULL)
        return "none";
    if (v->kind == RAS_UINT && ends_with(label, "hash"))
        return arena_format(arena, "0x%016" PRIx64, v->u);
    struct out out = {0};
    struct json j = json_start(&out, 0);
    json_cell(&j, NULL, v, 0);
    const char *text = out.failed ? "" : keep_text(arena, out.at, out.len);
    out_free(&out);
    return text;
}

/* ---- rows -------------------------------------------------------------------------------- */

static bool holds_more(const struct ras_value *v)
{
    return v && (v->kind == RAS_MAP || v->kind == RAS_LIST);
}

static void add_row(struct evidence_work *w, const char *label, const struct ras_value *a,
                    const struct ras_value *b)
{
    struct evidence_place *p = w->place;
    if (p->row_count == EVIDENCE_ROWS_MOST) {
        p->left++;
        return;
    }
    if (!array_grow(&p->rows, &p->row_room, p->row_count + 1, sizeof *p->rows)) {
        w->nomem = true;
        return;
    }
    struct evidence_row *row = &p->rows[p->row_count++];
    *row =
        (struct evidence_row){.label = keep_text(w->arena, (const uint8_t *)label, strlen(label)),
                              .expected = a ? evidence_text(w->arena, label, a) : NULL,
                              .actual = b ? evidence_text(w->arena, label, b) : NULL};
    row->differs = !row->expected || !row->actual || strcmp(row->expected, row->actual) != 0;
}

/* "state" and "pos.x" are "state.pos.x"; a path that begins with it already stays. */
static const char *joined(char to[LABEL_MOST], const char *before, const char *name)
{
    size_t len = strlen(before);
    bool has = !len || (!strncmp(name, before, len) && (name[len] == '.' || name[len] == '['));
    snprintf(to, LABEL_MOST, "%s%s%s", has ? "" : before, has || !*name ? "" : ".", name);
    return to;
}

/* Whether the value of a key is the same there. */
static bool is_same(const struct evidence_work *w, const struct ras_value *key,
                    const struct ras_value *other)
{
    return other && !strcmp(evidence_text(w->arena, key->at, key + 1),
                            evidence_text(w->arena, key->at, other));
}

static size_t members_in(const struct ras_value *map)
{
    size_t count = 0;
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1))
        count++;
    return count;
}

/* Two values; of two maps a row for each member, of large ones only for those that differ. */
static void add_pair(struct evidence_work *w, const char *label, const struct ras_value *a,
                     const struct ras_value *b)
{
    char below[LABEL_MOST];
    if (!a || !b || a->kind != RAS_MAP || b->kind != RAS_MAP) {
        add_row(w, label, a, b);
        return;
    }
    bool large = members_in(a) > MEMBERS_ALL;
    for (const struct ras_value *key = a + 1; key < ras_value_next(a);
         key = ras_value_next(key + 1))
        if (!large || !is_same(w, key, ras_value_member(b, key->at)))
            add_row(w, joined(below, label, key->at), key + 1, ras_value_member(b, key->at));
    for (const struct ras_value *key = b + 1; key < ras_value_next(b);
         key = ras_value_next(key + 1))
        if (!ras_value_member(a, key->at))
            add_row(w, joined(below, label, key->at), NULL, key + 1);
}

static void add_stated_row(struct evidence_work *w, const char *channel,
                           const struct ras_value *row)
{
    static const struct {
        const char *kind, *word;
    } words[] = {{"length_mismatch", " (length)"},
                 {"type_mismatch", " (type)"},
                 {"moved", " (moved)"},
                 {"bits_mismatch", " (bits)"}};
    const struct ras_value *path = ras_value_member(row, "path");
    const struct ras_value *kind = ras_value_member(row, "kind");
    const struct ras_value *a = ras_value_member(row, "expected");
    const struct ras_value *b = ras_value_member(row, "actual");
    char label[LABEL_MOST], named[LABEL_MOST + 16];
    const char *how = kind && kind->kind == RAS_STR ? kind->at : "", *word = "";
    if (!path || path->kind != RAS_STR)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(how, words[i].kind))
            word = words[i].word;
    snprintf(named, sizeof named, "%s%s", joined(label, channel, path->at), word);
    add_pair(w, named, strcmp(how, "missing_expected") != 0 ? a : NULL,
             strcmp(how, "missing_actual") != 0 ? b : NULL);
}

/* ---- the schema -------------------------------------------------------------------------- */

static const struct ras_detail_member *member_of(const struct ras_detail_member *members,
                                                 const char *key)
{
    static const struct ras_detail_member plain = {.role = RAS_DETAIL_VALUE};
    for (; members && members->key; members++)
        if (!strcmp(members->key, key))
            return members;
    return &plain;
}

static void add_context(struct evidence_work *w, const char *text)
{
    if (w->context.len)
        out_text(&w->context, ", ");
    out_text(&w->context, text);
}

static void add_calls(struct evidence_work *w, const struct ras_value *list)
{
    const char *before = w->context.len ? ", " : "";
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v)) {
        out_text(&w->context, before);
        out_text(&w->context, evidence_text(w->arena, "", v));
        before = " \xe2\x80\xba ";
    }
}

/* The function that both events of a call name is the innermost of its path. */
static void add_function(struct evidence_work *w, const struct ras_value *map)
{
    const struct ras_value *a = ras_value_member(map, "expected");
    const struct ras_value *b = ras_value_member(map, "actual");
    a = a && a->kind == RAS_MAP && w->lone != 1 ? ras_value_member(a, "function") : NULL;
    b = b && b->kind == RAS_MAP && w->lone != 0 ? ras_value_member(b, "function") : NULL;
    if (!a && !b)
        return;
    const char *x = evidence_text(w->arena, "", a ? a : b);
    const char *y = evidence_text(w->arena, "", b ? b : a);
    if (w->context.len && !strcmp(x, y))
        out_text(&w->context, " \xe2\x80\xba ");
    if (!strcmp(x, y))
        out_text(&w->context, x);
}

/* Rows somewhere in a map: what both sides have there needs no rows of its own. */
static bool has_rows(const struct ras_detail_member *members, const struct ras_value *map)
{
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1)) {
        enum ras_detail_role role = member_of(members, key->at)->role;
        if ((role == RAS_DETAIL_ROWS || role == RAS_DETAIL_CHANNELS) && key[1].kind == RAS_LIST &&
            key[1].count)
            return true;
    }
    return false;
}

static void add_map(struct evidence_work *w, const char *channel,
                    const struct ras_detail_member *members, const struct ras_value *map,
                    int depth);

static void add_channels(struct evidence_work *w, const struct ras_detail_member *channels,
                         const struct ras_value *list, int depth)
{
    for (const struct ras_value *item = list + 1; item < ras_value_next(list);
         item = ras_value_next(item)) {
        const struct ras_value *name = ras_value_member(item, "channel");
        const struct ras_value *detail = ras_value_member(item, "detail");
        if (name && detail && detail->kind == RAS_MAP)
            add_map(w, name->at, member_of(channels, name->at)->of, detail, depth + 1);
    }
}

/* expected_X and actual_X, at the first of the two that is there. */
static void add_sides(struct evidence_work *w, const char *channel, const struct ras_value *map,
                      const char *key)
{
    const char *joint = strchr(key, '_'), *name = joint ? joint + 1 : "";
    char names[2][LABEL_MOST], label[LABEL_MOST];
    snprintf(names[0], LABEL_MOST, "expected%s%s", joint ? "_" : "", name);
    snprintf(names[1], LABEL_MOST, "actual%s%s", joint ? "_" : "", name);
    const struct ras_value *a = ras_value_member(map, names[0]);
    const struct ras_value *b = ras_value_member(map, names[1]);
    if (a && !strncmp(key, "actual", strlen("actual")))
        return;
    add_pair(w, joined(label, channel, name), a && a->kind == RAS_NULL ? NULL : a,
             b && b->kind == RAS_NULL ? NULL : b);
}

/* The scalars of both sides that tell how many: the same on both is worth a row. */
static void add_counts(struct evidence_work *w, const struct ras_value *map)
{
    const struct ras_value *a = ras_value_member(map, "expected");
    const struct ras_value *b = ras_value_member(map, "actual");
    for (const struct ras_value *key = a && b && a->kind == RAS_MAP && b->kind == RAS_MAP ? a + 1
                                                                                          : NULL;
         key && key < ras_value_next(a); key = ras_value_next(key + 1))
        if (ends_with(key->at, "_count"))
            add_row(w, key->at, key + 1, ras_value_member(b, key->at));
}

/* What only one side has; what the other shows is only where it would be. */
static void add_lone_side(struct evidence_work *w, const struct ras_value *map)
{
    static const char *const names[] = {"function", "type"};
    const struct ras_value *v = ras_value_member(map, w->lone ? "actual" : "expected");
    if (!v || v->kind == RAS_NULL)
        return;
    for (size_t i = 0; v->kind == RAS_MAP && i < sizeof names / sizeof *names; i++)
        if (ras_value_member(v, names[i])) {
            v = ras_value_member(v, names[i]);
            add_row(w, names[i], w->lone ? NULL : v, w->lone ? v : NULL);
            return;
        }
    add_row(w, w->place->kind, w->lone ? NULL : v, w->lone ? v : NULL);
}

/* Records of one side in a list: one row each. */
static void add_lone(struct evidence_work *w, const char *label, const struct ras_value *list,
                     bool actual)
{
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v)) {
        const struct ras_value *type = v->kind == RAS_MAP ? ras_value_member(v, "type") : NULL;
        const struct ras_value *values = v->kind == RAS_MAP ? ras_value_member(v, "values") : NULL;
        const char *name = type ? evidence_text(w->arena, "", type) : label;
        add_row(w, name, actual ? NULL : values ? values : v, actual ? values ? values : v : NULL);
    }
}

/* A map or list that is a value: pairs of it, uids that one side has, rows further below. */
static void add_value(struct evidence_work *w, const char *channel,
                      const struct ras_detail_member *m, const struct ras_value *key, int depth)
{
    const struct ras_value *v = key + 1;
    char label[LABEL_MOST];
    joined(label, channel, key->at);
    if (v->kind == RAS_MAP) {
        const struct ras_value *a = ras_value_member(v, "expected");
        const struct ras_value *b = ras_value_member(v, "actual");
        if (!a && !b) {
            a = ras_value_member(v, "missing");
            b = ras_value_member(v, "extra");
        }
        if (a || b)
            add_row(w, label, a, b);
        else
            add_map(w, channel, m->of, v, depth + 1);
        return;
    }
    if (!strcmp(key->at, "deleted") || !strcmp(key->at, "inserted")) {
        add_lone(w, label, v, *(const char *)key->at == 'i');
        return;
    }
    for (const struct ras_value *item = v + 1; m->of && item < ras_value_next(v);
         item = ras_value_next(item))
        if (item->kind == RAS_MAP)
            add_map(w, channel, m->of, item, depth + 1);
    if (m->of)
        return;
    add_context(w, key->at);
    out_format(&w->context, " %s", evidence_text(w->arena, "", v));
}

static void add_scalar(struct evidence_work *w, const struct ras_value *key)
{
    static const char *const repeated[] = {"pretty", "path", "depth", "actual_index", "kind"};
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        if (!strcmp(key->at, repeated[i]))
            return;
    if (key[1].kind == RAS_NULL || ends_with(key->at, "_tail"))
        return;
    add_context(w, key->at);
    out_format(&w->context, " %s", evidence_text(w->arena, key->at, key + 1));
}

static void add_member(struct evidence_work *w, const char *channel,
                       const struct ras_detail_member *m, const struct ras_value *map,
                       const struct ras_value *key, int depth)
{
    const struct ras_value *v = key + 1;
    switch (m->role) {
    case RAS_DETAIL_ROWS:
        for (const struct ras_value *row = v + 1; v->kind == RAS_LIST && row < ras_value_next(v);
             row = ras_value_next(row))
            add_stated_row(w, channel, row);
        return;
    case RAS_DETAIL_CHANNELS:
        if (v->kind == RAS_LIST)
            add_channels(w, m->of, v, depth);
        return;
    case RAS_DETAIL_CALLS:
        if (v->kind == RAS_LIST)
            add_calls(w, v);
        return;
    case RAS_DETAIL_PAIR:
        add_sides(w, channel, map, key->at);
        return;
    case RAS_DETAIL_VALUE:
        if (holds_more(v) && depth < DEPTH_MOST)
            add_value(w, channel, m, key, depth);
        else if (!*channel)
            add_scalar(w, key);
        return;
    default:
        return;
    }
}

static void add_map(struct evidence_work *w, const char *channel,
                    const struct ras_detail_member *members, const struct ras_value *map, int depth)
{
    bool rows = has_rows(members, map), sides = false;
    for (const struct ras_value *key = map + 1; key < ras_value_next(map);
         key = ras_value_next(key + 1)) {
        const struct ras_detail_member *m = member_of(members, key->at);
        if (m->role == RAS_DETAIL_SIDE && !sides) {
            sides = true;
            add_function(w, map);
            if (w->lone >= 0)
                add_lone_side(w, map);
            else if (!rows)
                add_sides(w, channel, map, key->at);
        } else if (m->role != RAS_DETAIL_SIDE) {
            add_member(w, channel, m, map, key, depth);
        }
    }
    if (sides && rows)
        add_counts(w, map);
}

/* ---- a divergence ------------------------------------------------------------------------ */

static const char *where_text(struct arena *arena, const struct ras_divergence *v, const char *axis)
{
    const char *text = "";
    for (size_t i = 0; i < v->at_count; i++) {
        const struct ras_place *at = &v->at[i];
        if (at->value.kind == RAS_NULL || !strcmp(at->word, axis))
            continue;
        text =
            arena_format(arena, "%s%s%s %" PRIu64, text, *text ? ", " : "", at->word, at->value.u);
    }
    return text;
}

bool evidence_of(struct evidence_place *place, struct arena *arena, const struct ras_divergence *v,
                 const char *axis)
{
    struct evidence_work w = {.place = place, .arena = arena};
    *place = (struct evidence_place){.where = where_text(arena, v, axis),
                                     .kind = v->kind,
                                     .context = "",
                                     .seq = {v->seq[0], v->seq[1]},
                                     .stream = {v->stream[0], v->stream[1]}};
    w.lone = !strncmp(v->kind, "missing_", 8) ? 0 : !strncmp(v->kind, "extra_", 6) ? 1 : -1;
    if (v->detail && v->detail->kind == RAS_MAP && ras_value_member(v->detail, "missing_in"))
        w.lone = -1; /* it says itself */
    if (v->detail && v->detail->kind == RAS_MAP)
        add_map(&w, "", v->schema ? v->schema->members : NULL, v->detail, 0);
    if (w.context.len)
        place->context = keep_text(arena, w.context.at, w.context.len);
    bool failed = w.nomem || w.context.failed;
    out_free(&w.context);
    if (failed)
        evidence_free(place);
    return !failed;
}

void evidence_free(struct evidence_place *place)
{
    free(place->rows);
    place->rows = NULL;
    place->row_count = place->row_room = 0;
}
