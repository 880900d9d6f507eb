/* cdt_tables.c - the structs of schema 12 as tables. */
#include "formats/cdt/cdt_table.h"

/* ---- META and FOTR ----------------------------------------------------------------------- */

static const struct cdt_field trace_producer_fields[] = {
    FIELD(trace_producer, impl, STR, REQUIRED),
    FIELD(trace_producer, impl_version, STR, DEFAULT),
    FIELD(trace_producer, platform, STR, DEFAULT),
    FIELD(trace_producer, arch, STR, DEFAULT),
};
static STRUCT(trace_producer, "TraceProducer", CLOSED, NODE);

static const struct cdt_field trace_source_fields[] = {
    FIELD(trace_source, path, STR, NULLABLE),
    FIELD(trace_source, sha256, STR, NULLABLE),
    FIELD_WITH(trace_source, size, INT, NULLABLE, .zig = CDT_ZIG_UNSIGNED),
    FIELD(trace_source, mtime_ns, INT, NULLABLE),
    FIELD_WITH(trace_source, kind, STR, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD(trace_source, tick_rate, INT, NULLABLE),
    FIELD_WITH(trace_source, seed, INT, NULLABLE, .zig = CDT_ZIG_UNSIGNED),
    FIELD(trace_source, mode_id, INT, NULLABLE),
    FIELD(trace_source, quest_level, STR, NULLABLE),
    FIELD_WITH(trace_source, run_id, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, quest_stage_major, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, quest_stage_minor, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, global_tick_first, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, global_tick_last, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, run_start_seed_source, STR, NULLABLE, .zig = CDT_ZIG_DROP),
};
static STRUCT(trace_source, "TraceSource", CLOSED, NODE);

static const struct cdt_field trace_tick_range_fields[] = {
    FIELD(trace_tick_range, start_tick, INT, REQUIRED),
    FIELD(trace_tick_range, end_tick, INT, REQUIRED),
    FIELD(trace_tick_range, tick_count, INT, REQUIRED),
};
static STRUCT(trace_tick_range, "TraceTickRange", CLOSED, NODE);

static const struct cdt_field game_status_data_fields[] = {
    FIELD(game_status_data, quest_unlock_index, INT, DEFAULT),
    FIELD(game_status_data, quest_unlock_index_full, INT, DEFAULT),
    FIELD_WITH(game_status_data, weapon_usage_counts, FIXED_POS, DEFAULT,
               .fixed = RAS_CDT_WEAPON_COUNT, .zig = CDT_ZIG_UNSIGNED),
    FIELD_WITH(game_status_data, quest_play_counts, FIXED, DEFAULT, .fixed = RAS_CDT_QUEST_COUNT,
               .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_survival, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_rush, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_typo, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_other, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, game_sequence_id, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, unknown_tail, BIN, DEFAULT, .fixed = 16, .zig = CDT_ZIG_DROP),
};
STRUCT(game_status_data, "GameStatusData", CLOSED, NODE);

#define META_FIELDS(status_)                                                                       \
    {                                                                                              \
        FIELD(trace_meta, trace_format_version, INT, REQUIRED),                                    \
            FIELD(trace_meta, trace_schema_version, INT, REQUIRED),                                \
            FIELD(trace_meta, created_utc, STR, REQUIRED),                                         \
            FIELD_WITH(trace_meta, producer, STRUCT, REQUIRED, .of = &cdt_trace_producer),         \
            FIELD_WITH(trace_meta, source, STRUCT, REQUIRED, .of = &cdt_trace_source),             \
            FIELD_WITH(trace_meta, tick_range, STRUCT, REQUIRED, .of = &cdt_trace_tick_range),     \
            FIELD_WITH(trace_meta, status, STRUCT, NULLABLE, .of = &(status_)),                    \
    }
static const struct cdt_field trace_meta_fields[] = META_FIELDS(cdt_game_status_data);
STRUCT(trace_meta, "TraceMeta", CLOSED, NODE);

/* Later texts give the last two members of the status other names. Which of them files have cannot
 * be decided: both are read, and written as they were. */
#define LATE_STATUS(member, kind, ...)                                                             \
    FIELD_WITH(game_status_data, member, kind, DEFAULT, __VA_ARGS__)
static const struct cdt_field late_status_fields[] = {
    FIELD(game_status_data, quest_unlock_index, INT, DEFAULT),
    FIELD(game_status_data, quest_unlock_index_full, INT, DEFAULT),
    LATE_STATUS(weapon_usage_counts, FIXED_POS, .fixed = RAS_CDT_WEAPON_COUNT,
                .zig = CDT_ZIG_UNSIGNED),
    LATE_STATUS(quest_play_counts, FIXED, .fixed = RAS_CDT_QUEST_COUNT, .zig = CDT_ZIG_DROP),
    LATE_STATUS(mode_play_survival, INT, .zig = CDT_ZIG_DROP),
    LATE_STATUS(mode_play_rush, INT, .zig = CDT_ZIG_DROP),
    LATE_STATUS(mode_play_typo, INT, .zig = CDT_ZIG_DROP),
    LATE_STATUS(mode_play_other, INT, .zig = CDT_ZIG_DROP),
    FIELD_AS(game_status_data, game_sequence_id, "play_time_ms", INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_AS(game_status_data, unknown_tail, "reserved_seed_words", BIN, DEFAULT, .fixed = 16,
             .zig = CDT_ZIG_DROP),
};
static const struct cdt_struct late_status = {
    .name = "GameStatusData",
    .fields = late_status_fields,
    .count = sizeof late_status_fields / sizeof *late_status_fields,
    .size = sizeof(struct ras_cdt_game_status_data),
    .closed = true,
};
static const struct cdt_field late_meta_fields[] = META_FIELDS(late_status);
static const struct cdt_struct late_meta = {
    .name = "TraceMeta",
    .fields = late_meta_fields,
    .count = sizeof late_meta_fields / sizeof *late_meta_fields,
    .size = sizeof(struct ras_cdt_trace_meta),
    .closed = true,
};

static const struct cdt_field tick_block_index_entry_fields[] = {
    FIELD(tick_block_index_entry, start_tick, INT, REQUIRED),
    FIELD(tick_block_index_entry, end_tick, INT, REQUIRED),
    FIELD(tick_block_index_entry, file_offset, INT, REQUIRED),
    FIELD(tick_block_index_entry, compressed_len, INT, REQUIRED),
    FIELD(tick_block_index_entry, uncompressed_len, INT, REQUIRED),
    FIELD_WITH(tick_block_index_entry, checksum, INT, REQUIRED, .zig = CDT_ZIG_UNSIGNED),
};
static STRUCT(tick_block_index_entry, "TickBlockIndexEntry", OPEN, NODE);

static const struct cdt_field trace_footer_fields[] = {
    FIELD_WITH(trace_footer, tick_blocks, LIST, REQUIRED, .of = &cdt_tick_block_index_entry),
    FIELD(trace_footer, tick_count, INT, REQUIRED),
    FIELD(trace_footer, first_tick, INT, REQUIRED),
    FIELD(trace_footer, last_tick, INT, REQUIRED),
};
STRUCT(trace_footer, "TraceFooter", OPEN, NODE);

/* ---- the checkpoint family, which ignores unknown keys ----------------------------------- */

static const struct cdt_field vec2_fields[] = {
    FIELD_WITH(vec2, x, FLOAT, DEFAULT, .zig = CDT_ZIG_F64),
    FIELD_WITH(vec2, y, FLOAT, DEFAULT, .zig = CDT_ZIG_F64),
};
static STRUCT(vec2, "Vec2", OPEN, PLAIN);

static const struct cdt_field replay_player_checkpoint_fields[] = {
    FIELD_WITH(replay_player_checkpoint, pos, STRUCT, REQUIRED, .of = &cdt_vec2),
    FIELD_WITH(replay_player_checkpoint, health, FLOAT, REQUIRED, .zig = CDT_ZIG_F64),
    FIELD(replay_player_checkpoint, weapon_id, WEAPON, REQUIRED),
    FIELD_WITH(replay_player_checkpoint, ammo, FLOAT, REQUIRED, .zig = CDT_ZIG_F64),
    FIELD(replay_player_checkpoint, experience, INT, REQUIRED),
    FIELD(replay_player_checkpoint, level, INT, REQUIRED),
};
STRUCT_OWN(replay_player_checkpoint, "ReplayPlayerCheckpoint", OPEN);

static const struct cdt_field replay_typo_name_entry_fields[] = {
    FIELD(replay_typo_name_entry, creature_index, INT, REQUIRED),
    FIELD(replay_typo_name_entry, name, STR, REQUIRED),
};
static STRUCT(replay_typo_name_entry, "ReplayTypoNameEntry", OPEN, NODE);

static const struct cdt_field replay_typo_snapshot_fields[] = {
    FIELD(replay_typo_snapshot, input_text, STR, DEFAULT),
    FIELD(replay_typo_snapshot, submit_count, INT, DEFAULT),
    FIELD(replay_typo_snapshot, match_count, INT, DEFAULT),
    FIELD(replay_typo_snapshot, spawn_cooldown_ms, INT, DEFAULT),
    FIELD_WITH(replay_typo_snapshot, active_names, LIST, DEFAULT,
               .of = &cdt_replay_typo_name_entry),
};
static STRUCT(replay_typo_snapshot, "ReplayTypoSnapshot", OPEN, NODE);

static const struct cdt_field replay_tutorial_snapshot_fields[] = {
    FIELD_WITH(replay_tutorial_snapshot, stage_index, INT, DEFAULT, .number = -1),
    FIELD(replay_tutorial_snapshot, stage_timer_ms, INT, DEFAULT),
    FIELD_WITH(replay_tutorial_snapshot, stage_transition_timer_ms, INT, DEFAULT, .number = -1000),
    FIELD_WITH(replay_tutorial_snapshot, hint_index, INT, DEFAULT, .number = -1),
    FIELD(replay_tutorial_snapshot, hint_alpha, INT, DEFAULT),
    FIELD(replay_tutorial_snapshot, hint_fade_in, BOOL, DEFAULT),
    FIELD(replay_tutorial_snapshot, repeat_spawn_count, INT, DEFAULT),
    FIELD(replay_tutorial_snapshot, hint_bonus_creature_ref, INT, NULLABLE),
    FIELD(replay_tutorial_snapshot, prompt_text, STR, DEFAULT),
    FIELD(replay_tutorial_snapshot, prompt_alpha, FLOAT, DEFAULT),
    FIELD(replay_tutorial_snapshot, hint_text, STR, DEFAULT),
    FIELD(replay_tutorial_snapshot, hint_alpha_overlay, FLOAT, DEFAULT),
};
static STRUCT(replay_tutorial_snapshot, "ReplayTutorialSnapshot", OPEN, NODE);

static const struct cdt_field replay_death_ledger_entry_fields[] = {
    FIELD(replay_death_ledger_entry, creature_index, INT, REQUIRED),
    FIELD(replay_death_ledger_entry, type_id, INT, REQUIRED),
    FIELD(replay_death_ledger_entry, reward_value, FLOAT, REQUIRED),
    FIELD(replay_death_ledger_entry, xp_awarded, INT, REQUIRED),
    FIELD_WITH(replay_death_ledger_entry, owner_id, INT, DEFAULT, .number = -1),
};
STRUCT_OWN(replay_death_ledger_entry, "ReplayDeathLedgerEntry", OPEN);

static const struct cdt_field replay_hit_summary_entry_fields[] = {
    FIELD(replay_hit_summary_entry, type_id, INT, REQUIRED),
    FIELD_WITH(replay_hit_summary_entry, origin, STRUCT, REQUIRED, .of = &cdt_vec2),
    FIELD_WITH(replay_hit_summary_entry, hit, STRUCT, REQUIRED, .of = &cdt_vec2),
    FIELD_WITH(replay_hit_summary_entry, target, STRUCT, REQUIRED, .of = &cdt_vec2),
};
STRUCT_OWN(replay_hit_summary_entry, "ReplayHitSummaryEntry", OPEN);

static const struct cdt_field replay_perk_snapshot_fields[] = {
    FIELD(replay_perk_snapshot, pending_count, INT, DEFAULT),
    FIELD(replay_perk_snapshot, choices_dirty, BOOL, DEFAULT),
    FIELD(replay_perk_snapshot, choices, INTS, DEFAULT),
    FIELD(replay_perk_snapshot, player_nonzero_counts, COUNTS, DEFAULT),
};
static STRUCT(replay_perk_snapshot, "ReplayPerkSnapshot", OPEN, NODE);

static const struct cdt_field replay_event_summary_fields[] = {
    FIELD(replay_event_summary, hit_count, INT, DEFAULT),
    FIELD(replay_event_summary, pickup_count, INT, DEFAULT),
    FIELD(replay_event_summary, sfx_count, INT, DEFAULT),
    FIELD(replay_event_summary, sfx_head, STRS, DEFAULT),
    FIELD_WITH(replay_event_summary, hit_head, LIST, DEFAULT, .of = &cdt_replay_hit_summary_entry,
               .zig = CDT_ZIG_DROP),
};
static STRUCT(replay_event_summary, "ReplayEventSummary", OPEN, NODE);

static const struct cdt_field replay_checkpoint_fields[] = {
    FIELD(replay_checkpoint, tick_index, INT, REQUIRED),
    FIELD(replay_checkpoint, rng_state, INT, REQUIRED),
    FIELD(replay_checkpoint, elapsed_ms, INT, REQUIRED),
    FIELD(replay_checkpoint, score_xp, INT, REQUIRED),
    FIELD(replay_checkpoint, kills, INT, REQUIRED),
    FIELD(replay_checkpoint, creature_count, INT, REQUIRED),
    FIELD(replay_checkpoint, perk_pending, INT, REQUIRED),
    FIELD_WITH(replay_checkpoint, players, LIST, REQUIRED, .of = &cdt_replay_player_checkpoint),
    FIELD(replay_checkpoint, bonus_timers, TIMERS, REQUIRED),
    FIELD_WITH(replay_checkpoint, deaths, LIST, DEFAULT, .of = &cdt_replay_death_ledger_entry,
               .zig = CDT_ZIG_HASHES),
    FIELD_WITH(replay_checkpoint, perk, STRUCT, DEFAULT, .of = &cdt_replay_perk_snapshot),
    FIELD_WITH(replay_checkpoint, events, STRUCT, DEFAULT, .of = &cdt_replay_event_summary),
    FIELD_WITH(replay_checkpoint, tutorial, STRUCT, NULLABLE, .of = &cdt_replay_tutorial_snapshot,
               .zig = CDT_ZIG_DROP),
    FIELD_WITH(replay_checkpoint, typo, STRUCT, NULLABLE, .of = &cdt_replay_typo_snapshot,
               .zig = CDT_ZIG_DROP),
};
STRUCT(replay_checkpoint, "ReplayCheckpoint", OPEN, NODE);

/* ---- the other channels, and the ticks that hold all five -------------------------------- */

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
STRUCT_OWN(replay_tick_channels, "ReplayTickChannels", OPEN);

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

#define MODEL_12(meta_)                                                                            \
    {                                                                                              \
        .container = RAS_CDT_FORMAT_VERSION, .schema = RAS_CDT_SCHEMA_VERSION, .meta = &(meta_),   \
        .footer = &cdt_trace_footer, .block = &cdt_tick_block,                                     \
        .channels = &cdt_replay_tick_channels, .entities = &cdt_entity_samples_snapshot,           \
        .rows = {[CDT_ROW_TICK] = &cdt_tick_record,                                                \
                 [CDT_ROW_CHECKPOINT] = &cdt_replay_checkpoint,                                    \
                 [CDT_ROW_PLAYER] = &cdt_replay_player_checkpoint,                                 \
                 [CDT_ROW_DEATH] = &cdt_replay_death_ledger_entry,                                 \
                 [CDT_ROW_HIT] = &cdt_replay_hit_summary_entry,                                    \
                 [CDT_ROW_SIM_STATE] = &cdt_sim_state_snapshot,                                    \
                 [CDT_ROW_SIM_PLAYER] = &cdt_snapshot_player,                                      \
                 [CDT_ROW_CREATURE] = &cdt_creature_entity_sample,                                 \
                 [CDT_ROW_PROJECTILE] = &cdt_projectile_entity_sample,                             \
                 [CDT_ROW_SECONDARY] = &cdt_secondary_projectile_entity_sample,                    \
                 [CDT_ROW_BONUS] = &cdt_bonus_entity_sample,                                       \
                 [CDT_ROW_RNG] = &cdt_rng_stream_row,                                              \
                 [CDT_ROW_TIMING] = &cdt_timing_sample_row},                                       \
        .row_count = CDT_ROW_TIMING + 1,                                                           \
    }
const struct cdt_model cdt_model_12 = MODEL_12(cdt_trace_meta);
const struct cdt_model cdt_model_12_late = MODEL_12(late_meta);
