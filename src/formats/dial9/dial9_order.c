/* dial9_order.c - what an async runtime recorded, as facts in the order of time.
 *
 * The first walk counts, and divides the records that the analyses need into slabs, with the
 * earliest time of each. The second one reads slabs in the order of those times and merges their
 * facts, as many at a time as the caller wants. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

/* ---- the first walk -------------------------------------------------------------- */

enum { RUN_BYTES = 1 << 20 };

struct surveyed {
    uint64_t seq, offset, base_ns, time_ns;
    uint32_t batch, size;
    bool timed;
};

static bool slab_begin(struct dial9_stats *d, const struct surveyed *e)
{
    if (!array_grow(&d->slabs, &d->slab_room, d->slab_count + 1, sizeof *d->slabs))
        return false;
    d->slabs[d->slab_count] = (struct slab){.offset = e->offset,
                                            .base_ns = e->base_ns,
                                            .time_min = UINT64_MAX,
                                            .batch = e->batch,
                                            .number = (uint32_t)d->slab_count};
    d->slab_count++;
    return true;
}

static inline void survey_time(struct dial9_stats *d, unsigned kind, uint64_t time_ns)
{
    if (kind > FACT_QUEUE)
        return;
    d->time_first = d->spanned && d->time_first < time_ns ? d->time_first : time_ns;
    d->time_last = d->time_last > time_ns ? d->time_last : time_ns;
    d->spanned = true;
}

/* The second walk jumps and does not count: a range by seq becomes one by offset. */
static void survey_seq(struct dial9_stats *d, const struct surveyed *e)
{
    bool inside = stats_in_range(d->s, RAS_AXIS_SEQ, e->seq);
    if (inside && d->from_at == RAS_NONE)
        d->from_at = e->offset;
    else if (!inside && d->from_at != RAS_NONE && d->to_at == RAS_NONE)
        d->to_at = e->offset;
}

/* False: memory is short. */
static bool survey_event(struct dial9_stats *d, struct fact_schema *schema,
                         const struct surveyed *e)
{
    if (d->axis == RAS_AXIS_SEQ)
        survey_seq(d, e);
    if (d->segments)
        dial9_segments_note(d, schema->kind,
                            e->timed && (e->time_ns || !schema->timeless) ? e->time_ns : RAS_NONE,
                            e->offset);
    if (e->time_ns < d->trace_first && e->timed && (e->time_ns || !schema->timeless))
        d->trace_first = e->time_ns;
    if (!dial9_stats_in_range(d, schema->kind ? schema->kind : FACT_SAMPLE, e->time_ns, e->offset))
        return true;
    schema->records++;
    schema->bytes += e->size;
    if (!schema->kind)
        return true;
    struct slab *slab = d->slab_count ? &d->slabs[d->slab_count - 1] : NULL;
    if (!slab || slab->count == SLAB_FACTS) {
        if (!slab_begin(d, e))
            return false;
        slab = &d->slabs[d->slab_count - 1];
    }
    slab->count++;
    if (!fact_is_timed(schema->kind))
        return true;
    slab->time_min = slab->time_min < e->time_ns ? slab->time_min : e->time_ns;
    survey_time(d, schema->kind, e->time_ns);
    return true;
}

/* The same where no range and no table of segments needs more, and the slab has room or no fact
 * is made: nearly always. */
static inline void survey_usual(struct dial9_stats *d, struct fact_schema *schema,
                                struct slab *slab, uint64_t time_ns, bool timed)
{
    if (time_ns < d->trace_first && timed && (time_ns || !schema->timeless))
        d->trace_first = time_ns;
    schema->records++;
    if (!schema->kind)
        return;
    slab->count++;
    slab->time_min = slab->time_min < time_ns ? slab->time_min : time_ns;
    survey_time(d, schema->kind, time_ns);
}

/* Where a loop over the events ahead ends: before it there is the head of an event. */
static const uint8_t *run_until(const struct ras_cursor *c)
{
    const struct dial9_cursor *at = c->priv;
    ptrdiff_t left = c->in.end - c->in.at - (ptrdiff_t)DIAL9_EVENT_SIZE + 1;
    if (at->special || left < 0)
        return c->in.at;
    return c->in.at + (left < RUN_BYTES ? left : RUN_BYTES);
}

