/* cdt.h - native access to CDT, the crimson debug trace: container 1 with schema 12, container 2
 * with schemas 19, 20 and 21.
 *
 * Everything the format holds, in its own words: the structs below bear the
 * names of the specification. One struct serves all schemas: members that only container 2 has
 * come last, and are not set in traces of container 1. Decoding happens in caller memory's terms: a
 * trace is a span of bytes, strings point into the decompressed chunk, lists
 * into memory that the reader keeps. All of it is borrowed, until the next call
 * on the same reader, and nothing here needs the common model of rastrum.h.
 *
 *     struct ras_cdt *cdt;
 *     const struct ras_cdt_tick_record *tick;
 *     int status = ras_cdt_open(&cdt, bytes.at, bytes.len, NULL, err);
 *     if (status == RAS_OK && (status = ras_cdt_tick_at(cdt, 300, &tick, err)) == RAS_OK)
 *         printf("tick %" PRId64 "\n", tick->tick_index);
 *     ras_cdt_close(cdt); */
#ifndef RASTRUM_CDT_H
#define RASTRUM_CDT_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- container bytes ---------------------------------------------------- */

#define RAS_CDT_MAGIC           "crimson_debug_trace_v1\n" /* 23 bytes, no NUL in the file */
#define RAS_CDT_TRAILER_MAGIC   "CDTFTR1\n"
#define RAS_CDT_MAGIC_2         "crimson_debug_trace_v2\n"
#define RAS_CDT_TRAILER_MAGIC_2 "CDTFTR2\n"

enum {
    RAS_CDT_MAGIC_SIZE = 23,
    RAS_CDT_HEADER_SIZE = 27, /* magic, u32 trace_format_version; META starts here */
    RAS_CDT_CHUNK_HEADER_SIZE = 32,
    RAS_CDT_TRAILER_SIZE = 16,
    RAS_CDT_FORMAT_VERSION = 1,
    RAS_CDT_SCHEMA_VERSION = 12,
    RAS_CDT_FORMAT_VERSION_2 = 2, /* its schemas: 19, 20, 21 */
};

enum ras_cdt_kind { RAS_CDT_UNKNOWN, RAS_CDT_META, RAS_CDT_TICK, RAS_CDT_FOTR };

enum ras_cdt_flags { RAS_CDT_FLAG_ZSTD = 1, RAS_CDT_FLAG_MSGPACK = 2 };

/* The fixed head of a chunk, <4siiIIIQ. */
struct ras_cdt_chunk {
    enum ras_cdt_kind kind;
    char kind_text[5];            /* the four bytes as they are */
    int32_t start_tick, end_tick; /* -1 in META and FOTR */
    uint32_t flags;
    uint32_t compressed_len, uncompressed_len;
    uint64_t checksum64; /* BLAKE2b-64 of the uncompressed bytes */
};

/* Magic and version at the start: RAS_OK and *version; RAS_ECUT when they are
 * not all there, RAS_EFORMAT when the magic differs. */
RAS_API int ras_cdt_header_get(struct ras_bytes file, uint32_t *version,
                               struct ras_error *err) RAS_CHECKED;
/* The chunk header at `offset`: RAS_OK, or RAS_ECUT when fewer than 32 bytes
 * are there. Any kind is returned; its length is not compared with the file. */
RAS_API int ras_cdt_chunk_get(struct ras_bytes file, uint64_t offset, struct ras_cdt_chunk *chunk,
                              struct ras_error *err) RAS_CHECKED;
/* The last 16 bytes: RAS_OK and *footer_offset; RAS_EFORMAT when the file does
 * not end with a trailer. */
RAS_API int ras_cdt_trailer_get(struct ras_bytes file, uint64_t *footer_offset,
                                struct ras_error *err) RAS_CHECKED;

/* The same to bytes: RAS_CDT_HEADER_SIZE, RAS_CDT_CHUNK_HEADER_SIZE and
 * RAS_CDT_TRAILER_SIZE of them at `to`. */
