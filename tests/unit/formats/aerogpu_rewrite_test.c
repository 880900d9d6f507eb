/* aerogpu_rewrite_test.c - slices with the blobs they need, traces joined, versions raised. */
#include "aerogpu_make.h"

#include <stdio.h>
#include <stdlib.h>

#define SPAN(text)                                                                                 \
    (struct ras_bytes)                                                                             \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }
#define OK(call) assert_int_equal(call, RAS_OK)

static struct ras_error err;

/* ---- traces to be rewritten ----------------------------------------------------------- */

static struct ras_sink *new_sink(void)
{
    struct ras_sink *sink;
    OK(ras_sink_memory(&sink, &err));
    return sink;
}

static void put_upload(struct ras_aero_writer *w, uint64_t blob_id, uint32_t len)
{
    struct out out = {0};
    const uint32_t words[] = {2, 7, 1, 0, len, (uint32_t)blob_id, (uint32_t)(blob_id >> 32)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(&out, words[i], 4);
    OK(ras_aero_writer_packet(w, bytes_of(&out), &err));
    out_free(&out);
}

/* Three frames. The second names blobs of the first, and one between the two; ids are
 * far apart, and `first` is the smallest. */
static struct ras_sink *a_trace(uint64_t first)
{
    struct ras_sink *sink = new_sink();
    struct ras_aero_writer *w;
    struct out stream = {0};
    struct ras_aero_writer_options start = {.container_version = 2, .command_abi_version = 0x10004};
    put_stream(&stream, 2);
    OK(ras_aero_writer_open(&w, sink, &start, &err));
    OK(ras_aero_writer_begin_frame(w, 0, &err));
    OK(ras_aero_writer_blob_as(w, first, RAS_AERO_BUFFER_DATA, SPAN("unneeded"), &err));
    OK(ras_aero_writer_blob_as(w, first + 10, RAS_AERO_CMD_STREAM, bytes_of(&stream), &err));
    OK(ras_aero_writer_blob_as(w, first + 20, RAS_AERO_BUFFER_DATA, SPAN("vertices"), &err));
    put_upload(w, first + 20, 8);
    OK(ras_aero_writer_present(w, 0, &err));
    OK(ras_aero_writer_blob_as(w, first + 30, RAS_AERO_ALLOC_MEMORY, SPAN("memory"), &err));
    OK(ras_aero_writer_begin_frame(w, 1, &err));
    struct ras_aero_submission s = {.cmd_stream_blob_id = first + 10, .memory_range_count = 1};
    struct ras_aero_range r = {1, 0, 0x1000, 6, first + 30};
    OK(ras_aero_writer_submission(w, &s, &r, &err));
    put_upload(w, first + 20, 8);
    OK(ras_aero_writer_blob_as(w, first + 5, RAS_AERO_SHADER_WGSL, SPAN("shader"), &err));
    OK(ras_aero_writer_present(w, 1, &err));
    OK(ras_aero_writer_begin_frame(w, 2, &err));
    OK(ras_aero_writer_packet(w, SPAN("\x0a\0\0\0\2\0\0\0"), &err));
    OK(ras_aero_writer_present(w, 2, &err));
    OK(ras_aero_writer_finish(w, &err));
    OK(ras_aero_writer_close(w, &err));
    out_free(&stream);
    return sink;
}

static struct ras_trace *open_sink(const struct ras_sink *sink)
{
    struct ras_trace *t;
    struct ras_bytes b = ras_sink_bytes(sink);
    OK(ras_open_memory(&t, b.at, b.len, NULL, &err));
    return t;
}

/* Rewrite into memory; the output breaks no rule, deep ones included. */
static struct ras_sink *rewrite(struct ras_sink *const *from, size_t count,
                                struct ras_rewrite_options how)
{
    struct ras_trace *traces[4];
    struct ras_rewritten *r;
    struct ras_report *report;
    how.sink = new_sink();
    for (size_t i = 0; i < count; i++)
        traces[i] = open_sink(from[i]);
    OK(ras_rewrite(&r, traces, count, &how, &err));
    ras_rewritten_free(r);
    for (size_t i = 0; i < count; i++)
        ras_close(traces[i]);
    struct ras_trace *t = open_sink(how.sink);
    OK(ras_verify(&report, t, &(struct ras_verify_options){.strict = true, .deep = true}, &err));
    if (report->finding_count)
        print_message("# %s\n", report->findings[0].text);
    assert_int_equal(report->by_severity[RAS_ERROR], 0);
    ras_report_free(report);
    ras_close(t);
    return how.sink;
}

static void same_bytes(struct ras_sink *a, struct ras_sink *b)
{
    struct ras_bytes x = ras_sink_bytes(a), y = ras_sink_bytes(b);
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.at, y.at, x.len);
}

