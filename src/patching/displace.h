/* displace.h - the first instructions of a function, moved to another place. */
#ifndef PATCHING_DISPLACE_H
#define PATCHING_DISPLACE_H

#include "base/patch_plan.h"
#include "patching/code_map.h"

enum { DISPLACED_MOST = 96, DISPLACED_FIXUPS = 8 };

enum displace_result {
    DISPLACE_DONE,
    DISPLACE_SHORT,     /* it ends before, and no padding follows */
    DISPLACE_IMMOVABLE, /* an instruction works only where it is */
};

/* The code that a function's first bytes become: a call of the stub at offset 0, the displaced
 * instructions, a jump back. Offsets in `fixups` are from the start of this code. */
struct displaced {
    uint64_t jump; /* where the jump to it is written: after an endbr64 */
    uint32_t size; /* how many bytes are displaced from there */
    bool pushes;   /* one of them is a push */
    uint8_t code[DISPLACED_MOST];
    uint32_t code_size;
    struct patch_plan_fixup fixups[DISPLACED_FIXUPS];
    uint32_t fixup_count;
};

/* `end`: where the next function begins. `at`: the offset that the code will have. */
enum displace_result displace(const struct code_map *, const struct code_function *, uint64_t end,
                              uint32_t at, struct displaced *out);
#endif
