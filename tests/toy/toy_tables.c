/* toy_tables.c - the tables of a sixth format, which has nothing for them: core makes them. */
#include <rastrum/columns.h>

#include <stdio.h>
#include <string.h>

static const uint8_t trace_bytes[] = "TOY1\7\0\0\0"
                                     "e\2\1\0\0\0hi"
                                     "n\0\1\0\0\0"
                                     "e\3\4\0\0\0you"
                                     "e\1"; /* cut */

static int failed;

static void expect(bool holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "toy tables: not so: %s\n", what);
    failed |= !holds;
}

static void read_events(struct ras_tables *tables)
{
    const struct ras_table_about *t = ras_table_of(tables, "event");
    const struct ras_batch *b;
    struct ras_columns *c;
    struct ras_error err;
    uint16_t columns[] = {0, 1, 8};
    expect(t && t->column_count == 9 && !strcmp(t->columns[8].name, "text") &&
               !strcmp(t->columns[7].name, "event_tick"),
           "an event has a tick of its own and a text");
    const struct ras_test test = {
        .column = 1, .op = RAS_TEST_GE, .value = {.kind = RAS_UINT, .u = 2}};
    const struct ras_columns_scan scan = {
        .table = "event", .columns = columns, .column_count = 3, .tests = &test, .test_count = 1};
    if (!t || ras_columns_open(&c, tables, &scan, &err) < 0) {
        failed = 1;
        return;
    }
    expect(ras_columns_next(c, &b, &err) == RAS_OK && b->rows == 2 && b->selected_count == 1,
           "one of two events has a tick of 2 or more");
    const struct ras_column *text = &b->columns[2];
    uint32_t code = ((const uint32_t *)text->values)[b->selected[0]];
    expect(((const uint64_t *)b->columns[0].values)[1] == 2, "its seq is 2");
    expect(!strcmp(text->names->at[code], "you"), "its text is you");
    expect(ras_columns_next(c, &b, &err) == RAS_END, "that is all");
    ras_columns_close(c);
}

int main(void)
{
    struct ras_tables *tables;
    struct ras_trace *trace;
    struct ras_error err;
    if (ras_open_memory(&trace, trace_bytes, sizeof trace_bytes - 1, NULL, &err) < 0 ||
        ras_tables_open(&tables, trace, NULL, &err) < 0) {
        fprintf(stderr, "toy tables: %s\n", err.text);
        return 1;
    }
    read_events(tables);
    expect(ras_ending(trace).kind == RAS_CUT, "the trace is cut");
    expect(ras_table_of(tables, "note") && ras_table_of(tables, "_facts"), "all tables are there");
    ras_tables_close(tables);
    ras_close(trace);
    return failed;
}
