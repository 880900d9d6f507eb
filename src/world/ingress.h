/* ingress.h - the commands of a tick: who is let in, who is too late, and in what order. */
#ifndef WORLD_INGRESS_H
#define WORLD_INGRESS_H

#include <rastrum/world.h>

struct ingress {
    uint64_t room;     /* commands of one tick */
    uint64_t arrivals; /* let in so far, ever */
    struct arrival *queue;
    size_t queue_room;
    uint32_t count; /* to be executed, in their order */
};

struct arrival {
    uint64_t source, source_seq, arrival;
    uint32_t index; /* in the step's commands */
    uint8_t priority;
};

/* Sort the commands for the tick that is about to run; those that are not executed get
 * their receipts. */
int ingress_take(struct ingress *, struct ras_step *, uint64_t tick, struct ras_error *);
/* Nothing runs any more: all are refused. */
void ingress_refuse(struct ras_step *);
void ingress_free(struct ingress *);

void receipt_add(struct ras_step *, uint32_t index, bool accepted, enum ras_receipt_reason,
                 uint64_t tick);
#endif
