/* dial9_compare.c - two traces event by event, aligned where they diverge.
 *
 * The events of a trace are one sequence in stored order. The batch of an event is reported but
 * not compared: recorders split batches by size and time, so that two runs of one program hardly
 * have the same. Whole batches may change places, as the buffers of several threads do.
 * Timestamps are compared only on request. */
#include "base/memory.h"
#include "core/row.h"
#include "formats/dial9/dial9_compare.h"

#include <stdlib.h>

/* ---- reports --------------------------------------------------------------------- */

enum { ENTRIES_MOST = 256 }; /* of a map that is compared regardless of order */

/* ---- values ------------------------------------------------------------------ */

/* Keys that JSON can represent, each once; other maps are shown as a list of pairs. */
static bool is_plain_map(const struct ras_value *map)
{
    const struct ras_value *end = ras_value_next(map), *value;
    size_t count = 0;
    for (const struct ras_value *key = map + 1; key < end; key = ras_value_next(value)) {
        value = ras_value_next(key);
        if (key->kind != RAS_STR || ++count > ENTRIES_MOST)
            return false;
        for (const struct ras_value *other = ras_value_next(value); other < end;
             other = ras_value_next(ras_value_next(other)))
            if (other->kind == RAS_STR && other->count == key->count &&
                !memcmp(other->at, key->at, key->count))
                return false;
    }
    return true;
}

static void put_map(struct document *doc, const struct ras_value *map, unsigned flags)
{
    const struct ras_value *end = ras_value_next(map), *value;
    bool plain = is_plain_map(map);
    size_t open = document_open(doc, plain ? RAS_MAP : RAS_LIST), pair = 0;
    for (const struct ras_value *key = map + 1; key < end; key = ras_value_next(value)) {
        value = ras_value_next(key);
        if (!plain)
            pair = document_open(doc, RAS_LIST);
        dial9_put_tree(doc, key, flags);
        dial9_put_tree(doc, value, flags);
        if (!plain)
            document_close(doc, pair);
    }
    document_close(doc, open);
}

void dial9_put_tree(struct document *doc, const struct ras_value *v, unsigned flags)
{
    if (v->kind == RAS_MAP) {
        put_map(doc, v, flags);
        return;
    }
    if (v->kind == RAS_UINT && flags & RAS_HEX) {
        document_format(doc, "0x%016" PRIx64, v->u);
        return;
    }
    if (v->kind != RAS_LIST) {
        document_copy(doc, v);
        return;
    }
    size_t open = document_open(doc, RAS_LIST);
    for (const struct ras_value *at = v + 1, *end = ras_value_next(v); at < end;
         at = ras_value_next(at))
        dial9_put_tree(doc, at, flags);
    document_close(doc, open);
}

/* The values of the current event as a map. */
static void dial9_put_values(struct document *doc, const struct ras_cursor *c)
{
    const struct ras_schema *schema = ras_schema_of(c);
    size_t count, map = document_open(doc, RAS_MAP);
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    for (; v < end; v = ras_value_next(v)) {
        document_key(doc, schema->fields[v->field].name);
        if (ras_value_next(v) - v > COMPARE_CELLS_SHOWN)
            document_format(doc, "%s",
                            ras_counted((size_t)(ras_value_next(v) - v - 1), "value").text);
        else
            dial9_put_tree(doc, v, dial9_field_flags(c, v));
    }
    document_close(doc, map);
}

/* ---- events ------------------------------------------------------------------ */

static struct ras_value time_value(const struct ras_record *r)
{
    return r->flags & RAS_HAS_TIME ? value_of_uint(r->time_ns)
                                   : (struct ras_value){.kind = RAS_NULL};
}

/* The position of the current event of a side; the map stays open. */
static size_t open_event(struct document *doc, const struct compare_side *s)
{
    const struct ras_value time = time_value(s->at);
    size_t map = document_open(doc, RAS_MAP);
    document_put_uint(doc, "event_index", s->index);
    document_put_uint(doc, "batch", s->at->stream);
    document_key(doc, "time_ns");
    document_copy(doc, &time);
    return map;
}

