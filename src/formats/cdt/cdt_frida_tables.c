/* cdt_frida_tables.c - the rows of a capture as tables: keys, types, defaults.
 *
 * Members are in the order in which the reference declares them: missing ones are reported in that
 * order. */
#include "formats/cdt/cdt_frida.h"
#include "formats/cdt/cdt_table.h"

#define MINE(struct_, member, kind, need_)                                                         \
    {                                                                                              \
        MEMBER(struct frida_##struct_, member), .type = (uint8_t)CDT_##kind, .need = CDT_##need_   \
    }
#define MINE_WITH(struct_, member, kind, need_, ...)                                               \
    {                                                                                              \
        MEMBER(struct frida_##struct_, member), .type = (uint8_t)CDT_##kind, .need = CDT_##need_,  \
                                                __VA_ARGS__                                        \
    }
#define TABLE(struct_, fields_, name_)                                                             \
    {                                                                                              \
        .name = name_, .fields = fields_##_fields,                                                 \
        .count = sizeof fields_##_fields / sizeof *fields_##_fields,                               \
        .size = sizeof(struct frida_##struct_), .closed = true                                     \
    }
#define LOOSE .fixed = FRIDA_LOOSE

static const struct cdt_field fingerprint_fields[] = {
    MINE(fingerprint, session_id, STR, REQUIRED),
    MINE(fingerprint, ptrs_hash, STR, REQUIRED),
    MINE(fingerprint, module_hash, STR, NULLABLE),
};
static const struct cdt_struct fingerprint = TABLE(fingerprint, fingerprint, "RawFingerprint");

static const struct cdt_field session_start_fields[] = {
    MINE(session_start, event, STR, REQUIRED),
    MINE(session_start, capture_format_version, INT, REQUIRED),
    MINE(session_start, session_id, STR, REQUIRED),
    MINE(session_start, out_path, STR, REQUIRED),
    MINE(session_start, platform, STR, REQUIRED),
    MINE(session_start, arch, STR, REQUIRED),
    MINE(session_start, script_version, STR, REQUIRED),
    {MEMBER(struct frida_session_start, config), .type = FRIDA_CONFIG, .need = CDT_REQUIRED},
    MINE_WITH(session_start, session_fingerprint, STRUCT, REQUIRED, .of = &fingerprint),
};

/* ---- run_start --------------------------------------------------------------------- */

static const struct cdt_field point_fields[] = {
    MINE(point, x, FLOAT, NULLABLE),
    MINE(point, y, FLOAT, NULLABLE),
};
static const struct cdt_struct point = TABLE(point, point, "RawV2");

static const struct cdt_field tint_fields[] = {
    MINE(tint, r, FLOAT, NULLABLE),
    MINE(tint, g, FLOAT, NULLABLE),
    MINE(tint, b, FLOAT, NULLABLE),
    MINE(tint, a, FLOAT, NULLABLE),
};
static const struct cdt_struct tint = TABLE(tint, tint, "RawTint");

/* Form 2 has the same keys: all of them must be there, and phase_seed is an int. */
#define RESIDUE(need_, point_need, seed_, point_, tint_, ...)                                      \
    MINE_WITH(residue, index, INT, REQUIRED, __VA_ARGS__),                                         \
        MINE_WITH(residue, active, INT, need_, __VA_ARGS__), seed_,                                \
        MINE_WITH(residue, state_flag, INT, need_, __VA_ARGS__),                                   \
        MINE_WITH(residue, collision_flag, INT, need_, __VA_ARGS__),                               \
        MINE(residue, collision_timer, FLOAT, need_),                                              \
        MINE(residue, lifecycle_stage, FLOAT, need_),                                              \
        MINE_WITH(residue, pos, STRUCT, point_need, .of = &(point_)),                              \
        MINE_WITH(residue, vel, STRUCT, point_need, .of = &(point_)),                              \
        MINE(residue, hp, FLOAT, need_), MINE(residue, max_hp, FLOAT, need_),                      \
        MINE(residue, heading, FLOAT, need_), MINE(residue, target_heading, FLOAT, need_),         \
        MINE(residue, size, FLOAT, need_), MINE(residue, hit_flash_timer, FLOAT, need_),           \
        MINE_WITH(residue, tint, STRUCT, point_need, .of = &(tint_)),                              \
        MINE_WITH(residue, force_target, INT, need_, __VA_ARGS__),                                 \
        MINE_WITH(residue, target, STRUCT, point_need, .of = &(point_)),                           \
        MINE(residue, contact_damage, FLOAT, need_), MINE(residue, move_speed, FLOAT, need_),      \
        MINE(residue, attack_cooldown, FLOAT, need_), MINE(residue, reward_value, FLOAT, need_),   \
        MINE_WITH(residue, type_id, INT, need_, __VA_ARGS__),                                      \
        MINE_WITH(residue, target_player, INT, need_, __VA_ARGS__),                                \
        MINE_WITH(residue, link_index, INT, need_, __VA_ARGS__),                                   \
        MINE_WITH(residue, target_offset, STRUCT, point_need, .of = &(point_)),                    \
        MINE(residue, orbit_angle, FLOAT, need_),                                                  \
        MINE_WITH(residue, orbit_radius_u32, INT, need_, __VA_ARGS__),                             \
        MINE_WITH(residue, flags, INT, need_, __VA_ARGS__),                                        \
        MINE_WITH(residue, ai_mode, INT, need_, __VA_ARGS__),                                      \
        MINE(residue, anim_phase, FLOAT, need_)
static const struct cdt_field residue_fields[] = {
    RESIDUE(NULLABLE, DEFAULT, MINE(residue, phase_seed, FLOAT, NULLABLE), point, tint, LOOSE)};
const struct cdt_struct frida_residue = TABLE(residue, residue, "RawResidue");

static const struct cdt_field run_start_fields[] = {
    MINE(run_start, event, STR, REQUIRED),
    MINE(run_start, run_id, INT, REQUIRED),
    MINE(run_start, mode_id, INT, REQUIRED),
    MINE_WITH(run_start, seed, INT, REQUIRED, LOOSE),
    MINE(run_start, player_count, INT, REQUIRED),
    MINE_WITH(run_start, reason, STR, DEFAULT, .text = "run_start"),
    MINE_WITH(run_start, quest_stage_major, INT, DEFAULT, .number = -1),
    MINE_WITH(run_start, quest_stage_minor, INT, DEFAULT, .number = -1),
    MINE_WITH(run_start, seed_source, STR, DEFAULT, .text = "unknown"),
    MINE_WITH(run_start, tick_index_global, INT, NULLABLE, LOOSE),
    MINE_WITH(run_start, rng_state_at_run_setup, INT, NULLABLE, LOOSE),
    MINE(run_start, rng_setup_caller_static, STR, NULLABLE),
    MINE_WITH(run_start, pool_residue, LIST, NULLABLE, .of = &frida_residue),
};

/* ---- tick ---------------------------------------------------------------------------- */

static const struct cdt_field head_fields[] = {
    MINE_WITH(head, state_before_u32, INT, REQUIRED, LOOSE),
    MINE_WITH(head, state_after_u32, INT, REQUIRED, LOOSE),
    MINE_WITH(head, value_15, INT, NULLABLE, LOOSE),
    MINE(head, caller_static, STR, NULLABLE),
};
static const struct cdt_struct head = TABLE(head, head, "RawOutHead");

static const struct cdt_field bag_fields[] = {
    MINE(bag, calls, INT, DEFAULT),
    MINE(bag, dropped, INT, DEFAULT),
    MINE(bag, caller_counts, TIMERS, DEFAULT),
    MINE_WITH(bag, head, LIST, DEFAULT, .of = &head),
};
static const struct cdt_struct bag = TABLE(bag, bag, "RawOutBag");

static const struct cdt_field rng_row_fields[] = {
    MINE(rng_row, tick_call_index, INT, REQUIRED),  MINE(rng_row, value_15, INT, REQUIRED),
    MINE(rng_row, state_before_u32, INT, REQUIRED), MINE(rng_row, state_after_u32, INT, REQUIRED),
    MINE(rng_row, caller_static, STR, NULLABLE),
};
static const struct cdt_struct rng_row = TABLE(rng_row, rng_row, "RawRng");

/* The members of the canonical struct come first. */
#define SAME(member, kind)                                                                         \
    {                                                                                              \
        MEMBER(struct ras_cdt_snapshot_gameplay, member), .type = CDT_##kind                       \
    }
static const struct cdt_field gameplay_fields[] = {
    SAME(mode_id, INT),
    SAME(quest_stage_major, INT),
    SAME(quest_stage_minor, INT),
    SAME(perk_pending_count, INT),
    SAME(perk_choices_dirty, BOOL),
    {MEMBER(struct ras_cdt_snapshot_gameplay, bonus_timers), .type = CDT_STRUCT,
     .of = &cdt_snapshot_bonus_timers},
    MINE_WITH(gameplay, status, STRUCT, NULLABLE, .of = &cdt_game_status_data),
};
static const struct cdt_struct gameplay = TABLE(gameplay, gameplay, "RawGameplay");

static const struct cdt_field sim_state_fields[] = {
    MINE_WITH(sim_state, gameplay, STRUCT, REQUIRED, .of = &gameplay),
    MINE_WITH(sim_state, players, LIST, REQUIRED, .of = &cdt_snapshot_player),
};
static const struct cdt_struct sim_state = TABLE(sim_state, sim_state, "RawSim");

static const struct cdt_field channels_fields[] = {
    MINE_WITH(channels, checkpoint, STRUCT, REQUIRED, .of = &cdt_replay_checkpoint),
    MINE_WITH(channels, sim_state, STRUCT, REQUIRED, .of = &sim_state),
    MINE_WITH(channels, entity_samples, STRUCT, REQUIRED, .of = &cdt_entity_samples_snapshot),
    MINE_WITH(channels, rng_stream, LIST, REQUIRED, .of = &rng_row),
    MINE_WITH(channels, timing_samples, LIST, REQUIRED, .of = &cdt_timing_sample_row),
};
static const struct cdt_struct channels = TABLE(channels, channels, "RawChannels");

static const struct cdt_field tick_fields[] = {
    MINE(tick, event, STR, REQUIRED),
    MINE(tick, run_id, INT, REQUIRED),
    MINE(tick, elapsed_ms, INT, REQUIRED),
    MINE(tick, dt, FLOAT, REQUIRED),
    MINE(tick, dt_ms_i32, INT, REQUIRED),
    MINE(tick, mode_id, INT, REQUIRED),
    MINE_WITH(tick, channels, STRUCT, REQUIRED, .of = &channels),
    MINE(tick, tick_index_global, INT, NULLABLE),
    MINE_WITH(tick, quest_stage_major, INT, DEFAULT, .number = -1),
    MINE_WITH(tick, quest_stage_minor, INT, DEFAULT, .number = -1),
    MINE(tick, rng_calls, INT, NULLABLE),
    MINE_WITH(tick, rng_outside_before, STRUCT, NULLABLE, .of = &bag),
    MINE_WITH(tick, rng_state_enter_u32, INT, NULLABLE, LOOSE),
    MINE_WITH(tick, rng_state_leave_u32, INT, NULLABLE, LOOSE),
    {MEMBER(struct frida_tick, replay_inputs), .type = FRIDA_INPUTS, .need = CDT_DEFAULT},
};

/* ---- the others ------------------------------------------------------------------------ */

static const struct cdt_field run_end_fields[] = {
    MINE(run_end, event, STR, REQUIRED),
    MINE(run_end, run_id, INT, REQUIRED),
    MINE(run_end, mode_id, INT, REQUIRED),
    MINE(run_end, quest_stage_major, INT, REQUIRED),
    MINE(run_end, quest_stage_minor, INT, REQUIRED),
    MINE(run_end, ticks_written, INT, REQUIRED),
    MINE_WITH(run_end, reason, STR, DEFAULT, .text = "run_end"),
    MINE_WITH(run_end, tick_index_global, INT, NULLABLE, LOOSE),
    MINE_WITH(run_end, rng_outside_tail, STRUCT, NULLABLE, .of = &bag),
};

static const struct cdt_field error_fields[] = {
    MINE(error, event, STR, REQUIRED),
    MINE(error, error, STR, REQUIRED),
    MINE_WITH(error, run_id, INT, NULLABLE, LOOSE),
    MINE(error, tick_index_global, INT, NULLABLE),
};

static const struct cdt_field run_error_fields[] = {
    MINE(error, event, STR, REQUIRED),
    MINE(error, error, STR, REQUIRED),
    MINE_WITH(error, run_id, INT, NULLABLE, LOOSE),
    MINE_WITH(error, mode_id, INT, NULLABLE, LOOSE),
    MINE_WITH(error, quest_stage_major, INT, NULLABLE, LOOSE),
    MINE_WITH(error, quest_stage_minor, INT, NULLABLE, LOOSE),
    MINE_WITH(error, tick_index_global, INT, NULLABLE, LOOSE),
};

static const struct cdt_field session_end_fields[] = {
    MINE(session_end, event, STR, REQUIRED),
    MINE(session_end, session_id, STR, REQUIRED),
    MINE(session_end, ticks_written, INT, REQUIRED),
};

/* ---- form 2: every key is required ------------------------------------------------------ */

static const struct cdt_field fingerprint2_fields[] = {
    MINE(fingerprint, session_id, STR, REQUIRED),
    MINE(fingerprint, ptrs_hash, STR, REQUIRED),
    MINE(fingerprint, module_hash, STR, NILABLE),
};
static const struct cdt_struct fingerprint2 = TABLE(fingerprint, fingerprint2, "RawFingerprint");

static const struct cdt_field session_start2_fields[] = {
    MINE(session_start, event, STR, REQUIRED),
    MINE(session_start, capture_format_version, INT, REQUIRED),
    MINE(session_start, session_id, STR, REQUIRED),
    MINE(session_start, out_path, STR, REQUIRED),
    MINE(session_start, platform, STR, REQUIRED),
    MINE(session_start, arch, STR, REQUIRED),
    MINE(session_start, frida_version, STR, REQUIRED),
    MINE(session_start, script_version, STR, REQUIRED),
    {MEMBER(struct frida_session_start, config), .type = FRIDA_CONFIG, .need = CDT_REQUIRED},
    MINE_WITH(session_start, session_fingerprint, STRUCT, REQUIRED, .of = &fingerprint2),
};

static const struct cdt_field point2_fields[] = {
    MINE(point, x, FLOAT, REQUIRED),
    MINE(point, y, FLOAT, REQUIRED),
};
static const struct cdt_struct point2 = TABLE(point, point2, "RawV2");

static const struct cdt_field tint2_fields[] = {
    MINE(tint, r, FLOAT, REQUIRED),
    MINE(tint, g, FLOAT, REQUIRED),
    MINE(tint, b, FLOAT, REQUIRED),
    MINE(tint, a, FLOAT, REQUIRED),
};
static const struct cdt_struct tint2 = TABLE(tint, tint2, "RawTint");

#define PHASE_NUMBER                                                                               \
    {                                                                                              \
        MEMBER_AS(struct frida_residue, phase_number, "phase_seed"), .type = CDT_INT               \
    }
static const struct cdt_field residue2_fields[] = {
    RESIDUE(REQUIRED, REQUIRED, PHASE_NUMBER, point2, tint2, .fixed = 0)};
static const struct cdt_struct residue2 = TABLE(residue, residue2, "RawResidue");

static const struct cdt_field status_fields[] = {
    MINE(status, quest_unlock_index, INT, REQUIRED),
    MINE(status, quest_unlock_index_full, INT, REQUIRED),
    MINE(status, weapon_usage_counts, INTS, REQUIRED),
    MINE(status, quest_play_counts, INTS, REQUIRED),
    MINE(status, mode_play_survival, INT, REQUIRED),
    MINE(status, mode_play_rush, INT, REQUIRED),
    MINE(status, mode_play_typo, INT, REQUIRED),
    MINE(status, mode_play_other, INT, REQUIRED),
    MINE(status, play_time_ms, INT, REQUIRED),
    MINE(status, reserved_seed_words, INTS, REQUIRED),
};
static const struct cdt_struct status = TABLE(status, status, "RawStatus");

static const struct cdt_field settings_fields[] = {
    MINE(settings, tick_rate, INT, REQUIRED),
    MINE(settings, quest_fail_retry_count, INT, REQUIRED),
    MINE(settings, hardcore, BOOL, REQUIRED),
    MINE(settings, detail_preset, INT, REQUIRED),
    MINE(settings, violence_disabled, INT, REQUIRED),
    MINE(settings, world_size, FLOAT, REQUIRED),
    MINE_WITH(settings, status, STRUCT, REQUIRED, .of = &status),
};
static const struct cdt_struct settings = TABLE(settings, settings, "RawSettings");

static const struct cdt_field run_start2_fields[] = {
    MINE(run_start2, event, STR, REQUIRED),
    MINE(run_start2, run_id, INT, REQUIRED),
    MINE(run_start2, mode_id, INT, REQUIRED),
    MINE(run_start2, player_count, INT, REQUIRED),
    MINE(run_start2, reason, STR, REQUIRED),
    MINE(run_start2, quest_stage_major, INT, REQUIRED),
    MINE(run_start2, quest_stage_minor, INT, REQUIRED),
    MINE(run_start2, global_tick_index, INT, REQUIRED),
    MINE(run_start2, rng_state_before_bootstrap, INT, REQUIRED),
    MINE(run_start2, rng_state_after_bootstrap, INT, REQUIRED),
    MINE(run_start2, rng_bootstrap_calls, INT, REQUIRED),
    MINE_WITH(run_start2, pool_residue, LIST, REQUIRED, .of = &residue2),
    MINE_WITH(run_start2, settings, STRUCT, REQUIRED, .of = &settings),
};

static const struct cdt_field head2_fields[] = {
    MINE(head, state_before_u32, INT, REQUIRED),
    MINE(head, state_after_u32, INT, REQUIRED),
    MINE(head, value_15, INT, REQUIRED),
    MINE(head, caller_static, STR, REQUIRED),
    MINE(head, replay_operation_index, INT, REQUIRED),
};
static const struct cdt_struct head2 = TABLE(head, head2, "RawOutHead");

static const struct cdt_field bag2_fields[] = {
    MINE(bag, calls, INT, REQUIRED),
    MINE(bag, dropped, INT, REQUIRED),
    MINE(bag, caller_counts, TIMERS, REQUIRED),
    MINE_WITH(bag, head, LIST, REQUIRED, .of = &head2),
};
static const struct cdt_struct bag2 = TABLE(bag, bag2, "RawOutBag");

/* A value of JSON that is kept: what it may start with. */
#define ANY(struct_, member, starts)                                                               \
    {                                                                                              \
        MEMBER(struct frida_##struct_, member), .type = FRIDA_ANY, .need = CDT_REQUIRED,           \
                                                .text = starts                                     \
    }
#define NUMBER_OR_NULL "-0123456789n"

static const struct cdt_field proof_events_fields[] = {
    MINE(proof_events, hit_count, INT, REQUIRED),
    MINE(proof_events, pickup_count, INT, REQUIRED),
    MINE(proof_events, sfx_count, INT, REQUIRED),
    ANY(proof_events, sfx_head, "["),
    ANY(proof_events, hit_head, "["),
};
static const struct cdt_struct proof_events = TABLE(proof_events, proof_events, "RawEventEvidence");

static const struct cdt_field proof_checkpoint_fields[] = {
    MINE(proof_checkpoint, elapsed_ms, INT, REQUIRED),
    ANY(proof_checkpoint, deaths, "["),
    MINE_WITH(proof_checkpoint, events, STRUCT, REQUIRED, .of = &proof_events),
};
static const struct cdt_struct proof_checkpoint =
    TABLE(proof_checkpoint, proof_checkpoint, "RawCheckpointEvidence");

static const struct cdt_field clocks_fields[] = {
    MINE(clocks, time_played_ms_raw, INT, REQUIRED),
    MINE(clocks, quest_spawn_timeline_raw, INT, REQUIRED),
    MINE(clocks, summed_replay_clock_ms, INT, REQUIRED),
    MINE(clocks, canonical_elapsed_ms, INT, REQUIRED),
};
static const struct cdt_struct clocks = TABLE(clocks, clocks, "RawClocks");

static const struct cdt_field proof_fields[] = {
    MINE(proof, event_counts, TIMERS, REQUIRED),
    MINE(proof, event_overflow, BOOL, REQUIRED),
    ANY(proof, event_heads, "{"),
    ANY(proof, diagnostics, "{"),
    ANY(proof, input_queries, "{"),
    ANY(proof, input_player_keys, "["),
    ANY(proof, input_approx, "["),
    ANY(proof, before, "{"),
    ANY(proof, after, "{"),
    ANY(proof, samples, "{"),
    ANY(proof, frame_dt_ms, NUMBER_OR_NULL),
    ANY(proof, frame_dt_ms_i32, NUMBER_OR_NULL),
    MINE_WITH(proof, checkpoint_private, STRUCT, REQUIRED, .of = &proof_checkpoint),
    MINE_WITH(proof, clocks, STRUCT, REQUIRED, .of = &clocks),
};
const struct cdt_struct frida_proof = TABLE(proof, proof, "RawEvidence");

static const struct cdt_field tick2_fields[] = {
    MINE(tick2, event, STR, REQUIRED),
    MINE(tick2, run_id, INT, REQUIRED),
    MINE(tick2, tick_index, INT, REQUIRED),
    MINE(tick2, global_tick_index, INT, REQUIRED),
    MINE(tick2, elapsed_ms, INT, REQUIRED),
    MINE(tick2, dt_ms_i32, INT, REQUIRED),
    MINE(tick2, mode_id, INT, REQUIRED),
    {MEMBER(struct frida_tick2, channels), .type = FRIDA_CHANNELS, .need = CDT_REQUIRED},
    MINE(tick2, quest_stage_major, INT, REQUIRED),
    MINE(tick2, quest_stage_minor, INT, REQUIRED),
    MINE(tick2, rng_calls, INT, REQUIRED),
    MINE_WITH(tick2, rng_outside_before, STRUCT, REQUIRED, .of = &bag2),
    MINE(tick2, rng_state_enter_u32, INT, REQUIRED),
    MINE(tick2, rng_state_leave_u32, INT, REQUIRED),
    MINE_WITH(tick2, evidence, STRUCT, REQUIRED, .of = &frida_proof),
};

static const struct cdt_field run_end2_fields[] = {
    MINE(run_end2, event, STR, REQUIRED),
    MINE(run_end2, run_id, INT, REQUIRED),
    MINE(run_end2, mode_id, INT, REQUIRED),
    MINE(run_end2, quest_stage_major, INT, REQUIRED),
    MINE(run_end2, quest_stage_minor, INT, REQUIRED),
    MINE(run_end2, ticks_written, INT, REQUIRED),
    MINE(run_end2, reason, STR, REQUIRED),
    MINE(run_end2, global_tick_index, INT, REQUIRED),
    {MEMBER(struct frida_run_end2, trailing_prelude), .type = FRIDA_PRELUDE, .need = CDT_REQUIRED},
    MINE_WITH(run_end2, rng_outside_tail, STRUCT, REQUIRED, .of = &bag2),
};

#define GLOBAL_TICK                                                                                \
    {                                                                                              \
        MEMBER_AS(struct frida_error, tick_index_global, "global_tick_index"),                     \
            .type = CDT_INT, .need = CDT_NULLABLE, LOOSE                                           \
    }
static const struct cdt_field error2_fields[] = {
    MINE(error, event, STR, REQUIRED),
    MINE(error, error, STR, REQUIRED),
    MINE_WITH(error, run_id, INT, NULLABLE, LOOSE),
    GLOBAL_TICK,
};

static const struct cdt_field run_error2_fields[] = {
    MINE(error, event, STR, REQUIRED),
    MINE(error, error, STR, REQUIRED),
    MINE_WITH(error, run_id, INT, NULLABLE, LOOSE),
    MINE_WITH(error, mode_id, INT, NULLABLE, LOOSE),
    MINE_WITH(error, quest_stage_major, INT, NULLABLE, LOOSE),
    MINE_WITH(error, quest_stage_minor, INT, NULLABLE, LOOSE),
    GLOBAL_TICK,
};

/* ---- the rows ------------------------------------------------------------------------------ */

const struct cdt_struct frida_rows2[FRIDA_EVENTS] = {
    [FRIDA_SESSION_START] = TABLE(session_start, session_start2, "RawSessionStart"),
    [FRIDA_RUN_START] = TABLE(run_start2, run_start2, "RawRunStart"),
    [FRIDA_TICK] = TABLE(tick2, tick2, "RawTick"),
    [FRIDA_RUN_END] = TABLE(run_end2, run_end2, "RawRunEnd"),
    [FRIDA_RUN_ERROR] = TABLE(error, run_error2, "RawRunError"),
    [FRIDA_ERROR] = TABLE(error, error2, "RawError"),
};

const struct cdt_struct frida_rows[FRIDA_EVENTS] = {
    [FRIDA_SESSION_START] = TABLE(session_start, session_start, "RawSessionStart"),
    [FRIDA_RUN_START] = TABLE(run_start, run_start, "RawRunStart"),
    [FRIDA_TICK] = TABLE(tick, tick, "RawTick"),
    [FRIDA_RUN_END] = TABLE(run_end, run_end, "RawRunEnd"),
    [FRIDA_RUN_ERROR] = TABLE(error, run_error, "RawRunError"),
    [FRIDA_ERROR] = TABLE(error, error, "RawError"),
    [FRIDA_SESSION_END] = TABLE(session_end, session_end, "RawSessionEnd"),
};

const char *const frida_event_names[FRIDA_EVENTS] = {
    [FRIDA_SESSION_START] = "session_start",
    [FRIDA_RUN_START] = "run_start",
    [FRIDA_TICK] = "tick",
    [FRIDA_RUN_END] = "run_end",
    [FRIDA_RUN_ERROR] = "run_error",
    [FRIDA_ERROR] = "error",
    [FRIDA_SESSION_END] = "session_end",
};
