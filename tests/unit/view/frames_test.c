/* frames_test.c - frames of a side: pictures with their facts, strips, commands, pixels. */
#include "view/frames.h"
#include "viewed.h"

enum { TICKS = 12, AT = 5 };

static struct ras_trace *open_pictures(const char *path)
{
    struct ras_trace *t;
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    return t;
}

/* The JSON of a bundle, and its n-th file. */
static struct viewed bundle_of(struct ras_view *view, const char *uri, unsigned n,
                               struct ras_picture *picture)
{
    struct viewed v = {0};
    struct ras_error err = {0};
    struct ras_answer answer = viewed_send(view, uri, NULL);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.type, "application/octet-stream");
    uint32_t len = load_u32(answer.bytes.at);
    v.status = answer.status;
    assert_int_equal(
        row_read_value(&v.reader, (struct ras_bytes){answer.bytes.at + 4, len}, &v.value, &err),
        RAS_OK);
    const uint8_t *at = answer.bytes.at + 4 + len;
    for (unsigned i = 0;; i++) {
        char path[32];
        snprintf(path, sizeof path, "files[%u]", i);
        size_t size = (size_t)viewed_number(&v, path);
        if (i == n) {
            assert_int_equal(ras_png_get((struct ras_bytes){at, size}, picture, &err), RAS_OK);
            return v;
        }
        at += size;
    }
}

