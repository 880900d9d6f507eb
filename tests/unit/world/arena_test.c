/* arena_test.c - the arena: the same run again, bit for bit, and every command counts. */
#include "arena_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { TICKS = 600 };

static void one_seed_one_run(void **state)
{
    struct run a, b, other;
    unsigned same = 0;
    (void)state;
    start(&a, arena_world.recipe, 7);
    start(&b, arena_world.recipe, 7);
    start(&other, arena_world.recipe, 8);
    for (unsigned i = 0; i < TICKS; i++) {
        uint64_t hash = next(&a);
        assert_int_equal(hash, next(&b));
        same += hash == next(&other);
    }
    assert_int_equal(same, 0);
    arena_world.destroy(a.world);
    arena_world.destroy(b.world);
    arena_world.destroy(other.world);
}

/* ---- what there is in a run ------------------------------------------------------------ */

struct tally {
    unsigned creatures, shots, rockets, bonuses; /* most in one tick */
    unsigned deaths, hits, pickups, draws, sounds, usual, slow, hurt, learned;
    unsigned types[RAS_MURK_PAYLOAD_TYPES], applied;
};

static void more(unsigned *most, unsigned count)
{
    *most = count > *most ? count : *most;
}

static void count_tick(struct tally *t, const struct arena *a)
{
    unsigned creatures = 0, shots = 0, rockets = 0, bonuses = 0;
    for (unsigned i = 0; i < ARENA_CREATURES; i++)
        creatures += a->creatures[i].active;
    for (unsigned i = 0; i < ARENA_SHOTS; i++)
        shots += a->shots[i].active;
    for (unsigned i = 0; i < ARENA_ROCKETS; i++)
        rockets += a->rockets[i].active;
    for (unsigned i = 0; i < ARENA_BONUSES; i++)
        bonuses += a->bonuses[i].id != BONUS_NONE;
    more(&t->creatures, creatures);
    more(&t->shots, shots);
    more(&t->rockets, rockets);
    more(&t->bonuses, bonuses);
    t->usual += creatures + shots + rockets + bonuses >= 100;
    t->deaths += a->now.death_count;
    t->hits += a->now.hit_count;
    t->pickups += a->now.pickup_count;
    t->draws += a->now.draw_count;
    t->sounds += a->now.sound_count;
    t->slow += a->now.timing.slow;
    for (unsigned i = 0; i < a->player_count; i++) {
        t->hurt += a->players[i].health < 100;
        t->learned += a->players[i].level > 1;
    }
}

static void check_draws(const struct arena *a)
{
    for (unsigned i = 0; i < a->now.draw_count; i++) {
        const struct arena_draw_row *d = &a->now.draws[i];
        assert_int_equal(d->after, d->before * 214013u + 2531011u);
        assert_int_equal(d->value, d->after >> 16 & 0x7fff);
        assert_in_range(d->caller, CALLER_SPAWN_KIND, CALLER_RETURN);
        if (i)
            assert_int_equal(d->before, a->now.draws[i - 1].after);
    }
    if (a->now.draw_count)
        assert_int_equal(a->now.draws[a->now.draw_count - 1].after, a->rng);
}

static void a_run_has_all_there_is(void **state)
{
    struct run r;
    struct tally t = {0};
    (void)state;
    start(&r, arena_world.recipe, 7);
    for (unsigned i = 0; i < TICKS; i++) {
        next(&r);
        for (unsigned c = 0; c < r.step.command_count; c++) {
            t.types[r.commands[c].wire.payload_type]++;
            t.applied += r.receipts[c].reason == RAS_RECEIPT_APPLIED;
        }
        const struct arena *a = arena(&r);
        count_tick(&t, a);
        check_draws(a);
        assert_int_equal(a->now.timing.dt_ms, 16);
    }
    print_message(
        "most of a tick: %u creatures, %u shots, %u rockets, %u bonuses; in all: %u"
        " deaths, %u hits, %u pickups, %u draws, %u slow ticks; %u of %u ticks with 100\n",
        t.creatures, t.shots, t.rockets, t.bonuses, t.deaths, t.hits, t.pickups, t.draws, t.slow,
        t.usual, TICKS);
    assert_true(t.shots && t.rockets && t.bonuses && t.deaths && t.hits && t.pickups && t.sounds);
    assert_true(t.hurt && t.learned && t.slow);
    assert_in_range(t.usual, TICKS * 95 / 100, TICKS);
    assert_in_range(t.draws, TICKS, UINT32_MAX);
    for (unsigned i = 0; i < RAS_MURK_PAYLOAD_TYPES; i++)
        assert_true(t.types[i] > 0);
    assert_true(t.applied > 0);
    arena_world.destroy(r.world);
}

