/* atf_repair_test.c - what repair changes in sessions that were not closed, and what it keeps. */
#include <rastrum/atf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { EVENTS = 20, EACH = 4, DETAILS = EVENTS / EACH };

/* A session of two threads, the first with details, as a recorder leaves it: closed or not. Its
 * parts may be cut before it is opened. */
struct made {
    struct ras_folder *folder;
    struct ras_part parts[4];
    size_t count;
    struct ras_trace *trace;
    struct ras_repair *repair;
};

static void put(struct ras_atf_writer *w, uint32_t thread, unsigned i)
{
    uint8_t bytes[128];
    struct ras_atf_index_event e = {.timestamp_ns = 100 + 10 * i,
                                    .function_id = UINT64_C(0x2a00000001),
                                    .thread_id = thread,
                                    .event_kind = i % 2 ? RAS_ATF_RETURN : RAS_ATF_CALL,
                                    .call_depth = 1};
    struct ras_atf_payload payload = {.form = RAS_ATF_SPEC, .function_id = e.function_id};
    struct ras_atf_detail_event d = {.payload.at = bytes};
    assert_true(ras_atf_payload_put(&payload, bytes, sizeof bytes, &d.payload.len));
    bool has = !thread && i % EACH == 0;
    assert_int_equal(ras_atf_writer_event(w, &e, has ? &d : NULL, NULL), RAS_OK);
}

