/* cdt_health2.c - `health` of container 2: every issue of a trace, block by block and row by row,
 * as the reference tool lists them. */
#include "base/memory.h"
#include "formats/cdt/cdt_compare.h"
#include "formats/cdt/cdt_strict.h"

#include <stdio.h>
#include <stdlib.h>

struct span_of_ticks {
    int64_t first, last;
};

struct health {
    struct ras_trace *trace;
    const struct ras_cdt_trace_footer *footer; /* NULL: the container is not valid */
    struct cdt_window window;
    struct document issues, late;  /* of blocks; of rows */
    int64_t first, last, previous; /* ticks of all rows */
    int64_t seen_first, seen_last; /* of those in the window */
    uint64_t rows, ticks, valid, rng, timing, timed, pools[CDT_POOLS];
    struct span_of_ticks *spans; /* contiguous ticks in the window */
    size_t span_count, span_room;
    bool nomem;
};

#define ISSUE(h, ...) document_format(&(h)->issues, __VA_ARGS__)

/* ---- rows -------------------------------------------------------------------------------- */

static void add_tick(struct health *h, int64_t tick)
{
    struct span_of_ticks *last = h->span_count ? &h->spans[h->span_count - 1] : NULL;
    if (last && (uint64_t)tick - (uint64_t)last->last <= 1) {
        last->last = tick;
        return;
    }
    if (!array_grow(&h->spans, &h->span_room, h->span_count + 1, sizeof *h->spans)) {
        h->nomem = true;
        return;
    }
    h->spans[h->span_count++] = (struct span_of_ticks){tick, tick};
}

static void count_row(struct health *h, const struct ras_cdt_tick_record *t, bool valid)
{
    if (!window_holds(&h->window, t->tick_index))
        return;
    if (!h->ticks || t->tick_index < h->seen_first)
        h->seen_first = t->tick_index;
    if (!h->ticks || t->tick_index > h->seen_last)
        h->seen_last = t->tick_index;
    h->ticks++;
    h->valid += valid;
    h->rng += t->channels.rng_stream.count;
    h->timing += t->channels.timing_samples.count;
    h->timed += t->channels.timing_samples.count > 0;
    for (int i = 0; i < CDT_POOLS; i++)
        h->pools[i] += cdt_pool_rows(&cdt_pools[i], &t->channels.entity_samples).count;
    add_tick(h, t->tick_index);
}

/* Issues about the order of rows come before those about what is in them, which are kept apart. */
static void check_health_row(struct health *h, struct document *order,
                             const struct ras_cdt_tick_record *t)
{
    const struct cdt_trace *cdt = h->trace->priv;
    struct cdt_text text;
    int64_t tick = t->tick_index, before = h->previous;
    if (h->rows && tick == before)
        document_format(order, "duplicate tick_index %" PRId64, tick);
    else if (h->rows && tick < before)
        document_format(order, "out-of-order tick_index %" PRId64 " after %" PRId64, tick, before);
    else if (h->rows && tick != before + 1)
        document_format(order, "tick gap %" PRId64 "..%" PRId64, before + 1, tick - 1);
    if (!h->rows)
        h->first = tick;
    h->rows++;
    h->previous = h->last = tick;
    bool valid = cdt_tick_rules(cdt->meta.model, t, &cdt->meta.meta.source, &text) == CDT_OK;
    if (!valid)
        document_format(&h->late, "invalid tick record %" PRId64 ": %s", tick, text.text);
    count_row(h, t, valid);
}

/* ---- blocks ------------------------------------------------------------------------------ */

static void check_block(struct health *h, size_t i, const struct ras_cdt_tick_block *b,
                        const struct ras_cdt_tick_block_index_entry *e, struct document *order)
{
    if (!b->ticks.count) {
        ISSUE(h, "tick block %zu has no tick rows", i);
        return;
    }
    int64_t first = b->ticks.at[0].tick_index, last = b->ticks.at[b->ticks.count - 1].tick_index;
    if (b->start_tick != first || b->end_tick != last)
        ISSUE(h,
              "tick block %zu payload range=%" PRId64 "..%" PRId64 " does not match rows=%" PRId64
              "..%" PRId64,
              i, b->start_tick, b->end_tick, first, last);
    if (e->start_tick != b->start_tick || e->end_tick != b->end_tick)
        ISSUE(h,
              "footer.tick_blocks[%zu] range=%" PRId64 "..%" PRId64
              " does not match payload=%" PRId64 "..%" PRId64,
              i, e->start_tick, e->end_tick, b->start_tick, b->end_tick);
    for (size_t k = 0; k < b->ticks.count; k++)
        check_health_row(h, order, &b->ticks.at[k]);
}