static void report_put_event(struct document *doc, const struct compare_side *s)
{
    size_t map = open_event(doc, s);
    document_put_text(doc, "type", ras_schema_of(s->cursor)->name);
    document_key(doc, "values");
    dial9_put_values(doc, s->cursor);
    document_close(doc, map);
}

static struct ras_mark mark_of(const struct dial9_compare *d, int side, size_t i)
{
    const struct compare_side *s = &d->side[side];
    const struct compare_item *item = &s->items[i];
    return dial9_mark_of(d->c->side[side], item->index, item->batch, item->offset, item->base_ns);
}

static uint64_t index_of(const struct compare_side *s, size_t i)
{
    return i < s->item_count ? s->items[i].index : s->past;
}

/* Make item i of the window the current event. */
static int dial9_compare_go(struct dial9_compare *d, int side, size_t i, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    s->at = NULL;
    s->index = index_of(s, i);
    if (i == s->item_count && s->ended)
        return RAS_OK;
    struct ras_mark mark = i < s->item_count ? mark_of(d, side, i) : s->beyond;
    int status = ras_jump(s->cursor, &mark, err);
    if (status == RAS_OK)
        status = dial9_compare_next(d, side, err);
    s->opens = i && s->at ? s->items[i - 1].batch != s->at->stream : s->opened;
    return status;
}

/* ---- divergences ------------------------------------------------------------- */

/* RAS_END: the walk ends here. */
static int diverged(struct dial9_compare *d, const char *kind, uint64_t index, uint32_t batch,
                    size_t detail, uint64_t events)
{
    int status = compare_rows_diverged(d->c, kind, value_of_uint(index), detail, events);
    compare_also(d->c, "batch", "batch", value_of_uint(batch));
    return status;
}

static void put_time_row(struct document *doc, const struct dial9_compare *d)
{
    const struct ras_value a = time_value(d->side[0].at), b = time_value(d->side[1].at);
    fields_put_row(doc, "time_ns", "value_mismatch", &a, &b);
}

static bool times_differ(const struct dial9_compare *d)
{
    const struct ras_record *a = d->side[0].at, *b = d->side[1].at;
    unsigned timed = a->flags & RAS_HAS_TIME, other = b->flags & RAS_HAS_TIME;
    return d->with_time &&
           (timed != other || (timed && !dial9_times_same(d, a->time_ns, b->time_ns)));
}

/* A field of the current event; NULL: it has none of this name. */
static const struct ras_value *field_named(const struct ras_cursor *c, const char *name)
{
    const struct ras_schema *schema = ras_schema_of(c);
    size_t count;
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    for (; v < end; v = ras_value_next(v))
        if (!strcmp(schema->fields[v->field].name, name))
            return v;
    return NULL;
}

/* What two events with a name and an index are of, where both are of the same: NAME[INDEX]. */
static void put_subject(struct document *doc, const struct dial9_compare *d)
{
    const struct ras_value *name[2], *index[2];
    for (int i = 0; i < 2; i++) {
        name[i] = field_named(d->side[i].cursor, "name");
        index[i] = field_named(d->side[i].cursor, "index");
        if (!name[i] || name[i]->kind != RAS_STR || !index[i] || index[i]->kind != RAS_UINT)
            return;
    }
    if (name[0]->count != name[1]->count || index[0]->u != index[1]->u ||
        memcmp(name[0]->at, name[1]->at, name[0]->count) != 0)
        return;
    document_key(doc, "of");
    document_format(doc, "%.*s[%" PRIu64 "]", (int)(name[0]->count < 200 ? name[0]->count : 200),
                    (const char *)name[0]->at, index[0]->u);
}

/* Two events of one type: make them the current ones. */
static int dial9_put_pair(void *user, size_t a, size_t b, struct document *doc, size_t *rows,
                          struct ras_error *err)
{
    struct dial9_compare *d = user;
    int status = dial9_compare_go(d, 0, a, err);
    if (status == RAS_OK)
        status = dial9_compare_go(d, 1, b, err);
    if (status < 0)
        return status;
    size_t detail = document_open(doc, RAS_MAP);
    document_put_text(doc, "type", ras_schema_of(d->side[0].cursor)->name);
    put_subject(doc, d);
    for (int i = 0; i < 2; i++) {
        document_key(doc, i ? "actual" : "expected");
        size_t event = open_event(doc, &d->side[i]);
        document_close(doc, event);
    }
    size_t list = document_put_open(doc, "mismatches", RAS_LIST);
    *rows = dial9_compare_rows(d, doc);
    if (times_differ(d)) {
        put_time_row(doc, d);
        ++*rows;
    }
    document_close(doc, list);
    document_close(doc, detail);
    return RAS_OK;
}

