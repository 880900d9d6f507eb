/* pens_notes.h - whether pens take notes, and the first misuse. */
#ifndef PENS_NOTES_H
#define PENS_NOTES_H

#include "pens/pens_state.h"

static inline bool pens_are_on(const struct ras_pens *p)
{
    return p && !p->left && !__atomic_load_n(&p->closed, __ATOMIC_ACQUIRE) &&
           !__atomic_load_n(&p->ledger.stopped, __ATOMIC_RELAXED);
}

/* The program's fault ends the recording: what came before it is closed as usual. */
void pens_misused(struct ras_pens *, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
