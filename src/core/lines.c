/* lines.c - a growing list of remarks, one line each. */
#include "core/lines.h"
#include "base/memory.h"
#include "codec/fnv1a.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two lines may share a hash: then all from the first of them on are looked through. */
static bool is_there(char **lines, size_t count, const struct id_table *known, uint64_t hash,
                     const char *text)
{
    uint32_t first = known ? id_table_find(known, hash) : 0;
    for (size_t i = first; i < count; i++)
        if (!strcmp(lines[i], text))
            return true;
    return false;
}

bool lines_add(char ***lines, size_t *count, size_t *room, struct id_table *known, const char *fmt,
               va_list args)
{
    char text[300];
    vsnprintf(text, sizeof text, fmt, args);
    uint64_t hash = fnv1a_bytes(FNV1A_START, text, strlen(text));
    if (is_there(*lines, *count, known, hash, text))
        return true;
    if (known && id_table_find(known, hash) == ID_TABLE_NONE &&
        !id_table_add(known, hash, (uint32_t)*count))
        return false;
    char *copy = text_copy(text, strlen(text));
    if (!copy || !array_grow(lines, room, *count + 1, sizeof **lines)) {
        free(copy);
        return false;
    }
    (*lines)[(*count)++] = copy;
    return true;
}

void lines_free(char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    free(lines);
}
