/* atf_compare_test.c - call trees with one change: that one is reported, and no other. */
#include "../tree.h"

static const struct ras_compare_options every = {.keep_going = true};

/* One divergence, at that place and of this kind, for any limit. */
static struct ras_diff *expect_one(struct session *a, struct session *b, const char *kind,
                                   uint64_t seq)
{
    struct ras_diff *d = differ(a, b, NULL);
    assert_int_equal(d->divergence_count, 1);
    ras_diff_free(d);
    d = differ(a, b, &every);
    for (size_t i = 0; i < d->divergence_count && d->divergence_count > 1; i++)
        print_message("%s at %d\n", d->divergences[i].kind, (int)d->divergences[i].at[0].value.u);
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, kind);
    assert_int_equal(d->divergences[0].at[0].value.u, seq);
    assert_string_equal(d->divergences[0].at[0].key, "index_seq");
    assert_string_equal(d->divergences[0].at[1].key, "thread_id");
    return d;
}

/* In both directions; `kind` is that of a to b. */
static void expect(const struct script *a, const struct script *b, const char *kind,
                   const char *back, uint64_t seq)
{
    struct session x, y;
    record(&x, &a, 1, 0, true);
    record(&y, &b, 1, 0, true);
    ras_diff_free(expect_one(&x, &y, kind, seq));
    ras_diff_free(expect_one(&y, &x, back, seq));
    forget(&x);
    forget(&y);
}

/* The only row of a pair's mismatches is of this path. */
static void expect_row(const struct ras_diff *d, const char *path)
{
    const struct ras_value *rows = ras_value_member(d->divergences[0].detail, "mismatches");
    assert_true(rows && rows->count && rows[1].count + 1 == rows->count);
    if (!text_is(ras_value_member(&rows[1], "path"), path))
        fail_msg("the row is not of %s", path);
}

/* ---- tests --------------------------------------------------------------------- */

static struct script a, b;

static void the_same_calls_at_other_times(void **state)
{
    (void)state;
    uint32_t seed = 1;
    struct session x, y;
    const struct script *threads[] = {&a, &b, NULL, &a};
    make_tree(&a, &seed, 300, 7);
    make_tree(&b, &seed, 100, 0);
    record(&x, threads, 4, 0, true);
    for (size_t i = 0; i < a.count; i++)
        a.steps[i].event.timestamp_ns += 17 * i + 5;
    record(&y, threads, 4, 0, true);
    struct ras_diff *d = differ(&x, &y, NULL);
    assert_int_equal(d->divergence_count, 0);
    assert_int_equal(d->checked, 2 * a.count + b.count);
    assert_int_equal(d->endings[0].kind, RAS_COMPLETE);
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

static void functions_by_name_or_by_id(void **state)
{
    (void)state;
    uint32_t seed = 2;
    struct session x, y, z;
    const struct script *threads[] = {&a};
    make_tree(&a, &seed, 50, 7);
    record(&x, threads, 1, 0, true);
    record(&y, threads, 1, 900, true); /* the same names with other numbers */
    record(&z, threads, 1, 900, false);
    struct ras_diff *d = differ(&x, &y, NULL);
    assert_int_equal(d->divergence_count, 0);
    ras_diff_free(d);
    d = differ(&x, &z, NULL);
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, "other_function");
    ras_diff_free(d);
    forget(&x);
    forget(&y);
    forget(&z);
}

static void other_function_is_named_once(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        uint32_t random = seed;
        make_tree(&a, &random, 100 + seed * 5, seed % 2 ? 0 : 5);
        b = a;
        size_t at = some_call(&a, &random);
        b.steps[at].event.function_id = b.steps[at].payload.function_id = FIRST_NEW;
        b.steps[end_of(&b, at)].event.function_id = FIRST_NEW;
        b.steps[end_of(&b, at)].detailed = false;
        expect(&a, &b, "other_function", "other_function", at);
    }
}

static void a_missing_or_extra_call(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        uint32_t random = seed;
        make_tree(&a, &random, 100 + seed * 5, seed % 2 ? 0 : 5);
        b = a;
        size_t at = some_call(&a, &random);
        insert_steps(&b, at, 2);
        for (size_t i = at; i < at + 2; i++)
            b.steps[i].event =
                (struct ras_atf_index_event){.function_id = FIRST_NEW,
                                             .event_kind = i == at ? RAS_ATF_CALL : RAS_ATF_RETURN,
                                             .call_depth = b.steps[at + 2].event.call_depth};
        expect(&a, &b, "extra_call", "missing_call", at);
    }
}

