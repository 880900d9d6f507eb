/* info_test.c - one pass over a trace: counts, ranges, streams, ending. */
#include "../../core/fake.h"
#include "../../replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct ras_info *info_of(struct ras_trace *t)
{
    struct ras_info *info;
    assert_int_equal(ras_info(&info, t, NULL, NULL, NULL), RAS_OK);
    assert_ptr_equal(info->trace, t);
    return info;
}

static void types_are_counted_most_frequent_first(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    put_header(&o);
    put_despawns(&o, 3, 2);
    put_despawns(&o, 9, 1);
    put_frame(&o, 4);
    put_despawns(&o, 5, 1);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    struct ras_info *info = info_of(t);
    assert_int_equal(info->records, 8);
    assert_int_equal(info->type_count, 2);
    assert_string_equal(info->types[0].name, "command"); /* as many as frames: by name */
    assert_int_equal(info->types[0].records, 4);
    assert_string_equal(info->types[1].name, "frame");
    assert_true(info->has_tick && info->tick_first == 3 && info->tick_last == 9);
    assert_false(info->has_time);
    assert_int_equal(info->stream_count, 1);
    assert_string_equal(info->streams[0].name, "main");
    assert_int_equal(info->streams[0].records, 8);
    assert_int_equal(info->ending.kind, RAS_COMPLETE);
    ras_info_free(info);
    ras_info_free(NULL);
    ras_close(t);
    out_free(&o);
}

static enum step next_of_many(struct ras_cursor *c)
{
    if (c->in.at == c->in.end)
        return STEP_END;
    c->record = (struct ras_record){.parent = RAS_NONE, .schema = (uint16_t)load_u32(c->in.at)};
    c->in.at += 4;
    return STEP_RECORD;
}

/* Two schemas each of 32,000 names, as a hostile stream may define them. */
static void many_types_are_counted_quickly(void **state)
{
    (void)state;
    enum { NAMES = 32000 };
    static char names[NAMES][8];
    static struct ras_schema schemas[NAMES];
    static uint32_t records[2 * NAMES];
    struct ras_format format = fake_format;
    format.next = next_of_many;
    for (uint32_t i = 0; i < 2 * NAMES; i++)
        records[i] = FAKE_OTHER + 1 + i;
    struct ras_trace *t = fake_open(records, sizeof records, 1, false);
    t->format = &format;
    t->limits.schemas = UINT32_MAX;
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        schemas[i] = (struct ras_schema){.name = names[i]};
    }
    for (size_t i = 0; i < 2 * (size_t)NAMES; i++)
        assert_true(schema_add(t, &schemas[i % NAMES]) > 0);
    struct ras_info *info = info_of(t);
    assert_int_equal(info->type_count, NAMES);
    for (size_t i = 0; i < NAMES; i++)
        assert_int_equal(info->types[i].records, 2);
    ras_info_free(info);
    ras_close(t);
}

static void memory_that_still_grows_is_not_waited_for(void **state)
{
    (void)state;
    struct ras_trace *t = fake_open("r\1\1x", 4, 1, true);
    struct ras_info *info;
    struct ras_error err;
    assert_int_equal(ras_info(&info, t, NULL, NULL, &err), RAS_EUSAGE);
    assert_null(info);
    assert_int_equal(ras_trace_grow(t, 4, false, &err), RAS_OK);
    info = info_of(t);
    assert_int_equal(info->records, 1);
    ras_info_free(info);
    ras_close(t);
}

static void schemas_of_one_name_are_one_type(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xo\2\1xr\3\1xs\4\1xq\5\1x", 1);
    struct ras_info *info = info_of(t);
    assert_int_equal(info->records, 4); /* the one on request is not shown by default */
    assert_int_equal(info->type_count, 2);
    assert_string_equal(info->types[0].name, "row");
    assert_int_equal(info->types[0].records, 3);
    assert_true(info->has_time && info->time_first == 1 && info->time_last == 4);
    ras_info_free(info);
    ras_close(t);
}

static void streams_are_listed_by_id_also_empty_ones(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\7xr\1\2xr\1\7x", 1);
    assert_true(stream_add(t, 5, "quiet") && stream_add(t, 7, "busy"));
    struct ras_info *info = info_of(t);
    static const struct {
        uint64_t id, records;
        const char *name;
    } want[] = {{2, 1, "main"}, {5, 0, "quiet"}, {7, 2, "busy"}};
    assert_int_equal(info->stream_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(info->streams[i].id, want[i].id);
        assert_int_equal(info->streams[i].records, want[i].records);
        assert_string_equal(info->streams[i].name, want[i].name);
    }
    ras_info_free(info);
    ras_close(t);
}

static void gaps_are_counted_and_endings_reported(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xg\0\0\1d\0\0\1r\1", 1);
    struct ras_info *info = info_of(t);
    assert_int_equal(info->gaps, 2);
    assert_int_equal(info->records, 3);
    assert_int_equal(info->ending.kind, RAS_DAMAGED);
    ras_info_free(info);
    ras_close(t);
}

static void an_empty_trace_has_a_stream_and_no_range(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("", 1);
    struct ras_info *info = info_of(t);
    assert_int_equal(info->records, 0);
    assert_int_equal(info->type_count, 0);
    assert_int_equal(info->stream_count, 1);
    assert_false(info->has_time || info->has_tick);
    ras_info_free(info);
    ras_close(t);
}

static bool count_call(void *user, uint64_t done, uint64_t total)
{
    ++*(int *)user;
    assert_true(done <= total);
    return true;
}

static void progress_is_reported_periodically(void **state)
{
    (void)state;
    enum { RECORDS = 200000 };
    char *bytes = malloc(4 * RECORDS);
    int calls = 0;
    struct ras_info *info;
    assert_non_null(bytes);
    for (int i = 0; i < RECORDS; i++)
        memcpy(bytes + 4 * i, "r\1\1x", 4);
    struct ras_trace *t = fake_open(bytes, 4 * RECORDS, 1, false);
    assert_int_equal(ras_info(&info, t, count_call, &calls, NULL), RAS_OK);
    assert_in_range(calls, 2, 10);
    ras_info_free(info);
    ras_close(t);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_counted_most_frequent_first),
        cmocka_unit_test(many_types_are_counted_quickly),
        cmocka_unit_test(memory_that_still_grows_is_not_waited_for),
        cmocka_unit_test(schemas_of_one_name_are_one_type),
        cmocka_unit_test(streams_are_listed_by_id_also_empty_ones),
        cmocka_unit_test(gaps_are_counted_and_endings_reported),
        cmocka_unit_test(an_empty_trace_has_a_stream_and_no_range),
        cmocka_unit_test(progress_is_reported_periodically),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
