/* arena_rules.c - the rules of the arena: what they are, and the order of a tick. */
#include "world/arena_world.h"

#include <string.h>

enum { GIFT = 240, STAGE_FIRST = 40, STAGE_MORE = 10 }; /* ticks; creatures of a quest */

static const struct arena_rule_row rows[ARENA_RULES];

const struct arena_rule_row *arena_rule(uint32_t key)
{
    return key < ARENA_RULES ? &rows[key] : NULL;
}

/* No comparison with a NaN is true. */
bool arena_rule_fits(uint32_t key, double value)
{
    const struct arena_rule_row *r = arena_rule(key);
    return r && value >= (double)r->least && value <= (double)r->most;
}

void arena_sound(struct arena *a, enum arena_sound sound)
{
    if (a->now.sound_count < ARENA_SOUNDS)
        a->now.sounds[a->now.sound_count] = (uint8_t)sound;
    a->now.sound_count++;
}

const char *arena_sound_name(enum arena_sound sound)
{
    static const char *const names[ARENA_SOUND_KINDS] = {"shot",   "rocket", "blast", "death",
                                                         "pickup", "hurt",   "level", "stage"};
    return sound < ARENA_SOUND_KINDS ? names[sound] : NULL;
}

/* ---- creatures come ---------------------------------------------------------------------- */

static void rules_spawn(struct arena *a, bool anywhere)
{
    ARENA_ENTER(a, FN_SPAWN);
    uint32_t mood = arena_draw(a, CALLER_SPAWN_KIND) % 16;
    uint32_t type = mood < 7 ? 0 : mood < 11 ? 1 : mood < 15 ? 2 : 3;
    uint32_t edge = arena_draw(a, CALLER_SPAWN_EDGE);
    float along = arena_draw_part(a, CALLER_SPAWN_PLACE);
    float part = anywhere ? (float)edge * (1.0f / 32768) : (float)(edge & 1);
    struct arena_vec pos = {along * a->width, part * a->height};
    if (edge & 2)
        pos = (struct arena_vec){part * a->width, along * a->height};
    struct arena_creature *c = arena_creature_add(a, type, pos);
    float orbit = arena_draw_part(a, CALLER_SPAWN_ORBIT);
    if (c) {
        c->orbit_angle = (orbit * 2 - 1) * ARENA_PI;
        c->orbit_radius = 60 + orbit * 140;
        arena_tell_spawn(a, c);
    }
    ARENA_LEAVE(a, FN_SPAWN);
}

static bool wants_more(const struct arena *a)
{
    return (float)a->creature_count < a->rules[RULE_POPULATION] &&
           (a->mode != ARENA_QUEST || a->stage_left);
}

static void spawn_some(struct arena *a, uint32_t most, bool anywhere)
{
    ARENA_ENTER(a, FN_SPAWNS);
    for (uint32_t i = 0; i < most && wants_more(a); i++) {
        a->stage_left -= a->mode == ARENA_QUEST;
        rules_spawn(a, anywhere);
    }
    ARENA_LEAVE(a, FN_SPAWNS);
}

/* A quest is over when all that it sends are dead; the next one begins at once. */
static void watch_quest(struct arena *a)
{
    if (a->mode != ARENA_QUEST || a->stage_left || a->creature_count)
        return;
    ARENA_ENTER(a, FN_QUEST);
    a->stage = a->stage % ARENA_QUESTS + 1;
    a->stage_left = STAGE_FIRST + STAGE_MORE * a->stage;
    arena_sound(a, SOUND_STAGE);
    ARENA_LEAVE(a, FN_QUEST);
}

static void give(struct arena *a)
{
    if (a->tick % GIFT)
        return;
    ARENA_ENTER(a, FN_GIFT);
    float x = arena_draw_part(a, CALLER_GIFT_PLACE), y = arena_draw_part(a, CALLER_GIFT_PLACE);
    arena_bonus_drop(a, (struct arena_vec){x * a->width, y * a->height});
    ARENA_LEAVE(a, FN_GIFT);
}

