/* carried.c - traces of other formats that lie in a trace. */
#include "core/carried.h"
#include "core/format.h"

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
