/* timeline.c - the verbs of a timeline: names, tracks and their stacks, one event at a time.
 *
 * An event waits for its arguments until the next verb, then it goes to the writer. */
#include "ops/timeline/timeline.h"
#include "codec/fnv1a.h"
#include "codec/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- names -------------------------------------------------------------------------- */

static size_t name_slot(const struct timeline *t, const void *text, size_t len)
{
    size_t at = (size_t)fnv1a_bytes(FNV1A_START, text, len) & (t->slot_count - 1);
    for (; t->slots[at]; at = (at + 1) & (t->slot_count - 1)) {
        const struct timeline_name *n = &t->names[t->slots[at] - 1];
        if (n->len == len && (!len || !memcmp(n->at, text, len)))
            break;
    }
    return at;
}

static bool more_name_slots(struct timeline *t)
{
    size_t count = t->slot_count ? 2 * t->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->slot_count = count;
    for (size_t i = 0; i < t->name_count; i++)
        t->slots[name_slot(t, t->names[i].at, t->names[i].len)] = (uint32_t)i + 1;
    return true;
}

/* Names are UTF-8 in every target, some of which refuse a file with one that is not: a NUL
 * becomes its symbol U+2400, any other byte U+FFFD. */
static bool clean_name(struct timeline *t, const uint8_t *text, size_t len, size_t *clean_len)
{
    static const uint8_t nul[] = {0xe2, 0x90, 0x80}, unknown[] = {0xef, 0xbf, 0xbd};
    if (!array_grow(&t->clean, &t->clean_room, 3 * len, 1))
        return false;
    size_t to = 0;
    for (size_t i = 0; i < len;) {
        unsigned fault;
        unsigned size = utf8_sequence(text + i, len - i, &fault);
        bool is_nul = !size && len - i > 1 && text[i] == 0xc0 && text[i + 1] == 0x80;
        memcpy(t->clean + to, size ? text + i : is_nul ? nul : unknown, size ? size : 3);
        to += size ? size : 3;
        i += size ? size : is_nul ? 2 : 1;
    }
    *clean_len = to;
    return true;
}

static uint32_t name_add(struct timeline *t, const void *text, size_t len)
{
    bool changed = false;
    len = len < UINT32_MAX / 8 ? len : UINT32_MAX / 8;
    if (len && !utf8_check(text, len, NULL)) {
        changed = true;
        if (!clean_name(t, text, len, &len)) {
            t->nomem = true;
            return 0;
        }
        text = t->clean;
    }
    if (2 * t->name_count >= t->slot_count && !more_name_slots(t)) {
        t->nomem = true;
        return 0;
    }
    size_t slot = name_slot(t, text, len);
    if (t->slots[slot])
        return t->slots[slot] - 1;
    char *copy = arena_take(&t->texts, len + 1);
    if (!copy || t->name_count >= UINT32_MAX / 4 ||
        !array_grow(&t->names, &t->name_room, t->name_count + 1, sizeof *t->names)) {
        t->nomem = true;
        return 0;
    }
    if (len)
        memcpy(copy, text, len);
    copy[len] = 0;
    t->names[t->name_count++] = (struct timeline_name){copy, (uint32_t)len};
    t->slots[slot] = (uint32_t)t->name_count;
    timeline_lost(t, "names that are not UTF-8 have U+FFFD or U+2400 instead", changed);
    return (uint32_t)t->name_count - 1;
}

/* The same text often comes from the same address, of a pool: comparing it costs less than its
 * hash. */
