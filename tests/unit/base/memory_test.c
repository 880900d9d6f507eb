/* memory_test.c - arrays grow without wrapping around; arenas keep pieces apart and hold limits. */
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void array_keeps_its_items(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t room = 0, moves = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        size_t before = room;
        assert_true(array_grow(&items, &room, (size_t)i + 1, sizeof *items));
        assert_true(room > i);
        moves += room != before;
        items[i] = i * 3;
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i * 3);
    assert_true(moves < 20); /* doubling: few moves for many items */
    free(items);
}

static void array_with_room_is_left_alone(void **state)
{
    (void)state;
    uint8_t *items = NULL;
    size_t room = 0;
    assert_true(array_grow(&items, &room, 0, 1));
    assert_null(items);
    assert_true(array_grow(&items, &room, 1000, 1));
    assert_int_equal(room, 1000);
    uint8_t *before = items;
    assert_true(array_grow(&items, &room, 1000, 1));
    assert_ptr_equal(items, before);
    assert_int_equal(room, 1000);
    free(items);
}

static void array_refuses_sizes_that_wrap(void **state)
{
    (void)state;
    uint64_t *items = NULL;
    size_t room = 0;
    assert_true(array_grow(&items, &room, 4, sizeof *items));
    uint64_t *before = items;
    size_t room_before = room;
    items[3] = 7;
    static const size_t needs[] = {SIZE_MAX, SIZE_MAX / 8 + 2, SIZE_MAX / 2, SIZE_MAX / 16 + 1};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        assert_false(array_grow(&items, &room, needs[i], sizeof *items));
        assert_ptr_equal(items, before);
        assert_int_equal(room, room_before);
    }
    assert_int_equal(items[3], 7);
    free(items);
}

static void text_copy_ends_with_nul(void **state)
{
    (void)state;
    char *text = text_copy("abcdef", 3);
    assert_string_equal(text, "abc");
    free(text);
    text = text_copy(NULL, 0);
    assert_string_equal(text, "");
    free(text);
    text = text_copy("a\0b", 3);
    assert_memory_equal(text, "a\0b", 4);
    free(text);
}

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
        cmocka_unit_test(array_keeps_its_items),
        cmocka_unit_test(array_with_room_is_left_alone),
        cmocka_unit_test(array_refuses_sizes_that_wrap),
        cmocka_unit_test(text_copy_ends_with_nul),
        cmocka_unit_test(pieces_stay_apart),
        cmocka_unit_test(a_reset_leaves_one_block),
        cmocka_unit_test(the_limit_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
