/* atf_read.c - a session as records: thread by thread its events, then its details.
 *
 * On request it also gives the modules and functions of the manifest, a record for each thread,
 * and after each event the spans that it ended. A file that ends badly is noted and reading
 * continues with the next one (spec "Independent recovery"). */
#include "base/memory.h"
#include "core/format.h"
#include "formats/atf/atf_driver.h"

#include <stdlib.h>

/* ---- details, gaps, endings --------------------------------------------- */

/* Read one detail that ends at or before `limit`. False: none is complete. */
static bool atf_read_detail(struct ras_cursor *c, uint64_t limit, enum step *step)
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
                    "its flags promise a detail.atf, which is missing");
    if (file->part < 0)
        return RAS_COMPLETE;
    struct atf_verdict v = atf_file_verdict(atf_session_of(c), t, detail);
    ending_note(c, v.kind, (uint32_t)file->part, v.offset, "%s", v.why);
    const struct wrapping *wrap = source_wrapping(c->trace->source, (size_t)file->part);
    if (wrap->kind > RAS_COMPLETE)
        ending_note(c, wrap->kind, (uint32_t)file->part, v.offset, "%s: %s at stored byte %" PRIu64,
                    wrap->name, wrap->why, wrap->offset);
    if (v.kind > RAS_UNSEALED)
        damaged(c, v.offset, "%s", v.why); /* the error of a strict scan */
    return v.kind;
}

/* Events of the thread that were dropped when it was recorded, after its index. */
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
        return false; /* reported by leave_stage() */
    *step = gap_record(c, gap.at, gap.length, gap.lost, "%s", gap.why);
    c->record.stream = t->stream;
    return true;
}

/* ---- modules, functions, threads ------------------------------------------ */

