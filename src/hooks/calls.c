/* calls.c - the calls that are open on a thread, and the slow ways of beginning and ending one. */
#include "hooks/hooks.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FRAMES_MOST = 1 << 20 };

/* What top[-1] is where nothing is open: nobody's frame, beyond every stack. */
static const struct frame nobody[2] = {{.sp = UINTPTR_MAX}, {.sp = UINTPTR_MAX}};
#define NO_FRAMES ((struct frame *)(uintptr_t)&nobody[1])

const struct calls calls_none = {.top = NO_FRAMES, .end = NO_FRAMES};
const struct calls calls_busy = {.top = NO_FRAMES, .end = NO_FRAMES};

static struct calls *as_calls(const struct calls *c)
{
    return (struct calls *)(uintptr_t)c;
}

/* ---- a thread ---------------------------------------------------------------------------- */

extern void *__libc_stack_end;

/* The thread's own stack; handlers and coroutines may have others. That of a thread ends
 * where its descriptor begins. */
static void find_stack(struct calls *c)
{
    struct rlimit limit;
    uintptr_t size = (uintptr_t)8 << 20, most = (uintptr_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        size = limit.rlim_cur < most ? limit.rlim_cur : most;
    bool is_main = syscall(SYS_gettid) == getpid();
    c->stack_to = is_main ? (uintptr_t)__libc_stack_end + 1 : (uintptr_t)pthread_self();
    c->stack_from = c->stack_to - size;
}

/* One page for the head, then the frames, touched as they are used. */
static struct calls *make(void)
{
    size_t size = 4096 + (size_t)FRAMES_MOST * sizeof(struct frame);
    struct calls *c = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c == MAP_FAILED)
        return NULL;
    c->base = c->top = (struct frame *)((char *)c + 4096) + 1;
    c->base[-1] = nobody[0];
    c->last = c->base + FRAMES_MOST - 1;
    c->end =
        hooks.max_depth && hooks.max_depth < FRAMES_MOST - 1 ? c->base + hooks.max_depth : c->last;
    find_stack(c);
    return c;
}

static struct calls *begin(struct mine *m)
{
    m->calls = as_calls(&calls_busy);
    struct calls *c = make();
    if (!c)
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
    m->calls = c ? c : as_calls(&calls_none);
    return c;
}

struct calls *calls_mine(void)
{
    struct mine *m = mine_make();
    struct calls *c = m->calls;
    if (m == &mine_none) {
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
    return begin(m);
}

/* The thread has left its first function or was unwound out of it: what is open was ended. */
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

/* What is open in the child of a fork() began in the parent's recording. */
static void in_child(void)
{
    struct calls *c = mine_now()->calls;
    own_memory_unlock();
    if (!calls_has(c))
        return;
    for (struct frame *f = c->base; f < c->top; f++)
        f->id |= CALL_SILENT;
}

void calls_init(void)
{
    /* The first to be told is the last one called before a fork: other locks are held then. */
    pthread_atfork(own_memory_lock, own_memory_unlock, in_child);
}

/* ---- frames -------------------------------------------------------------------------------- */

/* The innermost call has ended. What tells of it may have to tell of those around first. */
static void end_call(struct calls *c, uint64_t more_flags, const uint64_t *registers)
{
    struct frame was = calls_pop(c);
    tell_end(c, &was, more_flags, registers);
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

/* ---- the slow ways ------------------------------------------------------------------- */

/* The id of a function that is called now, where it is recorded; else 0. */
static uint64_t enter(struct calls *c, uintptr_t function, uintptr_t sp)
{
    uint64_t id = known_find(function);
    if (calls_are_on(c, sp))
        calls_leave(c, sp);
    if (!id)
        id = known_learn(function);
    if (!id || id & CALL_IGNORED || c->top >= c->last)
        return 0;
    return c->top >= c->end ? id | CALL_SILENT : id; /* deeper than is asked for */
}

void calls_enter(uintptr_t function, uintptr_t sp)
{
    struct calls *c = calls_mine();
    if (!c)
        return;
    uint64_t id = enter(c, function, sp);
    if (id)
        tell_start(c, calls_push(c, id, function, sp), NULL);
}

/* One that is too deep has no frame: nothing would come by when it returns. */
bool calls_enter_hooked(uintptr_t function, uintptr_t slot, uintptr_t origin,
                        const uint64_t *registers)
{
    struct calls *c = calls_mine();
    if (!c)
        return false;
    uint64_t id = enter(c, function, slot);
    /* A frame in the same place that is not returned to any more was left, too. */
    while (c->top > c->base && c->top[-1].sp == slot && !thunk_is(*(const uintptr_t *)slot))
        calls_unwind(c, c->top - 1);
    bool open = id && !(id & CALL_SILENT);
    if (open)
        tell_start(c, calls_push(c, id | CALL_HOOKED, origin, slot), registers);
    return open;
}

/* What was called in place of it returns with it. Frames on other stacks go on. */
void calls_leave_hooked(uintptr_t slot, const uint64_t *registers)
{
    struct calls *c = mine_now()->calls;
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
    if (c->top > f) { /* a coroutine's, which is not left */
        struct frame was = f[-1];
        memmove(f - 1, f, (size_t)(c->top - f) * sizeof *f);
        (void)calls_pop(c);
        tell_end(c, &was, 0, registers);
        return;
    }
    while (c->top > c->base && c->top[-1].sp == slot)
        end_call(c, 0, registers);
}

static struct frame *find(struct calls *c, uintptr_t function)
{
    for (struct frame *f = c->top; f-- > c->base;)
        if (f->at == function)
            return f;
    return NULL;
}

void calls_exit(uintptr_t function)
{
    struct calls *c = mine_now()->calls;
    if (!calls_has(c) || known_find(function) & CALL_IGNORED)
        return;
    struct frame *f = find(c, function);
    if (!f)
        return; /* it began before the recording, or too deep */
    calls_unwind(c, f + 1);
    end_call(c, 0, NULL);
}
