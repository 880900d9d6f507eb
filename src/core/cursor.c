/* cursor.c - walking records: what a step found, ranges, types, policy, endings. */
#include "core/cursor.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "core/format.h"
#include "core/marks.h"
#include "core/registry.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how drivers say what they found --------------------------------------------------------- */

enum step cut(struct ras_cursor *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    c->why_at = RAS_NONE;
    return STEP_CUT;
}

enum step damaged(struct ras_cursor *c, uint64_t at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    c->why_at = at;
    return STEP_DAMAGED;
}

static enum step fill_gap(struct ras_cursor *c, uint64_t offset, uint64_t length, uint64_t lost)
{
    bool here = offset != RAS_NONE;
    c->record = (struct ras_record){
        .parent = RAS_NONE, .offset = here ? offset : 0, .part = c->part, .schema = RAS_SCHEMA_GAP};
    const struct view *view = cursor_view(c, RAS_SCHEMA_GAP);
    c->values.count = 0;
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 4))
        return STEP_NOMEM;
    if (view_has(view, 0))
        value_put(&c->values, here ? RAS_UINT : RAS_NULL, 64, 0, 0, here ? offset : 0);
    if (view_has(view, 1))
        value_uint(&c->values, 1, 64, length);
    if (view_has(view, 2))
        value_text(&c->values, 2, c->why);
    if (view_has(view, 3))
        value_put(&c->values, lost == RAS_NONE ? RAS_NULL : RAS_UINT, 64, 3, 0,
                  lost == RAS_NONE ? 0 : lost);
    return STEP_RECORD;
}

enum step gap_record(struct ras_cursor *c, uint64_t offset, uint64_t length, uint64_t lost,
                     const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    c->why_at = offset;
    ending_note(c, RAS_DAMAGED, c->part, offset, "%s", c->why);
    return fill_gap(c, offset, length, lost);
}

enum step drop_record(struct ras_cursor *c, uint64_t lost, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    return fill_gap(c, RAS_NONE, 0, lost);
}

void missing_note(struct ras_trace *t, uint32_t part, uint64_t offset, const char *fmt, ...)
{
    if (t->missing.kind || source_can_grow(t->source))
        return; /* the first is reported */
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->missing_why, sizeof t->missing_why, fmt, args);
    va_end(args);
    t->missing = (struct ras_ending){
        .kind = RAS_DAMAGED, .part = part, .offset = offset == RAS_NONE ? 0 : offset};
}

void ending_note(struct ras_cursor *c, enum ras_ending_kind kind, uint32_t part, uint64_t offset,
                 const char *fmt, ...)
{
    if (kind <= c->noted.kind)
        return; /* the first of the worst kind is reported */
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->noted_why, sizeof c->noted_why, fmt, args);
    va_end(args);
    c->noted = (struct ras_ending){.kind = kind, .part = part, .offset = offset};
}

/* ---- steps ----------------------------------------------------------------------------------- */

bool cursor_enter(struct ras_cursor *c, uint32_t part, uint64_t offset)
{
    struct ras_error err;
    if (source_enter(c->trace->source, part, &err) < 0) {
        damaged(c, RAS_NONE, "%s: %s", source_name(c->trace->source, part), err.text);
        return false;
    }
    const struct ras_format *format = c->trace->format;
    bool spread = source_is_spread(c->trace->source);
    if (spread ? !format->takes_ranges : !format->takes_frames) /* damage ends the bytes */
        (void)!source_need(c->trace->source, part, 0, RAS_NONE, NULL, NULL);
    struct ras_bytes b = source_arrived(c->trace->source, part);
    if (offset > b.len)
        offset = b.len;
    if (!c->moved) /* in this step: it may have to be repeated */
        c->before = (struct position){c->base, c->in.end, c->part};
    c->moved = true;
    c->part = part;
    c->passed = offset;
    c->in = in_bytes(b);
    c->base = c->in.at;
    c->in.at += offset;
    return true;
}

static bool is_live(const struct ras_cursor *c)
{
    const struct source *s = c->trace->source;
    return source_growing(s) || (c->scan.follow && source_can_grow(s));
}

void cursor_rebase(struct ras_cursor *c)
{
    c->generation = *c->source_generation;
    c->live = is_live(c);
    source_let_go(c->trace->source);
    if (c->base)
        (void)cursor_enter(c, c->part, cursor_offset(c)); /* loaded, so it cannot fail */
}

