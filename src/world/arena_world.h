/* arena_world.h - the world arena-1: a top-down shooter, all of its state and its parts.
 *
 * Everything is of fixed size and only the fields are reached by a pointer. What is alive
 * is made of words of 32 bits alone, so that a digest can go over it; flags are words too.
 * Lists of what happened in a tick stand until the next one begins. */
#ifndef WORLD_ARENA_WORLD_H
#define WORLD_ARENA_WORLD_H

#include "world/arena_world.h"
#include "world/float_bits.h"
#include "world/worlds.h"
#include "world/space.h"

enum {
    ARENA_PLAYERS = 4,
    ARENA_CREATURES = 384,
    ARENA_SHOTS = 128,
    ARENA_ROCKETS = 64,
    ARENA_BONUSES = 16,
    ARENA_CHOICES = 3,
    ARENA_DRAWS = 4096,
    ARENA_HITS = 512,
    ARENA_SOUNDS = 64,
    ARENA_QUESTS = 50,
};
#define ARENA_CELL  32.0f /* units of length a cell */
#define ARENA_ALIVE 16.0f /* lifecycle stage of who lives; the dead count down to 0 */

enum arena_mode { ARENA_SURVIVAL = 1, ARENA_QUEST = 3 }; /* numbers as a CDT trace has them */
enum arena_field { ARENA_DENSITY, ARENA_HEAT, ARENA_DIGEST, ARENA_FIELDS };
enum arena_ai { ARENA_CHASE, ARENA_ORBIT, ARENA_FOLLOW };
enum arena_flag { ARENA_ORDERED = 1, ARENA_BURNING = 2, ARENA_CROWDED = 4 };

enum arena_rule {
    RULE_POPULATION, /* creatures that are kept alive */
    RULE_SPAWNS,     /* of them in one tick, at most */
    RULE_SPEED,      /* factors */
    RULE_HEALTH,
    RULE_DAMAGE,
    RULE_EXPERIENCE,
    RULE_DROPS, /* bonuses of a hundred deaths */
    RULE_BURN,  /* hit points a second, in a hot cell */
    RULE_COOL,  /* what is left of the heat after a tick */
    ARENA_RULES,
};

enum arena_bonus_id {
    BONUS_NONE,
    BONUS_POINTS,
    BONUS_ENERGIZER,
    BONUS_WEAPON,
    BONUS_POWER_UP,
    BONUS_BLAST,
    BONUS_DOUBLE,
    BONUS_REFLEX = 9,
    BONUS_MEDIKIT,
    BONUS_FREEZE,
    BONUS_IDS,
};
enum arena_timer {
    TIMER_POWER_UP,
    TIMER_REFLEX,
    TIMER_ENERGIZER,
    TIMER_DOUBLE,
    TIMER_FREEZE,
    ARENA_TIMERS
};
enum arena_perk {
    PERK_MARKSMAN = 1,
    PERK_LOADER,
    PERK_RUNNER,
    PERK_LEARNER,
    PERK_HEALER,
    PERK_KEEPER,
    ARENA_PERKS,
};
enum arena_weapon {
    WEAPON_PISTOL = 1,
    WEAPON_RIFLE,
    WEAPON_SHOTGUN,
    WEAPON_CUTTER,
    WEAPON_ROCKETS,
    WEAPON_SEEKERS,
    ARENA_WEAPONS,
};

/* Who drew a random number. */
enum arena_caller {
    CALLER_SPAWN_KIND = 1,
    CALLER_SPAWN_EDGE,
    CALLER_SPAWN_PLACE,
    CALLER_SPAWN_ORBIT,
    CALLER_MIND,
    CALLER_SPREAD,
    CALLER_DROP,
    CALLER_DROP_KIND,
    CALLER_DROP_AMOUNT,
    CALLER_GIFT_PLACE,
    CALLER_PERK,
    CALLER_RETURN,
    CALLER_STRAY, /* no legitimate caller: a perturbed run */
};

