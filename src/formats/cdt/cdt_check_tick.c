/* cdt_check_tick.c - what holds inside a block, inside a tick, and from one to the next. */
#include "formats/cdt/cdt_check.h"

#include <stddef.h>

static bool fits_u32(int64_t value)
{
    return value >= 0 && value <= UINT32_MAX;
}

static bool fits_i32(int64_t value)
{
    return value >= INT32_MIN && value <= INT32_MAX;
}

static void check_tick_order(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    int64_t tick = t->tick_index, last = k->last_tick;
    if (k->rows && tick < last)
        CDT_FINDING(k, CDT_TICK_ORDER,
                    "tick rows must be in non-decreasing order, got %" PRId64 " after %" PRId64,
                    tick, last);
    else if (k->rows && tick == last)
        CDT_FINDING(k, CDT_TICK_DUPLICATE, "tick %" PRId64 " comes twice", tick);
    else if (k->rows && (uint64_t)tick - (uint64_t)last > 1)
        CDT_FINDING(k, CDT_TICK_GAP, "tick %" PRId64 " follows tick %" PRId64, tick, last);
    if (!k->rows)
        k->first_tick = tick;
    k->last_tick = tick;
    k->rows++;
    if (!fits_i32(tick) || tick < 0 || !fits_i32(t->dt_ms_i32) || t->elapsed_ms < 0)
        CDT_FINDING(k, CDT_TICK_NUMBERS,
                    "tick_index %" PRId64 ", elapsed_ms %" PRId64 ", dt_ms_i32 %" PRId64, tick,
                    t->elapsed_ms, t->dt_ms_i32);
}

static void check_checkpoint(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    const struct ras_cdt_replay_checkpoint *c = &t->channels.checkpoint;
    enum { TIMERS_MOST = 64 }; /* beyond, comparing all pairs costs more than it tells */
    if (c->tick_index != t->tick_index || c->elapsed_ms != t->elapsed_ms)
        CDT_FINDING(k, CDT_CHECKPOINT_TICK,
                    "tick %" PRId64 " at %" PRId64 " ms holds the checkpoint of tick %" PRId64
                    " at %" PRId64 " ms",
                    t->tick_index, t->elapsed_ms, c->tick_index, c->elapsed_ms);
    for (size_t i = 0; i < c->bonus_timers.count && i < TIMERS_MOST; i++)
        for (size_t j = 0; j < i; j++) {
            struct ras_bytes a = c->bonus_timers.at[i].key, b = c->bonus_timers.at[j].key;
            if (a.len == b.len && !memcmp(a.at, b.at, a.len))
                CDT_FINDING(k, CDT_CHECKPOINT_TIMERS,
                            "tick %" PRId64 " has the bonus timer \"%.*s\" twice", t->tick_index,
                            (int)(a.len < 40 ? a.len : 40), (const char *)a.at);
        }
    if (c->players.count != t->channels.sim_state.players.count)
        CDT_FINDING(k, CDT_SIM_PLAYERS,
                    "tick %" PRId64 " has %zu players in its checkpoint, %zu in its sim_state",
                    t->tick_index, c->players.count, t->channels.sim_state.players.count);
}

/* The members that rows of all four pools begin with. */
struct sample {
    struct ras_cdt_node node;
    int64_t uid, generation;
    struct ras_bytes pool_kind;
};