/* The records of a trace in a line: B and the blob's id, ( and ), S and U with the ids they
 * name. */
static const char *listed(const struct ras_sink *sink)
{
    static char text[512];
    struct ras_bytes all = ras_sink_bytes(sink);
    struct ras_aero_header h;
    struct ras_aero_footer f;
    struct ras_aero_record r;
    struct ras_aero_submission s;
    struct ras_aero_blob b;
    size_t len = 0;
    uint32_t index = 0;
    uint64_t id = 0;
    OK(ras_aero_header_get(all, &h, &err));
    OK(ras_aero_footer_get(all, &f, &err));
    uint64_t at = RAS_AERO_HEADER_SIZE + (uint64_t)h.meta_len;
    all.len = (size_t)f.toc_offset;
    while (ras_aero_record_get(all, &at, &r, &err) == RAS_OK) {
        char *to = text + len;
        size_t room = sizeof text - len;
        (void)!ras_aero_frame_index_get(r.payload, &index, NULL);
        if (r.record_type == RAS_AERO_BEGIN_FRAME)
            len += (size_t)snprintf(to, room, "%u(", (unsigned)index);
        else if (r.record_type == RAS_AERO_PRESENT)
            len += (size_t)snprintf(to, room, ")%u ", (unsigned)index);
        else if (ras_aero_blob_get(r.payload, &b, NULL) == RAS_OK && r.record_type == RAS_AERO_BLOB)
            len += (size_t)snprintf(to, room, "B%u ", (unsigned)b.blob_id);
        else if (r.record_type == RAS_AERO_SUBMISSION &&
                 ras_aero_submission_get(r.payload, &s, NULL) == RAS_OK)
            len += (size_t)snprintf(to, room, "S%u,%u ", (unsigned)s.cmd_stream_blob_id,
                                    (unsigned)ras_aero_range_at(&s, 0).blob_id);
        else if (ras_aero_field_uint(ras_aero_packet_op(2),
                                     (struct ras_bytes){r.payload.at + 8, r.payload.len - 8},
                                     "blob_id", &id))
            len += (size_t)snprintf(to, room, "U%u ", (unsigned)id);
        else
            len += (size_t)snprintf(to, room, "P ");
    }
    return text;
}

/* ---- slices ------------------------------------------------------------------------------ */

static void a_slice_of_everything_is_the_trace(void **state)
{
    (void)state;
    struct ras_sink *a = a_trace(5), *all = rewrite(&a, 1, (struct ras_rewrite_options){0});
    assert_string_equal(listed(a), "0(B5 B15 B25 U25 )0 B35 1(S15,35 U25 B10 )1 2(P )2 ");
    same_bytes(a, all);
    ras_sink_drop(a);
    ras_sink_drop(all);
}