static void make(struct made *m, bool finalize)
{
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w;
    *m = (struct made){0};
    assert_int_equal(ras_folder_memory(&m->folder, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_open(&s, m->folder, NULL, NULL), RAS_OK);
    for (uint32_t t = 0; t < 2; t++) {
        assert_int_equal(ras_atf_session_writer_thread(s, t, &w, NULL), RAS_OK);
        for (unsigned i = 0; i < EVENTS; i++)
            put(w, t, i);
    }
    if (finalize)
        assert_int_equal(ras_atf_session_writer_finalize(s, NULL, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_close(s, NULL), RAS_OK);
    const struct ras_part *parts = ras_folder_parts(m->folder, &m->count);
    memcpy(m->parts, parts, m->count * sizeof *parts);
}

static struct ras_part *part_of(struct made *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++)
        if (!strcmp(m->parts[i].name, name))
            return &m->parts[i];
    fail_msg("no part %s", name);
    return NULL;
}

/* Repair it into a folder, which the caller drops. */
static struct ras_folder *repair(struct made *m, bool drop)
{
    struct ras_folder *out;
    assert_int_equal(ras_folder_memory(&out, NULL), RAS_OK);
    struct ras_repair_options options = {
        .folder = out, .choices = &(struct ras_choice){"drop-dangling", 0}, .choice_count = drop};
    assert_int_equal(ras_open_parts(&m->trace, m->parts, m->count, NULL, NULL), RAS_OK);
    assert_int_equal(ras_repair(&m->repair, m->trace, &options, NULL), RAS_OK);
    assert_int_equal(m->repair->after.kind, RAS_COMPLETE);
    return out;
}

static void drop(struct made *m, struct ras_folder *out)
{
    ras_repair_free(m->repair);
    ras_close(m->trace);
    ras_folder_drop(m->folder);
    ras_folder_drop(out);
}

static void open_folder(struct ras_folder *folder, struct ras_trace **trace)
{
    size_t count;
    const struct ras_part *parts = ras_folder_parts(folder, &count);
    assert_int_equal(ras_open_parts(trace, parts, count, NULL, NULL), RAS_OK);
}

static uint64_t found(const struct ras_trace *trace, const char *rule)
{
    struct ras_verify_options strictly = {.strict = true, .deep = true};
    struct ras_report *report;
    uint64_t count = 0;
    assert_int_equal(ras_verify(&report, (struct ras_trace *)trace, &strictly, NULL), RAS_OK);
    assert_int_equal(report->by_severity[RAS_ERROR], 0);
    for (size_t i = 0; i < report->finding_count; i++)
        count += !strcmp(report->findings[i].rule->id, rule);
    ras_report_free(report);
    return count;
}

/* ---- tests ------------------------------------------------------------------------- */

static void a_closed_session_needs_nothing(void **state)
{
    (void)state;
    struct made m;
    make(&m, true);
    struct ras_folder *out = repair(&m, false);
    assert_int_equal(m.repair->plan.patch_count, 0);
    assert_int_equal(m.repair->plan.note_count, 0);
    drop(&m, out);
}

/* Closed by repair, it has the same bytes as one that its recorder closed. */
static void an_open_session_is_repaired_to_its_closed_form(void **state)
{
    (void)state;
    struct made open, closed;
    make(&open, false);
    make(&closed, true);
    struct ras_folder *out = repair(&open, false);
    assert_int_equal(open.repair->plan.lost_bytes, 0);
    size_t count;
    const struct ras_part *parts = ras_folder_parts(out, &count);
    assert_int_equal(count, closed.count);
    for (size_t i = 0; i < count; i++) {
        const struct ras_part *want = part_of(&closed, parts[i].name);
        assert_int_equal(parts[i].bytes.len, want->bytes.len);
        assert_memory_equal(parts[i].bytes.at, want->bytes.at, want->bytes.len);
    }
    drop(&open, out);
    ras_folder_drop(closed.folder);
}

/* Two details are lost, and three events that others name. */
static struct ras_folder *repair_crash(struct made *m, bool dropping)
{
    make(m, false);
    part_of(m, "thread_0/detail.atf")->bytes.len = 64 + 3 * 124 + 50;
    part_of(m, "thread_0/index.atf")->bytes.len = 64 + 8 * 32 + 9;
    return repair(m, dropping);
}

static void links_that_lead_nowhere_stay_and_are_counted(void **state)
{
    (void)state;
    struct made m;
    struct ras_trace *t;
    struct ras_atf_index_event e;
    struct ras_folder *out = repair_crash(&m, false);
    assert_int_equal(m.repair->plan.lost_bytes, 50 + 9);
    assert_int_equal(m.repair->plan.lost_records, 2);
    open_folder(out, &t);
    assert_int_equal(found(t, "atf.link.lost"), 1); /* detail 2 names event 8 of 0 to 7 */
    assert_int_equal(found(t, "atf.manifest.missing"), 0);
    const struct ras_atf_manifest *manifest = ras_atf_manifest(ras_atf_session(t), 0);
    assert_int_equal(manifest->repaired_count, 1);
    assert_int_equal(manifest->repaired[0], 0);
    assert_int_equal(ras_atf_index_at(ras_atf_session(t), 0, 4, &e, NULL), RAS_OK);
    assert_int_equal(e.detail_seq, 1);
    ras_close(t);
    drop(&m, out);
}

static void links_are_cleared_on_request(void **state)
{
    (void)state;
    struct made m;
    struct ras_trace *t;
    struct ras_atf_detail_event d;
    struct ras_folder *out = repair_crash(&m, true);
    open_folder(out, &t);
    assert_int_equal(found(t, "atf.link.lost"), 0);
    assert_int_equal(ras_atf_manifest(ras_atf_session(t), 0)->repaired_count, 0);
    assert_int_equal(ras_atf_detail_at(ras_atf_session(t), 0, 2, &d, NULL), RAS_OK);
    assert_int_equal(d.index_seq, UINT32_MAX);
    assert_int_equal(ras_atf_detail_at(ras_atf_session(t), 0, 1, &d, NULL), RAS_OK);
    assert_int_equal(d.index_seq, 4);
    ras_close(t);
    drop(&m, out);
}

static void events_without_their_details_can_be_unlinked(void **state)
{
    (void)state;
    struct made m;
    struct ras_trace *t;
    struct ras_atf_index_event e;
    make(&m, false);
    part_of(&m, "thread_0/detail.atf")->bytes.len = 64 + 124;
    struct ras_folder *out = repair(&m, true);
    open_folder(out, &t);
    assert_int_equal(found(t, "atf.link.lost"), 0);
    for (unsigned i = 0; i < EVENTS; i++) {
        assert_int_equal(ras_atf_index_at(ras_atf_session(t), 0, i, &e, NULL), RAS_OK);
        assert_int_equal(e.detail_seq, i ? UINT32_MAX : 0);
    }
    ras_close(t);
    drop(&m, out);
}

static void a_lone_index_keeps_its_links(void **state)
{
    (void)state;
    struct made m;
    struct ras_trace *t;
    struct ras_sink *sink;
    struct ras_repair *r;
    struct ras_atf_index_event e;
    make(&m, false);
    struct ras_bytes index = part_of(&m, "thread_0/index.atf")->bytes;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    struct ras_repair_options options = {
        .sink = sink, .choices = &(struct ras_choice){"drop-dangling", 0}, .choice_count = 1};
    assert_int_equal(ras_open_memory(&t, index.at, index.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_repair(&r, t, &options, NULL), RAS_OK);
    ras_repair_free(r);
    ras_close(t);
    index = ras_sink_bytes(sink);
    assert_int_equal(ras_open_memory(&t, index.at, index.len, NULL, NULL), RAS_OK);
    assert_int_equal(found(t, "atf.link.lost"), 0);
    assert_int_equal(ras_atf_index_at(ras_atf_session(t), 0, EACH, &e, NULL), RAS_OK);
    assert_int_equal(e.detail_seq, 1);
    ras_close(t);
    ras_sink_drop(sink);
    ras_folder_drop(m.folder);
}

/* A manifest that can be read keeps every byte; missing entries are inserted. */
static void a_manifest_is_added_to(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"{}", "{\n  \"threads\": [{\"id\": 0, \"has_detail\": true}, "
               "{\"id\": 1, \"has_detail\": false}],\n  \"repaired\": [0]}"},
        {"{\"threads\": [], \"mode\": {\"x\": [1]}}",
         "{\"threads\": [{\"id\": 0, \"has_detail\": true}, {\"id\": 1, \"has_detail\": false}], "
         "\"mode\": {\"x\": [1]},\n  \"repaired\": [0]}"},
        {"{\"repaired\": [7], \"threads\": [{\"id\": 1}]}",
         "{\"repaired\": [7, 0], \"threads\": [{\"id\": 1}, {\"id\": 0, \"has_detail\": true}]}"},
        {"{\"threads\": 5}", "{\"threads\": 5,\n  \"threads\": [{\"id\": 0, \"has_detail\": true}, "
                             "{\"id\": 1, \"has_detail\": false}],\n  \"repaired\": [0]}"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct made m;
        size_t count;
        make(&m, false);
        part_of(&m, "thread_0/detail.atf")->bytes.len = 64 + 124;
        m.parts[m.count++] =
            (struct ras_part){"manifest.json", {(const uint8_t *)texts[i][0], strlen(texts[i][0])}};
        struct ras_folder *out = repair(&m, false);
        const struct ras_part *parts = ras_folder_parts(out, &count);
        for (size_t k = 0; k < count; k++)
            if (!strcmp(parts[k].name, "manifest.json")) {
                assert_int_equal(parts[k].bytes.len, strlen(texts[i][1]));
                assert_memory_equal(parts[k].bytes.at, texts[i][1], parts[k].bytes.len);
            }
        drop(&m, out);
    }
}

static void a_file_without_its_header_is_rewritten(void **state)
{
    (void)state;
    struct made m;
    struct ras_trace *t;
    struct ras_atf_thread thread;
    make(&m, false);
    part_of(&m, "thread_1/index.atf")->bytes.len = 30;
    part_of(&m, "thread_0/detail.atf")->bytes.len = 0;
    struct ras_folder *out = repair(&m, false);
    open_folder(out, &t);
    assert_int_equal(found(t, "atf.link.lost"), 1);
    assert_int_equal(ras_atf_thread_at(ras_atf_session(t), 1, &thread, NULL), RAS_OK);
    assert_int_equal(thread.index.count, 0);
    assert_int_equal(thread.index.header.thread_id, 1);
    ras_close(t);
    drop(&m, out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_session_needs_nothing),
        cmocka_unit_test(an_open_session_is_repaired_to_its_closed_form),
        cmocka_unit_test(links_that_lead_nowhere_stay_and_are_counted),
        cmocka_unit_test(links_are_cleared_on_request),
        cmocka_unit_test(events_without_their_details_can_be_unlinked),
        cmocka_unit_test(a_lone_index_keeps_its_links),
        cmocka_unit_test(a_manifest_is_added_to),
        cmocka_unit_test(a_file_without_its_header_is_rewritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
