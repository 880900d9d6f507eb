/* scribe_cdt.c - the state of a run as rows of a CDT trace, schema 12.
 *
 * Every struct is written on every tick. What the program does not hand over has a fixed value, so
 * that it is the same in every run. */
#include "base/error.h"
#include "core/tick_index.h"
#include "pens/scribe.h"
#include <rastrum/cdt.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES(text) ((struct ras_bytes){(const uint8_t *)(text), sizeof(text) - 1})
#define BIT(member) (UINT32_C(1) << (member))

enum { CHUNK_TICKS = 16, FIRST_CALL = 1 };

struct cdt {
    struct ras_folder *folder;
    struct ras_sink *sink;
    struct ras_cdt_writer *writer;
    double dt_seconds;
    uint64_t rows;
    int64_t rng_state;
    struct ras_cdt_rng_stream_row *draws;
    struct ras_cdt_creature_entity_sample *creatures;
    struct ras_cdt_projectile_entity_sample *projectiles;
    struct ras_cdt_secondary_projectile_entity_sample *secondaries;
    struct ras_cdt_bonus_entity_sample *bonuses;
    struct ras_cdt_replay_player_checkpoint *checkpoints;
    struct ras_cdt_snapshot_player *players;
    size_t draw_room, creature_room, projectile_room, secondary_room, bonus_room, checkpoint_room,
        player_room;
};

/* ---- one row ------------------------------------------------------------------------------------
 */

static int64_t uid_of(const struct ras_pens_entity *e)
{
    return (int64_t)((uint64_t)e->generation << 32 | e->slot);
}

static struct ras_cdt_creature_entity_sample creature_of(const struct ras_pens_entity *e)
{
    return (struct ras_cdt_creature_entity_sample){
        .node.present = BIT(RAS_CDT_CREATURE_VEL),
        .uid = uid_of(e),
        .generation = e->generation,
        .pool_kind = BYTES("creature"),
        .index = e->slot,
        .active = true,
        .type_id = e->kind,
        .hp = e->hp,
        .pos = {e->x, e->y},
        .flags = e->flags,
        .ai_mode = e->target,
        .link_index = e->owner ? e->owner : -1,
        .heading = e->heading,
        .lifecycle_stage = e->timer,
        .vel = {e->vx, e->vy},
    };
}

static struct ras_cdt_projectile_entity_sample projectile_of(const struct ras_pens_entity *e)
{
    return (struct ras_cdt_projectile_entity_sample){
        .uid = uid_of(e),
        .generation = e->generation,
        .pool_kind = BYTES("projectile"),
        .index = e->slot,
        .active = true,
        .type_id = e->kind,
        .angle = e->heading,
        .pos = {e->x, e->y},
        .vel = {e->vx, e->vy},
        .life_timer = e->timer,
        .damage_pool = e->hp,
        .owner_id = e->owner,
    };
}

static struct ras_cdt_secondary_projectile_entity_sample secondary_of(
    const struct ras_pens_entity *e)
{
    return (struct ras_cdt_secondary_projectile_entity_sample){
        .uid = uid_of(e),
        .generation = e->generation,
        .pool_kind = BYTES("secondary_projectile"),
        .index = e->slot,
        .active = true,
        .type_id = e->kind,
        .angle = e->heading,
        .pos = {e->x, e->y},
        .vel = {e->vx, e->vy},
        .trail_timer = e->timer,
        .owner_id = e->owner,
        .target_id = e->target,
    };
}

static struct ras_cdt_bonus_entity_sample bonus_of(const struct ras_pens_entity *e)
{
    return (struct ras_cdt_bonus_entity_sample){
        .uid = uid_of(e),
        .generation = e->generation,
        .pool_kind = BYTES("bonus"),
        .index = e->slot,
        .active = true,
        .bonus_id = e->kind,
        .picked = e->flags != 0,
        .time_left = e->timer,
        .pos = {e->x, e->y},
        .amount = (int64_t)(e->hp < 9e18 && e->hp > -9e18 ? e->hp : 0),
    };
}

