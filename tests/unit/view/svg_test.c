/* svg_test.c - the staff as a picture: what is on it follows from the counts. */
#include "view/staff_geometry.h"
#include "view/svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { TICKS = 30, MANY = 200 };

/* A line whose sides diverge at `first`, with d growing. */
struct sample {
    uint64_t n[2][MANY], d[MANY];
    struct ras_staff_line counts;
};

static void sample(struct sample *s, size_t count, uint64_t from, uint64_t first)
{
    for (size_t i = 0; i < count; i++) {
        s->n[0][i] = s->n[1][i] = i % 7;
        s->d[i] = from + i >= first ? 1 + i : 0;
    }
    s->counts = (struct ras_staff_line){.n = {s->n[0], s->n[1]}, .d = s->d};
}

static char *drawn(const struct svg_staff *s)
{
    struct out out = {0};
    svg_put_staff(&out, s);
    out_byte(&out, 0);
    assert_false(out.failed);
    return (char *)out.at;
}

static size_t times(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        count++;
    return count;
}

static struct svg_staff staff(const struct svg_line *lines, size_t count, uint64_t ticks)
{
    return (struct svg_staff){.id = "w",
                              .label = "a <staff>",
                              .lines = lines,
                              .line_count = count,
                              .from = 286,
                              .to = 286 + ticks - 1,
                              .run_from = 1,
                              .run_to = 600,
                              .first = 300,
                              .unison = true,
                              .word = "tick",
                              .width = STAFF_WIDTH};
}

static void numbers_have_one_decimal(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},         {1, "1"},     {1.25, "1.3"},     {-0.04, "0"},    {-1.5, "-1.5"},
                {999.96, "1000"}, {1e300, "0"}, {-12.34, "-12.3"}, {1.0 / 3, "0.3"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct out out = {0};
        svg_number(&out, rows[i].value);
        out_byte(&out, 0);
        assert_string_equal((const char *)out.at, rows[i].text);
        out_free(&out);
    }
}

/* One voice before the divergence, two from there on, a ring where each line diverges. */
static void the_second_voice_begins_where_its_line_diverges(void **state)
{
    struct sample a, b;
    (void)state;
    sample(&a, TICKS, 286, 300);
    sample(&b, TICKS, 286, 302);
    const struct svg_line lines[] = {
        {.name = "inputs", .maker = "M", .kind = 0, .first = 300, .counts = &a.counts},
        {.name = "calls", .maker = "A", .kind = 4, .first = 302, .counts = &b.counts},
    };
    const struct svg_staff s = staff(lines, 2, TICKS);
    char *svg = drawn(&s);
    assert_int_equal(times(svg, "#wn\""), 2 * TICKS);
    assert_int_equal(times(svg, "#wh\""), 16 + 14);
    assert_int_equal(times(svg, "class=\"ring\""), 2);
    assert_int_equal(times(svg, "class=\"voice\""), 2);
    assert_int_equal(times(svg, "class=\"rehearsal\""), 1);
    assert_int_equal(times(svg, "unison, 299 ticks"), 1);
    assert_int_equal(times(svg, "a &lt;staff&gt;"), 1);
    assert_int_equal(times(svg, "<svg"), times(svg, "</svg>"));
    assert_int_equal(times(svg, "<g>"), times(svg, "</g>"));
    assert_true(strlen(svg) < 40000);
    free(svg);
}

static void without_a_divergence_there_is_one_voice(void **state)
{
    struct sample a;
    (void)state;
    sample(&a, TICKS, 286, 1000);
    const struct svg_line line = {
        .name = "state", .maker = "C", .kind = 1, .first = RAS_NONE, .counts = &a.counts};
    struct svg_staff s = staff(&line, 1, TICKS);
    s.first = RAS_NONE;
    char *svg = drawn(&s);
    assert_int_equal(times(svg, "#wh\""), 0);
    assert_int_equal(times(svg, "class=\"voice\""), 0);
    assert_int_equal(times(svg, "rehearsal"), 0);
    assert_int_equal(times(svg, "class=\"wash\""), 0);
    free(svg);
}

