/* cdt_check.h - the rules of CDT and the checker that its two halves share. */
#ifndef CDT_CHECK_H
#define CDT_CHECK_H

#include "formats/cdt/cdt_driver.h"
#include "ops/verify/report.h"

enum cdt_rule {
    CDT_TRAILER,
    CDT_TRAILER_REST,
    CDT_FOOTER_CHUNK,
    CDT_FOOTER_DECODE,
    CDT_FOOTER_BOUNDS,
    CDT_FOOTER_COUNT,
    CDT_FOOTER_RANGE,
    CDT_INDEX_CHUNK,
    CDT_INDEX_MATCH,
    CDT_INDEX_ORDER,
    CDT_INDEX_MISSING,
    CDT_CHUNK_CUT,
    CDT_CHUNK_KIND,
    CDT_CHUNK_PLACE,
    CDT_CHUNK_PAYLOAD,
    CDT_CHUNK_CHECKSUM,
    CDT_CHUNK_UNINDEXED,
    CDT_CHUNK_RESERVED,
    CDT_CHUNK_ZSTD,
    CDT_CHUNK_TRAILING,
    CDT_CHUNK_TICKS,
    CDT_META_CHUNK,
    CDT_META_DECODE,
    CDT_META_FORMAT,
    CDT_META_SCHEMA,
    CDT_META_RANGE,
    CDT_META_DIALECT,
    CDT_BLOCK_DECODE,
    CDT_BLOCK_KEYS,
    CDT_BLOCK_EMPTY,
    CDT_BLOCK_RANGE,
    CDT_TICK_NONE,
    CDT_TICK_ORDER,
    CDT_TICK_DUPLICATE,
    CDT_TICK_GAP,
    CDT_TICK_NUMBERS,
    CDT_CHECKPOINT_TICK,
    CDT_CHECKPOINT_TIMERS,
    CDT_SIM_PLAYERS,
    CDT_ENTITY_UID,
    CDT_ENTITY_POOL,
    CDT_RNG_INDEX,
    CDT_RNG_NUMBERS,
    CDT_RNG_LCG,
    CDT_TIMING_ENTER,
    CDT_TIMING_MINIMUM,
    CDT_TIMING_TICK,
};

struct cdt_checker {
    struct ras_trace *trace;
    struct report *report;
    struct ras_bytes file;
    const struct cdt_footer *footer; /* NULL: none that can be used */
    const char *dialect;
    struct cdt_memory memory;
    struct cdt_block block;
    uint64_t at, size; /* of the chunk looked at */
    uint64_t rows;     /* ticks so far */
    int64_t first_tick, last_tick;
    bool lost;   /* a block could not be read, so counts say nothing */
    bool ticked; /* rows carry their tick_index: first_tick and last_tick hold */
};

#define CDT_FINDING(checker, rule, ...)                                                            \
    report_add((checker)->report, &cdt_rules[rule], 0, (checker)->at, (checker)->size, __VA_ARGS__)

/* cdt_check_tick.c: what holds inside one tick, and from one to the next. */
void cdt_check_block(struct cdt_checker *, const struct ras_cdt_tick_block *);
#endif
