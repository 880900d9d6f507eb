/* cdt_table_channels.c - the other channels, and the ticks that hold all five. */
#include "formats/cdt/cdt_table.h"

static const struct cdt_field snapshot_vec2_fields[] = {
    FIELD(snapshot_vec2, x, FLOAT, REQUIRED),
    FIELD(snapshot_vec2, y, FLOAT, REQUIRED),
};
static STRUCT(snapshot_vec2, "SnapshotVec2", CLOSED, PLAIN);

static const struct cdt_field snapshot_weapon_fields[] = {
    FIELD(snapshot_weapon, weapon_id, INT, REQUIRED),
    FIELD(snapshot_weapon, ammo, FLOAT, REQUIRED),
    FIELD(snapshot_weapon, clip_size, INT, REQUIRED),
    FIELD(snapshot_weapon, reload_active, BOOL, REQUIRED),
    FIELD(snapshot_weapon, reload_timer, FLOAT, REQUIRED),
    FIELD(snapshot_weapon, reload_timer_max, FLOAT, REQUIRED),
    FIELD(snapshot_weapon, shot_cooldown, FLOAT, REQUIRED),
};
static STRUCT(snapshot_weapon, "SnapshotWeapon", CLOSED, NODE);

static const struct cdt_field snapshot_player_fields[] = {
    FIELD(snapshot_player, index, INT, REQUIRED),
    FIELD_WITH(snapshot_player, pos, STRUCT, REQUIRED, .of = &cdt_snapshot_vec2),
    FIELD(snapshot_player, health, FLOAT, REQUIRED),
    FIELD_WITH(snapshot_player, weapon, STRUCT, REQUIRED, .of = &cdt_snapshot_weapon),
    FIELD(snapshot_player, experience, INT, REQUIRED),
    FIELD(snapshot_player, level, INT, REQUIRED),
};
STRUCT_HOT(snapshot_player, "SnapshotPlayer", CLOSED);

static const struct cdt_field snapshot_bonus_timers_fields[] = {
    FIELD(snapshot_bonus_timers, weapon_power_up_ms, INT, REQUIRED),
    FIELD(snapshot_bonus_timers, reflex_boost_ms, INT, REQUIRED),
    FIELD(snapshot_bonus_timers, energizer_ms, INT, REQUIRED),
    FIELD(snapshot_bonus_timers, double_experience_ms, INT, REQUIRED),
    FIELD(snapshot_bonus_timers, freeze_ms, INT, REQUIRED),
};
STRUCT(snapshot_bonus_timers, "SnapshotBonusTimers", CLOSED, NODE);

static const struct cdt_field snapshot_gameplay_fields[] = {
    FIELD(snapshot_gameplay, mode_id, INT, REQUIRED),
    FIELD(snapshot_gameplay, quest_stage_major, INT, REQUIRED),
    FIELD(snapshot_gameplay, quest_stage_minor, INT, REQUIRED),
    FIELD(snapshot_gameplay, perk_pending_count, INT, REQUIRED),
    FIELD(snapshot_gameplay, perk_choices_dirty, BOOL, REQUIRED),
    FIELD_WITH(snapshot_gameplay, bonus_timers, STRUCT, REQUIRED, .of = &cdt_snapshot_bonus_timers),
};
static STRUCT(snapshot_gameplay, "SnapshotGameplay", CLOSED, NODE);

static const struct cdt_field sim_state_snapshot_fields[] = {
    FIELD_WITH(sim_state_snapshot, gameplay, STRUCT, REQUIRED, .of = &cdt_snapshot_gameplay),
    FIELD_WITH(sim_state_snapshot, players, LIST, REQUIRED, .of = &cdt_snapshot_player),
};
STRUCT(sim_state_snapshot, "SimStateSnapshot", CLOSED, NODE);

static const struct cdt_field rng_stream_row_fields[] = {
    FIELD(rng_stream_row, tick_call_index, INT, REQUIRED),
    FIELD(rng_stream_row, value_15, INT, REQUIRED),
    FIELD(rng_stream_row, state_before_u32, INT, REQUIRED),
    FIELD(rng_stream_row, state_after_u32, INT, REQUIRED),
    FIELD(rng_stream_row, caller, INT, NULLABLE),
};
STRUCT_HOT(rng_stream_row, "RngStreamRow", CLOSED);

