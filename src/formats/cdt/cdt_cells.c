/* cdt_cells.c - structs of schema 12 from values, driven by the tables that decode them. */
#include "formats/cdt/cdt_cells.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

struct getter {
    struct arena *arena;
    bool sparse;         /* nothing must be there */
    const char *why;     /* what is wrong; NULL: memory is short */
    const char *unknown; /* or a name that is not a member of `of` */
    const struct cdt_struct *of;
    char path[120]; /* where, from the record on */
};

struct list {
    void *at;
    size_t count;
};

static bool map_to_struct(struct getter *g, const struct cdt_struct *s,
                          const struct ras_value *cell, const struct ras_value *end, uint8_t *out);

static bool value_refuse(struct getter *g, const char *why)
{
    g->why = why;
    g->path[0] = 0;
    return false;
}

/* Paths grow at the front while the walk unwinds. */
static bool value_inside(struct getter *g, const char *name)
{
    char tail[sizeof g->path];
    memcpy(tail, g->path, sizeof tail);
    snprintf(g->path, sizeof g->path, "%s%s%.80s", name, *tail ? "." : "", tail);
    return false;
}

static bool value_no_memory(struct getter *g)
{
    return value_refuse(g, NULL);
}

/* ---- values ------------------------------------------------------------------------ */

static bool value_to_int(struct getter *g, const struct ras_value *cell, struct ras_cdt_int *out)
{
    *out = (struct ras_cdt_int){cell->i, cell->kind == RAS_UINT && cell->u > INT64_MAX};
    return cell->kind == RAS_UINT || cell->kind == RAS_INT || value_refuse(g, "is no whole number");
}

static bool value_to_text(struct getter *g, const struct ras_value *cell, struct ras_bytes *out)
{
    struct ras_bytes text;
    if (!cell_text(cell, &text))
        return value_refuse(g, "is no text");
    uint8_t *copy = arena_take(g->arena, text.len + 1);
    if (!copy)
        return value_no_memory(g);
    memcpy(copy, text.at, text.len);
    *out = (struct ras_bytes){copy, text.len};
    return true;
}

/* Elements of a list or pairs of a map, and room for them. */
static bool value_to_list(struct getter *g, const struct ras_value *cell, enum ras_kind kind,
                          size_t size, struct list *out)
{
    if (cell->kind != kind)
        return value_refuse(g, kind == RAS_MAP ? "is no map" : "is no list");
    out->count = 0;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c))
        out->count++;
    out->count /= kind == RAS_MAP ? 2 : 1;
    out->at = out->count ? arena_take(g->arena, (uint64_t)out->count * size) : NULL;
    return out->at || !out->count || value_no_memory(g);
}

static bool value_to_structs(struct getter *g, const struct ras_value *cell,
                             const struct cdt_struct *of, struct list *out)
{
    if (!value_to_list(g, cell, RAS_LIST, of->size, out))
        return false;
    uint8_t *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c)) {
        if (c->kind != RAS_MAP)
            return value_refuse(g, "holds what is no map");
        if (!map_to_struct(g, of, c + 1, ras_value_next(c), item))
            return false;
        item += of->size;
    }
    return true;
}

static bool value_to_strs(struct getter *g, const struct ras_value *cell, struct list *out)
{
    if (!value_to_list(g, cell, RAS_LIST, sizeof(struct ras_bytes), out))
        return false;
    struct ras_bytes *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c))
        if (!value_to_text(g, c, item++))
            return false;
    return true;
}

/* Lists of lists, `depth` of them above the lists of ints. */
static bool value_to_ints(struct getter *g, const struct ras_value *cell, unsigned depth,
                          struct list *out)
{
    size_t size = depth ? sizeof(struct list) : sizeof(struct ras_cdt_int);
    if (!value_to_list(g, cell, RAS_LIST, size, out))
        return false;
    uint8_t *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c)) {
        if (depth ? !value_to_ints(g, c, depth - 1, (struct list *)(void *)item)
                  : !value_to_int(g, c, (struct ras_cdt_int *)(void *)item))
            return false;
        item += size;
    }
    return true;
}

static bool value_to_timers(struct getter *g, const struct ras_value *cell, struct list *out)
{
    if (!value_to_list(g, cell, RAS_MAP, sizeof(struct ras_cdt_timer), out))
        return false;
    struct ras_cdt_timer *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell);
         c = ras_value_next(c + 1), item++)
        if (!value_to_text(g, c, &item->key) || !value_to_int(g, c + 1, &item->value))
            return false;
    return true;
}

