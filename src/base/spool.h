/* spool.h - bytes that grow at the end and stay addressable.
 *
 * Small ones live in memory; past SPOOL_MEMORY they move to an unlinked file
 * that is mapped, so that a long pipe or a large inflated trace costs disk,
 * not memory. Where there are no files they stay in memory.
 *
 * They move as they grow. Whoever still looks at where they were says so by `held`: the old
 * places are kept until spool_forget(). */
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
/* Take over a malloc'ed block as the content, in place of what there is. False: no memory to keep
 * the old place, and nothing is changed. */
bool spool_adopt(struct spool *, uint8_t *block, size_t len);
/* Nobody looks at the old places any more. */
void spool_forget(struct spool *);
void spool_free(struct spool *);
#endif
