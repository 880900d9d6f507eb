/* atf_read.c - a session as records: thread by thread its events, then its details.
 *
 * Around them, when a scan asks: the modules and functions of the manifest, what a
 * thread is, and after each event the spans that it ended. A file that ends badly
 * is noted and the walk goes on with the next one (spec "Independent recovery"). */
#include "formats/atf/atf_driver.h"
#include "base/memory.h"
#include "core/choices.h"

#include <stdlib.h>

/* ---- details, gaps, endings --------------------------------------------- */

bool atf_read_detail(struct ras_cursor *c, uint64_t limit, enum step *step)
{
    struct atf_cursor *a = c->priv;
    struct atf *atf = c->trace->priv;
    struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    struct ras_bytes bytes = {c->base, (size_t)limit};
    struct ras_atf_detail_event event;
    uint64_t at = place->detail_at, next = at;
    if (ras_atf_detail_step(&t->detail, bytes, &next, &event) != RAS_OK)
        return false;
    enum atf_cpu cpu = atf_cpu_of(&atf->session, t);
    place->detail++;
    place->detail_at = next;
    c->in.at = c->base + next;
    c->record = (struct ras_record){.time_ns = event.timestamp,
                                    .flags = RAS_HAS_TIME,
                                    .parent = RAS_NONE,
                                    .offset = at,
                                    .raw = c->base + at,
                                    .raw_len = event.total_length,
                                    .part = c->part,
                                    .schema = (uint16_t)atf->detail[cpu],
                                    .stream = t->stream};
    const struct view *view = cursor_view(c, atf->detail[cpu]);
    *step = !view->values || atf_put_detail(&c->values, view, 0, cpu, atf->form, &event)
                ? STEP_RECORD
                : STEP_NOMEM;
    return true;
}

enum ras_ending_kind atf_note_file(struct ras_cursor *c, struct atf_thread *t, bool detail)
{
    const struct atf_thread_file *file = detail ? &t->detail_file : &t->index_file;
    const struct atf_process *p = &atf_session_of(c)->processes[t->process];
    if (p->manifest.out.unfinished && !detail)
        ending_note(c, RAS_CUT, (uint32_t)p->manifest_part, 0, ATF_UNFINISHED);
    if (file->part < 0 && detail && source_is_dir(c->trace->source) &&
        atf_index_ready(atf_session_of(c), t) && t->index.header.flags & RAS_ATF_HAS_DETAIL)
        ending_note(c, RAS_DAMAGED, (uint32_t)t->index_file.part, HEADER_FLAGS,
                    "its flags promise a detail.atf, which is not there");
    if (file->part < 0)
        return RAS_COMPLETE;
    struct atf_verdict v = atf_file_verdict(atf_session_of(c), t, detail);
    ending_note(c, v.kind, (uint32_t)file->part, v.offset, "%s", v.why);
    const struct wrapping *wrap = source_wrapping(c->trace->source, (size_t)file->part);
    if (wrap->kind > RAS_COMPLETE)
        ending_note(c, wrap->kind, (uint32_t)file->part, v.offset, "%s: %s at stored byte %" PRIu64,
                    wrap->name, wrap->why, wrap->offset);
    if (v.kind > RAS_UNSEALED)
        damaged(c, v.offset, "%s", v.why); /* what a strict scan fails with */
    return v.kind;
}

/* Events of the thread that were dropped when it was recorded, behind its index. */
static bool read_drop(struct ras_cursor *c, uint64_t i, enum step *step)
{
    struct atf_cursor *a = c->priv;
    const struct ras_atf_drop *drop;
    if (!atf_drop_at(atf_session_of(c), a->thread, i, &drop))
        return false;
    a->item++;
    const char *reason = drop->reason && *drop->reason ? drop->reason : "no reason given";
    bool least = atf_process_of(c)->manifest.out.unfinished;
    if (drop->events == RAS_NONE)
        *step = drop_record(c, RAS_NONE, ATF_UNFINISHED);
    else
        *step = drop_record(c, least ? RAS_NONE : drop->events,
                            "%s%s of thread %" PRIu32 " dropped: %s", least ? "at least " : "",
                            ras_counted(drop->events, "event").text, drop->thread_id, reason);
    c->record.part = (uint16_t)atf_process_of(c)->manifest_part;
    c->record.stream = atf_thread_of(c)->stream;
    return true;
}

/* A file has one gap at most; the drops follow that of the index. */
static bool read_gap(struct ras_cursor *c, bool detail, enum step *step)
{
    struct atf_cursor *a = c->priv;
    struct atf_thread *t = atf_thread_of(c);
    struct atf_gap gap;
    bool here = atf_file_gap(atf_session_of(c), t, detail, &gap);
    if (a->item >= here)
        return !detail && read_drop(c, a->item - here, step);
    int64_t part = detail ? t->detail_file.part : t->index_file.part;
    a->item++;
    if (!cursor_enter(c, (uint32_t)part, gap.at + gap.length))
        return false; /* told by leave_stage() */
    *step = gap_record(c, gap.at, gap.length, gap.lost, "%s", gap.why);
    c->record.stream = t->stream;
    return true;
}

