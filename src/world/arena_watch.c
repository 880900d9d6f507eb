/* arena_watch.c - what the arena tells of a tick while it runs: names and events. */
#include "world/arena_watch.h"

static const char *const kinds[ARENA_KINDS];
static const char *const weapons[ARENA_WEAPONS];
static const char *const bonuses[BONUS_IDS];

static void emit_event(const struct arena *a, const struct ras_world_event *event)
{
    a->watch->event(a->watch->user, event);
}

void arena_tell_spawn(const struct arena *a, const struct arena_creature *c)
{
    if (a->watch)
        emit_event(a, &(struct ras_world_event){.kind = RAS_WORLD_SPAWN,
                                                .what = kinds[c->type % ARENA_KINDS],
                                                .entity = c->id,
                                                .by = -1,
                                                .x = c->pos.x,
                                                .y = c->pos.y,
                                                .amount = c->hp});
}

void arena_tell_hit(const struct arena *a, uint32_t weapon, const struct arena_creature *c,
                    int32_t by, struct arena_vec at, float damage)
{
    if (a->watch)
        emit_event(a, &(struct ras_world_event){.kind = RAS_WORLD_HIT,
                                                .what = weapons[weapon % ARENA_WEAPONS],
                                                .entity = c->id,
                                                .by = by,
                                                .x = at.x,
                                                .y = at.y,
                                                .amount = damage});
}

/* One that sets a timer lasts as long as that would. */
void arena_tell_pickup(const struct arena *a, uint32_t slot, uint32_t player)
{
    const struct arena_bonus *b = &a->bonuses[slot];
    bool timed = false;
    if (!a->watch)
        return;
    for (unsigned i = 0; i < ARENA_TIMERS; i++)
        timed |= arena_timer_bonus(i) == b->id;
    emit_event(a, &(struct ras_world_event){.kind = RAS_WORLD_PICKUP,
                                            .what = bonuses[b->id % BONUS_IDS],
                                            .entity = slot,
                                            .by = player,
                                            .x = b->pos.x,
                                            .y = b->pos.y,
                                            .amount = (float)b->amount,
                                            .seconds = timed ? (float)b->amount : 0});
}

void arena_watch(void *world, const struct ras_world_watch *watch)
{
    struct arena *a = world;
    a->watch = watch;
}

static const char *const kinds[ARENA_KINDS] = {"crawler", "wasp", "hound", "brute"};

static const char *const weapons[ARENA_WEAPONS] = {
    [0] = "fist",
    [WEAPON_PISTOL] = "pistol",
    [WEAPON_RIFLE] = "rifle",
    [WEAPON_SHOTGUN] = "shotgun",
    [WEAPON_CUTTER] = "cutter",
    [WEAPON_ROCKETS] = "rockets",
    [WEAPON_SEEKERS] = "seekers",
};

static const char *const bonuses[BONUS_IDS] = {
    [BONUS_NONE] = "nothing",
    [BONUS_POINTS] = "points",
    [BONUS_ENERGIZER] = "energizer",
    [BONUS_WEAPON] = "weapon",
    [BONUS_POWER_UP] = "power_up",
    [BONUS_BLAST] = "blast",
    [BONUS_DOUBLE] = "double_xp",
    [7] = "nothing",
    [8] = "nothing",
    [BONUS_REFLEX] = "reflex_boost",
    [BONUS_MEDIKIT] = "medikit",
    [BONUS_FREEZE] = "freeze",
};

const struct ras_world_function arena_functions[] = {
    [FN_STEP] = {"arena_step", false},
    [FN_COMMANDS] = {"arena_commands", false},
    [FN_APPLY] = {"arena_apply", true},
    [FN_PERKS] = {"arena_offer_perks", false},
    [FN_PLAYERS] = {"arena_players_step", false},
    [FN_FIRE] = {"arena_fire", true},
    [FN_SHOTS] = {"arena_shots_step", false},
    [FN_HIT] = {"arena_hit", true},
    [FN_ROCKETS] = {"arena_rockets_step", false},
    [FN_BLAST] = {"arena_blast", true},
    [FN_CREATURES] = {"arena_creatures_step", false},
    [FN_THINK] = {"arena_think", false},
    [FN_BITE] = {"arena_bite", false},
    [FN_DIE] = {"arena_die", true},
    [FN_BONUSES] = {"arena_bonuses_step", false},
    [FN_DROP] = {"arena_bonus_drop", false},
    [FN_PICK] = {"arena_pick", true},
    [FN_QUEST] = {"arena_watch_quest", false},
    [FN_SPAWNS] = {"arena_spawn_some", false},
    [FN_SPAWN] = {"arena_spawn", false},
    [FN_GIFT] = {"arena_give", false},
    [FN_FIELDS] = {"arena_fields_step", false},
    [FN_DIGEST] = {"arena_digest", false},
    [ARENA_FUNCTIONS] = {NULL, false},
};
