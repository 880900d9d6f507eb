/* murk_scene.c - commands that name a place as things on a grid, and all of them in words. */
#include "core/row.h"
#include "formats/murk/murk_driver.h"
#include "ops/scene/scene_driver.h"

#include <math.h>

enum { SCENE_MOVE, SCENE_SPAWN, SCENE_SET_FIELD };

static const struct scene_kind murk_kinds[] = {
    [SCENE_MOVE] = {"Move", "command", SCENE_ARROW, NULL},
    [SCENE_SPAWN] = {"Spawn", "command", SCENE_DIAMOND, NULL},
    [SCENE_SET_FIELD] = {"SetField", "command", SCENE_SQUARE, NULL},
    {0},
};

/* A coordinate of the grid; false: there are fewer. */
static bool murk_scene_axis(const struct ras_value *coord, unsigned axis, double *at)
{
    return coord && coord->kind == RAS_LIST && coord->count > axis &&
           scene_number(coord + 1 + axis, at);
}

static bool murk_scene_is(const struct ras_cursor *c, const char *payload)
{
    const struct ras_value *name = ras_value_of(c, "payload_name");
    return name && name->kind == RAS_STR && name->count == strlen(payload) &&
           !memcmp(name->at, payload, name->count);
}

static bool murk_scene_item(const struct ras_cursor *c, struct scene_item *item)
{
    const struct ras_value *coord = ras_value_of(c, "coord");
    if (!murk_scene_is(c, murk_kinds[item->kind].name) || !murk_scene_axis(coord, 0, &item->x))
        return false;
    if (!murk_scene_axis(coord, 1, &item->y)) /* a line of cells */
        item->y = 0;
    item->id = (uint64_t)scene_whole(
        ras_value_of(c, item->kind == SCENE_MOVE ? "entity_id" : "arrival_seq"));
    item->number = (uint32_t)item->id;
    item->type = scene_whole(ras_value_of(c, "source_id"));
    item->active = true;
    item->heading = item->size = NAN;
    return true;
}

static void put_place(struct out *out, const char *before, const struct ras_value *coord)
{
    if (!coord || coord->kind != RAS_LIST)
        return;
    out_text(out, before);
    for (uint32_t i = 0; i < coord->count && i < 8; i++)
        out_format(out, "%s%" PRId64, i ? ", " : "", scene_whole(coord + 1 + i));
    out_text(out, coord->count > 8 ? ", ..." : "");
}

static void put_scene_number(struct out *out, const char *before, const struct ras_value *v)
{
    double number;
    if (v && (v->kind == RAS_UINT || v->kind == RAS_INT))
        out_format(out, "%s%" PRIu64, before, v->u);
    else if (scene_number(v, &number))
        out_format(out, "%s%.9g", before, number);
}

/* "entity 1 to 20, 13"; "at 3, 4, field 2 = 1.5". */
static void murk_scene_text(const struct ras_cursor *c, struct out *out)
{
    const struct ras_value *data = ras_value_of(c, "data"), *params = ras_value_of(c, "params");
    bool moves = murk_scene_is(c, "Move");
    size_t begin = out->len;
    put_scene_number(out, "entity ", ras_value_of(c, "entity_id"));
    put_place(out, moves ? " to " : "at ", ras_value_of(c, "coord"));
    put_scene_number(out, ", field ", ras_value_of(c, "field_id"));
    put_scene_number(out, "type ", ras_value_of(c, "type_id"));
    put_scene_number(out, "parameter ", ras_value_of(c, "key"));
    put_scene_number(out, " = ", ras_value_of(c, "value"));
    if (data && data->kind == RAS_BLOB)
        out_format(out, ", %s", ras_counted(data->count, "byte").text);
    if (params && params->kind == RAS_LIST)
        out_text(out, "parameters");
    const struct ras_value *payload = ras_value_of(c, "payload");
    if (out->len == begin && payload && payload->kind == RAS_BLOB)
        out_text(out, ras_counted(payload->count, "byte").text);
}

const struct scene_ops murk_scene = {
    .kinds = murk_kinds,
    .item = murk_scene_item,
    .commands = {"command", "payload_name", murk_scene_text, NULL},
};