static bool make_room(struct cdt *c, const struct desk_tick *t)
{
    size_t n = t->entity_count + 1;
    return array_grow(&c->creatures, &c->creature_room, n, sizeof *c->creatures) &&
           array_grow(&c->projectiles, &c->projectile_room, n, sizeof *c->projectiles) &&
           array_grow(&c->secondaries, &c->secondary_room, n, sizeof *c->secondaries) &&
           array_grow(&c->bonuses, &c->bonus_room, n, sizeof *c->bonuses) &&
           array_grow(&c->draws, &c->draw_room, t->draw_count + 1, sizeof *c->draws) &&
           array_grow(&c->players, &c->player_room, t->player_count + 1, sizeof *c->players) &&
           array_grow(&c->checkpoints, &c->checkpoint_room, t->player_count + 1,
                      sizeof *c->checkpoints);
}

static void fill_entities(struct cdt *c, const struct desk_tick *t,
                          struct ras_cdt_entity_samples_snapshot *to)
{
    to->creatures.at = c->creatures;
    to->projectiles.at = c->projectiles;
    to->secondary_projectiles.at = c->secondaries;
    to->bonuses.at = c->bonuses;
    for (size_t i = 0; i < t->entity_count; i++) {
        const struct ras_pens_entity *e = &t->entities[i];
        if (e->pool == RAS_PENS_PROJECTILE)
            c->projectiles[to->projectiles.count++] = projectile_of(e);
        else if (e->pool == RAS_PENS_SECONDARY)
            c->secondaries[to->secondary_projectiles.count++] = secondary_of(e);
        else if (e->pool == RAS_PENS_BONUS)
            c->bonuses[to->bonuses.count++] = bonus_of(e);
        else
            c->creatures[to->creatures.count++] = creature_of(e);
    }
}

static void fill_draws(struct cdt *c, const struct desk_tick *t,
                       struct ras_cdt_replay_tick_channels *to)
{
    for (size_t i = 0; i < t->draw_count; i++) {
        const struct draw_note *d = &t->draws[i];
        c->draws[i] = (struct ras_cdt_rng_stream_row){
            .node.present = BIT(RAS_CDT_RNG_CALLER),
            .tick_call_index = (int64_t)i + FIRST_CALL,
            .value_15 = d->value,
            .state_before_u32 = d->before,
            .state_after_u32 = d->after,
            .caller = d->caller,
        };
        c->rng_state = d->after;
    }
    to->rng_stream.at = c->draws;
    to->rng_stream.count = t->draw_count;
    to->checkpoint.rng_state = c->rng_state;
}

static void fill_players(struct cdt *c, const struct desk_tick *t,
                         struct ras_cdt_replay_tick_channels *to)
{
    for (size_t i = 0; i < t->player_count; i++) {
        const struct player_note *p = &t->players[i];
        c->checkpoints[i] = (struct ras_cdt_replay_player_checkpoint){
            .pos = {p->x, p->y},
            .health = p->health,
            .experience = p->experience,
            .level = p->level,
        };
        c->players[i] = (struct ras_cdt_snapshot_player){
            .index = p->index,
            .pos = {p->x, p->y},
            .health = p->health,
            .experience = p->experience,
            .level = p->level,
        };
    }
    to->checkpoint.players.at = c->checkpoints;
    to->checkpoint.players.count = t->player_count;
    to->sim_state.players.at = c->players;
    to->sim_state.players.count = t->player_count;
}

