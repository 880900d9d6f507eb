/* trace_facts.c - what a trace is and says of itself: format, parts, ending, schemas, facts, notes,
 * streams, traces that it carries along. */
#include "core/format.h"
#include "base/error.h"
#include "core/document.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- the whole ------------------------------------------------------------------------------- */

const struct ras_format_about *ras_format_of(const struct ras_trace *t)
{
    return &t->format->about;
}

const char *ras_dialect(const struct ras_trace *t)
{
    return t->dialect;
}

uint64_t ras_format_version(const struct ras_trace *t)
{
    return t->version;
}

uint64_t ras_size(const struct ras_trace *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < source_count(t->source); i++)
        sum += source_stored(t->source, i);
    return sum;
}

const char *ras_wrapping(const struct ras_trace *t)
{
    return source_count(t->source) ? source_wrapping(t->source, 0)->name : NULL;
}

size_t ras_part_count(const struct ras_trace *t)
{
    return source_count(t->source);
}

const char *ras_part_name(const struct ras_trace *t, size_t part)
{
    return source_name(t->source, part);
}

int ras_part_bytes(struct ras_trace *t, size_t part, struct ras_bytes *out, struct ras_error *err)
{
    *out = (struct ras_bytes){0};
    if (part >= source_count(t->source))
        return fail(err, RAS_EUSAGE, RAS_NONE, "there is no part %zu: the trace has %s", part,
                    ras_counted(source_count(t->source), "part").text);
    int status = source_load(t->source, part, err);
    if (status == RAS_OK)
        *out = source_bytes(t->source, part);
    return status;
}

struct ras_ending ras_ending(const struct ras_trace *t)
{
    return t->ending;
}

struct ras_ending ras_missing(const struct ras_trace *t)
{
    struct ras_ending e = t->missing;
    e.why = e.kind ? t->missing_why : "";
    return e;
}

bool ras_wall_clock(const struct ras_trace *t, int64_t *unix_ns_at_zero)
{
    *unix_ns_at_zero = t->wall_ns;
    return t->has_wall;
}

/* ---- schemas, facts, notes, streams ---------------------------------------------------------- */

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
#define MORE_NOTES "and more, which are not listed"

void note_add(struct ras_trace *t, const char *fmt, ...)
{
    if (t->note_count > NOTES_MAX)
        return;
    va_list args;
    va_start(args, fmt);
    (void)lines_add(&t->notes, &t->note_count, &t->note_room, NULL, fmt, args); /* only a remark */
    va_end(args);
    if (t->note_count <= NOTES_MAX)
        return;
    char *more =
        text_copy(MORE_NOTES, strlen(MORE_NOTES)); /* a trace may give cause for millions */
    if (!more)
        return;
    free(t->notes[NOTES_MAX]);
    t->notes[NOTES_MAX] = more;
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

/* ---- traces of other formats that lie in it -------------------------------------------------- */

size_t carried_next(const struct ras_trace *t, size_t part)
{
    for (size_t i = part; i < source_count(t->source); i++)
        if (source_is_carried(t->source, i))
            return i;
    return SIZE_MAX;
}

int carried_open(struct ras_trace **out, struct ras_trace *t, size_t part, struct ras_error *err)
{
    const struct ras_options how = {.limits = t->limits};
    *out = NULL;
    int status = source_load(t->source, part, err);
    if (status < 0)
        return status;
    struct ras_bytes bytes = source_bytes(t->source, part);
    return bytes.len ? ras_open_memory(out, bytes.at, bytes.len, &how, err) : RAS_END;
}

uint64_t carried_promised(const struct ras_trace *t, size_t part)
{
    return t->format->carried ? t->format->carried(t, part) : RAS_NONE;
}

const char *ras_carried_name(const struct ras_trace *t, size_t i)
{
    size_t part = carried_next(t, 0);
    while (i-- && part != SIZE_MAX)
        part = carried_next(t, part + 1);
    return part == SIZE_MAX ? NULL : source_name(t->source, part);
}
