/* align.h - where two sequences diverge and meet again: the fewest insertions and deletions.
 *
 * Myers' greedy search in O((n + m) d), over the caller's own notion of equality, with a
 * bound on d so that time and memory are bounded, too. */
#ifndef CODEC_ALIGN_H
#define CODEC_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a_count elements from a on are replaced by b_count from b on; everything between two hunks is
 * the same in both. One of the counts may be 0. */
struct align_hunk {
    size_t a, a_count, b, b_count;
};

struct align {
    bool (*same)(void *user, size_t a, size_t b);
    void *user;
    size_t most; /* insertions and deletions, together */
    /* Both, or NULL: numbers of the elements, which are equal where these are the same. They spare
     * most calls. */
    const uint32_t *keys[2];

    /* The result, good until the next run. */
    struct align_hunk *hunks;
    size_t hunk_count;
    size_t a, b; /* how far it got */
    bool lost;   /* there are more than `most` differences: it got as far as it could */
    size_t distance;
    uint64_t effort; /* places entered, of all runs so far */

    /* Its own. */
    uint32_t *trail;
    size_t trail_room, hunk_room;
};

enum align_open {
    ALIGN_A_OPEN = 1, /* more may follow the n elements of a: it is enough to reach their end */
    ALIGN_B_OPEN = 2,
};

/* Align n elements with m; where neither is open, up to the ends of both. False: no memory. */
bool align_run(struct align *, size_t n, size_t m, unsigned open);
/* A changed element looks like a deletion and an insertion in the same place. If the last run can
 * be expressed by changes only, each of two elements that are similar, and by no more of them than
 * it has deletions and insertions, then do so. False: no memory. */
bool align_pair(struct align *, size_t n, size_t m, unsigned open,
                bool (*similar)(void *user, size_t a, size_t b));
void align_free(struct align *);
#endif
