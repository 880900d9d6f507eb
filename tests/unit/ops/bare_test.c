/* bare_test.c - a driver that has only what reading needs: every verb copes with the rest. */
#include "../core/fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void expect(const char *text, size_t len, const char *rule, uint64_t offset)
{
    struct ras_trace *t = fake_open(text, len, 1, false);
    struct ras_report *r;
    assert_int_equal(ras_verify(&r, t, NULL, NULL), RAS_OK);
    assert_int_equal(r->by_severity[RAS_ERROR], rule ? 1 : 0);
    assert_int_equal(r->finding_count, rule ? 1 : 0);
    if (rule) {
        assert_string_equal(r->findings[0].rule->id, rule);
        assert_int_equal(r->findings[0].offset, offset);
    }
    ras_report_free(r);
    ras_close(t);
}

/* The driver has no rules; the common ones hold all the same. */
static void a_bad_end_is_an_error_in_every_format(void **state)
{
    (void)state;
    expect("r\1\1\1r\2\1\1", 8, NULL, 0);
    expect("r\1\1\1u\2\1\1", 8, NULL, 0);
    expect("r\1\1\1r\2", 6, "trace.ending.cut", 4);
    expect("r\1\1\1g\2\1\1r\1\1\1", 12, "trace.ending.damaged", 4);
    expect("r\1\1\1!\2\1\1", 8, "trace.ending.damaged", 4);
}

static void bytes_that_nobody_books_are_padding(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1\1r\2\1\1", 1);
    struct ras_du *du;
    assert_int_equal(ras_du(&du, t, RAS_DU_TYPE, NULL, NULL, NULL), RAS_OK);
    assert_int_equal(du->part_count, 1);
    assert_int_equal(du->parts[0].bytes, 8);
    ras_du_free(du);
    ras_close(t);
}

static void what_it_cannot_do_is_said(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1\1", 1);
    struct ras_repair *repair;
    struct ras_rewritten *rewritten;
    struct ras_error err = {0};
    const struct ras_rewrite_options how = {.path = "absent"};
    assert_int_equal(ras_repair(&repair, t, NULL, &err), RAS_EUNSUPPORTED);
    assert_string_equal(err.text, "fake traces cannot be repaired");
    assert_int_equal(ras_rewrite(&rewritten, &t, 1, &how, &err), RAS_EUNSUPPORTED);
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_end_is_an_error_in_every_format),
        cmocka_unit_test(bytes_that_nobody_books_are_padding),
        cmocka_unit_test(what_it_cannot_do_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