/* Back to where the step began, be it in another part. */
static void go_back(struct ras_cursor *c, const uint8_t *to)
{
    if (c->moved) {
        c->base = c->before.base;
        c->in.end = c->before.end;
        c->part = c->before.part;
    }
    c->in.at = to;
    c->in.cut = false;
}

/* A walk that did not read all of the trace ends as the one did that has. */
static void restore_ending(const struct ras_cursor *c)
{
    struct ras_trace *t = c->trace;
    struct ras_ending whole;
    unsigned ascends;
    if (!marks_known(t->marks, *c->source_generation, &ascends, &whole))
        return;
    snprintf(t->ending_why, sizeof t->ending_why, "%s", whole.why);
    t->ending = whole;
    t->ending.why = t->ending_why;
}

/* Record how the bytes ended: what the driver noted, what the wrapping says, or
 * the step itself, whichever is worst. */
static int end_here(struct ras_cursor *c, enum ras_ending_kind kind, uint32_t part, uint64_t at)
{
    struct ras_trace *t = c->trace;
    c->ended = true;
    if (kind > RAS_COMPLETE)
        ending_note(c, kind, part, at, "%s", c->why);
    const struct wrapping *wrap = source_count(t->source) ? source_wrapping(t->source, part) : NULL;
    if (wrap && wrap->kind > RAS_COMPLETE && !wrap->name && c->noted.kind == RAS_CUT)
        snprintf(c->noted_why + strlen(c->noted_why), sizeof c->noted_why - strlen(c->noted_why),
                 "; %s", wrap->why); /* why the driver found its end too early */
    else if (wrap && wrap->kind > RAS_COMPLETE)
        ending_note(c, wrap->kind, part, at, "%s: %s at stored byte %" PRIu64,
                    wrap->name ? wrap->name : "remote", wrap->why, wrap->offset);
    if (t->missing.kind)
        ending_note(c, t->missing.kind, t->missing.part, t->missing.offset, "%s", t->missing_why);
    if (c->noted.kind <= RAS_COMPLETE) {
        c->noted = (struct ras_ending){.kind = RAS_COMPLETE, .part = part, .offset = at};
        c->noted_why[0] = 0; /* what was said of an end that came to be none */
    }
    t->ending = c->noted;
    memcpy(t->ending_why, c->noted_why, sizeof t->ending_why);
    t->ending.why = t->ending_why;
    t->ending.size =
        t->ending.part < source_count(t->source) ? source_length(t->source, t->ending.part) : 0;
    if (c->collecting && c->seen_all && !c->live)
        marks_complete(t->marks, c, *c->source_generation, t->format->ascends & ~c->descends,
                       &t->ending);
    else if (c->from_mark)
        restore_ending(c);
    return RAS_END;
}

/* Nothing is here yet, but more may come: the step will be repeated. */
static int wait_here(struct ras_cursor *c)
{
    if (c->noted.kind < RAS_DAMAGED) { /* said of an end that is none yet */
        c->noted = (struct ras_ending){0};
        c->noted_why[0] = 0;
    }
    return RAS_WAIT;
}

/* Nothing more is here, but some of the stored bytes are not inflated yet: the step is repeated
 * with more of them, with all where what it found is worse than their end. */
static int inflate_more(struct ras_cursor *c, enum step step, const uint8_t *before,
                        bool was_damaged, struct ras_error *err)
{
    struct source *s = c->trace->source;
    go_back(c, before);
    c->sealed = false;
    if (!was_damaged) {
        c->noted = (struct ras_ending){0};
        c->noted_why[0] = 0;
    }
    source_hold(s, -1); /* it has no record now */
    int status = step == STEP_DAMAGED ? source_whole(s, err) : source_inflate(s, err);
    source_hold(s, 1);
    return status;
}

/* The clean end, unless worse was noted; what was lost before it is an error when strict. */
static int end_clean(struct ras_cursor *c, struct ras_error *err)
{
    int status = end_here(c, RAS_COMPLETE, c->part, cursor_offset(c));
    const struct ras_ending *e = &c->trace->ending;
    if (!c->scan.strict || e->kind < RAS_CUT)
        return status;
    c->ended = false; /* so that asking again gives the same answer */
    return fail(err, RAS_EFORMAT, e->offset, "%s", e->why);
}

