/* rewrite.c - what drivers share when they join traces: notes, spans, order. */
#include "base/error.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/sort.h"
#include "core/format.h"
#include "core/document.h"
#include "ops/rewrite/rewriter.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool rewrite_asks_type(const struct ras_rewrite_options *o, const char *name)
{
    for (size_t i = 0; i < o->type_count; i++)
        if (!strcmp(o->types[i], name) || glob_matches(o->types[i], name))
            return true;
    return !o->type_count;
}

bool rewrite_asks_stream(const struct ras_rewrite_options *o, uint32_t stream)
{
    for (size_t i = 0; i < o->stream_count; i++)
        if (o->streams[i] == stream)
            return true;
    return !o->stream_count;
}

void rewrite_note(struct rewrite *rw, const char *fmt, ...)
{
    struct ras_rewritten *out = rw->out;
    va_list args;
    va_start(args, fmt);
    if (!lines_add(&out->notes, &out->note_count, &rw->note_room, NULL, fmt, args))
        rw->nomem = true;
    va_end(args);
}

static bool count_add(struct ras_count **counts, size_t *count, size_t *room, const char *type,
                      uint64_t records)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*counts)[i].name, type)) {
            (*counts)[i].records += records;
            return true;
        }
    char *name = text_copy(type, strlen(type));
    if (!name || !array_grow(counts, room, *count + 1, sizeof **counts)) {
        free(name);
        return false;
    }
    (*counts)[(*count)++] = (struct ras_count){.name = name, .records = records};
    return true;
}

bool kept_add(struct ras_rewritten *out, size_t *room, const char *type, uint64_t records)
{
    return count_add(&out->kept, &out->kept_count, room, type, records);
}

bool dropped_add(struct ras_rewritten *out, size_t *room, const char *type, uint64_t records)
{
    return count_add(&out->dropped, &out->dropped_count, room, type, records);
}

void dropped_settle(struct ras_rewritten *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->kept_count; i++) {
        struct ras_count c = out->kept[i];
        for (size_t k = 0; k < out->dropped_count; k++)
            if (!strcmp(out->dropped[k].name, c.name))
                c.records -=
                    c.records < out->dropped[k].records ? c.records : out->dropped[k].records;
        if (c.records)
            out->kept[kept++] = c;
        else
            free((void *)(uintptr_t)c.name);
    }
    out->kept_count = kept;
}

void rewrite_dropped(struct rewrite *rw, const char *type, uint64_t records)
{
    if (records && !dropped_add(rw->out, &rw->dropped_room, type, records))
        rw->nomem = true;
}

void rewrite_lost(struct rewrite *rw, const char *type, uint64_t records)
{
    rewrite_dropped(rw, type, records);
    rw->out->lost_records += records;
}

void rewrite_kept(struct rewrite *rw, const char *type, uint64_t records)
{
    if (!kept_add(rw->out, &rw->kept_room, type, records))
        rw->nomem = true;
}

void rewrite_companion(struct rewrite *rw, const char *type, uint64_t records)
{
    struct ras_rewritten *out = rw->out;
    if (!count_add(&out->companions, &out->companion_count, &rw->companion_room, type, records))
        rw->nomem = true;
}

bool rewrite_asks(const struct ras_rewrite_options *o, uint64_t seq, uint64_t *left)
{
    size_t low = 0, high = o->span_count;
    if (seq < o->from || (seq >= o->to && o->to != RAS_NONE))
        return false;
    if (left)
        *left = o->to - seq;
    while (low < high) { /* the first that ends after it */
        size_t middle = low + (high - low) / 2;
        if (o->spans[middle].to <= seq)
            low = middle + 1;
        else
            high = middle;
    }
    if (!o->span_count)
        return true;
    if (low == o->span_count || seq < o->spans[low].from)
        return false;
    if (left && o->spans[low].to - seq < *left)
        *left = o->spans[low].to - seq;
    return true;
}

