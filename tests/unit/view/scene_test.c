/* scene_test.c - ticks of a side: packed positions, what all of them cover, one in figures. */
#include "view/scene.h"
#include "viewed.h"

enum { TICKS = 40 };

static struct ras_trace *open_state(void)
{
    struct ras_trace *t;
    assert_int_equal(ras_open(&t, "run/state.cdt", NULL, NULL), RAS_OK);
    return t;
}

/* Active things with a positive size among the items of the i-th tick. */
static unsigned count_kind(const uint8_t *at, unsigned tick, unsigned kind, bool active)
{
    uint32_t count = load_u32(at + 16), n = 0;
    size_t table = (count + 1) * 4, items = SCENE_HEAD_SIZE + table + table % 8;
    uint32_t first = load_u32(at + SCENE_HEAD_SIZE + tick * 4);
    uint32_t end = load_u32(at + SCENE_HEAD_SIZE + tick * 4 + 4);
    for (; first < end; first++) {
        const uint8_t *item = at + items + first * SCENE_ITEM_SIZE;
        n += item[32] == kind && (!active || item[33] & SCENE_ACTIVE);
    }
    return n;
}

static void packed_items_are_the_records(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    (void)state;
    for (unsigned tick = 1; tick <= TICKS; tick += 13) {
        char uri[80];
        snprintf(uri, sizeof uri, "/v1/tick?side=0&n=%u", tick);
        struct viewed v = viewed_get(view, uri);
        unsigned creatures = (unsigned)viewed_number(&v, "counts[0].count");
        unsigned players = (unsigned)viewed_number(&v, "counts[1].count");
        snprintf(uri, sizeof uri, "/v1/ticks?side=0&from=%u&n=3", tick);
        struct ras_answer answer = viewed_send(view, uri, NULL);
        assert_int_equal(answer.status, 200);
        assert_int_equal(load_u32(answer.bytes.at), SCENE_MAGIC);
        assert_int_equal(load_u32(answer.bytes.at + 4), answer.bytes.len);
        assert_int_equal(load_u64(answer.bytes.at + 8), tick);
        assert_int_equal(count_kind(answer.bytes.at, 0, 0, false), creatures);
        assert_int_equal(count_kind(answer.bytes.at, 0, 1, false), players);
        assert_int_equal(players, 2);
        viewed_free(&v);
    }
    ras_view_close(view);
}

/* However ticks are requested, one has the same items. */
static void a_window_does_not_change_a_tick(void **state)
{
    struct ras_trace *t = open_state();
    struct out all = {0};
    (void)state;
    assert_int_equal(scene_pack(&all, t, 1, TICKS, 1, NULL), RAS_OK);
    uint32_t count = load_u32(all.at + 16);
    assert_int_equal(count, TICKS);
    size_t table = (count + 1) * 4, begin = SCENE_HEAD_SIZE + table + table % 8;
    for (uint32_t i = 0; i < count; i++) {
        struct out one = {0};
        assert_int_equal(scene_pack(&one, t, 1 + i, 1, 1, NULL), RAS_OK);
        uint32_t first = load_u32(all.at + SCENE_HEAD_SIZE + i * 4);
        uint32_t n = load_u32(all.at + SCENE_HEAD_SIZE + i * 4 + 4) - first;
        assert_int_equal(load_u32(one.at + 20), n);
        assert_memory_equal(one.at + SCENE_HEAD_SIZE + 8,
                            all.at + begin + (size_t)first * SCENE_ITEM_SIZE,
                            (size_t)n * SCENE_ITEM_SIZE);
        out_free(&one);
    }
    out_free(&all);
    ras_close(t);
}

static void beyond_the_end_ticks_are_empty(void **state)
{
    struct ras_trace *t = open_state();
    struct out out = {0};
    (void)state;
    assert_int_equal(scene_pack(&out, t, TICKS, 4, 1, NULL), RAS_OK);
    assert_int_equal(load_u32(out.at + 16), 4);
    assert_true(load_u32(out.at + SCENE_HEAD_SIZE + 4) > 0);
    assert_int_equal(load_u32(out.at + SCENE_HEAD_SIZE + 4), load_u32(out.at + 20));
    out.len = 0;
    assert_int_equal(scene_pack(&out, t, UINT64_MAX - 2, 200, 1, NULL), RAS_OK);
    assert_int_equal(load_u32(out.at + 16), 0);
    assert_int_equal(load_u32(out.at + 20), 0);
    out_free(&out);
    ras_close(t);
}

static void the_survey_counts_every_tick(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct viewed v = viewed_get(view, "/v1/scene?side=0");
    (void)state;
    assert_int_equal(v.status, 200);
    assert_int_equal(viewed_number(&v, "first"), 1);
    assert_int_equal(viewed_number(&v, "last"), TICKS);
    assert_true(viewed_is(&v, "kinds[0].name", "creature"));
    assert_true(viewed_is(&v, "kinds[0].shape", "disc"));
    assert_true(viewed_is(&v, "curves[0].pen", "cdt"));
    assert_int_equal(viewed_count(&v, "curves[0].values"), TICKS);
    struct viewed tick = viewed_get(view, "/v1/tick?side=0&n=23");
    assert_int_equal(viewed_number(&v, "curves[0].values[22]"),
                     viewed_number(&tick, "counts[0].active"));
    assert_true(viewed_number(&v, "bounds[0]") < viewed_number(&v, "bounds[2]"));
    viewed_free(&tick);
    /* The other traces of the run: records of each tick. A replay's tick is a frame and its
     * commands. */
    assert_true(viewed_is(&v, "curves[5].pen", "murk"));
    struct viewed again = viewed_get(view, "/v1/tick?side=0&n=30");
    assert_int_equal(viewed_number(&v, "curves[5].values[29]"),
                     1 + viewed_number(&again, "commands.count"));
    viewed_free(&again);
    viewed_free(&v);
    ras_view_close(view);
}

