/* tick_state.h - one tick in figures: fields and which of them changed, one thing of it, commands
 * and random numbers. */
#ifndef VIEW_TICK_STATE_H
#define VIEW_TICK_STATE_H

#include "codec/json_write.h"
#include "view/scene.h"

enum { TICK_ROWS_MOST = 4096 }; /* commands or random numbers of one answer */

/* Each puts members into the open object; RAS_OK, or a negative status with *err. */

/* "time", "changed" and "state": what the trace's inspection `tick` says, else the tick's first
 * record, with the values of the tick before. RAS_ENOTHING: there is no such tick. */
int tick_state_put(struct json *, struct ras_trace *, uint64_t tick, struct ras_error *);
/* "counts": things of the tick by kind; and "entity": the fields of the one with this kind and id,
 * null where `kind` is RAS_NONE or there is none. */
int tick_things_put(struct json *, struct ras_trace *, uint64_t tick, uint64_t kind, uint64_t id,
                    struct ras_error *);
int tick_commands_put(struct json *, struct ras_trace *, uint64_t tick, struct ras_error *);
int tick_draws_put(struct json *, struct ras_trace *, uint64_t tick, struct ras_error *);
#endif
