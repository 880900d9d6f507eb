/* row_get.c - fields of a row of JSON, read one after the other and judged once. */
#include "core/row_get.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static const struct ras_bytes nothing = {(const uint8_t *)"", 0};

bool row_has(const struct row_get *g, const char *field)
{
    return g->row && row_find(g->row, field);
}

uint64_t row_get_uint(struct row_get *g, const char *field, uint64_t max)
{
    uint64_t value = 0;
    if (g->status == RAS_OK)
        g->status = row_uint(g->row, field, max, &value, g->err);
    return g->status == RAS_OK ? value : 0;
}

struct ras_bytes row_get_text(struct row_get *g, const char *field)
{
    struct ras_bytes text = nothing;
    if (g->status == RAS_OK)
        g->status = row_text(g->row, field, &text, g->err);
    return g->status == RAS_OK ? text : nothing;
}

struct ras_bytes row_get_bytes(struct row_get *g, const char *field)
{
    struct ras_bytes bytes = nothing;
    if (g->status == RAS_OK)
        g->status = row_bytes(g->row, field, &bytes, g->err);
    return g->status == RAS_OK ? bytes : nothing;
}

uint64_t row_get_uint_or(struct row_get *g, const char *field, uint64_t max, uint64_t usual)
{
    return row_has(g, field) ? row_get_uint(g, field, max) : usual;
}

struct ras_bytes row_get_text_or_none(struct row_get *g, const char *field)
{
    return row_has(g, field) ? row_get_text(g, field) : nothing;
}

struct ras_bytes row_get_bytes_or_none(struct row_get *g, const char *field)
{
    return row_has(g, field) ? row_get_bytes(g, field) : nothing;
}

void row_get_fail(struct row_get *g, const char *field, const char *fmt, ...)
{
    char text[160];
    va_list args;
    if (g->status != RAS_OK)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    g->status = row_fail(g->row, field, g->err, "%s", text);
}

void row_get_nomem(struct row_get *g)
{
    if (g->status == RAS_OK)
        g->status = fail_memory(g->err);
}
