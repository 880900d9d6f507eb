/* detail_text.h - what differs at one place of two traces, as lines of text. */
#ifndef CLI_DETAIL_TEXT_H
#define CLI_DETAIL_TEXT_H

#include "cli/comparison.h"

/* What is written, and how many lines may still be. */
struct page {
    struct answer *a;
    int indent;  /* of every line */
    int lines;   /* that may still be written */
    size_t left; /* lines that there was no room for */
    bool cut;    /* a value was shortened */
};

/* Whether there is room for a line; it is begun then. */
bool line_begins(struct page *);
/* A list or a map. */
bool holds(const struct ras_value *);
/* Each field that differs, with expected and actual; then what both have alike. */
void put_detail(struct page *, const struct ras_value *detail);
/* A map on one line, without the member `except`: KEY=VALUE, `pos.x=3.5`. `unlike`: only what
 * is not the same there. */
void put_flat(struct answer *, const struct ras_value *map, const struct ras_value *unlike,
              const char *except);
/* A value: null, true, 1.0, text as it is; the second one shortened, lists and maps too. */
void put_scalar(struct answer *, const struct ras_value *);
void put_short(struct answer *, const struct ras_value *);
/* "and 12 more lines: --json has them all", if there are; or that values were shortened. */
void put_left(const struct page *);
/* "tick 6, thread 0": where a divergence is, but for the place that has the name `except`. */
void put_places(struct answer *, const struct ras_divergence *, const char *before,
                const char *except);
/* "result=ok", coloured on a terminal. */
void put_result(struct answer *, const char *result);
/* " tick=6 thread=0 kind=tick_mismatch", the first name behind a prefix. */
void put_found_at(struct answer *, const struct ras_divergence *, const char *prefix);
#endif
