/* arrow_test.c - tables as arrays of Arrow's C data interface, which outlive their stream. */
#include <rastrum/arrow.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ras_trace *open_golden(const char *name)
{
    struct ras_trace *t;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("GOLDEN"), name);
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    return t;
}

static const struct ArrowSchema *field_of(const struct ArrowSchema *s, const char *name, size_t *at)
{
    for (*at = 0; *at < (size_t)s->n_children; ++*at)
        if (!strcmp(s->children[*at]->name, name))
            return s->children[*at];
    fail_msg("no column %s", name);
    return NULL;
}

static bool valid_at(const struct ArrowArray *a, size_t i)
{
    const uint8_t *bits = a->buffers[0];
    return !bits || bits[i / 8] >> i % 8 & 1;
}

/* A column of text, by its dictionary. */
static void assert_text(const struct ArrowArray *a, size_t i, const char *text)
{
    int32_t code = ((const int32_t *)a->buffers[1])[i];
    const int32_t *ends = a->dictionary->buffers[1];
    const char *bytes = a->dictionary->buffers[2];
    assert_true(valid_at(a, i));
    assert_int_equal(ends[code + 1] - ends[code], strlen(text));
    assert_memory_equal(bytes + ends[code], text, strlen(text));
}

static void arrays_have_the_values(void **state)
{
    (void)state;
    struct ras_trace *t = open_golden("murk/all_payloads.murk");
    struct ras_tables *tables;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray a, end;
    size_t at;
    assert_int_equal(ras_tables_open(&tables, t, NULL, NULL), RAS_OK);
    const struct ras_columns_scan scan = {.table = "command"};
    assert_int_equal(ras_arrow_stream(tables, &scan, &stream, NULL), RAS_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(stream.get_next(&stream, &a), 0);
    assert_int_equal(stream.get_next(&stream, &end), 0);
    assert_null(end.release);
    stream.release(&stream);
    ras_tables_close(tables);
    ras_close(t); /* the array has its own bytes */

    assert_int_equal(a.length, 8);
    const struct ArrowSchema *f = field_of(&schema, "payload_name", &at);
    assert_string_equal(f->format, "i");
    assert_string_equal(f->dictionary->format, "u");
    assert_text(a.children[at], 0, "Move");
    assert_text(a.children[at], 6, "SetParameterBatch");
    assert_string_equal(field_of(&schema, "entity_id", &at)->format, "L");
    assert_int_equal(a.children[at]->null_count, 5);
    assert_int_equal(((const uint64_t *)a.children[at]->buffers[1])[0], 7);
    assert_false(valid_at(a.children[at], 1));
    f = field_of(&schema, "coord", &at);
    assert_string_equal(f->format, "+l");
    assert_string_equal(f->children[0]->format, "l");
    const struct ArrowArray *coord = a.children[at];
    const int32_t *ends = coord->buffers[1];
    const int64_t *items = coord->children[0]->buffers[1];
    assert_int_equal(coord->children[0]->length, 6);
    assert_int_equal(ends[1], 2);
    assert_int_equal(items[0], 3);
    assert_int_equal(items[1], -4);
    assert_int_equal(ends[3], 4); /* a null list has no items */
    assert_false(valid_at(coord, 2));
    f = field_of(&schema, "payload", &at);
    assert_string_equal(f->format, "z");
    assert_int_equal(((const int32_t *)a.children[at]->buffers[1])[1], 20);
    a.release(&a);
    schema.release(&schema);
    assert_null(a.release);
    assert_null(schema.release);
}

/* A consumer may move a child out and release the rest. */
static void a_child_may_outlive_its_parent(void **state)
{
    (void)state;
    struct ras_trace *t = open_golden("murk/all_payloads.murk");
    struct ras_tables *tables;
    struct ArrowArrayStream stream;
    struct ArrowArray a, child;
    assert_int_equal(ras_tables_open(&tables, t, NULL, NULL), RAS_OK);
    const uint16_t columns[] = {0};
    const struct ras_columns_scan scan = {.table = "frame", .columns = columns, .column_count = 1};
    assert_int_equal(ras_arrow_stream(tables, &scan, &stream, NULL), RAS_OK);
    assert_int_equal(stream.get_next(&stream, &a), 0);
    assert_int_equal(a.n_children, 1);
    child = *a.children[0];
    a.children[0]->release = NULL;
    a.release(&a);
    stream.release(&stream);
    ras_tables_close(tables);
    ras_close(t);
    assert_int_equal(child.length, 3);
    assert_int_equal(((const uint64_t *)child.buffers[1])[2], 9); /* seq of the third frame */
    child.release(&child);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    struct ras_trace *t = open_golden("murk/all_payloads.murk");
    struct ras_tables *tables;
    struct ArrowArrayStream stream;
    struct ras_error err;
    assert_int_equal(ras_tables_open(&tables, t, NULL, NULL), RAS_OK);
    const struct ras_columns_scan scan = {.table = "comand"};
    assert_int_equal(ras_arrow_stream(tables, &scan, &stream, &err), RAS_ENAME);
    assert_null(stream.release);
    ras_tables_close(tables);
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_have_the_values),
        cmocka_unit_test(a_child_may_outlive_its_parent),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