static void a_slice_takes_the_blobs_its_frames_name(void **state)
{
    (void)state;
    struct ras_sink *a = a_trace(5);
    struct ras_rewrite_options how = {.axis = RAS_AXIS_TICK, .from = 1, .to = 3};
    struct ras_sink *part = rewrite(&a, 1, how), *again = rewrite(&part, 1, how);
    assert_string_equal(listed(part), "B1 B2 B3 1(S1,3 U2 B4 )1 2(P )2 ");
    same_bytes(part, again);
    struct ras_trace *t = open_sink(part);
    struct ras_aero_blob b;
    OK(ras_aero_blob(t, 2, &b, &err));
    assert_memory_equal(b.data.at, "vertices", 8);
    OK(ras_aero_blob(t, 3, &b, &err));
    assert_memory_equal(b.data.at, "memory", 6);
    ras_close(t);
    struct ras_aero_header h;
    OK(ras_aero_header_get(ras_sink_bytes(part), &h, &err));
    struct ras_bytes meta = ras_aero_meta(ras_sink_bytes(part), &h);
    const char *want =
        "{\"emulator_version\":\"\",\"command_abi_version\":65540,\"first_frame_index\":1}";
    assert_int_equal(meta.len, strlen(want));
    assert_memory_equal(meta.at, want, meta.len);

    how.from = 2; /* another first frame: the number in meta_json changes in its place */
    struct ras_sink *last = rewrite(&part, 1, how), *direct = rewrite(&a, 1, how);
    assert_string_equal(listed(last), "2(P )2 ");
    same_bytes(last, direct);
    ras_sink_drop(last);
    ras_sink_drop(direct);
    ras_sink_drop(part);
    ras_sink_drop(again);
    ras_sink_drop(a);
}

/* ---- canvas and state of a slice -------------------------------------------------- */

static void put_words(struct ras_aero_writer *w, const uint32_t *words, size_t count)
{
    struct out out = {0};
    for (size_t i = 0; i < count; i++)
        put(&out, words[i], 4);
    OK(ras_aero_writer_packet(w, bytes_of(&out), &err));
    out_free(&out);
}

static void put_drawn_frame(struct ras_aero_writer *w, uint32_t index, uint32_t side)
{
    const uint32_t viewport[] = {7, 4, side, side}, draw[] = {9, 4, 3, 0};
    OK(ras_aero_writer_begin_frame(w, index, &err));
    put_words(w, viewport, 4);
    put_words(w, draw, 4);
    OK(ras_aero_writer_present(w, index, &err));
}

static bool states(const struct ras_sink *slice, const char *member)
{
    struct ras_aero_header h;
    char text[512];
    OK(ras_aero_header_get(ras_sink_bytes(slice), &h, &err));
    struct ras_bytes meta = ras_aero_meta(ras_sink_bytes(slice), &h);
    snprintf(text, sizeof text, "%.*s", (int)meta.len, (const char *)meta.at);
    return strstr(text, member);
}

/* The canvas is stated before the first record: the guess is corrected when a frame far after the
 * slice is drawn on a larger one. */
static void a_slice_states_the_canvas_of_frames_far_after_it(void **state)
{
    (void)state;
    static const uint8_t much[3 << 20] = {0};
    const struct ras_aero_writer_options start = {.container_version = 2,
                                                  .command_abi_version = 0x10004};
    const struct ras_rewrite_options how = {.axis = RAS_AXIS_TICK, .from = 1, .to = 2};
    for (int larger = 0; larger < 2; larger++) {
        struct ras_sink *sink = new_sink();
        struct ras_aero_writer *w;
        OK(ras_aero_writer_open(&w, sink, &start, &err));
        put_drawn_frame(w, 0, 70);
        put_drawn_frame(w, 1, 70);
        OK(ras_aero_writer_blob_as(w, 1, RAS_AERO_BUFFER_DATA,
                                   (struct ras_bytes){much, sizeof much}, &err));
        put_drawn_frame(w, 2, larger ? 90 : 50);
        OK(ras_aero_writer_finish(w, &err));
        OK(ras_aero_writer_close(w, &err));
        struct ras_sink *part = rewrite(&sink, 1, how);
        assert_string_equal(listed(part), "1(P P P P )1 ");
        assert_true(states(part, larger ? "\"canvas_width\":90," : "\"canvas_width\":70,"));
        ras_sink_drop(part);
        ras_sink_drop(sink);
    }
}

