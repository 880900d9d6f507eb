/* verify_test.c - findings of a trace and of its wrapping, sorted, counted, limited. */
#include "../../replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zlib.h>
#include <cmocka.h>

static struct ras_report *verify(const void *bytes, size_t size, uint32_t limit, bool strict)
{
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_options options = {.limits = {.findings = limit}};
    struct ras_verify_options how = {.strict = strict};
    assert_int_equal(ras_open_memory(&t, bytes, size, &options, NULL), RAS_OK);
    assert_int_equal(ras_verify(&report, t, &how, NULL), RAS_OK);
    ras_close(t); /* a report outlives its trace */
    return report;
}

static void findings_are_sorted_by_place_then_rule(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_frame(&o, 9);
    put_frame(&o, 3);
    out_bytes(&o, "MURK", 4);
    struct ras_report *r = verify(o.at, o.len, 0, false);
    static const char *const want[] = {"murk.tick.order", "murk.frame.cut", "murk.header.second"};
    assert_int_equal(r->finding_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(r->findings[i].rule->id, want[i]);
    assert_int_equal(r->by_severity[RAS_ERROR], 1);
    assert_int_equal(r->by_severity[RAS_WARNING], 2);
    ras_report_free(r);
    ras_report_free(NULL);
    out_free(&o);
}

static void beyond_the_limit_they_are_counted(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    for (int i = 0; i < 2000; i++)
        put_frame(&o, 5);
    struct ras_report *r = verify(o.at, o.len, 0, false);
    assert_int_equal(r->finding_count, 1000);
    assert_int_equal(r->unlisted, 999);
    assert_int_equal(r->by_severity[RAS_WARNING], 1999);
    ras_report_free(r);
    r = verify(o.at, o.len, 7, false);
    assert_int_equal(r->finding_count, 7);
    assert_int_equal(r->unlisted, 1992);
    ras_report_free(r);
    out_free(&o);
}

static size_t gzip(const struct out *o, uint8_t *to, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = o->at;
    z.avail_in = (unsigned)o->len;
    z.next_out = to;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static void one_finding(const void *bytes, size_t size, bool strict, const char *rule,
                        enum ras_severity severity, uint64_t offset)
{
    struct ras_report *r = verify(bytes, size, 0, strict);
    assert_int_equal(r->finding_count, 1);
    assert_string_equal(r->findings[0].rule->id, rule);
    assert_int_equal(r->findings[0].severity, severity);
    assert_int_equal(r->findings[0].offset, offset);
    assert_int_equal(r->findings[0].offset + r->findings[0].length, size);
    ras_report_free(r);
}

/* The replay inside is complete each time; only the wrapping is not. */
static void a_wrapping_has_rules_of_its_own(void **state)
{
    (void)state;
    struct out o = {0};
    uint8_t packed[300];
    put_header(&o);
    put_frame(&o, 1);
    size_t size = gzip(&o, packed, sizeof packed);
    one_finding(packed, size - 1, false, "trace.wrapping.cut", RAS_ERROR, size - 1);
    memcpy(packed + size, "rubbish", 7);
    one_finding(packed, size + 7, false, "trace.wrapping.trailing", RAS_WARNING, size);
    one_finding(packed, size + 7, true, "trace.wrapping.trailing", RAS_ERROR, size);
    struct ras_report *r = verify(packed, size, 0, true);
    assert_int_equal(r->finding_count, 0);
    ras_report_free(r);
    packed[size - 5] ^= 0x40; /* its checksum */
    r = verify(packed, size, 0, false);
    assert_int_equal(r->finding_count, 1);
    assert_string_equal(r->findings[0].rule->id, "trace.wrapping.damaged");
    ras_report_free(r);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_sorted_by_place_then_rule),
        cmocka_unit_test(beyond_the_limit_they_are_counted),
        cmocka_unit_test(a_wrapping_has_rules_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
