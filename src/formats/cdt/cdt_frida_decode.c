/* cdt_frida_decode.c - decodes rows of a capture into structs, by their tables.
 *
 * As strict as msgspec: ints for floats but never the reverse, null only where allowed, keys in any
 * order, the last of duplicate keys. The capture script writes keys in a fixed order, so the next
 * key is guessed first; if the guess fails, keys are searched. */
#include "codec/json_read.h"
#include "formats/cdt/cdt_frida_json.h"

#include <stddef.h>

/* ---- the 44 settings of a session: all required, no others ------------------------------- */

enum setting_type { TEXT, TEXTS, INTS, BOOL, INT };

/* Names are longer than those of members, and almost no value is kept. */
struct setting {
    const char *name;
    enum setting_type type;
    size_t offset; /* in struct frida_config; RAS_NONE: not kept */
    uint8_t form;  /* of rows that have it; 0: both */
};

/* The first eight must be unlimited in every capture, the others from format 14 on. */
const char *const frida_limit_names[FRIDA_LIMITS] = {
    "creature_sample_limit",  "projectile_sample_limit", "secondary_projectile_sample_limit",
    "bonus_sample_limit",     "max_rng_head_per_tick",   "max_rng_caller_kinds",
    "max_events_per_tick",    "max_head_per_kind",       "max_rng_outside_tick_head",
    "max_creature_delta_ids",
};

const char *const frida_hook_names[FRIDA_HOOKS] = {"enable_input_hooks", "enable_rng_hooks",
                                                   "enable_rng_state_mirror"};

#define DROPPED  SIZE_MAX
#define HOOK(i)  offsetof(struct frida_config, hooks) + (i) * sizeof(bool)
#define LIMIT(i) offsetof(struct frida_config, limits) + (i) * sizeof(struct ras_cdt_int)

