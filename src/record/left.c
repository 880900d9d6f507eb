/* left.c - events that a signal handler has left by longjmp(): their lane goes on without them.
 *
 * While a lane is busy it tells where on the stack its event began. Whoever is at that place or
 * above it, on the same stack, has come back there without it. */
#include "record/recorder.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_stack_end;

/* That of a thread ends where its descriptor begins. */
void stack_find(uintptr_t *from, uintptr_t *to)
{
    struct rlimit limit;
    uintptr_t size = (uintptr_t)8 << 20, most = (uintptr_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        size = limit.rlim_cur < most ? limit.rlim_cur : most;
    bool is_main = syscall(SYS_gettid) == getpid();
    *to = is_main ? (uintptr_t)__libc_stack_end + 1 : (uintptr_t)pthread_self();
    *from = *to - size;
}

/* A handler's own stack may lie anywhere, even within the thread's. */
static bool is_handlers(uintptr_t sp)
{
    stack_t other;
    return sigaltstack(NULL, &other) == 0 && !(other.ss_flags & SS_DISABLE) &&
           sp - (uintptr_t)other.ss_sp < other.ss_size;
}

static bool is_left(const struct lane *lane, uintptr_t sp)
{
    uint64_t at = LOAD(&lane->hot.busy);
    return at & LANE_AT && at >= lane->stack_from && sp < lane->stack_to && (sp | 7) >= at &&
           !is_handlers(sp);
}

/* A detail that was published gets the event it is of; else it is as if it had never been. */
static bool finish_detail(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    const struct begun *b = &lane->begun_detail;
    uint32_t seq = (uint32_t)(b->mark >> 32);
    bool published = (uint32_t)lane->detail.head == (uint32_t)b->mark;
    STORE(&lane->detail_next, seq + published);
    if (!published || b->head != hot->head)
        return false;
    ras_lane_put_(hot, hot->head, b->event.time_ns, b->event.function_id, b->event.kind, seq);
    return true;
}

static void forget_frame(struct stream *s)
{
    if (s->mark != s->ring.head) {
        STORE_RELEASE(&s->count, s->before);
        STORE_RELEASE(&s->mark, s->ring.head);
    }
    if (s->ring.wrap == s->ring.head)
        STORE(&s->ring.wrap, UINT64_MAX);
    s->cut_due = 0; /* the next frame stands for itself, whatever the time before it is */
}

bool lane_leave(struct ras_lane *hot, uintptr_t sp)
{
    struct lane *lane = lane_of(hot);
    if (hot == &lane_none || hot == &lane_hushed || hot == &lane_deaf || !is_left(lane, sp))
        return false;
    if (LOAD(&hot->busy) & LANE_STREAM)
        stream_drop(&lane->stream, RAS_RECORD_REENTRANT);
    else if (!finish_detail(lane))
        ADD(&lane->dropped[RAS_RECORD_REENTRANT], 1);
    forget_frame(&lane->stream);
    (void)lane_make_room(lane);
    STORE(&hot->limit, 0);
    STORE_RELEASE(&hot->busy, 0);
    return true;
}
