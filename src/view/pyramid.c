/* pyramid.c - what rows show at every width of a bucket, within a budget of memory.
 *
 * Entries are added to the finest level, the base. Those above it have a third of the entries
 * each; they are made from the one below when something is read, so that building costs one entry
 * for each bucket of the base. Entries are in chunks of one pool: what is given back is used again,
 * and nothing is lost to fragments. When the pool is full, the base becomes as coarse as it must
 * for half of its entries to suffice; pyramid_plan() does so before it is full, when it is clear
 * that it will be.
 *
 * Items need not come in order. A row has several runs, each in the order of buckets; an item goes
 * to the first run that it does not precede. Where there is none, it waits in a buffer, which is
 * sorted and becomes a run when it is full; then the two shortest runs are merged. */
#include "view/pyramid.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 64, /* entries: memory is fetched in long pieces */
    CHUNK_BYTES = CHUNK * (int)sizeof(struct entry),
    SLAB_CHUNKS = 32,
    SPROUT = 2 * CHUNK, /* entries of a level from which on it has one above */
    UPPER_PART = 3,     /* entries of a level for one of that above it */
    RUNS = 8,
    LATE = 512,
    SAMPLED = 16, /* chunks of a run */
    SHIFT_MOST = 63,
    BYTES_A_ROW = 4096,
    PLAN_PART = 16, /* of the budget: enough entries to judge by */
    ITEMS_AN_ENTRY = 4,
    ROWS_LEAST = 1024,
};

/* Buckets that are over are stored in chunks; the last one is open. */
struct level {
    struct entry open;
    uint64_t bucket;  /* of `open` */
    struct entry *at; /* where the next entry is stored */
    uint32_t left;    /* entries that the last chunk has room for */
    uint32_t count;   /* stored */
    uint32_t *chunks;
    size_t chunk_room;
    uint32_t taken; /* entries of the level below that are in this one */
    uint8_t shift;
    bool has; /* something is open */
};

struct run {
    struct level base;
    struct level *uppers;
    size_t upper_count, upper_room;
};

struct row {
    unsigned run_count;
    bool values;
    uint16_t late_count;
    struct entry *late; /* LATE of them; NULL: none yet */
    struct run *runs[RUNS];
};

struct pyramid {
    size_t budget, bytes;
    size_t upper_chunks; /* in levels above the base */
    unsigned base;
    size_t planned; /* bytes of entries from which on the plan is made again */
    uint64_t items; /* added */
    struct row *rows;
    size_t row_count, row_room;
    struct entry **slabs;
    size_t slab_count, slab_room;
    uint32_t free_chunk; /* 1 + the first of a list; 0: none */
    size_t free_count;
};

/* ---- chunks ------------------------------------------------------------------------------ */

static inline struct entry *chunk_at(const struct pyramid *p, uint32_t chunk)
{
    return p->slabs[chunk / SLAB_CHUNKS] + (size_t)(chunk % SLAB_CHUNKS) * CHUNK;
}

static void chunk_give(struct pyramid *p, uint32_t chunk)
{
    memcpy(chunk_at(p, chunk), &p->free_chunk, sizeof p->free_chunk);
    p->free_chunk = chunk + 1;
    p->free_count++;
}

static bool more_chunks(struct pyramid *p)
{
    struct entry *slab = malloc((size_t)SLAB_CHUNKS * CHUNK_BYTES);
    size_t had = p->slab_room;
    if (!slab || p->slab_count >= UINT32_MAX / SLAB_CHUNKS - 1 ||
        !array_grow(&p->slabs, &p->slab_room, p->slab_count + 1, sizeof *p->slabs)) {
        free(slab);
        return false;
    }
    p->slabs[p->slab_count++] = slab;
    p->bytes += (size_t)SLAB_CHUNKS * CHUNK_BYTES + (p->slab_room - had) * sizeof *p->slabs;
    for (unsigned i = SLAB_CHUNKS; i--;)
        chunk_give(p, (uint32_t)(p->slab_count - 1) * SLAB_CHUNKS + i);
    return true;
}

/* A chunk, whatever the budget is. UINT32_MAX: memory is short. */
static uint32_t chunk_take(struct pyramid *p)
{
    if (!p->free_chunk && !more_chunks(p))
        return UINT32_MAX;
    uint32_t chunk = p->free_chunk - 1;
    memcpy(&p->free_chunk, chunk_at(p, chunk), sizeof p->free_chunk);
    p->free_count--;
    if (p->free_chunk)
        __builtin_prefetch(chunk_at(p, p->free_chunk - 1), 1); /* the next one that is taken */
    return chunk;
}