/* A side that ends is a rest, with its reason once; what is not known has no second voice. */
static void what_is_missing_is_a_rest(void **state)
{
    struct sample a;
    (void)state;
    sample(&a, TICKS, 286, 300);
    for (size_t i = 20; i < TICKS; i++)
        a.n[1][i] = a.d[i] = RAS_NONE;
    const struct svg_line line = {.name = "state",
                                  .maker = "C",
                                  .kind = 1,
                                  .first = 300,
                                  .counts = &a.counts,
                                  .rest = {"good: cut", "bad: cut"}};
    const struct svg_staff s = staff(&line, 1, TICKS);
    char *svg = drawn(&s);
    assert_int_equal(times(svg, "class=\"rest\""), 1);
    assert_int_equal(times(svg, "bad: cut"), 1);
    assert_int_equal(times(svg, "good: cut"), 0);
    assert_int_equal(times(svg, "#wh\""), 6);
    assert_int_equal(times(svg, "#wn\""), TICKS);
    free(svg);
}

static void wide_windows_have_dots_then_lines(void **state)
{
    static struct sample a;
    (void)state;
    sample(&a, MANY, 286, 300);
    const struct svg_line line = {
        .name = "state", .maker = "C", .kind = 1, .first = 300, .counts = &a.counts};
    const struct svg_staff dots = staff(&line, 1, DOTS_ABOVE + 1);
    char *svg = drawn(&dots);
    assert_int_equal(times(svg, "#wd\""), DOTS_ABOVE + 1);
    assert_int_equal(times(svg, "#wn\""), 0);
    assert_int_equal(times(svg, "class=\"stem\""), 0);
    free(svg);
    const struct svg_staff lines = staff(&line, 1, MANY);
    svg = drawn(&lines);
    assert_true(times(svg, "#wd\"") <= 1);
    assert_int_equal(times(svg, "class=\"voice\""), 1);
    free(svg);
}

/* Places near the end of 64 bits and a line without counts are pictures, too. */
static void extremes_can_be_drawn(void **state)
{
    struct sample a;
    (void)state;
    sample(&a, 3, UINT64_MAX - 4, 0);
    a.n[0][1] = a.d[2] = UINT64_MAX - 1;
    const struct svg_line lines[] = {
        {.name = "x", .maker = "", .kind = 5, .first = UINT64_MAX - 4, .counts = &a.counts},
        {.name = "y", .maker = "", .kind = 5, .first = RAS_NONE}};
    struct svg_staff s = staff(lines, 2, 3);
    s.from = s.first = UINT64_MAX - 4;
    s.to = s.run_to = UINT64_MAX - 2;
    char *svg = drawn(&s);
    assert_int_equal(times(svg, "</svg>"), 1);
    assert_int_equal(times(svg, "nan"), 0);
    free(svg);
}

/* The heights of the points of the path of the brace; how many. */
static size_t brace_heights(const char *svg, double *y, size_t most)
{
    const char *at = strstr(svg, "<path class=\"ink\" d=\"M");
    assert_non_null(at);
    size_t count = 0;
    double x;
    int used;
    at += strlen("<path class=\"ink\" d=\"");
    for (; count < most && sscanf(at + 1, "%lf %lf%n", &x, &y[count], &used) == 2; count++)
        at += 1 + used;
    return count;
}

/* From the top down to the end and up again, however few lines there are. */
static void a_brace_does_not_cross_itself(void **state)
{
    struct sample a;
    (void)state;
    sample(&a, TICKS, 286, 1000);
    struct svg_line lines[5];
    for (size_t i = 0; i < 5; i++)
        lines[i] = (struct svg_line){
            .name = "x", .maker = "y", .kind = 1, .first = RAS_NONE, .counts = &a.counts};
    for (size_t count = 2; count <= 5; count++) {
        const struct svg_staff s = staff(lines, count, TICKS);
        char *svg = drawn(&s);
        double y[13];
        assert_int_equal(brace_heights(svg, y, 13), 13);
        for (size_t i = 1; i < 7; i++)
            assert_true(y[i] >= y[i - 1]);
        for (size_t i = 7; i < 13; i++)
            assert_true(y[i] <= y[i - 1]);
        free(svg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_one_decimal),
        cmocka_unit_test(the_second_voice_begins_where_its_line_diverges),
        cmocka_unit_test(without_a_divergence_there_is_one_voice),
        cmocka_unit_test(what_is_missing_is_a_rest),
        cmocka_unit_test(wide_windows_have_dots_then_lines),
        cmocka_unit_test(extremes_can_be_drawn),
        cmocka_unit_test(a_brace_does_not_cross_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
