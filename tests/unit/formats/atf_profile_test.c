/* atf_profile_test.c - times of functions in two sessions, compared with a count by hand. */
#include "../tree.h"

static struct script a, b;

/* f1 calls f2 twice; in the second run f2 takes longer, and f3 is new. */
static void profiles_side_by_side(void **state)
{
    (void)state;
    struct session x, y;
    const struct script *threads[2] = {&a, &b};
    a = (struct script){.count = 0};
    add(&a, 1, RAS_ATF_CALL, 1);
    for (int i = 0; i < 2; i++) {
        add(&a, 2, RAS_ATF_CALL, 2);
        add(&a, 2, RAS_ATF_RETURN, 2);
    }
    add(&a, 1, RAS_ATF_RETURN, 1);
    b = a;
    for (size_t i = 4; i < 6; i++)
        b.steps[i].event.timestamp_ns += 100;
    add(&b, 3, RAS_ATF_CALL, 1);
    record(&x, &threads[0], 1, 0, true);
    record(&y, &threads[1], 1, 0, true);
    struct ras_diff *d =
        differ(&x, &y,
               &(struct ras_compare_options){.choices = &(struct ras_choice){"profile", 0},
                                             .choice_count = 1});
    const struct ras_value *rows =
        ras_value_member(ras_value_member(d->tables, "functions"), "rows");
    static const uint64_t first[] = {2, 2, 0}, second[] = {20, 120, 100};
    const struct ras_value *row =
        rows + 1; /* function, module, 4 of count, 4 of total, 4 of self */
    assert_int_equal(rows->count, 3 * 15);
    assert_true(text_is(&row[1], "f2"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(row[3 + i].u, first[i]);
        assert_int_equal(row[7 + i].u, second[i]);
        assert_int_equal(row[11 + i].u, second[i]);
    }
    assert_true(row[10].f64 == 500.0);
    row += 15;
    assert_true(text_is(&row[1], "f1"));
    assert_int_equal(row[7].u, 50);
    assert_int_equal(row[8].u, 150);
    assert_int_equal(row[11].u, 30);
    assert_int_equal(row[12].u, 30);
    row += 15;
    assert_true(text_is(&row[1], "f3"));
    assert_int_equal(row[4].u, 1);
    assert_int_equal(row[6].kind, RAS_NULL);
    assert_int_equal(d->note_count, 1);
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

static void profiles_of_any_trees(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 20; seed++) {
        uint32_t random = seed;
        const struct script *threads[2] = {&a, &b};
        struct session x, y;
        make_tree(&a, &random, 80, 6); /* few functions, so that they recurse */
        make_tree(&b, &random, 120, 6);
        record(&x, &threads[0], 1, 0, true);
        record(&y, &threads[1], 1, 700, true);
        struct ras_diff *d =
            differ(&x, &y,
                   &(struct ras_compare_options){.choices = &(struct ras_choice){"profile", 0},
                                                 .choice_count = 1});
        const struct ras_value *rows =
            ras_value_member(ras_value_member(d->tables, "functions"), "rows");
        uint64_t last = UINT64_MAX;
        for (const struct ras_value *row = rows + 1; row < rows + 1 + rows->count; row += 15) {
            uint64_t function = strtoull((const char *)row[1].at + 1, NULL, 10);
            const struct cost p = cost_of(&a, function), q = cost_of(&b, function);
            uint64_t apart = p.self_ns > q.self_ns ? p.self_ns - q.self_ns : q.self_ns - p.self_ns;
            assert_int_equal(row[3].u, p.count);
            assert_int_equal(row[4].u, q.count);
            assert_int_equal(row[7].u, p.total_ns);
            assert_int_equal(row[8].u, q.total_ns);
            assert_int_equal(row[11].u, p.self_ns);
            assert_int_equal(row[12].u, q.self_ns);
            assert_true(row[13].i == (int64_t)(q.self_ns - p.self_ns) && apart <= last);
            last = apart;
        }
        assert_int_equal(rows->count, 6 * 15);
        ras_diff_free(d);
        forget(&x);
        forget(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_side_by_side),
        cmocka_unit_test(profiles_of_any_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
