/* html_escape_test.c - text of a trace in HTML: nothing of it becomes markup, nothing hides. */
#include "view/html_escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BAD "\xef\xbf\xbd"

static void text_is_escaped(void **state)
{
    static const struct {
        const char *text, *html;
        size_t len; /* 0: up to the NUL */
    } rows[] = {
        {"", "", 0},
        {"plain text", "plain text", 0},
        {"<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;", 0},
        {"a & b \"c\"", "a &amp; b &quot;c&quot;", 0},
        {"&lt;", "&amp;lt;", 0},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xb5", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xb5", 0},
        {"a\nb\tc", "a\\nb\\tc", 0},
        {"a\rb\x1b[31m\x7f", "a" BAD "b" BAD "[31m" BAD, 0},
        {"a\0b", "a" BAD "b", 3},
        {"\xc2\x85 C1", BAD " C1", 0},
        {"\xe2\x80\xae"
         "evil",
         "\\u202eevil", 0},
        {"\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c", "\\u2066\\u200f\\u061c", 0},
        {"\xe2\x80\xa8", "\\u2028", 0},
        {"\xff\xfe", BAD BAD, 0},
        {"\xed\xa0\x80 a lone surrogate", BAD BAD BAD " a lone surrogate", 0},
        {"\xef\xbf\xbf", BAD, 0},
        {"cut \xe2\x82", "cut " BAD, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct out out = {0};
        html_bytes(&out, rows[i].text, rows[i].len ? rows[i].len : strlen(rows[i].text));
        out_byte(&out, 0);
        assert_false(out.failed);
        assert_string_equal((const char *)out.at, rows[i].html);
        out_free(&out);
    }
}

/* Whatever the bytes, what comes out has none of the characters that end text. */
static void no_byte_becomes_markup(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            const uint8_t bytes[3] = {(uint8_t)a, (uint8_t)b, '<'};
            struct out out = {0};
            html_bytes(&out, bytes, sizeof bytes);
            for (size_t i = 0; i < out.len; i++) {
                assert_false(out.at[i] == '<' || out.at[i] == '>' || out.at[i] == '"');
                assert_true(out.at[i] >= 0x20 && out.at[i] != 0x7f);
            }
            out_free(&out);
        }
}

static void formatted_text_is_escaped_as_a_whole(void **state)
{
    struct out out = {0};
    (void)state;
    html_format(&out, "<%s & %d>", "a\"b", 7);
    out_byte(&out, 0);
    assert_string_equal((const char *)out.at, "&lt;a&quot;b &amp; 7&gt;");
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(no_byte_becomes_markup),
        cmocka_unit_test(formatted_text_is_escaped_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
