/* zstd_chunk_test.c - zstd: one frame of known size, and streams of frames, by both engines. */
#include "codec/zstd_chunk.h"
#include "codec/zstd_engine.h"
#include "inflate_drive.h"
#include "oracle.h"

#include <zstd.h>

static const struct zstd_engine *engine; /* all of this holds for both */

static struct ras_bytes bytes_of(const struct out *out)
{
    return (struct ras_bytes){out->at, out->len};
}

static void put_frame(struct out *stream, struct ras_bytes content, bool checksum, bool sized)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, checksum);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, sized);
    size_t room = ZSTD_compressBound(content.len);
    uint8_t *at = out_room(stream, room);
    size_t size = ZSTD_compress2(zstd, at, room, content.at, content.len);
    assert_false(ZSTD_isError(size));
    stream->len += size;
    ZSTD_freeCCtx(zstd);
}

struct sample {
    struct out stream, content;
    size_t ends[8]; /* of the frames, in the stream */
    size_t count;
};

static void add(struct sample *sample, size_t len, bool checksum, bool sized)
{
    uint8_t *at = out_room(&sample->content, len + 1);
    fill_text(at, len, (uint32_t)(len + sample->count));
    sample->content.len += len;
    put_frame(&sample->stream, (struct ras_bytes){at, len}, checksum, sized);
    sample->ends[sample->count++] = sample->stream.len;
}

static void add_skippable(struct sample *sample, const char *text)
{
    out_bytes(&sample->stream, "\x5a\x2a\x4d\x18", 4);
    out_bytes(&sample->stream, (const uint8_t[]){(uint8_t)strlen(text), 0, 0, 0}, 4);
    out_text(&sample->stream, text);
    sample->ends[sample->count++] = sample->stream.len;
}

/* A frame, a skippable one, an empty frame, two more frames. */
static struct sample sample_new(void)
{
    struct sample sample = {0};
    add(&sample, 900, true, true);
    add_skippable(&sample, "seek table");
    add(&sample, 0, false, false);
    add(&sample, 1500, false, true);
    add(&sample, 300, true, false);
    return sample;
}

static void sample_free(struct sample *sample)
{
    out_free(&sample->stream);
    out_free(&sample->content);
}

static void frames_join_in_any_step_size(void **state)
{
    (void)state;
    struct sample sample = sample_new();
    for (size_t in_step = 1; in_step < 40000; in_step = in_step * 3 + 1)
        for (size_t out_step = 1; out_step < 40000; out_step = out_step * 3 + 2) {
            struct driven got =
                drive(zstd_inflate_by(engine), bytes_of(&sample.stream), in_step, out_step);
            assert_string_equal(got.why, "");
            assert_same(&got.out, bytes_of(&sample.content));
            assert_true(got.whole && !got.bad);
            assert_int_equal(got.members, 4);
            assert_int_equal(got.good, sample.stream.len);
            out_free(&got.out);
        }
    sample_free(&sample);
}

static void every_cut_gives_a_prefix(void **state)
{
    (void)state;
    struct sample sample = sample_new();
    size_t before = 0, frame = 0;
    for (size_t cut = 0; cut <= sample.stream.len; cut++) {
        struct driven got =
            drive(zstd_inflate_by(engine), (struct ras_bytes){sample.stream.at, cut}, 61, 977);
        while (frame < sample.count && cut >= sample.ends[frame])
            frame++;
        assert_true(is_prefix(&got.out, bytes_of(&sample.content)));
        assert_true(got.out.len >= before);
        before = got.out.len;
        assert_false(got.bad);
        assert_int_equal(got.whole, frame && cut == sample.ends[frame - 1]);
        assert_int_equal(got.members, frame - (frame > 1));
        assert_int_equal(got.good, frame ? sample.ends[frame - 1] : 0);
        out_free(&got.out);
    }
    assert_int_equal(before, sample.content.len);
    sample_free(&sample);
}

