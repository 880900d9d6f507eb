/* arena_run.h - an arena that plays itself, for tests. */
#ifndef ARENA_RUN_H
#define ARENA_RUN_H

#include "world/arena_world.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ROOM = RAS_PLAY_COMMANDS };

/* One run, and the memory of its commands. */
struct run {
    void *world;
    struct ras_world_command commands[ROOM];
    uint8_t bytes[RAS_PLAY_BYTES];
    struct ras_receipt receipts[ROOM];
    struct ras_play play;
    struct ras_step step;
};

static inline struct ras_bytes text(const char *recipe)
{
    return (struct ras_bytes){(const uint8_t *)recipe, strlen(recipe)};
}

static inline void start(struct run *r, const char *recipe, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    assert_int_equal(arena_world.create(&r->world, text(recipe), seed, NULL), RAS_OK);
    r->play = (struct ras_play){
        .commands = r->commands, .room = ROOM, .bytes = r->bytes, .bytes_room = sizeof r->bytes};
    r->step = (struct ras_step){.commands = r->commands, .receipts = r->receipts};
}

static inline struct arena *arena(struct run *r)
{
    return r->world;
}

static inline void ask(struct run *r)
{
    assert_int_equal(arena_world.play(r->world, arena(r)->tick + 1, &r->play), RAS_OK);
    r->step.command_count = r->play.count;
}

static inline uint64_t go(struct run *r)
{
    assert_int_equal(arena_world.step(r->world, &r->step, NULL), RAS_OK);
    assert_int_equal(r->step.result, RAS_STEP_OK);
    assert_int_equal(r->step.receipt_count, r->step.command_count);
    return ras_world_hash(&arena_world, r->world);
}

static inline uint64_t next(struct run *r)
{
    ask(r);
    return go(r);
}
#endif
