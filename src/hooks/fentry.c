/* fentry.c - a call at the start of each function (-mfentry, patched entries), whose return goes
 * through a thunk.
 *
 * The fast paths are called from fentry.S while all registers of the program are in use: this
 * file is compiled without vector registers, and everything unusual is left to the slow paths,
 * for which they are saved. */
#include "hooks/hooks.h"

enum { CALL_SIZE = 5 };

int fentry_enter(uintptr_t inside, uintptr_t *slot);
uint64_t fentry_enter_slow(uintptr_t inside, uintptr_t *slot, const uint64_t *registers);
uintptr_t fentry_leave(uint32_t number, uintptr_t sp);
uint64_t fentry_leave_fill(uintptr_t sp);
uintptr_t fentry_leave_slow(uint32_t number, uintptr_t sp, const uint64_t *registers);

static inline __attribute__((always_inline)) uintptr_t origin_of(uint32_t number)
{
    return *(const uintptr_t *)(hooks_thunks + THUNKS_SIZE + (size_t)number * THUNK_SIZE);
}

/* Store an event; false: the slow path is needed, and nothing was done. A handler or a request
 * of the drain may change the limit until the lane is busy, so it is checked after that. */
static inline __attribute__((always_inline)) bool store_quickly(uint64_t id, uint32_t kind)
{
    struct ras_lane *lane = RAS_LANE;
    if (LOAD(&lane->busy))
        return false;
    uint64_t head = ras_lane_begin_(lane);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    bool stored = head < LOAD(&lane->limit) && lane->rate;
    if (__builtin_expect(stored, 1))
        ras_lane_put_(lane, head, ras_lane_time_(lane), id, kind, UINT32_MAX);
    STORE_RELEASE(&lane->busy, 0);
    return stored;
}

/* The thunk for a call, and where it returns to; 0: take the slow path. A function that was jumped
 * to from an open one, a tail call, finds the thunk of that one, and returns with it. */
static inline __attribute__((always_inline)) uintptr_t thunk_for(const struct frame *caller,
                                                                 uintptr_t slot, uintptr_t word,
                                                                 uintptr_t *origin)
{
    if (__builtin_expect(word - (uintptr_t)hooks_thunks >= THUNKS_SIZE, 1)) {
        *origin = word;
        return caller->sp > slot ? known_in(&thunk_table, word) : 0;
    }
    *origin = caller->at;
    return caller->sp == slot && (caller->id & CALL_FLAGS) == CALL_HOOKED ? word : 0;
}

/* Not 0: take the slow path. */
int fentry_enter(uintptr_t inside, uintptr_t *slot)
{
    struct calls *c = thread_now()->calls;
    struct frame *f = c->top;
    uint64_t id = known_find(inside - CALL_SIZE);
    if (id & CALL_IGNORED)
        return 0;
    if (f >= c->end && c->end < c->last && f[-1].sp > (uintptr_t)slot)
        return 0; /* deeper than the option allows */
    uintptr_t word = *slot, origin, thunk = thunk_for(f - 1, (uintptr_t)slot, word, &origin);
    if (__builtin_expect(f >= c->end || id - 1 >= CALL_PLAIN - 1 || !thunk, 0))
        return 1;
    calls_push(c, id | CALL_HOOKED, origin, (uintptr_t)slot);
    *slot = thunk;
    if (__builtin_expect(store_quickly(id, RAS_TRACE_CALL), 1))
        return 0;
    *slot = word;
    (void)calls_pop(c);
    return 1;
}

/* Returns the enum stack_fill. */
uint64_t fentry_enter_slow(uintptr_t inside, uintptr_t *slot, const uint64_t *registers)
{
    bool tail = thunk_is(*slot); /* a tail call of a function that is open */
    uintptr_t origin = tail ? thunk_origin(*slot) : *slot;
    uintptr_t thunk = tail ? *slot : known_in(&thunk_table, origin);
    if (!thunk)
        thunk = thunk_make(origin);
    if (!thunk)
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
    else if (calls_enter_hooked(inside - CALL_SIZE, (uintptr_t)slot, origin, registers))
        *slot = thunk;
    return hooks.fill || hooks.yield ? calls_vary(thread_now()->calls, (uintptr_t)slot) : FILL_NONE;
}

/* Where to continue; 0: take the slow path, for calls that are still open. Tail calls end with the
 * one that made them, the last first. */
uintptr_t fentry_leave(uint32_t number, uintptr_t sp)
{
    struct calls *c = thread_now()->calls;
    uintptr_t slot = sp - sizeof slot;
    if (__builtin_expect(c->top[-1].sp != slot, 0))
        return 0;
    do {
        uint64_t id = c->top[-1].id;
        if (__builtin_expect((id & CALL_FLAGS) != CALL_HOOKED, 0))
            return 0;
        uintptr_t origin = calls_pop(c).at;
        if (__builtin_expect(!store_quickly(id & ~CALL_FLAGS, RAS_TRACE_RETURN), 0)) {
            calls_push(c, id, origin, slot);
            return 0;
        }
    } while (__builtin_expect(c->top[-1].sp == slot, 0));
    return origin_of(number);
}

uintptr_t fentry_leave_slow(uint32_t number, uintptr_t sp, const uint64_t *registers)
{
    calls_leave_hooked(sp - sizeof sp, registers);
    return origin_of(number);
}

/* After fentry_leave_slow(): the enum stack_fill. */
uint64_t fentry_leave_fill(uintptr_t sp)
{
    return hooks.fill || hooks.yield ? calls_vary(thread_now()->calls, sp) : FILL_NONE;
}

/* Programs linked with -pg would start their own profiler and write gmon.out. */
HOOK void __monstartup(unsigned long low, unsigned long high);
HOOK void _mcleanup(void);

void __monstartup(unsigned long low, unsigned long high)
{
    (void)low, (void)high;
}

void _mcleanup(void)
{
}
