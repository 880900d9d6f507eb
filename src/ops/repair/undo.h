/* undo.h - the file that undoes a repair in place: a plan, and the exact files that it is for. */
#ifndef OPS_REPAIR_UNDO_H
#define OPS_REPAIR_UNDO_H

#include "codec/sha256.h"
#include "ops/repair/plan.h"

/* The exact state of a part. */
struct undo_state {
    bool there;
    uint64_t size;
    uint8_t sha256[SHA256_SIZE];
};

struct undo_part {
    char *name;
    struct undo_state now, then; /* before and after the plan */
};

struct undo {
    struct plan plan;
    struct undo_part *parts;
    size_t count, room;
};

struct undo_state undo_state_of(struct ras_bytes all);
bool undo_same(const struct undo_state *, const struct undo_state *);
/* The state of the part after the plan's patches. */
int undo_state_after(const struct plan_map *, const char *part, struct ras_bytes all,
                     struct undo_state *, struct ras_error *);
/* The undo of a plan for this source, which still has the original bytes. */
int undo_make(struct undo *, const struct plan_map *, const struct source *, struct ras_error *);
void undo_put(struct out *, const struct undo *);
int undo_get(struct ras_bytes json, struct undo *, struct ras_error *);
void undo_free(struct undo *);
#endif
