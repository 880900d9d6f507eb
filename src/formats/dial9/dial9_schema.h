/* dial9_schema.h - shapes of events by name and fields.
 *
 * Type ids are valid only within one batch: the same event has another id in the next one. A
 * shape is a Schema frame without its id; equal ones are one shape in the whole trace, whatever
 * batch registers them. */
#ifndef DIAL9_SCHEMA_H
#define DIAL9_SCHEMA_H

#include "formats/dial9/dial9_layout.h"

struct shape {
    struct ras_dial9_schema native;
    uint32_t schema; /* id in the trace's list of schemas */
    const struct ras_schema *common;
    struct shape *twin;  /* the first of the same name and fields; owns the names */
    struct shape *chain; /* next of the same hash */
    uint64_t hash;
    struct ras_bytes name, fields; /* as stored: the key */
    void *tally;                   /* of the user that counts; freed with the shape */
    struct dial9_layout layout;
    struct layout_step steps[]; /* here, not in a block of its own: one load less per event */
};

struct shapes {
    /* Register a common schema; its id, or -1. NULL: not needed. */
    int64_t (*add)(void *owner, const struct ras_schema *schema);
    void *owner;
    struct shape **buckets;
    size_t bucket_count, count;
    size_t bytes;                    /* held */
    struct ras_dial9_value *scratch; /* room for the values of the widest event */
    size_t scratch_room;
    bool annotated; /* a Schema Annotations frame was read */
};

void dial9_shapes_free(struct shapes *shapes);
/* Whether a Schema frame is equal to a shape. */
bool dial9_shape_is(const struct shape *shape, const struct wire_schema *wire);
/* The shape a Schema frame describes, made when it is new: RAS_OK, RAS_EMEMORY,
 * RAS_ELIMIT. The frame must have passed dial9_schema_check. */
int dial9_shape_get(struct shapes *shapes, const struct wire_schema *wire, struct shape **out,
                    struct ras_error *err);
/* Names are UTF-8 and types exist: RAS_OK or RAS_EFORMAT at offset `at`. */
int dial9_schema_check(const struct wire_schema *wire, enum ras_dial9_dialect dialect, uint64_t at,
                       struct ras_error *err);
#endif
