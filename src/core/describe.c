/* describe.c - what a trace says of itself: schemas, facts, notes, streams. */
#include "base/memory.h"
#include "core/format.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int64_t schema_add(struct ras_trace *t, const struct ras_schema *schema)
{
    if (t->schema_count >= t->limits.schemas)
        return RAS_ELIMIT;
    if (!array_grow(&t->schemas, &t->schema_room, t->schema_count + 1, sizeof *t->schemas))
        return RAS_EMEMORY;
    t->schemas[t->schema_count] = schema;
    return (int64_t)t->schema_count++;
}

size_t ras_schema_count(const struct ras_trace *t)
{
    return t->schema_count;
}

const struct ras_schema *ras_schema_at(const struct ras_trace *t, size_t i)
{
    return i < t->schema_count ? t->schemas[i] : NULL;
}

static bool add_fact(struct ras_trace *t, const char *key, struct ras_value value, unsigned flags)
{
    char *copy = text_copy(key, strlen(key));
    if (!copy || !array_grow(&t->facts, &t->fact_room, t->fact_count + 1, sizeof *t->facts)) {
        free(copy);
        return false;
    }
    t->facts[t->fact_count++] = (struct ras_fact){copy, value, flags};
    return true;
}

bool fact_str(struct ras_trace *t, const char *key, const void *text, size_t len)
{
    char *copy = len <= UINT32_MAX ? text_copy(text, len) : NULL;
    struct ras_value value = {.kind = RAS_STR, .count = (uint32_t)len, .at = copy};
    if (copy && add_fact(t, key, value, 0))
        return true;
    free(copy);
    return false;
}

bool fact_uint(struct ras_trace *t, const char *key, uint64_t u, unsigned flags)
{
    return add_fact(t, key, (struct ras_value){.kind = RAS_UINT, .bits = 64, .u = u}, flags);
}

bool fact_int(struct ras_trace *t, const char *key, int64_t i)
{
    return add_fact(t, key, (struct ras_value){.kind = RAS_INT, .bits = 64, .i = i}, 0);
}

bool fact_bool(struct ras_trace *t, const char *key, bool value)
{
    return add_fact(t, key, (struct ras_value){.kind = RAS_BOOL, .u = value}, 0);
}

bool fact_f64(struct ras_trace *t, const char *key, double value)
{
    return add_fact(t, key, (struct ras_value){.kind = RAS_F64, .bits = 64, .f64 = value}, 0);
}

const struct ras_fact *ras_facts(const struct ras_trace *t, size_t *count)
{
    *count = t->fact_count;
    return t->facts;
}

enum { NOTES_MAX = 100 };

void note_add(struct ras_trace *t, const char *fmt, ...)
{
    char text[300];
    if (t->note_count > NOTES_MAX)
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < t->note_count; i++)
        if (!strcmp(t->notes[i], text))
            return;
    if (t->note_count == NOTES_MAX) /* a trace may give cause for millions */
        snprintf(text, sizeof text, "and more, which are not listed");
    char *copy = text_copy(text, strlen(text));
    if (!copy || !array_grow(&t->notes, &t->note_room, t->note_count + 1, sizeof *t->notes)) {
        free(copy); /* a remark is not worth failing for */
        return;
    }
    t->notes[t->note_count++] = copy;
}

const char *const *ras_notes(const struct ras_trace *t, size_t *count)
{
    *count = t->note_count;
    return (const char *const *)t->notes;
}

bool stream_add(struct ras_trace *t, uint32_t id, const char *name)
{
    /* Sorted by id. They mostly come in ascending order, and some come again. */
    size_t at = 0, high = t->stream_count;
    if (high && t->streams[high - 1].id < id)
        at = high;
    while (at < high) {
        size_t mid = (at + high) / 2;
        if (t->streams[mid].id < id)
            at = mid + 1;
        else
            high = mid;
    }
    if (at < t->stream_count && t->streams[at].id == id)
        return true;
    char *copy = text_copy(name, strlen(name));
    if (!copy ||
        !array_grow(&t->streams, &t->stream_room, t->stream_count + 1, sizeof *t->streams)) {
        free(copy);
        return false;
    }
    memmove(&t->streams[at + 1], &t->streams[at], (t->stream_count - at) * sizeof *t->streams);
    t->streams[at] = (struct ras_stream){id, copy};
    t->stream_count++;
    return true;
}

const struct ras_stream *ras_streams(const struct ras_trace *t, size_t *count)
{
    *count = t->stream_count;
    return t->streams;
}
