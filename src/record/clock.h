/* clock.h - CLOCK_BOOTTIME, followed by the processor's counter.
 *
 * An anchor says which time it was at which count, and how long a tick is. Between two
 * anchors time is worked out; a new one is taken about once a second. */
#ifndef RECORD_CLOCK_H
#define RECORD_CLOCK_H

#include <rastrum/record.h>

struct anchor {
    uint64_t ticks, ns;
    uint64_t rate; /* ns a tick, times 2^32; 0: the counter is not to be used */
};

enum {
    CLOCK_ANCHORS = 8,           /* a reader would have to sleep so many seconds to be wrong */
    CLOCK_STEP_NS = 1000000,     /* off by more: somebody stepped, do not learn from it */
    CLOCK_STEPS_MOST = 3,        /* in a row: the counter is given up */
    CLOCK_FIRST_NS = 2000000,    /* how long the first rate is measured */
    CLOCK_AGAIN_NS = 1000000000, /* between two anchors */
};

struct clock {
    struct anchor anchors[CLOCK_ANCHORS];
    uint32_t count; /* taken; the last one holds */
    uint32_t steps; /* in a row */
    uint64_t due;   /* when the next one is taken */
    uint64_t stepped;
};

uint64_t clock_system_ns(void);
/* Whether the counter runs at one pace, sleeping or not. */
bool clock_is_steady(void);

/* Begin; takes CLOCK_FIRST_NS where it follows the counter. */
void clock_start(struct clock *, bool counter);
/* Take a new anchor, if it is time. True when there is one. One thread calls this. */
bool clock_follow(struct clock *, uint64_t now_ns);
/* What a new anchor makes of the last one; pure. False: a step, from which no rate is
 * learned. */
bool clock_next(const struct anchor *last, uint64_t ticks, uint64_t ns, struct anchor *next);
/* Any thread: the anchor that holds. */
struct anchor clock_anchor(const struct clock *);
#endif
