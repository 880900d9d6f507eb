/* aerogpu_refs.h - where a record names blobs, and which resources commands use. */
#ifndef AEROGPU_REFS_H
#define AEROGPU_REFS_H

#include "formats/aerogpu/aerogpu_wire.h"

/* The references of one record, in the order of its bytes. */
struct aero_refs {
    uint8_t record_type;
    struct ras_bytes payload;
    uint32_t next;
    const struct ras_aero_op *op; /* of a packet of Appendix A */
    uint32_t header_size, ranges; /* of a submission */
};

/* Whether the record may have any. */
bool aero_has_refs(uint8_t record_type, struct ras_bytes payload);
struct aero_refs aero_refs_of(uint8_t record_type, struct ras_bytes payload);
/* Of a submission that was read already. */
struct aero_refs aero_refs_of_submission(const struct ras_aero_submission *, struct ras_bytes);
/* The next blob id: its place in the payload. False: there are no more. */
bool aero_refs_next(struct aero_refs *, uint64_t *at);

/* Spaces of ids. */
enum { AERO_RESOURCE, AERO_BUFFER, AERO_SHADER, AERO_LAYOUT, AERO_SAMPLER, AERO_PIPELINE };

/* One id that a command makes or uses; it is not 0. */
struct aero_touched {
    uint8_t kind;
    bool makes;
    uint32_t id;
};
typedef bool aero_touched_one(void *user, const struct aero_touched *);
/* Every id of a command, those that it uses first. False: the callback returned false. */
bool aero_touched_each(bool packet, struct ras_bytes command, aero_touched_one *, void *user);

/* The resources that were made so far. Zero-initialised: none. */
struct aero_made {
    struct aero_ids ids;
    /* By the opcode's second byte and six bits of its first, of streams and packets: whether it may
     * make or use anything. Most commands do neither. */
    uint64_t touching[2][8];
    bool ready;          /* those are filled */
    const char *missing; /* the kind of the first resource that was used and not made; NULL: none */
    uint32_t missing_id;
};

/* Whether a command of this opcode may make or use anything, once aero_made_ready() was called. */
void aero_made_ready(struct aero_made *);
static inline bool aero_made_touches(const struct aero_made *m, bool packet, uint32_t opcode)
{
    return m->touching[packet][opcode >> 8 & 7] >> (opcode & 63) & 1;
}
/* A command of a stream, or a packet of Appendix A, with its header of 8 bytes. False:
 * out of memory. */
bool aero_made_add(struct aero_made *, bool packet, struct ras_bytes command);
#endif
