/* eh_frame.h - what a file's unwind information says about its functions. */
#ifndef PATCHING_EH_FRAME_H
#define PATCHING_EH_FRAME_H

#include "base/in.h"

/* A range of code with unwind information of its own. */
struct eh_frame_range {
    uint64_t from, to;
    bool has_no_caller; /* its return address is undefined: nothing is returned to */
    bool is_part;       /* its frame is not that of a function that was just called */
};

/* A walk over the section. */
struct eh_frame {
    struct in in;
    struct ras_bytes bytes;
    uint64_t address; /* of the section */
};

/* The bytes may be damaged. */
struct eh_frame eh_frame_open(struct ras_bytes, uint64_t address);
/* False: there are no more, or the rest cannot be read. Ranges in encodings that are not known
 * are skipped. */
bool eh_frame_next(struct eh_frame *, struct eh_frame_range *out);
#endif
