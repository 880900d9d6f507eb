/* dial9_check.h - what the two halves of verification share: the walk over the
 * frames and the look into each value. */
#ifndef DIAL9_CHECK_H
#define DIAL9_CHECK_H

#include "formats/dial9/dial9_driver.h"
#include "ops/verify/report.h"

enum dial9_rule {
    FRAME_CUT,
    FRAME_TAG,
    TAIL_ZERO,
    HEADER_VERSION,
    HEADER_AGAIN,
    SCHEMA_UTF8,
    SCHEMA_TYPE,
    SCHEMA_CONFLICT,
    SCHEMA_FLAG,
    SCHEMA_NAMES,
    EVENT_TYPE,
    EVENT_TIME,
    EVENT_VALUE,
    VARINT_MINIMAL,
    OPTIONAL_FLAG,
    BOOL_VALUE,
    VALUE_UTF8,
    POOL_UTF8,
    POOL_DANGLING,
    POOL_FORWARD,
    POOL_AGAIN,
    ANNOTATION_TYPE,
    ANNOTATION_FIELD,
    ANNOTATION_UTF8,
    RESET_BACKWARDS,
    RESET_NEEDLESS,
    EVENTS_NONE,
    OVER_LIMIT,
    RULE_COUNT,
};

/* Findings of one rule in one batch are told once, with their number: a real
 * trace has thousands of late events, and a report has an end. */
struct tally_of_rule {
    uint64_t count, offset, length;
    char text[160];
};

/* An id that was not defined where an event used it. */
struct unresolved {
    uint64_t offset;
    uint32_t id;
    bool stack;
};

struct checker {
    struct report *report;
    struct ras_bytes all;
    struct dial9_rules rules;
    struct dial9_batch *batch;
    uint64_t base_ns;
    uint64_t events;
    uint64_t headers;      /* further ones, of batches that hold nothing */
    uint64_t fresh;        /* offset of the further header that nothing follows yet; 0: none */
    uint64_t header_again; /* offset of the first of them */
    const char *event;     /* name of the event looked at */
    uint64_t event_at;
    struct tally_of_rule found[RULE_COUNT];
    struct unresolved unresolved[256]; /* the first different ones of the batch */
    size_t unresolved_count;
};

/* One more finding of a rule in this batch. */
void dial9_found(struct checker *, enum dial9_rule, uint64_t offset, uint64_t length,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The fields of a checked event. */
void dial9_check_values(struct checker *, const struct ras_dial9_frame *);
#endif
