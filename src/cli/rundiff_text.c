/* rundiff_text.c - what the pens of two runs say of the tick at which they part, as text. */
#include "cli/rundirs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINES_ALL = 24, LINES_EACH = 6, DEEPER = 2 };
enum { LINES_MOST = 8, VALUE_MOST = 96, TEXT_MOST = 20, INDENT = 11, DEPTH_MOST = 8 };

/* ---- values ------------------------------------------------------------------------------ */

static const struct ras_value *behind(const struct ras_value *v)
{
    return v + 1 + (v->kind == RAS_LIST || v->kind == RAS_MAP ? v->count : 0);
}

static bool holds(const struct ras_value *v)
{
    return v && (v->kind == RAS_LIST || v->kind == RAS_MAP);
}

/* On one line, and not too long. */
static void put_short(struct answer *a, const struct ras_value *v)
{
    struct ras_sink *memory;
    if (v && v->kind == RAS_STR && v->count > TEXT_MOST) {
        answer_text(a, v->at, TEXT_MOST);
        answer_format(a, "...");
        return;
    }
    if (!holds(v)) {
        put_value(a, v);
        return;
    }
    if (ras_sink_memory(&memory, NULL) < 0)
        return;
    if (ras_json_value(memory, v, false, RAS_JSON_LINE, NULL) == RAS_OK) {
        struct ras_bytes text = ras_sink_bytes(memory);
        answer_text(a, text.at, text.len < VALUE_MOST ? text.len : VALUE_MOST);
        answer_format(a, "%s", text.len < VALUE_MOST ? "" : "...");
    }
    ras_sink_drop(memory);
}

/* ---- details ----------------------------------------------------------------------------- */

/* What is written, and how many lines may still be. */
struct page {
    struct answer *a;
    int lines;
    size_t left; /* lines that there was no room for */
    int deeper;  /* than others they begin */
};

static bool line_begins(struct page *p)
{
    if (p->lines <= 0) {
        p->left++;
        return false;
    }
    p->lines--;
    answer_format(p->a, "%*s", INDENT + p->deeper, "");
    return true;
}

static bool is_text(const struct ras_value *v)
{
    return v && v->kind == RAS_STR;
}

/* {"path","kind","expected","actual"}: what stands at a place in both. */
static bool is_row(const struct ras_value *v)
{
    return v->kind == RAS_MAP && is_text(ras_member(v, "path")) && ras_member(v, "expected") &&
           ras_member(v, "actual");
}

static bool has_rows(const struct ras_value *v)
{
    for (const struct ras_value *at = v; at < behind(v); at++)
        if (is_row(at))
            return true;
    return false;
}

static bool same(const struct ras_value *a, const struct ras_value *b)
{
    if (!a || !b || a->kind != b->kind || a->count != b->count || holds(a))
        return false;
    return is_text(a) ? !memcmp(a->at, b->at, a->count) : a->u == b->u;
}

/* With all that is inside them. */
static bool all_same(const struct ras_value *a, const struct ras_value *b)
{
    const struct ras_value *end = behind(a);
    for (; a < end; a++, b++)
        if (holds(a) ? a->kind != b->kind || a->count != b->count : !same(a, b))
            return false;
    return true;
}

static void put_pair(struct answer *a, const struct ras_value *expected,
                     const struct ras_value *actual)
{
    answer_format(a, "expected ");
    put_short(a, expected);
    answer_format(a, ", actual ");
    put_short(a, actual);
}

/* A hash is the same to look at in every pen. */
static bool is_hash(const struct ras_value *path, const struct ras_value *a,
                    const struct ras_value *b)
{
    static const char word[] = "hash";
    const size_t len = sizeof word - 1;
    return path->count >= len && a->kind == RAS_UINT && b->kind == RAS_UINT &&
           !memcmp((const char *)path->at + path->count - len, word, len);
}

/* Of two maps what they share is told once. */
static void put_maps(struct answer *a, const struct ras_value *expected,
                     const struct ras_value *actual)
{
    const char *before = "";
    const struct ras_value *v;
    for (int shared = 1; shared >= 0; shared--)
        for (const struct ras_value *key = expected + 1; key < behind(expected); key = behind(v)) {
            const struct ras_value *other = ras_member(actual, key->at);
            v = key + 1;
            if (same(v, other) != shared)
                continue;
            answer_format(a, "%s", before);
            answer_text(a, key->at, key->count);
            answer_format(a, shared ? "=" : " ");
            if (shared)
                put_short(a, v);
            else
                put_pair(a, v, other);
            before = ", ";
        }
}

