/* dial9_repair_test.c - repair of torn and damaged streams. */
#include "../stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A batch of `count` events from number `first` on. */
static void put_batch(struct out *o, uint64_t first, unsigned count)
{
    put_header(o);
    put_ev_schema(o);
    for (unsigned i = 0; i < count; i++)
        put_ev(o, 10, first + i);
}

static struct ras_repair *repair(const void *bytes, size_t size, const char *dialect,
                                 struct ras_sink **repaired)
{
    const struct ras_options how = {.format = "dial9", .dialect = dialect};
    struct ras_trace *t;
    struct ras_repair *r;
    assert_int_equal(ras_open_memory(&t, bytes, size, &how, NULL), RAS_OK);
    assert_int_equal(ras_sink_memory(repaired, NULL), RAS_OK);
    const struct ras_repair_options to = {.sink = *repaired};
    assert_int_equal(ras_repair(&r, t, &to, NULL), RAS_OK);
    assert_int_equal(r->after.kind, RAS_COMPLETE);
    ras_close(t);
    return r;
}

/* The numbers of the events that are left, as text, and that repairing again is idle. */
static void expect_events(struct ras_sink *repaired, const char *wanted)
{
    struct ras_bytes bytes = ras_sink_bytes(repaired);
    struct ras_dial9 *reader;
    struct ras_dial9_frame frame;
    struct ras_sink *again;
    char text[200] = "";
    size_t len = 0;
    int status;
    assert_int_equal(ras_dial9_open(&reader, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    while ((status = ras_dial9_next(reader, &frame, NULL)) == RAS_OK)
        if (frame.tag == RAS_DIAL9_EVENT && frame.event.schema->field_count == 1)
            len += (size_t)snprintf(text + len, sizeof text - len, "%u ",
                                    (unsigned)frame.event.values[0].u);
    assert_int_equal(status, RAS_END);
    ras_dial9_close(reader);
    assert_string_equal(text, wanted);
    struct ras_repair *r = repair(bytes.at, bytes.len, NULL, &again);
    assert_int_equal(r->plan.patch_count, 0);
    ras_repair_free(r);
    ras_sink_drop(again);
}

static void a_torn_tail_is_cut_off(void **state)
{
    (void)state;
    struct ras_sink *repaired;
    struct out o = {0};
    put_batch(&o, 1, 3);
    size_t whole = o.len;
    put_event(&o, 0, 1);
    struct ras_repair *r = repair(o.at, o.len, NULL, &repaired);
    assert_int_equal(r->before.kind, RAS_CUT);
    assert_int_equal(r->plan.patch_count, 1);
    assert_int_equal(r->plan.patches[0].at, whole);
    assert_int_equal(r->plan.patches[0].remove, 6);
    assert_int_equal(r->plan.lost_bytes, 6);
    expect_events(repaired, "1 2 3 ");
    ras_repair_free(r);
    ras_sink_drop(repaired);
    out_free(&o);
}

static void zeros_after_the_last_frame_are_not_a_loss(void **state)
{
    (void)state;
    struct ras_sink *repaired;
    struct out o = {0};
    put_batch(&o, 1, 2);
    put_le(&o, 0, 8);
    struct ras_repair *r = repair(o.at, o.len, NULL, &repaired);
    assert_int_equal(r->plan.lost_bytes, 0);
    assert_int_equal(r->plan.lost_records, 0);
    assert_int_equal(r->plan.note_count, 0);
    expect_events(repaired, "1 2 ");
    ras_repair_free(r);
    ras_sink_drop(repaired);
    out_free(&o);
}

static void a_damaged_span_is_skipped_to_the_next_header(void **state)
{
    (void)state;
    struct ras_sink *repaired;
    struct out o = {0};
    put_batch(&o, 1, 3);
    size_t at = o.len;
    put_batch(&o, 4, 3);
    size_t second = at + 5 + 8 + 2 + 3 + 1 + 7; /* after its first event */
    size_t next = o.len;
    put_batch(&o, 7, 2);
    o.at[second] = 0x99;
    struct ras_repair *r = repair(o.at, o.len, NULL, &repaired);
    assert_int_equal(r->plan.patch_count, 1);
    assert_int_equal(r->plan.patches[0].at, second);
    assert_int_equal(r->plan.patches[0].remove, next - second);
    assert_int_equal(r->plan.lost_bytes, next - second);
    assert_int_equal(r->plan.lost_records, RAS_NONE);
    assert_int_equal(r->plan.note_count, 1);
    assert_non_null(strstr(r->plan.notes[0], "where the next header is"));
    expect_events(repaired, "1 2 3 4 7 8 ");
    ras_repair_free(r);
    ras_sink_drop(repaired);
    out_free(&o);
}

/* Bytes that read as a header may be in a string of the damaged part. */
static void a_header_in_a_string_is_not_a_header(void **state)
{
    (void)state;
    struct ras_sink *repaired;
    struct out o = {0};
    put_batch(&o, 1, 1);
    out_byte(&o, 0x99);
    out_bytes(&o, "TRC\0\1\x99 text TRC\0\1", 16);
    put_batch(&o, 5, 1);
    struct ras_repair *r = repair(o.at, o.len, NULL, &repaired);
    assert_int_equal(r->plan.patch_count, 1);
    expect_events(repaired, "1 5 ");
    ras_repair_free(r);
    ras_sink_drop(repaired);
    out_free(&o);
}

/* `cat torn.active next.bin`: cut inside an event at every byte, none of the second
 * stream is lost. */
static void a_stream_after_a_torn_one_is_kept(void **state)
{
    (void)state;
    for (size_t torn = 1; torn < 9; torn++) {
        struct ras_sink *repaired;
        struct out o = {0};
        put_batch(&o, 1, 2);
        put_batch(&o, 100000, 0); /* its own batch, so that only the event is torn */
        put_ev(&o, 16384, 300000);
        o.len -= 9 - torn;
        put_batch(&o, 5, 4);
        struct ras_repair *r = repair(o.at, o.len, NULL, &repaired);
        struct ras_bytes bytes = ras_sink_bytes(repaired);
        struct out second = {0};
        put_batch(&second, 5, 4);
        assert_true(bytes.len > second.len);
        assert_memory_equal(bytes.at + bytes.len - second.len, second.at, second.len);
        struct ras_sink *again;
        struct ras_repair *idle = repair(bytes.at, bytes.len, NULL, &again);
        assert_int_equal(idle->plan.patch_count, 0);
        ras_repair_free(idle);
        ras_sink_drop(again);
        ras_repair_free(r);
        ras_sink_drop(repaired);
        out_free(&second);
        out_free(&o);
    }
}

static void a_damaged_header_loses_its_batch(void **state)
{
    (void)state;
    struct ras_sink *repaired;
    struct out o = {0};
    put_batch(&o, 1, 2);
    size_t second = o.len;
    put_batch(&o, 3, 2);
    put_batch(&o, 5, 2);
    o.at[second + 4] = 2; /* another version */
    struct ras_repair *r = repair(o.at, o.len, NULL, &repaired);
    assert_int_equal(r->plan.patches[0].at, second);
    expect_events(repaired, "1 2 5 6 ");
    ras_repair_free(r);
    ras_sink_drop(repaired);
    out_free(&o);
}

/* The published text has one header: nothing after damage can be kept. */
static void the_seed_dialect_is_cut_at_the_first_fault(void **state)
{
    (void)state;
    struct ras_sink *repaired;
    struct out o = {0};
    put_batch(&o, 1, 2);
    size_t second = o.len;
    put_batch(&o, 3, 2);
    struct ras_repair *r = repair(o.at, o.len, "seed", &repaired);
    assert_int_equal(r->plan.patches[0].at, second);
    assert_int_equal(r->plan.patches[0].remove, o.len - second);
    expect_events(repaired, "1 2 ");
    ras_repair_free(r);
    ras_sink_drop(repaired);
    out_free(&o);
}

/* A frame beyond a limit is not damaged, and is not removed. */
static void frames_beyond_a_limit_are_not_removed(void **state)
{
    (void)state;
    const struct ras_options how = {.format = "dial9", .limits.record_bytes = 8};
    struct ras_trace *t;
    struct ras_repair *r;
    struct ras_error err;
    struct out o = {0};
    put_batch(&o, 1, 2);
    put_ev(&o, 1, UINT64_MAX);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, &how, NULL), RAS_OK);
    assert_int_equal(ras_repair(&r, t, NULL, &err), RAS_ELIMIT);
    assert_null(r);
    ras_close(t);
    out_free(&o);
}

