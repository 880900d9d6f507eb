/* dial9_compare_tell.c - what was inserted, deleted or changed, event by event. */
#include "core/row.h"
#include "formats/dial9/dial9_compare.h"

enum { ENTRIES_MOST = 256 }; /* of a map that is compared without regard to order */

/* ---- values ------------------------------------------------------------------ */

/* Keys that JSON can have, each once; others are shown as a list of pairs. */
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

void dial9_put_values(struct document *doc, const struct ras_cursor *c)
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

static void put_uint(struct document *doc, const char *key, uint64_t value)
{
    document_key(doc, key);
    document_uint(doc, value);
}

/* Where the current event of a side is; its map stays open. */
static size_t open_event(struct document *doc, const struct compare_side *s)
{
    size_t map = document_open(doc, RAS_MAP);
    put_uint(doc, "event_index", s->index);
    put_uint(doc, "batch", s->at->stream);
    document_key(doc, "time_ns");
    if (s->at->flags & RAS_HAS_TIME)
        document_uint(doc, s->at->time_ns);
    else
        document_null(doc);
    return map;
}

static void put_event(struct document *doc, const struct compare_side *s)
{
    size_t map = open_event(doc, s);
    document_key(doc, "type");
    document_key(doc, ras_schema_of(s->cursor)->name);
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

int dial9_compare_go(struct dial9_compare *d, int side, size_t i, struct ras_error *err)
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
    static const char *const keys[] = {"expected", "actual"};
    size_t row = document_open(doc, RAS_MAP);
    document_key(doc, "path");
    document_key(doc, "time_ns");
    document_key(doc, "kind");
    document_key(doc, "value_mismatch");
    for (int i = 0; i < 2; i++) {
        document_key(doc, keys[i]);
        if (d->side[i].at->flags & RAS_HAS_TIME)
            document_uint(doc, d->side[i].at->time_ns);
        else
            document_null(doc);
    }
    document_close(doc, row);
}

static bool times_differ(const struct dial9_compare *d)
{
    const struct ras_record *a = d->side[0].at, *b = d->side[1].at;
    unsigned timed = a->flags & RAS_HAS_TIME, other = b->flags & RAS_HAS_TIME;
    return d->with_time &&
           (timed != other || (timed && !dial9_times_same(d, a->time_ns, b->time_ns)));
}

/* Two events of one type: they become the current ones. */
int dial9_put_pair(void *user, size_t a, size_t b, struct document *doc, size_t *rows,
                   struct ras_error *err)
{
    struct dial9_compare *d = user;
    int status = dial9_compare_go(d, 0, a, err);
    if (status == RAS_OK)
        status = dial9_compare_go(d, 1, b, err);
    if (status < 0)
        return status;
    size_t detail = document_open(doc, RAS_MAP);
    document_key(doc, "type");
    document_key(doc, ras_schema_of(d->side[0].cursor)->name);
    for (int i = 0; i < 2; i++) {
        document_key(doc, i ? "actual" : "expected");
        size_t event = open_event(doc, &d->side[i]);
        document_close(doc, event);
    }
    document_key(doc, "mismatches");
    size_t list = document_open(doc, RAS_LIST);
    *rows = dial9_compare_rows(d, doc);
    if (times_differ(d)) {
        put_time_row(doc, d);
        ++*rows;
    }
    document_close(doc, list);
    document_close(doc, detail);
    return RAS_OK;
}

int dial9_report_pair(void *user, size_t a, size_t b, size_t detail)
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
        put_event(doc, &d->side[side]);
    }
    document_close(doc, list);
    return RAS_OK;
}

/* Events that have no counterpart. */
int dial9_report_alone(void *user, const struct align_hunk *h, uint64_t room, struct ras_error *err)
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
        put_uint(doc, "actual_index", index_of(&sides[1], h->b));
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

/* Events of a type stand for each other. */
bool dial9_items_similar(void *user, size_t a, size_t b)
{
    const struct dial9_compare *d = user;
    const struct ras_trace *const *traces = (const struct ras_trace *const *)d->c->side;
    return !strcmp(ras_schema_at(traces[0], d->side[0].items[a].schema)->name,
                   ras_schema_at(traces[1], d->side[1].items[b].schema)->name);
}

int dial9_report_rest(void *user, int side, struct ras_error *err)
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
    status = dial9_report_alone(d, &all, 0, err);
    d->side[0].at = d->side[1].at = NULL;
    return status;
}