/* ---- sensitivity ------------------------------------------------------------------------ */

enum change { DROP, ALTER, EXCHANGE, CHANGES };

/* One bit of a payload; false: it is none any more. */
static bool alter(struct ras_world_command *c, size_t bit, uint8_t bytes[64])
{
    struct ras_murk_fault fault;
    assert_in_range(c->wire.payload.len, 1, 64);
    memcpy(bytes, c->wire.payload.at, c->wire.payload.len);
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    c->wire.payload.at = bytes;
    return ras_murk_payload_get(c->wire.payload_type, c->wire.payload, &c->typed, &fault);
}

/* False: it cannot be done. */
static bool change(struct run *r, enum change what, uint32_t at, size_t bit, uint8_t bytes[64])
{
    if (what == DROP) {
        r->step.command_count--;
        memmove(&r->commands[at], &r->commands[at + 1],
                (r->step.command_count - at) * sizeof *r->commands);
    } else if (what == ALTER) {
        return alter(&r->commands[at], bit, bytes);
    } else {
        struct ras_murk_command *a = &r->commands[at].wire, *b = &r->commands[at + 1].wire;
        uint64_t source = a->source_id, seq = a->source_seq;
        a->source_id = b->source_id;
        a->source_seq = b->source_seq;
        b->source_id = source;
        b->source_seq = seq;
    }
    return true;
}

static bool applied(const struct run *r, uint32_t command)
{
    for (uint32_t i = 0; i < r->step.receipt_count; i++)
        if (r->receipts[i].command_index == command)
            return r->receipts[i].reason == RAS_RECEIPT_APPLIED;
    return false;
}

/* The same world again, with fields and a queue of its own. */
static void *copy(const struct arena *from)
{
    struct arena *to = malloc(sizeof *to);
    const size_t size = from->recipe.space.cells * sizeof *from->fields[0];
    assert_non_null(to);
    *to = *from;
    to->state = NULL;
    to->ingress.queue = NULL;
    to->ingress.queue_room = 0;
    for (unsigned i = 0; i < ARENA_FIELDS; i++) {
        to->fields[i] = malloc(size);
        assert_non_null(to->fields[i]);
        memcpy(to->fields[i], from->fields[i], size);
    }
    return to;
}

/* Whether the hash is another when one command is dropped, altered or comes after the next;
 * also true when that cannot be done, which is not counted. */
static bool differs(struct run *r, enum change what, uint32_t at, size_t bit, uint64_t hash,
                    unsigned *tried)
{
    struct run changed = {.world = copy(arena(r))};
    uint8_t bytes[64];
    changed.play = (struct ras_play){changed.commands, ROOM, changed.bytes, RAS_PLAY_BYTES, 0};
    changed.step = (struct ras_step){.commands = changed.commands, .receipts = changed.receipts};
    ask(&changed);
    bool other = true;
    if (change(&changed, what, at, bit, bytes)) {
        other = go(&changed) != hash;
        tried[what]++;
    }
    arena_world.destroy(changed.world);
    return other;
}

