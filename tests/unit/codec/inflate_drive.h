/* inflate_drive.h - run a whole stream through an inflate in steps of any size. */
#ifndef TESTS_INFLATE_DRIVE_H
#define TESTS_INFLATE_DRIVE_H

#include "base/out.h"
#include "codec/inflate.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct driven {
    struct out out;
    bool bad, whole, trailing;
    uint64_t members, good;
    char why[128];
};

/* Feed `in` in pieces of in_step and take the output in pieces of out_step.
 * Every piece lies in a block of its own, so that a sanitizer sees a byte read
 * or written too far. */
static inline struct driven drive(struct inflate *inflate, struct ras_bytes in, size_t in_step,
                                  size_t out_step)
{
    assert_non_null(inflate);
    struct driven result = {0};
    uint8_t *piece = malloc(in_step), *room = malloc(out_step);
    enum inflate_state state = INFLATE_MORE;
    size_t idle = 0;
    while (state != INFLATE_BAD && (in.len || state == INFLATE_FULL)) {
        size_t size = in.len < in_step ? in.len : in_step, made = 0;
        if (size)
            memcpy(piece, in.at, size);
        struct ras_bytes given = {piece, size};
        state = inflate_step(inflate, &given, room, out_step, &made);
        assert_true(made <= out_step);
        assert_true(state != INFLATE_FULL || made == out_step);
        assert_true(state != INFLATE_MORE || !given.len);
        idle = made || given.len != size ? 0 : idle + 1;
        assert_true(idle < 3);
        out_bytes(&result.out, room, made);
        in.at += size - given.len;
        in.len -= size - given.len;
    }
    result.bad = state == INFLATE_BAD;
    result.whole = inflate_whole(inflate);
    result.trailing = inflate_trailing(inflate);
    result.members = inflate_members(inflate);
    result.good = inflate_good(inflate);
    snprintf(result.why, sizeof result.why, "%s", inflate_why(inflate));
    free(piece);
    free(room);
    inflate_free(inflate);
    return result;
}

static inline bool is_prefix(const struct out *prefix, struct ras_bytes of)
{
    return prefix->len <= of.len && (!prefix->len || !memcmp(prefix->at, of.at, prefix->len));
}

static inline void assert_same(const struct out *out, struct ras_bytes want)
{
    assert_int_equal(out->len, want.len);
    assert_true(is_prefix(out, want));
}

/* Text that compresses, but not to nothing. */
static inline void fill_text(uint8_t *at, size_t len, uint32_t seed)
{
    static const char *const words[] = {"tick ", "frame ", "0x1f8b ", "\n", "player ", "7"};
    size_t n = 0;
    while (n < len) {
        seed = seed * 1664525 + 1013904223;
        const char *word = words[(seed >> 16) % 6];
        for (; *word && n < len; word++)
            at[n++] = (uint8_t)*word;
        if (n < len && (seed >> 24) % 3 == 0)
            at[n++] = (uint8_t)(seed >> 8);
    }
}
#endif
