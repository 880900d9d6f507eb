/* cdt_scene.c - the entities of a tick as things on a map, and the random numbers it draws. */
#include "core/row.h"
#include "formats/cdt/cdt_driver.h"
#include "ops/scene/scene_driver.h"

#include <math.h>

enum { SCENE_CREATURE, SCENE_PLAYER, SCENE_PROJECTILE, SCENE_SECONDARY, SCENE_BONUS };

static const struct scene_kind cdt_kinds[] = {
    [SCENE_CREATURE] = {"creature", "creature", SCENE_DISC, "hp"},
    [SCENE_PLAYER] = {"player", "sim_player", SCENE_RING, "health"},
    [SCENE_PROJECTILE] = {"projectile", "projectile", SCENE_DOT, NULL},
    [SCENE_SECONDARY] = {"secondary projectile", "secondary_projectile", SCENE_DOT, NULL},
    [SCENE_BONUS] = {"bonus", "bonus", SCENE_DIAMOND, NULL},
    {0},
};

/* The fields of each kind; NULL: it has none of that meaning. */
static const struct scene_fields {
    const char *id, *again, *type, *active, *heading, *size;
} cdt_fields[] = {
    [SCENE_CREATURE] = {"uid", "generation", "type_id", "active", "heading", "hp"},
    [SCENE_PLAYER] = {"index", NULL, NULL, NULL, NULL, "health"},
    [SCENE_PROJECTILE] = {"uid", "generation", "type_id", "active", "angle", NULL},
    [SCENE_SECONDARY] = {"uid", "generation", "type_id", "active", "angle", NULL},
    [SCENE_BONUS] = {"uid", "generation", "bonus_id", "active", NULL, NULL},
};

static double cdt_scene_number(const struct ras_cursor *c, const char *field)
{
    double number;
    return field && scene_number(ras_value_of(c, field), &number) ? number : NAN;
}

static int64_t cdt_scene_whole(const struct ras_cursor *c, const char *field)
{
    return field ? scene_whole(ras_value_of(c, field)) : 0;
}

static bool cdt_scene_item(const struct ras_cursor *c, struct scene_item *item)
{
    const struct scene_fields *f = &cdt_fields[item->kind];
    const struct ras_value *pos = ras_value_of(c, "pos");
    if (!pos || pos->kind != RAS_MAP || !scene_number(map_find(pos, "x"), &item->x) ||
        !scene_number(map_find(pos, "y"), &item->y))
        return false;
    /* A slot of a pool that is used again is another entity. */
    item->id = (uint64_t)cdt_scene_whole(c, f->id) ^ (uint64_t)cdt_scene_whole(c, f->again) << 32;
    item->number = (uint32_t)cdt_scene_whole(c, "index") + (item->kind == SCENE_PLAYER);
    item->type = cdt_scene_whole(c, f->type);
    item->active = !f->active || cdt_scene_whole(c, f->active);
    item->heading = cdt_scene_number(c, f->heading);
    item->size = cdt_scene_number(c, f->size);
    return true;
}

const struct scene_ops cdt_scene = {
    .kinds = cdt_kinds,
    .is_state = true,
    .item = cdt_scene_item,
    .draws = {"rng", "value_15", "caller", 1u << 15},
};
