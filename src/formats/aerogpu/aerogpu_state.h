/* aerogpu_state.h - the commands from before a slice that its frames depend on. */
#ifndef AEROGPU_STATE_H
#define AEROGPU_STATE_H

#include "formats/aerogpu/aerogpu_driver.h"

struct aero_step {
    uint32_t record; /* index in records */
    uint32_t at, size;
    uint32_t opcode;
    uint32_t object,
        previous;     /* that it makes or destroys; what its id stood for before; 0: none */
    uint32_t targets; /* that are set when it runs */
    bool packet, inside, kept;
};

struct aero_step_record {
    uint64_t offset;         /* in the source */
    struct ras_bytes stream; /* or the packet, as it stands in the source */
    bool submission, inside;
};

/* Zero-initialised. */
struct aero_state {
    struct aero_step *steps;
    size_t count, room;
    struct aero_step_record *records;
    size_t record_count, record_room;
    uint64_t end;   /* in the source: of what was read to find them */
    uint64_t kept;  /* commands from before the slice */
    uint64_t draws; /* of these */
    bool gap;       /* bytes before the slice could not be understood */
};

/* Find them. `asked` says what the slice is. */
int aero_state_find(struct aero_state *, struct ras_trace *,
                    const struct ras_rewrite_options *asked, struct ras_error *);
void aero_state_free(struct aero_state *);
#endif
