/* target.h - a row of the table of export targets, and what one is given. */
#ifndef EXPORT_TARGET_H
#define EXPORT_TARGET_H

#include "base/error.h"
#include "ops/timeline/timeline.h"
#include <rastrum/export.h>

/* What is exported: one trace, or a run. */
struct export_job {
    const struct ras_export_options *how;
    struct ras_trace *trace; /* NULL: a run */
    struct ras_rundir *run;  /* NULL: a trace */
    struct ras_export_result *result;
};

struct target {
    struct ras_export_target about;
    const struct timeline_writer *timeline; /* or else */
    int (*write)(struct export_job *, struct ras_error *);
};

/* Targets, each in the file of its name. */
extern const struct target chrome_target, ctf_target, firefox_target, folded_target,
    perfetto_target, pprof_target, speedscope_target;
extern const struct target dataset_target, arrow_target, clickhouse_target, csv_target,
    jsonl_target, parquet_target, sqlite_target;

/* Count what was written or could not be; the text is static. False: memory is short. */
bool export_wrote(struct export_job *, const char *what, uint64_t count);
bool export_lost(struct export_job *, const char *why, uint64_t count);
#endif
