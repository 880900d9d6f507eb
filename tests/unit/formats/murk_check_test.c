/* murk_check_test.c - each rule of a replay is broken once and reported at its offset. */
#include "../replay.h"
#include "core/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const uint64_t seven = 7;

/* Verifies the bytes, "severity rule@offset+length; ...", then frees them. */
static void finds(struct out *o, bool strict, const char *want)
{
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_verify_options how = {.strict = strict, .deep = true};
    char got[600] = "";
    size_t len = 0;
    assert_int_equal(ras_open_memory(&t, o->at, o->len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_verify(&report, t, &how, NULL), RAS_OK);
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ras_finding *f = &report->findings[i];
        assert_true(f->offset + f->length <= o->len);
        assert_true(*f->text);
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%s %s@%" PRIu64 "+%" PRIu64,
                                len ? "; " : "", ras_severity_name(f->severity), f->rule->id,
                                f->offset - HEADER_SIZE, f->length);
    }
    assert_string_equal(got, want);
    ras_report_free(report);
    ras_close(t);
    out_free(o);
}

static struct out header(void)
{
    struct out o = {0};
    put_header(&o);
    return o;
}

static void put_one(struct out *o, const struct command *c)
{
    put_u64(o, 1);
    put_u32(o, 1);
    put_command(o, c);
    put_u64(o, 17);
}

static void a_good_replay_has_no_findings(void **state)
{
    (void)state;
    struct out o = header();
    for (uint64_t tick = 5; tick < 50; tick++)
        put_despawns(&o, tick, (uint32_t)tick % 4);
    finds(&o, true, "");
}

static void no_frames_is_a_note(void **state)
{
    (void)state;
    struct out o = header();
    finds(&o, true, "note murk.frames.none@0+0");
}

static void an_unset_config_hash_is_a_note_at_its_place(void **state)
{
    (void)state;
    struct out o = header();
    put_frame(&o, 1);
    memset(o.at + HEADER_SIZE - 24, 0, 8);
    finds(&o, true, "note murk.config.unset@18446744073709551592+8"); /* 24 before the body */
}

static void cut_and_damaged_frames_are_errors(void **state)
{
    (void)state;
    struct out o = header();
    put_frame(&o, 1);
    put_despawns(&o, 2, 1);
    o.len -= 1;
    finds(&o, false, "error murk.frame.cut@20+51");
    o = header();
    put_frame(&o, 1);
    put_u64(&o, 2);
    put_u32(&o, 1000001);
    finds(&o, false, "error murk.frame.damaged@28+4");
    o = header();
    put_despawns(&o, 1, 2);
    o.at[HEADER_SIZE + 12 + 14] = 2;
    finds(&o, false, "note murk.frames.none@0+0; error murk.frame.damaged@26+58");
}

static void payloads_are_checked_one_by_one(void **state)
{
    (void)state;
    struct out o = header();
    put_one(&o, &(struct command){.tag = 9, .payload = "ab", .payload_len = 2, .expires = 9});
    finds(&o, false, "error murk.payload.type@12+1");
    o = header();
    put_one(&o, &(struct command){.tag = 2, .payload = "ab", .payload_len = 2, .expires = 9});
    finds(&o, false, "error murk.payload.short@17+2");
    o = header();
    put_one(&o,
            &(struct command){.tag = 2, .payload = "12345678ab", .payload_len = 10, .expires = 9});
    struct out again = header();
    put_one(&again,
            &(struct command){.tag = 2, .payload = "12345678ab", .payload_len = 10, .expires = 9});
    finds(&o, false, "note murk.payload.trailing@25+2");
    finds(&again, true, "error murk.payload.trailing@25+2");
}

static void ticks_that_jump_or_go_back_are_reported(void **state)
{
    (void)state;
    struct out o = header();
    static const uint64_t ticks[] = {3, 4, 6, 6, 2, UINT64_MAX};
    for (size_t i = 0; i < 6; i++)
        put_frame(&o, ticks[i]);
    finds(&o, true,
          "note murk.tick.step@40+8; warning murk.tick.order@60+8; warning murk.tick.order@80+8; "
          "note murk.tick.step@100+8");
}

static void sources_expiry_and_arrival_are_noted(void **state)
{
    (void)state;
    struct out o = header();
    put_u64(&o, 5);
    put_u32(&o, 3);
    struct command c = {.tag = 2, .payload = "12345678", .payload_len = 8, .expires = 5};
    c.arrival = 4;
    put_command(&o, &c); /* valid: it may expire after its own tick */
    c.arrival = 3;
    put_command(&o, &c);
    c.arrival = 3;
    c.expires = 4;
    c.source_seq = &seven;
    put_command(&o, &c);
    put_u64(&o, 0);
    finds(&o, true,
          "note murk.arrival.order@44+32; note murk.command.expired@76+40; "
          "note murk.source.seq-alone@76+40");
}

static void a_tail_of_zeros_is_reported_once(void **state)
{
    (void)state;
    struct out o = header();
    put_frame(&o, 1);
    for (int i = 0; i < 50; i++)
        out_byte(&o, 0);
    finds(&o, false,
          "warning murk.tail.zero@20+50; warning murk.tick.order@20+8; "
          "warning murk.tick.order@40+8; error murk.frame.cut@60+10");
    o = header();
    put_frame(&o, 0); /* an empty first tick with a hash of 0, and more frames after it */
    put_frame(&o, 1);
    finds(&o, false, "");
}

static void a_second_header_is_reported(void **state)
{
    (void)state;
    struct out o = header();
    put_frame(&o, 1);
    put_header(&o);
    finds(&o, true, "error murk.frame.cut@20+54; error murk.header.second@20+54");
    o = header();
    put_frame(&o, 1);
    out_bytes(&o, "MURK", 4);
    finds(&o, false, "error murk.frame.cut@20+4; warning murk.header.second@20+4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_replay_has_no_findings),
        cmocka_unit_test(no_frames_is_a_note),
        cmocka_unit_test(an_unset_config_hash_is_a_note_at_its_place),
        cmocka_unit_test(cut_and_damaged_frames_are_errors),
        cmocka_unit_test(payloads_are_checked_one_by_one),
        cmocka_unit_test(ticks_that_jump_or_go_back_are_reported),
        cmocka_unit_test(sources_expiry_and_arrival_are_noted),
        cmocka_unit_test(a_tail_of_zeros_is_reported_once),
        cmocka_unit_test(a_second_header_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
