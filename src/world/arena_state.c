/* arena_state.c - a tick of the arena as a row of a CDT trace, schema 12.
 *
 * Every channel is consistent: uids are unique, positions of a checkpoint are rounded
 * to four decimals and those of a sample are not, as the producers of such traces have it. */
#include "base/error.h"
#include "world/arena_world.h"
#include <rastrum/cdt.h>

#include <stdlib.h>
#include <string.h>

/* ---- arena fields ------------------------------------------------------------------------ */

/* The grid of the arena: where creatures are, where it is hot, and a digest. Only fields reach the
 * hash of a frame, so the digest represents everything else. Heat is kept in sixteenths: round
 * numbers are short work for that hash. */

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

/* ---- digest ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return digest ^ digest >> 32;
}

/* The words of a structure that has nothing else. */
static uint64_t arena_mix(uint64_t digest, const void *words, size_t bytes)
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

enum { SOUND_HEAD = 4, HIT_HEAD = 8, STAGES = 10 };

/* What the lists of a row point to. */
struct arena_state {
    struct ras_cdt_replay_player_checkpoint players[ARENA_PLAYERS];
    struct ras_cdt_timer timers[ARENA_TIMERS];
    struct ras_cdt_replay_death_ledger_entry deaths[ARENA_CREATURES];
    struct ras_cdt_int choices[ARENA_CHOICES];
    struct ras_cdt_int counts[ARENA_PLAYERS][ARENA_PERKS][2];
    struct ras_cdt_int_list pairs[ARENA_PLAYERS][ARENA_PERKS];
    struct ras_cdt_int_lists perks[ARENA_PLAYERS];
    struct ras_bytes sounds[SOUND_HEAD];
    struct ras_cdt_replay_hit_summary_entry hits[HIT_HEAD];
    struct ras_cdt_snapshot_player snapshots[ARENA_PLAYERS];
    struct ras_cdt_creature_entity_sample creatures[ARENA_CREATURES];
    struct ras_cdt_projectile_entity_sample shots[ARENA_SHOTS];
    struct ras_cdt_secondary_projectile_entity_sample rockets[ARENA_ROCKETS];
    struct ras_cdt_bonus_entity_sample bonuses[ARENA_BONUSES];
    struct ras_cdt_rng_stream_row draws[ARENA_DRAWS];
    struct ras_cdt_timing_sample_row timing;
};

#define BYTES(text) ((struct ras_bytes){(const uint8_t *)(text), sizeof(text) - 1})
#define BIT(member) (UINT32_C(1) << (member))

struct arena_state *arena_state_new(void)
{
    return calloc(1, sizeof(struct arena_state));
}

void arena_state_free(struct arena_state *state)
{
    free(state);
}

/* To four decimals, a tie to the even one: a float times 10000 is exact in a double. */
static double rounded(float value)
{
    double scaled = (double)value * 1e4;
    int64_t below = (int64_t)scaled - (scaled < (double)(int64_t)scaled);
    double over = scaled - (double)below;
    bool up = over > 0.5 || (over >= 0.5 && below % 2 != 0);
    return (double)(below + up) / 1e4;
}

static struct ras_cdt_vec2 rounded_vec(struct arena_vec v)
{
    return (struct ras_cdt_vec2){rounded(v.x), rounded(v.y)};
}

static struct ras_cdt_snapshot_vec2 vec(struct arena_vec v)
{
    return (struct ras_cdt_snapshot_vec2){(double)v.x, (double)v.y};
}

static int64_t milliseconds(float seconds)
{
    float ms = seconds * 1000.0f;
    return ms > 0 ? (int64_t)ms : 0;
}

/* ---- checkpoint -------------------------------------------------------------------------- */

static void put_players(const struct arena *a, struct arena_state *s,
                        struct ras_cdt_replay_checkpoint *c)
{
    for (uint32_t i = 0; i < a->player_count; i++) {
        const struct arena_player *p = &a->players[i];
        s->players[i] = (struct ras_cdt_replay_player_checkpoint){
            .pos = rounded_vec(p->pos),
            .health = rounded(p->health),
            .weapon_id = p->weapon,
            .ammo = rounded(p->ammo),
            .experience = p->experience,
            .level = p->level,
        };
        c->score_xp += p->experience;
    }
    c->players.at = s->players;
    c->players.count = a->player_count;
}

