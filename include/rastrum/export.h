/* export.h - a trace or a run in the format of another tool: timelines, profiles, tables.
 *
 * What cannot be carried is counted and reported, never dropped silently.
 *
 *     struct ras_export_result *result;
 *     const struct ras_export_options options = {.target = "perfetto", .sink = sink};
 *     if (ras_export(&result, trace, &options, err) == RAS_OK) {
 *         for (size_t i = 0; i < result->lost_count; i++)
 *             fprintf(stderr, "%" PRIu64 " %s\n", result->lost[i].count, result->lost[i].what);
 *         ras_export_result_free(result);
 *     } */
#ifndef RASTRUM_EXPORT_H
#define RASTRUM_EXPORT_H

#include <rastrum/rundir.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ras_export_kind {
    RAS_EXPORT_TIMELINE, /* slices, instants and counters on tracks, or a profile of them */
    RAS_EXPORT_TABLES,   /* records as rows */
};

/* One format that is written. */
struct ras_export_target {
    const char *name;      /* "chrome" */
    const char *about;     /* what it is and what reads it, in a line */
    const char *extension; /* of its files, with the dot; "" where it is a directory */
    enum ras_export_kind kind;
    bool is_folder;    /* several files: a ras_folder instead of a ras_sink */
    bool is_binary;    /* not for a terminal */
    bool is_per_table; /* a file a table: a ras_sink for one, a ras_folder for several */
    bool needs_file;   /* it is read back while it is made: a ras_sink of a file or of memory */
};
/* The i-th target, NULL past the last; the one of that name, NULL: none. */
RAS_API const struct ras_export_target *ras_export_target_at(size_t i);
RAS_API const struct ras_export_target *ras_export_target_of(const char *name);

struct ras_table_writer; /* <rastrum/sql.h> has one */

/* Some streams of one trace of a run. */
struct ras_export_streams {
    const uint32_t *ids;
    size_t count; /* 0: nothing of the trace is written */
    uint64_t reserved[2];
};

/* What to write. Zero-initialised but for the target and where it goes: all of it. */
struct ras_export_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *target;
    struct ras_sink *sink;     /* where it goes: stays the caller's */
    struct ras_folder *folder; /* the same, where the target is_folder */

    const char *const *types; /* names or globs; NULL: what the target shows by default */
    size_t type_count;
    const char *const *fields; /* those of records that are shown; NULL: all */
    size_t field_count;
    /* A range as in struct ras_scan. Of a run: of times on its clock, where a tick has the time at
     * which it begins, or of ticks, which every record has by its place in the order of the
     * records. */
    enum ras_axis axis;
    uint64_t from, to;
    struct ras_where *where; /* only records that match; NULL: all */
    const uint32_t *streams; /* of one trace: only records of these streams; NULL: of all */
    size_t stream_count;
    /* Timelines: "TYPE:FIELD", records of a type are slices that last FIELD nanoseconds and end
     * at their time; "TYPE:FIELD:start", that begin there. */
    const char *const *slices;
    size_t slice_count;
    bool merged; /* tables: one order by time over all streams */

    ras_progress *progress; /* NULL: none */
    void *user;

    const char *trace_name; /* tables: a first column `trace` with this text; NULL: none */
    /* ClickHouse: the statements that create the tables instead of rows; with a cluster those of a
     * local and a distributed one. The partition that rows belong to; NULL: "1". */
    bool ddl;
    const char *cluster, *batch;
    uint32_t shard, shard_count; /* only streams whose id % shard_count is shard; 0: all */
    /* SQLite: ras_sql_table_writer() of librastrum-sql. NULL: RAS_EUNSUPPORTED. */
    const struct ras_table_writer *sqlite;
    const struct ras_choice *choices; /* timelines: the format's options for the verb export */
    size_t choice_count;
    const struct ras_export_streams *run_streams; /* of a run: by pen; NULL: all */
};

