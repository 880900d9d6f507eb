/* spool.h - bytes that grow at the end and stay addressable.
 *
 * Small amounts are in memory; past SPOOL_MEMORY they move to an unlinked file that is mapped, so
 * that a long pipe or a large inflated trace costs disk, not memory. Where there are no files they
 * stay in memory.
 *
 * They move as they grow. A user that still reads the old places sets `held`: these are kept until
 * spool_forget(). */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include <rastrum/rastrum.h>

#define SPOOL_MEMORY ((size_t)64 << 20)

struct spool_old;
struct spool {
    uint8_t *at; /* malloc'ed, or mapped when fd is open */
    size_t len, room;
    int fd; /* file + 1, so that a zeroed spool is empty; 0: in memory */
    bool held;
    struct spool_old *old; /* where the bytes were; newest first */
};

int spool_append(struct spool *, const void *bytes, size_t n, struct ras_error *);
/* Forget the last bytes, so that others take their place; there are at least `len`. */
void spool_cut(struct spool *, size_t len);
/* Take over a malloc'ed block as the new content. False: no memory to keep the old place, and
 * nothing is changed. */
bool spool_adopt(struct spool *, uint8_t *block, size_t len);
/* The old places are no longer read. */
void spool_forget(struct spool *);
void spool_free(struct spool *);
#endif
