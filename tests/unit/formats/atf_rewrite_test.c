/* atf_rewrite_test.c - slices, joined sessions and the specified form, link by link. */
#include <rastrum/atf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { EVENTS = 40, EACH = 4 };

#define FUNCTION(module, symbol) ((uint64_t)(module) << 32 | (symbol))

/* ---- sources -------------------------------------------------------------------------- */

struct made {
    struct ras_folder *folder;
    struct ras_trace *trace;
};

static void open_folder(struct made *m)
{
    size_t count;
    const struct ras_part *parts = ras_folder_parts(m->folder, &count);
    assert_int_equal(ras_open_parts(&m->trace, parts, count, NULL, NULL), RAS_OK);
}

/* Threads first, first + 1: every fourth event has a detail; ten events for a function. */
static void make(struct made *m, uint32_t first, const char *name)
{
    struct ras_atf_module module = {.module_id = 7, .path = "/bin/x", .uuid = ""};
    struct ras_atf_symbol symbols[EVENTS / 10];
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w;
    assert_int_equal(ras_folder_memory(&m->folder, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_open(&s, m->folder, NULL, NULL), RAS_OK);
    for (uint32_t t = first; t < first + 2; t++) {
        assert_int_equal(ras_atf_session_writer_thread(s, t, &w, NULL), RAS_OK);
        for (unsigned i = 0; i < EVENTS; i++) {
            uint8_t bytes[RAS_ATF_PAYLOAD_SIZE];
            struct ras_atf_index_event e = {.timestamp_ns = 1000 + 10 * i + t,
                                            .function_id = FUNCTION(7, i / 10),
                                            .thread_id = t,
                                            .event_kind = i % 2 ? RAS_ATF_RETURN : RAS_ATF_CALL,
                                            .call_depth = 1};
            struct ras_atf_payload p = {
                .form = RAS_ATF_SPEC, .function_id = e.function_id, .x_regs = {i}};
            struct ras_atf_detail_event d = {.payload.at = bytes};
            assert_true(ras_atf_payload_put(&p, bytes, sizeof bytes, &d.payload.len));
            assert_int_equal(ras_atf_writer_event(w, &e, i % EACH ? NULL : &d, NULL), RAS_OK);
        }
    }
    for (uint32_t i = 0; i < EVENTS / 10; i++)
        symbols[i] =
            (struct ras_atf_symbol){FUNCTION(7, i), 7, i, name, (uint32_t)strlen(name), 0, 0};
    const struct ras_atf_drop drops[] = {{first, 3, "ring_full"}, {first + 1, 4, "disk_slow"}};
    const struct ras_atf_manifest manifest = {.modules = &module,
                                              .module_count = 1,
                                              .symbols = symbols,
                                              .symbol_count = EVENTS / 10,
                                              .drops = drops,
                                              .drop_count = 2};
    assert_int_equal(ras_atf_session_writer_finalize(s, &manifest, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_close(s, NULL), RAS_OK);
    open_folder(m);
}

static void drop(struct made *m)
{
    ras_close(m->trace);
    ras_folder_drop(m->folder);
}

static int rewrite(struct made *out, struct ras_trace *const *traces, size_t count,
                   struct ras_rewrite_options how, struct ras_rewritten **result)
{
    struct ras_rewritten *r;
    struct ras_error err;
    *out = (struct made){0};
    assert_int_equal(ras_folder_memory(&out->folder, NULL), RAS_OK);
    how.folder = out->folder;
    int status = ras_rewrite(&r, traces, count, &how, &err);
    if (status < 0) {
        ras_folder_drop(out->folder);
        return status;
    }
    if (result)
        *result = r;
    else
        ras_rewritten_free(r);
    open_folder(out);
    return RAS_OK;
}

static void holds(struct ras_trace *t)
{
    struct ras_verify_options strictly = {.strict = true, .deep = true};
    struct ras_report *report;
    assert_int_equal(ras_verify(&report, t, &strictly, NULL), RAS_OK);
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].severity != RAS_NOTE)
            fail_msg("%s: %s", report->findings[i].rule->id, report->findings[i].text);
    ras_report_free(report);
}

