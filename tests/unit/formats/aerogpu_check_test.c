/* aerogpu_check_test.c - verify: what the goldens do not show. */
#include "formats/aerogpu/aerogpu_check.h"
#include "aerogpu_make.h"

static struct ras_error err;

static struct ras_report *verify(const struct out *out, bool strict, bool deep)
{
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_verify_options options = {.strict = strict, .deep = deep};
    assert_int_equal(ras_open_memory(&t, out->at, out->len, NULL, &err), RAS_OK);
    assert_int_equal(ras_verify(&report, t, &options, &err), RAS_OK);
    ras_close(t);
    return report;
}

static size_t count_of(const struct ras_report *report, const char *rule)
{
    size_t n = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        n += !strcmp(report->findings[i].rule->id, rule);
    return n;
}

static void every_rule_states_its_condition(void **state)
{
    (void)state;
    size_t n = 0;
    for (const struct ras_rule *rule = aero_rules; rule->id; rule++, n++) {
        assert_memory_equal(rule->id, "aerogpu.", 8);
        assert_true(rule->about[0]);
        assert_true(rule->strict >= rule->severity);
        for (const struct ras_rule *other = aero_rules; other < rule; other++)
            assert_string_not_equal(other->id, rule->id);
    }
    assert_int_equal(n, RULE_TOC_COVERAGE + 1);
}

static void good_trace_has_no_errors(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 40);
    struct ras_report *report = verify(&out, false, true);
    assert_int_equal(report->by_severity[RAS_ERROR], 0);
    assert_int_equal(report->finding_count, 2); /* meta_json lacks both keys */
    ras_report_free(report);
    report = verify(&out, true, true);
    assert_int_equal(count_of(report, "aerogpu.meta.keys"), 2);
    assert_int_equal(report->by_severity[RAS_ERROR], 2);
    ras_report_free(report);
    out_free(&out);
}

/* The TOC in any order is compared with the right frames. */
static void toc_in_any_order_finds_its_frames(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_footer f;
    enum { FRAMES = 5 };
    put_frames(&out, FRAMES);
    assert_int_equal(ras_aero_footer_get(bytes_of(&out), &f, &err), RAS_OK);
    uint8_t *entries = out.at + f.toc_offset + 16, swap[32];
    for (size_t i = 0; i < FRAMES / 2; i++) {
        memcpy(swap, entries + 32 * i, 32);
        memcpy(entries + 32 * i, entries + 32 * (FRAMES - 1 - i), 32);
        memcpy(entries + 32 * (FRAMES - 1 - i), swap, 32);
    }
    struct ras_report *report = verify(&out, true, false);
    assert_int_equal(count_of(report, "aerogpu.toc.start"), 0);
    assert_int_equal(count_of(report, "aerogpu.toc.end"), 0);
    assert_int_equal(count_of(report, "aerogpu.toc.coverage"), 0);
    assert_int_equal(count_of(report, "aerogpu.toc.order"), 4 + 4);
    ras_report_free(report);
    out_free(&out);
}

static void same_entry_twice_is_an_overlap(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_footer f;
    put_frames(&out, 2);
    assert_int_equal(ras_aero_footer_get(bytes_of(&out), &f, &err), RAS_OK);
    uint8_t *entries = out.at + f.toc_offset + 16;
    memcpy(entries + 32, entries, 32);
    struct ras_report *report = verify(&out, true, false);
    assert_int_equal(count_of(report, "aerogpu.toc.order"), 2); /* its index, its place */
    assert_int_equal(count_of(report, "aerogpu.toc.coverage"), 1);
    assert_int_equal(count_of(report, "aerogpu.toc.end"), 0);
    ras_report_free(report);
    out_free(&out);
}

/* Referenced blobs are checked only on request; an empty stream is not a fault. */
static void references_are_deep(void **state)
{
    (void)state;
    struct out out = {0};
    put_header(&out, 2, "{}");
    put_marker(&out, RAS_AERO_BEGIN_FRAME, 0);
    put_blob(&out, 1, RAS_AERO_CMD_STREAM, "", 0);
    put_submission(&out, 1);
    put_submission(&out, 2);
    put_marker(&out, RAS_AERO_PRESENT, 0);
    struct ras_report *report = verify(&out, true, false);
    assert_int_equal(count_of(report, "aerogpu.submission.blob"), 0);
    assert_int_equal(count_of(report, "aerogpu.stream.header"), 0);
    ras_report_free(report);
    report = verify(&out, false, true);
    assert_int_equal(count_of(report, "aerogpu.submission.blob"), 1);
    ras_report_free(report);
    out_free(&out);
}

static bool take_progress(void *user, uint64_t done, uint64_t total)
{
    uint64_t *reached = user;
    assert_true(done > *reached && done <= total);
    *reached = done;
    return true;
}

static void progress_goes_to_the_end(void **state)
{
    (void)state;
    struct out out = {0};
    uint64_t reached = 0;
    put_header(&out, 1, "{}");
    while (out.len < 3 << 20)
        put_marker(&out, RAS_AERO_BEGIN_FRAME, 1);
    struct ras_trace *t;
    struct ras_report *report;
    const struct ras_verify_options options = {.progress = take_progress, .user = &reached};
    assert_int_equal(ras_open_memory(&t, out.at, out.len, NULL, &err), RAS_OK);
    assert_int_equal(ras_verify(&report, t, &options, &err), RAS_OK);
    assert_true(reached >= 2 << 20);
    ras_report_free(report);
    ras_close(t);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_states_its_condition),
        cmocka_unit_test(good_trace_has_no_errors),
        cmocka_unit_test(toc_in_any_order_finds_its_frames),
        cmocka_unit_test(same_entry_twice_is_an_overlap),
        cmocka_unit_test(references_are_deep),
        cmocka_unit_test(progress_goes_to_the_end),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_check", tests, NULL, NULL);
}
