/* stats.h - figures of a trace: counts, durations, a format's own analyses; part of
 * rastrum.h.
 *
 *     struct ras_stats *stats;
 *     const char *const names[] = {"functions"};
 *     const struct ras_stats_options options = {
 *         .tables = names, .table_count = 1, .sort = "total_ns", .limit = 10};
 *     if (ras_stats(&stats, trace, &options, err) == RAS_OK) {
 *         if (ras_stats_json(sink, path, trace, stats, err) < 0)
 *             fprintf(stderr, "%s\n", err->text);
 *         ras_stats_free(stats);
 *     } */
#ifndef RASTRUM_STATS_H
#define RASTRUM_STATS_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialised: every table of the whole trace. */
struct ras_stats_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    enum ras_axis axis; /* RAS_AXIS_NONE: the whole trace */
    uint64_t from, to;  /* half-open; RAS_NONE as `to`: no bound */
    const char *const *tables;
    size_t table_count; /* 0: all */
    const char *sort;   /* rows by this column, numbers from the largest; NULL: as they come */
    uint64_t limit;     /* rows of each table; 0: all */
    bool no_rows;       /* of no table: their names, columns and coverage */
    ras_progress *progress;
    void *user;
    uint64_t offset; /* rows of each table that are left out before the first one shown */
};

struct ras_stats {
    /* {name: {"columns", "rows", "coverage"}}, and "left_out" where `limit` left rows out,
     * "skipped" where `offset` did.
     * Cells of a row are scalars. A column's name ends with its unit: _ns, _bytes,
     * _percent; time_ns is a place in time. */
    const struct ras_value *tables;
    struct ras_ending ending; /* .why lives as long as the trace */
    bool has_time;
    uint64_t time_first; /* ras_first_time() of the trace, whatever the range */
};

/* How the nodes below one are ordered: numbers from the largest. */
enum ras_tree_sort { RAS_TREE_TOTAL, RAS_TREE_SELF, RAS_TREE_COUNT, RAS_TREE_NAME };

/* Globs on the names of functions, whole or without template arguments and parameters. */
struct ras_tree_names {
    const char *const *at;
    size_t count; /* 0: none */
};

/* Zero-initialised: all calls of the whole trace, threads together. */
struct ras_tree_options {
    size_t struct_size;                 /* sizeof, or 0: see docs/abi.md */
    enum ras_axis axis;                 /* RAS_AXIS_NONE: the whole trace */
    uint64_t from, to;                  /* half-open; RAS_NONE as `to`: no bound */
    const uint64_t *threads;            /* ids of streams */
    size_t thread_count;                /* 0: all, unless there are names */
    struct ras_tree_names thread_names; /* all threads of each name, or of that number */
    bool by_thread;                     /* a tree for each */
    const char *by; /* of samples: a tree by "kind", "worker", "task" or "spawn"; NULL: kind */
    bool open;      /* instead, the calls that have no end: a table "open_calls" */
    struct ras_tree_names exclude; /* calls left out: their time and calls are their callers' */
    struct ras_tree_names focus;   /* the tree below these, from all places */
    struct ras_tree_names callers; /* turned round: these first, who called them below */
    bool fold_recursion;           /* a function that calls itself is one node */
    uint64_t depth;                /* of the nodes shown; 0: any */
    double min_percent;            /* of all time, for a node to be shown with what is below it */
    enum ras_tree_sort sort;
    ras_progress *progress;
    void *user;
};

/* RAS_EUSAGE when no table has the name or the requested column. */
RAS_API int ras_stats(struct ras_stats **out, struct ras_trace *trace,
                      const struct ras_stats_options *options, struct ras_error *err) RAS_CHECKED;
/* The call tree as a table "tree", or that of samples where a trace has those: rows in preorder,
 * callers before what they called, with their depth from 1 on. RAS_EUNSUPPORTED: the format has no
 * calls. */
RAS_API int ras_tree(struct ras_stats **out, struct ras_trace *trace,
                     const struct ras_tree_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_stats_free(struct ras_stats *stats);
RAS_API int ras_stats_json(struct ras_sink *sink, const char *path, const struct ras_trace *trace,
                           const struct ras_stats *stats, struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