RAS_API void ras_cdt_header_put(void *to);
RAS_API void ras_cdt_chunk_put(const struct ras_cdt_chunk *chunk, void *to);
RAS_API void ras_cdt_trailer_put(uint64_t footer_offset, void *to);

/* ---- the structs ----------------------------------------------------- */

/* What a decoded struct remembers of its bytes. Bits of `present` and `wide`
 * count the struct's members in their order, from 0.
 * A member whose key is absent has its default; a nullable member holds a value
 * only if its `present` bit is set, so absent and nil are the same. An int above
 * INT64_MAX (the format allows up to UINT64_MAX) is stored as its bits, with its
 * `wide` bit set. */
struct ras_cdt_node {
    uint32_t at, length; /* its span in the chunk's uncompressed payload */
    uint32_t present;    /* keys that are there and not nil */
    uint32_t wide;
};

/* Whether the key of a member, counted in the order of its struct from 0, is there and not nil. */
static inline bool ras_cdt_has(const struct ras_cdt_node *node, unsigned member)
{
    return node->present >> member & 1;
}

/* For writing: a nullable member has a value. */
static inline void ras_cdt_set(struct ras_cdt_node *node, unsigned member)
{
    node->present |= UINT32_C(1) << member;
}

/* One int of an array or map; `wide` as above. */
struct ras_cdt_int {
    int64_t value;
    bool wide;
};

#define RAS_CDT_LIST(type)                                                                         \
    struct {                                                                                       \
        const type *at;                                                                            \
        size_t count;                                                                              \
    }

struct ras_cdt_int_list {
    const struct ras_cdt_int *at;
    size_t count;
};

struct ras_cdt_int_lists {
    const struct ras_cdt_int_list *at;
    size_t count;
};

struct ras_cdt_timer {
    struct ras_bytes key;
    struct ras_cdt_int value;
};

struct ras_cdt_trace_producer {
    struct ras_cdt_node node;
    struct ras_bytes impl, impl_version, platform, arch;
};

/* Every member may be nil. */
struct ras_cdt_trace_source {
    struct ras_cdt_node node;
    struct ras_bytes path, sha256;
    int64_t size, mtime_ns;
    struct ras_bytes kind;
    int64_t tick_rate, seed, mode_id;
    struct ras_bytes quest_level;
    int64_t run_id, quest_stage_major, quest_stage_minor, global_tick_first, global_tick_last;
    struct ras_bytes run_start_seed_source;
    /* of container 2 */
    struct ras_bytes replay_sha256;
    int64_t player_count;
};

enum {
    RAS_CDT_SOURCE_PATH,
    RAS_CDT_SOURCE_SHA256,
    RAS_CDT_SOURCE_SIZE,
    RAS_CDT_SOURCE_MTIME_NS,
    RAS_CDT_SOURCE_KIND,
    RAS_CDT_SOURCE_TICK_RATE,
    RAS_CDT_SOURCE_SEED,
    RAS_CDT_SOURCE_MODE_ID,
    RAS_CDT_SOURCE_QUEST_LEVEL,
    RAS_CDT_SOURCE_RUN_ID,
    RAS_CDT_SOURCE_QUEST_STAGE_MAJOR,
    RAS_CDT_SOURCE_QUEST_STAGE_MINOR,
    RAS_CDT_SOURCE_GLOBAL_TICK_FIRST,
    RAS_CDT_SOURCE_GLOBAL_TICK_LAST,
    RAS_CDT_SOURCE_RUN_START_SEED_SOURCE,
    RAS_CDT_SOURCE_REPLAY_SHA256,
    RAS_CDT_SOURCE_PLAYER_COUNT,
};

struct ras_cdt_trace_tick_range {
    struct ras_cdt_node node;
    int64_t start_tick, end_tick, tick_count;
};

