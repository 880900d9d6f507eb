/* scene_driver_test.c - what the drivers say of a tick: things on a map, commands in words. */
#include "ops/scene/scene_driver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ras_trace *open_golden(const char *name)
{
    char path[512];
    struct ras_trace *t;
    struct ras_error err;
    snprintf(path, sizeof path, "%s/%s", getenv("GOLDEN"), name);
    assert_int_equal(ras_open(&t, path, NULL, &err), RAS_OK);
    assert_non_null(t->format->scene);
    return t;
}

/* The n-th thing of a kind, from 0; false: there are fewer. */
static bool nth_item(struct ras_trace *t, unsigned kind, unsigned n, struct scene_item *item,
                     uint64_t *tick)
{
    const struct scene_ops *ops = t->format->scene;
    struct ras_pick pick = {.type = ops->kinds[kind].type};
    struct ras_cursor *c;
    const struct ras_record *r;
    bool found = false;
    assert_int_equal(
        ras_cursor_open(&c, t, &(struct ras_scan){.picks = &pick, .pick_count = 1}, NULL), RAS_OK);
    while (!found && ras_next(c, &r, NULL) == RAS_OK) {
        *item = (struct scene_item){.kind = kind};
        found = ops->item(c, item) && !n--;
        *tick = r->tick;
    }
    ras_cursor_close(c);
    return found;
}

static void a_creature_has_a_place_a_heading_and_a_size(void **state)
{
    struct ras_trace *t = open_golden("cdt/big-run-candidate.cdt");
    struct scene_item item;
    uint64_t tick;
    (void)state;
    assert_true(t->format->scene->is_state);
    assert_true(nth_item(t, 0, 1, &item, &tick));
    assert_string_equal(t->format->scene->kinds[0].name, "creature");
    assert_int_equal(tick, 1);
    assert_true(item.active && item.x == 932.5 && item.y == 514.0);
    assert_true(item.heading == 0.25 && item.size == 27.5);
    assert_int_equal(item.type, 2);
    assert_int_equal(item.number, 0);
    assert_int_equal(item.id, UINT64_C(1) << 32); /* slot 0, generation 1 */
    ras_close(t);
}

static void a_player_has_no_heading(void **state)
{
    struct ras_trace *t = open_golden("cdt/big-run-candidate.cdt");
    struct scene_item item;
    uint64_t tick;
    (void)state;
    assert_string_equal(t->format->scene->kinds[1].name, "player");
    assert_true(nth_item(t, 1, 0, &item, &tick));
    assert_true(item.active && item.x == 1.5 && item.y == -2.25 && item.size == 99.5);
    assert_true(isnan(item.heading));
    assert_int_equal(item.number, 1); /* people count from one */
    ras_close(t);
}

static void a_command_without_a_place_is_not_on_the_grid(void **state)
{
    struct ras_trace *t = open_golden("murk/all_payloads.murk");
    struct scene_item item;
    uint64_t tick;
    (void)state;
    assert_false(t->format->scene->is_state);
    for (unsigned kind = 0; kind < 3; kind++) {
        assert_true(nth_item(t, kind, 0, &item, &tick));
        assert_false(nth_item(t, kind, 1, &item, &tick));
    }
    assert_true(nth_item(t, 0, 0, &item, &tick));
    assert_true(item.id == 7 && item.x == 3 && item.y == -4 && tick == 2);
    ras_close(t);
}

/* The names and words of all commands, a line each. */
static void put_all_words(struct ras_trace *t, struct out *out)
{
    const struct scene_commands *of = &t->format->scene->commands;
    struct ras_pick pick = {.type = of->type};
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(
        ras_cursor_open(&c, t, &(struct ras_scan){.picks = &pick, .pick_count = 1}, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK) {
        const struct ras_value *name = ras_value_of(c, of->name);
        if (name && name->kind == RAS_STR)
            out_bytes(out, name->at, name->count);
        out_text(out, ": ");
        of->text(c, out);
        out_text(out, "\n");
    }
    out_byte(out, 0);
    assert_false(out->failed);
    ras_cursor_close(c);
}

static void commands_are_in_words(void **state)
{
    static const struct {
        const char *golden, *words;
    } cases[] = {
        {"murk/all_payloads.murk", "Move: entity 7 to 3, -4\n"
                                   "Spawn: at 1, 2\n"
                                   "Despawn: entity 72623859790382856\n"
                                   "SetField: at 5, 6, field 1 = 1\n"
                                   "Custom: type 43981, 4 bytes\n"
                                   "SetParameter: parameter 9 = 0.1\n"
                                   "SetParameterBatch: parameters\n"
                                   "Despawn: entity 1\n"},
        {"aerogpu/appendix_a.aerogputrace", "CREATE_BUFFER: buffer 1, 24 bytes\n"
                                            "UPLOAD_BUFFER: buffer 1, 24 bytes, blob 1\n"
                                            "CREATE_SHADER: shader 1, VS\n"
                                            "CREATE_PIPELINE: pipeline 1, shaders 1 and 1\n"
                                            "SET_PIPELINE: pipeline 1\n"
                                            "SET_VERTEX_BUFFER: buffer 1, stride 8\n"
                                            "SET_VIEWPORT: 64 \303\227 48\n"
                                            "CLEAR: #0080ff\n"
                                            "DRAW: 3 vertices from 0\n"
                                            "PRESENT: \n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ras_trace *t = open_golden(cases[i].golden);
        struct out out = {0};
        put_all_words(t, &out);
        assert_string_equal((const char *)out.at, cases[i].words);
        out_free(&out);
        ras_close(t);
    }
}

/* Every command of both dialects, those with values that are not as the tables want them too. */
static void every_command_has_words(void **state)
{
    static const char *const goldens[] = {"aerogpu/every_command.acmd", "aerogpu/every_state.acmd",
                                          "aerogpu/commands_odd.acmd",
                                          "aerogpu/packets_odd.aerogputrace"};
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        struct ras_trace *t = open_golden(goldens[i]);
        struct out out = {0};
        put_all_words(t, &out);
        assert_true(out.len > 50);
        assert_null(strchr((const char *)out.at, '{'));
        out_free(&out);
        ras_close(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_creature_has_a_place_a_heading_and_a_size),
        cmocka_unit_test(a_player_has_no_heading),
        cmocka_unit_test(a_command_without_a_place_is_not_on_the_grid),
        cmocka_unit_test(commands_are_in_words),
        cmocka_unit_test(every_command_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
