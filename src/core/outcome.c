/* outcome.c - how drivers say what they found: cuts, damage, gaps, endings. */
#include "core/cursor.h"

#include <stdarg.h>
#include <stdio.h>

enum step cut(struct ras_cursor *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    c->why_at = RAS_NONE;
    return STEP_CUT;
}

enum step damaged(struct ras_cursor *c, uint64_t at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    c->why_at = at;
    return STEP_DAMAGED;
}

static enum step fill_gap(struct ras_cursor *c, uint64_t offset, uint64_t length, uint64_t lost)
{
    bool here = offset != RAS_NONE;
    c->record = (struct ras_record){
        .parent = RAS_NONE, .offset = here ? offset : 0, .part = c->part, .schema = RAS_SCHEMA_GAP};
    const struct view *view = cursor_view(c, RAS_SCHEMA_GAP);
    c->values.count = 0;
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 4))
        return STEP_NOMEM;
    if (view_has(view, 0))
        value_put(&c->values, here ? RAS_UINT : RAS_NULL, 64, 0, 0, here ? offset : 0);
    if (view_has(view, 1))
        value_uint(&c->values, 1, 64, length);
    if (view_has(view, 2))
        value_text(&c->values, 2, c->why);
    if (view_has(view, 3))
        value_put(&c->values, lost == RAS_NONE ? RAS_NULL : RAS_UINT, 64, 3, 0,
                  lost == RAS_NONE ? 0 : lost);
    return STEP_RECORD;
}

enum step gap_record(struct ras_cursor *c, uint64_t offset, uint64_t length, uint64_t lost,
                     const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    c->why_at = offset;
    ending_note(c, RAS_DAMAGED, c->part, offset, "%s", c->why);
    return fill_gap(c, offset, length, lost);
}

enum step drop_record(struct ras_cursor *c, uint64_t lost, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, args);
    va_end(args);
    return fill_gap(c, RAS_NONE, 0, lost);
}

void missing_note(struct ras_trace *t, uint32_t part, uint64_t offset, const char *fmt, ...)
{
    if (t->missing.kind || source_can_grow(t->source))
        return; /* the first is reported */
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->missing_why, sizeof t->missing_why, fmt, args);
    va_end(args);
    t->missing = (struct ras_ending){
        .kind = RAS_DAMAGED, .part = part, .offset = offset == RAS_NONE ? 0 : offset};
}

void ending_note(struct ras_cursor *c, enum ras_ending_kind kind, uint32_t part, uint64_t offset,
                 const char *fmt, ...)
{
    if (kind <= c->noted.kind)
        return; /* the first of the worst kind is reported */
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->noted_why, sizeof c->noted_why, fmt, args);
    va_end(args);
    c->noted = (struct ras_ending){.kind = kind, .part = part, .offset = offset};
}