static void flipped_bytes_never_add_bytes_unnoticed(void **state)
{
    (void)state;
    struct sample sample = {0};
    add(&sample, 700, true, true);
    add(&sample, 900, true, false);
    for (size_t at = 0; at < sample.stream.len; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            sample.stream.at[at] ^= (uint8_t)(1u << bit);
            struct driven got = drive(zstd_inflate_by(engine), bytes_of(&sample.stream), 100, 5000);
            assert_true(!got.bad || got.why[0]);
            /* The window size, the reserved bit or the checksum flag may change; the rest of
             * the frame has a checksum. */
            if (got.whole)
                assert_same(&got.out, bytes_of(&sample.content));
            out_free(&got.out);
            sample.stream.at[at] ^= (uint8_t)(1u << bit);
        }
    sample_free(&sample);
}

/* A frame of four blocks, the third corrupt: two blocks come out, however the
 * input is given. */
static void good_blocks_before_a_corrupt_one_are_kept(void **state)
{
    (void)state;
    struct sample sample = {0};
    add(&sample, 4 * ZSTD_BLOCKSIZE_MAX, true, true);
    const uint8_t *at = sample.stream.at + 4;
    size_t block = 4 + 1 + ((*at >> 5 & 1) ? 0 : 1) + 4; /* a content size of four bytes */
    assert_int_equal(*at >> 6, 2);
    for (int i = 0; i < 2; i++)
        block += 3 + (load_u24(sample.stream.at + block) >> 3);
    size_t third = load_u24(sample.stream.at + block) >> 3;
    for (int corrupt_head = 0; corrupt_head < 2; corrupt_head++) {
        struct out stream = {0};
        out_bytes(&stream, sample.stream.at, sample.stream.len);
        memset(stream.at + block + (corrupt_head ? 0 : 3), 0xff, corrupt_head ? 3 : third);
        size_t steps[] = {1, 1000, stream.len};
        for (size_t i = 0; i < 3; i++) {
            struct driven got =
                drive(zstd_inflate_by(engine), bytes_of(&stream), steps[i], 1 << 20);
            assert_true(got.bad && !got.trailing);
            assert_int_equal(got.out.len, 2 * ZSTD_BLOCKSIZE_MAX);
            assert_true(is_prefix(&got.out, bytes_of(&sample.content)));
            assert_non_null(strstr(got.why, "zstd frame 1: "));
            out_free(&got.out);
        }
        out_free(&stream);
    }
    sample_free(&sample);
}

/* Found by fuzzing: a raw block of 262 bytes in a frame that states 256 to 265.
 * What comes out must not depend on how the input is given. */
static void raw_bytes_survive_a_wrong_content_size(void **state)
{
    (void)state;
    enum { HEAD = 11, RAW = 262 };
    for (uint8_t over = 0; over < 10; over++)
        for (uint8_t last = 0; last < 2; last++) {
            uint8_t frame[HEAD + RAW] = {0x28, 0xb5, 0x2f, 0xfd, 0x40, 0, over, 0};
            size_t stated = 256 + over, most = stated < RAW ? stated : last ? RAW - 1 : RAW;
            bool right = stated == RAW && last;
            frame[8] = (uint8_t)(RAW << 3 | last);
            frame[9] = RAW >> 5;
            fill_text(frame + HEAD, RAW, over);
            for (size_t step = 1; step < sizeof frame; step += 9) {
                struct driven got = drive(zstd_inflate_by(engine),
                                          (struct ras_bytes){frame, sizeof frame}, step, step);
                assert_int_equal(got.whole, right);
                assert_int_equal(got.bad, stated < RAW || (last && !right));
                assert_same(&got.out, (struct ras_bytes){frame + HEAD, most + right});
                out_free(&got.out);
            }
        }
}

static void bytes_after_the_last_frame_are_a_warning(void **state)
{
    (void)state;
    static const char *const tails[] = {"x", "\x28x", "\x28\xb5\x2fx", "\x5f\x2a\x4dx",
                                        "\x25\xb5\x2f\xfd"};
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        struct sample sample = sample_new();
        size_t whole = sample.stream.len;
        out_text(&sample.stream, tails[i]);
        out_text(&sample.stream, "and more");
        for (size_t step = 1; step < 10000; step = step * 7) {
            struct driven got = drive(zstd_inflate_by(engine), bytes_of(&sample.stream), step, 500);
            assert_same(&got.out, bytes_of(&sample.content));
            assert_true(got.bad && got.trailing && !got.whole);
            assert_string_equal(got.why, "bytes after the last zstd frame");
            assert_int_equal(got.good, whole);
            out_free(&got.out);
        }
        sample_free(&sample);
    }
}

