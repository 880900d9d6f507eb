/* arena_replay_test.c - games written down and executed again, also those that make no sense. */
#include "arena_run.h"
#include "base/out.h"
#include "world/float_bits.h"
#include <rastrum/replay.h>

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { SEEDS = 50, SEEDS_LONG = 1000, WILD = 6, PAYLOAD = 64 };

/* ---- commands that chance makes --------------------------------------------------------- */

struct chance {
    uint64_t state;
};

static uint32_t pick(struct chance *c, uint32_t below)
{
    c->state = c->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((c->state >> 33) % below);
}

/* A float that is small, or any that there is. */
static uint32_t some_float(struct chance *c)
{
    float value = (float)pick(c, 4096) / 16;
    return pick(c, 4) ? bits_of(value) : pick(c, UINT32_MAX);
}

static uint64_t some_double(struct chance *c)
{
    double value = (double)pick(c, 4096) / 16;
    return pick(c, 4) ? double_bits(value) : (uint64_t)pick(c, UINT32_MAX) << 32;
}

static size_t wild_payload(struct chance *c, uint8_t type, uint8_t *to)
{
    uint8_t coord[8], many[36];
    struct ras_murk_fault fault;
    size_t size;
    store_u32(store_u32(coord, pick(c, 36) - 2), pick(c, 36) - 2);
    for (size_t i = 0; i < sizeof many; i += 12)
        store_u64(store_u32(many + i, pick(c, ARENA_RULES + 1)), some_double(c));
    struct ras_murk_payload p = {.entity_id = pick(c, 200),
                                 .coord = {coord, pick(c, 9) ? 8 : 4},
                                 .field_id = pick(c, ARENA_FIELDS + 1),
                                 .value_f32 = some_float(c),
                                 .type_id = pick(c, 5),
                                 .key = pick(c, ARENA_RULES + 1),
                                 .value_f64 = some_double(c),
                                 .params = {many, 12 * (size_t)pick(c, 4)}};
    if (type == RAS_MURK_CUSTOM) {
        p.data = (struct ras_bytes){many, 4 * (size_t)pick(c, 4)};
        store_u32(store_u32(store_u32(many, pick(c, 6)), some_float(c)), some_float(c));
    } else if (type == RAS_MURK_SPAWN) {
        p.field_values = (struct ras_bytes){many, 8 * (size_t)pick(c, 3)};
        store_u32(store_u32(many, pick(c, 4)), some_float(c));
        store_u32(store_u32(many + 8, pick(c, 4)), some_float(c));
    }
    assert_true(ras_murk_payload_put(type, &p, to, PAYLOAD, &size, &fault));
    assert_in_range(size, 0, PAYLOAD);
    return size;
}

/* Behind those of the bot; numbers and sources may be the same, or missing. */
static void add_wild(struct run *r, struct chance *c, uint8_t bytes[WILD][PAYLOAD])
{
    const uint64_t tick = arena(r)->tick + 1;
    struct ras_murk_fault fault;
    for (uint32_t i = 0, n = pick(c, WILD + 1); i < n; i++) {
        uint32_t at = r->step.command_count++;
        uint8_t type = (uint8_t)pick(c, RAS_MURK_PAYLOAD_TYPES);
        struct ras_world_command *to = &r->commands[at];
        to->wire = (struct ras_murk_command){
            .payload_type = type,
            .payload = {bytes[i], wild_payload(c, type, bytes[i])},
            .priority_class = (uint8_t)pick(c, 3),
            .expires_after_tick = tick - 1 + pick(c, 4),
            .arrival_seq = arena(r)->ingress.arrivals + at,
        };
        to->wire.has_source_id = pick(c, 2);
        to->wire.source_id = to->wire.has_source_id ? pick(c, 3) : 0;
        to->wire.has_source_seq = pick(c, 2);
        to->wire.source_seq = to->wire.has_source_seq ? pick(c, 100) : 0;
        assert_true(ras_murk_payload_get(type, to->wire.payload, &to->typed, &fault));
    }
}

