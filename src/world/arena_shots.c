/* arena_shots.c - weapons, and the projectiles that fly straight until they hit. */
#include "world/arena_watch.h"

static const struct arena_arm arms[ARENA_WEAPONS];

const struct arena_arm *arena_arm(uint32_t weapon)
{
    return &arms[weapon < ARENA_WEAPONS ? weapon : 0];
}

void arena_shot_add(struct arena *a, uint32_t player, float angle)
{
    const struct arena_player *p = &a->players[player];
    const struct arena_arm *arm = arena_arm(p->weapon);
    uint32_t slot = 0;
    while (slot < ARENA_SHOTS && a->shots[slot].active)
        slot++;
    if (slot == ARENA_SHOTS)
        return;
    struct arena_shot *s = &a->shots[slot];
    float damage = arm->damage * a->rules[RULE_DAMAGE] *
                   (1 + 0.2f * (float)p->perks[PERK_MARKSMAN]) *
                   (a->timers[TIMER_POWER_UP] > 0 ? 2.0f : 1.0f);
    *s = (struct arena_shot){
        .active = 1,
        .generation = s->generation + 1,
        .type = p->weapon,
        .owner = (int32_t)player,
        .pos = p->pos,
        .origin = p->pos,
        .vel = {arm->speed * arena_cos(angle), arm->speed * arena_sin(angle)},
        .angle = angle,
        .life = 1.5f,
        .speed_scale = 1,
        .damage = damage,
        .radius = 4,
        .budget = arm->budget,
    };
}

static void hit(struct arena *a, struct arena_shot *s, uint32_t slot)
{
    struct arena_creature *c = &a->creatures[slot];
    float resist = c->hp;
    ARENA_ENTER_WITH(a, FN_HIT, slot, s->type, bits_of(s->damage), bits_of(c->hp));
    arena_tell_hit(a, s->type, c, s->owner, s->pos, s->damage);
    if (a->now.hit_count < ARENA_HITS)
        a->now.hits[a->now.hit_count] = (struct arena_hit){s->type, s->origin, s->pos, c->pos};
    a->now.hit_count++;
    arena_heat(a, s->pos, 0.5f);
    arena_creature_hurt(a, slot, s->damage, s->owner);
    s->damage -= resist;
    s->speed_scale *= 0.75f;
    ARENA_LEAVE(a, FN_HIT);
}

static void shot_fly(struct arena *a, struct arena_shot *s)
{
    const float way = a->dt * s->speed_scale;
    s->pos.x += s->vel.x * way;
    s->pos.y += s->vel.y * way;
    s->life -= a->dt;
    s->budget -= arena_arm(s->type)->speed * way;
    for (uint32_t i = 0; i < a->creature_top && s->damage > 0; i++) {
        const struct arena_creature *c = &a->creatures[i];
        float reach = s->radius + arena_kind(c->type)->size;
        if (arena_distance2(c->pos, s->pos) < reach * reach && arena_creature_lives(c))
            hit(a, s, i);
    }
    bool inside = s->pos.x >= 0 && s->pos.x <= a->width && s->pos.y >= 0 && s->pos.y <= a->height;
    if (s->damage <= 0 || s->life <= 0 || s->budget <= 0 || !inside)
        *s = (struct arena_shot){.generation = s->generation};
}

void arena_shots_step(struct arena *a)
{
    ARENA_ENTER(a, FN_SHOTS);
    for (uint32_t i = 0; i < ARENA_SHOTS; i++)
        if (a->shots[i].active)
            shot_fly(a, &a->shots[i]);
    ARENA_LEAVE(a, FN_SHOTS);
}

static const struct arena_arm arms[ARENA_WEAPONS] = {
    [WEAPON_PISTOL] = {0.25f, 1.2f, 12, 520, 0.04f, 700, 12, 1, false},
    [WEAPON_RIFLE] = {0.05f, 1.0f, 10, 640, 0.08f, 800, 40, 1, false},
    [WEAPON_SHOTGUN] = {0.60f, 1.8f, 8, 480, 0.30f, 420, 8, 8, false},
    [WEAPON_CUTTER] = {0.07f, 2.0f, 24, 560, 0.02f, 500, 40, 1, false},
    [WEAPON_ROCKETS] = {0.50f, 2.2f, 60, 300, 0.02f, 900, 6, 1, true},
    [WEAPON_SEEKERS] = {0.30f, 1.5f, 45, 240, 0.50f, 900, 12, 2, true},
};
