/* dial9_segment_table.c - the segments of a directory as a table: events, times, what is missing.
 */
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

struct segment_count {
    uint64_t events, closes, first_ns, last_ns;
};

bool dial9_segments_begin(struct dial9_stats *d)
{
    if (!d->s)
        return true;
    size_t count;
    if (!source_segments(d->trace->source, &count) || !count)
        return true;
    free(d->segments);
    d->segments = calloc(count, sizeof *d->segments);
    d->segment_count = d->segments ? count : 0;
    d->segment_at = 0;
    for (size_t i = 0; i < d->segment_count; i++)
        d->segments[i].first_ns = RAS_NONE;
    return d->segments;
}

void dial9_segments_note(struct dial9_stats *d, unsigned kind, uint64_t time_ns, uint64_t offset)
{
    size_t count;
    const struct source_segment *at = source_segments(d->trace->source, &count);
    while (d->segment_at + 1 < d->segment_count && at[d->segment_at + 1].offset <= offset)
        d->segment_at++;
    struct segment_count *s = &d->segments[d->segment_at];
    s->events++;
    s->closes += kind == FACT_SPAN_CLOSE;
    if (time_ns == RAS_NONE)
        return;
    s->first_ns = s->first_ns < time_ns ? s->first_ns : time_ns;
    s->last_ns = s->last_ns > time_ns ? s->last_ns : time_ns;
}

static const char *segment_state(const struct source_segment *s)
{
    size_t len = strlen(s->name);
    bool active = len > 7 && !strcmp(s->name + len - 7, ".active");
    return s->kind > RAS_COMPLETE ? ras_ending_name(s->kind) : active ? "active" : "sealed";
}

static void put_segment(struct dial9_stats *d, const struct source_segment *s, size_t number)
{
    const struct segment_facts *facts = &((const struct dial9 *)d->trace->priv)->segments[number];
    const struct segment_count *n = &d->segments[number];
    struct document *doc = &d->s->doc;
    size_t row = stats_row(d->s);
    document_key(doc, s->name);
    document_uint(doc, s->number);
    document_name(doc, segment_state(s));
    document_uint(doc, n->events);
    document_uint(doc, n->closes);
    if (n->first_ns == RAS_NONE) {
        document_null(doc);
        document_null(doc);
    } else {
        document_uint(doc, n->first_ns);
        document_uint(doc, n->last_ns);
    }
    document_uint(doc, s->offset);
    document_uint(doc, s->size);
    document_uint(doc, s->stored);
    document_uint(doc, s->missing);
    document_uint(doc, s->lost);
    if (facts->unclean || facts->clean)
        document_bool(doc, !facts->unclean);
    else
        document_null(doc);
    stats_row_end(d->s, row);
}

void dial9_segments_put(struct dial9_stats *d)
{
    static const char *const columns[] = {
        "segment",  "number",     "state",        "events",     "spans_closed",
        "first_ns", "last_ns",    "offset",       "size_bytes", "stored_bytes",
        "missing",  "lost_bytes", "sealed_clean", NULL};
    size_t count;
    const struct source_segment *at = source_segments(d->trace->source, &count);
    if (!d->segments)
        return;
    stats_table(d->s, "segments", columns);
    for (size_t i = 0; i < count && i < d->segment_count; i++)
        put_segment(d, &at[i], i);
    stats_table_end(d->s,
                    "files of the directory in the order of their numbers; offset and size are"
                    " those in the stream that they make; missing counts numbers before it;"
                    " sealed_clean is what the metadata in its first frames says, or null");
}
