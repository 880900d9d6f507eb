/* cdt_frida.h - the rows of a Frida raw capture and their decoder; used in formats/cdt only.
 *
 * A capture is JSON Lines: session_start (run_start tick* [run_error] run_end)* session_end, the
 * last only in formats 13 to 15. Rows are decoded by tables, like the structs of a trace, into the
 * structs below; structs of a trace that occur in rows unchanged are decoded by their own tables.
 *
 * There are two forms of rows: 1 of formats 13 to 15, which become traces of container 1, and 2 of
 * formats 28 and 29, which become traces of container 2. */
#ifndef CDT_FRIDA_H
#define CDT_FRIDA_H

#include "base/out.h"
#include "formats/cdt/cdt_model.h"

/* ---- rows ------------------------------------------------------------------- */

enum frida_event {
    FRIDA_SESSION_START,
    FRIDA_RUN_START,
    FRIDA_TICK,
    FRIDA_RUN_END,
    FRIDA_RUN_ERROR,
    FRIDA_ERROR,
    FRIDA_SESSION_END,
    FRIDA_EVENTS,
};

/* Types of members beyond enum cdt_type. */
enum frida_type {
    FRIDA_INPUTS = CDT_UNION + 1, /* {at, count} of tuples that are checked and dropped */
    FRIDA_CONFIG,                 /* struct frida_config */
    /* of form 2 */
    FRIDA_CHANNELS, /* struct ras_cdt_replay_tick_channels, by the schema */
    FRIDA_PRELUDE,  /* {at, count} of operations, by the schema */
    FRIDA_ANY,      /* struct ras_bytes: the text of a value that starts with one of `text` */
};

/* In cdt_field.fixed of an int that is not used: a value beyond 64 bits is accepted. */
enum { FRIDA_LOOSE = 1 };

struct frida_list {
    const void *at;
    size_t count;
};

/* The settings that are used, of 44 in form 1 and 43 in form 2. */
enum { FRIDA_LIMITS = 10, FRIDA_HOOKS = 3 };
struct frida_config {
    struct ras_bytes out_path, out_path_source;
    struct ras_cdt_int limits[FRIDA_LIMITS]; /* in the order in which they are reported */
    struct ras_cdt_int focus_tick, player_count_override;
    bool hooks[FRIDA_HOOKS]; /* likewise */
};
extern const char *const frida_limit_names[FRIDA_LIMITS];
extern const char *const frida_hook_names[FRIDA_HOOKS];

struct frida_fingerprint {
    struct ras_cdt_node node;
    struct ras_bytes session_id, ptrs_hash, module_hash;
};

struct frida_session_start {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t capture_format_version;
    struct ras_bytes session_id, out_path, platform, arch, frida_version, script_version;
    struct frida_config config;
    struct frida_fingerprint session_fingerprint;
};

struct frida_point {
    struct ras_cdt_node node;
    double x, y;
};

struct frida_tint {
    struct ras_cdt_node node;
    double r, g, b, a;
};

/* A slot of pool_residue: it belongs to the replay. */
struct frida_residue {
    struct ras_cdt_node node;
    int64_t index, active;
    double phase_seed;
    int64_t phase_number; /* phase_seed of form 2 */
    int64_t state_flag, collision_flag;
    double collision_timer, lifecycle_stage;
    struct frida_point pos, vel;
    double hp, max_hp, heading, target_heading, size, hit_flash_timer;
    struct frida_tint tint;
    int64_t force_target;
    struct frida_point target;
    double contact_damage, move_speed, attack_cooldown, reward_value;
    int64_t type_id, target_player, link_index;
    struct frida_point target_offset;
    double orbit_angle;
    int64_t orbit_radius_u32, flags, ai_mode;
    double anim_phase;
};

