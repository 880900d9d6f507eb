/* arena_bonuses.c - bonuses: dropped, picked up, kept in a pocket, used, and over. */
#include "world/arena_watch.h"

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