enum arena_sound {
    SOUND_SHOT,
    SOUND_ROCKET,
    SOUND_BLAST,
    SOUND_DEATH,
    SOUND_PICKUP,
    SOUND_HURT,
    SOUND_LEVEL,
    SOUND_STAGE,
    ARENA_SOUND_KINDS,
};

struct arena_vec {
    float x, y;
};

struct arena_player {
    struct arena_vec pos, goal, aim;
    float health, back_in; /* seconds until one who fell is back */
    float heading;
    int32_t experience, level, kills;
    uint32_t weapon, reloading, firing, pocket; /* pocket: a bonus to be used */
    float ammo, reload_timer, reload_timer_max, cooldown;
    int32_t perks[ARENA_PERKS];
};

struct arena_creature {
    uint32_t active, generation, id; /* id: the entity's, as commands name it */
    uint32_t type, flags, ai;
    int32_t link, target; /* slot of another, player */
    float hp;
    struct arena_vec pos, vel;
    float heading, target_heading, orbit_angle, orbit_radius;
    float stage, speed, bite_timer;
};

struct arena_shot {
    uint32_t active, generation, type;
    int32_t owner;
    struct arena_vec pos, vel, origin;
    float angle, life, speed_scale, damage, radius, budget;
};

struct arena_rocket {
    uint32_t active, generation, type;
    int32_t owner, target;
    struct arena_vec pos, vel;
    float angle, speed, trail, life;
};

struct arena_bonus {
    uint32_t id, generation, picked; /* BONUS_NONE: a free slot */
    int32_t amount;
    float left, most;
    struct arena_vec pos;
};

struct arena_draw_row {
    uint32_t value, before, after, caller;
};
struct arena_death {
    int32_t index, type, xp, owner;
    float reward;
};
struct arena_hit {
    uint32_t type;
    struct arena_vec origin, hit, target;
};
struct arena_pickup {
    uint32_t player, bonus, slot;
};
/* How time went when the tick began. */
struct arena_timing {
    float dt, factor, reflex;
    int32_t dt_ms;
    bool slow_before, slow;
};

/* What happened in the tick; counts go on where a list is full. */
struct arena_now {
    struct arena_draw_row draws[ARENA_DRAWS];
    struct arena_death deaths[ARENA_CREATURES];
    struct arena_hit hits[ARENA_HITS];
    struct arena_pickup pickups[ARENA_BONUSES];
    uint8_t sounds[ARENA_SOUNDS];
    uint32_t draw_count, death_count, hit_count, pickup_count, sound_count, spawn_count;
    struct arena_timing timing;
    uint64_t orders; /* of the commands that were applied, in their order */
};

struct arena_recipe {
    struct space space;
    uint64_t dt_bits, queue, players, quest; /* quest 0: survival */
    float rules[ARENA_RULES];
    uint32_t given; /* statements that were there */
};

struct arena {
    struct arena_recipe recipe;
    struct ingress ingress;
    uint64_t tick, seed;
    float dt, scale; /* seconds a tick, and what of them creatures live */
    float width, height;
    int32_t dt_ms, elapsed_ms;
    uint32_t rng, rules_version, next_id;
    float rules[ARENA_RULES];
    enum arena_mode mode;
    uint32_t stage, stage_left; /* quest, and creatures it has yet to send */
    uint32_t player_count, kills;
    uint32_t perk_pending, perk_dirty, perk_choices[ARENA_CHOICES];
    float timers[ARENA_TIMERS]; /* seconds */
    uint32_t weapon_uses[ARENA_WEAPONS];
    struct arena_player players[ARENA_PLAYERS];
    struct arena_creature creatures[ARENA_CREATURES];
    struct arena_shot shots[ARENA_SHOTS];
    struct arena_rocket rockets[ARENA_ROCKETS];
    struct arena_bonus bonuses[ARENA_BONUSES];
    uint32_t creature_top; /* slots from here on are free */
    uint32_t creature_count;
    float *fields[ARENA_FIELDS];
    struct arena_now now;
    struct arena_state *state;           /* where rows of a CDT trace are made */
    const struct ras_world_watch *watch; /* NULL: not watched */
    enum ras_perturbation stray;         /* what goes wrong in the next tick */
};

