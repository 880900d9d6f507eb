/* cdt_detail.c - what a report of a comparison contains: the members of a divergence, as in the
 * reference tool, and the paths of fields. */
#include "formats/cdt/cdt_compare.h"

#define PRETTY(what)                                                                               \
    {                                                                                              \
        .key = "pretty", .role = RAS_DETAIL_COUNT, .kinds = RAS_DETAIL_TEXT, .about = (what)       \
    }
#define SIDE(name, of_kinds, what)                                                                 \
    {                                                                                              \
        .key = (name), .role = RAS_DETAIL_SIDE, .kinds = RAS_DETAIL_##of_kinds, .about = (what)    \
    }

static const struct ras_detail_member payload[] = {
    MEMBER_ROWS("mismatches", "fields of the checkpoint that differ"),
    {0},
};
static const struct ras_detail_member checkpoint[] = {
    MEMBER_COUNT("diff_count", "number of rows"),
    {"payload", RAS_DETAIL_VALUE, RAS_DETAIL_MAP, false, payload, "the rows"},
    PRETTY("`payload` as indented JSON text"),
    {0},
};
static const struct ras_detail_member typed[] = {
    MEMBER_COUNT("diff_count", "number of rows"),
    MEMBER_ROWS("mismatches", "fields that differ"),
    PRETTY("`mismatches` as indented JSON text"),
    {0},
};

static const struct ras_detail_member draw[] = {
    MEMBER_VALUE("tick_call_index", NUMBER, "its number in the tick"),
    MEMBER_VALUE("value_15", NUMBER, "the value drawn"),
    MEMBER_VALUE("state_before_u32", NUMBER, "of the generator"),
    MEMBER_VALUE("state_after_u32", NUMBER, "of the generator"),
    MEMBER_OR_NULL("caller", NUMBER, "address of the caller"),
    MEMBER_OR_NULL("caller_hex", TEXT, "the same"),
    {0},
};
#define DRAW(key, what)                                                                            \
    {                                                                                              \
        key, RAS_DETAIL_PAIR, RAS_DETAIL_MAP, true, draw, what                                     \
    }
static const struct ras_detail_member rng[] = {
    MEMBER_MAYBE("prefix_match_len", NUMBER, "container 1: equal draws at the start of both"),
    MEMBER_MAYBE("behavior_ok", BOOL,
                 "container 2: the draws are equal, whoever their callers are"),
    MEMBER_MAYBE("caller_attribution_ok", BOOL, "container 2: the callers are equal, too"),
    MEMBER_MAYBE("classification", TEXT, "container 2: rng_behavior or caller_attribution_only"),
    MEMBER_MAYBE("behavior_prefix_match_len", NUMBER,
                 "container 2: equal draws at the start of both"),
    MEMBER_MAYBE("caller_prefix_match_len", NUMBER,
                 "container 2: equal callers at the start of both"),
    {"expected_calls", RAS_DETAIL_PAIR, RAS_DETAIL_NUMBER, .about = "draws of the first side"},
    {"actual_calls", RAS_DETAIL_PAIR, RAS_DETAIL_NUMBER, .about = "draws of the second side"},
    MEMBER_VALUE("missing_tail", NUMBER, "draws that the second side lacks"),
    MEMBER_VALUE("extra_tail", NUMBER, "extra draws of the second side"),
    DRAW("expected_first_mismatch", "the first side's first draw that differs, if it has one"),
    DRAW("actual_first_mismatch", "the second side's first draw that differs, if it has one"),
    {0},
};

static const struct ras_detail_member counts[] = {
    SIDE("expected", NUMBER, "of the first side"),
    SIDE("actual", NUMBER, "of the second side"),
    {0},
};
static const struct ras_detail_member repeated[] = {
    SIDE("expected", LIST, "of the first side"),
    SIDE("actual", LIST, "of the second side"),
    {0},
};
static const struct ras_detail_member uids[] = {
    MEMBER_VALUE("missing", LIST, "uids that only the first side has"),
    MEMBER_VALUE("extra", LIST, "uids that only the second side has"),
    {0},
};
static const struct ras_detail_member row_diff[] = {
    {"path", RAS_DETAIL_COUNT, RAS_DETAIL_TEXT, .about = "path of the entity"},
    MEMBER_COUNT("diff_count", "number of rows"),
    MEMBER_ROWS("mismatches", "fields of the entity that differ"),
    PRETTY("`mismatches` as indented JSON text"),
    {0},
};
#define GROUP(key, of, what)                                                                       \
    {                                                                                              \
        key, RAS_DETAIL_VALUE, RAS_DETAIL_MAP, true, of, what                                      \
    }
#define POOL(pool)                                                                                 \
    GROUP(pool "_count", counts, "number of entities, if it differs"),                             \
        GROUP(pool "_duplicate_uids", repeated, "repeated uids"),                                  \
        GROUP(pool "_uids", uids, "uids that only one side has")
static const struct ras_detail_member entities[] = {
    POOL("creatures"),
    POOL("projectiles"),
    POOL("secondary_projectiles"),
    POOL("bonuses"),
    {"row_diffs", RAS_DETAIL_VALUE, RAS_DETAIL_LIST, true, row_diff, "entities that differ"},
    {0},
};

#define CHANNEL(key, of, what)                                                                     \
    {                                                                                              \
        key, RAS_DETAIL_VALUE, RAS_DETAIL_MAP, true, of, what                                      \
    }
