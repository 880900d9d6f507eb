/* records_test.c - records and pages of them: what is cut, where a page ends, what a body may be.
 */
#include "viewed.h"

#include <rastrum/dial9.h>

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

static void a_record_has_its_bytes_and_its_fields(void **state)
{
    (void)state;
    struct viewed v = viewed_get(view, "/v1/record?src=0&seq=2");
    assert_true(viewed_is(&v, "type", "command"));
    assert_true(viewed_is(&v, "tick", "2"));
    assert_int_equal(viewed_find(&v, "time")->kind, RAS_NULL);
    assert_true(viewed_is(&v, "fields[1].name", "payload_name"));
    assert_true(viewed_is(&v, "fields[1].value", "Move"));
    assert_true(viewed_is(&v, "fields[9].value", "[3,-4]"));
    assert_true(viewed_is(&v, "links[0].word", "part of"));
    assert_true(viewed_is(&v, "links[0].seq", "1"));
    const struct ras_value *hex = viewed_find(&v, "hex");
    assert_int_equal(hex->count, 2 * (size_t)viewed_number(&v, "size"));
    assert_false(viewed_find(&v, "more")->u);
    viewed_free(&v);
}

static void pages_follow_each_other(void **state)
{
    char uri[80];
    size_t rows = 0, pages = 0;
    (void)state;
    for (uint64_t from = 0; from != RAS_NONE; pages++) {
        snprintf(uri, sizeof uri, "/v1/records?src=0&n=4&from=%llu", (unsigned long long)from);
        struct viewed v = viewed_body(view, uri, "");
        const struct ras_value *next = viewed_find(&v, "next");
        rows += viewed_count(&v, "rows");
        from = next->kind == RAS_NULL ? RAS_NONE : strtoull(next->at, NULL, 10);
        viewed_free(&v);
    }
    assert_int_equal(rows, 11);
    assert_int_equal(pages, 3);
}

static void a_page_may_have_no_rows(void **state)
{
    (void)state;
    struct viewed v = viewed_body(view, "/v1/records?src=0&n=0", "");
    assert_int_equal(viewed_count(&v, "rows"), 0);
    assert_true(viewed_is(&v, "next", "0"));
    viewed_free(&v);
    v = viewed_body(view, "/v1/records?src=0&from=18446744073709551615", "");
    assert_int_equal(v.status, 200);
    assert_int_equal(viewed_count(&v, "rows"), 0);
    viewed_free(&v);
}

static void a_type_and_a_condition_choose(void **state)
{
    (void)state;
    struct viewed v =
        viewed_body(view, "/v1/records?src=0", "command\npayload_name == \"Despawn\"");
    assert_int_equal(v.status, 200);
    assert_int_equal(viewed_count(&v, "rows"), 2);
    assert_int_equal(viewed_count(&v, "types"), 1);
    viewed_free(&v);
    v = viewed_body(view, "/v1/records?src=0", "\n  \n");
    assert_int_equal(viewed_count(&v, "rows"), 11);
    viewed_free(&v);
    v = viewed_body(view, "/v1/records?src=0", "comand\n");
    assert_int_equal(v.status, 404);
    viewed_free(&v);
    v = viewed_body(view, "/v1/records?src=0", "\ntick >");
    assert_int_equal(v.status, 400);
    viewed_free(&v);
}

/* A trace with one event: a text of `len` bytes, of characters of three bytes. */
static struct ras_sink *text_trace(size_t len)
{
    static const struct ras_dial9_field fields[] = {{"text", RAS_DIAL9_STRING}};
    static const struct ras_dial9_schema schema = {"said", fields, 1, true};
    struct ras_sink *sink;
    struct ras_dial9_writer *w;
    uint16_t id;
    char *text = malloc(len);
    for (size_t i = 0; i < len; i++)
        text[i] = "\xe2\x82\xac"[i % 3];
    const struct ras_dial9_value value = {
        .type = RAS_DIAL9_STRING, .count = (uint32_t)len, .at = (const uint8_t *)text};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_open(&w, sink, NULL, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, id, 1000, &value, 1, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
    free(text);
    return sink;
}

/* The place of the only event: records of the producer may be before it. */
static void find_said(struct ras_view *v, char uri[64])
{
    struct viewed page = viewed_body(v, "/v1/records?src=0", "said\n");
    assert_int_equal(viewed_count(&page, "rows"), 1);
    const struct ras_value *cell = viewed_find(&page, "rows[0].values[0]");
    for (size_t i = 0; cell->kind != RAS_STR && i < 4; i++)
        cell = ras_value_next(cell);
    assert_int_equal(cell->count, 255); /* 85 whole characters */
    const struct ras_value *seq = viewed_find(&page, "rows[0].seq");
    snprintf(uri, 64, "/v1/record?src=0&seq=%.*s", (int)seq->count, (const char *)seq->at);
    viewed_free(&page);
}

static void long_values_are_cut_between_characters(void **state)
{
    static const size_t lens[] = {65535, 65538};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ras_sink *sink = text_trace(lens[i]);
        const struct ras_part part = {"", ras_sink_bytes(sink)};
        struct ras_view *v = viewed_open(NULL, NULL);
        char uri[64];
        assert_int_equal(ras_view_add_parts(v, "said.trc", &part, 1, NULL, NULL), RAS_OK);
        find_said(v, uri);
        struct viewed one = viewed_get(v, uri);
        size_t field = viewed_count(&one, "fields") - 1;
        char path[32];
        snprintf(path, sizeof path, "fields[%zu].value", field);
        assert_int_equal(viewed_find(&one, path)->count, 65535);
        snprintf(path, sizeof path, "fields[%zu].cut", field);
        assert_int_equal(viewed_find(&one, path) != NULL, lens[i] > 65536);
        assert_true(viewed_find(&one, "more")->u); /* 4096 bytes of it are there */
        assert_int_equal(viewed_find(&one, "hex")->count, 2 * 4096);
        viewed_free(&one);
        ras_view_close(v);
        ras_sink_drop(sink);
    }
}

#define VIEW_TEST(name) cmocka_unit_test_setup_teardown(name, open_view, close_view)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIEW_TEST(a_record_has_its_bytes_and_its_fields),
        VIEW_TEST(pages_follow_each_other),
        VIEW_TEST(a_page_may_have_no_rows),
        VIEW_TEST(a_type_and_a_condition_choose),
        cmocka_unit_test(long_values_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
