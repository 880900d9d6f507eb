/* rundir_axes.h - what the operations on run directories share. */
#ifndef OPS_RUNDIR_AXES_H
#define OPS_RUNDIR_AXES_H

#include <rastrum/rundir.h>

/* A member of run.json by the names on the way to it, of which NULL is the last; NULL: none. */
const struct ras_value *rundir_find(const struct ras_rundir *, const char *const *way);
/* A number of it; false: there is none. */
bool rundir_uint(const struct ras_rundir *, const char *const *way, uint64_t *value);

/* The tick of a place on another axis, as run.json has it: "frame" 12; RAS_NONE: not known. */
uint64_t rundir_tick_of(const struct ras_rundir *, const char *axis, uint64_t at);
/* The tick that ran at this time, as records tell that have a field `tick`, or run.json. */
uint64_t rundir_tick_at(const struct ras_rundir *, uint64_t time_ns);

/* From when to when, half-open, ticks ran; of `ticks` only what is given bounds it. False:
 * nothing tells. */
struct rundir_ticks {
    bool has_first, has_last;
    int64_t first, last; /* both included */
};
bool rundir_span(const struct ras_rundir *, const struct rundir_ticks *ticks, uint64_t span[2]);

extern const struct ras_rule rundir_rules[];
#endif
