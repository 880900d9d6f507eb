/* build.c - what drivers share when they make a trace of values. */
#include "ops/build/build_driver.h"
#include "core/lines.h"
#include "ops/rewrite/rewrite_driver.h"

void build_note(struct build *b, const char *fmt, ...)
{
    struct ras_rewritten *out = b->out;
    va_list args;
    va_start(args, fmt);
    if (!lines_add(&out->notes, &out->note_count, &b->note_room, NULL, fmt, args))
        b->nomem = true;
    va_end(args);
}

void build_dropped(struct build *b, const char *type, uint64_t records)
{
    if (records && !dropped_add(b->out, &b->dropped_room, type, records))
        b->nomem = true;
    b->out->lost_records += records;
}
