/* dial9_segments.c - a recording in several files: names, order, what is missing.
 *
 * Writers name segments STEM.NUMBER.bin, with .active while they are written and .gz once they are
 * compressed. A stream may have any number of headers, so that the bytes of all segments together
 * are one stream. */
#include "base/memory.h"
#include "formats/dial9/dial9_driver.h"

#include <stdlib.h>

/* ---- names and bytes ------------------------------------------------------------------------- */

enum { DIGITS_MOST = 18 };

static const struct {
    const char *end;
    unsigned rank;
} endings[] = {{".bin", 0}, {".bin.gz", 1}, {".bin.active", 2}};

static bool segment_name(const char *name, struct segment_name *out)
{
    size_t len = strlen(name), end = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i].end);
        if (len > tail && !strcmp(name + len - tail, endings[i].end)) {
            end = len - tail;
            out->rank = endings[i].rank;
        }
    }
    size_t at = end;
    out->number = 0;
    while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    if (at == end || end - at > DIGITS_MOST || at < 2 || name[at - 1] != '.' || name[at - 2] == '/')
        return false;
    for (size_t i = at; i < end; i++)
        out->number = out->number * 10 + (uint64_t)(name[i] - '0');
    out->stem = at;
    return true;
}

static bool segment_begins(struct ras_bytes head)
{
    size_t size = head.len < DIAL9_MAGIC_SIZE ? head.len : DIAL9_MAGIC_SIZE;
    return !size || !memcmp(head.at, DIAL9_MAGIC, size);
}

/* The frames are read as a reader does that has the same limits; no schema is registered. */
static uint64_t segment_walk(struct dial9_batch *batch, const struct dial9_rules *rules,
                             struct ras_bytes bytes, struct ras_error *why)
{
    struct in in = in_bytes(bytes);
    struct ras_dial9_frame frame;
    uint64_t base_ns = 0;
    while (in_left(&in)) {
        dial9_events_pass(batch, rules, &in, &base_ns);
        if (!in_left(&in))
            break;
        uint64_t at = (uint64_t)(in.at - bytes.at);
        int status = dial9_frame_read(batch, rules, bytes.at, base_ns, &in, &frame, why);
        if (status < 0)
            return status == RAS_EMEMORY ? RAS_NONE : at;
        base_ns = dial9_base_after(&frame, base_ns);
        if (frame.tag == RAS_DIAL9_HEADER)
            dial9_batch_start(batch, batch->number + 1, frame.offset);
    }
    return bytes.len;
}

static uint64_t segment_whole(struct ras_bytes bytes, const struct ras_limits *limits,
                              struct ras_error *why)
{
    struct shapes shapes = {0};
    struct dial9_batch *batch = dial9_batch_new();
    const struct dial9_rules rules = {.dialect = RAS_DIAL9_FULL,
                                      .depth = limits->depth < DIAL9_DEPTH_MOST ? limits->depth
                                                                                : DIAL9_DEPTH_MOST,
                                      .pool_bytes = limits->pool_bytes,
                                      .record_bytes = limits->record_bytes,
                                      .shapes = &shapes};
    if (!batch)
        return RAS_NONE;
    dial9_batch_start(batch, 0, 0);
    uint64_t whole = segment_walk(batch, &rules, bytes, why);
    dial9_batch_free(batch);
    dial9_shapes_free(&shapes);
    return whole;
}

const struct segment_ops dial9_segment_ops = {
    .name = segment_name, .begins = segment_begins, .whole = segment_whole};

/* ---- what their first frames say ------------------------------------------------------------- */

enum { HEAD_FRAMES = 64 };
#define HEAD_BYTES ((size_t)64 << 10)

static bool is_text(struct ras_bytes bytes, const char *text)
{
    return bytes.len == strlen(text) && !memcmp(bytes.at, text, bytes.len);
}

bool dial9_entry_unclean(struct ras_bytes key, struct ras_bytes value)
{
    return (is_text(key, "segment.sealed_clean") || is_text(key, "segment.prior_sealed_clean")) &&
           is_text(value, "false");
}

static void head_metadata(struct segment_facts *s, const struct ras_dial9 *reader,
                          const struct ras_dial9_value *entries)
{
    struct ras_dial9_items items = ras_dial9_items(reader, entries);
    struct ras_dial9_value key, value;
    while (ras_dial9_next_item(&items, &key) && ras_dial9_next_item(&items, &value)) {
        struct ras_bytes name = {key.at, key.count}, text = {value.at, value.count};
        s->has_boot |= is_text(name, "boot_id") && text.len;
        s->unclean |= dial9_entry_unclean(name, text);
        s->clean |= is_text(name, "segment.sealed_clean") && is_text(text, "true");
    }
}