struct arena_arm {
    float cooldown, reload, damage, speed, spread, budget;
    uint8_t clip, pellets;
    bool rocket;
};
struct arena_kind {
    float hp, speed, size, reward, bite;
    enum arena_ai ai;
};

/* ---- angles without the mathematics library, whose rounding differs between machines ----- */
float arena_sin(float angle);
float arena_cos(float angle);
float arena_angle(float x, float y);
float arena_wrap(float angle); /* to -pi up to pi */
float arena_clamp(float value, float least, float most);
float arena_distance2(struct arena_vec, struct arena_vec);
#define ARENA_PI 3.14159265f

/* ---- random numbers ---------------------------------------------------------------------- */
uint32_t arena_seed(uint64_t seed);
uint32_t arena_draw(struct arena *, enum arena_caller); /* 0 to 32767 */
/* Below 1, from 0 on. */
float arena_draw_part(struct arena *, enum arena_caller);

/* ---- arena_creatures.c ------------------------------------------------------------------- */
const struct arena_kind *arena_kind(uint32_t type);
enum { ARENA_KINDS = 4 };
/* NULL: no slot is free. Draws nothing. */
struct arena_creature *arena_creature_add(struct arena *, uint32_t type, struct arena_vec pos);
void arena_creature_remove(struct arena *, uint32_t slot);
/* An owner below 0 is none. */
void arena_creature_hurt(struct arena *, uint32_t slot, float damage, int32_t owner);
uint32_t arena_creature_near(const struct arena *, struct arena_vec, float *distance2);
bool arena_creature_lives(const struct arena_creature *);
void arena_creatures_step(struct arena *);

/* ---- arena_shots.c ----------------------------------------------------------------------- */
const struct arena_arm *arena_arm(uint32_t weapon);
void arena_shot_add(struct arena *, uint32_t player, float angle);
void arena_rocket_add(struct arena *, uint32_t player, float angle);
void arena_shots_step(struct arena *);
void arena_rockets_step(struct arena *);
void arena_blast(struct arena *, struct arena_vec, float radius, float damage, int32_t owner);

/* ---- arena_players.c: bonuses ------------------------------------------------------------ */
void arena_bonus_drop(struct arena *, struct arena_vec);
void arena_bonus_use(struct arena *, uint32_t player, uint32_t id);
void arena_bonuses_step(struct arena *);
/* The CDT's own order and names of timers; the bonus that starts one. */
uint32_t arena_timer_bonus(enum arena_timer);

/* ---- arena_players.c --------------------------------------------------------------------- */
void arena_player_arm(struct arena_player *, uint32_t weapon);
bool arena_player_ready(const struct arena_player *);
void arena_player_reward(struct arena *, uint32_t player, int32_t experience);
void arena_players_start(struct arena *);
void arena_players_step(struct arena *);

/* ---- arena_rules.c ----------------------------------------------------------------------- */
struct arena_rule_row {
    const char *name;
    float usual, least, most;
};
const struct arena_rule_row *arena_rule(uint32_t key); /* NULL: none */
bool arena_rule_fits(uint32_t key, double value);
void arena_start(struct arena *);
void arena_begin(struct arena *);
void arena_play(struct arena *);
int arena_perturb(void *world, enum ras_perturbation, struct ras_error *);
void arena_sound(struct arena *, enum arena_sound);
const char *arena_sound_name(enum arena_sound);

/* ---- arena_state.c: fields --------------------------------------------------------------- */
uint64_t arena_cell(const struct arena *, struct arena_vec);
void arena_heat(struct arena *, struct arena_vec, float by);
/* Cool down, count creatures. */
void arena_fields_step(struct arena *);
void arena_digest(struct arena *);

