/* cdt_frida_list.c - arrays and maps out of a line of JSON, whose length shows at their end. */
#include "codec/base64.h"
#include "formats/cdt/cdt_frida_json.h"

#include <stdlib.h>

/* A list under way: it is moved to twice the room when it is full. */
struct growing {
    uint8_t *at;
    size_t count, room, size;
};

/* Room for one more element; NULL: out of memory. */
static void *grow(struct frida_in *d, struct growing *g)
{
    if (g->count == g->room) {
        size_t room = g->room ? 2 * g->room : 8;
        uint8_t *at = arena_take(d->arena, (uint64_t)room * g->size);
        if (!at)
            return NULL;
        if (g->count)
            memcpy(at, g->at, g->count * g->size);
        g->at = at;
        g->room = room;
    }
    return g->at + g->size * g->count++;
}

/* What an array holds, as the field says. */
typedef const uint8_t *element(struct frida_in *d, const uint8_t *p, const void *of, void *out);

static const uint8_t *frida_array(struct frida_in *d, const uint8_t *p, bool null, element *one,
                                  const void *of, size_t size, struct frida_list *out)
{
    struct growing g = {.size = size};
    bool more;
    if (*p != '[')
        return frida_expected(d, p, "array", null);
    p = frida_first(p + 1, ']', &more);
    while (more) {
        void *item = grow(d, &g);
        if (!item)
            return frida_no_memory(d);
        p = one(d, p, of, item);
        if (!p)
            return frida_inside(d, "[%zu]", g.count - 1);
        p = frida_next(d, p, ']', &more);
        if (!p)
            return NULL;
    }
    *out = (struct frida_list){g.at, g.count};
    return p;
}

static const uint8_t *one_struct(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    return frida_struct(d, p, of, false, out);
}

static const uint8_t *one_text(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_text(d, p, false, out);
}

static const uint8_t *one_int(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_int(d, p, false, false, out);
}

static const uint8_t *one_list(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_array(d, p, false, one_int, NULL, sizeof(struct ras_cdt_int), out);
}

static const uint8_t *one_lists(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_array(d, p, false, one_list, NULL, sizeof(struct frida_list), out);
}

/* [move_x, move_y, aim_x, aim_y, flags]: of the replay, not of the trace. */
static const uint8_t *one_input(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    enum { FLOATS = 4, COUNT };
    const uint8_t *start = p;
    struct ras_cdt_int flags;
    double axis;
    size_t count = 0;
    bool more;
    (void)of;
    *(bool *)out = true;
    if (*p != '[')
        return frida_expected(d, p, "array", false);
    for (p = frida_first(p + 1, ']', &more); more; count++) {
        p = count == COUNT   ? frida_bad(d, start, "Expected `array` of length %d", COUNT)
            : count < FLOATS ? frida_float(d, p, false, &axis)
                             : frida_int(d, p, false, true, &flags);
        if (!p)
            return count == COUNT ? NULL : frida_inside(d, "[%zu]", count);
        p = frida_next(d, p, ']', &more);
        if (!p)
            return NULL;
    }
    return count == COUNT ? p : frida_bad(d, start, "Expected `array` of length %d", COUNT);
}

/* ---- arrays of a known length -------------------------------------------------------- */

/* msgspec reads all of it before it looks at the length. */
static const uint8_t *frida_fixed(struct frida_in *d, const uint8_t *p, const struct cdt_field *f,
                                  struct ras_cdt_int *out)
{
    const uint8_t *start = p;
    struct frida_list list;
    p = frida_array(d, p, false, one_int, NULL, sizeof *out, &list);
    if (!p)
        return NULL;
    const struct ras_cdt_int *item = list.at;
    for (size_t i = 0; f->type == CDT_FIXED_POS && i < list.count; i++)
        if (item[i].value < 0 && !item[i].wide) {
            frida_bad(d, start, "Expected `int` >= 0");
            return frida_inside(d, "[%zu]", i);
        }
    if (list.count != f->fixed)
        return frida_bad(d, start, "Expected `array` of length %s %u",
                         list.count < f->fixed ? ">=" : "<=", f->fixed);
    memcpy(out, item, list.count * sizeof *out);
    return p;
}

