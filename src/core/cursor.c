/* cursor.c - walking records: ranges, types, policy, endings. */
#include "core/cursor.h"
#include "base/memory.h"
#include "core/marks.h"

#include <stdlib.h>
#include <string.h>

bool values_grow(struct ras_cursor *c, size_t more)
{
    return array_grow(&c->values, &c->value_room, c->value_count + more, sizeof *c->values);
}

bool cursor_enter(struct ras_cursor *c, uint32_t part, uint64_t offset)
{
    struct ras_error err;
    if (source_load(c->trace->source, part, &err) < 0) {
        damaged(c, RAS_NONE, "%s: %s", source_name(c->trace->source, part), err.text);
        return false;
    }
    struct ras_bytes b = source_bytes(c->trace->source, part);
    if (offset > b.len)
        offset = b.len;
    c->part = part;
    c->passed = 0;
    c->base = b.at;
    c->in = (struct in){b.at ? b.at + offset : NULL, b.at ? b.at + b.len : NULL, false};
    return true;
}

/* The source grew: the same offset in bytes that may have moved. */
static void rebase(struct ras_cursor *c)
{
    c->generation = *c->source_generation;
    if (c->base || c->part == 0)
        (void)cursor_enter(c, c->part, c->base ? cursor_offset(c) : c->trace->body);
}

static bool is_live(const struct ras_cursor *c)
{
    const struct source *s = c->trace->source;
    return source_growing(s) || (c->scan.follow && source_can_grow(s));
}

/* Record how the bytes ended: what the driver noted, what the wrapping says, or
 * the step itself, whichever is worst. */
static int end_here(struct ras_cursor *c, enum ras_ending_kind kind, uint64_t at)
{
    struct ras_trace *t = c->trace;
    c->ended = true;
    if (kind > RAS_COMPLETE)
        ending_note(c, kind, c->part, at, "%s", c->why);
    const struct wrapping *wrap =
        source_count(t->source) ? source_wrapping(t->source, c->part) : NULL;
    if (wrap && wrap->kind > RAS_COMPLETE)
        ending_note(c, wrap->kind, c->part, at, "%s: %s at stored byte %" PRIu64, wrap->name,
                    wrap->why, wrap->offset);
    if (c->noted.kind <= RAS_COMPLETE) {
        c->noted = (struct ras_ending){.kind = RAS_COMPLETE, .part = c->part, .offset = at};
        c->noted_why[0] = 0; /* what was said of an end that came to be none */
    }
    t->ending = c->noted;
    memcpy(t->ending_why, c->noted_why, sizeof t->ending_why);
    t->ending.why = t->ending_why;
    t->ending.size = source_count(t->source) ? source_bytes(t->source, t->ending.part).len : 0;
    return RAS_END;
}

/* Policy for a step that delivered nothing. */
static int no_record(struct ras_cursor *c, enum step step, struct in before, struct ras_error *err)
{
    uint64_t start = before.at ? (uint64_t)(before.at - c->base) : 0;
    uint64_t stop = cursor_offset(c);
    if (step == STEP_NOMEM)
        return fail_memory(err);
    if (start < c->passed)
        start = c->passed;
    if (step != STEP_END)
        c->in = before;
    c->live = is_live(c);
    if (c->live && (step == STEP_CUT || (step == STEP_END && !c->sealed))) {
        c->in = before;                    /* a step that shows nothing is repeatable */
        if (c->noted.kind < RAS_DAMAGED) { /* said of an end that is none yet */
            c->noted = (struct ras_ending){0};
            c->noted_why[0] = 0;
        }
        return RAS_WAIT;
    }
    uint64_t at = step == STEP_DAMAGED && c->why_at != RAS_NONE ? c->why_at : start;
    if (c->scan.strict && step != STEP_END)
        return fail(err, RAS_EFORMAT, at, "%s", c->why);
    if (step == STEP_END)
        return end_here(c, RAS_COMPLETE, stop);
    return end_here(c, step == STEP_CUT ? RAS_CUT : RAS_DAMAGED, start);
}

/* Half-open; RAS_NONE as `to` is no bound, so that the largest tick is not beyond it. */
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

