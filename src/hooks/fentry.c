/* fentry.c - a call at the start of each function (-mfentry, patched entries): the return is
 * led by a thunk.
 *
 * The quick ways come from fentry.S with all registers of the program in use: this file is
 * compiled without vector registers, and what is out of the ordinary is left to the slow ways,
 * for which they are saved. */
#include "hooks/hooks.h"

enum { CALL_SIZE = 5 };

int fentry_enter(uintptr_t inside, uintptr_t *slot);
void fentry_enter_slow(uintptr_t inside, uintptr_t *slot, const uint64_t *registers);
uintptr_t fentry_leave(uint32_t number, uintptr_t sp);
uintptr_t fentry_leave_slow(uint32_t number, uintptr_t sp, const uint64_t *registers);

static inline __attribute__((always_inline)) uintptr_t origin_of(uint32_t number)
{
    return *(const uintptr_t *)(hooks_thunks + THUNKS_SIZE + (size_t)number * THUNK_SIZE);
}

/* Whether an event can be stored without looking around. */
static inline __attribute__((always_inline)) bool is_ready(const struct ras_lane *lane)
{
    return !LOAD(&lane->busy) && LOAD(&lane->head) < LOAD(&lane->limit) && lane->rate;
}

/* Not 0: the slow way has to be taken. */
int fentry_enter(uintptr_t inside, uintptr_t *slot)
{
    struct calls *c = calls;
    struct frame *f = c->top;
    uint64_t id = known_find(inside - CALL_SIZE);
    if (id & CALL_IGNORED)
        return 0;
    if (f >= c->end && c->end < c->last && f[-1].sp > (uintptr_t)slot)
        return 0; /* deeper than is asked for */
    uintptr_t origin = *slot, thunk = known_in(&thunk_table, origin);
    if (__builtin_expect(f >= c->end || id - 1 >= CALL_PLAIN - 1 || !thunk ||
                             f[-1].sp <= (uintptr_t)slot || !is_ready(ras_lane),
                         0))
        return 1;
    c->top = f + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    f->sp = (uintptr_t)slot;
    f->id = id | CALL_HOOKED;
    f->at = origin;
    *slot = thunk;
    ras_trace_call(id);
    return 0;
}

void fentry_enter_slow(uintptr_t inside, uintptr_t *slot, const uint64_t *registers)
{
    bool tail = thunk_is(*slot); /* called in place of a function that is open */
    uintptr_t origin = tail ? thunk_origin(*slot) : *slot;
    uintptr_t thunk = tail ? *slot : known_in(&thunk_table, origin);
    if (!thunk)
        thunk = thunk_make(origin);
    if (!thunk)
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
    else if (calls_enter_hooked(inside - CALL_SIZE, (uintptr_t)slot, origin, registers))
        *slot = thunk;
}

/* Where to go on; 0: the slow way has to be taken. */
uintptr_t fentry_leave(uint32_t number, uintptr_t sp)
{
    struct calls *c = calls;
    struct frame *f = c->top - 1;
    uintptr_t slot = sp - sizeof slot;
    uint64_t id = f->id;
    if (__builtin_expect(f->sp != slot || f[-1].sp == slot || (id & CALL_FLAGS) != CALL_HOOKED ||
                             !is_ready(ras_lane),
                         0))
        return 0;
    f->sp = UINTPTR_MAX;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    c->top = f;
    ras_trace_return(id & ~CALL_FLAGS);
    return origin_of(number);
}

uintptr_t fentry_leave_slow(uint32_t number, uintptr_t sp, const uint64_t *registers)
{
    calls_leave_hooked(sp - sizeof sp, registers);
    return origin_of(number);
}

/* What is linked with -pg would start a profiler of its own and leave gmon.out behind. */
HOOK void __monstartup(unsigned long low, unsigned long high);
HOOK void _mcleanup(void);

void __monstartup(unsigned long low, unsigned long high)
{
    (void)low, (void)high;
}

void _mcleanup(void)
{
}
