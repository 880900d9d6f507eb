/* align_walk.h - two sequences of rows side by side, aligned where they diverge.
 *
 * Equal rows are passed. Where rows differ, a window of each side is aligned, first by content;
 * between equal rows, similar rows are a pair that was changed, and the others were inserted or
 * deleted. A format supplies the rows. */
#ifndef OPS_COMPARE_ALIGN_WALK_H
#define OPS_COMPARE_ALIGN_WALK_H

#include "codec/align.h"
#include "ops/compare/compare_driver.h"

/* A window: the current row of a side and the rows after it. */
struct align_window {
    size_t count;
    bool ended; /* it holds all remaining rows */
};

/* Functions return RAS_OK or an error; those that report a divergence also RAS_END: stop here. Rows
 * a and b are counted from the beginning of the windows. */
struct align_walk_ops {
    /* Pass equal rows, at most N; returns their number. */
    int (*pass)(void *user, uint64_t most, uint64_t *passed, struct ras_error *);
    bool (*has_row)(const void *user, int side);
    /* Whether rows after the last one of a side are unknown, because the side was cut. */
    bool (*is_cut)(const void *user, int side);
    /* For progress: bytes of the first side that were passed, and the total. */
    uint64_t (*progress)(const void *user, uint64_t *total);
    /* Before differing rows are aligned, where both sides have one: RAS_OK when the sides were
     * moved instead, RAS_END when not. NULL: never moved. */
    int (*resync)(void *user, struct ras_error *);
    /* Extend the window, empty at first, to `want` rows or to the end. */
    int (*fill)(void *user, int side, size_t want, struct align_window *, struct ras_error *);
    bool (*same)(void *user, size_t a, size_t b);
    /* A number of a row that is filled, equal for rows that are the same. NULL: there is none. */
    uint32_t (*key)(const void *user, int side, size_t row);
    /* Whether one row may be a changed version of the other. */
    bool (*similar)(void *user, size_t a, size_t b);
    /* Put a value with the differences of a pair into the document; *rows is their number. */
    int (*put_pair)(void *user, size_t a, size_t b, struct document *, size_t *rows,
                    struct ras_error *);
    /* Report the pair that was put last. */
    int (*changed)(void *user, size_t a, size_t b, size_t detail);
    /* Report rows without counterpart, of one side or both. `room`: how many rows directly before
     * them are equal; 0 between pairs. */
    int (*alone)(void *user, const struct align_hunk *, uint64_t room, struct ras_error *);
    /* Report the remaining rows of a side whose window was filled: the other has ended. */
    int (*rest)(void *user, int side, struct ras_error *);
    /* Make these the current rows; they may be the ones after the windows. */
    int (*seek)(void *user, size_t a, size_t b, struct ras_error *);
};

struct align_walk {
    struct compare *c;
    const struct align_walk_ops *ops;
    void *user;

    /* Private. */
    struct align rows, names;
    struct align_window window[2];
    uint32_t *keys[2];
    size_t key_room[2];
    uint64_t room; /* rows passed since the last difference */
    bool over;     /* all of both sides was reported */
};

/* From the current rows to the ends of both sides. RAS_OK, RAS_END: stopped. May be called again
 * for other rows. */
int align_walk_run(struct align_walk *, struct ras_error *) RAS_CHECKED;
void align_walk_free(struct align_walk *);

/* The rows of a hunk: similar ones become pairs, in their order; the others are one-sided. */
struct align_pairing {
    void *user;
    bool (*similar)(void *user, size_t a, size_t b);
    int (*pair)(void *user, size_t a, size_t b, struct ras_error *);
    int (*alone)(void *user, const struct align_hunk *, struct ras_error *);
};
int align_pair_rows(struct align *names, const struct align_hunk *, const struct align_pairing *,
                    struct ras_error *) RAS_CHECKED;
#endif
