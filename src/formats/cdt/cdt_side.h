/* cdt_side.h - a trace as the comparing verbs read it: its blocks in the order of the index, and
 * errors as the reference reader reports them.
 *
 * A sealed trace is checked by the rules of that reader: what it refuses is refused with the same
 * text. A trace without a trailer, which the reference refuses, is read as far as its chunks go;
 * without `compat` this also applies to one with a wrong footer. */
#ifndef CDT_SIDE_H
#define CDT_SIDE_H

#include "formats/cdt/cdt_driver.h"

/* How much of each channel to decode. */
enum cdt_want { CDT_WANT_NOTHING, CDT_WANT_COUNT, CDT_WANT_ALL };

struct cdt_wants {
    enum cdt_want checkpoint, sim_state, entities, rng, timing, step;
};

/* The tables of a block, without the unwanted members. */
struct cdt_projection {
    struct cdt_field entity_fields[4], channel_fields[6], tick_fields[5], block_fields[3];
    struct cdt_struct entities, channels, tick, block;
};
void cdt_project(struct cdt_projection *, const struct cdt_model *, const struct cdt_wants *);

/* A block according to the index or, without one, to its own header. */
struct cdt_span {
    int64_t first, last; /* ticks */
    uint64_t offset;
};

struct cdt_side {
    struct ras_trace *trace;
    struct ras_bytes file;
    uint64_t limit;
    const struct ras_cdt_trace_meta *meta;
    const struct cdt_model *model;
    const struct cdt_struct *as; /* what blocks are decoded as */
    struct cdt_span *spans;
    size_t count, room;
    bool sealed;
    bool strict;        /* container 2 as its reference reader reads it */
    uint64_t ticks_end; /* offset of the footer or of the end of the file; RAS_NONE: cut before */
    bool lost;          /* bytes are missing after the last block */
    bool ordered;       /* set by cdt_side_order(): blocks ascend and do not overlap */
    bool exact;         /* and have neither gaps nor duplicates */
    bool damaged;       /* set by cdt_side_damaged() */
    size_t damaged_span;
    bool ranged;          /* blocks are fetched when they are decoded */
    struct passes passes; /* who is told how far cdt_walk_next() is */
};

/* RAS_EREFUSED with the text of the reference reader. */
int cdt_side_open(struct cdt_side *, struct ras_trace *, const struct cdt_struct *as, bool compat,
                  struct ras_error *) RAS_CHECKED;
/* The same for few blocks: of a spread source with an index no others are fetched, nor is anything
 * said of them. */
int cdt_side_open_ranged(struct cdt_side *, struct ras_trace *, const struct cdt_struct *as,
                         bool compat, struct ras_error *) RAS_CHECKED;
/* Such a side cannot be used by its index alone: open the whole. */
bool cdt_side_fails_ranged(const struct cdt_side *, int status);
void cdt_side_close(struct cdt_side *);
/* Checks the headers of all blocks for order. */
void cdt_side_order(struct cdt_side *);
/* Decodes a block, in any thread; and explains why that failed. RAS_END: the trace ends here, and
 * the ending is noted. */
int cdt_side_try(const struct cdt_side *, size_t span, struct cdt_memory *, struct cdt_block *,
                 struct ras_error *) RAS_CHECKED;
int cdt_side_explain(struct cdt_side *, size_t span, int status, const struct ras_error *ours,
                     struct ras_error *) RAS_CHECKED;
/* RAS_EREFUSED if a decoded block breaks a rule of the reference reader of container 2. */
int cdt_side_rules(const struct cdt_side *, size_t span, const struct cdt_block *,
                   struct ras_error *) RAS_CHECKED;
/* A block cannot be read, but its content is not needed: notes that ending. */
void cdt_side_damaged(struct cdt_side *, size_t span, const char *why);
/* Decodes a block and explains a failure. */
int cdt_side_load(struct cdt_side *, size_t span, struct cdt_memory *, struct cdt_block *,
                  struct ras_error *) RAS_CHECKED;
/* Finds the first row of a tick in the first block that should have it; NULL: none. */
int cdt_side_tick(struct cdt_side *, int64_t tick, struct cdt_memory *, struct cdt_block *,
                  const struct ras_cdt_tick_record **, struct ras_error *) RAS_CHECKED;

/* Rows within a window, in stored order, block by block. */
struct cdt_window {
    bool has_first, has_last;
    int64_t first, last;
};
static inline bool window_holds(const struct cdt_window *w, int64_t tick)
{
    return (!w->has_first || tick >= w->first) && (!w->has_last || tick <= w->last);
}
static inline bool window_meets(const struct cdt_window *w, const struct cdt_span *s)
{
    return (!w->has_first || s->last >= w->first) && (!w->has_last || s->first <= w->last);
}

struct cdt_walk {
    struct cdt_side *side;
    struct cdt_window window;
    struct cdt_memory memory;
    struct cdt_block block;
    size_t span, row;
    bool loaded;
};
/* RAS_OK, RAS_END or a failure. */
int cdt_walk_next(struct cdt_walk *, const struct ras_cdt_tick_record **,
                  struct ras_error *) RAS_CHECKED;
void cdt_walk_close(struct cdt_walk *);

/* ---- blocks decoded ahead by a thread ---------------------------------------------------- */

struct cdt_ahead;

/* Opens the blocks that `spans` names, in that order; both arrays are borrowed. Without a thread,
 * or for a small file, blocks are decoded on request. */
int cdt_ahead_open(struct cdt_ahead **out, const struct cdt_side *side, const size_t *spans,
                   size_t count, struct ras_error *err) RAS_CHECKED;
/* RAS_OK and the next block, which is valid until the next call; RAS_END; or the status of
 * cdt_side_try(). *span is its index. */
int cdt_ahead_next(struct cdt_ahead *ahead, const struct cdt_block **block, size_t *span,
                   struct ras_error *err) RAS_CHECKED;
void cdt_ahead_close(struct cdt_ahead *ahead); /* NULL is allowed */
#endif
