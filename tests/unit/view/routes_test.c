/* routes_test.c - requests meet their rows: what is refused, and by which status. */
#include "view/viewer.h"
#include "viewed.h"

static struct ras_view *view;

static int open_view(void **state)
{
    (void)state;
    view = viewed_open("golden:murk/all_payloads.murk", NULL);
    return 0;
}

static int close_view(void **state)
{
    (void)state;
    ras_view_close(view);
    return 0;
}

static int status_of(const char *uri, const char *body)
{
    struct ras_answer answer;
    struct ras_bytes bytes = {(const uint8_t *)body, body ? strlen(body) : 0};
    assert_int_equal(ras_view_answer_uri(view, body, uri, strlen(uri), bytes, &answer, NULL),
                     RAS_OK);
    assert_true(answer.bytes.len > 0);
    return answer.status;
}

static void expect_all(int status, const char *const *uris)
{
    for (; *uris; uris++)
        if (status_of(*uris, NULL) != status)
            fail_msg("%s: %d, not %d", *uris, status_of(*uris, NULL), status);
}

static void an_unknown_path_is_404(void **state)
{
    static const char *const uris[] = {
        "",        "/",         "/v1",       "/v1/",      "/v1/opens", "/v1/ope",     "/v2/open",
        "v1/open", "//v1/open", "/v1//open", "/v1/open/", "/V1/open",  "/v1/../open", NULL};
    (void)state;
    expect_all(404, uris);
}

static void another_method_is_405(void **state)
{
    (void)state;
    assert_int_equal(status_of("/v1/open", ""), 405);
    assert_int_equal(status_of("/v1/tiles", NULL), 405);
    assert_int_equal(status_of("/v1/cancel?id=1", NULL), 405);
}

static void arguments_that_are_wrong_are_400(void **state)
{
    static const char *const uris[] = {
        "/v1/record",
        "/v1/record?src=0",
        "/v1/record?seq=0",
        "/v1/record?src=&seq=0",
        "/v1/record?src=a&seq=0",
        "/v1/record?src=-1&seq=0",
        "/v1/record?src=0&seq=18446744073709551616",
        "/v1/record?src=0&seq=99999999999999999999",
        "/v1/record?src=0&seq=000000000000000000001",
        "/v1/record?src=0&seq=0&seq=0",
        "/v1/record?src=0&seq=0&x=0",
        "/v1/record?src=0&seq",
        "/v1/record?src=0&seq=0&",
        "/v1/open?src=0",
        "/v1/near?track=0&row=4294967296&time=0&dir=0",
        "/v1/near?track=0&row=0&time=0&dir=4",
        "/v1/sum?from=0",
        "/v1/sum?from=5&to=9&tracks=1.",
        "/v1/sum?from=5&to=9&tracks=",
        "/v1/sum?from=5&to=9&tracks=1..2",
        "/v1/sum?from=5&to=9&tracks=4294967296",
        "/v1/part?from=5&to=9&as=exe",
        "/v1/part?from=5&to=9&as=",
        NULL,
    };
    (void)state;
    /* An & at the end is nothing. */
    assert_int_equal(status_of("/v1/record?src=0&seq=0&", NULL), 200);
    for (const char *const *uri = uris; *uri; uri++)
        if (strcmp(*uri, "/v1/record?src=0&seq=0&") != 0 && status_of(*uri, NULL) != 400)
            fail_msg("%s: %d", *uri, status_of(*uri, NULL));
}

static void what_is_not_there_is_404(void **state)
{
    static const char *const uris[] = {"/v1/record?src=1&seq=0",
                                       "/v1/record?src=18446744073709551615&seq=0",
                                       "/v1/record?src=0&seq=11",
                                       "/v1/record?src=0&seq=18446744073709551614",
                                       "/v1/record?src=0&seq=18446744073709551615",
                                       "/v1/tracks?side=1",
                                       "/v1/tracks?side=18446744073709551615",
                                       "/v1/names?side=2&from=0",
                                       "/v1/near?track=16777216&row=0&time=0&dir=0",
                                       "/v1/near?track=99999&row=0&time=0&dir=0",
                                       "/v1/near?track=18446744073709551615&row=0&time=0&dir=0",
                                       "/v1/job?id=1",
                                       NULL};
    (void)state;
    expect_all(404, uris);
    assert_int_equal(status_of("/v1/show?first=0", ""), 404);
}

