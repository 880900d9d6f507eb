/* sqlite_writer_test.c - a database is whole, or there is none. */
#include "ask.h"
#include <rastrum/export.h>

static struct ras_trace *golden(const char *path)
{
    struct ras_trace *trace;
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", GOLDEN_DIR, path);
    assert_int_equal(ras_open(&trace, whole, NULL, NULL), RAS_OK);
    return trace;
}

static void a_database_is_made_in_memory(void **state)
{
    (void)state;
    struct ras_trace *trace = golden("murk/all_payloads.murk");
    struct ras_export_result *result;
    struct ras_export_options how = {
        .struct_size = sizeof how, .target = "sqlite", .sqlite = ras_sql_table_writer()};
    assert_int_equal(ras_sink_memory(&how.sink, NULL), RAS_OK);
    assert_int_equal(ras_export(&result, trace, &how, NULL), RAS_OK);
    struct ras_bytes bytes = ras_sink_bytes(how.sink);
    assert_true(bytes.len > 4096 && bytes.len % 4096 == 0);
    assert_memory_equal(bytes.at, "SQLite format 3", 16);
    ras_export_result_free(result);
    ras_sink_drop(how.sink);
    ras_close(trace);
}

static void without_the_library_of_sqlite_it_is_refused(void **state)
{
    (void)state;
    struct ras_trace *trace = golden("murk/all_payloads.murk");
    struct ras_export_result *result;
    struct ras_export_options how = {.struct_size = sizeof how, .target = "sqlite"};
    assert_int_equal(ras_sink_memory(&how.sink, NULL), RAS_OK);
    assert_int_equal(ras_export(&result, trace, &how, NULL), RAS_EUNSUPPORTED);
    assert_null(result);
    ras_sink_drop(how.sink);
    ras_close(trace);
}

static bool stop(void *user, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    *(bool *)user = true;
    return false;
}

static void a_canceled_export_leaves_nothing(void **state)
{
    (void)state;
    struct ras_trace *trace = golden("dial9/all_types.trc");
    struct ras_export_result *result;
    bool asked = false;
    struct ras_export_options how = {.struct_size = sizeof how,
                                     .target = "sqlite",
                                     .sqlite = ras_sql_table_writer(),
                                     .progress = stop,
                                     .user = &asked};
    assert_int_equal(ras_sink_file(&how.sink, "canceled.db", false, NULL), RAS_OK);
    assert_int_equal(ras_export(&result, trace, &how, NULL), RAS_ECANCELED);
    assert_true(asked);
    ras_sink_drop(how.sink);
    assert_null(fopen("canceled.db", "r"));
    ras_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_is_made_in_memory),
        cmocka_unit_test(without_the_library_of_sqlite_it_is_refused),
        cmocka_unit_test(a_canceled_export_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
