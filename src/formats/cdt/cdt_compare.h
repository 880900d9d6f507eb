/* cdt_compare.h - two ticks against each other, channel by channel, as the format's own tool
 * reports it. */
#ifndef CDT_COMPARE_H
#define CDT_COMPARE_H

#include "formats/cdt/cdt_side.h"
#include "formats/cdt/cdt_values.h"
#include "ops/compare/compare_driver.h"
#include "ops/compare/paths.h"

/* Which entities a pool has: by uid, ascending, each once, and where its row is. */
struct cdt_uid {
    struct ras_cdt_int uid;
    size_t row;
    bool again; /* in the order of rows: the uid was there before */
};
struct cdt_uids {
    struct cdt_uid *at; /* distinct ones; the last row of each */
    size_t count;
    struct cdt_uid *rows; /* as stored */
    size_t row_count;
    size_t room, row_room;
};

struct cdt_diff {
    const struct ras_compare_options *options; /* NULL: exactly */
    bool masked;                               /* one of the two is a capture of the original */
    struct document *doc;                      /* where details go */
    struct document sides[2];
    struct cdt_uids uids[2];
};
void cdt_diff_free(struct cdt_diff *);

enum { CDT_POOLS = 4 };
struct cdt_pool {
    const char *name; /* as the channel has it: "creatures" */
    const char *type; /* what one of its rows is: "creature" */
    const struct cdt_struct *of;
    size_t offset; /* in struct ras_cdt_entity_samples_snapshot */
};
extern const struct cdt_pool cdt_pools[CDT_POOLS];
extern const char *const cdt_channels[]; /* in the order of comparison, ends with NULL */

static inline struct cdt_list cdt_pool_rows(const struct cdt_pool *pool,
                                            const struct ras_cdt_entity_samples_snapshot *e)
{
    struct cdt_list rows;
    memcpy(&rows, (const uint8_t *)e + pool->offset, sizeof rows);
    return rows;
}

/* Whether a channel of the two ticks differs; its detail, a map, is put into the document
 * then. */
bool cdt_differ_checkpoint(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                           const struct ras_cdt_tick_record *b);
bool cdt_differ_rng(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                    const struct ras_cdt_tick_record *b);
bool cdt_differ_sim(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                    const struct ras_cdt_tick_record *b);
bool cdt_differ_entities(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                         const struct ras_cdt_tick_record *b);
bool cdt_differ_timing(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                       const struct ras_cdt_tick_record *b);
int cdt_uid_order(const struct ras_cdt_int *a, const struct ras_cdt_int *b);
struct ras_cdt_int cdt_uid_of(const void *row);
/* The distinct uids of a pool, in c->uids[side]. */
void cdt_find_uids(struct cdt_diff *, int side, const struct cdt_pool *, struct cdt_list rows);
/* The uids that `of` has and `other` has not, as a list. */
void cdt_doc_missing_uids(struct document *, const struct cdt_uids *of,
                          const struct cdt_uids *other);

/* All channels that are asked for: {"mismatch_count", "mismatches"} when any differs. */
bool cdt_differ(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                const struct ras_cdt_tick_record *b);
/* Whether the two traces' checkpoints are compared without what a capture cannot know. */
bool cdt_masks(const struct cdt_side *a, const struct cdt_side *b);

extern const struct compare_ops cdt_compare;
extern const struct ras_detail_kind cdt_details[];
void cdt_paths(struct ras_trace *, enum ras_paths, struct known_paths *);
int cdt_inspect(struct ras_trace *, struct ras_trace *other, const struct ras_inspect_options *,
                struct document *, struct ras_inspection *, struct ras_error *);
/* Every sample of a uid; of two traces what changed in them. */
int cdt_entity(struct ras_trace *, struct ras_trace *other, const struct ras_inspect_options *,
               struct document *, struct ras_error *);
int cdt_query(struct ras_trace *, const struct ras_inspect_options *, struct document *,
              struct ras_error *);
/* A tick as `tick` and `query ticks` show it. */
void cdt_doc_summary(struct document *, const struct ras_cdt_tick_record *);
#endif