/* array_grow() whose bytes are counted. */
static bool grow_counted(struct pyramid *p, void *items, size_t *room, size_t need, size_t size)
{
    size_t had = *room;
    if (!array_grow(items, room, need, size))
        return false;
    p->bytes += (*room - had) * size;
    return true;
}

/* ---- levels ------------------------------------------------------------------------------ */

static inline struct entry *level_entry(const struct pyramid *p, const struct level *l, size_t i)
{
    return chunk_at(p, l->chunks[i / CHUNK]) + i % CHUNK;
}

static inline size_t level_chunks(const struct level *l)
{
    return (l->count + CHUNK - 1u) / CHUNK;
}

static void level_free(struct pyramid *p, struct level *l)
{
    for (size_t i = 0; i < level_chunks(l); i++)
        chunk_give(p, l->chunks[i]);
    p->bytes -= l->chunk_room * sizeof *l->chunks;
    free(l->chunks);
    *l = (struct level){.shift = l->shift};
}

static bool level_more(struct pyramid *p, struct level *l)
{
    size_t chunk = l->count / CHUNK;
    if (chunk == l->chunk_room &&
        !grow_counted(p, &l->chunks, &l->chunk_room, chunk + 1, sizeof *l->chunks))
        return false;
    uint32_t taken = chunk_take(p);
    if (taken == UINT32_MAX)
        return false;
    l->chunks[chunk] = taken;
    l->at = chunk_at(p, taken);
    l->left = CHUNK;
    return true;
}

static inline bool level_store(struct pyramid *p, struct level *l, const struct entry *e)
{
    if (!l->left && !level_more(p, l))
        return false;
    *l->at++ = *e;
    l->left--;
    l->count++;
    return true;
}

/* Keep only the first entries. */
static void level_cut(struct pyramid *p, struct level *l, uint32_t count)
{
    size_t had = level_chunks(l);
    l->count = count;
    for (size_t i = level_chunks(l); i < had; i++)
        chunk_give(p, l->chunks[i]);
    l->left = count % CHUNK ? CHUNK - count % CHUNK : 0;
    l->at = l->left ? level_entry(p, l, count - 1) + 1 : NULL;
}

/* An entry joins the open bucket of a level, or closes it; it is not before it. */
static inline bool level_put(struct pyramid *p, struct level *l, const struct entry *e, bool values)
{
    uint64_t bucket = e->start >> l->shift;
    if (l->has && l->bucket == bucket) {
        entry_merge(&l->open, e, values);
        return true;
    }
    if (l->has && !level_store(p, l, &l->open))
        return false;
    l->open = *e;
    l->bucket = bucket;
    l->has = true;
    return true;
}

/* Chunks of a level are anywhere in memory. */
static inline void chunk_prefetch(const struct pyramid *p, const struct level *l, size_t chunk)
{
    if (chunk >= level_chunks(l))
        return;
    const char *at = (const char *)chunk_at(p, l->chunks[chunk]);
    for (size_t line = 0; line < CHUNK_BYTES; line += 64)
        __builtin_prefetch(at + line, 1);
}

/* At which shifts how many neighbours in a chunk are one bucket: bit lengths of what differs. Some
 * chunks of a long level suffice. How many neighbours there are. */
static uint64_t level_count_joins(const struct pyramid *p, const struct level *l,
                                  uint64_t joins[65])
{
    size_t chunks = l->count / CHUNK, step = chunks / SAMPLED + 1, pairs = 0;
    for (size_t i = 0; i < chunks; i += step) {
        const struct entry *e = chunk_at(p, l->chunks[i]);
        for (unsigned k = 1; k < CHUNK; k++) {
            uint64_t differs = e[k - 1].start ^ e[k].start;
            joins[differs ? 64 - __builtin_clzll(differs) : 0] += step;
        }
        pairs += step * (CHUNK - 1);
    }
    return pairs;
}

/* The first shift from `shift` on at which at most one in `part` entries is left. */
static unsigned shift_of_part(const uint64_t joins[65], uint64_t pairs, unsigned shift,
                              unsigned part)
{
    uint64_t joined = 0;
    unsigned i = 0;
    for (; i < SHIFT_MOST; i++) {
        joined += joins[i];
        if (i >= shift && part * (pairs - joined) <= pairs)
            break;
    }
    return i;
}