static const struct setting settings[] = {
    {"out_path", TEXT, offsetof(struct frida_config, out_path)},
    {"out_path_source", TEXT, offsetof(struct frida_config, out_path_source), .form = 2},
    {"capture_profile", TEXT, DROPPED},
    {"config_env_overrides", TEXTS, DROPPED},
    {"log_mode", TEXT, DROPPED, .form = 1},
    {"console_all_events", BOOL, DROPPED},
    {"console_events", TEXTS, DROPPED},
    {"include_caller", BOOL, DROPPED},
    {"include_backtrace", BOOL, DROPPED},
    {"emit_ticks_outside_tracked_states", BOOL, DROPPED},
    {"tracked_states", INTS, DROPPED},
    {"player_count_override", INT, offsetof(struct frida_config, player_count_override)},
    {"focus_tick", INT, offsetof(struct frida_config, focus_tick)},
    {"focus_radius", INT, DROPPED},
    {"heartbeat_ms", INT, DROPPED},
    {"flush_capture_writes", BOOL, DROPPED, .form = 1},
    {"max_head_per_kind", INT, LIMIT(7)},
    {"max_events_per_tick", INT, LIMIT(6)},
    {"max_rng_head_per_tick", INT, LIMIT(4)},
    {"max_rng_caller_kinds", INT, LIMIT(5)},
    {"enable_rng_roll_log", BOOL, DROPPED},
    {"max_rng_roll_log_events", INT, DROPPED},
    {"max_rng_outside_tick_head", INT, LIMIT(8)},
    {"enable_rng_state_mirror", BOOL, HOOK(2)},
    {"max_creature_delta_ids", INT, LIMIT(9)},
    {"creature_sample_limit", INT, LIMIT(0)},
    {"projectile_sample_limit", INT, LIMIT(1)},
    {"secondary_projectile_sample_limit", INT, LIMIT(2)},
    {"bonus_sample_limit", INT, LIMIT(3)},
    {"enable_input_hooks", BOOL, HOOK(0)},
    {"enable_rng_hooks", BOOL, HOOK(1)},
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

static bool setting_exists(const struct frida_in *d, const struct setting *s)
{
    return !s->form || s->form == (d->model ? 2 : 1);
}

static const struct setting *config_find(const struct frida_in *d, struct ras_bytes key)
{
    for (unsigned i = 0; i < SETTINGS; i++)
        if (setting_exists(d, &settings[i]) && key.len == strlen(settings[i].name) &&
            !memcmp(key.at, settings[i].name, key.len))
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
        const struct setting *s = config_find(d, key);
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
        if (!(seen >> i & 1) && setting_exists(d, &settings[i]))
            return frida_bad(d, start, "Object missing required field `%s`", settings[i].name);
    return p;
}

/* Whether this key is at p, with its quotes and the colon. Reads at most 34 bytes. */
static inline bool frida_key_is(const uint8_t *p, const struct cdt_field *f)
{
    const uint8_t *key = (const uint8_t *)f; /* its head is where the quote is */
    unsigned size = 1 + (f->head & 31);
    if (load_u16(p + size) != 0x3a22) /* ": */
        return false;
    uint64_t differ = load_u64(p) ^ load_u64(key) ^ (uint8_t)(f->head ^ '"');
    if (size < 8)
        return !(differ << (64 - 8 * size));
    if (size > 8)
        differ |= load_u64(p + size - 8) ^ load_u64(key + size - 8);
    if (size > 16)
        differ |= load_u64(p + 8) ^ load_u64(key + 8);
    if (size > 24)
        differ |= load_u64(p + 16) ^ load_u64(key + 16);
    return !differ;
}

/* The slow path: blanks, escapes, any order. *f is NULL for an unknown key that may be ignored. */
static const uint8_t *frida_find_key(struct frida_in *d, const uint8_t *p,
                                     const struct cdt_struct *s, unsigned guess,
                                     const struct cdt_field **f)
{
    struct ras_bytes key;
    const uint8_t *at = p;
    p = frida_key(d, p, &key);
    if (!p)
        return NULL;
    for (unsigned n = 0; n < s->count; n++) {
        unsigned i = guess + n < s->count ? guess + n : guess + n - s->count;
        *f = &s->fields[i];
        if (key.len == ((*f)->head & 31u) && !memcmp(key.at, (*f)->name, key.len))
            return p;
    }
    *f = NULL;
    if (s->closed)
        return frida_bad(d, at, "Object contains unknown field `%.*s`",
                         (int)(key.len < 64 ? key.len : 64), (const char *)key.at);
    return p;
}

static inline const uint8_t *frida_member(struct frida_in *d, const uint8_t *p,
                                          const struct cdt_field *f, uint8_t *out, bool *wide)
{
    bool null = cdt_may_be_nil(f->need);
    struct ras_cdt_int number;
    const uint8_t *at = p;
    switch ((int)f->type) {
    case CDT_FLOAT:
    case CDT_REAL:
        return frida_float(d, p, null, (double *)(void *)out);
    case CDT_INT:
    case CDT_RANGE: /* of a trace: it is checked when the tick is written */
    case CDT_WEAPON:
        p = frida_int(d, p, null, f->fixed == FRIDA_LOOSE, &number);
        if (!p)
            return NULL;
        if (number.wide && d->model) /* no member of form 2 has such values */
            return frida_bad(d, at, "Number out of range");
        *(int64_t *)(void *)out = number.value;
        *wide = number.wide;
        if (f->type == CDT_WEAPON && (number.wide || (uint64_t)number.value > 53))
            return frida_bad(d, at, "Invalid enum value %.*s", (int)(p - at), (const char *)at);
        return p;
    case CDT_BOOL:
        return frida_bool(d, p, null, (bool *)out);
    case CDT_STR:
    case CDT_CHAR:
        return frida_text(d, p, null, (struct ras_bytes *)(void *)out);
    case CDT_STRUCT:
        return frida_struct(d, p, f->of, null, out);
    case FRIDA_CHANNELS:
        return frida_struct(d, p, d->model->channels, null, out);
    default:
        return frida_container(d, p, f, out);
    }
}

/* ---- structs -------------------------------------------------------------------- */

/* Sets missing members (bits) to their defaults; false: a required one is missing. */
static bool frida_fill_defaults(struct frida_in *d, const uint8_t *p, const struct cdt_struct *s,
                                uint64_t missing, uint8_t *out)
{
    for (unsigned i = 0; i < s->count; i++)
        if (missing >> i & 1 && cdt_is_required(s->fields[i].need))
            return frida_bad(d, p, "Object missing required field `%s`", s->fields[i].name);
    for (unsigned i = 0; i < s->count; i++)
        if (missing >> i & 1)
            cdt_member_default(&s->fields[i], out + s->fields[i].offset);
    return true;
}

/* {"x":1,"y":2} as the script writes it: a third of all structs. NULL: written differently. */
static inline const uint8_t *get_pair(const uint8_t *p, double *out)
{
    const uint8_t *fault;
    struct json_number n;
    for (int i = 0; i < 2; i++) {
        const char *head = i ? ",\"y\":" : "{\"x\":";
        if (memcmp(p, head, 5) != 0 || !(json_digit(p[5]) || p[5] == '-'))
            return NULL;
        p = json_number(p + 5, &n, &fault);
        if (!p || !n.exact || !decimal_f64(n.digits, n.exponent, &out[i]))
            return NULL;
        if (n.negative && (n.digits || !n.integer))
            out[i] = -out[i];
    }
    return *p == '}' ? p + 1 : NULL;
}

const uint8_t *frida_struct(struct frida_in *d, const uint8_t *p, const struct cdt_struct *s,
                            bool null, uint8_t *out)
{
    const uint8_t *start = p, *quick;
    uint64_t seen = 0;
    uint32_t present = 0, wides = 0;
    unsigned guess = 0;
    bool more;
    if (*p != '{')
        return frida_expected(d, p, "object", null);
    if (s->plain && s->count == 2 && (quick = get_pair(p, (double *)(void *)out)))
        return quick;
    for (p = frida_first(p + 1, '}', &more); more;) {
        const struct cdt_field *f = s->fields + guess;
        if (guess < s->count && frida_key_is(p, f)) {
            p = json_white(p + (f->head & 31) + 3);
        } else if (!(p = frida_find_key(d, p, s, guess, &f))) {
            return NULL;
        }
        bool wide = false;
        const uint8_t *nil = NULL;
        if (!f) {
            p = frida_skip(d, p);
        } else {
            guess = (unsigned)(f - s->fields);
            uint32_t bit = UINT32_C(1) << cdt_bit(f, guess);
            nil = cdt_may_be_nil(f->need) ? frida_null(p) : NULL;
            seen |= UINT64_C(1) << guess++;
            if (nil)
                memset(out + f->offset, 0, f->size);
            p = nil ? nil : frida_member(d, p, f, out + f->offset, &wide);
            if (!p)
                return frida_inside(d, ".%s", f->name);
            present = nil ? present & ~bit : present | bit;
            wides = wide ? wides | bit : wides & ~bit;
        }
        p = p ? frida_next(d, p, '}', &more) : NULL;
        if (!p)
            return NULL;
    }
    uint64_t missing = ~seen & ((UINT64_C(1) << s->count) - 1);
    if (missing && !frida_fill_defaults(d, start, s, missing, out))
        return NULL;
    if (!s->plain)
        *(struct ras_cdt_node *)(void *)out = (struct ras_cdt_node){
            (uint32_t)(start - d->base), (uint32_t)(p - start), present, wides};
    return p;
}

/* ---- rows ------------------------------------------------------------------------ */

const uint8_t *frida_find(struct frida_in *d, const uint8_t *p, const char *name, bool *bad)
{
    struct ras_bytes key;
    bool more;
    *bad = true;
    for (p = frida_first(p + 1, '}', &more); more;) {
        p = frida_key(d, p, &key);
        if (!p || cdt_text_is(key, name))
            return p;
        p = frida_skip(d, p);
        p = p ? frida_next(d, p, '}', &more) : NULL;
        if (!p)
            return NULL;
    }
    *bad = false;
    return NULL;
}

/* Finds the first value of the key `event`; false: see *problem. */
static bool find_event(struct frida_in *d, struct ras_bytes *event)
{
    const uint8_t *p = json_white(d->base);
    bool bad;
    if (*p != '{') {
        if (frida_skip(d, p))
            frida_expected(d, p, "object", false);
        return false;
    }
    p = frida_find(d, p, "event", &bad);
    if (p && *p == '"')
        return frida_text(d, p, false, event) != NULL;
    if (p && frida_skip(d, p)) {
        frida_bad(d, p, "Expected `str`");
        cdt_problem_inside(d->problem, ".event");
    }
    if (!p && !bad)
        frida_bad(d, d->base, "Object missing required field `event`");
    return false;
}

/* Returns the end of the string whose quote is at p, whatever it holds; NULL: it does not end. */
static const uint8_t *skip_string(const struct frida_in *d, const uint8_t *p)
{
    for (p++; *(p = json_plain_run(p, d->end + JSON_PADDING)) != '"'; p++) {
        if (p >= d->end)
            return NULL;
        p += *p == '\\';
    }
    return p + 1;
}

/* The same for a well-formed line: only brackets and quotes are counted, because the row is checked
 * when it is decoded. Returns false if a closer check is needed. */
static bool guess_event(const struct frida_in *d, struct ras_bytes *event)
{
    unsigned depth = 0;
    const uint8_t *p = d->base;
    while (p < d->end) {
        if (*p != '"') {
            depth += *p == '{' || *p == '[';
            depth -= *p == '}' || *p == ']';
            p++;
            continue;
        }
        const uint8_t *from = p;
        if (!(p = skip_string(d, p)) ||
            (depth == 1 && p - from == 7 && *p == ':' && !memcmp(from, "\"event\"", 7)))
            break;
    }
    if (!p || p >= d->end || p[1] != '"')
        return false;
    const uint8_t *end = json_plain_run(p + 2, d->end + JSON_PADDING);
    *event = (struct ras_bytes){p + 2, (size_t)(end - p - 2)};
    return *end == '"';
}

static bool frida_decode_row(struct frida_in *d, struct frida_row *row)
{
    const struct cdt_struct *rows = d->model ? frida_rows2 : frida_rows;
    struct ras_bytes event;
    if (!guess_event(d, &event) && !find_event(d, &event))
        return false;
    unsigned i = 0;
    while (i < FRIDA_EVENTS && !(rows[i].fields && cdt_text_is(event, frida_event_names[i])))
        i++;
    row->event = (enum frida_event)i;
    const uint8_t *p = json_white(d->base);
    if (i < FRIDA_EVENTS) {
        p = frida_struct(d, p, &rows[i], false, (uint8_t *)&row->tick);
        if (!p)
            return false;
        p = json_white(p);
        if (p != d->end)
            return frida_malformed(d, p, "trailing characters");
        event = row->tick.event; /* every row has it there */
    }
    if (i < FRIDA_EVENTS && cdt_text_is(event, frida_event_names[i]))
        return true;
    frida_bad(d, p, "Invalid value '%.*s'", (int)(event.len < 64 ? event.len : 64),
              (const char *)event.at);
    cdt_problem_inside(d->problem, ".event");
    return false;
}

bool frida_version_of(struct ras_bytes line, struct arena *arena, struct ras_cdt_int *version)
{
    struct cdt_problem problem;
    struct frida_in d = {line.at, line.at + line.len, NULL, arena, &problem};
    struct ras_bytes event;
    bool bad;
    const uint8_t *p = json_white(d.base);
    if (*p != '{' || (!guess_event(&d, &event) && !find_event(&d, &event)) ||
        !cdt_text_is(event, frida_event_names[FRIDA_SESSION_START]))
        return false;
    p = frida_find(&d, p, "capture_format_version", &bad);
    return p && frida_int(&d, p, false, false, version);
}

bool frida_decode(struct ras_bytes line, const struct cdt_model *model, struct arena *arena,
                  struct frida_row *row, struct cdt_problem *problem)
{
    struct frida_in d = {line.at, line.at + line.len, model, arena, problem};
    problem->ignored = 0;
    if (frida_decode_row(&d, row))
        return true;
    if (problem->status == RAS_ECUT)
        problem->path[0] = 0;
    else if (problem->path[0])
        cdt_problem_inside(problem, "$");
    return false;
}
