/* aerogpu_check.h - what the files that verify a trace share. */
#ifndef AEROGPU_CHECK_H
#define AEROGPU_CHECK_H

#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_ids.h"
#include "ops/verify/report.h"

enum aero_rule {
    RULE_HEADER_VERSION,
    RULE_HEADER_FLAGS,
    RULE_HEADER_RESERVED,
    RULE_HEADER_ABI,
    RULE_HEADER_SECOND,
    RULE_META_JSON,
    RULE_META_KEYS,
    RULE_META_ABI,
    RULE_RECORD_BOUNDS,
    RULE_RECORD_CUT,
    RULE_RECORD_ZERO,
    RULE_RECORD_TYPE,
    RULE_RECORD_VERSION,
    RULE_RECORD_FLAGS,
    RULE_RECORD_RESERVED,
    RULE_RECORD_SIZE,
    RULE_FRAME_NESTED,
    RULE_FRAME_UNCLOSED,
    RULE_FRAME_PRESENT,
    RULE_FRAME_INDEX,
    RULE_FRAME_OUTSIDE,
    RULE_FRAME_NONE,
    RULE_BLOB_KIND,
    RULE_BLOB_VERSION,
    RULE_BLOB_ID,
    RULE_BLOB_DUPLICATE,
    RULE_BLOB_RESERVED,
    RULE_BLOB_TEXT,
    RULE_PACKET_SIZE,
    RULE_PACKET_OPCODE,
    RULE_PACKET_SHORT,
    RULE_PACKET_BLOB,
    RULE_SUBMISSION_SIZE,
    RULE_SUBMISSION_VERSION,
    RULE_SUBMISSION_RESERVED,
    RULE_SUBMISSION_TRAILING,
    RULE_SUBMISSION_ALLOC,
    RULE_SUBMISSION_BLOB,
    RULE_SUBMISSION_BACKING,
    RULE_STREAM_HEADER,
    RULE_STREAM_READ,
    RULE_STREAM_ABI,
    RULE_STREAM_RESERVED,
    RULE_STREAM_TRAILING,
    RULE_COMMAND_SIZE,
    RULE_COMMAND_OPCODE,
    RULE_COMMAND_SHORT,
    RULE_COMMAND_RESERVED,
    RULE_ALLOC_HEADER,
    RULE_ALLOC_ENTRY,
    RULE_ALLOC_DUPLICATE,
    RULE_ALLOC_RESERVED,
    RULE_BARE_CUT,
    RULE_BARE_DAMAGED,
    RULE_FOOTER_MISSING,
    RULE_FOOTER_WRONG,
    RULE_FOOTER_GAP,
    RULE_TOC_BOUNDS,
    RULE_TOC_BOUNDARY,
    RULE_TOC_START,
    RULE_TOC_PRESENT,
    RULE_TOC_END,
    RULE_TOC_ORDER,
    RULE_TOC_FLAGS,
    RULE_TOC_COVERAGE,
};

/* An offset of a TOC entry that matches no frame: it may not be a record boundary. */
struct aero_doubt {
    uint64_t offset;
    uint32_t entry;
    bool end;
};

struct aero_checker {
    struct report *report;
    struct ras_trace *trace;
    struct aero *aero;
    struct ras_bytes all;
    uint64_t end;                 /* where the records end */
    bool v1;                      /* checked by the rules of version 1 */
    struct ras_aero_blobs *blobs; /* for deep rules */
    uint64_t walked;              /* bytes of streams that were checked again, for submissions */
    struct aero_ids ids;          /* of all blobs */
    struct aero_ids broken;       /* of streams that cannot be read to their end */

    struct ras_aero_frame frame; /* the one that is open */
    bool frame_open;
    uint64_t frames;
    uint64_t first_frame; /* the index of the first frame */

    /* The TOC, followed in parallel with the stream. */
    uint32_t *order; /* entries by start_offset; NULL: as they are stored */
    uint32_t entry;  /* the next one */
    struct aero_doubt *doubts;
    size_t doubt_count, doubt_room;
};

#define FINDING(checker, rule, at, length, ...)                                                    \
    report_add((checker)->report, &aero_rules[rule], 0, at, length, __VA_ARGS__)

/* aerogpu_check_content.c: payloads, at `at` in the file. */
void aero_check_packet(struct aero_checker *, struct ras_bytes payload, uint64_t at);
void aero_check_submission(struct aero_checker *, struct ras_bytes payload, uint64_t at);
void aero_check_blob_content(struct aero_checker *, const struct ras_aero_blob *, uint64_t at);
void aero_check_bare(struct aero_checker *); /* a stream or table without a container */
#endif
