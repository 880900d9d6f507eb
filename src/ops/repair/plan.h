/* plan.h - a repair as data: patches that a driver lists and repair.c applies. */
#ifndef OPS_REPAIR_PLAN_H
#define OPS_REPAIR_PLAN_H

#include "base/id_table.h"
#include "codec/json_write.h"
#include "core/passes.h"

struct source;

struct plan {
    struct ras_plan out;
    size_t patch_room, note_room;
    struct id_table noted; /* see lines_add() */
    bool nomem;
    struct passes *passes; /* who is told how far the driver is; NULL: nobody */
    uint64_t total;        /* bytes of the trace */
    bool cut_is_covered;   /* what a cut wrapping lacks the driver found elsewhere, or reports */
};

/* Replace `remove` bytes of the named part at `at` by these, which are copied. Patches of one part
 * are in ascending order. An unknown name creates a new part. */
void plan_patch(struct plan *, const char *part, uint64_t at, uint64_t remove, const void *insert,
                size_t len);
/* Something that was guessed, or that cannot be repaired. */
void plan_note(struct plan *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Content and records (RAS_NONE: not known) that the patches lose. */
void plan_lose(struct plan *, uint64_t bytes, uint64_t records);
/* Report the bytes that the driver has passed; cheap enough for every record. False: the repair is
 * canceled, and the driver returns at once; what it returns and what it planned does not matter. */
static inline bool plan_progress(struct plan *p, uint64_t done)
{
    return !p->passes || passes_at(p->passes, done, p->total);
}

/* ---- for core and ops ---- */

void plan_free(struct ras_plan *);
/* The last note was added. */
void plan_done(struct plan *);

/* The patches of each part: a session may have a hundred thousand parts. The plan must not change
 * while this is used. */
struct plan_map {
    const struct ras_plan *plan;
    struct id_table first; /* hash of a part's name: its first patch */
    uint32_t *next;        /* of the same hash; PLAN_NONE: no more */
};
#define PLAN_NONE ID_TABLE_NONE
/* Zeroed on failure; plan_map_free() is for both. */
int plan_map_make(struct plan_map *, const struct ras_plan *, struct ras_error *);
void plan_map_free(struct plan_map *);
/* The first patch of this part, and the next of the same as patch `i`; or PLAN_NONE. */
uint32_t plan_first(const struct plan_map *, const char *part);
uint32_t plan_next(const struct plan_map *, uint32_t i);
/* Pass the patched bytes of a part to `take`, piece by piece; it returns a status. */
int plan_apply(const struct plan_map *, const char *part, struct ras_bytes all,
               int (*take)(void *user, const void *bytes, size_t n, struct ras_error *), void *user,
               struct ras_error *);
/* The plan that undoes this one. */
int plan_invert(const struct plan_map *, const struct source *, struct plan *inverse,
                struct ras_error *);
/* A plan as JSON: an array of {"part","at","remove","insert"}, insert in hexadecimal. */
void plan_put(struct json *, const char *key, const struct ras_plan *);
struct arena;
int plan_get(const struct ras_value *list, struct arena *, struct plan *, struct ras_error *);
/* The "part" of a map; NULL: it is not a path inside the trace. */
const char *plan_part(const struct ras_value *map, struct ras_error *);
#endif
