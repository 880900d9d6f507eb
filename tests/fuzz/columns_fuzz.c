/* columns_fuzz.c - any bytes as tables: every table is read, with and without a test, and has as
 * many rows as a cursor has records. */
#include "fuzz.h"
#include <rastrum/columns.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint64_t add_bytes(uint64_t sum, const void *at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + ((const uint8_t *)at)[i];
    return sum;
}

/* Every value, so that a sanitizer sees each. */
static uint64_t touch(const struct ras_column_about *a, const struct ras_column *c, size_t rows)
{
    static const uint8_t widths[] = {1, 1, 2, 4, 8, 8, 4, 8};
    uint64_t sum = c->nulls;
    if (c->valid)
        sum = add_bytes(sum, c->valid, (rows + 7) / 8);
    if (a->type < RAS_T_TEXT)
        return add_bytes(sum, c->values, rows * widths[a->type]);
    for (size_t i = 0; i < rows; i++) {
        bool valid = !c->valid || c->valid[i / 8] >> i % 8 & 1;
        if (a->type == RAS_T_TEXT && valid) {
            uint32_t code = ((const uint32_t *)c->values)[i];
            if (code >= c->names->count)
                fuzz_wrong("code %u of %u names", code, c->names->count);
            sum = add_bytes(sum, c->names->at[code], c->names->len[code]);
        }
        if (a->type != RAS_T_TEXT && c->offsets[i + 1] < c->offsets[i])
            fuzz_wrong("offsets descend");
    }
    if (a->type == RAS_T_BLOB || a->type == RAS_T_JSON)
        return add_bytes(sum, c->values, c->offsets[rows]);
    if (a->type == RAS_T_LIST) {
        const struct ras_column_about item = {.type = a->item};
        return sum + touch(&item, c->items, c->offsets[rows]);
    }
    return sum;
}

static uint64_t read_table(struct ras_tables *set, const struct ras_table_about *t,
                           const struct ras_test *test)
{
    const struct ras_columns_scan scan = {
        .table = t->name, .tests = test, .test_count = test != NULL, .rows = 100};
    const struct ras_batch *b;
    struct ras_columns *c;
    struct ras_error err;
    uint64_t rows = 0, sum = 0;
    int status = ras_columns_open(&c, set, &scan, &err);
    if (status < 0)
        fuzz_wrong("%s: %s", t->name, err.text);
    while ((status = ras_columns_next(c, &b, &err)) == RAS_OK) {
        size_t shown = 0;
        for (size_t i = 0; i < t->column_count; i++)
            if (!(t->columns[i].flags & RAS_HIDDEN))
                sum += touch(&t->columns[i], &b->columns[shown++], b->rows);
        rows += b->selected_count;
    }
    if (status < 0 && status != RAS_EMEMORY && status != RAS_ELIMIT)
        fuzz_wrong("%s: %s", t->name, err.text);
    ras_columns_close(c);
    static volatile uint64_t seen;
    seen = sum;
    (void)seen;
    return rows;
}

static uint64_t count_records(struct ras_trace *t)
{
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t count = 0;
    if (ras_cursor_open(&c, t, NULL, NULL) < 0)
        return RAS_NONE;
    while (ras_next(c, &r, NULL) == RAS_OK)
        count++;
    ras_cursor_close(c);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct ras_options options = {.limits = {.chunk_bytes = 1 << 24}};
    const struct ras_table_about *a;
    struct ras_tables *set;
    struct ras_trace *t;
    uint64_t rows = 0, all = 0;
    if (ras_open_memory(&t, bytes, size, &options, NULL) < 0)
        return 0;
    uint64_t records = count_records(t);
    if (records != RAS_NONE && ras_tables_open(&set, t, NULL, NULL) == RAS_OK) {
        for (size_t i = 0; i < 200 && (a = ras_table_at(set, i)); i++) {
            uint64_t read = read_table(set, a, NULL);
            struct ras_test test = {.column = (uint16_t)(size % a->column_count),
                                    .op = size & 1 ? RAS_TEST_IS_NULL : RAS_TEST_NOT_NULL};
            uint64_t tested = read_table(set, a, &test);
            test.op ^= RAS_TEST_IS_NULL ^ RAS_TEST_NOT_NULL;
            if (tested + read_table(set, a, &test) != read)
                fuzz_wrong("%s: rows that are null and those that are not do not add up", a->name);
            if (a->kind == RAS_TABLE_RECORDS && a->type)
                rows += read;
            if (a->kind == RAS_TABLE_RECORDS && !a->type)
                all = read;
        }
        if (all != records || (rows != records && !ras_table_at(set, 200)))
            fuzz_wrong("%llu records, %llu rows of record, %llu rows of their types",
                       (unsigned long long)records, (unsigned long long)all,
                       (unsigned long long)rows);
        ras_tables_close(set);
    }
    ras_close(t);
    return 0;
}
