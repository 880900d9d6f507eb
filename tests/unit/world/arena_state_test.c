/* arena_state_test.c - rows of a CDT trace say what is the case in the arena. */
#include "arena_run.h"
#include <rastrum/cdt.h>

#include <math.h>
#include <stdlib.h>

enum { TICKS = 600 };

/* ---- values of a row ----------------------------------------------------------------- */

static void check_creatures(const struct arena *a, const struct ras_cdt_entity_samples_snapshot *e)
{
    size_t next = 0;
    for (uint32_t i = 0; i < ARENA_CREATURES; i++) {
        const struct arena_creature *c = &a->creatures[i];
        if (!c->active)
            continue;
        assert_true(next < e->creatures.count);
        const struct ras_cdt_creature_entity_sample *s = &e->creatures.at[next++];
        assert_int_equal(s->uid, INT64_C(1000000000) + s->generation * 1000000 + i);
        assert_int_equal(s->index, i);
        assert_int_equal(s->generation, c->generation);
        assert_true(s->active && s->generation >= 1);
        assert_int_equal(s->type_id, c->type);
        assert_true(s->hp == (double)c->hp && s->pos.x == (double)c->pos.x);
        assert_true(s->vel.y == (double)c->vel.y && s->move_speed == (double)c->speed);
        assert_true(ras_cdt_has(&s->node, RAS_CDT_CREATURE_VEL));
        assert_true(ras_cdt_has(&s->node, RAS_CDT_CREATURE_MOVE_SPEED));
    }
    assert_int_equal(next, e->creatures.count);
}

static void check_rng(const struct arena *a, const struct ras_cdt_replay_tick_channels *c)
{
    assert_int_equal(c->rng_stream.count, a->now.draw_count);
    for (size_t i = 0; i < c->rng_stream.count; i++) {
        const struct ras_cdt_rng_stream_row *r = &c->rng_stream.at[i];
        assert_int_equal(r->tick_call_index, i + 1);
        assert_int_equal(r->state_after_u32, (uint32_t)r->state_before_u32 * 214013u + 2531011u);
        assert_int_equal(r->value_15, r->state_after_u32 >> 16 & 0x7fff);
        assert_true(ras_cdt_has(&r->node, RAS_CDT_RNG_CALLER));
        assert_in_range(r->caller, CALLER_SPAWN_KIND, CALLER_RETURN);
    }
    if (c->rng_stream.count)
        assert_int_equal(c->rng_stream.at[c->rng_stream.count - 1].state_after_u32,
                         c->checkpoint.rng_state);
}

/* Four decimals, and no farther from what it is made of than half of one. */
static void check_rounded(double value, float from)
{
    double whole = value * 1e4, nearest = (double)(int64_t)(whole + (whole < 0 ? -0.5 : 0.5));
    assert_true(fabs(whole - nearest) < 1e-6);
    assert_true(fabs(value - (double)from) <= 0.00005 + 1e-12);
}

static void check_players(const struct arena *a, const struct ras_cdt_replay_tick_channels *c)
{
    int64_t score = 0;
    assert_int_equal(c->checkpoint.players.count, a->player_count);
    assert_int_equal(c->sim_state.players.count, a->player_count);
    for (uint32_t i = 0; i < a->player_count; i++) {
        const struct arena_player *p = &a->players[i];
        const struct ras_cdt_snapshot_player *s = &c->sim_state.players.at[i];
        check_rounded(c->checkpoint.players.at[i].pos.x, p->pos.x);
        check_rounded(c->checkpoint.players.at[i].health, p->health);
        assert_true(s->pos.x == (double)p->pos.x && s->weapon.ammo == (double)p->ammo);
        assert_int_equal(s->weapon.weapon_id, p->weapon);
        assert_true(s->weapon.clip_size >= 1 && s->weapon.ammo <= (double)s->weapon.clip_size);
        score += p->experience;
    }
    assert_int_equal(c->checkpoint.score_xp, score);
}

static void check_timing(const struct arena *a, const struct ras_cdt_replay_tick_channels *c)
{
    const struct ras_cdt_timing_sample_row *t = c->timing_samples.at;
    assert_int_equal(c->timing_samples.count, 1);
    assert_int_equal(t->tick_index, a->tick);
    assert_int_equal(t->gameplay_frame, a->tick);
    assert_memory_equal(t->phase.at, "gpur_enter", t->phase.len);
    assert_memory_equal(t->mode_fn.at, "gameplay_update_and_render", t->mode_fn.len);
    assert_int_equal(t->frame_dt_ms_i32, 16);
    assert_true(t->time_scale_factor == (double)a->now.timing.factor);
    assert_false(ras_cdt_has(&t->node, RAS_CDT_TIMING_PLAYER_INDEX));
    assert_true(ras_cdt_has(&t->node, RAS_CDT_TIMING_MODE_FN));
}

