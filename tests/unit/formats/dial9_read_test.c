/* dial9_read_test.c - dial9 as records: batches, marks, pools as of an event. */
#include "../stream.h"
#include "formats/dial9/dial9_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ras_trace *open_with(const struct out *o, const struct ras_options *options)
{
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(ras_open_memory(&t, o->at, o->len, options, &err), RAS_OK);
    return t;
}

static struct ras_trace *open_stream(const struct out *o)
{
    return open_with(o, NULL);
}

static struct ras_cursor *open_cursor(struct ras_trace *t, const struct ras_scan *scan)
{
    struct ras_cursor *c;
    assert_int_equal(ras_cursor_open(&c, t, scan, NULL), RAS_OK);
    return c;
}

static const struct ras_record *expect_record(struct ras_cursor *c)
{
    const struct ras_record *r;
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    return r;
}

static void expect_end(struct ras_trace *t, struct ras_cursor *c, enum ras_ending_kind kind,
                       uint64_t offset)
{
    const struct ras_record *r;
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    assert_int_equal(ras_ending(t).kind, kind);
    assert_int_equal(ras_ending(t).offset, offset);
}

/* "Named" {s PooledString} as type 1. */
static void put_named_schema(struct out *o)
{
    put_schema(o, 1, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
}

static void put_named(struct out *o, uint32_t id)
{
    put_event(o, 1, 1);
    put_le(o, id, 4);
}

static void expect_text(const struct ras_cursor *c, const char *text)
{
    size_t n;
    const struct ras_value *v = ras_values(c, &n);
    assert_int_equal(n, 1);
    if (!text) {
        assert_int_equal(v->kind, RAS_NULL);
        return;
    }
    assert_int_equal(v->kind, RAS_STR);
    assert_int_equal(v->count, strlen(text));
    assert_memory_equal(v->at, text, v->count);
}

static void ids_are_those_of_their_batch(void **state)
{
    (void)state;
    struct out o = {0};
    for (int batch = 0; batch < 3; batch++) {
        put_header(&o);
        put_schema(&o, 1, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
        put_string(&o, 0, batch == 0 ? "zero" : batch == 1 ? "one" : "two");
        put_named(&o, 0);
        put_named(&o, 9);
    }
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    static const char *const texts[] = {"zero", NULL, "one", NULL, "two", NULL};
    uint32_t schema = 0;
    for (uint32_t i = 0; i < 6; i++) {
        const struct ras_record *r = expect_record(c);
        assert_int_equal(r->stream, i / 2);
        assert_int_equal(r->time_ns, i % 2 + 1);
        schema = i ? schema : r->schema;
        assert_int_equal(r->schema, schema); /* one schema for all batches */
        expect_text(c, texts[i]);
    }
    expect_end(t, c, RAS_COMPLETE, o.len);
    size_t streams;
    const struct ras_stream *s = ras_streams(t, &streams);
    assert_int_equal(streams, 3);
    assert_string_equal(s[2].name, "batch 2");
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

/* Marks of every record, visited backwards by a cursor that has seen none of them:
 * also those of batches that were forgotten in between. */
static void a_jump_sees_what_was_known_there(void **state)
{
    (void)state;
    enum { BATCHES = 6, EVENTS = 300 };
    struct out o = {0};
    char text[32];
    for (unsigned b = 0; b < BATCHES; b++) {
        put_header(&o);
        put_named_schema(&o);
        put_reset(&o, 1000000 * (uint64_t)b);
        for (unsigned i = 0; i < EVENTS; i++) {
            snprintf(text, sizeof text, "%u.%u", b, i);
            put_string(&o, i % 7, text);
            put_named(&o, i % 7);
        }
    }
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    struct ras_mark *marks = calloc(BATCHES * EVENTS, sizeof *marks);
    for (unsigned i = 0; i < BATCHES * EVENTS; i++) {
        ras_mark(c, &marks[i]);
        expect_record(c);
    }
    struct ras_cursor *other = open_cursor(t, NULL);
    for (unsigned i = BATCHES * EVENTS; i-- > 0;) {
        assert_int_equal(ras_jump(other, &marks[i], NULL), RAS_OK);
        const struct ras_record *r = expect_record(other);
        snprintf(text, sizeof text, "%u.%u", i / EVENTS, i % EVENTS);
        expect_text(other, text);
        assert_int_equal(r->time_ns, 1000000 * (uint64_t)(i / EVENTS) + i % EVENTS + 1);
        assert_int_equal(r->seq, i);
    }
    free(marks);
    ras_cursor_close(other);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void a_mark_of_another_trace_is_refused(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    put_ev(&o, 1, 1);
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    struct ras_mark mark;
    ras_mark(c, &mark);
    mark.state[1] = 77; /* a batch there is not */
    assert_int_equal(ras_jump(c, &mark, NULL), RAS_OK);
    const struct ras_record *r;
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    assert_int_equal(ras_ending(t).kind, RAS_DAMAGED);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void skipped_frames_count_as_read(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    put_ev(&o, 1, 1);
    put_string(&o, 0, "passed over");
    put_header(&o);
    put_reset(&o, 5);
    uint64_t good = o.len;
    put_string(&o, 1, "cut");
    o.len -= 2;
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    expect_record(c);
    expect_end(t, c, RAS_CUT, good);
    ras_cursor_close(c);
    ras_close(t);
    o.at[good] = 0x99;
    t = open_stream(&o);
    c = open_cursor(t, NULL);
    expect_record(c);
    expect_end(t, c, RAS_DAMAGED, good);
    assert_non_null(strstr(ras_ending(t).why, "0x99"));
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void resets_and_headers_in_a_row_are_a_loop(void **state)
{
    (void)state;
    enum { TIMES = 200000 };
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    for (uint64_t i = 0; i < TIMES; i++)
        put_reset(&o, i);
    put_ev(&o, 1, 1);
    for (uint64_t i = 0; i < TIMES; i++)
        put_header(&o);
    put_ev_schema(&o);
    put_ev(&o, 3, 2);
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    assert_int_equal(expect_record(c)->time_ns, TIMES);
    const struct ras_record *r = expect_record(c);
    assert_int_equal(r->time_ns, 3);
    assert_int_equal(r->stream, TIMES);
    expect_end(t, c, RAS_COMPLETE, o.len);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void an_event_of_every_field_type_as_cells(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_stack(&o, 4, 0x10, 2);
    put_schema(&o, 2, "T", false, 5, "i", RAS_DIAL9_I64, "k", RAS_DIAL9_POOLED_STACK_FRAMES, "m",
               RAS_DIAL9_STRING_MAP, "o", RAS_DIAL9_STRING | RAS_DIAL9_OPTIONAL, "b",
               RAS_DIAL9_BOOL);
    out_bytes(&o, "\2\2\0", 3); /* no timestamp */
    put_le(&o, (uint64_t)-2, 8);
    put_le(&o, 4, 4);
    put_le(&o, 2, 4);
    put_long(&o, "same");
    put_long(&o, "1");
    put_long(&o, "same");
    put_long(&o, "2");
    out_byte(&o, 0);
    out_byte(&o, 9);
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    const struct ras_record *r = expect_record(c);
    assert_int_equal(r->flags, 0);
    size_t n;
    const struct ras_value *v = ras_values(c, &n);
    static const uint8_t kinds[] = {RAS_INT, RAS_LIST, RAS_UINT, RAS_UINT, RAS_MAP, RAS_STR,
                                    RAS_STR, RAS_STR,  RAS_STR,  RAS_NULL, RAS_BOOL};
    assert_int_equal(n, sizeof kinds);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(v[i].kind, kinds[i]);
    assert_int_equal(v[0].i, -2);
    assert_int_equal(v[1].count, 2);
    assert_int_equal(v[3].u, 0x11);
    assert_int_equal(v[4].count, 4);
    assert_int_equal(v[10].u, 1);
    const struct ras_schema *s = ras_schema_of(c);
    assert_int_equal(s->fields[1].flags, RAS_HEX | RAS_NULLABLE);
    assert_int_equal(s->fields[3].flags, RAS_NULLABLE);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

/* One stack, stored once, in many fields of one event: refused before it is a lot. */
static void pooled_stacks_do_not_blow_up_a_record(void **state)
{
    (void)state;
    enum { FRAMES = 60000, FIELDS = 40 };
    struct out o = {0};
    put_header(&o);
    put_stack(&o, 0, 1, FRAMES);
    out_bytes(&o, "\1\0\0\1\0S\1", 7);
    put_le(&o, FIELDS, 2);
    for (int i = 0; i < FIELDS; i++) {
        put_short(&o, "k");
        out_byte(&o, RAS_DIAL9_POOLED_STACK_FRAMES);
    }
    uint64_t event = o.len;
    put_event(&o, 0, 1);
    for (int i = 0; i < FIELDS; i++)
        put_le(&o, 0, 4);
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    expect_end(t, c, RAS_DAMAGED, event);
    ras_cursor_close(c);
    c = open_cursor(t, &(struct ras_scan){.headers_only = true});
    expect_record(c);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

/* The limit is one event's, however often it is read. */
static void a_deep_stack_may_be_read_again_and_again(void **state)
{
    (void)state;
    enum { FRAMES = 100000 };
    struct out o = {0};
    put_header(&o);
    put_stack(&o, 0, 1, FRAMES);
    put_schema(&o, 0, "S", true, 1, "k", RAS_DIAL9_POOLED_STACK_FRAMES);
    put_event(&o, 0, 1);
    put_le(&o, 0, 4);
    put_reset(&o, 1); /* so that the event is not the last of the bytes */
    struct ras_trace *t = open_stream(&o);
    struct ras_cursor *c = open_cursor(t, NULL);
    struct ras_mark mark;
    ras_mark(c, &mark);
    for (int i = 0; i < 30; i++) {
        size_t n;
        assert_int_equal(ras_jump(c, &mark, NULL), RAS_OK);
        expect_record(c);
        (void)ras_values(c, &n);
        assert_int_equal(n, FRAMES + 1);
    }
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void the_seed_dialect_stops_at_what_it_does_not_know(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        struct out o = {0};
        put_header(&o);
        put_ev_schema(&o);
        put_ev(&o, 1, 1);
        uint64_t stop = o.len;
        if (kind == 0)
            put_stack(&o, 0, 1, 1);
        else if (kind == 1)
            put_header(&o);
        else if (kind == 2)
            out_bytes(&o, "\6\0\0\0", 4);
        else
            put_schema(&o, 1, "New", true, 1, "x",
                       kind == 3 ? RAS_DIAL9_DYNAMIC_LIST : RAS_DIAL9_U8 | RAS_DIAL9_OPTIONAL);
        struct ras_trace *t = open_with(&o, &(struct ras_options){.dialect = "seed"});
        assert_string_equal(ras_dialect(t), "seed");
        struct ras_cursor *c = open_cursor(t, NULL);
        expect_record(c);
        expect_end(t, c, RAS_DAMAGED, stop);
        ras_cursor_close(c);
        ras_close(t);
        t = open_stream(&o);
        c = open_cursor(t, NULL);
        expect_record(c);
        expect_end(t, c, RAS_COMPLETE, o.len);
        ras_cursor_close(c);
        ras_close(t);
        out_free(&o);
    }
}

static void types_on_request_and_their_marks(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    out_byte(&o, RAS_DIAL9_STRING_POOL);
    put_le(&o, 3, 4);
    for (uint32_t i = 0; i < 3; i++) {
        put_le(&o, i, 4);
        put_long(&o, i == 0 ? "a" : i == 1 ? "b" : "c");
    }
    put_ev_schema(&o);
    put_ev(&o, 1, 1);
    struct ras_trace *t = open_stream(&o);
    struct ras_pick picks[] = {{.type = "string"}, {.type = "schema"}, {.type = NULL}};
    struct ras_scan scan = {.picks = picks, .pick_count = 3};
    struct ras_cursor *c = open_cursor(t, &scan);
    static const char *const types[] = {"string", "string", "string", "schema", "Ev"};
    struct ras_mark mark;
    for (size_t i = 0; i < 5; i++) {
        if (i == 1)
            ras_mark(c, &mark); /* inside the pool frame */
        expect_record(c);
        assert_string_equal(ras_schema_of(c)->name, types[i]);
    }
    struct ras_cursor *other = open_cursor(t, &scan);
    assert_int_equal(ras_jump(other, &mark, NULL), RAS_OK);
    for (size_t i = 1; i < 5; i++) {
        expect_record(other);
        assert_string_equal(ras_schema_of(other)->name, types[i]);
    }
    ras_cursor_close(other);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void the_predecessor_is_refused_by_name(void **state)
{
    (void)state;
    static const uint8_t legacy[24] = "TOKIOTRC\x10";
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(ras_open_memory(&t, legacy, sizeof legacy, NULL, &err), RAS_EVERSION);
    assert_non_null(strstr(err.text, "TOKIOTRC version 16"));
}

static void metadata_and_clock_are_notes_of_open(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_schema(&o, 0, "ClockSyncEvent", true, 1, "realtime_ns", RAS_DIAL9_VARINT);
    put_reset(&o, 1000);
    put_event(&o, 0, 24);
    put_varint(&o, 5000);
    put_schema(&o, 1, "SegmentMetadataEvent", true, 1, "entries", RAS_DIAL9_STRING_MAP);
    put_event(&o, 1, 0);
    put_le(&o, 1, 4);
    put_long(&o, "service");
    put_long(&o, "test");
    struct ras_trace *t = open_stream(&o);
    int64_t wall;
    assert_true(ras_wall_clock(t, &wall));
    assert_int_equal(wall, 5000 - 1024);
    size_t count;
    const struct ras_fact *facts = ras_facts(t, &count);
    assert_int_equal(count, 1);
    assert_string_equal(facts->key, "service");
    assert_memory_equal(facts->value.at, "test", 4);
    ras_close(t);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_those_of_their_batch),
        cmocka_unit_test(a_jump_sees_what_was_known_there),
        cmocka_unit_test(a_mark_of_another_trace_is_refused),
        cmocka_unit_test(skipped_frames_count_as_read),
        cmocka_unit_test(resets_and_headers_in_a_row_are_a_loop),
        cmocka_unit_test(an_event_of_every_field_type_as_cells),
        cmocka_unit_test(pooled_stacks_do_not_blow_up_a_record),
        cmocka_unit_test(a_deep_stack_may_be_read_again_and_again),
        cmocka_unit_test(the_seed_dialect_stops_at_what_it_does_not_know),
        cmocka_unit_test(types_on_request_and_their_marks),
        cmocka_unit_test(the_predecessor_is_refused_by_name),
        cmocka_unit_test(metadata_and_clock_are_notes_of_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
