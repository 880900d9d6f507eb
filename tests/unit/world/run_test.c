/* run_test.c - runs: what their pens leave, that they can be executed again, and what is left
 * when something fails. */
#include "faults.h"
#include "world/world_run.h"
#include <rastrum/replay.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char home[] = "rastrum-run-XXXXXX";

static int enter_home(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    return chdir(temporary ? temporary : "/tmp") || !mkdtemp(home) || chdir(home);
}

/* rmdir fails when a test left a file. */
static int leave_home(void **state)
{
    (void)state;
    return chdir("..") || rmdir(home);
}

static const struct ras_world_type *arena(void)
{
    static const char recipe[] = "murkworld 1 arena-1";
    const struct ras_world_type *type;
    struct ras_bytes bytes = {(const uint8_t *)recipe, sizeof recipe - 1};
    assert_int_equal(ras_world_type_of(&type, bytes, NULL), RAS_OK);
    return type;
}

static void unmake(void)
{
    static const char *const files[] = {"replay.murk", "state.cdt", "gpu.aerogputrace",
                                        "events.trc",  "run.json",  "ticks.idx"};
    char path[64];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "run/%s", files[i]);
        unlink(path);
    }
    rmdir("run");
}

/* The replay that a run left. */
static struct ras_trace *left(void)
{
    struct ras_trace *trace;
    assert_int_equal(ras_open(&trace, "run/replay.murk", NULL, NULL), RAS_OK);
    return trace;
}

static struct ras_replay *again(struct ras_trace *trace)
{
    struct ras_replay *replay;
    assert_int_equal(
        ras_replay(&replay, trace, &(struct ras_replay_options){.worlds = ras_worlds()}, NULL),
        RAS_OK);
    return replay;
}

static size_t file_bytes(const char *path, uint8_t **bytes)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(f);
    *bytes = malloc(size + 1);
    assert_non_null(*bytes);
    rewind(f);
    assert_int_equal(fread(*bytes, 1, size, f), size);
    fclose(f);
    return size;
}

/* ---- runs that go well, and wrong --------------------------------------------------------- */

/* Its own replay comes out as recorded, and gives the same state. */
static void check_run(const struct ras_run_options *how)
{
    struct ras_run run;
    struct ras_sink *sink;
    struct ras_replay *replay;
    uint8_t *state;
    assert_int_equal(ras_run(&run, "run", how, NULL), RAS_OK);
    struct ras_trace *trace = left();
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_replay_state(&replay, trace, NULL, sink, NULL), RAS_OK);
    assert_int_equal(replay->verdict, RAS_REPLAY_OK);
    assert_int_equal(replay->ticks, run.ticks);
    assert_int_equal(replay->commands, run.commands);
    size_t size = file_bytes("run/state.cdt", &state);
    assert_int_equal(ras_sink_bytes(sink).len, size);
    assert_memory_equal(ras_sink_bytes(sink).at, state, size);
    free(state);
    ras_replay_free(replay);
    ras_sink_drop(sink);
    ras_close(trace);
    unmake();
}

static void runs_can_be_executed_again(void **state)
{
    static const char *const recipes[] = {"murkworld 1 arena-1\nmode quest 50\nplayers 4\n",
                                          "murkworld 1 arena-1\nsize 8 8\nplayers 1\n",
                                          "murkworld 1 arena-1\nrules population 0\n",
                                          "murkworld 1 arena-1\nrules population 320 spawns 64\n"};
    static const uint64_t seeds[] = {0, 7, UINT64_C(1) << 63, UINT64_MAX};
    static const char *const which[] = {"murk", "cdt"};
    (void)state;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        check_run(
            &(struct ras_run_options){.world = arena(),
                                      .recipe = {(const uint8_t *)recipes[i], strlen(recipes[i])},
                                      .has_seed = true,
                                      .seed = seeds[i],
                                      .ticks = 60,
                                      .pens = which,
                                      .pen_count = 2});
}

