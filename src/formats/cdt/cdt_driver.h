/* cdt_driver.h - the callbacks of CDT's format row, and the types they share. */
#ifndef CDT_DRIVER_H
#define CDT_DRIVER_H

#include "core/format.h"
#include "formats/cdt/cdt_load.h"
#include "ops/build/build_driver.h"
#include "ops/repair/plan.h"
#include "ops/stats/stats_driver.h"
#include "ops/verify/report.h"

/* One type of record: a struct of a tick, or the elements of one of its lists. */
struct cdt_row {
    const char *name;
    size_t offset; /* in struct ras_cdt_tick_record */
    bool list;
    unsigned owner;     /* the row type whose bytes contain this one's */
    const char *member; /* member of the owner's struct that contains it */
};

enum { CDT_ROW_FIELDS = 25, CDT_INNER_FIELDS = 160 };
extern const struct cdt_row cdt_rows[CDT_ROWS]; /* in the order of delivery; see cdt_model.rows */

/* The rows of one type in a tick: returns the first one and sets *count. */
const uint8_t *cdt_row_first(const struct cdt_row *row, const struct ras_cdt_tick_record *tick,
                             size_t *count);

/* The schema of a row type: the members of its struct, except those that are records of their
 * own. */
struct cdt_schema {
    struct ras_schema schema;
    struct ras_field fields[CDT_ROW_FIELDS];
    uint8_t member[CDT_ROW_FIELDS]; /* of the struct of the model */
};

struct cdt_trace {
    struct cdt_memory memory; /* META's payload */
    struct cdt_meta meta;
    bool no_meta;       /* the first chunk is not a usable META: its schema is guessed */
    char why_meta[200]; /* the reason */
    struct cdt_memory footer_memory;
    struct cdt_footer footer;
    bool sealed;          /* the footer is usable */
    bool nomem;           /* out of memory while the footer was loaded */
    uint64_t footer_size; /* size of the file when the footer was loaded; 0: not yet */
    char unsealed[200];   /* the reason if it is not usable */
    struct cdt_schema schemas[CDT_ROWS];
    struct ras_field inner[CDT_INNER_FIELDS]; /* of their members that are structs */
    size_t inner_count;
    uint64_t sure_from, sure_to; /* TICK chunks between these offsets were found valid */
};

/* Where a cursor is inside the chunk at its offset. */
struct cdt_place {
    uint64_t tick, item; /* of the block, of the row's list */
    uint64_t tick_seq;   /* of the tick record: the parent of its rows */
    uint32_t row;
};

struct cdt_cursor {
    struct cdt_memory memory;
    struct cdt_block block;
    uint64_t tick_count;
    uint64_t chunk_at, chunk_end; /* of the chunk in memory */
    bool kept;                    /* a chunk is in memory, decoded */
    bool loaded;                  /* and the cursor is in it */
    bool resuming; /* a mark was loaded: `place` is valid, the chunk must be loaded */
    struct cdt_place place;
    bool end_known;
    uint64_t range_end; /* offset of the first block that need not be read; RAS_NONE: all are */
    /* Of another schema: the elements of the array, and where the one at `generic_index` begins. */
    struct ras_bytes ticks;
    size_t generic_at;
    uint64_t generic_index;
};

/* The structs of its schema. */
static inline const struct cdt_model *cdt_model_in(const struct ras_trace *t)
{
    return ((const struct cdt_trace *)t->priv)->meta.model;
}

/* The style in which its structs are written again. Container 2 has one. */
static inline enum ras_cdt_style cdt_style_in(const struct ras_trace *t)
{
    return cdt_model_in(t)->container == RAS_CDT_FORMAT_VERSION && !strcmp(t->dialect, "zig")
               ? RAS_CDT_ZIG
               : RAS_CDT_PYTHON;
}

/* The current footer, NULL if there is no usable one. */
const struct cdt_footer *cdt_footer_now(struct ras_trace *);
/* The chunk at `offset` is there, or so much of it as the file has; false: a server failed, see
 * source_fault(). */
bool cdt_reach_chunk(const struct ras_trace *, uint64_t offset);
/* The footer of a spread source, if its index does not contradict itself: it is trusted then, for
 * to compare it with all chunks would fetch them. NULL: not spread, or it cannot be used. */
const struct cdt_footer *cdt_spread_index(struct ras_trace *);
/* The dialect whose rules apply: the user's choice, or the detected one. */
const char *cdt_dialect(const struct ras_trace *);

/* cdt_values.c */
void cdt_schemas_fill(struct cdt_trace *);
bool cdt_values_put(struct cells *, const struct view *, const struct cdt_schema *,
                    const struct cdt_struct *, const uint8_t *at);

/* cdt_generic.c: ticks of other schema versions, as msgpack values. */
extern const struct ras_schema cdt_generic_schema;
bool cdt_generic_load(struct cdt_cursor *, struct ras_bytes payload, const char **why);
enum step cdt_generic_tick(struct ras_cursor *);

int cdt_open(struct ras_trace *, struct ras_error *);
void cdt_close(struct ras_trace *);
enum step cdt_next(struct ras_cursor *);
bool cdt_seek(struct ras_cursor *, enum ras_axis, uint64_t to);
void cdt_stop(struct ras_cursor *);
void cdt_save(const struct ras_cursor *, struct ras_mark *);
void cdt_load_mark(struct ras_cursor *, const struct ras_mark *);
int cdt_stats(struct ras_trace *, struct stats *, struct ras_error *);
int cdt_usage(struct ras_trace *, struct usage *, struct ras_error *);
int cdt_check(struct ras_trace *, struct report *, struct ras_error *);
int cdt_repair(struct ras_trace *, const struct ras_repair_options *, struct plan *,
               struct ras_error *);
extern const struct ras_rule cdt_rules[];
extern const struct build_ops cdt_build;
extern const struct timeline_ops cdt_timeline;
extern const struct scene_ops cdt_scene;
#endif
