/* limits.h - how much of a comparison is shown, how far it looks ahead, how often it reports
 * progress: the same for every format. */
#ifndef OPS_COMPARE_LIMITS_H
#define OPS_COMPARE_LIMITS_H

enum compare_limits {
    /* Two traces that have nothing in common differ everywhere. */
    COMPARE_DIVERGENCES_MOST = 1 << 20,

    /* The aligned walk: rows of each side that are aligned at first, at most (when fewer do not
     * bring the sides together again), and insertions and deletions among them. */
    COMPARE_WINDOW_FIRST = 256,
    COMPARE_WINDOW_MOST = 16384,
    COMPARE_DIFFERENCES_MOST = 1024,

    /* Between two reports of progress: rows that are cheap to pass, frames or ticks that are not.
     */
    COMPARE_PROGRESS_ROWS = 65536,
    COMPARE_PROGRESS_PLACES = 256,

    /* What one detail shows; the rest is counted or left out. */
    COMPARE_ROWS_MOST = 256,    /* mismatches of one frame or tick */
    COMPARE_LISTED_MOST = 8,    /* rows that one side has and the other has not */
    COMPARE_ITEMS_SHOWN = 64,   /* of a list: commands of a frame, numbers, calls of a path */
    COMPARE_BYTES_SHOWN = 256,  /* of a blob */
    COMPARE_CELLS_SHOWN = 4096, /* of one value of an event */
};
#endif
