/* reduce.c - delta debugging: which part of a trace to leave out next.
 *
 * Streams are left out first, then groups (a frame with its records), then units; at each level all
 * at once, then halves, quarters and so on down to one. When single ones were tried and some were
 * left out, all are tried again, until none can be: the rest is minimal. The candidates do not
 * depend on how long tests take, so the result does not either. */
#include "base/memory.h"
#include "base/struct_size.h"
#include "codec/fnv1a.h"
#include "core/format.h"
#include "core/passes.h"
#include "ops/reduce/reducer.h"
#include "ops/rewrite/rewrite_driver.h"
#include "ops/rewrite/rewriter.h"

#include <stdlib.h>
#include <string.h>

struct collector {
    struct ras_reduce *r;
    const struct rewrite_ops *ops;
    uint32_t *streams; /* ids, by the order they appear */
    size_t stream_room;
    bool closed;                 /* the current group has its last record */
    const struct ras_record *at; /* the current record */
    uint64_t tick;               /* of the current group */
    bool has_tick;
};

static bool find_stream(struct collector *k, uint32_t id, uint32_t *index)
{
    struct ras_reduce *r = k->r;
    for (*index = r->stream_count; *index > 0; --*index) /* the last one is the likeliest */
        if (k->streams[*index - 1] == id) {
            --*index;
            return true;
        }
    if (!array_grow(&k->streams, &k->stream_room, r->stream_count + 1u, sizeof *k->streams))
        return false;
    k->streams[ *index = r->stream_count++] = id;
    return true;
}

/* Whether the record continues the group of the one before it: a child, or, where a later record
 * closes a tick, one of the same tick. */
static bool joins_group(const struct collector *k, uint32_t stream)
{
    const struct ras_record *at = k->at;
    const struct unit *last = k->r->unit_count ? &k->r->units[k->r->unit_count - 1] : NULL;
    if (!last || last->stream != stream)
        return false;
    if (at->parent != RAS_NONE)
        return true;
    return k->ops->closes && !k->closed && k->has_tick && at->flags & RAS_HAS_TICK &&
           at->tick == k->tick;
}

static bool is_closing(const struct collector *k)
{
    const struct ras_trace *t = k->r->trace;
    return k->ops->closes && !strcmp(ras_schema_at(t, k->at->schema)->name, k->ops->closes);
}

/* A record that its format copies with its parent, which is the unit before it. */
static bool goes_along(const struct collector *k)
{
    const struct ras_reduce *r = k->r;
    return k->at->parent != RAS_NONE && !k->ops->with_children && r->unit_count &&
           r->units[r->unit_count - 1].from <= k->at->parent;
}

static uint32_t mark_of(const struct collector *k)
{
    const char *type = ras_schema_at(k->r->trace, k->at->schema)->name;
    uint64_t mark = fnv1a_text(type);
    mark = fnv1a_bytes(mark, &k->at->time_ns, sizeof k->at->time_ns);
    mark = fnv1a_bytes(mark, &k->at->tick, sizeof k->at->tick);
    return (uint32_t)(mark ^ mark >> 32);
}

static int add_unit(struct collector *k, struct ras_error *err)
{
    struct ras_reduce *r = k->r;
    uint64_t most = r->trace->limits.pool_bytes / (sizeof *r->units + 16);
    uint32_t stream;
    if (r->unit_count >= most || r->unit_count >= NO_ITEM - 1)
        return fail(err, RAS_ELIMIT, k->at->offset,
                    "more than %zu records: too many to try one by one", r->unit_count);
    if (!find_stream(k, k->at->stream, &stream) ||
        !array_grow(&r->units, &r->unit_room, r->unit_count + 1, sizeof *r->units))
        return fail_memory(err);
    bool joins = joins_group(k, stream);
    struct unit *u = &r->units[r->unit_count++];
    *u = (struct unit){.from = k->at->seq, .count = 1, .stream = stream};
    u->mark = mark_of(k);
    u->group = joins ? r->group_count - 1 : r->group_count++;
    k->closed = is_closing(k);
    u->head = k->closed || (k->ops->with_children && k->at->parent == RAS_NONE);
    k->tick = k->at->tick;
    k->has_tick = k->at->flags & RAS_HAS_TICK;
    return RAS_OK;
}

static int add_record(struct collector *k, struct ras_error *err)
{
    struct ras_reduce *r = k->r;
    const struct ras_record *at = k->at;
    if (at->schema == RAS_SCHEMA_GAP || at->seq == RAS_NONE)
        return RAS_OK;
    r->records++;
    r->identity = fnv1a_bytes(r->identity, at->raw, at->raw_len);
    if (!goes_along(k))
        return add_unit(k, err);
    struct unit *last = &r->units[r->unit_count - 1];
    if (at->seq - last->from >= UINT32_MAX)
        return fail(err, RAS_ELIMIT, at->offset, "%" PRIu64 " records belong to one",
                    at->seq - last->from);
    last->count = (uint32_t)(at->seq - last->from) + 1;
    return RAS_OK;
}

