/* reducer.h - the parts of a trace that a reduction leaves out. */
#ifndef OPS_REDUCE_REDUCER_H
#define OPS_REDUCE_REDUCER_H

#include "base/id_table.h"
#include "core/format.h"

/* Largest parts first. */
enum level { LEVEL_STREAMS, LEVEL_GROUPS, LEVEL_UNITS, LEVELS };

#define NO_ITEM UINT32_MAX

/* Records that are only left out together: one, with those that its format copies with it. */
struct unit {
    uint64_t from; /* seq of the first; the others follow */
    uint32_t count;
    uint32_t stream, group; /* counted in the order they appear */
    uint32_t mark;          /* hash of its type and its place on the axes, to recognise it */
    bool head;              /* it stays as long as another unit of its group does */
};

/* The position of the search. */
struct spot {
    enum level level;
    size_t size;       /* number of items of the level to leave out */
    size_t at;         /* its first item */
    bool pass_changed; /* something was left out in this pass */
    bool round_changed;
    bool first_round; /* later ones only try single items again */
};

/* The remaining items of a level, ascending. */
struct items {
    uint32_t *at;
    size_t count;
};

/* A copy of the remaining records, in memory. */
struct reduce_base {
    struct ras_trace *trace; /* NULL: there is none yet */
    struct ras_sink *sink;
    struct ras_folder *folder;
};

struct ras_reduce {
    struct ras_trace *trace;
    struct unit *units;
    size_t unit_count, unit_room;
    uint32_t stream_count, group_count;
    bool *gone; /* by unit */
    uint64_t identity, records, left;
    uint64_t key; /* of the remaining units */
    struct items items[LEVELS];
    struct spot spot;
    struct id_table known; /* keys of candidates that do not fail */
    bool started,
        ended; /* the caller reported that the whole fails; there is nothing left to test */
    uint64_t reported;
    struct ras_span *spans; /* of the candidate that is written */
    struct reduce_base base;
    uint64_t base_records, base_bytes; /* of the source of candidates */
    uint64_t copy_least;               /* do not copy smaller ones */
    const char *target;                /* the dialect or version of the trace */
    bool ends_only;                    /* records are left out at the ends, not between others */
    struct ras_reduce_state state;     /* as it was last shown */
};

#endif
