/* lines.c - a growing list of remarks, one line each. */
#include "core/lines.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lines_add(char ***lines, size_t *count, size_t *room, const char *fmt, va_list args)
{
    char text[300];
    vsnprintf(text, sizeof text, fmt, args);
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*lines)[i], text))
            return true;
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
