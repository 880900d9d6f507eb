/* cdt_check.c - the rules of a trace, with their severity, and the checks: chunks, footer, index,
 * ticks.
 *
 * An error is what the reference reader refuses, or bytes that cannot be followed although the
 * index leads around them. What the reader accepts although the specification forbids it is a
 * warning, and an error under --strict. A mere convention of the producers stays a warning; what is
 * legal but unusual is a note. */
#include "formats/cdt/cdt_strict.h"
#include "ops/verify/report.h"

#include <stddef.h>

/* The number of a rule; its id; its severity, and with --strict; deep; what holds. */
#define CDT_RULES(RULE)                                                                            \
    RULE(CDT_TRAILER, "cdt.trailer.missing", ERROR, ERROR, false,                                  \
         "the file ends with the trailer")                                                         \
    RULE(CDT_TRAILER_REST, "cdt.trailer.rest", ERROR, ERROR, false,                                \
         "no bytes and no second trace follow the trailer")                                        \
    RULE(CDT_FOOTER_CHUNK, "cdt.footer.chunk", ERROR, ERROR, false,                                \
         "footer_offset points at a FOTR chunk that can be read")                                  \
    RULE(CDT_FOOTER_DECODE, "cdt.footer.decode", ERROR, ERROR, false,                              \
         "the footer is a TraceFooter")                                                            \
    RULE(CDT_FOOTER_BOUNDS, "cdt.footer.bounds", ERROR, ERROR, false,                              \
         "the footer has blocks, ticks, and bounds in order")                                      \
    RULE(CDT_FOOTER_COUNT, "cdt.footer.count", WARNING, ERROR, false,                              \
         "tick_count is the number of ticks present")                                              \
    RULE(CDT_FOOTER_RANGE, "cdt.footer.range", WARNING, ERROR, false,                              \
         "first_tick and last_tick are those of the first and last tick")                          \
    RULE(CDT_INDEX_CHUNK, "cdt.index.chunk", ERROR, ERROR, false,                                  \
         "an index entry points at a TICK chunk")                                                  \
    RULE(CDT_INDEX_MATCH, "cdt.index.match", WARNING, ERROR, false,                                \
         "an index entry repeats its chunk's ticks, lengths and checksum")                         \
    RULE(CDT_INDEX_ORDER, "cdt.index.order", WARNING, WARNING, false,                              \
         "index entries ascend, one for each chunk")                                               \
    RULE(CDT_INDEX_MISSING, "cdt.index.missing", WARNING, ERROR, false,                            \
         "every TICK chunk is in the index")                                                       \
    RULE(CDT_CHUNK_CUT, "cdt.chunk.cut", ERROR, ERROR, false, "every chunk is complete")           \
    RULE(CDT_CHUNK_KIND, "cdt.chunk.kind", ERROR, ERROR, false, "a chunk is META, TICK or FOTR")   \
    RULE(CDT_CHUNK_PLACE, "cdt.chunk.place", ERROR, ERROR, false,                                  \
         "META comes first, FOTR last, each once")                                                 \
    RULE(CDT_CHUNK_PAYLOAD, "cdt.chunk.payload", ERROR, ERROR, false,                              \
         "a payload decompresses, is msgpack and has its stated length")                           \
    RULE(CDT_CHUNK_CHECKSUM, "cdt.chunk.checksum", ERROR, ERROR, false,                            \
         "checksum64 is the BLAKE2b-64 of the uncompressed payload")                               \
    RULE(CDT_CHUNK_UNINDEXED, "cdt.chunk.unindexed", ERROR, ERROR, false,                          \
         "chunks follow each other without bytes between")                                         \
    RULE(CDT_CHUNK_RESERVED, "cdt.chunk.reserved", WARNING, WARNING, false,                        \
         "flag bits other than ZSTD and MSGPACK are 0")                                            \
    RULE(CDT_CHUNK_ZSTD, "cdt.chunk.zstd", WARNING, ERROR, false,                                  \
         "python and frida set the ZSTD flag, zig stores payloads uncompressed")                   \
    RULE(CDT_CHUNK_TRAILING, "cdt.chunk.trailing", WARNING, WARNING, false,                        \
         "nothing follows the zstd frame in a chunk")                                              \
    RULE(CDT_CHUNK_TICKS, "cdt.chunk.ticks", WARNING, ERROR, false,                                \
         "start_tick and end_tick are -1 in META and FOTR, the block's in TICK")                   \
    RULE(CDT_META_CHUNK, "cdt.meta.chunk", ERROR, ERROR, false, "the first chunk is META")         \
    RULE(CDT_META_DECODE, "cdt.meta.decode", ERROR, ERROR, false,                                  \
         "META is a TraceMeta, without unknown keys")                                              \
    RULE(CDT_META_FORMAT, "cdt.meta.format", WARNING, WARNING, false,                              \
         "META's trace_format_version is that of the container")                                   \
    RULE(CDT_META_SCHEMA, "cdt.meta.schema", ERROR, ERROR, false,                                  \
         "trace_schema_version is 12, or 19 to 21 in container 2")                                 \
    RULE(CDT_META_RANGE, "cdt.meta.range", WARNING, WARNING, false,                                \
         "META's tick_range gives the ticks present")                                              \
    RULE(CDT_META_DIALECT, "cdt.meta.dialect", WARNING, WARNING, false,                            \
         "producer.impl is the dialect's")                                                         \
    RULE(CDT_BLOCK_DECODE, "cdt.block.decode", ERROR, ERROR, false,                                \
         "a TICK payload is a TickBlock, in every struct that it holds")                           \
    RULE(CDT_BLOCK_KEYS, "cdt.block.keys", NOTE, NOTE, false,                                      \
         "structs that ignore unknown keys have none")                                             \
    RULE(CDT_BLOCK_EMPTY, "cdt.block.empty", WARNING, ERROR, false, "a block has ticks")           \
    RULE(CDT_BLOCK_RANGE, "cdt.block.range", WARNING, ERROR, false,                                \
         "a block's ticks are those of its first and last row")                                    \
    RULE(CDT_TICK_NONE, "cdt.tick.none", ERROR, ERROR, false, "a trace has ticks")                 \
    RULE(CDT_TICK_ORDER, "cdt.tick.order", WARNING, ERROR, false, "tick_index does not descend")   \
    RULE(CDT_TICK_DUPLICATE, "cdt.tick.duplicate", NOTE, NOTE, false, "no tick_index is repeated") \
    RULE(CDT_TICK_GAP, "cdt.tick.gap", NOTE, NOTE, false, "no tick_index is left out")             \
    RULE(CDT_TICK_NUMBERS, "cdt.tick.numbers", WARNING, WARNING, false,                            \
         "tick_index and dt_ms_i32 fit 32 bits, elapsed_ms is not negative")                       \
    RULE(CDT_CHECKPOINT_TICK, "cdt.checkpoint.tick", WARNING, WARNING, false,                      \
         "a checkpoint has the tick_index and elapsed_ms of its tick")                             \
    RULE(CDT_CHECKPOINT_TIMERS, "cdt.checkpoint.timers", WARNING, WARNING, false,                  \
         "no key of bonus_timers is repeated")                                                     \
    RULE(CDT_SIM_PLAYERS, "cdt.sim.players", WARNING, WARNING, false,                              \
         "checkpoint and sim_state have the same players")                                         \
    RULE(CDT_ENTITY_UID, "cdt.entity.uid", WARNING, WARNING, false,                                \
         "no uid is repeated in one pool of a tick")                                               \
    RULE(CDT_ENTITY_POOL, "cdt.entity.pool", WARNING, WARNING, false,                              \
         "pool_kind names the pool that the row is in")                                            \
    RULE(CDT_RNG_INDEX, "cdt.rng.index", WARNING, WARNING, false,                                  \
         "tick_call_index counts from 1 in each tick")                                             \
    RULE(CDT_RNG_NUMBERS, "cdt.rng.numbers", WARNING, WARNING, false,                              \
         "states and caller fit 32 bits without sign, value_15 fits 15")                           \
    RULE(CDT_RNG_LCG, "cdt.rng.lcg", WARNING, WARNING, true,                                       \
         "each draw follows from the state before it")                                             \
    RULE(CDT_TIMING_ENTER, "cdt.timing.enter", WARNING, ERROR, false,                              \
         "every tick has timing_samples, with a gpur_enter row among them")                        \
    RULE(CDT_TIMING_MINIMUM, "cdt.timing.minimum", WARNING, ERROR, false,                          \
         "a gpur_enter row has all members of the shared minimum")                                 \
    RULE(CDT_TIMING_TICK, "cdt.timing.tick", WARNING, WARNING, false,                              \
         "a timing row has the tick_index of its tick")                                            \
    RULE(CDT_2_CONTAINER, "cdt.2.container", ERROR, ERROR, false,                                  \
         "container 2: header, META, footer and index are as its reader demands")                  \
    RULE(CDT_2_META, "cdt.2.meta", ERROR, ERROR, false,                                            \
         "container 2: META states its producer and its source")                                   \
    RULE(CDT_2_TICK, "cdt.2.tick", ERROR, ERROR, false,                                            \
         "container 2: the numbers of a tick are not negative, and ticks are contiguous")          \
    RULE(CDT_2_STEP, "cdt.2.step", ERROR, ERROR, false,                                            \
         "container 2: inputs and operations of replay_step are valid")                            \
    RULE(CDT_2_CHECKPOINT, "cdt.2.checkpoint", ERROR, ERROR, false,                                \
         "container 2: a checkpoint fits its tick and has no details of events")                   \
    RULE(CDT_2_SIM, "cdt.2.sim", ERROR, ERROR, false,                                              \
         "container 2: sim_state fits its tick and the source's stage")                            \
    RULE(CDT_2_SOURCE, "cdt.2.source", ERROR, ERROR, false,                                        \
         "container 2: mode and players of a tick are those of the source")                        \
    RULE(CDT_2_TIMING, "cdt.2.timing", ERROR, ERROR, false,                                        \
         "container 2: a tick has one gpur_enter row, with its dt")                                \
    RULE(CDT_2_RNG, "cdt.2.rng", ERROR, ERROR, false,                                              \
         "container 2: each draw follows from the one before it")                                  \
    RULE(CDT_2_ENTITIES, "cdt.2.entities", ERROR, ERROR, false,                                    \
         "container 2: entities are active, and their uids are pool, generation and slot")         \
    RULE(CDT_2_FLOATS, "cdt.2.floats", ERROR, ERROR, false,                                        \
         "container 2: every float is finite and a float32")                                       \
    RULE(CDT_2_STATE, "cdt.2.state", NOTE, NOTE, false,                                            \
         "container 2: rng_state is that after the last draw")                                     \
    RULE(CDT_2_CALLERS, "cdt.2.callers", NOTE, NOTE, false,                                        \
         "schemas 20 and 21: rng_callers_crc32 is that of the callers")
