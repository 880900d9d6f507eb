/* trace_facts_test.c - what a trace says of itself: schemas, facts, notes, streams. */
#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void schemas_are_numbered_up_to_their_limit(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("", 1); /* its limit is 8; the gap and four are there */
    for (int64_t id = 5; id < 8; id++)
        assert_int_equal(schema_add(t, &fake_schemas[0]), id);
    assert_int_equal(schema_add(t, &fake_schemas[0]), RAS_ELIMIT);
    assert_int_equal(ras_schema_count(t), 8);
    assert_string_equal(ras_schema_at(t, RAS_SCHEMA_GAP)->name, "gap");
    assert_string_equal(ras_schema_at(t, FAKE_SUB)->name, "sub");
    assert_null(ras_schema_at(t, 8));
    ras_close(t);
}

static void facts_keep_their_order_and_are_copied(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("", 1);
    char text[] = "gcc\0 12", key[] = "compiler";
    assert_true(fact_str(t, key, text, 7));
    assert_true(fact_uint(t, "hash", UINT64_MAX, RAS_HEX));
    assert_true(fact_int(t, "delta", -5));
    assert_true(fact_bool(t, "sealed", true));
    assert_true(fact_f64(t, "rate", 0.5));
    text[0] = key[0] = 'X';
    size_t n;
    const struct ras_fact *f = ras_facts(t, &n);
    assert_int_equal(n, 5);
    assert_string_equal(f[0].key, "compiler");
    assert_int_equal(f[0].value.kind, RAS_STR);
    assert_int_equal(f[0].value.count, 7);
    assert_memory_equal(f[0].value.at, "gcc\0 12", 7);
    assert_true(f[1].value.u == UINT64_MAX && f[1].flags == RAS_HEX);
    assert_true(f[2].value.kind == RAS_INT && f[2].value.i == -5);
    assert_true(f[3].value.kind == RAS_BOOL && f[3].value.u == 1);
    assert_true(f[4].value.kind == RAS_F64 && f[4].value.f64 > 0.4);
    ras_close(t);
}

static void the_same_note_is_kept_once(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("", 1);
    note_add(t, "%d clocks", 2);
    note_add(t, "no footer");
    note_add(t, "%d clocks", 2);
    size_t n;
    const char *const *notes = ras_notes(t, &n);
    assert_int_equal(n, 2);
    assert_string_equal(notes[0], "2 clocks");
    assert_string_equal(notes[1], "no footer");
    ras_close(t);
}

static void streams_are_sorted_and_named_once(void **state)
{
    (void)state;
    static const uint32_t ids[] = {5, 1, 9, 5, 0, UINT32_MAX, 1};
    struct ras_trace *t = FAKE_OPEN("", 1);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char name[20];
        snprintf(name, sizeof name, "stream %zu", i);
        assert_true(stream_add(t, ids[i], name));
    }
    size_t n;
    const struct ras_stream *s = ras_streams(t, &n);
    assert_int_equal(n, 5);
    static const struct {
        uint32_t id;
        const char *name;
    } want[] = {{0, "stream 4"},
                {1, "stream 1"},
                {5, "stream 0"},
                {9, "stream 2"},
                {UINT32_MAX, "stream 5"}};
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s[i].id, want[i].id);
        assert_string_equal(s[i].name, want[i].name);
    }
    ras_close(t);
}

static void notes_have_a_limit(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("", 1);
    size_t n;
    for (unsigned i = 0; i < 1000; i++)
        note_add(t, "remark %u", i);
    const char *const *notes = ras_notes(t, &n);
    assert_int_equal(n, 101);
    assert_string_equal(notes[99], "remark 99");
    assert_string_equal(notes[100], "and more, which are not listed");
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_are_numbered_up_to_their_limit),
        cmocka_unit_test(facts_keep_their_order_and_are_copied),
        cmocka_unit_test(the_same_note_is_kept_once),
        cmocka_unit_test(streams_are_sorted_and_named_once),
        cmocka_unit_test(notes_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
