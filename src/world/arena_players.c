/* arena_players.c - players: they walk where they want to be, shoot, learn, fall and return. */
#include "world/arena_world.h"

/* ---- arena bonuses ----------------------------------------------------------------------- */

/* Bonuses: dropped, picked up, kept in a pocket, used, and over. */

#define LASTS      12.0f /* seconds on the floor */
#define FADES      0.5f  /* seconds of one that was picked */
#define REACH      26.0f
#define EFFECT     3.0f /* seconds of a timer */
#define TIMER_MOST 60.0f

static const uint8_t timer_bonus[ARENA_TIMERS];

uint32_t arena_timer_bonus(enum arena_timer timer)
{
    return timer_bonus[timer];
}

void arena_bonus_drop(struct arena *a, struct arena_vec pos)
{
    static const uint8_t ids[] = {BONUS_POINTS, BONUS_POINTS,  BONUS_WEAPON,    BONUS_WEAPON,
                                  BONUS_BLAST,  BONUS_MEDIKIT, BONUS_ENERGIZER, BONUS_POWER_UP,
                                  BONUS_DOUBLE, BONUS_REFLEX,  BONUS_FREEZE};
    uint32_t slot = 0;
    while (slot < ARENA_BONUSES && a->bonuses[slot].id != BONUS_NONE)
        slot++;
    if (slot == ARENA_BONUSES)
        return;
    ARENA_ENTER(a, FN_DROP);
    struct arena_bonus *b = &a->bonuses[slot];
    uint32_t id = ids[arena_draw(a, CALLER_DROP_KIND) % sizeof ids];
    uint32_t amount = arena_draw(a, CALLER_DROP_AMOUNT);
    *b = (struct arena_bonus){
        .id = id, .generation = b->generation + 1, .left = LASTS, .most = LASTS, .pos = pos};
    b->amount = id == BONUS_POINTS   ? 50 + (int32_t)(amount % 10) * 50
                : id == BONUS_WEAPON ? 1 + (int32_t)(amount % (ARENA_WEAPONS - 1))
                                     : (int32_t)EFFECT;
    ARENA_LEAVE(a, FN_DROP);
}

static bool timed(uint32_t id, enum arena_timer *timer)
{
    for (unsigned i = 0; i < ARENA_TIMERS; i++)
        if (timer_bonus[i] == id) {
            *timer = i;
            return true;
        }
    return false;
}

void arena_bonus_use(struct arena *a, uint32_t player, uint32_t id)
{
    enum arena_timer timer;
    const struct arena_player *p = &a->players[player];
    float lasts = EFFECT * (1 + 0.25f * (float)p->perks[PERK_KEEPER]);
    if (timed(id, &timer) && a->timers[timer] < lasts)
        a->timers[timer] = arena_clamp(lasts, 0, TIMER_MOST);
}

static void pick(struct arena *a, uint32_t slot, uint32_t player)
{
    struct arena_bonus *b = &a->bonuses[slot];
    struct arena_player *p = &a->players[player];
    if (a->now.pickup_count < ARENA_BONUSES)
        a->now.pickups[a->now.pickup_count++] = (struct arena_pickup){player, b->id, slot};
    ARENA_ENTER_WITH(a, FN_PICK, slot, player, b->id, (uint64_t)b->amount);
    arena_tell_pickup(a, slot, player);
    arena_sound(a, SOUND_PICKUP);
    b->picked = 1;
    b->left = FADES;
    if (b->id == BONUS_POINTS)
        arena_player_reward(a, player, b->amount);
    else if (b->id == BONUS_WEAPON)
        arena_player_arm(p, (uint32_t)b->amount);
    else if (b->id == BONUS_MEDIKIT)
        p->health = arena_clamp(p->health + 25, 0, 100);
    else if (b->id == BONUS_BLAST)
        arena_blast(a, p->pos, 160, 40, (int32_t)player);
    else if (p->pocket == BONUS_NONE)
        p->pocket = b->id;
    else
        arena_bonus_use(a, player, b->id);
    ARENA_LEAVE(a, FN_PICK);
}

static void step_one(struct arena *a, uint32_t slot)
{
    struct arena_bonus *b = &a->bonuses[slot];
    b->left -= a->dt;
    if (b->left <= 0) {
        *b = (struct arena_bonus){.generation = b->generation};
        return;
    }
    for (uint32_t i = 0; i < a->player_count && !b->picked; i++)
        if (a->players[i].health > 0 && arena_distance2(a->players[i].pos, b->pos) < REACH * REACH)
            pick(a, slot, i);
}

void arena_bonuses_step(struct arena *a)
{
    ARENA_ENTER(a, FN_BONUSES);
    for (unsigned i = 0; i < ARENA_TIMERS; i++)
        a->timers[i] = arena_clamp(a->timers[i] - a->dt, 0, TIMER_MOST);
    for (uint32_t i = 0; i < ARENA_BONUSES; i++)
        if (a->bonuses[i].id != BONUS_NONE)
            step_one(a, i);
    ARENA_LEAVE(a, FN_BONUSES);
}

static const uint8_t timer_bonus[ARENA_TIMERS] = {
    [TIMER_POWER_UP] = BONUS_POWER_UP,   [TIMER_REFLEX] = BONUS_REFLEX,
    [TIMER_ENERGIZER] = BONUS_ENERGIZER, [TIMER_DOUBLE] = BONUS_DOUBLE,
    [TIMER_FREEZE] = BONUS_FREEZE,
};

