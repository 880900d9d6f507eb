/* aerogpu_repair_test.c - repaired traces: TOC and footer rebuilt, nothing invented. */
#include "aerogpu_make.h"

static struct ras_error err;

/* A repair in memory. */
struct repaired {
    struct ras_trace *trace;
    struct ras_sink *sink;
    struct ras_repair *repair;
    struct ras_bytes bytes;
};

static struct repaired repair(struct ras_bytes file)
{
    struct repaired m;
    assert_int_equal(ras_open_memory(&m.trace, file.at, file.len, NULL, &err), RAS_OK);
    assert_int_equal(ras_sink_memory(&m.sink, &err), RAS_OK);
    const struct ras_repair_options to = {.sink = m.sink};
    assert_int_equal(ras_repair(&m.repair, m.trace, &to, &err), RAS_OK);
    m.bytes = ras_sink_bytes(m.sink);
    return m;
}

static void drop(struct repaired *m)
{
    ras_repair_free(m->repair);
    ras_sink_drop(m->sink);
    ras_close(m->trace);
}

static struct ras_aero_frame entry(struct ras_bytes file, uint32_t i, uint32_t count)
{
    struct ras_aero_footer f;
    struct ras_aero_toc toc;
    assert_int_equal(ras_aero_footer_get(file, &f, &err), RAS_OK);
    assert_int_equal(ras_aero_toc_get(file, &f, &toc, &err), RAS_OK);
    assert_int_equal(toc.frame_count, count);
    return ras_aero_toc_entry(file, &f, i);
}

static void a_whole_trace_needs_nothing(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 3);
    struct repaired m = repair(bytes_of(&out));
    assert_int_equal(m.repair->plan.patch_count, 0);
    assert_int_equal(m.repair->plan.lost_bytes, 0);
    assert_int_equal(m.bytes.len, out.len);
    drop(&m);
    out_free(&out);
}

/* Every cut after the last record gives the original trace again, and only the missing bytes are
 * inserted. */
static void a_lost_end_is_made_again_to_the_byte(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 3);
    size_t seal = 16 + 3 * 32 + 32;
    for (size_t less = 1; less <= seal; less++) {
        struct repaired m = repair((struct ras_bytes){out.at, out.len - less});
        assert_int_equal(m.repair->plan.patch_count, 1);
        assert_int_equal(m.repair->plan.patches[0].at, out.len - less);
        assert_int_equal(m.repair->plan.patches[0].remove, 0);
        assert_int_equal(m.repair->plan.patches[0].insert.len, less);
        assert_int_equal(m.repair->plan.lost_bytes, 0);
        assert_int_equal(m.bytes.len, out.len);
        assert_memory_equal(m.bytes.at, out.at, out.len);
        drop(&m);
    }
    out_free(&out);
}

static void an_open_frame_is_closed_by_a_present(void **state)
{
    (void)state;
    struct out out = {0};
    put_header(&out, 2, "{\"emulator_version\":\"\",\"command_abi_version\":65540}");
    size_t start = out.len;
    put_marker(&out, RAS_AERO_BEGIN_FRAME, 0);
    put_draw(&out, 3);
    size_t whole = out.len;
    put_draw(&out, 6);
    out.len -= 5; /* inside the second packet */
    struct repaired m = repair(bytes_of(&out));
    struct ras_aero_frame f = entry(m.bytes, 0, 1);
    assert_int_equal(f.start_offset, start);
    assert_int_equal(f.present_offset, whole);
    assert_int_equal(f.end_offset, whole + 12);
    assert_int_equal(m.bytes.len, whole + 12 + 48 + 32);
    assert_int_equal(m.repair->plan.note_count, 1);
    assert_int_equal(m.repair->left->finding_count, 0);
    assert_memory_equal(m.bytes.at, out.at, whole);
    assert_int_equal(m.repair->plan.lost_bytes, out.len - whole);
    assert_int_equal(m.repair->after.kind, RAS_COMPLETE);
    assert_int_equal(m.repair->left->by_severity[RAS_ERROR], 0);
    drop(&m);
    out_free(&out);
}

/* The bytes of a record that extends beyond the TOC are removed, up to the next frame; the rest
 * moves forward, and the TOC with it. */
static void damage_is_taken_out_and_the_toc_follows(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 3);
    size_t body = RAS_AERO_HEADER_SIZE + 2, frame = 2 * 12 + FRAME_DRAWS * 24;
    patch(&out, body + frame + 12 + 4, 100000); /* the length of frame 1's first packet */
    struct repaired m = repair(bytes_of(&out));
    struct ras_aero_frame f = entry(m.bytes, 1, 3);
    assert_int_equal(m.repair->plan.patches[0].at, body + frame + 12);
    assert_int_equal(m.repair->plan.patches[0].remove, frame - 12);
    assert_int_equal(m.repair->plan.lost_bytes, frame - 12);
    assert_int_equal(f.start_offset, body + frame);
    assert_int_equal(f.present_offset, body + frame + 12);
    assert_int_equal(f.end_offset, body + frame + 24);
    f = entry(m.bytes, 2, 3);
    assert_int_equal(f.start_offset, body + frame + 24);
    assert_int_equal(f.present_offset, body + frame + 24 + frame - 12);
    assert_int_equal(m.repair->after.kind, RAS_COMPLETE);
    drop(&m);
    out_free(&out);
}

