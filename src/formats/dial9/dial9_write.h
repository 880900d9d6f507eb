/* dial9_write.h - a writer from inside: what its two halves, events and definitions,
 * share. */
#ifndef DIAL9_WRITE_H
#define DIAL9_WRITE_H

#include "formats/dial9/dial9_intern.h"
#include "formats/dial9/dial9_put.h"

/* A type and its frames, to be written again in the next batch. */
struct known_type {
    struct put_plan *plan; /* NULL: no such type */
    uint8_t *frames;       /* its Schema frame, then its annotations */
    size_t schema_size, size, room;
};

struct ras_dial9_writer {
    /* What an event touches, first. */
    uint8_t *at;
    size_t len, room;
    const struct put_plan **plans; /* by type_id: those registered in this batch */
    size_t plan_count, plan_room;
    uint64_t base_ns;
    uint64_t events;

    struct known_type *types; /* by type_id, plan_count of them */
    size_t type_room;
    struct intern schemas, strings, stacks;
    struct ras_sink *sink; /* NULL: the buffer grows */
    uint64_t passed;       /* bytes that left the buffer */
    enum ras_dial9_dialect dialect;
    unsigned depth;
    uint64_t record_bytes, pool_bytes;
    bool spent; /* seed dialect: the one batch there is was appended */
};

/* Room for `need` bytes behind what is buffered, and the slack. */
int dial9_make_room(struct ras_dial9_writer *, uint64_t need, struct ras_error *);
/* RAS_OK, or why nothing can be added. */
int dial9_writer_open_for(const struct ras_dial9_writer *, struct ras_error *);
/* Where the next frame would begin. */
static inline uint64_t dial9_writer_offset(const struct ras_dial9_writer *w)
{
    return w->passed + w->len;
}
#endif