static void head_event(struct segment_facts *s, const struct ras_dial9 *reader,
                       const struct ras_dial9_event *event)
{
    const struct ras_dial9_schema *schema = event->schema;
    if (schema->field_count != 1)
        return;
    if (!strcmp(schema->name, "ClockSyncEvent")) {
        s->clock_ns = s->has_clock && s->clock_ns < event->time_ns ? s->clock_ns : event->time_ns;
        s->has_clock = true;
    }
    if (!strcmp(schema->name, "SegmentMetadataEvent") &&
        event->values->type == RAS_DIAL9_STRING_MAP)
        head_metadata(s, reader, event->values);
}

static void head_read(struct segment_facts *s, struct ras_bytes bytes,
                      enum ras_dial9_dialect dialect)
{
    struct ras_dial9 *reader;
    struct ras_dial9_frame frame;
    struct ras_dial9_options options = {.dialect = dialect};
    if (ras_dial9_open(&reader, bytes.at, bytes.len < HEAD_BYTES ? bytes.len : HEAD_BYTES, &options,
                       NULL) < 0)
        return;
    for (int i = 0; i < HEAD_FRAMES && ras_dial9_next(reader, &frame, NULL) == RAS_OK; i++)
        if (frame.tag == RAS_DIAL9_EVENT)
            head_event(s, reader, &frame.event);
    ras_dial9_close(reader);
}

/* A span that began in the segment before is known from its beginning, unless something between
 * the two is missing. */
static void continue_from(struct segment_facts *s, const struct segment_facts *before,
                          const struct source_segment *segment)
{
    if (segment->first || segment->missing || !before->has_clock)
        return;
    s->clock_ns = before->clock_ns;
    s->has_clock = true;
}

bool dial9_segments_learn(struct ras_trace *t)
{
    struct dial9 *d = t->priv;
    struct ras_bytes all = source_arrived(t->source, 0);
    size_t count;
    const struct source_segment *at = source_segments(t->source, &count);
    const struct source_segment lone = {.size = all.len, .first = true};
    if (!at)
        at = &lone, count = 1;
    if (!array_grow(&d->segments, &d->segment_room, count, sizeof *d->segments))
        return false;
    for (; d->segment_count < count; d->segment_count++) {
        struct segment_facts *s = &d->segments[d->segment_count];
        const struct source_segment *segment = &at[d->segment_count];
        *s = (struct segment_facts){.offset = segment->offset};
        if (segment->size)
            head_read(s, (struct ras_bytes){all.at + segment->offset, (size_t)segment->size},
                      d->rules.dialect);
        if (d->segment_count && !segment[-1].lost)
            continue_from(s, s - 1, segment);
    }
    return true;
}

const struct segment_facts *dial9_segment_of(const struct ras_trace *t, uint64_t offset)
{
    static const struct segment_facts none;
    const struct dial9 *d = t->priv;
    size_t low = 0, high = d->segment_count;
    if (!high)
        return &none;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->segments[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return &d->segments[low];
}

/* ---- what is said of them -------------------------------------------------------------------- */

static void report_segment(struct ras_trace *t, const struct source_segment *s, bool last)
{
    if (s->missing) {
        note_add(t, "%s: %s missing before it, by number", s->name,
                 ras_counted(s->missing, "segment").text);
        missing_note(t, 0, s->offset, "%s before %s: numbers %" PRIu64 " to %" PRIu64,
                     s->missing == 1 ? "a segment is missing" : "segments are missing", s->name,
                     s->number - s->missing, s->number - 1);
    }
    if (s->kind <= RAS_COMPLETE || (last && !s->lost))
        return;
    note_add(t, "%s: %s: %s; %s left out", s->name, ras_ending_name(s->kind), s->why,
             ras_counted(s->lost, "byte").text);
    missing_note(t, 0, s->offset + s->size, "%s: %s: %.100s", s->name, ras_ending_name(s->kind),
                 s->why);
}

void dial9_segments_report(struct ras_trace *t)
{
    const struct dial9 *d = t->priv;
    size_t count;
    const struct source_segment *at = source_segments(t->source, &count);
    uint64_t recordings = 0;
    for (size_t i = 0; i < d->segment_count; i++)
        if (d->segments[i].unclean)
            note_add(t, "%s%sits metadata says that events were lost (segment.sealed_clean)",
                     at ? at[i].name : "", at ? ": " : "");
    for (size_t i = 0; i < count; i++) {
        recordings += at[i].first;
        report_segment(t, &at[i], i + 1 == count);
    }
    if (!at)
        return;
    (void)fact_uint(t, "segments", count, 0);
    if (count) {
        (void)fact_str(t, "segment_first", at[0].name, strlen(at[0].name));
        (void)fact_str(t, "segment_last", at[count - 1].name, strlen(at[count - 1].name));
    }
    if (recordings > 1)
        note_add(t,
                 "%" PRIu64 " recordings are read as one: ids of tasks, workers and spans of"
                 " one may be those of others in another",
                 recordings);
}
