/* cdt_side.h - a trace as the comparing verbs read it: its blocks in the order of the index,
 * and what the format's own reader would say of it.
 *
 * A sealed trace is held to that reader's rules: what it refuses is refused in its
 * words. A trace without a trailer, which it does not read at all, is read as far as its
 * chunks go; where bytes need not be those of that reader (not `compat`), so is one whose footer
 * is wrong. */
#ifndef CDT_SIDE_H
#define CDT_SIDE_H

#include "formats/cdt/cdt_driver.h"

/* How much of each channel to decode. */
enum cdt_want { CDT_WANT_NOTHING, CDT_WANT_COUNT, CDT_WANT_ALL };

struct cdt_wants {
    enum cdt_want checkpoint, sim_state, entities, rng, timing;
};

/* The tables of a block, with what is not wanted left out. */
struct cdt_projection {
    struct cdt_field entity_fields[4], channel_fields[5], tick_fields[5], block_fields[3];
    struct cdt_struct entities, channels, tick, block;
};
void cdt_project(struct cdt_projection *, const struct cdt_wants *);

/* A block, by the index where there is one, else by its own head. */
struct cdt_span {
    int64_t first, last; /* ticks */
    uint64_t offset;
};

struct cdt_side {
    struct ras_trace *trace;
    struct ras_bytes file;
    uint64_t limit;
    const struct ras_cdt_trace_meta *meta;
    const struct cdt_struct *as; /* what blocks are decoded as */
    struct cdt_span *spans;
    size_t count, room;
    bool sealed;
    uint64_t ticks_end; /* offset of the footer or of the end of the file; RAS_NONE: cut before */
    bool lost;          /* bytes are missing behind the last block */
    bool ordered;       /* by cdt_side_order(): ascending blocks that do not overlap */
    bool exact;         /* and neither gaps nor duplicates in them */
    bool damaged;       /* by cdt_side_damaged() */
    size_t damaged_span;
};

/* RAS_EREFUSED with the words of the format's own reader. */
int cdt_side_open(struct cdt_side *, struct ras_trace *, const struct cdt_struct *as, bool compat,
                  struct ras_error *) RAS_CHECKED;
void cdt_side_close(struct cdt_side *);
/* Look at the heads of all blocks: are they in order? */
void cdt_side_order(struct cdt_side *);
/* The index leads over what lies between its blocks. A reader meets it: note that ending. */
void cdt_side_check_gaps(struct cdt_side *);
/* Decode a block, as a thread of its own may do it; and what a failure of that means:
 * RAS_END: what there is of the trace ends here, and the ending is noted. */
int cdt_side_try(const struct cdt_side *, size_t span, struct cdt_memory *, struct cdt_block *,
                 struct ras_error *) RAS_CHECKED;
int cdt_side_explain(struct cdt_side *, size_t span, int status, const struct ras_error *ours,
                     struct ras_error *) RAS_CHECKED;
/* A block cannot be read, and nothing depends on it: note that ending. */
void cdt_side_damaged(struct cdt_side *, size_t span, const char *why);
/* Both. */
int cdt_side_load(struct cdt_side *, size_t span, struct cdt_memory *, struct cdt_block *,
                  struct ras_error *) RAS_CHECKED;
/* The first row of a tick in the first block that should have it, or NULL. */
int cdt_side_tick(struct cdt_side *, int64_t tick, struct cdt_memory *, struct cdt_block *,
                  const struct ras_cdt_tick_record **, struct ras_error *) RAS_CHECKED;

/* Rows within a window, in stored order, the blocks one after the other. */
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

/* The blocks that `spans` names, in that order; both are borrowed. Of a small file, or
 * where no thread can be had, they are decoded when they are asked for. */
int cdt_ahead_open(struct cdt_ahead **out, const struct cdt_side *side, const size_t *spans,
                   size_t count, struct ras_error *err) RAS_CHECKED;
/* RAS_OK and the next block, which lives until the next call; RAS_END; or what
 * cdt_side_try() said of it. *span tells which one. */
int cdt_ahead_next(struct cdt_ahead *ahead, const struct cdt_block **block, size_t *span,
                   struct ras_error *err) RAS_CHECKED;
void cdt_ahead_close(struct cdt_ahead *ahead); /* NULL is fine */
#endif
