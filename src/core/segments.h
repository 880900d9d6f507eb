/* segments.h - what a format says of the segments of a recording.
 *
 * A format whose stream may be continued by another one names its segments here: their bytes, one
 * after the other in the order of their numbers, are part 0 of the source, so that whatever reads a
 * file reads the directory. Of a segment that another one follows only the whole records are
 * taken. */
#ifndef CORE_SEGMENTS_H
#define CORE_SEGMENTS_H

#include "core/source.h"

/* What the name of a segment says. */
struct segment_name {
    size_t stem; /* bytes before the number; equal ones belong to one recording */
    uint64_t number;
    unsigned rank; /* of several files of one number that of the lowest rank is taken */
};

struct segment_ops {
    /* False: it is not the name of a segment. */
    bool (*name)(const char *name, struct segment_name *);
    /* Whether the first bytes are those of a segment, as far as they are there. */
    bool (*begins)(struct ras_bytes head);
    /* How many of the bytes are whole records, so that another segment can follow; `why` says what
     * is wrong with those after them: RAS_ECUT, or RAS_EFORMAT and others. RAS_NONE: memory is
     * short. */
    uint64_t (*whole)(struct ras_bytes, const struct ras_limits *, struct ras_error *why);
};

/* Whether one of the files is a segment that begins as it should; loads what it reads. Also where
 * memory is too short to know it: joining them says so. */
bool join_finds(const struct source *, const struct segment_ops *);
#endif
