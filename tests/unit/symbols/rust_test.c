/* rust_test.c - mangled names of Rust, and names that are not valid. */
#include "symbols/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *mangled, *means;
} names[] = {
    {"_RNvC6_123foo3bar", "123foo::bar"},
    {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
    {"_RINvCs6xxl1lAjzDf_1a3genReKj1_EB2_", "a::gen::<&str, 1>"},
    {"_RINvCs6xxl1lAjzDf_1a5applyNCNvB2_4mains_0EB2_", "a::apply::<a::main::{closure#1}>"},
    {"_RNvMs_Cs4_1aNtB4_3Foo3bar", "<a::Foo>::bar"},
    {"_RNvXCs4_1aNtB2_3FooNtB2_3Bar3run", "<a::Foo as a::Bar>::run"},
    {"_RINvC1a1fFUKCxEuE", "a::f::<unsafe extern \"C\" fn(i64)>"},
    {"_RINvC1a1fAhKjff_E", NULL},
    {"_RINvC1a1fAhjff_E", "a::f::<[u8; 255]>"},
    {"_RINvC1a1fTlEE", "a::f::<(i32,)>"},
    {"_RINvC1a1fDNtC1a1TEL_E", "a::f::<dyn a::T>"},
    {"_RINvC1a1fOhPbQSeE", "a::f::<*mut u8, *const bool, &mut [str]>"},
    {"_R", NULL},
    {"_RNv", NULL},
    {"_RNvC9999999foo3bar", NULL},
    {"_RB_", NULL},
    {"_ZN3foo3barE", NULL},
    {"main", NULL},
};

static void rust_names_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *got = rust_demangle(names[i].mangled);
        if (names[i].means) {
            assert_non_null(got);
            assert_string_equal(got, names[i].means);
        } else {
            assert_null(got);
        }
        free(got);
    }
}

/* Every prefix, and every character replaced: a result or none, and no read beyond the end. */
static void rust_names_that_are_damaged_are_refused_or_read(void **state)
{
    static const char others[] = "0_BINEEs9zp";
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i].mangled);
        for (size_t k = 0; k < len; k++)
            for (size_t n = 0; n < sizeof others; n++) {
                char *copy = strdup(names[i].mangled);
                assert_non_null(copy);
                copy[k] = others[n];
                free(rust_demangle(copy));
                free(copy);
            }
    }
}

static void legacy_rust_names_lose_their_hash(void **state)
{
    char method[] = "_$LT$a..Foo$u20$as$u20$b..Bar$GT$::run::h0123456789abcdef";
    char plain[] = "core::fmt::write::h0123456789abcdef", other[] = "std::vector::push";
    (void)state;
    assert_true(rust_clean(method));
    assert_string_equal(method, "<a::Foo as b::Bar>::run");
    assert_true(rust_clean(plain));
    assert_string_equal(plain, "core::fmt::write");
    assert_false(rust_clean(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rust_names_are_read),
        cmocka_unit_test(rust_names_that_are_damaged_are_refused_or_read),
        cmocka_unit_test(legacy_rust_names_lose_their_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
