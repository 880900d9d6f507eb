/* dial9_stats_survey.c - the first walk: what there is, and when each stretch of it was. */
#include "base/memory.h"
#include "core/walk.h"
#include "formats/dial9/dial9_stats.h"

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

/* The second walk jumps and does not count: a range by seq becomes one of offsets. */
static void survey_seq(struct dial9_stats *d, const struct surveyed *e)
{
    bool inside = stats_in_range(d->s, RAS_AXIS_SEQ, e->seq);
    if (inside && d->from_at == RAS_NONE)
        d->from_at = e->offset;
    else if (!inside && d->from_at != RAS_NONE && d->to_at == RAS_NONE)
        d->to_at = e->offset;
}

/* False: memory is short. */
static inline bool survey_event(struct dial9_stats *d, struct fact_schema *schema,
                                const struct surveyed *e)
{
    if (d->s->asked->axis == RAS_AXIS_SEQ)
        survey_seq(d, e);
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

/* The events ahead that their plans can take: nearly all. False: memory is short. */
static bool survey_run(struct dial9_stats *d, struct ras_cursor *c)
{
    const struct dial9 *trace = d->s->trace->priv;
    const struct dial9_cursor *at = c->priv;
    const uint8_t *p = c->in.at, *end = c->in.end;
    struct surveyed e = {.base_ns = at->at.base_ns, .batch = at->at.batch->number};
    uint64_t time_max = 0;
    bool ok = true;
    while (ok && !at->special && end - p >= (ptrdiff_t)DIAL9_EVENT_SIZE &&
           p - c->in.at < RUN_BYTES) {
        if (*p != RAS_DIAL9_EVENT) {
            if (!dial9_run_learn(c, &p, &e.base_ns))
                break;
            continue;
        }
        const struct shape *shape = dial9_batch_shape(at->at.batch, load_u16(p + 1));
        if (!shape || end - p < (ptrdiff_t)shape->plan.need || shape->schema >= d->schema_count ||
            !d->schemas[shape->schema].known)
            break;
        e.time_ns = e.base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->plan.delta_mask);
        const uint8_t *next =
            dial9_plan_skip(shape->steps, p + shape->plan.head, end, trace->rules.depth);
        if (!next || e.time_ns < e.base_ns || (uint64_t)(next - p) > at->record_bytes)
            break;
        e.offset = (uint64_t)(p - c->base);
        e.size = (uint32_t)(next - p);
        e.seq = c->seq++;
        e.timed = shape->plan.delta_mask;
        ok = survey_event(d, &d->schemas[shape->schema], &e);
        p = next;
        e.base_ns = e.time_ns;
        time_max = time_max > e.time_ns ? time_max : e.time_ns;
    }
    dial9_run_move(c, p, e.base_ns, time_max);
    return ok;
}

/* Spec "Event Frame": a type_id, then the delta to the timestamp base. */
static uint64_t base_before(const struct ras_record *r)
{
    uint64_t delta = r->flags & RAS_HAS_TIME ? load_u32(r->raw + DIAL9_EVENT_SIZE) & 0xffffff : 0;
    return r->time_ns - delta;
}

/* One event the careful way, then those ahead. */
static int survey_on(struct dial9_stats *d, struct ras_cursor *c, struct ras_error *err)
{
    const struct ras_record *r;
    int status = walk_next(d->s->trace, c, &r, err);
    if (status != RAS_OK)
        return status;
    bool fresh = r->schema >= d->schema_count || !d->schemas[r->schema].known;
    struct fact_schema *schema = dial9_stats_schema(d, r->schema);
    if (!schema)
        return fail_memory(err);
    if (fresh && r->schema != RAS_SCHEMA_GAP)
        dial9_stats_annotated(d, schema, ras_schema_at(d->s->trace, r->schema), c,
                              load_u16(r->raw + 1));
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
    const struct ras_stats_options *asked = d->s->asked;
    struct ras_cursor *c;
    uint64_t done, total;
    d->from_at = d->to_at = d->trace_first = RAS_NONE;
    int status = ras_cursor_open(&c, d->s->trace, &scan, err);
    while (status == RAS_OK && (status = survey_on(d, c, err)) == RAS_OK)
        if (asked->progress) {
            done = ras_cursor_progress(c, &total);
            if (!asked->progress(asked->user, done / 4, total))
                status = fail_canceled(err);
        }
    ras_cursor_close(c);
    if (status == RAS_END)
        d->s->out->ending = ras_ending(d->s->trace);
    if (status == RAS_END && d->trace_first != RAS_NONE)
        stats_found_first(d->s, d->trace_first);
    return status < 0 ? status : RAS_OK;
}
