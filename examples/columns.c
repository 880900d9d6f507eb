/* columns.c - the tables of a trace, and the sum of a column: columns TRACE [TABLE COLUMN]. */
#include <inttypes.h>
#include <rastrum/columns.h>
#include <stdio.h>
#include <string.h>

static void list_tables(const struct ras_tables *tables)
{
    const struct ras_table_about *table;
    for (size_t i = 0; (table = ras_table_at(tables, i)); i++) {
        printf("%s:", table->name);
        for (size_t k = 0; k < table->column_count; k++)
            if (!(table->columns[k].flags & RAS_HIDDEN))
                printf(" %s %s", table->columns[k].name, ras_type_name(table->columns[k].type));
        putchar('\n');
    }
}

static double number_at(const struct ras_column *column, enum ras_type type, size_t row)
{
    switch (type) {
    case RAS_T_BOOL:
    case RAS_T_U8:
        return ((const uint8_t *)column->values)[row];
    case RAS_T_U16:
        return ((const uint16_t *)column->values)[row];
    case RAS_T_U32:
        return ((const uint32_t *)column->values)[row];
    case RAS_T_U64:
        return (double)((const uint64_t *)column->values)[row];
    case RAS_T_I64:
        return (double)((const int64_t *)column->values)[row];
    case RAS_T_F32:
        return (double)((const float *)column->values)[row];
    default:
        return ((const double *)column->values)[row];
    }
}

/* Rows that are null are left out by a test. */
static int sum_column(struct ras_tables *tables, const struct ras_table_about *table,
                      uint16_t column, struct ras_error *err)
{
    const struct ras_test test = {.column = column, .op = RAS_TEST_NOT_NULL};
    const struct ras_columns_scan scan = {.table = table->name,
                                          .columns = &column,
                                          .column_count = 1,
                                          .tests = &test,
                                          .test_count = 1};
    const struct ras_batch *batch;
    struct ras_columns *columns;
    uint64_t rows = 0;
    double sum = 0;
    int status = ras_columns_open(&columns, tables, &scan, err);
    while (status == RAS_OK && (status = ras_columns_next(columns, &batch, err)) == RAS_OK) {
        for (size_t i = 0; i < batch->selected_count; i++)
            sum += number_at(&batch->columns[0], table->columns[column].type, batch->selected[i]);
        rows += batch->selected_count;
    }
    ras_columns_close(columns);
    if (status == RAS_END)
        printf("%" PRIu64 " rows, sum %g\n", rows, sum);
    return status == RAS_END ? RAS_OK : status;
}

static int show(struct ras_tables *tables, const char *name, const char *column,
                struct ras_error *err)
{
    const struct ras_table_about *table = name ? ras_table_of(tables, name) : NULL;
    for (uint16_t i = 0; table && column && i < table->column_count; i++)
        if (!strcmp(table->columns[i].name, column) && table->columns[i].type < RAS_T_TEXT)
            return sum_column(tables, table, i, err);
    list_tables(tables);
    return RAS_OK;
}

int main(int argc, char **argv)
{
    struct ras_tables *tables = NULL;
    struct ras_trace *trace = NULL;
    struct ras_error err;
    int status = ras_open(&trace, argc > 1 ? argv[1] : "", NULL, &err);
    if (status == RAS_OK)
        status = ras_tables_open(&tables, trace, NULL, &err);
    if (status == RAS_OK)
        status = show(tables, argc > 3 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL, &err);
    if (status < 0)
        fprintf(stderr, "columns: %s\n", err.text);
    bool lost = status == RAS_OK && ras_ending(trace).kind >= RAS_CUT;
    ras_tables_close(tables);
    ras_close(trace);
    return status < 0 ? 2 : lost ? 3 : 0;
}