enum cdt_rule { CDT_RULES(RULE_NUMBER) };

struct cdt_checker {
    struct ras_trace *trace;
    struct report *report;
    struct ras_bytes file;
    const struct cdt_footer *footer; /* NULL: no usable footer */
    const char *dialect;
    const struct cdt_model *model;
    struct cdt_memory memory;
    struct cdt_block block;
    uint64_t at, size; /* of the chunk being checked */
    uint64_t rows;     /* ticks so far */
    int64_t first_tick, last_tick;
    bool lost;   /* a block could not be read, so counts are not checked */
    bool ticked; /* rows carry their tick_index: first_tick and last_tick are valid */
};

#define CDT_FINDING(checker, rule, ...)                                                            \
    report_add((checker)->report, &cdt_rules[rule], 0, (checker)->at, (checker)->size, __VA_ARGS__)

const struct ras_rule cdt_rules[] = {CDT_RULES(RULE_ROW) RULES_END};

/* Makes the chunk header at `at` the subject of findings. */
static void set_subject(struct cdt_checker *k, uint64_t at, uint64_t size)
{
    k->at = at;
    k->size = at > k->file.len ? 0 : size < k->file.len - at ? size : k->file.len - at;
}

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
        CDT_FINDING(k, CDT_TICK_DUPLICATE, "tick %" PRId64 " is repeated", tick);
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
    enum { TIMERS_MOST = 64 }; /* above this, comparing all pairs costs too much */
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