static void check_entry_order(struct health *h, size_t i)
{
    const struct ras_cdt_tick_block_index_entry *e = &h->footer->tick_blocks.at[i];
    if (!i)
        return;
    if (e->file_offset <= e[-1].file_offset)
        ISSUE(h, "footer.tick_blocks[%zu].file_offset=%" PRId64 " must be greater than %" PRId64, i,
              e->file_offset, e[-1].file_offset);
    if (e->start_tick <= e[-1].end_tick)
        ISSUE(h, "footer.tick_blocks[%zu] range starts at %" PRId64 " after previous end %" PRId64,
              i, e->start_tick, e[-1].end_tick);
}

static int check_blocks(struct health *h, struct document *order, struct ras_error *err)
{
    struct ras_bytes file = source_bytes(h->trace->source, 0);
    struct cdt_memory memory = {0};
    struct cdt_block block;
    struct cdt_text text;
    struct ras_error ours;
    char path[40];
    int status = RAS_OK;
    for (size_t i = 0; status != RAS_EMEMORY && i < h->footer->tick_blocks.count; i++) {
        const struct ras_cdt_tick_block_index_entry *e = &h->footer->tick_blocks.at[i];
        check_entry_order(h, i);
        status =
            cdt_block_load(&memory, file, (uint64_t)e->file_offset, h->trace->limits.chunk_bytes,
                           cdt_model_in(h->trace)->block, &block, &ours);
        snprintf(path, sizeof path, "tick_block[%zu]", i);
        if (cdt_entry_holds(h->trace, e, &block, status, &ours, path, &text))
            check_block(h, i, &block.block, e, order);
        else
            ISSUE(h, "tick block %zu is invalid: %s", i, text.text);
    }
    cdt_memory_free(&memory);
    return status == RAS_EMEMORY ? fail_memory(err) : RAS_OK;
}

static void check_bounds(struct health *h)
{
    const struct ras_cdt_trace_tick_range *r =
        &((const struct cdt_trace *)h->trace->priv)->meta.meta.tick_range;
    const int64_t n = (int64_t)h->rows;
    const struct {
        const char *name;
        int64_t is, should;
        const char *what;
    } all[] = {{"footer.first_tick", h->footer->first_tick, h->first, "first decoded tick"},
               {"footer.last_tick", h->footer->last_tick, h->last, "last decoded tick"},
               {"meta.tick_range.start_tick", r->start_tick, h->first, "first decoded tick"},
               {"meta.tick_range.end_tick", r->end_tick, h->last, "last decoded tick"},
               {"meta.tick_range.tick_count", r->tick_count, n, "decoded tick count"}};
    if (h->footer->tick_count != n)
        ISSUE(h, "footer.tick_count=%" PRId64 " does not match decoded tick count %" PRId64,
              h->footer->tick_count, n);
    for (size_t i = 0; n && i < sizeof all / sizeof *all; i++)
        if (all[i].is != all[i].should)
            ISSUE(h, "%s=%" PRId64 " does not match %s %" PRId64, all[i].name, all[i].is,
                  all[i].what, all[i].should);
}

/* ---- the report -------------------------------------------------------------------------- */

static void put_health_number(struct document *d, const char *key, bool given, int64_t value)
{
    document_name(d, key);
    if (given)
        document_int(d, value);
    else
        document_null(d);
}

static void put_ticks_span(struct document *d, int64_t first, int64_t last)
{
    size_t map = document_open(d, RAS_MAP);
    document_put_int(d, "start_tick", first);
    document_put_int(d, "end_tick", last);
    document_put_int(d, "tick_count", (int64_t)((uint64_t)last - (uint64_t)first + 1));
    document_close(d, map);
}

