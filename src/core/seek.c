/* seek.c - marks, jumps and seeks: a cursor put somewhere else. */
#include "base/error.h"
#include "core/cursor.h"
#include "core/marks.h"

#include <string.h>

void ras_mark(const struct ras_cursor *c, struct ras_mark *mark)
{
    *mark = (struct ras_mark){.seq = c->seq, .offset = cursor_offset(c), .part = c->part};
    if (c->trace->format->save)
        c->trace->format->save(c, mark);
}

/* Forget how far the cursor was, what it was about to give, and what was said of the
 * end it came to. */
static void start_over(struct ras_cursor *c)
{
    cursor_stop_collecting(c);
    c->deliver = cursor_deliver;
    c->ended = c->skipping = c->sealed = false;
    c->noted = (struct ras_ending){0};
    c->noted_why[0] = 0;
    c->passed = 0;
    c->values.count = 0;
    c->from_mark = false;
}

static bool return_to(struct ras_cursor *c, const struct ras_mark *mark)
{
    if (!cursor_enter(c, (uint32_t)mark->part, mark->offset))
        return false;
    c->seq = mark->seq;
    if (c->trace->format->load)
        c->trace->format->load(c, mark);
    return true;
}

/* Records on request are numbered only when all of them are walked. */
static void count_requests(struct ras_cursor *c)
{
    struct ras_mark here;
    ras_mark(c, &here);
    c->requests_lost = memcmp(&here, &c->first, sizeof here) != 0;
    for (size_t i = 0; i < c->request_room; i++)
        c->request_seq[i] = 0;
}

int ras_jump(struct ras_cursor *c, const struct ras_mark *mark, struct ras_error *err)
{
    if (c->merge)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a merged cursor cannot jump");
    if (mark->part >= source_count(c->trace->source))
        return fail(err, RAS_EUSAGE, mark->offset, "mark of part %" PRIu64 ", the trace has %zu",
                    mark->part, source_count(c->trace->source));
    start_over(c);
    if (!return_to(c, mark))
        return fail(err, RAS_EIO, mark->offset, "%s", c->why);
    count_requests(c);
    c->plain = cursor_is_plain(c);
    return RAS_OK;
}

/* Drop what lies before the place. */
static void skip_to(struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    c->skipping = true;
    c->skip_axis = axis;
    c->skip_to = to;
    c->plain = false;
}

static struct ras_mark find_mark(const struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    const struct ras_mark *mark = marks_find(c->trace->marks, axis, to);
    struct ras_mark from = mark ? *mark : c->first;
    debug_write(source_debug(c->trace->source), RAS_DEBUG_INDEX,
                "seek to %" PRIu64 ": %s; walks from record %" PRIu64 ", offset %" PRIu64, to,
                c->trace->format->seek ? "marks are used, not the index of the format"
                                       : "the format has no index",
                from.seq, from.offset);
    return from;
}

/* An index that does not count leaves the records after it without numbers: where a walk has left
 * marks, those are as quick and have them. */
static bool uses_index(const struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    const struct ras_format *f = c->trace->format;
    return f->seek && (f->seek_counts || !marks_reach(c->trace->marks, axis, to));
}

/* Position at or before the first record >= to; what lies before it will be skipped. */
static int cursor_seek(struct ras_cursor *c, enum ras_axis axis, uint64_t to, struct ras_error *err)
{
    const struct ras_format *f = c->trace->format;
    struct source *source = c->trace->source;
    bool all = f->seek && !source_is_spread(source); /* the index is at its end */
    int status = all ? source_whole(source, err) : (int)RAS_OK;
    if (status < 0)
        return status;
    start_over(c);
    cursor_rebase(c); /* the driver reads the bytes */
    if (uses_index(c, axis, to) && f->seek(c, axis, to)) {
        debug_write(source_debug(c->trace->source), RAS_DEBUG_INDEX,
                    "seek to %" PRIu64 ": the index of the format", to);
        count_requests(c);
    } else {
        struct ras_mark from = find_mark(c, axis, to);
        status = ras_jump(c, &from, err);
        if (status < 0)
            return status;
    }
    skip_to(c, axis, to);
    return RAS_OK;
}

/* The numbers of records after a seek in an index are not known, unless the driver knows them;
 * marks have them. They serve once a walk has seen all of the trace, whose ending a range has: what
 * is passed over may have gaps. By index it is not walked for numbers. */
int cursor_enter_range(struct ras_cursor *c, struct ras_error *err)
{
    const struct ras_format *f = c->trace->format;
    const struct ras_scan *s = &c->scan;
    struct ras_ending ending;
    unsigned ascends;
    if (f->seek && (f->seek_counts || s->by_index))
        return cursor_seek(c, s->axis, s->from, err);
    if (!marks_known(c->trace->marks, *c->source_generation, &ascends, &ending)) {
        debug_write(source_debug(c->trace->source), RAS_DEBUG_INDEX,
                    "range from %" PRIu64 ": the trace was not walked yet; walks from record 0",
                    s->from);
        return RAS_OK;
    }
    struct ras_mark from = find_mark(c, s->axis, s->from);
    if (from.seq) {
        int status = ras_jump(c, &from, err);
        if (status < 0)
            return status;
        c->from_mark = true;
    }
    skip_to(c, s->axis, s->from);
    return RAS_OK;
}

/* Pass over what lies before the record sought, so that a mark taken now is its own.
 * What cannot be passed (the end so far, damage) is left for ras_next to report. */
static void stop_at_sought(struct ras_cursor *c)
{
    struct ras_error err;
    struct ras_mark here;
    bool refused;
    do {
        ras_mark(c, &here);
        if (cursor_step(c, &err) != RAS_OK)
            return;
        refused = c->scan.strict && c->record.schema == RAS_SCHEMA_GAP;
    } while (!refused && !cursor_is_sought(c));
    const struct ras_schema *schema = c->trace->schemas[c->record.schema];
    if (schema->flags & RAS_ON_REQUEST && !c->requests_lost)
        c->request_seq[c->record.schema]--; /* it will be counted again */
    c->values.count = 0;
    c->skipping = !return_to(c, &here) || refused;
    c->plain = cursor_is_plain(c);
}

int ras_seek(struct ras_cursor *c, enum ras_axis axis, uint64_t to, struct ras_error *err)
{
    if (c->merge || axis == RAS_AXIS_NONE)
        return fail(err, RAS_EUSAGE, RAS_NONE, "seeking needs an axis and an unmerged cursor");
    int status = cursor_seek(c, axis, to, err);
    if (status == RAS_OK)
        stop_at_sought(c);
    return status;
}