static int dial9_report_pair(void *user, size_t a, size_t b, size_t detail)
{
    struct dial9_compare *d = user;
    const struct compare_side *s = d->side;
    (void)a;
    (void)b;
    int status = diverged(d, "event_changed", s[0].index, s[0].at->stream, detail, 1);
    for (int side = 0; side < 2; side++)
        compare_where(d->c, side, s[side].at->stream, s[side].index);
    return status;
}

static int put_events(struct dial9_compare *d, int side, const char *word, size_t from,
                      uint64_t count, struct ras_error *err)
{
    struct document *doc = &d->c->doc;
    document_format(doc, "%s_count", word);
    document_uint(doc, count);
    document_key(doc, word);
    size_t list = document_open(doc, RAS_LIST);
    for (size_t i = 0; i < count && i < COMPARE_LISTED_MOST && from + i < d->side[side].item_count;
         i++) {
        int status = dial9_compare_go(d, side, from + i, err);
        if (status < 0)
            return status;
        report_put_event(doc, &d->side[side]);
    }
    document_close(doc, list);
    return RAS_OK;
}

/* Events without a counterpart. */
static int dial9_report_one_sided(void *user, const struct align_hunk *h, uint64_t room,
                                  struct ras_error *err)
{
    struct dial9_compare *d = user;
    struct document *doc = &d->c->doc;
    const struct compare_side *sides = d->side;
    uint64_t index = index_of(&sides[0], h->a);
    uint32_t batch = h->a_count ? sides[0].items[h->a].batch : sides[1].items[h->b].batch;
    size_t detail = COMPARE_NO_DETAIL;
    (void)room;
    if (compare_wants_detail(d->c)) {
        int status = RAS_OK;
        detail = document_open(doc, RAS_MAP);
        if (h->a_count)
            status = put_events(d, 0, "deleted", h->a, h->a_count, err);
        if (h->b_count && status == RAS_OK)
            status = put_events(d, 1, "inserted", h->b, h->b_count, err);
        if (status < 0)
            return status;
        document_put_uint(doc, "actual_index", index_of(&sides[1], h->b));
        document_close(doc, detail);
    }
    const char *kind = !h->b_count   ? "event_deleted"
                       : !h->a_count ? "event_inserted"
                                     : "event_replaced";
    int status = diverged(d, kind, index, batch, detail, h->a_count + h->b_count);
    if (h->a_count)
        compare_where(d->c, 0, sides[0].items[h->a].batch, sides[0].items[h->a].index);
    if (h->b_count)
        compare_where(d->c, 1, sides[1].items[h->b].batch, sides[1].items[h->b].index);
    return status;
}

/* Events of one type may be paired. */
static bool dial9_items_similar(void *user, size_t a, size_t b)
{
    const struct dial9_compare *d = user;
    const struct ras_trace *const *traces = (const struct ras_trace *const *)d->c->side;
    return !strcmp(ras_schema_at(traces[0], d->side[0].items[a].schema)->name,
                   ras_schema_at(traces[1], d->side[1].items[b].schema)->name);
}

/* See struct align_walk_ops. */
static int dial9_report_rest(void *user, int side, struct ras_error *err)
{
    struct dial9_compare *d = user;
    struct compare_side *s = &d->side[side];
    uint64_t count = s->item_count;
    int status = RAS_OK;
    for (; s->at && status == RAS_OK; count++) /* from the one after the window on */
        status = dial9_compare_next(d, side, err);
    if (status < 0)
        return status;
    const struct align_hunk all = {0, side ? 0 : (size_t)count, 0, side ? (size_t)count : 0};
    d->side[!side].item_count = 0;
    d->side[!side].past = d->side[!side].index;
    status = dial9_report_one_sided(d, &all, 0, err);
    d->side[0].at = d->side[1].at = NULL;
    return status;
}

