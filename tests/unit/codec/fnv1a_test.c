/* fnv1a_test.c - the published vectors of FNV-1a, 64 bits. */
#include "codec/fnv1a.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

static bool hash_is(const char *text, uint64_t want)
{
    return fnv1a_bytes(FNV1A_START, text, strlen(text)) == want;
}

/* From the vectors that its authors publish (draft-eastlake-fnv, appendix). */
static void fnv1a_of_its_authors(void **state)
{
    (void)state;
    assert_true(hash_is("", 0xcbf29ce484222325));
    assert_true(hash_is("a", 0xaf63dc4c8601ec8c));
    assert_true(hash_is("b", 0xaf63df4c8601f1a5));
    assert_true(hash_is("foo", 0xdcb27518fed9d577));
    assert_true(hash_is("foobar", 0x85944171f73967e8));
    assert_true(fnv1a_bytes(FNV1A_START, "foobar", 7) == 0x34531ca7168b8f38);
}

static void fnv1a_goes_on_where_it_stopped(void **state)
{
    (void)state;
    uint64_t hash = fnv1a_bytes(FNV1A_START, "foo", 3);
    hash = fnv1a_bytes(hash, NULL, 0);
    assert_true(fnv1a_bytes(hash, "bar", 3) == 0x85944171f73967e8);
}

/* Murk hashes a snapshot as index and floats: field 0 with the one value 1.0. */
static void fnv1a_of_a_snapshot(void **state)
{
    (void)state;
    uint64_t hash = fnv1a_bytes(FNV1A_START, "\0\0\0\0", 4);
    assert_true(hash == 0x4d25767f9dce13f5);
    assert_true(fnv1a_bytes(hash, "\x00\x00\x80\x3f", 4) == 0xaa7ae932298bb4c8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fnv1a_of_its_authors),
        cmocka_unit_test(fnv1a_goes_on_where_it_stopped),
        cmocka_unit_test(fnv1a_of_a_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