/* Thousands of false headers, each before a possible very long frame. */
static void false_headers_do_not_make_it_slow(void **state)
{
    (void)state;
    struct ras_sink *repaired;
    struct out o = {0};
    put_batch(&o, 1, 1);
    out_byte(&o, 0x99);
    for (int i = 0; i < 60000; i++)
        out_bytes(&o, "TRC\0\1\3\xff\xff\xff\x7f\0\0\0\0\0\0\0\0", 18);
    struct ras_repair *r = repair(o.at, o.len, NULL, &repaired);
    expect_events(repaired, "1 ");
    ras_repair_free(r);
    ras_sink_drop(repaired);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torn_tail_is_cut_off),
        cmocka_unit_test(zeros_after_the_last_frame_are_not_a_loss),
        cmocka_unit_test(a_damaged_span_is_skipped_to_the_next_header),
        cmocka_unit_test(a_header_in_a_string_is_not_a_header),
        cmocka_unit_test(a_stream_after_a_torn_one_is_kept),
        cmocka_unit_test(a_damaged_header_loses_its_batch),
        cmocka_unit_test(the_seed_dialect_is_cut_at_the_first_fault),
        cmocka_unit_test(frames_beyond_a_limit_are_not_removed),
        cmocka_unit_test(false_headers_do_not_make_it_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