static uint64_t events_of(struct ras_trace *t, size_t thread)
{
    struct ras_atf_thread out;
    assert_int_equal(ras_atf_thread_at(ras_atf_session(t), thread, &out, NULL), RAS_OK);
    return out.index.count;
}

/* ---- slices --------------------------------------------------------------------------- */

static void a_slice_keeps_the_names_it_needs(void **state)
{
    (void)state;
    struct made source, out;
    make(&source, 0, "f");
    struct ras_rewrite_options how = {.axis = RAS_AXIS_TIME, .from = 1130, .to = 1190};
    assert_int_equal(rewrite(&out, &source.trace, 1, how, NULL), RAS_OK);
    holds(out.trace);
    struct ras_atf_session *s = ras_atf_session(out.trace);
    assert_int_equal(ras_atf_thread_count(s), 2);
    for (size_t t = 0; t < 2; t++) {
        struct ras_atf_index_event e;
        struct ras_atf_detail_event d;
        struct ras_atf_payload p;
        assert_int_equal(events_of(out.trace, t), 6);
        /* Event 16 is the third, and has the only detail. */
        assert_int_equal(ras_atf_index_at(s, t, 3, &e, NULL), RAS_OK);
        assert_int_equal(e.timestamp_ns, 1160 + t);
        assert_int_equal(e.detail_seq, 0);
        assert_int_equal(ras_atf_detail_of(s, t, &e, &d, NULL), RAS_OK);
        assert_int_equal(d.index_seq, 3);
        assert_int_equal(ras_atf_payload_get(&d, RAS_ATF_SPEC, &p), RAS_ATF_SPEC);
        assert_int_equal(p.x_regs[0], 16);
    }
    const struct ras_atf_manifest *m = ras_atf_manifest(s, 0);
    assert_int_equal(m->symbol_count, 1);
    assert_int_equal(m->symbols[0].function_id, FUNCTION(7, 1));
    assert_int_equal(m->module_count, 1);
    assert_int_equal(m->time_start_ns, 1130);
    assert_int_equal(m->time_end_ns, 1181);
    assert_int_equal(m->drop_count, 0); /* it is not known when they were */
    drop(&out);
    drop(&source);
}

static void a_slice_of_nothing_is_a_session(void **state)
{
    (void)state;
    struct made source, out;
    make(&source, 0, "f");
    struct ras_rewrite_options how = {.axis = RAS_AXIS_TIME, .from = 1, .to = 2};
    assert_int_equal(rewrite(&out, &source.trace, 1, how, NULL), RAS_OK);
    holds(out.trace);
    assert_int_equal(ras_atf_thread_count(ras_atf_session(out.trace)), 1);
    assert_int_equal(events_of(out.trace, 0), 0);
    drop(&out);
    drop(&source);
}

static void types_and_streams_are_left_out(void **state)
{
    (void)state;
    static const char *const types[] = {"event"};
    static const uint32_t streams[] = {1};
    struct made source, out;
    struct ras_atf_index_event e;
    make(&source, 0, "f");
    struct ras_rewrite_options how = {
        .types = types, .type_count = 1, .streams = streams, .stream_count = 1};
    assert_int_equal(rewrite(&out, &source.trace, 1, how, NULL), RAS_OK);
    holds(out.trace);
    struct ras_atf_session *s = ras_atf_session(out.trace);
    assert_int_equal(ras_atf_thread_count(s), 1);
    assert_int_equal(events_of(out.trace, 0), EVENTS);
    for (uint64_t i = 0; i < EVENTS; i++) {
        assert_int_equal(ras_atf_index_at(s, 0, i, &e, NULL), RAS_OK);
        assert_int_equal(e.detail_seq, RAS_ATF_NO_DETAIL);
    }
    assert_int_equal(ras_atf_manifest(s, 0)->drop_count, 1);
    assert_int_equal(ras_atf_manifest(s, 0)->drops[0].events, 4);
    drop(&out);
    drop(&source);
}

