/* aerogpu_read_test.c - traces as records: links, seeking, marks, requests, dialects. */
#include "aerogpu_make.h"

static struct ras_error err;

struct walk {
    struct out out;
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
};

static void open_walk(struct walk *w, const struct ras_options *options,
                      const struct ras_scan *scan)
{
    assert_int_equal(ras_open_memory(&w->t, w->out.at, w->out.len, options, &err), RAS_OK);
    assert_int_equal(ras_cursor_open(&w->c, w->t, scan, &err), RAS_OK);
}

static void close_walk(struct walk *w)
{
    ras_cursor_close(w->c);
    ras_close(w->t);
    out_free(&w->out);
}

/* The next record is of that type, at that tick (RAS_NONE: none). */
static void expect(struct walk *w, const char *type, uint64_t tick)
{
    assert_int_equal(ras_next(w->c, &w->r, &err), RAS_OK);
    assert_string_equal(ras_schema_of(w->c)->name, type);
    if (tick == RAS_NONE)
        assert_false(w->r->flags & RAS_HAS_TICK);
    else
        assert_true(w->r->flags & RAS_HAS_TICK);
    if (tick != RAS_NONE)
        assert_int_equal(w->r->tick, tick);
}

static void expect_end(struct walk *w, enum ras_ending_kind kind)
{
    assert_int_equal(ras_next(w->c, &w->r, &err), RAS_END);
    assert_int_equal(ras_ending(w->t).kind, kind);
}

static void commands_name_their_parent(void **state)
{
    (void)state;
    struct walk w = {0};
    put_header(&w.out, 2, "{}");
    put_stream_blob(&w.out, 1, 2);
    put_marker(&w.out, RAS_AERO_BEGIN_FRAME, 5);
    put_draw(&w.out, 3);
    put_submission(&w.out, 1);
    put_marker(&w.out, RAS_AERO_PRESENT, 5);
    open_walk(&w, NULL, NULL);
    expect(&w, "blob", RAS_NONE);
    uint64_t blob_at = w.r->offset;
    expect(&w, "packet", 5);
    assert_int_equal(w.r->parent, RAS_NONE);
    expect(&w, "command", 5);
    assert_int_equal(w.r->parent, 1);
    expect(&w, "submission", 5);
    for (uint64_t i = 0; i < 2; i++) {
        expect(&w, "command", 5);
        assert_int_equal(w.r->parent, 3);
        assert_int_equal(w.r->offset, blob_at + 24 + 24 + 16 * i);
        assert_int_equal(w.r->raw_len, 16);
    }
    expect(&w, "frame", 5);
    assert_int_equal(w.r->parent, RAS_NONE);
    expect_end(&w, RAS_UNSEALED);
    close_walk(&w);
}

/* A stream that is not recent is found by the index of blobs. */
static void submission_finds_an_old_stream(void **state)
{
    (void)state;
    struct walk w = {0};
    enum { STREAMS = 40 };
    put_header(&w.out, 2, "{}");
    for (uint64_t i = 1; i <= STREAMS; i++)
        put_stream_blob(&w.out, i, (uint32_t)i);
    put_submission(&w.out, 2);
    put_submission(&w.out, STREAMS);
    put_submission(&w.out, 99); /* does not exist */
    open_walk(&w, NULL, NULL);
    for (uint64_t i = 1; i <= STREAMS; i++)
        expect(&w, "blob", RAS_NONE);
    expect(&w, "submission", RAS_NONE);
    for (unsigned i = 0; i < 2; i++)
        expect(&w, "command", RAS_NONE);
    expect(&w, "submission", RAS_NONE);
    for (unsigned i = 0; i < STREAMS; i++)
        expect(&w, "command", RAS_NONE);
    expect(&w, "submission", RAS_NONE);
    expect_end(&w, RAS_UNSEALED);
    close_walk(&w);
}