static void fill_note_record(struct ras_cursor *c, uint32_t schema, int64_t part, uint64_t offset,
                             uint32_t length)
{
    struct ras_bytes bytes = source_arrived(c->trace->source, (size_t)part);
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
    a->unsorted = a->sort && t->index.count && atf_times(atf_session_of(c), t)->back != RAS_NONE &&
                  atf_can_sort(c, t);
    if (!atf_enter_events(c, low, high))
        return false;
    return !a->unsorted || atf_sort_events(c);
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

/* Reset the places of all threads. */
static void rewind_places(struct atf_cursor *a)
{
    a->stop = a->beyond = a->item = 0;
    a->hint = (struct atf_hint){0};
    a->stack_state = STACK_WHOLE;
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

/* Leave a stage that has no more records; STEP_RECORD: the walk goes on. */
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
        c->in.at = c->in.end; /* header and footer were decoded, too */
    return c->scan.strict && kind > RAS_UNSEALED ? STEP_DAMAGED : STEP_RECORD;
}

static bool go_on(struct ras_cursor *c, struct atf_cursor *a)
{
    const struct ras_atf_session *s = atf_session_of(c);
    if (a->stage + 1 < STAGE_COUNT)
        return atf_enter(c, a->thread, a->stage + 1);
    if (a->place_count == 1)
        rewind_places(a);
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
        if (a->pass && !c->skipping && !c->live && c->seq != RAS_NONE)
            return atf_pass_to_span(c, step);
        if (atf_place_of(a)->due && atf_read_span(c, step))
            return true;
        if (!atf_left(c) && !atf_more_events(c))
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

/* Pass over a thread whose records the scan does not want: its files are not read. */
static bool pass_thread(struct ras_cursor *c, struct atf_cursor *a)
{
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = atf_thread_of(c);
    if (a->stage > STAGE_THREAD || a->item || c->requests || c->scan.strict || c->skipping ||
        c->live || c->seq == RAS_NONE || cursor_wants_stream(c, t->stream) ||
        atf_position(a->thread + 1, STAGE_MODULES) > a->end)
        return false;
    for (int detail = 0; detail < 2; detail++) {
        c->seq += atf_file_records(s, t, detail);
        atf_note_file(c, t, detail);
    }
    a->stage = STAGE_COUNT - 1; /* as if it had been read */
    return true;
}

/* Continue in stored order from the current position. */
static enum step walk_on(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    enum step step = STEP_RECORD;
    while (atf_position(a->thread, a->stage) < a->end) {
        if (c->scan.stream_count && pass_thread(c, a)) {
            if (!go_on(c, a) || atf_session_of(c)->nomem)
                return STEP_NOMEM;
            continue;
        }
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

/* ---- a session that still grows ------------------------------------------------------ */

/* While more may come, only those events are reported that are final: the last bytes of a file
 * could be the beginning of its footer. When nothing more can come, or every file has its
 * footer, the walk in stored order reports the rest and the ending. */

static bool is_live(const struct ras_cursor *c)
{
    const struct source *s = c->trace->source;
    return source_growing(s) || (c->scan.follow && source_can_grow(s));
}

/* Give each known thread a place. */
static bool keep_up(struct ras_cursor *c, struct atf_cursor *a)
{
    struct ras_atf_session *s = atf_session_of(c);
    size_t before = s->thread_count;
    if (atf_session_refresh(s, NULL) < 0 ||
        !array_grow(&a->places, &a->place_room, s->thread_count + 1, sizeof *a->places))
        return false;
    for (; a->place_count < s->thread_count + 1; a->place_count++)
        a->places[a->place_count] = (struct atf_place){0};
    for (size_t i = before; i < s->thread_count; i++)
        atf_describe_thread(c->trace, &s->threads[i]);
    a->end = atf_position(s->thread_count, STAGE_MODULES);
    return true;
}

/* One detail of the cursor's thread that is final. */
static bool read_detail(struct ras_cursor *c, struct atf_cursor *a, enum step *step)
{
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    if (!atf_detail_ready(s, t))
        return false;
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    if (!place->detail_at)
        place->detail_at = t->detail.at;
    a->stage = STAGE_DETAILS;
    a->stop = 0; /* no events follow in this part */
    return cursor_enter(c, (uint32_t)t->detail_file.part, place->detail_at) &&
           atf_read_detail(c, atf_final_details(&t->detail, bytes), step);
}

/* Whether the cursor's thread has a complete record; *step is the result of reading it. */
static bool read_live_thread(struct ras_cursor *c, struct atf_cursor *a, enum step *step)
{
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    if (!atf_index_ready(s, t))
        return read_detail(c, a, step);
    uint64_t sure =
        atf_final_events(&t->index, source_bytes(s->source, (size_t)t->index_file.part));
    if (place->event >= sure)
        return read_detail(c, a, step);
    *step = atf_enter_events(c, place->event, sure) ? atf_read_event(c) : STEP_NOMEM;
    return true;
}

/* Every file has its footer, and no recorder says that it is still running: it seals the files
 * of a thread that has ended before it creates those of the next. */
static bool all_sealed(struct ras_atf_session *s)
{
    for (size_t i = 0; i < s->process_count; i++)
        if (s->processes[i].manifest.out.unfinished)
            return false;
    for (size_t i = 0; i < s->thread_count; i++) {
        struct atf_thread *t = &s->threads[i];
        if (t->index_file.part >= 0 && (!atf_index_ready(s, t) || t->index.footer_at == RAS_NONE))
            return false;
        if (t->detail_file.part >= 0 &&
            (!atf_detail_ready(s, t) || t->detail.footer_at == RAS_NONE))
            return false;
    }
    return true;
}

/* Nothing more can come: continue in stored order, each thread from its place. */
static enum step finish_live(struct ras_cursor *c, struct atf_cursor *a)
{
    a->live = false;
    c->sealed = true;
    return atf_enter(c, 0, STAGE_MODULES) ? walk_on(c) : STEP_NOMEM;
}

/* Threads in rounds, as long as more may come. */
static enum step next_live(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    enum step step = STEP_RECORD;
    if (a->stage == STAGE_EVENTS) { /* begun in an earlier round */
        if (atf_place_of(a)->due && atf_read_span(c, &step))
            return step;
        if (atf_left(c))
            return atf_read_event(c);
    }
    if (!keep_up(c, a))
        return STEP_NOMEM;
    struct ras_atf_session *s = atf_session_of(c);
    if (!is_live(c) || (!source_growing(c->trace->source) && all_sealed(s)))
        return finish_live(c, a);
    struct in in = c->in;
    const uint8_t *base = c->base;
    uint32_t part = c->part;
    for (size_t i = 0; i < s->thread_count; i++) {
        if (read_live_thread(c, a, &step))
            return step;
        a->thread = (a->thread + 1) % s->thread_count;
    }
    c->in = in; /* restored: this step is repeated */
    c->base = base;
    c->part = part;
    a->stage = STAGE_MODULES;
    a->stop = 0;
    return cut(c, "no thread has another whole record yet");
}

enum step atf_next(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    if (cursor_offset(c) < a->stop && !a->slow)
        return atf_read_event(c);
    return a->live ? next_live(c) : walk_on(c);
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

static bool add_sourced(struct ras_trace *t)
{
    struct atf *atf = t->priv;
    int64_t id = atf->sourced ? (int64_t)atf->sourced : schema_add(t, &atf_sourced_schema);
    atf->sourced = id < 0 ? 0 : (uint32_t)id;
    return id > 0;
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
    a->source = choice_made(c->scan.choices, c->scan.choice_count, "with-source");
    if (a->source && a->join)
        return fail(err, RAS_EUSAGE, RAS_NONE, "an event has its detail or its source, not both");
    if (a->source && !add_sourced(c->trace))
        return fail_memory(err);
    a->pass = a->spans && !a->join && !a->live && !cursor_view(c, ATF_EVENT)->wanted;
    return atf_enter(c, 0, STAGE_MODULES) ? RAS_OK : fail_memory(err);
}

void atf_stop(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    for (size_t i = 0; i < a->place_count; i++)
        ras_atf_stack_free(a->places[i].stack);
    ras_atf_stack_free(a->again);
    source_unpin(c->trace->source, &a->pin);
    free(a->places);
    free(a->order);
}

/* ---- seeking, marks, runs ------------------------------------------------------------ */

/* Move to the detail with that seq, or to the first at or after a time. False: there is none. */
static bool move_to_detail(struct ras_cursor *c, size_t thread, uint64_t seq, uint64_t time_ns)
{
    struct atf_cursor *a = c->priv;
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = &s->threads[thread];
    if (!atf_detail_ready(s, t))
        return false;
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    struct ras_atf_detail_event event;
    uint64_t at = t->detail.at, next = at, place = 0;
    while (ras_atf_detail_step(&t->detail, bytes, &next, &event) == RAS_OK) {
        if (place >= seq && event.timestamp >= time_ns) {
            a->thread = thread;
            atf_place_of(a)->detail = place;
            atf_place_of(a)->detail_at = at;
            c->seq += place;
            return atf_enter(c, thread, STAGE_DETAILS);
        }
        place++;
        at = next;
    }
    return false;
}

static bool move_to_event(struct ras_cursor *c, size_t thread, uint64_t index_seq)
{
    struct atf_cursor *a = c->priv;
    a->thread = thread;
    atf_place_of(a)->event = index_seq;
    c->seq += index_seq;
    return atf_enter(c, thread, STAGE_EVENTS);
}

/* Move to record `to` of one file of a thread, counted from its first one. */
static bool seek_in_file(struct ras_cursor *c, size_t thread, bool detail, uint64_t to)
{
    struct atf_cursor *a = c->priv;
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = &s->threads[thread];
    uint64_t plain = 0; /* records before its gaps */
    if (!detail && atf_index_ready(s, t))
        plain = t->index.count;
    if (detail && atf_detail_ready(s, t))
        plain = atf_detail_walk(s, t)->count;
    if (to < plain)
        return detail ? move_to_detail(c, thread, to, 0) : move_to_event(c, thread, to);
    c->seq += to;
    if (!atf_enter(c, thread, detail ? STAGE_DETAIL_GAPS : STAGE_INDEX_GAPS))
        return false;
    a->item = to - plain;
    return true;
}

static bool seek_seq(struct ras_cursor *c, uint64_t to)
{
    struct ras_atf_session *s = atf_session_of(c);
    for (size_t i = 0; i < s->thread_count; i++)
        for (int detail = 0; detail < 2; detail++) {
            /* An index has its count, so a seek inside it reads no details. */
            uint64_t records = atf_file_records(s, &s->threads[i], detail);
            if (to - c->seq < records)
                return seek_in_file(c, i, detail, to - c->seq);
            c->seq += records;
        }
    return atf_enter(c, s->thread_count, STAGE_MODULES);
}

static bool seek_time(struct ras_cursor *c, uint64_t to)
{
    struct ras_atf_session *s = atf_session_of(c);
    for (size_t i = 0; i < s->thread_count; i++) {
        struct atf_thread *t = &s->threads[i];
        if (atf_index_ready(s, t) && t->index.count && atf_times(s, t)->max >= to) {
            bool sorted = t->times.back == RAS_NONE;
            return move_to_event(c, i, sorted ? atf_time_place(s, t, to) : 0);
        }
        c->seq += atf_file_records(s, t, false);
        if (move_to_detail(c, i, 0, to))
            return true;
        c->seq += atf_file_records(s, t, true);
    }
    return atf_enter(c, s->thread_count, STAGE_MODULES);
}

bool atf_seek(struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    struct atf_cursor *a = c->priv;
    if (a->live || axis == RAS_AXIS_TICK)
        return false;
    rewind_places(a);
    c->seq = 0;
    /* A range is clipped file by file as the walk enters them; types on request need the walk
     * from the start. */
    if ((c->scan.axis == RAS_AXIS_TIME && axis == RAS_AXIS_TIME) || c->requests)
        return atf_enter(c, 0, STAGE_MODULES);
    return axis == RAS_AXIS_SEQ ? seek_seq(c, to) : seek_time(c, to);
}

/* ---- marks ---------------------------------------------------------------- */

/* Of a detail, an item and the parent of a call only one is ever needed. */
enum { MARK_POSITION, MARK_EVENT, MARK_ITEM, MARK_CALL, MARK_DONE, MARK_SPANS };

static bool has_stack(enum atf_stage stage)
{
    return stage == STAGE_EVENTS || stage == STAGE_OPEN_SPANS;
}

void atf_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct atf_cursor *a = c->priv;
    const struct atf_place *p = atf_place_of((struct atf_cursor *)c->priv);
    mark->state[MARK_POSITION] = atf_position(a->thread, a->stage);
    mark->state[MARK_EVENT] = p->event - atf_left(c);
    mark->state[MARK_ITEM] = a->stage == STAGE_DETAILS ? p->detail : a->item;
    struct atf_stack_top top = atf_save_top(c);
    if (has_stack(a->stage))
        mark->state[MARK_ITEM] = top.parent_seq;
    mark->state[MARK_CALL] = top.call_seq;
    mark->state[MARK_DONE] = top.done;
    mark->state[MARK_SPANS] = p->reported << 1 | p->due;
    if (a->stage == STAGE_DETAILS && p->detail_at)
        mark->offset = p->detail_at;
}

void atf_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    struct atf_cursor *a = c->priv;
    struct ras_atf_session *s = atf_session_of(c);
    uint64_t offset = mark->offset;
    size_t thread = (size_t)(mark->state[MARK_POSITION] / STAGE_COUNT);
    enum atf_stage stage = (enum atf_stage)(mark->state[MARK_POSITION] % STAGE_COUNT);
    rewind_places(a);
    a->thread = thread;
    if (thread >= s->thread_count) {
        (void)atf_enter(c, s->thread_count, STAGE_MODULES);
        return;
    }
    struct atf_place *p = atf_place_of(a);
    p->event = mark->state[MARK_EVENT];
    p->detail = stage == STAGE_DETAILS ? mark->state[MARK_ITEM] : 0;
    p->detail_at = stage == STAGE_DETAILS ? offset : 0;
    (void)atf_enter(c, thread, stage); /* the next step reports a part that cannot be entered */
    a->item = stage == STAGE_DETAILS || has_stack(stage) ? 0 : mark->state[MARK_ITEM];
    p->reported = mark->state[MARK_SPANS] >> 1;
    p->due = mark->state[MARK_SPANS] & 1;
    if (a->spans && has_stack(stage))
        atf_restore_top(c, (struct atf_stack_top){mark->state[MARK_CALL], mark->state[MARK_ITEM],
                                                  mark->state[MARK_DONE]});
}

/* ---- runs ------------------------------------------------------------------ */

/* A run is a file, since a recorder wrote it in order. */
size_t atf_run_count(struct ras_trace *t)
{
    return 2 * ((struct atf *)t->priv)->session.thread_count;
}

void atf_run_enter(struct ras_cursor *c, size_t run)
{
    struct atf_cursor *a = c->priv;
    const struct ras_atf_session *s = atf_session_of(c);
    size_t thread = run / 2;
    a->sort = !a->spans;
    bool first = !thread || s->threads[thread].process != s->threads[thread - 1].process;
    a->end =
        run % 2 ? atf_position(thread + 1, STAGE_MODULES) : atf_position(thread, STAGE_DETAILS);
    (void)atf_enter(c, thread, run % 2 ? STAGE_DETAILS : first ? STAGE_MODULES : STAGE_THREAD);
}

bool atf_run_known(struct ras_cursor *c, size_t run, uint64_t *records, bool *ordered)
{
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = &s->threads[run / 2];
    bool detail = run % 2;
    if (c->scan.strict || cursor_view(c, ATF_SPAN)->wanted || cursor_view(c, ATF_THREAD)->wanted ||
        cursor_view(c, ATF_FUNCTION)->wanted || cursor_view(c, ATF_MODULE)->wanted)
        return false;
    *ordered = true;
    if (!detail && atf_index_ready(s, t) && t->index.count)
        *ordered = atf_times(s, t)->back == RAS_NONE || atf_can_sort(c, t);
    if (detail && atf_detail_ready(s, t))
        *ordered = !atf_detail_walk(s, t)->back;
    *records = atf_file_records(s, t, detail);
    atf_note_file(c, t, detail);
    return true;
}
