/* atf_span.c - calls matched with their returns by a shadow stack.
 *
 * Depths on the stack only rise, so an event at some depth ends every frame that is deeper; each
 * frame is pushed and popped once, for any input. A frame without a return is not dropped but
 * reported with its reason. */
#include "base/error.h"
#include "base/memory.h"
#include "formats/atf/atf_stack.h"

#include <stdlib.h>

struct ras_atf_stack *ras_atf_stack_new(void)
{
    return calloc(1, sizeof(struct ras_atf_stack));
}

void ras_atf_stack_free(struct ras_atf_stack *stack)
{
    if (!stack)
        return;
    free(stack->frames);
    free(stack);
}

const struct atf_frame *atf_stack_frames(const struct ras_atf_stack *stack, size_t *count)
{
    *count = stack->count;
    return stack->frames;
}

void atf_stack_clear(struct ras_atf_stack *stack)
{
    stack->count = 0;
    stack->done = 0;
}

struct atf_stack_top atf_stack_top(const struct ras_atf_stack *stack)
{
    size_t n = stack->count;
    return (struct atf_stack_top){n ? stack->frames[n - 1].seq : RAS_NONE,
                                  n > 1 ? stack->frames[n - 2].seq : RAS_NONE, stack->done};
}

const char *ras_atf_reason_name(enum ras_atf_reason reason)
{
    static const char *const names[] = {"matched",   "exception",    "unwind",
                                        "tail_call", "process_exit", "no_call"};
    return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : "unknown";
}

/* `end` NULL: it has no return. */
static int pop(struct ras_atf_stack *stack, enum ras_atf_reason reason,
               const struct ras_atf_index_event *end, struct ras_atf_span *out)
{
    bool timed = end && end->timestamp_ns >= atf_stack_last(stack)->start_ns;
    const struct atf_frame *f = atf_stack_leave(
        stack, timed, timed ? end->timestamp_ns - atf_stack_last(stack)->start_ns : 0);
    *out = (struct ras_atf_span){
        .reason = reason,
        .function_id = f->function_id,
        .thread_id = f->thread_id,
        .call_depth = f->depth,
        .call_seq = f->seq,
        .return_seq = RAS_NONE,
        .start_ns = f->start_ns,
    };
    return RAS_OK;
}

static int step_call(struct ras_atf_stack *stack, const struct ras_atf_index_event *e, uint64_t seq,
                     struct ras_atf_span *out, struct ras_error *err)
{
    const struct atf_frame *f = atf_stack_last(stack);
    if (f && f->depth > e->call_depth)
        return pop(stack, RAS_ATF_UNWOUND, NULL, out);
    if (f && f->depth == e->call_depth)
        return pop(stack, RAS_ATF_TAIL_CALL, NULL, out);
    if (!array_grow(&stack->frames, &stack->room, stack->count + 1, sizeof *stack->frames))
        return fail_memory(err);
    stack->frames[stack->count++] = (struct atf_frame){.function_id = e->function_id,
                                                       .start_ns = e->timestamp_ns,
                                                       .seq = seq,
                                                       .depth = e->call_depth,
                                                       .thread_id = e->thread_id};
    return RAS_END;
}

static int step_return(struct ras_atf_stack *stack, const struct ras_atf_index_event *e,
                       uint64_t seq, struct ras_atf_span *out)
{
    const struct atf_frame *f = atf_stack_last(stack);
    if (stack->done == seq + 1)
        return RAS_END;
    if (f && f->depth > e->call_depth)
        return pop(stack, RAS_ATF_UNWOUND, NULL, out);
    if (f && f->depth == e->call_depth && f->function_id != e->function_id)
        return pop(stack, RAS_ATF_TAIL_CALL, NULL, out);
    stack->done = seq + 1;
    if (f && f->depth == e->call_depth) {
        pop(stack, e->event_kind == RAS_ATF_RETURN ? RAS_ATF_MATCHED : RAS_ATF_RAISED, e, out);
    } else {
        stack->time = (struct atf_time){.parent_seq = f ? f->seq : RAS_NONE};
        *out = (struct ras_atf_span){.reason = RAS_ATF_NO_CALL,
                                     .function_id = e->function_id,
                                     .thread_id = e->thread_id,
                                     .call_depth = e->call_depth,
                                     .call_seq = RAS_NONE};
    }
    out->return_seq = seq;
    out->end_ns = e->timestamp_ns;
    return RAS_OK;
}

int ras_atf_stack_step(struct ras_atf_stack *stack, const struct ras_atf_index_event *event,
                       uint64_t index_seq, struct ras_atf_span *out, struct ras_error *err)
{
    if (!event)
        return stack->count ? pop(stack, RAS_ATF_STILL_OPEN, NULL, out) : RAS_END;
    if (event->event_kind == RAS_ATF_CALL)
        return step_call(stack, event, index_seq, out, err);
    if (event->event_kind == RAS_ATF_RETURN || event->event_kind == RAS_ATF_EXCEPTION)
        return step_return(stack, event, index_seq, out);
    return RAS_END; /* an unknown kind neither opens nor ends a call */
}

bool atf_stack_restore(struct ras_atf_stack *stack, const struct ras_atf_index_event *call,
                       struct atf_stack_top top)
{
    struct ras_atf_span span;
    atf_stack_clear(stack);
    stack->done = top.done;
    return !call || step_call(stack, call, top.call_seq, &span, NULL) >= 0;
}