static bool value_to_fixed(struct getter *g, const struct ras_value *cell,
                           const struct cdt_field *f, struct ras_cdt_int *out)
{
    struct list list;
    if (!value_to_ints(g, cell, 0, &list))
        return false;
    if (list.count != f->fixed)
        return value_refuse(g, "has another number of elements than it must have");
    memcpy(out, list.at, list.count * sizeof *out); /* never none */
    return true;
}

/* ---- members ------------------------------------------------------------------------- */

static bool value_to_number(struct getter *g, const struct ras_value *cell, uint8_t *out,
                            bool *wide)
{
    struct ras_cdt_int number;
    if (!value_to_int(g, cell, &number))
        return false;
    memcpy(out, &number.value, sizeof number.value);
    *wide = number.wide;
    return true;
}

static bool value_to_member(struct getter *g, const struct ras_value *cell,
                            const struct cdt_field *f, uint8_t *out, bool *wide)
{
    struct list *list = (struct list *)(void *)out;
    switch (f->type) {
    case CDT_INT:
    case CDT_WEAPON:
        return value_to_number(g, cell, out, wide);
    case CDT_FLOAT:
        return cell_f64(cell, (double *)(void *)out) || value_refuse(g, "is no number");
    case CDT_BOOL:
        return cell_bool(cell, (bool *)out) || value_refuse(g, "is neither true nor false");
    case CDT_STR:
        return value_to_text(g, cell, (struct ras_bytes *)(void *)out);
    case CDT_BIN:
        return cell_bytes(cell, g->arena, (struct ras_bytes *)(void *)out) ||
               value_refuse(g, "is no text of hexadecimal digits");
    case CDT_STRUCT:
        if (cell->kind != RAS_MAP)
            return value_refuse(g, "is no map");
        return map_to_struct(g, f->of, cell + 1, ras_value_next(cell), out);
    case CDT_LIST:
        return value_to_structs(g, cell, f->of, list);
    case CDT_STRS:
        return value_to_strs(g, cell, list);
    case CDT_INTS:
    case CDT_COUNTS:
        return value_to_ints(g, cell, f->type == CDT_INTS ? 0 : 2, list);
    case CDT_TIMERS:
        return value_to_timers(g, cell, list);
    default:
        return value_to_fixed(g, cell, f, (struct ras_cdt_int *)(void *)out);
    }
}

static unsigned find_field(const struct cdt_struct *s, const struct ras_value *name)
{
    unsigned i = 0;
    while (i < s->count && strcmp(s->fields[i].name, name->at) != 0)
        i++;
    return i;
}

/* A list may be left out, and a struct that says nothing by itself. */
static bool may_miss(const struct cdt_field *f)
{
    return f->need != CDT_REQUIRED || f->type == CDT_LIST || f->type == CDT_TIMERS ||
           f->type == CDT_STRUCT;
}

static bool map_to_struct(struct getter *g, const struct cdt_struct *s,
                          const struct ras_value *cell, const struct ras_value *end, uint8_t *out)
{
    struct ras_cdt_node node = {0};
    uint32_t seen = 0;
    for (; cell < end; cell = ras_value_next(cell + 1)) {
        unsigned i = find_field(s, cell);
        bool wide = false;
        if (i == s->count) {
            g->unknown = cell->at;
            g->of = s;
            return value_refuse(g, NULL);
        }
        if (cell[1].kind == RAS_NULL)
            continue;
        if (!value_to_member(g, cell + 1, &s->fields[i], out + s->fields[i].offset, &wide))
            return value_inside(g, s->fields[i].name);
        seen |= 1u << i;
        node.wide |= (uint32_t)wide << i;
    }
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (seen >> i & 1)
            continue;
        if (!g->sparse && !may_miss(f)) {
            value_refuse(g, "is missing");
            return value_inside(g, f->name);
        }
        cdt_member_default(f, out + f->offset);
    }
    node.present = seen;
    if (!s->plain)
        *(struct ras_cdt_node *)(void *)out = node;
    return true;
}

static int value_unknown(const struct getter *g, const struct json_row *row, struct ras_error *err)
{
    struct ras_near near;
    ras_near_start(&near, g->unknown);
    for (unsigned i = 0; i < g->of->count; i++)
        ras_near_add(&near, g->of->fields[i].name);
    return row_unknown(row, g->path, g->unknown, &near, err);
}

int cdt_struct_from(const struct cdt_struct *s, const struct json_row *row, bool sparse,
                    struct arena *arena, void *out, struct ras_error *err)
{
    struct getter g = {.arena = arena, .sparse = sparse};
    row_take_all(row); /* what is not known is refused below */
    if (map_to_struct(&g, s, row->cells, row->cells + row->cell_count, out))
        return RAS_OK;
    if (g.unknown)
        return value_unknown(&g, row, err);
    return g.why ? row_fail(row, g.path, err, "%s", g.why) : fail_memory(err);
}
