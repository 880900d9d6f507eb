/* calls.c - the calls that are open on a thread, the events of their starts and ends, and the slow
 * paths of both. */
#include "hooks/hooks.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- events ---------------------------------------------------------------------- */

/* Offsets of the registers that fentry.S saves, and of rbp, which it stores two words before. */
enum { R9 = 2, R8, RDI, RSI, RDX, RCX, RAX, RBP = -2, STACK_MOST = 256 };

#if defined(__x86_64__)
enum { SP_SLOT = 7 };
#else
enum { SP_SLOT = -1 }; /* the eight registers of a detail are x0 to x7 */
#endif

static bool is_silent(uint64_t id)
{
    return id & CALL_SILENT;
}

/* ---- detail --------------------------------------------------------------------------------- */

/* The bytes above `sp`, up to the end of the stack. */
static void add_stack(const struct calls *c, uintptr_t sp, struct ras_detail *d)
{
    uintptr_t left = calls_are_on(c, sp) ? c->stack_to - sp : 0;
    d->sp = sp;
    d->stack = (const void *)sp;
    d->stack_size = left < STACK_MOST ? (uint32_t)left : STACK_MOST;
}

static void emit_detail(const struct calls *c, const struct frame *f, enum ras_trace_kind kind,
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
    } else if (kind == RAS_TRACE_CALL && SP_SLOT >= 0) {
        d.regs[SP_SLOT] = sp; /* the others no longer hold arguments when the hook is called */
    }
    d.fp = registers ? registers[RBP] : 0;
    ras_trace_detail(kind, f->id & ~CALL_FLAGS, &d);
}

/* ---- calls that take long enough ------------------------------------------------------------ */

/* Emit the delayed starts of calls up to `last`: a call inside them is emitted, so they take at
 * least as long. */
static void emit_pending(struct calls *c, struct frame *last)
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

void calls_emit_pending(struct calls *c)
{
    emit_pending(c, c->top);
}

static uint64_t length_of(const struct frame *f, uint64_t now)
{
    return now > f->time_ns ? now - f->time_ns : 0;
}

/* A delayed call has ended: emit its start and its end, or count it as too short. */
static void emit_held(struct calls *c, const struct frame *f, enum ras_trace_kind kind)
{
    uint64_t now = ras_record_now(), id = f->id & ~CALL_FLAGS;
    if (length_of(f, now) < hooks.min_duration) {
        recorder_drop(RAS_RECORD_SHORT, 2);
        return;
    }
    emit_pending(c, c->top);
    recorder_trace_at(id, RAS_TRACE_CALL, f->time_ns);
    recorder_trace_at(id, kind, now);
}

/* ---- starts and ends ----------------------------------------------------------------- */

void emit_start(struct calls *c, struct frame *f, const uint64_t *registers)
{
    if (is_silent(f->id))
        return;
    if (f->id & CALL_TRIGGER)
        flight_trigger(RAS_TRIGGER_FUNCTION, ras_record_now(), f->id & ~CALL_FLAGS);
    if (f->id & CALL_SLOW && !(f->id & (CALL_DETAIL | CALL_TRIGGER))) {
        f->time_ns = ras_record_now();
        f->id |= CALL_PENDING;
        return;
    }
    emit_pending(c, f);
    if (f->id & CALL_DETAIL)
        emit_detail(c, f, RAS_TRACE_CALL, registers);
    else
        ras_trace_call(f->id & ~CALL_FLAGS);
}

void emit_end(struct calls *c, const struct frame *f, uint64_t more_flags,
              const uint64_t *registers)
{
    uint64_t id = f->id | more_flags;
    enum ras_trace_kind kind = id & CALL_LANDED ? RAS_TRACE_EXCEPTION : RAS_TRACE_RETURN;
    if (is_silent(id))
        return;
    if (id & CALL_PENDING)
        emit_held(c, f, kind);
    else if (id & CALL_DETAIL)
        emit_detail(c, f, kind, registers);
    else
        ras_trace_(id & ~CALL_FLAGS, kind);
}

/* ---- open calls ------------------------------------------------------------------ */

enum { FRAMES_MOST = 1 << 20 };

/* What top[-1] is when no call is open: a frame of no function, above every stack. */
static const struct frame no_function[2] = {{.sp = UINTPTR_MAX}, {.sp = UINTPTR_MAX}};
#define NO_FRAMES ((struct frame *)(uintptr_t)&no_function[1])

const struct calls calls_none = {.top = NO_FRAMES, .end = NO_FRAMES};
const struct calls calls_busy = {.top = NO_FRAMES, .end = NO_FRAMES};

