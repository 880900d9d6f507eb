/* cdt_look.c - looks into one trace: a tick, an entity, its health. */
#include "codec/json_python.h"
#include "formats/cdt/cdt_query.h"

#include <stdlib.h>

/* ---- tick -------------------------------------------------------------------- */

struct event {
    const char *name;
    struct ras_cdt_int count;
};

static int by_count(const void *a, const void *b)
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
    qsort(events, 3, sizeof *events, by_count);
    size_t list = document_open(d, RAS_LIST);
    for (int i = 0; i < 3; i++)
        document_format(d, events[i].count.wide ? "%s:%" PRIu64 : "%s:%" PRId64, events[i].name,
                        events[i].count.value);
    document_close(d, list);
}

void cdt_tell_summary(struct document *d, const struct ras_cdt_tick_record *t)
{
    size_t map = document_open(d, RAS_MAP);
    for (unsigned i = 0; i < 4; i++) { /* tick_index, elapsed_ms, dt_ms_i32, mode_id */
        const struct cdt_field *f = &cdt_tick_record.fields[i];
        document_name(d, f->name);
        cdt_tell_member(d, f, (const uint8_t *)t + f->offset, &t->node, i, false);
    }
    document_name(d, "checkpoint");
    cdt_tell(d, &cdt_replay_checkpoint, &t->channels.checkpoint, false);
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

static int look_tick(struct cdt_side *s, int64_t tick, struct document *d, struct ras_error *err)
{
    struct cdt_memory memory = {0};
    struct cdt_block block;
    const struct ras_cdt_tick_record *row;
    int status = cdt_side_tick(s, tick, &memory, &block, &row, err);
    if (status == RAS_OK && row)
        cdt_tell_summary(d, row);
    else if (status == RAS_OK)
        status = fail(err, RAS_EREFUSED, RAS_NONE, "tick %" PRId64 " not found", tick);
    cdt_memory_free(&memory);
    return status;
}

/* ---- entity ------------------------------------------------------------------ */

struct sought {
    int64_t uid;
    struct document *doc;
    size_t found;
    int64_t first, last; /* ticks */
};

static void put_samples(struct sought *s, const struct ras_cdt_tick_record *t)
{
    for (int i = 0; i < CDT_POOLS; i++) {
        const struct cdt_struct *of = cdt_pools[i].of;
        struct cdt_list rows = cdt_pool_rows(&cdt_pools[i], &t->channels.entity_samples);
        for (size_t k = 0; k < rows.count; k++) {
            struct ras_cdt_int uid = cdt_uid_of(rows.at + k * of->size);
            if (uid.value != s->uid || uid.wide)
                continue;
            size_t map = document_open(s->doc, RAS_MAP);
            cdt_tell_members(s->doc, of, rows.at + k * of->size, false);
            document_name(s->doc, "tick_index");
            cdt_tell_tick(s->doc, t);
            document_close(s->doc, map);
            s->first = s->found++ ? s->first : t->tick_index;
            s->last = t->tick_index;
        }
    }
}

/* The members that stand before the samples are known when the samples are: they are put
 * first and filled in at last. */
static int walk_entity(struct cdt_walk *w, struct sought *s, struct ras_error *err)
{
    struct document *d = s->doc;
    const struct ras_cdt_tick_record *row;
    int status;
    size_t map = document_open(d, RAS_MAP);
    document_name(d, "entity_uid");
    document_int(d, s->uid);
    document_name(d, "pool_kind");
    size_t kind = d->count;
    document_null(d);
    document_name(d, "spawn_tick");
    document_int(d, 0);
    document_name(d, "despawn_tick");
    document_int(d, 0);
    document_name(d, "samples");
    size_t list = document_open(d, RAS_LIST);
    while ((status = cdt_walk_next(w, &row, err)) == RAS_OK && !d->nomem)
        put_samples(s, row);
    document_close(d, list);
    document_close(d, map);
    if (status < 0 || d->nomem)
        return status < 0 ? status : fail_memory(err);
    if (!s->found)
        return fail(err, RAS_EREFUSED, RAS_NONE,
                    "entity uid %" PRId64 " not found in requested range", s->uid);
    d->cells[kind] = *map_find(&d->cells[list + 1], "pool_kind");
    d->cells[kind + 2].i = s->first;
    d->cells[kind + 4].i = s->last;
    return RAS_OK;
}

static int refuse_text(struct ras_error *err, const char *before, struct ras_bytes text,
                       const char *behind)
{
    struct out shown = {0};
    python_repr_text(&shown, text.at, text.len);
    int width = shown.failed ? 0 : shown.len < 160 ? (int)shown.len : 160;
    (void)fail(err, RAS_EREFUSED, RAS_NONE, "%s%.*s%s", before, width,
               shown.at ? (const char *)shown.at : "", behind);
    out_free(&shown);
    return RAS_EREFUSED;
}

/* An end of a range, as int() reads it; blank is none. */
static int read_end(struct ras_bytes text, bool *given, int64_t *value, struct ras_error *err)
{
    const uint8_t *at = text.at, *end = at + text.len;
    while (end > at && query_space(end[-1]))
        end--;
    while (end > at && query_space(*at))
        at++;
    *given = end > at;
    bool minus = *given && *at == '-', good = true;
    at += *given && (*at == '-' || *at == '+');
    *value = 0;
    good = !*given || at < end;
    for (; at < end && good; at++)
        good = *at >= '0' && *at <= '9' && !__builtin_mul_overflow(*value, 10, value) &&
               !__builtin_sub_overflow(*value, *at - '0', value);
    if (!minus && good)
        good = !__builtin_sub_overflow(0, *value, value);
    return good ? RAS_OK : refuse_text(err, "invalid literal for int() with base 10: ", text, "");
}

/* A..B, A.., ..B, N; blank is all. */
static int read_range(const char *text, struct cdt_window *w, struct ras_error *err)
{
    const char *dots = text ? strstr(text, "..") : NULL;
    if (!text)
        return RAS_OK;
    struct ras_bytes all = {(const uint8_t *)text, strlen(text)}, head = all;
    head.len = dots ? (size_t)(dots - text) : all.len;
    int status = read_end(head, &w->has_first, &w->first, err);
    if (status == RAS_OK && dots)
        status = read_end((struct ras_bytes){all.at + head.len + 2, all.len - head.len - 2},
                          &w->has_last, &w->last, err);
    if (status < 0)
        return status;
    if (!dots) {
        w->has_last = w->has_first;
        w->last = w->first;
    }
    return w->has_first && w->has_last && w->first > w->last
               ? refuse_text(err, "invalid tick range ", all, ": start > end")
               : RAS_OK;
}

static int look_entity(struct cdt_side *s, const struct cdt_window *window, int64_t uid,
                       struct document *d, struct ras_error *err)
{
    struct cdt_walk walk = {.side = s, .window = *window};
    struct sought sought = {.uid = uid, .doc = d};
    int status = walk_entity(&walk, &sought, err);
    cdt_walk_close(&walk);
    return status;
}

/* ---- all of them -------------------------------------------------------------- */

static const struct cdt_wants wants[] = {
    [RAS_LOOK_TICK] = {CDT_WANT_ALL, CDT_WANT_NOTHING, CDT_WANT_COUNT, CDT_WANT_COUNT,
                       CDT_WANT_COUNT},
    [RAS_LOOK_ENTITY] = {.entities = CDT_WANT_ALL},
    [RAS_LOOK_HEALTH] = {CDT_WANT_NOTHING, CDT_WANT_NOTHING, CDT_WANT_COUNT, CDT_WANT_COUNT,
                         CDT_WANT_COUNT},
};

static int look_one(struct ras_trace *t, const struct ras_look *look, struct document *d,
                    struct ras_error *err)
{
    struct cdt_projection p;
    struct cdt_side s;
    struct cdt_window window = {look->has_first, look->has_last, look->first, look->last};
    cdt_project(&p, &wants[look->kind]);
    int status = look->kind == RAS_LOOK_ENTITY ? read_range(look->text, &window, err) : RAS_OK;
    if (status < 0)
        return status;
    status = cdt_side_open(&s, t, &p.block, err);
    if (status == RAS_OK)
        status = look->kind == RAS_LOOK_TICK     ? look_tick(&s, look->number, d, err)
                 : look->kind == RAS_LOOK_ENTITY ? look_entity(&s, &window, look->number, d, err)
                                                 : cdt_health(&s, &window, d, err);
    cdt_side_close(&s);
    return status;
}

int cdt_look(struct ras_trace *t, struct ras_trace *other, const struct ras_look *look,
             struct document *d, struct ras_seen *seen, struct ras_error *err)
{
    int status = look->kind == RAS_LOOK_FOCUS   ? cdt_focus(t, other, look->number, d, err)
                 : look->kind == RAS_LOOK_QUERY ? cdt_query(t, look->text, look->limit, d, err)
                                                : look_one(t, look, d, err);
    seen->endings[0] = t->ending;
    if (other)
        seen->endings[1] = other->ending;
    return status;
}