/* The units of a trace. */
static int reduce_collect(struct ras_reduce *r, struct passes *passes, struct ras_error *err)
{
    struct collector k = {.r = r, .ops = rewrite_ops_of(r->trace->format)};
    struct ras_cursor *c;
    const struct ras_scan scan = {.headers_only = true};
    r->identity = FNV1A_START;
    int status = ras_cursor_open(&c, r->trace, &scan, err);
    while (status == RAS_OK && (status = passes_walk(passes, r->trace, c, &k.at, err)) == RAS_OK)
        status = add_record(&k, err);
    ras_cursor_close(c);
    free(k.streams);
    return status == RAS_END ? RAS_OK : status;
}

/* The item of a level that a unit belongs to; NO_ITEM: it is not left out there. */
static uint32_t reduce_item(const struct ras_reduce *r, enum level level, size_t unit)
{
    const struct unit *u = &r->units[unit];
    if (level == LEVEL_STREAMS)
        return r->stream_count > 1 ? u->stream : NO_ITEM;
    /* Where every unit is a group of its own, they are tried once. */
    bool grouped = r->group_count < r->unit_count;
    if (level == LEVEL_GROUPS)
        return grouped ? u->group : NO_ITEM;
    return grouped && u->head ? NO_ITEM : (uint32_t)unit;
}

/* A copy of the remaining records, once they are much fewer than the trace's. Every candidate is a
 * walk over its whole source, so when a quarter is left, candidates are written from a copy of that
 * quarter: the same bytes, faster. A copy whose records are not exactly the remaining ones is not
 * used, nor any where records bring others along. */

enum { QUARTER = 4, COPY_MOST = 64 << 20 };

static int write_copy(struct ras_reduce *r, struct reduce_base *b)
{
    struct ras_rewritten *made;
    int status = ras_rewrite_is_folder(r->trace) ? ras_folder_memory(&b->folder, NULL)
                                                 : ras_sink_memory(&b->sink, NULL);
    if (status < 0)
        return status;
    const struct ras_rewrite_options how = {.sink = b->sink, .folder = b->folder};
    status = ras_reduce_write(r, NULL, &how, &made, NULL);
    if (status == RAS_OK)
        ras_rewritten_free(made);
    return status;
}

static int open_copy(const struct ras_reduce *r, struct reduce_base *b)
{
    const struct ras_options options = {.format = r->trace->format->about.name,
                                        .limits = r->trace->limits};
    size_t count;
    if (b->sink) {
        struct ras_bytes bytes = ras_sink_bytes(b->sink);
        return ras_open_memory(&b->trace, bytes.at, bytes.len, &options, NULL);
    }
    const struct ras_part *parts = ras_folder_parts(b->folder, &count);
    return ras_open_parts(&b->trace, parts, count, &options, NULL);
}

/* Whether the units of the copy are the remaining ones. */
static bool is_same(const struct ras_reduce *r, const struct ras_reduce *copy)
{
    size_t k = 0;
    for (size_t i = 0; i < r->unit_count; i++) {
        if (r->gone[i])
            continue;
        if (k == copy->unit_count || copy->units[k].count != r->units[i].count ||
            copy->units[k].mark != r->units[i].mark)
            return false;
        k++;
    }
    return k == copy->unit_count;
}

static bool adopt(struct ras_reduce *r, struct reduce_base *b)
{
    struct ras_reduce copy = {.trace = b->trace};
    struct passes nobody = {0};
    bool same = reduce_collect(&copy, &nobody, NULL) == RAS_OK && is_same(r, &copy);
    for (size_t i = 0, k = 0; same && i < r->unit_count; i++)
        if (!r->gone[i])
            r->units[i].from = copy.units[k++].from;
    free(copy.units);
    return same;
}

static void reduce_base_drop(struct reduce_base *b)
{
    ras_close(b->trace);
    ras_sink_drop(b->sink);
    ras_folder_drop(b->folder);
    *b = (struct reduce_base){0};
}

/* Copy what is left, if it is much less than what candidates are written from. */
static void reduce_rebase(struct ras_reduce *r)
{
    if (rewrite_ops_of(r->trace->format)
            ->needs_all) /* records that come along may be elsewhere then */
        return;
    if (!r->left || r->left > r->base_records / QUARTER || r->base_bytes < r->copy_least ||
        r->base_bytes / r->base_records > COPY_MOST / r->left)
        return;
    struct reduce_base b = {0};
    r->base_records = r->left; /* if it fails, try again at the next quarter */
    if (write_copy(r, &b) != RAS_OK || open_copy(r, &b) < 0 || !adopt(r, &b)) {
        reduce_base_drop(&b);
        return;
    }
    reduce_base_drop(&r->base);
    r->base = b;
    r->base_bytes = ras_size(b.trace);
}

