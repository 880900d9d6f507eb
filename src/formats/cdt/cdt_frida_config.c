/* cdt_frida_config.c - the 44 settings of a session: all there, no others, each of its type. */
#include "formats/cdt/cdt_frida_json.h"

#include <stddef.h>

enum setting_type { TEXT, TEXTS, INTS, BOOL, INT };

/* Names are longer than those of members, and nearly nothing is kept. */
struct setting {
    const char *name;
    enum setting_type type;
    size_t offset; /* in struct frida_config; RAS_NONE: dropped */
};

/* The first eight must be without a limit in every capture, the others from format 14 on. */
const char *const frida_limit_names[FRIDA_LIMITS] = {
    "creature_sample_limit",  "projectile_sample_limit", "secondary_projectile_sample_limit",
    "bonus_sample_limit",     "max_rng_head_per_tick",   "max_rng_caller_kinds",
    "max_events_per_tick",    "max_head_per_kind",       "max_rng_outside_tick_head",
    "max_creature_delta_ids",
};

#define DROPPED  SIZE_MAX
#define LIMIT(i) offsetof(struct frida_config, limits) + (i) * sizeof(struct ras_cdt_int)

static const struct setting settings[] = {
    {"out_path", TEXT, offsetof(struct frida_config, out_path)},
    {"capture_profile", TEXT, DROPPED},
    {"config_env_overrides", TEXTS, DROPPED},
    {"log_mode", TEXT, DROPPED},
    {"console_all_events", BOOL, DROPPED},
    {"console_events", TEXTS, DROPPED},
    {"include_caller", BOOL, DROPPED},
    {"include_backtrace", BOOL, DROPPED},
    {"emit_ticks_outside_tracked_states", BOOL, DROPPED},
    {"tracked_states", INTS, DROPPED},
    {"player_count_override", INT, DROPPED},
    {"focus_tick", INT, offsetof(struct frida_config, focus_tick)},
    {"focus_radius", INT, DROPPED},
    {"heartbeat_ms", INT, DROPPED},
    {"flush_capture_writes", BOOL, DROPPED},
    {"max_head_per_kind", INT, LIMIT(7)},
    {"max_events_per_tick", INT, LIMIT(6)},
    {"max_rng_head_per_tick", INT, LIMIT(4)},
    {"max_rng_caller_kinds", INT, LIMIT(5)},
    {"enable_rng_roll_log", BOOL, DROPPED},
    {"max_rng_roll_log_events", INT, DROPPED},
    {"max_rng_outside_tick_head", INT, LIMIT(8)},
    {"enable_rng_state_mirror", BOOL, DROPPED},
    {"max_creature_delta_ids", INT, LIMIT(9)},
    {"creature_sample_limit", INT, LIMIT(0)},
    {"projectile_sample_limit", INT, LIMIT(1)},
    {"secondary_projectile_sample_limit", INT, LIMIT(2)},
    {"bonus_sample_limit", INT, LIMIT(3)},
    {"enable_input_hooks", BOOL, DROPPED},
    {"enable_rng_hooks", BOOL, DROPPED},
    {"enable_sfx_hooks", BOOL, DROPPED},
    {"enable_damage_hooks", BOOL, DROPPED},
    {"enable_effect_hooks", BOOL, DROPPED},
    {"creature_damage_projectile_only", BOOL, DROPPED},
    {"enable_spawn_hooks", BOOL, DROPPED},
    {"enable_creature_spawn_hook", BOOL, DROPPED},
    {"enable_creature_death_hook", BOOL, DROPPED},
    {"enable_bonus_spawn_hook", BOOL, DROPPED},
    {"enable_creature_lifecycle_digest", BOOL, DROPPED},
    {"enable_creature_micro_hooks", BOOL, DROPPED},
    {"creature_micro_slots", INTS, DROPPED},
    {"creature_micro_tick_start", INT, DROPPED},
    {"creature_micro_tick_end", INT, DROPPED},
    {"creature_micro_max_head_per_tick", INT, DROPPED},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const uint8_t *config_list(struct frida_in *d, const uint8_t *p, bool texts)
{
    const struct cdt_field list = {.type = texts ? CDT_STRS : CDT_INTS};
    struct frida_list dropped;
    return frida_container(d, p, &list, (uint8_t *)&dropped);
}

static const uint8_t *get_setting(struct frida_in *d, const uint8_t *p, const struct setting *s,
                                  struct frida_config *out)
{
    union {
        struct ras_bytes text;
        struct ras_cdt_int number;
        bool truth;
    } dropped;
    void *to = s->offset == DROPPED ? (void *)&dropped : (uint8_t *)out + s->offset;
    switch (s->type) {
    case TEXT:
        return frida_text(d, p, false, to);
    case BOOL:
        return frida_bool(d, p, false, to);
    case INT:
        return frida_int(d, p, false, true, to);
    default:
        return config_list(d, p, s->type == TEXTS);
    }
}

static const struct setting *config_find(struct ras_bytes key)
{
    for (unsigned i = 0; i < SETTINGS; i++)
        if (key.len == strlen(settings[i].name) && !memcmp(key.at, settings[i].name, key.len))
            return &settings[i];
    return NULL;
}

const uint8_t *frida_config(struct frida_in *d, const uint8_t *p, struct frida_config *out)
{
    const uint8_t *start = p;
    uint64_t seen = 0;
    bool more;
    if (*p != '{')
        return frida_expected(d, p, "object", false);
    for (p = frida_first(p + 1, '}', &more); more;) {
        struct ras_bytes key;
        const uint8_t *at = p;
        p = frida_key(d, p, &key);
        if (!p)
            return NULL;
        const struct setting *s = config_find(key);
        if (!s)
            return frida_bad(d, at, "Object contains unknown field `%.*s`",
                             (int)(key.len < 64 ? key.len : 64), (const char *)key.at);
        seen |= UINT64_C(1) << (s - settings);
        p = get_setting(d, p, s, out);
        if (!p)
            return frida_inside(d, ".%s", s->name);
        p = frida_next(d, p, '}', &more);
        if (!p)
            return NULL;
    }
    for (unsigned i = 0; i < SETTINGS; i++)
        if (!(seen >> i & 1))
            return frida_bad(d, start, "Object missing required field `%s`", settings[i].name);
    return p;
}
