/* dial9_copy_run.h - what the files that copy runs of events share. */
#ifndef DIAL9_COPY_RUN_H
#define DIAL9_COPY_RUN_H

#include "formats/dial9/dial9_copy.h"

enum {
    RUN_PLACES = 16, /* ids that may change in one event */
    RUN_LANES = 64,  /* type ids that are found without a search: nearly all there are */
    RUN_HOPS = 16,
    RUN_IDS = 64,   /* pool ids that are found without a search */
    RUN_USUAL = 64, /* bytes that most events have at most, copied without a call */
};

/* What most events are made of, in fewer steps than their plan has: so many bytes of fixed size,
 * with ids among them, and behind them one thing whose size must be looked at. */
enum hop_kind {
    HOP_END,
    HOP_NOTHING,
    HOP_VARINT,
    HOP_SPAN,
    HOP_OPTIONAL, /* a presence byte; the next hop is its value and no more */
};

struct hop {
    uint8_t fixed, kind;
    bool ids;                    /* there are some */
    uint8_t string_at, stack_at; /* where such an id is; HOP_NO_ID: there is none */
};
#define HOP_NO_ID UINT8_MAX

/* A type id of the source: what it stands for, and what was made of it. */
struct lane {
    const struct shape *shape; /* NULL: not looked at yet */
    struct copied_type *type;
    uint32_t need, delta_mask; /* bytes for its hops; UINT32_MAX: it is not for hops */
    struct hop hops[RUN_HOPS];
};

/* What became of a pool id, as long as its pool says nothing new. */
struct run_id {
    uint64_t was; /* id + 1; 0: none */
    uint32_t now;
};

struct run {
    struct copier *k;
    struct copied_batch *b;
    size_t source;
    const uint8_t *base, *end; /* of the source */
    unsigned depth;
    bool timed; /* a range of time was asked for */
    uint64_t from, to;
    uint64_t record_bytes;
    uint64_t base_ns;  /* of the source's timestamps */
    uint64_t time_max; /* the highest it was */
    struct patch_place places[RUN_PLACES];
    unsigned place_count;
    bool unknown; /* an id that was not asked for before, or a value that may hold some */
    struct run_id strings[RUN_IDS], stacks[RUN_IDS];
    struct lane lanes[RUN_LANES];
};

/* dial9_copy_usual.c: the id now of a pool id in an event; false: it was not asked for before. */
bool dial9_run_id(struct run *, const uint8_t *event, uint32_t was, bool stack, uint32_t *now);
/* How the events of a lane are stepped over. */
void dial9_lane_fill(const struct run *, struct lane *);
/* The usual events at *p, as many as there are up to `left`: short ones without anything new.
 * Resets between them are passed, and left out where a delta can tell the time. */
uint64_t dial9_take_usual(struct run *, const uint8_t **p, uint64_t left);
#endif
