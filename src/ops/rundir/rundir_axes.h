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
    struct fetched *fetched; /* by URL: holds the parts; NULL: another */
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

/* Whether the program ended without closing the run. */
bool rundir_is_incomplete(const struct ras_rundir *);
/* Of such a run: the last tick that all its traces have; RAS_NONE: none is known. In words, how far
 * each of them reaches. */
uint64_t rundir_reached(const struct ras_rundir *, char *text, size_t room);
/* Whether its records have no tick each, only times and marks, as calls. */
bool rundir_is_unmarked(const struct ras_trace *);
/* Whether ticks.idx has not the marks of all traces. */
bool rundir_order_is_partial(const struct ras_rundir *);

/* The index, made on first use. */
const struct tick_index *rundir_index(const struct ras_rundir *);
/* The index of the sidecar; RAS_EIO, RAS_EFORMAT: missing, or damaged. */
int rundir_read_sidecar(const struct ras_rundir *, struct source **, struct tick_index *,
                        struct ras_error *);
/* The tick of a place on another axis, by run.json: "frame" 12; RAS_NONE: not known. */
uint64_t rundir_tick_on(const struct ras_rundir *, const char *axis, uint64_t at);
/* The same of the tick of a record, in a trace that has ticks. */
uint64_t rundir_tick_of_axis(const struct ras_rundir *, const struct ras_trace *, uint64_t tick);
/* The records of one stream that belong to one tick: half-open. */
struct rundir_place {
    uint32_t stream;
    uint64_t from, to, tick;
};
/* The tick of a record of a pen's trace, which may have been opened once more; RAS_NONE: none.
 * *last, at first zero, is of the record before. */
uint64_t rundir_record_tick(const struct ras_rundir *, size_t pen, const struct ras_trace *,
                            const struct ras_record *, struct rundir_place *last);

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

/* The two traces of one format, and how they are compared. */
struct rundir_pair {
    struct ras_rundir *const *runs;
    struct ras_rundir_pen *pens[2];
    struct ras_compare_options how;
    struct rundir_spans spans;
};
/* All formats of both runs, those of the first run first; one that neither recorded is left out.
 * There is room for the pens of both. */
size_t rundir_formats(struct ras_rundir *const *runs, const char **formats);
/* Whether both runs have a trace of this format; if not, *failed is the side and err says why. */
bool rundir_pair_open(struct rundir_pair *, struct ras_rundir *const *runs, const char *format,
                      int *failed, struct ras_error *);
/* The options for these traces: bounds on their axis or as spans, with the paths that vary. */
int rundir_pair_adapt(struct rundir_pair *, const struct ras_compare_options *, struct ras_error *);
void rundir_pair_free(struct rundir_pair *);
/* The axis of a format's reports: "tick", "frame"; NULL: the order of its records decides. */
const char *rundir_report_axis(const struct ras_trace *);
/* A range of ticks, both included, as one of such an axis. False: not known. */
bool rundir_on_axis(const struct ras_rundir *, const char *axis, int64_t range[2]);

extern const struct ras_rule rundir_rules[];
#endif
