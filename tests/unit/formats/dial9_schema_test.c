/* dial9_schema_test.c - shapes by name and fields, and names fit for a line of text. */
#include "../stream.h"
#include "formats/dial9/dial9_schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static int64_t next_id(void *owner, const struct ras_schema *schema)
{
    (void)schema;
    return ++*(int64_t *)owner;
}

static struct shape *shape_of(struct shapes *shapes, const struct out *o)
{
    struct in in = {o->at + 1, o->at + o->len, false};
    struct wire_schema wire;
    struct shape *shape;
    dial9_schema_get(&in, &wire);
    assert_false(in.cut);
    assert_int_equal(dial9_schema_check(&wire, RAS_DIAL9_FULL, 0, NULL), RAS_OK);
    assert_int_equal(dial9_shape_get(shapes, &wire, &shape, NULL), RAS_OK);
    return shape;
}

static void a_shape_is_its_name_and_fields(void **state)
{
    (void)state;
    int64_t ids = 0;
    struct shapes shapes = {.add = next_id, .owner = &ids};
    struct shape *made[5];
    for (int i = 0; i < 5; i++) {
        struct out o = {0};
        put_schema(&o, (unsigned)i * 1000, i == 2 ? "B" : "A", i != 3, 1, "v",
                   i == 4 ? RAS_DIAL9_U8 : RAS_DIAL9_VARINT);
        made[i] = shape_of(&shapes, &o);
        out_free(&o);
    }
    assert_ptr_equal(made[0], made[1]);
    assert_ptr_not_equal(made[0], made[2]);
    assert_ptr_not_equal(made[0], made[3]);
    assert_int_equal(made[0]->schema, made[3]->schema); /* differ only in the timestamp */
    assert_ptr_equal(made[0]->common, made[3]->common);
    assert_int_not_equal(made[0]->schema, made[4]->schema);
    assert_int_equal(ids, 3);
    assert_int_equal(shapes.count, 4);
    dial9_shapes_free(&shapes);
}

static void thousands_of_shapes_are_distinguished(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    struct shapes shapes = {0};
    struct shape **made = calloc(COUNT, sizeof *made);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++) {
            struct out o = {0};
            char name[16];
            snprintf(name, sizeof name, "T%d", i);
            put_schema(&o, 1, name, true, 0);
            struct shape *shape = shape_of(&shapes, &o);
            assert_true(round == 0 || made[i] == shape);
            assert_string_equal(shape->native.name, name);
            made[i] = shape;
            out_free(&o);
        }
    assert_int_equal(shapes.count, COUNT);
    free(made);
    dial9_shapes_free(&shapes);
}

static void names_in_texts_are_clipped_between_characters(void **state)
{
    (void)state;
    char name[200];
    assert_string_equal(dial9_label("short").text, "short");
    assert_string_equal(dial9_label("").text, "");
    assert_string_equal(dial9_label("a\nb\x1b[0m\x7f").text, "a?b?[0m?");
    for (size_t lead = 0; lead < 4; lead++) {
        size_t n = 0;
        while (n < lead)
            name[n++] = 'x';
        while (n < 100) {
            memcpy(name + n, "\xe2\x82\xac", 3); /* a euro sign */
            n += 3;
        }
        name[n] = 0;
        struct label label = dial9_label(name);
        size_t len = strlen(label.text);
        assert_true(len < sizeof label.text);
        assert_string_equal(label.text + len - 3, "...");
        assert_int_equal((len - 3 - lead) % 3, 0);
        assert_memory_equal(label.text, name, len - 3);
    }
    memset(name, 'y', 60);
    name[60] = 0;
    assert_string_equal(dial9_label(name).text, name);
    name[60] = 'y';
    name[61] = 0;
    assert_int_equal(strlen(dial9_label(name).text), 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_is_its_name_and_fields),
        cmocka_unit_test(thousands_of_shapes_are_distinguished),
        cmocka_unit_test(names_in_texts_are_clipped_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
