/* cdt_inspect.c - the verbs tick, health and focus, and which function serves each verb. */
#include "formats/cdt/cdt_compare.h"
#include "formats/cdt/cdt_query.h"

#include <stdlib.h>

/* ---- health: whether a trace has what a comparison needs --------------------------------- */

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

/* Bounds that were not requested are taken from META, unless there are no ticks. */
static void put_window(struct document *d, const struct cdt_side *s, const struct cdt_window *w,
                       uint64_t ticks)
{
    const struct ras_cdt_trace_tick_range *range = &s->meta->tick_range;
    size_t map = document_put_open(d, "tick_window", RAS_MAP);
    put_bound(d, "requested_start", w->has_first, w->first);
    put_bound(d, "requested_end", w->has_last, w->last);
    put_bound(d, "actual_start", w->has_first || ticks,
              w->has_first ? w->first : range->start_tick);
    put_bound(d, "actual_end", w->has_last || ticks, w->has_last ? w->last : range->end_tick);
    document_put_uint(d, "ticks_in_window", ticks);
    document_close(d, map);
}

static void put_channels(struct document *d, const struct counts *n)
{
    static const char *const sorted[] = {"checkpoint", "entity_samples", "rng_stream", "sim_state",
                                         "timing_samples"};
    size_t map = document_put_open(d, "channels_present", RAS_MAP);
    for (size_t i = 0; n->ticks && i < sizeof sorted / sizeof *sorted; i++)
        document_put_uint(d, sorted[i], n->ticks);
    document_close(d, map);
    map = document_put_open(d, "channel_row_counts", RAS_MAP);
    document_put_uint(d, "rng_stream", n->rng);
    document_put_uint(d, "timing_samples", n->timing);
    document_close(d, map);
}

static void put_metrics(struct document *d, const struct counts *n)
{
    size_t map = document_put_open(d, "metrics", RAS_MAP);
    document_put_uint(d, "ticks_with_dt_ms_i32", n->ticks);
    document_put_uint(d, "rng_stream_rows", n->rng);
    document_put_uint(d, "sim_state_rows", n->ticks);
    document_put_uint(d, "sample_creature_rows", n->pools[0]);
    document_put_uint(d, "sample_projectile_rows", n->pools[1]);
    document_put_uint(d, "sample_secondary_projectile_rows", n->pools[2]);
    document_put_uint(d, "sample_bonus_rows", n->pools[3]);
    document_put_uint(d, "timing_samples_rows", n->timing);
    document_close(d, map);
}

static void put_issues(struct document *d, const struct counts *n)
{
    static const char *const missing[] = {"checkpoint", "sim_state", "entity_samples", "rng_stream",
                                          "timing_samples"};
    size_t list = document_put_open(d, "issues", RAS_LIST);
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
    document_put_bool(d, "ok_for_parity_analysis", n->ticks && n->rng && n->timing);
}