/* ---- many at one go -------------------------------------------------------------------- */

/* Too many to be taken at once; with `back` every seventh steps back in time. */
static void make_long(struct made *m, unsigned count, bool sorted)
{
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w;
    assert_int_equal(ras_folder_memory(&m->folder, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_open(&s, m->folder, NULL, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_thread(s, 1, &w, NULL), RAS_OK);
    for (unsigned i = 0; i < count; i++) {
        uint8_t bytes[RAS_ATF_PAYLOAD_SIZE];
        struct ras_atf_index_event e = {.timestamp_ns = i % 7 || sorted ? 100 + i : 1,
                                        .function_id = FUNCTION(7, i),
                                        .thread_id = 1,
                                        .event_kind = i % 2 ? RAS_ATF_RETURN : RAS_ATF_CALL};
        struct ras_atf_payload p = {.form = RAS_ATF_SPEC, .function_id = e.function_id};
        struct ras_atf_detail_event d = {.payload.at = bytes};
        assert_true(ras_atf_payload_put(&p, bytes, sizeof bytes, &d.payload.len));
        assert_int_equal(ras_atf_writer_event(w, &e, i % 3 ? NULL : &d, NULL), RAS_OK);
    }
    assert_int_equal(ras_atf_session_writer_finalize(s, NULL, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_close(s, NULL), RAS_OK);
    open_folder(m);
}

/* Events `first` up to `last` of the long session, those in time only. */
static void holds_long(const struct made *m, unsigned first, unsigned last, bool sorted)
{
    struct ras_atf_session *s = ras_atf_session(m->trace);
    struct ras_atf_index_event e;
    struct ras_atf_detail_event d;
    uint64_t n = 0;
    for (unsigned i = first; i < last; i++) {
        if (!sorted && i % 7 == 0)
            continue;
        assert_int_equal(ras_atf_index_at(s, 0, n, &e, NULL), RAS_OK);
        assert_int_equal(e.function_id, FUNCTION(7, i));
        assert_int_equal(e.detail_seq != RAS_ATF_NO_DETAIL, i % 3 == 0);
        if (i % 3 == 0) {
            assert_int_equal(ras_atf_detail_of(s, 0, &e, &d, NULL), RAS_OK);
            assert_int_equal(d.index_seq, n);
            assert_int_equal(d.timestamp, 100 + i);
        }
        n++;
    }
    assert_int_equal(events_of(m->trace, 0), n);
}

static void long_slices_are_as_short_ones(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    for (int sorted = 0; sorted < 2; sorted++) {
        struct made source, out;
        struct ras_rewritten *result = NULL;
        make_long(&source, COUNT, sorted);
        struct ras_rewrite_options how = {.axis = RAS_AXIS_TIME, .from = 103, .to = 9103};
        assert_int_equal(rewrite(&out, &source.trace, 1, how, &result), RAS_OK);
        holds_long(&out, 3, 9003, sorted);
        for (size_t i = 0; i < result->kept_count; i++)
            if (!strcmp(result->kept[i].name, "event"))
                assert_int_equal(result->kept[i].records, events_of(out.trace, 0));
        ras_rewritten_free(result);
        drop(&out);
        if (sorted) { /* events come first, then their details: all of those */
            how = (struct ras_rewrite_options){
                .axis = RAS_AXIS_SEQ, .from = 8997, .to = COUNT + 4000};
            assert_int_equal(rewrite(&out, &source.trace, 1, how, NULL), RAS_OK);
            holds_long(&out, 8997, COUNT, true);
            drop(&out);
        }
        drop(&source);
    }
}

/* ---- joined sessions -------------------------------------------------------------------- */

static void sessions_that_agree_become_one(void **state)
{
    (void)state;
    struct made a, b, out;
    make(&a, 0, "f");
    make(&b, 2, "f");
    struct ras_trace *both[] = {a.trace, b.trace};
    assert_int_equal(rewrite(&out, both, 2, (struct ras_rewrite_options){0}, NULL), RAS_OK);
    holds(out.trace);
    struct ras_atf_session *s = ras_atf_session(out.trace);
    assert_int_equal(ras_atf_thread_count(s), 4);
    const struct ras_atf_manifest *m = ras_atf_manifest(s, 3);
    assert_ptr_equal(m, ras_atf_manifest(s, 0));
    assert_int_equal(m->symbol_count, EVENTS / 10);
    assert_int_equal(m->drop_count, 4);
    assert_int_equal(m->time_end_ns, 1000 + 10 * (EVENTS - 1) + 3);
    drop(&out);
    drop(&b);
    drop(&a);
}

static void sessions_that_conflict_stay_separate(void **state)
{
    (void)state;
    struct made a, b, out;
    for (int same_threads = 0; same_threads < 2; same_threads++) {
        make(&a, 0, "f");
        make(&b, same_threads ? 0 : 2, same_threads ? "f" : "g");
        struct ras_trace *both[] = {a.trace, b.trace};
        assert_int_equal(rewrite(&out, both, 2, (struct ras_rewrite_options){0}, NULL), RAS_OK);
        holds(out.trace);
        struct ras_atf_session *s = ras_atf_session(out.trace);
        assert_int_equal(ras_atf_thread_count(s), 4);
        assert_ptr_not_equal(ras_atf_manifest(s, 3), ras_atf_manifest(s, 0));
        assert_string_equal(ras_part_name(out.trace, 0), "session_1/thread_0/index.atf");
        drop(&out);
        drop(&b);
        drop(&a);
    }
}

static void lone_files_are_not_joined(void **state)
{
    (void)state;
    struct made a, out;
    size_t count;
    struct ras_trace *lone;
    make(&a, 0, "f");
    const struct ras_part *parts = ras_folder_parts(a.folder, &count);
    assert_int_equal(ras_open_memory(&lone, parts[0].bytes.at, parts[0].bytes.len, NULL, NULL),
                     RAS_OK);
    struct ras_trace *both[] = {a.trace, lone};
    assert_int_equal(rewrite(&out, both, 2, (struct ras_rewrite_options){0}, NULL), RAS_EUSAGE);
    ras_close(lone);
    drop(&a);
}

/* ---- the specified shape ------------------------------------------------------------------ */

/* As the public tracer does: calls are stored again with their details, later. */
static void make_production(struct made *m)
{
    struct ras_atf_session_options options = {.header.clock_type = RAS_ATF_MACH_CONTINUOUS,
                                              .no_checksum = true};
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w;
    assert_int_equal(ras_folder_memory(&m->folder, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_open(&s, m->folder, &options, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_thread(s, 3, &w, NULL), RAS_OK);
    for (unsigned n = 0; n < 2 * EVENTS; n++) {
        /* Ten events, then the details of the calls among them. */
        unsigned block = n / 20, within = n % 20, i = block * 10 + within % 10;
        bool detail = within >= 10;
        uint8_t bytes[RAS_ATF_PRODUCTION_SIZE], stack[5] = {1, 2, 3, 4, (uint8_t)i};
        struct ras_atf_index_event e = {.timestamp_ns = 1000 + 100 * i + (detail ? 60 : 0),
                                        .function_id = FUNCTION(7, 1),
                                        .thread_id = 3,
                                        .event_kind = i % 2 ? RAS_ATF_RETURN : RAS_ATF_CALL,
                                        .call_depth = 1};
        struct ras_atf_payload p = {.form = RAS_ATF_PRODUCTION,
                                    .function_id = e.function_id,
                                    .x_regs = {i},
                                    .stack = {stack, sizeof stack},
                                    .stack_size = sizeof stack,
                                    .timestamp = e.timestamp_ns,
                                    .os_thread_id = 4711};
        struct ras_atf_detail_event d = {.payload.at = bytes};
        assert_true(ras_atf_payload_put(&p, bytes, sizeof bytes, &d.payload.len));
        if (!detail || i % 2 == 0)
            assert_int_equal(ras_atf_writer_event(w, &e, detail ? &d : NULL, NULL), RAS_OK);
    }
    assert_int_equal(ras_atf_session_writer_finalize(s, NULL, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_close(s, NULL), RAS_OK);
    open_folder(m);
    assert_string_equal(ras_dialect(m->trace), "production");
}

static void twins_are_merged_and_payloads_converted(void **state)
{
    (void)state;
    struct made source, out;
    struct ras_rewritten *result = NULL;
    make_production(&source);
    struct ras_rewrite_options how = {.target = "spec"};
    assert_int_equal(rewrite(&out, &source.trace, 1, how, &result), RAS_OK);
    holds(out.trace);
    assert_string_equal(ras_dialect(out.trace), "spec");
    assert_int_equal(result->note_count, 2);
    struct ras_atf_session *s = ras_atf_session(out.trace);
    assert_int_equal(events_of(out.trace, 0), EVENTS);
    for (uint64_t i = 0; i < EVENTS; i++) {
        struct ras_atf_index_event e;
        struct ras_atf_detail_event d;
        struct ras_atf_payload p;
        assert_int_equal(ras_atf_index_at(s, 0, i, &e, NULL), RAS_OK);
        assert_int_equal(e.timestamp_ns, 1000 + 100 * i);
        assert_int_equal(ras_atf_detail_of(s, 0, &e, &d, NULL), i % 2 ? RAS_END : RAS_OK);
        if (i % 2)
            continue;
        assert_int_equal(d.payload.len, 105);
        assert_int_equal(ras_atf_payload_get(&d, RAS_ATF_OPAQUE, &p), RAS_ATF_SPEC);
        assert_int_equal(p.x_regs[0], i);
        assert_int_equal(p.stack.at[4], i);
    }
    assert_int_equal(ras_atf_manifest(s, 0)->clock_type, RAS_ATF_BOOTTIME);
    for (size_t i = 0; i < result->kept_count; i++)
        if (!strcmp(result->kept[i].name, "event"))
            assert_int_equal(result->kept[i].records, EVENTS);
    ras_rewritten_free(result);
    drop(&out);
    drop(&source);
}

static void unsupported_conversions_are_refused(void **state)
{
    (void)state;
    struct made spec, production, out;
    make(&spec, 0, "f");
    make_production(&production);
    struct ras_rewrite_options how = {.target = "production"};
    assert_int_equal(rewrite(&out, &spec.trace, 1, how, NULL), RAS_EUNSUPPORTED);
    how = (struct ras_rewrite_options){
        .target = "spec", .axis = RAS_AXIS_TIME, .from = 0, .to = 1500};
    assert_int_equal(rewrite(&out, &production.trace, 1, how, NULL), RAS_EUNSUPPORTED);
    how.target = NULL;
    assert_int_equal(rewrite(&out, &production.trace, 1, how, NULL), RAS_OK);
    assert_string_equal(ras_dialect(out.trace), "production");
    drop(&out);
    drop(&production);
    drop(&spec);
}

/* ---- manifests -------------------------------------------------------------------------- */

/* The gaps of a trace and the records lost in them. */
static unsigned gaps_of(struct ras_trace *t, bool merged, uint64_t *lost)
{
    const struct ras_pick pick = {.type = "gap"};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .merged = merged};
    const struct ras_record *r;
    struct ras_cursor *c;
    unsigned count = 0;
    size_t n;
    *lost = 0;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK) {
        *lost += ras_values(c, &n)[3].u;
        count++;
    }
    assert_int_equal(ras_ending(t).kind, RAS_COMPLETE);
    ras_cursor_close(c);
    return count;
}

/* The same session with another manifest. */
static void open_told(struct made *m, const char *manifest)
{
    struct ras_part parts[16];
    size_t count;
    const struct ras_part *old = ras_folder_parts(m->folder, &count);
    ras_close(m->trace);
    for (size_t i = 0; i < count; i++) {
        parts[i] = old[i];
        if (!strcmp(old[i].name, "manifest.json"))
            parts[i].bytes = (struct ras_bytes){(const uint8_t *)manifest, strlen(manifest)};
    }
    assert_int_equal(ras_open_parts(&m->trace, parts, count, NULL, NULL), RAS_OK);
}

static void drops_are_gaps(void **state)
{
    (void)state;
    struct made source, out;
    uint64_t lost;
    make(&source, 0, "f");
    for (int merged = 0; merged < 2; merged++) {
        assert_int_equal(gaps_of(source.trace, merged, &lost), 2);
        assert_int_equal(lost, 7);
    }
    struct ras_rewrite_options all = {0};
    assert_int_equal(rewrite(&out, &source.trace, 1, all, NULL), RAS_OK);
    assert_int_equal(gaps_of(out.trace, false, &lost), 2);
    drop(&out);
    /* It is not known whether they were in a range of time. */
    struct ras_rewrite_options part = {.axis = RAS_AXIS_TIME, .from = 0, .to = 2000};
    assert_int_equal(rewrite(&out, &source.trace, 1, part, NULL), RAS_OK);
    assert_int_equal(gaps_of(out.trace, false, &lost), 0);
    drop(&out);
    /* Of a thread that has no files. */
    open_told(&source, "{\"drops\":[{\"thread_id\":9,\"reason\":\"late\",\"events\":5}]}");
    assert_int_equal(gaps_of(source.trace, false, &lost), 1);
    assert_int_equal(lost, 5);
    drop(&source);
}

static void unknown_members_stay(void **state)
{
    (void)state;
    static const char member[] = "\"x\" : {\"y\":[1,\"}\",null]}";
    char manifest[128], end[128];
    struct made source, out;
    make(&source, 0, "f");
    snprintf(manifest, sizeof manifest, "{%s, \"z\":true}", member);
    snprintf(end, sizeof end, "  %s,\n  \"z\":true,\n  \"format_version\": \"2.0\"\n}\n", member);
    open_told(&source, manifest);
    struct ras_rewrite_options part = {.axis = RAS_AXIS_TIME, .from = 0, .to = 1100};
    assert_int_equal(rewrite(&out, &source.trace, 1, part, NULL), RAS_OK);
    size_t count, seen = 0;
    const struct ras_part *parts = ras_folder_parts(out.folder, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(parts[i].name, "manifest.json")) {
            assert_true(parts[i].bytes.len > strlen(end));
            assert_memory_equal(parts[i].bytes.at + parts[i].bytes.len - strlen(end), end,
                                strlen(end));
            seen++;
        }
    assert_int_equal(seen, 1);
    drop(&out);
    drop(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_keeps_the_names_it_needs),
        cmocka_unit_test(a_slice_of_nothing_is_a_session),
        cmocka_unit_test(types_and_streams_are_left_out),
        cmocka_unit_test(long_slices_are_as_short_ones),
        cmocka_unit_test(sessions_that_agree_become_one),
        cmocka_unit_test(sessions_that_conflict_stay_separate),
        cmocka_unit_test(lone_files_are_not_joined),
        cmocka_unit_test(twins_are_merged_and_payloads_converted),
        cmocka_unit_test(unsupported_conversions_are_refused),
        cmocka_unit_test(drops_are_gaps),
        cmocka_unit_test(unknown_members_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
