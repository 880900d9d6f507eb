/* tick_index_test.c - which record is of which tick: files of marks, and searching them.
 *
 * With RASTRUM_EFFORT=full 10 million ticks of 0 to 3 events each, else 100,000. */
#include "base/in.h"
#include "base/out.h"
#include "core/tick_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* Rows of three columns: ticks, the last event of each, and the first call. */
static struct ras_sink *made(uint64_t ticks, uint64_t first, uint64_t *calls_of)
{
    struct tick_rows rows = {0};
    uint64_t event = 0, call = 0, seed = 1;
    assert_int_equal(ras_sink_memory(&rows.sink, NULL), RAS_OK);
    for (uint64_t i = 0; i < ticks; i++) {
        event += next(&seed) % 4;
        if (calls_of)
            calls_of[i] = call;
        tick_rows_put(&rows, "tick", first + i);
        tick_rows_put(&rows, "dial9.event", event++); /* its own `tick` */
        tick_rows_put(&rows, "atf.2.tick", call);
        call += 4 + next(&seed) % 4;
        tick_rows_put(&rows, "atf.2.settled", call - 2);
        assert_int_equal(tick_rows_end(&rows, NULL), RAS_OK);
    }
    return rows.sink;
}

static uint64_t tick_of_event(const struct tick_column *c, uint64_t event)
{
    uint64_t i = tick_column_from(c, event);
    return i < c->count ? tick_column_tick(c, i) : RAS_NONE;
}

static uint64_t tick_of_call(const struct tick_column *c, uint64_t call)
{
    uint64_t i = tick_column_from(c, call + 1);
    return i ? tick_column_tick(c, i - 1) : RAS_NONE;
}

/* Every event and every call of a very long run has its tick. */
static void every_record_has_its_tick(void **state)
{
    const char *effort = getenv("RASTRUM_EFFORT");
    const uint64_t ticks = effort && !strcmp(effort, "full") ? 10000000 : 100000;
    struct tick_index index;
    struct ras_error err = {0};
    uint64_t event = 0, call = 0, seed = 1;
    (void)state;
    struct ras_sink *sink = made(ticks, 5, NULL);
    assert_int_equal(tick_index_read(&index, ras_sink_bytes(sink), ticks, &err), RAS_OK);
    const struct tick_column *events = tick_index_find(&index, "dial9.event");
    const struct tick_column *calls = tick_index_stream(&index, TICK_FIRST, 2);
    assert_int_equal(events->kind, TICK_LAST);
    assert_int_equal(events->count, ticks);
    assert_ptr_equal(calls, tick_index_find(&index, "atf.2.tick"));
    assert_non_null(tick_index_stream(&index, TICK_SETTLED, 2));
    assert_null(tick_index_stream(&index, TICK_FIRST, 0));
    for (uint64_t i = 0; i < ticks; i++) {
        uint64_t more = next(&seed) % 4 + 1, wrong = 0;
        for (; more--; event++)
            wrong += tick_of_event(events, event) != 5 + i;
        for (more = 4 + next(&seed) % 4; more--; call++)
            wrong += tick_of_call(calls, call) != 5 + i;
        wrong += tick_column_since(events, 5 + i) != i;
        if (wrong)
            fail_msg("tick %u", (unsigned)i);
    }
    assert_int_equal(tick_of_event(events, event), RAS_NONE);
    assert_int_equal(tick_of_call(calls, call + 1000), 4 + ticks);
    assert_int_equal(tick_column_since(events, 4), 0);
    assert_int_equal(tick_column_since(events, 5 + ticks), ticks);
    tick_index_free(&index);
    ras_sink_drop(sink);
}

/* A new column begins a segment; columns go on in it. */
static void columns_may_come_later(void **state)
{
    struct tick_rows rows = {0};
    struct tick_index index;
    (void)state;
    assert_int_equal(ras_sink_memory(&rows.sink, NULL), RAS_OK);
    for (uint64_t i = 0; i < 30; i++) {
        tick_rows_put(&rows, "tick", i);
        if (i >= 10)
            tick_rows_put(&rows, "atf.1.head", i / 2);
        tick_rows_put(&rows, "dial9.event", 2 * i);
        assert_int_equal(tick_rows_end(&rows, NULL), RAS_OK);
    }
    assert_int_equal(tick_index_read(&index, ras_sink_bytes(rows.sink), 30, NULL), RAS_OK);
    const struct tick_column *c = tick_index_find(&index, "dial9.event");
    assert_int_equal(c->count, 30);
    for (uint64_t i = 0; i < 30; i++)
        assert_int_equal(tick_of_event(c, 2 * i), i);
    c = tick_index_stream(&index, TICK_HEAD, 1);
    assert_int_equal(c->count, 20);
    assert_int_equal(tick_column_tick(c, 0), 10);
    assert_int_equal(tick_column_value(c, 19), 14);
    tick_index_free(&index);
    ras_sink_drop(rows.sink);
}

/* One that is cut anywhere, or says what cannot be, is refused; none is read past its end. */
static void damage_is_refused(void **state)
{
    struct tick_index index;
    struct ras_error err;
    (void)state;
    struct ras_sink *sink = made(20, 1, NULL);
    struct ras_bytes whole = ras_sink_bytes(sink);
    for (size_t len = 0; len < whole.len; len++) {
        uint8_t *copy = malloc(len + 1);
        assert_non_null(copy);
        memcpy(copy, whole.at, len);
        struct ras_bytes part = {len ? copy : NULL, len};
        assert_int_equal(tick_index_read(&index, part, 20, &err), RAS_EFORMAT);
        assert_int_equal(index.count, 0);
        free(copy);
    }
    assert_int_equal(tick_index_read(&index, whole, 19, &err), RAS_EFORMAT);
    assert_int_equal(tick_index_read(&index, whole, 21, &err), RAS_EFORMAT);
    uint8_t *copy = malloc(whole.len);
    assert_non_null(copy);
    for (size_t at = 0; at < whole.len; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(copy, whole.at, whole.len);
            copy[at] ^= (uint8_t)(1u << bit);
            if (tick_index_read(&index, (struct ras_bytes){copy, whole.len}, 20, &err) == RAS_OK)
                tick_index_free(&index);
        }
    free(copy);
    ras_sink_drop(sink);
}

/* Marks that step back are not taken. */
static void marks_ascend(void **state)
{
    struct tick_index index = {0};
    (void)state;
    tick_index_add(&index, "dial9.event", 3, 10);
    tick_index_add(&index, "dial9.event", 3, 11);
    tick_index_add(&index, "dial9.event", 4, 9);
    tick_index_add(&index, "dial9.event", 4, 12);
    assert_int_equal(index.descending, 2);
    assert_int_equal(tick_index_find(&index, "dial9.event")->count, 2);
    assert_int_equal(tick_of_event(tick_index_find(&index, "dial9.event"), 11), 4);
    tick_index_free(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_has_its_tick),
        cmocka_unit_test(columns_may_come_later),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(marks_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