static void zero_padding_is_clean(void **state)
{
    (void)state;
    struct sample sample = sample_new();
    out_bytes(&sample.stream, (const uint8_t[99]){0}, 99);
    struct driven got = drive(zstd_inflate_by(engine), bytes_of(&sample.stream), 100, 100);
    assert_true(got.whole && !got.bad && !got.trailing);
    out_free(&got.out);
    add(&sample, 50, true, true);
    got = drive(zstd_inflate_by(engine), bytes_of(&sample.stream), 100, 100);
    assert_true(got.whole && got.members == 5);
    assert_same(&got.out, bytes_of(&sample.content));
    out_free(&got.out);
    sample_free(&sample);
}

static void other_bytes_than_zstd_are_refused(void **state)
{
    (void)state;
    struct driven got =
        drive(zstd_inflate_by(engine), (struct ras_bytes){(const uint8_t *)"MURK", 4}, 4, 16);
    assert_true(got.bad && !got.trailing && !got.whole);
    assert_string_equal(got.why, "not a zstd stream");
    assert_true(zstd_is((struct ras_bytes){(const uint8_t *)"\x28\xb5\x2f\xfd", 4}));
    for (unsigned low = 0; low < 16; low++)
        assert_true(zstd_is((struct ras_bytes){(uint8_t[]){(uint8_t)(0x50 | low), 42, 77, 24}, 4}));
    assert_false(zstd_is((struct ras_bytes){(const uint8_t *)"\x28\x2a\x4d\x18", 4}));
    assert_false(zstd_is((struct ras_bytes){(const uint8_t *)"\x28\xb5\x2f", 3}));
    assert_false(zstd_is((struct ras_bytes){NULL, 0}));
}

/* RFC 8878, 3.1.1.1.2: the window descriptor's exponent; 0x91 is 2^28 and an eighth. */
static void a_huge_window_is_refused(void **state)
{
    (void)state;
    const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x91, 0x01, 0x00, 0x00};
    struct driven got =
        drive(zstd_inflate_by(engine), (struct ras_bytes){frame, sizeof frame}, 9, 16);
    assert_true(got.bad && !got.trailing);
    assert_string_equal(got.why, "zstd frame 1: frame requires too much memory for decoding");
    const uint8_t modest[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x10, 0x01, 0x00, 0x00};
    got = drive(zstd_inflate_by(engine), (struct ras_bytes){modest, sizeof modest}, 9, 16);
    assert_true(got.whole && got.members == 1);
}

static void python_agrees(void **state)
{
    (void)state;
    struct out all = oracle("zstd_frames.py", "8878");
    struct in in = oracle_in(&all);
    size_t pairs = 0;
    for (; in_left(&in); pairs++) {
        struct ras_bytes stream = oracle_blob(&in), content = oracle_blob(&in);
        struct driven got = drive(zstd_inflate_by(engine), stream, 1 + pairs * 977, 65536);
        assert_string_equal(got.why, "");
        assert_true(got.whole && !got.bad);
        assert_same(&got.out, content);
        out_free(&got.out);
    }
    assert_int_equal(pairs, 60);
    out_free(&all);
}

/* ---- one frame ----------------------------------------------------------- */

static void a_chunk_comes_back(void **state)
{
    (void)state;
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_by(engine);
    static const size_t sizes[] = {0, 1, 255, 256, 70000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct sample sample = {0};
        add(&sample, sizes[i], i & 1, true);
        uint8_t *back = malloc(sizes[i] + 1);
        const char *why = "";
        size_t after = 99;
        assert_int_equal(zstd_content_size(bytes_of(&sample.stream)), sizes[i]);
        assert_int_equal(
            zstd_chunk_get(ctx, bytes_of(&sample.stream), back, sizes[i], &after, &why), RAS_OK);
        assert_int_equal(after, 0);
        assert_same(&sample.content, (struct ras_bytes){back, sizes[i]});
        out_text(&sample.stream, "tail");
        assert_int_equal(
            zstd_chunk_get(ctx, bytes_of(&sample.stream), back, sizes[i], &after, NULL), RAS_OK);
        assert_int_equal(after, 4);
        free(back);
        sample_free(&sample);
    }
    zstd_chunk_ctx_free(ctx);
    zstd_chunk_ctx_free(NULL);
}

