/* out_test.c - growing and drained output, its numbers, and its sticky failure. */
#include "base/out.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void said(struct out *out, const char *want)
{
    assert_false(out->failed);
    assert_int_equal(out->len, strlen(want));
    if (out->len)
        assert_memory_equal(out->at, want, out->len);
    out_free(out);
}

static void out_appends(void **state)
{
    (void)state;
    struct out out = {0};
    said(&out, "");
    out_byte(&out, 'a');
    out_bytes(&out, "bc", 2);
    out_bytes(&out, NULL, 0);
    out_text(&out, "");
    out_text(&out, "def");
    out_format(&out, "%d%s", 7, "g");
    said(&out, "abcdef7g");
    out_bytes(&out, NULL, 0); /* also where there is no buffer yet */
    said(&out, "");
}

static void out_grows_over_many_sizes(void **state)
{
    (void)state;
    struct out out = {0};
    size_t total = 0;
    for (size_t n = 0; n < 3000; n += 7, total += n - 7) {
        uint8_t *at = out_reserve(&out, n);
        if (n) {
            assert_non_null(at);
            memset(at, (int)(n & 0xff), n);
        }
        out.len += n;
    }
    assert_int_equal(out.len, total);
    size_t at = 0;
    for (size_t n = 0; n < 3000; n += 7)
        for (size_t i = 0; i < n; i++)
            assert_int_equal(out.at[at++], n & 0xff);
    out_free(&out);
    assert_null(out.at);
    assert_int_equal(out.room, 0);
}

/* The first few: longer than out_format's own buffer, it is cut, not overrun. */
static void out_format_has_an_end(void **state)
{
    (void)state;
    struct out out = {0};
    char text[600];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    out_format(&out, "%s", text);
    assert_int_equal(out.len, 511);
    assert_memory_equal(out.at, text, out.len);
    out_free(&out);
}

static void out_decimal_digits(void **state)
{
    (void)state;
    uint64_t value = 1;
    for (int i = 0; i < 64 * 21; i++) {
        uint64_t v = i == 0 ? 0 : i == 1 ? UINT64_MAX : value >> i % 64;
        char want[64];
        struct out out = {0};
        out_u64(&out, v);
        out_byte(&out, ' ');
        out_i64(&out, (int64_t)v);
        snprintf(want, sizeof want, "%" PRIu64 " %" PRIi64, v, (int64_t)v);
        said(&out, want);
        value = value * 6364136223846793005u + 1442695040888963407u;
    }
    for (uint64_t ten = 1, i = 0; i < 20; i++, ten *= 10) {
        for (uint64_t v = ten - 1; v <= ten + 1; v++) {
            char want[32];
            struct out out = {0};
            out_u64(&out, v);
            snprintf(want, sizeof want, "%" PRIu64, v);
            said(&out, want);
        }
    }
    struct out out = {0};
    out_i64(&out, INT64_MIN);
    said(&out, "-9223372036854775808");
}

static void out_hexadecimal_digits(void **state)
{
    (void)state;
    struct out out = {0};
    out_hex(&out, 0x0123456789abcdef, 16);
    out_hex(&out, 0xdeadbeef, 8);
    out_hex(&out, 0xff7, 2); /* the lowest ones */
    out_hex(&out, 0, 16);
    said(&out, "0x0123456789abcdef0xdeadbeef0xf70x0000000000000000");
}

struct drained {
    uint8_t bytes[200000];
    size_t len, calls, refuse_at;
};

static bool drain(void *user, const uint8_t *bytes, size_t len)
{
    struct drained *d = user;
    if (++d->calls == d->refuse_at || len > sizeof d->bytes - d->len)
        return false;
    memcpy(d->bytes + d->len, bytes, len);
    d->len += len;
    return true;
}

static void out_drains_in_order_and_stays_small(void **state)
{
    (void)state;
    static struct drained d;
    struct out out = {.drain = drain, .user = &d};
    for (uint32_t i = 0; i < 30000; i++)
        out_format(&out, "%05u\n", i);
    size_t room = out.room;
    assert_true(room < 100000);
    out_flush(&out);
    assert_int_equal(out.len, 0);
    assert_false(out.failed);
    assert_int_equal(d.len, 30000 * 6);
    for (uint32_t i = 0; i < 30000; i++) {
        char want[8];
        snprintf(want, sizeof want, "%05u\n", i);
        assert_memory_equal(d.bytes + (size_t)6 * i, want, 6);
    }
    assert_true(d.calls < 100); /* a drain is a system call */
    size_t calls = d.calls;
    out_flush(&out);
    assert_int_equal(d.calls, calls);
    out_free(&out);
}

/* A record may hold a blob of any size; the buffer does not grow with it. */
static void out_drains_long_pieces_uncopied(void **state)
{
    (void)state;
    static struct drained d;
    static uint8_t piece[150000];
    for (size_t i = 0; i < sizeof piece; i++)
        piece[i] = (uint8_t)(i ^ i >> 8);
    struct out out = {.drain = drain, .user = &d};
    out_text(&out, "before");
    out_bytes(&out, piece, sizeof piece);
    out_text(&out, "after");
    out_flush(&out);
    assert_false(out.failed);
    assert_int_equal(d.len, sizeof piece + 11);
    assert_memory_equal(d.bytes, "before", 6);
    assert_memory_equal(d.bytes + 6, piece, sizeof piece);
    assert_memory_equal(d.bytes + 6 + sizeof piece, "after", 5);
    assert_true(out.room < 100000);

    d.refuse_at = d.calls + 1;
    out_bytes(&out, piece, sizeof piece);
    assert_true(out.failed);
    out_bytes(&out, piece, sizeof piece);
    assert_int_equal(d.calls, d.refuse_at);
    out_free(&out);
}

static void out_failure_is_sticky(void **state)
{
    (void)state;
    static struct drained d;
    d.refuse_at = 2;
    struct out out = {.drain = drain, .user = &d};
    for (int i = 0; i < 3; i++) {
        out_text(&out, "some text");
        out_flush(&out);
    }
    assert_true(out.failed);
    assert_int_equal(d.calls, 2);
    assert_int_equal(d.len, 9);
    assert_null(out_room(&out, 1));
    out_free(&out);
}

static void out_refuses_what_no_memory_holds(void **state)
{
    (void)state;
    struct out out = {0};
    out_text(&out, "kept");
    assert_null(out_reserve(&out, SIZE_MAX - 2));
    assert_true(out.failed);
    assert_int_equal(out.len, 4);
    assert_memory_equal(out.at, "kept", 4);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_appends),
        cmocka_unit_test(out_grows_over_many_sizes),
        cmocka_unit_test(out_format_has_an_end),
        cmocka_unit_test(out_decimal_digits),
        cmocka_unit_test(out_hexadecimal_digits),
        cmocka_unit_test(out_drains_in_order_and_stays_small),
        cmocka_unit_test(out_drains_long_pieces_uncopied),
        cmocka_unit_test(out_failure_is_sticky),
        cmocka_unit_test(out_refuses_what_no_memory_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
