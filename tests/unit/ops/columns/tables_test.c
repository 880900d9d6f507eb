/* tables_test.c - names and types of tables: what a trace may call its types and fields, and what
 * becomes of fields that disagree. */
#include <rastrum/columns.h>
#include <rastrum/dial9.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- traces ------------------------------------------------------------------------------- */

struct made {
    struct ras_dial9_writer *writer;
    struct ras_trace *trace;
    struct ras_tables *tables;
    uint8_t *bytes;
    uint16_t type_id;
};

static void begin(struct made *m)
{
    *m = (struct made){.type_id = 1};
    assert_int_equal(ras_dial9_writer_open(&m->writer, NULL, NULL, NULL), RAS_OK);
}

/* A type with one event, whose values are zero. */
static void add_type(struct made *m, const char *name, const struct ras_dial9_field *fields,
                     uint16_t count)
{
    const struct ras_dial9_schema schema = {name, fields, count, true};
    struct ras_dial9_value *values = calloc(count + 1u, sizeof *values);
    uint16_t id = m->type_id++;
    for (uint16_t i = 0; i < count; i++)
        values[i] = (struct ras_dial9_value){.type = fields[i].type & 0x7f};
    assert_int_equal(ras_dial9_writer_schema_as(m->writer, id, &schema, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(m->writer, id, 1000, values, count, NULL), RAS_OK);
    free(values);
}

static void add_field(struct made *m, const char *type, const char *field, uint8_t kind)
{
    const struct ras_dial9_field f = {field, kind};
    add_type(m, type, &f, 1);
}

static void open_tables(struct made *m, const struct ras_tables_options *options)
{
    struct ras_bytes b = ras_dial9_writer_bytes(m->writer);
    struct ras_error err;
    m->bytes = malloc(b.len);
    memcpy(m->bytes, b.at, b.len);
    assert_int_equal(ras_open_memory(&m->trace, m->bytes, b.len, NULL, &err), RAS_OK);
    assert_int_equal(ras_tables_open(&m->tables, m->trace, options, &err), RAS_OK);
}

static void end(struct made *m)
{
    ras_tables_close(m->tables);
    ras_close(m->trace);
    (void)!ras_dial9_writer_close(m->writer, NULL);
    free(m->bytes);
}

static const struct ras_table_about *table(const struct made *m, const char *name)
{
    const struct ras_table_about *t = ras_table_of(m->tables, name);
    if (!t)
        fail_msg("no table is called %s", name);
    return t;
}

static const struct ras_column_about *column(const struct made *m, const char *name,
                                             const char *column_name)
{
    const struct ras_table_about *t = table(m, name);
    for (size_t i = 0; i < t->column_count; i++)
        if (!strcmp(t->columns[i].name, column_name))
            return &t->columns[i];
    fail_msg("%s has no column %s", name, column_name);
    return NULL;
}

/* ---- names ---------------------------------------------------------------------------------- */

static void types_that_differ_in_case_are_two_tables(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    add_type(&m, "Ev", NULL, 0);
    add_type(&m, "ev", NULL, 0);
    add_type(&m, "EV", NULL, 0);
    open_tables(&m, NULL);
    assert_string_equal(table(&m, "Ev")->type, "Ev");
    assert_string_equal(table(&m, "ev~2")->type, "ev");
    assert_string_equal(table(&m, "EV~3")->type, "EV");
    assert_string_equal(table(&m, "eV")->type, "Ev"); /* found folded */
    end(&m);
}

static void a_name_of_the_library_gets_the_format_before_it(void **state)
{
    static const char *const names[] = {"record",        "gap",   "String",     "_tables",
                                        "sqlite_master", "_mine", "stats_polls"};
    struct made m;
    (void)state;
    begin(&m);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_type(&m, names[i], NULL, 0);
    open_tables(&m, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char prefixed[40];
        snprintf(prefixed, sizeof prefixed, "dial9:%s", names[i]);
        assert_string_equal(table(&m, prefixed)->type, names[i]);
    }
    assert_int_equal(table(&m, "string")->kind, RAS_TABLE_ON_REQUEST);
    assert_int_equal(table(&m, "_tables")->kind, RAS_TABLE_SYSTEM);
    end(&m);
}

static void a_field_with_the_name_of_a_common_column_gets_its_type_before_it(void **state)
{
    static const struct ras_dial9_field fields[] = {
        {"Offset", RAS_DIAL9_U32}, {"seq", RAS_DIAL9_U32}, {"tick", RAS_DIAL9_U32},
        {"f", RAS_DIAL9_U8},       {"f", RAS_DIAL9_U16},   {"F", RAS_DIAL9_U32}};
    struct made m;
    (void)state;
    begin(&m);
    add_type(&m, "hit", fields, 6);
    open_tables(&m, NULL);
    assert_string_equal(column(&m, "hit", "hit_Offset")->field, "Offset");
    assert_string_equal(column(&m, "hit", "hit_seq")->field, "seq");
    assert_string_equal(column(&m, "hit", "tick")->field, "tick"); /* dial9 has no axis of ticks */
    assert_int_equal(column(&m, "hit", "f")->type, RAS_T_U8);
    assert_int_equal(column(&m, "hit", "f~2")->type, RAS_T_U16);
    assert_int_equal(column(&m, "hit", "F~3")->type, RAS_T_U32);
    assert_null(column(&m, "hit", "seq")->field);
    end(&m);
}

static void empty_long_and_strange_names_are_made_plain(void **state)
{
    char longest[3000];
    struct made m;
    (void)state;
    begin(&m);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    add_field(&m, "", "", RAS_DIAL9_U8);
    add_field(&m, longest, "a" RAS_NAME_NUL "b", RAS_DIAL9_U8);
    add_field(&m, "\"; DROP TABLE x; --", "it's", RAS_DIAL9_U8);
    open_tables(&m, NULL);
    assert_string_equal(column(&m, "~1", "~1")->field, "");
    for (size_t i = 0; ras_table_at(m.tables, i); i++) {
        const struct ras_table_about *t = ras_table_at(m.tables, i);
        assert_true(strlen(t->name) <= 1000);
        if (t->type && !strcmp(t->type, longest)) {
            assert_int_equal(t->name[strlen(t->name) - 9], '~');
            assert_string_equal(column(&m, t->name,
                                       "a\xe2\x90\x80"
                                       "b")
                                    ->field,
                                "a" RAS_NAME_NUL "b");
        }
    }
    assert_string_equal(column(&m, "\"; DROP TABLE x; --", "it's")->field, "it's");
    end(&m);
}

/* ---- types ---------------------------------------------------------------------------------- */

static void fields_that_disagree_have_the_type_that_holds_both(void **state)
{
    static const struct {
        uint8_t a, b;
        enum ras_type type;
    } rows[] = {
        {RAS_DIAL9_U8, RAS_DIAL9_U16, RAS_T_U16},
        {RAS_DIAL9_U32, RAS_DIAL9_U8, RAS_T_U32},
        {RAS_DIAL9_U8, RAS_DIAL9_VARINT, RAS_T_U64},
        {RAS_DIAL9_U32, RAS_DIAL9_I64, RAS_T_I64},
        {RAS_DIAL9_VARINT, RAS_DIAL9_I64, RAS_T_JSON},
        {RAS_DIAL9_U32, RAS_DIAL9_F64, RAS_T_F64},
        {RAS_DIAL9_VARINT, RAS_DIAL9_F64, RAS_T_JSON},
        {RAS_DIAL9_I64, RAS_DIAL9_F64, RAS_T_JSON},
        {RAS_DIAL9_U8, RAS_DIAL9_STRING, RAS_T_JSON},
        {RAS_DIAL9_BOOL, RAS_DIAL9_U8, RAS_T_JSON},
        {RAS_DIAL9_STRING, RAS_DIAL9_BYTES, RAS_T_JSON},
        {RAS_DIAL9_STACK_FRAMES, RAS_DIAL9_STACK_FRAMES, RAS_T_LIST},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m;
        begin(&m);
        add_field(&m, "e", "f", rows[i].a);
        if (rows[i].a == rows[i].b)
            add_field(&m, "other", "f", rows[i].b);
        else
            add_field(&m, "e", "f", rows[i].b);
        open_tables(&m, NULL);
        const struct ras_column_about *c = column(&m, "e", "f");
        if (c->type != rows[i].type)
            fail_msg("row %zu: %s, not %s", i, ras_type_name(c->type), ras_type_name(rows[i].type));
        assert_true((c->note != NULL) == (c->type == RAS_T_JSON));
        end(&m);
    }
}

static void a_field_that_one_of_two_schemas_lacks_is_nullable(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    add_field(&m, "e", "a", RAS_DIAL9_U8);
    add_field(&m, "e", "b", RAS_DIAL9_U8);
    open_tables(&m, NULL);
    assert_true(column(&m, "e", "a")->flags & RAS_NULLABLE);
    assert_true(column(&m, "e", "b")->flags & RAS_NULLABLE);
    assert_int_equal(table(&m, "e")->rows, 2);
    end(&m);
}

static void cells_of_disagreeing_schemas_are_read_by_their_own_kind(void **state)
{
    struct made m;
    const struct ras_batch *b;
    struct ras_columns *c;
    (void)state;
    begin(&m);
    add_field(&m, "e", "f", RAS_DIAL9_STRING);
    add_field(&m, "e", "f", RAS_DIAL9_VARINT);
    open_tables(&m, NULL);
    uint16_t f = (uint16_t)(column(&m, "e", "f") - table(&m, "e")->columns);
    const struct ras_columns_scan scan = {.table = "e", .columns = &f, .column_count = 1};
    assert_int_equal(ras_columns_open(&c, m.tables, &scan, NULL), RAS_OK);
    assert_int_equal(ras_columns_next(c, &b, NULL), RAS_OK);
    assert_int_equal(b->rows, 2);
    assert_int_equal(b->columns[0].offsets[1], 2);
    assert_memory_equal(b->columns[0].values, "\"\"0", 3);
    assert_int_equal(ras_columns_next(c, &b, NULL), RAS_END);
    ras_columns_close(c);
    end(&m);
}

/* ---- limits -----------------------------------------------------------------------------------
 */

static void more_than_2000_columns_are_one_of_json(void **state)
{
    enum { FIELDS = 2100 };
    struct ras_dial9_field fields[FIELDS];
    static char names[FIELDS][8];
    struct made m;
    (void)state;
    begin(&m);
    for (size_t i = 0; i < FIELDS; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        fields[i] = (struct ras_dial9_field){names[i], RAS_DIAL9_U8};
    }
    add_type(&m, "wide", fields, FIELDS);
    open_tables(&m, NULL);
    assert_int_equal(column(&m, "wide", "values")->type, RAS_T_JSON);
    assert_true(table(&m, "wide")->column_count < 20);
    const struct ras_batch *b;
    struct ras_columns *c;
    const struct ras_columns_scan scan = {.table = "wide"};
    assert_int_equal(ras_columns_open(&c, m.tables, &scan, NULL), RAS_OK);
    assert_int_equal(ras_columns_next(c, &b, NULL), RAS_OK);
    const struct ras_column *values = &b->columns[b->column_count - 1];
    assert_memory_equal(values->values, "{\"f0\":0,\"f1\":0,", 15);
    ras_columns_close(c);
    end(&m);
}

static void more_than_10000_tables_leave_only_record(void **state)
{
    enum { TYPES = 10050 };
    struct made m;
    size_t notes, tables = 0;
    (void)state;
    begin(&m);
    for (size_t i = 0; i < TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%zu", i);
        add_type(&m, name, NULL, 0);
    }
    open_tables(&m, NULL);
    while (ras_table_at(m.tables, tables))
        tables++;
    assert_true(tables < 40);
    assert_int_equal(table(&m, "record")->rows, TYPES);
    assert_null(ras_table_of(m.tables, "t5"));
    (void)ras_notes(m.trace, &notes);
    assert_int_equal(notes, 1);
    end(&m);
}

static void without_a_survey_only_what_the_format_defines_is_there(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    add_field(&m, "e", "f", RAS_DIAL9_U8);
    open_tables(&m, &(struct ras_tables_options){.no_survey = true, .trace = "good"});
    assert_null(ras_table_of(m.tables, "e"));
    assert_string_equal(table(&m, "record")->columns[0].name, "trace");
    assert_int_equal(table(&m, "record")->rows, RAS_NONE);
    end(&m);
}

/* ---- scans ------------------------------------------------------------------------------------
 */

static bool cancel(void *user, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    ++*(unsigned *)user;
    return false;
}

static void a_scan_is_canceled_by_its_progress(void **state)
{
    struct made m;
    const struct ras_batch *b;
    struct ras_columns *c;
    unsigned calls = 0;
    (void)state;
    begin(&m);
    for (int i = 0; i < 100; i++)
        add_field(&m, "e", "f", RAS_DIAL9_U8);
    open_tables(&m, NULL);
    const struct ras_columns_scan scan = {.table = "e", .progress = cancel, .user = &calls};
    assert_int_equal(ras_columns_open(&c, m.tables, &scan, NULL), RAS_OK);
    assert_int_equal(ras_columns_next(c, &b, NULL), RAS_ECANCELED);
    assert_int_equal(calls, 1);
    assert_null(b);
    ras_columns_close(c);
    end(&m);
}

static void a_scan_that_makes_no_sense_is_refused(void **state)
{
    struct made m;
    struct ras_columns *c;
    struct ras_mark mark = {0};
    uint16_t beyond = 1000;
    (void)state;
    begin(&m);
    add_field(&m, "e", "f", RAS_DIAL9_U8);
    open_tables(&m, NULL);
    const struct {
        struct ras_columns_scan scan;
        int status;
    } rows[] = {
        {{.table = "none"}, RAS_ENAME},
        {{.table = NULL}, RAS_ENAME},
        {{.table = "e", .columns = &beyond, .column_count = 1}, RAS_EUSAGE},
        {{.table = "e", .begin = &mark, .merged = true}, RAS_EUSAGE},
        {{.table = "string", .end = &mark}, RAS_EUNSUPPORTED},
        {{.table = "_tables", .axis = RAS_AXIS_SEQ}, RAS_EUSAGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ras_columns_open(&c, m.tables, &rows[i].scan, NULL), rows[i].status);
        assert_null(c);
    }
    end(&m);
}

static void a_test_on_streams_is_a_scan_of_them(void **state)
{
    struct made m;
    const struct ras_batch *b;
    struct ras_columns *c;
    uint64_t rows = 0;
    (void)state;
    begin(&m);
    add_field(&m, "e", "f", RAS_DIAL9_U8);
    assert_int_equal(ras_dial9_writer_batch(m.writer, NULL), RAS_OK);
    add_field(&m, "e", "f", RAS_DIAL9_U16);
    open_tables(&m, NULL);
    struct ras_test test = {.column =
                                (uint16_t)(column(&m, "e", "stream") - table(&m, "e")->columns),
                            .value = {.kind = RAS_INT, .i = 1}};
    const struct ras_columns_scan scan = {.table = "e", .tests = &test, .test_count = 1};
    assert_int_equal(ras_columns_open(&c, m.tables, &scan, NULL), RAS_OK);
    while (ras_columns_next(c, &b, NULL) == RAS_OK)
        rows += b->rows; /* others were not even read into a batch */
    assert_int_equal(rows, 1);
    ras_columns_close(c);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_that_differ_in_case_are_two_tables),
        cmocka_unit_test(a_name_of_the_library_gets_the_format_before_it),
        cmocka_unit_test(a_field_with_the_name_of_a_common_column_gets_its_type_before_it),
        cmocka_unit_test(empty_long_and_strange_names_are_made_plain),
        cmocka_unit_test(fields_that_disagree_have_the_type_that_holds_both),
        cmocka_unit_test(a_field_that_one_of_two_schemas_lacks_is_nullable),
        cmocka_unit_test(cells_of_disagreeing_schemas_are_read_by_their_own_kind),
        cmocka_unit_test(more_than_2000_columns_are_one_of_json),
        cmocka_unit_test(more_than_10000_tables_leave_only_record),
        cmocka_unit_test(without_a_survey_only_what_the_format_defines_is_there),
        cmocka_unit_test(a_scan_is_canceled_by_its_progress),
        cmocka_unit_test(a_scan_that_makes_no_sense_is_refused),
        cmocka_unit_test(a_test_on_streams_is_a_scan_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