/* Number the record; types on request count for themselves. */
static bool number(struct ras_cursor *c, const struct ras_schema *schema)
{
    if (!(schema->flags & RAS_ON_REQUEST)) {
        c->record.seq = c->seq;
        if (c->seq != RAS_NONE)
            c->seq++;
        return true;
    }
    size_t old = c->request_room;
    if (!array_grow(&c->request_seq, &c->request_room, c->record.schema + 1u, sizeof(uint64_t)))
        return false;
    for (size_t i = old; i < c->request_room; i++)
        c->request_seq[i] = 0;
    c->record.seq = c->request_seq[c->record.schema]++;
    return true;
}

/* Everything a record passes through when the scan is not plain. */
static bool passes(struct ras_cursor *c)
{
    const struct ras_record *r = &c->record;
    if (c->skipping) {
        if (!in_range(r, c->skip_axis, c->skip_to, RAS_NONE))
            return false;
        c->skipping = false;
    }
    return cursor_view(c, r->schema)->wanted && in_range(r, c->scan.axis, c->scan.from, c->scan.to);
}

/* Keep a resume point for the record about to be read. */
static void mark_here(struct ras_cursor *c)
{
    struct ras_mark mark;
    ras_mark(c, &mark);
    c->mark_next = marks_add(c->trace->marks, &mark, c->time_max, c->tick_max);
    c->time_max = c->tick_max = 0;
}

static void stop_collecting(struct ras_cursor *c)
{
    if (c->collecting)
        marks_leave(c->trace->marks, c, cursor_offset(c), c->time_max, c->tick_max);
    c->collecting = false;
}

static bool beyond_range(const struct ras_cursor *c)
{
    return c->scan.axis == RAS_AXIS_SEQ && c->seq != RAS_NONE && c->seq >= c->scan.to &&
           !c->requests;
}

int cursor_step(struct ras_cursor *c, const struct ras_record **record, struct ras_error *err)
{
    while (!c->ended) {
        if (c->generation != *c->source_generation)
            rebase(c);
        if (c->collecting && cursor_offset(c) >= c->mark_next)
            mark_here(c);
        struct in before = c->in;
        c->value_count = 0;
        enum step step = c->next(c);
        if (__builtin_expect(step != STEP_RECORD, 0)) {
            bool judged = step == STEP_NOMEM || (step == STEP_END && c->sealed);
            if (!c->live || is_live(c) || judged)
                return no_record(c, step, before, err);
            /* The driver thought that more may come: let it look again. */
            c->live = c->sealed = false;
            if (c->noted.kind < RAS_DAMAGED)
                c->noted = (struct ras_ending){0};
            c->in = before;
            continue;
        }
        if (c->collecting) {
            c->time_max = c->record.time_ns > c->time_max ? c->record.time_ns : c->time_max;
            c->tick_max = c->record.tick > c->tick_max ? c->record.tick : c->tick_max;
        }
        if (c->plain) { /* no type on request is produced unless a pick names it */
            c->record.seq = c->seq++;
            *record = &c->record;
            return RAS_OK;
        }
        if (!number(c, c->trace->schemas[c->record.schema]))
            return fail_memory(err);
        if (c->scan.strict && c->record.schema == RAS_SCHEMA_GAP)
            return fail(err, RAS_EFORMAT, c->record.offset, "%s", c->why);
        if (passes(c)) {
            *record = &c->record;
            return RAS_OK;
        }
        c->ended = beyond_range(c);
    }
    return RAS_END;
}

int cursor_give(struct ras_cursor *c, const struct ras_record **record, struct ras_error *err)
{
    if (__builtin_expect(c->merge != NULL, 0))
        return merge_next(c->merge, c, record, err);
    *record = NULL;
    return cursor_step(c, record, err);
}

int ras_next(struct ras_cursor *c, const struct ras_record **record, struct ras_error *err)
{
    return c->give(c, record, err);
}

const struct ras_value *ras_values(const struct ras_cursor *c, size_t *count)
{
    const struct ras_cursor *shown = c->shown;
    const struct ras_value *values = shown->values; /* loaded first: count may be anywhere */
    *count = shown->value_count;
    return values;
}

const struct ras_schema *ras_schema_of(const struct ras_cursor *c)
{
    return c->trace->schemas[c->shown->record.schema];
}

/* A deep copy of the picks' array, so that a scan may live on the caller's stack;
 * the names in it stay the caller's. */
