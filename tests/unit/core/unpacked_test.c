/* unpacked_test.c - random access to seekable zstd: the same bytes, damage, and bounded room. */
#include "core/unpacked.h"
#include "base/out.h"
#include "codec/seekable.h"
#include "core/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <cmocka.h>

static int keep(void *user, const uint8_t *bytes, size_t size, struct ras_error *err)
{
    (void)err;
    out_bytes(user, bytes, size);
    return RAS_OK;
}

static uint64_t random_next(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

static void fill(uint8_t *p, size_t size)
{
    uint64_t x = 7;
    for (size_t i = 0; i < size; i++)
        p[i] = (uint8_t)(i % 64 < 60 ? i >> 12 : random_next(&x));
}

static struct out pack(const uint8_t *p, size_t size)
{
    struct out out = {0};
    struct frames_writer *w = frames_open(64, keep, &out);
    for (size_t at = 0; at < size; at += 100000) {
        assert_int_equal(frames_put(w, p + at, size - at < 100000 ? size - at : 100000, NULL), 0);
        if (at % 700000 == 0)
            assert_int_equal(frames_flush(w, NULL), 0);
    }
    assert_int_equal(frames_end(w, NULL), 0);
    frames_free(w);
    return out;
}

/* Several readers at random places, each with its pin. */
static void read_at_random(struct unpacked *u, const uint8_t *p, size_t size, unsigned rounds)
{
    enum { READERS = 5, MOST = 700000 };
    struct unpacked_pin pins[READERS] = {{0}};
    struct {
        uint64_t from, to;
    } at[READERS] = {{0, 0}};
    uint64_t x = 3;
    for (unsigned i = 0; i < rounds; i++) {
        unsigned who = (unsigned)random_next(&x) % READERS;
        at[who].from = random_next(&x) % size;
        at[who].to = at[who].from + random_next(&x) % MOST;
        at[who].to = at[who].to < size ? at[who].to : size;
        assert_int_equal(unpacked_need(u, at[who].from, at[who].to, &pins[who], NULL), RAS_OK);
        for (unsigned k = 0; k < READERS; k++) /* what others have stays */
            assert_memory_equal(unpacked_bytes(u).at + at[k].from, p + at[k].from,
                                (size_t)(at[k].to - at[k].from));
    }
    for (unsigned k = 0; k < READERS; k++)
        unpacked_release(u, &pins[k]);
}

static void any_order_gives_the_same_bytes(void **state)
{
    static const size_t sizes[] = {3 << 20, 70 << 20}; /* in memory; in a file */
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t size = sizes[i];
        uint8_t *p = malloc(size);
        fill(p, size);
        struct out out = pack(p, size);
        struct unpacked *u;
        assert_int_equal(unpacked_open(&u, (struct ras_bytes){out.at, out.len}, RAS_NONE, NULL),
                         RAS_OK);
        assert_int_equal(unpacked_bytes(u).len, size);
        read_at_random(u, p, size, 300);
        assert_int_equal(unpacked_need(u, 0, RAS_NONE, NULL, NULL), RAS_OK);
        assert_memory_equal(unpacked_bytes(u).at, p, size);
        read_at_random(u, p, size, 10);
        unpacked_close(u);
        out_free(&out);
        free(p);
    }
}

static void a_limit_is_kept(void **state)
{
    (void)state;
    uint8_t *p = malloc(1 << 20);
    fill(p, 1 << 20);
    struct out out = pack(p, 1 << 20);
    struct unpacked *u;
    struct ras_bytes packed = {out.at, out.len};
    assert_int_equal(unpacked_open(&u, packed, (1 << 20) - 1, NULL), RAS_END);
    assert_null(u);
    assert_int_equal(unpacked_open(&u, packed, 1 << 20, NULL), RAS_OK);
    unpacked_close(u);
    out_free(&out);
    free(p);
}

/* One byte of a frame changed: the bytes before it can be read, and it is said where it is. */
static void damage_ends_the_bytes(void **state)
{
    (void)state;
    size_t size = 2 << 20;
    uint8_t *p = malloc(size);
    fill(p, size);
    struct out out = pack(p, size);
    struct frames_index index;
    struct ras_bytes packed = {out.at, out.len};
    assert_int_equal(frames_index_get(packed, RAS_NONE, &index), RAS_OK);
    for (size_t i = 0; i < index.count; i++) {
        struct frame f = index.frames[i];
        uint64_t where = f.at + f.stored / 2, at = 0;
        struct unpacked *u;
        out.at[where] ^= 0x10;
        assert_int_equal(unpacked_open(&u, packed, RAS_NONE, NULL), RAS_OK);
        assert_null(unpacked_damage(u, &at));
        assert_int_equal(unpacked_need(u, f.from, f.from + 1, NULL, NULL), RAS_EFORMAT);
        assert_non_null(unpacked_damage(u, &at));
        assert_int_equal(at, f.at);
        assert_int_equal(unpacked_bytes(u).len, f.from);
        assert_int_equal(unpacked_need(u, 0, RAS_NONE, NULL, NULL), RAS_OK);
        assert_memory_equal(unpacked_bytes(u).at, p, (size_t)f.from);
        unpacked_close(u);
        out.at[where] ^= 0x10;
    }
    frames_index_free(&index);
    out_free(&out);
    free(p);
}

