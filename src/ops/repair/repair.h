/* repair.h - what writes a repaired trace, and what judges it. */
#ifndef OPS_REPAIR_REPAIR_H
#define OPS_REPAIR_REPAIR_H

#include "core/format.h"
#include "ops/repair/plan.h"

/* The bytes of a part as they are; none of one that is yet to be made. */
struct ras_bytes repair_part(const struct source *, const char *name);
/* Whether the i-th patch is the first of a part that the source has not. */
bool repair_is_fresh(const struct plan_map *, const struct source *, size_t i);
/* For plan_apply(): to a sink, in pieces. */
int repair_to_sink(void *sink, const void *bytes, size_t n, struct ras_error *);
/* A lone file; it replaces only a trace. */
int repair_write_file(const struct plan_map *, struct ras_bytes all, const char *path, bool replace,
                      struct ras_error *);
/* A part under its own name, whatever is there. */
int repair_write_part(const struct plan_map *, const char *part, struct ras_bytes all,
                      const char *path, struct ras_error *);
/* repair_links.c: whether a part has several hard links; whether they can be kept; the same into
 * the file itself. */
bool repair_is_linked(const char *path);
int repair_check_linked(const char *path, struct ras_error *);
int repair_write_linked(const struct plan_map *, const char *part, struct ras_bytes all,
                        const char *path, struct ras_error *);
/* repair_cut.c: what a driver without `repair` gets. */
int repair_cut(struct ras_trace *, const struct ras_repair_options *, struct plan *,
               struct ras_error *);
/* repair_place.c: after writing what takes it back to `backup`. */
int repair_in_place(const struct plan_map *, const struct source *, const char *path,
                    const char *backup, struct ras_error *);
int repair_write_folder(const struct plan_map *, struct source *, struct ras_folder *,
                        struct ras_error *);
int repair_write_directory(const struct plan_map *, struct source *, const char *path, bool replace,
                           struct ras_error *);

/* Records of a trace by schema id. */
struct repair_counts {
    uint64_t *records;
    size_t count, room;
};
bool repair_counts_grow(struct repair_counts *, uint32_t schema);
/* What was there before and is not any more is lost, whatever the plan says. */
int repair_count_missing(struct ras_repair *, const struct ras_trace *before,
                         const struct repair_counts *, struct ras_error *);

/* Make an ending's words last. */
int repair_keep_ending(struct ras_ending *, struct ras_error *);
/* Judge the repaired trace at a path, or before it is written: changed parts are made in
 * memory or spooled. */
int repair_judge_path(struct ras_repair *, const char *path, const struct ras_options *,
                      struct ras_error *);
int repair_judge_copy(struct ras_repair *, const struct plan_map *, const struct ras_trace *,
                      const struct ras_options *, struct ras_error *);
#endif