static struct ras_cdt_timing_sample_row timing_of(const struct cdt *c, uint64_t tick)
{
    return (struct ras_cdt_timing_sample_row){
        .node.present = BIT(RAS_CDT_TIMING_GAMEPLAY_FRAME) | BIT(RAS_CDT_TIMING_FRAME_DT_F32) |
                        BIT(RAS_CDT_TIMING_FRAME_DT_MS_I32) | BIT(RAS_CDT_TIMING_FRAME_DT_MS_F32) |
                        BIT(RAS_CDT_TIMING_TIME_SCALE_ACTIVE_ENTRY) |
                        BIT(RAS_CDT_TIMING_TIME_SCALE_ACTIVE_CURRENT) |
                        BIT(RAS_CDT_TIMING_TIME_SCALE_FACTOR) |
                        BIT(RAS_CDT_TIMING_BONUS_REFLEX_BOOST_TIMER) | BIT(RAS_CDT_TIMING_MODE_FN),
        .tick_index = (int64_t)tick,
        .gameplay_frame = (int64_t)tick,
        .phase = BYTES("gpur_enter"),
        .write_kind = BYTES("snapshot"),
        .frame_dt_f32 = (double)(float)c->dt_seconds,
        .frame_dt_ms_i32 = (int64_t)(c->dt_seconds * 1000),
        .frame_dt_ms_f32 = (double)(float)(c->dt_seconds * 1000),
        .time_scale_factor = 1,
        .mode_fn = BYTES("gameplay_update_and_render"),
    };
}

static int cdt_scribe_tick(void *scribe, const struct desk_tick *t, struct ras_error *err)
{
    struct cdt *c = scribe;
    c->rows++;
    if (t->row.len)
        return ras_cdt_writer_raw(c->writer, t->row, err);
    if (!make_room(c, t))
        return fail_memory(err);
    struct ras_cdt_timing_sample_row timing = timing_of(c, t->tick);
    struct ras_cdt_tick_record row = {
        .tick_index = (int64_t)t->tick,
        .elapsed_ms = (int64_t)((double)(t->ordinal + 1) * c->dt_seconds * 1000),
        .dt_ms_i32 = (int64_t)(c->dt_seconds * 1000),
    };
    struct ras_cdt_replay_tick_channels *to = &row.channels;
    fill_entities(c, t, &to->entity_samples);
    fill_draws(c, t, to);
    fill_players(c, t, to);
    to->timing_samples.at = &timing;
    to->timing_samples.count = 1;
    to->checkpoint.tick_index = row.tick_index;
    to->checkpoint.elapsed_ms = row.elapsed_ms;
    to->checkpoint.creature_count = (int64_t)to->entity_samples.creatures.count;
    if (t->tick > INT32_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a trace of state has ticks up to %d, not %" PRIu64,
                    INT32_MAX, t->tick);
    return ras_cdt_writer_tick(c->writer, &row, err);
}

/* ---- the scribe ---------------------------------------------------------------------------- */

static void cdt_scribe_drop(void *scribe)
{
    struct cdt *c = scribe;
    if (!c)
        return;
    ras_cdt_writer_drop(c->writer);
    free(c->draws);
    free(c->creatures);
    free(c->projectiles);
    free(c->secondaries);
    free(c->bonuses);
    free(c->checkpoints);
    free(c->players);
    free(c);
}

static int cdt_scribe_begin(struct cdt *c, const struct scribe_run *run, struct ras_error *err)
{
    struct ras_cdt_trace_meta meta = {
        .trace_format_version = RAS_CDT_FORMAT_VERSION,
        .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
        .created_utc = BYTES("1970-01-01T00:00:00+00:00"), /* no run knows when it is run */
        .producer = {.impl = BYTES("rastrum"), .impl_version = BYTES(RASTRUM_VERSION)},
        .source = {.node.present = BIT(RAS_CDT_SOURCE_KIND) | BIT(RAS_CDT_SOURCE_SEED),
                   .kind = {(const uint8_t *)run->program, strlen(run->program)},
                   .seed = (int64_t)run->seed},
    };
    if (run->seed > INT64_MAX)
        meta.source.node.wide = BIT(RAS_CDT_SOURCE_SEED);
    if (run->dt_seconds > 0 && run->dt_seconds < 1) {
        meta.source.tick_rate = (int64_t)(1 / run->dt_seconds + 0.5);
        ras_cdt_set(&meta.source.node, RAS_CDT_SOURCE_TICK_RATE);
    }
    const struct ras_cdt_writer_options how = {
        .struct_size = sizeof how, .chunk_ticks = CHUNK_TICKS, .range_at_close = true};
    int status = ras_folder_sink(run->folder, cdt_scribe.file, &c->sink, err);
    return status < 0 ? status : ras_cdt_writer_open(&c->writer, c->sink, &meta, &how, err);
}

