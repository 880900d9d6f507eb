/* cdt_table_checkpoint.c - the checkpoint family, which ignores unknown keys. */
#include "formats/cdt/cdt_table.h"

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
STRUCT(replay_player_checkpoint, "ReplayPlayerCheckpoint", OPEN, NODE);

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
STRUCT(replay_death_ledger_entry, "ReplayDeathLedgerEntry", OPEN, NODE);

static const struct cdt_field replay_hit_summary_entry_fields[] = {
    FIELD(replay_hit_summary_entry, type_id, INT, REQUIRED),
    FIELD_WITH(replay_hit_summary_entry, origin, STRUCT, REQUIRED, .of = &cdt_vec2),
    FIELD_WITH(replay_hit_summary_entry, hit, STRUCT, REQUIRED, .of = &cdt_vec2),
    FIELD_WITH(replay_hit_summary_entry, target, STRUCT, REQUIRED, .of = &cdt_vec2),
};
STRUCT(replay_hit_summary_entry, "ReplayHitSummaryEntry", OPEN, NODE);

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
