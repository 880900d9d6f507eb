/* zstd_plain_test.c - the decoder of this library against libzstd: data of many kinds, every level.
 */
#include "codec/zstd_chunk.h"
#include "codec/zstd_engine.h"
#include "codec/zstd_frame.h"
#include "inflate_drive.h"

#include <ftw.h>
#include <zstd.h>

enum { SIZE = 300000, LEVEL_MIN = -5, LEVEL_MAX = 22 };

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void zeros(uint8_t *at, size_t len)
{
    memset(at, 0, len);
}

static void noise(uint8_t *at, size_t len)
{
    uint32_t seed = 1;
    for (size_t i = 0; i < len; i++)
        at[i] = (uint8_t)next(&seed);
}

static void text(uint8_t *at, size_t len)
{
    fill_text(at, len, 7);
}

/* Two symbols, one rare: Huffman codes of one bit, and long runs. */
static void sparse(uint8_t *at, size_t len)
{
    uint32_t seed = 3;
    for (size_t i = 0; i < len; i++)
        at[i] = next(&seed) % 50 ? 'a' : 'b';
}

/* Symbols of very unequal probability: long Huffman codes. */
static void skewed(uint8_t *at, size_t len)
{
    uint32_t seed = 4;
    for (size_t i = 0; i < len; i++)
        at[i] = (uint8_t)__builtin_ctz(next(&seed) | 1u << 15);
}

/* Records of 24 bytes with counters: matches at repeated offsets. */
static void records(uint8_t *at, size_t len)
{
    uint32_t seed = 5;
    memset(at, 0, len);
    for (size_t i = 0; i + 24 <= len; i += 24) {
        uint32_t count = (uint32_t)(i / 24);
        memcpy(at + i, &count, 4);
        at[i + 8] = (uint8_t)(next(&seed) % 5);
        at[i + 17] = (uint8_t)next(&seed);
    }
}

/* Noise that comes again from far away, then text. */
static void distant(uint8_t *at, size_t len)
{
    noise(at, len);
    memcpy(at + len / 2, at, len / 3);
    fill_text(at + len - len / 8, len / 8, 9);
}

static void (*const kinds[])(uint8_t *, size_t) = {zeros,  noise,   text,   sparse,
                                                   skewed, records, distant};
enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t compress_to(uint8_t *to, size_t room, const uint8_t *from, size_t len, int level,
                          unsigned turn)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, turn & 1);
    if (turn & 2) /* a window below the data, which slides */
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 10 + (int)(turn % 5));
    size_t made = ZSTD_compress2(zstd, to, room, from, len);
    ZSTD_freeCCtx(zstd);
    assert_false(ZSTD_isError(made));
    return made;
}

static void check_frame(struct ras_bytes packed, struct ras_bytes content)
{
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_by(&zstd_plain);
    uint8_t *back = malloc(content.len + 1);
    const char *why = "";
    size_t after;
    int status = zstd_chunk_get(ctx, packed, back, content.len, &after, &why);
    assert_string_equal(why, "");
    assert_int_equal(status, RAS_OK);
    assert_int_equal(after, 0);
    assert_memory_equal(back, content.at, content.len);
    free(back);
    zstd_chunk_ctx_free(ctx);
    struct driven got = drive(zstd_inflate_by(&zstd_plain), packed, 70001, 50021);
    assert_string_equal(got.why, "");
    assert_true(got.whole);
    assert_same(&got.out, content);
    out_free(&got.out);
}

static void every_kind_at_every_level(void **state)
{
    (void)state;
    size_t room = ZSTD_compressBound(SIZE);
    uint8_t *data = malloc(SIZE), *packed = malloc(room);
    unsigned turn = 0;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int level = LEVEL_MIN; level <= LEVEL_MAX; level++, turn++) {
            size_t len = turn % 3 ? SIZE / (1 + turn % 7) : turn;
            kinds[kind](data, len);
            size_t size = compress_to(packed, room, data, len, level, turn);
            check_frame((struct ras_bytes){packed, size}, (struct ras_bytes){data, len});
        }
    free(data);
    free(packed);
}

/* All lengths around the limits of literal headers and of four streams. */
static void every_length_of_a_short_frame(void **state)
{
    (void)state;
    uint8_t data[1200], packed[2000];
    for (size_t len = 0; len < sizeof data; len += len < 300 ? 1 : 13)
        for (size_t kind = 0; kind < KINDS; kind++) {
            kinds[kind](data, len);
            size_t size = compress_to(packed, sizeof packed, data, len, 19, (unsigned)len & 5);
            check_frame((struct ras_bytes){packed, size}, (struct ras_bytes){data, len});
        }
}

/* 3 MB in a window of 1 KiB to 16 KiB: what is kept is moved many times. */
static void a_long_stream_keeps_no_more_than_its_window(void **state)
{
    (void)state;
    enum { LONG = 3 << 20 };
    size_t room = ZSTD_compressBound(LONG);
    uint8_t *data = malloc(LONG), *packed = malloc(room);
    for (unsigned turn = 2; turn < 7; turn++) {
        kinds[2 + turn % 5](data, LONG);
        size_t size = compress_to(packed, room, data, LONG, 5, turn | 2);
        struct driven got =
            drive(zstd_inflate_by(&zstd_plain), (struct ras_bytes){packed, size}, size, 4096);
        assert_true(got.whole);
        assert_same(&got.out, (struct ras_bytes){data, LONG});
        out_free(&got.out);
    }
    free(data);
    free(packed);
}