/* ---- arena_draw.c ------------------------------------------------------------------------ */
void arena_draw_picture(const void *world, bool scenery, struct ras_drawing *);
struct arena_colour {
    float r, g, b;
};
#define ARENA_RGB(r, g, b)                                                                         \
    {                                                                                              \
        r / 255.0f, g / 255.0f, b / 255.0f                                                         \
    }
/* One triangle of a shape, in 64ths of its size: ahead, then to the right. */
struct arena_facet {
    int8_t at[3][2];
    uint8_t tone;
};
enum arena_tone { TONE_LIGHT, TONE_DARK, TONE_BRIGHT, ARENA_TONES };
/* What something looks like: facets, the last one without an area, and its colours. */
struct arena_looks {
    const struct arena_facet *facets;
    float size; /* in units of the arena, times that of its kind where it has one */
    struct arena_colour tones[ARENA_TONES];
};
enum arena_look { LOOK_SHOT, LOOK_ROCKET, LOOK_SPARK, ARENA_LOOKS };
const struct arena_looks *arena_looks(enum arena_look);

/* ---- arena_state.c ----------------------------------------------------------------------- */
struct arena_state *arena_state_new(void);
void arena_state_free(struct arena_state *);
int arena_state(const void *world, struct ras_cdt_tick_record *, struct ras_error *);

/* ---- arena_state.c: saved state ---------------------------------------------------------- */
int arena_keep(void *world, struct ras_world_keeper *, struct ras_error *);

/* ---- arena_commands.c, arena_bot.c, arena_recipe.c --------------------------------------- */
enum arena_custom { CUSTOM_NOTHING, CUSTOM_FIRE, CUSTOM_USE, CUSTOM_PERK };
enum ras_receipt_reason arena_apply(struct arena *, const struct ras_world_command *);
int arena_bot(const void *world, uint64_t tick, struct ras_play *play);
int arena_recipe_read(struct arena_recipe *, struct ras_bytes text, struct ras_error *);

extern const struct ras_world_type arena_world;

/* ---- arena watch ------------------------------------------------------------------------- */

/* What the arena reports of a tick while it runs. Usually there is no watcher: then each of these
 * is one comparison with NULL. */

enum arena_function {
    FN_STEP,
    FN_COMMANDS,
    FN_APPLY,
    FN_PERKS,
    FN_PLAYERS,
    FN_FIRE,
    FN_SHOTS,
    FN_HIT,
    FN_ROCKETS,
    FN_BLAST,
    FN_CREATURES,
    FN_THINK,
    FN_BITE,
    FN_DIE,
    FN_BONUSES,
    FN_DROP,
    FN_PICK,
    FN_QUEST,
    FN_SPAWNS,
    FN_SPAWN,
    FN_GIFT,
    FN_FIELDS,
    FN_DIGEST,
    ARENA_FUNCTIONS,
};

#define ARENA_ENTER(a, function)                                                                   \
    do {                                                                                           \
        if ((a)->watch)                                                                            \
            (a)->watch->enter((a)->watch->user, (function), NULL, 0);                              \
    } while (0)
/* A marked function, with its arguments as words. */
#define ARENA_ENTER_WITH(a, function, ...)                                                         \
    do {                                                                                           \
        if ((a)->watch) {                                                                          \
            const uint64_t args_[] = {__VA_ARGS__};                                                \
            (a)->watch->enter((a)->watch->user, (function), args_, sizeof args_ / sizeof *args_);  \
        }                                                                                          \
    } while (0)
#define ARENA_LEAVE(a, function)                                                                   \
    do {                                                                                           \
        if ((a)->watch)                                                                            \
            (a)->watch->leave((a)->watch->user, (function));                                       \
    } while (0)

void arena_tell_spawn(const struct arena *, const struct arena_creature *);
void arena_tell_hit(const struct arena *, uint32_t weapon, const struct arena_creature *,
                    int32_t by, struct arena_vec at, float damage);
void arena_tell_pickup(const struct arena *, uint32_t slot, uint32_t player);

extern const struct ras_world_function arena_functions[];
#endif