static void put_timers(const struct arena *a, struct arena_state *s,
                       struct ras_cdt_replay_checkpoint *c)
{
    static const char *const keys[BONUS_IDS] = {[BONUS_ENERGIZER] = "2",
                                                [BONUS_POWER_UP] = "4",
                                                [BONUS_DOUBLE] = "6",
                                                [BONUS_REFLEX] = "9",
                                                [BONUS_FREEZE] = "11"};
    for (unsigned i = 0; i < ARENA_TIMERS; i++) {
        const char *key = keys[arena_timer_bonus(i)];
        s->timers[i] = (struct ras_cdt_timer){{(const uint8_t *)key, strlen(key)},
                                              {milliseconds(a->timers[i]), false}};
    }
    c->bonus_timers.at = s->timers;
    c->bonus_timers.count = ARENA_TIMERS;
}

static void put_deaths(const struct arena *a, struct arena_state *s,
                       struct ras_cdt_replay_checkpoint *c)
{
    for (uint32_t i = 0; i < a->now.death_count; i++) {
        const struct arena_death *d = &a->now.deaths[i];
        s->deaths[i] = (struct ras_cdt_replay_death_ledger_entry){
            .creature_index = d->index,
            .type_id = d->type,
            .reward_value = (double)d->reward,
            .xp_awarded = d->xp,
            .owner_id = d->owner,
        };
    }
    c->deaths.at = s->deaths;
    c->deaths.count = a->now.death_count;
}

/* Of every player the perks that he has, each {perk, count}. */
static void put_perks(const struct arena *a, struct arena_state *s,
                      struct ras_cdt_replay_perk_snapshot *p)
{
    p->pending_count = a->perk_pending;
    p->choices_dirty = a->perk_dirty != 0;
    for (unsigned i = 0; i < ARENA_CHOICES; i++)
        s->choices[i].value = a->perk_choices[i];
    p->choices = (struct ras_cdt_int_list){s->choices, ARENA_CHOICES};
    for (uint32_t i = 0; i < a->player_count; i++) {
        size_t count = 0;
        for (unsigned perk = 1; perk < ARENA_PERKS; perk++) {
            if (!a->players[i].perks[perk])
                continue;
            s->counts[i][count][0].value = perk;
            s->counts[i][count][1].value = a->players[i].perks[perk];
            s->pairs[i][count] = (struct ras_cdt_int_list){s->counts[i][count], 2};
            count++;
        }
        s->perks[i] = (struct ras_cdt_int_lists){s->pairs[i], count};
    }
    p->player_nonzero_counts.at = s->perks;
    p->player_nonzero_counts.count = a->player_count;
}

static void put_events(const struct arena *a, struct arena_state *s,
                       struct ras_cdt_replay_event_summary *e)
{
    const struct arena_now *n = &a->now;
    e->hit_count = n->hit_count;
    e->pickup_count = n->pickup_count;
    e->sfx_count = n->sound_count;
    for (; e->sfx_head.count < SOUND_HEAD && e->sfx_head.count < n->sound_count;
         e->sfx_head.count++) {
        const char *name = arena_sound_name(n->sounds[e->sfx_head.count]);
        s->sounds[e->sfx_head.count] = (struct ras_bytes){(const uint8_t *)name, strlen(name)};
    }
    for (; e->hit_head.count < HIT_HEAD && e->hit_head.count < n->hit_count; e->hit_head.count++) {
        const struct arena_hit *h = &n->hits[e->hit_head.count];
        s->hits[e->hit_head.count] = (struct ras_cdt_replay_hit_summary_entry){
            .type_id = h->type,
            .origin = rounded_vec(h->origin),
            .hit = rounded_vec(h->hit),
            .target = rounded_vec(h->target),
        };
    }
    e->sfx_head.at = s->sounds;
    e->hit_head.at = s->hits;
}

static void put_checkpoint(const struct arena *a, struct arena_state *s,
                           struct ras_cdt_replay_checkpoint *c)
{
    *c = (struct ras_cdt_replay_checkpoint){.tick_index = (int64_t)a->tick,
                                            .rng_state = a->rng,
                                            .elapsed_ms = a->elapsed_ms,
                                            .kills = a->kills,
                                            .creature_count = a->creature_count,
                                            .perk_pending = a->perk_pending};
    put_players(a, s, c);
    put_timers(a, s, c);
    put_deaths(a, s, c);
    put_perks(a, s, &c->perk);
    put_events(a, s, &c->events);
}

/* ---- sim_state --------------------------------------------------------------------------- */

static void put_gameplay(const struct arena *a, struct ras_cdt_snapshot_gameplay *g)
{
    *g = (struct ras_cdt_snapshot_gameplay){
        .mode_id = a->mode,
        .quest_stage_major = a->stage ? (a->stage - 1) / STAGES + 1 : 0,
        .quest_stage_minor = a->stage ? (a->stage - 1) % STAGES + 1 : 0,
        .perk_pending_count = a->perk_pending,
        .perk_choices_dirty = a->perk_dirty != 0,
        .bonus_timers = {.weapon_power_up_ms = milliseconds(a->timers[TIMER_POWER_UP]),
                         .reflex_boost_ms = milliseconds(a->timers[TIMER_REFLEX]),
                         .energizer_ms = milliseconds(a->timers[TIMER_ENERGIZER]),
                         .double_experience_ms = milliseconds(a->timers[TIMER_DOUBLE]),
                         .freeze_ms = milliseconds(a->timers[TIMER_FREEZE])},
    };
}

