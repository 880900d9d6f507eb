/* atf_wire.h - where each field of the stored structures lies.
 *
 * Offsets have names because decoding, checking and counting bytes all need them. All integers are
 * little-endian and packed: the u64 fields of the detail header are not aligned. */
#ifndef ATF_WIRE_H
#define ATF_WIRE_H

#include "base/out.h"
#include <rastrum/atf.h>

#define ATF_INDEX_MAGIC         "ATI2"
#define ATF_INDEX_FOOTER_MAGIC  "2ITA"
#define ATF_DETAIL_MAGIC        "ATD2"
#define ATF_DETAIL_FOOTER_MAGIC "2DTA"

/* The first sixteen bytes of both headers have the same layout. */
enum atf_header_at {
    HEADER_MAGIC = 0,
    HEADER_ENDIAN = 4,
    HEADER_VERSION = 5,
    HEADER_ARCH = 6,
    HEADER_OS = 7,
    HEADER_FLAGS = 8,
    HEADER_THREAD_ID = 12,
};

enum atf_index_header_at {
    INDEX_CLOCK_TYPE = 16,
    INDEX_RESERVED1 = 17,
    INDEX_RESERVED2 = 20,
    INDEX_EVENT_SIZE = 24,
    INDEX_EVENT_COUNT = 28,
    INDEX_EVENTS_OFFSET = 32,
    INDEX_FOOTER_OFFSET = 40,
    INDEX_TIME_START = 48,
    INDEX_TIME_END = 56,
    INDEX_HEADER_END = 64,
};
_Static_assert(INDEX_HEADER_END == 64, "spec: Index Header (64 bytes)");

enum atf_index_event_at {
    EVENT_TIMESTAMP = 0,
    EVENT_FUNCTION_ID = 8,
    EVENT_THREAD_ID = 16,
    EVENT_KIND = 20,
    EVENT_CALL_DEPTH = 24,
    EVENT_DETAIL_SEQ = 28,
    EVENT_END = 32,
};
_Static_assert(EVENT_END == 32, "spec: Index Event (32 bytes)");

enum atf_index_footer_at {
    INDEX_FOOTER_CHECKSUM = 4,
    INDEX_FOOTER_COUNT = 8,
    INDEX_FOOTER_TIME_START = 16,
    INDEX_FOOTER_TIME_END = 24,
    INDEX_FOOTER_BYTES = 32,
    INDEX_FOOTER_RESERVED = 40,
    INDEX_FOOTER_END = 64,
};
/* The specification prints reserved[28], which would make 68 of the 64 it asserts. */
_Static_assert(INDEX_FOOTER_END == 64, "spec: Index Footer (64 bytes)");

enum atf_detail_header_at {
    DETAIL_RESERVED1 = 16,
    DETAIL_EVENTS_OFFSET = 20,
    DETAIL_EVENT_COUNT = 28,
    DETAIL_BYTES_LENGTH = 36,
    DETAIL_SEQ_START = 44,
    DETAIL_SEQ_END = 52,
    DETAIL_PADDING = 60,
    DETAIL_HEADER_END = 64,
};
/* The fields printed in the specification add up to 60 of the 64 it asserts. */
_Static_assert(DETAIL_HEADER_END == 64, "spec: Detail Header (64 bytes)");

enum atf_detail_event_at {
    RECORD_TOTAL_LENGTH = 0,
    RECORD_EVENT_TYPE = 4,
    RECORD_FLAGS = 6,
    RECORD_INDEX_SEQ = 8,
    RECORD_THREAD_ID = 12,
    RECORD_TIMESTAMP = 16,
    RECORD_PAYLOAD = 24,
};
_Static_assert(RECORD_PAYLOAD == 24, "spec: Detail Event Header (24 bytes)");

enum atf_payload_at {
    PAYLOAD_FUNCTION_ID = 0,
    PAYLOAD_X_REGS = 8,
    PAYLOAD_LR = 72,
    PAYLOAD_FP = 80,
    PAYLOAD_SP = 88,
    PAYLOAD_STACK_SIZE = 96,
    PAYLOAD_RESERVED = 98,
    PAYLOAD_STACK = 100,
};
_Static_assert(PAYLOAD_STACK == 100, "spec: Detail Function Payload");