/* Frames that clear the canvas, each with a buffer of its own that replaces the one before, and one
 * that all of them use. */
static void put_many_frames(struct ras_aero_writer *w, uint32_t count)
{
    const uint32_t kept[] = {1, 4, 1, 64}, clear[] = {8, 6, 0, 0, 0, 0}, draw[] = {9, 4, 3, 0};
    const uint32_t set_kept[] = {6, 4, 1, 0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t made[] = {1, 4, 2 + i % 7, 64}, viewport[] = {7, 4, 64, 32 + i % 2};
        OK(ras_aero_writer_begin_frame(w, i, &err));
        if (i == 0)
            put_words(w, kept, 4);
        put_words(w, made, 4);
        put_words(w, viewport, 4);
        put_words(w, clear, 6);
        put_words(w, set_kept, 4);
        put_words(w, draw, 4);
        OK(ras_aero_writer_present(w, i, &err));
    }
}

/* Only commands that frames can depend on are remembered before a slice, however many there are:
 * all of them would exceed the limit. */
static void a_slice_far_into_a_trace_remembers_little(void **state)
{
    (void)state;
    enum { FRAMES = 60000 };
    const struct ras_aero_writer_options start = {.container_version = 2,
                                                  .command_abi_version = 0x10004};
    const struct ras_options little = {.limits = {.pool_bytes = 8 << 20}};
    struct ras_sink *sink = new_sink(), *part = new_sink();
    struct ras_bytes all;
    struct ras_aero_writer *w;
    struct ras_trace *t;
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {
        .axis = RAS_AXIS_TICK, .from = FRAMES - 1, .to = FRAMES, .sink = part};
    OK(ras_aero_writer_open(&w, sink, &start, &err));
    put_many_frames(w, FRAMES);
    OK(ras_aero_writer_finish(w, &err));
    OK(ras_aero_writer_close(w, &err));
    all = ras_sink_bytes(sink);
    OK(ras_open_memory(&t, all.at, all.len, &little, &err));
    OK(ras_rewrite(&r, &t, 1, &how, &err));
    /* The buffer of the first frame, and the content of the frame itself. */
    assert_string_equal(listed(part), "59999(P P P P P P )59999 ");
    ras_rewritten_free(r);
    ras_close(t);
    ras_sink_drop(part);
    ras_sink_drop(sink);
}

static void a_slice_by_type_keeps_frames_and_named_blobs(void **state)
{
    (void)state;
    static const char *const packet[] = {"packet"}, *const command[] = {"command"},
                             *const blob[] = {"blob"}, *const shader[] = {"shader"};
    static const struct {
        const char *const *types;
        const char *want;
    } cases[] = {
        {packet, "0(B1 U1 )0 1(U1 )1 2(P )2 "},
        {command, "0(B1 B2 U2 )0 B3 1(S1,3 U2 )1 2(P )2 "},
        {blob, "0(B1 B2 B3 )0 B4 1(B5 )1 2()2 "},
        {shader, "0()0 1(B1 )1 2()2 "},
    };
    struct ras_sink *a = a_trace(5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ras_rewrite_options how = {.types = cases[i].types, .type_count = 1};
        struct ras_sink *part = rewrite(&a, 1, how);
        assert_string_equal(listed(part), cases[i].want);
        ras_sink_drop(part);
    }
    ras_sink_drop(a);
}

