/* csv_test.c - records as comma-separated values: a column is a field, by its name. */
#include "../core/fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct ras_pick rows = {.type = "row"};

/* Export the trace; the status of the first record that cannot be, or RAS_END. */
static int export_all(struct ras_trace *t, const struct ras_scan *scan,
                      const struct ras_printer_options *options, const char *want,
                      struct ras_error *err)
{
    struct ras_sink *sink;
    struct ras_printer *x;
    struct ras_cursor *c;
    const struct ras_record *r;
    int status;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, scan, NULL), RAS_OK);
    assert_int_equal(ras_printer_open(&x, "csv", t, scan, options, sink, NULL), RAS_OK);
    while ((status = ras_next(c, &r, err)) == RAS_OK)
        if ((status = ras_printer_record(x, c, r, err)) != RAS_OK)
            break;
    assert_int_equal(ras_printer_close(x, NULL), RAS_OK);
    struct ras_bytes got = ras_sink_bytes(sink);
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.at, want, got.len);
    assert_int_equal(ras_sink_close(sink, NULL), RAS_OK);
    ras_cursor_close(c);
    ras_close(t);
    return status;
}

static void one_type_has_a_column_a_field(void **state)
{
    (void)state;
    struct ras_scan scan = {.picks = &rows, .pick_count = 1};
    assert_int_equal(export_all(FAKE_OPEN("r\1\1\4s\1\1\5r\2\3\6", 1), &scan, NULL,
                                "seq,type,stream,offset,value,twice,half\n"
                                "0,row,1,0,4,8,\n"
                                "2,row,3,8,6,12,\n",
                                NULL),
                     RAS_END);
}

/* Two schemas may share a name: a cell belongs to the column of its own field. */
static void several_types_have_all_their_columns(void **state)
{
    (void)state;
    const struct ras_pick both[] = {{.type = "row"}, {.type = "gap"}};
    struct ras_scan scan = {.picks = both, .pick_count = 2};
    assert_int_equal(export_all(FAKE_OPEN("r\1\1\4o\1\1\6g\0\0\1", 1), &scan, NULL,
                                "seq,type,stream,offset,offset,length,why,lost,value,twice,half\n"
                                "0,row,1,0,,,,,4,8,\n"
                                "1,row,1,4,,,,,6,,3\n"
                                "2,gap,0,8,8,4,four bytes of nonsense,1,,,\n",
                                NULL),
                     RAS_END);
}

static void without_a_type_there_is_one_column_of_json(void **state)
{
    (void)state;
    assert_int_equal(export_all(FAKE_OPEN("r\1\1\4g\0\0\1", 1), NULL, NULL,
                                "seq,type,stream,offset,values\n"
                                "0,row,1,0,\"{\"\"value\"\":4,\"\"twice\"\":8}\"\n"
                                "1,gap,0,4,\"{\"\"offset\"\":4,\"\"length\"\":4,"
                                "\"\"why\"\":\"\"four bytes of nonsense\"\",\"\"lost\"\":1}\"\n",
                                NULL),
                     RAS_END);
}

static void columns_are_in_the_requested_order(void **state)
{
    (void)state;
    const char *const fields[] = {"twice", "half", "value"};
    struct ras_pick pick = {.type = "row", .fields = fields, .field_count = 3};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    struct ras_printer_options options = {.fields = fields, .field_count = 3};
    assert_int_equal(export_all(FAKE_OPEN("r\1\1\4o\1\1\6", 1), &scan, &options,
                                "seq,type,stream,offset,twice,half,value\n"
                                "0,row,1,0,8,,4\n"
                                "1,row,1,4,,3,6\n",
                                NULL),
                     RAS_END);
}

static void without_records_there_is_the_head(void **state)
{
    (void)state;
    const char *const fields[] = {"twice"};
    struct ras_pick unknown = {.type = "column"};
    struct ras_scan scan = {.picks = &rows, .pick_count = 1};
    struct ras_printer_options options = {.fields = fields, .field_count = 1};
    export_all(FAKE_OPEN("", 1), NULL, NULL, "seq,type,stream,offset,values\n", NULL);
    export_all(FAKE_OPEN("", 1), &scan, NULL, "seq,type,stream,offset,value,twice,half\n", NULL);
    export_all(FAKE_OPEN("", 1), &scan, &options, "seq,type,stream,offset,twice\n", NULL);
    scan.picks = &unknown;
    export_all(FAKE_OPEN("", 1), &scan, NULL, "", NULL);
}

static void an_unknown_output_is_refused(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("", 1);
    struct ras_printer *x;
    struct ras_error err;
    assert_int_equal(ras_printer_open(&x, "xml", t, NULL, NULL, NULL, &err), RAS_EUSAGE);
    assert_null(x);
    assert_string_equal(err.text, "unknown output format 'xml'");
    assert_int_equal(ras_printer_close(NULL, NULL), RAS_OK);
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_type_has_a_column_a_field),
        cmocka_unit_test(several_types_have_all_their_columns),
        cmocka_unit_test(without_a_type_there_is_one_column_of_json),
        cmocka_unit_test(columns_are_in_the_requested_order),
        cmocka_unit_test(without_records_there_is_the_head),
        cmocka_unit_test(an_unknown_output_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