/* Streams are left out first, then groups (a frame with what is in it), then units; of each all
 * at once, then halves, quarters and so on down to one. When single ones were tried and some
 * were left out, all are tried once more, until none can be: what is left is minimal. What a
 * candidate leaves out does not depend on how long tests take, so the result does not either. */

enum { COPY_LEAST = 1 << 20 };

/* ---- keys ------------------------------------------------------------------------------ */

/* The key of no unit at all. */
#define NOTHING_KEY UINT64_C(0x5eed0fa11ce77e57)

/* The key of one unit; those of several are combined by exclusive or. */
static uint64_t unit_key(size_t unit)
{
    uint64_t x = ((uint64_t)unit + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static bool is_known(const struct id_table *known, uint64_t key)
{
    return id_table_find(known, key) != ID_TABLE_NONE;
}

/* Whether it leaves out what is between others, where only the ends can go. */
static bool makes_hole(const struct ras_reduce *r, const struct ras_candidate *c)
{
    const struct items *items = &r->items[c->level];
    return r->ends_only && c->first > items->at[0] && c->last < items->at[items->count - 1];
}

/* Whether the candidate need not be tested. */
static bool is_settled(const struct ras_reduce *r, const struct ras_candidate *c)
{
    return makes_hole(r, c) || is_known(&r->known, c->key);
}

/* ---- items ------------------------------------------------------------------------------- */

/* The remaining units by the items of each level; those of a level ascend from unit to unit, except
 * for streams, which may be interleaved. */
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

/* ---- the search ----------------------------------------------------------------------------- */

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

/* After the last item: smaller parts, the next level, another round, or the end. */
static bool turn(const struct ras_reduce *r, struct spot *s)
{
    size_t count = r->items[s->level].count;
    s->at = 0;
    if (s->size > 1 && count) {
        s->size = s->size / 2 < count ? s->size / 2 : count;
        s->pass_changed = false;
        return true;
    }
    if (s->pass_changed &&
        count) { /* single items: one that could not be left out before may be now */
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

/* Skip the part that is not left out. */
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

/* The first unit of a group, or of a later one. */
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

/* The range of the units of a candidate's items; those of streams may be anywhere. */
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
        if (!twice && !is_settled(r, c)) {
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

/* Advance to the next candidate that is not known yet. */
static void settle(struct ras_reduce *r)
{
    struct ras_candidate c;
    while (!r->ended) {
        describe(r, &r->spot, &c);
        count_candidate(r, &c);
        if (!is_settled(r, &c))
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

int ras_reduce_report(struct ras_reduce *r, bool fails, struct ras_error *err)
{
    struct ras_candidate c;
    int status = ras_reduce_next(r, 0, &c, err);
    if (status != RAS_OK)
        return status < 0 ? status
                          : fail(err, RAS_EUSAGE, RAS_NONE, "there is no candidate to report on");
    r->reported++;
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
    } else if (is_known(&r->known, c.key) || id_table_add(&r->known, c.key, 0)) {
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
    if (!count) /* an empty span: no spans would mean everything */
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
                                            .folder = where->folder,
                                            .progress = where->progress,
                                            .user = where->user};
    int status = ras_rewrite(out, &source, 1, &how, err);
    if (status == RAS_OK && !r->target)
        r->target = (*out)->target; /* a copy may look like another trace */
    return status;
}

const struct ras_reduce_state *ras_reduce_state(struct ras_reduce *r)
{
    static const char *const parts[] = {"streams", "frames", "records", "records"};
    r->state = (struct ras_reduce_state){.records = r->records,
                                         .left = r->left,
                                         .parts = parts[r->spot.level],
                                         .size = r->started ? r->spot.size : 0,
                                         .reported = r->reported,
                                         .identity = r->identity};
    return &r->state;
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
    const struct rewrite_ops *ops = rewrite_ops_of(r->trace->format);
    r->ends_only = ops->unbroken && ops->unbroken(r->trace);
    r->key = NOTHING_KEY;
    for (size_t i = 0; i < r->unit_count; i++)
        r->key ^= unit_key(i);
    list_items(r);
    return RAS_OK;
}

int ras_reduce_open(struct ras_reduce **out, struct ras_trace *trace, ras_progress *progress,
                    void *user, struct ras_error *err)
{
    *out = NULL;
    struct passes passes = {.progress = progress, .user = user};
    struct ras_reduce *r = calloc(1, sizeof *r);
    if (!r)
        return fail_memory(err);
    r->trace = trace;
    int status = source_whole(trace->source, err);
    if (status == RAS_OK)
        status = reduce_collect(r, &passes, err);
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
    id_table_free(&r->known);
    free(r);
}
