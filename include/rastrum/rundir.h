/* rundir.h - run directories: the traces of one execution, opened and compared together.
 *
 * A run directory holds the traces that pens wrote of one run and run.json, which names them
 * and says how their axes belong together. A part that is missing or cannot be opened is
 * reported on its own; where run.json is, the traces that lie in the directory are found by their
 * bytes.
 *
 *     struct ras_rundir *good, *bad;
 *     struct ras_rundiff *diff;
 *     if (ras_rundir_open(&good, "good", NULL, err) == RAS_OK &&
 *         ras_rundir_open(&bad, "bad", NULL, err) == RAS_OK &&
 *         ras_rundiff(&diff, good, bad, NULL, err) == RAS_OK)
 *         puts(ras_rundiff_status(diff)); */
#ifndef RASTRUM_RUNDIR_H
#define RASTRUM_RUNDIR_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file as run.json describes it. */
struct ras_rundir_file {
    const char *name;    /* its path below the directory */
    uint64_t size_bytes; /* RAS_NONE: not stated */
    const char *sha256;  /* lower case, NULL: not stated */
    uint64_t reserved[2];
};

/* A pen and the trace that it wrote. */
struct ras_rundir_pen {
    const char *format;
    const char *file;        /* its path below the directory; NULL: there is none */
    const char *path;        /* the same with that of the directory; NULL: in memory */
    const char *left_out;    /* why there is none; NULL: there should be one */
    struct ras_trace *trace; /* NULL: there is none, or `err` says why it cannot be opened */
    struct ras_error err;
    struct ras_rundir_file *files;
    size_t file_count;
    const char **varies; /* paths of what no two runs have in common, such as durations */
    size_t vary_count;
    uint64_t reserved[2];
};

struct ras_rundir {
    const char *path;             /* of what is in memory: its name */
    struct ras_error json_err;    /* RAS_OK, or why run.json cannot be understood */
    const struct ras_value *json; /* run.json, a map; NULL: it cannot be understood */
    struct ras_rundir_pen *pens;
    size_t pen_count;
};

/* Whether a path is a directory that has a file run.json. By URL, which ends with '/' then, the
 * server is asked. */
RAS_API bool ras_rundir_exists(const char *path);
/* Fails only when the directory cannot be read or no trace is in it that can. */
RAS_API int ras_rundir_open(struct ras_rundir **out, const char *path,
                            const struct ras_options *options, struct ras_error *err) RAS_CHECKED;
/* The same from memory, which is borrowed until it is closed: the files with their paths below the
 * directory, one of which is run.json. `name` is what it is called. */
RAS_API int ras_rundir_open_parts(struct ras_rundir **out, const char *name,
                                  const struct ras_part *parts, size_t count,
                                  const struct ras_options *options,
                                  struct ras_error *err) RAS_CHECKED;
RAS_API bool ras_rundir_exists_in(const struct ras_part *parts, size_t count);
RAS_API void ras_rundir_close(struct ras_rundir *run); /* NULL is fine */

/* ---- ticks ---------------------------------------------------------------- */

/* How it is known which records are of a tick. */
enum ras_rundir_order {
    RAS_ORDER_INDEX, /* ticks.idx has it */
    RAS_ORDER_MARKS, /* by a scan of the traces for what marks ticks: ticks.idx is not there, or
                      * not whole */
    RAS_ORDER_CLOCK, /* by times, for a run of version 1 marks nothing in its calls: what lies
                      * at a border may be a neighbour's */
};
/* Finds out, if that was not done yet. *why is why ticks.idx is not used, "" where it is; it
 * lives as long as the run. NULL is fine. */
RAS_API enum ras_rundir_order ras_rundir_order(const struct ras_rundir *run, const char **why);

/* The tick of a record by its number in a stream of a pen; RAS_NONE: before the first tick, or
 * unknown. Numbers are index_seq in a thread of ATF, else those of struct ras_record. */
RAS_API uint64_t ras_rundir_tick_of(const struct ras_rundir *run, size_t pen, uint32_t stream,
                                    uint64_t seq);
/* The records of a tick there, half-open; `inside`: up to `settled` only, where the simulation's
 * part of the tick is over. False: there is no such tick in the stream. The end may be RAS_NONE:
 * that of the stream. */
RAS_API bool ras_rundir_span_of(const struct ras_rundir *run, size_t pen, uint32_t stream,
                                uint64_t tick, bool inside, struct ras_span *span);

/* What run.json and the files say of each other, as findings of the rules "run" (ras_rule_at).
 * A finding's part counts the pens; after the last of them are run.json and ticks.idx. The traces
 * themselves are verified by ras_verify(). */
RAS_API int ras_rundir_verify(struct ras_report **out, struct ras_rundir *run,
                              const struct ras_verify_options *options,
                              struct ras_error *err) RAS_CHECKED;
/* The file that a part of such a finding refers to. */
RAS_API const char *ras_rundir_part(const struct ras_rundir *run, uint32_t part);

/* As `verify --json` begins it: an object with what was found, which the caller ends, as with the
 * documents of the traces. */
RAS_API void ras_json_rundir_report(struct ras_json *json, const struct ras_rundir *run,
                                    const struct ras_report *report, bool strict);

/* What one pen says of two runs. */
struct ras_rundiff_pen {
    const char *format;
    struct ras_diff *diff; /* NULL: there is none, as `err` says */
    int failed;            /* of what: 0 the expected run, 1 the actual one, 2 the two together */
    struct ras_error err;
    uint64_t tick; /* of its first divergence; RAS_NONE: it has none, or none on this axis */
    bool about;    /* that tick is not exact: the thread is not the one that runs the ticks */
    /* Events and calls: all that differs in that tick. NULL: one divergence is all. */
    struct ras_diff *in_tick;
    uint64_t reserved[2];
};
/* Divergences of a tick that ras_rundiff_json() prints; it counts them all. */
#define RAS_RUNDIFF_IN_TICK 256u

