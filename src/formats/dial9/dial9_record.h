/* dial9_record.h - what events of a recording refer to: schemas and entries of pools. */
#ifndef DIAL9_RECORD_H
#define DIAL9_RECORD_H

#include "formats/dial9/dial9_put.h"
#include "record/recorder.h"

/* What was declared has a number, the type id or pool id; it is never changed, never freed. A
 * batch begins with the frames of those that its events refer to. */
enum type_kind { TYPE_SCHEMA, TYPE_STRING, TYPE_STACK };

struct type {
    enum type_kind kind;
    uint8_t *frame;
    size_t frame_size;
    struct put_plan *plan; /* of a schema */
    bool pooled;           /* a schema with fields that refer to pools */
};

/* dial9_record_types.c: for the drain, see stream_ops. */
void dial9_types_declare(const char *dir, uint32_t from);
void dial9_types_forget(const char *dir);
extern const struct stream_ops dial9_stream_ops;
#endif