/* Policy for a step that delivered nothing. */
static int no_record(struct ras_cursor *c, enum step step, const uint8_t *before,
                     struct ras_error *err)
{
    if (step == STEP_END && !(c->live && !c->sealed))
        return end_clean(c, err);
    uint32_t part = c->part;
    uint64_t passed = c->passed;
    go_back(c, before); /* a step that shows nothing is repeatable */
    uint64_t start = part == c->part && cursor_offset(c) > passed ? cursor_offset(c) : passed;
    if (step == STEP_NOMEM) {
        c->values.nomem = false;
        return fail_memory(err);
    }
    if (c->live && step != STEP_DAMAGED)
        return wait_here(c);
    if (c->scan.strict)
        return fail(err, RAS_EFORMAT,
                    step == STEP_DAMAGED && c->why_at != RAS_NONE ? c->why_at : start, "%s",
                    c->why);
    return end_here(c, step == STEP_CUT ? RAS_CUT : RAS_DAMAGED, part, start);
}

/* Half-open; RAS_NONE as `to` means no bound, so that the largest tick is not beyond it. */
static bool between(uint64_t at, uint64_t from, uint64_t to)
{
    return at >= from && (at < to || to == RAS_NONE);
}

static bool in_range(const struct ras_record *r, enum ras_axis axis, uint64_t from, uint64_t to)
{
    switch (axis) {
    case RAS_AXIS_SEQ:
        return between(r->seq, from, to);
    case RAS_AXIS_TIME:
        return r->flags & RAS_HAS_TIME && between(r->time_ns, from, to);
    case RAS_AXIS_TICK:
        return r->flags & RAS_HAS_TICK && between(r->tick, from, to);
    default:
        return true;
    }
}

bool cursor_is_plain(const struct ras_cursor *c)
{
    const struct ras_scan *s = &c->scan;
    return !s->pick_count && !s->axis && !s->frames_only && !s->strict && !s->stream_count &&
           !c->skipping && c->seq != RAS_NONE;
}

bool cursor_wants_stream(const struct ras_cursor *c, uint32_t stream)
{
    for (size_t i = 0; i < c->scan.stream_count; i++)
        if (c->scan.streams[i] == stream)
            return true;
    return !c->scan.stream_count;
}

bool cursor_takes_all(struct ras_cursor *c, uint32_t schema, uint32_t stream)
{
    const struct ras_scan *s = &c->scan;
    return !s->axis && !s->strict && !c->skipping && c->seq != RAS_NONE &&
           cursor_view(c, schema)->wanted && cursor_wants_stream(c, stream);
}

bool cursor_count_request(struct ras_cursor *c, uint32_t schema, uint64_t *seq)
{
    size_t old = c->request_room;
    if (!array_grow(&c->request_seq, &c->request_room, schema + 1u, sizeof *c->request_seq))
        return false;
    for (size_t i = old; i < c->request_room; i++)
        c->request_seq[i] = 0;
    *seq = c->request_seq[schema]++;
    return true;
}

/* Number the record; types on request count for themselves. */
static bool number(struct ras_cursor *c, const struct ras_schema *schema)
{
    if (!(schema->flags & RAS_ON_REQUEST)) {
        c->record.seq = c->seq;
        if (c->seq != RAS_NONE)
            c->seq += 1 + c->unshown;
        c->unshown = 0;
        return true;
    }
    c->record.seq = RAS_NONE;
    return c->requests_lost || cursor_count_request(c, c->record.schema, &c->record.seq);
}

/* On the axis of seq a type on request lies where the next record that is counted does. */
bool cursor_is_sought(const struct ras_cursor *c)
{
    const struct ras_schema *schema = c->trace->schemas[c->record.schema];
    if (c->skip_axis == RAS_AXIS_SEQ && schema->flags & RAS_ON_REQUEST)
        return c->seq >= c->skip_to;
    return in_range(&c->record, c->skip_axis, c->skip_to, RAS_NONE);
}