/* What the public tracer copies from its memory instead; see docs/formats/atf.md. */
enum atf_production_at {
    PRODUCTION_TIMESTAMP = 0,
    PRODUCTION_FUNCTION_ID = 8,
    PRODUCTION_THREAD_ID = 16,
    PRODUCTION_KIND = 20,
    PRODUCTION_CALL_DEPTH = 24,
    PRODUCTION_REGS = 32,
    PRODUCTION_LR = 96,
    PRODUCTION_FP = 104,
    PRODUCTION_SP = 112,
    PRODUCTION_STACK = 120,
    PRODUCTION_STACK_SIZE = 248,
    PRODUCTION_PADDING = 252,
    PRODUCTION_END = 516,
};
_Static_assert(PRODUCTION_END == 516, "four bytes more than its 512 intended");
enum { PRODUCTION_STACK_ROOM = PRODUCTION_STACK_SIZE - PRODUCTION_STACK };

enum atf_detail_footer_at {
    DETAIL_FOOTER_CHECKSUM = 4,
    DETAIL_FOOTER_COUNT = 8,
    DETAIL_FOOTER_BYTES = 16, /* before the times: not the order of the index footer */
    DETAIL_FOOTER_TIME_START = 24,
    DETAIL_FOOTER_TIME_END = 32,
    DETAIL_FOOTER_RESERVED = 40,
    DETAIL_FOOTER_END = 64,
};
_Static_assert(DETAIL_FOOTER_END == 64, "spec: Detail Footer (64 bytes)");

/* A lane of a durable recording, beside the index.atf that it is written to: a header with the
 * offsets of its parts; docs/recording.md. */
#define ATF_RING_NAME  "lane.ring"
#define ATF_RING_MAGIC "RASLANE3"
#define ATF_RING_OLD   "RASLANE2" /* has no offsets of counts */
enum atf_ring_at {
    RING_MAGIC = 0,
    RING_THREAD_ID = 8,
    RING_HEAD_AT = 16,
    RING_TAIL_AT = 24,
    RING_EVENTS_AT = 32,
    RING_CAPACITY = 40,
    RING_DETAIL_HEAD_AT = 48,
    RING_DETAIL_TAIL_AT = 56,
    RING_DETAIL_WRAP_AT = 64,
    RING_DETAIL_AT = 72,
    RING_DETAIL_SIZE = 80,
    RING_STREAM_HEAD_AT = 88,
    RING_STREAM_TAIL_AT = 96,
    RING_STREAM_WRAP_AT = 104,
    RING_STREAM_AT = 112,
    RING_STREAM_SIZE = 120,
    RING_BASE_AT = 128,
    RING_STANDING_AT = 136,
    RING_TAKEN_AT = 144,
    RING_USED_AT = 152,
    RING_USED_SIZE = 160,
    RING_REASONS = 168,
    RING_DROPPED_AT = 176,
    RING_LOST_AT = 184,
    RING_STREAM_COUNT_AT = 192,
    RING_STREAM_DROPPED_AT = 200,
    RING_DETAILS_DROPPED_AT = 208,
    RING_HEADER_SIZE = 216,
    RING_OLD_HEADER_SIZE = 168,
};
/* Beside a lane that began in an earlier segment: what it had counted by then. */
#define ATF_BASE_NAME  "lane.base"
#define ATF_BASE_MAGIC "RASBASE1"
enum atf_base_at {
    BASE_MAGIC = 0,
    BASE_REASONS = 8,
    BASE_EVENTS = 16,
    BASE_DETAILS = 24,
    BASE_STREAM_EVENTS = 32,
    BASE_DETAILS_DROPPED = 40,
    BASE_DROPPED = 48, /* by reason; then those of events of their own */
};

bool atf_ring_is(struct ras_bytes);
bool atf_ring_counts(struct ras_bytes);
/* Beside the manifest of a durable recording: the counts of removed lanes, and of events without
 * a lane; records follow one another until the end of the file. */
#define ATF_COUNTS_NAME  "lanes.counts"
#define ATF_COUNTS_MAGIC "RASCNTS1"
enum atf_counts_at {
    COUNTS_MAGIC = 0,
    COUNTS_REASONS = 8,
    COUNTS_STRAY_AT = 16,
    COUNTS_RECORDS_AT = 24,
    COUNTS_HEADER_SIZE = 32,
    /* Of a recording in segments: which it is, and where there are four numbers: how many were
     * deleted before it, their events, whether it counts them, whether the next one does. */
    COUNTS_SEGMENT = 32,
    COUNTS_NUMBERS_AT = 40,
    COUNTS_SEGMENT_END = 48,
};
enum atf_ended_at {
    ENDED_THREAD_ID = 0,
    ENDED_PRODUCED = 8,
    ENDED_EVENTS = 16,
    ENDED_EVENTS_DROPPED = 24,
    ENDED_DETAILS_DROPPED = 32,
    ENDED_DROPPED = 40, /* by reason */
};
/* Why an event was not stored, as the recorder numbers it. */
enum { ATF_REASONS_MOST = 16 };
const char *atf_reason(uint64_t number);
/* How far the events of ras_event() in a lane are written: five numbers. */
enum atf_taken_at {
    TAKEN_STEP = 0,
    TAKEN_TAIL = 8,
    TAKEN_BASE = 16,
    TAKEN_STANDING = 24,
    TAKEN_FILE_AT = 32,
    TAKEN_SIZE = 40,
};
enum { TAKEN_WRITING = 1, TAKEN_WRITTEN = 2 };
/* Beside the manifest: the preambles of these events, by number. */
#define ATF_TYPES_NAME  "events.types"
#define ATF_EVENTS_NAME "events.trc"
#define ATF_TYPES_BATCH UINT32_C(0xffffffff)
#define ATF_TYPES_BASE  UINT32_C(0xfffffffe)

