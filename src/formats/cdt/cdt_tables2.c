/* cdt_tables2.c - the structs of container 2 as tables: META and footer, which its schemas share,
 * and the ticks of schemas 19, 20 and 21.
 *
 * Every key must be present, unknown ones are refused, and a float is never an int. */
#include "formats/cdt/cdt_table.h"

#define TABLE(name_, fields_, struct_, ...)                                                        \
    {                                                                                              \
        .name = name_, .fields = fields_, .count = sizeof fields_ / sizeof *fields_,               \
        .size = sizeof(struct ras_cdt_##struct_), .closed = true, .f32 = true, __VA_ARGS__         \
    }
#define MOVED(bit) .moved = (bit) + 1

/* ---- META and FOTR ----------------------------------------------------------------------- */

static const struct cdt_field producer_2_fields[] = {
    FIELD(trace_producer, impl, STR, REQUIRED),
    FIELD(trace_producer, impl_version, STR, REQUIRED),
    FIELD(trace_producer, platform, STR, REQUIRED),
    FIELD(trace_producer, arch, STR, REQUIRED),
};
static const struct cdt_struct producer_2 =
    TABLE("TraceProducer", producer_2_fields, trace_producer, .own = false);

#define SOURCE(member, kind, bit)                                                                  \
    FIELD_WITH(trace_source, member, kind, NILABLE, MOVED(RAS_CDT_SOURCE_##bit))
static const struct cdt_field source_2_fields[] = {
    SOURCE(path, STR, PATH),
    SOURCE(sha256, STR, SHA256),
    SOURCE(size, INT, SIZE),
    SOURCE(mtime_ns, INT, MTIME_NS),
    SOURCE(kind, STR, KIND),
    SOURCE(replay_sha256, STR, REPLAY_SHA256),
    SOURCE(tick_rate, INT, TICK_RATE),
    SOURCE(seed, INT, SEED),
    SOURCE(mode_id, INT, MODE_ID),
    SOURCE(player_count, INT, PLAYER_COUNT),
    SOURCE(quest_level, STR, QUEST_LEVEL),
    SOURCE(run_id, INT, RUN_ID),
    SOURCE(quest_stage_major, INT, QUEST_STAGE_MAJOR),
    SOURCE(quest_stage_minor, INT, QUEST_STAGE_MINOR),
    SOURCE(global_tick_first, INT, GLOBAL_TICK_FIRST),
    SOURCE(global_tick_last, INT, GLOBAL_TICK_LAST),
    SOURCE(run_start_seed_source, STR, RUN_START_SEED_SOURCE),
};
static const struct cdt_struct source_2 =
    TABLE("TraceSource", source_2_fields, trace_source, .moved = true);

static const struct cdt_field tick_range_2_fields[] = {
    FIELD(trace_tick_range, start_tick, INT, REQUIRED),
    FIELD(trace_tick_range, end_tick, INT, REQUIRED),
    FIELD(trace_tick_range, tick_count, INT, REQUIRED),
};
static const struct cdt_struct tick_range_2 =
    TABLE("TraceTickRange", tick_range_2_fields, trace_tick_range, .own = false);

static const struct cdt_field status_2_fields[] = {
    FIELD(game_status_data, quest_unlock_index, INT, REQUIRED),
    FIELD(game_status_data, quest_unlock_index_full, INT, REQUIRED),
    FIELD_WITH(game_status_data, weapon_usage_counts, FIXED_POS, REQUIRED,
               .fixed = RAS_CDT_WEAPON_COUNT),
    FIELD_WITH(game_status_data, quest_play_counts, FIXED, REQUIRED, .fixed = RAS_CDT_QUEST_COUNT),
    FIELD(game_status_data, mode_play_survival, INT, REQUIRED),
    FIELD(game_status_data, mode_play_rush, INT, REQUIRED),
    FIELD(game_status_data, mode_play_typo, INT, REQUIRED),
    FIELD(game_status_data, mode_play_other, INT, REQUIRED),
    FIELD_AS(game_status_data, game_sequence_id, "play_time_ms", INT, REQUIRED, .moved = 0),
    FIELD_AS(game_status_data, unknown_tail, "reserved_seed_words", BIN, REQUIRED, .fixed = 16),
};
static const struct cdt_struct status_2 =
    TABLE("GameStatusData", status_2_fields, game_status_data, .own = false);

static const struct cdt_field meta_2_fields[] = {
    FIELD(trace_meta, trace_format_version, INT, REQUIRED),
    FIELD(trace_meta, trace_schema_version, INT, REQUIRED),
    FIELD(trace_meta, created_utc, STR, REQUIRED),
    FIELD_WITH(trace_meta, producer, STRUCT, REQUIRED, .of = &producer_2),
    FIELD_WITH(trace_meta, source, STRUCT, REQUIRED, .of = &source_2),
    FIELD_WITH(trace_meta, tick_range, STRUCT, REQUIRED, .of = &tick_range_2),
    FIELD_WITH(trace_meta, status, STRUCT, NILABLE, .of = &status_2),
};
const struct cdt_struct cdt_meta_2 = TABLE("TraceMeta", meta_2_fields, trace_meta, .own = false);

static const struct cdt_field entry_2_fields[] = {
    FIELD(tick_block_index_entry, start_tick, INT, REQUIRED),
    FIELD(tick_block_index_entry, end_tick, INT, REQUIRED),
    FIELD(tick_block_index_entry, file_offset, INT, REQUIRED),
    FIELD(tick_block_index_entry, compressed_len, INT, REQUIRED),
    FIELD(tick_block_index_entry, uncompressed_len, INT, REQUIRED),
    FIELD(tick_block_index_entry, checksum, INT, REQUIRED),
};
static const struct cdt_struct entry_2 =
    TABLE("TickBlockIndexEntry", entry_2_fields, tick_block_index_entry, .own = false);

static const struct cdt_field footer_2_fields[] = {
    FIELD_WITH(trace_footer, tick_blocks, LIST, REQUIRED, .of = &entry_2),
    FIELD(trace_footer, tick_count, INT, REQUIRED),
    FIELD(trace_footer, first_tick, INT, REQUIRED),
    FIELD(trace_footer, last_tick, INT, REQUIRED),
};
const struct cdt_struct cdt_footer_2 =
    TABLE("TraceFooter", footer_2_fields, trace_footer, .own = false);

/* ---- replay_step ------------------------------------------------------------------------- */

#define I32(struct_, member)                                                                       \
    FIELD_WITH(struct_, member, RANGE, REQUIRED, .number = INT32_MIN, .most = INT32_MAX)

static const struct cdt_field input_fields[] = {
    FIELD(replay_input_sample, move_x, REAL, REQUIRED),
    FIELD(replay_input_sample, move_y, REAL, REQUIRED),
    FIELD(replay_input_sample, aim_x, REAL, REQUIRED),
    FIELD(replay_input_sample, aim_y, REAL, REQUIRED),
    FIELD(replay_input_sample, flags, INT, REQUIRED),
};
static const struct cdt_struct input =
    TABLE("ReplayInputSample", input_fields, replay_input_sample, .own = true);

/* The members of all operations, for the description of records. */
#define TYPE   FIELD(replay_operation, type, STR, REQUIRED)
#define PLAYER FIELD_WITH(replay_operation, player_index, INT, REQUIRED, MOVED(1))
static const struct cdt_field operation_fields[] = {
    TYPE,
    FIELD_WITH(replay_operation, player_index, INT, NULLABLE, MOVED(1)),
    FIELD_WITH(replay_operation, choice_index, INT, NULLABLE, MOVED(2)),
    FIELD_WITH(replay_operation, frames, INT, NULLABLE, MOVED(3)),
    FIELD_WITH(replay_operation, ch, STR, NULLABLE, MOVED(4)),
};
static const struct cdt_field advance_fields[] = {
    TYPE, FIELD_WITH(replay_operation, frames, INT, REQUIRED, MOVED(3))};
static const struct cdt_field player_fields[] = {TYPE, PLAYER};
static const struct cdt_field pick_fields[] = {
    TYPE, PLAYER, FIELD_WITH(replay_operation, choice_index, INT, REQUIRED, MOVED(2))};
static const struct cdt_field char_fields[] = {
    TYPE, PLAYER, FIELD_WITH(replay_operation, ch, CHAR, REQUIRED, MOVED(4))};

#define VARIANT(name_, tag_, fields_)                                                              \
    TABLE(name_, fields_, replay_operation, .moved = true, .tag = tag_)
static const struct cdt_struct advance =
    VARIANT("GameFrameRngAdvanceOperation", "game_frame_rng_advance", advance_fields);
static const struct cdt_struct menu_open =
    VARIANT("PerkMenuOpenCommand", "perk_menu_open", player_fields);
static const struct cdt_struct pick = VARIANT("PerkPickCommand", "perk_pick", pick_fields);
static const struct cdt_struct typo_char = VARIANT("TypoCharCommand", "typo_char", char_fields);
static const struct cdt_struct typo_backspace =
    VARIANT("TypoBackspaceCommand", "typo_backspace", player_fields);
static const struct cdt_struct typo_submit =
    VARIANT("TypoSubmitCommand", "typo_submit", player_fields);

#define OPERATIONS(...)                                                                            \
    TABLE("ReplayOperation", operation_fields, replay_operation, .moved = true,                    \
          .variants = (const struct cdt_struct *const[]){__VA_ARGS__, NULL})
static const struct cdt_struct preludes = OPERATIONS(&advance, &menu_open, &pick);
static const struct cdt_struct postludes = OPERATIONS(&menu_open);
static const struct cdt_struct commands =
    OPERATIONS(&menu_open, &pick, &typo_char, &typo_backspace, &typo_submit);

static const struct cdt_field step_fields[] = {
    FIELD(replay_step_snapshot, dt, REAL, REQUIRED),
    FIELD_WITH(replay_step_snapshot, inputs, LIST, REQUIRED, .of = &input),
    FIELD_WITH(replay_step_snapshot, prelude, UNION, REQUIRED, .of = &preludes),
    FIELD_WITH(replay_step_snapshot, postlude, UNION, REQUIRED, .of = &postludes),
    FIELD_WITH(replay_step_snapshot, commands, UNION, REQUIRED, .of = &commands),
};
static const struct cdt_struct step =
    TABLE("ReplayStepSnapshot", step_fields, replay_step_snapshot, .own = false);

/* ---- the checkpoint ---------------------------------------------------------------------- */

static const struct cdt_field pair_fields[] = {
    FIELD(vec2, x, REAL, REQUIRED),
    FIELD(vec2, y, REAL, REQUIRED),
};
static const struct cdt_struct pair = TABLE("Vec2", pair_fields, vec2, .plain = true);

static const struct cdt_field colour_fields[] = {
    FIELD(rgba, r, REAL, REQUIRED),
    FIELD(rgba, g, REAL, REQUIRED),
    FIELD(rgba, b, REAL, REQUIRED),
    FIELD(rgba, a, REAL, REQUIRED),
};
static const struct cdt_struct colour = TABLE("Rgba", colour_fields, rgba, .plain = true);

static const struct cdt_field checkpoint_player_fields[] = {
    FIELD_WITH(replay_player_checkpoint, pos, STRUCT, REQUIRED, .of = &pair),
    FIELD(replay_player_checkpoint, health, REAL, REQUIRED),
    FIELD(replay_player_checkpoint, weapon_id, WEAPON, REQUIRED),
    FIELD(replay_player_checkpoint, ammo, REAL, REQUIRED),
    I32(replay_player_checkpoint, experience),
    I32(replay_player_checkpoint, level),
};
static const struct cdt_struct checkpoint_player = TABLE(
    "ReplayPlayerCheckpoint", checkpoint_player_fields, replay_player_checkpoint, .own = true);

static const struct cdt_field typo_name_fields[] = {
    I32(replay_typo_name_entry, creature_index),
    FIELD(replay_typo_name_entry, name, STR, REQUIRED),
};
static const struct cdt_struct typo_name =
    TABLE("ReplayTypoNameEntry", typo_name_fields, replay_typo_name_entry, .own = false);

static const struct cdt_field typo_fields[] = {
    FIELD(replay_typo_snapshot, input_text, STR, REQUIRED),
    I32(replay_typo_snapshot, submit_count),
    I32(replay_typo_snapshot, match_count),
    I32(replay_typo_snapshot, spawn_cooldown_ms),
    FIELD_WITH(replay_typo_snapshot, active_names, LIST, REQUIRED, .of = &typo_name),
};
static const struct cdt_struct typo =
    TABLE("ReplayTypoSnapshot", typo_fields, replay_typo_snapshot, .own = false);

static const struct cdt_field death_fields[] = {
    I32(replay_death_ledger_entry, creature_index),
    I32(replay_death_ledger_entry, type_id),
    FIELD(replay_death_ledger_entry, reward_value, REAL, REQUIRED),
    I32(replay_death_ledger_entry, xp_awarded),
};
static const struct cdt_struct death =
    TABLE("ReplayDeathLedgerEntry", death_fields, replay_death_ledger_entry, .own = true);

static const struct cdt_field hit_fields[] = {
    I32(replay_hit_summary_entry, type_id),
    FIELD_WITH(replay_hit_summary_entry, origin, STRUCT, REQUIRED, .of = &pair),
    FIELD_WITH(replay_hit_summary_entry, hit, STRUCT, REQUIRED, .of = &pair),
    FIELD_WITH(replay_hit_summary_entry, target, STRUCT, REQUIRED, .of = &pair),
};
static const struct cdt_struct hit =
    TABLE("ReplayHitSummaryEntry", hit_fields, replay_hit_summary_entry, .own = true);

static const struct cdt_field perk_fields[] = {
    I32(replay_perk_snapshot, pending_count),
    FIELD(replay_perk_snapshot, choices_dirty, BOOL, REQUIRED),
    FIELD_WITH(replay_perk_snapshot, choices, INTS, REQUIRED, .narrow = true, .fixed = 7),
    FIELD_WITH(replay_perk_snapshot, player_nonzero_counts, COUNTS, REQUIRED, .narrow = true),
};
static const struct cdt_struct perk =
    TABLE("ReplayPerkSnapshot", perk_fields, replay_perk_snapshot, .own = false);

static const struct cdt_field event_fields[] = {
    I32(replay_event_summary, hit_count),
    I32(replay_event_summary, pickup_count),
    I32(replay_event_summary, sfx_count),
    FIELD(replay_event_summary, sfx_head, STRS, REQUIRED),
    FIELD_WITH(replay_event_summary, hit_head, LIST, REQUIRED, .of = &hit),
};
static const struct cdt_struct events =
    TABLE("ReplayEventSummary", event_fields, replay_event_summary, .own = false);

/* ---- sim_state, rng_stream, timing_samples ----------------------------------------------- */

static const struct cdt_field weapon_fields[] = {
    FIELD(snapshot_weapon, weapon_id, INT, REQUIRED),
    FIELD(snapshot_weapon, ammo, REAL, REQUIRED),
    FIELD(snapshot_weapon, clip_size, INT, REQUIRED),
    FIELD(snapshot_weapon, reload_active, BOOL, REQUIRED),
    FIELD(snapshot_weapon, reload_timer, REAL, REQUIRED),
    FIELD(snapshot_weapon, reload_timer_max, REAL, REQUIRED),
    FIELD(snapshot_weapon, shot_cooldown, REAL, REQUIRED),
};
static const struct cdt_struct weapon =
    TABLE("SnapshotWeapon", weapon_fields, snapshot_weapon, .own = false);

static const struct cdt_field sim_player_fields[] = {
    FIELD_WITH(snapshot_player, index, INT, REQUIRED, MOVED(0)),
    FIELD_WITH(snapshot_player, pos, STRUCT, REQUIRED, .of = &pair, MOVED(1)),
    FIELD_WITH(snapshot_player, heading, REAL, REQUIRED, MOVED(6)),
    FIELD_WITH(snapshot_player, move_speed, REAL, REQUIRED, MOVED(7)),
    FIELD_WITH(snapshot_player, move_phase, REAL, REQUIRED, MOVED(8)),
    FIELD_WITH(snapshot_player, aim, STRUCT, REQUIRED, .of = &pair, MOVED(9)),
    FIELD_WITH(snapshot_player, aim_heading, REAL, REQUIRED, MOVED(10)),
    FIELD_WITH(snapshot_player, health, REAL, REQUIRED, MOVED(2)),
    FIELD_WITH(snapshot_player, weapon, STRUCT, REQUIRED, .of = &weapon, MOVED(3)),
    FIELD_WITH(snapshot_player, experience, INT, REQUIRED, MOVED(4)),
    FIELD_WITH(snapshot_player, level, INT, REQUIRED, MOVED(5)),
};
static const struct cdt_struct sim_player =
    TABLE("SnapshotPlayer", sim_player_fields, snapshot_player, .moved = true, .own = true);

static const struct cdt_field gameplay_fields[] = {
    FIELD(snapshot_gameplay, mode_id, INT, REQUIRED),
    FIELD(snapshot_gameplay, quest_stage_major, INT, REQUIRED),
    FIELD(snapshot_gameplay, quest_stage_minor, INT, REQUIRED),
    FIELD(snapshot_gameplay, perk_pending_count, INT, REQUIRED),
    FIELD(snapshot_gameplay, perk_choices_dirty, BOOL, REQUIRED),
    FIELD_WITH(snapshot_gameplay, bonus_timers, STRUCT, REQUIRED, .of = &cdt_snapshot_bonus_timers),
};
static const struct cdt_struct gameplay =
    TABLE("SnapshotGameplay", gameplay_fields, snapshot_gameplay, .own = false);

static const struct cdt_field sim_state_fields[] = {
    FIELD_WITH(sim_state_snapshot, gameplay, STRUCT, REQUIRED, .of = &gameplay),
    FIELD_WITH(sim_state_snapshot, players, LIST, REQUIRED, .of = &sim_player),
};
static const struct cdt_struct sim_state =
    TABLE("SimStateSnapshot", sim_state_fields, sim_state_snapshot, .own = false);

static const struct cdt_field rng_fields[] = {
    FIELD(rng_stream_row, tick_call_index, INT, REQUIRED),
    FIELD(rng_stream_row, value_15, INT, REQUIRED),
    FIELD(rng_stream_row, state_before_u32, INT, REQUIRED),
    FIELD(rng_stream_row, state_after_u32, INT, REQUIRED),
    FIELD(rng_stream_row, caller, INT, NILABLE),
};
static const struct cdt_struct rng = TABLE("RngStreamRow", rng_fields, rng_stream_row, .own = true);

static const struct cdt_field timing_fields[] = {
    FIELD(timing_sample_row, tick_index, INT, REQUIRED),
    FIELD(timing_sample_row, gameplay_frame, INT, NILABLE),
    FIELD(timing_sample_row, phase, STR, REQUIRED),
    FIELD(timing_sample_row, write_kind, STR, REQUIRED),
    FIELD(timing_sample_row, frame_dt_f32, REAL, NILABLE),
    FIELD(timing_sample_row, frame_dt_ms_i32, INT, NILABLE),
    FIELD(timing_sample_row, frame_dt_ms_f32, REAL, NILABLE),
    FIELD(timing_sample_row, time_scale_active_entry, BOOL, NILABLE),
    FIELD(timing_sample_row, time_scale_active_current, BOOL, NILABLE),
    FIELD(timing_sample_row, time_scale_factor, REAL, NILABLE),
    FIELD(timing_sample_row, bonus_reflex_boost_timer, REAL, NILABLE),
    FIELD(timing_sample_row, mode_fn, STR, NILABLE),
    FIELD(timing_sample_row, player_index, INT, NILABLE),
};
static const struct cdt_struct timing =
    TABLE("TimingSampleRow", timing_fields, timing_sample_row, .own = true);

/* ---- entity samples that no schema changed ----------------------------------------------- */

#define HEAD(struct_)                                                                              \
    FIELD(struct_, uid, INT, REQUIRED), FIELD(struct_, generation, INT, REQUIRED),                 \
        FIELD(struct_, pool_kind, STR, REQUIRED), FIELD(struct_, index, INT, REQUIRED),            \
        FIELD(struct_, active, BOOL, REQUIRED)

static const struct cdt_field bonus_fields[] = {
    HEAD(bonus_entity_sample),
    FIELD(bonus_entity_sample, bonus_id, INT, REQUIRED),
    FIELD(bonus_entity_sample, picked, BOOL, REQUIRED),
    FIELD(bonus_entity_sample, time_left, REAL, REQUIRED),
    FIELD(bonus_entity_sample, time_max, REAL, REQUIRED),
    FIELD_WITH(bonus_entity_sample, pos, STRUCT, REQUIRED, .of = &pair),
    FIELD(bonus_entity_sample, amount, INT, REQUIRED),
};
static const struct cdt_struct bonus =
    TABLE("BonusEntitySample", bonus_fields, bonus_entity_sample, .own = true);

/* ---- one schema after the other: see cdt_schema2.h --------------------------------------- */

#define JOINED(a, b) a##_##b
#define JOIN(a, b)   JOINED(a, b)
#define S(name)      JOIN(name, SCHEMA)

#define SCHEMA 19
#include "formats/cdt/cdt_schema2.h"
#undef SCHEMA
#define SCHEMA 20
#include "formats/cdt/cdt_schema2.h"
#undef SCHEMA
#define SCHEMA 21
#include "formats/cdt/cdt_schema2.h"
#undef SCHEMA

const char *cdt_operation_name(struct ras_bytes type)
{
    const struct ras_cdt_replay_operation operation = {.type = type};
    const struct cdt_struct *of = cdt_variant(&preludes, &operation);
    if (of == &preludes)
        of = cdt_variant(&commands, &operation);
    return of == &commands ? NULL : of->name;
}

const struct cdt_model *cdt_model_of(uint32_t container, int64_t schema)
{
    static const struct cdt_model *const models[] = {&cdt_model_12, &cdt_model_19, &cdt_model_20,
                                                     &cdt_model_21};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i]->container == container && models[i]->schema == schema)
            return models[i];
    return NULL;
}