static void put_sim_state(const struct arena *a, struct arena_state *s,
                          struct ras_cdt_sim_state_snapshot *sim)
{
    put_gameplay(a, &sim->gameplay);
    for (uint32_t i = 0; i < a->player_count; i++) {
        const struct arena_player *p = &a->players[i];
        s->snapshots[i] = (struct ras_cdt_snapshot_player){
            .index = i,
            .pos = vec(p->pos),
            .health = (double)p->health,
            .weapon = {.weapon_id = p->weapon,
                       .ammo = (double)p->ammo,
                       .clip_size = arena_arm(p->weapon)->clip,
                       .reload_active = p->reloading != 0,
                       .reload_timer = (double)p->reload_timer,
                       .reload_timer_max = (double)p->reload_timer_max,
                       .shot_cooldown = (double)p->cooldown},
            .experience = p->experience,
            .level = p->level,
        };
    }
    sim->players.at = s->snapshots;
    sim->players.count = a->player_count;
}

/* ---- entity_samples ---------------------------------------------------------------------- */

enum pool { POOL_CREATURE = 1, POOL_PROJECTILE, POOL_SECONDARY, POOL_BONUS };

/* One number for one entity, whatever its pool and the former user of its slot: as later
 * schemas have it, pool * 10^9 + generation * 10^6 + slot. From generation 1,000 on, where that
 * would be another pool's, its thousands go above. */
static int64_t uid_of(enum pool pool, uint32_t slot, uint32_t generation)
{
    const int64_t generations = 1000, slots = 1000000;
    return ((generation / generations * 10 + (int64_t)pool) * generations +
            generation % generations) *
               slots +
           slot;
}

static size_t put_creatures(const struct arena *a, struct ras_cdt_creature_entity_sample *to)
{
    size_t count = 0;
    for (uint32_t i = 0; i < a->creature_top; i++) {
        const struct arena_creature *c = &a->creatures[i];
        if (!c->active)
            continue;
        to[count++] = (struct ras_cdt_creature_entity_sample){
            .node.present = BIT(RAS_CDT_CREATURE_VEL) | BIT(RAS_CDT_CREATURE_MOVE_SPEED),
            .uid = uid_of(POOL_CREATURE, i, c->generation),
            .generation = c->generation,
            .pool_kind = BYTES("creature"),
            .index = i,
            .active = true,
            .type_id = c->type,
            .hp = (double)c->hp,
            .pos = vec(c->pos),
            .flags = c->flags,
            .ai_mode = c->ai,
            .link_index = c->link,
            .heading = (double)c->heading,
            .target_heading = (double)c->target_heading,
            .orbit_angle = (double)c->orbit_angle,
            .orbit_radius = (double)c->orbit_radius,
            .lifecycle_stage = (double)c->stage,
            .vel = vec(c->vel),
            .move_speed = (double)c->speed,
        };
    }
    return count;
}

static size_t put_shots(const struct arena *a, struct ras_cdt_projectile_entity_sample *to)
{
    size_t count = 0;
    for (uint32_t i = 0; i < ARENA_SHOTS; i++) {
        const struct arena_shot *s = &a->shots[i];
        if (!s->active)
            continue;
        to[count++] = (struct ras_cdt_projectile_entity_sample){
            .uid = uid_of(POOL_PROJECTILE, i, s->generation),
            .generation = s->generation,
            .pool_kind = BYTES("projectile"),
            .index = i,
            .active = true,
            .type_id = s->type,
            .angle = (double)s->angle,
            .pos = vec(s->pos),
            .vel = vec(s->vel),
            .life_timer = (double)s->life,
            .speed_scale = (double)s->speed_scale,
            .damage_pool = (double)s->damage,
            .hit_radius = (double)s->radius,
            .travel_budget = (double)s->budget,
            .owner_id = s->owner,
        };
    }
    return count;
}

static size_t put_rockets(const struct arena *a,
                          struct ras_cdt_secondary_projectile_entity_sample *to)
{
    size_t count = 0;
    for (uint32_t i = 0; i < ARENA_ROCKETS; i++) {
        const struct arena_rocket *r = &a->rockets[i];
        if (!r->active)
            continue;
        to[count++] = (struct ras_cdt_secondary_projectile_entity_sample){
            .uid = uid_of(POOL_SECONDARY, i, r->generation),
            .generation = r->generation,
            .pool_kind = BYTES("secondary_projectile"),
            .index = i,
            .active = true,
            .type_id = r->type,
            .angle = (double)r->angle,
            .pos = vec(r->pos),
            .vel = vec(r->vel),
            .speed = (double)r->speed,
            .trail_timer = (double)r->trail,
            .owner_id = r->owner,
            .target_id = r->target,
        };
    }
    return count;
}