bool rewrite_in_range(const struct ras_rewrite_options *o, const struct ras_record *r)
{
    if (o->axis == RAS_AXIS_SEQ)
        return rewrite_asks(o, r->seq, NULL);
    uint64_t at = o->axis == RAS_AXIS_TICK ? r->tick : r->time_ns;
    if ((o->axis == RAS_AXIS_TICK && !(r->flags & RAS_HAS_TICK)) ||
        (o->axis == RAS_AXIS_TIME && !(r->flags & RAS_HAS_TIME)))
        return false;
    return o->axis == RAS_AXIS_NONE || (at >= o->from && (at < o->to || o->to == RAS_NONE));
}

uint64_t rewrite_ahead(const struct rewrite *rw, const struct taken *t)
{
    const struct ras_cursor *c = t->cursor;
    if (!t->wanted || rw->options->interleave || c->live || c->merge || c->seq == RAS_NONE)
        return 0;
    uint64_t left;
    if (rw->options->span_count)
        return rewrite_asks(rw->options, c->seq, &left) ? left : 0;
    if (c->scan.axis != RAS_AXIS_SEQ || c->scan.to == RAS_NONE)
        return UINT64_MAX;
    return c->scan.to > c->seq ? c->scan.to - c->seq : 0;
}

bool rewrite_span(struct ras_trace *t, enum ras_axis axis, uint64_t *first, uint64_t *last)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    const struct ras_scan scan = {.headers_only = true, .frames_only = true};
    const unsigned flag = axis == RAS_AXIS_TICK ? RAS_HAS_TICK : RAS_HAS_TIME;
    bool any = false;
    if (ras_cursor_open(&c, t, &scan, NULL) < 0)
        return false;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        if (!(r->flags & flag))
            continue;
        uint64_t at = axis == RAS_AXIS_TICK ? r->tick : r->time_ns;
        if (!any || at < *first)
            *first = at;
        if (!any || at > *last)
            *last = at;
        any = true;
    }
    ras_cursor_close(c);
    return any;
}

struct stretch {
    size_t source;
    bool any;
    uint64_t first, last;
};

static int by_first(const void *a, const void *b, void *context)
{
    (void)context;
    const struct stretch *x = a, *y = b;
    if (x->any && y->any && x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->source < y->source ? -1 : 1;
}

/* Whether ticks are missing between two sources, and must not be. */
static bool leaves_gap(const struct rewrite *rw, const struct stretch *a, const struct stretch *b)
{
    const struct ras_trace *x = rw->sources[a->source], *y = rw->sources[b->source];
    const struct rewrite_ops *ops = rewrite_ops_of(x->format);
    return b->first - a->last > 1 && ops->unbroken && ops->unbroken(x) && ops->unbroken(y);
}

int rewrite_adjoin(struct rewrite *rw, struct ras_error *err)
{
    struct stretch *s = calloc(rw->count, sizeof *s);
    if (!s)
        return fail_memory(err);
    for (size_t i = 0; i < rw->count; i++) {
        s[i].source = i;
        s[i].any = rewrite_span(rw->sources[i], RAS_AXIS_TICK, &s[i].first, &s[i].last);
    }
    sort_with(s, rw->count, sizeof *s, by_first, NULL);
    int status = RAS_OK;
    const struct stretch *before = NULL;
    for (size_t i = 0; status == RAS_OK && i < rw->count; i++) {
        rw->order[i] = s[i].source;
        if (!s[i].any)
            continue;
        if (before && s[i].first <= before->last)
            status = fail(err, RAS_EUSAGE, RAS_NONE,
                          "ticks %" PRIu64 " to %" PRIu64 " of trace %zu overlap %" PRIu64
                          " to %" PRIu64 " of trace %zu",
                          s[i].first, s[i].last, s[i].source + 1, before->first, before->last,
                          before->source + 1);
        else if (before && leaves_gap(rw, before, &s[i]))
            status = fail(err, RAS_EUSAGE, RAS_NONE,
                          "ticks %" PRIu64 " to %" PRIu64 " are missing between trace %zu and "
                          "trace %zu: the joined trace would not be valid",
                          before->last + 1, s[i].first - 1, before->source + 1, s[i].source + 1);
        before = &s[i];
    }
    free(s);
    return status;
}