enum { RAS_CDT_WEAPON_COUNT = 53, RAS_CDT_QUEST_COUNT = 91 };

struct ras_cdt_game_status_data {
    struct ras_cdt_node node;
    int64_t quest_unlock_index, quest_unlock_index_full;
    struct ras_cdt_int weapon_usage_counts[RAS_CDT_WEAPON_COUNT]; /* each >= 0 */
    struct ras_cdt_int quest_play_counts[RAS_CDT_QUEST_COUNT];
    int64_t mode_play_survival, mode_play_rush, mode_play_typo, mode_play_other;
    int64_t game_sequence_id;      /* play_time_ms in container 2 and in later texts */
    struct ras_bytes unknown_tail; /* reserved_seed_words, likewise */
};

/* Of its node: schema 12 with the later names of the last two members. */
enum { RAS_CDT_STATUS_LATER_NAMES = 31 };

struct ras_cdt_trace_meta {
    struct ras_cdt_node node;
    int64_t trace_format_version, trace_schema_version;
    struct ras_bytes created_utc;
    struct ras_cdt_trace_producer producer;
    struct ras_cdt_trace_source source;
    struct ras_cdt_trace_tick_range tick_range;
    struct ras_cdt_game_status_data status; /* may be nil */
};

enum { RAS_CDT_META_STATUS = 6 };

struct ras_cdt_vec2 {
    double x, y;
};

struct ras_cdt_replay_player_checkpoint {
    struct ras_cdt_node node;
    struct ras_cdt_vec2 pos;
    double health;
    int64_t weapon_id; /* 0..53 */
    double ammo;
    int64_t experience, level;
};

struct ras_cdt_replay_typo_name_entry {
    struct ras_cdt_node node;
    int64_t creature_index;
    struct ras_bytes name;
};

struct ras_cdt_replay_typo_snapshot {
    struct ras_cdt_node node;
    struct ras_bytes input_text;
    int64_t submit_count, match_count, spawn_cooldown_ms;
    RAS_CDT_LIST(struct ras_cdt_replay_typo_name_entry) active_names;
};

struct ras_cdt_replay_tutorial_snapshot {
    struct ras_cdt_node node;
    int64_t stage_index, stage_timer_ms, stage_transition_timer_ms, hint_index, hint_alpha;
    bool hint_fade_in; /* hint_carrier_killed in schema 21 */
    int64_t repeat_spawn_count;
    int64_t hint_bonus_creature_ref; /* may be nil */
    struct ras_bytes prompt_text;
    double prompt_alpha;
    struct ras_bytes hint_text;
    double hint_alpha_overlay;
};

enum { RAS_CDT_TUTORIAL_HINT_BONUS_CREATURE_REF = 7 };

struct ras_cdt_replay_death_ledger_entry {
    struct ras_cdt_node node;
    int64_t creature_index, type_id;
    double reward_value;
    int64_t xp_awarded, owner_id;
};

struct ras_cdt_replay_hit_summary_entry {
    struct ras_cdt_node node;
    int64_t type_id;
    struct ras_cdt_vec2 origin, hit, target;
};

struct ras_cdt_replay_perk_snapshot {
    struct ras_cdt_node node;
    int64_t pending_count;
    bool choices_dirty;
    struct ras_cdt_int_list choices;
    RAS_CDT_LIST(struct ras_cdt_int_lists) player_nonzero_counts; /* [player][i] = {perk, count} */
};

struct ras_cdt_replay_event_summary {
    struct ras_cdt_node node;
    int64_t hit_count, pickup_count, sfx_count;
    RAS_CDT_LIST(struct ras_bytes) sfx_head;
    RAS_CDT_LIST(struct ras_cdt_replay_hit_summary_entry) hit_head;
};