/* No command of these traces makes buffer 1; a slice notes it, once. */
static void a_slice_notes_resources_it_does_not_make(void **state)
{
    (void)state;
    struct ras_sink *a = a_trace(5), *to = new_sink();
    struct ras_trace *t = open_sink(a);
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {
        .axis = RAS_AXIS_TICK, .from = 1, .to = 2, .sink = to, .bare = true};
    OK(ras_rewrite(&r, &t, 1, &how, &err));
    assert_int_equal(r->note_count, 1);
    assert_string_equal(r->notes[0], "frame 1 uses buffer 1, which no command of the slice makes: "
                                     "it does not replay by itself");
    ras_rewritten_free(r);
    ras_close(t);
    ras_sink_drop(a);
    ras_sink_drop(to);
}

/* Its Present is not in range: the frame is there without one. */
static void a_slice_by_seq_may_cut_a_frame(void **state)
{
    (void)state;
    struct ras_sink *a = a_trace(5);
    struct ras_rewrite_options how = {.axis = RAS_AXIS_SEQ, .from = 2, .to = 4};
    struct ras_sink *part = rewrite(&a, 1, how);
    assert_string_equal(listed(part), "0(B1 U1 ");
    ras_sink_drop(part);
    ras_sink_drop(a);
}

/* Where everything follows, the first pass ends as soon as no blob before it can be needed. */
static void a_slice_without_an_end_is_one_with_a_far_end(void **state)
{
    (void)state;
    struct ras_sink *a = a_trace(5);
    for (uint64_t from = 0; from < 17; from++) {
        struct ras_rewrite_options how = {.axis = RAS_AXIS_SEQ, .from = from, .to = RAS_NONE};
        struct ras_sink *open = rewrite(&a, 1, how);
        how.to = 1000;
        struct ras_sink *closed = rewrite(&a, 1, how);
        same_bytes(open, closed);
        if (from == 6)
            assert_string_equal(listed(open), "B1 B2 B3 1(S1,3 U2 B4 )1 2(P )2 ");
        ras_sink_drop(open);
        ras_sink_drop(closed);
    }
    ras_sink_drop(a);
}

static void an_id_of_no_blob_stays_an_id_of_no_blob(void **state)
{
    (void)state;
    struct ras_sink *sink = new_sink(), *to = new_sink();
    struct ras_aero_writer *w;
    struct ras_aero_writer_options start = {.container_version = 1, .command_abi_version = 1};
    OK(ras_aero_writer_open(&w, sink, &start, &err));
    OK(ras_aero_writer_begin_frame(w, 0, &err));
    put_upload(w, 1, 8); /* before there is one */
    OK(ras_aero_writer_blob_as(w, 1, RAS_AERO_BUFFER_DATA, SPAN("too late"), &err));
    put_upload(w, 1, 8);
    put_upload(w, 0, 8);
    OK(ras_aero_writer_present(w, 0, &err));
    OK(ras_aero_writer_finish(w, &err));
    OK(ras_aero_writer_close(w, &err));
    struct ras_trace *t = open_sink(sink);
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {.axis = RAS_AXIS_TICK, .to = RAS_NONE, .sink = to};
    OK(ras_rewrite(&r, &t, 1, &how, &err));
    assert_string_equal(listed(to), "0(U1 B2 U2 U0 )0 ");
    ras_rewritten_free(r);
    ras_close(t);
    ras_sink_drop(sink);
    ras_sink_drop(to);
}

/* ---- joined, converted --------------------------------------------------------------------- */

static void merged_frames_count_on_and_ids_do_not_collide(void **state)
{
    (void)state;
    struct ras_sink *sources[3] = {a_trace(5), a_trace(1), a_trace(1)};
    struct ras_sink *all = rewrite(sources, 3, (struct ras_rewrite_options){0});
    assert_string_equal(listed(all), "0(B5 B15 B25 U25 )0 B35 1(S15,35 U25 B10 )1 2(P )2 "
                                     "3(B36 B46 B56 U56 )3 B66 4(S46,66 U56 B41 )4 5(P )5 "
                                     "6(B67 B77 B87 U87 )6 B97 7(S77,97 U87 B72 )7 8(P )8 ");
    ras_sink_drop(all);
    for (size_t i = 0; i < 3; i++)
        ras_sink_drop(sources[i]);
}

