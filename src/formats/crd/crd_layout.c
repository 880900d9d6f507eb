/* crd_layout.c - the layouts that are known: replays of versions 20 and 27, evidence of version 3.
 *
 * Keys are in the order in which they are written, which is the only one allowed in a replay. */
#include "formats/crd/crd_driver.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MAP_OF(name_, keys_)                                                                       \
    {                                                                                              \
        .name = name_, .keys = keys_, .count = COUNT(keys_)                                        \
    }
#define INT(name_, ...)                                                                            \
    {                                                                                              \
        .name = name_, .kind = CRD_INT, __VA_ARGS__                                                \
    }
#define U32 .least = 0, .most = UINT32_MAX
#define I64 .least = INT64_MIN, .most = INT64_MAX
#define U31 .least = 0, .most = INT32_MAX
#define BOOL(name_)                                                                                \
    {                                                                                              \
        .name = name_, .kind = CRD_BOOL                                                            \
    }
#define TEXT(name_, least_, ...)                                                                   \
    {                                                                                              \
        .name = name_, .kind = CRD_TEXT, .least = least_, .most = INT64_MAX, __VA_ARGS__           \
    }

const char *const crd_outcomes[] = {"death", "quest_completed", "tutorial_completed", "incomplete",
                                    NULL};

/* ---- replays --------------------------------------------------------------- */

static const struct crd_key level_keys[] = {INT("major", .least = 1, .most = 5),
                                            INT("minor", .least = 1, .most = 10)};
static const struct crd_map level = MAP_OF("quest_level", level_keys);

static const struct crd_key status_keys[] = {
    INT("quest_unlock_index", I64),
    INT("quest_unlock_index_full", I64),
    {.name = "weapon_usage_counts", .kind = CRD_INTS, .count = 53, U32},
};
static const struct crd_map status = MAP_OF("status", status_keys);

/* The two versions differ in one key: version 20 has `demo` and not `friendly_fire`. */
#define RUN_HEAD                                                                                   \
    INT("game_mode_id", .least = 1, .most = 8, .kept = KEPT_MODE), INT("seed", U32),               \
        {.name = "quest_level", .kind = CRD_MAP, .nil = true, .of = &level, .kept = KEPT_LEVEL},   \
        INT("player_count", .least = 1, .most = 4, .kept = KEPT_PLAYERS), BOOL("hardcore"),        \
        BOOL("preserve_bugs")
#define RUN_MIDDLE                                                                                 \
    INT("quest_fail_retry_count", U31), INT("detail_preset", .least = 1, .most = 5),               \
        INT("violence_disabled", .least = 0, .most = 255)
#define RUN_TAIL                                                                                   \
    {.name = "status", .kind = CRD_MAP, .of = &status},                                            \
        {.name = "typo_dictionary_words",                                                          \
         .kind = CRD_TEXTS,                                                                        \
         .count = 2048,                                                                            \
         .least = 1,                                                                               \
         .most = 15},                                                                              \
    {                                                                                              \
        .name = "typo_highscore_names", .kind = CRD_TEXTS, .count = 512, .least = 1, .most = 31,   \
        .letters = 1                                                                               \
    }
static const struct crd_key run_keys[] = {RUN_HEAD, RUN_MIDDLE, BOOL("friendly_fire"), RUN_TAIL};
static const struct crd_key run_keys_20[] = {RUN_HEAD, BOOL("demo"), RUN_MIDDLE, RUN_TAIL};
static const struct crd_map run = MAP_OF("run", run_keys), run_20 = MAP_OF("run", run_keys_20);

#define PLAYER_HEAD                                                                                \
    INT("experience", I64),                                                                        \
    {                                                                                              \
        .name = "health", .kind = CRD_REAL                                                         \
    }
static const struct crd_key player_keys[] = {PLAYER_HEAD, INT("most_used_weapon_id", I64)};
static const struct crd_key player_keys_20[] = {
    PLAYER_HEAD, INT("shots_fired", U31, .kept = KEPT_FIRED),
    INT("shots_hit", U31, .kept = KEPT_HIT), INT("most_used_weapon_id", I64)};
static const struct crd_map player = MAP_OF("players", player_keys);
static const struct crd_map player_20 = MAP_OF("players", player_keys_20);

#define RESULT_HEAD                                                                                \
    TEXT("outcome", 1, .kept = KEPT_OUTCOME), INT("elapsed_ms", U31, .unit = RAS_UNIT_MS),         \
        INT("kills", U31)
#define RESULT_TAIL(players_)                                                                      \
    INT("rng_state", U32), INT("pending_perks", U31),                                              \
        INT("quest_final_ms", U31, .nil = true, .unit = RAS_UNIT_MS, .kept = KEPT_FINAL),          \
    {                                                                                              \
        .name = "players", .kind = CRD_MAPS, .of = &(players_), .kept = KEPT_RESULT                \
    }
static const struct crd_key result_keys[] = {
    RESULT_HEAD, INT("shots_fired", U31, .kept = KEPT_FIRED),
    INT("shots_hit", U31, .kept = KEPT_HIT), RESULT_TAIL(player)};
static const struct crd_key result_keys_20[] = {RESULT_HEAD, RESULT_TAIL(player_20)};
static const struct crd_map result = MAP_OF("result", result_keys);
static const struct crd_map result_20 = MAP_OF("result", result_keys_20);

static const struct crd_layout layouts[] = {{CRD_VERSION_OLD, &run_20, &result_20},
                                            {CRD_VERSION, &run, &result}};

const struct crd_layout *crd_layout_of(uint64_t version)
{
    for (size_t i = 0; i < COUNT(layouts); i++)
        if (layouts[i].version == version)
            return &layouts[i];
    return NULL;
}

/* Every command has some of these. */
static const struct crd_key command_keys[] = {
    TEXT("type", 1, .nil = false), INT("player_index", I64), INT("choice_index", I64, .nil = true),
    TEXT("ch", 0, .nil = true)};
const struct crd_map crd_command = MAP_OF("command", command_keys);

/* ---- evidence --------------------------------------------------------------- */

static const struct crd_key header_keys[] = {
    INT("evidence_format_version", U31),
    INT("capture_format_version", U31),
    INT("trace_format_version", U31),
    INT("trace_schema_version", U31),
    TEXT("frida_version", 0, .nil = false),
    TEXT("session_id", 0, .nil = false),
    TEXT("ptrs_hash", 0, .nil = false),
    TEXT("module_hash", 0, .nil = true),
    INT("run_id", I64),
    INT("mode_id", I64),
    INT("quest_stage_major", I64),
    INT("quest_stage_minor", I64),
    INT("tick_count", U31),
    TEXT("raw_sha256", 64, .nil = false),
    TEXT("trace_sha256", 64, .nil = false),
    TEXT("replay_sha256", 64, .nil = false),
};
const struct crd_map crd_header = MAP_OF("header", header_keys);

static const struct crd_key tick_keys[] = {INT("run_id", I64),
                                           INT("tick_index", U31),
                                           INT("global_tick_index", I64),
                                           {.name = "evidence", .kind = CRD_ANY}};
const struct crd_map crd_evidence_tick = MAP_OF("tick", tick_keys);

static const struct crd_key footer_keys[] = {INT("tick_count", U31), INT("first_tick", U31),
                                             INT("last_tick", U31), INT("global_tick_first", I64),
                                             INT("global_tick_last", I64)};
const struct crd_map crd_footer = MAP_OF("footer", footer_keys);

_Static_assert(COUNT(header_keys) <= CRD_FIELDS && COUNT(run_keys) <= CRD_FIELDS,
               "a schema has room for every key");
