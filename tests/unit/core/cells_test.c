/* cells_test.c - values under construction: growth, containers, texts, and memory that is short. */
#include "base/memory.h"
#include "core/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void cells_keep_their_values_while_they_grow(void **state)
{
    (void)state;
    struct cells c = {0};
    for (unsigned i = 0; i < 1000; i++)
        (void)cells_add(&c, RAS_UINT, 64, i, i * 3);
    assert_int_equal(c.count, 1000);
    assert_true(c.room >= 1000 && !c.nomem);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(c.items[i].kind, RAS_UINT);
        assert_int_equal(c.items[i].bits, 64);
        assert_int_equal(c.items[i].field, i);
        assert_int_equal(c.items[i].u, i * 3);
    }
    cells_free(&c);
    assert_null(c.items);
    assert_int_equal(c.room, 0);
}

static void room_once_is_enough_for_several_values(void **state)
{
    (void)state;
    struct cells c = {0};
    float f;
    assert_true(cells_room(&c, 4));
    const struct ras_value *items = c.items;
    value_uint(&c, 0, 32, 7);
    value_null(&c, 1);
    value_f32(&c, 2, 0x3fc00000);
    value_text(&c, 3, "abc");
    assert_ptr_equal(c.items, items);
    assert_int_equal(c.count, 4);
    assert_int_equal(c.items[1].kind, RAS_NULL);
    memcpy(&f, &c.items[2].f32, sizeof f);
    assert_true(c.items[2].kind == RAS_F32 && f == 1.5f);
    assert_int_equal(c.items[3].count, 3);
    cells_free(&c);
}

static void a_container_counts_all_cells_inside_it(void **state)
{
    (void)state;
    struct cells c = {0};
    size_t list = cells_open(&c, RAS_LIST, 5);
    (void)cells_add(&c, RAS_UINT, 64, 0, 1);
    size_t map = cells_open(&c, RAS_MAP, 0);
    cells_text(&c, NULL, RAS_STR, 0, "key", 3);
    (void)cells_add(&c, RAS_BOOL, 0, 0, 1);
    cells_close(&c, map);
    size_t empty = cells_open(&c, RAS_LIST, 0);
    cells_close(&c, empty);
    cells_close(&c, list);
    assert_int_equal(c.items[list].count, 5);
    assert_int_equal(c.items[map].count, 2);
    assert_int_equal(c.items[empty].count, 0);
    assert_ptr_equal(ras_value_next(&c.items[list]), c.items + c.count);
    cells_free(&c);
}

static void a_field_is_found_after_containers_and_texts(void **state)
{
    (void)state;
    struct cells c = {0};
    assert_null(cells_find(&c, 0));
    cells_text(&c, NULL, RAS_BLOB, 1, "\0\1\2\3", 4);
    size_t list = cells_open(&c, RAS_LIST, 2);
    (void)cells_add(&c, RAS_UINT, 64, 3, 8); /* an item: its field does not count */
    cells_close(&c, list);
    (void)cells_add(&c, RAS_UINT, 64, 3, 9);
    assert_int_equal(cells_find(&c, 3)->u, 9);
    assert_int_equal(cells_find(&c, 1)->count, 4);
    assert_null(cells_find(&c, 4));
    assert_null(cells_find(&c, -1));
    cells_free(&c);
}

static void a_text_is_borrowed_or_copied_with_a_nul(void **state)
{
    (void)state;
    struct cells c = {0};
    struct arena arena = {0};
    char text[] = {'a', 0, 'b'};
    cells_text(&c, NULL, RAS_STR, 0, text, sizeof text);
    cells_text(&c, &arena, RAS_STR, 1, text, sizeof text);
    cells_text(&c, &arena, RAS_BLOB, 2, NULL, 0);
    text[0] = 'z';
    assert_ptr_equal(c.items[0].at, text);
    assert_int_equal(c.items[1].count, 3);
    assert_memory_equal(c.items[1].at, "a\0b", 4);
    assert_int_equal(c.items[2].count, 0);
    assert_int_equal(*(const char *)c.items[2].at, 0);
    cells_free(&c);
    arena_free(&arena);
}

static void memory_that_is_short_is_remembered(void **state)
{
    (void)state;
    struct cells c = {0};
    struct arena small = {.limit = 1};
    char text[4096] = {0};
    (void)cells_add(&c, RAS_UINT, 64, 0, 1);
    assert_false(cells_room(&c, SIZE_MAX / 2));
    assert_true(c.nomem);
    assert_int_equal(c.items[0].u, 1);
    cells_close(&c, 0); /* counts nothing any more */
    assert_int_equal(c.items[0].count, 0);
    c.nomem = false;
    cells_text(&c, &small, RAS_STR, 0, text, sizeof text);
    assert_true(c.nomem);
    assert_int_equal(c.count, 1);
    cells_free(&c);
    assert_false(c.nomem);
    arena_free(&small);
}

static void without_room_a_value_goes_to_the_spare_cell(void **state)
{
    (void)state;
    struct cells c = {.count = SIZE_MAX / 2, .room = SIZE_MAX / 2};
    assert_ptr_equal(cells_add(&c, RAS_UINT, 64, 0, 1), &c.spare);
    assert_true(c.nomem);
    assert_int_equal(c.count, SIZE_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_keep_their_values_while_they_grow),
        cmocka_unit_test(room_once_is_enough_for_several_values),
        cmocka_unit_test(a_container_counts_all_cells_inside_it),
        cmocka_unit_test(a_field_is_found_after_containers_and_texts),
        cmocka_unit_test(a_text_is_borrowed_or_copied_with_a_nul),
        cmocka_unit_test(memory_that_is_short_is_remembered),
        cmocka_unit_test(without_room_a_value_goes_to_the_spare_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
