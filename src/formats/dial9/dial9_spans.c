/* dial9_spans.c - modern spans: enters and exits paired by instance and thread, until the close.
 *
 * Per thread an exit belongs to the newest enter that is open. How long a span was active is the
 * length of the union of its intervals; as facts come in the order of time, that of intervals that
 * ended while no enter was open is final, and only pieces that may still be covered by an open one
 * are kept. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

struct span_book *dial9_spans_new(void)
{
    struct span_book *b = calloc(1, sizeof *b);
    if (b)
        b->row = calloc(1, sizeof *b->row);
    if (b && !b->row) {
        free(b);
        return NULL;
    }
    return b;
}

void dial9_spans_free(struct span_book *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->type_count; i++) {
        quantiles_free(&b->types[i].elapsed);
        quantiles_free(&b->types[i].active);
    }
    for (size_t i = 0; i < b->attribute_count; i++)
        quantiles_free(&b->attributes[i].elapsed);
    id_table_free(&b->ids);
    id_table_free(&b->type_ids);
    id_table_free(&b->attribute_ids);
    free(b->live);
    free(b->entries);
    free(b->pieces);
    for (size_t i = 0; i < b->note_count; i++)
        free(b->notes[i]);
    free(b->notes);
    free(b->row);
    free(b->types);
    free(b->attributes);
    free(b);
}

/* ---- live spans ------------------------------------------------------------------------------ */

static inline struct live_span *live_find(const struct span_book *b, uint64_t id)
{
    uint32_t found = id_table_find(&b->ids, id);
    return found == ID_TABLE_NONE ? NULL : &b->live[found];
}

/* NULL: there are too many, or memory is short. */
static struct live_span *live_new(struct dial9_stats *d, const struct fact *f)
{
    struct span_book *b = d->book;
    if (!b->live_free && b->live_count >= LIVE_MOST) {
        d->spans_dropped++;
        return NULL;
    }
    size_t at = b->live_free ? b->live_free - 1 : b->live_count;
    if ((at >= b->live_room && !array_grow(&b->live, &b->live_room, at + 1, sizeof *b->live)) ||
        !id_table_add(&b->ids, f->id, (uint32_t)at)) {
        stats_nomem(d);
        return NULL;
    }
    if (b->live_free)
        b->live_free = b->live[at].next_free;
    else
        b->live_count++;
    b->live[at] = (struct live_span){
        .id = f->id, .first = f->time_ns, .event = dial9_event_of(f), .text = f->ref, .used = true};
    return &b->live[at];
}

static void live_remove(struct span_book *b, struct live_span *s)
{
    id_table_remove(&b->ids, s->id);
    *s = (struct live_span){.next_free = b->live_free};
    b->live_free = (uint32_t)(s - b->live) + 1;
}

/* ---- intervals ------------------------------------------------------------------------------- */

static void piece_drop(struct span_book *b, struct live_span *s)
{
    struct span_piece *p = &b->pieces[s->pieces - 1];
    uint32_t at = s->pieces;
    s->pieces = p->below;
    p->below = b->piece_free;
    b->piece_free = at;
}

/* The interval joins the pieces that it touches: none of them ends after it. */
static struct span_piece join_pieces(struct span_book *b, struct live_span *s, uint64_t from_ns,
                                     uint64_t to_ns)
{
    while (s->pieces && b->pieces[s->pieces - 1].to_ns >= from_ns) {
        const struct span_piece *p = &b->pieces[s->pieces - 1];
        from_ns = p->from_ns < from_ns ? p->from_ns : from_ns;
        to_ns = p->to_ns > to_ns ? p->to_ns : to_ns;
        piece_drop(b, s);
    }
    return (struct span_piece){from_ns, to_ns, 0};
}

static void settle_pieces(struct span_book *b, struct live_span *s)
{
    while (s->pieces) {
        const struct span_piece *p = &b->pieces[s->pieces - 1];
        s->wall += p->to_ns - p->from_ns;
        piece_drop(b, s);
    }
}

static void piece_keep(struct dial9_stats *d, struct live_span *s, const struct span_piece *piece)
{
    struct span_book *b = d->book;
    size_t at = b->piece_free ? b->piece_free - 1 : b->piece_count;
    if (!b->piece_free && b->piece_count >= LIVE_MOST) {
        d->spans_dropped++; /* its time inside is too short by this */
        return;
    }
    if (!array_grow(&b->pieces, &b->piece_room, at + 1, sizeof *b->pieces)) {
        stats_nomem(d);
        return;
    }
    if (b->piece_free)
        b->piece_free = b->pieces[at].below;
    else
        b->piece_count++;
    b->pieces[at] = *piece;
    b->pieces[at].below = s->pieces;
    s->pieces = (uint32_t)at + 1;
}