/* The members that rows of all four pools start with. */
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
                   "rows of every pool start with the same members")
BEGINS(creature);
BEGINS(projectile);
BEGINS(secondary_projectile);
BEGINS(bonus);

/* Rows are in slot order, so a repeated uid is one that does not ascend; rows in another order are
 * compared with all rows before them. */
static void check_pool(struct cdt_checker *k, int64_t tick, unsigned pool, const uint8_t *at,
                       size_t count)
{
    const struct cdt_row *row = &cdt_rows[pool];
    const size_t size = k->model->rows[pool]->size;
    enum { PAIRS_MOST = 4096 };
    int64_t highest = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = (const struct sample *)(const void *)(at + i * size);
        if (!cdt_text_is(s->pool_kind, row->name))
            CDT_FINDING(k, CDT_ENTITY_POOL, "tick %" PRId64 ": %s %zu has pool_kind '%.*s'", tick,
                        row->name, i, (int)(s->pool_kind.len < 40 ? s->pool_kind.len : 40),
                        (const char *)s->pool_kind.at);
        for (size_t j = 0; s->uid <= highest && j < i && j < PAIRS_MOST; j++) {
            const struct sample *o = (const struct sample *)(const void *)(at + j * size);
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
    for (unsigned i = CDT_ROW_CREATURE; i <= CDT_ROW_BONUS; i++) {
        size_t count;
        const uint8_t *at = cdt_row_first(&cdt_rows[i], t, &count);
        check_pool(k, t->tick_index, i, at, count);
    }
}

/* A run of any program has a generator of its own: it states no mode of the game. */
static bool is_the_game(const struct cdt_checker *k)
{
    const struct cdt_meta *m = &((const struct cdt_trace *)k->trace->priv)->meta;
    static const char impl[] = "rastrum";
    return !m->typed || ras_cdt_has(&m->meta.source.node, RAS_CDT_SOURCE_MODE_ID) ||
           m->meta.producer.impl.len != sizeof impl - 1 ||
           memcmp(m->meta.producer.impl.at, impl, sizeof impl - 1) != 0;
}

static void check_rng(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    bool game = is_the_game(k), deep = game && report_wants(k->report, &cdt_rules[CDT_RNG_LCG]);
    int64_t most = game ? 32767 : UINT32_MAX;
    for (size_t i = 0; i < t->channels.rng_stream.count; i++) {
        const struct ras_cdt_rng_stream_row *r = &t->channels.rng_stream.at[i];
        bool caller = ras_cdt_has(&r->node, RAS_CDT_RNG_CALLER);
        if (r->tick_call_index != (int64_t)i + 1)
            CDT_FINDING(k, CDT_RNG_INDEX, "tick %" PRId64 ": draw %zu has tick_call_index %" PRId64,
                        t->tick_index, i + 1, r->tick_call_index);
        if (!fits_u32(r->state_before_u32) || !fits_u32(r->state_after_u32) || r->value_15 < 0 ||
            r->value_15 > most || (caller && !fits_u32(r->caller))) {
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

/* spec "Channel contract": what the minimum row records. */
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

/* ---- container 2 --------------------------------------------------------- */

/* What its reader does not check: other producers may do otherwise. */
static void check_hints(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    const struct ras_cdt_replay_checkpoint *c = &t->channels.checkpoint;
    size_t draws = t->channels.rng_stream.count;
    const struct ras_cdt_rng_stream_row *last =
        draws ? &t->channels.rng_stream.at[draws - 1] : NULL;
    if (last && last->state_after_u32 != c->rng_state)
        CDT_FINDING(k, CDT_2_STATE,
                    "tick %" PRId64 ": rng_state is %" PRId64 ", the last draw leads to %" PRId64,
                    t->tick_index, c->rng_state, last->state_after_u32);
    if (k->model->schema >= 20 && c->rng_callers_crc32 != cdt_callers_crc(t))
        CDT_FINDING(k, CDT_2_CALLERS,
                    "tick %" PRId64 ": rng_callers_crc32 is %" PRId64 ", its callers give %" PRIu32,
                    t->tick_index, c->rng_callers_crc32, cdt_callers_crc(t));
}

/* The first rule that each tick breaks, in the words of the reader. */
static void check_tick_2(struct cdt_checker *k, const struct ras_cdt_tick_record *t)
{
    static const enum cdt_rule rules[] = {[CDT_ABOUT_TICK] = CDT_2_TICK,
                                          [CDT_ABOUT_STEP] = CDT_2_STEP,
                                          [CDT_ABOUT_CHECKPOINT] = CDT_2_CHECKPOINT,
                                          [CDT_ABOUT_SIM] = CDT_2_SIM,
                                          [CDT_ABOUT_SOURCE] = CDT_2_SOURCE,
                                          [CDT_ABOUT_TIMING] = CDT_2_TIMING,
                                          [CDT_ABOUT_RNG] = CDT_2_RNG,
                                          [CDT_ABOUT_ENTITIES] = CDT_2_ENTITIES,
                                          [CDT_ABOUT_FLOATS] = CDT_2_FLOATS};
    const struct cdt_trace *cdt = k->trace->priv;
    struct cdt_text text;
    int64_t last = k->last_tick;
    uint64_t rows = k->rows;
    check_tick_order(k, t);
    if (rows && t->tick_index > last && t->tick_index != last + 1) /* a gap is a note otherwise */
        CDT_FINDING(k, CDT_2_TICK, "trace tick block rows must be contiguous");
    enum cdt_topic topic =
        cdt_tick_rules(k->model, t, cdt->no_meta ? NULL : &cdt->meta.meta.source, &text);
    if (topic != CDT_OK)
        CDT_FINDING(k, rules[topic], "%s", text.text);
    else
        check_hints(k, t);
}

/* What the walk over the chunks did not find. */
static void check_container_2(struct cdt_checker *k)
{
    const struct cdt_trace *cdt = k->trace->priv;
    struct cdt_text text;
    if (k->report->out.by_severity[RAS_ERROR] || !cdt->meta.typed ||
        cdt_container_holds(k->trace, false, &text))
        return;
    k->report->nomem |= text.nomem;
    if (text.nomem)
        return;
    set_subject(k, 0, k->file.len);
    CDT_FINDING(k, CDT_2_CONTAINER, "%s", text.text);
}

/* What must hold inside one tick, and from one to the next. */
static void cdt_check_block(struct cdt_checker *k, const struct ras_cdt_tick_block *b)
{
    uint64_t ignored = k->block.problem.ignored;
    /* The Zig writer adds two keys of its own to each checkpoint. */
    uint64_t usual = strcmp(k->dialect, "zig") ? 0 : 2 * (uint64_t)b->ticks.count;
    if (ignored > usual)
        CDT_FINDING(k, CDT_BLOCK_KEYS, "ignored: %s",
                    ras_counted(ignored - usual, "unknown key").text);
    check_range(k, b);
    for (size_t i = 0; i < b->ticks.count; i++) {
        const struct ras_cdt_tick_record *t = &b->ticks.at[i];
        if (k->model->container == 2) {
            check_tick_2(k, t);
            continue;
        }
        check_tick_order(k, t);
        check_checkpoint(k, t);
        check_entities(k, t);
        check_rng(k, t);
        check_timing(k, t);
    }
}

static bool is_zig(const struct cdt_checker *k)
{
    return !strcmp(k->dialect, "zig");
}

static void check_flags(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    const unsigned known = RAS_CDT_FLAG_ZSTD | RAS_CDT_FLAG_MSGPACK;
    bool zstd = chunk->flags & RAS_CDT_FLAG_ZSTD;
    if (k->model->container == 2) { /* other flags are refused when the chunk is loaded */
        if (chunk->kind != RAS_CDT_TICK && (chunk->start_tick != -1 || chunk->end_tick != -1))
            CDT_FINDING(k, CDT_CHUNK_TICKS, "trace %s chunk must use range -1..-1",
                        chunk->kind == RAS_CDT_META ? "meta" : "footer");
        return;
    }
    if (chunk->flags & ~known)
        CDT_FINDING(k, CDT_CHUNK_RESERVED, "flags 0x%" PRIx32 ", known are 0x%x", chunk->flags,
                    known);
    if (zstd == is_zig(k))
        CDT_FINDING(k, CDT_CHUNK_ZSTD, "the ZSTD flag is %s in a chunk of dialect %s",
                    zstd ? "set" : "not set", k->dialect);
    if (chunk->kind != RAS_CDT_TICK && (chunk->start_tick != -1 || chunk->end_tick != -1))
        CDT_FINDING(k, CDT_CHUNK_TICKS, "%s with ticks %" PRId32 " to %" PRId32 ", not -1 to -1",
                    chunk->kind_text, chunk->start_tick, chunk->end_tick);
}

/* Reports which rule a chunk breaks that does not load. */
static enum cdt_rule rule_of(int status, const struct cdt_loaded *l)
{
    if (status == RAS_ECUT)
        return CDT_CHUNK_CUT;
    return l->hashed ? CDT_CHUNK_CHECKSUM : CDT_CHUNK_PAYLOAD;
}

/* ---- META ---------------------------------------------------------------- */

static bool is_text(struct ras_bytes bytes, const char *text)
{
    return bytes.len == strlen(text) && !memcmp(bytes.at, text, bytes.len);
}

static void check_dialect(struct cdt_checker *k, const struct ras_cdt_trace_meta *m)
{
    static const char *const impls[][2] = {
        {"python", "python"}, {"zig", "zig"}, {"frida", "frida_original"}};
    for (size_t i = 0; i < sizeof impls / sizeof *impls; i++) {
        struct ras_bytes impl = m->producer.impl;
        const char *want = impls[i][1];
        if (strcmp(k->dialect, impls[i][0]) != 0)
            continue;
        if (!is_text(impl, want) && !is_text(impl, "rastrum")) /* which writes as the others do */
            CDT_FINDING(k, CDT_META_DIALECT, "producer.impl is '%.*s', dialect %s has '%s'",
                        (int)(impl.len < 60 ? impl.len : 60), (const char *)impl.at, k->dialect,
                        want);
    }
}

/* Reports why there is no usable META. */
static enum cdt_rule meta_rule(const struct cdt_trace *cdt, uint64_t size)
{
    const struct cdt_loaded *l = &cdt->meta.loaded;
    if (l->chunk.kind == RAS_CDT_UNKNOWN)
        return CDT_CHUNK_KIND;
    if (l->payload.at)
        return l->chunk.kind == RAS_CDT_META ? CDT_META_DECODE : CDT_META_CHUNK;
    return rule_of(size < cdt_chunk_size(&l->chunk) ? RAS_ECUT : RAS_EFORMAT, l);
}

static void check_meta(struct cdt_checker *k, const struct cdt_trace *cdt)
{
    const struct cdt_meta *m = &cdt->meta;
    set_subject(k, RAS_CDT_HEADER_SIZE, cdt_chunk_size(&m->loaded.chunk));
    if (cdt->no_meta) {
        CDT_FINDING(k, meta_rule(cdt, k->size), "%s", cdt->why_meta);
        return;
    }
    check_flags(k, &m->loaded.chunk);
    if (m->loaded.after)
        CDT_FINDING(k, CDT_CHUNK_TRAILING, "%zu bytes after the zstd frame", m->loaded.after);
    if (m->meta.trace_format_version != (int64_t)k->trace->version)
        CDT_FINDING(k, CDT_META_FORMAT,
                    "META says trace_format_version %" PRId64 ", the header %" PRIu64,
                    m->meta.trace_format_version, k->trace->version);
    if (!m->typed)
        CDT_FINDING(k, CDT_META_SCHEMA,
                    "unsupported trace schema version: %" PRId64 " (supported: %s)%s%s",
                    m->meta.trace_schema_version, cdt_schemas_text(k->trace->version),
                    m->complete ? "" : "; ", m->complete ? "" : m->problem.what);
    struct cdt_text text;
    if (m->complete && m->typed && m->model->container == 2 && !cdt_meta_rules(m, &text))
        CDT_FINDING(k, CDT_2_META, "%s", text.text);
    if (m->complete)
        check_dialect(k, &m->meta);
}

/* ---- footer and index ---------------------------------------------------- */

static void check_footer(struct cdt_checker *k)
{
    static const enum cdt_rule rules[] = {
        [CDT_NO_TRAILER] = CDT_TRAILER,
        [CDT_NO_CHUNK] = CDT_FOOTER_CHUNK,
        [CDT_NO_FOOTER] = CDT_FOOTER_DECODE,
        [CDT_BAD_FOOTER] = CDT_FOOTER_BOUNDS,
    };
    const struct cdt_trace *cdt = k->trace->priv;
    k->footer = cdt_footer_now(k->trace);
    k->report->nomem |= cdt->nomem;
    if (k->footer)
        return;
    uint64_t tail = k->file.len < RAS_CDT_TRAILER_SIZE ? k->file.len : RAS_CDT_TRAILER_SIZE;
    set_subject(k, k->file.len - tail, tail);
    if (cdt->footer.stage != CDT_NO_TRAILER && cdt->footer.offset < k->file.len)
        set_subject(k, cdt->footer.offset, k->file.len - cdt->footer.offset);
    CDT_FINDING(k, rules[cdt->footer.stage], "%s", cdt->unsealed);
}

/* Whether an int of the index equals that of the chunk header. */
static bool index_matches(const struct ras_cdt_tick_block_index_entry *e, unsigned member,
                          uint64_t stored, uint64_t header)
{
    return stored == header && (stored >> 63 == 0 || e->node.wide >> member & 1);
}

static void check_entry(struct cdt_checker *k, size_t i, uint64_t *last)
{
    enum { COMPRESSED_LEN = 3, UNCOMPRESSED_LEN, CHECKSUM };
    const struct ras_cdt_tick_block_index_entry *e = &k->footer->footer.tick_blocks.at[i];
    struct ras_cdt_chunk chunk;
    struct ras_error err;
    uint64_t at = (uint64_t)e->file_offset;
    set_subject(k, k->footer->offset, k->footer->end - k->footer->offset);
    if (ras_cdt_chunk_get(k->file, at, &chunk, &err) < 0 || chunk.kind != RAS_CDT_TICK) {
        CDT_FINDING(k, CDT_INDEX_CHUNK,
                    "trace index points at non-tick chunk: entry %zu, offset %" PRIu64, i, at);
        return;
    }
    if (e->start_tick != chunk.start_tick || e->end_tick != chunk.end_tick)
        CDT_FINDING(k, CDT_INDEX_MATCH,
                    "entry %zu has ticks %" PRId64 " to %" PRId64 ", its chunk %" PRId32
                    " to %" PRId32,
                    i, e->start_tick, e->end_tick, chunk.start_tick, chunk.end_tick);
    if (!index_matches(e, COMPRESSED_LEN, (uint64_t)e->compressed_len, chunk.compressed_len) ||
        !index_matches(e, UNCOMPRESSED_LEN, (uint64_t)e->uncompressed_len, chunk.uncompressed_len))
        CDT_FINDING(k, CDT_INDEX_MATCH,
                    "entry %zu has lengths %" PRId64 " and %" PRId64 ", its chunk %" PRIu32
                    " and %" PRIu32,
                    i, e->compressed_len, e->uncompressed_len, chunk.compressed_len,
                    chunk.uncompressed_len);
    if (!index_matches(e, CHECKSUM, e->checksum, chunk.checksum64))
        CDT_FINDING(k, CDT_INDEX_MATCH,
                    "entry %zu has checksum 0x%016" PRIx64 ", its chunk 0x%016" PRIx64, i,
                    e->checksum, chunk.checksum64);
    if (at <= *last)
        CDT_FINDING(k, CDT_INDEX_ORDER,
                    "entry %zu is for offset %" PRIu64 ", the one before for %" PRIu64, i, at,
                    *last);
    *last = at;
}

/* ---- the stream ---------------------------------------------------------- */

/* Returns true if the chunk could be read, so that its length can be trusted. */
static bool check_ticks_chunk(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    struct ras_error err;
    check_flags(k, chunk);
    if (k->footer && cdt_footer_place(k->footer, k->at) != k->at)
        CDT_FINDING(k, CDT_INDEX_MISSING, "the TICK chunk at %" PRIu64 " is not in the index",
                    k->at);
    bool typed = ((const struct cdt_trace *)k->trace->priv)->meta.typed;
    uint64_t limit = k->trace->limits.chunk_bytes;
    struct cdt_loaded *l = &k->block.loaded;
    int status = cdt_chunk_load(&k->memory.buffer, k->file, k->at, limit, l, &err);
    k->report->nomem |= status == RAS_EMEMORY;
    if (status < 0) {
        k->lost = true;
        CDT_FINDING(k, rule_of(status, l), "%s", err.text);
        return false;
    }
    if (l->after)
        CDT_FINDING(k, CDT_CHUNK_TRAILING, "%zu bytes after the zstd frame", l->after);
    if (!typed)
        return true;
    struct cdt_problem *problem = &k->block.problem;
    status = cdt_payload_decode(&k->memory, k->model->block, l->payload, k->at, &k->block.block,
                                problem, &err);
    k->report->nomem |= status == RAS_EMEMORY;
    if (status < 0) {
        k->lost = true;
        CDT_FINDING(k, CDT_BLOCK_DECODE, "invalid replay trace tick payload: %s", err.text);
        return true;
    }
    cdt_check_block(k, &k->block.block);
    return true;
}

/* Bytes that are not a chunk: ignored by readers if the footer leads around them. */
static void check_stray(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    char kind[12];
    uint64_t place = k->footer ? cdt_footer_place(k->footer, k->at) : RAS_NONE;
    if (chunk->kind != RAS_CDT_UNKNOWN)
        CDT_FINDING(k, CDT_CHUNK_PLACE, "a second %s chunk", chunk->kind_text);
    else if (place != RAS_NONE && place != k->at)
        CDT_FINDING(k, CDT_CHUNK_UNINDEXED, "%" PRIu64 " bytes are not part of a chunk",
                    place - k->at);
    else
        CDT_FINDING(k, CDT_CHUNK_KIND, "unknown chunk kind: %s",
                    cdt_kind_show(chunk, kind, sizeof kind));
    k->lost |= place == k->at;
}

/* Checks the footer's chunk and what follows it. Returns true if the walk ends here. */
static bool check_last(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    uint64_t end = k->at + cdt_chunk_size(chunk);
    check_flags(k, chunk);
    if (k->footer && k->footer->offset > k->at) {
        check_stray(k, chunk);
        return false;
    }
    if (end > k->file.len) {
        CDT_FINDING(k, CDT_CHUNK_CUT, "the FOTR chunk is cut short");
        return true;
    }
    uint64_t left = k->file.len - end;
    if (left <= RAS_CDT_TRAILER_SIZE)
        return true;
    set_subject(k, end, left);
    struct ras_bytes upto = {k->file.at, (size_t)end + RAS_CDT_TRAILER_SIZE};
    struct ras_bytes after = {k->file.at + upto.len, k->file.len - upto.len};
    uint64_t ignored;
    bool second = after.len >= RAS_CDT_MAGIC_SIZE && cdt_magic_starts(after);
    if (ras_cdt_trailer_get(upto, &ignored, NULL) == RAS_OK || !k->footer || k->footer->end != end)
        CDT_FINDING(k, CDT_TRAILER_REST,
                    "%" PRIu64 " bytes follow the FOTR chunk, the trailer has %d%s", left,
                    RAS_CDT_TRAILER_SIZE, second ? "; a second trace begins after it" : "");
    else
        CDT_FINDING(k, CDT_CHUNK_UNINDEXED,
                    "%" PRIu64 " bytes between the FOTR chunk and the trailer",
                    left - RAS_CDT_TRAILER_SIZE);
    return true;
}

/* Fewer bytes are left than a chunk header takes. */
static void check_tail(struct cdt_checker *k)
{
    uint64_t left = k->file.len - k->at;
    if (!left)
        return;
    set_subject(k, k->at, left);
    if (cdt_kind_starts(k->file.at + k->at, (size_t)left) == RAS_CDT_UNKNOWN)
        CDT_FINDING(k, CDT_CHUNK_KIND, "%" PRIu64 " bytes that are not a chunk", left);
    else
        CDT_FINDING(k, CDT_CHUNK_CUT, "truncated chunk header: %d bytes, %" PRIu64 " left",
                    RAS_CDT_CHUNK_HEADER_SIZE, left);
}

/* Checks the chunk at k->at. Returns where the next one is, RAS_NONE at the end. */
static uint64_t check_chunk(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    uint64_t at = k->at, end = at + cdt_chunk_size(chunk);
    set_subject(k, at, end - at);
    if (chunk->kind == RAS_CDT_TICK && check_ticks_chunk(k, chunk))
        return end;
    if (chunk->kind == RAS_CDT_FOTR && check_last(k, chunk))
        return RAS_NONE;
    uint64_t next = cdt_resume(&k->memory, k->file, at, k->trace->limits.chunk_bytes);
    k->report->nomem |= next == CDT_NO_MEMORY;
    set_subject(k, at, (next < k->file.len ? next : k->file.len) - at);
    bool other = chunk->kind == RAS_CDT_META || chunk->kind == RAS_CDT_UNKNOWN;
    if (other && at != RAS_CDT_HEADER_SIZE) /* an unusable META was reported before */
        check_stray(k, chunk);
    return next;
}

static void check_chunks(struct cdt_checker *k)
{
    struct ras_cdt_chunk chunk;
    uint64_t at = k->trace->body;
    while (at < k->file.len) {
        k->at = at;
        if (!report_progress(k->report, at))
            return;
        if (ras_cdt_chunk_get(k->file, at, &chunk, NULL) < 0) {
            check_tail(k);
            return;
        }
        at = check_chunk(k, &chunk);
    }
}

/* ---- counts against content ---------------------------------------------- */

static void check_counts(struct cdt_checker *k, const struct ras_cdt_trace_tick_range *range)
{
    if (!k->rows && !k->lost) {
        set_subject(k, k->trace->body, 0);
        CDT_FINDING(k, CDT_TICK_NONE, "the trace holds no ticks");
    }
    if (!k->rows || k->lost)
        return;
    if (k->footer) {
        const struct ras_cdt_trace_footer *f = &k->footer->footer;
        set_subject(k, k->footer->offset, k->footer->end - k->footer->offset);
        if ((uint64_t)f->tick_count != k->rows)
            CDT_FINDING(k, CDT_FOOTER_COUNT,
                        "the footer counts %" PRId64 " ticks, the trace holds %" PRIu64,
                        f->tick_count, k->rows);
        if (f->first_tick != k->first_tick || f->last_tick != k->last_tick)
            CDT_FINDING(k, CDT_FOOTER_RANGE,
                        "the footer says ticks %" PRId64 " to %" PRId64 ", the trace %" PRId64
                        " to %" PRId64,
                        f->first_tick, f->last_tick, k->first_tick, k->last_tick);
    }
    set_subject(k, RAS_CDT_HEADER_SIZE, k->trace->body - RAS_CDT_HEADER_SIZE);
    if (!range)
        return;
    if (range->start_tick != k->first_tick || range->end_tick != k->last_tick ||
        (uint64_t)range->tick_count != k->rows)
        CDT_FINDING(k, CDT_META_RANGE,
                    "tick_range is %" PRId64 " to %" PRId64 ", %" PRId64
                    " ticks; the trace has %" PRId64 " to %" PRId64 ", %" PRIu64,
                    range->start_tick, range->end_tick, range->tick_count, k->first_tick,
                    k->last_tick, k->rows);
}

int cdt_check(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    const struct cdt_trace *cdt = t->priv;
    struct cdt_checker k = {.trace = t,
                            .report = report,
                            .file = source_bytes(t->source, 0),
                            .dialect = cdt_dialect(t),
                            .model = cdt->meta.model};
    uint64_t last = 0;
    bool strict = report->strict;
    (void)err;
    if (k.model->container == 2) /* its reader accepts nothing that a rule forbids */
        report->strict = true;
    check_meta(&k, cdt);
    check_footer(&k);
    for (size_t i = 0; k.footer && i < k.footer->footer.tick_blocks.count; i++)
        check_entry(&k, i, &last);
    check_chunks(&k);
    if (cdt->meta.typed)
        check_counts(&k, cdt->no_meta ? NULL : &cdt->meta.meta.tick_range);
    if (k.model->container == 2)
        check_container_2(&k);
    report->strict = strict;
    cdt_memory_free(&k.memory);
    return RAS_OK;
}
