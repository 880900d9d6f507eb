/* arena_keep.c - the state of the arena as numbers, written or restored.
 *
 * What the recipe gives is made by creating the world; what happened in the last tick is over. A
 * state from a file may say anything: what indexes or is computed with is checked before use. */
#include "base/error.h"
#include "world/arena_watch.h"

#define NUMBER_MOST 1e6f /* of every length, time and speed */

/* Structures of words of 32 bits alone. */
#define WORDS(of) (void *)&(of), 4, sizeof(of) / 4

static bool keep_game(struct arena *a, struct ras_world_keeper *k)
{
    uint32_t slow = a->now.timing.slow;
    bool ok = k->numbers(k, &a->tick, 8, 1) && k->numbers(k, &a->ingress.arrivals, 8, 1) &&
              k->numbers(k, &a->now.orders, 8, 1) && k->numbers(k, WORDS(a->elapsed_ms)) &&
              k->numbers(k, WORDS(a->rng)) && k->numbers(k, WORDS(a->rules_version)) &&
              k->numbers(k, WORDS(a->next_id)) && k->numbers(k, WORDS(a->rules)) &&
              k->numbers(k, WORDS(a->stage)) && k->numbers(k, WORDS(a->stage_left)) &&
              k->numbers(k, WORDS(a->kills)) && k->numbers(k, WORDS(a->perk_pending)) &&
              k->numbers(k, WORDS(a->perk_dirty)) && k->numbers(k, WORDS(a->perk_choices)) &&
              k->numbers(k, WORDS(a->timers)) && k->numbers(k, WORDS(a->weapon_uses)) &&
              k->numbers(k, WORDS(a->creature_top)) && k->numbers(k, WORDS(a->creature_count)) &&
              k->numbers(k, WORDS(slow));
    a->now.timing.slow = slow;
    return ok;
}

static bool arena_keep_entities(struct arena *a, struct ras_world_keeper *k)
{
    bool ok = k->numbers(k, WORDS(a->players)) && k->numbers(k, WORDS(a->creatures)) &&
              k->numbers(k, WORDS(a->shots)) && k->numbers(k, WORDS(a->rockets)) &&
              k->numbers(k, WORDS(a->bonuses));
    for (unsigned i = 0; ok && i < ARENA_FIELDS; i++)
        ok = k->numbers(k, a->fields[i], 4, a->recipe.space.cells);
    return ok;
}

/* ---- what a file may not say ---------------------------------------------------------------- */

static bool small(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= -NUMBER_MOST && values[i] <= NUMBER_MOST)) /* a NaN is not either */
            return false;
    return true;
}

static bool slot_fits(int32_t slot, uint32_t count)
{
    return slot >= -1 && slot < (int32_t)count;
}

static bool player_fits(const struct arena_player *p)
{
    const float floats[] = {p->pos.x,    p->pos.y,        p->goal.x,          p->goal.y,  p->aim.x,
                            p->aim.y,    p->health,       p->back_in,         p->heading, p->ammo,
                            p->cooldown, p->reload_timer, p->reload_timer_max};
    const int32_t most = 1 << 30;
    bool ok = small(floats, sizeof floats / sizeof *floats) && p->weapon < ARENA_WEAPONS &&
              p->pocket < BONUS_IDS && p->experience >= 0 && p->experience <= most &&
              p->level >= 0 && p->level <= 1 << 16 && p->kills >= 0 && p->kills <= most;
    for (unsigned i = 0; i < ARENA_PERKS; i++)
        ok = ok && p->perks[i] >= 0 && p->perks[i] <= 1 << 16;
    return ok;
}

