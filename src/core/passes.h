/* passes.h - the progress callback of a verb: how far it is, and whether it is canceled. */
#ifndef CORE_PASSES_H
#define CORE_PASSES_H

#include <rastrum/rastrum.h>

/* A verb may pass over its traces several times: `done` counts the bytes of all passes and never
 * decreases. Zero-initialised: nobody is told. */
struct passes {
    ras_progress *progress; /* NULL: none */
    void *user;
    uint64_t all;      /* bytes of all passes; 0: there is one */
    uint64_t before;   /* bytes of those before the current one */
    uint64_t reported; /* of this pass: where passes_at() reported last */
    uint64_t most;     /* that was reported */
    uint64_t walked;   /* by passes_walk() since its last report */
    uint64_t offset;   /* and its record */
    uint32_t part;
    bool canceled;
};

enum { PASSES_EVERY = 1 << 20 }; /* bytes between two reports */

/* Report bytes of the current pass; cheap enough for every record. False: canceled, now or before;
 * the callback is not called again. */
bool passes_at(struct passes *, uint64_t done, uint64_t total);
/* The current pass, over so many bytes, is over. */
void passes_next(struct passes *, uint64_t size);
/* A ras_progress for a verb that is a pass of this one: `user` is the struct passes. */
bool passes_inner(void *passes, uint64_t done, uint64_t total);
/* walk_next() that reports; RAS_ECANCELED. */
int passes_walk(struct passes *, struct ras_trace *, struct ras_cursor *,
                const struct ras_record **, struct ras_error *);
#endif