struct ras_cdt_replay_checkpoint {
    struct ras_cdt_node node;
    int64_t tick_index, rng_state, elapsed_ms, score_xp, kills, creature_count, perk_pending;
    RAS_CDT_LIST(struct ras_cdt_replay_player_checkpoint) players;
    RAS_CDT_LIST(struct ras_cdt_timer) bonus_timers; /* a map; in stored order */
    RAS_CDT_LIST(struct ras_cdt_replay_death_ledger_entry) deaths;
    struct ras_cdt_replay_perk_snapshot perk;
    struct ras_cdt_replay_event_summary events;
    struct ras_cdt_replay_tutorial_snapshot tutorial; /* may be nil */
    struct ras_cdt_replay_typo_snapshot typo;         /* may be nil */
    int64_t rng_callers_crc32;                        /* of schemas 20 and 21 */
};

enum { RAS_CDT_CHECKPOINT_TUTORIAL = 12, RAS_CDT_CHECKPOINT_TYPO = 13 };

struct ras_cdt_snapshot_vec2 {
    double x, y;
};

struct ras_cdt_snapshot_weapon {
    struct ras_cdt_node node;
    int64_t weapon_id;
    double ammo;
    int64_t clip_size;
    bool reload_active;
    double reload_timer, reload_timer_max, shot_cooldown;
};

struct ras_cdt_snapshot_player {
    struct ras_cdt_node node;
    int64_t index;
    struct ras_cdt_snapshot_vec2 pos;
    double health;
    struct ras_cdt_snapshot_weapon weapon;
    int64_t experience, level;
    /* of container 2 */
    double heading, move_speed, move_phase;
    struct ras_cdt_snapshot_vec2 aim;
    double aim_heading;
};

struct ras_cdt_snapshot_bonus_timers {
    struct ras_cdt_node node;
    int64_t weapon_power_up_ms, reflex_boost_ms, energizer_ms, double_experience_ms, freeze_ms;
};

struct ras_cdt_snapshot_gameplay {
    struct ras_cdt_node node;
    int64_t mode_id, quest_stage_major, quest_stage_minor, perk_pending_count;
    bool perk_choices_dirty;
    struct ras_cdt_snapshot_bonus_timers bonus_timers;
};

struct ras_cdt_sim_state_snapshot {
    struct ras_cdt_node node;
    struct ras_cdt_snapshot_gameplay gameplay;
    RAS_CDT_LIST(struct ras_cdt_snapshot_player) players;
};

struct ras_cdt_rng_stream_row {
    struct ras_cdt_node node;
    int64_t tick_call_index, value_15, state_before_u32, state_after_u32;
    int64_t caller; /* may be nil */
};

enum { RAS_CDT_RNG_CALLER = 4 };

/* All but tick_index, phase and write_kind may be nil. */
struct ras_cdt_timing_sample_row {
    struct ras_cdt_node node;
    int64_t tick_index, gameplay_frame;
    struct ras_bytes phase, write_kind;
    double frame_dt_f32;
    int64_t frame_dt_ms_i32;
    double frame_dt_ms_f32;
    bool time_scale_active_entry, time_scale_active_current;
    double time_scale_factor, bonus_reflex_boost_timer;
    struct ras_bytes mode_fn;
    int64_t player_index;
};

enum {
    RAS_CDT_TIMING_GAMEPLAY_FRAME = 1,
    RAS_CDT_TIMING_FRAME_DT_F32 = 4,
    RAS_CDT_TIMING_FRAME_DT_MS_I32,
    RAS_CDT_TIMING_FRAME_DT_MS_F32,
    RAS_CDT_TIMING_TIME_SCALE_ACTIVE_ENTRY,
    RAS_CDT_TIMING_TIME_SCALE_ACTIVE_CURRENT,
    RAS_CDT_TIMING_TIME_SCALE_FACTOR,
    RAS_CDT_TIMING_BONUS_REFLEX_BOOST_TIMER,
    RAS_CDT_TIMING_MODE_FN,
    RAS_CDT_TIMING_PLAYER_INDEX,
};

