/* aerogpu_compare.h - what the files that compare AeroGPU traces share. */
#ifndef AEROGPU_COMPARE_H
#define AEROGPU_COMPARE_H

#include "core/document.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_op.h"
#include "ops/compare/align_walk.h"
#include "ops/compare/paths.h"
#include "ops/compare/place_walk.h"

/* The comparison is between two sequences of units, frame by frame. */
enum aero_unit_kind {
    AERO_UNIT_PACKET,     /* of Appendix A */
    AERO_UNIT_STREAM,     /* the header of a stream that is a Packet, or of a bare stream */
    AERO_UNIT_UNKNOWN,    /* a Packet that is neither of the two */
    AERO_UNIT_SUBMISSION, /* without its commands */
    AERO_UNIT_COMMAND,    /* of a stream */
    AERO_UNIT_BLOB,
    AERO_UNIT_GAP,
    AERO_UNIT_PRESENT, /* which closes the frame */
    AERO_UNIT_TABLE,   /* the header of a bare allocation table */
    AERO_UNIT_ALLOC,   /* one of its entries */
    AERO_UNIT_KINDS,
};

struct aero_unit {
    uint64_t offset; /* in the file, of its bytes: a payload, or a command */
    uint32_t len;
    uint8_t kind;
    uint8_t within; /* of a command: the kind that its stream belongs to */
    uint16_t minor; /* of its stream's ABI */
    uint32_t opcode;
    uint32_t index;   /* among the units of its kind, or its stream's, in this frame */
    uint32_t command; /* in its stream */
    uint64_t blob_id;
};

enum { AERO_WINDOW = 256, AERO_RECENT = 1024, AERO_CACHE = 1024 };

/* Textures that commands create, in the order of the file; see aerogpu_compare_pixel.c. */
struct aero_texture {
    uint64_t offset;
    uint32_t handle, format, width, height, pitch;
};
struct aero_textures {
    struct ras_cursor *cursor; /* of the search */
    uint64_t at;
    bool ended;
    struct aero_texture *rows;
    size_t count, room;
};

struct aero_side {
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    unsigned wanted;               /* bits of kinds */
    const struct ras_record *next; /* of the cursor; NULL: not read yet */
    bool ended, lost;              /* lost: it was cut, the rest is unknown */

    /* The span that is open: a frame, or the records between two of them. */
    struct compare_place place; /* of the last frame */
    bool framed, closed;
    uint32_t frame;
    uint32_t counts[AERO_UNIT_KINDS];
    bool one;       /* the command that repeats the packet before it follows */
    bool head_done; /* of a bare stream or table: its header was delivered */
    uint8_t within;
    uint16_t minor;
    uint32_t commands;
    uint64_t passed; /* units that were compared */

    struct aero_unit window[AERO_WINDOW]; /* read ahead, within the span */
    size_t first, count;

    struct aero_recent recent[AERO_RECENT]; /* blobs passed, by their ids */
    struct aero_cursor streams;             /* those that a cursor remembers */
    struct aero_ids defined, referenced;    /* ids; the latter of the whole trace */
    bool referenced_known;
    struct aero_textures textures;
};

/* Two Blob records that were compared. */
struct aero_known {
    uint64_t a, b;
    bool same;
};

/* Rows of one report; rows beyond the limit are left out. */
struct aero_rows {
    struct document *doc;
    size_t count;
    uint64_t units;         /* that they are about */
    struct aero_unit first; /* that differs */
};

struct aero_compare {
    struct compare *compare;
    struct aero_side sides[2];
    struct aero_rows rows;
    struct align by_content, by_name;
    bool last;     /* no unit is known to follow those that are aligned by name ... */
    size_t end[2]; /* ... which end here, in the windows */
    bool full;     /* their rows have reached the limit */
    struct aero_known known[AERO_CACHE];
    struct cells shown; /* the values of one unit */
    bool nomem;
};

/* aerogpu_compare_units.c */
int aero_side_open(struct aero_side *, const struct ras_mark *, struct ras_error *);
void aero_side_close(struct aero_side *);
/* Read the next record if there is none: RAS_OK, or RAS_END. */
int aero_side_peek(struct aero_side *, struct ras_error *);
/* Whether the next span is a frame, which has this index. */
bool aero_side_framed(const struct aero_side *, uint64_t *index);
/* Open the next span, or one without units. */
void aero_span_open(struct aero_side *, bool empty);
/* Read ahead until the window has `want` units, or all of the span. */
int aero_span_fill(struct aero_side *, size_t want, struct ras_error *);
void aero_span_drop(struct aero_side *, size_t count);
void aero_blob_remember(struct aero_side *, uint64_t blob_id, uint64_t offset);

static inline const struct aero_unit *aero_unit_at(const struct aero_side *s, size_t i)
{
    return &s->window[s->first + i];
}

static inline struct ras_bytes aero_unit_bytes(const struct aero_side *s, const struct aero_unit *u)
{
    return aero_slice(source_bytes(s->trace->source, 0), u->offset, u->len);
}

/* A blob that a unit names. */
struct aero_ref {
    uint64_t blob_id, offset; /* offset: of its record */
    bool there;
    struct ras_aero_blob blob;
};
struct aero_ref aero_ref_of(struct aero_compare *, int side, const struct aero_unit *,
                            uint64_t blob_id);
/* The blob of a unit that is a Blob record. */
struct aero_ref aero_unit_ref(const struct aero_side *, const struct aero_unit *);
/* Whether both have the same content, or neither exists. */
bool aero_refs_same(struct aero_compare *, const struct aero_ref *, const struct aero_ref *);
/* The stream or table in a submission's blob; false: it cannot be read. */
bool aero_stream_of(const struct aero_ref *, struct ras_aero_stream *);
bool aero_table_of(const struct aero_ref *, struct ras_aero_alloc_table *);

/* aerogpu_compare_rows.c: the numbers of a structure that are compared. */
bool aero_numbers_same(const struct aero_number *, const void *a, const void *b);
void aero_number_rows(struct aero_compare *, const char *base, const struct aero_number *,
                      const void *a, const void *b);
enum { AERO_PATH = 160 };
void aero_row_bytes(struct aero_compare *, const char *base, const char *name, struct ras_bytes a,
                    struct ras_bytes b);
/* aerogpu_compare_pixel.c: a row that says the first pixel in which the data of two uploads differ.
 * False: it is not known which one that is, or that they are pixels. */
bool aero_pixel_row(struct aero_compare *, const char *path, const struct aero_unit *const units[2],
                    const struct ras_bytes payloads[2], const struct ras_bytes data[2]);
void aero_textures_free(struct aero_textures *);
/* A row for each field in which two units of one kind and opcode differ. */
void aero_pair_rows(struct aero_compare *, const struct aero_unit *a, const struct aero_unit *b);
/* A row for a unit that only one side has. */
void aero_lone_row(struct aero_compare *, int side, const struct aero_unit *);

/* Compare the units of two spans, aligned. RAS_END: one side was cut, its rest is unknown. */
int aero_spans_compare(struct aero_compare *, struct ras_error *);

static inline bool aero_rows_full(const struct aero_compare *m)
{
    return m->rows.count >= COMPARE_ROWS_MOST && !compare_counts(m->compare);
}
#endif