static void a_body_where_none_is_taken_is_400(void **state)
{
    struct ras_answer answer;
    struct ras_request request = {.path = "/v1/open", .body = {(const uint8_t *)"x", 1}};
    (void)state;
    assert_int_equal(ras_view_answer(view, &request, &answer, NULL), RAS_OK);
    assert_int_equal(answer.status, 400);
}

static void every_other_byte_is_400(void **state)
{
    char uri[] = "/v1/open?";
    (void)state;
    for (int c = 0; c < 256; c++) {
        struct ras_answer answer;
        bool plain = c && (strchr("/?&=_.-", c) || (c >= '0' && c <= '9') ||
                           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
        uri[8] = (char)c;
        assert_int_equal(
            ras_view_answer_uri(view, false, uri, 9, (struct ras_bytes){0}, &answer, NULL), RAS_OK);
        assert_int_equal(uri_is_plain(uri, 9), plain);
        if (!plain)
            assert_int_equal(answer.status, 400);
    }
}

static void a_uri_above_its_limit_is_414(void **state)
{
    size_t size = 40000;
    char *uri = malloc(size + 1);
    (void)state;
    memset(uri, 'a', size);
    uri[size] = 0;
    assert_int_equal(status_of(uri, NULL), 414);
    free(uri);
}

static void open_says_what_info_says(void **state)
{
    (void)state;
    struct viewed v = viewed_get(view, "/v1/open");
    assert_true(viewed_is(&v, "kind", "trace"));
    assert_true(viewed_is(&v, "version", ras_version()));
    assert_true(viewed_is(&v, "sides[0].name", "all_payloads.murk"));
    assert_int_equal(viewed_find(&v, "sources[0].records")->kind, RAS_NULL);
    assert_true(viewed_is(&v, "sources[0].ending.kind", "open"));
    viewed_free(&v);
    while (ras_view_step(view, 8, NULL) == RAS_OK)
        ;
    v = viewed_get(view, "/v1/open");
    assert_int_equal((int)viewed_number(&v, "sources[0].records"), 11);
    assert_int_equal((int)viewed_number(&v, "sources[0].ticks[1]"), 3);
    assert_int_equal((int)viewed_number(&v, "sides[0].ticks[0]"), 1);
    assert_int_equal((int)viewed_number(&v, "sides[0].built"), 1);
    assert_true(viewed_is(&v, "sources[0].ending.kind", "complete"));
    assert_int_equal(viewed_find(&v, "sources[0].ending.repair")->kind, RAS_NULL);
    assert_int_equal(viewed_count(&v, "sources[0].types"), 2);
    viewed_free(&v);
}

static void the_generation_goes_up_when_something_is_new(void **state)
{
    (void)state;
    struct viewed before = viewed_get(view, "/v1/open");
    while (ras_view_step(view, 8, NULL) == RAS_OK)
        ;
    struct viewed after = viewed_get(view, "/v1/open");
    const struct ras_value *a = viewed_find(&before, "generation");
    const struct ras_value *b = viewed_find(&after, "generation");
    assert_true(a->count != b->count || memcmp(a->at, b->at, a->count) < 0);
    viewed_free(&before);
    viewed_free(&after);
}

static void a_cut_trace_has_the_command_that_repairs_it(void **state)
{
    (void)state;
    struct ras_view *cut = viewed_open("golden:murk/cut_frame.murk", NULL);
    while (ras_view_step(cut, 8, NULL) == RAS_OK)
        ;
    struct viewed v = viewed_get(cut, "/v1/open");
    assert_true(viewed_is(&v, "sources[0].ending.kind", "cut"));
    assert_true(viewed_is(&v, "sources[0].ending.offset", "123"));
    const struct ras_value *repair = viewed_find(&v, "sources[0].ending.repair");
    assert_int_equal(repair->kind, RAS_STR);
    assert_non_null(memmem(repair->at, repair->count, "rastrum repair ", 15));
    viewed_free(&v);
    ras_view_close(cut);
}

static void a_view_of_nothing_is_one_of_kind_none(void **state)
{
    (void)state;
    struct ras_view *none = viewed_open(NULL, NULL);
    struct viewed v = viewed_get(none, "/v1/open");
    assert_true(viewed_is(&v, "kind", "none"));
    assert_int_equal(viewed_count(&v, "sides"), 0);
    viewed_free(&v);
    v = viewed_get(none, "/v1/tracks");
    assert_int_equal(v.status, 404);
    viewed_free(&v);
    assert_int_equal(ras_view_step(none, 8, NULL), RAS_END);
    ras_view_close(none);
}

static void offers_are_opened_when_they_are_chosen(void **state)
{
    struct ras_view *v;
    struct ras_error err;
    char path[512];
    (void)state;
    assert_int_equal(ras_view_open(&v, &(struct ras_view_options){.no_threads = true}, &err),
                     RAS_OK);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"all_payloads.murk", "not-there", "cut_frame.murk"};
        snprintf(path, sizeof path, "%s/murk/%s", getenv("GOLDEN"), names[i]);
        assert_int_equal(ras_view_offer(v, path, NULL, &err), RAS_OK);
    }
    struct viewed seen = viewed_get(v, "/v1/open");
    assert_true(viewed_is(&seen, "kind", "none"));
    assert_int_equal(viewed_count(&seen, "offers"), 3);
    assert_true(viewed_is(&seen, "offers[1]", "not-there"));
    viewed_free(&seen);
    seen = viewed_body(v, "/v1/show?first=1", "");
    assert_int_equal(seen.status, 500);
    viewed_free(&seen);
    seen = viewed_body(v, "/v1/show?first=0&second=2", "");
    assert_int_equal(seen.status, 200);
    assert_true(viewed_is(&seen, "kind", "pair"));
    assert_true(viewed_is(&seen, "sides[1].name", "cut_frame.murk"));
    viewed_free(&seen);
    seen = viewed_body(v, "/v1/show?first=2", "");
    assert_true(viewed_is(&seen, "kind", "trace"));
    viewed_free(&seen);
    ras_view_close(v);
}

