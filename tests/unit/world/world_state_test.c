/* world_state_test.c - a world that was saved goes on as if nothing had happened; a state that was
 * made up does no harm. */
#include "base/in.h"
#include "world/arena_world.h"
#include "world/worlds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char ref1_recipe[] =
    "murkworld 1 ref-1\nspace line1d 12 wrap\ndt 3fb0000000000000\nqueue 6\nentities 9\n"
    "field own pertick 1\nfield kept sparse 2\nfield dig pertick 1\nfield spread sparse 1\n"
    "entityfield 0\nparam 7 3ff0000000000000\nprop digest 2\nprop noise 3 3e800000\n";
static const char arena_recipe[] = "murkworld 1 arena-1\nsize 16 16\nmode survival\nplayers 2\n";
static const char quest_recipe[] = "murkworld 1 arena-1\nsize 12 16\nmode quest 2\nplayers 4\n";

static struct ras_bytes text(const char *t)
{
    return (struct ras_bytes){(const uint8_t *)t, strlen(t)};
}

static void *made(const struct ras_world_type *type, const char *recipe)
{
    void *world;
    struct ras_error err;
    if (type->create(&world, text(recipe), 42, &err) < 0)
        fail_msg("%s", err.text);
    return world;
}

/* Commands for a world without a player of its own: entities come, move and go. */
static void play_some(uint64_t tick, struct ras_play *play)
{
    int32_t cell = (int32_t)(tick % 12);
    uint32_t value[2] = {0, (uint32_t)tick};
    struct ras_bytes coord = {(const uint8_t *)&cell, 4};
    const struct {
        uint8_t type;
        bool now;
        struct ras_murk_payload typed;
    } rows[] = {
        {RAS_MURK_SPAWN, tick % 3 == 0, {.coord = coord, .field_values = {(void *)value, 8}}},
        {RAS_MURK_MOVE, tick % 4 == 1, {.entity_id = tick / 6, .coord = coord}},
        {RAS_MURK_DESPAWN, tick % 7 == 0, {.entity_id = tick / 5}},
        {RAS_MURK_SET_PARAMETER, tick % 5 == 0, {.key = 7, .value_f64 = tick << 40}},
        {RAS_MURK_SET_FIELD, true, {.coord = coord, .field_id = 1, .value_f32 = (uint32_t)tick}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ras_murk_fault fault;
        size_t size;
        uint8_t *to = play->bytes + i * 64;
        if (!rows[i].now)
            continue;
        assert_true(ras_murk_payload_put(rows[i].type, &rows[i].typed, to, 64, &size, &fault));
        play->commands[play->count++].wire = (struct ras_murk_command){
            .payload_type = rows[i].type, .payload = {to, size}, .expires_after_tick = UINT64_MAX};
    }
}

/* One tick, with the commands of the world's own player if it has one. */
static uint64_t step(const struct ras_world_type *type, void *world, uint64_t tick)
{
    struct ras_world_command commands[RAS_PLAY_COMMANDS];
    struct ras_receipt receipts[RAS_PLAY_COMMANDS];
    uint8_t bytes[RAS_PLAY_BYTES];
    struct ras_play play = {commands, RAS_PLAY_COMMANDS, bytes, sizeof bytes, 0};
    struct ras_murk_fault fault;
    struct ras_error err;
    if (type->play)
        assert_int_equal(type->play(world, tick, &play), RAS_OK);
    else
        play_some(tick, &play);
    for (uint32_t i = 0; i < play.count; i++) {
        struct ras_murk_command *wire = &commands[i].wire;
        assert_true(
            ras_murk_payload_get(wire->payload_type, wire->payload, &commands[i].typed, &fault));
    }
    struct ras_step s = {.commands = commands, .command_count = play.count, .receipts = receipts};
    assert_int_equal(type->step(world, &s, &err), RAS_OK);
    return ras_world_hash(type, world);
}

static struct ras_sink *saved(const struct ras_world_type *type, const void *world)
{
    struct ras_sink *sink;
    const struct ras_world_state about = {.tick_id = 7, .seed = 42, .config_hash = 9};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_world_save(type, world, &about, sink, NULL), RAS_OK);
    return sink;
}

static void goes_on(const struct ras_world_type *type, const char *recipe, unsigned ticks)
{
    void *world = made(type, recipe);
    for (uint64_t at = 1; at <= ticks; at++) {
        step(type, world, at);
        if (at % 37 && at != 1)
            continue;
        struct ras_sink *sink = saved(type, world);
        struct ras_world_state about;
        struct ras_error err;
        void *again = made(type, recipe);
        if (ras_world_restore(type, again, ras_sink_bytes(sink), &about, &err) < 0)
            fail_msg("tick %u: %s", (unsigned)at, err.text);
        assert_int_equal(about.tick_id, 7);
        assert_int_equal(about.seed, 42);
        assert_string_equal(about.world, type->name);
        void *other = made(type, recipe);
        for (uint64_t k = 1; k <= at; k++)
            step(type, other, k);
        for (uint64_t k = at + 1; k < at + 60; k++)
            assert_int_equal(step(type, again, k), step(type, other, k));
        type->destroy(other);
        type->destroy(again);
        ras_sink_drop(sink);
    }
    type->destroy(world);
}

