/* relay.h - blocks of bytes that another thread writes, in the order they were given.
 *
 * For whoever makes bytes about as fast as the system takes them: both then work at once. */
#ifndef CORE_RELAY_H
#define CORE_RELAY_H

#include "base/out.h"

struct relay;

/* Called in the other thread, for one block after the other; after a failure no more. */
typedef int relay_write(void *user, const uint8_t *bytes, size_t size, struct ras_error *);

/* NULL: there is no memory or thread for it. */
struct relay *relay_open(relay_write *, void *user);
/* Give what is in `block`, which is empty then; waits while too many are under way. A failure is
 * that of an earlier block: this one will not be written either. */
int relay_give(struct relay *, struct out *block, struct ras_error *);
/* Until all that was given is written, or one failed. */
int relay_wait(struct relay *, struct ras_error *);
/* Blocks that were not yet written are not; NULL is fine. */
void relay_close(struct relay *);
#endif
