/* arena_test.c - what is taken stays apart, limits hold, a reset leaves one block. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void pieces_stay_apart(void **state)
{
    (void)state;
    struct arena a = {0};
    uint8_t *piece[300];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
            piece[i] = arena_take(&a, (uint64_t)i * 7 + 1);
            assert_non_null(piece[i]);
            assert_int_equal((uintptr_t)piece[i] % 8, 0);
            memset(piece[i], i & 0xff, (size_t)i * 7 + 1);
        }
        for (int i = 0; i < 300; i++)
            assert_int_equal(piece[i][(size_t)i * 7], i & 0xff);
        arena_reset(&a);
    }
    arena_free(&a);
}

static void a_reset_leaves_one_block(void **state)
{
    (void)state;
    struct arena a = {0};
    for (int i = 0; i < 1000; i++)
        assert_non_null(arena_take(&a, 1000));
    arena_reset(&a);
    uint64_t total = a.total;
    void *blocks = a.blocks;
    for (int i = 0; i < 1000; i++)
        assert_non_null(arena_take(&a, 1000));
    assert_ptr_equal(a.blocks, blocks);
    assert_true(a.total == total);
    arena_free(&a);
    arena_free(&a);
}

static void the_limit_holds(void **state)
{
    (void)state;
    struct arena a = {.limit = 50000};
    assert_null(arena_take(&a, 50001));
    assert_non_null(arena_take(&a, 30000));
    assert_non_null(arena_take(&a, 19000));
    assert_null(arena_take(&a, 19000));
    assert_true(a.total <= 50000);
    assert_null(arena_take(&a, UINT64_MAX - 3));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_stay_apart),
        cmocka_unit_test(a_reset_leaves_one_block),
        cmocka_unit_test(the_limit_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
