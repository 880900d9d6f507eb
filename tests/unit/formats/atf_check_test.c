/* atf_check_test.c - each rule reports what breaks it, and nothing else. */
#include "../calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* A session that breaks no rule: four events and one detail, all times filled in. */
struct made_session {
    struct out index, detail;
};

static void put_time(struct out *o, size_t at, uint64_t time)
{
    for (unsigned i = 0; i < 8; i++)
        o->at[at + i] = (uint8_t)(time >> 8 * i);
}

static void put_spec_detail(struct out *o)
{
    put_le(o, 124, 4);
    put_le(o, RAS_ATF_FUNCTION_CALL, 4);
    put_le(o, 1, 4); /* index_seq */
    put_le(o, 0, 4);
    put_le(o, 110, 8);
    put_le(o, 8, 8); /* function_id */
    put_zeros(o, 92);
}

static struct made_session make(void)
{
    struct made_session m = {0};
    put_index_header(&m.index, 0, 4, 64 + 128);
    m.index.at[8] = RAS_ATF_HAS_DETAIL;
    put_event(&m.index, 100, 7, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL);
    put_event(&m.index, 110, 8, RAS_ATF_CALL, 2, 0);
    put_event(&m.index, 120, 8, RAS_ATF_RETURN, 2, RAS_ATF_NO_DETAIL);
    put_event(&m.index, 130, 7, RAS_ATF_RETURN, 1, RAS_ATF_NO_DETAIL);
    put_index_footer(&m.index, 4);
    put_time(&m.index, 48, 100);
    put_time(&m.index, 56, 130);
    put_time(&m.index, 192 + 16, 100);
    put_time(&m.index, 192 + 24, 130);
    put_detail_header(&m.detail, 1, 124);
    put_time(&m.detail, 44, 1);
    put_time(&m.detail, 52, 1);
    put_spec_detail(&m.detail);
    put_detail_footer(&m.detail, 1, 124);
    put_time(&m.detail, 188 + 24, 110);
    put_time(&m.detail, 188 + 32, 110);
    return m;
}

/* The findings of a session, as "rule@offset ..."; notes are left out. */
static void find(const struct made_session *m, bool strict, bool deep, char *out, size_t room)
{
    struct ras_part parts[] = {{"thread_0/index.atf", made(&m->index)},
                               {"thread_0/detail.atf", made(&m->detail)}};
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_verify_options options = {.strict = strict, .deep = deep};
    out[0] = 0;
    assert_int_equal(ras_open_parts(&t, parts, m->detail.len ? 2 : 1, NULL, NULL), RAS_OK);
    assert_int_equal(ras_verify(&report, t, &options, NULL), RAS_OK);
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ras_finding *f = &report->findings[i];
        size_t len = strlen(out);
        if (f->severity != RAS_NOTE && strcmp(f->rule->id, "atf.manifest.missing") != 0)
            snprintf(out + len, room - len, "%s@%u ", f->rule->id + 4, (unsigned)f->offset);
    }
    ras_report_free(report);
    ras_close(t);
}

static void a_good_session_breaks_no_rule(void **state)
{
    (void)state;
    struct made_session m = make();
    char got[500];
    find(&m, true, true, got, sizeof got);
    assert_string_equal(got, "");
    out_free(&m.index);
    out_free(&m.detail);
}

/* One changed byte each. */
static void each_rule_is_found_where_it_is_broken(void **state)
{
    (void)state;
    static const struct {
        bool detail;
        unsigned at;
        uint8_t value;
        const char *want;
    } changes[] = {
        {false, 6, 3, "header.codes@6 header.pair@6 "},
        {false, 7, 9, "header.codes@7 header.pair@6 "},
        {false, 8, 0, "header.has-detail@8 "},
        {false, 9, 1, "reserved@8 "},
        {false, 16, 0, "header.codes@16 "},
        {false, 18, 1, "reserved@17 "},
        {false, 20, 1, "reserved@20 "},
        {false, 28, 5, "header.count@28 "},
        {false, 40, 0, "footer.place@40 header.footer-offset@40 "},
        {false, 48, 1, "header.time@48 "},
        {false, 56, 1, "header.time@56 "},
        {false, 64 + 16, 1, "event.thread@80 "},
        {false, 64 + 20, 9, "event.kind@84 "},
        {false, 96 + 28, 1, "link.dangling@124 link.orphan@72 "},
        {false, 96 + 8, 9, "link.function@88 "},
        {false, 96 + 20, 2, "link.type@68 "},
        {false, 160 + 28, 0, "link.dangling@188 "},
        {false, 192 + 4, 1, "footer.checksum@196 "},
        {false, 192 + 8, 5, "footer.count@200 "},
        {false, 192 + 16, 1, "footer.time@208 "},
        {false, 192 + 32, 1, "footer.bytes@224 "},
        {false, 192 + 63, 1, "reserved@232 "},
        {true, 8, 1, "reserved@8 "},
        {true, 12, 1, "header.pair@6 header.thread@12 detail.thread@76 "},
        {true, 16, 1, "reserved@16 "},
        {true, 28, 2, "header.count@28 "},
        {true, 36, 1, "header.bytes@36 "},
        {true, 44, 0, "header.seq-range@44 "},
        {true, 63, 1, "reserved@60 "},
        {true, 64 + 4, 4, "link.type@68 "},
        {true, 64 + 4, 5, "detail.type@68 "},
        {true, 64 + 8, 2, "link.orphan@124 header.seq-range@44 link.orphan@72 "},
        {true, 64 + 8, 9, "link.orphan@124 header.seq-range@44 link.dangling@72 "},
        {true, 64 + 16, 9, "link.time@80 footer.time@212 footer.time@220 "},
        {true, 64 + 24 + 96, 1, "detail.payload@88 "},
        {true, 64 + 24 + 98, 1, "reserved@186 "},
        {true, 188 + 4, 1, "footer.checksum@192 "},
        {true, 188 + 8, 2, "footer.count@196 "},
        {true, 188 + 16, 2, "footer.bytes@204 "},
        {true, 188 + 40, 2, "reserved@228 "},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct made_session m = make();
        char got[500];
        struct out *o = changes[i].detail ? &m.detail : &m.index;
        o->at[changes[i].at] = changes[i].value;
        find(&m, true, true, got, sizeof got);
        if (strcmp(got, changes[i].want) != 0)
            fail_msg("byte %u of the %s: '%s', not '%s'", changes[i].at,
                     changes[i].detail ? "details" : "index", got, changes[i].want);
        out_free(&m.index);
        out_free(&m.detail);
    }
}