_Static_assert(RAS_ATF_HEADER_SIZE == 64 && RAS_ATF_FOOTER_SIZE == 64 &&
                   RAS_ATF_INDEX_EVENT_SIZE == 32 && RAS_ATF_DETAIL_EVENT_SIZE == 24 &&
                   RAS_ATF_PAYLOAD_SIZE == 100 && RAS_ATF_PRODUCTION_SIZE == 516,
               "the public sizes are those asserted above");

/* Whether a structure that starts with `magic` may lie at `at`. */
static inline bool atf_magic_at(struct ras_bytes bytes, uint64_t at, const char *magic)
{
    return at <= bytes.len && bytes.len - at >= 4 && !memcmp(bytes.at + at, magic, 4);
}

/* An event whose 32 bytes are known to be there: the hot path of every scan. */
static inline struct ras_atf_index_event atf_event(const uint8_t *p)
{
    return (struct ras_atf_index_event){
        .timestamp_ns = load_u64(p + EVENT_TIMESTAMP),
        .function_id = load_u64(p + EVENT_FUNCTION_ID),
        .thread_id = load_u32(p + EVENT_THREAD_ID),
        .event_kind = load_u32(p + EVENT_KIND),
        .call_depth = load_u32(p + EVENT_CALL_DEPTH),
        .detail_seq = load_u32(p + EVENT_DETAIL_SEQ),
    };
}

/* The same to 32 bytes that are known to be there, with a link of the writer's. */
static inline void atf_event_put(const struct ras_atf_index_event *e, uint32_t detail_seq,
                                 uint8_t *p)
{
    store_u64(p + EVENT_TIMESTAMP, e->timestamp_ns);
    store_u64(p + EVENT_FUNCTION_ID, e->function_id);
    store_u32(p + EVENT_THREAD_ID, e->thread_id);
    store_u32(p + EVENT_KIND, e->event_kind);
    store_u32(p + EVENT_CALL_DEPTH, e->call_depth);
    store_u32(p + EVENT_DETAIL_SEQ, detail_seq);
}

/* The header of a detail, 24 bytes. */
static inline void atf_detail_put(const struct ras_atf_detail_event *d, uint8_t *p)
{
    store_u32(p + RECORD_TOTAL_LENGTH, d->total_length);
    store_u16(p + RECORD_EVENT_TYPE, d->event_type);
    store_u16(p + RECORD_FLAGS, d->flags);
    store_u32(p + RECORD_INDEX_SEQ, d->index_seq);
    store_u32(p + RECORD_THREAD_ID, d->thread_id);
    store_u64(p + RECORD_TIMESTAMP, d->timestamp);
}

/* Many events. Where the processor's byte order is that of the file the structure
 * is laid out as stored, so copying is decoding. */
static inline void atf_event_array(struct ras_atf_index_event *out, const uint8_t *p, size_t count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, p, count * RAS_ATF_INDEX_EVENT_SIZE);
#else
    for (size_t i = 0; i < count; i++)
        out[i] = atf_event(p + i * RAS_ATF_INDEX_EVENT_SIZE);
#endif
}
_Static_assert(offsetof(struct ras_atf_index_event, function_id) == EVENT_FUNCTION_ID &&
                   offsetof(struct ras_atf_index_event, thread_id) == EVENT_THREAD_ID &&
                   offsetof(struct ras_atf_index_event, event_kind) == EVENT_KIND &&
                   offsetof(struct ras_atf_index_event, call_depth) == EVENT_CALL_DEPTH &&
                   offsetof(struct ras_atf_index_event, detail_seq) == EVENT_DETAIL_SEQ,
               "struct ras_atf_index_event has the stored layout");
#endif
