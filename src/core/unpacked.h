/* unpacked.h - the bytes of a seekable zstd file, each frame decompressed when it is needed.
 *
 * All bytes have their addresses from the start; those of a frame that was not needed yet are zero.
 * Small ones are in memory. Larger ones are in an unlinked file that is mapped: frames that nobody
 * uses leave it again, so that a walk of any length takes a bounded amount of memory and disk. */
#ifndef CORE_UNPACKED_H
#define CORE_UNPACKED_H

#include <rastrum/rastrum.h>

struct unpacked;

/* Frames that are in use. Zeroed: none. */
struct unpacked_pin {
    size_t first, count;
};

/* RAS_OK; RAS_END: the file has no index that agrees with it; RAS_EMEMORY. `packed` must stay. */
int unpacked_open(struct unpacked **, struct ras_bytes packed, uint64_t most, struct ras_error *);
void unpacked_close(struct unpacked *);
/* Up to the first frame that is known to be damaged. */
struct ras_bytes unpacked_bytes(const struct unpacked *);
/* Decompress the frames of [from, to), and let go of those that `pin` had. NULL: they stay.
 * RAS_EFORMAT: a frame is damaged, and the bytes end before it now. */
int unpacked_need(struct unpacked *, uint64_t from, uint64_t to, struct unpacked_pin *pin,
                  struct ras_error *);
void unpacked_release(struct unpacked *, struct unpacked_pin *pin);
size_t unpacked_frames(const struct unpacked *);
/* What damaged frames have left out. */
struct unpacked_hole {
    size_t frames;  /* 0: none */
    uint64_t bytes; /* that they would have been */
    uint64_t at;    /* where the first of them was, in the bytes that are left */
    uint64_t stored_at;
    char why[160]; /* it is damaged */
};
/* Leave out all damaged frames whose bytes begin and end at multiples of `unit` after `head`, so
 * that those after them follow those before; all frames are read for it. Nothing may be pinned.
 * RAS_END: none is known to be damaged, or one does not. */
int unpacked_close_holes(struct unpacked *, uint64_t head, uint64_t unit, struct unpacked_hole *,
                         struct ras_error *);
/* Where the damaged frame is stored, and why it is damaged; NULL: none is known to be. */
const char *unpacked_damage(const struct unpacked *, uint64_t *at);
#endif