/* Whatever goes wrong, the replay disagrees at that tick and not before. */
static void wrong_ticks_are_found(void **state)
{
    static const char *const which[] = {"murk"};
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct ras_run run;
        const struct ras_run_options how = {.world = arena(),
                                            .has_seed = true,
                                            .seed = seed * UINT64_C(0x9E3779B97F4A7C15),
                                            .ticks = 40,
                                            .pens = which,
                                            .pen_count = 1,
                                            .perturb = 1 + seed % (RAS_PERTURBATIONS - 1),
                                            .perturb_tick = 1 + seed * 7 % 40};
        assert_int_equal(ras_run(&run, "run", &how, NULL), RAS_OK);
        assert_int_equal(run.perturbed_tick, how.perturb_tick);
        struct ras_trace *trace = left();
        struct ras_replay *replay = again(trace);
        assert_int_equal(replay->verdict, RAS_REPLAY_MISMATCH);
        assert_int_equal(replay->tick_id, how.perturb_tick);
        assert_int_equal(replay->last_agreed, how.perturb_tick - 1);
        ras_replay_free(replay);
        ras_close(trace);
        unmake();
    }
}

/* A run that gets the commands of another is that run. */
static void commands_of_a_replay_are_played(void **state)
{
    static const char *const which[] = {"murk"};
    struct ras_run first, second;
    uint8_t *a, *b;
    struct ras_run_options how = {
        .world = arena(), .has_seed = true, .seed = 11, .ticks = 50, .pens = which, .pen_count = 1};
    (void)state;
    assert_int_equal(ras_run(&first, "run", &how, NULL), RAS_OK);
    size_t size = file_bytes("run/replay.murk", &a);
    unmake();
    assert_int_equal(ras_open_memory(&how.commands, a, size, NULL, NULL), RAS_OK);
    how.has_seed = false;
    how.ticks = 0;
    assert_int_equal(ras_run(&second, "run", &how, NULL), RAS_OK);
    assert_int_equal(file_bytes("run/replay.murk", &b), size);
    assert_memory_equal(a, b, size);
    assert_int_equal(first.hash, second.hash);
    assert_int_equal(second.seed, 11);
    unmake();
    ras_close(how.commands);
    free(a);
    free(b);
}

/* A byte is another, or the file is shorter: it is played and reported, or refused. */
static void damage(const uint8_t *from, size_t size, size_t at, bool cut, bool run_it)
{
    static const char *const which[] = {"murk"};
    struct ras_run_options how = {.world = arena(), .pens = which, .pen_count = 1};
    uint8_t *bytes = malloc(size + 1);
    struct ras_replay *replay;
    struct ras_sink *sink;
    struct ras_run run;
    assert_non_null(bytes);
    memcpy(bytes, from, size);
    bytes[at] ^= (uint8_t)(1u << at % 8);
    if (ras_open_memory(&how.commands, bytes, cut ? at : size, NULL, NULL) == RAS_OK) {
        assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
        if (ras_replay_state(&replay, how.commands, NULL, sink, NULL) == RAS_OK)
            ras_replay_free(replay);
        ras_sink_drop(sink);
        if (run_it && ras_run(&run, "run", &how, NULL) == RAS_OK)
            unmake();
        ras_close(how.commands);
    }
    free(bytes);
    assert_int_equal(access("run", F_OK), -1);
}

static void damaged_commands_do_no_harm(void **state)
{
    static const char *const which[] = {"murk"};
    const struct ras_run_options how = {
        .world = arena(), .ticks = 3, .pens = which, .pen_count = 1};
    struct ras_run run;
    uint8_t *bytes;
    (void)state;
    assert_int_equal(ras_run(&run, "run", &how, NULL), RAS_OK);
    size_t size = file_bytes("run/replay.murk", &bytes);
    unmake();
    for (size_t at = 0; at < size; at++) {
        damage(bytes, size, at, false, at % 16 == 5);
        damage(bytes, size, at, true, at % 16 == 11);
    }
    free(bytes);
}

/* ---- calls --------------------------------------------------------------------------------- */

static struct {
    uint64_t names, calls, leaves, details;
    int64_t depth;
    bool on, fail_start, fail_stop;
} heard;