/* So many of what was written, or was not. */
struct ras_export_count {
    const char *what; /* written: "slices"; lost: the reason, in a phrase */
    uint64_t count;
};
struct ras_export_result {
    struct ras_export_count *written;
    size_t written_count;
    struct ras_export_count *lost; /* what could not be carried, or not as it is */
    size_t lost_count;
};

/* Write a trace, or the traces of a run as one. RAS_ENAME: the target does not exist. RAS_EUSAGE:
 * options that contradict each other. A cut or damaged trace is written as far as it goes:
 * ras_ending() of each trace. What the caller's sink has taken stays in it after a failure. */
RAS_API int ras_export(struct ras_export_result **out, struct ras_trace *trace,
                       const struct ras_export_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_export_run(struct ras_export_result **out, struct ras_rundir *run,
                           const struct ras_export_options *options,
                           struct ras_error *err) RAS_CHECKED;
RAS_API void ras_export_result_free(struct ras_export_result *result); /* NULL is fine */

/* ---- datasets ----------------------------------------------------------------------------- */

/* A directory of Parquet files that many traces are added to, each exactly once: docs/at-scale.md
 * has its layout. */

enum ras_dataset_state {
    RAS_DATASET_ADDED,
    RAS_DATASET_PRESENT, /* its content was there before */
    RAS_DATASET_FAILED,  /* it cannot be read: see err */
    RAS_DATASET_PRUNED,  /* `superseded`, which was added as this path, was removed */
    RAS_DATASET_STUCK,   /* it stays: another trace of its batch cannot be added again, see err */
};
struct ras_dataset_trace {
    const char *path;
    const char *id;         /* of its content: 16 hexadecimal digits; "" where that failed */
    const char *superseded; /* the id that the path had before; NULL: none, or the same */
    enum ras_dataset_state state;
    struct ras_ending ending; /* ADDED: the worst, where there are several traces */
    uint64_t rows;
    struct ras_error err;
};

/* Zero-initialised but for the directory and the paths. */
struct ras_dataset_options {
    size_t struct_size;       /* sizeof, or 0: see docs/abi.md */
    const char *folder;       /* made where it does not exist */
    const char *const *paths; /* traces and run directories */
    size_t path_count;
    const struct ras_options *options; /* to open them; NULL: the usual */
    unsigned jobs;                     /* threads, each with batches of its own; 0: 1 */
    uint64_t batch_bytes;              /* a batch is closed when it has as many; 0: 256 MiB */
    uint64_t batch_traces;             /* or as many traces; 0: 1024 */
    /* What became of each path, by one thread at a time; NULL: not wanted. */
    void (*trace)(void *user, const struct ras_dataset_trace *trace);
    ras_progress *progress; /* paths done, of all */
    void *user;
    /* Remove traces that were added as one of the paths, where it has other content now. The other
     * traces of their batches are added once more, from where they are. */
    bool prune;
};
struct ras_dataset_result {
    uint64_t added, present, failed;
    uint64_t lossy;   /* of those added: cut or damaged */
    uint64_t batches; /* that were committed */
    uint64_t files, bytes, rows;
    uint64_t leftovers; /* directories that an interrupted run left, removed */
    uint64_t pruned;    /* superseded traces that were removed, and those that could not be */
    uint64_t stuck;
    /* What was not carried as recorded: values that their column cannot hold are null; lists with
     * an item that is null are null; texts that are not UTF-8 have U+FFFD instead. */
    uint64_t unfit, null_items, not_utf8;
    uint64_t reserved[4];
};
/* Add the traces whose content is not there. Whatever ends it early, the batches that are in the
 * manifest are whole, and the next call goes on after them. RAS_EUSAGE: another process adds to
 * it, or it is not a dataset. */
RAS_API int ras_dataset_add(struct ras_dataset_result *out,
                            const struct ras_dataset_options *options,
                            struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