static bool creature_fits(const struct arena *a, const struct arena_creature *c)
{
    const float floats[] = {c->hp,           c->pos.x,   c->pos.y,          c->vel.x,
                            c->vel.y,        c->heading, c->target_heading, c->orbit_angle,
                            c->orbit_radius, c->stage,   c->speed,          c->bite_timer};
    return small(floats, sizeof floats / sizeof *floats) && c->type < ARENA_KINDS &&
           c->ai <= ARENA_FOLLOW && slot_fits(c->link, ARENA_CREATURES) && c->target >= 0 &&
           c->target < (int32_t)a->player_count;
}

static bool shots_fit(const struct arena *a)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < ARENA_SHOTS; i++) {
        const struct arena_shot *s = &a->shots[i];
        const float floats[] = {s->pos.x,       s->pos.y,    s->vel.x,  s->vel.y,
                                s->origin.x,    s->origin.y, s->angle,  s->life,
                                s->speed_scale, s->damage,   s->radius, s->budget};
        ok = small(floats, sizeof floats / sizeof *floats) && s->type < ARENA_WEAPONS &&
             slot_fits(s->owner, a->player_count);
    }
    for (unsigned i = 0; ok && i < ARENA_ROCKETS; i++) {
        const struct arena_rocket *r = &a->rockets[i];
        const float floats[] = {r->pos.x, r->pos.y, r->vel.x, r->vel.y,
                                r->angle, r->speed, r->trail, r->life};
        ok = small(floats, sizeof floats / sizeof *floats) && r->type < ARENA_WEAPONS &&
             r->owner >= 0 && r->owner < (int32_t)a->player_count &&
             slot_fits(r->target, ARENA_CREATURES);
    }
    for (unsigned i = 0; ok && i < ARENA_BONUSES; i++) {
        const struct arena_bonus *b = &a->bonuses[i];
        const float floats[] = {b->left, b->most, b->pos.x, b->pos.y};
        ok = small(floats, sizeof floats / sizeof *floats) && b->id < BONUS_IDS && b->amount >= 0 &&
             b->amount <= (b->id == BONUS_WEAPON ? ARENA_WEAPONS - 1 : 1 << 20);
    }
    return ok;
}

static const char *misfit(const struct arena *a)
{
    uint32_t living = 0;
    for (uint32_t i = 0; i < ARENA_RULES; i++)
        if (!arena_rule_fits(i, (double)a->rules[i]))
            return "a rule";
    for (unsigned i = 0; i < ARENA_CHOICES; i++)
        if (a->perk_choices[i] >= ARENA_PERKS)
            return "a perk";
    if (!small(a->timers, ARENA_TIMERS) || a->elapsed_ms < 0 || a->stage > ARENA_QUESTS)
        return "a timer or a stage";
    if (a->creature_top > ARENA_CREATURES)
        return "the number of creatures";
    for (unsigned i = 0; i < ARENA_PLAYERS; i++)
        if (!player_fits(&a->players[i]))
            return "a player";
    for (uint32_t i = 0; i < ARENA_CREATURES; i++) {
        const struct arena_creature *c = &a->creatures[i];
        if (!creature_fits(a, c) || (c->active && i >= a->creature_top))
            return "a creature";
        living += arena_creature_lives(c);
    }
    if (living != a->creature_count)
        return "the number of living creatures";
    if (!shots_fit(a))
        return "a projectile or a bonus";
    for (unsigned i = 0; i < ARENA_FIELDS; i++)
        if (!small(a->fields[i], a->recipe.space.cells))
            return "a field";
    return NULL;
}

int arena_keep(void *world, struct ras_world_keeper *keeper, struct ras_error *err)
{
    struct arena *a = world;
    if (!keep_game(a, keeper) || !arena_keep_entities(a, keeper))
        return keeper->restoring
                   ? fail(err, RAS_EFORMAT, RAS_NONE, "state: ends before all of the arena")
                   : fail_memory(err);
    const char *what = keeper->restoring ? misfit(a) : NULL;
    return what ? fail(err, RAS_EFORMAT, RAS_NONE, "state: %s that the arena cannot have", what)
                : RAS_OK;
}
