/* bare_test.c - a driver that only reads: every verb works with it or refuses. */
#include "../core/fake.h"
#include "ops/repair/repair.h"

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

/* The driver has no rules; the common ones apply anyway. */
static void a_bad_end_is_an_error_in_every_format(void **state)
{
    (void)state;
    expect("r\1\1\1r\2\1\1", 8, NULL, 0);
    expect("r\1\1\1u\2\1\1", 8, NULL, 0);
    expect("r\1\1\1r\2", 6, "trace.ending.cut", 4);
    expect("r\1\1\1g\2\1\1r\1\1\1", 12, "trace.ending.damaged", 4);
    expect("r\1\1\1!\2\1\1", 8, "trace.ending.damaged", 4);
}

static void bytes_are_booked_by_type_and_the_rest_is_padding(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1\1r\2\1\1s\2\1\1g\1\1\1r\3\1\1r", 1);
    static const struct {
        const char *name;
        uint64_t bytes, records;
    } rows[] = {{"row", 12, 3}, {"not understood", 9, 0}, {"sub", 0, 1}};
    struct ras_du *du;
    assert_int_equal(ras_du(&du, t, RAS_DU_TYPE, NULL, NULL, NULL), RAS_OK);
    assert_int_equal(du->part_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(du->parts[i].name, rows[i].name);
        assert_int_equal(du->parts[i].bytes, rows[i].bytes);
        assert_int_equal(du->parts[i].records, rows[i].records);
    }
    ras_du_free(du);
    ras_close(t);
}

/* How many bytes the only patch takes off the end; 0: there is no patch. */
static uint64_t cut_off(const char *text, size_t len, size_t notes)
{
    struct ras_trace *t = fake_open(text, len, 1, false);
    struct plan plan = {0};
    assert_int_equal(repair_cut(t, NULL, &plan, NULL), RAS_OK);
    assert_true(plan.out.patch_count <= 1);
    assert_int_equal(plan.out.note_count, notes);
    uint64_t removed = plan.out.patch_count ? plan.out.patches[0].remove : 0;
    if (removed)
        assert_int_equal(plan.out.patches[0].at + removed, len);
    assert_int_equal(plan.out.lost_bytes, removed);
    plan_done(&plan);
    plan_free(&plan.out);
    ras_close(t);
    return removed;
}

static void only_what_no_record_follows_is_cut_off(void **state)
{
    (void)state;
    assert_int_equal(cut_off("r\1\1\1r\2\1\1", 8, 0), 0);
    assert_int_equal(cut_off("r\1\1\1r\2\1", 7, 0), 3);
    assert_int_equal(cut_off("r\1\1\1!\2\1\1r\1\1\1", 12, 0), 8);
    assert_int_equal(cut_off("r\1\1\1g\2\1\1", 8, 0), 4);
    assert_int_equal(cut_off("r\1\1\1g\2\1\1r\1\1\1", 12, 1), 0);
}

/* Copying bytes would be wrong: the driver keeps state between records. */
static void what_cannot_be_copied_by_bytes_is_refused(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1\1", 1);
    struct ras_rewritten *rewritten;
    struct ras_error err = {0};
    struct ras_sink *sink;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    const struct ras_rewrite_options how = {.sink = sink};
    assert_int_equal(ras_rewrite(&rewritten, &t, 1, &how, &err), RAS_EUNSUPPORTED);
    assert_string_equal(err.text,
                        "fake traces cannot be rewritten: a record depends on those before it");
    struct ras_format stateless = fake_format;
    stateless.save = NULL;
    stateless.load = NULL;
    t->format = &stateless;
    assert_int_equal(ras_rewrite(&rewritten, &t, 1, &how, &err), RAS_OK);
    assert_int_equal(ras_sink_size(sink), 4);
    ras_rewritten_free(rewritten);
    ras_close(t);
    static const struct {
        const char *text;
        uint64_t at;
    } refused[] = {{"r\1\1\1q\1\1\1r\1\1\1", 4}, {"r\1\1\1.\1\1\1", 4}, {"r\1\1\1u\1\1\1", 4}};
    for (size_t i = 0; i < 3; i++) {
        t = fake_open(refused[i].text, strlen(refused[i].text), 1, false);
        t->format = &stateless;
        assert_int_equal(ras_rewrite(&rewritten, &t, 1, &how, &err), RAS_EUNSUPPORTED);
        assert_int_equal(err.offset, refused[i].at);
        ras_close(t);
    }
    ras_sink_drop(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_end_is_an_error_in_every_format),
        cmocka_unit_test(bytes_are_booked_by_type_and_the_rest_is_padding),
        cmocka_unit_test(only_what_no_record_follows_is_cut_off),
        cmocka_unit_test(what_cannot_be_copied_by_bytes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
