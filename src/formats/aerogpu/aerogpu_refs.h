/* aerogpu_refs.h - where a record names blobs. */
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

/* Whether it may have any. */
bool aero_has_refs(uint8_t record_type, struct ras_bytes payload);
struct aero_refs aero_refs_of(uint8_t record_type, struct ras_bytes payload);
/* Of a submission that was read already. */
struct aero_refs aero_refs_of_submission(const struct ras_aero_submission *, struct ras_bytes);
/* The next blob id: where it stands in the payload. False: there are no more. */
bool aero_refs_next(struct aero_refs *, uint64_t *at);
#endif
