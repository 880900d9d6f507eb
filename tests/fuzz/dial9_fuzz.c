/* dial9_fuzz.c - dial9 streams of any bytes: as records, and natively. */
#include "fuzz.h"
#include <rastrum/dial9.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct seen {
    uint64_t events, digest;
};

static void take_bytes(struct seen *seen, const uint8_t *at, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        seen->digest = (seen->digest ^ at[i]) * 0x100000001b3u;
}

static void take_value(struct seen *seen, const struct ras_dial9 *reader,
                       const struct ras_dial9_value *value)
{
    struct ras_dial9_items items = ras_dial9_items(reader, value);
    struct ras_dial9_value inner;
    seen->digest = (seen->digest ^ value->type ^ (uint64_t)value->count << 8) * 0x100000001b3u;
    uint64_t elements = items.left, taken = 0;
    while (ras_dial9_next_item(&items, &inner)) {
        take_value(seen, reader, &inner);
        taken++;
    }
    if (taken != elements)
        fuzz_wrong("%llu of %llu elements", (unsigned long long)taken,
                   (unsigned long long)elements);
    if (value->type == RAS_DIAL9_STRING || value->type == RAS_DIAL9_BYTES)
        take_bytes(seen, value->at, value->count);
    else if (!items.type)
        seen->digest = (seen->digest ^ value->u) * 0x100000001b3u;
}

static void take_event(struct seen *seen, const struct ras_dial9 *reader,
                       const struct ras_dial9_event *event)
{
    seen->events++;
    seen->digest = (seen->digest ^ event->time_ns ^ event->offset << 32) * 0x100000001b3u;
    for (unsigned i = 0; i < event->schema->field_count; i++) {
        if (event->values[i].field != i)
            fuzz_wrong("value %u is of field %u", i, event->values[i].field);
        take_value(seen, reader, &event->values[i]);
    }
}

/* The entries of a pool or annotations frame, and what the ids then stand for. */
static void take_entries(struct seen *seen, const struct ras_dial9 *reader,
                         struct ras_dial9_items entries)
{
    struct ras_dial9_annotation note;
    struct ras_dial9_stack stack;
    struct ras_bytes text, known;
    uint32_t id;
    uint64_t count = entries.left, taken = 0;
    for (; ras_dial9_next_string(&entries, &id, &text); taken++) {
        take_bytes(seen, text.at, text.len);
        if (!ras_dial9_string(reader, id, &known))
            fuzz_wrong("string %u was defined and is not known", id);
    }
    for (; ras_dial9_next_stack(&entries, &id, &stack); taken++) {
        for (uint32_t i = 0; i < stack.count; i++)
            seen->digest ^= ras_dial9_address(&stack, i);
        if (!ras_dial9_stack(reader, id, &stack))
            fuzz_wrong("stack %u was defined and is not known", id);
    }
    for (; ras_dial9_next_annotation(&entries, &note); taken++)
        take_bytes(seen, note.key.at, note.key.len + note.value.len);
    if (taken != count)
        fuzz_wrong("%llu of %llu entries", (unsigned long long)taken, (unsigned long long)count);
}

struct visit {
    struct seen seen;
    const struct ras_dial9 *reader;
};

static int visitor(void *user, const struct ras_dial9_event *event)
{
    struct visit *visit = user;
    take_event(&visit->seen, visit->reader, event);
    return 0;
}

/* Frame by frame, and by the fast path: the same events and the same end. */
static void native(const uint8_t *bytes, size_t size, enum ras_dial9_dialect dialect)
{
    struct ras_dial9_options options = {.dialect = dialect};
    struct ras_dial9 *reader;
    struct ras_dial9_frame frame;
    struct seen seen = {0}, aside = {0};
    struct visit visit = {0};
    int status, end;
    if (ras_dial9_open(&reader, bytes, size, &options, NULL) < 0)
        return;
    while ((status = ras_dial9_next(reader, &frame, NULL)) == RAS_OK) {
        if (frame.tag == RAS_DIAL9_EVENT)
            take_event(&seen, reader, &frame.event);
        else if (frame.tag == RAS_DIAL9_STRING_POOL || frame.tag == RAS_DIAL9_STACK_POOL ||
                 frame.tag == RAS_DIAL9_SCHEMA_ANNOTATIONS)
            take_entries(&aside, reader, frame.entries);
    }
    uint64_t offset = ras_dial9_offset(reader);
    ras_dial9_close(reader);
    if (ras_dial9_open(&reader, bytes, size, &options, NULL) < 0)
        fuzz_wrong("opens once, but not twice");
    visit.reader = reader;
    end = ras_dial9_visit(reader, visitor, &visit, NULL);
    if (end != status || visit.seen.events != seen.events || visit.seen.digest != seen.digest ||
        ras_dial9_offset(reader) != offset)
        fuzz_wrong("frames: %d, visit: %d", status, end);
    ras_dial9_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    native(bytes, size, RAS_DIAL9_FULL);
    native(bytes, size, RAS_DIAL9_SEED);
    fuzz_trace("dial9", bytes, size);
    return 0;
}
