/* atf_follow.c - a session that still grows: threads in turn.
 *
 * Only what is surely an event is told while more may come: the last bytes of a
 * file could be the beginning of its footer. When nothing more can come, or every
 * file has its footer, the walk in stored order tells the rest and how it ended. */
#include "formats/atf/atf_driver.h"
#include "base/memory.h"

static bool is_live(const struct ras_cursor *c)
{
    const struct source *s = c->trace->source;
    return source_growing(s) || (c->scan.follow && source_can_grow(s));
}

/* The threads known now, each with a place. */
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
        atf_tell_thread(c->trace, &s->threads[i]);
    a->end = atf_position(s->thread_count, STAGE_MODULES);
    return true;
}

/* One detail of the cursor's thread that is surely one. */
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
           atf_read_detail(c, atf_sure_details(&t->detail, bytes), step);
}

/* Whether the cursor's thread has a whole record; *step is what reading it gave. */
static bool read_live_thread(struct ras_cursor *c, struct atf_cursor *a, enum step *step)
{
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    if (!atf_index_ready(s, t))
        return read_detail(c, a, step);
    uint64_t sure = atf_sure_events(&t->index, source_bytes(s->source, (size_t)t->index_file.part));
    if (place->event >= sure)
        return read_detail(c, a, step);
    *step = atf_enter_events(c, place->event, sure) ? atf_read_event(c) : STEP_NOMEM;
    return true;
}

/* Every file has its footer, and no recorder says that it is still at work: it seals the
 * files of a thread that has ended before those of the next are there. */
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

/* Nothing more can come: go on in stored order, each thread from where it is. */
static enum step finish_live(struct ras_cursor *c, struct atf_cursor *a)
{
    a->live = false;
    c->sealed = true;
    return atf_enter(c, 0, STAGE_MODULES) ? atf_walk_on(c) : STEP_NOMEM;
}

enum step atf_next_live(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    enum step step = STEP_RECORD;
    if (a->stage == STAGE_EVENTS) { /* begun by an earlier turn */
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
    c->in = in; /* as it was: this step is taken again */
    c->base = base;
    c->part = part;
    a->stage = STAGE_MODULES;
    a->stop = 0;
    return cut(c, "no thread has another whole record yet");
}
