/* staff_test.c - two sides through a view: the verdict, the staff, evidence and the report; what
 * the words of a comparison say, and do not. */
#include "view/versus.h"
#include "viewed.h"

#include <rastrum/html_report.h>

enum { TICKS = 24, AT = 9 };

static bool begins(const struct viewed *v, const char *path, const char *text)
{
    const struct ras_value *s = viewed_find(v, path);
    return s && s->kind == RAS_STR && !strncmp(s->at, text, strlen(text));
}

static void the_verdict_is_that_of_the_comparison(void **state)
{
    struct ras_view *view = viewed_open("good", "bad");
    struct viewed v = viewed_get(view, "/v1/compare");
    (void)state;
    assert_int_equal(v.status, 200);
    assert_true(viewed_is(&v, "title[0]", "The two runs diverge in "));
    assert_true(viewed_is(&v, "title[1]", "tick 9"));
    assert_int_equal(viewed_number(&v, "first"), AT);
    assert_int_equal(viewed_number(&v, "from"), 1);
    assert_int_equal(viewed_number(&v, "to"), TICKS);
    assert_int_equal(viewed_count(&v, "lines"), 4);
    assert_true(viewed_is(&v, "lines[0].name", "inputs"));
    assert_true(viewed_is(&v, "lines[3].name", "events"));
    assert_true(begins(&v, "cause",
                       "Ticks 1 to 8 are the same on all four lines. In tick 9 the "
                       "second run draws one random number more ("));
    assert_int_equal(viewed_find(&v, "unison")->u, true);
    assert_int_equal(viewed_find(&v, "lost")->u, false);
    viewed_free(&v);
    ras_view_close(view);
}

static void the_staff_has_a_count_for_each_tick(void **state)
{
    struct ras_view *view = viewed_open("good", "bad");
    struct viewed v = viewed_get(view, "/v1/staff?from=7&to=26");
    char path[40];
    (void)state;
    assert_int_equal(v.status, 200);
    assert_int_equal(viewed_count(&v, "pens.cdt.d"), 20);
    assert_int_equal(viewed_count(&v, "pens.cdt.n"), 20);
    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "pens.murk.d[%d]", i);
        const struct ras_value *d = viewed_find(&v, path);
        if (7 + i > TICKS)
            assert_int_equal(d->kind, RAS_NULL);
        else
            assert_int_equal(d->u != 0, 7 + i >= AT);
    }
    viewed_free(&v);
    ras_view_close(view);
}

static void windows_are_checked(void **state)
{
    static const char *const bad[] = {"/v1/staff?from=9&to=8", "/v1/staff?from=0&to=4096",
                                      "/v1/staff?from=1",      "/v1/staff?from=a&to=2",
                                      "/v1/evidence",          "/v1/evidence?tick=-1"};
    struct ras_view *view = viewed_open("good", "bad");
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ras_answer a = viewed_send(view, bad[i], NULL);
        assert_int_equal(a.status, 400);
    }
    ras_view_close(view);
    view = viewed_open("good", NULL);
    assert_int_equal(viewed_send(view, "/v1/compare", NULL).status, 409);
    ras_view_close(view);
}

/* Of a line that diverges later its first place is shown, and says so. */
static void evidence_is_of_the_tick_or_the_first_after_it(void **state)
{
    struct ras_view *view = viewed_open("good", "bad");
    struct viewed v = viewed_get(view, "/v1/evidence?tick=9");
    (void)state;
    assert_int_equal(viewed_number(&v, "lines[1].at"), AT);
    assert_true(viewed_count(&v, "lines[1].places[0].rows") > 2);
    assert_true(viewed_is(&v, "lines[0].places[0].rows[0].label", "snapshot_hash"));
    assert_int_equal(viewed_find(&v, "lines[0].places[0].rows[0].differs")->u, true);
    viewed_free(&v);
    v = viewed_get(view, "/v1/evidence?tick=3");
    assert_int_equal(viewed_number(&v, "lines[1].at"), AT);
    viewed_free(&v);
    v = viewed_get(view, "/v1/evidence?tick=999");
    assert_int_equal(viewed_find(&v, "lines[1].at")->kind, RAS_NULL);
    viewed_free(&v);
    ras_view_close(view);
}

static void the_report_is_a_file(void **state)
{
    struct ras_view *view = viewed_open("good", "bad");
    struct ras_answer a = viewed_send(view, "/v1/report", NULL);
    (void)state;
    assert_int_equal(a.status, 200);
    assert_string_equal(a.type, "text/html");
    assert_string_equal(a.file_name, "report.html");
    assert_non_null(memmem(a.bytes.at, a.bytes.len, "<em>tick 9</em>", 15));
    assert_null(memmem(a.bytes.at, a.bytes.len, "<script", 7));
    ras_view_close(view);
}