/* The slab that is filled, or NULL. */
static struct slab *last_slab(const struct dial9_stats *d)
{
    return d->slab_count ? &d->slabs[d->slab_count - 1] : NULL;
}

/* The events ahead that their layouts can decode: nearly all. False: memory is short. */
static bool survey_run(struct dial9_stats *d, struct ras_cursor *c)
{
    const struct dial9 *trace = d->trace->priv;
    const struct dial9_cursor *at = c->priv;
    const uint8_t *p = c->in.at, *end = c->in.end, *until = run_until(c);
    const bool plain = !d->axis && !d->segments;
    struct slab *slab = last_slab(d);
    uint64_t base_ns = at->at.base_ns, time_max = 0;
    bool ok = true;
    while (ok && p < until) {
        if (*p != RAS_DIAL9_EVENT) {
            if (!dial9_run_learn(c, &p, &base_ns))
                break;
            continue;
        }
        const struct shape *shape = dial9_batch_shape(at->at.batch, load_u16(p + 1));
        if (!shape || end - p < (ptrdiff_t)shape->layout.need || shape->schema >= d->schema_count ||
            !d->schemas[shape->schema].known)
            break;
        struct fact_schema *schema = &d->schemas[shape->schema];
        uint64_t time_ns = base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->layout.delta_mask);
        const uint8_t *next =
            layout_skip(shape->steps, p + shape->layout.head, end, trace->rules.depth);
        if (!next || time_ns < base_ns || (uint64_t)(next - p) > at->record_bytes)
            break;
        if (plain &&
            (!schema->kind || (slab && slab->count < SLAB_FACTS && fact_is_timed(schema->kind)))) {
            survey_usual(d, schema, slab, time_ns, shape->layout.delta_mask);
            schema->bytes += (uint64_t)(next - p);
        } else {
            ok = survey_event(d, schema,
                              &(struct surveyed){.seq = c->seq,
                                                 .offset = (uint64_t)(p - c->base),
                                                 .base_ns = base_ns,
                                                 .time_ns = time_ns,
                                                 .batch = at->at.batch->number,
                                                 .size = (uint32_t)(next - p),
                                                 .timed = shape->layout.delta_mask});
            slab = last_slab(d);
        }
        c->seq++;
        p = next;
        base_ns = time_ns;
        time_max = time_max > time_ns ? time_max : time_ns;
    }
    dial9_run_move(c, p, base_ns, time_max);
    return ok;
}

/* Spec "Event Frame": a type_id, then the delta to the timestamp base, of three bytes, which may be
 * the last of the trace. */
static uint64_t base_before(const struct ras_record *r)
{
    const uint8_t *delta = r->raw + DIAL9_EVENT_SIZE;
    if (!(r->flags & RAS_HAS_TIME))
        return r->time_ns;
    return r->time_ns - (load_u16(delta) | (uint32_t)delta[2] << 16);
}

/* One event on the slow path, then those ahead. */
static int survey_on(struct dial9_stats *d, struct ras_cursor *c, struct ras_error *err)
{
    const struct ras_record *r;
    int status = walk_next(d->trace, c, &r, err);
    if (status != RAS_OK)
        return status;
    bool fresh = r->schema >= d->schema_count || !d->schemas[r->schema].known;
    struct fact_schema *schema = dial9_stats_schema(d, r->schema);
    if (!schema)
        return fail_memory(err);
    if (fresh && r->schema != RAS_SCHEMA_GAP) {
        const struct dial9_batch *batch = ((const struct dial9_cursor *)c->priv)->at.batch;
        dial9_stats_annotated(d, schema, ras_schema_at(d->trace, r->schema), c, r);
        dial9_span_places(d, schema, &dial9_batch_shape(batch, load_u16(r->raw + 1))->native);
    }
    const struct surveyed e = {.seq = r->seq,
                               .offset = r->offset,
                               .base_ns = r->schema == RAS_SCHEMA_GAP ? 0 : base_before(r),
                               .time_ns = r->time_ns,
                               .batch = r->stream,
                               .size = r->raw_len,
                               .timed = r->flags & RAS_HAS_TIME};
    return survey_event(d, schema, &e) && survey_run(d, c) ? RAS_OK : fail_memory(err);
}

