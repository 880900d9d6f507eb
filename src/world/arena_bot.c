/* arena_bot.c - a player made of rules: the commands of a tick from the state alone. */
#include "base/out.h"
#include "world/arena_world.h"
#include "world/float_bits.h"

enum { DIRECTOR = 100, LIFE = 8, LURE = 67, CULL = 151, TUNE = 200, WARM = 97 };

#define NEAR  30.0f /* anything nearer is dangerous */
#define AHEAD 96.0f
#define SIDE  40.0f

/* Commands as they are made; each has a source and a number of its own. */
struct writer {
    struct ras_play *play;
    const struct arena *arena;
    uint64_t tick;
    size_t used;
    bool full;
};

static void bot_put(struct writer *w, uint64_t source, uint8_t type,
                    const struct ras_murk_payload *p)
{
    struct ras_play *play = w->play;
    struct ras_murk_fault fault;
    size_t size = 0, room = play->bytes_room - w->used;
    uint8_t *to = play->bytes + w->used;
    if (w->full || play->count == play->room ||
        !ras_murk_payload_put(type, p, to, room, &size, &fault) || size > room) {
        w->full = true;
        return;
    }
    struct ras_world_command *c = &play->commands[play->count];
    c->wire = (struct ras_murk_command){
        .payload_type = type,
        .priority_class = 1,
        .has_source_id = true,
        .has_source_seq = true,
        .source_id = source,
        .source_seq = w->tick * ARENA_CHOICES * 8 + play->count,
        .payload = {to, size},
        .expires_after_tick = w->tick + LIFE,
        .arrival_seq = w->arena->ingress.arrivals + play->count,
    };
    w->full = !ras_murk_payload_get(type, c->wire.payload, &c->typed, &fault);
    w->used += size;
    play->count++;
}

static struct ras_bytes coord_bytes(const struct arena *a, struct arena_vec pos, uint8_t to[8])
{
    uint64_t cell = arena_cell(a, pos);
    store_u32(store_u32(to, (uint32_t)(cell / a->recipe.space.cols)),
              (uint32_t)(cell % a->recipe.space.cols));
    return (struct ras_bytes){to, 8};
}

/* To a bonus when one is near, else round the middle. */
static struct arena_vec wish(const struct writer *w, uint32_t player)
{
    const struct arena *a = w->arena;
    const struct arena_player *p = &a->players[player];
    float least = 300.0f * 300.0f;
    const struct arena_bonus *best = NULL;
    for (uint32_t i = 0; i < ARENA_BONUSES; i++) {
        const struct arena_bonus *b = &a->bonuses[i];
        float d = arena_distance2(b->pos, p->pos);
        if (b->id != BONUS_NONE && !b->picked && d < least) {
            least = d;
            best = b;
        }
    }
    if (best)
        return best->pos;
    float angle = arena_wrap((float)(w->tick % 628) * 0.01f + (float)player * 1.5f);
    return (struct arena_vec){a->width * (0.5f + 0.35f * arena_cos(angle)),
                              a->height * (0.5f + 0.35f * arena_sin(angle))};
}

/* Keep away from near creatures, alternating between left and right. */
static struct arena_vec dodge(const struct writer *w, uint32_t player, struct arena_vec plan)
{
    const struct arena *a = w->arena;
    const struct arena_player *p = &a->players[player];
    float distance2, aside = (w->tick + player) % 2 ? SIDE : -SIDE;
    uint32_t near = arena_creature_near(a, p->pos, &distance2);
    float angle = arena_angle(plan.x - p->pos.x, plan.y - p->pos.y);
    if (near < ARENA_CREATURES && distance2 < NEAR * NEAR)
        angle =
            arena_angle(p->pos.x - a->creatures[near].pos.x, p->pos.y - a->creatures[near].pos.y);
    float x = arena_cos(angle), y = arena_sin(angle);
    return (struct arena_vec){p->pos.x + AHEAD * x - aside * y, p->pos.y + AHEAD * y + aside * x};
}

static void bot_move(struct writer *w, uint32_t player, struct arena_vec to)
{
    uint8_t place[8];
    bot_put(w, player + 1, RAS_MURK_MOVE,
            &(struct ras_murk_payload){.entity_id = player + 1,
                                       .coord = coord_bytes(w->arena, to, place)});
}

