/* choice_property.c - what is left out leaves the rest as it was: types, fields, children. */
#include "properties.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

/* The part of the whole that a scan should keep. */
struct keep {
    const char *name;  /* of the schemas kept; several may share one */
    const char *field; /* name of the only fields kept */
    bool no_children, no_values;
};

static bool kept(const struct keep *k, const struct ras_trace *t, const struct seen *s)
{
    if (k->name && strcmp(ras_schema_at(t, s->r.schema)->name, k->name))
        return false;
    return !(k->no_children && s->child);
}

/* The cells of one record are the requested ones of the whole record. */
static bool same_cells(const struct keep *k, const struct ras_schema *schema,
                       const struct walk *whole, const struct seen *a, const struct walk *w,
                       const struct seen *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->cells_count && !k->no_values; i++) {
        const struct field_digest *x = &whole->cells[a->cells_at + i];
        if (k->field && strcmp(schema->fields[x->field].name, k->field))
            continue;
        if (n >= b->cells_count)
            return false;
        const struct field_digest *y = &w->cells[b->cells_at + n++];
        if (x->field != y->field || x->digest != y->digest)
            return false;
    }
    return n == b->cells_count;
}

static void try_choice(const struct golden *g, struct ras_trace *t, const struct walk *whole,
                       const struct ras_scan *scan, const struct keep *k)
{
    struct walk w = {.base = g->bytes, .size = g->size};
    size_t n = 0;
    walk_all(&w, t, scan);
    if (w.status != RAS_END)
        complain("ends with status %d: %s", w.status, w.err.text);
    for (size_t i = 0; i < whole->count; i++) {
        if (!kept(k, t, &whole->seen[i]))
            continue;
        if (n >= w.count || !same(whole, i, &w, n, BUT_CELLS)) {
            complain("record %zu is %s, of the whole %s", n, describe(&w, n), describe(whole, i));
            break;
        }
        const struct ras_schema *schema = ras_schema_at(t, whole->seen[i].r.schema);
        if (!same_cells(k, schema, whole, &whole->seen[i], &w, &w.seen[n])) {
            complain("the values of %s are others", describe(&w, n));
            break;
        }
        n++;
    }
    if (n < w.count)
        complain("%zu records too many, the first %s", w.count - n, describe(&w, n));
    walk_free(&w);
}

/* Each type by itself, and each of its fields by itself. */
static void try_types(const struct golden *g, struct ras_trace *t, const struct walk *whole)
{
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *schema = ras_schema_at(t, i);
        struct ras_pick pick = {.type = schema->name};
        struct ras_scan scan = {.picks = &pick, .pick_count = 1};
        if (schema->flags & RAS_ON_REQUEST)
            continue;
        trial(g->bytes, g->size, "%s, only %s", g->name, schema->name);
        try_choice(g, t, whole, &scan, &(struct keep){.name = schema->name});
        for (uint16_t f = 0; f < schema->field_count; f++) {
            const char *field = schema->fields[f].name;
            pick = (struct ras_pick){.type = schema->name, .fields = &field, .field_count = 1};
            trial(g->bytes, g->size, "%s, only %s of %s", g->name, field, schema->name);
            struct keep k = {.name = schema->name, .field = field};
            try_choice(g, t, whole, &scan, &k);
        }
    }
}

static void try_nothing(const struct golden *g, struct ras_trace *t, const struct walk *whole)
{
    const char *none = "no such field";
    struct ras_pick pick = {.type = "no such type"};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    trial(g->bytes, g->size, "%s, only a type there is not", g->name);
    try_choice(g, t, whole, &scan, &(struct keep){.name = pick.type});
    pick = (struct ras_pick){.fields = &none, .field_count = 1};
    trial(g->bytes, g->size, "%s, only a field there is not", g->name);
    try_choice(g, t, whole, &scan, &(struct keep){.no_values = true});
}

/* Types on request come with the rest and leave it as it was. */
static void try_requests(const struct golden *g, struct ras_trace *t, const struct walk *whole)
{
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *schema = ras_schema_at(t, i);
        struct ras_pick picks[2] = {{.type = NULL}, {.type = schema->name}};
        struct ras_scan scan = {.picks = picks, .pick_count = 2};
        struct walk w = {.base = g->bytes, .size = g->size};
        if (!(schema->flags & RAS_ON_REQUEST))
            continue;
        trial(g->bytes, g->size, "%s, and %s", g->name, schema->name);
        walk_all(&w, t, &scan);
        size_t n = 0;
        uint64_t next = 0;
        for (size_t k = 0; k < w.count; k++) {
            if (w.seen[k].r.schema == i) {
                if (w.seen[k].r.seq != next++)
                    complain("is numbered %s", describe(&w, k));
            } else if (n >= whole->count || !same(whole, n++, &w, k, SAME_ALL)) {
                complain("record %zu is %s", n, describe(&w, k));
                break;
            }
        }
        if (n != whole->count)
            complain("%zu other records, without it %zu", n, whole->count);
        walk_free(&w);
    }
}

void choice_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct golden *one = &g->at[i];
        struct walk whole = {0};
        struct ras_trace *t = NULL;
        trial(one->bytes, one->size, "%s", one->name);
        if ((!one->big || effort == FULL) && golden_walk(one, &whole) &&
            golden_open(one, &t, NULL) == RAS_OK) {
            struct walk first = {0};
            walk_all(&first, t, NULL); /* so that every schema of the trace is known */
            walk_free(&first);
            try_types(one, t, &whole);
            try_nothing(one, t, &whole);
            try_requests(one, t, &whole);
            trial(one->bytes, one->size, "%s, frames only", one->name);
            try_choice(one, t, &whole, &(struct ras_scan){.frames_only = true},
                       &(struct keep){.no_children = true});
            trial(one->bytes, one->size, "%s, headers only", one->name);
            try_choice(one, t, &whole, &(struct ras_scan){.headers_only = true},
                       &(struct keep){.no_values = true});
        }
        ras_close(t);
        walk_free(&whole);
    }
}
