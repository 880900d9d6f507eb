/* document.c - what verbs report, under construction: values as cells, documents with texts of
 * their own, lists of remarks. */
#include "core/document.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "codec/json_python.h"
#include "core/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ----------------------------------------------------------------------------------- */

void cells_free(struct cells *c)
{
    free(c->items);
    *c = (struct cells){0};
}

bool cells_grow(struct cells *c, size_t more)
{
    bool grown = array_grow(&c->items, &c->room, c->count + more, sizeof *c->items);
    c->nomem |= !grown;
    return grown;
}

const struct ras_value *cells_find(const struct cells *c, int field)
{
    if (!c->count)
        return NULL; /* no offset may be added to a null pointer, not even zero */
    const struct ras_value *v = c->items, *end = v + c->count;
    for (; v < end; v = ras_value_next(v))
        if (v->field == field)
            return v;
    return NULL;
}

void cells_text(struct cells *c, struct arena *arena, enum ras_kind kind, unsigned field,
                const void *at, size_t len)
{
    char *copy = arena && len <= UINT32_MAX ? arena_take(arena, len + 1) : NULL;
    if (arena && !copy) {
        c->nomem = true;
        return;
    }
    if (copy && len)
        memcpy(copy, at, len);
    if (copy)
        copy[len] = 0;
    struct ras_value *cell = cells_add(c, kind, 0, field, 0);
    cell->at = copy ? copy : at;
    cell->count = (uint32_t)len;
}

/* ---- documents ------------------------------------------------------------------------------- */

void document_free(struct document *d)
{
    cells_free(&d->cells);
    arena_free(&d->texts);
    *d = (struct document){0};
}

void document_cut(struct document *d, size_t count)
{
    if (count < d->cells.count)
        d->cells.count = count;
}

size_t document_open(struct document *d, enum ras_kind kind)
{
    return cells_open(&d->cells, kind, 0);
}

void document_close(struct document *d, size_t open)
{
    cells_close(&d->cells, open);
}

void document_key(struct document *d, const char *key)
{
    document_text(d, key, strlen(key));
    if (d->cells.nomem || !strstr(key, RAS_NAME_NUL))
        return;
    struct ras_value *cell = &d->cells.items[d->cells.count - 1];
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
    if (strstr(key, RAS_NAME_NUL)) {
        document_key(d, key);
        return;
    }
    cells_text(&d->cells, NULL, RAS_STR, 0, key, strlen(key));
}

void document_null(struct document *d)
{
    (void)cells_add(&d->cells, RAS_NULL, 0, 0, 0);
}

void document_bool(struct document *d, bool value)
{
    (void)cells_add(&d->cells, RAS_BOOL, 0, 0, value);
}

void document_int(struct document *d, int64_t value)
{
    (void)cells_add(&d->cells, RAS_INT, 0, 0, (uint64_t)value);
}

void document_uint(struct document *d, uint64_t value)
{
    (void)cells_add(&d->cells, RAS_UINT, 0, 0, value);
}

void document_f64(struct document *d, double value)
{
    cells_add(&d->cells, RAS_F64, 0, 0, 0)->f64 = value;
}

void document_text(struct document *d, const void *text, size_t len)
{
    cells_text(&d->cells, &d->texts, RAS_STR, 0, text, len);
}

void document_bytes(struct document *d, struct ras_bytes bytes)
{
    cells_text(&d->cells, &d->texts, RAS_BLOB, 0, bytes.at, bytes.len);
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

void document_copy(struct document *d, const struct ras_value *from)
{
    if (!from) {
        document_null(d);
        return;
    }
    const struct ras_value *end = ras_value_next(from);
    for (; from < end && !d->cells.nomem; from++) {
        if (from->kind == RAS_STR || from->kind == RAS_BLOB)
            cells_text(&d->cells, &d->texts, (enum ras_kind)from->kind, 0, from->at, from->count);
        else
            *cells_add(&d->cells, (enum ras_kind)from->kind, 0, 0, 0) = *from;
    }
}

void document_copy_own(struct document *d, size_t from)
{
    if (d->cells.nomem)
        return;
    const struct ras_value *first = &d->cells.items[from];
    size_t n = (size_t)(ras_value_next(first) - first);
    if (!cells_room(&d->cells, n))
        return;
    memcpy(&d->cells.items[d->cells.count], &d->cells.items[from], n * sizeof *d->cells.items);
    d->cells.count += n;
}

void document_json(struct document *d, size_t from, unsigned how)
{
    struct out out = {0};
    if (d->cells.nomem)
        return;
    json_python(&out, &d->cells.items[from], how);
    d->cells.nomem |= out.failed;
    document_text(d, out.at, out.len);
    out_free(&out);
}

void document_put_uint(struct document *d, const char *key, uint64_t value)
{
    document_name(d, key);
    document_uint(d, value);
}

void document_put_int(struct document *d, const char *key, int64_t value)
{
    document_name(d, key);
    document_int(d, value);
}

void document_put_bool(struct document *d, const char *key, bool value)
{
    document_name(d, key);
    document_bool(d, value);
}

void document_put_name(struct document *d, const char *key, const char *name)
{
    document_name(d, key);
    document_name(d, name);
}

void document_put_text(struct document *d, const char *key, const char *text)
{
    document_name(d, key);
    document_key(d, text);
}

size_t document_put_open(struct document *d, const char *key, enum ras_kind kind)
{
    document_name(d, key);
    return document_open(d, kind);
}

void document_set_uint(struct document *d, size_t cell, uint64_t value)
{
    if (!d->cells.nomem)
        d->cells.items[cell].u = value;
}

/* ---- remarks --------------------------------------------------------------------------------- */

/* Two lines may share a hash: then all from the first of them on are compared. */
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
    uint64_t hash = fnv1a_text(text);
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
