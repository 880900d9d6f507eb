/* aerogpu_check.h - what the files that verify a trace share. */
#ifndef AEROGPU_CHECK_H
#define AEROGPU_CHECK_H

#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_ids.h"
#include "ops/verify/report.h"

/* An error is something that the reference reader refuses. Something that the specification forbids
 * but that reader accepts is a warning, and an error under --strict.
 *
 * The number of a rule; its id; its severity, and with --strict; deep; what holds. */
#define AERO_RULES(RULE)                                                                           \
    RULE(RULE_HEADER_VERSION, "aerogpu.header.version", ERROR, ERROR, false,                       \
         "container_version is that of the requested dialect")                                     \
    RULE(RULE_HEADER_FLAGS, "aerogpu.header.flags", WARNING, ERROR, false,                         \
         "the header's flags are 0")                                                               \
    RULE(RULE_HEADER_RESERVED, "aerogpu.header.reserved", WARNING, ERROR, false,                   \
         "the header's reserved field is 0")                                                       \
    RULE(RULE_HEADER_ABI, "aerogpu.header.abi", NOTE, WARNING, false,                              \
         "command_abi_version is 1 (Appendix A) or 1.x (ACMD)")                                    \
    RULE(RULE_HEADER_SECOND, "aerogpu.header.second", ERROR, ERROR, false,                         \
         "no second trace follows the first in one file")                                          \
    RULE(RULE_META_JSON, "aerogpu.meta.json", WARNING, ERROR, false,                               \
         "meta_json is one JSON object in UTF-8")                                                  \
    RULE(RULE_META_KEYS, "aerogpu.meta.keys", WARNING, ERROR, false,                               \
         "meta_json has emulator_version (string), command_abi_version (number)")                  \
    RULE(RULE_META_ABI, "aerogpu.meta.abi", WARNING, ERROR, false,                                 \
         "command_abi_version is the same in meta_json and in the header")                         \
    RULE(RULE_RECORD_BOUNDS, "aerogpu.record.bounds", ERROR, ERROR, false,                         \
         "records follow each other up to the TOC, without other bytes")                           \
    RULE(RULE_RECORD_CUT, "aerogpu.record.cut", ERROR, ERROR, false,                               \
         "a file without a TOC ends between records")                                              \
    RULE(RULE_RECORD_ZERO, "aerogpu.record.zero", ERROR, ERROR, false,                             \
         "no zero bytes are among or after the records, as a crash leaves them")                   \
    RULE(RULE_RECORD_TYPE, "aerogpu.record.type", ERROR, ERROR, false,                             \
         "record_type is a known one")                                                             \
    RULE(RULE_RECORD_VERSION, "aerogpu.record.version", ERROR, ERROR, false,                       \
         "AerogpuSubmission records are in container version 2 only")                              \
    RULE(RULE_RECORD_FLAGS, "aerogpu.record.flags", WARNING, ERROR, false,                         \
         "a record's flags are 0")                                                                 \
    RULE(RULE_RECORD_RESERVED, "aerogpu.record.reserved", WARNING, ERROR, false,                   \
         "a record's reserved field is 0")                                                         \
    RULE(RULE_RECORD_SIZE, "aerogpu.record.size", ERROR, ERROR, false,                             \
         "BeginFrame and Present have 4 bytes, a Blob at least 16")                                \
    RULE(RULE_FRAME_NESTED, "aerogpu.frame.nested", WARNING, ERROR, false,                         \
         "a frame begins when the one before is closed or has no Present by the TOC")              \
    RULE(RULE_FRAME_UNCLOSED, "aerogpu.frame.unclosed", WARNING, WARNING, false,                   \
         "every frame is closed by a Present record")                                              \
    RULE(RULE_FRAME_PRESENT, "aerogpu.frame.present", WARNING, ERROR, false,                       \
         "a Present record closes the open frame, with its index")                                 \
    RULE(RULE_FRAME_INDEX, "aerogpu.frame.index", WARNING, ERROR, false,                           \
         "frame_index counts 0..N-1, or on from meta_json's first_frame_index")                    \
    RULE(RULE_FRAME_OUTSIDE, "aerogpu.frame.outside", WARNING, ERROR, false,                       \
         "packets and submissions lie inside a frame")                                             \
    RULE(RULE_FRAME_NONE, "aerogpu.frame.none", NOTE, NOTE, false, "a trace holds frames")         \
    RULE(RULE_BLOB_KIND, "aerogpu.blob.kind", ERROR, ERROR, false, "a blob's kind is a known one") \
    RULE(RULE_BLOB_VERSION, "aerogpu.blob.version", WARNING, ERROR, false,                         \
         "blob kinds from 0x100 on are in container version 2 only")                               \
    RULE(RULE_BLOB_ID, "aerogpu.blob.id", WARNING, ERROR, false,                                   \
         "blob_id is not 0, which means none where a blob is named")                               \
    RULE(RULE_BLOB_DUPLICATE, "aerogpu.blob.duplicate", WARNING, ERROR, false,                     \
         "blob_id is unique")                                                                      \
    RULE(RULE_BLOB_RESERVED, "aerogpu.blob.reserved", WARNING, ERROR, false,                       \
         "a blob's reserved field is 0")                                                           \
    RULE(RULE_BLOB_TEXT, "aerogpu.blob.text", WARNING, ERROR, false,                               \
         "WGSL and GLSL blobs are UTF-8")                                                          \
    RULE(RULE_PACKET_SIZE, "aerogpu.packet.size", WARNING, ERROR, false,                           \
         "total_dwords is the size of the packet")                                                 \
    RULE(RULE_PACKET_OPCODE, "aerogpu.packet.opcode", WARNING, ERROR, false,                       \
         "a packet's opcode is one of Appendix A")                                                 \
    RULE(RULE_PACKET_SHORT, "aerogpu.packet.short", WARNING, ERROR, false,                         \
         "a packet has all fields of its opcode")                                                  \
    RULE(RULE_PACKET_BLOB, "aerogpu.packet.blob", ERROR, ERROR, true,                              \
         "blobs that packets name exist before, with their kind and length")                       \
    RULE(RULE_SUBMISSION_SIZE, "aerogpu.submission.size", ERROR, ERROR, false,                     \
         "header_size and the memory ranges fit into the payload")                                 \
    RULE(RULE_SUBMISSION_VERSION, "aerogpu.submission.version", WARNING, ERROR, false,             \
         "record_version is 1")                                                                    \
    RULE(RULE_SUBMISSION_RESERVED, "aerogpu.submission.reserved", WARNING, ERROR, false,           \
         "a submission's reserved fields are 0")                                                   \
    RULE(RULE_SUBMISSION_TRAILING, "aerogpu.submission.trailing", NOTE, WARNING, false,            \
         "a submission ends with its last memory range")                                           \
    RULE(RULE_SUBMISSION_ALLOC, "aerogpu.submission.alloc", WARNING, ERROR, false,                 \
         "an alloc_id occurs once among a submission's memory ranges")                             \
    RULE(RULE_SUBMISSION_BLOB, "aerogpu.submission.blob", ERROR, ERROR, true,                      \
         "blobs that submissions name exist before, with kind and length")                         \
    RULE(RULE_SUBMISSION_BACKING, "aerogpu.submission.backing", WARNING, ERROR, true,              \
         "a resource's backing_alloc_id is in its submission's table")                             \
    RULE(RULE_STREAM_HEADER, "aerogpu.stream.header", WARNING, ERROR, false,                       \
         "a command stream has a header of ABI 1.x and lies in its bytes")                         \
    RULE(RULE_STREAM_READ, "aerogpu.stream.read", ERROR, ERROR, false,                             \
         "the command stream of a packet or submission can be read to its end")                    \
    RULE(RULE_STREAM_ABI, "aerogpu.stream.abi", NOTE, ERROR, false,                                \
         "a stream's abi_version is the header's command_abi_version")                             \
    RULE(RULE_STREAM_RESERVED, "aerogpu.stream.reserved", NOTE, WARNING, false,                    \
         "flags and reserved fields of a stream header are 0")                                     \
    RULE(RULE_STREAM_TRAILING, "aerogpu.stream.trailing", NOTE, WARNING, false,                    \
         "nothing follows a stream after its size_bytes")                                          \
    RULE(RULE_COMMAND_SIZE, "aerogpu.command.size", WARNING, ERROR, false,                         \
         "a command's size_bytes is a multiple of 4 and ends in the stream")                       \
    RULE(RULE_COMMAND_OPCODE, "aerogpu.command.opcode", NOTE, WARNING, false,                      \
         "a command's opcode is known")                                                            \
    RULE(RULE_COMMAND_SHORT, "aerogpu.command.short", WARNING, ERROR, false,                       \
         "a command has all fields and items that it promises")                                    \
    RULE(RULE_COMMAND_RESERVED, "aerogpu.command.reserved", NOTE, WARNING, false,                  \
         "a command's reserved fields are 0")                                                      \
    RULE(RULE_ALLOC_HEADER, "aerogpu.alloc.header", WARNING, ERROR, false,                         \
         "an allocation table has a header of ABI 1.x and room for its entries")                   \
    RULE(RULE_ALLOC_ENTRY, "aerogpu.alloc.entry", WARNING, ERROR, false,                           \
         "alloc_id and size_bytes are not 0, gpa + size_bytes does not wrap")                      \
    RULE(RULE_ALLOC_DUPLICATE, "aerogpu.alloc.duplicate", WARNING, ERROR, false,                   \
         "alloc_id is unique in its table")                                                        \
    RULE(RULE_ALLOC_RESERVED, "aerogpu.alloc.reserved", NOTE, WARNING, false,                      \
         "reserved fields of an allocation table are 0")                                           \
    RULE(RULE_BARE_CUT, "aerogpu.bare.cut", ERROR, ERROR, false,                                   \
         "a bare stream or table is as long as it says")                                           \
    RULE(RULE_BARE_DAMAGED, "aerogpu.bare.damaged", ERROR, ERROR, false,                           \
         "the commands of a bare stream can be followed to its end")                               \
    RULE(RULE_FOOTER_MISSING, "aerogpu.footer.missing", ERROR, ERROR, false,                       \
         "a footer is in the last 32 bytes")                                                       \
    RULE(RULE_FOOTER_WRONG, "aerogpu.footer.wrong", ERROR, ERROR, false,                           \
         "footer and TOC have the sizes, versions and places they must have")                      \
    RULE(RULE_FOOTER_GAP, "aerogpu.footer.gap", WARNING, ERROR, false,                             \
         "the footer follows the TOC at once")                                                     \
    RULE(RULE_TOC_BOUNDS, "aerogpu.toc.bounds", ERROR, ERROR, false,                               \
         "the offsets of a TOC entry ascend inside the records")                                   \
    RULE(RULE_TOC_BOUNDARY, "aerogpu.toc.boundary", ERROR, ERROR, false,                           \
         "start_offset and end_offset lie between records")                                        \
    RULE(RULE_TOC_START, "aerogpu.toc.start", WARNING, ERROR, false,                               \
         "start_offset is that of a BeginFrame record with the same index")                        \
    RULE(RULE_TOC_PRESENT, "aerogpu.toc.present", WARNING, ERROR, false,                           \
         "present_offset is that of the frame's Present record, or 0")                             \
    RULE(RULE_TOC_END, "aerogpu.toc.end", WARNING, ERROR, false,                                   \
         "end_offset is after the last record of the frame")                                       \
    RULE(RULE_TOC_ORDER, "aerogpu.toc.order", WARNING, ERROR, false,                               \
         "TOC entries count as frames do and follow each other without overlap")                   \
    RULE(RULE_TOC_FLAGS, "aerogpu.toc.flags", WARNING, ERROR, false, "a TOC entry's flags are 0")  \
    RULE(RULE_TOC_COVERAGE, "aerogpu.toc.coverage", WARNING, ERROR, false,                         \
         "every frame of the stream is in the TOC")
enum aero_rule { AERO_RULES(RULE_NUMBER) };

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
