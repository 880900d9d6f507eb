/* repair.h - what the files of a repair share. */
#ifndef OPS_REPAIR_REPAIR_H
#define OPS_REPAIR_REPAIR_H

#include "core/format.h"
#include "ops/repair/plan.h"

/* The current bytes of a part; empty for a new one. */
struct ras_bytes repair_part(const struct source *, const char *name);
/* Whether its file is compressed, and is so again when it is written. */
bool repair_is_packed(const struct source *, const char *name);
/* For plan_apply(): to a sink, in pieces. */
int repair_to_sink(void *sink, const void *bytes, size_t n, struct ras_error *);
/* Write a part under its own name, replacing any file there. */
int repair_write_part(const struct plan_map *, const char *part, const struct source *,
                      const char *path, struct ras_error *);
/* The repair of formats without one of their own. */
int repair_cut(struct ras_trace *, const struct ras_repair_options *, struct plan *,
               struct ras_error *);
/* Repair in place, after writing the undo plan to `backup`. */
int repair_in_place(const struct plan_map *, const struct source *, const char *path,
                    const char *backup, struct ras_error *);

/* Records of a trace by schema id. */
struct repair_counts {
    uint64_t *records;
    size_t count, room;
};

#endif
