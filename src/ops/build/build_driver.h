/* build_driver.h - the driver's part in building a trace of records given as values. */
#ifndef OPS_BUILD_BUILD_DRIVER_H
#define OPS_BUILD_BUILD_DRIVER_H

#include "core/document.h"
#include "core/row.h"

struct build {
    const char *target; /* one of ops->targets */
    struct ras_sink *sink;
    struct ras_folder *folder; /* one of the two */
    void *priv;                /* ops->size bytes, zeroed */
    struct ras_rewritten *out;
    size_t note_room, dropped_room;
    bool nomem;
};

struct build_ops {
    const char *const *targets; /* dialects or versions, ends with NULL, the newest first */
    const char *const
        *types; /* record types, ends with NULL; NULL: any that other formats do not have */
    /* Its record types as they are read, ends with NULL; NULL: put() knows all fields. */
    const struct ras_schema *const *schemas;
    size_t size; /* of private state */
    bool to_folder;
    /* The fields of the header for begin(): keys and values of the open map. NULL: none. */
    void (*header)(struct ras_trace *, struct document *);
    /* On-request types without which a trace cannot be rebuilt: always, and for blobs; both end
     * with NULL, or are NULL. */
    const char *const *header_types, *const *blob_types;
    /* The header, a row of that type, or NULL. */
    int (*begin)(struct build *, const struct json_row *header, struct ras_error *);
    int (*put)(struct build *, const struct json_row *, struct ras_error *);
    int (*end)(struct build *, struct ras_error *);
    /* Frees what begin() allocated, also after it failed; NULL: nothing. */
    void (*stop)(struct build *);
};

/* Input records that have no place in the target. */
void build_dropped(struct build *, const char *type, uint64_t records);
/* Something that could not be carried over. */
void build_note(struct build *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