static int cdt_scribe_open(void **scribe, const struct scribe_run *run, struct ras_error *err)
{
    struct cdt *c = calloc(1, sizeof *c);
    *scribe = NULL;
    if (!c)
        return fail_memory(err);
    c->folder = run->folder;
    c->dt_seconds = isfinite(run->dt_seconds) && run->dt_seconds > 0 && run->dt_seconds < 1e6
                        ? run->dt_seconds
                        : 0;
    int status = cdt_scribe_begin(c, run, err);
    if (status < 0)
        cdt_scribe_drop(c);
    else
        *scribe = c;
    return status;
}

/* A chunk ends here. */
static int cdt_scribe_flush(void *scribe, struct ras_error *err)
{
    return ras_cdt_writer_flush(((struct cdt *)scribe)->writer, err);
}

static uint64_t cdt_scribe_size(const void *scribe)
{
    return ras_sink_size(((const struct cdt *)scribe)->sink);
}

static void cdt_scribe_place(const void *scribe, struct tick_rows *rows)
{
    tick_rows_put(rows, "cdt.row", ((const struct cdt *)scribe)->rows - 1);
}

static int cdt_scribe_close(void *scribe, struct ras_error *err)
{
    struct cdt *c = scribe;
    int status = ras_cdt_writer_close(c->writer, err);
    c->writer = NULL;
    if (status == RAS_OK)
        status = ras_folder_finish(c->folder, c->sink, err);
    cdt_scribe_drop(c);
    return status;
}

static int cdt_take_over(struct cdt *c, const struct ras_cdt *old,
                         const struct ras_cdt_tick_record *row, struct ras_error *err)
{
    struct ras_bytes payload = ras_cdt_payload(old);
    c->rows++;
    c->rng_state = row->channels.checkpoint.rng_state;
    return ras_cdt_writer_raw(c->writer,
                              (struct ras_bytes){payload.at + row->node.at, row->node.length}, err);
}

static int cdt_scribe_resume(void *scribe, struct ras_bytes old, uint64_t first_tick,
                             uint64_t *last, took_tick *took, void *user, struct ras_error *err)
{
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *row;
    uint64_t limit = *last;
    int status = RAS_OK;
    (void)first_tick;
    *last = RAS_NONE;
    if (ras_cdt_open(&cdt, old.at, old.len, NULL, NULL) < 0)
        return RAS_OK; /* nothing of it can be used */
    while (status == RAS_OK && ras_cdt_tick_next(cdt, &row, NULL) == RAS_OK &&
           row->tick_index >= 0 && (uint64_t)row->tick_index <= limit &&
           (*last == RAS_NONE || (uint64_t)row->tick_index > *last)) {
        *last = (uint64_t)row->tick_index;
        if (scribe)
            status = cdt_take_over(scribe, cdt, row, err);
        took(user, *last, 0);
    }
    ras_cdt_close(cdt);
    return status;
}

const struct scribe_type cdt_scribe = {
    .name = "cdt",
    .file = "state.cdt",
    .lacks = "the program handed over no entities, players, draws or rows",
    .open = cdt_scribe_open,
    .tick = cdt_scribe_tick,
    .flush = cdt_scribe_flush,
    .size = cdt_scribe_size,
    .place = cdt_scribe_place,
    .close = cdt_scribe_close,
    .drop = cdt_scribe_drop,
    .resume = cdt_scribe_resume,
};