static const struct ras_detail_member channels[] = {
    CHANNEL("checkpoint", checkpoint, "kind `checkpoint_field_mismatch`"),
    CHANNEL("rng_stream", rng, "kind `rng_stream_mismatch`"),
    CHANNEL("sim_state", typed, "kind `sim_state_mismatch`"),
    CHANNEL("entity_samples", entities, "kind `entity_sample_mismatch`"),
    CHANNEL("timing_samples", typed, "kind `timing_samples_mismatch`"),
    CHANNEL("replay_step", typed, "container 2: kind `replay_step_mismatch`"),
    {0},
};
static const struct ras_detail_member tick[] = {
    MEMBER_COUNT("mismatch_count", "number of channels that differ"),
    {"mismatches", RAS_DETAIL_CHANNELS, RAS_DETAIL_LIST, false, channels,
     "one per channel: {`kind`, `channel`, `detail`}"},
    {0},
};
static const struct ras_detail_member missing[] = {MEMBER_MISSING, {0}};

const struct ras_detail_kind cdt_details[] = {
    {"tick_mismatch", "both sides have the tick, with different channels", tick},
    {"missing_tick", "only one side has the tick", missing},
    {"record_mismatch", "both sides have the tick, of a schema that is not known", detail_record},
    {0},
};

/* ---- paths of fields, from the tables of the structs ------------------------------------- */

enum { PATH_MOST = 256 };

/* Reports index lists and maps; a query can only enter maps, by dots. */
static void add_struct(struct known_paths *k, const char *above, const struct cdt_struct *s,
                       bool query);

static void add_field(struct known_paths *k, const char *path, const struct cdt_field *f,
                      bool query)
{
    char item[PATH_MOST];
    snprintf(item, sizeof item, "%.240s[*]", path);
    switch (f->type) {
    case CDT_STRUCT:
        add_struct(k, path, f->of, query);
        return;
    case CDT_LIST:
    case CDT_UNION:
        if (query)
            paths_add(k, "%s", path);
        else
            add_struct(k, item, f->of, query);
        return;
    case CDT_TIMERS:
        paths_add(k, query ? "%s.*" : "%s[*]", path);
        return;
    case CDT_STRS:
    case CDT_INTS:
    case CDT_COUNTS:
    case CDT_FIXED:
    case CDT_FIXED_POS:
        paths_add(k, query ? "%s" : "%s...", path);
        return;
    default:
        paths_add(k, "%s", path);
    }
}

static void add_struct(struct known_paths *k, const char *above, const struct cdt_struct *s,
                       bool query)
{
    char path[PATH_MOST];
    if (*above)
        paths_add(k, "%s", above);
    for (unsigned i = 0; i < s->count; i++) {
        snprintf(path, sizeof path, "%.200s%s%s", above, *above ? "." : "", s->fields[i].name);
        add_field(k, path, &s->fields[i], query);
    }
}

static void add_ticks(struct known_paths *k, const struct cdt_model *model)
{
    static const char *const names[] = {"rng_stream_count", "timing_samples_count",
                                        "event_count_total", "top_event_types"};
    for (unsigned i = 0; i < 4; i++) /* tick_index, elapsed_ms, dt_ms_i32, mode_id */
        paths_add(k, "%s", model->rows[CDT_ROW_TICK]->fields[i].name);
    add_struct(k, "checkpoint", model->rows[CDT_ROW_CHECKPOINT], true);
    for (int i = 0; i < CDT_POOLS; i++)
        paths_add(k, "entity_counts.%s", cdt_pools[i].name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paths_add(k, "%s", names[i]);
}

/* What every schema has; what is below the channels is not known. */
static void add_untyped(struct known_paths *k)
{
    for (size_t i = 0; i < cdt_generic_schema.field_count; i++)
        paths_add(k, "%s...", cdt_generic_schema.fields[i].name);
}

void cdt_paths(struct ras_trace *t, enum ras_paths of, struct known_paths *k)
{
    const struct cdt_model *model = t ? cdt_model_in(t) : &cdt_model_12;
    char pool[64];
    if (of == RAS_PATHS_DIFF && t && !((const struct cdt_trace *)t->priv)->meta.typed) {
        add_untyped(k);
        return;
    }
    if (of == RAS_PATHS_TICKS) {
        add_ticks(k, model);
        return;
    }
    if (of == RAS_PATHS_ENTITIES) {
        paths_add(k, "tick_index");
        for (int i = 0; i < CDT_POOLS; i++)
            add_struct(k, "", cdt_pool_of(model, i), true);
        return;
    }
    if (model->container == 2)
        add_struct(k, "replay_step", model->rows[CDT_ROW_STEP], false);
    add_struct(k, "checkpoint", model->rows[CDT_ROW_CHECKPOINT], false);
    add_struct(k, "", model->rows[CDT_ROW_CHECKPOINT], false); /* as reports write them */
    add_struct(k, "rng_stream[*]", model->rows[CDT_ROW_RNG], false);
    add_struct(k, "sim_state", model->rows[CDT_ROW_SIM_STATE], false);
    for (int i = 0; i < CDT_POOLS; i++) {
        snprintf(pool, sizeof pool, "entity_samples.%s[*]", cdt_pools[i].name);
        add_struct(k, pool, cdt_pool_of(model, i), false);
    }
    add_struct(k, "timing_samples[*]", model->rows[CDT_ROW_TIMING], false);
}