static struct calls *as_calls(const struct calls *c)
{
    return (struct calls *)(uintptr_t)c;
}

/* ---- a thread ---------------------------------------------------------------------------- */

extern void *__libc_stack_end;

/* The thread's own stack; handlers and coroutines may have others. It ends where the thread
 * descriptor begins. */
static void find_stack(struct calls *c)
{
    struct rlimit limit;
    uintptr_t size = (uintptr_t)8 << 20, most = (uintptr_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        size = limit.rlim_cur < most ? limit.rlim_cur : most;
    bool is_main = syscall(SYS_gettid) == getpid();
    if (!is_main && thread_now()->stack_size)
        size = thread_now()->stack_size;
    c->stack_to = is_main ? (uintptr_t)__libc_stack_end + 1 : (uintptr_t)pthread_self();
    c->stack_from = c->stack_to - size;
}

/* One page for the struct, then the frames, whose pages are touched as they are used. */
static struct calls *calls_new(void)
{
    size_t size = 4096 + (size_t)FRAMES_MOST * sizeof(struct frame);
    struct calls *c = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c == MAP_FAILED)
        return NULL;
    c->base = c->top = (struct frame *)((char *)c + 4096) + 1;
    c->base[-1] = no_function[0];
    c->last = c->base + FRAMES_MOST - 1;
    c->end =
        hooks.max_depth && hooks.max_depth < FRAMES_MOST - 1 ? c->base + hooks.max_depth : c->last;
    find_stack(c);
    return c;
}

static struct calls *calls_begin(struct hook_thread *m)
{
    m->calls = as_calls(&calls_busy);
    struct calls *c = calls_new();
    if (!c)
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
    m->calls = c ? c : as_calls(&calls_none);
    return c;
}

struct calls *calls_get(void)
{
    struct hook_thread *m = thread_make();
    struct calls *c = m->calls;
    if (m == &thread_none) {
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
        return NULL;
    }
    if (c == &calls_busy) {
        ADD(&recorder.stray[RAS_RECORD_REENTRANT], 1);
        return NULL;
    }
    if (c != &calls_none)
        return c;
    if (LOAD_ACQUIRE(&hooks.state) != HOOKS_ON) {
        m->calls = as_calls(&calls_busy);
        bool on = hooks_begin();
        m->calls = as_calls(&calls_none);
        if (!on)
            return NULL;
    }
    return calls_begin(m);
}

/* The thread has returned from its first function or was unwound out of it: end the calls that
 * are still open. */
void calls_thread_ends(struct calls *c)
{
    if (calls_has(c))
        calls_unwind(c, c->base);
}

void calls_thread_gone(struct calls *c)
{
    if (calls_has(c))
        munmap(c, 4096 + (size_t)FRAMES_MOST * sizeof(struct frame));
}

/* Calls that are open in a forked child began in the parent's recording. */
static void calls_in_child(void)
{
    struct calls *c = thread_now()->calls;
    own_memory_unlock();
    if (!calls_has(c))
        return;
    for (struct frame *f = c->base; f < c->top; f++)
        f->id |= CALL_SILENT;
}

void calls_stack(uint64_t range[2])
{
    struct calls c;
    find_stack(&c);
    range[0] = c.stack_from;
    range[1] = c.stack_to;
}

void calls_init(void)
{
    /* Handlers before a fork run in reverse order: this lock is taken last, after the others. */
    pthread_atfork(own_memory_lock, own_memory_unlock, calls_in_child);
}

/* ---- frames -------------------------------------------------------------------------------- */

/* The innermost call has ended. Delayed calls around it may have to be emitted first. */
static void end_call(struct calls *c, uint64_t more_flags, const uint64_t *registers)
{
    struct frame was = calls_pop(c);
    emit_end(c, &was, more_flags, registers);
}

/* ---- leaving without a return ---------------------------------------------------------------- */

void calls_unwind(struct calls *c, struct frame *keep)
{
    while (c->top > keep)
        end_call(c, CALL_LANDED, NULL);
}

void calls_leave(struct calls *c, uintptr_t sp)
{
    bool own = calls_are_on(c, sp);
    while (c->top > c->base && c->top[-1].sp < sp && calls_are_on(c, c->top[-1].sp) == own)
        calls_unwind(c, c->top - 1);
}

/* ---- conditions ------------------------------------------------------------------------ */

enum { FILL_MARGIN = 1024 }; /* above the guard page */

