/* dial9_native_test.c - the native reader on memory of one's own. */
#include "../stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ras_dial9 *open_stream(const struct out *o)
{
    struct ras_dial9 *reader;
    assert_int_equal(ras_dial9_open(&reader, o->at, o->len, NULL, NULL), RAS_OK);
    return reader;
}

static void expect_frame(struct ras_dial9 *reader, struct ras_dial9_frame *frame, unsigned tag)
{
    assert_int_equal(ras_dial9_next(reader, frame, NULL), RAS_OK);
    assert_int_equal(frame->tag, tag);
}

static void only_a_whole_header_of_version_1_opens(void **state)
{
    (void)state;
    struct ras_dial9 *reader;
    struct ras_error err;
    assert_int_equal(ras_dial9_open(&reader, "", 0, NULL, &err), RAS_ECUT);
    assert_int_equal(ras_dial9_open(&reader, "TRC", 3, NULL, &err), RAS_ECUT);
    assert_int_equal(ras_dial9_open(&reader, "TRX\0\1", 5, NULL, &err), RAS_EFORMAT);
    assert_int_equal(ras_dial9_open(&reader, "TRC\0\2", 5, NULL, &err), RAS_EVERSION);
    assert_int_equal(err.offset, 4);
    assert_null(reader);
    assert_int_equal(ras_dial9_open(&reader, "TRC\0\1", 5, NULL, &err), RAS_OK);
    ras_dial9_close(reader);
    ras_dial9_close(NULL);
}

static void every_frame_in_the_words_of_the_specification(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_schema(&o, 3, "Named", true, 2, "s", RAS_DIAL9_POOLED_STRING, "n",
               RAS_DIAL9_VARINT | RAS_DIAL9_OPTIONAL);
    put_string(&o, 8, "eight");
    put_stack(&o, 2, 0x1000, 3);
    put_reset(&o, 500);
    put_event(&o, 3, 7);
    put_le(&o, 8, 4);
    out_byte(&o, 0);
    out_bytes(&o, "\6\3\1\0\1\0\1\0k\1\0\0\0v", 14);
    struct ras_dial9 *reader = open_stream(&o);
    struct ras_dial9_frame f;
    expect_frame(reader, &f, RAS_DIAL9_HEADER);
    assert_int_equal(f.version, 1);
    expect_frame(reader, &f, RAS_DIAL9_SCHEMA);
    assert_int_equal(f.type_id, 3);
    assert_string_equal(f.registered.schema->name, "Named");
    assert_false(f.registered.again);
    const struct ras_dial9_schema *schema = f.registered.schema;
    assert_ptr_equal(ras_dial9_schema(reader, 3), schema);
    assert_null(ras_dial9_schema(reader, 4));
    expect_frame(reader, &f, RAS_DIAL9_STRING_POOL);
    uint32_t id;
    struct ras_bytes text;
    assert_true(ras_dial9_next_string(&f.entries, &id, &text));
    assert_int_equal(id, 8);
    assert_memory_equal(text.at, "eight", 5);
    assert_false(ras_dial9_next_string(&f.entries, &id, &text));
    expect_frame(reader, &f, RAS_DIAL9_STACK_POOL);
    struct ras_dial9_stack stack;
    assert_true(ras_dial9_next_stack(&f.entries, &id, &stack));
    assert_int_equal(stack.count, 3);
    assert_int_equal(ras_dial9_address(&stack, 2), 0x1002);
    expect_frame(reader, &f, RAS_DIAL9_TIMESTAMP_RESET);
    assert_int_equal(f.timestamp_ns, 500);
    expect_frame(reader, &f, RAS_DIAL9_EVENT);
    assert_int_equal(f.event.time_ns, 507);
    assert_ptr_equal(f.event.schema, schema);
    assert_int_equal(f.event.values[0].type, RAS_DIAL9_POOLED_STRING);
    assert_int_equal(f.event.values[0].u, 8);
    assert_int_equal(f.event.values[1].type, 0);
    assert_int_equal(f.event.values[1].field, 1);
    assert_int_equal(f.event.size, f.raw.len);
    assert_int_equal(ras_dial9_base_ns(reader), 507);
    assert_true(ras_dial9_string(reader, 8, &text));
    assert_false(ras_dial9_string(reader, 2, &text));
    assert_true(ras_dial9_stack(reader, 2, &stack));
    expect_frame(reader, &f, RAS_DIAL9_SCHEMA_ANNOTATIONS);
    struct ras_dial9_annotation note;
    assert_true(ras_dial9_next_annotation(&f.entries, &note));
    assert_int_equal(note.field_index, 1);
    assert_memory_equal(note.value.at, "v", 1);
    assert_int_equal(ras_dial9_next(reader, &f, NULL), RAS_END);
    ras_dial9_close(reader);
    out_free(&o);
}

