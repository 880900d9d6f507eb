/* field_property.c - the cells of every record are of the kinds that its schema describes, at every
 * depth. */
#include "properties.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES_MAX = 256 };

static const char *const kind_names[] = {"null", "bool", "uint", "int",  "f32",
                                         "f64",  "str",  "blob", "list", "map"};

/* A description of what is inside a container says so, or says nothing. */
struct described {
    uint64_t keys, items; /* cells that a description named */
};

/* Whether a cell is of the kind: an int may be a uint where it needs all 64 bits or its
 * width is not known, and a narrower float is
 * one, too. */
static bool is_kind(const struct ras_value *v, uint8_t kind, uint8_t bits)
{
    if (kind == RAS_INT && v->kind == RAS_UINT)
        return v->u > INT64_MAX || !v->bits;
    if (kind == RAS_F64 && v->kind == RAS_F32)
        return true;
    return v->kind == kind && (!bits || v->bits == bits || v->kind == RAS_BOOL);
}

static bool key_is(const struct ras_value *v, const char *name)
{
    return v->kind == RAS_STR && v->count == strlen(name) && !memcmp(v->at, name, v->count);
}

static void check_value(const struct ras_schema *s, const struct ras_field *f,
                        const struct ras_value *v, struct described *d);

static void check_map(const struct ras_schema *s, const struct ras_field *f,
                      const struct ras_value *map, struct described *d)
{
    const struct ras_value *v = map + 1, *end = ras_value_next(map);
    for (unsigned i = 0; f->inner && i < f->inner_count; i++) {
        if (v >= end || !key_is(v, f->inner[i].name)) {
            complain("%s.%s: key %u is not %s", s->name, f->name, i, f->inner[i].name);
            return;
        }
        check_value(s, &f->inner[i], v + 1, d);
        d->keys++;
        v = ras_value_next(v + 1);
    }
    if (f->inner && v != end)
        complain("%s.%s: more than the %u keys that are described", s->name, f->name,
                 f->inner_count);
    for (; !f->inner && f->item && v < end; v = ras_value_next(v + 1), d->items++)
        if (!is_kind(v + 1, f->item, f->item_bits))
            complain("%s.%s: a value is of kind %s, not %s", s->name, f->name,
                     kind_names[v[1].kind], kind_names[f->item]);
}

static void check_list(const struct ras_schema *s, const struct ras_field *f,
                       const struct ras_value *list, struct described *d)
{
    const struct ras_value *end = ras_value_next(list);
    for (const struct ras_value *v = list + 1; v < end; v = ras_value_next(v)) {
        if (!f->item)
            continue;
        d->items++;
        if (!is_kind(v, f->item, f->item_bits))
            complain("%s.%s: an item is of kind %s, not %s", s->name, f->name, kind_names[v->kind],
                     kind_names[f->item]);
        else if (f->item == RAS_MAP)
            check_map(s, f, v, d);
        else if (f->item == RAS_LIST && f->inner)
            check_value(s, &f->inner[0], v, d);
    }
}

static void check_value(const struct ras_schema *s, const struct ras_field *f,
                        const struct ras_value *v, struct described *d)
{
    if (v->kind == RAS_NULL) {
        if (!(f->flags & RAS_NULLABLE))
            complain("%s.%s: null, but not nullable", s->name, f->name);
        return;
    }
    if (!is_kind(v, f->kind, f->bits))
        complain("%s.%s: kind %s of %u bits, not %s of %u", s->name, f->name, kind_names[v->kind],
                 v->bits, kind_names[f->kind], f->bits);
    else if (v->kind == RAS_MAP)
        check_map(s, f, v, d);
    else if (v->kind == RAS_LIST)
        check_list(s, f, v, d);
}

static void check_record(struct ras_cursor *c, struct described *d)
{
    const struct ras_schema *s = ras_schema_of(c);
    size_t count;
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    for (; v < end; v = ras_value_next(v)) {
        if (v->field >= s->field_count) {
            complain("%s: a cell of field %u", s->name, v->field);
            return;
        }
        check_value(s, &s->fields[v->field], v, d);
    }
}

/* All types, those on request too. */
static void check_trace(struct ras_trace *t, struct described *d)
{
    struct ras_pick picks[TYPES_MAX] = {{.type = NULL}};
    const struct ras_record *r;
    struct ras_cursor *c;
    size_t count = 1;
    for (uint32_t i = 0; ras_schema_at(t, i) && count < TYPES_MAX; i++)
        if (ras_schema_at(t, i)->flags & RAS_ON_REQUEST)
            picks[count++].type = ras_schema_at(t, i)->name;
    const struct ras_scan scan = {.picks = picks, .pick_count = count};
    if (ras_cursor_open(&c, t, &scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK)
        check_record(c, d);
    ras_cursor_close(c);
}

void field_property(const struct goldens *g, enum effort effort)
{
    struct described all = {0};
    (void)effort;
    for (size_t i = 0; i < g->count; i++) {
        struct ras_trace *t;
        trial(g->at[i].bytes, g->at[i].size, "%s, its cells", g->at[i].name);
        if (golden_open(&g->at[i], &t, NULL) != RAS_OK)
            continue;
        check_trace(t, &all);
        ras_close(t);
    }
    if (!all.keys || !all.items)
        complain("no golden has a map or a list that is described");
}
