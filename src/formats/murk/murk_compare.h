/* murk_compare.h - shared by the files that compare Murk replays. */
#ifndef MURK_COMPARE_H
#define MURK_COMPARE_H

#include "core/document.h"
#include "formats/murk/murk_driver.h"
#include "ops/compare/place_walk.h"

/* Rows of one report: {"path", "kind", "expected", "actual"}. */
struct murk_rows {
    struct compare *compare;
    struct document *doc; /* receives the rows */
    size_t count;
    uint64_t things; /* commands, and the hash, that the rows are about */
};

static inline bool murk_rows_full(const struct murk_rows *r)
{
    return r->count >= COMPARE_ROWS_MOST && !compare_counts(r->compare);
}

/* murk_compare_match.c: pairs the commands of two frames. */
#define MURK_UNMATCHED UINT32_MAX

struct murk_entry {
    uint32_t at, size; /* in the frame's commands */
    uint32_t match;    /* index in the other side's entries, or MURK_UNMATCHED */
    bool same;         /* equal to its counterpart byte for byte */
    bool moved;        /* its order relative to others has changed */
};

struct murk_entries {
    struct ras_bytes bytes;
    struct murk_entry *at;
    size_t count, room;
};

struct murk_key {
    uint64_t key;
    uint32_t index;
};

struct murk_match {
    struct murk_entries sides[2];
    size_t skipped; /* commands before the entries, equal on both sides */
    struct murk_key *keys[2];
    size_t key_rooms[2];
    uint32_t *chain; /* of the longest ascending subsequence: see murk_compare_match.c */
    size_t chain_room;
};

/* False: out of memory. */
bool murk_match(struct murk_match *, const struct ras_murk_frame *a,
                const struct ras_murk_frame *b);
void murk_match_free(struct murk_match *);
/* The command of an entry. */
void murk_entry_get(const struct murk_entries *, size_t i, struct ras_murk_command *);
#endif
