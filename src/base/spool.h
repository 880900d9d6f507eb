/* spool.h - bytes that grow at the end and stay addressable.
 *
 * Small ones live in memory; past SPOOL_MEMORY they move to an unlinked file
 * that is mapped, so that a long pipe or a large inflated trace costs disk,
 * not memory. */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include <rastrum/rastrum.h>

#define SPOOL_MEMORY ((size_t)64 << 20)

struct spool {
    uint8_t *at; /* malloc'ed, or mapped when fd is open */
    size_t len, room;
    int fd; /* file + 1, so that a zeroed spool is empty; 0: in memory */
};

int spool_append(struct spool *, const void *bytes, size_t n, struct ras_error *);
/* Take over a malloc'ed block as the content of an empty spool. */
void spool_adopt(struct spool *, uint8_t *block, size_t len);
void spool_free(struct spool *);
#endif
