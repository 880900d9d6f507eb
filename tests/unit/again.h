/* again.h - a dial9 stream decoded and encoded again, value by value, for tests. */
#ifndef UNIT_AGAIN_H
#define UNIT_AGAIN_H

#include <rastrum/dial9.h>

#include <stdlib.h>
#include <string.h>

/* What one event's containers are made of; freed with the event. */
struct again {
    const struct ras_dial9 *reader;
    struct ras_dial9_value *blocks[4096];
    size_t block_count;
};

static inline void again_drop(struct again *a)
{
    while (a->block_count)
        free(a->blocks[--a->block_count]);
}

/* A stored value as one to be written. */
static inline bool again_value(struct again *a, const struct ras_dial9_value *in,
                               struct ras_dial9_value *out)
{
    struct ras_dial9_items items = ras_dial9_items(a->reader, in);
    *out = *in;
    if (in->type != RAS_DIAL9_STRING_MAP && in->type != RAS_DIAL9_DYNAMIC_LIST &&
        in->type != RAS_DIAL9_DYNAMIC_MAP)
        return true;
    struct ras_dial9_value item, *made = malloc((items.left + 1) * sizeof *made);
    if (!made || a->block_count == sizeof a->blocks / sizeof *a->blocks) {
        free(made);
        return false;
    }
    a->blocks[a->block_count++] = made;
    *out = ras_dial9_made((enum ras_dial9_type)in->type, made, in->count);
    for (size_t i = 0; ras_dial9_next_item(&items, &item); i++)
        if (!again_value(a, &item, &made[i]))
            return false;
    return true;
}

static inline int again_event(struct again *a, struct ras_dial9_writer *w,
                              const struct ras_dial9_event *event, struct ras_error *err)
{
    unsigned count = event->schema->field_count;
    struct ras_dial9_value *values = calloc(count + 1u, sizeof *values);
    int status = RAS_EMEMORY;
    bool good = values != NULL;
    for (unsigned i = 0; i < count && good; i++)
        good = again_value(a, &event->values[i], &values[i]);
    if (good)
        status =
            ras_dial9_writer_event(w, event->type_id, event->time_ns, values, (uint16_t)count, err);
    again_drop(a);
    free(values);
    return status;
}

/* The entries of a pool or annotations frame, in one frame. */
static inline int again_entries(struct ras_dial9_writer *w, const struct ras_dial9_frame *frame,
                                struct ras_error *err)
{
    struct ras_dial9_items entries = frame->entries;
    size_t count = (size_t)entries.left, n = 0;
    struct ras_dial9_string_entry *strings = calloc(count + 1, sizeof *strings);
    struct ras_dial9_stack_entry *stacks = calloc(count + 1, sizeof *stacks);
    struct ras_dial9_annotation *notes = calloc(count + 1, sizeof *notes);
    int status = RAS_EMEMORY;
    if (!strings || !stacks || !notes)
        goto out;
    switch (frame->tag) {
    case RAS_DIAL9_STRING_POOL:
        while (ras_dial9_next_string(&entries, &strings[n].pool_id, &strings[n].text))
            n++;
        status = ras_dial9_writer_strings(w, strings, (uint32_t)n, err);
        break;
    case RAS_DIAL9_STACK_POOL:
        while (ras_dial9_next_stack(&entries, &stacks[n].pool_id, &stacks[n].stack))
            n++;
        status = ras_dial9_writer_stacks(w, stacks, (uint32_t)n, err);
        break;
    default:
        while (ras_dial9_next_annotation(&entries, &notes[n]))
            n++;
        status = ras_dial9_writer_annotate(w, frame->type_id, notes, (uint16_t)n, err);
    }
out:
    free(strings);
    free(stacks);
    free(notes);
    return status;
}

static inline int again_frame(struct again *a, struct ras_dial9_writer *w,
                              const struct ras_dial9_frame *frame, struct ras_error *err)
{
    switch (frame->tag) {
    case RAS_DIAL9_HEADER:
        return frame->offset ? ras_dial9_writer_batch(w, err) : RAS_OK;
    case RAS_DIAL9_SCHEMA:
        return ras_dial9_writer_schema_as(w, (uint16_t)frame->type_id, frame->registered.schema,
                                          err);
    case RAS_DIAL9_EVENT:
        return again_event(a, w, &frame->event, err);
    case RAS_DIAL9_TIMESTAMP_RESET:
        return RAS_OK; /* the writer's own business */
    default:
        return again_entries(w, frame, err);
    }
}

/* Everything up to the first frame that cannot be read or written. RAS_END: all. */
static inline int again(struct ras_dial9_writer *w, const void *bytes, size_t size,
                        enum ras_dial9_dialect dialect, struct ras_error *err)
{
    struct ras_dial9_options options = {.dialect = dialect};
    struct ras_dial9 *reader;
    struct ras_dial9_frame frame;
    struct again *a = calloc(1, sizeof *a);
    int status = a ? ras_dial9_open(&reader, bytes, size, &options, err) : RAS_EMEMORY;
    if (status == RAS_OK) {
        a->reader = reader;
        while (status == RAS_OK && (status = ras_dial9_next(reader, &frame, err)) == RAS_OK)
            status = again_frame(a, w, &frame, err);
        ras_dial9_close(reader);
    }
    free(a);
    return status;
}
#endif
