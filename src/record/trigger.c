/* trigger.c - what opens a window, and which windows there were. */
#include "base/memory.h"
#include "record/recorder.h"

static uint64_t ns_of(unsigned ms)
{
    return (uint64_t)ms * 1000000;
}

void flight_pull(enum ras_record_trigger kind, uint64_t time_ns, uint64_t function_id)
{
    struct flight *f = &recorder.flight;
    struct trigger *t = &f->waiting[ADD(&f->pulled, 1) % TRIGGERS_WAITING];
    uint32_t none = 0;
    if (!SWAP_IF(&t->ready, &none, 1)) { /* so many at once are one, which goes on as long */
        uint64_t late = LOAD(&f->late_ns);
        while (late < time_ns && !SWAP_IF(&f->late_ns, &late, time_ns)) {
        }
        return;
    }
    t->time_ns = time_ns;
    t->function_id = function_id;
    t->kind = kind;
    STORE_RELEASE(&t->ready, 2);
    drain_ring();
}

/* Triggers that come while a window is open make it longer. */
static void take(const struct trigger *t)
{
    struct flight *f = &recorder.flight;
    uint64_t pre = ns_of(recorder.options.pre_ms);
    uint64_t until = t->time_ns + ns_of(recorder.options.post_ms);
    if (t->kind == RAS_TRIGGER_CRASH)
        until = UINT64_MAX - 1; /* all that is recorded still */
    if (!f->open) {
        f->open = true;
        f->window = (struct window){.from_ns = t->time_ns > pre && pre ? t->time_ns - pre : 0,
                                    .until_ns = until,
                                    .whole_ns = f->gone_ns ? f->gone_ns + 1 : 0,
                                    .by = *t};
    }
    if (until > f->window.until_ns)
        f->window.until_ns = until;
}

void flight_look(uint64_t now_ns)
{
    struct flight *f = &recorder.flight;
    for (unsigned i = 0; i < TRIGGERS_WAITING; i++) {
        if (LOAD_ACQUIRE(&f->waiting[i].ready) != 2)
            continue;
        take(&f->waiting[i]);
        STORE_RELEASE(&f->waiting[i].ready, 0);
    }
    uint64_t late = LOAD(&f->late_ns) ? EXCHANGE(&f->late_ns, 0) : 0;
    if (late)
        take(&(struct trigger){.time_ns = late, .kind = RAS_TRIGGER_CALL});
    uint64_t due = LOAD(&f->due_ns);
    if (due && now_ns >= due) {
        take(&(struct trigger){.time_ns = due, .kind = RAS_TRIGGER_TIME});
        STORE(&f->due_ns, 0);
    }
}

static void close_window(struct flight *f)
{
    f->open = false;
    if (array_grow(&f->windows, &f->room, f->count + 1, sizeof *f->windows))
        f->windows[f->count++] = f->window;
    recorder.books_changed++;
}

/* The lanes were looked at after now_ns: nothing of the window is still to come. */
void flight_settle(uint64_t now_ns)
{
    struct flight *f = &recorder.flight;
    if (f->open && now_ns > f->window.until_ns)
        close_window(f);
    f->pass_ns = now_ns;
}

/* ---- the end ---------------------------------------------------------------------- */

/* The time is that of the crash: the drain may come much later. */
void flight_finish_look(uint64_t now_ns)
{
    const struct pen_crash *crash = crash_noted();
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (LOAD(&l->state) == LANE_CLOSED && l->generation == recorder.generation)
            flight_search(l);
    flight_look(now_ns);
    if (crash)
        take(&(struct trigger){.time_ns = crash->time_ns, .kind = RAS_TRIGGER_CRASH});
}

/* A window that the end has cut short ends with it. */
void flight_finish_settle(uint64_t now_ns)
{
    struct flight *f = &recorder.flight;
    uint64_t end = now_ns > f->stored_ns ? now_ns : f->stored_ns;
    if (f->open && f->window.until_ns > end)
        f->window.until_ns = end;
    if (f->open)
        close_window(f);
    history_trim(&f->pool);
}

void ras_record_trigger_now(void)
{
    if (LOAD_ACQUIRE(&recorder.on) && recorder.options.flight)
        flight_pull(RAS_TRIGGER_CALL, ras_record_now(), 0);
}

void ras_record_trigger_at(uint64_t time_ns)
{
    STORE(&recorder.flight.due_ns, time_ns);
    drain_ring();
}

const char *ras_record_trigger_name(enum ras_record_trigger kind)
{
    static const char *const names[] = {[RAS_TRIGGER_CALL] = "api",
                                        [RAS_TRIGGER_FUNCTION] = "symbol",
                                        [RAS_TRIGGER_TIME] = "time",
                                        [RAS_TRIGGER_SIGNAL] = "signal",
                                        [RAS_TRIGGER_CRASH] = "crash"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}