/* Damaged frames are left out, where their bytes are whole units; what follows them follows. */
static void holes_are_closed(void **state)
{
    static const size_t sizes[] = {3 << 20, 70 << 20}; /* in memory; in a file */
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t size = sizes[i];
        uint8_t *p = malloc(size);
        fill(p, size);
        struct out out = pack(p, size);
        struct frames_index index;
        struct ras_bytes packed = {out.at, out.len};
        struct unpacked *u;
        struct unpacked_hole hole;
        assert_int_equal(frames_index_get(packed, RAS_NONE, &index), RAS_OK);
        const struct frame a = index.frames[3], b = index.frames[6];
        out.at[a.at + a.stored / 2] ^= 0x10;
        out.at[b.at + b.stored / 2] ^= 0x10;
        assert_int_equal(unpacked_open(&u, packed, RAS_NONE, NULL), RAS_OK);
        assert_int_equal(unpacked_close_holes(u, 64, 32, &hole, NULL), RAS_END); /* not known */
        assert_int_equal(unpacked_need(u, 0, RAS_NONE, NULL, NULL), RAS_EFORMAT);
        assert_int_equal(unpacked_close_holes(u, 64, 48, &hole, NULL), RAS_END); /* no units */
        assert_int_equal(unpacked_bytes(u).len, a.from);
        assert_int_equal(unpacked_close_holes(u, 64, 32, &hole, NULL), RAS_OK);
        assert_int_equal(hole.frames, 2);
        assert_int_equal(hole.bytes, a.size + b.size);
        assert_int_equal(hole.at, a.from);
        assert_int_equal(hole.stored_at, a.at);
        assert_int_equal(unpacked_need(u, 0, RAS_NONE, NULL, NULL), RAS_OK);
        const uint8_t *at = unpacked_bytes(u).at;
        uint64_t between = b.from - a.from - a.size, rest = b.from + b.size;
        assert_int_equal(unpacked_bytes(u).len, size - hole.bytes);
        assert_memory_equal(at, p, (size_t)a.from);
        assert_memory_equal(at + a.from, p + a.from + a.size, (size_t)between);
        assert_memory_equal(at + a.from + between, p + rest, (size_t)(size - rest));
        unpacked_close(u);
        frames_index_free(&index);
        out_free(&out);
        free(p);
    }
}

/* An index that states other sizes than the frames have. */
static void an_index_that_lies_is_damage(void **state)
{
    (void)state;
    size_t size = 1 << 20;
    uint8_t *p = malloc(size);
    fill(p, size);
    struct out out = pack(p, size);
    struct ras_bytes packed = {out.at, out.len};
    for (int by = -1; by <= 1; by += 2) {
        struct unpacked *u;
        uint8_t *entry = out.at + out.len - FRAME_INDEX_FOOT - 2 * FRAME_INDEX_ENTRY;
        entry[4] = (uint8_t)(entry[4] + by); /* the size of the last but one */
        assert_int_equal(unpacked_open(&u, packed, RAS_NONE, NULL), RAS_OK);
        assert_int_equal(unpacked_need(u, 0, RAS_NONE, NULL, NULL), RAS_EFORMAT);
        struct ras_bytes good = unpacked_bytes(u);
        assert_true(good.len < size);
        assert_memory_equal(good.at, p, good.len);
        unpacked_close(u);
        entry[4] = (uint8_t)(entry[4] - by);
    }
    out_free(&out);
    free(p);
}

/* Parts of a directory: with an index by frames, without one from the start. */
static void a_source_reads_both(void **state)
{
    (void)state;
    const struct ras_limits limits = {.inflated_bytes = 64 << 20, .parts = 5};
    size_t size = 2 << 20;
    uint8_t *p = malloc(size);
    fill(p, size);
    struct out out = pack(p, size);
    struct frames_index index;
    assert_int_equal(frames_index_get((struct ras_bytes){out.at, out.len}, RAS_NONE, &index), 0);
    const struct ras_part parts[] = {{"a", {out.at, out.len}},
                                     {"b", {out.at, (size_t)index.stored_at}}};
    struct source *s;
    assert_int_equal(source_open_parts(&s, parts, 2, NULL, &limits, NULL), RAS_OK);
    for (size_t i = 0; i < 2; i++) {
        struct source_pin pin = {0};
        assert_int_equal(source_load(s, i, NULL), RAS_OK);
        assert_int_equal(source_is_framed(s, i), i == 0);
        assert_int_equal(source_length(s, i), size);
        assert_int_equal(source_need(s, i, 1 << 20, (1 << 20) + 5, &pin, NULL), RAS_OK);
        assert_memory_equal(source_arrived(s, i).at + (1 << 20), p + (1 << 20), 5);
        source_unpin(s, &pin);
        struct ras_bytes all = source_bytes(s, i);
        assert_int_equal(all.len, size);
        assert_memory_equal(all.at, p, size);
        assert_int_equal(source_wrapping(s, i)->kind, RAS_COMPLETE);
        assert_int_equal(source_wrapping(s, i)->members, index.count);
    }
    source_close(s);
    frames_index_free(&index);
    out_free(&out);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_gives_the_same_bytes), cmocka_unit_test(a_limit_is_kept),
        cmocka_unit_test(damage_ends_the_bytes),          cmocka_unit_test(holes_are_closed),
        cmocka_unit_test(an_index_that_lies_is_damage),   cmocka_unit_test(a_source_reads_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
