/* cdt_inspect.c - looks into one trace: a tick, its health; and which look it is. */
#include "formats/cdt/cdt_query.h"

#include <stdlib.h>

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

/* Three counters, which may be beyond 64 bits together. */
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

void cdt_doc_summary(struct document *d, const struct ras_cdt_tick_record *t)
{
    size_t map = document_open(d, RAS_MAP);
    for (unsigned i = 0; i < 4; i++) { /* tick_index, elapsed_ms, dt_ms_i32, mode_id */
        const struct cdt_field *f = &cdt_tick_record.fields[i];
        document_name(d, f->name);
        cdt_doc_member(d, f, (const uint8_t *)t + f->offset, &t->node, i, false);
    }
    document_name(d, "checkpoint");
    cdt_doc_struct(d, &cdt_replay_checkpoint, &t->channels.checkpoint, false);
    document_name(d, "entity_counts");
    size_t counts = document_open(d, RAS_MAP);
    for (int i = 0; i < CDT_POOLS; i++) {
        document_name(d, cdt_pools[i].name);
        document_uint(d, cdt_pool_rows(&cdt_pools[i], &t->channels.entity_samples).count);
    }
    document_close(d, counts);
    document_name(d, "rng_stream_count");
    document_uint(d, t->channels.rng_stream.count);
    document_name(d, "timing_samples_count");
    document_uint(d, t->channels.timing_samples.count);
    put_events(d, &t->channels.checkpoint.events);
    document_close(d, map);
}

static int inspect_tick(struct cdt_side *s, const struct ras_inspect_options *look,
                        struct document *d, struct ras_error *err)
{
    const int64_t tick = look->number;
    struct cdt_memory memory = {0};
    struct cdt_block block;
    const struct ras_cdt_tick_record *row;
    int status = cdt_side_tick(s, tick, &memory, &block, &row, err);
    if (status == RAS_OK && row)
        cdt_doc_summary(d, row);
    else if (status == RAS_OK)
        status =
            fail(err, look->compat ? RAS_EREFUSED : RAS_ENOTHING, RAS_NONE,
                 look->compat ? "tick %" PRId64 " not found" : "there is no tick %" PRId64, tick);
    cdt_memory_free(&memory);
    return status;
}

/* ---- all of them -------------------------------------------------------------- */

static const struct cdt_wants wants[] = {
    [RAS_INSPECT_TICK] = {CDT_WANT_ALL, CDT_WANT_NOTHING, CDT_WANT_COUNT, CDT_WANT_COUNT,
                          CDT_WANT_COUNT},
    [RAS_INSPECT_HEALTH] = {CDT_WANT_NOTHING, CDT_WANT_NOTHING, CDT_WANT_COUNT, CDT_WANT_COUNT,
                            CDT_WANT_COUNT},
};

static int inspect_one(struct ras_trace *t, const struct ras_inspect_options *look,
                       struct document *d, struct ras_error *err)
{
    struct cdt_projection p;
    struct cdt_side s;
    const struct cdt_window window = {look->has_first, look->has_last, look->first, look->last};
    cdt_project(&p, &wants[look->kind]);
    int status = cdt_side_open(&s, t, &p.block, look->compat, err);
    if (status == RAS_OK && !look->compat)
        cdt_side_check_gaps(&s);
    if (status == RAS_OK)
        status = look->kind == RAS_INSPECT_TICK ? inspect_tick(&s, look, d, err)
                                                : cdt_health(&s, &window, d, err);
    cdt_side_close(&s);
    return status;
}

int cdt_inspect(struct ras_trace *t, struct ras_trace *other,
                const struct ras_inspect_options *look, struct document *d,
                struct ras_inspection *seen, struct ras_error *err)
{
    int status = look->kind == RAS_INSPECT_FOCUS    ? cdt_focus(t, other, look, d, err)
                 : look->kind == RAS_INSPECT_ENTITY ? cdt_entity(t, other, look, d, err)
                 : look->kind == RAS_INSPECT_QUERY  ? cdt_query(t, look, d, err)
                                                    : inspect_one(t, look, d, err);
    seen->endings[0] = t->ending;
    if (other)
        seen->endings[1] = other->ending;
    return status;
}