/* Every command of a tick; of every byte of its payload one bit. */
static void check_tick(struct run *r, unsigned tick, uint64_t hash, unsigned *tried)
{
    for (uint32_t at = 0; at < r->step.command_count; at++) {
        bool pair = at + 1 < r->step.command_count && applied(r, at + 1);
        if (!applied(r, at))
            continue;
        assert_true(differs(r, DROP, at, 0, hash, tried));
        assert_true(!pair || differs(r, EXCHANGE, at, 0, hash, tried));
        size_t len = r->commands[at].wire.payload.len;
        for (size_t i = tick % 8; i < len; i += 8)
            if (!differs(r, ALTER, at, 8 * i + (tick / 8 + i) % 8, hash, tried))
                fail_msg("tick %u, command %u, byte %zu", tick, at, i);
    }
}

static void every_command_counts(void **state)
{
    struct run r;
    unsigned tried[CHANGES] = {0};
    (void)state;
    start(&r, arena_world.recipe, 7);
    for (unsigned tick = 0; tick < TICKS; tick++) {
        void *before = copy(arena(&r)), *after = r.world;
        uint64_t hash = next(&r);
        r.world = before;
        check_tick(&r, tick, hash, tried);
        r.world = after;
        arena_world.destroy(before);
    }
    for (unsigned i = 0; i < CHANGES; i++)
        assert_in_range(tried[i], 10, UINT32_MAX);
    arena_world.destroy(r.world);
}

/* The order of the file is nothing to commands that have numbers of their own. */
static void the_order_of_the_file_does_not_count(void **state)
{
    struct run a, b;
    unsigned turned = 0;
    (void)state;
    start(&a, arena_world.recipe, 3);
    start(&b, arena_world.recipe, 3);
    for (unsigned tick = 0; tick < TICKS / 2; tick++) {
        ask(&a);
        ask(&b);
        for (uint32_t i = 0, n = b.step.command_count; i < n / 2; i++) {
            struct ras_world_command first = b.commands[i];
            b.commands[i] = b.commands[n - 1 - i];
            b.commands[n - 1 - i] = first;
            turned++;
        }
        assert_int_equal(go(&a), go(&b));
    }
    assert_true(turned > 0);
    arena_world.destroy(a.world);
    arena_world.destroy(b.world);
}

/* ---- recipes and receipts ----------------------------------------------------------------- */

static void bad_recipes_are_refused(void **state)
{
    static const char *const bad[] = {
        "size 0 32",
        "size 32 257",
        "size 4294967304 8",
        "size 32",
        "size -8 8",
        "size 8 8 8",
        "mode",
        "mode quest",
        "mode quest 0",
        "mode quest 51",
        "mode rush",
        "players 0",
        "players 5",
        "players",
        "dt 7ff8000000000000",
        "dt 0000000000000000",
        "dt bff0000000000000",
        "dt 7ff0000000000000",
        "dt 16",
        "queue 1000001",
        "queue",
        "rules population",
        "rules population 321",
        "rules nothing 1",
        "rules speed 7ff8000000000000",
        "rules speed bff0000000000000",
        "rules speed 1e9",
        "size 9 9\nsize 9 9",
        "players 1\nplayers 1",
        "murkworld 1 arena-1",
        "space line1d 4 wrap",
        "\tsize 9 9",
    };
    char recipe[256];
    void *world;
    struct ras_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(recipe, sizeof recipe, "murkworld 1 arena-1\n%s\n", bad[i]);
        assert_int_equal(arena_world.create(&world, text(recipe), 1, &err), RAS_EFORMAT);
        assert_null(world);
    }
    assert_int_equal(arena_world.create(&world, text("size 9 9\n"), 1, &err), RAS_EFORMAT);
    static uint8_t large[RAS_WORLD_RECIPE_MAX + 1];
    assert_int_equal(arena_world.create(&world, (struct ras_bytes){large, sizeof large}, 1, &err),
                     RAS_ELIMIT);
}

struct expectation {
    uint8_t type;
    struct ras_murk_payload payload;
    enum ras_receipt_reason reason;
};

static struct ras_bytes at(const int32_t coord[2])
{
    return (struct ras_bytes){(const uint8_t *)coord, 8};
}