static const uint8_t *get_bytes(struct frida_in *d, const uint8_t *p, struct ras_bytes *out)
{
    struct ras_bytes text;
    const uint8_t *next = *p == '"' ? frida_text(d, p, false, &text) : NULL;
    if (*p != '"')
        return frida_expected(d, p, "bytes", false);
    if (!next)
        return NULL;
    uint8_t *room = arena_take(d->arena, text.len);
    if (!room)
        return frida_no_memory(d);
    out->at = room;
    return base64_get(text, room, &out->len) ? next
                                             : frida_bad(d, p, "Invalid base64 encoded string");
}

/* ---- maps ------------------------------------------------------------------------------ */

struct place {
    struct ras_bytes key;
    size_t index;
};

static int by_timer_key(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    size_t len = a->key.len < b->key.len ? a->key.len : b->key.len;
    int order = len ? memcmp(a->key.at, b->key.at, len) : 0;
    if (!order)
        order = (a->key.len > b->key.len) - (a->key.len < b->key.len);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static bool same_key(const struct place *a, const struct place *b)
{
    return a->key.len == b->key.len && !memcmp(a->key.at, b->key.at, a->key.len);
}

/* Of equal keys the last one counts, in the place of the first. */
static bool join_equal(struct frida_in *d, struct ras_cdt_timer *item, size_t *count)
{
    size_t n = *count, kept = 0;
    struct place *places = arena_take(d->arena, n * sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){item[i].key, i};
    qsort(places, n, sizeof *places, by_timer_key);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (!same_key(&places[first], &places[i]))
            first = i;
        if (first == i)
            continue;
        item[places[first].index].value = item[places[i].index].value;
        item[places[i].index].key.at = NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (item[i].key.at)
            item[kept++] = item[i];
    *count = kept;
    return true;
}

static const uint8_t *get_map(struct frida_in *d, const uint8_t *p, struct frida_list *out)
{
    struct growing g = {.size = sizeof(struct ras_cdt_timer)};
    bool more;
    if (*p != '{')
        return frida_expected(d, p, "object", false);
    p = frida_first(p + 1, '}', &more);
    while (more) {
        struct ras_cdt_timer *item = grow(d, &g);
        if (!item)
            return frida_no_memory(d);
        p = frida_key(d, p, &item->key);
        if (!p)
            return NULL;
        p = frida_int(d, p, false, false, &item->value);
        if (!p)
            return frida_inside(d, "[...]");
        p = frida_next(d, p, '}', &more);
        if (!p)
            return NULL;
    }
    if (g.count > 1 && !join_equal(d, (struct ras_cdt_timer *)(void *)g.at, &g.count))
        return frida_no_memory(d);
    *out = (struct frida_list){g.at, g.count};
    return p;
}

const uint8_t *frida_container(struct frida_in *d, const uint8_t *p, const struct cdt_field *f,
                               uint8_t *out)
{
    struct frida_list *list = (struct frida_list *)(void *)out;
    bool null = f->need == CDT_NULLABLE;
    switch ((int)f->type) {
    case CDT_BIN:
        return get_bytes(d, p, (struct ras_bytes *)(void *)out);
    case CDT_LIST:
        return frida_array(d, p, null, one_struct, f->of, f->of->size, list);
    case CDT_STRS:
        return frida_array(d, p, null, one_text, NULL, sizeof(struct ras_bytes), list);
    case CDT_INTS:
        return frida_array(d, p, null, one_int, NULL, sizeof(struct ras_cdt_int), list);
    case CDT_COUNTS:
        return frida_array(d, p, null, one_lists, NULL, sizeof(struct frida_list), list);
    case CDT_TIMERS:
        return get_map(d, p, list);
    case FRIDA_INPUTS:
        return frida_array(d, p, null, one_input, NULL, sizeof(bool), list);
    case FRIDA_CONFIG:
        return frida_config(d, p, (struct frida_config *)(void *)out);
    default:
        return frida_fixed(d, p, f, (struct ras_cdt_int *)(void *)out);
    }
}
