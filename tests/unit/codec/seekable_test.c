/* seekable_test.c - seekable zstd: what is written is read by stock zstd, by its index, and in
 * part.
 */
#include "codec/seekable.h"
#include "base/in.h"
#include "base/out.h"
#include "codec/inflate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <cmocka.h>

enum { SIZE = 3 * FRAME_SIZE + 12345, HEAD = 64 };

struct stored {
    struct out out;
    size_t most; /* bytes that fit */
};

static int keep(void *user, const uint8_t *bytes, size_t size, struct ras_error *err)
{
    struct stored *s = user;
    (void)err;
    if (size > s->most - s->out.len)
        return RAS_EIO;
    out_bytes(&s->out, bytes, size);
    return RAS_OK;
}

static uint8_t *data(void)
{
    uint8_t *p = malloc(SIZE);
    uint32_t x = 1;
    for (size_t i = 0; i < SIZE; i++) {
        x = x * 1103515245 + 12345;
        p[i] = i % 32 < 24 ? (uint8_t)(i / 32) : (uint8_t)(x >> 24);
    }
    return p;
}

/* Pieces of this size, with a flush after every few. */
static void write_all(struct frames_writer *w, const uint8_t *p, size_t size, size_t piece,
                      unsigned flush)
{
    unsigned i = 0;
    for (size_t at = 0; at < size; at += piece, i++) {
        assert_int_equal(frames_put(w, p + at, size - at < piece ? size - at : piece, NULL), 0);
        if (flush && i % flush == 0) {
            assert_int_equal(frames_flush(w, NULL), 0);
            assert_int_equal(frames_kept(w), at + piece < size ? at + piece : size);
        }
    }
}

static void is_read_whole(const struct stored *s, const uint8_t *p, size_t size)
{
    uint8_t *back = malloc(size + 1);
    size_t got = 0;
    ZSTD_DStream *d = ZSTD_createDStream();
    ZSTD_inBuffer in = {s->out.at, s->out.len, 0};
    ZSTD_outBuffer out = {back, size + 1, 0};
    while (in.pos < in.size)
        assert_false(ZSTD_isError(got = ZSTD_decompressStream(d, &out, &in)));
    assert_int_equal(out.pos, size);
    assert_memory_equal(back, p, size);
    ZSTD_freeDStream(d);
    free(back);
}

static void is_read_by_its_index(const struct stored *s, const uint8_t *p, size_t size)
{
    struct frames_index x;
    struct ras_bytes file = {s->out.at, s->out.len};
    uint8_t *back = malloc(FRAME_SIZE);
    assert_int_equal(frames_index_get(file, RAS_NONE, &x), RAS_OK);
    assert_int_equal(x.size, size);
    for (size_t i = 0; i < x.count; i++) {
        const struct frame *f = &x.frames[i];
        assert_int_equal(ZSTD_decompress(back, FRAME_SIZE, file.at + f->at, f->stored), f->size);
        assert_memory_equal(back, p + f->from, f->size);
        assert_int_equal(frames_find(&x, f->from), i);
        assert_int_equal(frames_find(&x, f->from + f->size - 1), i);
    }
    assert_int_equal(frames_find(&x, size), x.count);
    frames_index_free(&x);
    free(back);
}

static void whatever_the_pieces(void **state)
{
    static const struct {
        size_t size, head, piece;
        unsigned flush;
    } cases[] = {
        {SIZE, 0, SIZE, 0},       {SIZE, HEAD, 64 << 10, 0}, {SIZE, HEAD, 1000, 7},
        {SIZE, 0, FRAME_SIZE, 1}, {HEAD, HEAD, 10, 0},       {1, 0, 1, 1},
        {10, HEAD, 3, 0},         {SIZE, 255, 300000, 2},
    };
    (void)state;
    uint8_t *p = data();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stored s = {.most = SIZE_MAX};
        struct frames_writer *w = frames_open(cases[i].head, keep, &s);
        write_all(w, p, cases[i].size, cases[i].piece,
                  cases[i].head > cases[i].size ? 0 : cases[i].flush);
        assert_int_equal(frames_end(w, NULL), 0);
        assert_int_equal(frames_stored(w), s.out.len);
        is_read_whole(&s, p, cases[i].size);
        is_read_by_its_index(&s, p, cases[i].size);
        frames_free(w);
        out_free(&s.out);
    }
    free(p);
}

