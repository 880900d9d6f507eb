/* arena_fields.c - the grid of the arena: where creatures are, where it is hot, and a digest.
 *
 * Only fields reach the hash of a frame, so the digest stands for everything else. Heat is
 * kept in sixteenths: round numbers are short work for that hash. */
#include "world/arena_watch.h"

#include <string.h>

#define HEAT_STEPS 16.0f
#define HEAT_MOST  15.0f

uint64_t arena_cell(const struct arena *a, struct arena_vec pos)
{
    const struct space *s = &a->recipe.space;
    uint32_t col = (uint32_t)(arena_clamp(pos.x, 0, a->width) * (1 / ARENA_CELL));
    uint32_t row = (uint32_t)(arena_clamp(pos.y, 0, a->height) * (1 / ARENA_CELL));
    col -= col == s->cols;
    row -= row == s->rows;
    return (uint64_t)row * s->cols + col;
}

void arena_heat(struct arena *a, struct arena_vec pos, float by)
{
    float *heat = &a->fields[ARENA_HEAT][arena_cell(a, pos)];
    *heat = arena_clamp(*heat + by, 0, HEAT_MOST);
}

void arena_fields_step(struct arena *a)
{
    const uint64_t cells = a->recipe.space.cells;
    const float cool = a->rules[RULE_COOL] * HEAT_STEPS;
    ARENA_ENTER(a, FN_FIELDS);
    float *density = a->fields[ARENA_DENSITY], *heat = a->fields[ARENA_HEAT];
    for (uint64_t i = 0; i < cells; i++)
        heat[i] = (float)(int32_t)(heat[i] * cool) * (1 / HEAT_STEPS);
    memset(density, 0, cells * sizeof *density);
    for (uint32_t i = 0; i < a->creature_top; i++)
        if (arena_creature_lives(&a->creatures[i]))
            density[arena_cell(a, a->creatures[i].pos)] += 1;
    ARENA_LEAVE(a, FN_FIELDS);
}

/* ---- digest -------------------------------------------------------------------------- */

static uint64_t mix(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return digest ^ digest >> 32;
}

/* The words of a structure that has nothing else. */
uint64_t arena_mix(uint64_t digest, const void *words, size_t bytes)
{
    const uint8_t *at = words;
    uint32_t two[2];
    for (; bytes >= sizeof two; at += sizeof two, bytes -= sizeof two) {
        memcpy(two, at, sizeof two);
        digest = mix(digest, two[0] | (uint64_t)two[1] << 32);
    }
    if (!bytes)
        return digest;
    memcpy(two, at, sizeof *two);
    return mix(digest, two[0]);
}

static uint64_t mix_game(uint64_t d, const struct arena *a)
{
    d = mix(mix(mix(d, a->tick), a->rng), a->rules_version);
    d = mix(mix(mix(d, a->next_id), a->now.orders), a->ingress.arrivals);
    d = mix(mix(d, a->stage), a->stage_left);
    d = mix(mix(mix(d, a->kills), a->perk_pending), a->perk_dirty);
    d = arena_mix(d, a->perk_choices, sizeof a->perk_choices);
    d = arena_mix(d, a->rules, sizeof a->rules);
    d = arena_mix(d, a->timers, sizeof a->timers);
    d = arena_mix(d, a->weapon_uses, sizeof a->weapon_uses);
    return arena_mix(d, a->players, a->player_count * sizeof *a->players);
}

static uint64_t mix_entities(uint64_t d, const struct arena *a)
{
    for (uint32_t i = 0; i < a->creature_top; i++)
        if (a->creatures[i].active)
            d = arena_mix(mix(d, i), &a->creatures[i], sizeof a->creatures[i]);
    for (uint32_t i = 0; i < ARENA_SHOTS; i++)
        if (a->shots[i].active)
            d = arena_mix(mix(d, i), &a->shots[i], sizeof a->shots[i]);
    for (uint32_t i = 0; i < ARENA_ROCKETS; i++)
        if (a->rockets[i].active)
            d = arena_mix(mix(d, i), &a->rockets[i], sizeof a->rockets[i]);
    for (uint32_t i = 0; i < ARENA_BONUSES; i++)
        if (a->bonuses[i].id != BONUS_NONE)
            d = arena_mix(mix(d, i), &a->bonuses[i], sizeof a->bonuses[i]);
    return d;
}

/* Four numbers of 16 bits in the first cells: a float holds them exactly. */
void arena_digest(struct arena *a)
{
    ARENA_ENTER(a, FN_DIGEST);
    uint64_t d = mix_entities(mix_game(UINT64_C(0x6172656e61000001), a), a);
    for (unsigned i = 0; i < 4; i++)
        a->fields[ARENA_DIGEST][i] = (float)(d >> 16 * i & 0xffff);
    ARENA_LEAVE(a, FN_DIGEST);
}
