/* cdt_detail.c - the members of what is told of a divergence: those that the format's own tool has,
 * by channel. */
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
    MEMBER_COUNT("diff_count", "how many rows there are"),
    {"payload", RAS_DETAIL_VALUE, RAS_DETAIL_MAP, false, payload, "the rows"},
    PRETTY("`payload` as indented JSON text"),
    {0},
};
static const struct ras_detail_member typed[] = {
    MEMBER_COUNT("diff_count", "how many rows there are"),
    MEMBER_ROWS("mismatches", "fields that differ"),
    PRETTY("`mismatches` as indented JSON text"),
    {0},
};

static const struct ras_detail_member draw[] = {
    MEMBER_VALUE("tick_call_index", NUMBER, "its number in the tick"),
    MEMBER_VALUE("value_15", NUMBER, "what was drawn"),
    MEMBER_VALUE("state_before_u32", NUMBER, "of the generator"),
    MEMBER_VALUE("state_after_u32", NUMBER, "of the generator"),
    MEMBER_OR_NULL("caller", NUMBER, "address of who drew"),
    MEMBER_OR_NULL("caller_hex", TEXT, "the same"),
    {0},
};
#define DRAW(key, what)                                                                            \
    {                                                                                              \
        key, RAS_DETAIL_PAIR, RAS_DETAIL_MAP, true, draw, what                                     \
    }
static const struct ras_detail_member rng[] = {
    MEMBER_VALUE("prefix_match_len", NUMBER, "draws that are the same in both"),
    {"expected_calls", RAS_DETAIL_PAIR, RAS_DETAIL_NUMBER, .about = "draws of the first side"},
    {"actual_calls", RAS_DETAIL_PAIR, RAS_DETAIL_NUMBER, .about = "draws of the second side"},
    MEMBER_VALUE("missing_tail", NUMBER, "how many fewer the second side has"),
    MEMBER_VALUE("extra_tail", NUMBER, "how many more the second side has"),
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
    MEMBER_VALUE("path", TEXT, "which entity"),
    MEMBER_COUNT("diff_count", "how many rows there are"),
    MEMBER_ROWS("mismatches", "fields of the entity that differ"),
    PRETTY("`mismatches` as indented JSON text"),
    {0},
};
#define GROUP(key, of, what)                                                                       \
    {                                                                                              \
        key, RAS_DETAIL_VALUE, RAS_DETAIL_MAP, true, of, what                                      \
    }
#define POOL(pool)                                                                                 \
    GROUP(pool "_count", counts, "how many there are, where that differs"),                        \
        GROUP(pool "_duplicate_uids", repeated, "uids that are there again"),                      \
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
    {0},
};
static const struct ras_detail_member tick[] = {
    MEMBER_COUNT("mismatch_count", "how many channels differ"),
    {"mismatches", RAS_DETAIL_CHANNELS, RAS_DETAIL_LIST, false, channels,
     "a channel each: {`kind`, `channel`, `detail`}"},
    {0},
};
static const struct ras_detail_member missing[] = {MEMBER_MISSING, {0}};

const struct ras_detail_kind cdt_details[] = {
    {"tick_mismatch", "both sides have the tick, with different channels", tick},
    {"missing_tick", "only one side has the tick", missing},
    {0},
};