int dial9_stats_survey(struct dial9_stats *d, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_stats_options *options = d->s ? d->s->options : NULL;
    struct ras_cursor *c;
    uint64_t done, total;
    d->from_at = d->to_at = d->trace_first = RAS_NONE;
    if (!dial9_segments_learn(d->trace) || !dial9_segments_begin(d))
        return fail_memory(err);
    int status = ras_cursor_open(&c, d->trace, &scan, err);
    while (status == RAS_OK) {
        ras_mark(c, &d->end);
        status = survey_on(d, c, err);
        if (status == RAS_OK && options && options->progress) {
            done = ras_cursor_progress(c, &total);
            if (!options->progress(options->user, done / 4, total))
                status = fail_canceled(err);
        }
    }
    ras_cursor_close(c);
    if (status == RAS_END && d->s)
        d->s->out->ending = ras_ending(d->trace);
    if (status == RAS_END && d->s && d->trace_first != RAS_NONE)
        stats_found_first(d->s, d->trace_first);
    return status < 0 ? status : RAS_OK;
}

/* ---- sorting --------------------------------------------------------------------- */

/* At the same time a wake comes before the poll that it may have caused, as does the dump of the
 * task, and a sample after everything that it may be in. */
static inline int rank(unsigned kind)
{
    return (kind == FACT_SAMPLE || kind == FACT_ALLOC) - (kind == FACT_WAKE || kind == FACT_DUMP);
}

static inline bool before(const struct fact *a, const struct fact *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return rank(a->kind) < rank(b->kind);
}

/* The fact after the run that begins at `at`. */
static size_t run_end(const struct fact *f, size_t at, size_t count)
{
    do
        at++;
    while (at < count && (f[at].time_ns > f[at - 1].time_ns || !before(&f[at], &f[at - 1])));
    return at;
}

