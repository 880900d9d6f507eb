/* cdt_frida.h - the rows of a Frida raw capture and their decoder; used in formats/cdt only.
 *
 * A capture is JSON Lines: session_start (run_start tick* [run_error] run_end)* session_end. Rows
 * are decoded by tables, like the structs of a trace, into the structs below; structs of a trace
 * that occur in rows unchanged are decoded by their own tables. */
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
    FRIDA_INPUTS = CDT_FIXED_POS + 1, /* {at, count} of tuples that are checked and dropped */
    FRIDA_CONFIG,                     /* struct frida_config */
};

/* In cdt_field.fixed of an int that is not used: a value beyond 64 bits is accepted. */
enum { FRIDA_LOOSE = 1 };

struct frida_list {
    const void *at;
    size_t count;
};

/* The settings that are used, of 44. */
enum { FRIDA_LIMITS = 10 };
struct frida_config {
    struct ras_bytes out_path;
    struct ras_cdt_int limits[FRIDA_LIMITS]; /* in the order in which they are reported */
    struct ras_cdt_int focus_tick;
};
extern const char *const frida_limit_names[FRIDA_LIMITS];

struct frida_fingerprint {
    struct ras_cdt_node node;
    struct ras_bytes session_id, ptrs_hash, module_hash;
};

struct frida_session_start {
    struct ras_cdt_node node;
    struct ras_bytes event;
    int64_t capture_format_version;
    struct ras_bytes session_id, out_path, platform, arch, script_version;
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

/* A slot of pool_residue: it belongs to the replay and is only checked here. */
struct frida_residue {
    struct ras_cdt_node node;
    int64_t index, active;
    double phase_seed;
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

extern const struct cdt_struct frida_rows[FRIDA_EVENTS];
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
    };
};

struct arena;

/* Decodes a line, which is followed by a NUL and JSON_PADDING more bytes. Texts lie in the line or,
 * like lists, in the arena. If the line is not a valid row, returns false and sets problem->what in
 * the words of the reference decoder, and the offset. */
bool frida_decode(struct ras_bytes line, struct arena *arena, struct frida_row *row,
                  struct cdt_problem *problem) RAS_CHECKED;
#endif
