/* telling.c - the events of calls: at once, with detail, or only when they took long enough. */
#include "hooks/hooks.h"

#include <string.h>

/* Places in what fentry.S saves, and rbp, which it keeps two words before. */
enum { R9 = 2, R8, RDI, RSI, RDX, RCX, RAX, RBP = -2, STACK_MOST = 256 };

static bool is_silent(uint64_t id)
{
    return id & CALL_SILENT;
}

/* ---- detail --------------------------------------------------------------------------------- */

/* What lies on the stack above, as far as it is the stack. */
static void add_stack(const struct calls *c, uintptr_t sp, struct ras_detail *d)
{
    uintptr_t left = calls_are_on(c, sp) ? c->stack_to - sp : 0;
    d->sp = sp;
    d->stack = (const void *)sp;
    d->stack_size = left < STACK_MOST ? (uint32_t)left : STACK_MOST;
}

static void tell_detail(const struct calls *c, const struct frame *f, enum ras_trace_kind kind,
                        const uint64_t *registers)
{
    struct ras_detail d = {0};
    uintptr_t sp = f->id & CALL_HOOKED ? f->sp + sizeof f->sp : f->sp;
    add_stack(c, sp, &d);
    if (registers && kind == RAS_TRACE_CALL) {
        const uint64_t regs[] = {registers[RDI], registers[RSI], registers[RDX], registers[RCX],
                                 registers[R8],  registers[R9],  registers[RBP], sp};
        memcpy(d.regs, regs, sizeof d.regs);
    } else if (registers) {
        d.regs[0] = registers[RAX];
    } else if (kind == RAS_TRACE_CALL) {
        d.regs[7] = sp; /* the others are in use for other things when the hook is called */
    }
    d.fp = registers ? registers[RBP] : 0;
    ras_trace_detail(kind, f->id & ~CALL_FLAGS, &d);
}

/* ---- only what takes long ------------------------------------------------------------------- */

/* The starts of calls that are still to be told of, up to `last`: whatever is told of within
 * them takes as long. */
static void tell_pending(struct calls *c, struct frame *last)
{
    struct frame *first = last;
    while (first > c->base && first[-1].id & CALL_PENDING)
        first--;
    for (struct frame *f = first; f < last; f++) {
        f->id &= ~CALL_PENDING;
        if (!is_silent(f->id))
            recorder_trace_at(f->id & ~CALL_FLAGS, RAS_TRACE_CALL, f->time_ns);
    }
}

static uint64_t length_of(const struct frame *f, uint64_t now)
{
    return now > f->time_ns ? now - f->time_ns : 0;
}

/* A call that was held back has ended: it is told of as a whole, or counted. */
static void tell_held(struct calls *c, const struct frame *f, enum ras_trace_kind kind)
{
    uint64_t now = ras_record_now(), id = f->id & ~CALL_FLAGS;
    if (length_of(f, now) < hooks.min_duration) {
        recorder_drop(RAS_RECORD_SHORT, 2);
        return;
    }
    tell_pending(c, c->top);
    recorder_trace_at(id, RAS_TRACE_CALL, f->time_ns);
    recorder_trace_at(id, kind, now);
}

/* ---- starts and ends ----------------------------------------------------------------- */

void tell_start(struct calls *c, struct frame *f, const uint64_t *registers)
{
    if (is_silent(f->id))
        return;
    if (f->id & CALL_TRIGGER)
        flight_pull(RAS_TRIGGER_FUNCTION, ras_record_now(), f->id & ~CALL_FLAGS);
    if (f->id & CALL_SLOW && !(f->id & (CALL_DETAIL | CALL_TRIGGER))) {
        f->time_ns = ras_record_now();
        f->id |= CALL_PENDING;
        return;
    }
    tell_pending(c, f);
    if (f->id & CALL_DETAIL)
        tell_detail(c, f, RAS_TRACE_CALL, registers);
    else
        ras_trace_call(f->id & ~CALL_FLAGS);
}

void tell_end(struct calls *c, const struct frame *f, uint64_t more_flags,
              const uint64_t *registers)
{
    uint64_t id = f->id | more_flags;
    enum ras_trace_kind kind = id & CALL_LANDED ? RAS_TRACE_EXCEPTION : RAS_TRACE_RETURN;
    if (is_silent(id))
        return;
    if (id & CALL_PENDING)
        tell_held(c, f, kind);
    else if (id & CALL_DETAIL)
        tell_detail(c, f, kind, registers);
    else
        ras_trace_(id & ~CALL_FLAGS, kind);
}
