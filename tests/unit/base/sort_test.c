/* sort_test.c - every order comes out sorted, equal items stay as they were, and without memory
 * the items are sorted all the same. */
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

enum { MOST = 3000, WIDEST = 40 };

/* An item of any size: its key, where it was, and bytes that must come along. */
struct shape {
    size_t size;
    unsigned compared;
};

static uint16_t key_at(const uint8_t *item)
{
    uint16_t key;
    memcpy(&key, item, sizeof key);
    return key;
}

static uint16_t place_at(const uint8_t *item)
{
    uint16_t place;
    memcpy(&place, item + 2, sizeof place);
    return place;
}

static int by_key(const void *a, const void *b, void *context)
{
    struct shape *s = context;
    s->compared++;
    return (int)key_at(a) - (int)key_at(b);
}

static int by_key_and_place(const void *a, const void *b, void *context)
{
    int order = by_key(a, b, context);
    return order ? order : (int)place_at(a) - (int)place_at(b);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void fill(uint8_t *items, size_t count, size_t size, unsigned keys, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t key = (uint16_t)(next_random(&seed) % keys), place = (uint16_t)i;
        memcpy(items + i * size, &key, sizeof key);
        memcpy(items + i * size + 2, &place, sizeof place);
        memset(items + i * size + 4, (uint8_t)(key ^ place), size - 4);
    }
}

static void check_sorted(const uint8_t *items, size_t count, size_t size)
{
    uint8_t *seen = calloc(count + 1, 1);
    assert_non_null(seen);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *item = items + i * size, *before = item - size;
        assert_true(place_at(item) < count);
        assert_int_equal(seen[place_at(item)]++, 0);
        for (size_t k = 4; k < size; k++)
            assert_int_equal(item[k], (uint8_t)(key_at(item) ^ place_at(item)));
        if (i && key_at(before) == key_at(item))
            assert_true(place_at(before) < place_at(item));
        else if (i)
            assert_true(key_at(before) < key_at(item));
    }
    free(seen);
}

static void every_size_and_count_is_sorted(void **state)
{
    static const size_t sizes[] = {4, 8, 12, 16, 24, WIDEST};
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 513, MOST};
    static uint8_t items[MOST * WIDEST];
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (unsigned keys = 1; keys < 60000; keys = keys * 7 + 1) {
                struct shape shape = {.size = sizes[s]};
                fill(items, counts[c], sizes[s], keys, keys + (uint32_t)c);
                sort_with(items, counts[c], sizes[s], by_key, &shape);
                check_sorted(items, counts[c], sizes[s]);
            }
}

static void what_is_sorted_costs_a_comparison_an_item(void **state)
{
    static uint8_t items[MOST * 4];
    struct shape shape = {.size = 4};
    (void)state;
    fill(items, MOST, 4, 50000, 1);
    sort_with(items, MOST, 4, by_key, &shape);
    shape.compared = 0;
    sort_with(items, MOST, 4, by_key, &shape);
    assert_int_equal(shape.compared, MOST - 1);
}

/* A limit on address space makes malloc() fail; sanitizers map too much of their own for that. */
static void without_memory_it_is_sorted_too(void **state)
{
    enum { SIZE = 2048 };
    struct rlimit old;
    struct shape shape = {.size = SIZE};
    uint8_t *items = malloc((size_t)MOST * SIZE);
    (void)state;
    assert_non_null(items);
    fill(items, MOST, SIZE, 50000, 7);
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit low = {1 << 20, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    void *volatile none = malloc((size_t)MOST / 2 * SIZE); /* a compiler may leave it out */
    if (none && getenv("MESON_EXE_WRAPPER")) {
        assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
        free(none);
        free(items);
        print_message("skipped: an emulator does not limit what a program maps\n");
        skip();
    }
    assert_null(none);
#endif
    sort_with(items, MOST, SIZE, by_key_and_place, &shape);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    check_sorted(items, MOST, SIZE);
    free(items);
}

static void names_are_in_the_order_people_count(void **state)
{
    static const char *const names[] = {
        "",       "0",
        "00",     "1",
        "2",      "10",
        "a",      "a0b",
        "a01",    "a1",
        "a1b",    "a2",
        "a9z",    "a10",
        "a10b",   "a100",
        "ab",     "pid_9",
        "pid_10", "pid_10/x",
        "pid_11", "pid_18446744073709551616",
    };
    const size_t count = sizeof names / sizeof *names;
    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            int order = name_order(names[i], names[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_count_is_sorted),
        cmocka_unit_test(what_is_sorted_costs_a_comparison_an_item),
        cmocka_unit_test(without_memory_it_is_sorted_too),
        cmocka_unit_test(names_are_in_the_order_people_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
