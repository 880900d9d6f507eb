/* atf_span.h - the shadow stack, for cursors that jump. */
#ifndef ATF_SPAN_H
#define ATF_SPAN_H

#include <rastrum/atf.h>

/* The open calls, the outermost first. */
struct atf_frame {
    uint64_t function_id, start_ns, seq;
    uint32_t depth, thread_id;
};
const struct atf_frame *atf_stack_frames(const struct ras_atf_stack *, size_t *count);
/* Forget all open calls. */
void atf_stack_clear(struct ras_atf_stack *);
/* What the next span depends on: the index_seq of the innermost open call, RAS_NONE
 * when there is none, and 1 + that of the return told last. */
struct atf_stack_top {
    uint64_t call_seq, done;
};
struct atf_stack_top atf_stack_top(const struct ras_atf_stack *);
/* Take up from there: `call` is the event of that call, NULL when there is none. */
void atf_stack_restore(struct ras_atf_stack *, const struct ras_atf_index_event *call,
                       struct atf_stack_top);
#endif
