/* atf_check.h - the rules of a session, and declarations for the files that check them. */
#ifndef ATF_CHECK_H
#define ATF_CHECK_H

#include "formats/atf/atf_driver.h"
#include "ops/verify/report.h"

enum atf_rule {
    HEADER_CUT,
    HEADER_BAD_MAGIC,
    HEADER_BAD_ENDIAN,
    HEADER_BAD_VERSION,
    HEADER_BAD_EVENT_SIZE,
    HEADER_BAD_OFFSET,
    HEADER_UNREADABLE,
    HEADER_CODES,
    HEADER_PAIR,
    HEADER_THREAD,
    HEADER_HAS_DETAIL,
    HEADER_DETAIL_LOST,
    HEADER_COUNT,
    HEADER_BYTES,
    HEADER_FOOTER_OFFSET,
    HEADER_TIME,
    HEADER_SEQ_RANGE,
    RESERVED_ZERO,
    FOOTER_MISSING,
    FOOTER_PLACE,
    FOOTER_COUNT,
    FOOTER_BYTES,
    FOOTER_TIME,
    FOOTER_CHECKSUM,
    FOOTER_NO_CHECKSUM,
    FILE_CUT,
    FILE_GAP,
    TAIL_ZERO,
    EVENT_BAD_KIND,
    EVENT_THREAD,
    EVENT_ORDER,
    EVENT_ORDER_PRODUCTION,
    EVENT_DEPTH,
    CALL_UNMATCHED,
    DETAIL_LENGTH,
    DETAIL_TYPE,
    DETAIL_THREAD,
    DETAIL_ORDER,
    DETAIL_ORDER_PRODUCTION,
    DETAIL_PAYLOAD,
    DETAIL_PAYLOAD_PRODUCTION,
    DETAIL_STACK,
    LINK_DANGLING,
    LINK_LOST,
    LINK_ORPHAN,
    LINK_DUPLICATE,
    LINK_TIME,
    LINK_FUNCTION,
    LINK_TYPE,
    MANIFEST_MISSING,
    MANIFEST_JSON,
    MANIFEST_FIELD,
    MANIFEST_THREAD,
    MANIFEST_UNLISTED,
    MANIFEST_DETAIL,
    MANIFEST_TIME,
    MANIFEST_CLOCK,
    MANIFEST_SYMBOL,
    MANIFEST_DUPLICATE,
    MANIFEST_UNFINISHED,
    MANIFEST_EVENTS,
    WINDOW_CUT,
    SESSION_EMPTY,
};

struct atf_checker {
    struct ras_trace *trace;
    struct ras_atf_session *session;
    struct report *report;
    bool production; /* its dialect */
    /* the thread and the file that are checked */
    struct atf_thread *thread;
    uint32_t part;
    struct ras_bytes bytes;
    uint64_t done; /* bytes of the files before it */
};

#define FINDING(k, rule, at, length, ...)                                                          \
    report_add((k)->report, &atf_rules[rule], (k)->part, at, length, __VA_ARGS__)

/* A fact that many events share is reported once: its first offset, and how often. */
struct atf_tally {
    uint64_t count, first;
};

static inline void atf_tally(struct atf_tally *tally, uint64_t at)
{
    if (!tally->count++)
        tally->first = at;
}

/* atf_check.c: checks of both files. */
void atf_check_zero(struct atf_checker *, uint64_t at, uint64_t length, const char *what);
void atf_check_ending(struct atf_checker *, bool detail);
/* Compares the two times of a header or footer with those of its first and last event. */
void atf_check_times(struct atf_checker *, enum atf_rule, uint64_t at, const uint64_t stated[2],
                     const uint64_t found[2]);
void atf_check_crc(struct atf_checker *, uint64_t footer_at, uint32_t stated, uint64_t from,
                   uint64_t to);
/* Whether the other file of the thread was closed: only then must a link lead somewhere. */
bool atf_file_sealed(struct atf_checker *, bool detail);

void atf_check_index(struct atf_checker *);
int atf_check_details(struct atf_checker *, struct ras_error *);
#endif
