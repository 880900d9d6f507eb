/* arena_creatures.c - creatures: how they choose where to go, bite, burn and die. */
#include "world/arena_world.h"

static const struct arena_kind kinds[ARENA_KINDS];

#define TURN      4.0f  /* radians a second */
#define DECAY     28.0f /* lifecycle stages of the dead, a second */
#define REACH     10.0f /* beyond its own size */
#define HOT       4.0f
#define CROWD     4.0f
#define BITE_TIME 0.5f
enum { THINK = 16 }; /* ticks between changes of target */

const struct arena_kind *arena_kind(uint32_t type)
{
    return &kinds[type % ARENA_KINDS];
}

bool arena_creature_lives(const struct arena_creature *c)
{
    return c->active && c->stage >= ARENA_ALIVE;
}

struct arena_creature *arena_creature_add(struct arena *a, uint32_t type, struct arena_vec pos)
{
    uint32_t slot = 0;
    while (slot < ARENA_CREATURES && a->creatures[slot].active)
        slot++;
    if (slot == ARENA_CREATURES || a->next_id == UINT32_MAX)
        return NULL;
    struct arena_creature *c = &a->creatures[slot];
    const struct arena_kind *k = arena_kind(type);
    *c = (struct arena_creature){.active = 1,
                                 .generation = c->generation + 1,
                                 .id = a->next_id++,
                                 .type = type,
                                 .ai = k->ai,
                                 .link = -1,
                                 .hp = k->hp * a->rules[RULE_HEALTH],
                                 .pos = pos,
                                 .orbit_radius = 120,
                                 .stage = ARENA_ALIVE,
                                 .speed = k->speed};
    c->target = (int32_t)(slot % a->player_count);
    /* Followers follow the creature in the slot before theirs. */
    if (k->ai == ARENA_FOLLOW)
        c->link = (int32_t)slot - 1;
    if (slot >= a->creature_top)
        a->creature_top = slot + 1;
    a->creature_count++;
    a->now.spawn_count++;
    return c;
}

void arena_creature_remove(struct arena *a, uint32_t slot)
{
    struct arena_creature *c = &a->creatures[slot];
    a->creature_count -= arena_creature_lives(c);
    *c = (struct arena_creature){.generation = c->generation};
    while (a->creature_top && !a->creatures[a->creature_top - 1].active)
        a->creature_top--;
}

/* ---- death ------------------------------------------------------------------------------- */

static void die(struct arena *a, uint32_t slot, int32_t owner)
{
    struct arena_creature *c = &a->creatures[slot];
    const struct arena_kind *k = arena_kind(c->type);
    int32_t xp = (int32_t)(k->reward * a->rules[RULE_EXPERIENCE]);
    if (a->timers[TIMER_DOUBLE] > 0)
        xp *= 2;
    if (owner < 0)
        xp = 0;
    ARENA_ENTER_WITH(a, FN_DIE, slot, c->id, c->type, (uint64_t)(int64_t)owner, (uint64_t)xp);
    if (a->now.death_count < ARENA_CREATURES)
        a->now.deaths[a->now.death_count++] =
            (struct arena_death){(int32_t)slot, (int32_t)c->type, xp, owner, k->reward};
    c->stage = ARENA_ALIVE - 1;
    c->hp = 0;
    c->vel = (struct arena_vec){0, 0};
    a->creature_count--;
    a->kills++;
    arena_sound(a, SOUND_DEATH);
    if (owner >= 0) {
        a->players[owner].kills++;
        arena_player_reward(a, (uint32_t)owner, xp);
    }
    if (arena_draw_part(a, CALLER_DROP) * 100 < a->rules[RULE_DROPS])
        arena_bonus_drop(a, c->pos);
    ARENA_LEAVE(a, FN_DIE);
}

void arena_creature_hurt(struct arena *a, uint32_t slot, float damage, int32_t owner)
{
    struct arena_creature *c = &a->creatures[slot];
    if (!arena_creature_lives(c))
        return;
    c->hp -= damage;
    if (c->hp <= 0)
        die(a, slot, owner);
}

uint32_t arena_creature_near(const struct arena *a, struct arena_vec pos, float *distance2)
{
    uint32_t best = ARENA_CREATURES;
    *distance2 = 1e30f;
    for (uint32_t i = 0; i < a->creature_top; i++) {
        const struct arena_creature *c = &a->creatures[i];
        float d = arena_distance2(c->pos, pos);
        if (d < *distance2 && arena_creature_lives(c)) {
            best = i;
            *distance2 = d;
        }
    }
    return best;
}

/* ---- life -------------------------------------------------------------------------------- */

static int32_t nearest_player(const struct arena *a, const struct arena_creature *c)
{
    int32_t best = c->target;
    float least = 1e30f;
    for (uint32_t i = 0; i < a->player_count; i++) {
        float d = arena_distance2(a->players[i].pos, c->pos);
        if (a->players[i].health > 0 && d < least) {
            best = (int32_t)i;
            least = d;
        }
    }
    return best;
}

