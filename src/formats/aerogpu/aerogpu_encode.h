/* aerogpu_encode.h - packets and commands made of their fields as JSON. */
#ifndef AEROGPU_ENCODE_H
#define AEROGPU_ENCODE_H

#include "core/row.h"
#include "formats/aerogpu/aerogpu_op.h"

/* Append what stands behind the header of a packet or command. `fields` is its map, or
 * NULL; `size` the bytes to make, RAS_NONE: as many as the fields take. Reserved fields
 * and counts may be left out. */
int aero_encode(const struct json_row *, const struct ras_aero_op *, const struct ras_value *fields,
                uint64_t size, struct out *, struct ras_error *);
/* The row of a table by its number in `opcode` or by `name`; NULL: an opcode that is not
 * known, or no such name. */
const struct ras_aero_op *aero_op_asked(const struct json_row *, bool packet, uint64_t size_bytes);
#endif
