/* utf8_test.c - well-formed and ill-formed UTF-8, by the Unicode standard's own examples. */
#include "base/out.h"
#include "codec/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Exactly these bytes on the heap, so that a sanitizer sees one byte too many. */
static bool check(const char *text, size_t len, struct utf8_fault *fault, size_t *prefix)
{
    uint8_t *memory = malloc(len ? len : 1);
    assert_non_null(memory);
    memcpy(memory, text, len);
    *prefix = utf8_prefix(memory, len);
    bool fine = utf8_check(memory, len, fault);
    free(memory);
    return fine;
}

static void good(const char *text, size_t len)
{
    size_t prefix;
    assert_true(check(text, len, NULL, &prefix));
    assert_int_equal(prefix, len);
}

static void bad(const char *text, size_t len, size_t at, unsigned length)
{
    size_t prefix;
    struct utf8_fault fault = {99, 99};
    assert_false(check(text, len, &fault, &prefix));
    assert_int_equal(fault.at, at);
    assert_int_equal(fault.length, length);
    assert_int_equal(prefix, at);
}

#define GOOD(text)            good(text, sizeof text - 1)
#define BAD(text, at, length) bad(text, sizeof text - 1, at, length)

static void utf8_takes_every_scalar_value(void **state)
{
    (void)state;
    assert_true(utf8_check(NULL, 0, NULL));
    for (uint32_t c = 0; c < 0x110000; c++) {
        char text[4];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        for (size_t i = n; i-- > 1; c >>= 6)
            text[i] = (char)(0x80 | (c & 0x3f));
        uint32_t top = c;
        text[0] = (char)(n == 1 ? top : (0xf00 >> n & 0xff) | top);
        for (size_t i = 1; i < n; i++)
            c = c << 6 | ((uint8_t)text[i] & 0x3f);
        if (c >= 0xd800 && c < 0xe000)
            bad(text, n, 0, 1);
        else
            good(text, n);
    }
}

static void utf8_refuses_ill_formed_sequences(void **state)
{
    (void)state;
    BAD("\x80", 0, 1);
    BAD("a\xbf", 1, 1);
    BAD("\xc0\x80", 0, 1);
    BAD("\xc1\xbf", 0, 1);
    BAD("\xe0\x9f\xbf", 0, 1);
    BAD("\xf0\x8f\xbf\xbf", 0, 1);
    BAD("\xed\xa0\x80", 0, 1);
    BAD("\xf4\x90\x80\x80", 0, 1);
    BAD("\xf8\x88\x80\x80\x80", 0, 1);
    BAD("\xff", 0, 1);
}

/* The Unicode standard, table 3-8 and its neighbours: "maximal subparts". */
static void utf8_measures_the_maximal_subpart(void **state)
{
    (void)state;
    BAD("\xe1\x80\xe2", 0, 2);
    BAD("\xf1\x80\x80\xe1", 0, 3);
    BAD("\xc2\x41", 0, 1);
    BAD("\xe2\x82\x41", 0, 2);
    BAD("\xf0\x91\x92\x41", 0, 3);
    BAD("ok\xf0\x91\x41", 2, 2);
}

static void utf8_distinguishes_an_early_end_from_a_fault(void **state)
{
    (void)state;
    BAD("\xc2", 0, 0);
    BAD("\xe2\x82", 0, 0);
    BAD("\xf0\x90\x80", 0, 0);
    BAD("abc\xf4\x8f", 3, 0);
    BAD("\xe0\x80", 0, 1);
}

/* The eight-byte steps over ASCII must neither skip nor overrun. */
static void utf8_finds_a_fault_at_every_place(void **state)
{
    (void)state;
    char text[40];
    for (size_t len = 1; len <= sizeof text; len++) {
        for (size_t at = 0; at < len; at++) {
            memset(text, 'x', sizeof text);
            good(text, len);
            text[at] = '\xfe';
            bad(text, len, at, 1);
        }
    }
    GOOD("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xbc plain text again");
}

static void utf8_put_is(const char *text, size_t len, const char *wanted, bool well_formed)
{
    struct out out = {0};
    assert_int_equal(utf8_put(&out, text, len), well_formed);
    assert_int_equal(out.len, strlen(wanted));
    assert_memory_equal(out.at, wanted, out.len);
    out_free(&out);
}

static void utf8_replaces_bytes_that_are_no_text(void **state)
{
    (void)state;
    utf8_put_is("caf\xc3\xa9", 5, "caf\xc3\xa9", true);
    utf8_put_is("ok\xc3", 3, "ok\xef\xbf\xbd", false);
    utf8_put_is("\xff"
                "a\xe2\x82",
                4,
                "\xef\xbf\xbd"
                "a\xef\xbf\xbd\xef\xbf\xbd",
                false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_takes_every_scalar_value),
        cmocka_unit_test(utf8_refuses_ill_formed_sequences),
        cmocka_unit_test(utf8_measures_the_maximal_subpart),
        cmocka_unit_test(utf8_distinguishes_an_early_end_from_a_fault),
        cmocka_unit_test(utf8_finds_a_fault_at_every_place),
        cmocka_unit_test(utf8_replaces_bytes_that_are_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