static size_t put_bonuses(const struct arena *a, struct ras_cdt_bonus_entity_sample *to)
{
    size_t count = 0;
    for (uint32_t i = 0; i < ARENA_BONUSES; i++) {
        const struct arena_bonus *b = &a->bonuses[i];
        if (b->id == BONUS_NONE)
            continue;
        to[count++] = (struct ras_cdt_bonus_entity_sample){
            .uid = uid_of(POOL_BONUS, i, b->generation),
            .generation = b->generation,
            .pool_kind = BYTES("bonus"),
            .index = i,
            .active = true,
            .bonus_id = b->id,
            .picked = b->picked != 0,
            .time_left = (double)b->left,
            .time_max = (double)b->most,
            .pos = vec(b->pos),
            .amount = b->amount,
        };
    }
    return count;
}

/* ---- rng_stream and timing_samples ------------------------------------------------------- */

static size_t put_draws(const struct arena_now *n, struct ras_cdt_rng_stream_row *to)
{
    size_t count = n->draw_count < ARENA_DRAWS ? n->draw_count : ARENA_DRAWS;
    for (size_t i = 0; i < count; i++) {
        const struct arena_draw_row *d = &n->draws[i];
        to[i] = (struct ras_cdt_rng_stream_row){
            .node.present = BIT(RAS_CDT_RNG_CALLER),
            .tick_call_index = (int64_t)i + 1,
            .value_15 = d->value,
            .state_before_u32 = d->before,
            .state_after_u32 = d->after,
            .caller = d->caller,
        };
    }
    return count;
}

/* As it was when the tick began; all but player_index is known. */
static void put_timing(const struct arena *a, struct ras_cdt_timing_sample_row *to)
{
    const struct arena_timing *t = &a->now.timing;
    *to = (struct ras_cdt_timing_sample_row){
        .node.present = BIT(RAS_CDT_TIMING_PLAYER_INDEX) - 1,
        .tick_index = (int64_t)a->tick,
        .gameplay_frame = (int64_t)a->tick,
        .phase = BYTES("gpur_enter"),
        .write_kind = BYTES("snapshot"),
        .frame_dt_f32 = (double)t->dt,
        .frame_dt_ms_i32 = t->dt_ms,
        .frame_dt_ms_f32 = (double)t->dt_ms,
        .time_scale_active_entry = t->slow_before,
        .time_scale_active_current = t->slow,
        .time_scale_factor = (double)t->factor,
        .bonus_reflex_boost_timer = (double)t->reflex,
        .mode_fn = BYTES("gameplay_update_and_render"),
    };
}

int arena_state(const void *world, struct ras_cdt_tick_record *row, struct ras_error *err)
{
    const struct arena *a = world;
    struct arena_state *s = a->state;
    struct ras_cdt_replay_tick_channels *c = &row->channels;
    (void)err;
    *row = (struct ras_cdt_tick_record){.tick_index = (int64_t)a->tick,
                                        .elapsed_ms = a->elapsed_ms,
                                        .dt_ms_i32 = a->dt_ms,
                                        .mode_id = a->mode};
    put_checkpoint(a, s, &c->checkpoint);
    put_sim_state(a, s, &c->sim_state);
    c->entity_samples.creatures.count = put_creatures(a, s->creatures);
    c->entity_samples.creatures.at = s->creatures;
    c->entity_samples.projectiles.count = put_shots(a, s->shots);
    c->entity_samples.projectiles.at = s->shots;
    c->entity_samples.secondary_projectiles.count = put_rockets(a, s->rockets);
    c->entity_samples.secondary_projectiles.at = s->rockets;
    c->entity_samples.bonuses.count = put_bonuses(a, s->bonuses);
    c->entity_samples.bonuses.at = s->bonuses;
    c->rng_stream.count = put_draws(&a->now, s->draws);
    c->rng_stream.at = s->draws;
    put_timing(a, &s->timing);
    c->timing_samples.at = &s->timing;
    c->timing_samples.count = 1;
    return RAS_OK;
}

/* ---- arena keep -------------------------------------------------------------------------- */

/* The state of the arena as numbers, written or restored. What the recipe gives is made by creating
 * the world; what happened in the last tick is over. A state from a file is untrusted: values that
 * are used as an index or computed with are checked before use. */

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

/* ---- limits of a state ------------------------------------------------------------------- */

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
