/* dial9_check_test.c - each rule is broken by one stream, and only by that. */
#include "../stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void verify(const struct out *o, const char *dialect, bool strict, struct ras_report **out)
{
    struct ras_trace *t;
    struct ras_options options = {.dialect = dialect};
    struct ras_verify_options how = {.strict = strict};
    assert_int_equal(ras_open_memory(&t, o->at, o->len, &options, NULL), RAS_OK);
    assert_int_equal(ras_verify(out, t, &how, NULL), RAS_OK);
    ras_close(t);
}

/* The stream breaks this one rule, at this offset, and no other. */
static void expect(struct out *o, const char *rule, enum ras_severity severity,
                   enum ras_severity strict, uint64_t offset)
{
    for (int s = 0; s < 2; s++) {
        struct ras_report *report;
        verify(o, NULL, s, &report);
        assert_int_equal(report->finding_count, 1);
        assert_string_equal(report->findings[0].rule->id, rule);
        assert_int_equal(report->findings[0].severity, s ? strict : severity);
        assert_int_equal(report->findings[0].offset, offset);
        ras_report_free(report);
    }
    out_free(o);
}

static struct out start(void)
{
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    put_ev(&o, 1, 1);
    return o;
}

static void a_good_stream_breaks_no_rule(void **state)
{
    (void)state;
    struct out o = start();
    struct ras_report *report;
    verify(&o, NULL, true, &report);
    assert_int_equal(report->finding_count, 0);
    ras_report_free(report);
    verify(&o, "seed", true, &report);
    assert_int_equal(report->finding_count, 0);
    ras_report_free(report);
    out_free(&o);
}

static void frames(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    out_byte(&o, 7);
    expect(&o, "dial9.frame.tag", RAS_ERROR, RAS_ERROR, at);
    o = start();
    out_bytes(&o, "\5\1", 2);
    expect(&o, "dial9.frame.cut", RAS_ERROR, RAS_ERROR, at);
    o = start();
    out_bytes(&o, "TRC\0\2", 5);
    expect(&o, "dial9.header.version", RAS_ERROR, RAS_ERROR, at);
    o = start();
    put_header(&o);
    expect(&o, "dial9.header.again", RAS_NOTE, RAS_NOTE, at);
    o = (struct out){0};
    put_header(&o);
    expect(&o, "dial9.events.none", RAS_NOTE, RAS_NOTE, 5);
}

static void schemas(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    put_schema(&o, 0, "Ev", true, 1, "w", RAS_DIAL9_VARINT);
    expect(&o, "dial9.schema.conflict", RAS_ERROR, RAS_ERROR, at);
    o = start();
    put_schema(&o, 1, "\xff", true, 0);
    expect(&o, "dial9.schema.utf8", RAS_ERROR, RAS_ERROR, at);
    o = start();
    put_schema(&o, 1, "B", true, 1, "x", 16);
    expect(&o, "dial9.schema.type", RAS_ERROR, RAS_ERROR, at);
    o = start();
    put_schema(&o, 1, "B", true, 0);
    o.at[at + 6] = 2;
    expect(&o, "dial9.schema.flag", RAS_WARNING, RAS_ERROR, at + 6);
    o = start();
    put_schema(&o, 1, "B", true, 3, "x", 9, "y", 9, "x", 9);
    expect(&o, "dial9.schema.names", RAS_NOTE, RAS_NOTE, at);
}

