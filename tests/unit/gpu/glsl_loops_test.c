/* glsl_loops_test.c - which loops of a shader have a proven bound, and which have none. */
#include "gpu/glsl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define UNKNOWN    GLSL_ROUNDS_UNKNOWN
#define MAIN(body) "#version 300 es\nvoid main() {\n" body "\n}\n"

struct fact {
    const char *text;
    uint64_t rounds;
};

static void check(const struct fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ras_bytes text = {(const uint8_t *)facts[i].text, strlen(facts[i].text)};
        uint64_t rounds = glsl_rounds(text);
        if (rounds != facts[i].rounds)
            fail_msg("%s: %llu rounds, not %llu", facts[i].text, (unsigned long long)rounds,
                     (unsigned long long)facts[i].rounds);
    }
}
#define CHECK(facts) check(facts, sizeof(facts) / sizeof *(facts))

static void shaders_without_loops(void **state)
{
    (void)state;
    static const struct fact facts[] = {
        {"", 0},
        {MAIN("o = v;"), 0},
        {MAIN("float format = 1.0; o = v * dot(v, v);"), 0},
        {"#version 300 es\n#ifdef GL_ES\n#endif\n// while we wait for it\nvoid main() { }\n", 0},
        {"#version 300 es\n/* do */ void main() {\n#if 1\n}\n#else\n}\n#endif\n", 0},
        {"#version 300 es\n#define F(x) \\\n  x\nvoid main() { o = F(v); }\n", 0},
    };
    CHECK(facts);
}

/* One more than the rounds of a loop is charged: the test that ends it. */
static void loops_with_constant_bounds(void **state)
{
    (void)state;
    static const struct fact facts[] = {
        {MAIN("for (int i = 0; i < 10; i++) s += 1.0;"), 11},
        {MAIN("for (highp int i = 0; i <= 10; ++i) { s += float(i); }"), 12},
        {MAIN("for (int i = 10; i > 0; i -= 3) s += a[i];"), 5},
        {MAIN("for (int i = -5; i < 5; i += 2) if (i == 3) s += 1.0; else s -= 1.0;"), 6},
        {MAIN("for (int i = 5; i < 5; i++) s += 1.0;"), 1},
        {MAIN("for (int i = 6; i < 5; i++) s += 1.0;"), 1},
        {MAIN("for (int i = 0; i < 10; i++) for (int j = 0; j < 5; j++) s += 1.0;"), 71},
        {MAIN("for (int i = 0; i < 10; i++) { } for (int i = 0; i < 20; i++) { }"), 32},
        {"#version 300 es\n#define N 7\nvoid main() { for (int i = 0; i < N; i++) { } }\n", 8},
        {"const int N = 7; void main() { for (int i = 0; i < N; i++) { break; } }\n", 8},
        {"int f() { for (int i = 0; i < 9; i++) { } return 1; }\n"
         "void main() { f(); for (int j = 0; j < 2; j++) f(); }\n",
         33},
        {"int f() { for (int i = 0; i < 9; i++) { } return 1; }\nvoid main() { }\n", 0},
        {MAIN("for (float x = 0.0; x < 10.0; x += 1.0) s += x;"), 23},
    };
    CHECK(facts);
}

static void loops_that_nobody_can_bound(void **state)
{
    (void)state;
    static const struct fact facts[] = {
        {MAIN("while (true) { }"), UNKNOWN},
        {MAIN("do { s += 1.0; } while (s < 10.0);"), UNKNOWN},
        {MAIN("for (;;) { }"), UNKNOWN},
        {MAIN("int i = 0; for (; i < 10; i++) { }"), UNKNOWN},
        {"uniform int n; void main() { for (int i = 0; i < n; i++) { } }", UNKNOWN},
        {MAIN("for (int i = 0; i < 10; i--) { }"), UNKNOWN},
        {MAIN("for (int i = 0; i < 10; i += 0) { }"), UNKNOWN},
        {MAIN("for (int i = 0; i < 10; i++) i--;"), UNKNOWN},
        {MAIN("for (int i = 0; i < 10; i++) { if (s > 1.0) { i = 0; } }"), UNKNOWN},
        {MAIN("for (int i = 0; i < 10; i++) for (int j = 0; j < 5; j++) i -= 1;"), UNKNOWN},
        {MAIN("for (int i = 0; i < 10; i++) while (s < 1.0) s += 0.1;"), UNKNOWN},
        {MAIN("for (int i = 0; i != 10; i += 3) { }"), UNKNOWN},
        {MAIN("for (int i = 0, j = 0; i < 10; i++) { }"), UNKNOWN},
        {MAIN("for (float x = 0.0; x < 1.0; x += 0.00001) { }"), UNKNOWN},
        {MAIN("for (int i = 0; i < 0x7fffffff; i++) { }"), UNKNOWN},
        {MAIN("for (int i = 0; i < 99999999; i++) { }"), UNKNOWN},
        {"void f(inout int i) { i = 0; } void main() { for (int i = 0; i < 9; i++) f(i); }",
         UNKNOWN},
    };
    CHECK(facts);
}

/* What a compiler reads is not always what is written. */
static void text_that_means_something_else(void **state)
{
    (void)state;
    static const struct fact facts[] = {
        {"#version 300 es\n#define W while\nvoid main() { W (true) { } }", UNKNOWN},
        {"#version 300 es\nvoid main() { wh\\\nile (true) { } }", UNKNOWN},
        {"#version 300 es\n// \\\nvoid main() { for (int i = 0; i < 9; i++) { } }", UNKNOWN},
        {"#define B i--;\nvoid main() { for (int i = 0; i < 9; i++) { B } }", UNKNOWN},
        {"#define N 5\n#undef N\n#define N 99999\nvoid main() { for (int i=0;i<N;i++) {} }",
         UNKNOWN},
        {"const int N = 60000; void main() { int N = 1000000; for (int i=0;i<N;i++) {} }", UNKNOWN},
        {"const int N = 1000000; void main() { for (int i=0;i<N;i++) {} }\n#define N 5\n", UNKNOWN},
        {"#if 1\nvoid main() { for (int i = 0; i < 9; i++) { } }\n#endif\n", UNKNOWN},
        {"int f(); void main() { f(); } int f() { for (int i=0;i<9;i++) {} return 1; }", UNKNOWN},
        {"void main() { for (int i = 0; i < 9; i++) /* open", UNKNOWN},
        {"void main() { for (int i = 0; i < 9; i++", UNKNOWN},
        {"void main() { for (int i = 0; i < 9; i++) }", UNKNOWN},
        {"for", UNKNOWN},
    };
    CHECK(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaders_without_loops),
        cmocka_unit_test(loops_with_constant_bounds),
        cmocka_unit_test(loops_that_nobody_can_bound),
        cmocka_unit_test(text_that_means_something_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
