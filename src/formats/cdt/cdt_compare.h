/* cdt_compare.h - compares two ticks channel by channel and reports as the reference tool does. */
#ifndef CDT_COMPARE_H
#define CDT_COMPARE_H

#include "formats/cdt/cdt_side.h"
#include "formats/cdt/cdt_values.h"
#include "ops/compare/compare_driver.h"
#include "ops/compare/paths.h"

/* The entities of a pool: by uid, ascending, each once, and the index of its row. */
struct cdt_uid {
    struct ras_cdt_int uid;
    size_t row;
    bool again; /* in the order of rows: the uid occurred before */
};
struct cdt_uids {
    struct cdt_uid *at; /* distinct ones; the last row of each */
    size_t count;
    struct cdt_uid *rows; /* as stored */
    size_t row_count;
    size_t room, row_room;
};

struct cdt_diff {
    const struct cdt_model *model;
    const struct ras_compare_options *options; /* NULL: compare exactly */
    bool masked;               /* one of the two traces is a capture of the original game */
    struct document *doc;      /* receives the details */
    bool brief;                /* leave out `pretty`: details are not kept */
    struct cdt_firsts *firsts; /* NULL: neither wanted nor possible */
    uint64_t amount; /* rows of the ticks compared last that differ, or that one side has */
    struct document sides[2];
    struct cdt_uids uids[2];
};
void cdt_diff_free(struct cdt_diff *);

enum { CDT_POOLS = 4 };
struct cdt_pool {
    const char *name; /* name in the channel: "creatures" */
    const char *type; /* type of one of its rows: "creature" */
    size_t offset;    /* in struct ras_cdt_entity_samples_snapshot */
};
extern const struct cdt_pool cdt_pools[CDT_POOLS];

/* The struct of its rows. */
static inline const struct cdt_struct *cdt_pool_of(const struct cdt_model *model, int pool)
{
    return model->rows[CDT_ROW_CREATURE + pool];
}

extern const char *const cdt_channels[]; /* in the order of comparison, ends with NULL */

static inline struct cdt_list cdt_pool_rows(const struct cdt_pool *pool,
                                            const struct ras_cdt_entity_samples_snapshot *e)
{
    struct cdt_list rows;
    memcpy(&rows, (const uint8_t *)e + pool->offset, sizeof rows);
    return rows;
}

/* Returns whether a channel of the two ticks differs; if so, a map with details is added to the
 * document. */
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
bool cdt_differ_step(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                     const struct ras_cdt_tick_record *b);

/* cdt_differ2.c: draws that behave the same may have different callers, which is a diagnostic in
 * container 2. Adds a map with details to the document unless they are the same. */
enum cdt_draws { CDT_DRAWS_SAME, CDT_DRAWS_CALLERS, CDT_DRAWS_DIFFER };
enum cdt_draws cdt_differ_draws(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                                const struct ras_cdt_tick_record *b, struct document *);
bool cdt_differ_rng_2(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                      const struct ras_cdt_tick_record *b);
/* A draw as a member of an open map. */
void cdt_doc_draw(struct document *, const struct cdt_model *, const char *key,
                  const struct ras_cdt_rng_stream_row *);
/* RAS_EVERSION, or RAS_EREFUSED with `compat`, if two traces cannot be of the same run. */
int cdt_same_identity(struct ras_trace *const traces[2], bool compat,
                      struct ras_error *) RAS_CHECKED;

/* The first difference of each channel over the whole range. */
struct cdt_firsts;
/* The first diagnostic, and with_channels: the first difference of each; NULL: out of memory. */
struct cdt_firsts *cdt_firsts_new(bool with_channels);
void cdt_firsts_free(struct cdt_firsts *);
void cdt_firsts_missing(struct cdt_firsts *, int64_t tick);
void cdt_firsts_diagnose(struct cdt_firsts *, int64_t tick, const struct ras_value *detail);
void cdt_firsts_add(struct cdt_firsts *, const char *channel, const char *kind, int64_t tick,
                    const struct ras_value *detail);
void cdt_firsts_put(const struct cdt_firsts *, struct compare *);

int cdt_uid_order(const struct ras_cdt_int *a, const struct ras_cdt_int *b);
struct ras_cdt_int cdt_uid_of(const void *row);
/* Finds the distinct uids of a pool and stores them in c->uids[side]. */
void cdt_find_uids(struct cdt_diff *, int side, int pool, struct cdt_list rows);
/* Lists the uids that are in `of` but not in `other`. */
void cdt_doc_missing_uids(struct document *, const struct cdt_uids *of,
                          const struct cdt_uids *other);

/* Compares all requested channels: adds {"mismatch_count", "mismatches"} if any differs. */
bool cdt_differ(struct cdt_diff *, const struct ras_cdt_tick_record *a,
                const struct ras_cdt_tick_record *b);
/* Whether fields that a capture cannot know are left out of the comparison of checkpoints. */
bool cdt_masks(const struct cdt_side *a, const struct cdt_side *b);

extern const struct compare_ops cdt_compare;
extern const struct ras_detail_kind cdt_details[];
void cdt_paths(struct ras_trace *, enum ras_paths, struct known_paths *);
extern const struct compare_inspection cdt_inspections[];
/* Every sample of a uid; with two traces, the differences between their samples. */
int cdt_entity(struct ras_trace *, struct ras_trace *other, const struct ras_inspect_options *,
               struct document *, struct ras_error *);
/* `health` of container 2. */
int cdt_health_2(struct ras_trace *, const struct ras_inspect_options *, struct document *,
                 struct ras_error *);
int cdt_query(struct ras_trace *, struct ras_trace *other, const struct ras_inspect_options *,
              struct document *, struct ras_error *);
/* A tick as `tick` and `query ticks` print it. */
void cdt_doc_summary(struct document *, const struct cdt_model *,
                     const struct ras_cdt_tick_record *);
#endif