static void a_header_forgets_ids_and_time(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    put_string(&o, 0, "a");
    put_reset(&o, 1000);
    put_ev(&o, 1, 1);
    put_header(&o);
    size_t second = o.len - 5;
    put_ev(&o, 1, 2);
    struct ras_dial9 *reader = open_stream(&o);
    struct ras_dial9_frame f = {0};
    struct ras_bytes text;
    struct ras_error err;
    while (f.offset != second)
        assert_int_equal(ras_dial9_next(reader, &f, NULL), RAS_OK);
    assert_int_equal(f.batch, 1);
    assert_false(ras_dial9_string(reader, 0, &text));
    assert_null(ras_dial9_schema(reader, 0));
    assert_int_equal(ras_dial9_base_ns(reader), 0);
    assert_int_equal(ras_dial9_next(reader, &f, &err), RAS_EFORMAT);
    assert_int_equal(err.offset, second + 5);
    ras_dial9_close(reader);
    out_free(&o);
}

static void equal_schemas_of_two_batches_are_one(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    put_header(&o);
    put_schema(&o, 9, "Ev", true, 1, "v", RAS_DIAL9_VARINT);
    put_schema(&o, 10, "Ev", true, 1, "v", RAS_DIAL9_U8);
    put_schema(&o, 11, "Ev", false, 1, "v", RAS_DIAL9_VARINT);
    struct ras_dial9 *reader = open_stream(&o);
    struct ras_dial9_frame f;
    const struct ras_dial9_schema *seen[4];
    for (size_t n = 0; n < 4;) {
        assert_int_equal(ras_dial9_next(reader, &f, NULL), RAS_OK);
        if (f.tag == RAS_DIAL9_SCHEMA)
            seen[n++] = f.registered.schema;
    }
    assert_ptr_equal(seen[0], seen[1]);
    assert_ptr_not_equal(seen[0], seen[2]);
    assert_ptr_not_equal(seen[0], seen[3]);
    assert_true(seen[0]->has_timestamp);
    assert_false(seen[3]->has_timestamp);
    ras_dial9_close(reader);
    out_free(&o);
}

/* Memory that grows, and moves as it does. */
static void a_cut_frame_is_read_once_it_is_whole(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    put_string(&o, 1, "one");
    for (uint64_t i = 0; i < 3; i++)
        put_ev(&o, 5, i << 40);
    uint8_t *copy = malloc(5);
    memcpy(copy, o.at, 5);
    struct ras_dial9 *reader;
    assert_int_equal(ras_dial9_open(&reader, copy, 5, NULL, NULL), RAS_OK);
    unsigned frames = 0, events = 0;
    for (size_t n = 5; n <= o.len; n++) {
        uint8_t *moved = malloc(n);
        memcpy(moved, o.at, n);
        ras_dial9_extend(reader, moved, n);
        free(copy);
        copy = moved;
        struct ras_dial9_frame f;
        int status;
        while ((status = ras_dial9_next(reader, &f, NULL)) == RAS_OK) {
            frames++;
            if (f.tag == RAS_DIAL9_EVENT)
                assert_int_equal(f.event.values[0].u, (uint64_t)events++ << 40);
        }
        assert_int_equal(status == RAS_END || status == RAS_ECUT, true);
    }
    assert_int_equal(frames, 6);
    assert_int_equal(events, 3);
    ras_dial9_close(reader);
    free(copy);
    out_free(&o);
}

struct visited {
    uint64_t count, sum, stop_at;
};

static int count_events(void *user, const struct ras_dial9_event *event)
{
    struct visited *v = user;
    v->sum += event->values[0].u + event->time_ns;
    return ++v->count == v->stop_at;
}