static int by_first(const void *a, const void *b)
{
    const struct span_of_ticks *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Spans that overlap or touch are one: rows need not be in order. */
static void join_spans(struct health *h)
{
    size_t n = 0;
    if (h->span_count)
        qsort(h->spans, h->span_count, sizeof *h->spans, by_first);
    for (size_t i = 0; i < h->span_count; i++) {
        int64_t first = h->spans[i].first, last = n ? h->spans[n - 1].last : 0;
        if (!n || (first > last && (uint64_t)first - (uint64_t)last > 1))
            h->spans[n++] = h->spans[i];
        else if (h->spans[i].last > h->spans[n - 1].last)
            h->spans[n - 1].last = h->spans[i].last;
    }
    h->span_count = n;
}

static void put_window_2(struct health *h, struct document *d)
{
    size_t map = document_put_open(d, "tick_window", RAS_MAP);
    put_health_number(d, "requested_start", h->window.has_first, h->window.first);
    put_health_number(d, "requested_end", h->window.has_last, h->window.last);
    put_health_number(d, "actual_start", h->ticks, h->seen_first);
    put_health_number(d, "actual_end", h->ticks, h->seen_last);
    document_put_uint(d, "ticks_in_window", h->ticks);
    document_close(d, map);
    join_spans(h);
    size_t list = document_put_open(d, "tick_spans", RAS_LIST);
    for (size_t i = 0; i < h->span_count; i++)
        put_ticks_span(d, h->spans[i].first, h->spans[i].last);
    document_close(d, list);
    list = document_put_open(d, "tick_gaps", RAS_LIST);
    for (size_t i = 1; i < h->span_count; i++)
        put_ticks_span(d, h->spans[i - 1].last + 1, h->spans[i].first - 1);
    document_close(d, list);
}

static void put_health_counts(struct health *h, struct document *d)
{
    static const char *const channels[] = {"checkpoint", "entity_samples", "replay_step",
                                           "rng_stream", "sim_state",      "timing_samples"};
    const struct {
        const char *name;
        uint64_t count;
    } metrics[] = {{"ticks_with_dt_ms_i32", h->ticks},
                   {"validated_tick_records", h->valid},
                   {"replay_step_rows", h->ticks},
                   {"rng_stream_rows", h->rng},
                   {"sim_state_rows", h->ticks},
                   {"sample_creature_rows", h->pools[0]},
                   {"sample_projectile_rows", h->pools[1]},
                   {"sample_secondary_projectile_rows", h->pools[2]},
                   {"sample_bonus_rows", h->pools[3]},
                   {"timing_samples_rows", h->timing},
                   {"ticks_with_timing_samples", h->timed}};
    for (int pass = 0; pass < 2; pass++) {
        size_t map =
            document_put_open(d, pass ? "channel_row_counts" : "channels_present", RAS_MAP);
        for (size_t i = 0; h->footer && i < sizeof channels / sizeof *channels; i++)
            document_put_uint(d, channels[i],
                              pass && i == 3   ? h->rng
                              : pass && i == 5 ? h->timing
                                               : h->ticks);
        document_close(d, map);
    }
    size_t map = document_put_open(d, "metrics", RAS_MAP);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        document_put_uint(d, metrics[i].name, metrics[i].count);
    document_close(d, map);
}

/* Appends the texts of a list. */
static void put_texts(struct document *d, const struct document *from, size_t *count)
{
    d->cells.nomem |= from->cells.nomem;
    if (!from->cells.count)
        return;
    const struct ras_value *at = from->cells.items, *end = at + from->cells.count;
    for (; at < end; at = ras_value_next(at), ++*count)
        document_copy(d, at);
}

static void put_report(struct health *h, struct document *d)
{
    const struct ras_cdt_trace_meta *m = &((const struct cdt_trace *)h->trace->priv)->meta.meta;
    size_t map = document_open(d, RAS_MAP), count = 0;
    put_health_number(d, "trace_format_version", h->footer, m->trace_format_version);
    put_health_number(d, "trace_schema_version", h->footer, m->trace_schema_version);
    put_window_2(h, d);
    put_health_counts(h, d);
    size_t list = document_put_open(d, "issues", RAS_LIST);
    put_texts(d, &h->issues, &count);
    put_texts(d, &h->late, &count);
    document_close(d, list);
    document_put_bool(d, "ok_for_parity_analysis", !count);
    document_close(d, map);
    d->cells.nomem |= h->nomem;
}

static int check_all(struct health *h, struct document *order, struct ras_error *err)
{
    size_t ignored = 0;
    int status = check_blocks(h, order, err);
    put_texts(&h->issues, order, &ignored);
    check_bounds(h);
    if (!h->ticks)
        document_name(&h->late, "trace window has no ticks");
    else if (h->timed != h->ticks)
        document_format(&h->late, "timing_samples missing for %" PRIu64 " tick(s) in trace window",
                        h->ticks - h->timed);
    return status;
}

int cdt_health_2(struct ras_trace *t, const struct ras_inspect_options *options, struct document *d,
                 struct ras_error *err)
{
    struct health h = {
        .trace = t,
        .window = {options->has_first, options->has_last, options->first, options->last}};
    struct document order = {0};
    struct cdt_text text;
    int status = RAS_OK;
    if (cdt_container_holds(t, true, &text)) {
        h.footer = &cdt_footer_now(t)->footer;
        status = check_all(&h, &order, err);
    } else if (text.nomem) {
        status = fail_memory(err);
    } else {
        ISSUE(&h, "invalid trace container: %s", text.text);
    }
    if (status == RAS_OK)
        put_report(&h, d);
    document_free(&order);
    document_free(&h.issues);
    document_free(&h.late);
    free(h.spans);
    return status;
}