struct frida_run_start {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t run_id, mode_id, seed, player_count;
    struct ras_bytes reason;
    int64_t quest_stage_major, quest_stage_minor;
    struct ras_bytes seed_source;
    int64_t tick_index_global, rng_state_at_run_setup;
    struct ras_bytes rng_setup_caller_static;
    RAS_CDT_LIST(struct frida_residue) pool_residue;
};

struct frida_head {
    struct ras_cdt_node node;
    int64_t state_before_u32, state_after_u32, value_15;
    struct ras_bytes caller_static;
    int64_t replay_operation_index; /* form 2 */
};

/* Draws outside of ticks. */
struct frida_bag {
    struct ras_cdt_node node;
    int64_t calls, dropped;
    RAS_CDT_LIST(struct ras_cdt_timer) caller_counts;
    RAS_CDT_LIST(struct frida_head) head;
};

struct frida_rng_row {
    struct ras_cdt_node node;
    int64_t tick_call_index, value_15, state_before_u32, state_after_u32;
    struct ras_bytes caller_static;
};

struct frida_gameplay {
    struct ras_cdt_snapshot_gameplay canonical; /* its node is that of the row */
    struct ras_cdt_game_status_data status;
};

struct frida_sim_state {
    struct ras_cdt_node node;
    struct frida_gameplay gameplay;
    RAS_CDT_LIST(struct ras_cdt_snapshot_player) players;
};

struct frida_channels {
    struct ras_cdt_node node;
    struct ras_cdt_replay_checkpoint checkpoint;
    struct frida_sim_state sim_state;
    struct ras_cdt_entity_samples_snapshot entity_samples;
    RAS_CDT_LIST(struct frida_rng_row) rng_stream;
    RAS_CDT_LIST(struct ras_cdt_timing_sample_row) timing_samples;
};

struct frida_tick {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t run_id, elapsed_ms;
    double dt;
    int64_t dt_ms_i32, mode_id;
    struct frida_channels channels;
    int64_t tick_index_global, quest_stage_major, quest_stage_minor, rng_calls;
    struct frida_bag rng_outside_before;
    int64_t rng_state_enter_u32, rng_state_leave_u32;
    struct frida_list replay_inputs;
};

struct frida_run_end {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t run_id, mode_id, quest_stage_major, quest_stage_minor, ticks_written;
    struct ras_bytes reason;
    int64_t tick_index_global;
    struct frida_bag rng_outside_tail;
};

/* ---- rows of form 2 --------------------------------------------------------------- */

struct frida_status {
    struct ras_cdt_node node;
    int64_t quest_unlock_index, quest_unlock_index_full;
    struct ras_cdt_int_list weapon_usage_counts, quest_play_counts;
    int64_t mode_play_survival, mode_play_rush, mode_play_typo, mode_play_other, play_time_ms;
    struct ras_cdt_int_list reserved_seed_words;
};

struct frida_settings {
    struct ras_cdt_node node;
    int64_t tick_rate, quest_fail_retry_count;
    bool hardcore;
    int64_t detail_preset, violence_disabled;
    double world_size;
    struct frida_status status;
};

struct frida_run_start2 {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t run_id, mode_id, player_count;
    struct ras_bytes reason;
    int64_t quest_stage_major, quest_stage_minor, global_tick_index;
    int64_t rng_state_before_bootstrap, rng_state_after_bootstrap, rng_bootstrap_calls;
    RAS_CDT_LIST(struct frida_residue) pool_residue;
    struct frida_settings settings;
};

/* What a tick leaves in the evidence file. Members of type FRIDA_ANY are texts of JSON. */
struct frida_proof_events {
    struct ras_cdt_node node;
    int64_t hit_count, pickup_count, sfx_count;
    struct ras_bytes sfx_head, hit_head;
};

struct frida_proof_checkpoint {
    struct ras_cdt_node node;
    int64_t elapsed_ms;
    struct ras_bytes deaths;
    struct frida_proof_events events;
};