static int cdt_health(struct cdt_side *s, const struct cdt_window *w, struct document *d,
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
        const struct cdt_field *f = &s->model->meta->fields[i];
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

/* ---- focus: one tick of two traces, all channels ----------------------------------------- */

struct focus {
    struct cdt_side sides[2];
    struct cdt_memory memory[2];
    struct cdt_block blocks[2];
    const struct ras_cdt_tick_record *rows[2];
    struct cdt_diff diff;
};

/* Finds a member of the detail at `detail`, which is a map. */
static size_t member(const struct document *d, size_t detail, const char *key)
{
    if (d->cells.nomem)
        return 0;
    const struct ras_value *found = map_find(&d->cells.items[detail], key);
    return found ? (size_t)(found - d->cells.items) : 0;
}

/* Adds "checkpoint_diff_count" and "checkpoint_diff": the detail without its count. */
static bool put_checkpoint(struct focus *f, struct document *d)
{
    static const char *const keys[] = {"payload", "pretty"};
    struct document scratch = {0};
    f->diff.doc = &scratch;
    bool differs = cdt_differ_checkpoint(&f->diff, f->rows[0], f->rows[1]);
    f->diff.doc = d;
    d->cells.nomem |= scratch.cells.nomem;
    document_name(d, "checkpoint_diff_count");
    if (!differs || d->cells.nomem) {
        document_uint(d, 0);
        document_name(d, "checkpoint_diff");
        document_null(d);
        document_free(&scratch);
        return differs;
    }
    document_copy(d, &scratch.cells.items[member(&scratch, 0, "diff_count")]);
    size_t map = document_put_open(d, "checkpoint_diff", RAS_MAP);
    for (int i = 0; i < 2; i++) {
        document_name(d, keys[i]);
        document_copy(d, &scratch.cells.items[member(&scratch, 0, keys[i])]);
    }
    document_close(d, map);
    document_free(&scratch);
    return true;
}

/* Adds the detail, with "ok" after its members. */
static bool put_rng(struct focus *f, struct document *d)
{
    document_name(d, "rng_stream");
    size_t map = d->cells.count;
    bool differs, detailed;
    if (f->diff.model->container == 2) {
        enum cdt_draws draws = cdt_differ_draws(&f->diff, f->rows[0], f->rows[1], d);
        differs = draws == CDT_DRAWS_DIFFER;
        detailed = draws != CDT_DRAWS_SAME;
    } else {
        differs = detailed = cdt_differ_rng(&f->diff, f->rows[0], f->rows[1]);
    }
    if (!detailed)
        map = document_open(d, RAS_MAP);
    document_put_bool(d, "ok", !differs);
    document_close(d, map);
    return differs;
}

static bool put_presence(struct focus *f, struct document *d)
{
    bool differs = false;
    size_t all = document_put_open(d, "entity_presence", RAS_MAP);
    for (int i = 0; i < CDT_POOLS; i++) {
        const struct cdt_pool *pool = &cdt_pools[i];
        for (int k = 0; k < 2; k++)
            cdt_find_uids(&f->diff, k, i,
                          cdt_pool_rows(pool, &f->rows[k]->channels.entity_samples));
        const struct cdt_uids *u = f->diff.uids;
        size_t map = document_put_open(d, pool->name, RAS_MAP);
        document_put_uint(d, "expected_count", u[0].count);
        document_put_uint(d, "candidate_count", u[1].count);
        document_name(d, "missing_uids");
        size_t missing = d->cells.count;
        cdt_doc_missing_uids(d, &u[0], &u[1]);
        document_name(d, "extra_uids");
        size_t extra = d->cells.count;
        cdt_doc_missing_uids(d, &u[1], &u[0]);
        document_close(d, map);
        differs |=
            !d->cells.nomem && (d->cells.items[missing].count || d->cells.items[extra].count);
    }
    document_close(d, all);
    return differs;
}

/* Adds {"ok", "detail"}, with counts of rows between them for timing samples. */
static bool put_channel(struct focus *f, struct document *d, const char *name, bool counted,
                        bool (*differ)(struct cdt_diff *, const struct ras_cdt_tick_record *,
                                       const struct ras_cdt_tick_record *))
{
    size_t map = document_put_open(d, name, RAS_MAP);
    document_name(d, "ok");
    size_t ok = d->cells.count;
    document_bool(d, true);
    if (counted) {
        document_put_uint(d, "expected_count", f->rows[0]->channels.timing_samples.count);
        document_put_uint(d, "candidate_count", f->rows[1]->channels.timing_samples.count);
    }
    document_name(d, "detail");
    bool differs = differ(&f->diff, f->rows[0], f->rows[1]);
    if (differs)
        document_set_uint(d, ok, false);
    else
        document_null(d);
    document_close(d, map);
    return differs;
}

static void put_all(struct focus *f, int64_t tick, struct document *d)
{
    bool differs = false;
    size_t map = document_open(d, RAS_MAP);
    document_put_int(d, "tick_index", tick);
    document_name(d, "diverged");
    size_t diverged = d->cells.count;
    document_bool(d, false);
    differs |= put_checkpoint(f, d);
    if (f->diff.model->container == 2)
        differs |= put_channel(f, d, "replay_step", false, cdt_differ_step);
    differs |= put_rng(f, d);
    differs |= put_presence(f, d);
    differs |= put_channel(f, d, "entity_samples", false, cdt_differ_entities);
    differs |= put_channel(f, d, "sim_state", false, cdt_differ_sim);
    differs |= put_channel(f, d, "timing_samples", true, cdt_differ_timing);
    document_set_uint(d, diverged, differs);
    document_close(d, map);
}

static int missing(const struct focus *f, int64_t tick, bool compat, struct ras_error *err)
{
    if (compat)
        return fail(err, RAS_EREFUSED, RAS_NONE, "tick %" PRId64 " missing in one of the traces",
                    tick);
    return fail(err, RAS_ENOTHING, RAS_NONE, "tick %" PRId64 " is in %s", tick,
                f->rows[0]   ? "expected only"
                : f->rows[1] ? "actual only"
                             : "neither of them");
}

static int focus_find(struct focus *f, struct ras_trace *const *traces,
                      const struct ras_inspect_options *options, struct ras_error *err)
{
    for (int i = 0; i < 2; i++) {
        int status = cdt_side_open_ranged(&f->sides[i], traces[i], cdt_model_in(traces[i])->block,
                                          options->compat, err);
        if (status < 0)
            return status;
    }
    for (int i = 0; i < 2; i++) {
        struct cdt_side *s = &f->sides[i];
        int status =
            cdt_side_tick(s, options->number, &f->memory[i], &f->blocks[i], &f->rows[i], err);
        if (cdt_side_fails_ranged(s, status)) {
            cdt_side_close(s);
            status = cdt_side_open(s, traces[i], s->as, options->compat, err);
            if (status == RAS_OK)
                status = cdt_side_tick(s, options->number, &f->memory[i], &f->blocks[i],
                                       &f->rows[i], err);
        }
        if (status < 0)
            return status;
    }
    return f->rows[0] && f->rows[1] ? RAS_OK : missing(f, options->number, options->compat, err);
}

static int cdt_focus(struct ras_trace *t, struct ras_trace *other,
                     const struct ras_inspect_options *options, struct document *d,
                     struct ras_error *err)
{
    struct focus f = {0};
    struct ras_trace *const traces[] = {t, other};
    int status = cdt_same_identity(traces, options->compat, err);
    if (status == RAS_OK)
        status = focus_find(&f, traces, options, err);
    if (status == RAS_OK) {
        f.diff = (struct cdt_diff){
            .doc = d, .model = f.sides[0].model, .masked = cdt_masks(&f.sides[0], &f.sides[1])};
        put_all(&f, options->number, d);
    }
    cdt_diff_free(&f.diff);
    for (int i = 0; i < 2; i++) {
        cdt_side_close(&f.sides[i]);
        cdt_memory_free(&f.memory[i]);
    }
    return status;
}

/* ---- tick -------------------------------------------------------------------- */

struct event {
    const char *name;
    struct ras_cdt_int count;
};

static int by_event_count(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    int order = cdt_uid_order(&y->count, &x->count);
    return order ? order : strcmp(x->name, y->name);
}

__extension__ typedef __int128 sum;

/* The sum of three counters, which may exceed 64 bits. */
static void put_total(struct document *d, const struct event *events)
{
    sum total = 0;
    for (int i = 0; i < 3; i++)
        total += events[i].count.wide ? (sum)(uint64_t)events[i].count.value
                                      : (sum)events[i].count.value;
    if (total > INT64_MAX && total <= UINT64_MAX)
        document_uint(d, (uint64_t)total);
    else if (total >= INT64_MIN && total <= INT64_MAX)
        document_int(d, (int64_t)total);
    else
        document_f64(d, (double)total);
}

static void put_events(struct document *d, const struct ras_cdt_replay_event_summary *e)
{
    struct event events[] = {{"hit_count", {e->hit_count, e->node.wide & 1}},
                             {"pickup_count", {e->pickup_count, e->node.wide >> 1 & 1}},
                             {"sfx_count", {e->sfx_count, e->node.wide >> 2 & 1}}};
    document_name(d, "event_count_total");
    put_total(d, events);
    document_name(d, "top_event_types");
    qsort(events, 3, sizeof *events, by_event_count);
    size_t list = document_open(d, RAS_LIST);
    for (int i = 0; i < 3; i++)
        document_format(d, events[i].count.wide ? "%s:%" PRIu64 : "%s:%" PRId64, events[i].name,
                        events[i].count.value);
    document_close(d, list);
}

void cdt_doc_summary(struct document *d, const struct cdt_model *model,
                     const struct ras_cdt_tick_record *t)
{
    size_t map = document_open(d, RAS_MAP);
    for (unsigned i = 0; i < 4; i++) { /* tick_index, elapsed_ms, dt_ms_i32, mode_id */
        const struct cdt_field *f = &model->rows[CDT_ROW_TICK]->fields[i];
        document_name(d, f->name);
        cdt_doc_member(d, f, (const uint8_t *)t + f->offset, &t->node, i, false);
    }
    document_name(d, "checkpoint");
    cdt_doc_struct(d, model->rows[CDT_ROW_CHECKPOINT], &t->channels.checkpoint, false);
    size_t counts = document_put_open(d, "entity_counts", RAS_MAP);
    for (int i = 0; i < CDT_POOLS; i++)
        document_put_uint(d, cdt_pools[i].name,
                          cdt_pool_rows(&cdt_pools[i], &t->channels.entity_samples).count);
    document_close(d, counts);
    document_put_uint(d, "rng_stream_count", t->channels.rng_stream.count);
    document_put_uint(d, "timing_samples_count", t->channels.timing_samples.count);
    put_events(d, &t->channels.checkpoint.events);
    document_close(d, map);
}

static int inspect_tick(struct cdt_side *s, const struct ras_inspect_options *options,
                        struct document *d, struct ras_error *err)
{
    const int64_t tick = options->number;
    struct cdt_memory memory = {0};
    struct cdt_block block;
    const struct ras_cdt_tick_record *row;
    int status = cdt_side_tick(s, tick, &memory, &block, &row, err);
    if (status == RAS_OK && row)
        cdt_doc_summary(d, s->model, row);
    else if (status == RAS_OK)
        status = fail(err, options->compat ? RAS_EREFUSED : RAS_ENOTHING, RAS_NONE,
                      options->compat ? "tick %" PRId64 " not found" : "there is no tick %" PRId64,
                      tick);
    cdt_memory_free(&memory);
    return status;
}

/* ---- rows ---------------------------------------------------------------------- */

/* Inspect one side, of which no more is decoded than `wants` says. */
static int inspect_side(struct ras_trace *t, const struct ras_inspect_options *options,
                        const struct cdt_wants *wants, bool ranged,
                        int (*run)(struct cdt_side *, const struct ras_inspect_options *,
                                   struct document *, struct ras_error *),
                        struct document *d, struct ras_error *err)
{
    struct cdt_projection p;
    struct cdt_side s;
    bool again;
    int status;
    cdt_project(&p, cdt_model_in(t), wants);
    do {
        status = ranged ? cdt_side_open_ranged(&s, t, &p.block, options->compat, err)
                        : cdt_side_open(&s, t, &p.block, options->compat, err);
        s.passes = (struct passes){.progress = options->progress, .user = options->user};
        if (status == RAS_OK)
            status = run(&s, options, d, err);
        again = cdt_side_fails_ranged(&s, status);
        ranged = false;
        cdt_side_close(&s);
    } while (again);
    return status;
}

static int inspect_health(struct cdt_side *s, const struct ras_inspect_options *options,
                          struct document *d, struct ras_error *err)
{
    const struct cdt_window window = {options->has_first, options->has_last, options->first,
                                      options->last};
    return cdt_health(s, &window, d, err);
}

static int cdt_tick(struct ras_trace *t, struct ras_trace *other,
                    const struct ras_inspect_options *options, struct document *d,
                    struct ras_error *err)
{
    static const struct cdt_wants wants = {CDT_WANT_ALL, CDT_WANT_NOTHING, CDT_WANT_COUNT,
                                           CDT_WANT_COUNT, CDT_WANT_COUNT};
    (void)other;
    return inspect_side(t, options, &wants, true, inspect_tick, d, err);
}

static int cdt_fitness(struct ras_trace *t, struct ras_trace *other,
                       const struct ras_inspect_options *options, struct document *d,
                       struct ras_error *err)
{
    static const struct cdt_wants wants = {CDT_WANT_NOTHING, CDT_WANT_NOTHING, CDT_WANT_COUNT,
                                           CDT_WANT_COUNT, CDT_WANT_COUNT};
    (void)other;
    if (cdt_model_in(t)->container == 2)
        return cdt_health_2(t, options, d, err);
    return inspect_side(t, options, &wants, false, inspect_health, d, err);
}

const struct compare_inspection cdt_inspections[] = {
    {"focus", cdt_focus}, {"tick", cdt_tick},      {"entity", cdt_entity},
    {"query", cdt_query}, {"health", cdt_fitness}, {0},
};
