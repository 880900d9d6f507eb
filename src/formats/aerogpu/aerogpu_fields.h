/* aerogpu_fields.h - decoded packets and commands as cells. */
#ifndef AEROGPU_FIELDS_H
#define AEROGPU_FIELDS_H

#include "core/format.h"
#include "formats/aerogpu/aerogpu_op.h"

/* Put a map of the fields that are there, in the table's order, as value of
 * `field`. An unknown opcode (op is NULL) gives its payload as it is. `minor` is
 * that of the stream's ABI. False when memory is short. */
bool aero_fields_put(struct cells *, unsigned field, const struct ras_aero_op *op,
                     struct ras_bytes payload, uint32_t minor);
/* A map of a stream's header; of a submission's ranges a list of maps. */
bool aero_stream_put(struct cells *, unsigned field, const struct ras_aero_stream *);
bool aero_ranges_put(struct cells *, unsigned field, const struct ras_aero_submission *);
#endif