/* ---- recordings ------------------------------------------------------------------------- */

static struct ras_sink *record(const char *recipe, uint64_t seed, unsigned ticks, bool wild)
{
    struct run r;
    struct ras_sink *sink;
    struct ras_murk_writer *writer;
    struct ras_murk_command wire[ROOM];
    struct chance chance = {seed};
    uint8_t bytes[WILD][PAYLOAD];
    start(&r, recipe, seed);
    struct ras_world_shape shape = arena_world.shape(r.world);
    struct ras_murk_header header = {.version = RAS_MURK_VERSION,
                                     .seed = seed,
                                     .config_hash = ras_config_hash(seed, &shape, text(recipe)),
                                     .field_count = shape.field_count,
                                     .cell_count = shape.cell_count,
                                     .space_descriptor = text(recipe)};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_murk_writer_open(&writer, sink, &header, NULL), RAS_OK);
    for (unsigned tick = 1; tick <= ticks; tick++) {
        ask(&r);
        if (wild)
            add_wild(&r, &chance, bytes);
        uint64_t hash = go(&r);
        for (uint32_t i = 0; i < r.step.command_count; i++)
            wire[i] = r.commands[i].wire;
        assert_int_equal(
            ras_murk_writer_frame(writer, tick, wire, r.step.command_count, hash, NULL), RAS_OK);
    }
    assert_int_equal(ras_murk_writer_close(writer, NULL), RAS_OK);
    arena_world.destroy(r.world);
    return sink;
}

static void check_replay(const char *recipe, uint64_t seed, unsigned ticks, bool wild)
{
    struct ras_sink *sink = record(recipe, seed, ticks, wild);
    struct ras_bytes bytes = ras_sink_bytes(sink);
    struct ras_trace *trace;
    struct ras_replay *replay;
    assert_int_equal(ras_open_memory(&trace, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    for (unsigned recorded = 0; recorded < 2; recorded++) {
        struct ras_replay_options options = {.worlds = ras_worlds(), .recorded_order = recorded};
        assert_int_equal(ras_replay(&replay, trace, &options, NULL), RAS_OK);
        assert_int_equal(replay->verdict, RAS_REPLAY_OK);
        assert_int_equal(replay->ticks, ticks);
        assert_int_equal(replay->mismatches, 0);
        assert_false(replay->reordered);
        ras_replay_free(replay);
    }
    ras_close(trace);
    ras_sink_drop(sink);
}

static void games_replay(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        check_replay(arena_world.recipe, seed * UINT64_C(0x9E3779B97F4A7C15), 200, false);
    check_replay("murkworld 1 arena-1\nsize 9 70\nmode quest 3\nplayers 4\n"
                 "rules population 300 spawns 64 damage 9\nrules cool 3fe0000000000000\n",
                 5, 400, false);
    check_replay("murkworld 1 arena-1\nplayers 1\ndt 3fb999999999999a\nrules population 0\n", 6, 99,
                 false);
}

static void wild_games_replay(void **state)
{
    (void)state;
    const char *effort = getenv("RASTRUM_EFFORT");
    uint64_t seeds = effort && !strcmp(effort, "full") ? SEEDS_LONG : SEEDS;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        check_replay(seed % 2 ? arena_world.recipe
                              : "murkworld 1 arena-1\nmode quest 1\nplayers 3\n",
                     seed, 120, true);
}

/* Whatever compiler and flags made it: a change of the game changes this number, and breaks
 * every recording that there is. */
static void a_game_is_the_same_everywhere(void **state)
{
    struct run r;
    uint64_t hash = 0;
    (void)state;
    start(&r, arena_world.recipe, 7);
    for (unsigned i = 0; i < 600; i++)
        hash = next(&r);
    assert_int_equal(hash, UINT64_C(0x66d5332cbfbf3e4f));
    arena_world.destroy(r.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_replay),
        cmocka_unit_test(wild_games_replay),
        cmocka_unit_test(a_game_is_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