uint32_t timeline_text(struct timeline *t, const void *text, size_t len)
{
    if (!t->rows)
        return name_add(t, text, len);
    struct timeline *of = t->names_of ? t->names_of : t;
    size_t at = (size_t)(((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % TIMELINE_NEAR;
    if (len && of->near[at].at == text) {
        const struct timeline_name *n = &of->names[of->near[at].name];
        if (n->len == len && !memcmp(n->at, text, len))
            return of->near[at].name;
    }
    uint32_t name = name_add(of, text, len);
    t->nomem |= of->nomem;
    of->near[at].at = text;
    of->near[at].name = name;
    return name;
}

uint32_t timeline_word(struct timeline *t, const char *text)
{
    size_t at = (size_t)(((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15)) >> 56) % TIMELINE_WORDS;
    if (t->words[at].at != text) {
        t->words[at].name = timeline_text(t, text, strlen(text));
        t->words[at].at = text;
    }
    return t->words[at].name;
}

/* ---- tracks ------------------------------------------------------------------------- */

uint32_t timeline_new_track(struct timeline *t, const struct timeline_place *place)
{
    if (t->track_count >= UINT32_MAX / 4 ||
        !array_grow(&t->tracks, &t->track_room, t->track_count + 1, sizeof *t->tracks)) {
        t->nomem = true;
        return 0;
    }
    uint32_t track = (uint32_t)t->track_count++;
    t->tracks[track] = (struct timeline_track){.kind = place->kind,
                                               .parent = place->parent,
                                               .name = place->name,
                                               .number = place->number,
                                               .unit = place->unit,
                                               .film = place->film};
    t->outcome->tracks++;
    if (t->rows)
        t->rows->track(t, track);
    else if (t->writer->track)
        t->writer->track(t, track);
    return track;
}

bool timeline_like(struct timeline *t, uint32_t track)
{
    if (track >= t->like->track_count ||
        !array_grow(&t->tracks, &t->track_room, track + 1u, sizeof *t->tracks))
        return false;
    for (; t->track_count <= track; t->track_count++) {
        const struct timeline_track *of = &t->like->tracks[t->track_count];
        t->tracks[t->track_count] = (struct timeline_track){
            .kind = of->kind, .parent = of->parent, .name = of->name, .number = of->number};
    }
    return true;
}

static uint32_t track_again(struct timeline *t, uint64_t id)
{
    uint32_t found = id_table_find(&t->like->ids, id);
    if (found == ID_TABLE_NONE)
        return 0; /* the group: nothing is shown on it */
    if (!timeline_like(t, found)) {
        t->nomem = true;
        return 0;
    }
    return found;
}

uint32_t timeline_track(struct timeline *t, const struct timeline_place *place)
{
    if (t->like)
        return track_again(t, place->id);
    uint32_t found = id_table_find(&t->ids, place->id);
    if (found != ID_TABLE_NONE)
        return found;
    timeline_settle(t); /* the writer may be told of a track between two events only */
    struct timeline_place own = *place;
    if (own.parent == TIMELINE_NONE)
        own.parent = t->group;
    uint32_t track = timeline_new_track(t, &own);
    if (!id_table_add(&t->ids, place->id, track))
        t->nomem = true;
    return track;
}

struct ras_trace *timeline_trace(const struct timeline *t)
{
    return t->trace;
}

bool timeline_chosen(const struct timeline *t, const char *name)
{
    return choice_made(t->how->choices, t->how->choice_count, name);
}

/* ---- what is lost --------------------------------------------------------------------- */

void timeline_nomem(struct timeline *t)
{
    t->nomem = true;
}

void timeline_lost(struct timeline *t, const char *why, uint64_t count)
{
    struct timeline_outcome *o = t->outcome;
    if (!count)
        return;
    for (size_t i = 0; i < o->lost_count; i++)
        if (o->lost[i].what == why || !strcmp(o->lost[i].what, why)) {
            o->lost[i].count += count;
            return;
        }
    if (!array_grow(&o->lost, &t->lost_room, o->lost_count + 1, sizeof *o->lost)) {
        t->nomem = true;
        return;
    }
    o->lost[o->lost_count++] = (struct ras_export_count){why, count};
}

void timeline_gap(struct timeline *t, uint64_t lost)
{
    timeline_settle(t);
    timeline_lost(t, "gaps in the trace", 1);
    timeline_lost(t, "records lost in gaps", lost);
    if (t->writer->gap && t->outcome->tracks)
        t->writer->gap(t, t->event.track, lost ? lost : 1);
}

/* ---- events -------------------------------------------------------------------------- */

/* What the writer cannot store is counted here, so that all writers count the same way. */
static bool writer_takes(struct timeline *t, enum timeline_verb verb)
{
    const struct timeline_writer *w = t->writer;
    if (verb == TIMELINE_INSTANT && w->no_instants) {
        timeline_lost(t, "instants, which the target does not have", 1);
        return false;
    }
    if (verb == TIMELINE_COUNT && w->no_counters) {
        timeline_lost(t, "counter values, which the target does not have", 1);
        return false;
    }
    if (verb == TIMELINE_SAMPLE && w->no_samples) {
        timeline_lost(t, "samples, which the target does not have", 1);
        return false;
    }
    return true;
}

void timeline_settle(struct timeline *t)
{
    if (!t->pending)
        return;
    t->pending = false;
    if (t->into) {
        timeline_lanes_close(t);
        return;
    }
    t->event.args = t->args;
    for (size_t i = 0; i < t->event.flow_count; i++)
        t->outcome->flows += t->event.flow_ends[i]; /* an arrow is counted where it ends */
    t->writer->event(t, &t->event);
}

/* Times are signed in what reads timelines, or floats that are rounded up: later ones would be
 * dropped there, or wrap around. */
#define TIME_LAST ((UINT64_C(1) << 63) - (UINT64_C(1) << 20))

static uint64_t time_shown(struct timeline *t, uint64_t time_ns)
{
    if (time_ns <= TIME_LAST || t->rows)
        return time_ns;
    timeline_lost(t, "times beyond 2^63 - 2^20 ns, moved to it", 1);
    return TIME_LAST;
}

/* The next event; NULL where the writer does not take it. */
static struct timeline_event *event_start(struct timeline *t, enum timeline_verb verb,
                                          uint32_t track, uint64_t time_ns)
{
    timeline_settle(t);
    t->event =
        (struct timeline_event){.verb = verb, .track = track, .time_ns = time_shown(t, time_ns)};
    if (!writer_takes(t, verb))
        return NULL;
    t->pending = true;
    return &t->event;
}

/* Slices of a track nest, so that their edges ascend: an earlier one is moved to the last. */
static uint64_t edge_at(struct timeline *t, struct timeline_track *track, uint64_t time_ns,
                        const char *moved)
{
    time_ns = time_shown(t, time_ns);
    if (time_ns < track->last_ns) {
        timeline_lost(t, moved, 1);
        return track->last_ns;
    }
    track->last_ns = time_ns;
    return time_ns;
}

void timeline_begin(struct timeline *t, uint32_t track, uint64_t time_ns, uint32_t name,
                    uint32_t category)
{
    struct timeline_track *of = &t->tracks[track];
    timeline_settle(t);
    time_ns = edge_at(t, of, time_ns, "begins before the last time of their track, moved to it");
    if (!array_grow(&of->open, &of->open_room, of->open_count + 1, sizeof *of->open)) {
        t->nomem = true;
        return;
    }
    of->open[of->open_count++] =
        (struct timeline_open){.name = name, .category = category, .begin_ns = time_ns};
    if (t->rows) {
        of->open[of->open_count - 1].marks[0] = t->seq;
        return;
    }
    struct timeline_event *e = event_start(t, TIMELINE_BEGIN, track, time_ns);
    e->name = name;
    e->category = category;
    t->outcome->slices++;
}

void timeline_end(struct timeline *t, uint32_t track, uint64_t time_ns, bool timed)
{
    struct timeline_track *of = &t->tracks[track];
    timeline_settle(t);
    if (!of->open_count) {
        timeline_lost(t, "ends without a begin, shown as instants", 1);
        timeline_instant(t, track, time_ns, timeline_word(t, "end without begin"), 0);
        return;
    }
    time_ns = edge_at(t, of, time_ns, "ends before the last time of their track, moved to it");
    t->closed = of->open[--of->open_count];
    if (t->rows) {
        const struct timeline_slice slice = {t->closed.begin_ns, time_ns, t->closed.marks[0],
                                             (uint32_t)of->open_count, t->closed.name};
        timeline_row_slices(t, track, &slice, 1);
        return;
    }
    struct timeline_event *e = event_start(t, TIMELINE_END, track, time_ns);
    e->name = t->closed.name;
    e->category = t->closed.category;
    e->slice = &t->closed;
    e->timed = timed;
}

void timeline_slice(struct timeline *t, uint32_t track, uint64_t from_ns, uint64_t to_ns,
                    uint32_t name, uint32_t category)
{
    if (t->rows) {
        timeline_rows_fit(t, track, from_ns, to_ns, name);
        return;
    }
    timeline_settle(t);
    if (to_ns > INT64_MAX && to_ns != TIMELINE_OPEN_END)
        to_ns = INT64_MAX;
    t->event = (struct timeline_event){.verb = TIMELINE_BEGIN, .track = track};
    timeline_lanes_open(t, track, from_ns, to_ns, name, category);
    t->pending = t->into;
}

void timeline_instant(struct timeline *t, uint32_t track, uint64_t time_ns, uint32_t name,
                      uint32_t category)
{
    if (t->rows) {
        t->shown_ns = time_ns;
        t->rows->instant(t, track, time_ns, name);
        return;
    }
    struct timeline_event *e = event_start(t, TIMELINE_INSTANT, track, time_ns);
    if (!e)
        return;
    e->name = name;
    e->category = category;
    t->outcome->instants++;
}

void timeline_counter(struct timeline *t, uint32_t track, uint64_t time_ns, int64_t value)
{
    if (t->rows) {
        t->rows->count(t, track, time_ns, (double)value);
        return;
    }
    struct timeline_event *e = event_start(t, TIMELINE_COUNT, track, time_ns);
    if (!e)
        return;
    e->name = t->tracks[track].name;
    e->whole = value;
    t->outcome->counters++;
}

void timeline_counter_f64(struct timeline *t, uint32_t track, uint64_t time_ns, double value)
{
    if (t->rows) {
        t->rows->count(t, track, time_ns, value);
        return;
    }
    struct timeline_event *e = event_start(t, TIMELINE_COUNT, track, time_ns);
    if (!e)
        return;
    e->name = t->tracks[track].name;
    e->is_real = true;
    e->real = value;
    t->outcome->counters++;
}

void timeline_sample(struct timeline *t, uint32_t track, uint64_t time_ns,
                     const struct timeline_frame *frames, size_t count)
{
    if (t->rows) {
        timeline_instant(t, track, time_ns, timeline_word(t, "sample"), 0);
        return;
    }
    struct timeline_event *e = event_start(t, TIMELINE_SAMPLE, track, time_ns);
    if (!e)
        return;
    e->frames = frames;
    e->frame_count = count;
    t->outcome->samples++;
}

/* ---- arguments ----------------------------------------------------------------------- */

void timeline_arg(struct timeline *t, uint32_t name, const struct ras_value *value, unsigned flags)
{
    struct timeline_event *e = &t->event;
    if (!t->pending)
        return;
    if (t->writer->no_args) {
        timeline_lost(t, "arguments, which the target does not have", 1);
        return;
    }
    if (e->arg_count >= TIMELINE_ARGS) {
        timeline_lost(t, "arguments beyond the 64th of an event", 1);
        return;
    }
    t->args[e->arg_count++] = (struct timeline_arg){name, flags, value};
}

/* A value that is not of the record has a cell of its own. */
static void arg_own(struct timeline *t, uint32_t name, struct ras_value value, unsigned flags)
{
    size_t at = t->event.arg_count < TIMELINE_ARGS ? t->event.arg_count : 0;
    if (t->pending && t->event.arg_count < TIMELINE_ARGS)
        t->values[at] = value;
    timeline_arg(t, name, &t->values[at], flags);
}

void timeline_arg_uint(struct timeline *t, uint32_t name, uint64_t value, unsigned flags)
{
    arg_own(t, name, (struct ras_value){.kind = RAS_UINT, .bits = 64, .u = value}, flags);
}

void timeline_arg_text(struct timeline *t, uint32_t name, const void *text, size_t len)
{
    arg_own(t, name, (struct ras_value){.kind = RAS_STR, .count = (uint32_t)len, .at = text}, 0);
}

static bool field_wanted(const struct timeline *t, const char *name, const char *const *but)
{
    for (; but && *but; but++)
        if (!strcmp(*but, name))
            return false;
    for (size_t i = 0; t->how->fields && i < t->how->field_count; i++)
        if (!strcmp(t->how->fields[i], name))
            return true;
    return !t->how->fields;
}

void timeline_args(struct timeline *t, const struct ras_cursor *c, const char *const *but)
{
    const struct ras_schema *schema = ras_schema_of(c);
    size_t count;
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    for (; t->pending && v < end; v = ras_value_next(v)) {
        const struct ras_field *field = &schema->fields[v->field];
        if (v->kind != RAS_NULL && !(field->flags & RAS_IN_HEAD) &&
            field_wanted(t, field->name, but))
            timeline_arg(t, timeline_word(t, field->name), v, field->flags);
    }
}

void timeline_flow(struct timeline *t, uint64_t id, bool ends)
{
    struct timeline_event *e = &t->event;
    if (t->writer->no_flows) { /* also of an event that is not there for it */
        timeline_lost(t, "flows, which the target does not have", ends);
        return;
    }
    if (!t->pending)
        return;
    if (e->flow_count == TIMELINE_FLOWS) {
        timeline_lost(t, "flows beyond the 4th of an event", 1);
        return;
    }
    e->flows[e->flow_count] = id;
    e->flow_ends[e->flow_count++] = ends;
}
