/* plan_json.c - a repair plan as JSON, and back. */
#include "base/error.h"
#include "core/row.h"
#include "ops/repair/plan.h"

#include <string.h>

void plan_put(struct json *j, const char *key, const struct ras_plan *plan)
{
    json_array(j, key);
    for (size_t i = 0; i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        json_line_between(j, 1);
        json_object(j, NULL);
        json_text(j, "part", p->part);
        json_uint(j, "at", p->at);
        json_uint(j, "remove", p->remove);
        json_blob(j, "insert", p->insert.at, p->insert.len);
        if (p->fresh)
            json_bool(j, "fresh", true);
        json_close(j);
    }
    json_close(j);
}

/* ---- reading ----------------------------------------------------------------------- */

/* A plan comes from a file: a part lies below the trace, whatever the file says. */
static bool stays_inside(const char *part)
{
    if (*part == '/')
        return false;
    for (const char *p = part; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        if (p[0] == '.' && p[1] == '.' && (!p[2] || p[2] == '/'))
            return false;
    return true;
}

const char *plan_part(const struct ras_value *map, struct ras_error *err)
{
    const struct ras_value *part = map->kind == RAS_MAP ? map_find(map, "part") : NULL;
    if (!part || part->kind != RAS_STR || strlen(part->at) != part->count) {
        fail(err, RAS_EFORMAT, 0, "not a repair plan: a step has no part");
        return NULL;
    }
    if (stays_inside(part->at))
        return part->at;
    fail(err, RAS_EFORMAT, 0, "not a repair plan: the part %s lies outside the trace",
         (const char *)part->at);
    return NULL;
}

static bool get_number(const struct ras_value *map, const char *key, uint64_t *value)
{
    const struct ras_value *v = map_find(map, key);
    *value = 0;
    return !v || cell_uint(v, value);
}

static int get_patch(const struct ras_value *map, struct arena *arena, struct plan *plan,
                     struct ras_error *err)
{
    const char *part = plan_part(map, err);
    struct ras_bytes insert = {0};
    uint64_t at, remove;
    bool fresh = false;
    if (!part)
        return RAS_EFORMAT;
    const struct ras_value *bytes = map_find(map, "insert"), *made = map_find(map, "fresh");
    if (!get_number(map, "at", &at) || !get_number(map, "remove", &remove) ||
        (bytes && !cell_bytes(bytes, arena, &insert)) || (made && !cell_bool(made, &fresh)))
        return fail(err, RAS_EFORMAT, 0,
                    "not a repair plan: a step is not {part, at, remove, insert}");
    plan_patch(plan, part, at, remove, insert.at, insert.len);
    if (!plan->nomem)
        plan->out.patches[plan->out.patch_count - 1].fresh = fresh;
    return plan->nomem ? fail_memory(err) : RAS_OK;
}

int plan_get(const struct ras_value *list, struct arena *arena, struct plan *plan,
             struct ras_error *err)
{
    if (!list || list->kind != RAS_LIST)
        return fail(err, RAS_EFORMAT, 0, "not a repair plan: it has no list of steps");
    int status = RAS_OK;
    for (const struct ras_value *v = list + 1; status == RAS_OK && v < ras_value_next(list);
         v = ras_value_next(v))
        status = get_patch(v, arena, plan, err);
    return status;
}
