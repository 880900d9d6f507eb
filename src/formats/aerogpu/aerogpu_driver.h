/* aerogpu_driver.h - the state and the callbacks of AeroGPU's format row. */
#ifndef AEROGPU_DRIVER_H
#define AEROGPU_DRIVER_H

#include "codec/json_write.h"
#include "core/format.h"
#include "formats/aerogpu/aerogpu_wire.h"
#include "ops/build/build_driver.h"
#include "ops/compare/compare_driver.h"
#include "ops/repair/plan.h"
#include "ops/rewrite/rewrite_driver.h"
#include "ops/stats/stats_driver.h"
#include "ops/verify/report.h"

/* What a file is: a trace, or one of the two structures of its blobs without a container. */
enum aero_shape { AERO_CONTAINER, AERO_STREAM, AERO_TABLE };

/* How a trace is closed. Valid for a file of `size` bytes only: it may grow. */
struct aero_seal {
    uint64_t size;
    bool searched;
    bool sealed;                 /* footer and TOC exist and state where the records end */
    bool claimed;                /* there is a footer, valid or not */
    bool ordered_known, ordered; /* entries in bounds, indexes and offsets ascending */
    bool covers_known, covers;   /* and no frame begins between entries */
    struct ras_aero_footer footer;
    struct ras_aero_toc toc;
    struct ras_error why; /* where claimed but not sealed */
};

struct aero {
    enum aero_shape shape;
    struct ras_aero_header header;
    bool v1; /* read by the rules of the first version */
    struct aero_seal seal;
    struct ras_aero_blobs *blobs; /* of a full scan, made on demand */
    struct ras_aero_alloc_table table;
};

enum {
    AERO_FRAME_TYPE = RAS_SCHEMA_GAP + 1,
    AERO_PACKET_TYPE,
    AERO_BLOB_TYPE,
    AERO_SUBMISSION_TYPE,
    AERO_COMMAND_TYPE,
    AERO_SHADER_TYPE,
    AERO_BLOB_BYTES_TYPE
};
enum { AERO_BARE_TYPE = RAS_SCHEMA_GAP + 1 }; /* the only type of a bare stream or table */

/* Records that remain of the container record that was just delivered. */
enum aero_pending {
    AERO_NOTHING,
    AERO_COMMANDS, /* of the ACMD stream at `stream` */
    AERO_ONE,      /* the command that is the Appendix A packet at `stream` */
    AERO_UNREAD,   /* a stream that cannot be followed: a gap */
    AERO_BARE,     /* all of a bare stream or table */
    AERO_TEXT_OF,  /* the shader whose Blob record is at `stream` */
};

struct aero_recent {
    uint64_t blob_id, offset;
};

struct aero_cursor {
    uint32_t record_limit; /* of a payload */
    uint8_t types;         /* the highest record type that is known */
    uint64_t frame_start;
    uint32_t frame_index;
    uint16_t tick_flag; /* RAS_HAS_TICK while a frame is open, else 0 */
    uint8_t pending;    /* enum aero_pending */
    uint64_t stream;    /* offset of what is pending */
    uint32_t at, limit; /* in it: of the next command, of its end */
    uint64_t parent;
    /* The command streams passed last, oldest overwritten: submissions mostly name
     * one of them, so that a long trace needs no index. */
    struct aero_recent recent[16];
    uint32_t recent_count;
};

/* Whether the record at p has a known type, is complete and within the limit. */
static inline bool aero_is_usual(const struct aero_cursor *a, const uint8_t *p, uint64_t left)
{
    return left >= RAS_AERO_RECORD_HEADER_SIZE && aero_type_at(p) - 1u < a->types &&
           aero_len_at(p) <= left - RAS_AERO_RECORD_HEADER_SIZE &&
           aero_len_at(p) <= a->record_limit;
}

/* Begin a record of the frame that is open, if one is. */
static inline void aero_begin(struct ras_cursor *c, const struct aero_cursor *a, uint32_t schema,
                              const uint8_t *start, uint64_t size, uint64_t parent)
{
    c->record = (struct ras_record){.tick = a->tick_flag ? a->frame_index : 0,
                                    .flags = a->tick_flag,
                                    .parent = parent,
                                    .offset = (uint64_t)(start - c->base),
                                    .raw = start,
                                    .raw_len = (uint32_t)size,
                                    .schema = (uint16_t)schema};
}

/* aerogpu_read.c */
void aero_seal_find(struct aero_seal *, struct ras_bytes file, uint64_t body);
/* Whether the entries can be searched; checked once. */
bool aero_seal_ordered(struct aero_seal *, struct ras_bytes file, uint64_t body);
/* The first frame entry that starts after `offset`; frame_count when there is none. Only where
 * ordered. */
uint32_t aero_toc_after(const struct aero_seal *, struct ras_bytes file, uint64_t offset);
/* Whether `rest` begins with a TOC or a footer, or is the beginning of one. */
bool aero_closes(struct ras_bytes rest);
/* Where a sealed trace continues when the records cannot be followed at `at`: the next frame of the
 * TOC, or the TOC. Greater than `at`, unless that is the end. */
uint64_t aero_resume_at(struct aero_seal *, struct ras_bytes file, uint64_t body, uint64_t at);
/* Where a second trace begins after the TOC at `toc` and the footer that follows it; RAS_NONE:
 * nowhere. */
uint64_t aero_second_trace(struct ras_bytes file, uint64_t toc);
/* What is wrong with one entry by itself; NULL: nothing. */
const char *aero_entry_fault(const struct ras_aero_frame *, uint64_t body, uint64_t toc_offset);