/* ---- what the manifest and the headers say -------------------------------- */

static void fill_note_record(struct ras_cursor *c, uint32_t schema, int64_t part, uint64_t offset,
                             uint32_t length)
{
    struct ras_bytes bytes = source_bytes(c->trace->source, (size_t)part);
    c->record = (struct ras_record){.parent = RAS_NONE,
                                    .offset = offset,
                                    .raw = bytes.at ? bytes.at + offset : NULL,
                                    .raw_len = length,
                                    .part = (uint32_t)part,
                                    .schema = (uint16_t)schema,
                                    .stream = atf_thread_of(c)->stream};
}

static bool read_module(struct ras_cursor *c, enum step *step)
{
    struct atf_cursor *a = c->priv;
    const struct atf_process *p = atf_process_of(c);
    const struct view *view = cursor_view(c, ATF_MODULE);
    if (!view->wanted || a->item >= p->manifest.out.module_count)
        return false;
    const struct ras_atf_module *m = &p->manifest.out.modules[a->item++];
    fill_note_record(c, ATF_MODULE, p->manifest_part, m->offset, m->length);
    *step = !view->values || atf_put_module(&c->values, view, m) ? STEP_RECORD : STEP_NOMEM;
    return true;
}

static bool read_function(struct ras_cursor *c, enum step *step)
{
    struct atf_cursor *a = c->priv;
    const struct atf_process *p = atf_process_of(c);
    const struct view *view = cursor_view(c, ATF_FUNCTION);
    if (!view->wanted || a->item >= p->manifest.out.symbol_count)
        return false;
    const struct ras_atf_symbol *m = &p->manifest.out.symbols[a->item++];
    fill_note_record(c, ATF_FUNCTION, p->manifest_part, m->offset, m->length);
    *step = !view->values || atf_put_function(&c->values, view, p, m) ? STEP_RECORD : STEP_NOMEM;
    return true;
}

static bool read_thread_record(struct ras_cursor *c, enum step *step)
{
    struct atf_cursor *a = c->priv;
    struct atf_thread *t = atf_thread_of(c);
    const struct view *view = cursor_view(c, ATF_THREAD);
    if (!view->wanted || a->item++)
        return false;
    bool index = atf_index_ready(atf_session_of(c), t);
    bool detail = !index && atf_detail_ready(atf_session_of(c), t);
    if (!index && !detail)
        return false;
    fill_note_record(c, ATF_THREAD, index ? t->index_file.part : t->detail_file.part, 0,
                     RAS_ATF_HEADER_SIZE);
    *step = !view->values || atf_put_thread(&c->values, view, atf_session_of(c), t) ? STEP_RECORD
                                                                                    : STEP_NOMEM;
    return true;
}

/* ---- stages --------------------------------------------------------------- */

/* A time range in a sorted file needs only the events inside it. */
static void clip(struct ras_cursor *c, struct atf_cursor *a, uint64_t *low, uint64_t *high)
{
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = atf_thread_of(c);
    if (c->scan.axis != RAS_AXIS_TIME || a->spans || a->place_count > 1 || *low >= *high)
        return;
    const struct atf_times *times = atf_times(s, t);
    if (times->back != RAS_NONE) {
        note_add(c->trace,
                 "%s is not sorted: event %" PRIu64 " steps back in time, so its range "
                 "is filtered, not searched",
                 source_name(c->trace->source, (size_t)t->index_file.part), times->back);
        return;
    }
    uint64_t from = atf_time_place(s, t, c->scan.from), to = atf_time_place(s, t, c->scan.to);
    *low = from > *low ? from : *low;
    *high = to > *low ? to : *low;
}

static bool start_events(struct ras_cursor *c, struct atf_cursor *a)
{
    struct atf_thread *t = atf_thread_of(c);
    if (!atf_index_ready(atf_session_of(c), t))
        return true;
    uint64_t first = atf_place_of(a)->event, low = first;
    uint64_t count = t->index.count > first ? t->index.count : first, high = count;
    clip(c, a, &low, &high);
    c->seq += low - first;
    a->beyond = count - high;
    if (!atf_enter_events(c, low, high))
        return false;
    bool sorted = !a->sort || !t->index.count || atf_times(atf_session_of(c), t)->back == RAS_NONE;
    return sorted || !atf_can_sort(c, t) || atf_sort_events(c);
}

static bool start_details(struct ras_cursor *c, struct atf_cursor *a)
{
    struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    if (!atf_detail_ready(atf_session_of(c), t))
        return true;
    if (!place->detail_at)
        place->detail_at = t->detail.at;
    return cursor_enter(c, (uint32_t)t->detail_file.part, place->detail_at);
}

void atf_rewind(struct atf_cursor *a)
{
    a->stop = a->beyond = a->item = 0;
    a->hint = (struct atf_hint){0};
    for (size_t i = 0; i < a->place_count; i++) {
        struct ras_atf_stack *stack = a->places[i].stack;
        if (stack)
            atf_stack_clear(stack);
        a->places[i] = (struct atf_place){.stack = stack};
    }
}

