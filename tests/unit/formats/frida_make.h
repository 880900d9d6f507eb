/* frida_make.h - a small raw capture, row by row, for the tests of finalizing. */
#ifndef FRIDA_MAKE_H
#define FRIDA_MAKE_H

#include <stddef.h>
#include <string.h>

#define FRIDA_SESSION(version)                                                                     \
    "{\"event\":\"session_start\",\"capture_format_version\":" version ",\"session_id\":\"s\","    \
    "\"out_path\":\"o\",\"platform\":\"windows\",\"arch\":\"ia32\",\"script_version\":\"14\","     \
    "\"config\":{\"out_path\":\"o\",\"capture_profile\":\"p\",\"config_env_overrides\":[],"        \
    "\"log_mode\":\"l\",\"console_events\":[\"a\"],\"tracked_states\":[6,7],"                      \
    "\"creature_micro_slots\":[],\"console_all_events\":true,\"include_caller\":true,"             \
    "\"include_backtrace\":false,\"emit_ticks_outside_tracked_states\":false,"                     \
    "\"flush_capture_writes\":true,\"enable_rng_roll_log\":true,"                                  \
    "\"enable_rng_state_mirror\":true,\"enable_input_hooks\":true,\"enable_rng_hooks\":true,"      \
    "\"enable_sfx_hooks\":true,\"enable_damage_hooks\":true,\"enable_effect_hooks\":true,"         \
    "\"creature_damage_projectile_only\":true,\"enable_spawn_hooks\":true,"                        \
    "\"enable_creature_spawn_hook\":true,\"enable_creature_death_hook\":true,"                     \
    "\"enable_bonus_spawn_hook\":true,\"enable_creature_lifecycle_digest\":true,"                  \
    "\"enable_creature_micro_hooks\":true,\"player_count_override\":0,\"focus_tick\":-1,"          \
    "\"focus_radius\":0,\"heartbeat_ms\":0,\"max_head_per_kind\":-1,"                              \
    "\"max_events_per_tick\":-1,\"max_rng_head_per_tick\":-1,\"max_rng_caller_kinds\":-1,"         \
    "\"max_rng_roll_log_events\":-1,\"max_rng_outside_tick_head\":-1,"                             \
    "\"max_creature_delta_ids\":-1,\"creature_sample_limit\":-1,"                                  \
    "\"projectile_sample_limit\":-1,\"secondary_projectile_sample_limit\":-1,"                     \
    "\"bonus_sample_limit\":-1,\"creature_micro_tick_start\":-1,"                                  \
    "\"creature_micro_tick_end\":-1,\"creature_micro_max_head_per_tick\":-1},"                     \
    "\"session_fingerprint\":{\"session_id\":\"s\",\"ptrs_hash\":\"p\"}}\n"

#define FRIDA_RUN                                                                                  \
    "{\"event\":\"run_start\",\"run_id\":1,\"mode_id\":1,\"seed\":5,\"player_count\":1,"           \
    "\"rng_state_at_run_setup\":7,\"quest_stage_major\":1,\"quest_stage_minor\":5}\n"

#define FRIDA_CREATURE                                                                             \
    "{\"uid\":0,\"generation\":1,\"pool_kind\":\"creature\",\"index\":0,\"active\":true,"          \
    "\"type_id\":2,\"hp\":40,\"pos\":{\"x\":1.5,\"y\":-0.0},\"flags\":4,\"ai_mode\":0,"            \
    "\"link_index\":-1,\"heading\":0.25,\"target_heading\":1e-7,\"orbit_angle\":0,"                \
    "\"orbit_radius\":10,\"lifecycle_stage\":16}"

/* A tick; `dt` is that of the row and of its timing, `rng` the rows of the stream. */
#define FRIDA_TICK_WITH(dt, calls, rng)                                                            \
    "{\"event\":\"tick\",\"run_id\":1,\"mode_id\":1,\"elapsed_ms\":16,\"dt\":" dt ","              \
    "\"dt_ms_i32\":16,\"tick_index_global\":900,\"quest_stage_major\":1,"                          \
    "\"quest_stage_minor\":5,\"rng_calls\":" calls ",\"rng_outside_before\":{},"                   \
    "\"rng_state_enter_u32\":7,\"rng_state_leave_u32\":7,\"replay_inputs\":[[0,0,0.5,1,3]],"       \
    "\"channels\":{\"checkpoint\":{\"tick_index\":900,\"rng_state\":7,\"elapsed_ms\":16,"          \
    "\"score_xp\":0,\"kills\":0,\"creature_count\":1,\"perk_pending\":0,\"players\":[{\"pos\":"    \
    "{\"x\":1,\"y\":2},\"health\":100,\"weapon_id\":1,\"ammo\":10,\"experience\":0,"               \
    "\"level\":1}],\"bonus_timers\":{\"2\":1,\"4\":0,\"2\":3},\"extra\":[{\"a\":[1]}]},"           \
    "\"rng_stream\":[" rng "],\"timing_samples\":[{\"tick_index\":900,\"gameplay_frame\":901,"     \
    "\"phase\":\"gpur_enter\",\"frame_dt_f32\":" dt ",\"frame_dt_ms_i32\":16}],"                   \
    "\"sim_state\":{\"gameplay\":{\"mode_id\":1,\"quest_stage_major\":1,"                          \
    "\"quest_stage_minor\":5,\"perk_pending_count\":0,\"perk_choices_dirty\":false,"               \
    "\"bonus_timers\":{\"weapon_power_up_ms\":0,\"reflex_boost_ms\":0,\"energizer_ms\":0,"         \
    "\"double_experience_ms\":0,\"freeze_ms\":0},\"status\":{\"mode_play_rush\":3,"                \
    "\"unknown_tail\":\"AAEC\"}},\"players\":[{\"index\":0,\"pos\":{\"x\":1,\"y\":2},"             \
    "\"health\":100,\"weapon\":{\"weapon_id\":1,\"ammo\":10,\"clip_size\":10,"                     \
    "\"reload_active\":false,\"reload_timer\":0,\"reload_timer_max\":1,"                           \
    "\"shot_cooldown\":0},\"experience\":0,\"level\":1}]},\"entity_samples\":{"                    \
    "\"creatures\":[" FRIDA_CREATURE "],\"projectiles\":[],\"secondary_projectiles\":[],"          \
    "\"bonuses\":[]}}}\n"

#define FRIDA_TICK_ROW FRIDA_TICK_WITH("0.0166", "0", "")

#define FRIDA_RUN_END_ROW(ticks)                                                                   \
    "{\"event\":\"run_end\",\"run_id\":1,\"mode_id\":1,\"quest_stage_major\":1,"                   \
    "\"quest_stage_minor\":5,\"ticks_written\":" ticks ",\"rng_outside_tail\":{\"calls\":1,"       \
    "\"caller_counts\":{\"unknown\":1}}}\n"

#define FRIDA_SESSION_END_ROW(ticks)                                                               \
    "{\"event\":\"session_end\",\"session_id\":\"s\",\"ticks_written\":" ticks "}\n"

/* Two ticks, whole; returns the size. */
static inline size_t frida_capture(char room[8192])
{
    static const char *const rows[] = {FRIDA_SESSION("14"),    FRIDA_RUN,
                                       FRIDA_TICK_ROW,         FRIDA_TICK_ROW,
                                       FRIDA_RUN_END_ROW("2"), FRIDA_SESSION_END_ROW("2")};
    size_t size = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(room + size, rows[i], strlen(rows[i]));
        size += strlen(rows[i]);
    }
    return size;
}
#endif