/* ---- levels above the base ----------------------------------------------------------------- */

/* Levels from one on are not needed any more. */
static void run_cut_uppers(struct pyramid *p, struct run *r, size_t from)
{
    while (r->upper_count > from) {
        struct level *l = &r->uppers[--r->upper_count];
        p->upper_chunks -= level_chunks(l);
        level_free(p, l);
    }
}

static void run_free_uppers(struct pyramid *p, struct run *r)
{
    run_cut_uppers(p, r, 0);
    p->bytes -= r->upper_room * sizeof *r->uppers;
    free(r->uppers);
    r->uppers = NULL;
    r->upper_count = r->upper_room = 0;
}

static void run_free(struct pyramid *p, struct run *r)
{
    run_free_uppers(p, r);
    level_free(p, &r->base);
    p->bytes -= sizeof *r;
    free(r);
}

/* One level more, by a few: most rows are short. */
static bool run_add_upper(struct pyramid *p, struct run *r, unsigned shift)
{
    if (r->upper_count == r->upper_room) {
        struct level *uppers = realloc(r->uppers, (r->upper_room + 2) * sizeof *uppers);
        if (!uppers)
            return false;
        r->uppers = uppers;
        r->upper_room += 2;
        p->bytes += 2 * sizeof *uppers;
    }
    r->uppers[r->upper_count++] = (struct level){.shift = (uint8_t)shift};
    return true;
}

/* What a level has stored goes to the one above it. */
static bool run_extend_level(struct pyramid *p, struct run *r, size_t i, bool values)
{
    const struct level *below = i ? &r->uppers[i - 1] : &r->base;
    struct level *l = &r->uppers[i];
    size_t had = level_chunks(l);
    bool ok = true;
    while (ok && l->taken < below->count) {
        const struct entry *e = level_entry(p, below, l->taken);
        uint32_t left = CHUNK - l->taken % CHUNK;
        left = left < below->count - l->taken ? left : below->count - l->taken;
        chunk_prefetch(p, below, l->taken / CHUNK + 1);
        for (l->taken += left; ok && left; left--, e++)
            ok = level_put(p, l, e, values);
    }
    p->upper_chunks += level_chunks(l) - had;
    return ok;
}

/* Bring the levels above the base up to date with what is stored below them. Each has a third of
 * the entries, however far apart they are; one that has too many is made again. */
static bool run_extend(struct pyramid *p, struct run *r, bool values)
{
    for (size_t i = 0;; i++) {
        const struct level *below = i ? &r->uppers[i - 1] : &r->base;
        uint64_t joins[65] = {0};
        unsigned shift = below->shift + 1u;
        if (i < r->upper_count) {
            if (!run_extend_level(p, r, i, values))
                return false;
            if (r->uppers[i].count <= below->count / 2)
                continue;
            shift = r->uppers[i].shift + 1u;
            run_cut_uppers(p, r, i);
        }
        if (below->count < SPROUT || shift > SHIFT_MOST)
            return true;
        uint64_t pairs = level_count_joins(p, below, joins);
        if (!run_add_upper(p, r, shift_of_part(joins, pairs, shift, UPPER_PART)) ||
            !run_extend_level(p, r, i, values))
            return false;
    }
}

/* ---- the budget -------------------------------------------------------------------------- */

/* The shift at which one in `part` entries is left. */
static unsigned coarser_base(const struct pyramid *p, unsigned part)
{
    uint64_t joins[65] = {0}, pairs = 0;
    for (size_t i = 0; i < p->row_count; i++)
        for (unsigned k = 0; k < p->rows[i].run_count; k++)
            pairs += level_count_joins(p, &p->rows[i].runs[k]->base, joins);
    return shift_of_part(joins, pairs, p->base + 1, part);
}

/* What is open stays so; a stored entry that is now in its bucket joins it. */
static void run_coarsen(struct pyramid *p, struct run *r, unsigned shift, bool values)
{
    struct level *l = &r->base;
    uint32_t to = 0;
    struct entry *last = NULL;
    run_free_uppers(p, r);
    l->shift = (uint8_t)shift;
    l->bucket = l->open.start >> shift;
    for (uint32_t i = 0; i < l->count; i += CHUNK) {
        const struct entry *e = chunk_at(p, l->chunks[i / CHUNK]), *end = e + CHUNK;
        chunk_prefetch(p, l, i / CHUNK + 1);
        for (end = l->count - i < CHUNK ? e + (l->count - i) : end; e < end; e++) {
            if (last && last->start >> shift == e->start >> shift) {
                entry_merge(last, e, values);
                continue;
            }
            last = to % CHUNK ? last + 1 : chunk_at(p, l->chunks[to / CHUNK]);
            *last = *e;
            to++;
        }
    }
    if (to && l->has && level_entry(p, l, to - 1)->start >> shift == l->bucket)
        entry_merge(&l->open, level_entry(p, l, --to), values);
    level_cut(p, l, to);
}