static void check_row(const struct arena *a, const struct ras_cdt_tick_record *row)
{
    const struct ras_cdt_replay_checkpoint *c = &row->channels.checkpoint;
    assert_int_equal(row->tick_index, a->tick);
    assert_int_equal(row->elapsed_ms, 16 * a->tick);
    assert_int_equal(row->mode_id, a->mode);
    assert_int_equal(c->creature_count, a->creature_count);
    assert_int_equal(c->bonus_timers.count, ARENA_TIMERS);
    assert_memory_equal(c->bonus_timers.at[0].key.at, "4", 1);
    assert_memory_equal(c->bonus_timers.at[4].key.at, "11", 2);
    assert_false(ras_cdt_has(&c->node, RAS_CDT_CHECKPOINT_TUTORIAL));
    assert_false(ras_cdt_has(&c->node, RAS_CDT_CHECKPOINT_TYPO));
    check_creatures(a, &row->channels.entity_samples);
    check_rng(a, &row->channels);
    check_players(a, &row->channels);
    check_timing(a, &row->channels);
}

/* ---- entities ---------------------------------------------------------------------------- */

/* What a uid was given to: its pool, slot and who used it. */
struct given {
    int64_t uid;
    uint32_t pool, slot, generation;
};
enum { GIVEN = 1 << 16 };

static void give(struct given *all, const struct given *one)
{
    size_t at = (uint64_t)one->uid * UINT64_C(0x9e3779b97f4a7c15) >> 48;
    while (all[at].uid && all[at].uid != one->uid)
        at = (at + 1) % GIVEN;
    if (!all[at].uid)
        all[at] = *one;
    assert_memory_equal(&all[at], one, sizeof *one);
}

#define GIVE_ALL(all, rows, which)                                                                 \
    for (size_t i = 0; i < (rows).count; i++)                                                      \
    give(all, &(struct given){(rows).at[i].uid, which, (uint32_t)(rows).at[i].index,               \
                              (uint32_t)(rows).at[i].generation})

/* No two entities of a run have one uid, whatever pool they are of and however often a slot is
 * used again. */
static void entities_have_uids_of_their_own(void **state)
{
    static struct run r;
    struct given *all = calloc(GIVEN, sizeof *all);
    struct ras_cdt_tick_record row;
    (void)state;
    assert_non_null(all);
    start(&r, "murkworld 1 arena-1\n", 7);
    for (unsigned tick = 1; tick <= 3 * TICKS; tick++) {
        if (tick == 2 * TICKS) /* a very long run */
            for (uint32_t i = 0; i < ARENA_SHOTS; i++)
                arena(&r)->shots[i].generation += 2995;
        next(&r);
        assert_int_equal(arena_world.state(r.world, &row, NULL), RAS_OK);
        const struct ras_cdt_entity_samples_snapshot *e = &row.channels.entity_samples;
        GIVE_ALL(all, e->creatures, 1);
        GIVE_ALL(all, e->projectiles, 2);
        GIVE_ALL(all, e->secondary_projectiles, 3);
        GIVE_ALL(all, e->bonuses, 4);
    }
    arena_world.destroy(r.world);
    free(all);
}

/* ---- a whole run ------------------------------------------------------------------------- */

struct seen {
    size_t creatures, shots, rockets, bonuses, deaths, hits, sounds, draws, perks, timers;
};

static void look(struct seen *s, const struct ras_cdt_replay_tick_channels *c)
{
    s->creatures += c->entity_samples.creatures.count;
    s->shots += c->entity_samples.projectiles.count;
    s->rockets += c->entity_samples.secondary_projectiles.count;
    s->bonuses += c->entity_samples.bonuses.count;
    s->deaths += c->checkpoint.deaths.count;
    s->hits += c->checkpoint.events.hit_head.count;
    s->sounds += c->checkpoint.events.sfx_head.count;
    s->draws += c->rng_stream.count;
    for (size_t i = 0; i < c->checkpoint.perk.player_nonzero_counts.count; i++)
        s->perks += c->checkpoint.perk.player_nonzero_counts.at[i].count;
    for (size_t i = 0; i < c->checkpoint.bonus_timers.count; i++)
        s->timers += c->checkpoint.bonus_timers.at[i].value.value > 0;
}