static int start(const char *dir, struct ras_error *err)
{
    (void)err;
    assert_non_null(strstr(dir, "/calls"));
    if (heard.fail_start)
        return RAS_EIO;
    heard.on = true;
    return RAS_OK;
}

static int stop(struct ras_error *err)
{
    (void)err;
    assert_true(heard.on);
    heard.on = false;
    return heard.fail_stop ? RAS_EIO : RAS_OK;
}

static uint64_t function(const char *module, const char *name)
{
    if (!strcmp(module, "rastrum")) { /* marks of ticks */
        assert_true(!strcmp(name, "tick") || !strcmp(name, "settled"));
        return 100 + heard.names++;
    }
    assert_string_equal(module, "arena-1");
    assert_memory_equal(name, "arena_", 6);
    return 100 + heard.names++;
}

static void call(uint64_t id)
{
    assert_in_range(id, 100, 100 + heard.names - 1);
    heard.calls++;
    heard.depth++;
}

static void leave(uint64_t id)
{
    assert_in_range(id, 100, 100 + heard.names - 1);
    heard.leaves++;
    assert_true(--heard.depth >= 0);
}

static void call_with(uint64_t id, const uint64_t *args, uint32_t count)
{
    assert_non_null(args);
    assert_in_range(count, 1, RAS_WORLD_ARGS);
    heard.details++;
    call(id);
}

static uint64_t recorded(uint32_t *thread)
{
    *thread = 3;
    return heard.calls + heard.leaves;
}

static const struct ras_run_calls calls = {0,    start, stop,      function,
                                           call, leave, call_with, recorded};

static int run_called(const struct ras_run_options *more)
{
    static const char *const which[] = {"murk", "atf"};
    struct ras_run run;
    struct ras_run_options how = *more;
    how.world = arena();
    how.pens = which;
    how.pen_count = 2;
    how.calls = &calls;
    how.ticks = how.ticks ? how.ticks : 30;
    int status = ras_run(&run, "run", &how, NULL);
    assert_false(heard.on);
    return status;
}

static void calls_are_told_in_pairs(void **state)
{
    (void)state;
    memset(&heard, 0, sizeof heard);
    assert_int_equal(run_called(&(struct ras_run_options){0}), RAS_OK);
    assert_int_equal(heard.calls, heard.leaves);
    assert_int_equal(heard.depth, 0);
    assert_true(heard.calls > 300 && heard.details > 30);
    unmake();
}

static bool until_five(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    assert_int_equal(total, 30);
    return done < 5;
}

/* leave_home() sees what a run has left. */
static void what_fails_leaves_nothing(void **state)
{
    const struct ras_run_options usual = {0}, ended = {.tick = until_five};
    (void)state;
    memset(&heard, 0, sizeof heard);
    heard.fail_start = true;
    assert_int_equal(run_called(&usual), RAS_EIO);
    heard.fail_start = false;
    heard.fail_stop = true;
    assert_int_equal(run_called(&usual), RAS_EIO);
    heard.fail_stop = false;
    assert_int_equal(run_called(&ended), RAS_END);
    assert_int_equal(access("run", F_OK), -1);
}

/* ---- faults -------------------------------------------------------------------------------- */