static void make_coarser(struct pyramid *p, unsigned part)
{
    p->base = coarser_base(p, part);
    for (size_t i = 0; i < p->row_count; i++)
        for (unsigned k = 0; k < p->rows[i].run_count; k++)
            run_coarsen(p, p->rows[i].runs[k], p->base, p->rows[i].values);
}

/* What entries of the base may have: the levels above it need half of that. */
static size_t base_budget(const struct pyramid *p)
{
    return p->budget / 3 * 2;
}

static size_t base_bytes(const struct pyramid *p)
{
    return (p->slab_count * SLAB_CHUNKS - p->free_count - p->upper_chunks) * CHUNK_BYTES;
}

/* Bytes of entries that are aimed at: some room is left where the share is not exact. Of a trace
 * that fits an entry for every fourth item suffices: storing more takes as long as reading the
 * records, of which there are few in the widest tile that is made from them. */
static double planned_bytes(const struct pyramid *p, double share)
{
    double most = (double)(p->budget / 2);
    double enough = (double)p->items / share / ITEMS_AN_ENTRY * (double)sizeof(struct entry);
    return enough < most ? enough : most;
}

void pyramid_plan(struct pyramid *p, double share)
{
    size_t least = p->budget / PLAN_PART, bytes = base_bytes(p);
    if (bytes < least || bytes < p->planned || share <= 0 || share >= 1)
        return;
    double parts = (double)bytes / share / planned_bytes(p, share);
    if (parts > 1 && p->base < SHIFT_MOST)
        make_coarser(p, parts < 1 << 20 ? (unsigned)parts + 1 : 1 << 20);
    bytes = base_bytes(p);
    p->planned = bytes + bytes / 2;
}

/* Some chunks within the budget, for which the base may become coarser. False: memory is short. */
static bool spare_chunks(struct pyramid *p, size_t need)
{
    size_t slab = (size_t)SLAB_CHUNKS * CHUNK_BYTES;
    while (p->free_count < need) {
        size_t uppers = p->upper_chunks * CHUNK_BYTES;
        if (p->bytes - uppers + slab <= base_budget(p) || p->base >= SHIFT_MOST) {
            if (!more_chunks(p))
                return false;
            continue;
        }
        make_coarser(p, 2);
    }
    return true;
}

/* ---- runs -------------------------------------------------------------------------------- */

static struct run *run_new(struct pyramid *p)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    p->bytes += sizeof *r;
    r->base.shift = (uint8_t)p->base;
    return r;
}

/* Where a run is read from its base, its chunks being given back. */
struct run_source {
    struct run *run;
    uint32_t at;
};

static const struct entry *source_peek(const struct pyramid *p, const struct run_source *s)
{
    const struct level *l = &s->run->base;
    if (s->at < l->count)
        return level_entry(p, l, s->at);
    return s->at == l->count && l->has ? &l->open : NULL;
}

static void source_pass(struct pyramid *p, struct run_source *s)
{
    const struct level *l = &s->run->base;
    s->at++;
    if (s->at <= l->count && (s->at % CHUNK == 0 || s->at == l->count))
        chunk_give(p, l->chunks[(s->at - 1) / CHUNK]);
}

static void source_end(struct pyramid *p, struct run_source *s)
{
    while (source_peek(p, s))
        source_pass(p, s);
    s->run->base.count = 0; /* its chunks are given back */
    run_free(p, s->run);
}

static bool merge_two(struct pyramid *p, struct run *into, struct run *a, struct run *b,
                      bool values)
{
    struct run_source from[2] = {{.run = a}, {.run = b}};
    bool ok = true;
    run_free_uppers(p, a);
    run_free_uppers(p, b);
    while (ok) {
        const struct entry *x = source_peek(p, &from[0]), *y = source_peek(p, &from[1]);
        bool second = !x || (y && y->start < x->start);
        if (!x && !y)
            break;
        struct entry e = second ? *y : *x;
        source_pass(p, &from[second]);
        ok = level_put(p, &into->base, &e, values);
    }
    source_end(p, &from[0]);
    source_end(p, &from[1]);
    return ok;
}

