/* detail_text.h - what differs at one place of two traces, as lines of text. */
#ifndef CLI_DETAIL_TEXT_H
#define CLI_DETAIL_TEXT_H

#include "cli/comparison.h"

/* The output of a detail, and its limit of lines. */
struct page {
    struct answer *a;
    int indent;  /* of every line */
    int lines;   /* remaining */
    size_t left; /* lines that did not fit */
    bool cut;    /* a value was shortened */
};

/* Begin a line; false: the limit is reached. */
bool line_begins(struct page *);
/* A list or a map. */
bool holds(const struct ras_value *);
/* Each field that differs, with expected and actual; then the members that are equal on both sides.
 * */
void put_detail(struct page *, const struct ras_detail_member *members,
                const struct ras_value *detail);
/* The same for a list of rows. */
void put_detail_rows(struct page *, const struct ras_value *rows);
/* The members that a divergence's detail has; NULL: not stated. */
const struct ras_detail_member *detail_members(const struct ras_divergence *);
/* A map on one line, without the member `except`: KEY=VALUE, `pos.x=3.5`. `unlike`: only members
 * that differ from it. */
void put_flat(struct answer *, const struct ras_value *map, const struct ras_value *unlike,
              const char *except);
/* A value: null, true, 1.0, text unchanged; put_short() shortens, also lists and maps. */
void put_scalar(struct answer *, const struct ras_value *);
void put_short(struct answer *, const struct ras_value *);
/* "and 12 more lines: --json has them all", if there are; or that values were shortened. */
void put_left(const struct page *);
/* "tick 6, thread 0": the place of a divergence, without the axis named `except`. */
void put_places(struct answer *, const struct ras_divergence *, const char *before,
                const char *except);
/* "result=ok", coloured on a terminal. */
void put_result(struct answer *, const char *result);
/* " tick=6 thread=0 kind=tick_mismatch", the first name after a prefix. */
void put_found_at(struct answer *, const struct ras_divergence *, const char *prefix);
#endif