/* ---- the walk -------------------------------------------------------------------- */

/* ---- side by side ------------------------------------------------------------ */

static int pass_events(void *user, uint64_t most, uint64_t *passed, struct ras_error *err)
{
    struct dial9_compare *d = user;
    const struct compare_side *a = &d->side[0], *b = &d->side[1];
    for (; *passed < most && a->at && b->at && dial9_compare_same(d); ++*passed) {
        int status = dial9_compare_next(d, 0, err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, 1, err);
        if (status < 0)
            return status;
    }
    return d->nomem ? fail_memory(err) : RAS_OK;
}

static bool has_event(const void *user, int side)
{
    const struct dial9_compare *d = user;
    return d->side[side].at;
}

static bool is_cut(const void *user, int side)
{
    const struct dial9_compare *d = user;
    return ras_ending(d->c->side[side]).kind >= RAS_CUT;
}

static uint64_t progress(const void *user, uint64_t *total)
{
    const struct dial9_compare *d = user;
    return ras_cursor_progress(d->side[0].cursor, total);
}

/* ---- windows ----------------------------------------------------------------- */

static bool keep_item(struct dial9_compare *d, int side)
{
    struct compare_side *s = &d->side[side];
    const struct ras_record *r = s->at;
    if (!array_grow(&s->items, &s->item_room, s->item_count + 1, sizeof *s->items))
        return false;
    bool timed = r->flags & RAS_HAS_TIME;
    uint64_t delta = timed ? load_u32(r->raw + DIAL9_EVENT_SIZE - 1) >> 8 : 0;
    s->items[s->item_count++] = (struct compare_item){.hash = dial9_compare_hash(d, side),
                                                      .index = s->index,
                                                      .offset = r->offset,
                                                      .time_ns = r->time_ns,
                                                      .base_ns = r->time_ns - delta,
                                                      .schema = r->schema,
                                                      .batch = r->stream,
                                                      .timed = timed};
    return !d->nomem;
}

/* Read events into the window until it holds `want`, the current one first. */
static int fill_window(void *user, int side, size_t want, struct align_window *w,
                       struct ras_error *err)
{
    struct dial9_compare *d = user;
    struct compare_side *s = &d->side[side];
    int status = RAS_OK;
    if (!w->count) {
        s->item_count = 0;
        s->opened = s->opens;
    }
    while (s->at && s->item_count < want && status == RAS_OK) {
        if (!keep_item(d, side))
            return fail_memory(err);
        if (s->item_count == want)
            ras_mark(s->cursor, &s->beyond);
        status = dial9_compare_next(d, side, err);
    }
    s->ended = !s->at;
    s->past = s->index;
    *w = (struct align_window){s->item_count, s->ended};
    return status;
}

static bool items_same(void *user, size_t a, size_t b)
{
    const struct dial9_compare *d = user;
    const struct compare_item *x = &d->side[0].items[a], *y = &d->side[1].items[b];
    if (x->hash != y->hash)
        return false;
    if (!d->with_time)
        return true;
    return x->timed == y->timed && (!x->timed || dial9_times_same(d, x->time_ns, y->time_ns));
}

static uint32_t items_key(const void *user, int side, size_t row)
{
    const struct dial9_compare *d = user;
    return (uint32_t)d->side[side].items[row].hash;
}

static int seek_events(void *user, size_t a, size_t b, struct ras_error *err)
{
    struct dial9_compare *d = user;
    int status = dial9_compare_go(d, 0, a, err);
    return status == RAS_OK ? dial9_compare_go(d, 1, b, err) : status;
}

/* Both are at the beginning of a batch, for the first time that they differ there. */
static int pair_batches(void *user, struct ras_error *err)
{
    struct dial9_compare *d = user;
    bool wanted = !d->ordered && d->side[0].opens && d->side[1].opens;
    return wanted ? dial9_pair_batches(d, err) : RAS_END;
}

