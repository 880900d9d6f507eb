/* regex_test.c - regular expressions: what matches, what is wrong, and that time is bounded. */
#include "codec/regex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool found(const char *pattern, const void *text, size_t len)
{
    const char *why = "";
    size_t at;
    struct regex *re = regex_parse(pattern, strlen(pattern), &why, &at);
    if (!re)
        fail_msg("%s: %s at %zu", pattern, why, at);
    /* Exactly these bytes on the heap, so that a sanitizer sees one byte too many. */
    uint8_t *copy = malloc(len ? len : 1);
    if (len)
        memcpy(copy, text, len);
    bool first = regex_search(re, copy, len);
    assert_int_equal(regex_search(re, copy, len), first);
    free(copy);
    regex_free(re);
    return first;
}

static const struct {
    const char *pattern, *yes[6], *no[6];
} rows[] = {
    {"", {"", "a"}, {0}},
    {"abc", {"abc", "xabcx", "ababc"}, {"", "ab", "abxc"}},
    {"a.c",
     {"abc",
      "a\xc3\xa9"
      "c",
      "a\xff"
      "c"},
     {"ac", "a\xc3\xa9\xc3\xa9"
            "c"}},
    {"^abc$", {"abc"}, {"abcd", "xabc", ""}},
    {"^$", {""}, {"a"}},
    {"a*", {"", "b", "aaa"}, {0}},
    {"^a*$", {"", "a", "aaa"}, {"b", "aab"}},
    {"^a+$", {"a", "aaa"}, {"", "b"}},
    {"^a?b$", {"b", "ab"}, {"aab", "a"}},
    {"^(ab)+$", {"ab", "abab"}, {"", "aba"}},
    {"a|b|cd", {"a", "b", "cd", "xcd"}, {"c", "d", ""}},
    {"^(a|b|cd)$", {"a", "b", "cd"}, {"ab", "c", "acd"}},
    {"^a|b$", {"ax", "xb"}, {"xa", "bx"}},
    {"^(|a)$", {"", "a"}, {"b"}},
    {"^a{3}$", {"aaa"}, {"aa", "aaaa"}},
    {"^a{2,}$", {"aa", "aaaaa"}, {"a", ""}},
    {"^a{0,2}$", {"", "a", "aa"}, {"aaa"}},
    {"^(ab|c){2,3}$", {"abc", "cc", "cabc"}, {"c", "cccc", "abx"}},
    {"^a{0}$", {""}, {"a"}},
    {"^(a*)*$", {"", "aaa"}, {"b"}},
    {"^(a*b*)+$", {"", "abba"}, {"c"}},
    {"^[a-c]+$", {"abc"}, {"abd", ""}},
    {"^[^a-c]+$", {"xyz", "\xc3\xa9"}, {"xa"}},
    {"^[]a]+$", {"]a"}, {"b"}},
    {"^[a-]+$", {"a-a"}, {"b"}},
    {"^[[:alpha:][:digit:]_]+$", {"az09AZ_"}, {"-", " "}},
    {"^[[:punct:]]+$", {"!/:@[`{~"}, {"a", "0"}},
    {"^\\d+\\s\\w+$", {"12 ab_"}, {"a b", "1  "}},
    {"^[\\d\\-]+$", {"1-2"}, {"a"}},
    {"^\\D\\S\\W$", {"ab!"}, {"1b!", "a !", "abc"}},
    {"^[\xc3\xa0-\xc3\xa9]$", {"\xc3\xa5"}, {"\xc3\xaa", "a"}},
    {"\\.\\*\\$\\^\\\\", {".*$^\\"}, {"x"}},
    {"\\x41\\t\\n", {"A\t\n"}, {"A"}},
    {"(?i)hEl+o[a-c]", {"HELLOB", "hellob"}, {"hellox"}},
    {"(?i)[^a]", {"b"}, {"A", "a"}},
    {"x$", {"ax"}, {"xa", "xax a"}},
    {"b$|^c", {"ab", "cx"}, {"ba", "ac"}},
    {"q(z|$)", {"aqz", "aaq"}, {"aqa"}},
};

static void patterns_match_what_they_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 6; k++) {
            const char *yes = rows[i].yes[k], *no = rows[i].no[k];
            if (yes && !found(rows[i].pattern, yes, strlen(yes)))
                fail_msg("'%s' ought to match '%s'", rows[i].pattern, yes);
            if (no && found(rows[i].pattern, no, strlen(no)))
                fail_msg("'%s' ought not to match '%s'", rows[i].pattern, no);
        }
    assert_true(found("a.c", "a\0c", 3));
    assert_true(found("^$", NULL, 0));
}

static void refuse(const char *pattern, size_t where, const char *what)
{
    const char *why = "";
    size_t at = 0;
    assert_null(regex_parse(pattern, strlen(pattern), &why, &at));
    assert_string_equal(why, what);
    assert_int_equal(at, where);
}

static void wrong_patterns_are_refused(void **state)
{
    (void)state;
    refuse("(a", 0, "the ( is not closed");
    refuse("a)", 1, "the ) has no (");
    refuse("[a", 0, "the [ is not closed");
    refuse("*a", 0, "there is nothing to repeat");
    refuse("a|+", 2, "there is nothing to repeat");
    refuse("a{", 1, "write {m}, {m,} or {m,n}, or \\{ for the character");
    refuse("a{2", 1, "the { is not closed");
    refuse("a{3,2}", 1, "the maximum is less than the minimum");
    refuse("a{256}", 5, "a repetition count is at most 255");
    refuse("[b-a]", 1, "the range ends before it begins");
    refuse("[[:no:]]", 3, "unknown class of characters");
    refuse("a\\", 1, "nothing follows the backslash");
    refuse("\\q", 1, "unknown escape");
    refuse("\\1", 1, "unknown escape");
    refuse("a(?i)", 2, "only (?i) is supported, and only at the start");
    refuse("(((a{255}){255}){255})", 15, "it needs more than 8192 steps");
}

static void depth_and_length_are_bounded(void **state)
{
    (void)state;
    char long_one[REGEX_LENGTH_MAX + 2];
    const char *why = "";
    size_t at;
    memset(long_one, '(', sizeof long_one);
    assert_null(regex_parse(long_one, 100, &why, &at));
    assert_string_equal(why, "parentheses are nested deeper than 64");
    memset(long_one, 'a', sizeof long_one);
    assert_null(regex_parse(long_one, sizeof long_one, &why, &at));
    assert_string_equal(why, "it is longer than 4096 bytes");
    struct regex *re = regex_parse(long_one, REGEX_LENGTH_MAX, &why, &at);
    assert_non_null(re);
    regex_free(re);
    regex_free(NULL);
}

/* Patterns that take exponential time with backtracking. */
static void nothing_takes_exponential_time(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'a', sizeof text);
    assert_false(found("^(a+)+$x", text, sizeof text));
    assert_false(found("(a|a)*b", text, sizeof text));
    assert_false(found("(a?){50}a{50}b", text, 200));
    assert_true(found("(.*)(.*)(.*)(.*)a$", text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_what_they_say),
        cmocka_unit_test(wrong_patterns_are_refused),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(nothing_takes_exponential_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