static void redefined_stream_is_the_newest_before(void **state)
{
    (void)state;
    struct walk w = {0};
    put_header(&w.out, 2, "{}");
    put_stream_blob(&w.out, 7, 1);
    put_stream_blob(&w.out, 7, 2);
    put_submission(&w.out, 7);
    put_blob(&w.out, 7, RAS_AERO_BUFFER_DATA, "no stream", 9);
    put_submission(&w.out, 7);
    open_walk(&w, NULL, NULL);
    expect(&w, "blob", RAS_NONE);
    expect(&w, "blob", RAS_NONE);
    expect(&w, "submission", RAS_NONE);
    expect(&w, "command", RAS_NONE);
    expect(&w, "command", RAS_NONE);
    expect(&w, "blob", RAS_NONE);
    expect(&w, "submission", RAS_NONE);
    expect_end(&w, RAS_UNSEALED);
    close_walk(&w);
}

static void toc_leads_to_a_frame(void **state)
{
    (void)state;
    struct walk w = {0};
    put_frames(&w.out, 50);
    open_walk(&w, NULL, NULL);
    for (uint64_t to = 0; to < 50; to += 7) {
        assert_int_equal(ras_seek(w.c, RAS_AXIS_TICK, to, &err), RAS_OK);
        expect(&w, "packet", to);
        size_t count;
        const struct ras_value *v = ras_values(w.c, &count);
        assert_int_equal(v[2].kind, RAS_MAP);
        assert_int_equal(v[4].u, 100 * to); /* vertex_count */
    }
    assert_int_equal(ras_seek(w.c, RAS_AXIS_TICK, 50, &err), RAS_OK);
    expect_end(&w, RAS_COMPLETE);
    assert_int_equal(ras_seek(w.c, RAS_AXIS_TICK, UINT64_MAX, &err), RAS_OK);
    expect_end(&w, RAS_COMPLETE);
    close_walk(&w);
}

/* A TOC that is inconsistent or contradicts the frame sought is not used. */
static void wrong_toc_is_not_used(void **state)
{
    (void)state;
    for (unsigned lie = 0; lie < 2; lie++) {
        struct walk w = {0};
        put_frames(&w.out, 4);
        struct ras_aero_footer f;
        assert_int_equal(ras_aero_footer_get(bytes_of(&w.out), &f, &err), RAS_OK);
        size_t entry = (size_t)f.toc_offset + 16 + 32 * 2;
        if (lie == 0)
            patch(&w.out, entry, 9); /* another index than the BeginFrame's */
        else
            patch(&w.out, entry + 8, (uint32_t)f.toc_offset); /* after everything */
        open_walk(&w, NULL, NULL);
        assert_int_equal(ras_seek(w.c, RAS_AXIS_TICK, 2, &err), RAS_OK);
        expect(&w, "packet", 2);
        close_walk(&w);
    }
}

/* From every record of a trace the rest can be read again. */
static void marks_lead_back_into_commands(void **state)
{
    (void)state;
    struct walk w = {0};
    struct ras_mark marks[64];
    struct ras_record seen[64];
    size_t n = 0;
    put_header(&w.out, 2, "{}");
    put_marker(&w.out, RAS_AERO_BEGIN_FRAME, 1);
    put_draw(&w.out, 3);
    put_stream_blob(&w.out, 1, 4);
    put_submission(&w.out, 1);
    put_submission(&w.out, 1);
    put_marker(&w.out, RAS_AERO_PRESENT, 1);
    open_walk(&w, NULL, NULL);
    for (;; n++) {
        ras_mark(w.c, &marks[n]);
        if (ras_next(w.c, &w.r, &err) != RAS_OK)
            break;
        seen[n] = *w.r;
    }
    assert_int_equal(n, 14);
    for (size_t from = 0; from < n; from++) {
        assert_int_equal(ras_jump(w.c, &marks[from], &err), RAS_OK);
        for (size_t i = from; i < n; i++) {
            assert_int_equal(ras_next(w.c, &w.r, &err), RAS_OK);
            assert_memory_equal(w.r, &seen[i], sizeof *w.r);
        }
        expect_end(&w, RAS_UNSEALED);
    }
    close_walk(&w);
}

