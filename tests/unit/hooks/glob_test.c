/* glob_test.c - shell patterns, and plain names of mangled ones, for the choice of functions. */
#include "base/glob.h"
#include "hooks/hooks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void glob_matches_the_whole(void **state)
{
    (void)state;
    assert_true(glob_matches("parse_*", "parse_line"));
    assert_true(glob_matches("*", ""));
    assert_true(glob_matches("", ""));
    assert_true(glob_matches("a*b*c", "axxbyybzc"));
    assert_true(glob_matches("l[a-c]ne?", "lbnes"));
    assert_true(glob_matches("[]x]", "]"));
    assert_true(glob_matches("[!a-z]1", "A1"));
    assert_false(glob_matches("[!a-z]1", "a1"));
    assert_false(glob_matches("parse", "parse_line"));
    assert_false(glob_matches("*_line", "parse_lines"));
    assert_false(glob_matches("[abc", "d"));
    assert_false(glob_matches("a", ""));
}

static void plain_names_have_no_parameters(void **state)
{
    static const struct {
        const char *mangled, *means;
    } names[] = {
        {"_ZN3foo3barEi", "foo::bar"},
        {"_Z4freei", "free"},
        {"_ZL6staticv", "static"},
        {"_ZN4text6parserIiE4lineEi", "text::parser::line"},
        {"_ZNK1a1bIN1c1dELb1EE1eEv", "a::b::e"},
        {"_ZN5guardC2Ev", "guard::guard"},
        {"_ZN5guardD1Ev", "guard::~guard"},
        {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back"},
        {"_ZNSaIcEC2Ev", "std::allocator::allocator"},
        {"_ZNSaIcED1Ev", "std::allocator::~allocator"},
        {"_ZNKSs4sizeEv", "std::string::size"},
        {"_ZNSolsEi", "std::ostream::operator<<"},
        {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<"},
        {"_Znwm", "operator new"},
        {"_ZnwmPv", "operator new"},
        {"_ZdaPv", "operator delete[]"},
        {"_ZeqRK1aS1_", "operator=="},
        {"_ZN1aclEi", "a::operator()"},
        {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
    };
    char plain[64], small[8];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(plain_name(names[i].mangled, plain, sizeof plain));
        assert_string_equal(plain, names[i].means);
        for (size_t len = 0; len < strlen(names[i].mangled); len++) { /* cut: within it */
            char cut[64] = "";
            memcpy(cut, names[i].mangled, len);
            (void)plain_name(cut, plain, sizeof plain);
            (void)plain_name(cut, small, sizeof small);
        }
    }
    assert_false(plain_name("main", plain, sizeof plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glob_matches_the_whole),
        cmocka_unit_test(plain_names_have_no_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