/* With all calls inside it. */
static void a_missing_subtree(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        uint32_t random = seed;
        make_tree(&a, &random, 300, 0);
        b = a;
        size_t at = some_call(&a, &random), end = end_of(&a, at);
        delete_steps(&b, at, end - at + 1);
        expect(&a, &b, "missing_call", "extra_call", at);
    }
}

/* Of equal neighbours it cannot be decided which one is extra; it is one call all the same. */
static void one_of_many_equal_calls(void **state)
{
    (void)state;
    struct session x, y;
    const struct script *threads[2] = {&a, &b};
    a = (struct script){.count = 0};
    add(&a, 1, RAS_ATF_CALL, 1);
    for (int i = 0; i < 20; i++) {
        add(&a, 2, RAS_ATF_CALL, 2);
        if (i == 7)
            add(&a, 3, RAS_ATF_CALL, 3);
        if (i == 7)
            add(&a, 3, RAS_ATF_RETURN, 3);
        add(&a, 2, RAS_ATF_RETURN, 2);
    }
    add(&a, 1, RAS_ATF_RETURN, 1);
    b = a;
    insert_steps(&b, 1, 2); /* f2 without f3 */
    b.steps[1] = b.steps[3];
    b.steps[2] = b.steps[4];
    record(&x, &threads[0], 1, 0, true);
    record(&y, &threads[1], 1, 0, true);
    struct ras_diff *d =
        expect_one(&x, &y, "extra_call", 15); /* not the f3 at which it is noticed */
    const struct ras_value *path = ras_value_member(d->divergences[0].detail, "path");
    assert_int_equal(path->count, 1);
    assert_true(text_is(path + 1, "f1"));
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

static void a_return_of_another_kind(void **state)
{
    (void)state;
    uint32_t seed = 3;
    make_tree(&a, &seed, 200, 6);
    for (size_t i = 0; i < 40; i++) {
        b = a;
        size_t at = end_of(&a, some_call(&a, &seed));
        b.steps[at].event.event_kind = RAS_ATF_EXCEPTION;
        expect(&a, &b, "other_return", "other_return", at);
    }
}

static void other_depths_and_threads(void **state)
{
    (void)state;
    uint32_t seed = 4;
    make_tree(&a, &seed, 200, 0);
    for (size_t i = 0; i < 40; i++) {
        b = a;
        size_t at = some_call(&a, &seed);
        b.steps[at].event.call_depth += 100;
        expect(&a, &b, "other_depth", "other_depth", at);
        b = a;
        b.steps[at].event.thread_id += 3;
        expect(&a, &b, "other_thread", "other_thread", at);
    }
}

static void every_field_of_a_detail(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "detail.rdi", "detail.rsi",   "detail.rdx",   "detail.rcx",     "detail.r8",
        "detail.r9",  "detail.rbp",   "detail.rsp",   "detail.lr",      "detail.fp",
        "detail.sp",  "detail.stack", "detail.flags", "detail.function"};
    uint32_t seed = 5;
    const struct script *threads[2] = {&a, &b};
    make_tree(&a, &seed, 200, 0);
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t at;
        do
            at = some_call(&a, &seed);
        while (!a.steps[at].detailed);
        b = a;
        struct ras_atf_payload *p = &b.steps[at].payload;
        if (i < 11)
            *(i < 8 ? &p->x_regs[i] : i == 8 ? &p->lr : i == 9 ? &p->fp : &p->sp) += 1000;
        if (i == 11)
            p->stack.at = (const uint8_t *)"other";
        if (i == 12)
            b.steps[at].flags = 1;
        if (i == 13)
            p->function_id++;
        struct session x, y;
        record(&x, &threads[0], 1, 0, true);
        record(&y, &threads[1], 1, 0, true);
        struct ras_diff *d = expect_one(&x, &y, "detail_mismatch", at);
        expect_row(d, paths[i]);
        ras_diff_free(d);
        const char *const ignored[] = {i % 2 ? "detail" : paths[i]};
        d = differ(&x, &y, &(struct ras_compare_options){.ignored = ignored, .ignored_count = 1});
        assert_int_equal(d->divergence_count, 0);
        ras_diff_free(d);
        forget(&x);
        forget(&y);
    }
}

