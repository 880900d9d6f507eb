/* murk_compare.h - what the files that compare Murk replays share. */
#ifndef MURK_COMPARE_H
#define MURK_COMPARE_H

#include "core/document.h"
#include "formats/murk/murk_driver.h"
#include "ops/compare/place_walk.h"

/* Rows of one report: {"path", "kind", "expected", "actual"}. */
struct murk_rows {
    struct compare *compare;
    struct document *doc; /* where they are put */
    size_t count;
};

static inline bool murk_rows_full(const struct murk_rows *r)
{
    return r->count >= COMPARE_ROWS_MOST;
}

/* murk_compare_match.c: the commands of two frames, each with its counterpart. */
#define MURK_UNMATCHED UINT32_MAX

struct murk_entry {
    uint32_t at, size; /* in the frame's commands */
    uint32_t match;    /* in the other's entries, or MURK_UNMATCHED */
    bool same;         /* as its counterpart, to the byte */
    bool moved;        /* from before others to behind them, or the other way */
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
    size_t skipped; /* commands before the entries, the same in both */
    struct murk_key *keys[2];
    size_t key_rooms[2];
    uint32_t *chain; /* of the longest ascending run: see murk_compare_match.c */
    size_t chain_room;
};

/* False: out of memory. */
bool murk_match(struct murk_match *, const struct ras_murk_frame *a,
                const struct ras_murk_frame *b);
void murk_match_free(struct murk_match *);
/* The command of an entry. */
void murk_entry_get(const struct murk_entries *, size_t i, struct ras_murk_command *);
#endif