static const struct align_walk_ops events = {
    .pass = pass_events,
    .has_row = has_event,
    .is_cut = is_cut,
    .progress = progress,
    .resync = pair_batches,
    .fill = fill_window,
    .same = items_same,
    .key = items_key,
    .similar = dial9_items_similar,
    .put_pair = dial9_put_pair,
    .changed = dial9_report_pair,
    .alone = dial9_report_one_sided,
    .rest = dial9_report_rest,
    .seek = seek_events,
};

/* ---- clocks ------------------------------------------------------------------ */

enum { CLOCK_LOOKS = 3 };

/* The times of the first events that have one. */
static int first_times(struct ras_trace *t, uint64_t *times, size_t *count, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    *count = 0;
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && *count < CLOCK_LOOKS && (status = ras_next(c, &r, err)) == RAS_OK)
        if (r->flags & RAS_HAS_TIME)
            times[(*count)++] = r->time_ns;
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* Two runs start at different times. One event with an outlying time does not mean another
 * clock, so the median of three counts. */
static int set_clocks(struct dial9_compare *d, struct ras_error *err)
{
    uint64_t times[2][CLOCK_LOOKS];
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        int status = first_times(d->c->side[i], times[i], &counts[i], err);
        if (status < 0)
            return status;
    }
    if (counts[0] < CLOCK_LOOKS || counts[1] < CLOCK_LOOKS)
        return RAS_OK;
    int64_t apart[CLOCK_LOOKS];
    for (int i = 0; i < CLOCK_LOOKS; i++) {
        int64_t now = (int64_t)(times[1][i] - times[0][i]);
        int j = i;
        for (; j && apart[j - 1] > now; j--)
            apart[j] = apart[j - 1];
        apart[j] = now;
    }
    int64_t shift = apart[CLOCK_LOOKS / 2];
    if (dial9_times_same(d, 0, (uint64_t)shift))
        return RAS_OK;
    d->shift_ns = (uint64_t)shift;
    compare_note(d->c, "the clocks are %" PRId64 " ns apart, times are compared from there", shift);
    return RAS_OK;
}

/* ---- the comparison ---------------------------------------------------------- */

static void note_batches(const struct dial9_compare *d)
{
    size_t count[2];
    for (int i = 0; i < 2; i++)
        (void)ras_streams(d->c->side[i], &count[i]);
    if (count[0] != count[1])
        compare_note(d->c, "%zu and %zu batches: events are compared whatever batch holds them",
                     count[0], count[1]);
}

static int run(struct compare *c, struct ras_error *err)
{
    struct dial9_compare *d = c->priv;
    const struct ras_compare_span *span = c->options->spans;
    d->c = c;
    if (c->options->span_count > 1)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s of events, one can be compared",
                    ras_counted(c->options->span_count, "span").text);
    d->ordered = span; /* a range of events says nothing about whole batches */
    d->walk = (struct align_walk){.c = c, .ops = &events, .user = d};
    d->with_time = compare_chose(c, "time");
    d->time_eps_ns = choice_value(c->options->choices, c->options->choice_count, "time");
    int status = d->with_time ? set_clocks(d, err) : RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        d->side[i].batch = UINT32_MAX;
        const struct ras_scan scan = {.axis = span ? RAS_AXIS_SEQ : RAS_AXIS_NONE,
                                      .from = span ? span->from[i] : 0,
                                      .to = span ? span->to[i] : 0};
        status = ras_cursor_open(&d->side[i].cursor, c->side[i], &scan, err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, i, err);
    }
    if (status == RAS_OK)
        status = align_walk_run(&d->walk, err);
    if (status >= 0 && d->nomem)
        status = fail_memory(err);
    for (int i = 0; i < 2 && status >= 0; i++)
        status = compare_ending(d->c, i, d->side[i].cursor, err);
    if (status >= 0)
        note_batches(d);
    return status < 0 ? status : RAS_OK;
}

static void compare_stop(struct compare *c)
{
    struct dial9_compare *d = c->priv;
    for (int i = 0; i < 2; i++) {
        ras_cursor_close(d->side[i].cursor);
        free(d->side[i].batches);
        dial9_compare_forget(&d->side[i]);
    }
    align_walk_free(&d->walk);
}