static void a_visit_stops_on_request_and_continues(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    uint64_t sum = 0, time = 0;
    for (uint64_t i = 0; i < 100; i++) {
        if (i % 10 == 3)
            put_reset(&o, time = 5 * i);
        put_ev(&o, i, i * i);
        time += i;
        sum += i * i + time;
    }
    struct ras_dial9 *reader = open_stream(&o);
    struct visited v = {.stop_at = 40};
    assert_int_equal(ras_dial9_visit(reader, count_events, &v, NULL), RAS_OK);
    assert_int_equal(v.count, 40);
    assert_int_equal(ras_dial9_visit(reader, count_events, &v, NULL), RAS_END);
    assert_int_equal(v.count, 100);
    assert_int_equal(v.sum, sum);
    assert_int_equal(ras_dial9_offset(reader), o.len);
    ras_dial9_close(reader);
    out_free(&o);
}

static void elements_of_containers_one_by_one(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_schema(&o, 0, "C", true, 3, "m", RAS_DIAL9_STRING_MAP, "l", RAS_DIAL9_DYNAMIC_LIST, "k",
               RAS_DIAL9_STACK_FRAMES);
    put_event(&o, 0, 1);
    put_le(&o, 2, 4);
    for (int i = 0; i < 4; i++)
        put_long(&o, i % 2 ? "v" : "key");
    put_le(&o, 2, 4);
    out_byte(&o, RAS_DIAL9_VARINT);
    put_varint(&o, 300);
    out_byte(&o, RAS_DIAL9_DYNAMIC_LIST);
    put_le(&o, 0, 4);
    put_le(&o, 1, 4);
    put_le(&o, 0xdead, 8);
    struct ras_dial9 *reader = open_stream(&o);
    struct ras_dial9_frame f = {0};
    while (f.tag != RAS_DIAL9_EVENT)
        assert_int_equal(ras_dial9_next(reader, &f, NULL), RAS_OK);
    struct ras_dial9_value v;
    struct ras_dial9_items items = ras_dial9_items(reader, &f.event.values[0]);
    assert_int_equal(items.left, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(ras_dial9_next_item(&items, &v));
        assert_int_equal(v.type, RAS_DIAL9_STRING);
        assert_int_equal(v.count, i % 2 ? 1 : 3);
    }
    assert_false(ras_dial9_next_item(&items, &v));
    items = ras_dial9_items(reader, &f.event.values[1]);
    assert_true(ras_dial9_next_item(&items, &v));
    assert_int_equal(v.u, 300);
    assert_true(ras_dial9_next_item(&items, &v));
    assert_int_equal(v.type, RAS_DIAL9_DYNAMIC_LIST);
    items = ras_dial9_items(reader, &v);
    assert_false(ras_dial9_next_item(&items, &v));
    items = ras_dial9_items(reader, &f.event.values[2]);
    assert_true(ras_dial9_next_item(&items, &v));
    assert_int_equal(v.u, 0xdead);
    ras_dial9_close(reader);
    out_free(&o);
}

static void pools_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    for (uint32_t i = 0; i < 4000; i++)
        put_string(&o, i, "");
    struct ras_dial9_options options = {.limits = {.pool_bytes = 64 << 10}};
    struct ras_dial9 *reader;
    struct ras_dial9_frame f;
    struct ras_error err;
    assert_int_equal(ras_dial9_open(&reader, o.at, o.len, &options, NULL), RAS_OK);
    int status;
    while ((status = ras_dial9_next(reader, &f, &err)) == RAS_OK)
        ;
    assert_int_equal(status, RAS_ELIMIT);
    assert_int_equal(err.offset, ras_dial9_offset(reader));
    ras_dial9_close(reader);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_whole_header_of_version_1_opens),
        cmocka_unit_test(every_frame_in_the_words_of_the_specification),
        cmocka_unit_test(a_header_forgets_ids_and_time),
        cmocka_unit_test(equal_schemas_of_two_batches_are_one),
        cmocka_unit_test(a_cut_frame_is_read_once_it_is_whole),
        cmocka_unit_test(a_visit_stops_on_request_and_continues),
        cmocka_unit_test(elements_of_containers_one_by_one),
        cmocka_unit_test(pools_beyond_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
