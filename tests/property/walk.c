/* walk.c - everything a cursor delivered, kept for comparison. */
#include "walk.h"
#include "base/memory.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_MAX = 1 << 21, DEPTH_MAX = 64 };

/* Eight bytes a step; any change of any byte changes it. */
uint64_t digest(uint64_t h, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    h ^= size * 0x9e3779b97f4a7c15u;
    while (size) {
        uint64_t word = 0;
        size_t n = size < 8 ? size : 8;
        memcpy(&word, p, n);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
        p += n;
        size -= n;
    }
    return h;
}

static uint64_t digest_u64(uint64_t h, uint64_t value)
{
    return digest(h, &value, sizeof value);
}

uint64_t digest_schema(const struct ras_schema *schema)
{
    uint64_t h = digest(1, schema->name, strlen(schema->name));
    for (unsigned i = 0; i < schema->field_count; i++) {
        const struct ras_field *f = &schema->fields[i];
        h = digest(h, f->name, strlen(f->name));
        h = digest_u64(h, (uint64_t)f->kind << 32 | (uint64_t)f->bits << 16 | f->flags);
    }
    return digest_u64(h, schema->flags);
}

/* One cell and the cells inside it. Returns their number. */
static size_t digest_cell(uint64_t *h, const struct ras_value *v, size_t left, unsigned depth)
{
    *h = digest_u64(*h, (uint64_t)v->kind << 56 | (uint64_t)v->bits << 48 | v->count);
    switch (v->kind) {
    case RAS_NULL:
        return 1;
    case RAS_STR:
    case RAS_BLOB:
        *h = digest(*h, v->at, v->count);
        return 1;
    case RAS_LIST:
    case RAS_MAP:
        break;
    case RAS_F32:
        *h = digest(*h, &v->f32, sizeof v->f32);
        return 1;
    default:
        if (v->kind > RAS_MAP)
            complain("a value of kind %u", v->kind);
        *h = digest_u64(*h, v->u);
        return 1;
    }
    if (v->count > left - 1 || depth > DEPTH_MAX) {
        complain("a container of %u cells where %zu are left, at depth %u", v->count, left - 1,
                 depth);
        return left;
    }
    size_t items = 0, at = 1;
    while (at < 1 + (size_t)v->count) {
        at += digest_cell(h, v + at, 1 + (size_t)v->count - at, depth + 1);
        items++;
    }
    if (v->kind == RAS_MAP && items % 2)
        complain("a map of %zu keys and values", items);
    return 1 + (size_t)v->count;
}

static bool keep_values(struct walk *w, struct seen *s, const struct ras_schema *schema,
                        const struct ras_value *v, size_t count)
{
    s->cells_at = w->cell_count;
    for (size_t at = 0; at < count;) {
        uint64_t h = 0;
        unsigned field = v[at].field;
        if (field >= schema->field_count)
            complain("a value of field %u; %s has %u", field, schema->name, schema->field_count);
        if (w->cell_count > s->cells_at && field < w->cells[w->cell_count - 1].field)
            complain("field %u after field %u", field, w->cells[w->cell_count - 1].field);
        if (!array_grow(&w->cells, &w->cell_room, w->cell_count + 1, sizeof *w->cells))
            return false;
        at += digest_cell(&h, v + at, count - at, 0);
        w->cells[w->cell_count++] = (struct field_digest){(uint16_t)field, h};
    }
    s->cells_count = w->cell_count - s->cells_at;
    return true;
}

bool walk_keep(struct walk *w, const struct ras_cursor *c, const struct ras_trace *t,
               const struct ras_record *r)
{
    if (!array_grow(&w->seen, &w->room, w->count + 1, sizeof *w->seen))
        return false;
    struct seen *s = &w->seen[w->count];
    *s = (struct seen){.r = *r};
    s->r.raw = NULL;
    const struct ras_schema *schema = ras_schema_of(c);
    if (schema != ras_schema_at(t, r->schema))
        complain("record %zu: its schema is not number %u", w->count, r->schema);
    if (schema != w->schema) {
        w->schema = schema;
        w->type = digest_schema(schema);
    }
    s->type = w->type;
    s->child = schema->flags & RAS_CHILD;
    s->raw = digest(2, r->raw, r->raw_len);
    s->in_place = w->base && r->raw == w->base + r->offset;
    if (s->in_place && r->offset + r->raw_len > w->size)
        complain("record %zu ends at %" PRIu64 ", the trace at %zu", w->count,
                 r->offset + r->raw_len, w->size);
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    w->count++;
    return keep_values(w, s, schema, v, count);
}

int walk_on(struct walk *w, struct ras_cursor *c, struct ras_trace *t)
{
    const struct ras_record *r;
    while ((w->status = ras_next(c, &r, &w->err)) == RAS_OK) {
        if (w->count >= RECORDS_MAX || !walk_keep(w, c, t, r)) {
            complain("does not end after %zu records", w->count);
            return w->status = RAS_ELIMIT;
        }
    }
    if (r)
        complain("a record where there is none");
    if (w->status == RAS_END) {
        w->ending = ras_ending(t);
        snprintf(w->why, sizeof w->why, "%s", w->ending.why);
        w->ending.why = w->why;
    }
    return w->status;
}

int walk_all(struct walk *w, struct ras_trace *t, const struct ras_scan *scan)
{
    struct ras_cursor *c;
    w->status = ras_cursor_open(&c, t, scan, &w->err);
    if (w->status < 0) {
        if (c)
            complain("a cursor after a failure");
        return w->status;
    }
    walk_on(w, c, t);
    ras_cursor_close(c);
    return w->status;
}

void walk_free(struct walk *w)
{
    free(w->seen);
    free(w->cells);
    *w = (struct walk){0};
}

bool same(const struct walk *a, size_t i, const struct walk *b, size_t k, unsigned but)
{
    const struct seen *x = &a->seen[i], *y = &b->seen[k];
    struct ras_record p = x->r, q = y->r;
    if (but & BUT_SEQ)
        p.seq = q.seq = p.parent = q.parent = 0;
    if (but & BUT_PART)
        p.part = q.part = 0;
    if (memcmp(&p, &q, sizeof p) || x->type != y->type || x->raw != y->raw)
        return false;
    if (but & BUT_CELLS)
        return true;
    if (x->cells_count != y->cells_count)
        return false;
    for (size_t n = 0; n < x->cells_count; n++) {
        const struct field_digest *u = &a->cells[x->cells_at + n], *v = &b->cells[y->cells_at + n];
        if (u->field != v->field || u->digest != v->digest)
            return false;
    }
    return true;
}

const char *describe(const struct walk *w, size_t i)
{
    static char text[4][200];
    static unsigned turn;
    char *out = text[turn++ % 4];
    if (i >= w->count) {
        snprintf(out, sizeof text[0], "none");
        return out;
    }
    const struct ras_record *r = &w->seen[i].r;
    snprintf(out, sizeof text[0],
             "{seq %" PRId64 " schema %u offset %" PRIu64 "+%u tick %" PRIu64 " time %" PRIu64
             " parent %" PRId64 " stream %u part %u flags %u, %zu values}",
             (int64_t)r->seq, r->schema, r->offset, r->raw_len, r->tick, r->time_ns,
             (int64_t)r->parent, r->stream, r->part, r->flags, w->seen[i].cells_count);
    return out;
}
