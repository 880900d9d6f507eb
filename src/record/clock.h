/* clock.h - CLOCK_BOOTTIME, followed by the processor's counter.
 *
 * An anchor is a time, the count at that time, and the length of a tick. Between two anchors
 * time is computed; a new one is taken about once a second. */
#ifndef RECORD_CLOCK_H
#define RECORD_CLOCK_H

#include <rastrum/record.h>

struct anchor {
    uint64_t ticks, ns;
    uint64_t rate; /* ns per tick, times 2^32; 0: do not use the counter */
};

enum {
    CLOCK_ANCHORS = 8,           /* a reader is wrong only after sleeping this many seconds */
    CLOCK_STEP_NS = 1000000,     /* off by more: the clock was stepped, ignore this rate */
    CLOCK_STEPS_MOST = 3,        /* in a row: stop using the counter */
    CLOCK_FIRST_NS = 2000000,    /* how long the first rate is measured */
    CLOCK_AGAIN_NS = 1000000000, /* between two anchors */
};

struct clock {
    struct anchor anchors[CLOCK_ANCHORS];
    uint32_t count; /* taken; the last one is current */
    uint32_t steps; /* in a row */
    uint64_t due;   /* when the next one is taken */
    uint64_t stepped;
};

uint64_t clock_system_ns(void);
/* Whether the counter runs at a constant rate, also during sleep. */
bool clock_is_steady(void);

/* Begin; takes CLOCK_FIRST_NS if it follows the counter. */
void clock_start(struct clock *, bool counter);
/* Take a new anchor if one is due. True: it was taken. Only one thread calls this. */
bool clock_follow(struct clock *, uint64_t now_ns);
/* The anchor that follows the last one; pure. False: the clock was stepped, the rate is kept. */
bool clock_next(const struct anchor *last, uint64_t ticks, uint64_t ns, struct anchor *next);
/* Any thread: the current anchor. */
struct anchor clock_anchor(const struct clock *);
#endif
