/* id_table_test.c - ids that are in the table are found, removed ones are not. */
#include "base/id_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { IDS = 5000 };

static uint64_t id_of(uint32_t i)
{
    return i % 3 ? i : (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
}

static void ids_are_found_until_they_are_removed(void **state)
{
    (void)state;
    struct id_table t = {0};
    assert_int_equal(id_table_find(&t, 7), ID_TABLE_NONE);
    id_table_remove(&t, 7);
    for (uint32_t i = 0; i < IDS; i++)
        assert_true(id_table_add(&t, id_of(i), i));
    for (uint32_t i = 0; i < IDS; i += 2)
        id_table_remove(&t, id_of(i));
    assert_int_equal(t.count, IDS / 2);
    for (uint32_t i = 0; i < IDS; i++)
        assert_int_equal(id_table_find(&t, id_of(i)), i % 2 ? i : ID_TABLE_NONE);
    id_table_free(&t);
}

/* Ids are added and removed; the table stays as small as its contents. */
static void a_table_through_which_many_pass_stays_small(void **state)
{
    (void)state;
    struct id_table t = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(id_table_add(&t, id_of(i), i));
        if (i >= 20)
            id_table_remove(&t, id_of(i - 20));
    }
    assert_int_equal(t.count, 20);
    assert_int_equal(t.size, 64);
    for (uint32_t i = 100000 - 20; i < 100000; i++)
        assert_int_equal(id_table_find(&t, id_of(i)), i);
    id_table_free(&t);
}

/* Slots that are read to find all ids i << shift. */
static size_t slots_read(unsigned shift, uint32_t ids)
{
    struct id_table t = {0};
    size_t read = 0;
    for (uint32_t i = 0; i < ids; i++)
        assert_true(id_table_add(&t, (uint64_t)i << shift | 3, i));
    for (uint32_t i = 0; i < ids; i++) {
        uint64_t id = (uint64_t)i << shift | 3;
        for (size_t at = id_table_home(&t, id); t.slots[at].id != id; at = (at + 1) & (t.size - 1))
            read++;
        read++;
    }
    id_table_free(&t);
    return read;
}

/* Ids of spans are a slot in the lower bits and how often it was used from bit 51 on. */
static void ids_that_differ_in_some_bits_do_not_collide(void **state)
{
    (void)state;
    for (unsigned shift = 2; shift <= 51; shift++)
        assert_in_range(slots_read(shift, 1 << 12), 1 << 12, 3 << 12);
}

static void a_table_with_room_does_not_move(void **state)
{
    (void)state;
    struct id_table t = {0};
    assert_false(id_table_room(&t, SIZE_MAX));
    assert_true(id_table_room(&t, IDS));
    const struct id_slot *slots = t.slots;
    for (uint32_t i = 0; i < IDS; i++)
        assert_true(id_table_add(&t, id_of(i), i));
    assert_ptr_equal(t.slots, slots);
    assert_int_equal(id_table_find(&t, id_of(IDS - 1)), IDS - 1);
    id_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_found_until_they_are_removed),
        cmocka_unit_test(a_table_through_which_many_pass_stays_small),
        cmocka_unit_test(ids_that_differ_in_some_bits_do_not_collide),
        cmocka_unit_test(a_table_with_room_does_not_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