struct ras_rundiff {
    struct ras_rundiff_pen *pens;
    size_t pen_count;
    size_t compared; /* pens that could be */
    bool diverged;
    uint64_t first_tick; /* of all divergences; RAS_NONE: none is known */
    uint64_t checked;    /* positions of all pens */
    /* Rows {"path","kind","expected","actual"}: what was run otherwise by intent, such as
     * another seed; NULL: nothing. */
    const struct ras_value *settings;
    /* A program ended without closing its run, and what it did after the last tick that is stored
     * is not known: that far its run was compared, and the options did not end there. */
    bool unfinished;
};

/* How the program of a run ended, as run.json has it. */
struct ras_rundir_ended {
    bool closed;   /* it closed the run, or `repair` completed it */
    bool repaired; /* `repair` did */
    bool lost;     /* it may have gone on after the last tick that is stored */
    uint64_t tick; /* the last that is known to have begun; RAS_NONE: it closed the run, or none */
    uint64_t last; /* the last that is stored, of a run that is closed; RAS_NONE: none */
    uint64_t reserved[2];
};
RAS_API void ras_rundir_how_ended(const struct ras_rundir *run, struct ras_rundir_ended *ended);

/* Compare two runs pen by pen, each to its first divergence, and put the divergences on the
 * axis of ticks. Times are not compared, nor what `varies`. What a format cannot do with the
 * options is reported by its pen. */
RAS_API int ras_rundiff(struct ras_rundiff **out, struct ras_rundir *expected,
                        struct ras_rundir *actual, const struct ras_compare_options *options,
                        struct ras_error *err) RAS_CHECKED;
RAS_API void ras_rundiff_free(struct ras_rundiff *diff);
/* "diverged"; "failed": nothing was compared; "incomplete": what was compared is the same, but a
 * trace that a run should have could not be, or a run is not finished; "ok". */
RAS_API const char *ras_rundiff_status(const struct ras_rundiff *diff);

/* ---- the staff: what goes on and what differs, tick by tick ---------------------------------- */

/* One pen in each tick of a window. */
struct ras_staff_line {
    const char *format;
    const char *counts;   /* by n: "commands", "events" */
    uint64_t *n[2];       /* how much goes on in the tick; RAS_NONE: the side does not have it */
    uint64_t *d;          /* commands, rows, events or calls that differ; RAS_NONE: not known, since
                           * a side is missing, cut before the tick, or does not have it either */
    bool about;           /* some records were assigned to ticks by another thread's */
    int failed;           /* of what: 0 the expected run, 1 the actual one, 2 the two together */
    struct ras_error err; /* RAS_OK, or why nothing is known of d */
    uint64_t reserved[2];
};

struct ras_staff {
    uint64_t first, last; /* both included */
    struct ras_staff_line *lines;
    size_t line_count;
};
#define RAS_STAFF_MOST 65536u /* ticks of a window */

/* Compare a window of ticks of two runs to its end, and count what differs in each tick instead of
 * keeping it. Records belong to ticks as ras_rundir_span_of() has it, and those of a tick are
 * compared with those of the same tick; never by clocks, except for runs that mark no ticks
 * (RAS_ORDER_CLOCK). Lines are those of ras_rundiff(), in its order. Of the options the bounds, the
 * spans and keep_going have no effect. RAS_EUSAGE: the window is empty, or too wide. */
RAS_API int ras_rundiff_window(struct ras_staff **out, struct ras_rundir *expected,
                               struct ras_rundir *actual, uint64_t first, uint64_t last,
                               const struct ras_compare_options *options,
                               struct ras_error *err) RAS_CHECKED;
/* The same of two traces of one format: one line. Places are those of ras_diff(): ticks or frames,
 * else the numbers of the expected trace's records, of calls those in `stream`. */
RAS_API int ras_diff_window(struct ras_staff **out, struct ras_trace *expected,
                            struct ras_trace *actual, uint32_t stream, uint64_t first,
                            uint64_t last, const struct ras_compare_options *options,
                            struct ras_error *err) RAS_CHECKED;
RAS_API void ras_staff_free(struct ras_staff *staff); /* NULL is fine */

/* {"schema_version","status","first_divergent_tick","pens":{...}}, each pen a diff document
 * with its "tick"; one of events or calls has "divergences", those of that tick, and their
 * "divergence_count". No newline. */
RAS_API int ras_rundiff_json(struct ras_sink *sink, const struct ras_rundiff *diff,
                             const struct ras_compare_options *options, enum ras_json_layout layout,
                             struct ras_error *err) RAS_CHECKED;

/* The last of several runs against each of those before it, which the caller compared. */
struct ras_runbisect_pair {
    const char *path;
    struct ras_rundiff *diff;
    uint64_t reserved[2];
};
struct ras_runbisect {
    struct ras_runbisect_pair *pairs;
    size_t pair_count;
    size_t nearest; /* as ras_runbisect_nearest() found it */
    uint64_t reserved[2];
};

/* The pair that parts last; pair_count: one of them does not. */
RAS_API size_t ras_runbisect_nearest(const struct ras_runbisect *bisect);
/* The window around the first bad tick; false: there is none. */
RAS_API bool ras_runbisect_window(const struct ras_rundiff *diff, uint64_t before, uint64_t after,
                                  int64_t *first, int64_t *last);
/* As ras_bisect_json() has it, with `pens` in place of `mismatch`. */
RAS_API int ras_runbisect_json(struct ras_sink *sink, const struct ras_runbisect *bisect,
                               const struct ras_bisect_options *options,
                               enum ras_json_layout layout, struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
