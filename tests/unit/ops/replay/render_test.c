/* render_test.c - frames of a trace by the library: all, one, some, none. */
#include "base/out.h"
#include <rastrum/aerogpu.h>
#include <rastrum/murk.h>
#include "core/gpu_engine.h"
#include <rastrum/gpu.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
    FRAMES = 4,
    CLEAR_SIZE = 36,
    PRESENT_SIZE = 16,
    STREAM_SIZE = 24 + CLEAR_SIZE + PRESENT_SIZE
};

static uint8_t *word(uint8_t *to, uint32_t value)
{
    return store_u32(to, value);
}

static uint8_t *number(uint8_t *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return store_u32(to, bits);
}

/* A stream that clears to a gray and presents it. */
static void make_stream(uint8_t *to, float gray, uint32_t opcode)
{
    const struct ras_aero_stream head = {.abi_version = 0x00010004, .size_bytes = STREAM_SIZE};
    ras_aero_stream_put(&head, to);
    to = word(word(word(to + 24, opcode), CLEAR_SIZE), 1);
    to = number(number(number(number(to, gray), gray), gray), 1);
    to = word(number(to, 1), 0);
    word(word(word(word(to, 0x700), PRESENT_SIZE), 0), 0);
}

/* Frames 10, 11, ...; the one before the last presents nothing. */
static struct ras_sink *make_trace(void)
{
    struct ras_sink *sink;
    struct ras_aero_writer *w;
    const struct ras_aero_writer_options start = {.container_version = 2,
                                                  .command_abi_version = 0x00010004,
                                                  .emulator_version = {(const uint8_t *)"1", 1}};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_aero_writer_open(&w, sink, &start, NULL), RAS_OK);
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint8_t stream[STREAM_SIZE];
        make_stream(stream, (float)i / FRAMES, 0x600);
        assert_int_equal(ras_aero_writer_begin_frame(w, 10 + i, NULL), RAS_OK);
        if (i != FRAMES - 2)
            assert_int_equal(
                ras_aero_writer_packet(w, (struct ras_bytes){stream, sizeof stream}, NULL), RAS_OK);
        assert_int_equal(ras_aero_writer_present(w, 10 + i, NULL), RAS_OK);
    }
    assert_int_equal(ras_aero_writer_finish(w, NULL), RAS_OK);
    assert_int_equal(ras_aero_writer_close(w, NULL), RAS_OK);
    return sink;
}

struct seen {
    uint64_t frames[FRAMES], remarks;
    uint8_t gray[FRAMES];
    size_t count, stop_at;
};

static bool see(void *user, const struct ras_rendered *f)
{
    struct seen *s = user;
    uint8_t digest[RAS_SHA256_SIZE];
    ras_picture_sha256(&f->picture, digest);
    assert_memory_equal(digest, f->sha256, sizeof digest);
    assert_string_equal(f->inexact, "");
    assert_string_equal(f->backend, "software");
    assert_true(s->count < FRAMES);
    s->frames[s->count] = f->frame_index;
    s->gray[s->count++] = f->picture.rgba[0];
    return s->count != s->stop_at;
}

static void collect(void *user, uint64_t offset, const char *text)
{
    struct seen *s = user;
    (void)offset;
    assert_string_equal(text, "frame 12 ends without a PRESENT: it has no picture");
    s->remarks++;
}

static int render(struct ras_render_options how, struct seen *s, struct ras_render *out)
{
    struct ras_sink *sink = make_trace();
    struct ras_bytes bytes = ras_sink_bytes(sink);
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_true(ras_can_render(t));
    how.gpu = ras_gpu();
    how.frame_shown = see;
    how.remark = collect;
    how.user = s;
    int status = ras_render(out, t, &how, &err);
    ras_close(t);
    ras_sink_drop(sink);
    return status;
}

static void render_shows_every_frame(void **state)
{
    (void)state;
    struct seen s = {0};
    struct ras_render out;
    assert_int_equal(render((struct ras_render_options){0}, &s, &out), RAS_OK);
    assert_int_equal(s.count, FRAMES - 1);
    assert_int_equal(s.frames[0], 10);
    assert_int_equal(s.frames[1], 11);
    assert_int_equal(s.frames[2], 13);
    assert_int_equal(s.gray[1], 64);
    assert_int_equal(s.gray[2], 191);
    assert_int_equal(s.remarks, 1);
    assert_int_equal(out.frames, FRAMES - 1);
    assert_int_equal(out.unpresented, 1);
    assert_int_equal(out.inexact, 0);
}

static void render_shows_one_frame(void **state)
{
    (void)state;
    struct seen s = {0};
    struct ras_render out;
    const struct ras_render_options how = {.has_frame = true, .frame = 13};
    assert_int_equal(render(how, &s, &out), RAS_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.gray[0], 191);
    assert_int_equal(s.remarks, 0);
}

static void render_reports_a_missing_frame(void **state)
{
    (void)state;
    struct seen s = {0};
    struct ras_render out;
    assert_int_equal(render((struct ras_render_options){.has_frame = true, .frame = 9}, &s, &out),
                     RAS_END);
    assert_int_equal(render((struct ras_render_options){.has_frame = true, .frame = 12}, &s, &out),
                     RAS_END);
    assert_int_equal(render((struct ras_render_options){.has_draw = true, .draw = 1}, &s, &out),
                     RAS_END);
    assert_int_equal(s.count, 0);
}

