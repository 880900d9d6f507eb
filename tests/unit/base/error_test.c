/* error_test.c - a failure is one line, its status, its offset; and it may be unwanted. */
#include "base/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef fail /* cmocka has one too */

static void fail_fills_and_returns(void **state)
{
    (void)state;
    struct ras_error err = {.os_errno = 99};
    assert_int_equal(fail(&err, RAS_EFORMAT, 12, "TOC ends at %d, file at %d", 9, 7), RAS_EFORMAT);
    assert_int_equal(err.status, RAS_EFORMAT);
    assert_int_equal(err.os_errno, 0);
    assert_int_equal(err.offset, 12);
    assert_string_equal(err.text, "TOC ends at 9, file at 7");
}

static void fail_without_an_error_to_fill(void **state)
{
    (void)state;
    assert_int_equal(fail(NULL, RAS_ELIMIT, 0, "%s", "unheard"), RAS_ELIMIT);
    assert_int_equal(fail_memory(NULL), RAS_EMEMORY);
    errno = ENOENT;
    assert_int_equal(fail_os(NULL, "x"), RAS_EIO);
}

static void fail_cuts_a_long_line(void **state)
{
    (void)state;
    struct ras_error err;
    char text[1000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = 0;
    fail(&err, RAS_EUSAGE, RAS_NONE, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void fail_os_keeps_errno(void **state)
{
    (void)state;
    struct ras_error err;
    errno = ENOENT;
    assert_int_equal(fail_os(&err, "some/file"), RAS_EIO);
    assert_int_equal(err.status, RAS_EIO);
    assert_int_equal(err.os_errno, ENOENT);
    assert_true(err.offset == RAS_NONE);
    assert_string_equal(err.text, "some/file: No such file or directory");
}

static void fail_memory_says_so(void **state)
{
    (void)state;
    struct ras_error err;
    assert_int_equal(fail_memory(&err), RAS_EMEMORY);
    assert_int_equal(err.status, RAS_EMEMORY);
    assert_true(err.offset == RAS_NONE);
    assert_string_equal(err.text, "out of memory");
}

/* Every status has words of its own, whatever number a caller comes with. */
static void statuses_have_words(void **state)
{
    (void)state;
    for (int a = RAS_ECANCELED; a <= RAS_WAIT; a++) {
        assert_true(*ras_status_text(a));
        assert_string_not_equal(ras_status_text(a), "unknown status");
        for (int b = RAS_ECANCELED; b < a; b++)
            assert_string_not_equal(ras_status_text(a), ras_status_text(b));
    }
    assert_string_equal(ras_status_text(RAS_EMEMORY), "out of memory");
    assert_string_equal(ras_status_text(RAS_ECANCELED - 1), "unknown status");
    assert_string_equal(ras_status_text(RAS_WAIT + 1), "unknown status");
    assert_string_equal(ras_status_text(INT32_MIN), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_and_returns), cmocka_unit_test(fail_without_an_error_to_fill),
        cmocka_unit_test(fail_cuts_a_long_line),  cmocka_unit_test(fail_os_keeps_errno),
        cmocka_unit_test(fail_memory_says_so),    cmocka_unit_test(statuses_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