static void put_row(struct page *p, const char *channel, const struct ras_value *row)
{
    const struct ras_value *path = ras_member(row, "path");
    const struct ras_value *expected = ras_member(row, "expected");
    const struct ras_value *actual = ras_member(row, "actual");
    if (!line_begins(p))
        return;
    if (*channel && strncmp(path->at, channel, strlen(channel)) != 0)
        answer_format(p->a, "%s.", channel);
    answer_text(p->a, path->at, path->count);
    answer_format(p->a, ": ");
    if (expected->kind == RAS_MAP && actual->kind == RAS_MAP)
        put_maps(p->a, expected, actual);
    else if (is_hash(path, expected, actual))
        answer_format(p->a, "expected 0x%016" PRIx64 ", actual 0x%016" PRIx64, expected->u,
                      actual->u);
    else
        put_pair(p->a, expected, actual);
    answer_format(p->a, "\n");
}

/* Names of calls, from the outermost to the innermost. */
static void put_way(struct answer *a, const struct ras_value *list)
{
    for (const struct ras_value *v = list + 1; v < behind(list); v = behind(v)) {
        answer_format(a, "%s", v == list + 1 ? "" : " > ");
        put_short(a, v);
    }
}

/* Members that say nothing which the rows do not. */
static bool is_idle(const struct ras_value *key)
{
    static const char *const idle[] = {"mismatch_count", "diff_count", "pretty", "kind", "channel"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (!strcmp(key->at, idle[i]))
            return true;
    return false;
}

/* The function that two events of a call name alike: the rows are of its details. */
static const struct ras_value *function_of(const struct ras_value *map)
{
    const struct ras_value *a = ras_member(map, "expected"), *b = ras_member(map, "actual");
    if (!a || !b || a->kind != RAS_MAP || b->kind != RAS_MAP)
        return NULL;
    const struct ras_value *function = ras_member(a, "function");
    return same(function, ras_member(b, "function")) ? function : NULL;
}

static bool is_way(const struct ras_value *v)
{
    return v->kind == RAS_LIST && v->count && is_text(v + 1);
}

/* The members of a map that are plain, on a line; `rows`: others tell the place. */
static void put_plain(struct page *p, const char *name, const struct ras_value *map, bool rows)
{
    const struct ras_value *v;
    bool any = false;
    for (const struct ras_value *key = map + 1; key < behind(map); key = behind(v)) {
        v = key + 1;
        bool place = rows && !strcmp(key->at, "path") && is_text(v);
        if (place || is_idle(key) || (holds(v) && !is_way(v)) || (!any && !line_begins(p)))
            continue;
        if (!any && *name)
            answer_format(p->a, "%s: ", name);
        answer_format(p->a, "%s", any ? " " : "");
        answer_text(p->a, key->at, key->count);
        answer_format(p->a, "=");
        if (is_way(v))
            put_way(p->a, v);
        else
            put_short(p->a, v);
        any = true;
    }
    const struct ras_value *function = any && rows ? function_of(map) : NULL;
    if (function) {
        answer_format(p->a, " function=");
        put_short(p->a, function);
    }
    if (any)
        answer_format(p->a, "\n");
}

/* What has no rows, as it is: plain members, then those that hold more. */
static void put_tree(struct page *p, const char *name, const struct ras_value *v, int depth)
{
    char below[128];
    size_t index = 0;
    if (v->kind == RAS_MAP)
        put_plain(p, name, v, false);
    for (const struct ras_value *item = v + 1; item < behind(v); item = behind(item)) {
        const struct ras_value *key = v->kind == RAS_MAP ? item++ : NULL;
        if (!holds(item) || is_way(item) || depth == DEPTH_MOST)
            continue;
        if (!key)
            snprintf(below, sizeof below, "%.80s[%zu]", name, index++);
        else
            snprintf(below, sizeof below, "%.80s%s%.32s", name, *name ? "." : "",
                     (const char *)key->at);
        put_tree(p, key && !strcmp(key->at, "detail") ? name : below, item, depth + 1);
    }
}

/* Rows wherever they are. */
static void put_detail(struct page *p, const char *channel, const struct ras_value *v)
{
    const struct ras_value *of = v->kind == RAS_MAP ? ras_member(v, "channel") : NULL;
    channel = is_text(of) ? of->at : channel;
    if (is_row(v)) {
        put_row(p, channel, v);
        return;
    }
    if (!has_rows(v)) {
        put_tree(p, channel, v, 0);
        return;
    }
    if (v->kind == RAS_MAP)
        put_plain(p, "", v, true);
    for (const struct ras_value *item = v + 1; item < behind(v); item = behind(item)) {
        item += v->kind == RAS_MAP; /* past the key */
        if (holds(item) && (v->kind == RAS_LIST || has_rows(item)))
            put_detail(p, channel, item);
    }
}

/* Lists that both sides have alike, such as the commands of a tick. */
static void put_alike(struct page *p, const struct ras_value *detail)
{
    const struct ras_value *a = detail->kind == RAS_MAP ? ras_member(detail, "expected") : NULL;
    const struct ras_value *b = a ? ras_member(detail, "actual") : NULL, *v;
    if (!b || a->kind != RAS_MAP || b->kind != RAS_MAP)
        return;
    for (const struct ras_value *key = a + 1; key < behind(a); key = behind(v)) {
        const struct ras_value *other = ras_member(b, key->at);
        const char *before = ": ";
        v = key + 1;
        if (v->kind != RAS_LIST || !other || !all_same(v, other) || !line_begins(p))
            continue;
        answer_text(p->a, key->at, key->count);
        answer_format(p->a, " the same");
        for (const struct ras_value *item = v + 1; item < behind(v); item = behind(item)) {
            const struct ras_value *name =
                item->kind == RAS_MAP ? ras_member(item, "payload_name") : NULL;
            if (name)
                answer_format(p->a, "%s", before);
            if (name)
                put_short(p->a, name);
            before = name ? ", " : before;
        }
        answer_format(p->a, "\n");
    }
}

static void put_places(struct answer *a, const struct ras_divergence *v, const char *before)
{
    for (size_t i = 0; i < v->at_count; i++) {
        if (!strcmp(v->at[i].word, "tick"))
            continue;
        answer_format(a, "%s%s ", before, v->at[i].word);
        put_value(a, &v->at[i].value);
        before = ", ";
    }
}

static void put_rest(struct answer *a, size_t places)
{
    if (places)
        answer_format(a, "%*sand %zu more place%s of this tick: --json has them\n", INDENT, "",
                      places, places == 1 ? "" : "s");
}

/* Of several events or calls of one tick each has a few lines. */
static void put_all(struct answer *a, const struct ras_diff *d)
{
    struct page p = {.a = a, .lines = LINES_ALL};
    size_t i = 0;
    for (; i < d->divergence_count && p.lines > 1; i++) {
        const struct ras_divergence *v = &d->divergences[i];
        (void)!line_begins(&p);
        put_places(a, v, "");
        answer_format(a, ": %s\n", v->kind);
        struct page own = {
            .a = a, .lines = p.lines < LINES_EACH ? p.lines : LINES_EACH, .deeper = DEEPER};
        p.lines -= own.lines;
        if (holds(v->detail))
            put_detail(&own, "", v->detail);
        p.lines += own.lines;
        if (own.left)
            answer_format(a, "%*sand %zu more lines\n", INDENT + DEEPER, "", own.left);
    }
    put_rest(a, d->divergence_count - i);
}

static void put_page(struct answer *a, const struct ras_value *detail)
{
    struct page p = {.a = a, .lines = LINES_MOST};
    put_detail(&p, "", detail);
    put_alike(&p, detail);
    if (p.left)
        answer_format(a, "%*sand %zu more lines: --json has them all\n", INDENT, "", p.left);
}

/* ---- pens -------------------------------------------------------------------------------- */

static void put_pen(struct answer *a, const struct ras_rundiff *all,
                    const struct ras_rundiff_pen *pen)
{
    const struct ras_diff *d = pen->diff;
    answer_format(a, "%-9s", pen->format);
    if (!d) {
        answer_format(a, "not compared: ");
        answer_text(a, pen->err.text, strlen(pen->err.text));
        answer_format(a, "\n");
        return;
    }
    if (!d->divergence_count && !d->checked) {
        answer_format(a, "no %ss were compared\n", d->word);
        return;
    }
    if (!d->divergence_count) {
        answer_format(a, "the same in %s%" PRIu64 " %s%s\n", d->checked == 1 ? "" : "all of ",
                      d->checked, d->word, d->checked == 1 ? "" : "s");
        return;
    }
    const struct ras_divergence *v = &d->divergences[0];
    if (pen->tick == RAS_NONE)
        answer_format(a, "at no tick");
    else if (pen->tick > all->first_tick)
        answer_format(a, "the same at tick %" PRIu64 ", then %stick %" PRIu64, all->first_tick,
                      pen->about ? "about " : "", pen->tick);
    else
        answer_format(a, "%stick %" PRIu64, pen->about ? "about " : "", pen->tick);
    size_t places = pen->in_tick ? pen->in_tick->divergence_count : 1;
    if (places > 1 && pen->tick == all->first_tick) {
        answer_format(a, ": %zu places differ\n", places);
        put_all(a, pen->in_tick);
        return;
    }
    put_places(a, v, ", ");
    answer_format(a, ": %s\n", v->kind);
    if (holds(v->detail))
        put_page(a, v->detail);
    put_rest(a, places - 1);
}

void put_rundiff(struct answer *a, const struct ras_rundiff *d)
{
    answer_format(a, "result=%s", d->diverged ? "diverged" : d->checked ? "ok" : "unknown");
    if (d->first_tick != RAS_NONE)
        answer_format(a, " tick=%" PRIu64, d->first_tick);
    answer_format(a, " checked=%" PRIu64 "\n", d->checked);
    if (d->settings) {
        answer_format(a, "run.json they were not asked to be the same\n");
        put_page(a, d->settings);
    }
    for (size_t i = 0; i < d->pen_count; i++)
        put_pen(a, d, &d->pens[i]);
}