/* Without a TOC too: the next frame is found by its BeginFrame. */
static void frames_after_damage_are_found_without_a_toc(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 4);
    size_t body = RAS_AERO_HEADER_SIZE + 2, frame = 2 * 12 + FRAME_DRAWS * 24;
    out.len = body + 4 * frame - 5;                 /* the last Present is cut, too */
    patch(&out, body + frame + 12 + 4, 0xfffffff0); /* of frame 1's first packet */
    struct repaired m = repair(bytes_of(&out));
    assert_int_equal(m.repair->plan.note_count, 3);
    assert_int_equal(m.repair->plan.lost_bytes, frame - 12 + 7);
    struct ras_aero_frame f = entry(m.bytes, 1, 4);
    assert_int_equal(f.present_offset, body + frame + 12);
    f = entry(m.bytes, 2, 4);
    assert_int_equal(f.frame_index, 2);
    assert_int_equal(f.start_offset, body + frame + 24);
    assert_int_equal(f.end_offset, body + 2 * frame + 24);
    f = entry(m.bytes, 3, 4);
    assert_int_equal(f.present_offset, f.end_offset - 12);
    assert_int_equal(m.repair->after.kind, RAS_COMPLETE);
    drop(&m);
    out_free(&out);
}

static void zeros_of_a_crash_are_no_loss(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 2);
    size_t records = out.len - 16 - 2 * 32 - 32;
    memset(out.at + records, 0, out.len - records);
    struct repaired m = repair(bytes_of(&out));
    assert_int_equal(m.repair->plan.lost_bytes, 0);
    assert_int_equal(m.bytes.len, out.len);
    assert_int_equal(entry(m.bytes, 1, 2).end_offset, records);
    drop(&m);
    out_free(&out);
}

static void a_wrong_toc_is_replaced(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 3);
    size_t toc = out.len - 32 - 3 * 32 - 16;
    patch(&out, toc + 16 + 32 + 16, 0); /* present_offset of frame 1 */
    struct repaired m = repair(bytes_of(&out));
    assert_int_equal(m.repair->plan.patch_count, 1);
    assert_int_equal(m.repair->plan.patches[0].at, toc + 16 + 32 + 16);
    assert_int_not_equal(entry(m.bytes, 1, 3).present_offset, 0);
    drop(&m);
    out_free(&out);
}

static void a_second_trace_is_cut_off_and_reported(void **state)
{
    (void)state;
    struct out out = {0}, second = {0};
    put_frames(&out, 1);
    size_t first = out.len;
    put_frames(&second, 1);
    out_bytes(&out, second.at, second.len);
    struct repaired m = repair(bytes_of(&out));
    assert_int_equal(m.bytes.len, first);
    assert_int_equal(m.repair->plan.lost_bytes, out.len - first);
    assert_int_equal(m.repair->plan.note_count, 1);
    assert_non_null(strstr(m.repair->plan.notes[0], "a trace of its own"));
    drop(&m);
    out_free(&second);
    out_free(&out);
}

/* A stream that cannot be followed is content of a record, and records stay. */
static void a_broken_stream_stays_and_is_reported(void **state)
{
    (void)state;
    struct out out = {0}, stream = {0};
    put_header(&out, 1, "{}");
    put_marker(&out, RAS_AERO_BEGIN_FRAME, 0);
    put_stream(&stream, 2);
    patch(&stream, 24 + 4, 3); /* the size of its first command */
    put_record(&out, RAS_AERO_PACKET, (uint32_t)stream.len);
    out_bytes(&out, stream.at, stream.len);
    put_marker(&out, RAS_AERO_PRESENT, 0);
    struct repaired m = repair(bytes_of(&out));
    assert_int_equal(m.bytes.len, out.len + 48 + 32);
    assert_memory_equal(m.bytes.at, out.at, out.len);
    assert_int_equal(m.repair->plan.note_count, 1);
    assert_non_null(strstr(m.repair->plan.notes[0], "their record stays"));
    drop(&m);
    out_free(&stream);
    out_free(&out);
}

static void a_bare_stream_ends_with_its_last_whole_command(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_stream s;
    put_stream(&out, 3);
    out.len -= 4;
    struct repaired m = repair(bytes_of(&out));
    assert_int_equal(ras_aero_stream_get(m.bytes, &s, &err), RAS_OK);
    assert_int_equal(s.size_bytes, 24 + 2 * 16);
    assert_int_equal(m.bytes.len, s.size_bytes);
    assert_int_equal(m.repair->plan.lost_bytes, 12);
    drop(&m);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_trace_needs_nothing),
        cmocka_unit_test(a_lost_end_is_made_again_to_the_byte),
        cmocka_unit_test(an_open_frame_is_closed_by_a_present),
        cmocka_unit_test(damage_is_taken_out_and_the_toc_follows),
        cmocka_unit_test(frames_after_damage_are_found_without_a_toc),
        cmocka_unit_test(zeros_of_a_crash_are_no_loss),
        cmocka_unit_test(a_wrong_toc_is_replaced),
        cmocka_unit_test(a_second_trace_is_cut_off_and_reported),
        cmocka_unit_test(a_broken_stream_stays_and_is_reported),
        cmocka_unit_test(a_bare_stream_ends_with_its_last_whole_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