struct ras_cdt_rgba {
    double r, g, b, a;
};

struct ras_cdt_creature_entity_sample {
    struct ras_cdt_node node;
    int64_t uid, generation;
    struct ras_bytes pool_kind;
    int64_t index;
    bool active;
    int64_t type_id;
    double hp;
    struct ras_cdt_snapshot_vec2 pos;
    int64_t flags, ai_mode, link_index;
    double heading, target_heading, orbit_angle, orbit_radius;
    double lifecycle_stage;           /* death_timer in schema 21 */
    struct ras_cdt_snapshot_vec2 vel; /* may be nil in container 1 */
    double move_speed;                /* the same */
    /* of container 2 */
    struct ras_cdt_rgba tint;
    int64_t force_target;
    struct ras_cdt_snapshot_vec2 target;
    int64_t target_player;
    struct ras_cdt_snapshot_vec2 target_offset;
    double collision_timer; /* dot_tick_timer in schema 21 */
    double attack_cooldown;
};

enum { RAS_CDT_CREATURE_VEL = 16, RAS_CDT_CREATURE_MOVE_SPEED = 17 };

struct ras_cdt_projectile_entity_sample {
    struct ras_cdt_node node;
    int64_t uid, generation;
    struct ras_bytes pool_kind;
    int64_t index;
    bool active;
    int64_t type_id;
    double angle;
    struct ras_cdt_snapshot_vec2 pos, vel;
    double life_timer, speed_scale, damage_pool, hit_radius;
    double travel_budget; /* projectile_speed in schema 21 */
    int64_t owner_id;
};

struct ras_cdt_secondary_projectile_entity_sample {
    struct ras_cdt_node node;
    int64_t uid, generation;
    struct ras_bytes pool_kind;
    int64_t index;
    bool active;
    int64_t type_id;
    double angle;
    struct ras_cdt_snapshot_vec2 pos, vel;
    double speed, trail_timer; /* trail_distance in schema 21 */
    int64_t owner_id, target_id;
};

struct ras_cdt_bonus_entity_sample {
    struct ras_cdt_node node;
    int64_t uid, generation;
    struct ras_bytes pool_kind;
    int64_t index;
    bool active;
    int64_t bonus_id;
    bool picked;
    double time_left, time_max;
    struct ras_cdt_snapshot_vec2 pos;
    int64_t amount;
};

struct ras_cdt_entity_samples_snapshot {
    struct ras_cdt_node node;
    RAS_CDT_LIST(struct ras_cdt_creature_entity_sample) creatures;
    RAS_CDT_LIST(struct ras_cdt_projectile_entity_sample) projectiles;
    RAS_CDT_LIST(struct ras_cdt_secondary_projectile_entity_sample) secondary_projectiles;
    RAS_CDT_LIST(struct ras_cdt_bonus_entity_sample) bonuses;
};

/* ---- replay_step, of container 2 ---------------------------------------- */

struct ras_cdt_replay_input_sample {
    struct ras_cdt_node node;
    double move_x, move_y, aim_x, aim_y;
    int64_t flags;
};

/* One of the operations and commands; `type` says which of the other members it has:
 * game_frame_rng_advance frames; perk_menu_open player_index; perk_pick player_index and
 * choice_index; typo_char player_index and ch; typo_backspace and typo_submit player_index. */
struct ras_cdt_replay_operation {
    struct ras_cdt_node node;
    struct ras_bytes type;
    int64_t player_index, choice_index, frames;
    struct ras_bytes ch;
};

struct ras_cdt_replay_step_snapshot {
    struct ras_cdt_node node;
    double dt;
    RAS_CDT_LIST(struct ras_cdt_replay_input_sample) inputs;
    RAS_CDT_LIST(struct ras_cdt_replay_operation) prelude;
    RAS_CDT_LIST(struct ras_cdt_replay_operation) postlude;
    RAS_CDT_LIST(struct ras_cdt_replay_operation) commands;
};