static void try_to_run(void *user)
{
    static const char *const which[] = {"murk", "cdt", "aerogpu", "dial9"};
    const struct ras_run_options how = {
        .world = arena(), .ticks = 2, .pens = which, .pen_count = 4};
    (void)user;
    struct ras_run run;
    int status = ras_run(&run, "run", &how, NULL);
    faults_stop();
    assert_true(status == RAS_OK || faults_hit());
    if (status == RAS_OK) {
        struct ras_trace *trace = left();
        struct ras_replay *replay = again(trace);
        assert_int_equal(replay->verdict, RAS_REPLAY_OK);
        assert_int_equal(replay->ticks, 2);
        ras_replay_free(replay);
        ras_close(trace);
        unmake();
    }
    assert_int_equal(access("run", F_OK), -1);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    faults_everywhere(try_to_run, NULL);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void times_are_spread_evenly(void **state)
{
    struct run_times t = {0};
    (void)state;
    for (uint64_t tick = 1; tick <= 5000; tick++) {
        run_times_add(&t, tick, tick * 10);
        assert_in_range(t.count, 1, RUN_TIMES);
        for (uint32_t i = 0; i < t.count; i++)
            if (t.begin_ns[i] != (i * t.every + 1) * 10)
                fail_msg("tick %u of every %u", i, (unsigned)t.every);
    }
    assert_int_equal(t.every, 8);
    assert_int_equal(t.count, 625);
}

/* A world that fails has its run, too: ticks without an effect. */
static void worlds_that_fail_are_written_down(void **state)
{
    static const char recipe[] = "murkworld 1 murk-0.1.9\nspace line1d 4 absorb\n"
                                 "dt 3ff0000000000000\nfield one pertick 1\nprop fail 0 3\n";
    struct ras_run run;
    struct ras_run_options how = {.recipe = {(const uint8_t *)recipe, sizeof recipe - 1},
                                  .ticks = 12};
    (void)state;
    assert_int_equal(ras_world_type_of(&how.world, how.recipe, NULL), RAS_OK);
    assert_int_equal(ras_run(&run, "run", &how, NULL), RAS_OK);
    assert_int_equal(run.ticks, 12);
    unsigned wrote = 0;
    for (size_t i = 0; i < run.pen_count; i++)
        wrote += !run.pens[i].lacks;
    assert_int_equal(wrote, 2);
    struct ras_trace *trace = left();
    struct ras_replay *replay = again(trace);
    assert_int_equal(replay->verdict, RAS_REPLAY_OK);
    assert_true(replay->rolled_back > 0);
    ras_replay_free(replay);
    ras_close(trace);
    unmake();
}

static void what_cannot_be_is_refused(void **state)
{
    static const char *const none[] = {"svg"}, *const atf[] = {"atf"};
    static const char bad[] = "murkworld 1 arena-1\nsize 1 1\n";
    struct ras_run run;
    struct ras_error err;
    (void)state;
    struct ras_run_options how = {.world = arena(), .pens = none, .pen_count = 1};
    assert_int_equal(ras_run(&run, "run", &how, &err), RAS_EUSAGE);
    how.pens = atf; /* no recorder is given */
    assert_int_equal(ras_run(&run, "run", &how, &err), RAS_EUNSUPPORTED);
    how = (struct ras_run_options){.world = arena(), .recipe = {(const uint8_t *)bad, strlen(bad)}};
    assert_int_equal(ras_run(&run, "run", &how, &err), RAS_EFORMAT);
    how = (struct ras_run_options){.world = arena(), .perturb = RAS_PERTURB_RNG, .ticks = 5};
    assert_int_equal(ras_run(&run, "run", &how, &err), RAS_EUSAGE);
    how = (struct ras_run_options){.world = arena(), .ticks = 5};
    assert_int_equal(ras_run(&run, "no/such/place", &how, &err), RAS_EIO);
}

/* ---- worlds that answer nonsense ----------------------------------------------------------- */

enum lie { TRUTH, MORE_RECEIPTS, OTHER_COMMAND, MORE_COMMANDS, NO_PAYLOAD, NO_ROOM, LIES };
static enum lie lie;

static int liar_create(void **world, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    static uint32_t cell;
    (void)recipe, (void)seed, (void)err;
    *world = &cell;
    return RAS_OK;
}

static void liar_destroy(void *world)
{
    (void)world;
}

static struct ras_world_shape liar_shape(const void *world)
{
    (void)world;
    return (struct ras_world_shape){UINT64_C(0x3ff0000000000000), 1, 1};
}

static struct ras_world_field liar_field(const void *world, uint32_t index)
{
    (void)index;
    return (struct ras_world_field){"cell", world, 1, 1};
}

static int liar_step(void *world, struct ras_step *s, struct ras_error *err)
{
    (void)world, (void)err;
    s->result = RAS_STEP_OK;
    s->receipt_count = 1;
    s->receipts[0] = (struct ras_receipt){
        .command_index = lie == OTHER_COMMAND ? 7 : 0, .accepted = true, .applied_tick = 1};
    s->receipt_count = lie == MORE_RECEIPTS ? 1000000 : 1;
    s->tick++;
    return RAS_OK;
}

static int liar_play(const void *world, uint64_t tick, struct ras_play *p)
{
    (void)world, (void)tick;
    memset(p->bytes, 0, 8);
    p->commands[0] =
        (struct ras_world_command){.wire = {.payload_type = RAS_MURK_DESPAWN,
                                            .payload = {p->bytes, lie == NO_PAYLOAD ? 3 : 8}}};
    p->count = lie == MORE_COMMANDS ? p->room + 1 : 1;
    return lie == NO_ROOM ? RAS_ELIMIT : RAS_OK;
}

static void nonsense_is_told(void **state)
{
    static const char *const says[LIES] = {
        [MORE_RECEIPTS] = "liar: tick 1: the world gave 1000000 receipts for 1 commands",
        [OTHER_COMMAND] = "liar: tick 1: the world gave a receipt for command 7 of 1",
        [MORE_COMMANDS] = "tick 1: the world's own player made 65 commands, there is room for 64",
        [NO_PAYLOAD] = "tick 1: command 0 of the world's own player: truncated Despawn payload",
        [NO_ROOM] = "tick 1: the world's own player makes more than 64 commands"};
    const struct ras_world_type liar = {.abi = RAS_WORLD_ABI,
                                        .name = "liar",
                                        .create = liar_create,
                                        .destroy = liar_destroy,
                                        .shape = liar_shape,
                                        .step = liar_step,
                                        .field = liar_field,
                                        .play = liar_play};
    struct ras_run_options how = {.world = &liar, .ticks = 2};
    struct ras_run run;
    struct ras_error err;
    (void)state;
    for (lie = TRUTH + 1; lie < LIES; lie++)
        for (how.perturb = RAS_PERTURB_NOTHING; how.perturb <= RAS_PERTURB_DROP;
             how.perturb += RAS_PERTURB_DROP) {
            how.perturb_tick = 1;
            assert_true(ras_run(&run, "run", &how, &err) < 0);
            assert_memory_equal(err.text, says[lie], strlen(says[lie]));
            assert_int_equal(access("run", F_OK), -1);
        }
    lie = TRUTH;
    how.perturb = RAS_PERTURB_NOTHING;
    assert_int_equal(ras_run(&run, "run", &how, &err), RAS_OK);
    unmake();
}

/* ---- worlds that fail without a word ------------------------------------------------------ */

static int mute_perturb(void *world, enum ras_perturbation what, struct ras_error *err)
{
    (void)world, (void)what, (void)err;
    return RAS_EMEMORY;
}

static int mute_create(void **world, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    (void)recipe, (void)seed, (void)err;
    *world = NULL;
    return -99;
}

static void worlds_that_fail_without_a_word_get_one(void **state)
{
    (void)state;
    struct ras_world_type type = *arena();
    struct ras_run run;
    struct ras_error err = {.text = "of an earlier failure"};
    struct ras_run_options how = {.world = &type, .ticks = 3, .perturb = RAS_PERTURB_RNG};
    how.perturb_tick = 2;
    type.perturb = mute_perturb;
    assert_int_equal(ras_run(&run, "run", &how, &err), RAS_EMEMORY);
    assert_string_equal(err.text,
                        "arena-1: the world's perturb() failed: out of memory (status -5)");
    type.create = mute_create;
    assert_int_equal(ras_run(&run, "run", &how, &err), -99);
    assert_string_equal(err.text,
                        "arena-1: the world's create() failed: unknown status (status -99)");
    assert_int_equal(access("run", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_can_be_executed_again),
        cmocka_unit_test(wrong_ticks_are_found),
        cmocka_unit_test(commands_of_a_replay_are_played),
        cmocka_unit_test(damaged_commands_do_no_harm),
        cmocka_unit_test(calls_are_told_in_pairs),
        cmocka_unit_test(what_fails_leaves_nothing),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(times_are_spread_evenly),
        cmocka_unit_test(worlds_that_fail_are_written_down),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(nonsense_is_told),
        cmocka_unit_test(worlds_that_fail_without_a_word_get_one),
    };
    return cmocka_run_group_tests(tests, enter_home, leave_home);
}
