/* dial9_seed.h - events of any dialect into a stream of the published text. */
#ifndef DIAL9_SEED_H
#define DIAL9_SEED_H

#include "formats/dial9/dial9_driver.h"
#include "ops/rewrite/rewrite_driver.h"

/* What the published text has no place for, counted. */
struct seed_loss {
    uint64_t batches, annotations, absent, texts, ids;
    uint64_t stacks, containers; /* written otherwise: not lost */
};

struct seeder {
    struct rewrite *rw;
    struct ras_dial9_writer *writer;
    size_t source; /* of the current batch */
    struct dial9_batch *batch;
    struct seed_loss loss;
    struct ras_dial9_field *fields; /* of the event at hand: those that are kept */
    struct ras_dial9_value *values;
    size_t field_room, value_room;
    struct ras_dial9_value *items; /* of its string maps */
    size_t item_count, item_room;
    struct out json; /* its lists and maps */
};

int dial9_seed_begin(struct seeder *, struct rewrite *, struct ras_error *);
int dial9_seed_event(struct seeder *, size_t source, const struct ras_record *, struct ras_error *);
int dial9_seed_end(struct seeder *, struct ras_error *);
void dial9_seed_stop(struct seeder *);
#endif