/* Everything a record passes through when the scan is not plain. */
static bool passes(struct ras_cursor *c)
{
    const struct ras_record *r = &c->record;
    if (c->skipping) {
        if (!cursor_is_sought(c))
            return false;
        c->skipping = false;
        c->plain = cursor_is_plain(c);
    }
    return cursor_view(c, r->schema)->wanted &&
           in_range(r, c->scan.axis, c->scan.from, c->scan.to) &&
           (!c->scan.stream_count || cursor_wants_stream(c, r->stream));
}

/* Keep a resume point for the record about to be read. */
static void mark_here(struct ras_cursor *c)
{
    struct ras_mark mark;
    ras_mark(c, &mark);
    c->mark_next = marks_add(c->trace->marks, &mark, larger(c->time_max, c->time_last),
                             larger(c->tick_max, c->tick_last));
    c->time_max = c->tick_max = 0;
}

void cursor_stop_collecting(struct ras_cursor *c)
{
    if (c->collecting)
        marks_leave(c->trace->marks, c, cursor_offset(c), larger(c->time_max, c->time_last),
                    larger(c->tick_max, c->tick_last));
    c->collecting = false;
}

/* A record of a trace that ascends lies after the range: so do all that follow. */
static bool ascends_beyond(const struct ras_cursor *c)
{
    const struct ras_record *r = &c->record;
    bool time = c->scan.axis == RAS_AXIS_TIME;
    struct ras_ending ending;
    unsigned ascends;
    return c->trace->format->ascends >> c->scan.axis & 1 && c->scan.to != RAS_NONE &&
           r->flags & (time ? RAS_HAS_TIME : RAS_HAS_TICK) &&
           (time ? r->time_ns : r->tick) >= c->scan.to && !c->live && !c->scan.strict &&
           marks_known(c->trace->marks, *c->source_generation, &ascends, &ending) &&
           ascends >> c->scan.axis & 1;
}

/* Whether no record in the range can follow. Types on request are counted up to the end. */
static bool beyond_range(struct ras_cursor *c)
{
    if (c->requests || c->scan.axis == RAS_AXIS_NONE)
        return false;
    if (c->scan.axis == RAS_AXIS_SEQ)
        return c->seq != RAS_NONE && c->seq >= c->scan.to;
    if (!ascends_beyond(c))
        return false;
    restore_ending(c);
    return true;
}

/* Collecting: a record that is below the last one on an axis, or not on it. */
static __attribute__((noinline)) void observe_descent(struct ras_cursor *c)
{
    const struct ras_record *r = &c->record;
    c->time_max = c->time_last > c->time_max ? c->time_last : c->time_max;
    c->tick_max = c->tick_last > c->tick_max ? c->tick_last : c->tick_max;
    if (r->flags & RAS_HAS_TIME)
        c->descends |= (uint8_t)((r->time_ns < c->time_last) << RAS_AXIS_TIME);
    if (r->flags & RAS_HAS_TICK)
        c->descends |= (uint8_t)((r->tick < c->tick_last) << RAS_AXIS_TICK);
    if (r->flags & RAS_HAS_TIME || r->time_ns > c->time_last)
        c->time_last = r->time_ns;
    if (r->flags & RAS_HAS_TICK || r->tick > c->tick_last)
        c->tick_last = r->tick;
}

/* Collecting: the largest time and tick since the last mark are those of the last record, unless
 * one descended. */
static inline void observe(struct ras_cursor *c)
{
    const struct ras_record *r = &c->record;
    if (__builtin_expect(r->time_ns < c->time_last || r->tick < c->tick_last, 0)) {
        observe_descent(c);
        return;
    }
    c->time_last = r->time_ns;
    c->tick_last = r->tick;
}

/* One step of the driver: RAS_OK with all of c->record but its seq. */
static inline int decode(struct ras_cursor *c, struct ras_error *err)
{
    for (;;) {
        if (c->generation != *c->source_generation)
            cursor_rebase(c);
        if (c->collecting && cursor_offset(c) >= c->mark_next)
            mark_here(c);
        const uint8_t *before = c->in.at;
        bool was_damaged = c->noted.kind >= RAS_DAMAGED;
        c->moved = false;
        c->values.count = 0;
        enum step step = c->next(c);
        if (__builtin_expect(c->values.nomem, 0))
            step = STEP_NOMEM;
        if (__builtin_expect(step == STEP_RECORD, 1))
            break;
        bool fault = source_fault(c->trace->source, NULL) < 0;
        if ((step == STEP_NOMEM && !fault) || !source_pending(c->trace->source))
            return no_record(c, step, before, err);
        int status = inflate_more(c, step, before, was_damaged, err);
        if (status < 0)
            return status;
    }
    if (c->collecting)
        observe(c);
    return RAS_OK;
}