static const struct cdt_field timing_sample_row_fields[] = {
    FIELD(timing_sample_row, tick_index, INT, REQUIRED),
    FIELD(timing_sample_row, gameplay_frame, INT, NULLABLE),
    FIELD(timing_sample_row, phase, STR, DEFAULT),
    FIELD_WITH(timing_sample_row, write_kind, STR, DEFAULT, .text = "snapshot"),
    FIELD(timing_sample_row, frame_dt_f32, FLOAT, NULLABLE),
    FIELD(timing_sample_row, frame_dt_ms_i32, INT, NULLABLE),
    FIELD(timing_sample_row, frame_dt_ms_f32, FLOAT, NULLABLE),
    FIELD(timing_sample_row, time_scale_active_entry, BOOL, NULLABLE),
    FIELD(timing_sample_row, time_scale_active_current, BOOL, NULLABLE),
    FIELD(timing_sample_row, time_scale_factor, FLOAT, NULLABLE),
    FIELD(timing_sample_row, bonus_reflex_boost_timer, FLOAT, NULLABLE),
    FIELD(timing_sample_row, mode_fn, STR, NULLABLE),
    FIELD(timing_sample_row, player_index, INT, NULLABLE),
};
STRUCT_HOT(timing_sample_row, "TimingSampleRow", CLOSED);

static const struct cdt_field creature_entity_sample_fields[] = {
    FIELD(creature_entity_sample, uid, INT, REQUIRED),
    FIELD(creature_entity_sample, generation, INT, REQUIRED),
    FIELD(creature_entity_sample, pool_kind, STR, REQUIRED),
    FIELD(creature_entity_sample, index, INT, REQUIRED),
    FIELD(creature_entity_sample, active, BOOL, REQUIRED),
    FIELD(creature_entity_sample, type_id, INT, REQUIRED),
    FIELD(creature_entity_sample, hp, FLOAT, REQUIRED),
    FIELD_WITH(creature_entity_sample, pos, STRUCT, REQUIRED, .of = &cdt_snapshot_vec2),
    FIELD(creature_entity_sample, flags, INT, REQUIRED),
    FIELD(creature_entity_sample, ai_mode, INT, REQUIRED),
    FIELD(creature_entity_sample, link_index, INT, REQUIRED),
    FIELD(creature_entity_sample, heading, FLOAT, REQUIRED),
    FIELD(creature_entity_sample, target_heading, FLOAT, REQUIRED),
    FIELD(creature_entity_sample, orbit_angle, FLOAT, REQUIRED),
    FIELD(creature_entity_sample, orbit_radius, FLOAT, REQUIRED),
    FIELD(creature_entity_sample, lifecycle_stage, FLOAT, REQUIRED),
    FIELD_WITH(creature_entity_sample, vel, STRUCT, NULLABLE, .of = &cdt_snapshot_vec2),
    FIELD(creature_entity_sample, move_speed, FLOAT, NULLABLE),
};
STRUCT_HOT(creature_entity_sample, "CreatureEntitySample", CLOSED);

static const struct cdt_field projectile_entity_sample_fields[] = {
    FIELD(projectile_entity_sample, uid, INT, REQUIRED),
    FIELD(projectile_entity_sample, generation, INT, REQUIRED),
    FIELD(projectile_entity_sample, pool_kind, STR, REQUIRED),
    FIELD(projectile_entity_sample, index, INT, REQUIRED),
    FIELD(projectile_entity_sample, active, BOOL, REQUIRED),
    FIELD(projectile_entity_sample, type_id, INT, REQUIRED),
    FIELD(projectile_entity_sample, angle, FLOAT, REQUIRED),
    FIELD_WITH(projectile_entity_sample, pos, STRUCT, REQUIRED, .of = &cdt_snapshot_vec2),
    FIELD_WITH(projectile_entity_sample, vel, STRUCT, REQUIRED, .of = &cdt_snapshot_vec2),
    FIELD(projectile_entity_sample, life_timer, FLOAT, REQUIRED),
    FIELD(projectile_entity_sample, speed_scale, FLOAT, REQUIRED),
    FIELD(projectile_entity_sample, damage_pool, FLOAT, REQUIRED),
    FIELD(projectile_entity_sample, hit_radius, FLOAT, REQUIRED),
    FIELD(projectile_entity_sample, travel_budget, FLOAT, REQUIRED),
    FIELD(projectile_entity_sample, owner_id, INT, REQUIRED),
};
STRUCT_HOT(projectile_entity_sample, "ProjectileEntitySample", CLOSED);