/* aerogpu_blob.c: the blob of that id defined last before `before`. */
bool aero_blob_before(struct ras_trace *, uint64_t blob_id, uint64_t before, struct ras_aero_blob *,
                      uint64_t *offset, bool *nomem);

/* aerogpu_command.c: the records after one that was delivered. */
enum step aero_next_pending(struct ras_cursor *, struct aero_cursor *);
enum step aero_one_values(struct ras_cursor *); /* of an Appendix A packet as a command */
void aero_await_stream(struct ras_cursor *, struct aero_cursor *, struct ras_bytes);
bool aero_await_submission(struct ras_cursor *, struct aero_cursor *,
                           const struct ras_aero_submission *, uint64_t offset);
void aero_remember(struct aero_cursor *, const struct ras_aero_blob *, uint64_t offset);
/* Offset of the Blob record of a recent stream, or RAS_NONE. The newest one wins. */
uint64_t aero_recall(const struct aero_cursor *, uint64_t blob_id);
/* The blob that a submission at `offset` names as its stream: a recent one, or by the index. False:
 * there is none. */
bool aero_stream_before(struct ras_trace *, const struct aero_cursor *, struct ras_bytes file,
                        uint64_t blob_id, uint64_t offset, struct ras_aero_blob *, bool *nomem);
/* The values of one command, whose header was checked. */
enum step aero_command_values(struct ras_cursor *, uint32_t schema, uint32_t at,
                              const struct ras_aero_command *, uint32_t abi_version);
extern const struct ras_schema aero_frame_schema, aero_packet_schema, aero_blob_schema,
    aero_submission_schema, aero_shader_schema, aero_bytes_schema, aero_alloc_schema;
extern const struct ras_schema aero_command_schema, aero_bare_command_schema;

/* aerogpu_bare.c: streams and tables without a container. */
int aero_bare_open(struct ras_trace *, struct ras_bytes, struct ras_error *);
enum step aero_bare_next(struct ras_cursor *);

/* aerogpu_types.c: the types of a container, and one record of each. The record starts at `start`;
 * c->in is after it. */
bool aero_schemas_add(struct ras_trace *);
enum step aero_frame_record(struct ras_cursor *, struct aero_cursor *, const uint8_t *present);
enum step aero_packet_values(struct ras_cursor *); /* of the Packet that is c->record */
enum step aero_blob_record(struct ras_cursor *, struct aero_cursor *, const uint8_t *start,
                           const struct ras_aero_blob *);
enum step aero_shader_record(struct ras_cursor *, struct aero_cursor *); /* that is pending */
bool aero_submission_values(struct cells *, const struct view *,
                            const struct ras_aero_submission *);
enum step aero_submission_record(struct ras_cursor *, struct aero_cursor *, const uint8_t *start,
                                 const struct ras_aero_submission *);

/* aerogpu_meta.c: the scalars of meta_json as facts, unless the trace has them already; a note
 * where it is not valid or contradicts the header. */
bool aero_meta_facts(struct ras_trace *, struct ras_bytes meta, uint32_t command_abi_version);

int aero_start(struct ras_cursor *, struct ras_error *);
enum step aero_next(struct ras_cursor *);
bool aero_seek(struct ras_cursor *, enum ras_axis, uint64_t to);
void aero_save(const struct ras_cursor *, struct ras_mark *);
void aero_load(struct ras_cursor *, const struct ras_mark *);
int aero_stats(struct ras_trace *, struct stats *, struct ras_error *);
int aero_usage(struct ras_trace *, struct usage *, struct ras_error *);
int aero_check(struct ras_trace *, struct report *, struct ras_error *);
int aero_repair(struct ras_trace *, const struct ras_repair_options *, struct plan *,
                struct ras_error *);
int aero_compare_pixels(struct compare *, struct ras_error *); /* aerogpu_play_diff.c */
/* aerogpu_play_canvas.c: the canvas found in a trace; or the one that the options state, else that
 * one, within the limits.
 */
int aero_canvas(struct ras_trace *, struct ras_canvas *, struct ras_error *);
int aero_canvas_of_options(struct ras_trace *, const struct ras_render_options *,
                           struct ras_canvas *, struct ras_error *);
/* The members of a slice's meta_json for a canvas that is known from its source's commands.
 * RAS_END: none, since meta_json states it, or it is unknown. Only the records up to `until` are
 * read, and *search continues; `until` RAS_NONE: all are, and *search is NULL. */
struct canvas_search;
int aero_canvas_members(struct ras_trace *, uint64_t until, struct canvas_search **search,
                        struct json *, struct ras_error *);
void aero_canvas_reach(struct canvas_search *, uint64_t until);
/* Whether the canvas that was stated is right for all of the trace. */
bool aero_canvas_confirmed(struct canvas_search *);
void aero_canvas_free(struct canvas_search *);
int aero_render(struct ras_trace *, const struct ras_render_options *, struct ras_render *,
                struct ras_error *);
static inline bool aero_is_shader(uint32_t kind)
{
    return kind >= RAS_AERO_SHADER_DXBC && kind <= RAS_AERO_SHADER_GLSL_ES300;
}
extern const struct ras_rule aero_rules[];
extern const struct rewrite_ops aero_rewrite;
extern const struct build_ops aero_build;
extern const struct compare_ops aero_compare;
extern const struct timeline_ops aero_timeline;
extern const struct scene_ops aero_scene;
#endif
