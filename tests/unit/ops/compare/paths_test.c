/* paths_test.c - which paths of fields are known, and which one was meant. */
#include "ops/compare/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct known_paths known(void)
{
    struct known_paths k = {0};
    paths_add(&k, "players[*].pos.x");
    paths_add(&k, "timers[*]");
    paths_add(&k, "hash");
    paths_add(&k, "detail.%s...", "stack");
    paths_add(&k, "counts.*");
    assert_false(k.nomem);
    return k;
}

static void a_path_is_known_whole_or_from_above(void **state)
{
    (void)state;
    static const char *const good[] = {"players",
                                       "players[0]",
                                       "players[*].pos",
                                       "hash",
                                       "players[*].pos.x",
                                       "players[uid=3].*",
                                       "timers[\"9\"]",
                                       "detail",
                                       "detail.stack",
                                       "detail.stack[3].x",
                                       "ha*",
                                       "counts.9",
                                       "*"};
    static const char *const bad[] = {
        "player",      "players.pos", "players[0].pos.z",   "hash.x", "hash[0]",  "timers.9",
        "detail.stac", "[0]",         "players[0].pos.x.y", ".hash",  "counts[3]"};
    struct known_paths k = known();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!paths_know(&k, good[i]))
            fail_msg("%s is not known", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (paths_know(&k, bad[i]))
            fail_msg("%s is known", bad[i]);
    paths_free(&k);
}

static void the_nearest_is_shown_without_its_rest(void **state)
{
    (void)state;
    char text[120];
    struct known_paths k = known();
    assert_string_equal(paths_near(&k, "players[7].pos.c", text, sizeof text),
                        "; did you mean 'players[*].pos.x'?");
    assert_string_equal(paths_near(&k, "detail.stak", text, sizeof text),
                        "; did you mean 'detail.stack'?");
    assert_string_equal(paths_near(&k, "zzzzzzzz", text, sizeof text), "");
    paths_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_known_whole_or_from_above),
        cmocka_unit_test(the_nearest_is_shown_without_its_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
