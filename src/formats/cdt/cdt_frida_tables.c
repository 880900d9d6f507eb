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

static const struct cdt_field residue_fields[] = {
    MINE_WITH(residue, index, INT, REQUIRED, LOOSE),
    MINE_WITH(residue, active, INT, NULLABLE, LOOSE),
    MINE(residue, phase_seed, FLOAT, NULLABLE),
    MINE_WITH(residue, state_flag, INT, NULLABLE, LOOSE),
    MINE_WITH(residue, collision_flag, INT, NULLABLE, LOOSE),
    MINE(residue, collision_timer, FLOAT, NULLABLE),
    MINE(residue, lifecycle_stage, FLOAT, NULLABLE),
    MINE_WITH(residue, pos, STRUCT, DEFAULT, .of = &point),
    MINE_WITH(residue, vel, STRUCT, DEFAULT, .of = &point),
    MINE(residue, hp, FLOAT, NULLABLE),
    MINE(residue, max_hp, FLOAT, NULLABLE),
    MINE(residue, heading, FLOAT, NULLABLE),
    MINE(residue, target_heading, FLOAT, NULLABLE),
    MINE(residue, size, FLOAT, NULLABLE),
    MINE(residue, hit_flash_timer, FLOAT, NULLABLE),
    MINE_WITH(residue, tint, STRUCT, DEFAULT, .of = &tint),
    MINE_WITH(residue, force_target, INT, NULLABLE, LOOSE),
    MINE_WITH(residue, target, STRUCT, DEFAULT, .of = &point),
    MINE(residue, contact_damage, FLOAT, NULLABLE),
    MINE(residue, move_speed, FLOAT, NULLABLE),
    MINE(residue, attack_cooldown, FLOAT, NULLABLE),
    MINE(residue, reward_value, FLOAT, NULLABLE),
    MINE_WITH(residue, type_id, INT, NULLABLE, LOOSE),
    MINE_WITH(residue, target_player, INT, NULLABLE, LOOSE),
    MINE_WITH(residue, link_index, INT, NULLABLE, LOOSE),
    MINE_WITH(residue, target_offset, STRUCT, DEFAULT, .of = &point),
    MINE(residue, orbit_angle, FLOAT, NULLABLE),
    MINE_WITH(residue, orbit_radius_u32, INT, NULLABLE, LOOSE),
    MINE_WITH(residue, flags, INT, NULLABLE, LOOSE),
    MINE_WITH(residue, ai_mode, INT, NULLABLE, LOOSE),
    MINE(residue, anim_phase, FLOAT, NULLABLE),
};
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
