/* report_test.c - findings: their severity, their limit, and deep rules. */
#include "ops/verify/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct ras_rule mild = {"x.mild", RAS_NOTE, RAS_ERROR, false, "is kept"};
static const struct ras_rule deep = {"x.deep", RAS_WARNING, RAS_WARNING, true, "is kept"};

static void forget(struct report *r)
{
    for (size_t i = 0; i < r->out.finding_count; i++)
        free((void *)(uintptr_t)r->out.findings[i].text);
    free(r->out.findings);
}

static void a_finding_keeps_its_place_and_its_text(void **state)
{
    (void)state;
    struct report r = {.limit = 10};
    report_add(&r, &mild, 3, 40, 8, "%d of %d", 1, 2);
    assert_int_equal(r.out.finding_count, 1);
    const struct ras_finding *f = r.out.findings;
    assert_ptr_equal(f->rule, &mild);
    assert_int_equal(f->severity, RAS_NOTE);
    assert_int_equal(f->part, 3);
    assert_int_equal(f->offset, 40);
    assert_int_equal(f->length, 8);
    assert_string_equal(f->text, "1 of 2");
    forget(&r);
}

static void strict_raises_the_severity(void **state)
{
    (void)state;
    struct report r = {.limit = 10, .strict = true};
    report_add(&r, &mild, 0, 0, 0, "x");
    assert_int_equal(r.out.findings->severity, RAS_ERROR);
    assert_int_equal(r.out.by_severity[RAS_ERROR], 1);
    assert_int_equal(r.out.by_severity[RAS_NOTE], 0);
    forget(&r);
}

static void deep_rules_need_the_option(void **state)
{
    (void)state;
    struct report r = {.limit = 10};
    assert_false(report_wants(&r, &deep));
    assert_true(report_wants(&r, &mild));
    report_add(&r, &deep, 0, 0, 0, "x");
    assert_int_equal(r.out.finding_count, 0);
    assert_int_equal(r.out.by_severity[RAS_WARNING], 0);
    r.deep = true;
    assert_true(report_wants(&r, &deep));
    report_add(&r, &deep, 0, 0, 0, "x");
    assert_int_equal(r.out.finding_count, 1);
    forget(&r);
}

static void beyond_the_limit_findings_are_counted_only(void **state)
{
    (void)state;
    struct report r = {.limit = 3};
    for (int i = 0; i < 10; i++)
        report_add(&r, &mild, 0, (uint64_t)i, 0, "number %d", i);
    assert_int_equal(r.out.finding_count, 3);
    assert_int_equal(r.out.unlisted, 7);
    assert_int_equal(r.out.by_severity[RAS_NOTE], 10);
    assert_string_equal(r.out.findings[2].text, "number 2");
    forget(&r);
}

static void a_full_list_makes_room_for_what_weighs_more(void **state)
{
    (void)state;
    static const struct ras_rule grave = {"x.grave", RAS_ERROR, RAS_ERROR, false, "is kept"};
    struct report r = {.limit = 3, .deep = true};
    report_add(&r, &mild, 0, 1, 1, "first note");
    report_add(&r, &deep, 0, 2, 1, "warning");
    report_add(&r, &mild, 0, 3, 1, "second note");
    report_add(&r, &mild, 0, 4, 1, "third note");
    report_add(&r, &grave, 0, 5, 1, "error");
    assert_int_equal(r.out.finding_count, 3);
    assert_int_equal(r.out.unlisted, 2);
    assert_string_equal(r.out.findings[0].text, "first note");
    assert_string_equal(r.out.findings[2].text, "error");
    for (int i = 0; i < 3; i++)
        report_add(&r, &grave, 0, 6, 1, "error %d", i);
    assert_int_equal(r.out.finding_count, 3);
    assert_int_equal(r.out.unlisted, 5);
    assert_int_equal(r.out.by_severity[RAS_ERROR], 4);
    assert_string_equal(r.out.findings[0].text, "error 0");
    assert_string_equal(r.out.findings[1].text, "error 1");
    forget(&r);
}

static void a_long_text_is_cut_and_not_overrun(void **state)
{
    (void)state;
    struct report r = {.limit = 3};
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    report_add(&r, &mild, 0, 0, 0, "%s", text);
    assert_int_equal(strlen(r.out.findings->text), 399);
    forget(&r);
}

static void severities_have_names(void **state)
{
    (void)state;
    assert_string_equal(ras_severity_name(RAS_NOTE), "note");
    assert_string_equal(ras_severity_name(RAS_WARNING), "warning");
    assert_string_equal(ras_severity_name(RAS_ERROR), "error");
}

static bool count_call(void *user, uint64_t done, uint64_t total)
{
    ++*(int *)user;
    assert_true(done <= total);
    return true;
}

static void progress_is_reported_once_a_mebibyte(void **state)
{
    (void)state;
    int calls = 0;
    struct report r = {.progress = count_call, .user = &calls, .total = 10 << 20};
    for (uint64_t done = 0; done <= 10 << 20; done += 1000)
        report_progress(&r, done);
    assert_in_range(calls, 9, 10);
    struct report silent = {0};
    report_progress(&silent, 10 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_keeps_its_place_and_its_text),
        cmocka_unit_test(strict_raises_the_severity),
        cmocka_unit_test(deep_rules_need_the_option),
        cmocka_unit_test(beyond_the_limit_findings_are_counted_only),
        cmocka_unit_test(a_full_list_makes_room_for_what_weighs_more),
        cmocka_unit_test(a_long_text_is_cut_and_not_overrun),
        cmocka_unit_test(severities_have_names),
        cmocka_unit_test(progress_is_reported_once_a_mebibyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
