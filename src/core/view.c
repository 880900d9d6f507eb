/* view.c - what a scan wants of each schema: types and fields by name. */
#include "base/glob.h"
#include "base/memory.h"
#include "core/cursor.h"

#include <stdlib.h>
#include <string.h>

static const struct view nothing = {.known = true};

bool ras_schema_matches(const struct ras_schema *s, const char *pattern)
{
    bool usual = !(s->flags & RAS_ON_REQUEST);
    return !strcmp(pattern, s->name) || (usual && glob_matches(pattern, s->name));
}

static const struct ras_pick *find_pick(const struct ras_scan *scan, uint32_t schema,
                                        const struct ras_schema *s)
{
    for (size_t i = 0; i < scan->pick_count; i++) {
        const struct ras_pick *p = &scan->picks[i];
        if (p->schema ? p->schema == schema
            : p->type ? ras_schema_matches(s, p->type)
                      : !(s->flags & RAS_ON_REQUEST))
            return p;
    }
    return NULL;
}

static bool pick_has(const struct ras_pick *p, const char *field)
{
    for (size_t i = 0; i < p->field_count; i++)
        if (!strcmp(p->fields[i], field))
            return true;
    return false;
}

static uint8_t *field_flags(const struct ras_pick *p, const struct ras_schema *s)
{
    uint8_t *flags = calloc(s->field_count + 1u, 1);
    for (unsigned i = 0; flags && i < s->field_count; i++)
        flags[i] = pick_has(p, s->fields[i].name);
    return flags;
}

static const struct view *no_memory(struct ras_cursor *c)
{
    c->values.nomem = true;
    return &nothing;
}

const struct view *view_resolve(struct ras_cursor *c, uint32_t schema)
{
    if (!array_grow(&c->views, &c->view_room, schema + 1u, sizeof *c->views))
        return no_memory(c);
    while (c->view_count <= schema)
        c->views[c->view_count++] = (struct view){0};
    const struct ras_schema *s = ras_schema_at(c->trace, schema);
    const struct ras_pick *pick = find_pick(&c->scan, schema, s);
    struct view v = {.known = true};
    v.wanted = c->scan.pick_count ? pick != NULL : !(s->flags & RAS_ON_REQUEST);
    if (c->scan.frames_only && s->flags & RAS_CHILD)
        v.wanted = false;
    c->requests |= v.wanted && s->flags & RAS_ON_REQUEST;
    v.values = v.wanted && !c->scan.headers_only;
    if (v.values && pick && pick->fields) {
        uint8_t *flags = field_flags(pick, s);
        if (!flags)
            return no_memory(c);
        v.fields = flags;
    }
    c->views[schema] = v;
    return &c->views[schema];
}

/* The bytes of a name, 0 for none. */
static size_t name_size(const char *name)
{
    return name ? strlen(name) + 1 : 0;
}

static const char *put_name(char **at, const char *name)
{
    if (!name)
        return NULL;
    char *copy = *at;
    memcpy(copy, name, name_size(name));
    *at += name_size(name);
    return copy;
}

/* One block: the picks, the pointers to their fields, then all names. */
struct ras_pick *picks_copy(const struct ras_pick *picks, size_t count)
{
    size_t fields = 0, text = 0;
    for (size_t i = 0; i < count; i++) {
        text += name_size(picks[i].type);
        for (size_t k = 0; picks[i].fields && k < picks[i].field_count; k++, fields++)
            text += name_size(picks[i].fields[k]);
    }
    struct ras_pick *copies = malloc(count * sizeof *copies + fields * sizeof(char *) + text + 1);
    if (!copies)
        return NULL;
    const char **field = (const char **)(copies + count);
    char *at = (char *)(field + fields);
    for (size_t i = 0; i < count; i++) {
        copies[i] = picks[i];
        copies[i].type = put_name(&at, picks[i].type);
        if (!picks[i].fields)
            continue;
        copies[i].fields = field;
        for (size_t k = 0; k < picks[i].field_count; k++)
            *field++ = put_name(&at, picks[i].fields[k]);
    }
    return copies;
}

void views_free(struct ras_cursor *c)
{
    for (size_t i = 0; i < c->view_count; i++)
        free((void *)(uintptr_t)c->views[i].fields);
    free(c->views);
}
