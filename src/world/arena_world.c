/* arena_world.c - the world arena-1: a top-down shooter, headless and deterministic. */
#include "base/error.h"
#include "world/arena_world.h"

#include <stdlib.h>

/* ---- arena rng --------------------------------------------------------------------------- */

/* The random numbers of the arena, each with who drew it. The generator is that of a well-known C
 * library: 15 bits of a 32-bit state. */

uint32_t arena_seed(uint64_t seed)
{
    return (uint32_t)(seed ^ seed >> 32);
}

uint32_t arena_draw(struct arena *a, enum arena_caller caller)
{
    uint32_t before = a->rng;
    a->rng = before * 214013u + 2531011u;
    uint32_t value = a->rng >> 16 & 0x7fff;
    if (a->now.draw_count < ARENA_DRAWS)
        a->now.draws[a->now.draw_count] =
            (struct arena_draw_row){value, before, a->rng, (uint32_t)caller};
    a->now.draw_count++;
    return value;
}

float arena_draw_part(struct arena *a, enum arena_caller caller)
{
    return (float)arena_draw(a, caller) * (1.0f / 32768);
}

/* ---- arena math -------------------------------------------------------------------------- */

/* Angles in plain f32 arithmetic: the same bits wherever it runs. */

float arena_wrap(float angle)
{
    if (angle >= -ARENA_PI && angle <= ARENA_PI)
        return angle;
    float turns = angle * (0.5f / ARENA_PI);
    return angle - 2 * ARENA_PI * (float)(int32_t)(turns < 0 ? turns - 0.5f : turns + 0.5f);
}

/* Taylor's series up to the ninth power, on a quarter turn to each side. */
float arena_sin(float angle)
{
    float x = arena_wrap(angle);
    if (x > ARENA_PI / 2)
        x = ARENA_PI - x;
    else if (x < -ARENA_PI / 2)
        x = -ARENA_PI - x;
    float s = x * x;
    return x * (1 + s * (-1.0f / 6 + s * (1.0f / 120 + s * (-1.0f / 5040 + s * (1.0f / 362880)))));
}

float arena_cos(float angle)
{
    return arena_sin(arena_wrap(angle) + ARENA_PI / 2);
}

/* The angle of a direction, after Abramowitz and Stegun 4.4.49: good to 1e-5. */
float arena_angle(float x, float y)
{
    float ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
    float more = ax > ay ? ax : ay, less = ax > ay ? ay : ax;
    if (!(more > 0))
        return 0;
    float z = less / more, s = z * z;
    float a = z * (0.9998660f +
                   s * (-0.3302995f + s * (0.1801410f + s * (-0.0851330f + s * 0.0208351f))));
    if (ay > ax)
        a = ARENA_PI / 2 - a;
    if (x < 0)
        a = ARENA_PI - a;
    return y < 0 ? -a : a;
}

float arena_clamp(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

float arena_distance2(struct arena_vec a, struct arena_vec b)
{
    float x = a.x - b.x, y = a.y - b.y;
    return x * x + y * y;
}

/* ---- arena watch ------------------------------------------------------------------------- */

/* What the arena reports of a tick while it runs: names and events. */

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

static void arena_watch(void *world, const struct ras_world_watch *watch)
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

static void arena_destroy(void *world)
{
    struct arena *a = world;
    if (!a)
        return;
    for (unsigned i = 0; i < ARENA_FIELDS; i++)
        free(a->fields[i]);
    arena_state_free(a->state);
    ingress_free(&a->ingress);
    free(a);
}

static int make(struct arena *a, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    int status = arena_recipe_read(&a->recipe, recipe, err);
    if (status < 0)
        return status;
    for (unsigned i = 0; i < ARENA_FIELDS; i++) {
        a->fields[i] = calloc(a->recipe.space.cells, sizeof *a->fields[i]);
        if (!a->fields[i])
            return fail_memory(err);
    }
    a->state = arena_state_new();
    if (!a->state)
        return fail_memory(err);
    a->ingress.room = a->recipe.queue;
    a->seed = seed;
    a->width = (float)a->recipe.space.cols * ARENA_CELL;
    a->height = (float)a->recipe.space.rows * ARENA_CELL;
    a->dt = (float)double_of(a->recipe.dt_bits);
    a->dt_ms = (int32_t)(a->dt * 1000.0f);
    arena_start(a);
    return RAS_OK;
}

static int arena_create(void **world, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    struct arena *a = calloc(1, sizeof *a);
    int status = a ? make(a, recipe, seed, err) : fail_memory(err);
    if (status < 0) {
        arena_destroy(a);
        a = NULL;
    }
    *world = a;
    return status;
}

static int arena_world_step(void *world, struct ras_step *s, struct ras_error *err)
{
    struct arena *a = world;
    s->receipt_count = 0;
    s->result = RAS_STEP_OK;
    s->why[0] = 0;
    int status = ingress_take(&a->ingress, s, a->tick + 1, err);
    if (status < 0)
        return status;
    ARENA_ENTER(a, FN_STEP);
    arena_begin(a);
    ARENA_ENTER(a, FN_COMMANDS);
    for (uint32_t i = 0; i < a->ingress.count; i++) {
        uint32_t index = a->ingress.queue[i].index;
        enum ras_receipt_reason reason = arena_apply(a, &s->commands[index]);
        receipt_add(s, index, reason == RAS_RECEIPT_APPLIED, reason, a->tick + 1);
    }
    ARENA_LEAVE(a, FN_COMMANDS);
    arena_play(a);
    s->tick = a->tick;
    ARENA_LEAVE(a, FN_STEP);
    return RAS_OK;
}

static struct ras_world_shape shape(const void *world)
{
    const struct arena *a = world;
    return (struct ras_world_shape){
        .dt_bits = a->recipe.dt_bits,
        .field_count = ARENA_FIELDS,
        .cell_count = a->recipe.space.cells,
    };
}

static struct ras_world_field field(const void *world, uint32_t index)
{
    static const char *const names[ARENA_FIELDS] = {"density", "heat", "digest"};
    const struct arena *a = world;
    if (index >= ARENA_FIELDS)
        return (struct ras_world_field){0};
    return (struct ras_world_field){.name = names[index],
                                    .values = (const uint32_t *)(const void *)a->fields[index],
                                    .count = a->recipe.space.cells,
                                    .components = 1};
}

static uint32_t coord(const void *world, uint64_t cell, int32_t *to)
{
    const struct arena *a = world;
    return space_coord(&a->recipe.space, cell, to);
}

const struct ras_world_type arena_world = {
    .abi = RAS_WORLD_ABI,
    .name = "arena-1",
    .title = "a top-down shooter, all of it reproducible",
    .create = arena_create,
    .destroy = arena_destroy,
    .shape = shape,
    .step = arena_world_step,
    .field = field,
    .coord = coord,
    .play = arena_bot,
    .draw = arena_draw_picture,
    .state = arena_state,
    .perturb = arena_perturb,
    .keep = arena_keep,
    .watch = arena_watch,
    .functions = arena_functions,
    .recipe = "murkworld 1 arena-1\nsize 32 32\nmode survival\nplayers 2\n",
};
