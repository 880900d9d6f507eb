/* view.c - what a scan wants of each schema: types and fields by name. */
#include "base/memory.h"
#include "core/cursor.h"

#include <stdlib.h>
#include <string.h>

static const struct view nothing = {.known = true};

static const struct ras_pick *find_pick(const struct ras_scan *scan, const struct ras_schema *s)
{
    for (size_t i = 0; i < scan->pick_count; i++) {
        const struct ras_pick *p = &scan->picks[i];
        if (p->type ? !strcmp(p->type, s->name) : !(s->flags & RAS_ON_REQUEST))
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

const struct view *view_resolve(struct ras_cursor *c, uint32_t schema)
{
    if (!array_grow(&c->views, &c->view_room, schema + 1u, sizeof *c->views))
        return &nothing;
    while (c->view_count <= schema)
        c->views[c->view_count++] = (struct view){0};
    const struct ras_schema *s = ras_schema_at(c->trace, schema);
    const struct ras_pick *pick = find_pick(&c->scan, s);
    struct view v = {.known = true};
    v.wanted = c->scan.pick_count ? pick != NULL : !(s->flags & RAS_ON_REQUEST);
    if (c->scan.frames_only && s->flags & RAS_CHILD)
        v.wanted = false;
    c->requests |= v.wanted && s->flags & RAS_ON_REQUEST;
    v.values = v.wanted && !c->scan.headers_only;
    if (v.values && pick && pick->fields) {
        uint8_t *flags = field_flags(pick, s);
        if (!flags)
            return &nothing;
        v.fields = flags;
    }
    c->views[schema] = v;
    return &c->views[schema];
}

void views_free(struct ras_cursor *c)
{
    for (size_t i = 0; i < c->view_count; i++)
        free((void *)(uintptr_t)c->views[i].fields);
    free(c->views);
}