bool atf_enter(struct ras_cursor *c, size_t thread, enum atf_stage stage)
{
    struct atf_cursor *a = c->priv;
    a->thread = thread;
    a->stage = stage;
    a->item = a->stop = 0;
    if (thread >= atf_session_of(c)->thread_count)
        return true;
    if (stage == STAGE_EVENTS)
        return start_events(c, a);
    return stage != STAGE_DETAILS || start_details(c, a);
}

/* Leave a stage that has nothing more to give; STEP_RECORD: the walk goes on. */
static enum step leave_stage(struct ras_cursor *c, struct atf_cursor *a)
{
    if (a->stage == STAGE_EVENTS) {
        c->seq += a->beyond;
        a->beyond = 0;
    }
    if (a->stage != STAGE_INDEX_GAPS && a->stage != STAGE_DETAIL_GAPS)
        return STEP_RECORD;
    struct atf_thread *t = atf_thread_of(c);
    bool detail = a->stage == STAGE_DETAIL_GAPS;
    int64_t part = detail ? t->detail_file.part : t->index_file.part;
    enum ras_ending_kind kind = atf_note_file(c, t, detail);
    if (kind == RAS_COMPLETE && c->part == part)
        c->in.at = c->in.end; /* header and footer are understood, too */
    return c->scan.strict && kind > RAS_UNSEALED ? STEP_DAMAGED : STEP_RECORD;
}

static bool go_on(struct ras_cursor *c, struct atf_cursor *a)
{
    const struct ras_atf_session *s = atf_session_of(c);
    if (a->stage + 1 < STAGE_COUNT)
        return atf_enter(c, a->thread, a->stage + 1);
    if (a->place_count == 1)
        atf_rewind(a);
    size_t next = a->thread + 1;
    bool same = next < s->thread_count && s->threads[next].process == s->threads[a->thread].process;
    return atf_enter(c, next, same ? STAGE_THREAD : STAGE_MODULES);
}

static bool read_stage(struct ras_cursor *c, struct atf_cursor *a, enum step *step)
{
    switch (a->stage) {
    case STAGE_MODULES:
        return read_module(c, step);
    case STAGE_FUNCTIONS:
        return read_function(c, step);
    case STAGE_THREAD:
        return read_thread_record(c, step);
    case STAGE_EVENTS:
        if (a->order)
            return atf_read_ordered(c, step);
        if (atf_place_of(a)->due && atf_read_span(c, step))
            return true;
        if (!atf_left(c))
            return false;
        *step = atf_read_event(c);
        return true;
    case STAGE_OPEN_SPANS:
        return a->spans && atf_read_span(c, step);
    case STAGE_INDEX_GAPS:
        return read_gap(c, false, step);
    case STAGE_DETAILS:
        return atf_place_of(a)->detail_at &&
               atf_read_detail(c, (uint64_t)(c->in.end - c->base), step);
    default:
        return read_gap(c, true, step);
    }
}

enum step atf_walk_on(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    enum step step = STEP_RECORD;
    while (atf_position(a->thread, a->stage) < a->end) {
        if (read_stage(c, a, &step))
            return step;
        step = leave_stage(c, a);
        if (step != STEP_RECORD)
            return step;
        if (!go_on(c, a) || atf_session_of(c)->nomem)
            return STEP_NOMEM;
    }
    return STEP_END;
}

enum step atf_next(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    if (cursor_offset(c) < a->stop && !a->slow)
        return atf_read_event(c);
    return a->live ? atf_next_live(c) : atf_walk_on(c);
}

/* ---- start and stop --------------------------------------------------------- */

/* Events that carry their detail need a schema of their own, once per trace. */
static bool add_joined(struct ras_trace *t)
{
    struct atf *atf = t->priv;
    for (unsigned cpu = 0; cpu < CPU_COUNT; cpu++) {
        if (!atf->detail[cpu] || atf->joined[cpu])
            continue;
        int64_t id = schema_add(t, &atf_joined_schemas[cpu]);
        if (id < 0)
            return false;
        atf->joined[cpu] = (uint32_t)id;
    }
    return true;
}

int atf_start(struct ras_cursor *c, struct ras_error *err)
{
    struct atf_cursor *a = c->priv;
    struct ras_atf_session *s = atf_session_of(c);
    a->live = c->live;
    size_t places = a->live ? s->thread_count + 1 : 1; /* more than one: see atf_place_of() */
    if (!array_grow(&a->places, &a->place_room, places, sizeof *a->places))
        return fail_memory(err);
    memset(a->places, 0, places * sizeof *a->places);
    a->place_count = places;
    a->spans = cursor_view(c, ATF_SPAN)->wanted;
    a->end = atf_position(s->thread_count, STAGE_MODULES);
    a->join = choice_made(c->scan.choices, c->scan.choice_count, "with-detail");
    if (a->join && !add_joined(c->trace))
        return fail_memory(err);
    return atf_enter(c, 0, STAGE_MODULES) ? RAS_OK : fail_memory(err);
}

void atf_stop(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    for (size_t i = 0; i < a->place_count; i++)
        ras_atf_stack_free(a->places[i].stack);
    free(a->places);
    free(a->order);
}