/* The two shortest runs become one. */
static bool row_merge_runs(struct pyramid *p, struct row *r)
{
    unsigned a = 0, b = 1;
    for (unsigned i = 2; i < r->run_count; i++) {
        unsigned *longer = r->runs[a]->base.count > r->runs[b]->base.count ? &a : &b;
        if (r->runs[i]->base.count < r->runs[*longer]->base.count)
            *longer = i;
    }
    struct run *merged = run_new(p);
    if (!merged)
        return false;
    bool ok = merge_two(p, merged, r->runs[a], r->runs[b], r->values);
    r->runs[a] = merged;
    r->runs[b] = r->runs[--r->run_count];
    return ok;
}

/* The buffer is full: it becomes a run. */
static bool row_settle_late(struct pyramid *p, struct row *r)
{
    entry_list_sort(&(struct entry_list){.at = r->late, .count = r->late_count});
    if (!spare_chunks(p, LATE / CHUNK + 4) || (r->run_count == RUNS && !row_merge_runs(p, r)))
        return false;
    struct run *run = run_new(p);
    bool ok = run;
    for (unsigned i = 0; ok && i < r->late_count; i++)
        ok = level_put(p, &run->base, &r->late[i], r->values);
    if (run)
        r->runs[r->run_count++] = run;
    r->late_count = 0;
    return ok;
}

/* An item that no run takes. */
static bool row_add_late(struct pyramid *p, struct row *r, const struct entry *e)
{
    if (r->run_count < RUNS) {
        struct run *run = run_new(p);
        if (run)
            r->runs[r->run_count++] = run;
        return run && level_put(p, &run->base, e, r->values);
    }
    if (!r->late) {
        r->late = malloc(LATE * sizeof *r->late);
        if (!r->late)
            return false;
        p->bytes += LATE * sizeof *r->late;
    }
    r->late[r->late_count++] = *e;
    return r->late_count < LATE || row_settle_late(p, r);
}

/* The entry goes to a run after the first, or waits. */
static bool row_add(struct pyramid *p, struct row *r, const struct entry *e)
{
    for (unsigned i = 0; i < r->run_count; i++) {
        struct level *l = &r->runs[i]->base;
        if (l->bucket > e->start >> l->shift)
            continue;
        /* Nothing is closed yet: when the base becomes coarser, it may join what is open. */
        return (l->left || spare_chunks(p, 1)) && level_put(p, l, e, r->values);
    }
    return row_add_late(p, r, e);
}

static inline bool add_entry(struct pyramid *p, struct row *r, const struct entry *e)
{
    struct level *l = r->run_count ? &r->runs[0]->base : NULL;
    uint64_t bucket = e->start >> p->base;
    if (l && l->bucket == bucket) {
        entry_merge(&l->open, e, r->values);
        return true;
    }
    if (!l || l->bucket > bucket || !l->left)
        return row_add(p, r, e);
    *l->at++ = l->open;
    l->left--;
    l->count++;
    l->open = *e;
    l->bucket = bucket;
    return true;
}

bool pyramid_add(struct pyramid *p, uint32_t row, const struct entry *e)
{
    p->items++;
    return add_entry(p, &p->rows[row], e);
}