static const struct cdt_field secondary_projectile_entity_sample_fields[] = {
    FIELD(secondary_projectile_entity_sample, uid, INT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, generation, INT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, pool_kind, STR, REQUIRED),
    FIELD(secondary_projectile_entity_sample, index, INT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, active, BOOL, REQUIRED),
    FIELD(secondary_projectile_entity_sample, type_id, INT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, angle, FLOAT, REQUIRED),
    FIELD_WITH(secondary_projectile_entity_sample, pos, STRUCT, REQUIRED, .of = &cdt_snapshot_vec2),
    FIELD_WITH(secondary_projectile_entity_sample, vel, STRUCT, REQUIRED, .of = &cdt_snapshot_vec2),
    FIELD(secondary_projectile_entity_sample, speed, FLOAT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, trail_timer, FLOAT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, owner_id, INT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, target_id, INT, REQUIRED),
};
STRUCT_HOT(secondary_projectile_entity_sample, "SecondaryProjectileEntitySample", CLOSED);

static const struct cdt_field bonus_entity_sample_fields[] = {
    FIELD(bonus_entity_sample, uid, INT, REQUIRED),
    FIELD(bonus_entity_sample, generation, INT, REQUIRED),
    FIELD(bonus_entity_sample, pool_kind, STR, REQUIRED),
    FIELD(bonus_entity_sample, index, INT, REQUIRED),
    FIELD(bonus_entity_sample, active, BOOL, REQUIRED),
    FIELD(bonus_entity_sample, bonus_id, INT, REQUIRED),
    FIELD(bonus_entity_sample, picked, BOOL, REQUIRED),
    FIELD(bonus_entity_sample, time_left, FLOAT, REQUIRED),
    FIELD(bonus_entity_sample, time_max, FLOAT, REQUIRED),
    FIELD_WITH(bonus_entity_sample, pos, STRUCT, REQUIRED, .of = &cdt_snapshot_vec2),
    FIELD(bonus_entity_sample, amount, INT, REQUIRED),
};
STRUCT_HOT(bonus_entity_sample, "BonusEntitySample", CLOSED);

static const struct cdt_field entity_samples_snapshot_fields[] = {
    FIELD_WITH(entity_samples_snapshot, creatures, LIST, REQUIRED,
               .of = &cdt_creature_entity_sample),
    FIELD_WITH(entity_samples_snapshot, projectiles, LIST, REQUIRED,
               .of = &cdt_projectile_entity_sample),
    FIELD_WITH(entity_samples_snapshot, secondary_projectiles, LIST, REQUIRED,
               .of = &cdt_secondary_projectile_entity_sample),
    FIELD_WITH(entity_samples_snapshot, bonuses, LIST, REQUIRED, .of = &cdt_bonus_entity_sample),
};
STRUCT(entity_samples_snapshot, "EntitySamplesSnapshot", CLOSED, NODE);

static const struct cdt_field replay_tick_channels_fields[] = {
    FIELD_WITH(replay_tick_channels, checkpoint, STRUCT, REQUIRED, .of = &cdt_replay_checkpoint),
    FIELD_WITH(replay_tick_channels, sim_state, STRUCT, REQUIRED, .of = &cdt_sim_state_snapshot),
    FIELD_WITH(replay_tick_channels, entity_samples, STRUCT, REQUIRED,
               .of = &cdt_entity_samples_snapshot),
    FIELD_WITH(replay_tick_channels, rng_stream, LIST, DEFAULT, .of = &cdt_rng_stream_row),
    FIELD_WITH(replay_tick_channels, timing_samples, LIST, DEFAULT, .of = &cdt_timing_sample_row),
};
STRUCT(replay_tick_channels, "ReplayTickChannels", OPEN, NODE);

static const struct cdt_field tick_record_fields[] = {
    FIELD(tick_record, tick_index, INT, REQUIRED),
    FIELD(tick_record, elapsed_ms, INT, REQUIRED),
    FIELD(tick_record, dt_ms_i32, INT, REQUIRED),
    FIELD(tick_record, mode_id, INT, REQUIRED),
    FIELD_WITH(tick_record, channels, STRUCT, REQUIRED, .of = &cdt_replay_tick_channels),
};
STRUCT(tick_record, "TickRecord", OPEN, NODE);

static const struct cdt_field tick_block_fields[] = {
    FIELD(tick_block, start_tick, INT, REQUIRED),
    FIELD(tick_block, end_tick, INT, REQUIRED),
    FIELD_WITH(tick_block, ticks, LIST, REQUIRED, .of = &cdt_tick_record),
};
STRUCT(tick_block, "TickBlock", OPEN, NODE);