static void links_are_only_checked_on_request(void **state)
{
    (void)state;
    struct made_session m = make();
    char got[500];
    m.detail.at[64 + 16] = 111; /* its time */
    put_time(&m.detail, 188 + 24, 111);
    put_time(&m.detail, 188 + 32, 111);
    find(&m, true, false, got, sizeof got);
    assert_string_equal(got, "");
    find(&m, true, true, got, sizeof got);
    assert_string_equal(got, "link.time@80 ");
    out_free(&m.index);
    out_free(&m.detail);
}

/* After a crash a link may lead to a record that was never stored. */
static void links_of_unclosed_files_may_be_lost(void **state)
{
    (void)state;
    struct made_session m = make();
    char got[500];
    m.index.len = 64 + 32; /* the event that the detail names is gone */
    m.index.at[28] = 0;
    m.index.at[40] = 64;
    find(&m, false, true, got, sizeof got);
    assert_string_equal(got, "footer.missing@96 link.lost@72 ");
    out_free(&m.index);
    out_free(&m.detail);
}

static void unmatched_calls_are_notes(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    struct ras_report *report;
    put_index(&o, 0, 3); /* three calls, no return */
    put_time(&o, 48, 100);
    put_time(&o, 56, 120);
    put_time(&o, 160 + 16, 100);
    put_time(&o, 160 + 24, 120);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_verify(&report, t, NULL, NULL), RAS_OK);
    assert_int_equal(report->finding_count, 1);
    assert_string_equal(report->findings[0].rule->id, "atf.call.unmatched");
    assert_int_equal(report->findings[0].severity, RAS_NOTE);
    assert_string_equal(report->findings[0].text, "3 calls without a return, event 2 first");
    ras_report_free(report);
    ras_close(t);
    out_free(&o);
}

static void every_rule_has_an_id_of_its_own(void **state)
{
    (void)state;
    const struct ras_rule *rule;
    for (size_t i = 0; (rule = ras_rule_at("atf", i)); i++) {
        assert_memory_equal(rule->id, "atf.", 4);
        assert_true(rule->strict >= rule->severity);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rule->id, ras_rule_at("atf", j)->id);
    }
}

static bool take_progress(void *user, uint64_t done, uint64_t total)
{
    uint64_t *last = user;
    assert_true(done > *last && done <= total);
    *last = done;
    return true;
}

static void progress_goes_to_the_end(void **state)
{
    (void)state;
    struct out index = {0}, other = {0};
    put_index(&index, 0, 50000);
    put_index(&other, 1, 50000);
    const struct ras_part parts[] = {{"thread_0/index.atf", made(&index)},
                                     {"thread_1/index.atf", made(&other)}};
    struct ras_trace *t;
    struct ras_report *report;
    uint64_t last = 0;
    const struct ras_verify_options options = {.progress = take_progress, .user = &last};
    assert_int_equal(ras_open_parts(&t, parts, 2, NULL, NULL), RAS_OK);
    assert_int_equal(ras_verify(&report, t, &options, NULL), RAS_OK);
    assert_true(last > index.len + (1 << 20));
    ras_report_free(report);
    ras_close(t);
    out_free(&index);
    out_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_session_breaks_no_rule),
        cmocka_unit_test(each_rule_is_found_where_it_is_broken),
        cmocka_unit_test(links_are_only_checked_on_request),
        cmocka_unit_test(links_of_unclosed_files_may_be_lost),
        cmocka_unit_test(unmatched_calls_are_notes),
        cmocka_unit_test(every_rule_has_an_id_of_its_own),
        cmocka_unit_test(progress_goes_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
