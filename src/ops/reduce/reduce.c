/* reduce.c - delta debugging: which part of a trace to leave out next.
 *
 * Streams are left out first, then groups (a frame with what is in it), then units; of each all
 * at once, then halves, quarters and so on down to one. When single ones were tried and some
 * were left out, all are tried once more, until none can be: what is left is minimal. What a
 * candidate leaves out does not depend on how long tests take, so the result does not either. */
#include "base/memory.h"
#include "base/struct_size.h"
#include "ops/reduce/reducer.h"
#include "ops/rewrite/rewrite_driver.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_LEAST = 1 << 20 };

/* ---- keys ------------------------------------------------------------------------------ */

/* Of no unit at all: 0 is no key. */
#define NOTHING_KEY UINT64_C(0x5eed0fa11ce77e57)

/* Of one unit; those of several are joined by exclusive or. */
static uint64_t unit_key(size_t unit)
{
    uint64_t x = ((uint64_t)unit + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static bool is_known(const struct known *k, uint64_t key)
{
    for (size_t i = (size_t)key & (k->room - 1); k->room && k->keys[i]; i = (i + 1) & (k->room - 1))
        if (k->keys[i] == key)
            return true;
    return false;
}

static void put_known(struct known *k, uint64_t key)
{
    size_t i = (size_t)key & (k->room - 1);
    while (k->keys[i] && k->keys[i] != key)
        i = (i + 1) & (k->room - 1);
    k->count += !k->keys[i];
    k->keys[i] = key;
}

static bool learn(struct known *k, uint64_t key)
{
    if (k->count * 2 >= k->room) {
        struct known more = {.room = k->room ? 2 * k->room : 1024};
        more.keys = calloc(more.room, sizeof *more.keys);
        if (!more.keys)
            return false;
        for (size_t i = 0; i < k->room; i++)
            if (k->keys[i])
                put_known(&more, k->keys[i]);
        free(k->keys);
        *k = more;
    }
    put_known(k, key);
    return true;
}

/* ---- items ------------------------------------------------------------------------------- */

/* What is left, by the items of each level; those of a level ascend from unit to unit, but for
 * streams, which may take turns. */
static void list_items(struct ras_reduce *r)
{
    for (enum level level = 0; level < LEVELS; level++) {
        struct items *items = &r->items[level];
        items->count = 0;
        for (size_t i = 0; i < r->unit_count; i++) {
            uint32_t item = r->gone[i] ? NO_ITEM : reduce_item(r, level, i);
            if (item == NO_ITEM || (items->count && item == items->at[items->count - 1]))
                continue;
            size_t at = items->count;
            while (level == LEVEL_STREAMS && at && items->at[at - 1] > item)
                at--;
            if (level == LEVEL_STREAMS && at && items->at[at - 1] == item)
                continue;
            memmove(&items->at[at + 1], &items->at[at], (items->count - at) * sizeof *items->at);
            items->at[at] = item;
            items->count++;
        }
    }
}

/* ---- the way -------------------------------------------------------------------------------- */

/* The first item of a level that has any; false: there is none from this level on. */
static bool enter_level(const struct ras_reduce *r, struct spot *s, enum level level)
{
    while (level < LEVELS && !r->items[level].count)
        level++;
    if (level == LEVELS)
        return false;
    s->level = level;
    s->at = 0;
    s->pass_changed = false;
    s->size = s->first_round ? r->items[level].count : 1;
    return true;
}

/* Behind the last item: smaller parts, the next level, another round, or the end. */
static bool turn(const struct ras_reduce *r, struct spot *s)
{
    size_t count = r->items[s->level].count;
    s->at = 0;
    if (s->size > 1 && count) {
        s->size = s->size / 2 < count ? s->size / 2 : count;
        s->pass_changed = false;
        return true;
    }
    if (s->pass_changed && count) { /* single ones: what could not go before may go now */
        s->pass_changed = false;
        return true;
    }
    if (enter_level(r, s, s->level + 1))
        return true;
    if (!s->round_changed)
        return false;
    s->round_changed = s->first_round = false;
    return enter_level(r, s, 0);
}

/* Pass over the part that is not left out. */
static bool pass(const struct ras_reduce *r, struct spot *s)
{
    s->at += s->size;
    return s->at < r->items[s->level].count || turn(r, s);
}

static void describe(const struct ras_reduce *r, const struct spot *s, struct ras_candidate *c)
{
    const struct items *items = &r->items[s->level];
    size_t end = items->count - s->at < s->size ? items->count : s->at + s->size;
    *c = (struct ras_candidate){.key = r->key,
                                .records = r->left,
                                .level = s->level,
                                .first = items->at[s->at],
                                .last = items->at[end - 1]};
}

static bool leaves_out(const struct ras_reduce *r, const struct ras_candidate *c, size_t unit)
{
    uint32_t item = reduce_item(r, (enum level)c->level, unit);
    return item != NO_ITEM && item >= c->first && item <= c->last;
}

/* The first unit of a group, or of one behind it. */
static size_t group_start(const struct ras_reduce *r, uint64_t group)
{
    size_t low = 0, high = r->unit_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->units[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the units of a candidate's items lie; those of streams may be anywhere. */
static void find_units(const struct ras_reduce *r, const struct ras_candidate *c, size_t *from,
                       size_t *to)
{
    *from = 0;
    *to = r->unit_count;
    if (c->level == LEVEL_UNITS) {
        *from = (size_t)c->first;
        *to = (size_t)c->last + 1;
    }
    if (c->level == LEVEL_GROUPS) {
        *from = group_start(r, c->first);
        *to = group_start(r, c->last + 1);
    }
}

static void count_candidate(const struct ras_reduce *r, struct ras_candidate *c)
{
    size_t from, to;
    find_units(r, c, &from, &to);
    for (size_t i = from; i < to; i++)
        if (!r->gone[i] && leaves_out(r, c, i)) {
            c->key ^= unit_key(i);
            c->records -= r->units[i].count;
        }
}

/* ---- for the caller -------------------------------------------------------------------------- */

static const struct ras_candidate everything = {.level = LEVELS};

int ras_reduce_next(struct ras_reduce *r, size_t ahead, struct ras_candidate *c,
                    struct ras_error *err)
{
    struct spot s = r->spot;
    *c = everything;
    c->key = r->key;
    c->records = r->left;
    if (r->ended || (!r->started && ahead))
        return RAS_END;
    if (!r->started)
        return RAS_OK;
    uint64_t *before = calloc(ahead + 1, sizeof *before);
    if (!before)
        return fail_memory(err);
    int status = RAS_OK;
    for (size_t n = 0;;) {
        bool twice = false;
        describe(r, &s, c);
        count_candidate(r, c);
        for (size_t i = 0; i < n && !twice; i++)
            twice = before[i] == c->key;
        if (!twice && !is_known(&r->known, c->key)) {
            if (n == ahead)
                break;
            before[n++] = c->key;
        }
        if (!pass(r, &s)) {
            status = RAS_END;
            break;
        }
    }
    free(before);
    return status;
}

/* The spot of the next candidate that is not known, where the search stands now. */
static void settle(struct ras_reduce *r)
{
    struct ras_candidate c;
    while (!r->ended) {
        describe(r, &r->spot, &c);
        count_candidate(r, &c);
        if (!is_known(&r->known, c.key))
            return;
        r->ended = !pass(r, &r->spot);
    }
}

static void leave_out(struct ras_reduce *r, const struct ras_candidate *c)
{
    size_t from, to;
    find_units(r, c, &from, &to);
    for (size_t i = from; i < to; i++)
        if (!r->gone[i] && leaves_out(r, c, i))
            r->gone[i] = true;
    r->key = c->key;
    r->left = c->records;
    r->spot.pass_changed = r->spot.round_changed = true;
    list_items(r);
    const struct items *items = &r->items[r->spot.level];
    if (r->spot.size > items->count && items->count)
        r->spot.size = items->count;
    if (r->spot.at >= items->count)
        r->ended = !turn(r, &r->spot);
}

int ras_reduce_tell(struct ras_reduce *r, bool fails, struct ras_error *err)
{
    struct ras_candidate c;
    int status = ras_reduce_next(r, 0, &c, err);
    if (status != RAS_OK)
        return status < 0 ? status
                          : fail(err, RAS_EUSAGE, RAS_NONE, "there is no candidate to tell of");
    r->told++;
    if (!r->started) {
        r->started = fails;
        r->spot = (struct spot){.first_round = true};
        r->ended = !fails || !enter_level(r, &r->spot, 0);
        return RAS_OK;
    }
    settle(r);
    if (fails) {
        leave_out(r, &c);
        reduce_rebase(r);
    } else if (learn(&r->known, c.key)) {
        r->ended = !pass(r, &r->spot);
    } else {
        return fail_memory(err);
    }
    settle(r);
    return RAS_OK;
}

int ras_reduce_write(struct ras_reduce *r, const struct ras_candidate *c,
                     const struct ras_rewrite_options *where, struct ras_rewritten **out,
                     struct ras_error *err)
{
    *out = NULL;
    struct ras_rewrite_options own;
    where = OPTIONS(&own, where, err);
    if (!where)
        return RAS_EUSAGE;
    size_t count = 0;
    for (size_t i = 0; i < r->unit_count; i++) {
        const struct unit *u = &r->units[i];
        if (r->gone[i] || (c && c->level < LEVELS && leaves_out(r, c, i)))
            continue;
        if (count && r->spans[count - 1].to == u->from)
            r->spans[count - 1].to += u->count;
        else
            r->spans[count++] = (struct ras_span){u->from, u->from + u->count};
    }
    if (!count) /* nothing at all: an empty span, for none would be everything */
        r->spans[count++] = (struct ras_span){0, 0};
    struct ras_trace *source = r->base.trace ? r->base.trace : r->trace;
    const struct ras_rewrite_options how = {.axis = RAS_AXIS_SEQ,
                                            .from = r->spans[0].from,
                                            .to = r->spans[count - 1].to,
                                            .spans = r->spans,
                                            .span_count = count,
                                            .bare = true,
                                            .target = r->target,
                                            .path = where->path,
                                            .replace = where->replace,
                                            .sink = where->sink,
                                            .folder = where->folder};
    int status = ras_rewrite(out, &source, 1, &how, err);
    if (status == RAS_OK && !r->target)
        r->target = (*out)->target; /* a copy may look like another */
    return status;
}

struct ras_reduce_state ras_reduce_state(const struct ras_reduce *r)
{
    static const char *const parts[] = {"streams", "frames", "records", "records"};
    return (struct ras_reduce_state){.records = r->records,
                                     .left = r->left,
                                     .parts = parts[r->spot.level],
                                     .size = r->started ? r->spot.size : 0,
                                     .told = r->told,
                                     .identity = r->identity};
}

/* ---- open and close ------------------------------------------------------------------ */

static int prepare(struct ras_reduce *r, struct ras_error *err)
{
    r->gone = calloc(r->unit_count + 1, sizeof *r->gone);
    r->spans = calloc(r->unit_count + 1, sizeof *r->spans);
    for (enum level level = 0; level < LEVELS; level++) {
        r->items[level].at = calloc(r->unit_count + 1, sizeof(uint32_t));
        if (!r->items[level].at)
            return fail_memory(err);
    }
    if (!r->gone || !r->spans)
        return fail_memory(err);
    r->left = r->base_records = r->records;
    r->base_bytes = ras_size(r->trace);
    r->copy_least = COPY_LEAST;
    r->key = NOTHING_KEY;
    for (size_t i = 0; i < r->unit_count; i++)
        r->key ^= unit_key(i);
    list_items(r);
    return RAS_OK;
}

int ras_reduce_open(struct ras_reduce **out, struct ras_trace *trace, struct ras_error *err)
{
    *out = NULL;
    struct ras_reduce *r = calloc(1, sizeof *r);
    if (!r)
        return fail_memory(err);
    r->trace = trace;
    int status = source_whole(trace->source, err);
    if (status == RAS_OK)
        status = reduce_collect(r, err);
    if (status == RAS_OK)
        status = prepare(r, err);
    if (status < 0) {
        ras_reduce_close(r);
        return status;
    }
    *out = r;
    return RAS_OK;
}

void ras_reduce_close(struct ras_reduce *r)
{
    if (!r)
        return;
    for (enum level level = 0; level < LEVELS; level++)
        free(r->items[level].at);
    reduce_base_drop(&r->base);
    free(r->units);
    free(r->gone);
    free(r->spans);
    free(r->known.keys);
    free(r);
}
