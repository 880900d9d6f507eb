/* unwind.c - exceptions and longjmp(): which open calls they have ended.
 *
 * Everything that leaves functions without a return calls one of these: the unwinder with the
 * landing pad, longjmp() with its target. */
#include "hooks/hooks.h"
#include "record/jump.h"

struct _Unwind_Context;
HOOK void _Unwind_SetIP(struct _Unwind_Context *, uintptr_t);
HOOK void *__cxa_begin_catch(void *);

static struct calls *calls_now(void)
{
    struct calls *c = thread_now()->calls;
    return calls_has(c) ? c : NULL;
}

/* ---- exceptions ---------------------------------------------------------------------- */

/* A personality routine sets where the unwinder continues: a handler or a cleanup. The innermost
 * open call is the one it lands in; a compiler that calls the exit hook in a cleanup ends a call
 * that did not return. */
static void land_at(uintptr_t sp)
{
    struct calls *c = calls_now();
    if (!c)
        return;
    calls_leave(c, sp);
    if (c->top > c->base)
        c->top[-1].id |= CALL_LANDED;
}

void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t ip)
{
    static void (*set_ip)(struct _Unwind_Context *, uintptr_t);
    static uintptr_t (*get_cfa)(struct _Unwind_Context *);
    if (!set_ip) {
        hooks_next(&get_cfa, "_Unwind_GetCFA");
        hooks_next(&set_ip, "_Unwind_SetIP");
    }
    if (get_cfa)
        land_at(get_cfa(context));
    set_ip(context, ip);
}

/* The exception was caught: calls return again. */
void *__cxa_begin_catch(void *exception)
{
    static void *(*begin_catch)(void *);
    struct calls *c = calls_now();
    if (!begin_catch)
        hooks_next(&begin_catch, "__cxa_begin_catch");
    if (c && c->top > c->base)
        c->top[-1].id &= ~CALL_LANDED;
    return begin_catch(exception);
}

/* ---- longjmp ------------------------------------------------------------------------- */

/* An event that was interrupted is abandoned; the event of the end of its call is still emitted. */
static uint32_t open_calls(const struct calls *c)
{
    uint32_t open = 0;
    for (const struct frame *f = c->base; f < c->top; f++)
        open += !(f->id & (CALL_SILENT | CALL_PENDING));
    return open;
}

static void jump_to(const struct __jmp_buf_tag *env)
{
    struct calls *c = calls_now();
    uintptr_t sp = jump_sp(env);
    bool given_up = lane_jump(sp);
    if (!c)
        return;
    if (given_up)
        lane_set_open(open_calls(c));
    if (calls_are_on(c, sp)) /* also leaves a handler on a stack of its own */
        while (c->top > c->base && !calls_are_on(c, c->top[-1].sp))
            calls_unwind(c, c->top - 1);
    calls_leave(c, sp);
}

#define JUMP(name)                                                                                 \
    HOOK void name(struct __jmp_buf_tag env[1], int value)                                         \
    {                                                                                              \
        static void (*real)(struct __jmp_buf_tag[1], int);                                         \
        if (!real)                                                                                 \
            hooks_next(&real, #name);                                                              \
        jump_to(env);                                                                              \
        real(env, value);                                                                          \
        __builtin_unreachable();                                                                   \
    }

HOOK void __longjmp_chk(struct __jmp_buf_tag env[1], int value) __attribute__((noreturn));
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