static void merge_runs(const struct fact *a, size_t n, const struct fact *b, size_t m,
                       struct fact *to)
{
    const struct fact *a_end = a + n, *b_end = b + m;
    while (a < a_end && b < b_end)
        *to++ = before(b, a) ? *b++ : *a++;
    memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* Natural merge sort: what a thread recorded is in order, and a slab is of one or two of them,
 * except for a few runs. Facts end up in one of the two; which is returned. */
static struct fact *sort_facts(struct fact *f, struct fact *spare, size_t count)
{
    size_t first = count ? run_end(f, 0, count) : count;
    while (first < count) {
        size_t end = first, middle = first;
        for (size_t at = 0; at < count; at = end) {
            middle = at ? run_end(f, at, count) : first;
            end = middle < count ? run_end(f, middle, count) : count;
            merge_runs(f + at, middle - at, f + middle, end - middle, spare + at);
            first = at ? first : end;
        }
        struct fact *other = f;
        f = spare;
        spare = other;
    }
    return f;
}

/* ---- the second walk --------------------------------------------------------------- */

/* A slab that was read: its facts from `at` on are not yet processed. */
struct open_slab {
    const struct fact *at, *end;
    struct fact *memory;
    uint32_t number;
};

struct replay {
    struct dial9_stats *d;
    struct ras_cursor *cursor;
    size_t slab;   /* the next to be read, in the order of time */
    size_t room;   /* facts of one slab */
    size_t most;   /* slabs open at a time */
    uint32_t next; /* the slab before which the cursor is */
    struct open_slab open[SLABS_OPEN];
    size_t open_count;
    /* Which open slab has the next fact: a tournament of their times, `leaves` being a power of
     * two. Leaves without a slab have the largest time. */
    uint64_t times[SLABS_OPEN];
    uint8_t losers[SLABS_OPEN]; /* by match, the final being 1 */
    uint8_t first;              /* the winner */
    unsigned leaves;
    struct fact *free[SLABS_OPEN + 2];
    size_t free_count;
    struct fact *samples; /* those of one slab: recorded late, hence separate at first */
};
_Static_assert(SLABS_OPEN <= 1 << 8, "a byte is enough for the index of an open slab");

static struct fact *facts_take(struct replay *r)
{
    if (r->free_count)
        return r->free[--r->free_count];
    return malloc((r->room + 1) * sizeof(struct fact)); /* one is written before it counts */
}

static void facts_give(struct replay *r, struct fact *facts)
{
    r->free[r->free_count++] = facts;
}

static int by_time(const void *a, const void *b)
{
    const struct slab *x = a, *y = b;
    if (x->time_min != y->time_min)
        return x->time_min < y->time_min ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* The same for equal times. */
static bool sooner_at_once(const struct replay *r, unsigned a, unsigned b)
{
    if (a >= r->open_count || b >= r->open_count)
        return a < b;
    const struct open_slab *x = &r->open[a], *y = &r->open[b];
    if (rank(x->at->kind) != rank(y->at->kind))
        return rank(x->at->kind) < rank(y->at->kind);
    return x->number < y->number;
}

/* Whether the first of two open slabs has the earlier fact. */
static inline bool sooner(const struct replay *r, unsigned a, unsigned b)
{
    if (__builtin_expect(r->times[a] == r->times[b], 0))
        return sooner_at_once(r, a, b);
    return r->times[a] < r->times[b];
}

/* All matches: a slab was opened, or has no facts left. */
static void play_all(struct replay *r)
{
    uint8_t winners[2 * SLABS_OPEN];
    for (r->leaves = 1; r->leaves < r->open_count; r->leaves *= 2)
        ;
    for (unsigned i = 0; i < r->leaves; i++) {
        winners[r->leaves + i] = (uint8_t)i;
        r->times[i] = i < r->open_count ? r->open[i].at->time_ns : UINT64_MAX;
    }
    for (unsigned match = r->leaves - 1; match; match--) {
        uint8_t a = winners[2 * match], b = winners[2 * match + 1];
        bool second = sooner(r, b, a);
        winners[match] = second ? b : a;
        r->losers[match] = second ? a : b;
    }
    r->first = winners[1];
}

/* The matches of the winner, whose time has changed. What wins is as good as random: without
 * branches. */
static inline unsigned play_again(struct replay *r, unsigned winner)
{
    for (unsigned match = (r->leaves + winner) / 2; match; match /= 2) {
        unsigned loser = r->losers[match];
        unsigned change = (winner ^ loser) & -(unsigned)sooner(r, loser, winner);
        r->losers[match] = (uint8_t)(loser ^ change);
        winner ^= change;
    }
    return winner;
}

static void open_add(struct replay *r, struct open_slab slab)
{
    r->open[r->open_count++] = slab;
    play_all(r);
}

/* Process facts up to a time, `most` of them, but no more when a slab has none left. */
static void feed(struct replay *r, uint64_t until_ns, uint64_t most)
{
    struct dial9_stats *d = r->d;
    unsigned first = r->first;
    do {
        struct open_slab *top = &r->open[first];
        const struct fact *f = top->at++;
        d->late += f->time_ns < d->fed_ns;
        d->fed_ns = d->fed_ns > f->time_ns ? d->fed_ns : f->time_ns;
        dial9_stats_feed(d, f);
        if (top->at == top->end) {
            facts_give(r, top->memory);
            *top = r->open[--r->open_count];
            play_all(r);
            return;
        }
        r->times[first] = top->at->time_ns;
        first = play_again(r, first);
    } while (--most && r->times[first] < until_ns);
    r->first = (uint8_t)first;
}

/* Go to the beginning of the slab, unless the walk is there. */
static int stand_before(struct replay *r, const struct slab *slab, struct ras_error *err)
{
    struct ras_mark mark =
        dial9_mark_of(r->d->trace, RAS_NONE, slab->batch, slab->offset, slab->base_ns);
    int status = r->next == slab->number ? RAS_OK : ras_jump(r->cursor, &mark, err);
    r->next = slab->number + 1;
    return status;
}

/* Where the facts of one slab go: samples separately. */
struct taking {
    struct fact *facts;
    size_t count, samples;
    uint32_t left; /* events of the slab that were not read yet */
};

static inline void order_take(struct replay *r, struct taking *t, const struct fact_event *event,
                              const struct fact_schema *schema)
{
    struct fact *fact = &t->facts[t->count];
    t->left--;
    if (!dial9_stats_fact(r->d, event, schema, fact))
        return;
    if (fact->kind == FACT_SAMPLE)
        r->samples[t->samples++] = *fact;
    else
        t->count++;
}

/* An event that is read for its numbers alone, if its schema has places for them. NULL: it is not
 * one of a modern span, or takes the slow path. */
static inline const uint8_t *take_numbers(const struct replay *r, const struct fact_schema *schema,
                                          const struct shape *shape, const uint8_t *first,
                                          uint64_t numbers[CLOSE_PLACES])
{
    const struct ras_cursor *c = r->cursor;
    const struct dial9 *trace = r->d->trace->priv;
    dial9_span_no_numbers(numbers, schema->kind == FACT_SPAN_CLOSE);
    const uint8_t *next = layout_numbers(shape->steps, first, c->in.end, c->base,
                                         trace->rules.depth, schema->places, numbers);
    return numbers[PLACE_INSTANCE] ? next : NULL;
}

static inline void take_span(struct replay *r, struct taking *t, const struct fact_event *e,
                             const struct fact_schema *s, const uint64_t numbers[CLOSE_PLACES])
{
    const bool is_close = s->kind == FACT_SPAN_CLOSE;
    struct fact *f = &t->facts[t->count++];
    t->left--;
    *f =
        (struct fact){.time_ns = e->time_ns,
                      .id = numbers[PLACE_INSTANCE],
                      .other = numbers[PLACE_THREAD],
                      .offset = e->offset & OFFSET_MOST,
                      .size = fact_event_size(e),
                      .ref = s->name,
                      .worker = is_close ? NO_WORKER : dial9_worker_at(r->d, numbers[PLACE_WORKER]),
                      .kind = s->kind,
                      .small = SPAN_MODERN};
    if (is_close)
        dial9_close_numbers(r->d, e, numbers, f);
}

/* The events ahead that their layouts can decode: nearly all. */
static void take_run(struct replay *r, struct taking *t)
{
    struct dial9_stats *d = r->d;
    struct ras_cursor *c = r->cursor;
    const struct dial9 *trace = d->trace->priv;
    const struct dial9_cursor *at = c->priv;
    const uint8_t *p = c->in.at, *end = c->in.end, *until = run_until(c), *next;
    uint64_t base_ns = at->at.base_ns, numbers[CLOSE_PLACES];
    struct fact_event e = {.batch = at->at.batch, .base = c->base, .values = trace->shapes.scratch};
    while (t->left && p < until) {
        if (*p != RAS_DIAL9_EVENT) {
            if (!dial9_run_learn(c, &p, &base_ns))
                break;
            continue;
        }
        const struct shape *shape = dial9_batch_shape(e.batch, load_u16(p + 1));
        if (!shape || end - p < (ptrdiff_t)shape->layout.need || shape->schema >= d->schema_count)
            break;
        const struct fact_schema *schema = &d->schemas[shape->schema];
        e.time_ns = base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->layout.delta_mask);
        const uint8_t *first = p + shape->layout.head;
        e.offset = (uint64_t)(p - c->base);
        bool wanted = schema->kind && dial9_stats_in_range(d, schema->kind, e.time_ns, e.offset);
        next = wanted && schema->places ? take_numbers(r, schema, shape, first, numbers) : NULL;
        const bool span = next;
        if (!span && wanted)
            next =
                layout_native(shape->steps, first, end, trace->shapes.scratch, trace->rules.depth);
        else if (!span)
            next = dial9_layout_skip(shape->steps, first, end, trace->rules.depth);
        if (!next || e.time_ns < base_ns || (uint64_t)(next - p) > at->record_bytes)
            break;
        e.end = next;
        if (span) {
            take_span(r, t, &e, schema, numbers);
        } else if (wanted) {
            e.count = shape->native.field_count;
            order_take(r, t, &e, schema);
        }
        p = next;
        base_ns = e.time_ns;
    }
    dial9_run_move(c, p, base_ns, 0);
}

/* The next event, on the slow path. */
static int take_one(struct replay *r, struct taking *t, struct ras_error *err)
{
    struct dial9_stats *d = r->d;
    const struct dial9 *trace = d->trace->priv;
    const struct ras_record *record;
    int status = walk_next(d->trace, r->cursor, &record, err);
    if (status < 0)
        return status;
    if (status != RAS_OK)
        return fail(err, RAS_EFORMAT, RAS_NONE, "the trace changed while it was read");
    const struct fact_schema *schema = &d->schemas[record->schema];
    if (record->schema >= d->schema_count || !schema->kind ||
        !dial9_stats_in_range(d, schema->kind, record->time_ns, record->offset))
        return RAS_OK;
    const struct dial9_batch *batch = ((const struct dial9_cursor *)r->cursor->priv)->at.batch;
    const struct shape *shape = dial9_batch_shape(batch, load_u16(record->raw + 1));
    struct in in = in_bytes((struct ras_bytes){record->raw, record->raw_len});
    in_take(&in, shape->layout.head);
    for (unsigned i = 0; i < shape->native.field_count; i++)
        (void)dial9_value_get(&in, shape->native.fields[i].type, trace->rules.depth,
                              &trace->shapes.scratch[i]);
    const struct fact_event event = {.time_ns = record->time_ns,
                                     .offset = record->offset,
                                     .batch = batch,
                                     .base = r->cursor->base,
                                     .end = record->raw + record->raw_len,
                                     .values = trace->shapes.scratch,
                                     .count = shape->native.field_count};
    order_take(r, t, &event, schema);
    return RAS_OK;
}

/* Its facts, samples after the others: those are recorded late. */
static int read_facts(struct replay *r, const struct slab *slab, struct fact *facts, size_t *count,
                      struct ras_error *err)
{
    struct taking t = {.facts = facts, .left = slab->count};
    int status = RAS_OK;
    while (status >= 0 && t.left) {
        take_run(r, &t);
        if (t.left)
            status = take_one(r, &t, err);
    }
    memcpy(facts + t.count, r->samples, t.samples * sizeof *facts);
    *count = t.count + t.samples;
    return status;
}

static int read_slab(struct replay *r, const struct slab *slab, struct ras_error *err)
{
    struct fact *facts = facts_take(r), *spare = facts ? facts_take(r) : NULL;
    size_t count = 0;
    if (!spare) {
        free(facts);
        return fail_memory(err);
    }
    int status = stand_before(r, slab, err);
    if (status >= 0)
        status = read_facts(r, slab, facts, &count, err);
    struct fact *sorted = sort_facts(facts, spare, count);
    facts_give(r, sorted == facts ? spare : facts);
    if (status < 0 || !count) {
        facts_give(r, sorted);
        return status;
    }
    open_add(r, (struct open_slab){sorted, sorted + count, sorted, slab->number});
    return RAS_OK;
}

/* Process as many facts as can be without reading another slab, `most` at most. */
static int order_some(struct replay *r, uint64_t most, struct ras_error *err)
{
    struct dial9_stats *d = r->d;
    for (;;) {
        bool all = r->slab == d->slab_count || r->open_count == r->most;
        uint64_t until_ns = all ? UINT64_MAX : d->slabs[r->slab].time_min;
        if (r->open_count && (all || r->times[r->first] < until_ns)) {
            feed(r, until_ns, most);
            return RAS_OK;
        }
        if (r->slab == d->slab_count)
            return RAS_END;
        int status = read_slab(r, &d->slabs[r->slab++], err);
        if (status < 0)
            return status;
    }
}

int dial9_order_step(struct replay *r, struct ras_error *err)
{
    return order_some(r, 1, err);
}

int dial9_order_all(struct replay *r, struct ras_error *err)
{
    int status;
    while ((status = order_some(r, UINT64_MAX, err)) == RAS_OK)
        ;
    return status;
}

int dial9_order_open(struct replay **out, struct dial9_stats *d, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    struct replay *r = calloc(1, sizeof *r);
    *out = r;
    if (!r)
        return fail_memory(err);
    r->d = d;
    r->next = UINT32_MAX;
    for (size_t i = 0; i < d->slab_count; i++)
        r->room = r->room > d->slabs[i].count ? r->room : d->slabs[i].count;
    uint64_t most = d->trace->limits.pool_bytes / 4 / ((r->room + 1) * sizeof(struct fact));
    r->most = most < 2 ? 2 : most < SLABS_OPEN ? (size_t)most : SLABS_OPEN;
    if (d->slab_count)
        qsort(d->slabs, d->slab_count, sizeof *d->slabs, by_time);
    r->samples = facts_take(r);
    if (!r->samples)
        return fail_memory(err);
    return ras_cursor_open(&r->cursor, d->trace, &scan, err);
}

void dial9_order_close(struct replay *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->open_count; i++)
        free(r->open[i].memory);
    for (size_t i = 0; i < r->free_count; i++)
        free(r->free[i]);
    free(r->samples);
    ras_cursor_close(r->cursor);
    free(r);
}