static void shaders_come_on_request(void **state)
{
    (void)state;
    struct walk w = {0};
    struct ras_pick picks[] = {{.type = "blob"}, {.type = "shader"}};
    put_header(&w.out, 1, "{}");
    put_blob(&w.out, 1, RAS_AERO_BUFFER_DATA, "data", 4);
    put_blob(&w.out, 2, RAS_AERO_SHADER_WGSL, "text", 4);
    put_blob(&w.out, 3, RAS_AERO_SHADER_DXBC, "\1\2", 2);
    open_walk(&w, NULL, &(struct ras_scan){.picks = picks, .pick_count = 2});
    expect(&w, "blob", RAS_NONE);
    expect(&w, "blob", RAS_NONE);
    expect(&w, "shader", RAS_NONE);
    size_t count;
    const struct ras_value *v = ras_values(w.c, &count);
    assert_int_equal(count, 6);
    assert_int_equal(v[4].kind, RAS_STR);
    assert_memory_equal(v[4].at, "text", 4);
    assert_int_equal(v[5].kind, RAS_NULL);
    assert_int_equal(w.r->parent, 1);
    assert_int_equal(w.r->seq, 0);
    expect(&w, "blob", RAS_NONE);
    assert_int_equal(w.r->seq, 2);
    expect(&w, "shader", RAS_NONE);
    v = ras_values(w.c, &count);
    assert_int_equal(v[4].kind, RAS_NULL);
    assert_int_equal(v[5].kind, RAS_BLOB);
    assert_int_equal(v[5].count, 2);
    expect_end(&w, RAS_UNSEALED);
    close_walk(&w);
}

static void fields_are_decoded_as_picked(void **state)
{
    (void)state;
    struct walk w = {0};
    const char *const names[] = {"name", "size_bytes"};
    struct ras_pick pick = {.type = "command", .fields = names, .field_count = 2};
    put_frames(&w.out, 1);
    open_walk(&w, NULL, &(struct ras_scan){.picks = &pick, .pick_count = 1});
    expect(&w, "command", 0);
    size_t count;
    const struct ras_value *v = ras_values(w.c, &count);
    assert_int_equal(count, 2);
    assert_memory_equal(v[0].at, "DRAW", 4);
    assert_int_equal(v[1].u, 16);
    close_walk(&w);
}

/* By the rules of version 1 a submission is a record of unknown type. */
static void dialect_v1_knows_no_submissions(void **state)
{
    (void)state;
    struct walk w = {0};
    struct ras_options v1 = {.dialect = "v1"};
    put_header(&w.out, 2, "{}");
    put_stream_blob(&w.out, 1, 1);
    put_submission(&w.out, 1);
    open_walk(&w, &v1, NULL);
    assert_string_equal(ras_dialect(w.t), "v1");
    expect(&w, "blob", RAS_NONE);
    expect(&w, "gap", RAS_NONE);
    expect_end(&w, RAS_DAMAGED);
    close_walk(&w);
}

static void limit_of_a_record_is_kept(void **state)
{
    (void)state;
    struct walk w = {0};
    struct ras_options small = {.limits = {.record_bytes = 100}};
    uint8_t data[200] = {0};
    put_header(&w.out, 1, "{}");
    put_blob(&w.out, 1, RAS_AERO_BUFFER_DATA, data, sizeof data);
    put_draw(&w.out, 3);
    open_walk(&w, &small, NULL);
    expect(&w, "gap", RAS_NONE);
    expect(&w, "packet", RAS_NONE);
    expect(&w, "command", RAS_NONE);
    expect_end(&w, RAS_DAMAGED);
    close_walk(&w);
}

/* The damaged frame is lost, the next one of the TOC is found. */
static void damage_is_passed_by_the_toc(void **state)
{
    (void)state;
    struct walk w = {0};
    put_frames(&w.out, 3);
    patch(&w.out, 34 + 12 + 4, 1u << 20); /* payload_len of the first packet */
    open_walk(&w, NULL, NULL);
    expect(&w, "gap", RAS_NONE);
    expect(&w, "packet", 1);
    close_walk(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_name_their_parent),
        cmocka_unit_test(submission_finds_an_old_stream),
        cmocka_unit_test(redefined_stream_is_the_newest_before),
        cmocka_unit_test(toc_leads_to_a_frame),
        cmocka_unit_test(wrong_toc_is_not_used),
        cmocka_unit_test(marks_lead_back_into_commands),
        cmocka_unit_test(shaders_come_on_request),
        cmocka_unit_test(fields_are_decoded_as_picked),
        cmocka_unit_test(dialect_v1_knows_no_submissions),
        cmocka_unit_test(limit_of_a_record_is_kept),
        cmocka_unit_test(damage_is_passed_by_the_toc),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_read", tests, NULL, NULL);
}
