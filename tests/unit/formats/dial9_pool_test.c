/* dial9_pool_test.c - the definitions of pool ids at an event. */
#include "formats/dial9/dial9_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t found_at(const struct dial9_pool *pool, uint32_t id, uint64_t at)
{
    const struct pool_entry *entry = dial9_pool_find(pool, id, at);
    return entry ? entry->offset : UINT64_MAX;
}

static void an_id_is_known_from_its_definition_on(void **state)
{
    (void)state;
    struct dial9_pool pool = {0};
    assert_null(dial9_pool_find(&pool, 0, 100));
    assert_true(dial9_pool_add(&pool, 0, 10, 3));
    assert_null(dial9_pool_find(&pool, 0, 9));
    assert_int_equal(found_at(&pool, 0, 10), 10); /* an empty text ends where it begins */
    assert_int_equal(dial9_pool_find(&pool, 0, 50)->length, 3);
    assert_null(dial9_pool_find(&pool, 1, 50));
    assert_null(dial9_pool_find(&pool, UINT32_MAX, 50));
    dial9_pool_free(&pool);
}

static void ids_need_not_count_from_zero(void **state)
{
    (void)state;
    struct dial9_pool pool = {0};
    static const uint32_t ids[] = {7, 3, UINT32_MAX, 0, 2, 4, 1000000007};
    enum { COUNT = sizeof ids / sizeof *ids };
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(dial9_pool_add(&pool, ids[i], 10 * (i + 1), i));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(found_at(&pool, ids[i], 1000), 10 * (i + 1));
    assert_null(dial9_pool_find(&pool, 1, 1000)); /* entry 1 is id 3 */
    assert_null(dial9_pool_find(&pool, 5, 1000)); /* entry 5 is id 4 */
    dial9_pool_free(&pool);
}

/* Entry 2 is id 2, but not the first of that id. */
static void an_entry_at_its_own_index_may_be_a_later_definition(void **state)
{
    (void)state;
    struct dial9_pool pool = {0};
    assert_true(dial9_pool_add(&pool, 2, 10, 0));
    assert_true(dial9_pool_add(&pool, 0, 20, 0));
    assert_true(dial9_pool_add(&pool, 2, 30, 0));
    assert_int_equal(found_at(&pool, 2, 15), 10);
    assert_int_equal(found_at(&pool, 2, 99), 30);
    assert_null(dial9_pool_find(&pool, 2, 5));
    dial9_pool_free(&pool);
}

static void the_last_definition_before_an_event_wins(void **state)
{
    (void)state;
    struct dial9_pool pool = {0};
    enum { TIMES = 3000 };
    for (uint32_t i = 0; i < TIMES; i++) {
        assert_true(dial9_pool_add(&pool, 5, 100 + 2 * (uint64_t)i, i));
        assert_true(dial9_pool_add(&pool, i + 6, 101 + 2 * (uint64_t)i, i));
    }
    assert_null(dial9_pool_find(&pool, 5, 99));
    for (uint32_t i = 0; i < TIMES; i++) {
        assert_int_equal(found_at(&pool, 5, 100 + 2 * (uint64_t)i), 100 + 2 * i);
        assert_int_equal(found_at(&pool, 5, 101 + 2 * (uint64_t)i), 100 + 2 * i);
        assert_int_equal(found_at(&pool, i + 6, UINT64_MAX), 101 + 2 * i);
    }
    assert_int_equal(dial9_pool_find(&pool, 5, UINT64_MAX)->depth, TIMES - 1);
    dial9_pool_free(&pool);
}

/* A search back through a million definitions must not walk them one by one. */
static void a_search_far_back_takes_few_steps(void **state)
{
    (void)state;
    struct dial9_pool pool = {0};
    enum { TIMES = 1 << 20 };
    for (uint32_t i = 0; i < TIMES; i++)
        assert_true(dial9_pool_add(&pool, 0, i, i));
    size_t steps = 0;
    const struct pool_entry *e = pool.entries;
    for (uint32_t i = e[0].newest; e[i].offset > 17; steps++)
        i = e[e[i].jump].offset > 17 ? e[i].jump : e[i].earlier;
    assert_true(steps < 64);
    for (uint64_t at = 0; at < TIMES; at += 997)
        assert_int_equal(found_at(&pool, 0, at), at);
    dial9_pool_free(&pool);
}

static void a_cleared_pool_is_empty_and_keeps_its_memory(void **state)
{
    (void)state;
    struct dial9_pool pool = {0};
    for (uint32_t i = 0; i < 500; i++)
        assert_true(dial9_pool_add(&pool, i * 3 + 1, i, 0));
    size_t bytes = dial9_pool_bytes(&pool);
    dial9_pool_clear(&pool);
    assert_int_equal(dial9_pool_bytes(&pool), bytes);
    for (uint32_t i = 0; i < 500; i++)
        assert_null(dial9_pool_find(&pool, i * 3 + 1, UINT64_MAX));
    assert_true(dial9_pool_add(&pool, 4, 9, 0));
    assert_int_equal(found_at(&pool, 4, 10), 9);
    dial9_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_known_from_its_definition_on),
        cmocka_unit_test(ids_need_not_count_from_zero),
        cmocka_unit_test(an_entry_at_its_own_index_may_be_a_later_definition),
        cmocka_unit_test(the_last_definition_before_an_event_wins),
        cmocka_unit_test(a_search_far_back_takes_few_steps),
        cmocka_unit_test(a_cleared_pool_is_empty_and_keeps_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
