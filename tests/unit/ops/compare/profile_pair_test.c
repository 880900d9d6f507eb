/* profile_pair_test.c - rows of two tables: which belong together, and how they differ. */
#include "ops/compare/profile_pair.h"
#include "core/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct made_row {
    const char *name;
    uint64_t count;
    double share;
};

/* A table with a text (NULL: null), a number and a fraction. */
static void make_table(struct document *d, const struct made_row *rows, size_t count)
{
    size_t map = document_open(d, RAS_MAP);
    size_t columns = document_put_open(d, "columns", RAS_LIST);
    document_name(d, "name");
    document_name(d, "count");
    document_name(d, "share");
    document_close(d, columns);
    size_t list = document_put_open(d, "rows", RAS_LIST);
    for (size_t i = 0; i < count; i++) {
        size_t row = document_open(d, RAS_LIST);
        if (rows[i].name)
            document_name(d, rows[i].name);
        else
            document_null(d);
        document_uint(d, rows[i].count);
        document_f64(d, rows[i].share);
        document_close(d, row);
    }
    document_close(d, list);
    document_close(d, map);
}

struct both {
    struct document a, b;
    struct profile_pairs p;
};

static void pair_tables(struct both *t, const struct made_row *a, size_t a_count,
                        const struct made_row *b, size_t b_count)
{
    memset(t, 0, sizeof *t);
    make_table(&t->a, a, a_count);
    make_table(&t->b, b, b_count);
    assert_int_equal(profile_pairs_make(&t->p, t->a.cells.items, t->b.cells.items, NULL, NULL),
                     RAS_OK);
}

static void free_tables(struct both *t)
{
    profile_pairs_free(&t->p);
    document_free(&t->a);
    document_free(&t->b);
}

/* The counts of the pair with this name, of both sides; UINT64_MAX: it has none. */
static void counts_of(const struct profile_pairs *p, const char *name, size_t nth, uint64_t *counts)
{
    char text[100];
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(profile_row_name(p, &p->pairs[i], text, sizeof text), name) != 0 || nth--)
            continue;
        for (int side = 0; side < 2; side++) {
            const struct ras_value *v =
                profile_cell(p, &p->pairs[i], side, profile_column(p, "count"));
            counts[side] = v ? v->u : UINT64_MAX;
        }
        return;
    }
    fail_msg("no row '%s'", name);
}

static void rows_are_paired_by_their_texts(void **state)
{
    (void)state;
    static const struct made_row a[] = {{"x", 1, 0.5}, {"y", 2, 0.5}, {NULL, 3, 0}};
    static const struct made_row b[] = {{"z", 5, 0.1}, {NULL, 7, 0}, {"x", 4, 0.9}};
    struct both t;
    uint64_t counts[2];
    pair_tables(&t, a, 3, b, 3);
    assert_int_equal(t.p.count, 4);
    counts_of(&t.p, "x", 0, counts);
    assert_true(counts[0] == 1 && counts[1] == 4);
    counts_of(&t.p, "y", 0, counts);
    assert_true(counts[0] == 2 && counts[1] == UINT64_MAX);
    counts_of(&t.p, "z", 0, counts);
    assert_true(counts[0] == UINT64_MAX && counts[1] == 5);
    counts_of(&t.p, "", 0, counts);
    assert_true(counts[0] == 3 && counts[1] == 7);
    free_tables(&t);
}

static void equal_keys_are_paired_in_their_order(void **state)
{
    (void)state;
    static const struct made_row a[] = {{"x", 1, 0}, {"x", 2, 0}, {"x", 3, 0}};
    static const struct made_row b[] = {{"x", 10, 0}, {"x", 20, 0}};
    struct both t;
    uint64_t counts[2];
    pair_tables(&t, a, 3, b, 2);
    assert_int_equal(t.p.count, 3);
    for (size_t i = 0; i < 3; i++) {
        counts_of(&t.p, "x", i, counts);
        assert_true(counts[0] == i + 1);
        assert_true(counts[1] == (i < 2 ? 10 * (i + 1) : UINT64_MAX));
    }
    free_tables(&t);
}

static void a_table_without_texts_is_known_by_its_first_column(void **state)
{
    (void)state;
    static const char *const keys[] = {"count", NULL};
    static const struct made_row a[] = {{"x", 1, 0.25}}, b[] = {{"y", 1, 0.5}};
    struct both t;
    pair_tables(&t, a, 1, b, 1);
    profile_pairs_free(&t.p);
    assert_int_equal(profile_pairs_make(&t.p, t.a.cells.items, t.b.cells.items, keys, NULL),
                     RAS_OK);
    assert_int_equal(t.p.count, 1);
    size_t share = profile_column(&t.p, "share");
    double change;
    assert_true(profile_change(profile_cell(&t.p, t.p.pairs, 0, share),
                               profile_cell(&t.p, t.p.pairs, 1, share), &change));
    assert_true(change == 0.25);
    assert_true(profile_column(&t.p, "none") == SIZE_MAX);
    free_tables(&t);
}

static void one_side_may_have_no_table(void **state)
{
    (void)state;
    static const struct made_row a[] = {{"x", 9, 0}};
    struct both t;
    double change;
    pair_tables(&t, a, 1, NULL, 0);
    profile_pairs_free(&t.p);
    assert_int_equal(profile_pairs_make(&t.p, t.a.cells.items, NULL, NULL, NULL), RAS_OK);
    assert_int_equal(t.p.count, 1);
    size_t count = profile_column(&t.p, "count");
    assert_true(profile_change(profile_cell(&t.p, t.p.pairs, 0, count),
                               profile_cell(&t.p, t.p.pairs, 1, count), &change));
    assert_true(change == -9);
    free_tables(&t);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_paired_by_their_texts),
        cmocka_unit_test(equal_keys_are_paired_in_their_order),
        cmocka_unit_test(a_table_without_texts_is_known_by_its_first_column),
        cmocka_unit_test(one_side_may_have_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