#define BEGINS(pool)                                                                               \
    _Static_assert(offsetof(struct ras_cdt_##pool##_entity_sample, uid) ==                         \
                           offsetof(struct sample, uid) &&                                         \
                       offsetof(struct ras_cdt_##pool##_entity_sample, pool_kind) ==               \
                           offsetof(struct sample, pool_kind),                                     \
                   "rows of every pool begin alike")
BEGINS(creature);
BEGINS(projectile);
BEGINS(secondary_projectile);
BEGINS(bonus);

/* Rows come in slot order, so a uid that comes twice is one that does not ascend;
 * rows in another order are compared with all before them. */
static void check_pool(struct cdt_checker *k, int64_t tick, const struct cdt_row *row,
                       const uint8_t *at, size_t count)
{
    enum { PAIRS_MOST = 4096 };
    int64_t highest = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = (const struct sample *)(const void *)(at + i * row->of->size);
        if (!cdt_text_is(s->pool_kind, row->name))
            CDT_FINDING(k, CDT_ENTITY_POOL, "tick %" PRId64 ": %s %zu has pool_kind '%.*s'", tick,
                        row->name, i, (int)(s->pool_kind.len < 40 ? s->pool_kind.len : 40),
                        (const char *)s->pool_kind.at);
        for (size_t j = 0; s->uid <= highest && j < i && j < PAIRS_MOST; j++) {
            const struct sample *o = (const struct sample *)(const void *)(at + j * row->of->size);
            if (o->uid != s->uid)
                continue;
            CDT_FINDING(k, CDT_ENTITY_UID,
                        "tick %" PRId64 ": uid %" PRId64 " twice among the %s rows", tick, s->uid,
                        row->name);
            break;
        }
        highest = s->uid > highest ? s->uid : highest;
    }
}

static void check_entities(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    static const struct cdt_struct *const pools[] = {
        &cdt_creature_entity_sample, &cdt_projectile_entity_sample,
        &cdt_secondary_projectile_entity_sample, &cdt_bonus_entity_sample};
    for (int i = 0; i < CDT_ROWS; i++)
        for (int pool = 0; pool < 4; pool++)
            if (cdt_rows[i].of == pools[pool]) {
                size_t count;
                const uint8_t *at = cdt_row_first(&cdt_rows[i], t, &count);
                check_pool(k, t->tick_index, &cdt_rows[i], at, count);
            }
}

static void check_rng(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    bool deep = report_wants(k->report, &cdt_rules[CDT_RNG_LCG]);
    for (size_t i = 0; i < t->channels.rng_stream.count; i++) {
        const struct ras_cdt_rng_stream_row *r = &t->channels.rng_stream.at[i];
        bool caller = ras_cdt_has(&r->node, RAS_CDT_RNG_CALLER);
        if (r->tick_call_index != (int64_t)i + 1)
            CDT_FINDING(k, CDT_RNG_INDEX, "tick %" PRId64 ": draw %zu has tick_call_index %" PRId64,
                        t->tick_index, i + 1, r->tick_call_index);
        if (!fits_u32(r->state_before_u32) || !fits_u32(r->state_after_u32) || r->value_15 < 0 ||
            r->value_15 > 32767 || (caller && !fits_u32(r->caller))) {
            CDT_FINDING(k, CDT_RNG_NUMBERS,
                        "tick %" PRId64 ": draw %zu: %" PRId64 " to %" PRId64 ", value %" PRId64,
                        t->tick_index, i + 1, r->state_before_u32, r->state_after_u32, r->value_15);
            continue;
        }
        /* The generator of the original game, a 32-bit LCG. */
        uint32_t after = (uint32_t)r->state_before_u32 * 214013u + 2531011u;
        if (deep && (r->state_after_u32 != after || r->value_15 != (after >> 16 & 0x7fff)))
            CDT_FINDING(k, CDT_RNG_LCG,
                        "tick %" PRId64 ": draw %zu from %" PRId64 " gives %" PRIu32 ", %" PRIu32
                        "; stored are %" PRId64 ", %" PRId64,
                        t->tick_index, i + 1, r->state_before_u32, after, after >> 16 & 0x7fff,
                        r->state_after_u32, r->value_15);
    }
}

/* spec "Channel contract": what the shared minimum row records. */
static bool has_minimum(const struct ras_cdt_timing_sample_row *r)
{
    const uint32_t want =
        1u << RAS_CDT_TIMING_GAMEPLAY_FRAME | 1u << RAS_CDT_TIMING_FRAME_DT_F32 |
        1u << RAS_CDT_TIMING_FRAME_DT_MS_I32 | 1u << RAS_CDT_TIMING_FRAME_DT_MS_F32 |
        1u << RAS_CDT_TIMING_TIME_SCALE_ACTIVE_ENTRY |
        1u << RAS_CDT_TIMING_TIME_SCALE_ACTIVE_CURRENT | 1u << RAS_CDT_TIMING_TIME_SCALE_FACTOR |
        1u << RAS_CDT_TIMING_BONUS_REFLEX_BOOST_TIMER | 1u << RAS_CDT_TIMING_MODE_FN;
    return (r->node.present & want) == want &&
           cdt_text_is(r->mode_fn, "gameplay_update_and_render");
}

static void check_timing(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    bool entered = false;
    for (size_t i = 0; i < t->channels.timing_samples.count; i++) {
        const struct ras_cdt_timing_sample_row *r = &t->channels.timing_samples.at[i];
        if (r->tick_index != t->tick_index)
            CDT_FINDING(k, CDT_TIMING_TICK, "tick %" PRId64 ": timing row %zu is of tick %" PRId64,
                        t->tick_index, i, r->tick_index);
        if (!cdt_text_is(r->phase, "gpur_enter"))
            continue;
        entered = true;
        if (!has_minimum(r))
            CDT_FINDING(k, CDT_TIMING_MINIMUM,
                        "tick %" PRId64 ": the gpur_enter row %zu lacks a member", t->tick_index,
                        i);
    }
    if (!entered)
        CDT_FINDING(k, CDT_TIMING_ENTER,
                    "tick %" PRId64 ": no gpur_enter row among %zu timing samples", t->tick_index,
                    t->channels.timing_samples.count);
}

static void check_range(struct cdt_checker *k, const struct ras_cdt_tick_block *b)
{
    const struct ras_cdt_chunk *chunk = &k->block.loaded.chunk;
    size_t n = b->ticks.count;
    if (chunk->start_tick != b->start_tick || chunk->end_tick != b->end_tick)
        CDT_FINDING(k, CDT_CHUNK_TICKS,
                    "the chunk header has ticks %" PRId32 " to %" PRId32 ", its block %" PRId64
                    " to %" PRId64,
                    chunk->start_tick, chunk->end_tick, b->start_tick, b->end_tick);
    if (!n)
        CDT_FINDING(k, CDT_BLOCK_EMPTY, "a block without ticks");
    else if (b->ticks.at[0].tick_index != b->start_tick ||
             b->ticks.at[n - 1].tick_index != b->end_tick)
        CDT_FINDING(
            k, CDT_BLOCK_RANGE,
            "the block has ticks %" PRId64 " to %" PRId64 ", its rows %" PRId64 " to %" PRId64,
            b->start_tick, b->end_tick, b->ticks.at[0].tick_index, b->ticks.at[n - 1].tick_index);
}

void cdt_check_block(struct cdt_checker *k, const struct ras_cdt_tick_block *b)
{
    uint64_t ignored = k->block.problem.ignored;
    /* The Zig writer has two keys of its own in each checkpoint. */
    uint64_t usual = strcmp(k->dialect, "zig") ? 0 : 2 * (uint64_t)b->ticks.count;
    if (ignored > usual)
        CDT_FINDING(k, CDT_BLOCK_KEYS, "ignored: %s",
                    ras_counted(ignored - usual, "unknown key").text);
    check_range(k, b);
    for (size_t i = 0; i < b->ticks.count; i++) {
        const struct ras_cdt_tick_record *t = &b->ticks.at[i];
        check_tick_order(k, t);
        check_checkpoint(k, t);
        check_entities(k, t);
        check_rng(k, t);
        check_timing(k, t);
    }
}
