/* atf_check.h - the rules of a session, and declarations for the files that check them. */
#ifndef ATF_CHECK_H
#define ATF_CHECK_H

#include "formats/atf/atf_driver.h"
#include "ops/verify/report.h"

/* The number of a rule; its id; its severity, and with --strict; deep; what holds. */
#define ATF_RULES(RULE)                                                                            \
    RULE(HEADER_CUT, "atf.header.cut", ERROR, ERROR, false,                                        \
         "a file holds its whole header of 64 bytes")                                              \
    RULE(HEADER_BAD_MAGIC, "atf.header.magic", ERROR, ERROR, false,                                \
         "a file begins with ATI2 or ATD2")                                                        \
    RULE(HEADER_BAD_ENDIAN, "atf.header.endian", ERROR, ERROR, false, "endian is 1: little")       \
    RULE(HEADER_BAD_VERSION, "atf.header.version", ERROR, ERROR, false, "version is 1")            \
    RULE(HEADER_BAD_EVENT_SIZE, "atf.header.event-size", ERROR, ERROR, false, "event_size is 32")  \
    RULE(HEADER_BAD_OFFSET, "atf.header.events-offset", ERROR, ERROR, false,                       \
         "events_offset is after the header and inside the file")                                  \
    RULE(HEADER_UNREADABLE, "atf.file.unreadable", ERROR, ERROR, false, "a file can be read")      \
    RULE(HEADER_CODES, "atf.header.codes", WARNING, ERROR, false,                                  \
         "arch, os and clock_type are among those specified")                                      \
    RULE(HEADER_PAIR, "atf.header.pair", WARNING, ERROR, false,                                    \
         "index and detail of a thread agree on arch, os and thread_id")                           \
    RULE(HEADER_THREAD, "atf.header.thread", WARNING, ERROR, false,                                \
         "thread_id is the number of the thread's directory")                                      \
    RULE(HEADER_HAS_DETAIL, "atf.header.has-detail", WARNING, ERROR, false,                        \
         "flag bit 0 is set where there is a detail file")                                         \
    RULE(HEADER_DETAIL_LOST, "atf.header.detail-lost", ERROR, ERROR, false,                        \
         "a detail file that flag bit 0 promises is there")                                        \
    RULE(HEADER_COUNT, "atf.header.count", ERROR, ERROR, false,                                    \
         "the header counts the events present")                                                   \
    RULE(HEADER_BYTES, "atf.header.bytes", ERROR, ERROR, false,                                    \
         "bytes_length of a detail header is that of its events")                                  \
    RULE(HEADER_FOOTER_OFFSET, "atf.header.footer-offset", ERROR, ERROR, false,                    \
         "footer_offset is where the events end")                                                  \
    RULE(HEADER_TIME, "atf.header.time", WARNING, ERROR, false,                                    \
         "the header has the times of the first and last event")                                   \
    RULE(HEADER_SEQ_RANGE, "atf.header.seq-range", NOTE, WARNING, false,                           \
         "index_seq_start and index_seq_end span the links of the details")                        \
    RULE(RESERVED_ZERO, "atf.reserved", WARNING, ERROR, false,                                     \
         "reserved fields and bits are zero")                                                      \
    RULE(FOOTER_MISSING, "atf.footer.missing", ERROR, ERROR, false, "a file ends with its footer") \
    RULE(FOOTER_PLACE, "atf.footer.place", ERROR, ERROR, false,                                    \
         "the footer is where the header says")                                                    \
    RULE(FOOTER_COUNT, "atf.footer.count", ERROR, ERROR, false,                                    \
         "the footer counts the events present")                                                   \
    RULE(FOOTER_BYTES, "atf.footer.bytes", ERROR, ERROR, false,                                    \
         "the footer has the length of the events")                                                \
    RULE(FOOTER_TIME, "atf.footer.time", WARNING, ERROR, false,                                    \
         "the footer has the times of the first and last event")                                   \
    RULE(FOOTER_CHECKSUM, "atf.footer.checksum", ERROR, ERROR, false,                              \
         "the CRC-32 of the events is right")                                                      \
    RULE(FOOTER_NO_CHECKSUM, "atf.footer.no-checksum", NOTE, NOTE, true,                           \
         "the footer has a checksum (0 is taken as not computed)")                                 \
    RULE(FILE_CUT, "atf.file.cut", ERROR, ERROR, false, "a file does not end inside an event")     \
    RULE(FILE_GAP, "atf.file.gap", ERROR, ERROR, false, "every byte is an event or a structure")   \
    RULE(TAIL_ZERO, "atf.tail.zero", WARNING, ERROR, false,                                        \
         "a file does not end in zero-filled events, as a crash leaves them")                      \
    RULE(EVENT_BAD_KIND, "atf.event.kind", ERROR, ERROR, false, "event_kind is 1, 2 or 3")         \
    RULE(EVENT_THREAD, "atf.event.thread", WARNING, ERROR, false,                                  \
         "events have their file's thread_id")                                                     \
    RULE(EVENT_ORDER, "atf.event.order", WARNING, ERROR, false,                                    \
         "timestamps of a thread do not step back")                                                \
    RULE(EVENT_ORDER_PRODUCTION, "atf.production.order", NOTE, NOTE, false,                        \
         "timestamps do not step back, though the public tracer's do")                             \
    RULE(EVENT_DEPTH, "atf.event.depth", NOTE, NOTE, false,                                        \
         "call_depth goes at most one deeper from one event to the next")                          \
    RULE(CALL_UNMATCHED, "atf.call.unmatched", NOTE, NOTE, false, "every call has its return")     \
    RULE(DETAIL_LENGTH, "atf.detail.length", ERROR, ERROR, false,                                  \
         "total_length is at least 24 and ends inside the file")                                   \
    RULE(DETAIL_TYPE, "atf.detail.type", NOTE, WARNING, false, "event_type is 3 or 4")             \
    RULE(DETAIL_THREAD, "atf.detail.thread", WARNING, ERROR, false,                                \
         "details have their file's thread_id")                                                    \
    RULE(DETAIL_ORDER, "atf.detail.order", WARNING, ERROR, false,                                  \
         "timestamps of details do not step back")                                                 \
    RULE(DETAIL_ORDER_PRODUCTION, "atf.production.detail-order", NOTE, NOTE, false,                \
         "timestamps do not step back, though the public tracer's do")                             \
    RULE(DETAIL_PAYLOAD, "atf.detail.payload", NOTE, ERROR, false,                                 \
         "a payload is a DetailFunctionPayload with its stack")                                    \
    RULE(DETAIL_PAYLOAD_PRODUCTION, "atf.production.payload", NOTE, WARNING, false,                \
         "a payload is the structure that the public tracer writes")                               \
    RULE(DETAIL_STACK, "atf.detail.stack", WARNING, ERROR, false,                                  \
         "at most 256 bytes of stack are captured")                                                \
    RULE(LINK_DANGLING, "atf.link.dangling", ERROR, ERROR, false,                                  \
         "a link leads to an event that is there")                                                 \
    RULE(LINK_LOST, "atf.link.lost", WARNING, WARNING, false,                                      \
         "a link leads to an event that is there, in files that their recorder did not close")     \
    RULE(LINK_ORPHAN, "atf.link.orphan", ERROR, ERROR, true,                                       \
         "the event that a detail names links to that detail, and back")                           \
    RULE(LINK_DUPLICATE, "atf.link.duplicate", ERROR, ERROR, true,                                 \
         "no two details name the same event")                                                     \
    RULE(LINK_TIME, "atf.link.time", WARNING, ERROR, true,                                         \
         "a detail has the timestamp of its event")                                                \
    RULE(LINK_FUNCTION, "atf.link.function", WARNING, ERROR, true,                                 \
         "a detail has the function of its event")                                                 \
    RULE(LINK_TYPE, "atf.link.type", WARNING, WARNING, true,                                       \
         "a call's detail is a call, a return's a return")                                         \
    RULE(MANIFEST_MISSING, "atf.manifest.missing", NOTE, WARNING, false,                           \
         "a session has a manifest.json")                                                          \
    RULE(MANIFEST_JSON, "atf.manifest.json", ERROR, ERROR, false, "the manifest is a JSON object") \
    RULE(MANIFEST_FIELD, "atf.manifest.field", WARNING, WARNING, false,                            \
         "known keys have their usual types")                                                      \
    RULE(MANIFEST_THREAD, "atf.manifest.thread", ERROR, ERROR, false,                              \
         "listed threads have the files that are promised")                                        \
    RULE(MANIFEST_UNLISTED, "atf.manifest.unlisted", WARNING, ERROR, false,                        \
         "the manifest lists all thread files")                                                    \
    RULE(MANIFEST_DETAIL, "atf.manifest.has-detail", NOTE, WARNING, false,                         \
         "has_detail is true where there is a detail file")                                        \
    RULE(MANIFEST_TIME, "atf.manifest.time", NOTE, WARNING, false,                                 \
         "the manifest has the first and last time of the events")                                 \
    RULE(MANIFEST_CLOCK, "atf.manifest.clock", WARNING, WARNING, false,                            \
         "clock_type is that of the index headers")                                                \
    RULE(MANIFEST_SYMBOL, "atf.manifest.symbol", WARNING, WARNING, false,                          \
         "function_id is (module_id << 32) | symbol_index")                                        \
    RULE(MANIFEST_DUPLICATE, "atf.manifest.duplicate", WARNING, WARNING, false,                    \
         "no id is listed twice")                                                                  \
    RULE(MANIFEST_UNFINISHED, "atf.manifest.unfinished", WARNING, WARNING, false,                  \
         "the manifest was written when the recording was over")                                   \
    RULE(MANIFEST_EVENTS, "atf.manifest.events", ERROR, ERROR, false,                              \
         "where the recorder stored events of ras_event(), their trace is there")                  \
    RULE(WINDOW_CUT, "atf.window.cut", WARNING, WARNING, false,                                    \
         "a window of a flight recorder has all events since it begins")                           \
    RULE(SESSION_EMPTY, "atf.session.empty", NOTE, NOTE, false, "a session holds events")
enum atf_rule { ATF_RULES(RULE_NUMBER) };

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