int cursor_step(struct ras_cursor *c, struct ras_error *err)
{
    int status = decode(c, err);
    if (status == RAS_OK && !number(c, c->trace->schemas[c->record.schema]))
        status = fail_memory(err);
    return status;
}

int cursor_deliver(struct ras_cursor *c, const struct ras_record **record, struct ras_error *err)
{
    *record = NULL;
    while (!c->ended) {
        int status = decode(c, err);
        if (__builtin_expect(status != RAS_OK, 0))
            return status;
        if (c->plain) { /* no type on request is produced unless a pick names it */
            c->record.seq = c->seq++;
            *record = &c->record;
            return RAS_OK;
        }
        if (!number(c, c->trace->schemas[c->record.schema]))
            return fail_memory(err);
        if (c->scan.strict && c->record.schema == RAS_SCHEMA_GAP && c->noted.kind >= RAS_DAMAGED)
            return fail(err, RAS_EFORMAT, c->record.offset, "%s", c->why);
        if (passes(c)) {
            *record = &c->record;
            return RAS_OK;
        }
        c->ended = beyond_range(c);
    }
    return RAS_END;
}

int ras_next(struct ras_cursor *c, const struct ras_record **record, struct ras_error *err)
{
    return c->deliver(c, record, err);
}

int ras_field_index(const struct ras_schema *schema, const char *field)
{
    for (unsigned i = 0; i < schema->field_count; i++)
        if (!strcmp(schema->fields[i].name, field))
            return (int)i;
    return -1;
}

const struct ras_value *ras_value_at(const struct ras_cursor *c, int field_index)
{
    return cells_find(&c->shown->values, field_index);
}

const struct ras_value *ras_value_of(const struct ras_cursor *c, const char *field)
{
    const struct ras_schema *schema = ras_schema_of(c);
    uintptr_t key = (uintptr_t)field ^ (uintptr_t)schema;
    struct field_found *known = &c->named[(key >> 3 ^ key >> 9) % NAMED_MOST];
    if (known->field != field || known->schema != schema ||
        strcmp(schema->fields[known->index].name, field) != 0) { /* its text may be another now */
        int index = ras_field_index(schema, field);
        if (index < 0)
            return NULL;
        *known = (struct field_found){field, schema, (unsigned)index};
    }
    return ras_value_at(c, (int)known->index);
}

const struct ras_value *ras_values(const struct ras_cursor *c, size_t *count)
{
    static const struct ras_value none; /* no offset may be added to a null pointer, not even 0 */
    const struct ras_cursor *shown = c->shown;
    const struct ras_value *values = shown->values.items; /* before *count, which may be anywhere */
    *count = shown->values.count;
    return values ? values : &none;
}

const struct ras_schema *ras_schema_of(const struct ras_cursor *c)
{
    return c->trace->schemas[c->shown->record.schema];
}

bool ras_has_time(const struct ras_cursor *c)
{
    const struct ras_record *r = &c->shown->record;
    return r->flags & RAS_HAS_TIME && (r->time_ns || !(ras_schema_of(c)->flags & RAS_TIMELESS));
}

uint64_t ras_cursor_progress(const struct ras_cursor *c, uint64_t *total)
{
    const struct source *s = c->trace->source;
    bool more = source_growing(s);
    uint64_t all = more ? 0 : source_size_before(s, source_count(s));
    *total = all;
    if (c->merge) /* the places of its records are all over the trace */
        return merge_share(c->merge, all);
    return (more ? 0 : source_size_before(s, c->record.part)) + c->record.offset;
}

static bool copy_picks(struct ras_cursor *c)
{
    if (!c->scan.pick_count)
        return true;
    c->picks = picks_copy(c->scan.picks, c->scan.pick_count);
    c->scan.picks = c->picks;
    return c->picks;
}

static bool copy_streams(struct ras_cursor *c)
{
    size_t size = c->scan.stream_count * sizeof *c->streams;
    if (!size)
        return true;
    c->streams = malloc(size);
    if (c->streams)
        memcpy(c->streams, c->scan.streams, size);
    c->scan.streams = c->streams;
    return c->streams;
}

