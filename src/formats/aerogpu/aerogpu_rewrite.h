/* aerogpu_rewrite.h - what the files that slice, merge and convert share. */
#ifndef AEROGPU_REWRITE_H
#define AEROGPU_REWRITE_H

#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_refs.h"

/* How blobs are numbered in the output. */
enum aero_numbers {
    AERO_UNCHANGED,    /* one trace, all of it */
    AERO_CONCATENATED, /* several traces, complete: the ids of the next begin after the last */
    AERO_RENUMBERED,   /* a part: 1, 2, 3 */
};

/* A Blob record that is kept only because a record that is kept names it. */
struct aero_need {
    uint64_t offset;
    uint64_t new_id; /* once it is written, if it is put before the first frame */
    bool in_range;   /* it is written at its own place */
};

struct aero_feed {
    /* The first pass: of the last record of each id 1 if it will be kept, else where it is.
     * The second: its new id. */
    struct aero_map last;
    struct aero_need *needs;
    size_t need_count, need_room;
    size_t need_next; /* the second pass: the first that it has not reached */
    size_t places;    /* the first pass: ids whose last record may yet be needed */
    uint64_t most;    /* the largest id */
    uint64_t base;    /* AERO_CONCATENATED: added to every id but 0 */
};

struct aero_copier {
    enum aero_numbers numbers;
    enum aero_shape shape;
    uint32_t version;
    bool wants_commands, wants_shaders;
    struct aero_feed *feeds; /* by source */
    uint64_t last_id;

    /* Bytes of a source that follow each other, not yet written. */
    const uint8_t *run_at;
    size_t run_size;
    uint64_t at;     /* in the output, the run included */
    uint8_t *buffer; /* for a record whose ids change */
    size_t room;

    struct ras_aero_frame frame; /* the last one */
    size_t frame_count;
    struct out toc; /* those before it; the next index, and their end */
    uint32_t toc_index;
    uint64_t toc_end;
    bool open;           /* the last one */
    size_t frame_source; /* whose frame it is, and where it starts there */
    uint64_t frame_start;
    bool any_frame;       /* seen by the first pass */
    uint32_t first_index; /* of the first frame that is kept */

    /* A slice: what its commands make and use. */
    struct aero_made made;
    bool parent_kept, parent_packet; /* of commands; it is a packet of Appendix A */

    bool with_state;              /* the commands that its first frame needs are written into it */
    struct aero_state *state;     /* until it is written */
    struct canvas_search *search; /* checks that the stated canvas is that of all frames */

    uint64_t bare_bytes, bare_count; /* of a bare stream or table */
};

static inline struct ras_bytes aero_source(const struct rewrite *rw, size_t source)
{
    return source_bytes(rw->sources[source]->source, 0);
}

/* aerogpu_rewrite.c: the second pass has come to the record at `offset`; true: it is a needed blob.
 */
bool aero_reach(struct rewrite *, size_t source, uint64_t offset);
/* The id in the output of a blob that a record of this source names. */
uint64_t aero_new_ref(struct rewrite *, size_t source, uint64_t blob_id);
/* The same for the Blob record itself, which is about to be written. */
uint64_t aero_new_id(struct rewrite *, size_t source, uint64_t blob_id);

/* aerogpu_rewrite_put.c: output; runs of unchanged bytes are written in one piece. */
int aero_put_run(struct rewrite *, struct ras_error *);
int aero_put_bytes(struct rewrite *, const void *bytes, size_t size, struct ras_error *);
/* As they are in the source, in one piece with what follows there. */
int aero_put_raw(struct rewrite *, const uint8_t *raw, uint64_t size, struct ras_error *);
int aero_put_header(struct rewrite *, struct ras_error *);
/* A record, with its ids changed. */
struct aero_one;
int aero_put_record(struct rewrite *, const struct aero_one *, struct ras_error *);
/* TOC and footer, which close the trace. */
int aero_put_seal(struct rewrite *, struct ras_error *);

/* A record as both passes and the sweep know it. */
struct aero_one {
    size_t source;
    uint8_t type;        /* enum ras_aero_record_type; of a Present, the frame that it closes */
    const uint8_t *base; /* of the source's bytes */
    uint64_t offset, size;
    bool in_frame; /* that starts at */
    uint64_t frame_start;
    const struct ras_aero_submission
        *submission; /* the record itself, if it is a submission that was read already */
};
int aero_need_one(struct rewrite *, const struct aero_one *, bool in_range, bool kept,
                  struct ras_error *);
/* A command that is kept: what it makes and uses. */
int aero_see_command(struct rewrite *, uint64_t tick, bool packet, struct ras_bytes command,
                     struct ras_error *);
int aero_take_one(struct rewrite *, const struct aero_one *, struct ras_error *);
void aero_drop_state(struct aero_copier *);
/* The records after the one shown, as far as they are usual. */
int aero_sweep(struct rewrite *, const struct taken *, bool taking, struct ras_error *);

/* aerogpu_state.c: the commands that were found, into the frame that is open. */
struct aero_state;
int aero_state_put(struct rewrite *, const struct aero_state *, struct ras_error *);
#endif