static void events(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    put_event(&o, 3, 1);
    expect(&o, "dial9.event.type", RAS_ERROR, RAS_ERROR, at);
    o = start();
    put_reset(&o, UINT64_MAX);
    put_ev(&o, 1, 1);
    expect(&o, "dial9.event.time", RAS_ERROR, RAS_ERROR, at + 9);
    o = start();
    put_event(&o, 0, 1);
    out_bytes(&o, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\2", 10);
    expect(&o, "dial9.event.value", RAS_ERROR, RAS_ERROR, at);
    o = start();
    put_event(&o, 0, 1);
    out_bytes(&o, "\x81\0", 2);
    expect(&o, "dial9.varint.minimal", RAS_NOTE, RAS_WARNING, at + 6);
}

static void values(void **state)
{
    (void)state;
    struct out o = start();
    put_schema(&o, 1, "O", true, 1, "o", RAS_DIAL9_U8 | RAS_DIAL9_OPTIONAL);
    put_event(&o, 1, 1);
    out_bytes(&o, "\2\1", 2);
    expect(&o, "dial9.optional.flag", RAS_WARNING, RAS_ERROR, o.len - 2);
    o = start();
    put_schema(&o, 1, "B", true, 1, "b", RAS_DIAL9_BOOL);
    put_event(&o, 1, 1);
    out_byte(&o, 2);
    expect(&o, "dial9.bool.value", RAS_NOTE, RAS_NOTE, o.len - 1);
    o = start();
    put_schema(&o, 1, "S", true, 1, "s", RAS_DIAL9_STRING);
    put_event(&o, 1, 1);
    put_long(&o, "ok\xff");
    expect(&o, "dial9.value.utf8", RAS_WARNING, RAS_ERROR, o.len - 1);
}

static void pools(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    put_string(&o, 0, "\xff");
    expect(&o, "dial9.pool.utf8", RAS_WARNING, RAS_ERROR, at + 13);
    o = start();
    put_string(&o, 0, "a");
    put_string(&o, 0, "b");
    expect(&o, "dial9.pool.again", RAS_NOTE, RAS_NOTE, at + 14 + 5);
    o = start();
    put_stack(&o, 0, 1, 1); /* its namespace is another */
    put_schema(&o, 1, "P", true, 1, "p", RAS_DIAL9_POOLED_STRING);
    put_event(&o, 1, 1);
    put_le(&o, 0, 4);
    uint64_t use = o.len - 4;
    struct out later = {0};
    out_bytes(&later, o.at, o.len);
    expect(&o, "dial9.pool.dangling", RAS_WARNING, RAS_ERROR, use);
    put_string(&later, 0, "late");
    expect(&later, "dial9.pool.forward", RAS_NOTE, RAS_NOTE, use);
}

static void annotations(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    out_bytes(&o, "\6\5\0\0", 4);
    expect(&o, "dial9.annotation.type", RAS_WARNING, RAS_WARNING, at);
    o = start();
    out_bytes(&o, "\6\0\1\0\1\0\0\0\0\0\0\0", 12);
    expect(&o, "dial9.annotation.field", RAS_WARNING, RAS_WARNING, at + 4);
    o = start();
    out_bytes(&o, "\6\0\1\0\0\0\1\0\xff\0\0\0\0", 13);
    expect(&o, "dial9.annotation.utf8", RAS_WARNING, RAS_ERROR, at + 4);
}

static void times(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    struct ras_report *report;
    put_reset(&o, 0); /* for events without a time */
    verify(&o, NULL, true, &report);
    assert_int_equal(report->finding_count, 0);
    ras_report_free(report);
    out_free(&o);
    o = start();
    put_reset(&o, UINT64_C(1) << 40);
    uint64_t back = o.len;
    put_reset(&o, 7);
    expect(&o, "dial9.reset.backwards", RAS_NOTE, RAS_NOTE, back);
    o = start();
    put_reset(&o, 0xffffff + 1);
    expect(&o, "dial9.reset.needless", RAS_NOTE, RAS_NOTE, at);
    o = start();
    put_reset(&o, 0xffffff + 2); /* one beyond a delta */
    put_ev(&o, 0, 1);
    verify(&o, NULL, true, &report);
    assert_int_equal(report->finding_count, 0);
    ras_report_free(report);
    out_free(&o);
}

static void zeros_at_the_end_have_a_rule_of_their_own(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    put_le(&o, 0, 8);
    struct ras_report *report;
    verify(&o, NULL, false, &report);
    assert_int_equal(report->finding_count, 2);
    assert_string_equal(report->findings[1].rule->id, "dial9.tail.zero");
    assert_int_equal(report->findings[1].offset, at);
    ras_report_free(report);
    out_free(&o);
}

/* Many of a kind are one finding a batch, so that the others are still listed. */
static void findings_of_a_batch_are_counted(void **state)
{
    (void)state;
    struct out o = {0};
    for (int batch = 0; batch < 2; batch++) {
        put_header(&o);
        put_ev_schema(&o);
        for (int i = 0; i < 5000; i++) {
            put_event(&o, 0, 1);
            out_bytes(&o, "\x80\0", 2);
        }
    }
    struct ras_report *report;
    verify(&o, NULL, false, &report);
    assert_int_equal(report->finding_count, 2);
    assert_non_null(strstr(report->findings[0].text, "the first of 5000 in batch 0"));
    assert_int_equal(report->unlisted, 0);
    ras_report_free(report);
    out_free(&o);
}

static void the_seed_dialect_has_one_header(void **state)
{
    (void)state;
    struct out o = start();
    uint64_t at = o.len;
    put_header(&o);
    struct ras_report *report;
    verify(&o, "seed", true, &report);
    assert_int_equal(report->finding_count, 1);
    assert_string_equal(report->findings[0].rule->id, "dial9.frame.tag");
    assert_int_equal(report->findings[0].offset, at);
    ras_report_free(report);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_stream_breaks_no_rule),
        cmocka_unit_test(frames),
        cmocka_unit_test(schemas),
        cmocka_unit_test(events),
        cmocka_unit_test(values),
        cmocka_unit_test(pools),
        cmocka_unit_test(annotations),
        cmocka_unit_test(times),
        cmocka_unit_test(zeros_at_the_end_have_a_rule_of_their_own),
        cmocka_unit_test(findings_of_a_batch_are_counted),
        cmocka_unit_test(the_seed_dialect_has_one_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