struct ras_cdt_replay_tick_channels {
    struct ras_cdt_node node;
    struct ras_cdt_replay_checkpoint checkpoint;
    struct ras_cdt_sim_state_snapshot sim_state;
    struct ras_cdt_entity_samples_snapshot entity_samples;
    RAS_CDT_LIST(struct ras_cdt_rng_stream_row) rng_stream;
    RAS_CDT_LIST(struct ras_cdt_timing_sample_row) timing_samples;
    struct ras_cdt_replay_step_snapshot replay_step; /* of container 2 */
};

struct ras_cdt_tick_record {
    struct ras_cdt_node node;
    int64_t tick_index, elapsed_ms, dt_ms_i32, mode_id;
    struct ras_cdt_replay_tick_channels channels;
};

struct ras_cdt_tick_block {
    struct ras_cdt_node node;
    int64_t start_tick, end_tick;
    RAS_CDT_LIST(struct ras_cdt_tick_record) ticks;
};

struct ras_cdt_tick_block_index_entry {
    struct ras_cdt_node node;
    int64_t start_tick, end_tick, file_offset, compressed_len, uncompressed_len;
    uint64_t checksum;
};

struct ras_cdt_trace_footer {
    struct ras_cdt_node node;
    RAS_CDT_LIST(struct ras_cdt_tick_block_index_entry) tick_blocks;
    int64_t tick_count, first_tick, last_tick;
};

/* ---- reading ------------------------------------------------------------ */

struct ras_cdt;

struct ras_cdt_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    struct ras_limits limits;
};

/* Open a trace in memory (borrowed until close): header and META are checked
 * and decoded, the footer is if it is there. RAS_ECUT when META is not whole,
 * RAS_EVERSION for another container or schema version. `options` may be NULL. */