static void a_missing_or_extra_thread(void **state)
{
    (void)state;
    uint32_t seed = 6;
    const struct script *two[] = {&a, &b}, *one[] = {NULL, &b};
    struct session x, y;
    make_tree(&a, &seed, 20, 0);
    make_tree(&b, &seed, 20, 0);
    record(&x, two, 2, 0, true);
    record(&y, one, 2, 0, true);
    for (int back = 0; back < 2; back++) {
        struct ras_diff *d = differ(back ? &y : &x, back ? &x : &y, &every);
        assert_int_equal(d->divergence_count, 1);
        assert_string_equal(d->divergences[0].kind, back ? "extra_thread" : "missing_thread");
        assert_int_equal(d->divergences[0].at[0].value.kind, RAS_NULL);
        assert_int_equal(d->divergences[0].at[1].value.u, 0);
        assert_int_equal(d->checked, b.count + 1);
        ras_diff_free(d);
    }
    forget(&x);
    forget(&y);
}

/* Several changes are reported one by one, in order. */
static void all_of_several_changes_are_reported(void **state)
{
    (void)state;
    uint32_t seed = 7;
    struct session x, y;
    const struct script *threads[2] = {&a, &b};
    make_tree(&a, &seed, 900, 0);
    b = a;
    for (size_t i = 50; i < a.count; i += 100)
        b.steps[i].event.thread_id = 9;
    record(&x, &threads[0], 1, 0, true);
    record(&y, &threads[1], 1, 0, true);
    struct ras_diff *d = differ(&x, &y, &every);
    assert_int_equal(d->divergence_count, (a.count - 50 + 99) / 100);
    for (size_t i = 0; i < d->divergence_count; i++)
        assert_int_equal(d->divergences[i].at[0].value.u, 50 + 100 * i);
    assert_int_equal(d->checked, a.count);
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

/* Any cut or overwritten file gets an answer, and a cut is not a difference. */
static void prefixes_and_damage(void **state)
{
    (void)state;
    uint32_t seed = 8;
    const struct script *threads[1] = {&a};
    struct session x;
    make_tree(&a, &seed, 12, 0);
    record(&x, threads, 1, 0, true);
    size_t count;
    const struct ras_part *whole = ras_folder_parts(x.folder, &count);
    for (size_t part = 0; part < count; part++) {
        size_t size = whole[part].bytes.len < 3000 ? whole[part].bytes.len : 3000;
        for (size_t at = 0; at < 2 * size; at++) {
            struct ras_part parts[8];
            struct session y = {.folder = NULL};
            memcpy(parts, whole, count * sizeof *parts);
            uint8_t *bytes = malloc(size + 1);
            memcpy(bytes, whole[part].bytes.at, size);
            bytes[at / 2] ^= at % 2 ? 0xff : 0;
            parts[part].bytes = (struct ras_bytes){bytes, at % 2 ? size : at / 2};
            if (ras_open_parts(&y.trace, parts, count, NULL, NULL) == RAS_OK) {
                struct ras_compare_options how = {.keep_going = true,
                                                  .choices = &(struct ras_choice){"profile", 0},
                                                  .choice_count = at % 3 == 0};
                struct ras_diff *d = differ(&x, &y, &how), *back = differ(&y, &x, &how);
                assert_int_equal(!d->divergence_count, !back->divergence_count);
                if (at % 2 == 0 && d->endings[1].kind == RAS_CUT)
                    assert_int_equal(d->divergence_count, 0);
                ras_diff_free(d);
                ras_diff_free(back);
                ras_close(y.trace);
            }
            free(bytes);
        }
    }
    forget(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_calls_at_other_times),
        cmocka_unit_test(functions_by_name_or_by_id),
        cmocka_unit_test(other_function_is_named_once),
        cmocka_unit_test(a_missing_or_extra_call),
        cmocka_unit_test(a_missing_subtree),
        cmocka_unit_test(one_of_many_equal_calls),
        cmocka_unit_test(a_return_of_another_kind),
        cmocka_unit_test(other_depths_and_threads),
        cmocka_unit_test(every_field_of_a_detail),
        cmocka_unit_test(a_missing_or_extra_thread),
        cmocka_unit_test(all_of_several_changes_are_reported),
        cmocka_unit_test(prefixes_and_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