bool pyramid_add_many(struct pyramid *p, const uint32_t *rows, const struct entry *e, size_t count)
{
    p->items += count;
    for (size_t i = 0; i < count; i++) {
        struct row *r = &p->rows[rows[i]];
        if (i + 4 < count && p->rows[rows[i + 4]].run_count)
            __builtin_prefetch(p->rows[rows[i + 4]].runs[0], 1);
        if (!add_entry(p, r, &e[i]))
            return false;
    }
    return true;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* The first entry of a level that starts at or after a time. */
static size_t level_find(const struct pyramid *p, const struct level *l, uint64_t from)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (level_entry(p, l, middle)->start < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Entries that come in order are merged as they are added. */
static inline bool list_put(struct entry_list *l, const struct entry *e, unsigned shift,
                            size_t first, bool values)
{
    if (l->count > first && l->at[l->count - 1].start >> shift == e->start >> shift) {
        entry_merge(&l->at[l->count - 1], e, values);
        return true;
    }
    return entry_list_add(l, e);
}

/* What a level has stored from an entry on. */
static bool list_put_stored(const struct pyramid *p, const struct level *l, size_t i,
                            unsigned shift, uint64_t last, bool values, struct entry_list *out)
{
    size_t first = out->count;
    while (i < l->count) {
        const struct entry *e = level_entry(p, l, i);
        size_t left = CHUNK - i % CHUNK;
        left = left < l->count - i ? left : l->count - i;
        chunk_prefetch(p, l, i / CHUNK + 1);
        for (i += left; left--; e++) {
            if (e->start > last)
                return true;
            if (!list_put(out, e, shift, first, values))
                return false;
        }
    }
    return true;
}

/* What a run shows at a level: what is stored there, then what is open there and below. */
static bool run_read(const struct pyramid *p, const struct run *r, unsigned shift, uint64_t from,
                     uint64_t last, bool values, struct entry_list *out)
{
    const struct level *l = &r->base;
    size_t level = 0, first = out->count;
    for (; level < r->upper_count && r->uppers[level].shift <= shift; level++)
        l = &r->uppers[level];
    size_t i = level_find(p, l, from >> shift << shift);
    if (i) /* and the bucket before */
        i = level_find(p, l, level_entry(p, l, i - 1)->start >> shift << shift);
    if (!list_put_stored(p, l, i, shift, last, values, out))
        return false;
    for (;; l = level ? &r->uppers[level - 1] : &r->base) {
        if (l->has && l->open.start <= last && !list_put(out, &l->open, shift, first, values))
            return false;
        if (!level--)
            return true;
    }
}

/* Of the entries before `from` only the last is kept; they are in order, and folded. */
static void list_begin_late(struct entry_list *l, unsigned shift, uint64_t from)
{
    size_t drop = 0;
    while (drop + 1 < l->count && l->at[drop + 1].start >> shift < from >> shift)
        drop++;
    if (!drop)
        return;
    l->count -= drop;
    memmove(l->at, l->at + drop, l->count * sizeof *l->at);
}

bool pyramid_read(struct pyramid *p, uint32_t row, unsigned shift, uint64_t from, uint64_t last,
                  struct entry_list *out)
{
    const struct row *r = &p->rows[row];
    bool ok = true;
    out->count = 0;
    for (unsigned i = 0; ok && i < r->run_count; i++)
        ok = run_extend(p, r->runs[i], r->values) &&
             run_read(p, r->runs[i], shift, from, last, r->values, out);
    for (unsigned i = 0; ok && i < r->late_count; i++)
        if (r->late[i].start <= last)
            ok = entry_list_add(out, &r->late[i]);
    if (r->run_count > 1)
        entry_list_fold(out, shift, from, r->values);
    else
        list_begin_late(out, shift, from);
    return ok;
}

bool pyramid_settle(struct pyramid *p, uint32_t row)
{
    const struct row *r = &p->rows[row];
    bool ok = true;
    for (unsigned i = 0; ok && i < r->run_count; i++)
        ok = run_extend(p, r->runs[i], r->values);
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------- */

struct pyramid *pyramid_new(size_t budget_bytes, unsigned floor)
{
    struct pyramid *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->budget = budget_bytes;
    p->base = floor;
    return p;
}

void pyramid_free(struct pyramid *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->row_count; i++) {
        for (unsigned k = 0; k < p->rows[i].run_count; k++)
            run_free(p, p->rows[i].runs[k]);
        free(p->rows[i].late);
    }
    for (size_t i = 0; i < p->slab_count; i++)
        free(p->slabs[i]);
    free(p->slabs);
    free(p->rows);
    free(p);
}

uint32_t pyramid_row(struct pyramid *p, bool values)
{
    size_t most = p->budget / BYTES_A_ROW < ROWS_LEAST ? ROWS_LEAST : p->budget / BYTES_A_ROW;
    if (p->row_count >= most ||
        !grow_counted(p, &p->rows, &p->row_room, p->row_count + 1, sizeof *p->rows))
        return PYRAMID_NONE;
    p->rows[p->row_count] = (struct row){.values = values};
    return (uint32_t)p->row_count++;
}

size_t pyramid_rows(const struct pyramid *p)
{
    return p->row_count;
}

unsigned pyramid_base(const struct pyramid *p)
{
    return p->base;
}

size_t pyramid_bytes(const struct pyramid *p)
{
    return p->bytes;
}