static bool copy_picks(struct ras_cursor *c)
{
    if (!c->scan.pick_count)
        return true;
    c->picks = calloc(c->scan.pick_count, sizeof *c->picks);
    if (!c->picks)
        return false;
    memcpy(c->picks, c->scan.picks, c->scan.pick_count * sizeof *c->picks);
    c->scan.picks = c->picks;
    return true;
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
    c->priv = priv;
    c->shown = c;
    c->give = cursor_give;
    c->scan = scan ? *scan : (struct ras_scan){0};
    c->live = is_live(c);
    c->source_generation = source_generation(t->source);
    c->generation = *c->source_generation;
    c->next = t->format->next;
    int status = copy_picks(c) ? RAS_OK : fail_memory(err);
    if (status == RAS_OK && t->format->start)
        status = t->format->start(c, err);
    else if (status == RAS_OK && !cursor_enter(c, 0, t->body))
        status = fail(err, RAS_EIO, RAS_NONE, "%s", c->why);
    if (status < 0) {
        ras_cursor_close(c);
        return status;
    }
    ras_mark(c, &c->first);
    c->plain = !c->scan.pick_count && !c->scan.axis && !c->scan.frames_only && !c->scan.strict;
    *out = c;
    return RAS_OK;
}

int ras_cursor_open(struct ras_cursor **out, struct ras_trace *t, const struct ras_scan *scan,
                    struct ras_error *err)
{
    struct ras_cursor *c;
    *out = NULL;
    int status = cursor_new(&c, t, scan, err);
    if (status < 0)
        return status;
    const struct ras_scan *s = &c->scan;
    if (s->merged) {
        status = merge_open(&c->merge, c, err);
    } else {
        if (!t->format->seek)
            c->collecting = marks_take(t->marks, c, &c->mark_next);
        if (s->axis && s->from && (t->format->seek_counts || !t->format->seek))
            status = ras_seek(c, s->axis, s->from, err);
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
    stop_collecting(c);
    merge_close(c->merge);
    if (c->trace->format->stop)
        c->trace->format->stop(c);
    views_free(c);
    free(c->picks);
    free(c->request_seq);
    free(c->values);
    free(c->priv);
    free(c);
}

void ras_mark(const struct ras_cursor *c, struct ras_mark *mark)
{
    *mark = (struct ras_mark){.seq = c->seq, .offset = cursor_offset(c), .part = c->part};
    if (c->trace->format->save)
        c->trace->format->save(c, mark);
}

int ras_jump(struct ras_cursor *c, const struct ras_mark *mark, struct ras_error *err)
{
    if (c->merge)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a merged cursor cannot jump");
    if (mark->part >= source_count(c->trace->source))
        return fail(err, RAS_EUSAGE, mark->offset, "mark of part %u, the trace has %zu", mark->part,
                    source_count(c->trace->source));
    stop_collecting(c);
    c->give = cursor_give;
    if (!cursor_enter(c, mark->part, mark->offset))
        return fail(err, RAS_EIO, mark->offset, "%s", c->why);
    c->seq = mark->seq;
    c->ended = c->skipping = c->sealed = false;
    c->noted = (struct ras_ending){0};
    c->noted_why[0] = 0;
    if (c->seq == RAS_NONE)
        c->plain = false;
    if (c->trace->format->load)
        c->trace->format->load(c, mark);
    return RAS_OK;
}

int ras_seek(struct ras_cursor *c, enum ras_axis axis, uint64_t to, struct ras_error *err)
{
    const struct ras_format *f = c->trace->format;
    if (c->merge || axis == RAS_AXIS_NONE)
        return fail(err, RAS_EUSAGE, RAS_NONE, "seeking needs an axis and an unmerged cursor");
    bool done = false;
    if (f->seek) {
        c->ended = false;
        done = f->seek(c, axis, to);
    }
    if (!done) {
        const struct ras_mark *mark = marks_find(c->trace->marks, axis, to);
        struct ras_mark from = mark ? *mark : c->first;
        int status = ras_jump(c, &from, err);
        if (status < 0)
            return status;
    }
    c->skipping = true;
    c->skip_axis = axis;
    c->skip_to = to;
    c->plain = false;
    c->give = cursor_give;
    return RAS_OK;
}
