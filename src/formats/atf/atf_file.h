/* atf_file.h - how one index.atf or detail.atf ends, and which of its bytes are
 * neither an event nor a structure. */
#ifndef ATF_FILE_H
#define ATF_FILE_H

#include "formats/atf/atf_wire.h"

struct atf_verdict {
    enum ras_ending_kind kind;
    uint64_t offset; /* every byte before this one was decoded */
    char why[160];
};

/* Bytes that cannot be decoded, with a known end: [at, at + length). Where the end is not known
 * there is only the verdict. */
struct atf_gap {
    uint64_t at, length;
    uint64_t lost; /* events, RAS_NONE: unknown */
    char why[120];
};

/* How the index ends. `size` is that of the file. */
struct atf_verdict atf_index_verdict(const struct ras_atf_index_file *, uint64_t size);
/* The bytes between the last event that the footer counts and the footer. False: none. */
bool atf_index_gap(const struct ras_atf_index_file *, struct atf_gap *);

/* How the details end when reading them stopped at `end` after `count` events. */
struct atf_verdict atf_detail_verdict(const struct ras_atf_detail_file *, struct ras_bytes bytes,
                                      uint64_t end, uint64_t count);
/* From a detail with a bad length up to the footer. False: none. */
bool atf_detail_gap(const struct ras_atf_detail_file *, struct ras_bytes bytes, uint64_t end,
                    uint64_t count, struct atf_gap *);

/* In a file that still grows: how many events no continuation can take back, and the offset up
 * to which details are final. */
uint64_t atf_final_events(const struct ras_atf_index_file *, struct ras_bytes bytes);
uint64_t atf_final_details(const struct ras_atf_detail_file *, struct ras_bytes bytes);
#endif