static void bot_custom(struct writer *w, uint32_t player, uint32_t type, const uint8_t *data,
                       size_t n)
{
    bot_put(w, player + 1, RAS_MURK_CUSTOM,
            &(struct ras_murk_payload){.type_id = type, .data = {data, n}});
}

static void play_one(struct writer *w, uint32_t player)
{
    const struct arena *a = w->arena;
    const struct arena_player *p = &a->players[player];
    uint8_t data[12];
    float distance2;
    if (p->health <= 0)
        return;
    struct arena_vec plan = wish(w, player);
    bot_move(w, player, plan);
    struct arena_vec step = dodge(w, player, plan);
    if (arena_cell(a, step) != arena_cell(a, plan))
        bot_move(w, player, step);
    store_u32(data, player + 1);
    if (arena_player_ready(p)) {
        uint32_t near = arena_creature_near(a, p->pos, &distance2);
        if (near < ARENA_CREATURES && distance2 < 500.0f * 500.0f) {
            store_u32(store_u32(data + 4, bits_of(a->creatures[near].pos.x)),
                      bits_of(a->creatures[near].pos.y));
            bot_custom(w, player, CUSTOM_FIRE, data, 12);
        }
    }
    if (p->pocket != BONUS_NONE && (w->tick + 7 * player) % 30 == 0)
        bot_custom(w, player, CUSTOM_USE, data, 4);
    if (a->perk_pending && !a->perk_dirty && w->tick % a->player_count == player) {
        store_u32(data + 4, (uint32_t)w->tick % ARENA_CHOICES);
        bot_custom(w, player, CUSTOM_PERK, data, 8);
    }
}

static void lure(struct writer *w)
{
    uint8_t place[8], values[16];
    struct arena_vec pos = {(float)(w->tick * 13 % (uint64_t)w->arena->width), 40};
    store_u32(store_u32(values, 0), bits_of((float)(w->tick % ARENA_KINDS)));
    store_u32(store_u32(values + 8, 2), bits_of(60));
    bot_put(w, DIRECTOR, RAS_MURK_SPAWN,
            &(struct ras_murk_payload){.coord = coord_bytes(w->arena, pos, place),
                                       .field_values = {values, sizeof values}});
}

static void cull(struct writer *w)
{
    for (uint32_t i = 0; i < w->arena->creature_top; i++)
        if (arena_creature_lives(&w->arena->creatures[i])) {
            bot_put(w, DIRECTOR, RAS_MURK_DESPAWN,
                    &(struct ras_murk_payload){.entity_id = w->arena->creatures[i].id});
            return;
        }
}

static void warm(struct writer *w)
{
    uint8_t place[8];
    struct arena_vec pos = {w->arena->width * 0.5f, w->arena->height * 0.5f};
    bot_put(w, DIRECTOR, RAS_MURK_SET_FIELD,
            &(struct ras_murk_payload){.coord = coord_bytes(w->arena, pos, place),
                                       .field_id = ARENA_HEAT,
                                       .value_f32 = bits_of(12)});
}

/* The director makes the rules harder and easier in turn. */
static void tune(struct writer *w)
{
    uint64_t turn = w->tick / TUNE;
    uint8_t both[24], *at = both;
    if (turn % 2) {
        bot_put(
            w, DIRECTOR, RAS_MURK_SET_PARAMETER,
            &(struct ras_murk_payload){.key = RULE_POPULATION,
                                       .value_f64 = double_bits(130 + (double)(turn % 3) * 10)});
        return;
    }
    at = store_u64(store_u32(at, RULE_SPEED), double_bits(1 + (double)(turn % 4) * 0.125));
    store_u64(store_u32(at, RULE_DROPS), double_bits(12 + (double)(turn % 5)));
    bot_put(w, DIRECTOR, RAS_MURK_SET_PARAMETER_BATCH,
            &(struct ras_murk_payload){.params = {both, sizeof both}});
}

int arena_bot(const void *world, uint64_t tick, struct ras_play *play)
{
    struct writer w = {.play = play, .arena = world, .tick = tick};
    play->count = 0;
    for (uint32_t i = 0; i < w.arena->player_count; i++)
        play_one(&w, i);
    if (tick % LURE == 0)
        lure(&w);
    if (tick % CULL == 0)
        cull(&w);
    if (tick % WARM == 0)
        warm(&w);
    if (tick % TUNE == 0)
        tune(&w);
    return w.full ? RAS_ELIMIT : RAS_OK;
}