static void hex_of(const uint8_t *bytes, size_t len, char *to)
{
    for (size_t i = 0; i < len; i++)
        snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

static void a_picture_is_what_its_facts_say(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct ras_picture picture;
    uint8_t sha256[RAS_SHA256_SIZE];
    char hex[2 * RAS_SHA256_SIZE + 1];
    (void)state;
    for (unsigned draw = 0; draw < 3; draw++) {
        char uri[80];
        snprintf(uri, sizeof uri, "/v1/picture?src=2&n=7&draw=%u", draw);
        struct viewed v = bundle_of(view, uri, 0, &picture);
        ras_picture_sha256(&picture, sha256);
        hex_of(sha256, sizeof sha256, hex);
        assert_true(viewed_is(&v, "picture.sha256", hex));
        assert_int_equal(viewed_number(&v, "picture.width"), picture.width);
        assert_int_equal(viewed_number(&v, "picture.frame"), 7);
        assert_int_equal(viewed_count(&v, "picture.inexact"), 0);
        if (draw)
            assert_int_equal(viewed_number(&v, "picture.draws"), draw);
        ras_picture_free(&picture);
        viewed_free(&v);
    }
    struct viewed v = viewed_get(view, "/v1/picture?src=2&n=7&draw=1000");
    assert_int_equal(v.status, 404);
    assert_true(viewed_is(&v, "error", "frame 7 has no draw 1000"));
    viewed_free(&v);
    ras_view_close(view);
}

/* The frames of a strip are those that are drawn one by one. */
static void a_strip_has_the_frames(void **state)
{
    struct ras_trace *t = open_pictures("run/gpu.aerogputrace");
    struct frame_how how = {.gpu = ras_gpu(), .frame = 3};
    struct out strip = {0};
    struct ras_error err = {0};
    (void)state;
    assert_int_equal(frame_strip(&strip, t, &how, 5, 40, &err), RAS_OK);
    struct in in = in_bytes((struct ras_bytes){strip.at, strip.len});
    for (uint64_t frame = 3; frame < 8; frame++) {
        struct frame_kept f = {0};
        struct ras_picture small, again;
        how.frame = frame;
        assert_int_equal(frame_draw(&f, t, &how, &err), RAS_OK);
        assert_int_equal(in_u32(&in), frame);
        uint32_t len = in_u32(&in);
        assert_memory_equal(in_take(&in, 8), f.sha256, 8);
        assert_int_equal(ras_png_get(in_span(&in, len), &small, &err), RAS_OK);
        assert_int_equal(frame_thumb(&again, &f.picture, 40, &err), RAS_OK);
        assert_int_equal(small.width, 40);
        assert_memory_equal(small.rgba, again.rgba, (size_t)small.width * small.height * 4);
        ras_picture_free(&small);
        ras_picture_free(&again);
        frame_free(&f);
    }
    assert_false(in.cut);
    assert_int_equal(in_left(&in), 0);
    out_free(&strip);
    ras_close(t);
}

static void a_strip_ends_with_the_trace(void **state)
{
    struct ras_trace *t = open_pictures("run/gpu.aerogputrace");
    struct frame_how how = {.gpu = ras_gpu(), .frame = TICKS - 2};
    struct out strip = {0};
    unsigned frames = 0;
    (void)state;
    assert_int_equal(frame_strip(&strip, t, &how, 16, 8, NULL), RAS_OK);
    for (struct in in = in_bytes((struct ras_bytes){strip.at, strip.len}); in_left(&in); frames++) {
        assert_int_equal(in_u32(&in), TICKS - 2 + frames);
        uint32_t len = in_u32(&in);
        assert_non_null(in_take(&in, 8 + (uint64_t)len));
    }
    assert_int_equal(frames, 2);
    out_free(&strip);
    ras_close(t);
}

static void a_thumbnail_is_the_mean(void **state)
{
    static const uint8_t rgba[4 * 4] = {0,   0, 0, 255, 100, 0,  0, 255,
                                        200, 8, 0, 255, 100, 12, 0, 255};
    const struct ras_picture picture = {2, 2, rgba};
    struct ras_picture small;
    (void)state;
    assert_int_equal(frame_thumb(&small, &picture, 1, NULL), RAS_OK);
    assert_int_equal(small.width * small.height, 1);
    assert_memory_equal(small.rgba, ((const uint8_t[]){100, 5, 0, 255}), 4);
    ras_picture_free(&small);
    assert_int_equal(frame_thumb(&small, &picture, 40, NULL), RAS_OK);
    assert_int_equal(small.width, 2); /* never larger */
    ras_picture_free(&small);
}

/* Draws are numbered in the list of commands as they are when they are executed. */
static void draws_of_the_list_are_those_executed(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct ras_picture picture;
    struct viewed v = viewed_get(view, "/v1/commands?src=2&n=7");
    struct viewed facts = bundle_of(view, "/v1/picture?src=2&n=7", 0, &picture);
    unsigned draws = 0;
    (void)state;
    assert_int_equal(viewed_number(&v, "draws"), viewed_number(&facts, "picture.draws"));
    assert_int_equal(viewed_number(&v, "tick"), 8);
    for (size_t i = 0; i < viewed_count(&v, "commands"); i++) {
        char path[48];
        snprintf(path, sizeof path, "commands[%zu].draw", i);
        if (viewed_find(&v, path)->kind != RAS_NULL)
            assert_int_equal(viewed_number(&v, path), ++draws);
    }
    assert_int_equal(draws, viewed_number(&v, "draws"));
    assert_true(draws > 2);
    viewed_free(&v);
    viewed_free(&facts);
    ras_picture_free(&picture);
    ras_view_close(view);
}

/* The numbers in the list are those of the records, whether the trace was read before or not: the
 * index of frames does not know them. */
static void commands_have_the_numbers_of_their_records(void **state)
{
    (void)state;
    for (int built = 0; built < 2; built++) {
        struct ras_view *view = viewed_open("run", NULL);
        while (built && ras_view_step(view, 8, NULL) == RAS_OK)
            ;
        struct viewed v = viewed_get(view, "/v1/commands?src=2&n=7");
        for (size_t i = 0; i < viewed_count(&v, "commands"); i += 5) {
            char path[48], uri[80];
            snprintf(path, sizeof path, "commands[%zu].seq", i);
            const struct ras_value *seq = viewed_find(&v, path);
            assert_int_equal(seq->kind, RAS_STR);
            snprintf(uri, sizeof uri, "/v1/record?src=2&seq=%.*s", (int)seq->count,
                     (const char *)seq->at);
            struct viewed record = viewed_get(view, uri);
            snprintf(path, sizeof path, "commands[%zu].offset", i);
            const struct ras_value *offset = viewed_find(&v, path);
            const struct ras_value *same = viewed_find(&record, "offset");
            assert_int_equal(record.status, 200);
            assert_int_equal(offset->count, same->count);
            assert_memory_equal(offset->at, same->at, same->count);
            viewed_free(&record);
        }
        viewed_free(&v);
        ras_view_close(view);
    }
}

static void a_pixel_was_written_by_the_draw_that_changed_it(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct ras_picture all, up_to, before;
    struct viewed v = viewed_get(view, "/v1/pixel?src=2&n=7&x=256&y=256");
    char uri[80], hex[12];
    (void)state;
    unsigned draw = (unsigned)viewed_number(&v, "last_draw");
    size_t at = (256 * 512 + 256) * 4;
    struct viewed a = bundle_of(view, "/v1/picture?src=2&n=7", 0, &all);
    snprintf(uri, sizeof uri, "/v1/picture?src=2&n=7&draw=%u", draw);
    struct viewed b = bundle_of(view, uri, 0, &up_to);
    snprintf(uri, sizeof uri, "/v1/picture?src=2&n=7&draw=%u", draw - 1);
    struct viewed c = bundle_of(view, uri, 0, &before);
    assert_memory_equal(all.rgba + at, up_to.rgba + at, 4);
    assert_memory_not_equal(up_to.rgba + at, before.rgba + at, 4);
    snprintf(hex, sizeof hex, "#");
    hex_of(before.rgba + at, 4, hex + 1);
    assert_true(viewed_is(&v, "before", hex));
    hex_of(all.rgba + at, 4, hex + 1);
    assert_true(viewed_is(&v, "rgba", hex));
    ras_picture_free(&all);
    ras_picture_free(&up_to);
    ras_picture_free(&before);
    viewed_free(&v);
    viewed_free(&a);
    viewed_free(&b);
    viewed_free(&c);
    v = viewed_get(view, "/v1/pixel?src=2&n=7&x=512&y=0");
    assert_int_equal(v.status, 400);
    viewed_free(&v);
    ras_view_close(view);
}

static void frames_of_two_runs_are_compared(void **state)
{
    struct ras_view *view = viewed_open("run", "bad");
    struct ras_picture picture;
    struct viewed v = bundle_of(view, "/v1/pixels?n=2", 2, &picture);
    (void)state;
    assert_int_equal(viewed_number(&v, "differs"), 0);
    assert_int_equal(viewed_count(&v, "box"), 0);
    ras_picture_free(&picture);
    viewed_free(&v);
    v = bundle_of(view, "/v1/pixels?n=11", 2, &picture);
    uint64_t red = 0;
    for (size_t i = 0; i < (size_t)picture.width * picture.height; i++)
        red += picture.rgba[4 * i] == 255 && !picture.rgba[4 * i + 1];
    assert_true(red > 0);
    assert_int_equal(viewed_number(&v, "differs"), red);
    assert_int_equal(viewed_count(&v, "box"), 4);
    ras_picture_free(&picture);
    viewed_free(&v);
    ras_view_close(view);
    view = viewed_open("run", NULL);
    v = viewed_get(view, "/v1/pixels?n=2");
    assert_int_equal(v.status, 409);
    viewed_free(&v);
    ras_view_close(view);
}

/* Commands that cannot be executed are named. */
static void an_inexact_frame_says_what_is_missing(void **state)
{
    struct ras_view *view = viewed_open("golden:aerogpu/unknown_record.aerogputrace", NULL);
    struct ras_picture picture;
    struct viewed v = bundle_of(view, "/v1/picture?src=0&n=0", 0, &picture);
    (void)state;
    assert_int_equal(viewed_count(&v, "picture.inexact"), 1);
    assert_true(viewed_is(&v, "picture.inexact[0]", "gap"));
    ras_picture_free(&picture);
    viewed_free(&v);
    ras_view_close(view);
}

/* Commands are listed also where they cannot be executed. */
static void a_bare_stream_is_a_frame(void **state)
{
    struct ras_view *view = viewed_open("golden:aerogpu/every_command.acmd", NULL);
    struct viewed v = viewed_get(view, "/v1/picture?src=0&n=0");
    (void)state;
    assert_int_equal(v.status, 409);
    assert_true(viewed_is(&v, "error", "RESOURCE_DIRTY_RANGE: resource 1 does not exist"));
    viewed_free(&v);
    v = viewed_get(view, "/v1/commands?src=0&n=0");
    assert_int_equal(viewed_count(&v, "commands"), 22);
    assert_int_equal(viewed_find(&v, "tick")->kind, RAS_NULL);
    viewed_free(&v);
    ras_view_close(view);
}

static void a_trace_without_pictures_is_refused(void **state)
{
    struct ras_view *view = viewed_open("golden:murk/world.murk", NULL);
    struct viewed v = viewed_get(view, "/v1/picture?src=0&n=1");
    (void)state;
    assert_int_equal(v.status, 409);
    viewed_free(&v);
    ras_view_close(view);
}

static int enter(void **state)
{
    if (viewed_enter(state))
        return -1;
    viewed_run("run", TICKS, 0);
    viewed_run("bad", TICKS, AT);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_what_its_facts_say),
        cmocka_unit_test(a_strip_has_the_frames),
        cmocka_unit_test(a_strip_ends_with_the_trace),
        cmocka_unit_test(a_thumbnail_is_the_mean),
        cmocka_unit_test(draws_of_the_list_are_those_executed),
        cmocka_unit_test(commands_have_the_numbers_of_their_records),
        cmocka_unit_test(a_pixel_was_written_by_the_draw_that_changed_it),
        cmocka_unit_test(frames_of_two_runs_are_compared),
        cmocka_unit_test(an_inexact_frame_says_what_is_missing),
        cmocka_unit_test(a_bare_stream_is_a_frame),
        cmocka_unit_test(a_trace_without_pictures_is_refused),
    };
    return cmocka_run_group_tests(tests, enter, viewed_leave);
}