RAS_API int ras_cdt_open(struct ras_cdt **out, const void *bytes, size_t size,
                         const struct ras_cdt_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_cdt_close(struct ras_cdt *cdt); /* NULL is fine */

/* Both live until close. The footer is NULL where the trace has none that can
 * be used: then ticks are found by walking the chunks. */
RAS_API const struct ras_cdt_trace_meta *ras_cdt_meta(const struct ras_cdt *cdt);
RAS_API const struct ras_cdt_trace_footer *ras_cdt_footer(const struct ras_cdt *cdt);

/* The TICK chunk at `offset`, checked and decoded. Lives until the next call
 * that reads ticks. */
RAS_API int ras_cdt_block_at(struct ras_cdt *cdt, uint64_t offset,
                             const struct ras_cdt_tick_block **block,
                             struct ras_error *err) RAS_CHECKED;
/* The first row of that tick_index, through the index where there is one:
 * RAS_OK, or RAS_END when the trace has no such tick. */
RAS_API int ras_cdt_tick_at(struct ras_cdt *cdt, int64_t tick_index,
                            const struct ras_cdt_tick_record **tick,
                            struct ras_error *err) RAS_CHECKED;
/* Walk the rows in stored order, from the first or, after ras_cdt_rewind(),
 * from the first one at or above `from` in the blocks that can hold it. RAS_OK,
 * RAS_END after the last whole chunk, RAS_ECUT where a chunk is cut short, or the
 * error of a damaged chunk; the call after that one goes on after it. */
RAS_API int ras_cdt_tick_next(struct ras_cdt *cdt, const struct ras_cdt_tick_record **tick,
                              struct ras_error *err) RAS_CHECKED;
RAS_API void ras_cdt_rewind(struct ras_cdt *cdt, int64_t from);
/* The uncompressed payload that holds the last block, for the spans of nodes. */
RAS_API struct ras_bytes ras_cdt_payload(const struct ras_cdt *cdt);

/* ---- writing ------------------------------------------------------------ */

/* Whose bytes to write. Python (and frida): every key in the order of the structs,
 * nil where there is no value, shortest ints, float64, chunks compressed by zstd.
 * Zig: nil left out, signed ints, float32 where that is exact, chunks stored as
 * they are; it has no source.kind, run_id, quest_stage_*, global_tick_*,
 * run_start_seed_source, no status beyond weapon_usage_counts, no hit_head,
 * tutorial and typo: those are not written. */
enum ras_cdt_style { RAS_CDT_PYTHON, RAS_CDT_ZIG };

/* Zero means the default named beside it. */
struct ras_cdt_writer_options {
    size_t struct_size;       /* sizeof, or 0: see docs/abi.md */
    enum ras_cdt_style style; /* RAS_CDT_PYTHON */
    uint32_t chunk_ticks;     /* rows of one TICK chunk: 256, as every producer has it */
    uint32_t chunk_bytes;     /* its payload; it ends before it grows beyond: 1 GiB */
    /* A thread of the writer's own compresses chunks and hands them to the sink, which is the
     * writer's alone until it is closed, dropped or flushed. A failure is reported late, by the
     * chunks after it, and for good. Up to six chunks are in memory then. */
    bool threaded;
    /* Not 0: META is not compressed, and its tick_range is written when the writer is closed,
     * from the rows; what was given is ignored. The sink must be one that can be patched. */
    uint32_t range_at_close;
};

/* A struct as msgpack, written to `to` when all of it fits into `room` bytes; *size is
 * what it takes either way. Of a node only `present`, for nullable members, and `wide`
 * are used; every other member is written as it is, whether the reader has a
 * default for it or not. RAS_EUSAGE or RAS_ELIMIT, with the place in err, when a value
 * has no place in the format: text that is not UTF-8, weapon_id outside 0..53. */
RAS_API int ras_cdt_meta_put(const struct ras_cdt_trace_meta *meta, enum ras_cdt_style style,
                             void *to, size_t room, size_t *size,
                             struct ras_error *err) RAS_CHECKED;
RAS_API int ras_cdt_tick_put(const struct ras_cdt_tick_record *tick, enum ras_cdt_style style,
                             void *to, size_t room, size_t *size,
                             struct ras_error *err) RAS_CHECKED;

/* Writes a trace to a sink: META at once, then chunk by chunk as rows fill them, the
 * footer on close. No more than one chunk is in memory, and the index. A row that is
 * refused, or whose chunk cannot be written, is not taken: the sink ends after the
 * last whole chunk then (a pipe stays failed), the rows before it are kept, and the
 * call may be repeated. The sink stays the caller's. */
struct ras_cdt_writer;

/* META is written as it is given: its tick_range is the caller's to know. `options`
 * may be NULL. RAS_EVERSION when trace_schema_version is not RAS_CDT_SCHEMA_VERSION. */
RAS_API int ras_cdt_writer_open(struct ras_cdt_writer **out, struct ras_sink *sink,
                                const struct ras_cdt_trace_meta *meta,
                                const struct ras_cdt_writer_options *options,
                                struct ras_error *err) RAS_CHECKED;
/* One more row. RAS_EUSAGE when its tick_index is below the one before, or a value of
 * it has no place in the format; RAS_ELIMIT when the tick_index does not fit the 31
 * bits that chunk headers have for it. */
RAS_API int ras_cdt_writer_tick(struct ras_cdt_writer *writer,
                                const struct ras_cdt_tick_record *tick,
                                struct ras_error *err) RAS_CHECKED;
/* The same from the bytes of a TickRecord, which are checked and then kept as they are,
 * unknown keys too. RAS_EFORMAT when they are none. */
RAS_API int ras_cdt_writer_raw(struct ras_cdt_writer *writer, struct ras_bytes tick,
                               struct ras_error *err) RAS_CHECKED;
/* End the chunk here, so that every row so far is handed to the sink. */
RAS_API int ras_cdt_writer_flush(struct ras_cdt_writer *writer, struct ras_error *err) RAS_CHECKED;
/* Rows taken, and those of them that are in chunks which the sink has. */
RAS_API uint64_t ras_cdt_writer_count(const struct ras_cdt_writer *writer);
RAS_API uint64_t ras_cdt_writer_stored(const struct ras_cdt_writer *writer);
/* The last chunk, footer and trailer; flush the sink; free in any case. RAS_EUSAGE, as
 * a trace has at least one tick, when there was none. NULL is fine. */
RAS_API int ras_cdt_writer_close(struct ras_cdt_writer *writer, struct ras_error *err) RAS_CHECKED;
/* Free without another byte: the trace stays unsealed. NULL is fine. */
RAS_API void ras_cdt_writer_drop(struct ras_cdt_writer *writer);

/* ---- finalizing ----------------------------------------------------------- */

/* A Frida raw capture (JSON Lines of format 13, 14 or 15) becomes one trace a run, and
 * beside it, as STEM.LABEL.runK.rng_evidence.json, what is known of draws that no hook has
 * seen. Existing files are replaced, each when it is whole; the capture is only read. */
struct ras_cdt_finalize_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *out;    /* the folder of the traces, made if need be; NULL: the capture's */
    int64_t created_ns; /* what created_utc says, in ns since 1970; 0: now */
    /* A last line that breaks off ends the capture before it, runs without ticks are left out, and
     * of captures 28 and 29 a run without an end is kept; else all three are refused. */
    bool salvage;
    ras_progress *progress;
    void *user;
};