#define PACE    64.0f /* units a second */
#define ABSENCE 3.0f  /* seconds of one who fell */
enum { LEVEL = 400, EXPERIENCE_MOST = 1000000000 };

void arena_player_arm(struct arena_player *p, uint32_t weapon)
{
    p->weapon = weapon;
    p->ammo = (float)arena_arm(weapon)->clip;
    p->reloading = 0;
    p->reload_timer = 0;
    p->reload_timer_max = arena_arm(weapon)->reload;
    p->cooldown = 0;
}

bool arena_player_ready(const struct arena_player *p)
{
    return p->health > 0 && !p->reloading && p->cooldown <= 0 && !p->firing;
}

void arena_player_reward(struct arena *a, uint32_t player, int32_t experience)
{
    struct arena_player *p = &a->players[player];
    float more = (float)experience * (1 + 0.3f * (float)p->perks[PERK_LEARNER]);
    int64_t sum = (int64_t)p->experience + (int32_t)arena_clamp(more, 0, 1e6f);
    p->experience = sum > EXPERIENCE_MOST ? EXPERIENCE_MOST : (int32_t)sum;
    while (p->experience >= LEVEL * (int64_t)p->level * (p->level + 1) / 2) {
        p->level++;
        a->perk_pending++;
        a->perk_dirty = 1;
        arena_sound(a, SOUND_LEVEL);
    }
}

static void player_enter(struct arena *a, uint32_t player, struct arena_vec pos)
{
    struct arena_player *p = &a->players[player];
    p->pos = p->goal = p->aim = pos;
    p->health = 100;
    p->back_in = 0;
    arena_player_arm(p, player % 2 ? WEAPON_SEEKERS : WEAPON_RIFLE);
}

void arena_players_start(struct arena *a)
{
    for (uint32_t i = 0; i < a->player_count; i++) {
        struct arena_vec pos = {a->width * (float)(i + 1) / (float)(a->player_count + 1),
                                a->height * 0.5f};
        a->players[i].level = 1;
        player_enter(a, i, pos);
    }
}

static void player_walk(struct arena *a, struct arena_player *p)
{
    float x = p->goal.x - p->pos.x, y = p->goal.y - p->pos.y;
    float way = PACE * a->dt * (1 + 0.1f * (float)p->perks[PERK_RUNNER]);
    if (x * x + y * y <= way * way) {
        p->pos = p->goal;
        return;
    }
    float angle = arena_angle(x, y);
    p->pos.x = arena_clamp(p->pos.x + way * arena_cos(angle), 0, a->width);
    p->pos.y = arena_clamp(p->pos.y + way * arena_sin(angle), 0, a->height);
}

static void player_fire(struct arena *a, uint32_t player)
{
    struct arena_player *p = &a->players[player];
    const struct arena_arm *arm = arena_arm(p->weapon);
    ARENA_ENTER_WITH(a, FN_FIRE, player, p->weapon, bits_of(p->aim.x), bits_of(p->aim.y),
                     arm->pellets);
    p->heading = arena_angle(p->aim.x - p->pos.x, p->aim.y - p->pos.y);
    for (unsigned i = 0; i < arm->pellets; i++) {
        float aside = (arena_draw_part(a, CALLER_SPREAD) - 0.5f) * 2 * arm->spread;
        float angle = arena_wrap(p->heading + aside);
        if (arm->rocket)
            arena_rocket_add(a, player, angle);
        else
            arena_shot_add(a, player, angle);
    }
    arena_sound(a, arm->rocket ? SOUND_ROCKET : SOUND_SHOT);
    arena_heat(a, p->pos, 0.25f);
    a->weapon_uses[p->weapon]++;
    p->cooldown = arm->cooldown;
    p->ammo -= 1;
    if (p->ammo < 1) {
        p->reloading = 1;
        p->reload_timer_max = arm->reload / (1 + 0.25f * (float)p->perks[PERK_LOADER]);
        p->reload_timer = p->reload_timer_max;
    }
    ARENA_LEAVE(a, FN_FIRE);
}

static void tend_weapon(const struct arena *a, struct arena_player *p)
{
    p->cooldown = arena_clamp(p->cooldown - a->dt, 0, 10);
    if (!p->reloading)
        return;
    p->reload_timer = arena_clamp(p->reload_timer - a->dt, 0, 10);
    if (p->reload_timer <= 0) {
        p->reloading = 0;
        p->ammo = (float)arena_arm(p->weapon)->clip;
    }
}

static void fallen(struct arena *a, uint32_t player)
{
    struct arena_player *p = &a->players[player];
    p->firing = 0;
    if (p->back_in <= 0)
        p->back_in = ABSENCE;
    p->back_in -= a->dt;
    if (p->back_in > 0)
        return;
    float x = arena_draw_part(a, CALLER_RETURN), y = arena_draw_part(a, CALLER_RETURN);
    player_enter(a, player, (struct arena_vec){x * a->width, y * a->height});
}

void arena_players_step(struct arena *a)
{
    ARENA_ENTER(a, FN_PLAYERS);
    for (uint32_t i = 0; i < a->player_count; i++) {
        struct arena_player *p = &a->players[i];
        if (p->health <= 0) {
            fallen(a, i);
            continue;
        }
        p->health = arena_clamp(p->health + 0.5f * (float)p->perks[PERK_HEALER] * a->dt, 0, 100);
        player_walk(a, p);
        tend_weapon(a, p);
        if (p->firing)
            player_fire(a, i);
        p->firing = 0;
    }
    ARENA_LEAVE(a, FN_PLAYERS);
}
