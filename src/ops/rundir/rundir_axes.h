/* rundir_axes.h - shared by the operations on run directories. */
#ifndef OPS_RUNDIR_RUNDIR_AXES_H
#define OPS_RUNDIR_RUNDIR_AXES_H

#include "base/memory.h"
#include "core/row.h"
#include "core/tick_index.h"
#include <rastrum/rundir.h>

struct source;

/* The public struct of ras_rundir_open(), and what belongs to it. */
struct rundir {
    struct ras_rundir run;
    struct row_reader json;
    struct arena texts;
    const struct ras_part *parts; /* its files, where it is in memory; borrowed */
    size_t part_count;
    /* Which record belongs to which tick; made on first use. */
    struct tick_index index;
    enum ras_rundir_order order;
    bool ordered;
    struct source *sidecar; /* it holds the index */
    struct ras_error sidecar_err;
};

extern const char rundir_sidecar[]; /* "ticks.idx" */

/* Whether it is in memory, where `name` is a file of it or *part is NULL. */
bool rundir_part(const struct ras_rundir *, const char *name, const struct ras_part **part);

/* A member of run.json by its path of names, ending with NULL; NULL: none. */
const struct ras_value *rundir_find(const struct ras_rundir *, const char *const *path);
/* A number in run.json; false: there is none. */
bool rundir_uint(const struct ras_rundir *, const char *const *path, uint64_t *value);
/* The first tick of the run. */
uint64_t rundir_first(const struct ras_rundir *);

/* The index, made on first use. */
const struct tick_index *rundir_index(const struct ras_rundir *);
/* The index of the sidecar; RAS_EIO, RAS_EFORMAT: missing, or damaged. */
int rundir_read_sidecar(const struct ras_rundir *, struct source **, struct tick_index *,
                        struct ras_error *);
/* The tick of a place on another axis, by run.json: "frame" 12; RAS_NONE: not known. */
uint64_t rundir_tick_on(const struct ras_rundir *, const char *axis, uint64_t at);
/* The same of the tick of a record, in a trace that has ticks. */
uint64_t rundir_tick_of_axis(const struct ras_rundir *, const struct ras_trace *, uint64_t tick);

/* Which records of two runs are compared, where their order gives the ticks. */
struct rundir_ticks {
    bool has_first, has_last, outside;
    int64_t first, last; /* both included */
};
struct rundir_spans {
    struct ras_compare_span *items;
    size_t count, room;
};
/* RAS_EUNSUPPORTED: it is not known. free() the items in any case. */
int rundir_spans(struct rundir_spans *, struct ras_rundir *const runs[2], const size_t pens[2],
                 const struct rundir_ticks *, struct ras_error *);
/* Whether a stream has no ticks of its own, only those by the clock of another thread. */
bool rundir_is_about(const struct ras_rundir *, size_t pen, uint32_t stream);

extern const struct ras_rule rundir_rules[];
#endif
