/* jump.c - longjmp() out of a signal handler that interrupted an event.
 *
 * longjmp() is intercepted and its target is known; the lane knows where on the stack its event
 * was begun. If that frame is left, the event will never be finished: it is abandoned and
 * counted, and the thread continues with the next one. If this cannot be decided, as between
 * stacks of coroutines, the event is kept, since it may still be finished. */
#include "record/jump.h"
#include "record/recorder.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef JUMP_SP_KNOWN

extern void *__libc_stack_end;

/* The thread's own stack. It ends where the thread descriptor begins. */
static bool is_own_stack(uintptr_t sp)
{
    struct rlimit limit;
    uintptr_t size = (uintptr_t)8 << 20, most = (uintptr_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        size = limit.rlim_cur < most ? limit.rlim_cur : most;
    bool is_main = syscall(SYS_gettid) == getpid();
    uintptr_t to = is_main ? (uintptr_t)__libc_stack_end + 1 : (uintptr_t)pthread_self();
    return sp < to && sp >= to - size;
}

/* On the alternate stack of signal handlers. */
static bool is_handlers(uintptr_t sp)
{
    stack_t s;
    return sigaltstack(NULL, &s) == 0 && !(s.ss_flags & SS_DISABLE) && sp >= (uintptr_t)s.ss_sp &&
           sp - (uintptr_t)s.ss_sp < s.ss_size;
}

/* Whether a jump to `sp` leaves what was begun at `place`. */
static bool is_stack_left(uintptr_t place, uintptr_t sp)
{
    bool own_place = is_own_stack(place), own_sp = is_own_stack(sp);
    if (own_place && own_sp)
        return sp >= place;
    if (!is_handlers(place) || own_place)
        return false;
    return own_sp || (is_handlers(sp) && sp >= place);
}

/* Safe to repeat if a handler interrupts it; the event is counted once. An event whose detail is
 * already visible is stored, not abandoned. */
static void abandon_event(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    uint64_t begun = EXCHANGE(&hot->begun, BEGUN_COUNTED);
    bool known = begun < BEGUN_STREAM;
    bool stored = known && (uint32_t)begun != (uint32_t)LOAD(&hot->head);
    if (known && !stored)
        hot->depth = (uint32_t)(begun >> 32);
    if (begun == BEGUN_STREAM)
        event_stream_abandon(&lane->stream);
    if (known && !stored && LOAD(&lane->pending.is_due)) {
        detail_abandon(lane, stored);
        stored = (uint32_t)begun != (uint32_t)LOAD(&hot->head);
    }
    if (begun != BEGUN_COUNTED && begun != BEGUN_STREAM && !stored)
        ADD(&lane->dropped[RAS_RECORD_ABANDONED], 1);
    STORE(&lane->pending.is_due, 0);
    STORE(&hot->limit, 0);
    STORE_RELEASE(&hot->busy, 0);
}

bool lane_jump(uintptr_t sp)
{
    struct ras_lane *hot = RAS_LANE;
    crash_jump(sp);
    if (hot == &lane_none || hot == &lane_suspended || hot == &lane_ignored)
        return false;
    uint64_t place = LOAD(&hot->busy);
    if (place <= 1 || !is_stack_left((uintptr_t)place, sp))
        return false;
    abandon_event(lane_of(hot));
    return true;
}

/* ---- for programs that link the recorder; hooks have their own ------------------------------ */

#ifndef HOOKS_THREAD_H

#define JUMPS(X) X(longjmp) X(_longjmp) X(siglongjmp) X(__longjmp_chk)

#define REAL(name) static void (*real_##name)(struct __jmp_buf_tag[1], int);
JUMPS(REAL)

static void find_next(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* Not on first use: that may be in a signal handler. */
__attribute__((constructor)) static void find_all(void)
{
#define FIND(name) find_next(&real_##name, #name);
    JUMPS(FIND)
}

#define JUMP(name)                                                                                 \
    RAS_API __attribute__((weak, noreturn)) void name(struct __jmp_buf_tag env[1], int value);     \
    void name(struct __jmp_buf_tag env[1], int value)                                              \
    {                                                                                              \
        if (!real_##name)                                                                          \
            find_all();                                                                            \
        (void)lane_jump(jump_sp(env));                                                             \
        real_##name(env, value);                                                                   \
        __builtin_unreachable();                                                                   \
    }
JUMPS(JUMP)
#endif

#else
bool lane_jump(uintptr_t sp)
{
    (void)sp;
    return false;
}
#endif
