/* aerogpu_meta.h - what meta_json says. */
#ifndef AEROGPU_META_H
#define AEROGPU_META_H

#include "core/format.h"

/* meta_json as far as the specification speaks of it. */
struct aero_meta {
    bool object;     /* it is one JSON object */
    const char *why; /* where not */
    size_t fault_at;
    bool has_emulator_version; /* as a string */
    bool has_abi_version;      /* as a number */
    uint64_t abi_version;      /* where it is an integer, else RAS_NONE */
};

struct aero_meta aero_meta_get(struct ras_bytes meta);
/* Its scalars as facts, but those already told; a note where it is not valid or
 * contradicts the header. */
bool aero_meta_facts(struct ras_trace *, struct ras_bytes meta, uint32_t command_abi_version);
#endif