static void a_chunk_must_state_the_expected_size(void **state)
{
    (void)state;
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_by(engine);
    struct sample sized = {0}, bare = {0}, skippable = {0};
    uint8_t back[1000];
    const char *why = "";
    add(&sized, 500, false, true);
    add(&bare, 500, false, false);
    add_skippable(&skippable, "nothing");
    struct ras_bytes in = bytes_of(&sized.stream);
    assert_int_equal(zstd_chunk_get(ctx, in, back, 499, NULL, &why), RAS_EFORMAT);
    assert_string_equal(why, "zstd frame states another content size");
    assert_int_equal(zstd_chunk_get(ctx, in, back, 501, NULL, &why), RAS_EFORMAT);
    in = bytes_of(&bare.stream);
    assert_int_equal(zstd_chunk_get(ctx, in, back, 500, NULL, &why), RAS_EFORMAT);
    assert_string_equal(why, "zstd frame does not state its content size");
    assert_true(zstd_content_size(in) == RAS_NONE);
    in = bytes_of(&skippable.stream);
    assert_int_equal(zstd_chunk_get(ctx, in, back, 0, NULL, &why), RAS_EFORMAT);
    assert_string_equal(why, "not a zstd frame");
    assert_true(zstd_content_size(in) == RAS_NONE);
    sample_free(&sized);
    sample_free(&bare);
    sample_free(&skippable);
    zstd_chunk_ctx_free(ctx);
}

static void a_chunk_cut_or_flipped_is_refused(void **state)
{
    (void)state;
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_by(engine);
    struct sample sample = {0};
    add(&sample, 800, true, true);
    uint8_t *back = malloc(800);
    for (size_t cut = 0; cut < sample.stream.len; cut++) {
        uint8_t *copy = malloc(cut + !cut);
        memcpy(copy, sample.stream.at, cut);
        const char *why = "";
        struct ras_bytes in = {copy, cut};
        assert_int_equal(zstd_chunk_get(ctx, in, back, 800, NULL, &why), RAS_ECUT);
        assert_string_equal(why, "zstd frame is cut short");
        free(copy);
    }
    for (size_t at = 0; at < sample.stream.len * 8; at++) {
        sample.stream.at[at / 8] ^= (uint8_t)(1u << at % 8);
        const char *why = "";
        int status = zstd_chunk_get(ctx, bytes_of(&sample.stream), back, 800, NULL, &why);
        if (status == RAS_OK) /* the checksum flag itself, or bits without a meaning */
            assert_memory_equal(back, sample.content.at, 800);
        else
            assert_true(why[0]);
        sample.stream.at[at / 8] ^= (uint8_t)(1u << at % 8);
    }
    sample.stream.at[sample.stream.len - 1] ^= 1;
    const char *why = "";
    assert_int_equal(zstd_chunk_get(ctx, bytes_of(&sample.stream), back, 800, NULL, &why),
                     RAS_EFORMAT);
    assert_string_equal(why, "zstd frame does not match its checksum");
    free(back);
    sample_free(&sample);
    zstd_chunk_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_join_in_any_step_size),
        cmocka_unit_test(every_cut_gives_a_prefix),
        cmocka_unit_test(flipped_bytes_never_add_bytes_unnoticed),
        cmocka_unit_test(good_blocks_before_a_corrupt_one_are_kept),
        cmocka_unit_test(raw_bytes_survive_a_wrong_content_size),
        cmocka_unit_test(bytes_after_the_last_frame_are_a_warning),
        cmocka_unit_test(zero_padding_is_clean),
        cmocka_unit_test(other_bytes_than_zstd_are_refused),
        cmocka_unit_test(a_huge_window_is_refused),
        cmocka_unit_test(python_agrees),
        cmocka_unit_test(a_chunk_comes_back),
        cmocka_unit_test(a_chunk_must_state_the_expected_size),
        cmocka_unit_test(a_chunk_cut_or_flipped_is_refused),
    };
    engine = &zstd_library;
    int failed = cmocka_run_group_tests_name("codec/zstd_chunk", tests, NULL, NULL);
    engine = &zstd_plain;
    return failed +
           cmocka_run_group_tests_name("codec/zstd_chunk by zstd_plain", tests, NULL, NULL);
}