static const int32_t inside[2] = {3, 5}, outside[2] = {32, 0}, negative[2] = {-1, 0};
enum { TWO = 0x40000000, NAN_BITS = 0x7fc00000 }; /* floats */
static const uint32_t not_a_number[2] = {1, NAN_BITS}, kind[2] = {0, TWO};
static const uint32_t fire[3] = {1, 0x42000000, 0x42000000}, wild[3] = {1, 0x7f800000, 0};
static const uint32_t stranger[1] = {3}, one[1] = {1}, perk[2] = {1, 0};
static const uint8_t unknown[12] = {99}, empty[1];
static const struct expectation all[] = {
    {RAS_MURK_MOVE, {.entity_id = 1, .coord = {(const uint8_t *)inside, 8}}, RAS_RECEIPT_APPLIED},
    {RAS_MURK_MOVE,
     {.entity_id = 1, .coord = {(const uint8_t *)inside, 8}},
     RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_MOVE,
     {.entity_id = 1, .coord = {(const uint8_t *)outside, 8}},
     RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_MOVE,
     {.entity_id = 9, .coord = {(const uint8_t *)inside, 8}},
     RAS_RECEIPT_UNKNOWN_ENTITY},
    {RAS_MURK_SPAWN,
     {.coord = {(const uint8_t *)inside, 8}, .field_values = {(const uint8_t *)kind, 8}},
     RAS_RECEIPT_APPLIED},
    {RAS_MURK_SPAWN,
     {.coord = {(const uint8_t *)inside, 8}, .field_values = {(const uint8_t *)not_a_number, 8}},
     RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_SPAWN, {.coord = {(const uint8_t *)negative, 8}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_DESPAWN, {.entity_id = 3}, RAS_RECEIPT_APPLIED},
    {RAS_MURK_DESPAWN, {.entity_id = 3}, RAS_RECEIPT_UNKNOWN_ENTITY},
    {RAS_MURK_DESPAWN, {.entity_id = 1}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_SET_FIELD,
     {.coord = {(const uint8_t *)inside, 8}, .field_id = ARENA_HEAT, .value_f32 = TWO},
     RAS_RECEIPT_APPLIED},
    {RAS_MURK_SET_FIELD,
     {.coord = {(const uint8_t *)inside, 8}, .field_id = ARENA_HEAT, .value_f32 = NAN_BITS},
     RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_SET_FIELD,
     {.coord = {(const uint8_t *)inside, 8}, .field_id = ARENA_DIGEST},
     RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_SET_PARAMETER,
     {.key = RULE_SPEED, .value_f64 = UINT64_C(1) << 62},
     RAS_RECEIPT_APPLIED},
    {RAS_MURK_SET_PARAMETER, {.key = RULE_SPEED, .value_f64 = UINT64_MAX}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_SET_PARAMETER, {.key = ARENA_RULES}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_SET_PARAMETER_BATCH, {.params = {unknown, 12}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_SET_PARAMETER_BATCH, {.params = {empty, 0}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_CUSTOM, {.type_id = 1, .data = {(const uint8_t *)wild, 12}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_CUSTOM, {.type_id = 1, .data = {(const uint8_t *)fire, 12}}, RAS_RECEIPT_APPLIED},
    {RAS_MURK_CUSTOM, {.type_id = 1, .data = {(const uint8_t *)fire, 12}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_CUSTOM,
     {.type_id = 2, .data = {(const uint8_t *)stranger, 4}},
     RAS_RECEIPT_UNKNOWN_ENTITY},
    {RAS_MURK_CUSTOM, {.type_id = 2, .data = {(const uint8_t *)one, 4}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_CUSTOM, {.type_id = 3, .data = {(const uint8_t *)perk, 8}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_CUSTOM, {.type_id = 3, .data = {(const uint8_t *)perk, 7}}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_CUSTOM, {.type_id = 0}, RAS_RECEIPT_NOT_APPLIED},
    {RAS_MURK_CUSTOM, {.type_id = 77}, RAS_RECEIPT_UNSUPPORTED},
};
enum { COUNT = sizeof all / sizeof *all };

static void receipts_say_what_became_of_it(void **state)
{
    struct run r;
    (void)state;
    start(&r, arena_world.recipe, 1);
    for (unsigned i = 0; i < COUNT; i++)
        r.commands[i] = (struct ras_world_command){
            .wire = {.payload_type = all[i].type, .expires_after_tick = UINT64_MAX},
            .typed = all[i].payload};
    r.commands[COUNT].wire.expires_after_tick = 0;
    r.step.command_count = COUNT + 1;
    go(&r);
    assert_int_equal(r.receipts[0].reason, RAS_RECEIPT_STALE);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(r.receipts[i + 1].command_index, i);
        assert_int_equal(r.receipts[i + 1].reason, all[i].reason);
    }
    arena_world.destroy(r.world);
}

static void a_full_arena_takes_no_more(void **state)
{
    struct run r;
    unsigned refused = 0;
    (void)state;
    start(&r, "murkworld 1 arena-1\nqueue 60\nrules population 320\n", 1);
    for (unsigned tick = 0; tick < 3; tick++) {
        for (unsigned i = 0; i < ROOM; i++)
            r.commands[i] = (struct ras_world_command){
                .wire = {.payload_type = RAS_MURK_SPAWN, .expires_after_tick = UINT64_MAX},
                .typed = {.coord = at(inside)}};
        r.step.command_count = ROOM;
        go(&r);
        for (unsigned i = 0; i < ROOM; i++)
            refused += r.receipts[i].reason == RAS_RECEIPT_ENTITY_CAPACITY;
        assert_int_equal(r.receipts[0].reason, RAS_RECEIPT_QUEUE_FULL);
    }
    assert_true(refused > 0);
    arena_world.destroy(r.world);
}

/* ---- numbers stay numbers ------------------------------------------------------------------ */

static void assert_in(struct arena_vec v, const struct arena *a)
{
    assert_true(v.x >= 0 && v.x <= a->width && v.y >= 0 && v.y <= a->height);
}

static void nothing_leaves_the_arena(void **state)
{
    struct run r;
    (void)state;
    start(&r,
          "murkworld 1 arena-1\nsize 8 8\nmode survival\nplayers 4\ndt 3fb999999999999a\n"
          "rules population 320 spawns 64 speed 8\nrules drops 100 experience 100\n",
          11);
    for (unsigned tick = 0; tick < TICKS; tick++) {
        next(&r);
        const struct arena *a = arena(&r);
        for (unsigned i = 0; i < a->player_count; i++) {
            assert_in(a->players[i].pos, a);
            assert_true(a->players[i].health >= 0 && a->players[i].health <= 100);
        }
        for (unsigned i = 0; i < ARENA_CREATURES; i++)
            assert_in(a->creatures[i].pos, a);
        for (unsigned i = 0; i < ARENA_SHOTS; i++)
            assert_in(a->shots[i].pos, a);
        for (unsigned i = 0; i < ARENA_ROCKETS; i++)
            assert_in(a->rockets[i].pos, a);
        assert_in_range(a->now.draw_count, 0, ARENA_DRAWS);
    }
    arena_world.destroy(r.world);
}

static void angles_are_close(void **state)
{
    (void)state;
    for (int i = -700; i <= 700; i++) {
        float angle = (float)i * 0.01f, s = arena_sin(angle), c = arena_cos(angle);
        float off = s * s + c * c - 1;
        float back = arena_wrap(arena_angle(c, s) - angle);
        assert_true(off < 1e-4f && off > -1e-4f);
        assert_true(back < 1e-4f && back > -1e-4f);
    }
    assert_true(arena_angle(0, 0) >= 0 && arena_angle(0, 0) <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed_one_run),
        cmocka_unit_test(a_run_has_all_there_is),
        cmocka_unit_test(every_command_counts),
        cmocka_unit_test(the_order_of_the_file_does_not_count),

        cmocka_unit_test(nothing_leaves_the_arena),
        cmocka_unit_test(angles_are_close),
        cmocka_unit_test(bad_recipes_are_refused),
        cmocka_unit_test(receipts_say_what_became_of_it),
        cmocka_unit_test(a_full_arena_takes_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
