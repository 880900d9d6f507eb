/* dial9_compare_test.c - streams with one thing changed: that one is named, and no other. */
#include "../every.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../compared_nothing.h"

/* ---- comparing ----------------------------------------------------------------- */

static const struct layout plain = {.type_id = 1, .time_ns = 1000};
static const struct change nothing = {.what = NOTHING};

static struct ras_diff *differ(const struct out *a, const struct out *b,
                               const struct ras_compare_options *how)
{
    struct ras_trace *x, *y;
    struct ras_diff *d;
    struct ras_error err = {0};
    assert_int_equal(ras_open_memory(&x, a->at, a->len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_open_memory(&y, b->at, b->len, NULL, NULL), RAS_OK);
    int status = diff_or_nothing(&d, x, y, how, &err);
    if (status < 0)
        print_message("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    for (int i = 0; i < 2; i++)
        d->endings[i].why = ""; /* the traces are closed */
    ras_close(x);
    ras_close(y);
    return d;
}

/* Divergences of the two, in both directions: one each, of these kinds, there. Returns that of a
 * to b. */
static struct ras_diff *expect_one(const struct out *a, const struct out *b, const char *kind,
                                   const char *back, size_t at)
{
    struct ras_diff *found = NULL;
    for (int i = 0; i < 4; i++) {
        const struct ras_compare_options how = {.keep_going = i % 2};
        struct ras_diff *d = differ(i < 2 ? b : a, i < 2 ? a : b, &how);
        assert_int_equal(d->divergence_count, 1);
        assert_string_equal(d->divergences[0].kind, i < 2 ? back : kind);
        assert_string_equal(d->divergences[0].at[0].key, "event_index");
        assert_int_equal(d->divergences[0].at[0].value.u, at);
        assert_string_equal(d->divergences[0].at[1].key, "batch");
        assert_int_equal(d->divergences[0].at[1].value.u, 0);
        if (!how.keep_going)
            assert_int_equal(d->checked, at + 1);
        ras_diff_free(found);
        found = d;
    }
    return found;
}

static bool text_begins(const struct ras_value *v, const char *text)
{
    return v && v->kind == RAS_STR && v->count >= strlen(text) &&
           !memcmp(v->at, text, strlen(text));
}

/* All rows are of this field. */
static void expect_rows(const struct ras_diff *d, const char *field)
{
    const struct ras_value *rows = ras_value_member(d->divergences[0].detail, "mismatches");
    assert_true(rows && rows->count);
    for (const struct ras_value *row = rows + 1; row < rows + 1 + rows->count;
         row += 1 + row->count)
        if (!text_begins(ras_value_member(row, "path"), field))
            fail_msg("a row is not of %s", field);
}

/* ---- tests --------------------------------------------------------------------- */

static void layouts_do_not_matter(void **state)
{
    (void)state;
    static const struct layout others[] = {
        {.type_id = 70, .time_ns = 99},
        {.type_id = 1, .pool_base = 500, .reversed = true},
        {.type_id = 3, .batch = 7, .time_ns = 5},
        {.type_id = 300, .batch = 100, .reversed = true, .pool_base = 1},
    };
    struct out a, b;
    make(&a, &plain, &nothing);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        make(&b, &others[i], &nothing);
        struct ras_diff *d = differ(&a, &b, NULL);
        assert_int_equal(d->divergence_count, 0);
        assert_int_equal(d->checked, COUNT);
        assert_int_equal(d->note_count, others[i].batch != 0);
        ras_diff_free(d);
        d = differ(&b, &a,
                   &(struct ras_compare_options){.choices = &(struct ras_choice){"time", 0},
                                                 .choice_count = 1});
        assert_int_equal(d->divergence_count, 0); /* only the clocks differ */
        ras_diff_free(d);
        out_free(&b);
    }
    out_free(&a);
}

enum { EACH = 50, BATCHES = COUNT / EACH };

static void make_batches(struct out *o, const unsigned *order, const struct change *c)
{
    *o = (struct out){0};
    for (unsigned i = 0; i < BATCHES; i++) {
        put_start(o, &plain);
        for (size_t k = 0; k < EACH; k++)
            if (c->what != DELETED || c->at != order[i] * EACH + k)
                put_one(o, order[i] * EACH + k, &plain, c);
    }
}

/* Buffers of several threads: a change is found wherever its batch is. */
static void batches_in_another_order(void **state)
{
    (void)state;
    static const unsigned straight[BATCHES] = {0, 1, 2, 3, 4, 5};
    static const unsigned orders[][BATCHES] = {
        {1, 0, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {0, 1, 2, 4, 5, 3}};
    for (size_t i = 0; i < 3; i++) {
        struct out a, b;
        make_batches(&a, straight, &nothing);
        make_batches(&b, orders[i], &nothing);
        struct ras_diff *d = differ(&a, &b, NULL);
        assert_int_equal(d->divergence_count, 0);
        assert_int_equal(d->checked, COUNT);
        assert_int_equal(d->note_count, 1);
        ras_diff_free(d);
        out_free(&b);
        for (size_t at = 0; at < COUNT; at += 7) {
            const struct ras_compare_options every = {.keep_going = true};
            struct change c = {at % 2 ? FIELD : DELETED, at, 3, 1001};
            make_batches(&b, orders[i], &c);
            d = differ(&a, &b, &every);
            assert_int_equal(d->divergence_count, 1);
            assert_string_equal(d->divergences[0].kind, at % 2 ? "event_changed" : "event_deleted");
            assert_int_equal(d->divergences[0].at[0].value.u, at);
            assert_int_equal(d->divergences[0].at[1].value.u, at / EACH);
            assert_int_equal(d->checked, COUNT);
            ras_diff_free(d);
            d = differ(&b, &a, &every);
            assert_int_equal(d->divergence_count, 1);
            ras_diff_free(d);
            out_free(&b);
        }
        out_free(&a);
    }
}

static void every_field_that_changes_is_named(void **state)
{
    (void)state;
    struct out a, b;
    make(&a, &plain, &nothing);
    for (unsigned f = 0; f < FIELDS; f++) {
        static const size_t places[] = {0, 1, 123, COUNT - 1};
        struct change c = {FIELD, places[f % 4], f, 1001};
        make(&b, &(struct layout){.type_id = 2, .pool_base = 9}, &c);
        struct ras_diff *d = expect_one(&a, &b, "event_changed", "event_changed", c.at);
        expect_rows(d, fields[f].name);
        ras_diff_free(d);
        const char *const ignored[] = {f % 2 ? fields[f].name : "Every"};
        d = differ(&a, &b, &(struct ras_compare_options){.ignored = ignored, .ignored_count = 1});
        assert_int_equal(d->divergence_count, 0);
        ras_diff_free(d);
        out_free(&b);
    }
    for (unsigned f = FIELDS - 2; f < FIELDS; f++) {
        make(&b, &plain, &(struct change){ABSENT, 40, f, 0});
        struct ras_diff *d = expect_one(&a, &b, "event_changed", "event_changed", 40);
        expect_rows(d, fields[f].name);
        ras_diff_free(d);
        out_free(&b);
    }
    out_free(&a);
}

static void numbers_within_a_tolerance(void **state)
{
    (void)state;
    struct out a, b;
    const struct ras_tolerance near[] = {{"Every.f64", 2.5}, {"varint", 10}};
    make(&a, &plain, &nothing);
    for (unsigned f = 1; f < 9; f += 7) {
        for (unsigned salt = 10; salt < 12; salt++) {
            make(&b, &plain, &(struct change){FIELD, 77, f, salt});
            struct ras_diff *d = differ(
                &a, &b, &(struct ras_compare_options){.tolerances = near, .tolerance_count = 2});
            assert_int_equal(d->divergence_count, salt == 11);
            ras_diff_free(d);
            out_free(&b);
        }
    }
    out_free(&a);
}

static void insertions_and_deletions(void **state)
{
    (void)state;
    static const size_t places[] = {0, 1, 150, COUNT - 1};
    struct out a, b;
    make(&a, &plain, &nothing);
    for (size_t i = 0; i < 4; i++) {
        make(&b, &plain, &(struct change){.what = INSERTED, .at = places[i]});
        ras_diff_free(expect_one(&a, &b, "event_inserted", "event_deleted", places[i]));
        out_free(&b);
        make(&b, &plain, &(struct change){.what = DELETED, .at = places[i]});
        ras_diff_free(expect_one(&a, &b, "event_deleted", "event_inserted", places[i]));
        out_free(&b);
        make(&b, &plain, &(struct change){.what = RENAMED, .at = places[i]});
        ras_diff_free(expect_one(&a, &b, "event_replaced", "event_replaced", places[i]));
        out_free(&b);
    }
    out_free(&a);
}

static void times_on_request(void **state)
{
    (void)state;
    static const size_t places[] = {0, 1, 150, COUNT - 1};
    struct out a, b;
    make(&a, &plain, &nothing);
    for (size_t i = 0; i < 4; i++) {
        make(&b, &plain, &(struct change){.what = DELAYED, .at = places[i], .salt = 100});
        struct ras_diff *d = differ(&a, &b, NULL);
        assert_int_equal(d->divergence_count, 0);
        ras_diff_free(d);
        for (uint64_t eps = 99; eps < 101; eps++) {
            struct ras_compare_options how = {.choices = &(struct ras_choice){"time", eps},
                                              .choice_count = 1};
            how.keep_going = true;
            d = differ(&a, &b, &how);
            assert_int_equal(d->divergence_count, eps == 99);
            if (eps == 99) {
                assert_int_equal(d->divergences[0].at[0].value.u, places[i]);
                assert_string_equal(d->divergences[0].kind, "event_changed");
                expect_rows(d, "time_ns");
            }
            ras_diff_free(d);
        }
        out_free(&b);
    }
    out_free(&a);
}

/* Two streams of small events of one type, `step` apart in the second. */
static void put_small(struct out *o, size_t from, size_t to)
{
    for (; from < to; from++) {
        put_event(o, 1, 1);
        put_varint(o, from);
    }
}

static void start_small(struct out *o)
{
    *o = (struct out){0};
    put_header(o);
    put_schema(o, 1, "Small", true, 1, "n", RAS_DIAL9_VARINT);
}

/* More than a window holds, and more differences than are counted. */
static void long_insertions(void **state)
{
    (void)state;
    static const size_t lengths[] = {200, 300, 900, 5000, 40000};
    for (size_t i = 0; i < 5; i++) {
        struct out a, b;
        start_small(&a);
        start_small(&b);
        put_small(&a, 0, 60000);
        put_small(&b, 0, 1000);
        put_small(&b, 100000, 100000 + lengths[i]);
        put_small(&b, 1000, 60000);
        struct ras_diff *d = differ(&a, &b, &(struct ras_compare_options){.keep_going = true});
        assert_int_equal(d->divergences[0].at[0].value.u, 1000);
        if (lengths[i] < 1000) {
            assert_int_equal(d->divergence_count, 1);
            const struct ras_value *detail = d->divergences[0].detail;
            assert_int_equal(ras_value_member(detail, "inserted_count")->u, lengths[i]);
            assert_int_equal(d->checked, 60000 + lengths[i]);
        } else {
            assert_true(d->divergence_count > 1);
            assert_int_equal(d->note_count, 1);
        }
        ras_diff_free(d);
        out_free(&a);
        out_free(&b);
    }
}

static void one_field_more(struct out *o, unsigned extra, bool swapped)
{
    *o = (struct out){0};
    put_header(o);
    if (extra)
        put_schema(o, 1, "Small", true, 3, "n", RAS_DIAL9_VARINT, "m", RAS_DIAL9_U8, "new",
                   RAS_DIAL9_U8);
    else
        put_schema(o, 1, "Small", true, 2, swapped ? "m" : "n", RAS_DIAL9_U8, swapped ? "n" : "m",
                   RAS_DIAL9_U8);
    for (unsigned i = 0; i < 20; i++) {
        put_event(o, 1, 1);
        out_byte(o, (uint8_t)(swapped ? 7 : i));
        out_byte(o, (uint8_t)(swapped ? i : 7));
        if (extra)
            out_byte(o, 9);
    }
}

/* Fields are known by their names, whatever their widths and order. */
static void schemas_that_disagree(void **state)
{
    (void)state;
    struct out a, b;
    one_field_more(&a, 0, false);
    one_field_more(&b, 0, true);
    struct ras_diff *d = differ(&a, &b, NULL);
    assert_int_equal(d->divergence_count, 0);
    assert_int_equal(d->note_count, 1);
    ras_diff_free(d);
    out_free(&b);
    one_field_more(&b, 1, false);
    for (int back = 0; back < 2; back++) {
        const char *const ignored[] = {back ? "new" : "Small.new"};
        const struct ras_compare_options how = {.ignored = ignored, .ignored_count = 1};
        d = differ(back ? &b : &a, back ? &a : &b, NULL);
        assert_int_equal(d->divergence_count, 1);
        assert_string_equal(d->divergences[0].kind, "event_changed");
        expect_rows(d, "new");
        ras_diff_free(d);
        d = differ(back ? &b : &a, back ? &a : &b, &how);
        assert_int_equal(d->divergence_count, 0);
        ras_diff_free(d);
    }
    out_free(&a);
    out_free(&b);
}

/* A value in each tick; from `early` on they come a tick early. */
static void put_ticks(struct out *o, unsigned early)
{
    *o = (struct out){0};
    put_header(o);
    put_schema(o, 1, "value", true, 2, "tick", RAS_DIAL9_VARINT, "drawn", RAS_DIAL9_U8);
    for (unsigned i = 0; i < 100; i++) {
        put_event(o, 1, 1);
        put_varint(o, i);
        out_byte(o, (uint8_t)((i >= early ? i + 1 : i) * 37));
    }
}

/* A path below a type says nothing of a field of that name in another type. */
static void other_fields_are_not_ignored(void **state)
{
    (void)state;
    static const char *const ignored[] = {"tick.time"};
    static const struct ras_tolerance tolerances[] = {{.path = "tick.time", .eps = 100}};
    struct out a, b;
    put_ticks(&a, 100);
    put_ticks(&b, 50);
    for (int near = 0; near < 2; near++) {
        const struct ras_compare_options how = {.ignored = ignored,
                                                .ignored_count = !near,
                                                .tolerances = tolerances,
                                                .tolerance_count = (size_t)near};
        struct ras_diff *d = differ(&a, &b, &how);
        assert_string_equal(d->divergences[0].kind, "event_changed");
        assert_int_equal(d->divergences[0].at[0].value.u, 50);
        expect_rows(d, "drawn");
        ras_diff_free(d);
    }
    out_free(&a);
    out_free(&b);
}

static void events_of_one_side_only(void **state)
{
    (void)state;
    struct out a, b;
    start_small(&a);
    start_small(&b);
    put_small(&a, 0, 5000);
    put_small(&b, 0, 2000);
    struct ras_diff *d = differ(&a, &b, NULL);
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, "event_deleted");
    assert_int_equal(d->divergences[0].at[0].value.u, 2000);
    assert_int_equal(ras_value_member(d->divergences[0].detail, "deleted_count")->u, 3000);
    ras_diff_free(d);
    out_free(&a);
    out_free(&b);
}

/* A cut is not a difference; there is an answer whatever the bytes are. */
static void prefixes_and_damage(void **state)
{
    (void)state;
    struct out a, b;
    make(&a, &plain, &nothing);
    size_t size = 1200; /* header, schemas and some events */
    for (size_t at = 5; at < 2 * size; at++) {
        b = (struct out){0};
        out_bytes(&b, a.at, at % 2 ? a.len : at / 2 + 5);
        if (at % 2)
            b.at[5 + at / 2] ^= 0xff;
        struct out whole = {.at = a.at, .len = at % 2 ? a.len : size * 2};
        const struct ras_compare_options how = {.keep_going = true};
        struct ras_diff *d = differ(&whole, &b, &how), *back = differ(&b, &whole, &how);
        assert_int_equal(!d->divergence_count, !back->divergence_count);
        if (at % 2 == 0 && d->endings[1].kind == RAS_CUT)
            assert_int_equal(d->divergence_count, 0);
        ras_diff_free(d);
        ras_diff_free(back);
        out_free(&b);
    }
    out_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_do_not_matter),
        cmocka_unit_test(batches_in_another_order),
        cmocka_unit_test(every_field_that_changes_is_named),
        cmocka_unit_test(numbers_within_a_tolerance),
        cmocka_unit_test(insertions_and_deletions),
        cmocka_unit_test(times_on_request),
        cmocka_unit_test(long_insertions),
        cmocka_unit_test(schemas_that_disagree),
        cmocka_unit_test(other_fields_are_not_ignored),
        cmocka_unit_test(events_of_one_side_only),
        cmocka_unit_test(prefixes_and_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
