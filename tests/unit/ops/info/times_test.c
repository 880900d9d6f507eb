/* times_test.c - places in time: one origin, and what is written can be read. */
#include "../../../../src/base/out.h"
#include <rastrum/where.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* A dial9 stream by hand: an event without fields, at the times given. */
static struct ras_trace *open_at(struct out *o, const uint64_t *times, size_t count, bool clock)
{
    struct ras_trace *t;
    out_bytes(o, "TRC\0\1", 5);
    out_bytes(o, "\1\0\0\1\0e\1\0\0", 9); /* schema 0: `e`, with a timestamp, no fields */
    if (clock)
        out_bytes(o, "\1\1\0\x0e\0ClockSyncEvent\1\1\0\x0b\0realtime_ns\11", 36);
    for (size_t i = 0; i < count; i++) {
        bool anchor = clock && !i;
        out_byte(o, 5);
        out_bytes(o, &times[i], 8);
        out_bytes(o, anchor ? "\2\1\0\0\0\0" : "\2\0\0\0\0\0", 6);
        if (anchor)
            for (uint64_t left = 1700000000123456789; left; left >>= 7)
                out_byte(o, (uint8_t)((left & 0x7f) | (left >> 7 ? 0x80 : 0)));
    }
    assert_int_equal(ras_open_memory(&t, o->at, o->len, NULL, NULL), RAS_OK);
    return t;
}

static void the_first_time_is_the_smallest(void **state)
{
    (void)state;
    const uint64_t times[] = {500, 700, 300, 900};
    struct out o = {0};
    struct ras_trace *t = open_at(&o, times, 4, false);
    uint64_t ns;
    assert_int_equal(ras_first_time(t, &ns, NULL), RAS_OK);
    assert_int_equal(ns, 300);
    assert_int_equal(ras_time_parse(t, "+20ns", &ns, NULL), RAS_OK);
    assert_int_equal(ns, 320);
    ras_close(t);
    out_free(&o);
}

static void without_records_there_is_no_first_time(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t = open_at(&o, NULL, 0, false);
    struct ras_error err;
    struct ras_time_writing how;
    uint64_t ns;
    assert_int_equal(ras_first_time(t, &ns, NULL), RAS_END);
    assert_int_equal(ras_time_parse(t, "+20ns", &ns, &err), RAS_EUSAGE);
    assert_int_equal(ras_time_writing(t, RAS_TIME_RELATIVE, &how, NULL), RAS_OK);
    assert_int_equal(ras_time_writing(t, RAS_TIME_WALL, &how, &err), RAS_EUNSUPPORTED);
    ras_close(t);
    out_free(&o);
}

static void what_is_written_can_be_read(void **state)
{
    (void)state;
    const uint64_t times[] = {1000000000000u, 5, 1, 999999999, 1000000000, 1234567890123456789u};
    static const enum ras_time_style styles[] = {RAS_TIME_RAW, RAS_TIME_RELATIVE};
    struct out o = {0};
    struct ras_trace *t = open_at(&o, times, 6, false);
    for (size_t s = 0; s < 2; s++) {
        struct ras_time_writing how;
        assert_int_equal(ras_time_writing(t, styles[s], &how, NULL), RAS_OK);
        for (size_t i = 0; i < 6; i++) {
            char text[RAS_TIME_ROOM];
            uint64_t ns;
            size_t len = ras_time_write(text, &how, times[i]);
            assert_int_equal(len, strlen(text));
            assert_int_equal(ras_time_parse(t, text, &ns, NULL), RAS_OK);
            assert_int_equal(ns, times[i]);
        }
    }
    ras_close(t);
    out_free(&o);
}

static void text_of(struct ras_trace *t, enum ras_time_style style, uint64_t ns, const char *want)
{
    struct ras_time_writing how;
    char text[RAS_TIME_ROOM];
    uint64_t back;
    assert_int_equal(ras_time_writing(t, style, &how, NULL), RAS_OK);
    ras_time_write(text, &how, ns);
    assert_string_equal(text, want);
    if (*want != '-') {
        assert_int_equal(ras_time_parse(t, text, &back, NULL), RAS_OK);
        assert_int_equal(back, ns);
    }
}

static void times_have_three_styles(void **state)
{
    (void)state;
    const uint64_t times[] = {1000000000005u, 1003000000007u};
    struct out o = {0};
    struct ras_trace *t = open_at(&o, times, 2, true);
    text_of(t, RAS_TIME_RAW, times[1], "1003.000000007s");
    text_of(t, RAS_TIME_RAW, 0, "0.000000000s");
    text_of(t, RAS_TIME_RAW, UINT64_MAX, "18446744073.709551615s");
    text_of(t, RAS_TIME_RELATIVE, times[1], "+3.000000002s");
    text_of(t, RAS_TIME_RELATIVE, times[0] - 5, "-0.000000005s");
    text_of(t, RAS_TIME_WALL, times[0], "2023-11-14T22:13:20.123456789Z");
    text_of(t, RAS_TIME_WALL, times[1], "2023-11-14T22:13:23.123456791Z");
    ras_close(t);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_time_is_the_smallest),
        cmocka_unit_test(without_records_there_is_no_first_time),
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(times_have_three_styles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
