/* glob_test.c - names of C++ and Rust functions, plain and short. */
#include "base/glob.h"
#include <rastrum/rastrum.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *whole, *plain, *brief;
} names[] = {
    {"main", "main", "main"},
    {"hash(int, char const*)", "hash", "hash(int, char const*)"},
    {"ns::set<int>::add(int) const", "ns::set::add", "ns::set<int>::add(int) const"},
    {"void std::swap<std::vector<int, std::allocator<int> > >(int&, int&)", "std::swap",
     "void std::swap<...>(int&, int&)"},
    {"std::enable_if<true, std::pair<int, long> >::type std::go<int>(int)", "std::go",
     "std::enable_if<...>::type std::go<int>(int)"},
    {"std::_Head_base<0ul, std::thread::_State*, false>::_M_head(std::thread&) &&",
     "std::_Head_base::_M_head", "std::_Head_base<...>::_M_head(std::thread&) &&"},
    {"std::basic_ostream<char>& std::operator<< <std::char_traits<char> >(char const*)",
     "std::operator<<", "std::basic_ostream<char>& std::operator<<<...>(char const*)"},
    {"bool operator<(a const&, a const&)", "operator<", "bool operator<(a const&, a const&)"},
    {"bool operator< <a>(a const&, a const&)", "operator<",
     "bool operator<<a>(a const&, a const&)"},
    {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()",
     "main::{lambda(int)#1}::operator()(int) const"},
    {"a::operator unsigned long() const", "a::operator unsigned long",
     "a::operator unsigned long() const"},
    {"operator new(unsigned long)", "operator new", "operator new(unsigned long)"},
    {"(anonymous namespace)::f<int>(int) [clone .cold]", "(anonymous namespace)::f",
     "(anonymous namespace)::f<int>(int) [clone .cold]"},
    {"decltype ((declval<int>)()) pick<int>(int)", "pick",
     "decltype ((declval<int>)()) pick<int>(int)"},
    {"a::name[abi:cxx11](int)", "a::name[abi:cxx11]", "a::name[abi:cxx11](int)"},
    {"<core::iter::Map<A, B> as Iterator>::next", "<core::iter::Map<A, B> as Iterator>::next",
     "<core::iter::Map<A, B> as Iterator>::next"},
    {"core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place",
     "core::ptr::drop_in_place<...>"},
    {"bool __gnu_cxx::operator!=<char const*, std::string>(int)",
     "__gnu_cxx::operator!=", "bool __gnu_cxx::operator!=<...>(int)"},
    {"operators(int)", "operators", "operators(int)"},
    {"f<(", "f<(", "f<("}, /* brackets that never close */
    {"", "", ""},
};

static void names_without_arguments(void **state)
{
    char to[200];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i].whole);
        function_plain_name(names[i].whole, len, to, sizeof to);
        assert_string_equal(to, names[i].plain);
        to[ras_name_short(names[i].whole, len, to, sizeof to)] = 0;
        assert_string_equal(to, names[i].brief);
    }
}

/* Every cut of a name, into every room: within both. */
static void cut_names_and_small_rooms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t len = 0; len <= strlen(names[i].whole); len++)
            for (size_t room = 1; room < 40; room += 3) {
                char to[40], copy[200];
                memcpy(copy, names[i].whole, len);
                to[room] = 'x';
                function_plain_name(copy, len, to, room);
                assert_true(strlen(to) < room);
                assert_true(ras_name_short(copy, len, to, room) <= room);
                assert_int_equal(to[room], 'x');
            }
}

static bool matches(const char *pattern, const char *name)
{
    return function_matches(pattern, name, strlen(name));
}

static void patterns_match_whole_and_plain_names(void **state)
{
    (void)state;
    assert_true(matches("hash", "hash(int)"));
    assert_true(matches("hash(int)", "hash(int)"));
    assert_true(matches("std::*", "void std::swap<int>(int&, int&)"));
    assert_true(matches("std::*", "std::allocator<char>::allocator()"));
    assert_true(matches("std::*", "operator new(unsigned long)"));
    assert_true(matches("std::*", "operator delete[](void*)"));
    assert_true(matches("operator new", "operator new(unsigned long)"));
    static char deep[6000] = "void std::";
    memset(deep + 10, 'a', 2000);
    deep[2010] = '<'; /* longer than what is kept of a plain name */
    memset(deep + 2011, 'b', 3000);
    memcpy(deep + 5011, ">::f()", 7);
    assert_true(matches("std::*", deep));
    assert_false(matches("std::*", "operator newer(int)"));
    assert_false(matches("std::*", "use(std::string)"));
    assert_false(matches("hash", "rehash(int)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_without_arguments),
        cmocka_unit_test(cut_names_and_small_rooms),
        cmocka_unit_test(patterns_match_whole_and_plain_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