static struct ras_sink *a_version_1_trace(uint32_t abi)
{
    struct ras_sink *sink = new_sink();
    struct ras_aero_writer *w;
    struct ras_aero_writer_options start = {.container_version = 1, .command_abi_version = abi};
    OK(ras_aero_writer_open(&w, sink, &start, &err));
    OK(ras_aero_writer_begin_frame(w, 0, &err));
    OK(ras_aero_writer_blob(w, RAS_AERO_BUFFER_DATA, SPAN("vertices"), NULL, &err));
    put_upload(w, 1, 8);
    OK(ras_aero_writer_present(w, 0, &err));
    OK(ras_aero_writer_finish(w, &err));
    OK(ras_aero_writer_close(w, &err));
    return sink;
}

static void the_last_index_can_be_copied_but_not_counted_on(void **state)
{
    (void)state;
    struct ras_sink *sink = new_sink(), *to = new_sink(), *two = new_sink();
    struct ras_aero_writer *w;
    struct ras_aero_writer_options start = {.container_version = 1, .command_abi_version = 1};
    OK(ras_aero_writer_open(&w, sink, &start, &err));
    OK(ras_aero_writer_begin_frame(w, UINT32_MAX, &err));
    OK(ras_aero_writer_present(w, UINT32_MAX, &err));
    OK(ras_aero_writer_finish(w, &err));
    OK(ras_aero_writer_close(w, &err));
    struct ras_trace *t[] = {open_sink(sink), open_sink(sink)};
    struct ras_rewritten *r;
    OK(ras_rewrite(&r, t, 1, &(struct ras_rewrite_options){.sink = to}, &err));
    assert_string_equal(listed(to), "4294967295()4294967295 ");
    ras_rewritten_free(r);
    struct ras_rewrite_options join = {.sink = two};
    assert_int_equal(ras_rewrite(&r, t, 2, &join, &err), RAS_ELIMIT);
    assert_string_equal(err.text, "frame 4294967296, indexes end with 4294967295");
    ras_close(t[0]);
    ras_close(t[1]);
    ras_sink_drop(sink);
    ras_sink_drop(to);
    ras_sink_drop(two);
}

static void traces_of_two_abis_are_not_merged(void **state)
{
    (void)state;
    struct ras_sink *a = a_version_1_trace(1), *b = a_trace(1), *to = new_sink();
    struct ras_trace *traces[] = {open_sink(a), open_sink(b)};
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {.sink = to};
    assert_int_equal(ras_rewrite(&r, traces, 2, &how, &err), RAS_EUSAGE);
    assert_string_equal(err.text,
                        "command_abi_version is 0x00000001 in trace 1, 0x00010004 in trace 2");
    assert_int_equal(ras_sink_size(to), 0);
    ras_close(traces[0]);
    ras_close(traces[1]);
    ras_sink_drop(a);
    ras_sink_drop(b);
    ras_sink_drop(to);
}

/* Version 1 and 2 joined are version 2, whichever comes first. */
static void the_newest_version_is_written(void **state)
{
    (void)state;
    struct ras_sink *sources[2] = {a_version_1_trace(0x10004), a_trace(1)};
    struct ras_sink *all = rewrite(sources, 2, (struct ras_rewrite_options){0});
    struct ras_aero_header h;
    OK(ras_aero_header_get(ras_sink_bytes(all), &h, &err));
    assert_int_equal(h.container_version, 2);
    assert_string_equal(listed(all),
                        "0(B1 U1 )0 1(B2 B12 B22 U22 )1 B32 2(S12,32 U22 B7 )2 3(P )3 ");
    ras_sink_drop(all);
    ras_sink_drop(sources[0]);
    ras_sink_drop(sources[1]);
}