static void think(struct arena *a, struct arena_creature *c)
{
    ARENA_ENTER(a, FN_THINK);
    c->target = nearest_player(a, c);
    uint32_t mood = arena_draw(a, CALLER_MIND);
    if (c->ai == ARENA_ORBIT && mood % 4 == 0)
        c->ai = ARENA_CHASE;
    else if (c->ai == ARENA_CHASE && arena_kind(c->type)->ai == ARENA_ORBIT && mood % 16 == 0)
        c->ai = ARENA_ORBIT;
    bool alone = c->link < 0 || !arena_creature_lives(&a->creatures[c->link]);
    if (c->ai == ARENA_FOLLOW && (alone || mood % 32 == 0))
        c->ai = ARENA_CHASE;
    ARENA_LEAVE(a, FN_THINK);
}

static struct arena_vec goal(const struct arena *a, struct arena_creature *c)
{
    struct arena_vec at = a->players[c->target].pos;
    if (c->ai == ARENA_ORBIT) {
        c->orbit_angle = arena_wrap(c->orbit_angle + a->dt * a->scale);
        at.x += c->orbit_radius * arena_cos(c->orbit_angle);
        at.y += c->orbit_radius * arena_sin(c->orbit_angle);
    } else if (c->ai == ARENA_FOLLOW && c->link >= 0) {
        at = a->creatures[c->link].pos;
    }
    return at;
}

static void creature_walk(struct arena *a, struct arena_creature *c)
{
    struct arena_vec to = goal(a, c);
    const float dt = a->dt * a->scale;
    float speed = c->speed * a->rules[RULE_SPEED];
    c->target_heading = arena_angle(to.x - c->pos.x, to.y - c->pos.y);
    float turn = arena_wrap(c->target_heading - c->heading);
    c->heading = arena_wrap(c->heading + arena_clamp(turn, -TURN * dt, TURN * dt));
    c->flags &= ~(uint32_t)(ARENA_CROWDED | ARENA_BURNING);
    uint64_t cell = arena_cell(a, c->pos);
    if (a->fields[ARENA_DENSITY][cell] > CROWD) {
        c->flags |= ARENA_CROWDED;
        speed *= 0.75f;
    }
    if (a->fields[ARENA_HEAT][cell] >= HOT)
        c->flags |= ARENA_BURNING;
    c->vel = (struct arena_vec){speed * arena_cos(c->heading), speed * arena_sin(c->heading)};
    c->pos.x = arena_clamp(c->pos.x + c->vel.x * dt, 0, a->width);
    c->pos.y = arena_clamp(c->pos.y + c->vel.y * dt, 0, a->height);
}

static void bite(struct arena *a, uint32_t slot)
{
    struct arena_creature *c = &a->creatures[slot];
    struct arena_player *p = &a->players[c->target];
    const struct arena_kind *k = arena_kind(c->type);
    float reach = k->size + REACH;
    if (c->bite_timer > 0)
        c->bite_timer -= a->dt * a->scale;
    if (c->bite_timer > 0 || p->health <= 0 || arena_distance2(c->pos, p->pos) > reach * reach)
        return;
    ARENA_ENTER(a, FN_BITE);
    c->bite_timer = BITE_TIME;
    if (a->timers[TIMER_ENERGIZER] > 0) {
        arena_creature_hurt(a, slot, 100, c->target);
    } else {
        p->health = arena_clamp(p->health - k->bite, 0, 100);
        arena_sound(a, SOUND_HURT);
    }
    ARENA_LEAVE(a, FN_BITE);
}

void arena_creatures_step(struct arena *a)
{
    ARENA_ENTER(a, FN_CREATURES);
    for (uint32_t i = 0; i < a->creature_top; i++) {
        struct arena_creature *c = &a->creatures[i];
        if (!c->active)
            continue;
        if (!arena_creature_lives(c)) {
            c->stage -= DECAY * a->dt;
            if (c->stage < 0)
                arena_creature_remove(a, i);
            continue;
        }
        if ((a->tick + i) % THINK == 0)
            think(a, c);
        if (a->timers[TIMER_FREEZE] > 0) {
            c->vel = (struct arena_vec){0, 0};
            continue;
        }
        creature_walk(a, c);
        if (c->flags & ARENA_BURNING)
            arena_creature_hurt(a, i, a->rules[RULE_BURN] * a->dt, -1);
        if (arena_creature_lives(c))
            bite(a, i);
    }
    ARENA_LEAVE(a, FN_CREATURES);
}

static const struct arena_kind kinds[ARENA_KINDS] = {
    {20, 62, 14, 30, 4, ARENA_CHASE},
    {14, 118, 10, 45, 3, ARENA_ORBIT},
    {26, 84, 16, 60, 5, ARENA_FOLLOW},
    {70, 40, 24, 140, 9, ARENA_CHASE},
};