static void a_dictionary_is_refused(void **state)
{
    (void)state;
    const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 1, 0x09, 0, 0, 'x'};
    struct ras_bytes in = {frame, sizeof frame};
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_by(&zstd_plain);
    uint8_t back[1];
    const char *why = "";
    assert_int_equal(zstd_chunk_get(ctx, in, back, 1, NULL, &why), RAS_EFORMAT);
    assert_string_equal(why, "zstd frame needs a dictionary");
    zstd_chunk_ctx_free(ctx);
    struct driven got = drive(zstd_inflate_by(&zstd_plain), in, 99, 99);
    assert_string_equal(got.why, "zstd frame 1: dictionary mismatch");
}

static void refused(const uint8_t *block, size_t size, const char *why)
{
    uint8_t frame[64] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 40};
    frame[6] = (uint8_t)(size << 3 | ZSTD_COMPRESSED << 1 | 1);
    memcpy(frame + 9, block, size);
    struct driven got =
        drive(zstd_inflate_by(&zstd_plain), (struct ras_bytes){frame, 9 + size}, 99, 99);
    assert_true(got.bad);
    assert_string_equal(got.why, why);
    out_free(&got.out);
}

static void malformed_blocks_are_named(void **state)
{
    (void)state;
    refused((const uint8_t[]){0xff, 0}, 2, "zstd frame 1: literals are corrupt");
    /* Literals of an earlier tree, tables of an earlier block: there is none. */
    refused((const uint8_t[]){0x33, 0x40, 0, 1, 0}, 5, "zstd frame 1: literals are corrupt");
    refused((const uint8_t[]){0x08, 'x', 1, 0xfc, 1}, 5, "zstd frame 1: sequences are corrupt");
    refused((const uint8_t[]){0x08, 'x', 1, 0x01, 1}, 5, "zstd frame 1: sequences are corrupt");
    /* A match that begins before the frame: length 4, offset 8, after one literal. */
    refused((const uint8_t[]){0x08, 'x', 1, 0x54, 1, 2, 1, 0x10}, 8,
            "zstd frame 1: sequences are corrupt");
    refused((const uint8_t[]){0x12, 0x40, 0, 0x80, 0x50}, 5,
            "zstd frame 1: a Huffman tree is corrupt");
    refused((const uint8_t[]){0x08, 'x', 1, 0xa8, 0x0f, 0, 0}, 7,
            "zstd frame 1: an FSE table is corrupt");
}

static void lengths_of_frames_are_those_of_libzstd(void **state)
{
    (void)state;
    uint8_t data[5000], packed[8000];
    for (unsigned turn = 0; turn < 60; turn++) {
        kinds[turn % KINDS](data, turn * 80);
        size_t size = compress_to(packed, sizeof packed, data, turn * 80, 3, turn), got = 0;
        const char *why;
        for (size_t cut = 0; cut <= size; cut++) {
            int status = zstd_frame_size((struct ras_bytes){packed, cut}, &got, &why);
            assert_int_equal(status, cut < size ? RAS_ECUT : RAS_OK);
            assert_true(cut < size || got == ZSTD_findFrameCompressedSize(packed, size));
        }
    }
}

/* ---- goldens ----------------------------------------------------------------- */

static size_t frames_found;

static int get_by(const struct zstd_engine *engine, struct ras_bytes in, struct ras_bytes out,
                  const char **why)
{
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_by(engine);
    size_t after;
    *why = "";
    int status = zstd_chunk_get(ctx, in, (uint8_t *)(uintptr_t)out.at, out.len, &after, why);
    zstd_chunk_ctx_free(ctx);
    return status;
}

/* Whatever looks like a frame, by both. */
static int compare_frames(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)at;
    if (kind != FTW_F)
        return 0;
    FILE *file = fopen(path, "rb");
    size_t size = (size_t)about->st_size;
    uint8_t *bytes = malloc(size + 1);
    assert_true(file && bytes && fread(bytes, 1, size, file) == size);
    fclose(file);
    for (size_t i = 0; i + 4 <= size; i++) {
        struct ras_bytes in = {bytes + i, size - i};
        uint64_t content = zstd_is(in) ? zstd_content_size(in) : RAS_NONE;
        if (content > 64 << 20)
            continue;
        uint8_t *a = calloc(1, content + 1), *b = calloc(1, content + 1);
        const char *why_a, *why_b;
        int status = get_by(&zstd_plain, in, (struct ras_bytes){a, content}, &why_a);
        assert_int_equal(get_by(&zstd_library, in, (struct ras_bytes){b, content}, &why_b), status);
        assert_string_equal(why_a, why_b);
        assert_true(status || !memcmp(a, b, content));
        frames_found += !status;
        free(a);
        free(b);
    }
    free(bytes);
    return 0;
}

static void every_frame_of_the_goldens(void **state)
{
    (void)state;
    assert_int_equal(nftw(getenv("GOLDEN"), compare_frames, 16, FTW_PHYS), 0);
    assert_true(frames_found > 40);
    const char *more = getenv("ZSTD_MORE"); /* another directory, by hand */
    assert_int_equal(more ? nftw(more, compare_frames, 16, FTW_PHYS) : 0, 0);
    if (more)
        print_message("%zu frames\n", frames_found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_at_every_level),
        cmocka_unit_test(every_length_of_a_short_frame),
        cmocka_unit_test(a_long_stream_keeps_no_more_than_its_window),
        cmocka_unit_test(a_dictionary_is_refused),
        cmocka_unit_test(malformed_blocks_are_named),
        cmocka_unit_test(lengths_of_frames_are_those_of_libzstd),
        cmocka_unit_test(every_frame_of_the_goldens),
    };
    return cmocka_run_group_tests_name("codec/zstd_plain", tests, NULL, NULL);
}