static void a_saved_world_goes_on(void **state)
{
    (void)state;
    goes_on(&arena_world, arena_recipe, 400);
    goes_on(&arena_world, quest_recipe, 200);
    goes_on(&ref1_world, ref1_recipe, 80);
}

static void a_cut_or_changed_state_is_refused(void **state)
{
    (void)state;
    void *world = made(&ref1_world, ref1_recipe);
    step(&ref1_world, world, 1);
    struct ras_sink *sink = saved(&ref1_world, world);
    struct ras_bytes all = ras_sink_bytes(sink);
    uint8_t *copy = malloc(all.len + 1);
    assert_non_null(copy);
    for (size_t cut = 0; cut < all.len; cut++) {
        struct ras_world_state about;
        struct ras_error err;
        uint8_t *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, all.at, cut);
        void *again = made(&ref1_world, ref1_recipe);
        struct ras_bytes part = {exact, cut};
        assert_true(ras_world_restore(&ref1_world, again, part, &about, &err) < 0);
        assert_memory_equal(err.text, "state: ", 7);
        ref1_world.destroy(again);
        free(exact);
    }
    for (size_t at = 0; at < all.len; at++) {
        struct ras_world_state about;
        struct ras_error err;
        memcpy(copy, all.at, all.len);
        copy[at] ^= 0x10;
        void *again = made(&ref1_world, ref1_recipe);
        int status =
            ras_world_restore(&ref1_world, again, (struct ras_bytes){copy, all.len}, &about, &err);
        bool facts = at >= 20 && at < 48; /* what it belongs to is judged by who restores it */
        assert_true(status < 0 || facts);
        ref1_world.destroy(again);
    }
    free(copy);
    ras_sink_drop(sink);
    ref1_world.destroy(world);
}

static void a_state_of_another_world_is_refused(void **state)
{
    (void)state;
    struct ras_world_state about;
    struct ras_error err;
    void *ref1 = made(&ref1_world, ref1_recipe), *arena = made(&arena_world, arena_recipe);
    void *quest = made(&arena_world, quest_recipe);
    struct ras_sink *sink = saved(&arena_world, arena);
    struct ras_bytes bytes = ras_sink_bytes(sink);
    assert_int_equal(ras_world_restore(&ref1_world, ref1, bytes, &about, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "state: of the world arena-1, the replay is of ref-1");
    assert_true(ras_world_restore(&arena_world, quest, bytes, &about, &err) < 0);
    struct ras_world_type without = arena_world;
    without.keep = NULL;
    assert_int_equal(ras_world_save(&without, arena, &about, sink, &err), RAS_EUNSUPPORTED);
    ras_sink_drop(sink);
    ref1_world.destroy(ref1);
    arena_world.destroy(arena);
    arena_world.destroy(quest);
}

/* ---- invalid numbers ------------------------------------------------------------------------
 */

struct forger {
    struct ras_world_keeper keeper; /* first */
    uint32_t seed, one_in;
    struct in in; /* a good state, some numbers of which are replaced */
};

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static bool forge(struct ras_world_keeper *keeper, void *at, unsigned width, size_t count)
{
    static const uint64_t values[] = {0,          1,          0x7fffffff, 0x80000000,
                                      UINT64_MAX, 0x7fc00000, 0x7f800000, 0x461c4000,
                                      383,        384,        4,          0x100000000};
    struct forger *f = (struct forger *)(void *)keeper;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *good = in_take(&f->in, width);
        uint8_t number[8];
        if (!good)
            return false;
        memcpy(number, good, width);
        if (next(&f->seed) % f->one_in == 0) {
            uint64_t value = values[next(&f->seed) % (sizeof values / sizeof *values)];
            memcpy(number, &value, width);
        }
        memcpy((uint8_t *)at + i * width, number, width);
    }
    return true;
}

static unsigned forged(const struct ras_world_type *type, const char *recipe, unsigned tries)
{
    unsigned taken = 0;
    void *world = made(type, recipe);
    for (uint64_t at = 1; at < 100; at++)
        step(type, world, at);
    struct ras_sink *sink = saved(type, world);
    struct ras_bytes all = ras_sink_bytes(sink);
    for (unsigned i = 0; i < tries; i++) {
        struct forger f = {.keeper = {.restoring = true, .numbers = forge},
                           .seed = i,
                           .one_in = i % 3 ? 4096 : 64,
                           .in = in_bytes((struct ras_bytes){all.at + 120, all.len - 120})};
        struct ras_error err;
        void *again = made(type, recipe);
        if (type->keep(again, &f.keeper, &err) == RAS_OK) {
            taken++;
            for (uint64_t at = 100; at < 120; at++)
                step(type, again, at);
        }
        type->destroy(again);
    }
    ras_sink_drop(sink);
    type->destroy(world);
    return taken;
}

static void forged_numbers_do_no_harm(void **state)
{
    (void)state;
    const char *effort = getenv("RASTRUM_EFFORT");
    unsigned tries = effort && !strcmp(effort, "full") ? 20000 : 400;
    assert_true(forged(&arena_world, arena_recipe, tries) > 0);
    forged(&arena_world, quest_recipe, tries / 2);
    assert_true(forged(&ref1_world, ref1_recipe, tries) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_world_goes_on),
        cmocka_unit_test(a_cut_or_changed_state_is_refused),
        cmocka_unit_test(a_state_of_another_world_is_refused),
        cmocka_unit_test(forged_numbers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