static void offer_perks(struct arena *a)
{
    if (!a->perk_pending || !a->perk_dirty)
        return;
    ARENA_ENTER(a, FN_PERKS);
    uint32_t first = arena_draw(a, CALLER_PERK) % (ARENA_PERKS - 1);
    uint32_t by = 1 + arena_draw(a, CALLER_PERK) % 2;
    for (uint32_t i = 0; i < ARENA_CHOICES; i++)
        a->perk_choices[i] = 1 + (first + i * by) % (ARENA_PERKS - 1);
    a->perk_dirty = 0;
    ARENA_LEAVE(a, FN_PERKS);
}

/* ---- ticks ------------------------------------------------------------------------------- */

void arena_start(struct arena *a)
{
    a->mode = a->recipe.quest ? ARENA_QUEST : ARENA_SURVIVAL;
    a->stage = (uint32_t)a->recipe.quest;
    if (a->stage)
        a->stage_left = STAGE_FIRST + STAGE_MORE * a->stage;
    a->player_count = (uint32_t)a->recipe.players;
    a->next_id = a->player_count + 1;
    memcpy(a->rules, a->recipe.rules, sizeof a->rules);
    a->rng = arena_seed(a->seed);
    a->scale = 1;
    arena_players_start(a);
    spawn_some(a, ARENA_CREATURES, true);
    arena_begin(a);
    arena_fields_step(a);
    arena_digest(a);
}

/* While the reflexes of players are boosted, creatures have less of the time. */
static float time_scale(float boost)
{
    if (boost <= 0)
        return 1;
    return boost >= 1 ? 0.3f : (1 - boost) * 0.7f + 0.3f;
}

void arena_begin(struct arena *a)
{
    struct arena_now *n = &a->now;
    bool before = n->timing.slow;
    n->draw_count = n->death_count = n->hit_count = n->pickup_count = 0;
    n->sound_count = n->spawn_count = 0;
    n->orders = 0;
    a->scale = time_scale(a->timers[TIMER_REFLEX]);
    n->timing = (struct arena_timing){.dt = a->dt,
                                      .dt_ms = a->dt_ms,
                                      .factor = a->scale,
                                      .reflex = a->timers[TIMER_REFLEX],
                                      .slow_before = before,
                                      .slow = a->timers[TIMER_REFLEX] > 0};
}

int arena_perturb(void *world, enum ras_perturbation what, struct ras_error *err)
{
    struct arena *a = world;
    (void)err;
    a->stray = what;
    return RAS_OK;
}

/* A float differs in its last bit, as after a contracted multiplication: where the
 * first creature that lives is, or the first player. */
static void slip(struct arena *a)
{
    float *x = &a->players[0].pos.x;
    for (uint32_t i = 0; i < a->creature_top; i++)
        if (arena_creature_lives(&a->creatures[i])) {
            x = &a->creatures[i].pos.x;
            break;
        }
    *x = float_of(bits_of(*x) ^ 1);
}

void arena_play(struct arena *a)
{
    a->tick++;
    a->elapsed_ms = (int32_t)((uint32_t)a->elapsed_ms + (uint32_t)a->dt_ms) & INT32_MAX;
    offer_perks(a);
    arena_players_step(a);
    if (a->stray == RAS_PERTURB_RNG)
        arena_draw(a, CALLER_STRAY);
    arena_shots_step(a);
    arena_rockets_step(a);
    arena_creatures_step(a);
    if (a->stray == RAS_PERTURB_FLOAT)
        slip(a);
    a->stray = RAS_PERTURB_NOTHING;
    arena_bonuses_step(a);
    watch_quest(a);
    spawn_some(a, (uint32_t)a->rules[RULE_SPAWNS], false);
    give(a);
    arena_fields_step(a);
    arena_digest(a);
}

static const struct arena_rule_row rows[ARENA_RULES] = {
    [RULE_POPULATION] = {"population", 120, 0, 320},
    [RULE_SPAWNS] = {"spawns", 4, 0, 64},
    [RULE_SPEED] = {"speed", 1, 0, 8},
    [RULE_HEALTH] = {"health", 1, 0.01f, 1000},
    [RULE_DAMAGE] = {"damage", 1, 0, 1000},
    [RULE_EXPERIENCE] = {"experience", 1, 0, 100},
    [RULE_DROPS] = {"drops", 12, 0, 100},
    [RULE_BURN] = {"burn", 8, 0, 1000},
    [RULE_COOL] = {"cool", 0.9375f, 0, 1},
};