static void every_channel_has_what_is_the_case(void **state)
{
    struct run r;
    struct ras_cdt_tick_record row;
    struct seen seen = {0};
    size_t size;
    (void)state;
    start(&r, arena_world.recipe, 7);
    assert_int_equal(arena_world.state(r.world, &row, NULL), RAS_OK);
    assert_int_equal(row.tick_index, 0);
    for (unsigned i = 0; i < TICKS; i++) {
        next(&r);
        assert_int_equal(arena_world.state(r.world, &row, NULL), RAS_OK);
        check_row(arena(&r), &row);
        look(&seen, &row.channels);
        assert_int_equal(ras_cdt_tick_put(&row, RAS_CDT_PYTHON, NULL, 0, &size, NULL), RAS_OK);
    }
    assert_true(seen.creatures >= 100 * (size_t)TICKS && seen.draws >= TICKS);
    assert_true(seen.shots && seen.rockets && seen.bonuses && seen.deaths && seen.hits);
    assert_true(seen.sounds && seen.perks && seen.timers);
    arena_world.destroy(r.world);
}

static void quests_have_stages(void **state)
{
    struct run r;
    struct ras_cdt_tick_record row;
    (void)state;
    start(&r, "murkworld 1 arena-1\nmode quest 23\nplayers 4\n", 1);
    next(&r);
    assert_int_equal(arena_world.state(r.world, &row, NULL), RAS_OK);
    assert_int_equal(row.mode_id, 3);
    assert_int_equal(row.channels.sim_state.gameplay.quest_stage_major, 3);
    assert_int_equal(row.channels.sim_state.gameplay.quest_stage_minor, 3);
    assert_int_equal(row.channels.sim_state.players.count, 4);
    arena_world.destroy(r.world);
}

/* ---- watching ---------------------------------------------------------------------------- */

struct watcher {
    uint32_t stack[32], depth, marked;
    uint64_t calls, events[RAS_WORLD_EVENTS];
};

static void enter(void *user, uint32_t function, const uint64_t *args, uint32_t count)
{
    struct watcher *w = user;
    assert_true(w->depth < 32 && function < 23);
    assert_int_equal(args != NULL, arena_world.functions[function].marked);
    assert_in_range(count, args ? 1 : 0, RAS_WORLD_ARGS);
    w->stack[w->depth++] = function;
    w->marked += args != NULL;
    w->calls++;
}

static void leave(void *user, uint32_t function)
{
    struct watcher *w = user;
    assert_true(w->depth > 0);
    assert_int_equal(w->stack[--w->depth], function);
}

static void event(void *user, const struct ras_world_event *e)
{
    struct watcher *w = user;
    assert_true(e->kind < RAS_WORLD_EVENTS && e->what && *e->what);
    w->events[e->kind]++;
}

/* Whoever watches sees calls that nest, and all that the tick counts; nothing comes out
 * otherwise for it. */
static void watching_changes_nothing(void **state)
{
    struct run r, other;
    struct watcher w = {0};
    const struct ras_world_watch watch = {&w, enter, leave, event};
    (void)state;
    start(&r, arena_world.recipe, 7);
    start(&other, arena_world.recipe, 7);
    arena_world.watch(r.world, &watch);
    uint64_t spawns = 0, hits = 0, pickups = 0;
    for (unsigned i = 0; i < TICKS; i++) {
        assert_int_equal(next(&r), next(&other));
        assert_int_equal(w.depth, 0);
        spawns += arena(&r)->now.spawn_count;
        hits += arena(&r)->now.hit_count;
        pickups += arena(&r)->now.pickup_count;
    }
    assert_int_equal(w.events[RAS_WORLD_SPAWN], spawns);
    assert_int_equal(w.events[RAS_WORLD_HIT], hits);
    assert_int_equal(w.events[RAS_WORLD_PICKUP], pickups);
    assert_true(w.calls > 10 * TICKS && w.marked > TICKS);
    uint64_t calls = w.calls;
    arena_world.watch(r.world, NULL);
    next(&r);
    assert_int_equal(w.calls, calls);
    arena_world.destroy(r.world);
    arena_world.destroy(other.world);
}

static void ticks_go_wrong_where_asked(void **state)
{
    (void)state;
    for (enum ras_perturbation what = RAS_PERTURB_RNG; what <= RAS_PERTURB_FLOAT; what++) {
        struct run good, bad;
        start(&good, arena_world.recipe, 7);
        start(&bad, arena_world.recipe, 7);
        for (unsigned tick = 1; tick <= 60; tick++) {
            if (tick == 50)
                assert_int_equal(arena_world.perturb(bad.world, what, NULL), RAS_OK);
            bool same = next(&good) == next(&bad);
            assert_int_equal(same, tick < 50);
        }
        arena_world.destroy(good.world);
        arena_world.destroy(bad.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_channel_has_what_is_the_case),
        cmocka_unit_test(entities_have_uids_of_their_own),
        cmocka_unit_test(quests_have_stages),
        cmocka_unit_test(watching_changes_nothing),
        cmocka_unit_test(ticks_go_wrong_where_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