static void two_traces_have_one_line(void **state)
{
    struct ras_view *view =
        viewed_open("golden:cdt/big-run-golden.cdt", "golden:cdt/big-run-candidate.cdt");
    struct viewed v = viewed_get(view, "/v1/compare");
    (void)state;
    assert_int_equal(viewed_count(&v, "lines"), 1);
    assert_true(viewed_is(&v, "kind", "traces"));
    assert_int_equal(viewed_number(&v, "first"), 5);
    viewed_free(&v);
    v = viewed_get(view, "/v1/evidence?tick=5");
    assert_int_equal(viewed_number(&v, "lines[0].at"), 5);
    viewed_free(&v);
    ras_view_close(view);
    view = viewed_open("golden:cdt/big-run-golden.cdt", "golden:murk/world.murk");
    v = viewed_get(view, "/v1/compare");
    assert_int_equal(v.status, 400);
    viewed_free(&v);
    ras_view_close(view);
}

/* ---- windows ---------------------------------------------------------------------------- */

static void a_window_stays_within_what_there_is(void **state)
{
    const struct comparison c = {.from = 1, .to = 600}, few = {.from = 5, .to = 9},
                            none = {.from = 1, .to = 0};
    static const uint64_t rows[][4] = {
        /* place, width, from, to */
        {300, 30, 286, 315}, {1, 30, 1, 30}, {600, 30, 571, 600}, {900, 30, 571, 600}, {0, 9, 1, 9},
    };
    uint64_t w[2];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        comparison_window(&c, rows[i][0], (unsigned)rows[i][1], w);
        assert_int_equal(w[0], rows[i][2]);
        assert_int_equal(w[1], rows[i][3]);
    }
    comparison_window(&few, 7, 30, w);
    assert_int_equal(w[0], 5);
    assert_int_equal(w[1], 9);
    comparison_window(&none, 7, 30, w);
    assert_true(w[0] <= w[1]);
}

/* ---- reports ---------------------------------------------------------------------------- */

static struct ras_bytes report(const char *a, const char *b, struct ras_sink **sink)
{
    const char *const paths[] = {a, b};
    struct ras_html_report found;
    struct ras_error err = {0};
    assert_int_equal(ras_sink_memory(sink, NULL), RAS_OK);
    if (ras_html_report(&found, paths, b ? 2 : 1, NULL, *sink, &err) < 0)
        print_error("%s\n", err.text);
    assert_int_equal(err.status, RAS_OK);
    struct ras_bytes bytes = ras_sink_bytes(*sink);
    assert_int_equal(found.size_bytes, bytes.len);
    return bytes;
}

static void the_same_traces_give_the_same_bytes(void **state)
{
    struct ras_sink *one, *two;
    (void)state;
    struct ras_bytes a = report("good", "bad", &one), b = report("good", "bad", &two);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.at, b.at, a.len);
    ras_sink_drop(one);
    ras_sink_drop(two);
}

/* Any prefix of a trace of a run is reported on; nothing is claimed of what is not there. */
static void every_cut_is_reported(void **state)
{
    (void)state;
    assert_int_equal(system("cp -r bad cut"), 0);
    for (int size = 6400; size > 0; size -= 611) {
        char command[64];
        struct ras_sink *sink;
        snprintf(command, sizeof command, "truncate -s %d cut/replay.murk", size);
        assert_int_equal(system(command), 0);
        struct ras_bytes page = report("good", "cut", &sink);
        assert_non_null(memmem(page.at, page.len, "</html>", 7));
        ras_sink_drop(sink);
    }
}

static int enter(void **state)
{
    if (viewed_enter(state))
        return -1;
    viewed_run("good", TICKS, 0);
    viewed_run("bad", TICKS, AT);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdict_is_that_of_the_comparison),
        cmocka_unit_test(the_staff_has_a_count_for_each_tick),
        cmocka_unit_test(windows_are_checked),
        cmocka_unit_test(evidence_is_of_the_tick_or_the_first_after_it),
        cmocka_unit_test(the_report_is_a_file),
        cmocka_unit_test(two_traces_have_one_line),
        cmocka_unit_test(a_window_stays_within_what_there_is),
        cmocka_unit_test(the_same_traces_give_the_same_bytes),
        cmocka_unit_test(every_cut_is_reported),
    };
    return cmocka_run_group_tests(tests, enter, viewed_leave);
}