static void a_third_side_is_refused(void **state)
{
    struct ras_error err;
    char path[512];
    (void)state;
    struct ras_view *v = viewed_open("golden:murk/all_payloads.murk", "golden:murk/cut_frame.murk");
    snprintf(path, sizeof path, "%s/murk/floats.murk", getenv("GOLDEN"));
    assert_int_equal(ras_view_add(v, path, NULL, &err), RAS_EUSAGE);
    ras_view_close(v);
}

static void memory_is_shown_like_a_file(void **state)
{
    static const uint8_t none[] = "this is not a trace";
    const struct ras_part bad = {"x", {none, sizeof none}};
    char path[512];
    struct ras_view *v;
    struct ras_error err;
    uint8_t bytes[4096];
    (void)state;
    snprintf(path, sizeof path, "%s/murk/all_payloads.murk", getenv("GOLDEN"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const struct ras_part good = {"", {bytes, fread(bytes, 1, sizeof bytes, file)}};
    fclose(file);
    assert_int_equal(ras_view_open(&v, &(struct ras_view_options){.no_threads = true}, &err),
                     RAS_OK);
    assert_true(ras_view_add_parts(v, "x", &bad, 1, NULL, &err) < 0);
    assert_true(ras_view_add_parts(v, "x", &bad, 0, NULL, &err) < 0);
    assert_int_equal(ras_view_add_parts(v, "dir/a.murk", &good, 1, NULL, &err), RAS_OK);
    struct viewed seen = viewed_get(v, "/v1/open");
    assert_true(viewed_is(&seen, "sides[0].name", "a.murk"));
    viewed_free(&seen);
    seen = viewed_get(v, "/v1/record?src=0&seq=0");
    assert_true(viewed_is(&seen, "type", "frame"));
    viewed_free(&seen);
    ras_view_close(v);
}

#define VIEW_TEST(name) cmocka_unit_test_setup_teardown(name, open_view, close_view)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIEW_TEST(an_unknown_path_is_404),
        VIEW_TEST(another_method_is_405),
        VIEW_TEST(arguments_that_are_wrong_are_400),
        VIEW_TEST(what_is_not_there_is_404),
        VIEW_TEST(a_body_where_none_is_taken_is_400),
        VIEW_TEST(every_other_byte_is_400),
        VIEW_TEST(a_uri_above_its_limit_is_414),
        VIEW_TEST(open_says_what_info_says),
        VIEW_TEST(the_generation_goes_up_when_something_is_new),
        cmocka_unit_test(a_cut_trace_has_the_command_that_repairs_it),
        cmocka_unit_test(a_view_of_nothing_is_one_of_kind_none),
        cmocka_unit_test(offers_are_opened_when_they_are_chosen),
        cmocka_unit_test(a_third_side_is_refused),
        cmocka_unit_test(memory_is_shown_like_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