struct ras_cdt_finalized_run {
    char *trace, *evidence; /* paths of its two files: the second is .rng_evidence.json */
    char *replay, *sidecar; /* .ccr, .evidence.msgpack.zst; NULL for captures 13 to 15 */
    struct ras_cdt_int run_id, mode_id, quest_stage_major, quest_stage_minor;
    bool has_global; /* the capture numbers its ticks */
    struct ras_cdt_int global_tick_first, global_tick_last;
    uint64_t ticks;
    uint64_t reserved[2];
};

/* The runs that were finished, and why the rest of the capture was refused, if it was:
 * "PATH.lines[7].dt must be finite and >= 0". */
struct ras_cdt_finalized {
    struct ras_cdt_finalized_run *runs;
    size_t run_count;
    int64_t capture_format_version;
    uint64_t ticks, lines; /* read, of runs that were not finished, too */
    uint64_t cut_bytes;    /* dropped at its end, by salvage */
    uint64_t empty_runs;   /* left out, by salvage */
    uint64_t open_runs;    /* 1: its last run has no end; kept by salvage (captures 28, 29) */
    char *refusal;         /* NULL: it is whole */
    uint64_t line;         /* the line that is refused, from 1; 0: the file as such */
};

/* "-" is standard input. `options` may be NULL. RAS_OK for a refused capture, too; an error
 * when something cannot be read or written. */
RAS_API int ras_cdt_finalize(struct ras_cdt_finalized **out, const char *path,
                             const struct ras_cdt_finalize_options *options,
                             struct ras_error *err) RAS_CHECKED;
/* The same of a capture in memory, called `name`, into a folder. */
RAS_API int ras_cdt_finalize_memory(struct ras_cdt_finalized **out, struct ras_bytes capture,
                                    const char *name, struct ras_folder *to,
                                    const struct ras_cdt_finalize_options *options,
                                    struct ras_error *err) RAS_CHECKED;
/* What `finalize --json` prints: path, capture_format_version, ok, lines, ticks,
 * cut_bytes, empty_runs, open_runs, traces, refusal and its line; newline last. */
RAS_API int ras_cdt_finalized_json(struct ras_sink *sink, const char *path,
                                   const struct ras_cdt_finalized *finalized,
                                   struct ras_error *err) RAS_CHECKED;
RAS_API void ras_cdt_finalized_free(struct ras_cdt_finalized *finalized); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
