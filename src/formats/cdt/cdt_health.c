/* cdt_health.c - whether a trace has what a comparison needs: ticks, and rows in its channels. */
#include "formats/cdt/cdt_compare.h"

struct counts {
    uint64_t ticks, rng, timing, pools[CDT_POOLS];
};

static void put_bound(struct document *d, const char *key, bool given, int64_t value)
{
    document_name(d, key);
    if (given)
        document_int(d, value);
    else
        document_null(d);
}

static void put_count(struct document *d, const char *key, uint64_t value)
{
    document_name(d, key);
    document_uint(d, value);
}

/* What was not asked for is what META says, unless there is nothing. */
static void put_window(struct document *d, const struct cdt_side *s, const struct cdt_window *w,
                       uint64_t ticks)
{
    const struct ras_cdt_trace_tick_range *range = &s->meta->tick_range;
    document_name(d, "tick_window");
    size_t map = document_open(d, RAS_MAP);
    put_bound(d, "requested_start", w->has_first, w->first);
    put_bound(d, "requested_end", w->has_last, w->last);
    put_bound(d, "actual_start", w->has_first || ticks,
              w->has_first ? w->first : range->start_tick);
    put_bound(d, "actual_end", w->has_last || ticks, w->has_last ? w->last : range->end_tick);
    put_count(d, "ticks_in_window", ticks);
    document_close(d, map);
}

static void put_channels(struct document *d, const struct counts *n)
{
    static const char *const sorted[] = {"checkpoint", "entity_samples", "rng_stream", "sim_state",
                                         "timing_samples"};
    document_name(d, "channels_present");
    size_t map = document_open(d, RAS_MAP);
    for (size_t i = 0; n->ticks && i < sizeof sorted / sizeof *sorted; i++)
        put_count(d, sorted[i], n->ticks);
    document_close(d, map);
    document_name(d, "channel_row_counts");
    map = document_open(d, RAS_MAP);
    put_count(d, "rng_stream", n->rng);
    put_count(d, "timing_samples", n->timing);
    document_close(d, map);
}

static void put_metrics(struct document *d, const struct counts *n)
{
    document_name(d, "metrics");
    size_t map = document_open(d, RAS_MAP);
    put_count(d, "ticks_with_dt_ms_i32", n->ticks);
    put_count(d, "rng_stream_rows", n->rng);
    put_count(d, "sim_state_rows", n->ticks);
    put_count(d, "sample_creature_rows", n->pools[0]);
    put_count(d, "sample_projectile_rows", n->pools[1]);
    put_count(d, "sample_secondary_projectile_rows", n->pools[2]);
    put_count(d, "sample_bonus_rows", n->pools[3]);
    put_count(d, "timing_samples_rows", n->timing);
    document_close(d, map);
}

static void put_issues(struct document *d, const struct counts *n)
{
    static const char *const missing[] = {"checkpoint", "sim_state", "entity_samples", "rng_stream",
                                          "timing_samples"};
    document_name(d, "issues");
    size_t list = document_open(d, RAS_LIST);
    if (!n->ticks) {
        document_name(d, "trace window has no ticks");
        for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
            document_format(d, "%s channel missing", missing[i]);
    }
    if (n->ticks && !n->rng)
        document_name(d, "rng_stream channel has no rows in trace window");
    if (n->ticks && !n->timing)
        document_name(d, "timing_samples channel has no rows in trace window");
    document_close(d, list);
    document_name(d, "ok_for_parity_analysis");
    document_bool(d, n->ticks && n->rng && n->timing);
}

int cdt_health(struct cdt_side *s, const struct cdt_window *w, struct document *d,
               struct ras_error *err)
{
    struct cdt_walk walk = {.side = s, .window = *w};
    struct counts n = {0};
    const struct ras_cdt_tick_record *t;
    int status;
    while ((status = cdt_walk_next(&walk, &t, err)) == RAS_OK) {
        n.ticks++;
        n.rng += t->channels.rng_stream.count;
        n.timing += t->channels.timing_samples.count;
        for (int i = 0; i < CDT_POOLS; i++)
            n.pools[i] += cdt_pool_rows(&cdt_pools[i], &t->channels.entity_samples).count;
    }
    cdt_walk_close(&walk);
    if (status < 0)
        return status;
    size_t map = document_open(d, RAS_MAP);
    for (unsigned i = 0; i < 2; i++) { /* trace_format_version, trace_schema_version */
        const struct cdt_field *f = &cdt_trace_meta.fields[i];
        document_name(d, f->name);
        cdt_doc_member(d, f, (const uint8_t *)s->meta + f->offset, &s->meta->node, i, false);
    }
    put_window(d, s, w, n.ticks);
    put_channels(d, &n);
    put_metrics(d, &n);
    put_issues(d, &n);
    document_close(d, map);
    return RAS_OK;
}