static void a_tick_says_what_changed(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct viewed v = viewed_get(view, "/v1/tick?side=0&n=20&kind=1&id=1");
    bool elapsed = false;
    (void)state;
    assert_true(viewed_is(&v, "state[0].name", "checkpoint"));
    assert_true(viewed_number(&v, "changed") > 0);
    for (size_t i = 0; i < viewed_count(&v, "state[0].fields"); i++) {
        char path[80];
        snprintf(path, sizeof path, "state[0].fields[%zu].name", i);
        const struct ras_value *name = viewed_find(&v, path);
        if (name->count != 10 || memcmp(name->at, "elapsed_ms", 10) != 0)
            continue;
        elapsed = true;
        snprintf(path, sizeof path, "state[0].fields[%zu].value", i);
        double now = viewed_number(&v, path);
        snprintf(path, sizeof path, "state[0].fields[%zu].before", i);
        assert_int_equal(now - viewed_number(&v, path), 16);
        snprintf(path, sizeof path, "state[0].fields[%zu].changed", i);
        assert_true(viewed_find(&v, path)->u);
    }
    assert_true(elapsed);
    assert_true(viewed_is(&v, "entity.kind", "player"));
    assert_true(viewed_is(&v, "entity.fields[0].name", "index"));
    assert_int_equal(viewed_number(&v, "entity.fields[0].value"), 1);
    assert_int_equal(viewed_count(&v, "commands.items"), viewed_number(&v, "commands.count"));
    assert_int_equal(viewed_count(&v, "draws.items"), viewed_number(&v, "draws.count"));
    viewed_free(&v);
    ras_view_close(view);
}

static void the_first_tick_has_nothing_before_it(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct viewed v = viewed_get(view, "/v1/tick?n=1");
    (void)state;
    assert_int_equal(viewed_find(&v, "changed")->kind, RAS_NULL);
    assert_null(viewed_find(&v, "state[0].fields[0].before"));
    viewed_free(&v);
    v = viewed_get(view, "/v1/tick?n=4000");
    assert_int_equal(v.status, 404);
    assert_true(viewed_is(&v, "error", "there is no tick 4000"));
    viewed_free(&v);
    ras_view_close(view);
}

static void every_command_has_a_receipt(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    (void)state;
    for (unsigned tick = 5; tick <= TICKS; tick += 7) {
        char uri[64];
        snprintf(uri, sizeof uri, "/v1/receipts?n=%u", tick);
        struct viewed v = viewed_get(view, uri);
        assert_int_equal(viewed_number(&v, "tick"), tick);
        assert_int_equal(viewed_find(&v, "agrees")->u, true);
        size_t count = viewed_count(&v, "items");
        for (size_t i = 0; i < count; i++) {
            char path[48];
            snprintf(path, sizeof path, "items[%zu].index", i);
            assert_int_equal(viewed_number(&v, path), i);
        }
        viewed_free(&v);
        snprintf(uri, sizeof uri, "/v1/tick?n=%u", tick);
        v = viewed_get(view, uri);
        assert_int_equal(viewed_number(&v, "commands.count"), count);
        viewed_free(&v);
    }
    struct viewed v = viewed_get(view, "/v1/receipts?n=4000");
    assert_int_equal(v.status, 404);
    viewed_free(&v);
    ras_view_close(view);
}

/* A replay alone has no state: its commands are on the grid. */
static void commands_are_the_map_of_a_replay(void **state)
{
    struct ras_view *view = viewed_open("golden:murk/all_payloads.murk", NULL);
    struct viewed v = viewed_get(view, "/v1/scene");
    (void)state;
    assert_int_equal(viewed_find(&v, "is_state")->u, false);
    assert_true(viewed_is(&v, "kinds[0].shape", "arrow"));
    assert_true(viewed_number(&v, "bounds[1]") == -4);
    assert_int_equal(viewed_number(&v, "bounds[3]"), 6);
    viewed_free(&v);
    v = viewed_get(view, "/v1/tick?n=2");
    assert_true(viewed_is(&v, "state[0].name", "frame"));
    assert_true(viewed_is(&v, "commands.items[0].text", "entity 7 to 3, -4"));
    assert_null(viewed_find(&v, "draws"));
    viewed_free(&v);
    ras_view_close(view);
}

static void a_trace_without_ticks_is_refused(void **state)
{
    struct ras_view *view = viewed_open("golden:dial9/runtime.trc", NULL);
    struct viewed v = viewed_get(view, "/v1/tick?n=2");
    (void)state;
    assert_int_equal(v.status, 409);
    assert_true(viewed_is(&v, "error",
                          "runtime.trc has neither a state nor commands to draw on a "
                          "map"));
    viewed_free(&v);
    ras_view_close(view);
}

static int enter(void **state)
{
    if (viewed_enter(state))
        return -1;
    viewed_run("run", TICKS, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_items_are_the_records),
        cmocka_unit_test(a_window_does_not_change_a_tick),
        cmocka_unit_test(beyond_the_end_ticks_are_empty),
        cmocka_unit_test(the_survey_counts_every_tick),
        cmocka_unit_test(a_tick_says_what_changed),
        cmocka_unit_test(the_first_tick_has_nothing_before_it),
        cmocka_unit_test(every_command_has_a_receipt),
        cmocka_unit_test(commands_are_the_map_of_a_replay),
        cmocka_unit_test(a_trace_without_ticks_is_refused),
    };
    return cmocka_run_group_tests(tests, enter, viewed_leave);
}
