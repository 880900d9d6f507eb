/* arena_commands.c - what commands do in the arena.
 *
 * They state intents and draw no random numbers: the tick decides the outcome. One
 * that was applied goes into the digest with its place among the others, so that a replay
 * which lost or exchanged two of them does not come out the same. */
#include "base/in.h"
#include "codec/fnv1a.h"
#include "world/arena_world.h"

#include <math.h>

enum { SPAWN_TYPE, SPAWN_HP, SPAWN_SPEED, SPAWN_VALUES };

typedef enum ras_receipt_reason command(struct arena *, const struct ras_murk_payload *);
static command *const commands[RAS_MURK_PAYLOAD_TYPES];

static struct arena_vec middle(const struct arena *a, uint64_t cell)
{
    uint32_t cols = a->recipe.space.cols;
    return (struct arena_vec){((float)(cell % cols) + 0.5f) * ARENA_CELL,
                              ((float)(cell / cols) + 0.5f) * ARENA_CELL};
}

/* Players are the entities from 1 on; NULL: it is none. */
static struct arena_player *player(struct arena *a, uint64_t id)
{
    return id >= 1 && id <= a->player_count ? &a->players[id - 1] : NULL;
}

static enum ras_receipt_reason command_move(struct arena *a, const struct ras_murk_payload *p)
{
    struct arena_player *who = player(a, p->entity_id);
    uint64_t cell = space_rank(&a->recipe.space, p->coord);
    if (!who)
        return RAS_RECEIPT_UNKNOWN_ENTITY;
    if (cell == RAS_NONE || who->health <= 0)
        return RAS_RECEIPT_NOT_APPLIED;
    struct arena_vec to = middle(a, cell);
    if (arena_distance2(to, who->goal) <= 0)
        return RAS_RECEIPT_NOT_APPLIED;
    who->goal = to;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason command_spawn(struct arena *a, const struct ras_murk_payload *p)
{
    static const float least[SPAWN_VALUES] = {0, 0.01f, 0};
    static const float most[SPAWN_VALUES] = {ARENA_KINDS - 1, 10000, 400};
    float values[SPAWN_VALUES] = {0};
    bool given[SPAWN_VALUES] = {0};
    uint64_t cell = space_rank(&a->recipe.space, p->coord);
    if (cell == RAS_NONE)
        return RAS_RECEIPT_NOT_APPLIED;
    for (size_t i = 0; i + 8 <= p->field_values.len; i += 8) {
        uint32_t which = load_u32(p->field_values.at + i);
        float value = float_of(load_u32(p->field_values.at + i + 4));
        if (which >= SPAWN_VALUES || !(value >= least[which] && value <= most[which]))
            return RAS_RECEIPT_NOT_APPLIED;
        values[which] = value;
        given[which] = true;
    }
    struct arena_creature *c = arena_creature_add(a, (uint32_t)values[SPAWN_TYPE], middle(a, cell));
    if (!c)
        return RAS_RECEIPT_ENTITY_CAPACITY;
    c->flags = ARENA_ORDERED;
    if (given[SPAWN_HP])
        c->hp = values[SPAWN_HP];
    if (given[SPAWN_SPEED])
        c->speed = values[SPAWN_SPEED];
    arena_tell_spawn(a, c);
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason command_despawn(struct arena *a, const struct ras_murk_payload *p)
{
    if (player(a, p->entity_id))
        return RAS_RECEIPT_NOT_APPLIED;
    for (uint32_t i = 0; i < a->creature_top; i++)
        if (a->creatures[i].id == p->entity_id && arena_creature_lives(&a->creatures[i])) {
            arena_creature_remove(a, i);
            return RAS_RECEIPT_APPLIED;
        }
    return RAS_RECEIPT_UNKNOWN_ENTITY;
}

static enum ras_receipt_reason command_set_field(struct arena *a, const struct ras_murk_payload *p)
{
    uint64_t cell = space_rank(&a->recipe.space, p->coord);
    float value = float_of(p->value_f32);
    if (cell == RAS_NONE || p->field_id != ARENA_HEAT || !(value >= 0 && value <= 15))
        return RAS_RECEIPT_NOT_APPLIED;
    a->fields[ARENA_HEAT][cell] = value;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason command_set_parameter(struct arena *a,
                                                     const struct ras_murk_payload *p)
{
    double value = double_of(p->value_f64);
    if (!arena_rule_fits(p->key, value))
        return RAS_RECEIPT_NOT_APPLIED;
    a->rules[p->key] = (float)value;
    a->rules_version++;
    return RAS_RECEIPT_APPLIED;
}

/* All or nothing. */
static enum ras_receipt_reason command_set_parameters(struct arena *a,
                                                      const struct ras_murk_payload *p)
{
    if (p->params.len < 12)
        return RAS_RECEIPT_NOT_APPLIED;
    for (size_t i = 0; i + 12 <= p->params.len; i += 12)
        if (!arena_rule_fits(load_u32(p->params.at + i), double_of(load_u64(p->params.at + i + 4))))
            return RAS_RECEIPT_NOT_APPLIED;
    for (size_t i = 0; i + 12 <= p->params.len; i += 12)
        a->rules[load_u32(p->params.at + i)] = (float)double_of(load_u64(p->params.at + i + 4));
    a->rules_version++;
    return RAS_RECEIPT_APPLIED;
}

/* ---- custom ------------------------------------------------------------------------------ */

static enum ras_receipt_reason command_fire(struct arena_player *p, const uint8_t *data)
{
    struct arena_vec aim = {float_of(load_u32(data)), float_of(load_u32(data + 4))};
    bool fits = fabsf(aim.x) <= 1e6f && fabsf(aim.y) <= 1e6f;
    if (!fits || !arena_player_ready(p))
        return RAS_RECEIPT_NOT_APPLIED;
    p->aim = aim;
    p->firing = 1;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason learn(struct arena *a, struct arena_player *p, uint32_t choice)
{
    if (!a->perk_pending || a->perk_dirty || choice >= ARENA_CHOICES)
        return RAS_RECEIPT_NOT_APPLIED;
    p->perks[a->perk_choices[choice]]++;
    a->perk_pending--;
    a->perk_dirty = 1;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason command_custom(struct arena *a, const struct ras_murk_payload *c)
{
    static const uint8_t sizes[] = {
        [CUSTOM_NOTHING] = 0, [CUSTOM_FIRE] = 12, [CUSTOM_USE] = 4, [CUSTOM_PERK] = 8};
    if (c->type_id >= sizeof sizes)
        return RAS_RECEIPT_UNSUPPORTED;
    if (c->type_id == CUSTOM_NOTHING || c->data.len != sizes[c->type_id])
        return RAS_RECEIPT_NOT_APPLIED;
    uint32_t id = load_u32(c->data.at);
    struct arena_player *p = player(a, id);
    if (!p)
        return RAS_RECEIPT_UNKNOWN_ENTITY;
    if (c->type_id == CUSTOM_FIRE)
        return command_fire(p, c->data.at + 4);
    if (c->type_id == CUSTOM_PERK)
        return learn(a, p, load_u32(c->data.at + 4));
    if (p->pocket == BONUS_NONE || p->health <= 0)
        return RAS_RECEIPT_NOT_APPLIED;
    arena_bonus_use(a, id - 1, p->pocket);
    p->pocket = BONUS_NONE;
    return RAS_RECEIPT_APPLIED;
}

enum ras_receipt_reason arena_apply(struct arena *a, const struct ras_world_command *c)
{
    if (c->wire.payload_type >= RAS_MURK_PAYLOAD_TYPES)
        return RAS_RECEIPT_UNSUPPORTED;
    ARENA_ENTER_WITH(a, FN_APPLY, c->wire.payload_type, c->wire.source_id, c->wire.source_seq,
                     c->wire.arrival_seq);
    enum ras_receipt_reason reason = commands[c->wire.payload_type](a, &c->typed);
    ARENA_LEAVE(a, FN_APPLY);
    if (reason == RAS_RECEIPT_APPLIED) {
        uint64_t start = (a->now.orders ^ FNV1A_START) + c->wire.payload_type;
        a->now.orders = fnv1a_bytes(start, c->wire.payload.at, c->wire.payload.len);
    }
    return reason;
}

static command *const commands[RAS_MURK_PAYLOAD_TYPES] = {
    [RAS_MURK_MOVE] = command_move,
    [RAS_MURK_SPAWN] = command_spawn,
    [RAS_MURK_DESPAWN] = command_despawn,
    [RAS_MURK_SET_FIELD] = command_set_field,
    [RAS_MURK_CUSTOM] = command_custom,
    [RAS_MURK_SET_PARAMETER] = command_set_parameter,
    [RAS_MURK_SET_PARAMETER_BATCH] = command_set_parameters,
};
