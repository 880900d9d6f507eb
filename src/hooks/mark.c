/* mark.c - the marks of ticks: a call and its return, in the lane of the calls of their thread.
 *
 * librastrum-pens is another library of the program and has no lane there. It finds this function
 * by its name, so that ticks are known by the order of events and not by a clock. */
#include "hooks/hooks.h"

/* `mark` is an enum map_mark; a tick that is `numbered` does not follow the one before it: its
 * number is in a detail. So is that of every tick where a recording is in segments, since marks
 * before it may be in another one. False: nothing is recorded. */
HOOK bool rastrum_mark(uint32_t mark, uint64_t tick, bool numbered);

static uint64_t id_of_mark(enum map_mark mark)
{
    static uint64_t ids[MAP_MARKS_END];
    uint64_t id = LOAD_ACQUIRE(&ids[mark]);
    if (id)
        return id;
    struct held held;
    hooks_lock(&held);
    id = loaded_mark(mark);
    hooks_unlock(&held);
    if (hooks.options.durable)
        loaded_map_wait(); /* the event is written to a file immediately */
    STORE_RELEASE(&ids[mark], id);
    return id;
}

static uint64_t last_tick = RAS_NONE;

void mark_last_tick(struct crash_info *c)
{
    c->tick = LOAD(&last_tick);
    c->has_tick = c->tick != RAS_NONE;
}

bool rastrum_mark(uint32_t mark, uint64_t tick, bool numbered)
{
    if (mark == MAP_TICK)
        STORE(&last_tick, tick);
    struct calls *c = calls_get();
    uint64_t id = c && mark && mark < MAP_MARKS_END ? id_of_mark(mark) : 0;
    if (!id || !ras_record_is_on())
        return false;
    calls_emit_pending(c);
    struct ras_detail number = {.payload = &tick, .payload_size = sizeof tick};
    const bool segments = hooks.options.rotate_bytes || hooks.options.rotate_ms;
    if (numbered || (segments && mark == MAP_TICK))
        ras_trace_detail(RAS_TRACE_CALL, id, &number);
    else
        ras_trace_call(id);
    ras_trace_return(id);
    return true;
}