static void interval_add(struct dial9_stats *d, struct live_span *s, uint64_t from_ns,
                         uint64_t to_ns)
{
    s->intervals++;
    s->thread_ns += to_ns - from_ns;
    if (!s->entries && !s->pieces) { /* nearly always */
        s->wall += to_ns - from_ns;
        return;
    }
    struct span_piece piece = join_pieces(d->book, s, from_ns, to_ns);
    if (s->entries) {
        piece_keep(d, s, &piece);
        return;
    }
    s->wall += piece.to_ns - piece.from_ns;
    settle_pieces(d->book, s);
}

/* ---- enters and exits ------------------------------------------------------------------------ */

static void modern_enter(struct dial9_stats *d, const struct fact *f)
{
    struct span_book *b = d->book;
    struct worker *w = f->worker == NO_WORKER ? NULL : &d->workers[f->worker];
    if (w && w->polling)
        w->poll_spans++;
    struct live_span *s = live_find(b, f->id);
    s = s ? s : live_new(d, f);
    if (!s)
        return;
    if (!s->entered) {
        s->entered = true;
        s->first = f->time_ns;
        s->event = dial9_event_of(f);
        s->text = f->ref;
    }
    size_t at = b->entry_free ? b->entry_free - 1 : b->entry_count;
    if (s->entry_count >= SPAN_ENTRIES_MOST || at >= LIVE_MOST) {
        d->spans_dropped++;
        return;
    }
    if (at >= b->entry_room &&
        !array_grow(&b->entries, &b->entry_room, at + 1, sizeof *b->entries)) {
        stats_nomem(d);
        return;
    }
    if (b->entry_free)
        b->entry_free = b->entries[at].below;
    else
        b->entry_count++;
    b->entries[at] =
        (struct span_entry){f->time_ns, f->other, dial9_event_of(f), s->entries, f->worker};
    s->entries = (uint32_t)at + 1;
    s->entry_count++;
}

static void entry_free(struct span_book *b, uint32_t entry)
{
    b->entries[entry - 1].below = b->entry_free;
    b->entry_free = entry;
}

/* Take the newest open enter of a thread out of the list; 0: there is none. */
static uint32_t entry_take(struct span_book *b, struct live_span *s, const struct fact *f)
{
    uint32_t *link = &s->entries;
    while (*link && b->entries[*link - 1].thread != f->other)
        link = &b->entries[*link - 1].below;
    uint32_t found = *link;
    if (!found || f->time_ns < b->entries[found - 1].time_ns)
        return 0;
    *link = b->entries[found - 1].below;
    s->entry_count--;
    return found;
}

static void found_interval(struct dial9_stats *d, const struct live_span *s,
                           const struct span_entry *e, uint64_t end_ns)
{
    bool unended = end_ns == RAS_NONE;
    d->take(d->taker, &(struct derived_row){
                          .start = e->time_ns,
                          .end = end_ns,
                          .duration = unended ? RAS_NONE : end_ns - e->time_ns,
                          .id = s->id,
                          .parent = RAS_NONE,
                          .worker = e->worker == NO_WORKER ? RAS_NONE : d->workers[e->worker].id,
                          .event = e->event,
                          .text = s->text,
                          .worker_index = e->worker,
                          .kind = DERIVED_SEGMENT,
                          .has_id = true,
                          .unended = unended,
                          .more = {.dialect = SPAN_MODERN, .thread = e->thread}});
}

static void modern_exit(struct dial9_stats *d, const struct fact *f)
{
    struct span_book *b = d->book;
    struct live_span *s = live_find(b, f->id);
    s = s ? s : live_new(d, f);
    if (!s)
        return;
    uint32_t found = entry_take(b, s, f);
    if (!found) {
        s->exits++;
        b->unbalanced_exits++;
        d->exits_unentered++;
        return;
    }
    const struct span_entry e = b->entries[found - 1];
    entry_free(b, found);
    interval_add(d, s, e.time_ns, f->time_ns);
    struct site *site = d->s ? dial9_stats_site(d, s->text) : NULL;
    if (site)
        dial9_figure(d, &site->segments, f->time_ns - e.time_ns);
    if (d->take)
        found_interval(d, s, &e, f->time_ns);
}

/* ---- closes ---------------------------------------------------------------------------------- */

/* Enters that were not left: how many. Their pieces are given as segments without an end. */
static uint64_t drop_entries(struct dial9_stats *d, struct live_span *s)
{
    uint64_t count = s->entry_count;
    while (s->entries) {
        uint32_t entry = s->entries;
        const struct span_entry e = d->book->entries[entry - 1];
        if (d->take)
            found_interval(d, s, &e, RAS_NONE);
        s->entries = e.below;
        entry_free(d->book, entry);
    }
    s->entry_count = 0;
    settle_pieces(d->book, s);
    return count;
}

/* A span as a row; `note` is NULL where it was not closed. Members are set one by one: those that
 * are the same for all spans stay as they are. */
