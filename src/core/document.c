/* document.c - a report under construction: values as cells, with texts of its own. */
#include "core/document.h"
#include "base/memory.h"
#include "codec/json_python.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void document_free(struct document *d)
{
    free(d->cells);
    arena_free(&d->texts);
    *d = (struct document){0};
}

void document_cut(struct document *d, size_t count)
{
    if (count < d->count)
        d->count = count;
}

static struct ras_value *add(struct document *d, enum ras_kind kind)
{
    if (!array_grow(&d->cells, &d->room, d->count + 1, sizeof *d->cells)) {
        d->nomem = true;
        return &d->scratch;
    }
    struct ras_value *cell = &d->cells[d->count++];
    *cell = (struct ras_value){.kind = (uint8_t)kind};
    return cell;
}

size_t document_open(struct document *d, enum ras_kind kind)
{
    (void)add(d, kind);
    return d->count - !d->nomem;
}

void document_close(struct document *d, size_t open)
{
    if (!d->nomem)
        d->cells[open].count = (uint32_t)(d->count - open - 1);
}

void document_key(struct document *d, const char *key)
{
    document_text(d, key, strlen(key));
    if (d->nomem || !strstr(key, RAS_NAME_NUL))
        return;
    struct ras_value *cell = &d->cells[d->count - 1];
    char *to = (char *)(uintptr_t)cell->at;
    for (const char *from = key; *from; from++, to++) {
        bool nul = !strncmp(from, RAS_NAME_NUL, strlen(RAS_NAME_NUL));
        *to = nul ? 0 : *from;
        from += nul;
    }
    cell->count = (uint32_t)(to - (const char *)cell->at);
}

void document_name(struct document *d, const char *key)
{
    struct ras_value *cell = add(d, RAS_STR);
    cell->at = key;
    cell->count = (uint32_t)strlen(key);
}

void document_null(struct document *d)
{
    (void)add(d, RAS_NULL);
}

void document_bool(struct document *d, bool value)
{
    add(d, RAS_BOOL)->u = value;
}

void document_int(struct document *d, int64_t value)
{
    add(d, RAS_INT)->i = value;
}

void document_uint(struct document *d, uint64_t value)
{
    add(d, RAS_UINT)->u = value;
}

void document_f64(struct document *d, double value)
{
    add(d, RAS_F64)->f64 = value;
}

void document_text(struct document *d, const void *text, size_t len)
{
    char *copy = arena_take(&d->texts, len + 1);
    if (!copy || len > UINT32_MAX) {
        d->nomem = true;
        return;
    }
    if (len)
        memcpy(copy, text, len);
    copy[len] = 0;
    struct ras_value *cell = add(d, RAS_STR);
    cell->at = copy;
    cell->count = (uint32_t)len;
}

void document_bytes(struct document *d, struct ras_bytes bytes)
{
    size_t at = d->count;
    document_text(d, bytes.at, bytes.len);
    if (d->count > at)
        d->cells[at].kind = RAS_BLOB;
}

void document_format(struct document *d, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t shown = len < 0 ? 0 : (size_t)len;
    document_text(d, text, shown < sizeof text ? shown : sizeof text - 1);
}

static size_t extent(const struct ras_value *cell)
{
    bool holds = cell->kind == RAS_LIST || cell->kind == RAS_MAP;
    return 1 + (holds ? (size_t)cell->count : 0);
}

void document_copy(struct document *d, const struct ras_value *from)
{
    size_t n = extent(from);
    for (size_t i = 0; i < n && !d->nomem; i++) {
        if (from[i].kind == RAS_STR || from[i].kind == RAS_BLOB) {
            document_text(d, from[i].at, from[i].count);
            if (!d->nomem)
                d->cells[d->count - 1].kind = from[i].kind;
            continue;
        }
        *add(d, (enum ras_kind)from[i].kind) = from[i];
    }
}

void document_copy_own(struct document *d, size_t from)
{
    if (d->nomem)
        return;
    size_t n = extent(&d->cells[from]);
    if (!array_grow(&d->cells, &d->room, d->count + n, sizeof *d->cells)) {
        d->nomem = true;
        return;
    }
    memcpy(&d->cells[d->count], &d->cells[from], n * sizeof *d->cells);
    d->count += n;
}

void document_json(struct document *d, size_t from, unsigned how)
{
    struct out out = {0};
    if (d->nomem)
        return;
    json_python(&out, &d->cells[from], how);
    d->nomem |= out.failed;
    document_text(d, out.at, out.len);
    out_free(&out);
}

void document_set_uint(struct document *d, size_t cell, uint64_t value)
{
    if (!d->nomem)
        d->cells[cell].u = value;
}
