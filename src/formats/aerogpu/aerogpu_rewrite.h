/* aerogpu_rewrite.h - what the files that slice, merge and convert share. */
#ifndef AEROGPU_REWRITE_H
#define AEROGPU_REWRITE_H

#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_made.h"
#include "formats/aerogpu/aerogpu_refs.h"

/* How blobs are numbered in what is written. */
enum aero_numbers {
    AERO_AS_THEY_ARE, /* one trace, all of it */
    AERO_APART,       /* several, all of them: those of the next begin behind the last */
    AERO_ANEW,        /* a part: 1, 2, 3 */
};

/* One Blob record of a source. */
struct aero_part {
    uint64_t blob_id, offset;
    uint64_t new_id; /* once it is written; 0 before */
    uint32_t size;   /* of the record */
    bool shown;      /* it is in range */
    bool wanted;     /* and asked for */
    bool needed;     /* a record that is kept names it */
};

struct aero_feed {
    struct aero_part *parts; /* in the order of the file */
    size_t part_count, part_room;
    uint32_t *by_id; /* parts by id, then offset */
    uint64_t most;   /* the largest id */
    uint64_t base;   /* AERO_APART: added to every id but 0 */
};

struct aero_copier {
    enum aero_numbers numbers;
    enum aero_shape shape;
    uint32_t version;
    bool commands_asked, shaders_asked;
    struct aero_feed *feeds; /* by source */
    uint64_t last_id;

    /* Bytes of a source that follow each other, not yet written. */
    size_t run_source;
    uint64_t run_from, run_to;
    uint64_t at;     /* in what is written, the run included */
    uint8_t *buffer; /* for a record whose ids change */
    size_t room;

    struct ras_aero_frame *frames;
    size_t frame_count, frame_room;
    bool open;           /* the last of them */
    size_t frame_source; /* whose frame it is, and where it starts there */
    uint64_t frame_start;
    bool any_frame;       /* seen by the first pass */
    uint32_t first_index; /* of the first frame that is kept */

    /* A slice: what its commands make and use. */
    struct aero_made made;
    bool parent_kept, parent_packet; /* of commands; it is a packet of Appendix A */

    uint64_t bare_bytes, bare_count; /* of a stream or table that stands alone */
};

static inline struct ras_bytes aero_source(const struct rewrite *rw, size_t source)
{
    return source_bytes(rw->sources[source]->source, 0);
}

/* aerogpu_rewrite_ids.c: every Blob record of a source, by the way the reader goes. */
int aero_feed_fill(struct rewrite *, size_t source, struct ras_error *);
void aero_feed_free(struct aero_feed *);
/* The part whose record is the last of that id before `before`; NULL: there is none. */
struct aero_part *aero_part_of(const struct aero_feed *, uint64_t blob_id, uint64_t before);
/* The id in what is written of one that a record at `offset` names. */
uint64_t aero_new_ref(struct rewrite *, size_t source, uint64_t blob_id, uint64_t offset);
/* The same for the Blob record itself, which is about to be written. */
uint64_t aero_new_id(struct rewrite *, size_t source, uint64_t blob_id, uint64_t offset);

/* aerogpu_rewrite_put.c: bytes out, runs of unchanged ones in one piece. */
int aero_put_run(struct rewrite *, struct ras_error *);
int aero_put_bytes(struct rewrite *, const void *bytes, size_t size, struct ras_error *);
/* As they stand in the source, with what follows there in one piece. */
int aero_put_raw(struct rewrite *, size_t source, uint64_t offset, uint64_t size,
                 struct ras_error *);
int aero_put_header(struct rewrite *, struct ras_error *);
/* The record of a source at `offset`, its ids as they are to be. */
int aero_put_record(struct rewrite *, size_t source, uint64_t offset, uint64_t size,
                    struct ras_error *);
int aero_put_begin(struct rewrite *, size_t source, uint64_t offset, struct ras_error *);
int aero_put_present(struct rewrite *, size_t source, uint64_t offset, struct ras_error *);
void aero_end_frame(struct aero_copier *);
int aero_put_seal(struct rewrite *, struct ras_error *);

/* aerogpu_rewrite_bare.c: streams and tables that stand alone. */
int aero_bare_begin(struct rewrite *, struct ras_error *);
void aero_bare_need(struct rewrite *, const struct taken *);
int aero_bare_header(struct rewrite *, struct ras_error *);
#endif
