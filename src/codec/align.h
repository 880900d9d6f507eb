/* align.h - where two sequences part and meet again: the fewest insertions and deletions.
 *
 * Myers' greedy search in O((n + m) d), over the caller's own notion of equality, with a
 * bound on d so that time and memory are bounded, too. */
#ifndef CODEC_ALIGN_H
#define CODEC_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a_count elements from a on stand where b_count from b on do; all between two hunks is
 * the same in both. One of the counts may be 0. */
struct align_hunk {
    size_t a, a_count, b, b_count;
};

struct align {
    bool (*same)(void *user, size_t a, size_t b);
    void *user;
    size_t most; /* insertions and deletions, together */

    /* The result, good until the next run. */
    struct align_hunk *hunks;
    size_t hunk_count;
    size_t a, b; /* how far it came */
    bool lost;   /* there are more than `most` differences: it came as far as it could */
    size_t distance;

    /* Its own. */
    uint32_t *trail;
    size_t trail_room, hunk_room;
};

enum align_open {
    ALIGN_A_OPEN = 1, /* more may follow behind the n elements of a: it is enough to reach them */
    ALIGN_B_OPEN = 2,
};

/* Align n elements with m; where neither is open, up to the ends of both. False: no memory. */
bool align_run(struct align *, size_t n, size_t m, unsigned open);
/* Nobody can tell an element that was changed from one that was deleted where another was
 * inserted. If the last run can be told as changes alone, each of two elements that are
 * akin, and of no more than it has in deletions and insertions, then do so. False: no memory. */
bool align_pair(struct align *, size_t n, size_t m, unsigned open,
                bool (*akin)(void *user, size_t a, size_t b));
void align_free(struct align *);
#endif
