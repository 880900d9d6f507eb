/* atf_stack.h - the open calls of a thread, and what a call took when it ends. */
#ifndef ATF_STACK_H
#define ATF_STACK_H

#include "formats/atf/atf_driver.h"

/* The time of a call that has ended. Total is the time between the call and its return; self is
 * that time without the calls inside. A call that has no return, or an earlier one, has no time. */
struct atf_time {
    bool timed;
    uint64_t took, self;
    uint64_t inner;      /* the part of it inside other calls, as far as known */
    uint64_t parent_seq; /* index_seq of the call around it; RAS_NONE: there is none */
};

struct ras_atf_stack {
    struct atf_frame *frames;
    size_t count, room;
    uint64_t done;        /* 1 + index_seq of the return that was reported last */
    struct atf_time time; /* of the span that was reported last */
};

/* The innermost open call; NULL: there is none. */
static inline const struct atf_frame *atf_stack_last(const struct ras_atf_stack *stack)
{
    return stack->count ? &stack->frames[stack->count - 1] : NULL;
}

/* The innermost call has ended; with `timed`, after `took`. The time of the calls inside a call
 * without an end is known. */
static inline const struct atf_frame *atf_stack_leave(struct ras_atf_stack *stack, bool timed,
                                                      uint64_t took)
{
    const struct atf_frame *f = &stack->frames[--stack->count];
    struct atf_frame *parent = stack->count ? &stack->frames[stack->count - 1] : NULL;
    stack->time = (struct atf_time){.timed = timed,
                                    .took = took,
                                    .self = took > f->inside_ns ? took - f->inside_ns : 0,
                                    .inner = f->inside_ns,
                                    .parent_seq = parent ? parent->seq : RAS_NONE};
    if (parent)
        parent->inside_ns += timed ? took : f->inside_ns;
    return f;
}

/* The usual event: a call inside the innermost open one, or the return of that. True: it is
 * processed; *ended is the call that has ended, until the next step, or NULL. False: nothing was
 * done, it is for ras_atf_stack_step(). */
static inline bool atf_stack_usual(struct ras_atf_stack *stack, const uint8_t *event, uint64_t seq,
                                   const struct atf_frame **ended)
{
    const struct atf_frame *f = atf_stack_last(stack);
    uint32_t kind = load_u32(event + EVENT_KIND), depth = load_u32(event + EVENT_CALL_DEPTH);
    *ended = NULL;
    if (kind == RAS_ATF_CALL && stack->count < stack->room && (!f || f->depth < depth)) {
        stack->frames[stack->count++] =
            (struct atf_frame){.function_id = load_u64(event + EVENT_FUNCTION_ID),
                               .start_ns = load_u64(event + EVENT_TIMESTAMP),
                               .seq = seq,
                               .depth = depth,
                               .thread_id = load_u32(event + EVENT_THREAD_ID)};
        return true;
    }
    uint64_t end_ns = load_u64(event + EVENT_TIMESTAMP);
    if (kind != RAS_ATF_RETURN || !f || f->depth != depth || end_ns < f->start_ns ||
        f->function_id != load_u64(event + EVENT_FUNCTION_ID))
        return false;
    stack->done = seq + 1;
    *ended = atf_stack_leave(stack, true, end_ns - f->start_ns);
    return true;
}
#endif
