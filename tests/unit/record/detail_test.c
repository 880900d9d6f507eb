/* detail_test.c - events with details: links in both directions, what a ring refuses, rules for
 * details. */
#include "script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS = 3000 };

static struct ras_trace *trace_of(const char *dir)
{
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_error err = {0};
    if (ras_open(&t, dir, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(ras_verify(&report, t, &(struct ras_verify_options){.deep = true}, &err),
                     RAS_OK);
    assert_int_equal(report->by_severity[RAS_ERROR], 0);
    ras_report_free(report);
    return t;
}

static void start(const char *dir, enum ras_record_policy policy, size_t detail_bytes)
{
    struct ras_error err = {0};
    const struct ras_record_options options = {
        .exact = dir, .policy = policy, .ring_bytes = 1 << 20, .detail_bytes = detail_bytes};
    if (ras_record_start(&options, &err) < 0)
        fail_msg("%s", err.text);
}

/* Every third event has a detail; stacks of any size, and payloads of the caller's own. */
static void record(void)
{
    uint8_t stack[300];
    for (unsigned i = 0; i < EVENTS; i++) {
        memset(stack, (int)i, sizeof stack);
        struct ras_detail d = {.regs = {i}, .sp = i + 1, .stack = stack, .stack_size = i % 300};
        struct ras_detail opaque = {.payload = &i, .payload_size = sizeof i};
        if (i % 3)
            ras_trace_call(i + 1);
        else
            ras_trace_detail(i % 2 ? RAS_TRACE_RETURN : RAS_TRACE_CALL, i + 1,
                             i % 9 ? &d : &opaque);
    }
}

static void check_detail(struct ras_atf_session *s, const struct ras_atf_index_event *e, unsigned i)
{
    struct ras_atf_detail_event d;
    struct ras_atf_index_event back;
    struct ras_atf_payload p;
    assert_int_equal(ras_atf_detail_of(s, 0, e, &d, NULL), RAS_OK);
    assert_int_equal(d.index_seq, i);
    assert_int_equal(d.timestamp, e->timestamp_ns);
    assert_int_equal(d.event_type, i % 2 ? RAS_ATF_FUNCTION_RETURN : RAS_ATF_FUNCTION_CALL);
    assert_int_equal(ras_atf_index_of(s, 0, &d, &back, NULL), RAS_OK);
    assert_memory_equal(&back, e, sizeof back);
    if (i % 9 == 0) {
        assert_int_equal(d.payload.len, sizeof i);
        assert_memory_equal(d.payload.at, &i, sizeof i);
        return;
    }
    assert_int_equal(ras_atf_payload_get(&d, RAS_ATF_SPEC, &p), RAS_ATF_SPEC);
    assert_int_equal(p.function_id, e->function_id);
    assert_int_equal(p.x_regs[0], i);
    assert_int_equal(p.sp, i + 1);
    assert_int_equal(p.stack.len, i % 300 < 256 ? i % 300 : 256);
    for (size_t k = 0; k < p.stack.len; k++)
        assert_int_equal(p.stack.at[k], (uint8_t)i);
}

static void details_and_events_link_to_each_other(void **state)
{
    const char *dir = scratch();
    struct ras_record_counts c;
    (void)state;
    start(dir, RAS_RECORD_BLOCK, 16384); /* it wraps many times */
    record();
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    ras_record_counts(&c);
    assert_int_equal(c.stored, EVENTS);
    assert_int_equal(c.details, EVENTS / 3);
    assert_int_equal(c.details_dropped, 0);
    struct ras_trace *t = trace_of(dir);
    struct ras_atf_session *s = ras_atf_session(t);
    for (unsigned i = 0; i < EVENTS; i++) {
        struct ras_atf_index_event e;
        assert_int_equal(ras_atf_index_at(s, 0, i, &e, NULL), RAS_OK);
        assert_int_equal(e.function_id, i + 1);
        if (i % 3 == 0)
            check_detail(s, &e, i);
        else
            assert_int_equal(e.detail_seq, RAS_ATF_NO_DETAIL);
    }
    ras_close(t);
    remove_all(dir);
}

static void events_come_before_details(void **state)
{
    const char *dir = scratch();
    struct ras_record_counts c;
    uint64_t found;
    (void)state;
    start(dir, RAS_RECORD_DROP, 4096); /* no room for all */
    record();
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    ras_record_counts(&c);
    assert_int_equal(c.stored, EVENTS);
    assert_int_equal(c.details + c.details_dropped, EVENTS / 3);
    struct ras_trace *t = trace_of(dir);
    assert_int_equal(ras_atf_detail_count(ras_atf_session(t), 0, &found, NULL), RAS_OK);
    assert_int_equal(found, c.details);
    ras_close(t);
    remove_all(dir);
}

static void a_detail_too_long_is_left_out(void **state)
{
    static const uint8_t bytes[4096];
    const char *dir = scratch();
    struct ras_record_counts c;
    (void)state;
    start(dir, RAS_RECORD_BLOCK, 4096);
    ras_trace_detail(RAS_TRACE_CALL, 1,
                     &(struct ras_detail){.payload = bytes, .payload_size = 4000});
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    ras_record_counts(&c);
    assert_int_equal(c.stored, 1);
    assert_int_equal(c.details_dropped, 1);
    remove_all(dir);
}

static void details_are_chosen_by_id_and_by_name(void **state)
{
    struct ras_error err = {0};
    (void)state;
    uint32_t module = ras_record_module("/lib/detail.so");
    uint64_t parse = ras_record_function(module, "parse_line"),
             print = ras_record_function(module, "print_line");
    assert_int_equal(ras_record_function(module, "parse_line"), parse);
    assert_int_equal(parse >> 32, module);
    assert_false(ras_record_wants_detail(parse));
    assert_int_equal(ras_record_detail(parse, true, NULL), RAS_OK);
    assert_true(ras_record_wants_detail(parse));
    assert_false(ras_record_wants_detail(print));
    assert_int_equal(ras_record_detail_matching("_line$", true, NULL), RAS_OK);
    assert_true(ras_record_wants_detail(print));
    assert_true(ras_record_wants_detail(ras_record_function(module, "skip_line")));
    assert_int_equal(ras_record_detail_matching("^p", false, NULL), RAS_OK);
    assert_false(ras_record_wants_detail(parse));
    assert_false(ras_record_wants_detail(ras_record_function(module, "peek_line")));
    assert_int_equal(ras_record_detail_matching("(", true, &err), RAS_EUSAGE);
    assert_int_equal(ras_record_detail(0, true, &err), RAS_EUSAGE);
    for (uint64_t i = 1; i < 2000; i++)
        assert_int_equal(ras_record_detail(i << 40 | i, true, NULL), RAS_OK);
    for (uint64_t i = 1; i < 2000; i++)
        assert_true(ras_record_wants_detail(i << 40 | i));
    assert_false(ras_record_wants_detail(UINT64_C(2000) << 40 | 2000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(details_and_events_link_to_each_other),
        cmocka_unit_test(events_come_before_details),
        cmocka_unit_test(a_detail_too_long_is_left_out),
        cmocka_unit_test(details_are_chosen_by_id_and_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