/* What was kept is read from a file that ends anywhere after it. */
static void a_killed_writer_has_lost_what_was_not_kept(void **state)
{
    (void)state;
    uint8_t *p = data(), *back = malloc(SIZE);
    struct stored s = {.most = SIZE_MAX};
    struct frames_writer *w = frames_open(HEAD, keep, &s);
    size_t at = 0;
    for (size_t step = 1; at < SIZE; step = step * 3 % 70001) {
        size_t n = SIZE - at < step ? SIZE - at : step;
        assert_int_equal(frames_put(w, p + at, n, NULL), 0);
        at += n;
        if (step % 4 == 1 && at >= HEAD)
            assert_int_equal(frames_flush(w, NULL), 0);
        struct ras_bytes in = {s.out.at, s.out.len};
        struct inflate *inflate = zstd_inflate_new();
        size_t made = 0, all = 0;
        while (all < SIZE &&
               (inflate_step(inflate, &in, back + all, SIZE - all, &made) == INFLATE_FULL || made))
            all += made;
        assert_true(all >= frames_kept(w));
        assert_memory_equal(back, p, all);
        inflate_free(inflate);
    }
    frames_free(w);
    out_free(&s.out);
    free(back);
    free(p);
}

static void only_the_head_is_patched(void **state)
{
    (void)state;
    uint8_t *p = data();
    struct stored s = {.most = SIZE_MAX};
    struct frames_writer *w = frames_open(HEAD, keep, &s);
    struct ras_bytes again;
    assert_false(frames_patch(w, 0, "x", 1, &again)); /* it is not there yet */
    write_all(w, p, SIZE, 5000, 0);
    assert_false(frames_patch(w, HEAD - 1, "xy", 2, &again));
    assert_true(frames_patch(w, HEAD - 2, "xy", 2, &again));
    memcpy(s.out.at, again.at, again.len);
    memcpy(p + HEAD - 2, "xy", 2);
    assert_int_equal(frames_end(w, NULL), 0);
    is_read_whole(&s, p, SIZE);
    is_read_by_its_index(&s, p, SIZE);
    frames_free(w);
    out_free(&s.out);
    free(p);
}

static void a_failed_store_is_reported(void **state)
{
    (void)state;
    uint8_t *p = data();
    struct stored s = {.most = 100};
    struct frames_writer *w = frames_open(HEAD, keep, &s);
    assert_int_equal(frames_put(w, p, HEAD, NULL), RAS_OK);
    assert_int_equal(frames_put(w, p + HEAD, SIZE - HEAD, NULL), RAS_EIO);
    assert_int_equal(frames_kept(w), HEAD);
    assert_int_equal(frames_give_back(w, 1), 77); /* the head stays */
    assert_int_equal(frames_kept(w), HEAD);
    frames_free(w);
    out_free(&s.out);
    free(p);
}

/* The last frames, as many as have so many bytes; what is kept is still read. */
static void frames_are_given_back(void **state)
{
    (void)state;
    uint8_t *p = data();
    struct stored s = {.most = SIZE_MAX};
    struct frames_writer *w = frames_open(HEAD, keep, &s);
    write_all(w, p, SIZE, 5000, 0);
    assert_int_equal(frames_flush(w, NULL), 0);
    assert_int_equal(frames_kept(w), SIZE);
    uint64_t all = frames_stored(w), end = frames_give_back(w, 1);
    assert_true(end < all);
    assert_int_equal(frames_kept(w), HEAD + 3 * FRAME_SIZE); /* the open one is gone */
    all = end;
    end = frames_give_back(w, 1);
    assert_int_equal(frames_kept(w), HEAD + 2 * FRAME_SIZE);
    s.out.len = (size_t)end;
    is_read_whole(&s, p, HEAD + 2 * FRAME_SIZE);
    assert_int_equal(frames_give_back(w, all), 77);
    frames_free(w);
    out_free(&s.out);
    free(p);
}

/* Each byte of the index changed: it is refused, or its frames lie inside the file. */
static void a_damaged_index_leads_nowhere_else(void **state)
{
    (void)state;
    uint8_t *p = data();
    struct stored s = {.most = SIZE_MAX};
    struct frames_writer *w = frames_open(HEAD, keep, &s);
    write_all(w, p, SIZE, 50000, 0);
    size_t from = s.out.len;
    assert_int_equal(frames_end(w, NULL), 0);
    for (size_t i = from; i < s.out.len; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct frames_index x;
            s.out.at[i] ^= (uint8_t)(1u << bit);
            struct ras_bytes file = {s.out.at, s.out.len};
            if (frames_index_get(file, 2 * SIZE, &x) == RAS_OK) {
                assert_true(x.size <= 2 * SIZE && x.count <= 5);
                for (size_t k = 0; k < x.count; k++)
                    assert_true(x.frames[k].at + x.frames[k].stored <= x.stored_at);
                frames_index_free(&x);
            }
            s.out.at[i] ^= (uint8_t)(1u << bit);
        }
    for (size_t len = 0; len < 20; len++) {
        struct frames_index x;
        assert_int_equal(
            frames_index_get((struct ras_bytes){s.out.at + s.out.len - len, len}, 1, &x), RAS_END);
    }
    frames_free(w);
    out_free(&s.out);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_pieces),
        cmocka_unit_test(a_killed_writer_has_lost_what_was_not_kept),
        cmocka_unit_test(only_the_head_is_patched),
        cmocka_unit_test(a_failed_store_is_reported),
        cmocka_unit_test(frames_are_given_back),
        cmocka_unit_test(a_damaged_index_leads_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
