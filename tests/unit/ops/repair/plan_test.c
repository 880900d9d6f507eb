/* plan_test.c - a plan applied, inverted, and stored as JSON. */
#include "core/format.h"
#include "core/row.h"
#include "core/source.h"
#include "ops/repair/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static int to_out(void *user, const void *bytes, size_t n, struct ras_error *err)
{
    (void)err;
    out_bytes(user, bytes, n);
    return RAS_OK;
}

static struct ras_bytes text_bytes(const char *text)
{
    return (struct ras_bytes){(const uint8_t *)text, strlen(text)};
}

static void gives(const struct ras_plan *plan, const char *part, const char *from, const char *want)
{
    struct out out = {0};
    struct plan_map map;
    assert_int_equal(plan_map_make(&map, plan, NULL), RAS_OK);
    assert_int_equal(plan_apply(&map, part, text_bytes(from), to_out, &out, NULL), RAS_OK);
    plan_map_free(&map);
    assert_int_equal(out.len, strlen(want));
    assert_memory_equal(out.at, want, out.len);
    out_free(&out);
}

static struct plan a_plan(void)
{
    struct plan p = {0};
    plan_patch(&p, "a", 0, 1, "<<", 2);
    plan_patch(&p, "a", 3, 2, NULL, 0);
    plan_patch(&p, "b", 0, 0, "new", 3);
    plan_patch(&p, "a", 6, 0, ">", 1);
    assert_false(p.nomem);
    return p;
}

static void patches_apply_in_order(void **state)
{
    (void)state;
    struct plan p = a_plan();
    gives(&p.out, "a", "012345", "<<125>");
    gives(&p.out, "b", "", "new");
    gives(&p.out, "c", "as it is", "as it is");
    struct plan_map map;
    assert_int_equal(plan_map_make(&map, &p.out, NULL), RAS_OK);
    assert_int_equal(plan_first(&map, "a"), 0);
    assert_int_equal(plan_next(&map, 0), 1);
    assert_int_equal(plan_next(&map, 1), 3); /* not that of the part between */
    assert_int_equal(plan_next(&map, 3), PLAN_NONE);
    assert_int_equal(plan_first(&map, "b"), 2);
    assert_int_equal(plan_first(&map, "c"), PLAN_NONE);
    plan_map_free(&map);
    plan_free(&p.out);
}

static void a_patch_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct plan p = a_plan();
    struct out out = {0};
    struct ras_error err;
    struct plan_map map;
    assert_int_equal(plan_map_make(&map, &p.out, NULL), RAS_OK);
    assert_int_equal(plan_apply(&map, "a", text_bytes("01234"), to_out, &out, &err), RAS_EUSAGE);
    plan_map_free(&map);
    assert_int_equal(err.offset, 6);
    out_free(&out);
    plan_free(&p.out);
}

static void the_inverse_undoes_it(void **state)
{
    (void)state;
    const struct ras_part parts[] = {{"a", text_bytes("012345")}};
    const struct ras_options none = {0};
    const struct ras_limits limits = limits_of(&none);
    struct source *s;
    assert_int_equal(source_open_parts(&s, parts, 1, &none, &limits, NULL), RAS_OK);
    assert_int_equal(source_load(s, 0, NULL), RAS_OK);
    struct plan p = a_plan(), back = {0};
    struct plan_map map;
    assert_int_equal(plan_map_make(&map, &p.out, NULL), RAS_OK);
    assert_int_equal(plan_invert(&map, s, &back, NULL), RAS_OK);
    plan_map_free(&map);
    gives(&back.out, "a", "<<125>", "012345");
    gives(&back.out, "b", "new", "");
    for (size_t i = 0; i < back.out.patch_count; i++)
        assert_int_equal(back.out.patches[i].fresh, back.out.patches[i].part[0] == 'b');
    plan_free(&p.out);
    plan_free(&back.out);
    source_close(s);
}

static int get(struct ras_bytes json, struct plan *plan, struct ras_error *err)
{
    struct row_reader reader = {0};
    struct arena arena = {0};
    const struct ras_value *list;
    int status = row_read_value(&reader, json, &list, err);
    if (status == RAS_OK)
        status = plan_get(list, &arena, plan, err);
    arena_free(&arena);
    row_reader_free(&reader);
    return status;
}

static void json_carries_it(void **state)
{
    (void)state;
    struct plan p = a_plan(), again = {0};
    struct out out = {0};
    struct json j = json_start(&out, 0);
    p.out.patches[2].fresh = true;
    plan_put(&j, NULL, &p.out);
    assert_int_equal(get((struct ras_bytes){out.at, out.len}, &again, NULL), RAS_OK);
    assert_int_equal(again.out.patch_count, p.out.patch_count);
    assert_true(again.out.patches[2].fresh && !again.out.patches[1].fresh);
    gives(&again.out, "a", "012345", "<<125>");
    /* No prefix of it is a plan. */
    for (size_t n = 0; n < out.len; n++) {
        struct plan part = {0};
        assert_int_equal(get((struct ras_bytes){out.at, n}, &part, NULL), RAS_EFORMAT);
        plan_free(&part.out);
    }
    out_free(&out);
    plan_free(&again.out);
    plan_free(&p.out);
}

static void other_json_than_a_plan_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "{}",
        "[1]",
        "[{}]",
        "[{\"part\":1}]",
        "[{\"part\":\"\",\"insert\":\"0\"}]",
        "[{\"part\":\"\",\"insert\":\"0g\"}]",
        "[{\"part\":\"\",\"at\":-1}]",
        "[{\"part\":\"\"}] 1",
        "[{\"part\":\"/etc/passwd\"}]",
        "[{\"part\":\"..\"}]",
        "[{\"part\":\"../run.murk\"}]",
        "[{\"part\":\"thread_0/../../run.murk\"}]",
        "[{\"part\":\"thread_0/..\"}]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct plan p = {0};
        struct ras_error err = {0};
        assert_int_equal(get(text_bytes(bad[i]), &p, &err), RAS_EFORMAT);
        plan_free(&p.out);
    }
}

static void dots_in_a_name_are_names(void **state)
{
    (void)state;
    struct plan p = {0};
    const char *json = "[{\"part\":\"a..b/..c/...\"},{\"part\":\".d\"},{\"part\":\"\"}]";
    assert_int_equal(get(text_bytes(json), &p, NULL), RAS_OK);
    assert_int_equal(p.out.patch_count, 3);
    plan_free(&p.out);
}

static void losses_add_up(void **state)
{
    (void)state;
    struct plan p = {0};
    plan_lose(&p, 3, 1);
    plan_lose(&p, 4, 2);
    assert_int_equal(p.out.lost_bytes, 7);
    assert_int_equal(p.out.lost_records, 3);
    plan_lose(&p, 1, RAS_NONE);
    plan_lose(&p, 1, 1);
    assert_true(p.out.lost_records == RAS_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_apply_in_order),
        cmocka_unit_test(a_patch_that_does_not_fit_is_refused),
        cmocka_unit_test(the_inverse_undoes_it),
        cmocka_unit_test(json_carries_it),
        cmocka_unit_test(other_json_than_a_plan_is_refused),
        cmocka_unit_test(dots_in_a_name_are_names),
        cmocka_unit_test(losses_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
