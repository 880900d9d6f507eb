/* dial9_rewrite_test.c - slices, merges and conversions of dial9 streams, to the byte. */
#include "../stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 2 };

struct trial {
    struct out in[MOST];
    size_t count;
    const char *dialect; /* of the sources */
    struct ras_rewrite_options how;
    struct ras_sink *sink;
    struct ras_rewritten *out;
};

static void rewrite(struct trial *t)
{
    const struct ras_options how = {.format = "dial9", .dialect = t->dialect};
    struct ras_trace *traces[MOST] = {NULL};
    struct ras_error err = {0};
    for (size_t i = 0; i < t->count; i++)
        assert_int_equal(ras_open_memory(&traces[i], t->in[i].at, t->in[i].len, &how, NULL),
                         RAS_OK);
    assert_int_equal(ras_sink_memory(&t->sink, NULL), RAS_OK);
    t->how.sink = t->sink;
    int status = ras_rewrite(&t->out, traces, t->count, &t->how, &err);
    if (status < 0)
        print_message("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    for (size_t i = 0; i < t->count; i++)
        ras_close(traces[i]);
}

static void expect_bytes(struct trial *t, struct out *wanted)
{
    rewrite(t);
    struct ras_bytes bytes = ras_sink_bytes(t->sink);
    assert_int_equal(bytes.len, wanted->len);
    assert_memory_equal(bytes.at, wanted->at, wanted->len);
    ras_rewritten_free(t->out);
    ras_sink_drop(t->sink);
    out_free(wanted);
    for (size_t i = 0; i < t->count; i++)
        out_free(&t->in[i]);
}

static void expect_note(const struct trial *t, const char *text)
{
    for (size_t i = 0; i < t->out->note_count; i++)
        if (strstr(t->out->notes[i], text))
            return;
    fail_msg("no note says: %s", text);
}

static void put_named(struct out *o, unsigned id, uint64_t delta, uint32_t string)
{
    put_event(o, id, delta);
    put_le(o, string, 4);
}

static void put_note(struct out *o, unsigned type_id, const char *value)
{
    out_byte(o, RAS_DIAL9_SCHEMA_ANNOTATIONS);
    put_varint(o, type_id);
    put_le(o, 1, 2);
    put_le(o, 0, 2);
    put_short(o, "unit");
    put_long(o, value);
}

/* ---- slices ------------------------------------------------------------------------- */

static void only_what_events_need_is_kept_and_renumbered(void **state)
{
    (void)state;
    struct trial t = {.count = 1, .how = {.axis = RAS_AXIS_TIME, .from = 100, .to = 200}};
    struct out *o = &t.in[0], w = {0};
    put_header(o);
    put_schema(o, 7, "Unused", true, 0);
    put_schema(o, 300, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
    put_note(o, 7, "unused");
    put_note(o, 300, "name");
    put_string(o, 1, "unused");
    put_string(o, 90, "first");
    put_string(o, 91, "second");
    put_named(o, 300, 50, 1);
    put_named(o, 300, 60, 91); /* 110 */
    put_note(o, 300, "later");
    put_string(o, 91, "redefined");
    put_named(o, 300, 10, 91); /* 120 */
    put_named(o, 300, 10, 90); /* 130 */
    put_named(o, 300, 10, 91);
    put_named(o, 300, 200, 1);
    put_header(o); /* a batch without events in range */
    put_ev_schema(o);
    put_ev(o, 5, 5);
    put_header(&w);
    put_schema(&w, 0, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
    put_note(&w, 0, "name");
    put_string(&w, 0, "second");
    put_named(&w, 0, 110, 0);
    put_note(&w, 0, "later");
    put_string(&w, 1, "redefined");
    put_named(&w, 0, 10, 1);
    put_string(&w, 2, "first");
    put_named(&w, 0, 10, 2);
    put_named(&w, 0, 10, 1);
    expect_bytes(&t, &w);
}

static void times_stay_as_they_were(void **state)
{
    (void)state;
    const uint64_t late = 1700000000000000000;
    struct trial t = {.count = 1, .how = {.axis = RAS_AXIS_TIME, .from = late + 5, .to = RAS_NONE}};
    struct out *o = &t.in[0], w = {0};
    put_header(o);
    put_ev_schema(o);
    put_reset(o, late);
    put_ev(o, 1, 1);
    put_ev(o, 5, 2);
    put_reset(o, late + 7); /* needless */
    put_ev(o, 0, 3);
    put_reset(o, late + 5);
    put_ev(o, 0, 4);
    put_header(&w);
    put_ev_schema(&w);
    put_reset(&w, late + 6);
    put_ev(&w, 0, 2);
    put_ev(&w, 1, 3);
    put_reset(&w, late + 5);
    put_ev(&w, 0, 4);
    expect_bytes(&t, &w);
}

/* An id without a definition stays without one, and one that is defined later is later. */
static void definitions_of_ids_are_kept(void **state)
{
    (void)state;
    struct trial t = {.count = 1};
    struct out *o = &t.in[0], w = {0};
    put_header(o);
    put_schema(o, 0, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
    put_named(o, 0, 1, 5); /* forward */
    put_named(o, 0, 1, 0); /* dangling */
    put_string(o, 9, "nine");
    put_named(o, 0, 1, 9);
    put_string(o, 5, "five");
    put_header(&w);
    put_schema(&w, 0, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
    put_named(&w, 0, 1, 0);
    put_named(&w, 0, 1, 1);
    put_string(&w, 2, "nine");
    put_named(&w, 0, 1, 2);
    put_string(&w, 0, "five");
    expect_bytes(&t, &w);
}

/* The position of an event without a timestamp in the order of time is kept. */
static void events_without_a_timestamp_keep_their_place(void **state)
{
    (void)state;
    struct trial t = {.count = 1, .how = {.axis = RAS_AXIS_SEQ, .from = 1, .to = 3}};
    struct out *o = &t.in[0], w = {0};
    put_header(o);
    put_ev_schema(o);
    put_schema(o, 1, "Bare", false, 0);
    put_ev(o, 70, 1);
    out_bytes(o, "\2\1\0", 3);
    put_ev(o, 5, 2);
    put_header(&w);
    put_schema(&w, 0, "Bare", false, 0);
    put_reset(&w, 70);
    out_bytes(&w, "\2\0\0", 3);
    put_schema(&w, 1, "Ev", true, 1, "v", RAS_DIAL9_VARINT);
    put_event(&w, 1, 5);
    put_varint(&w, 2);
    expect_bytes(&t, &w);
}

static void ids_inside_containers_and_optionals_are_found(void **state)
{
    (void)state;
    struct trial t = {.count = 1};
    struct out *o = &t.in[0], w = {0};
    for (int pass = 0; pass < 2; pass++) {
        struct out *to = pass ? &w : o;
        uint32_t string = pass ? 0 : 40, stack = pass ? 0 : 50;
        put_header(to);
        if (!pass)
            put_string(to, 3, "unused");
        if (!pass)
            put_string(to, string, "x");
        if (!pass)
            put_stack(to, stack, 9, 2);
        put_schema(to, 0, "All", true, 4, "b", RAS_DIAL9_BYTES, "m", RAS_DIAL9_STRING_MAP, "o",
                   RAS_DIAL9_POOLED_STRING | RAS_DIAL9_OPTIONAL, "l", RAS_DIAL9_DYNAMIC_LIST);
        if (pass) {
            put_string(to, string, "x");
            put_stack(to, stack, 9, 2);
        }
        put_event(to, 0, 1);
        put_long(to, "abc");
        put_le(to, 1, 4);
        put_long(to, "k");
        put_long(to, "v");
        out_byte(to, 1);
        put_le(to, string, 4);
        put_le(to, 3, 4);
        out_byte(to, RAS_DIAL9_VARINT);
        put_varint(to, 300);
        out_byte(to, RAS_DIAL9_DYNAMIC_MAP);
        put_le(to, 1, 4);
        out_byte(to, RAS_DIAL9_POOLED_STRING);
        put_le(to, string, 4);
        out_byte(to, RAS_DIAL9_POOLED_STACK_FRAMES);
        put_le(to, stack, 4);
        out_byte(to, RAS_DIAL9_STACK_FRAMES);
        put_le(to, 0, 4);
    }
    expect_bytes(&t, &w);
}

/* One of many: an id, texts of any length there or not, optionals of a fixed size. */
static void put_varied(struct out *o, unsigned i, uint64_t delta, uint32_t string, uint32_t stack)
{
    static const char text[] = "0123456789012345678901234567890123456789"
                               "0123456789012345678901234567890123456789";
    put_event(o, 0, delta);
    put_varint(o, UINT64_C(1) << i % 64);
    put_le(o, string, 4);
    out_byte(o, i % 3 != 0);
    if (i % 3)
        put_long(o, text + (i * 7 % 80));
    out_byte(o, i % 2 != 0);
    if (i % 2)
        put_le(o, i, 8);
    put_long(o, text + (i * 11 % 79 + 1));
    put_le(o, stack, 4);
    out_byte(o, 0xee);
}

/* Nearly all of them are copied in one loop, which must agree with the slow path. */
static void long_and_short_events_are_copied_the_same(void **state)
{
    (void)state;
    enum { EVENTS = 5000, TEXTS = 200 };
    struct trial t = {.count = 1, .how = {.axis = RAS_AXIS_SEQ, .from = 3, .to = RAS_NONE}};
    struct out *o = &t.in[0], w = {0};
    char name[16];
    uint64_t time = 0, written = 0;           /* that the next delta counts from */
    uint32_t used = 0, now[2][TEXTS] = {{0}}; /* id + 1, before and after it is defined again */
    for (int pass = 0; pass < 2; pass++) {
        struct out *to = pass ? &w : o;
        put_header(to);
        put_schema(to, 0, "Varied", true, 7, "v", RAS_DIAL9_VARINT, "s", RAS_DIAL9_POOLED_STRING,
                   "o", RAS_DIAL9_STRING | RAS_DIAL9_OPTIONAL, "n",
                   RAS_DIAL9_I64 | RAS_DIAL9_OPTIONAL, "b", RAS_DIAL9_BYTES, "k",
                   RAS_DIAL9_POOLED_STACK_FRAMES, "u", RAS_DIAL9_U8);
    }
    put_stack(o, 9, 1, 3);
    for (unsigned i = 0; i < EVENTS; i++) {
        uint32_t text = i * 13 % TEXTS, again = i >= EVENTS / 2;
        if (i == 0 || i == EVENTS / 2)
            for (uint32_t k = 0; k < TEXTS; k++) {
                snprintf(name, sizeof name, "%u %u", k, again);
                put_string(o, k, name);
            }
        if (i % 16 == 5) {
            time += i % 32 == 5 ? 1000 : 1000000000;
            put_reset(o, time);
        }
        put_varied(o, i, i % 7, text, 9);
        time += i % 7;
        if (i < 3)
            continue;
        uint32_t *id = &now[again][text];
        if (!*id) {
            snprintf(name, sizeof name, "%u %u", text, again);
            put_string(&w, used, name);
            *id = ++used;
        }
        if (i == 3)
            put_stack(&w, 0, 1, 3);
        if (time - written > 0xffffff) {
            put_reset(&w, time);
            written = time;
        }
        put_varied(&w, i, time - written, *id - 1, 0);
        written = time;
    }
    expect_bytes(&t, &w);
}

static void a_slice_without_records_is_a_stream(void **state)
{
    (void)state;
    struct trial t = {.count = 1, .how = {.axis = RAS_AXIS_TIME, .from = 1000, .to = 2000}};
    struct out w = {0};
    put_header(&t.in[0]);
    put_ev_schema(&t.in[0]);
    put_ev(&t.in[0], 5, 5);
    put_header(&w);
    expect_bytes(&t, &w);
}

/* ---- merges -------------------------------------------------------------------------- */

static void put_batch(struct out *o, unsigned id, const char *name, uint64_t time_ns)
{
    put_header(o);
    put_schema(o, id, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
    put_note(o, id, "name");
    put_string(o, 7, name);
    put_string(o, 8, "both");
    put_named(o, id, time_ns, 7);
    put_named(o, id, 10, 8);
}

static void whole_traces_are_joined_as_they_are(void **state)
{
    (void)state;
    struct trial t = {.count = 2};
    struct out w = {0};
    put_batch(&t.in[0], 1, "a", 100);
    put_batch(&t.in[1], 2, "b", 50);
    put_header(&t.in[1]);
    for (size_t i = 0; i < 2; i++)
        out_bytes(&w, t.in[i].at, t.in[i].len);
    out_byte(&t.in[1], RAS_DIAL9_EVENT); /* cut: only whole events are copied */
    expect_bytes(&t, &w);
}

static void interleaved_they_are_one_batch_in_the_order_of_time(void **state)
{
    (void)state;
    struct trial t = {.count = 2, .how = {.interleave = true}};
    struct out w = {0};
    put_batch(&t.in[0], 1, "a", 100);
    put_batch(&t.in[1], 2, "b", 50);
    put_batch(&t.in[1], 0, "c", 105);
    put_header(&w);
    put_schema(&w, 0, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
    put_note(&w, 0, "name");
    put_string(&w, 0, "b");
    put_named(&w, 0, 50, 0);
    put_string(&w, 1, "both");
    put_named(&w, 0, 10, 1); /* 60 */
    put_string(&w, 2, "a");
    put_named(&w, 0, 40, 2); /* 100 */
    put_string(&w, 3, "c");
    put_named(&w, 0, 5, 3); /* 105 */
    put_named(&w, 0, 5, 1); /* 110 */
    put_named(&w, 0, 5, 1); /* 115 */
    expect_bytes(&t, &w);
}

static void streams_of_the_published_text_become_one(void **state)
{
    (void)state;
    struct trial t = {.count = 2, .dialect = "seed"};
    struct out w = {0};
    for (size_t i = 0; i < 2; i++) {
        put_header(&t.in[i]);
        put_ev_schema(&t.in[i]);
        put_ev(&t.in[i], 100 - i, i);
    }
    put_header(&w);
    put_ev_schema(&w);
    put_ev(&w, 100, 0);
    put_reset(&w, 99);
    put_ev(&w, 0, 1);
    expect_bytes(&t, &w);
}

/* ---- conversion ------------------------------------------------------------------------ */

static void the_published_text_has_what_fits_and_a_report(void **state)
{
    (void)state;
    struct trial t = {.count = 1, .how = {.target = "seed"}};
    struct out *o = &t.in[0], w = {0};
    put_header(o);
    put_schema(o, 4, "E", true, 4, "a", RAS_DIAL9_U8 | RAS_DIAL9_OPTIONAL, "k",
               RAS_DIAL9_POOLED_STACK_FRAMES, "l", RAS_DIAL9_DYNAMIC_LIST, "t", RAS_DIAL9_STRING);
    put_note(o, 4, "x");
    put_stack(o, 2, 0x10, 2);
    put_event(o, 4, 1);
    out_bytes(o, "\1\x2a\2\0\0\0", 6);
    out_bytes(o, "\2\0\0\0\x0b\7\x04\1\0\0\0\"", 12); /* [U8 7, String "\""] */
    put_long(o, "text");
    put_header(o);
    put_schema(o, 4, "E", true, 4, "a", RAS_DIAL9_U8 | RAS_DIAL9_OPTIONAL, "k",
               RAS_DIAL9_POOLED_STACK_FRAMES, "l", RAS_DIAL9_DYNAMIC_LIST, "t", RAS_DIAL9_STRING);
    put_event(o, 4, 2);
    out_bytes(o, "\0\2\0\0\0\0\0\0\0", 9); /* absent, undefined, [] */
    put_long(o, "\xff");
    put_header(&w);
    put_schema(&w, 0, "E", true, 4, "a", RAS_DIAL9_U8, "k", RAS_DIAL9_STACK_FRAMES, "l",
               RAS_DIAL9_STRING, "t", RAS_DIAL9_STRING);
    put_event(&w, 0, 1);
    out_byte(&w, 0x2a);
    put_le(&w, 2, 4);
    put_le(&w, 0x10, 8);
    put_le(&w, 0x11, 8);
    put_long(&w, "[7,\"\\\"\"]");
    put_long(&w, "text");
    put_schema(&w, 1, "E", true, 1, "l", RAS_DIAL9_STRING);
    put_event(&w, 1, 1);
    put_long(&w, "[]");
    rewrite(&t);
    struct ras_bytes bytes = ras_sink_bytes(t.sink);
    assert_int_equal(bytes.len, w.len);
    assert_memory_equal(bytes.at, w.at, w.len);
    assert_string_equal(t.out->target, "seed");
    expect_note(&t, "2 batches became one");
    expect_note(&t, "1 annotation frames were left out");
    expect_note(&t, "1 absent optional values");
    expect_note(&t, "2 lists and maps became strings of JSON");
    expect_note(&t, "1 pooled stacks were put into their events");
    expect_note(&t, "1 pool ids without a definition were left out");
    expect_note(&t, "1 values that are not UTF-8 were left out");
    assert_int_equal(t.out->note_count, 7);
    ras_rewritten_free(t.out);
    ras_sink_drop(t.sink);
    out_free(&w);
    out_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_events_need_is_kept_and_renumbered),
        cmocka_unit_test(times_stay_as_they_were),
        cmocka_unit_test(definitions_of_ids_are_kept),
        cmocka_unit_test(events_without_a_timestamp_keep_their_place),
        cmocka_unit_test(ids_inside_containers_and_optionals_are_found),
        cmocka_unit_test(long_and_short_events_are_copied_the_same),
        cmocka_unit_test(a_slice_without_records_is_a_stream),
        cmocka_unit_test(whole_traces_are_joined_as_they_are),
        cmocka_unit_test(interleaved_they_are_one_batch_in_the_order_of_time),
        cmocka_unit_test(streams_of_the_published_text_become_one),
        cmocka_unit_test(the_published_text_has_what_fits_and_a_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
