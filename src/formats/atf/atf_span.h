/* atf_span.h - the shadow stack, for cursors that jump. */
#ifndef ATF_SPAN_H
#define ATF_SPAN_H

#include <rastrum/atf.h>

/* Forget all open calls. */
void atf_stack_clear(struct ras_atf_stack *);
/* The index_seq of the innermost open call, RAS_NONE when there is none. */
uint64_t atf_stack_top(const struct ras_atf_stack *);
#endif
