/* quantiles_test.c - nearest ranks are exact while values are few, and near when many. */
#include "codec/quantiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void add(struct quantiles *q, size_t *budget, uint64_t value)
{
    assert_true(quantiles_add(q, budget, value));
}

static void nearest_ranks_of_few_values(void **state)
{
    (void)state;
    size_t budget = QUANTILES_BUDGET;
    struct quantiles q = {0};
    assert_int_equal(quantiles_at(&q, 500), 0);
    add(&q, &budget, 14630);
    add(&q, &budget, 330);
    assert_int_equal(quantiles_at(&q, 500), 330);
    assert_int_equal(quantiles_at(&q, 501), 14630);
    assert_int_equal(quantiles_at(&q, 900), 14630);
    assert_int_equal(quantiles_at(&q, 0), 330);
    add(&q, &budget, 0);
    assert_int_equal(q.min, 0);
    assert_int_equal(q.max, 14630);
    assert_int_equal(q.sum, 14960);
    assert_int_equal(quantiles_above(&q, 330), 1);
    assert_true(quantiles_exact(&q));
    quantiles_free(&q);
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* As many as are kept, of all sizes: each rank is that of sorted values. */
static void as_many_as_are_kept_are_exact(void **state)
{
    (void)state;
    for (unsigned bits = 1; bits <= 64; bits += 9) {
        static uint64_t values[QUANTILES_EXACT];
        uint64_t seed = 88172645463325252u + bits;
        size_t budget = QUANTILES_BUDGET;
        struct quantiles q = {0};
        for (size_t i = 0; i < QUANTILES_EXACT; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            values[i] = seed >> (64 - bits);
            add(&q, &budget, values[i]);
        }
        assert_true(quantiles_exact(&q));
        qsort(values, QUANTILES_EXACT, sizeof *values, by_size);
        for (unsigned share = 1; share <= 1000; share++)
            assert_true(quantiles_at(&q, share) ==
                        values[((size_t)QUANTILES_EXACT * share + 999) / 1000 - 1]);
        quantiles_free(&q);
    }
}

/* Values of all sizes, beyond what is kept: within 0.4 % of the exact ones. */
static void many_values_are_near(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    uint64_t *values = malloc(MANY * sizeof *values), seed = 88172645463325252u;
    size_t budget = QUANTILES_BUDGET;
    struct quantiles q = {0};
    assert_non_null(values);
    for (size_t i = 0; i < MANY; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        values[i] = seed >> (seed % 64);
        add(&q, &budget, values[i]);
    }
    assert_false(quantiles_exact(&q));
    assert_int_equal(budget, QUANTILES_BUDGET);
    qsort(values, MANY, sizeof *values, by_size);
    assert_int_equal(q.min, values[0]);
    assert_int_equal(q.max, values[MANY - 1]);
    for (unsigned share = 1; share <= 1000; share++) {
        uint64_t exact = values[(size_t)MANY * share / 1000 - 1],
                 reported = quantiles_at(&q, share);
        uint64_t off = exact > reported ? exact - reported : reported - exact;
        assert_true((double)off <= (double)exact / 250);
    }
    assert_int_equal(quantiles_at(&q, 1000), values[MANY - 1]);
    free(values);
    quantiles_free(&q);
}

/* Sets that share a budget: later ones are counted in buckets. */
static void a_budget_is_shared(void **state)
{
    (void)state;
    size_t budget = 100;
    struct quantiles sets[10] = {{0}};
    size_t exact = 0;
    for (int i = 0; i < 10; i++)
        for (uint64_t v = 0; v < 20; v++)
            add(&sets[i], &budget, v);
    for (int i = 0; i < 10; i++) {
        exact += quantiles_exact(&sets[i]);
        assert_int_equal(quantiles_at(&sets[i], 500), 9); /* small values have a bucket each */
        quantiles_free(&sets[i]);
    }
    assert_in_range(exact, 1, 4);
}

/* Reading in between counts the values that wait, and only once. */
static void ranks_read_while_values_come(void **state)
{
    (void)state;
    size_t budget = 0;
    struct quantiles q = {0};
    for (uint64_t v = 1; v <= 200; v++) {
        add(&q, &budget, v);
        assert_int_equal(quantiles_at(&q, 500), (v + 1) / 2);
        assert_int_equal(quantiles_above(&q, v / 2), v - v / 2);
    }
    assert_false(quantiles_exact(&q));
    quantiles_free(&q);
}

/* What two sets give, kept as they are or counted, is what all values give in one. */
static void sets_add_up(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    for (size_t second = 0; second <= QUANTILES_BUDGET; second += QUANTILES_BUDGET) {
        size_t none = 0, budget = second;
        struct quantiles one = {0}, parts[2] = {{0}}, sum = {0};
        uint64_t seed = 88172645463325252u;
        assert_true(quantiles_add_set(&sum, &parts[0]));
        assert_true(quantiles_exact(&sum));
        for (size_t i = 0; i < MANY; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            uint64_t value = seed >> (seed >> 58);
            add(&one, &none, value);
            add(&parts[i % 2], i % 2 ? &budget : &none, value);
        }
        assert_true(quantiles_add_set(&sum, &parts[0]));
        assert_true(quantiles_add_set(&sum, &parts[1]));
        assert_false(quantiles_exact(&sum));
        assert_int_equal(sum.count, one.count);
        assert_true(sum.min == one.min && sum.max == one.max && sum.sum == one.sum);
        for (unsigned share = 0; share <= 1000; share++)
            assert_true(quantiles_at(&sum, share) == quantiles_at(&one, share));
        quantiles_free(&one);
        quantiles_free(&parts[0]);
        quantiles_free(&parts[1]);
        quantiles_free(&sum);
    }
}

static void a_sum_beyond_64_bits_stays(void **state)
{
    (void)state;
    size_t budget = 100;
    struct quantiles q = {0};
    add(&q, &budget, UINT64_MAX);
    add(&q, &budget, 5);
    assert_true(q.sum == UINT64_MAX);
    assert_true(quantiles_at(&q, 999) == UINT64_MAX);
    quantiles_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_ranks_of_few_values),
        cmocka_unit_test(as_many_as_are_kept_are_exact),
        cmocka_unit_test(many_values_are_near),
        cmocka_unit_test(a_budget_is_shared),
        cmocka_unit_test(ranks_read_while_values_come),
        cmocka_unit_test(sets_add_up),
        cmocka_unit_test(a_sum_beyond_64_bits_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
