/* atf_ring.h - the lanes of a durable recording, which lie beside the files of their threads. */
#ifndef ATF_RING_H
#define ATF_RING_H

#include "formats/atf/atf_session.h"

/* A lane that can be followed: all its places lie in the file. */
struct atf_ring {
    struct ras_bytes file;
    uint32_t thread_id;
    uint64_t head, tail, events_at, capacity;
    uint64_t detail_head, detail_tail, detail_wrap, detail_at, detail_size;
};
/* False: it cannot be followed. `file` is set by the caller. */
bool atf_ring_open(struct atf_ring *);
/* A number of the lane, which lies where the header's field says; 0 and not *good: nowhere. */
uint64_t atf_ring_number(struct ras_bytes lane, unsigned field, bool *good);

/* Whether a thread's index was closed by its recorder. */
bool atf_index_sealed(struct ras_atf_session *, struct atf_thread *);

/* What a lane holds that was never written to the thread's files. */
enum atf_ring_state {
    RING_NONE,    /* the recording is not a durable one, or the index is closed */
    RING_WRITTEN, /* all of it is in the file */
    RING_HOLDS,
    RING_APART,   /* events between the file and the lane are in neither */
    RING_BROKEN,  /* it cannot be followed */
    RING_MISSING, /* other threads of the session have one */
};
struct atf_pending {
    enum atf_ring_state state;
    uint64_t events; /* RING_HOLDS, RING_APART: that are not in the file */
    uint64_t tail;   /* number of the first event in the lane */
    uint64_t bytes;  /* of events of their own schemas */
};
struct atf_pending atf_pending(struct ras_atf_session *, struct atf_thread *);
#endif