struct frida_clocks {
    struct ras_cdt_node node;
    int64_t time_played_ms_raw, quest_spawn_timeline_raw;
    int64_t summed_replay_clock_ms, canonical_elapsed_ms;
};

struct frida_proof {
    struct ras_cdt_node node;
    RAS_CDT_LIST(struct ras_cdt_timer) event_counts;
    bool event_overflow;
    struct ras_bytes event_heads, diagnostics, input_queries, input_player_keys, input_approx;
    struct ras_bytes before, after, samples, frame_dt_ms, frame_dt_ms_i32;
    struct frida_proof_checkpoint checkpoint_private;
    struct frida_clocks clocks;
};
extern const struct cdt_struct frida_proof;

struct frida_tick2 {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t run_id, tick_index, global_tick_index, elapsed_ms, dt_ms_i32, mode_id;
    struct ras_cdt_replay_tick_channels channels;
    int64_t quest_stage_major, quest_stage_minor, rng_calls;
    struct frida_bag rng_outside_before;
    int64_t rng_state_enter_u32, rng_state_leave_u32;
    struct frida_proof evidence;
};

struct frida_run_end2 {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t run_id, mode_id, quest_stage_major, quest_stage_minor, ticks_written;
    struct ras_bytes reason;
    int64_t global_tick_index;
    RAS_CDT_LIST(struct ras_cdt_replay_operation) trailing_prelude;
    struct frida_bag rng_outside_tail;
};

/* ---- rows of both ----------------------------------------------------------------- */

struct frida_error {
    struct ras_cdt_node node;
    struct ras_bytes event, error;
    int64_t run_id, mode_id, quest_stage_major, quest_stage_minor, tick_index_global;
};

struct frida_session_end {
    struct ras_cdt_node node;
    struct ras_bytes event, session_id;
    int64_t ticks_written;
};

/* Numbers of members in node bits. */
enum {
    FRIDA_RUN_START_SETUP = 10,
    FRIDA_RUN_START_RESIDUE = 12,
    FRIDA_RNG_CALLER = 4,
    FRIDA_GAMEPLAY_STATUS = 6,
    FRIDA_TICK_GLOBAL = 7,
    FRIDA_TICK_RNG_CALLS = 10,
    FRIDA_TICK_OUTSIDE,
    FRIDA_TICK_ENTER,
    FRIDA_TICK_LEAVE,
    FRIDA_RUN_END_TAIL = 8,
};

/* Of form 2 there is no session_end: its `fields` are NULL. */
extern const struct cdt_struct frida_rows[FRIDA_EVENTS], frida_rows2[FRIDA_EVENTS];
extern const char *const frida_event_names[FRIDA_EVENTS];
extern const struct cdt_struct frida_residue;

/* One row, decoded. */
struct frida_row {
    enum frida_event event;
    union {
        struct frida_session_start session_start;
        struct frida_run_start run_start;
        struct frida_tick tick;
        struct frida_run_end run_end;
        struct frida_error error; /* run_error as well */
        struct frida_session_end session_end;
        struct frida_run_start2 run_start2;
        struct frida_tick2 tick2;
        struct frida_run_end2 run_end2;
    };
};

struct arena;

/* Decodes a line, which is followed by a NUL and JSON_PADDING more bytes. Texts lie in the line or,
 * like lists, in the arena. If the line is not a valid row, returns false and sets problem->what in
 * the words of the reference decoder, and the offset. `model` is the schema of the channels in rows
 * of form 2; NULL: rows of form 1. */
bool frida_decode(struct ras_bytes line, const struct cdt_model *model, struct arena *arena,
                  struct frida_row *row, struct cdt_problem *problem) RAS_CHECKED;
/* The capture_format_version of a line that is a session_start; false: there is none, or it is not
 * an int of 64 bits. */
bool frida_version_of(struct ras_bytes line, struct arena *arena, struct ras_cdt_int *version);
#endif
