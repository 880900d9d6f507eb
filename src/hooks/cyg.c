/* cyg.c - the hooks of -finstrument-functions: one at the start and one at the end of each
 * function. */
#include "hooks/hooks.h"

HOOK void __cyg_profile_func_enter(void *function, void *site);
HOOK void __cyg_profile_func_exit(void *function, void *site);

#ifdef __clang__
#define CALLER_SP() ((uintptr_t)__builtin_frame_address(0) + 16)
#else
#define CALLER_SP() ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* A signal handler may interrupt this anywhere, and calls hooks itself: the frame is pushed
 * first, and popped last. */
void __cyg_profile_func_enter(void *function, void *site)
{
    struct calls *c = thread_now()->calls;
    struct frame *f = c->top;
    uintptr_t sp = CALLER_SP();
    uint64_t id = known_find((uintptr_t)function);
    if (__builtin_expect(f >= c->end || id - 1 >= CALL_PLAIN - 1 || f[-1].sp < sp, 0)) {
        cyg_enter_slow((uintptr_t)function, sp, (uintptr_t)site);
        return;
    }
    calls_push(c, id, (uintptr_t)function, sp)->site = (uintptr_t)site;
    ras_trace_call(id);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    struct calls *c = thread_now()->calls;
    struct frame *f = c->top - 1;
    uint64_t id = f->id;
    if (__builtin_expect(f->at != (uintptr_t)function || id >= CALL_PLAIN, 0)) {
        cyg_exit_slow((uintptr_t)function, CALLER_SP());
        return;
    }
    (void)calls_pop(c);
    ras_trace_return(id);
}
