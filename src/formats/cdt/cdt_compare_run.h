/* cdt_compare_run.h - a comparison of two traces under way. */
#ifndef CDT_COMPARE_RUN_H
#define CDT_COMPARE_RUN_H

#include "formats/cdt/cdt_ahead.h"
#include "formats/cdt/cdt_compare.h"
#include "ops/compare/place_walk.h"

/* Rows do not ascend: they have to be sorted first. */
enum { CDT_DISORDER = 100 };

/* One side: the blocks to read, and the row it stands at. */
struct cdt_reader {
    struct cdt_side side;
    size_t *due; /* spans, in order */
    size_t due_count;
    struct cdt_ahead *ahead;
    const struct cdt_block *block;
    size_t row;
    const struct ras_cdt_tick_record *at; /* NULL: it has no more */
    bool ended;
};

struct cdt_comparison {
    struct compare *c;
    struct cdt_window window;
    struct cdt_reader readers[2];
    size_t *skipped, *skipped_other; /* spans of the first side, and of the other: passed over */
    size_t skipped_count;
    struct cdt_projection projection;
    struct cdt_diff diff;
};

static inline struct ras_value cdt_tick_value(const struct ras_cdt_tick_record *row)
{
    return row->node.wide & 1 ? value_of_uint((uint64_t)row->tick_index)
                              : value_of_int(row->tick_index);
}

int compare_open(struct cdt_comparison *, struct ras_error *) RAS_CHECKED;
/* Of the rows that the readers stand at: see struct place_walk_ops. */
int compare_lone(void *user, int side, struct ras_error *);
int compare_pair(void *user, struct ras_error *);
bool compare_is_cut(const void *user, int side);
/* The comparison of traces whose rows are in any order. */
int cdt_compare_sorted(struct cdt_comparison *, struct ras_error *) RAS_CHECKED;
#endif
