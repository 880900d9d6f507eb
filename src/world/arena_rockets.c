/* arena_rockets.c - secondary projectiles: they gain speed, may seek, and burst. */
#include "world/arena_watch.h"

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
