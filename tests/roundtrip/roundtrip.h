/* roundtrip.h - every valid trace of some folders, held to its own re-encoding. */
#ifndef ROUNDTRIP_H
#define ROUNDTRIP_H

#include <rastrum/rastrum.h>

/* Implemented by each format: encode what `file` holds again, in one of several ways, counted
 * from 0. RAS_END: there is no such way, or not for this trace. */
int reencode(struct ras_bytes file, unsigned way, struct ras_sink *sink, struct ras_error *err);
/* Random values, encoded, decoded and compared; what is wrong, or NULL. `seed` differs. */
const char *random_trip(uint64_t seed);

/* A number from 0 to UINT64_MAX, an extreme one rather often. */
uint64_t any_number(uint64_t *state);
#endif