static void render_stops_when_the_callback_says_so(void **state)
{
    (void)state;
    struct seen s = {.stop_at = 2};
    struct ras_render out;
    assert_int_equal(render((struct ras_render_options){0}, &s, &out), RAS_OK);
    assert_int_equal(s.count, 2);
    assert_int_equal(out.frames, 2);
}

static void render_refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct seen s = {0};
    struct ras_render out;
    assert_int_equal(render((struct ras_render_options){.backend = RAS_BACKEND_GLES}, &s, &out),
                     RAS_EUNSUPPORTED);
    assert_int_equal(render((struct ras_render_options){.backend = (enum ras_backend)9}, &s, &out),
                     RAS_EUNSUPPORTED);
    assert_int_equal(
        render((struct ras_render_options){.width = 5000, .limits = {.side = 100}}, &s, &out),
        RAS_ELIMIT);
}

static void render_needs_no_callbacks(void **state)
{
    (void)state;
    struct ras_sink *sink = make_trace();
    struct ras_bytes bytes = ras_sink_bytes(sink);
    struct ras_trace *t;
    struct ras_render out;
    const struct ras_render_options how = {.gpu = ras_gpu()};
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_render(&out, t, &how, NULL), RAS_OK);
    assert_int_equal(out.frames, FRAMES - 1);
    ras_close(t);
    ras_sink_drop(sink);
}

static void render_without_an_engine_names_its_library(void **state)
{
    (void)state;
    struct ras_sink *sink = make_trace();
    struct ras_bytes bytes = ras_sink_bytes(sink);
    struct ras_trace *t;
    struct ras_render out;
    struct ras_error err;
    const struct ras_gpu old = {.version = GPU_ENGINE_VERSION - 1};
    const struct ras_render_options how = {.gpu = &old};
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_render(&out, t, NULL, &err), RAS_EUNSUPPORTED);
    assert_string_equal(err.text, "GPU commands are executed by librastrum-gpu: link it and set "
                                  "ras_render_options.gpu = ras_gpu()");
    assert_int_equal(ras_render(&out, t, &how, &err), RAS_EVERSION);
    assert_non_null(strstr(err.text, "librastrum-gpu has interface 0, this version of librastrum"));
    ras_close(t);
    ras_sink_drop(sink);
}

static void render_refuses_other_formats(void **state)
{
    (void)state;
    struct ras_trace *t;
    struct ras_render out;
    struct ras_error err;
    struct ras_sink *sink;
    struct ras_murk_writer *w;
    const struct ras_murk_header header = {.version = RAS_MURK_VERSION};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_murk_writer_open(&w, sink, &header, NULL), RAS_OK);
    assert_int_equal(ras_murk_writer_close(w, NULL), RAS_OK);
    struct ras_bytes bytes = ras_sink_bytes(sink);
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_false(ras_can_render(t));
    assert_int_equal(ras_render(&out, t, NULL, &err), RAS_EUNSUPPORTED);
    assert_string_equal(err.text, "murk traces have no frames to render");
    ras_close(t);
    ras_sink_drop(sink);
}

struct heard {
    uint64_t calls, last, total;
};

static bool count_progress(void *user, uint64_t done, uint64_t total)
{
    struct heard *h = user;
    assert_true(done >= h->last);
    assert_true(done <= total);
    *h = (struct heard){h->calls + 1, done, total};
    return true;
}

static void render_reports_bytes_up_to_one_frame(void **state)
{
    (void)state;
    struct heard heard = {0};
    const struct ras_render_options how = {.gpu = ras_gpu(),
                                           .has_frame = true,
                                           .frame = 13,
                                           .progress = count_progress,
                                           .user = &heard};
    struct ras_sink *sink = make_trace();
    struct ras_bytes bytes = ras_sink_bytes(sink);
    struct ras_trace *t;
    struct ras_render out;
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_render(&out, t, &how, NULL), RAS_OK);
    assert_int_equal(heard.calls, FRAMES - 1); /* one frame is empty */
    assert_true(heard.last > 0);
    assert_true(heard.last < heard.total);
    ras_close(t);
    ras_sink_drop(sink);
}

static void canvas_of_two_is_the_better_founded_one(void **state)
{
    (void)state;
    const struct ras_canvas stated = {10, 10, RAS_SIZE_META, 32};
    const struct ras_canvas found = {90, 90, RAS_SIZE_VIEWPORT, 50};
    const struct ras_canvas larger = {91, 90, RAS_SIZE_VIEWPORT, 60};
    assert_int_equal(ras_canvas_of_two(stated, found).width, 10);
    assert_int_equal(ras_canvas_of_two(found, stated).width, 10);
    assert_int_equal(ras_canvas_of_two(found, larger).width, 91);
    assert_int_equal(ras_canvas_of_two(larger, found).width, 91);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(render_shows_every_frame),
        cmocka_unit_test(render_shows_one_frame),
        cmocka_unit_test(render_reports_a_missing_frame),
        cmocka_unit_test(render_stops_when_the_callback_says_so),
        cmocka_unit_test(render_refuses_what_does_not_fit),
        cmocka_unit_test(render_needs_no_callbacks),
        cmocka_unit_test(render_without_an_engine_names_its_library),
        cmocka_unit_test(render_refuses_other_formats),
        cmocka_unit_test(render_reports_bytes_up_to_one_frame),
        cmocka_unit_test(canvas_of_two_is_the_better_founded_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