static const char *const times[] = {"total_ns", "count", "p50_ns", "p99_ns", "max_ns", NULL};
static const char *const shares[] = {"share_percent", "samples", NULL};
static const char *const bytes[] = {"estimated_bytes", "samples", "live_estimated_bytes", NULL};
static const char *const by_spawn[] = {"spawn_loc", NULL}, *const by_delay[] = {"delay", NULL};
static const char *const by_span[] = {"span", NULL};
static const char *const by_place[] = {"waiting_on", "stack", NULL};
static const char *const by_stack[] = {"grouped_by", "source", "stack", NULL};
static const char *const by_site[] = {"function", "stack", NULL};
enum { MOVERS = 25 };
static const struct compare_profile profiles[] = {
    {"polls_by_location", by_spawn, times},
    {"tasks", by_spawn, times},
    {"scheduling_delays", by_delay, times},
    {"spans", by_span, times},
    {"waiting_on", by_place, times, .most = MOVERS},
    {"folded", by_stack, shares, .only = {"grouped_by", "kind"}, .most = MOVERS},
    {"heap_sites", by_site, bytes, .most = MOVERS},
    {0},
};

#define EVENT_PLACE                                                                                \
    MEMBER_VALUE("event_index", NUMBER, "its number in the trace"),                                \
        MEMBER_VALUE("batch", NUMBER, "the batch that it is in"),                                  \
        MEMBER_OR_NULL("time_ns", NUMBER, "null: it has none")
static const struct ras_detail_member place_members[] = {EVENT_PLACE, {0}};
static const struct ras_detail_member event_members[] = {
    EVENT_PLACE,
    MEMBER_VALUE("type", TEXT, "its type"),
    MEMBER_VALUE("values", MAP, "its fields"),
    {0},
};
#define PLACE(key, what)                                                                           \
    {                                                                                              \
        key, RAS_DETAIL_SIDE, RAS_DETAIL_MAP, false, place_members, what                           \
    }
#define EVENTS(key, what)                                                                          \
    {                                                                                              \
        key, RAS_DETAIL_VALUE, RAS_DETAIL_LIST, false, event_members, what                         \
    }
#define ACTUAL_INDEX MEMBER_VALUE("actual_index", NUMBER, "where in the second side that is")
#define DELETED                                                                                    \
    MEMBER_VALUE("deleted_count", NUMBER, "events that only the first side has"),                  \
        EVENTS("deleted", "at most 8 of them")
#define INSERTED                                                                                   \
    MEMBER_VALUE("inserted_count", NUMBER, "events that only the second side has"),                \
        EVENTS("inserted", "at most 8 of them")
static const struct ras_detail_member changed_members[] = {
    MEMBER_VALUE("type", TEXT, "type of both events"),
    MEMBER_MAYBE("of", TEXT, "`NAME[INDEX]`, where both have the same `name` and `index`"),
    PLACE("expected", "where the first side's event is"),
    PLACE("actual", "where the second side's event is"),
    MEMBER_ROWS("mismatches", "fields that differ"),
    {0},
};
static const struct ras_detail_member deleted_members[] = {DELETED, ACTUAL_INDEX, {0}};
static const struct ras_detail_member inserted_members[] = {INSERTED, ACTUAL_INDEX, {0}};
static const struct ras_detail_member replaced_members[] = {DELETED, INSERTED, ACTUAL_INDEX, {0}};
static const struct ras_detail_kind details[] = {
    {"event_changed", "two events of one type with different fields", changed_members},
    {"event_deleted", "events that only the first side has", deleted_members},
    {"event_inserted", "events that only the second side has", inserted_members},
    {"event_replaced", "events of each side where the other has others", replaced_members},
    {0},
};

const struct compare_ops dial9_compare = {
    .details = details,
    .key = "event_index",
    .word = "event",
    .line = "events",
    .maker = "dial9",
    .activity = {NULL, NULL, "events"},
    .profiles = profiles,
    .takes = COMPARE_PATHS | COMPARE_SPANS,
    .size = sizeof(struct dial9_compare),
    .run = run,
    .stop = compare_stop,
};