static void version_1_becomes_2_in_two_numbers(void **state)
{
    (void)state;
    struct ras_sink *a = a_version_1_trace(1);
    struct ras_sink *b = rewrite(&a, 1, (struct ras_rewrite_options){.newest = true});
    struct ras_sink *c = rewrite(&b, 1, (struct ras_rewrite_options){.target = "v1"});
    struct ras_bytes x = ras_sink_bytes(a), y = ras_sink_bytes(b);
    size_t differ = 0;
    assert_int_equal(x.len, y.len);
    for (size_t i = 0; i < x.len; i++)
        differ += x.at[i] != y.at[i];
    assert_int_equal(differ, 2);
    assert_int_equal(y.at[12], 2);
    assert_int_equal(y.at[y.len - 20], 2);
    same_bytes(a, c);
    ras_sink_drop(a);
    ras_sink_drop(b);
    ras_sink_drop(c);
}

static void version_2_content_does_not_fit_version_1(void **state)
{
    (void)state;
    struct ras_sink *a = a_trace(1), *to = new_sink();
    struct ras_trace *t = open_sink(a);
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {.sink = to, .target = "v1"};
    assert_int_equal(ras_rewrite(&r, &t, 1, &how, &err), RAS_EUNSUPPORTED);
    assert_string_equal(err.text, "v1 has no blobs of kind 0x100");
    assert_int_equal(ras_sink_size(to), 0);
    ras_close(t);
    ras_sink_drop(a);
    ras_sink_drop(to);
}

static void bare_streams_are_sliced_and_joined(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_stream s;
    struct ras_trace *t[2];
    struct ras_rewritten *r;
    put_stream(&out, 5);
    out.len -= 3; /* the last command is cut */
    struct ras_rewrite_options how = {.axis = RAS_AXIS_SEQ, .from = 1, .to = 3, .sink = new_sink()};
    OK(ras_open_memory(&t[0], out.at, out.len, NULL, &err));
    OK(ras_open_memory(&t[1], out.at, out.len, NULL, &err));
    OK(ras_rewrite(&r, t, 1, &how, &err));
    ras_rewritten_free(r);
    OK(ras_aero_stream_get(ras_sink_bytes(how.sink), &s, &err));
    assert_int_equal(s.size_bytes, 24 + 2 * 16);
    assert_memory_equal(s.commands.at, out.at + 24 + 16, 32);
    ras_sink_drop(how.sink);
    how = (struct ras_rewrite_options){.sink = new_sink()};
    OK(ras_rewrite(&r, t, 2, &how, &err));
    ras_rewritten_free(r);
    OK(ras_aero_stream_get(ras_sink_bytes(how.sink), &s, &err));
    assert_int_equal(s.size_bytes, 24 + 2 * 4 * 16);
    ras_sink_drop(how.sink);
    ras_close(t[0]);
    ras_close(t[1]);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_of_everything_is_the_trace),
        cmocka_unit_test(a_slice_takes_the_blobs_its_frames_name),
        cmocka_unit_test(a_slice_states_the_canvas_of_frames_far_after_it),
        cmocka_unit_test(a_slice_far_into_a_trace_remembers_little),
        cmocka_unit_test(a_slice_by_type_keeps_frames_and_named_blobs),
        cmocka_unit_test(a_slice_notes_resources_it_does_not_make),
        cmocka_unit_test(a_slice_by_seq_may_cut_a_frame),
        cmocka_unit_test(a_slice_without_an_end_is_one_with_a_far_end),
        cmocka_unit_test(an_id_of_no_blob_stays_an_id_of_no_blob),
        cmocka_unit_test(merged_frames_count_on_and_ids_do_not_collide),
        cmocka_unit_test(the_last_index_can_be_copied_but_not_counted_on),
        cmocka_unit_test(traces_of_two_abis_are_not_merged),
        cmocka_unit_test(the_newest_version_is_written),
        cmocka_unit_test(version_1_becomes_2_in_two_numbers),
        cmocka_unit_test(version_2_content_does_not_fit_version_1),
        cmocka_unit_test(bare_streams_are_sliced_and_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
