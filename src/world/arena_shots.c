/* arena_shots.c - weapons, and the projectiles that fly straight until they hit. */
#include "world/arena_world.h"

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

/* ---- arena rockets ----------------------------------------------------------------------- */

/* Secondary projectiles: they gain speed, may seek, and burst. */

#define GAIN    320.0f /* of speed, a second */
#define FASTEST 520.0f
#define STEER   5.0f /* radians a second */
#define BURST   64.0f
#define TRAIL   0.06f /* seconds between puffs */

void arena_rocket_add(struct arena *a, uint32_t player, float angle)
{
    const struct arena_player *p = &a->players[player];
    const struct arena_arm *arm = arena_arm(p->weapon);
    uint32_t slot = 0;
    while (slot < ARENA_ROCKETS && a->rockets[slot].active)
        slot++;
    if (slot == ARENA_ROCKETS)
        return;
    struct arena_rocket *r = &a->rockets[slot];
    *r = (struct arena_rocket){
        .active = 1,
        .generation = r->generation + 1,
        .type = p->weapon,
        .owner = (int32_t)player,
        .target = -1,
        .pos = p->pos,
        .vel = {arm->speed * arena_cos(angle), arm->speed * arena_sin(angle)},
        .angle = angle,
        .speed = arm->speed,
        .trail = TRAIL,
        .life = 3,
    };
    float distance2;
    uint32_t near = arena_creature_near(a, p->aim, &distance2);
    if (p->weapon == WEAPON_SEEKERS && near < ARENA_CREATURES)
        r->target = (int32_t)near;
}

void arena_blast(struct arena *a, struct arena_vec at, float radius, float damage, int32_t owner)
{
    ARENA_ENTER_WITH(a, FN_BLAST, bits_of(at.x), bits_of(at.y), bits_of(radius), bits_of(damage));
    arena_sound(a, SOUND_BLAST);
    arena_heat(a, at, 6);
    for (uint32_t i = 0; i < a->creature_top; i++) {
        const struct arena_creature *c = &a->creatures[i];
        if (arena_distance2(c->pos, at) < radius * radius)
            arena_creature_hurt(a, i, damage, owner);
    }
    ARENA_LEAVE(a, FN_BLAST);
}

static void steer(struct arena *a, struct arena_rocket *r)
{
    if (r->target < 0)
        return;
    const struct arena_creature *c = &a->creatures[r->target];
    if (!arena_creature_lives(c)) {
        r->target = -1;
        return;
    }
    float want = arena_angle(c->pos.x - r->pos.x, c->pos.y - r->pos.y);
    float turn = arena_wrap(want - r->angle);
    r->angle = arena_wrap(r->angle + arena_clamp(turn, -STEER * a->dt, STEER * a->dt));
}

static bool strikes(struct arena *a, const struct arena_rocket *r)
{
    float distance2;
    uint32_t near = arena_creature_near(a, r->pos, &distance2);
    if (near == ARENA_CREATURES)
        return false;
    const struct arena_creature *c = &a->creatures[near];
    float reach = 6 + arena_kind(c->type)->size;
    if (distance2 >= reach * reach)
        return false;
    if (a->now.hit_count < ARENA_HITS)
        a->now.hits[a->now.hit_count] =
            (struct arena_hit){r->type, a->players[r->owner].pos, r->pos, c->pos};
    a->now.hit_count++;
    arena_tell_hit(a, r->type, c, r->owner, r->pos, arena_arm(r->type)->damage);
    return true;
}

static void rocket_fly(struct arena *a, struct arena_rocket *r)
{
    steer(a, r);
    r->speed = arena_clamp(r->speed + GAIN * a->dt, 0, FASTEST);
    r->vel = (struct arena_vec){r->speed * arena_cos(r->angle), r->speed * arena_sin(r->angle)};
    r->pos.x += r->vel.x * a->dt;
    r->pos.y += r->vel.y * a->dt;
    r->life -= a->dt;
    r->trail -= a->dt;
    bool inside = r->pos.x >= 0 && r->pos.x <= a->width && r->pos.y >= 0 && r->pos.y <= a->height;
    if (r->trail <= 0 && inside) {
        r->trail += TRAIL;
        arena_heat(a, r->pos, 0.25f);
    }
    if (!strikes(a, r) && r->life > 0 && inside)
        return;
    if (inside)
        arena_blast(a, r->pos, BURST, arena_arm(r->type)->damage * a->rules[RULE_DAMAGE], r->owner);
    *r = (struct arena_rocket){.generation = r->generation};
}

void arena_rockets_step(struct arena *a)
{
    ARENA_ENTER(a, FN_ROCKETS);
    for (uint32_t i = 0; i < ARENA_ROCKETS; i++)
        if (a->rockets[i].active)
            rocket_fly(a, &a->rockets[i]);
    ARENA_LEAVE(a, FN_ROCKETS);
}