static struct derived_row *modern_row(struct dial9_stats *d, const struct live_span *s,
                                      const struct span_note *note, uint64_t close_ns,
                                      uint64_t event)
{
    struct derived_row *row = d->book->row;
    uint64_t start = note ? note->start : s->first;
    bool timed = note && start != RAS_NONE && start <= close_ns;
    row->start = start == RAS_NONE ? s->first : start;
    row->end = row->more.close = close_ns;
    row->duration = timed ? close_ns - start : RAS_NONE;
    row->id = s->id;
    row->active = s->intervals ? s->wall : RAS_NONE;
    row->event = s->entered ? s->event : event;
    row->text = s->text;
    row->segments = s->intervals;
    row->unended = !note;
    row->worker_index = NO_WORKER;
    row->kind = DERIVED_SPAN;
    row->has_id = true;
    struct span_more *m = &row->more;
    m->wall = s->wall;
    m->thread_ns = s->thread_ns;
    m->unbalanced_exits = s->exits;
    m->concurrent = s->thread_ns > s->wall && s->thread_ns - s->wall > 1;
    m->dialect = SPAN_MODERN;
    m->flags = SPAN_LACKS_ALL;
    m->task = m->thread = RAS_NONE;
    m->kind = NO_TEXT;
    const struct segment_facts *segment = dial9_segment_of(d->trace, event >> 16);
    m->identity = segment->has_boot ? IDENTITY_METADATA : IDENTITY_FLAT;
    m->complete = s->intervals && segment->has_boot && segment->has_clock && timed &&
                  start >= segment->clock_ns && !s->exits;
    return row;
}

/* What the close says, or nothing does. */
static void row_note(struct derived_row *row, const struct live_span *s,
                     const struct span_note *note)
{
    static const struct span_note none = {.parent = RAS_NONE,
                                          .line = RAS_NONE,
                                          .attributes = RAS_NONE,
                                          .name = NO_TEXT,
                                          .target = NO_TEXT,
                                          .file = NO_TEXT};
    const struct span_note *n = note ? note : &none;
    struct span_more *m = &row->more;
    row->parent = n->parent;
    row->active = n->active ? n->active : row->active;
    row->text = n->name != NO_TEXT ? n->name : row->text;
    m->first_enter = note ? n->first_enter : s->entered ? s->first : RAS_NONE;
    m->line = n->line;
    m->attributes = n->attributes;
    m->attribute_count = n->attribute_count;
    m->attribute_bytes = n->attribute_bytes;
    m->target = n->target;
    m->file = n->file;
}

static void modern_done(struct dial9_stats *d, const struct derived_row *row)
{
    struct site *site = d->s && row->duration != RAS_NONE ? dial9_stats_site(d, row->text) : NULL;
    d->spans_counted++;
    if (site) {
        dial9_figure(d, &site->spans, row->duration);
        if (row->active != RAS_NONE)
            dial9_figure(d, &site->actives, row->active);
    }
    dial9_span_count(d, row);
    if (d->take)
        d->take(d->taker, row);
}

static void modern_close(struct dial9_stats *d, const struct fact *f)
{
    static const struct span_note unknown = {.start = RAS_NONE,
                                             .first_enter = RAS_NONE,
                                             .parent = RAS_NONE,
                                             .line = RAS_NONE,
                                             .attributes = RAS_NONE,
                                             .name = NO_TEXT,
                                             .target = NO_TEXT,
                                             .file = NO_TEXT};
    struct span_book *b = d->book;
    const struct live_span none = {.id = f->id, .first = f->time_ns, .text = NO_TEXT};
    struct live_span *s = live_find(b, f->id);
    const struct span_note *note = dial9_span_note(b, f->other);
    note = note ? note : &unknown;
    uint64_t left = s ? drop_entries(d, s) : 0;
    struct derived_row *row = modern_row(d, s ? s : &none, note, f->time_ns, dial9_event_of(f));
    row_note(row, s ? s : &none, note);
    bool most = note->unbalanced > UINT64_MAX - left;
    row->more.unbalanced_enters = most ? UINT64_MAX : note->unbalanced + left;
    row->more.complete = row->more.complete && !row->more.unbalanced_enters;
    b->unbalanced_enters += left;
    d->spans_unexited += left > 0;
    modern_done(d, row);
    if (s)
        live_remove(b, s);
    dial9_span_note_free(b, f->other);
}

void dial9_spans_on(struct dial9_stats *d, const struct fact *f)
{
    if (f->kind == FACT_SPAN_ENTER)
        modern_enter(d, f);
    else if (f->kind == FACT_SPAN_EXIT)
        modern_exit(d, f);
    else
        modern_close(d, f);
}

size_t dial9_spans_live(const struct dial9_stats *d)
{
    return d->book->live_count;
}

void dial9_spans_end(struct dial9_stats *d, size_t i)
{
    struct live_span *s = &d->book->live[i];
    if (!s->used)
        return;
    uint64_t left = drop_entries(d, s);
    d->spans_unclosed++;
    d->spans_unexited += left > 0;
    d->book->open++;
    d->book->exits_only += !s->entered;
    struct derived_row *row = modern_row(d, s, NULL, RAS_NONE, s->event);
    row_note(row, s, NULL);
    row->more.unbalanced_enters = left;
    row->more.complete = false;
    if (s->entered)
        modern_done(d, row);
    live_remove(d->book, s);
}