enum stack_fill calls_vary(struct calls *c, uintptr_t sp)
{
    if (!calls_has(c))
        return FILL_NONE;
    if (hooks.yield && ++c->varied % hooks.yield == 0)
        syscall(SYS_sched_yield);
    return hooks.fill && calls_are_on(c, sp) && sp - c->stack_from > FILL_SIZE + FILL_MARGIN
               ? hooks.fill
               : FILL_NONE;
}

/* ---- slow paths ---------------------------------------------------------------------- */

/* The id of a called function if it is recorded; else 0. */
static uint64_t known_enter(struct calls *c, uintptr_t function, uintptr_t sp)
{
    uint64_t id = known_find(function);
    if (calls_are_on(c, sp))
        calls_leave(c, sp);
    if (!id)
        id = known_learn(function);
    if (!id || id & CALL_IGNORED || c->top >= c->last)
        return 0;
    return c->top >= c->end ? id | CALL_SILENT : id; /* deeper than the option allows */
}

enum stack_fill calls_enter(uintptr_t function, uintptr_t sp, uintptr_t site)
{
    struct calls *c = calls_get();
    if (!c)
        return FILL_NONE;
    uint64_t id = known_enter(c, function, sp);
    if (id) {
        struct frame *f = calls_push(c, id, function, sp);
        f->site = site;
        emit_start(c, f, NULL);
    }
    return id & CALL_VARIED ? calls_vary(c, sp) : FILL_NONE;
}

/* One that is too deep gets no frame, since its return is not intercepted. */
bool calls_enter_hooked(uintptr_t function, uintptr_t slot, uintptr_t origin,
                        const uint64_t *registers)
{
    struct calls *c = calls_get();
    if (!c)
        return false;
    uint64_t id = known_enter(c, function, slot);
    /* A frame at the same place whose thunk is gone from the stack was left, too. */
    while (c->top > c->base && c->top[-1].sp == slot && !thunk_is(*(const uintptr_t *)slot))
        calls_unwind(c, c->top - 1);
    bool open = id && !(id & CALL_SILENT);
    if (open)
        emit_start(c, calls_push(c, id | CALL_HOOKED, origin, slot), registers);
    return open;
}

/* Tail calls return together with it. Frames on other stacks stay open. */
void calls_leave_hooked(uintptr_t slot, const uint64_t *registers)
{
    struct calls *c = thread_now()->calls;
    if (!calls_has(c))
        return;
    struct frame *f = c->top;
    while (f > c->base && f[-1].sp != slot)
        f--;
    if (f == c->base)
        return; /* it began before the recording */
    bool own = calls_are_on(c, slot);
    while (c->top > f && calls_are_on(c, c->top[-1].sp) == own)
        calls_unwind(c, c->top - 1);
    if (c->top > f) { /* a coroutine's, which stays open */
        struct frame was = f[-1];
        memmove(f - 1, f, (size_t)(c->top - f) * sizeof *f);
        (void)calls_pop(c);
        emit_end(c, &was, 0, registers);
        return;
    }
    while (c->top > c->base && c->top[-1].sp == slot)
        end_call(c, 0, registers);
}

static struct frame *frame_of(struct calls *c, uintptr_t function)
{
    for (struct frame *f = c->top; f-- > c->base;)
        if (f->at == function)
            return f;
    return NULL;
}

enum stack_fill calls_exit(uintptr_t function, uintptr_t sp)
{
    struct calls *c = thread_now()->calls;
    if (!calls_has(c) || known_find(function) & CALL_IGNORED)
        return FILL_NONE;
    struct frame *f = frame_of(c, function);
    if (!f)
        return FILL_NONE; /* it began before the recording, or too deep */
    bool varied = f->id & CALL_VARIED;
    calls_unwind(c, f + 1);
    end_call(c, 0, NULL);
    return varied ? calls_vary(c, sp) : FILL_NONE;
}

/* A call that the hooks were about to open or to close may be among them, or missing. */
void calls_list(struct crash_info *info)
{
    const struct calls *c = thread_now()->calls;
    if (!calls_has(c))
        return;
    for (const struct frame *f = c->top; f-- > c->base && info->call_count < CRASH_CALLS;) {
        bool hooked = f->id & CALL_HOOKED, timed = !hooked && f->id & CALL_SLOW;
        if (f->sp == UINTPTR_MAX)
            continue;
        if (!info->call_count) {
            info->function_id = f->id & ~CALL_FLAGS;
            info->functions = timed;
        }
        if (timed != info->functions)
            return;
        info->calls[info->call_count++] = hooked || timed ? f->at : f->site;
    }
}
