/* build.c - what drivers share when they make a trace of values. */
#include "core/build.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void build_note(struct build *b, const char *fmt, ...)
{
    char text[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct ras_rewritten *out = b->out;
    for (size_t i = 0; i < out->note_count; i++)
        if (!strcmp(out->notes[i], text))
            return;
    char *copy = text_copy(text, strlen(text));
    if (!copy || !array_grow(&out->notes, &b->note_room, out->note_count + 1, sizeof *out->notes)) {
        free(copy);
        b->nomem = true;
        return;
    }
    out->notes[out->note_count++] = copy;
}
