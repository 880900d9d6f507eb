/* view_test.c - types and fields by name: what is wanted is decoded, nothing else. */
#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* Each record as its type and the fields it has: "row:value,twice sub: ..." */
static void shows(const struct ras_scan *scan, const char *want)
{
    struct ras_trace *t = FAKE_OPEN("r\1\1\4s\1\1\5q\1\1\6g\0\0\1", 1);
    struct ras_cursor *c;
    const struct ras_record *r;
    char got[400] = "";
    size_t len = 0, n;
    assert_int_equal(ras_cursor_open(&c, t, scan, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK) {
        const struct ras_schema *s = ras_schema_of(c);
        const struct ras_value *v = ras_values(c, &n);
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%s:", len ? " " : "", s->name);
        for (size_t i = 0; i < n; i++)
            len += (size_t)snprintf(got + len, sizeof got - len, "%s%s", i ? "," : "",
                                    s->fields[v[i].field].name);
    }
    assert_string_equal(got, want);
    ras_cursor_close(c);
    ras_close(t);
}

static void everything_but_types_on_request_by_default(void **state)
{
    (void)state;
    shows(NULL, "row:value,twice sub:value,twice gap:offset,length,why,lost");
}

static void a_type_is_picked_by_name(void **state)
{
    (void)state;
    struct ras_pick picks[] = {{.type = "extra"}, {.type = "row"}};
    struct ras_scan scan = {.picks = picks, .pick_count = 2};
    shows(&scan, "row:value,twice extra:value,twice");
    picks[0].type = picks[1].type = "nothing";
    shows(&scan, "");
}

static void a_type_is_picked_by_its_id(void **state)
{
    (void)state;
    const struct ras_pick picks[] = {{.schema = 2}, {.schema = 3, .type = "row"}};
    struct ras_scan scan = {.picks = picks, .pick_count = 2};
    shows(&scan, "sub:value,twice extra:value,twice");
}

static void a_pick_without_a_type_is_the_default(void **state)
{
    (void)state;
    const char *const fields[] = {"twice", "why"};
    struct ras_pick pick = {.fields = fields, .field_count = 2};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    shows(&scan, "row:twice sub:twice gap:why");
}

static void fields_come_in_the_order_of_the_schema(void **state)
{
    (void)state;
    const char *const fields[] = {"twice", "value", "absent"};
    struct ras_pick pick = {.type = "sub", .fields = fields, .field_count = 3};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    shows(&scan, "sub:value,twice");
}

static void no_fields_is_not_all_fields(void **state)
{
    (void)state;
    const char *const fields[] = {NULL};
    struct ras_pick pick = {.type = "sub", .fields = fields, .field_count = 0};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    shows(&scan, "sub:");
}

static void the_first_pick_of_a_type_counts(void **state)
{
    (void)state;
    const char *const one[] = {"value"}, *const other[] = {"twice"};
    struct ras_pick picks[] = {{.type = "row", .fields = one, .field_count = 1},
                               {.type = "row", .fields = other, .field_count = 1}};
    struct ras_scan scan = {.picks = picks, .pick_count = 2};
    shows(&scan, "row:value");
}

static void children_and_values_can_be_left_out(void **state)
{
    (void)state;
    struct ras_scan frames = {.frames_only = true};
    shows(&frames, "row:value,twice gap:offset,length,why,lost");
    struct ras_scan headers = {.headers_only = true};
    shows(&headers, "row: sub: gap:");
}

/* Picks are copied with their names: they may be gone once the cursor is open, though
 * schemas appear later. */
static void a_scan_may_live_on_the_stack(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1\4s\1\1\5", 1);
    struct ras_cursor *c;
    const struct ras_record *r;
    static const struct ras_schema late = {"late", fake_fields, 2, 0};
    char name[] = "late", field[] = "twice";
    const char *fields[] = {field};
    struct ras_pick picks[] = {{.type = "sub"}, {.type = name, .fields = fields, .field_count = 1}};
    struct ras_scan scan = {.picks = picks, .pick_count = 2};
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    memset(picks, 0, sizeof picks);
    name[0] = field[0] = 'x';
    fields[0] = "value";
    const struct view *view = cursor_view(c, (uint32_t)schema_add(t, &late));
    assert_true(view->wanted && !view_has(view, 0) && view_has(view, 1));
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(r->schema, FAKE_SUB);
    ras_cursor_close(c);
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_but_types_on_request_by_default),
        cmocka_unit_test(a_type_is_picked_by_name),
        cmocka_unit_test(a_type_is_picked_by_its_id),
        cmocka_unit_test(a_pick_without_a_type_is_the_default),
        cmocka_unit_test(fields_come_in_the_order_of_the_schema),
        cmocka_unit_test(no_fields_is_not_all_fields),
        cmocka_unit_test(the_first_pick_of_a_type_counts),
        cmocka_unit_test(children_and_values_can_be_left_out),
        cmocka_unit_test(a_scan_may_live_on_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