static int copy_choices(struct ras_cursor *c, struct ras_error *err)
{
    struct ras_scan *s = &c->scan;
    if (!s->choice_count)
        return RAS_OK;
    int status = choices_check(c->trace->format, "cat", s->choices, s->choice_count, err);
    if (status < 0)
        return status;
    c->choices = choices_copy(c->trace->format, s->choices, &s->choice_count);
    s->choices = c->choices;
    return c->choices ? RAS_OK : fail_memory(err);
}

int cursor_new(struct ras_cursor **out, struct ras_trace *t, const struct ras_scan *scan,
               struct ras_error *err)
{
    *out = NULL;
    struct ras_cursor *c = calloc(1, sizeof *c);
    void *priv = calloc(1, t->format->cursor_size + 1);
    if (!c || !priv) {
        free(c);
        free(priv);
        return fail_memory(err);
    }
    c->trace = t;
    source_hold(t->source, 1);
    c->priv = priv;
    c->shown = c;
    c->named = c->named_room;
    c->deliver = cursor_deliver;
    c->scan = scan ? *scan : (struct ras_scan){0};
    c->live = is_live(c);
    c->source_generation = source_generation(t->source);
    c->generation = *c->source_generation;
    c->next = t->format->next;
    int status = copy_picks(c) && copy_streams(c) ? copy_choices(c, err) : fail_memory(err);
    if (status == RAS_OK && t->format->start)
        status = t->format->start(c, err);
    else if (status == RAS_OK && !cursor_enter(c, 0, t->body))
        status = fail(err, RAS_EIO, RAS_NONE, "%s", c->why);
    if (status < 0) {
        ras_cursor_close(c);
        return status;
    }
    ras_mark(c, &c->first);
    c->plain = cursor_is_plain(c);
    for (uint32_t i = 0; c->scan.pick_count && i < t->schema_count; i++)
        (void)cursor_view(c, i); /* so that c->requests is known */
    const struct ras_scan *s = &c->scan;
    c->scan.by_index = s->by_index && source_is_spread(t->source) && t->format->seek && s->axis &&
                       !s->strict && !s->merged && !c->requests;
    if (c->values.nomem) {
        ras_cursor_close(c);
        return fail_memory(err);
    }
    *out = c;
    return RAS_OK;
}

int ras_cursor_open(struct ras_cursor **out, struct ras_trace *t, const struct ras_scan *scan,
                    struct ras_error *err)
{
    *out = NULL;
    struct ras_scan own;
    scan = OPTIONS(&own, scan, err);
    if (!scan)
        return RAS_EUSAGE;
    struct ras_cursor *c;
    int status = cursor_new(&c, t, scan, err);
    if (status < 0)
        return status;
    const struct ras_scan *s = &c->scan;
    if (s->merged) {
        status = merge_open(&c->merge, c, err);
    } else {
        if (!t->format->seek_counts)
            c->collecting = marks_take(t->marks, c, &c->mark_next);
        c->seen_all = !s->pick_count && !s->frames_only; /* children go with their parents */
        /* Types on request are counted from the start, so nothing may be passed over. */
        if (s->axis && s->from && !c->requests)
            status = cursor_enter_range(c, err);
    }
    if (status < 0) {
        ras_cursor_close(c);
        return status;
    }
    *out = c;
    return RAS_OK;
}

void ras_cursor_close(struct ras_cursor *c)
{
    if (!c)
        return;
    source_hold(c->trace->source, -1);
    cursor_stop_collecting(c);
    merge_close(c->merge);
    if (c->trace->format->stop)
        c->trace->format->stop(c);
    views_free(c);
    free(c->picks);
    free(c->choices);
    free(c->streams);
    free(c->request_seq);
    cells_free(&c->values);
    free(c->priv);
    free(c);
}

int walk_next(struct ras_trace *t, struct ras_cursor *c, const struct ras_record **record,
              struct ras_error *err)
{
    int status;
    while ((status = ras_next(c, record, err)) == RAS_WAIT) {
        status = ras_wait(t, -1, err);
        if (status < 0)
            return status;
        if (status == RAS_WAIT && !source_interrupted(t->source)) /* only its owner can fill it */
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "the memory still grows: ras_trace_grow() it first");
    }
    return status;
}
