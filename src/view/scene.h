/* scene.h - ticks as pictures of a map: positions packed, and what the whole of a trace covers. */
#ifndef VIEW_SCENE_H
#define VIEW_SCENE_H

#include "base/out.h"
#include "ops/scene/scene_driver.h"

enum {
    SCENE_TICKS_MOST = 240, /* of one answer */
    SCENE_KINDS_MOST = 8,
    SCENE_HEAD_SIZE = 40,
    SCENE_ITEM_SIZE = 40,
    SCENE_CURVE_MOST = 4096, /* points of a curve */
};
#define SCENE_MAGIC      0x314b5452u        /* "RTK1" */
#define SCENE_BYTES_MOST ((size_t)16 << 20) /* of one answer */
enum scene_item_flags { SCENE_ACTIVE = 1, SCENE_HEADED = 2, SCENE_SIZED = 4 };

/* The items of up to `count` ticks from `from` on, as docs/view-protocol.md has them. Fewer where
 * they would exceed SCENE_BYTES_MOST. */
int scene_pack(struct out *, struct ras_trace *, uint64_t from, uint32_t count, uint32_t generation,
               struct ras_error *);

/* Numbers by tick, at most SCENE_CURVE_MOST of them: each is the largest of `every` ticks. */
struct scene_curve {
    uint32_t *at;
    size_t count, room;
    uint64_t every;
};

/* What the whole trace has. Zero-initialised. */
struct scene_survey {
    bool any;                                    /* tick */
    uint64_t first, last;                        /* of all */
    bool placed;                                 /* something has a place */
    double box[4];                               /* left, top, right, bottom of all places */
    struct scene_curve curves[SCENE_KINDS_MOST]; /* active things of each kind */
    uint32_t now[SCENE_KINDS_MOST];              /* of the current tick */
    uint64_t tick;
    bool nomem;
};
int scene_survey(struct scene_survey *, struct ras_trace *, ras_progress *, void *user,
                 struct ras_error *);
void scene_survey_free(struct scene_survey *);

/* Another value at `place` ticks after the first: the largest of those that share a point counts.
 * False: memory is short. */
bool scene_curve_put(struct scene_curve *, uint64_t place, uint32_t value);

/* The number of kinds that the trace's driver has, at most SCENE_KINDS_MOST. */
unsigned scene_kind_count(const struct scene_ops *);
/* The kind that records of this type are of, after `last` (-1: the first); -1: none. */
int scene_kind_of(const struct scene_ops *, const char *type, int last);
#endif
