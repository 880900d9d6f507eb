/* sql_names_fuzz.c - any bytes as names of types and fields: each table is there and can be read.
 *
 * Lines are names: the first of a type, the next three of its fields, and so on. */
#include "fuzz.h"
#include <rastrum/dial9.h>
#include <rastrum/sql.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { NAMES_MOST = 64, FIELDS = 3 };

static size_t split(char *text, char **names)
{
    size_t count = 0;
    while (text && count < NAMES_MOST)
        names[count++] = strsep(&text, "\n");
    return count;
}

/* A type, and one event of it. */
static bool put_type(struct ras_dial9_writer *w, char *const *names, size_t count)
{
    struct ras_dial9_field fields[FIELDS];
    struct ras_dial9_value values[FIELDS];
    uint16_t id;
    for (size_t i = 0; i + 1 < count; i++) {
        fields[i] = (struct ras_dial9_field){names[i + 1], RAS_DIAL9_VARINT};
        values[i] = (struct ras_dial9_value){.type = RAS_DIAL9_VARINT, .u = i};
    }
    struct ras_dial9_schema schema = {names[0], fields, (uint16_t)(count - 1), true};
    return ras_dial9_writer_schema(w, &schema, &id, NULL) == RAS_OK &&
           ras_dial9_writer_event(w, id, 5, values, (uint16_t)(count - 1), NULL) == RAS_OK;
}

static void read_table(struct ras_sql *sql, const struct ras_sql_table *t, uint64_t *rows)
{
    struct ras_sql_query *query;
    struct ras_error err;
    const struct ras_value *cells;
    char *name = ras_sql_quote(t->name);
    size_t room = strlen(name) + 32, used;
    char *text = malloc(room);
    snprintf(text, room, "SELECT * FROM %s", name);
    int status = ras_sql_prepare(&query, sql, text, strlen(text), &used, &err);
    while (status == RAS_OK && (status = ras_sql_next(query, &cells, &err)) == RAS_OK)
        ++*rows;
    if (status < 0)
        fuzz_wrong("%s: %s", text, err.text);
    ras_sql_query_close(query);
    free(text);
    free(name);
}

static void read_all(struct ras_trace *t, size_t events)
{
    const struct ras_sql_source source = {.trace = t};
    const struct ras_sql_table *table;
    struct ras_sql *sql;
    struct ras_error err;
    uint64_t rows = 0, all = 0;
    if (ras_sql_open(&sql, &source, 1, NULL, &err) < 0)
        fuzz_wrong("the tables cannot be made: %s", err.text);
    for (size_t i = 0; (table = ras_sql_table_at(sql, i)); i++) {
        bool counts = !table->view && table->column_count && !strcmp(table->columns[0].name, "seq");
        bool is_all = !strcmp(table->name, "record");
        uint64_t found = 0;
        read_table(sql, table, &found);
        all += is_all ? found : 0;
        rows += counts && !is_all ? found : 0;
    }
    if (all != events || rows < events)
        fuzz_wrong("%zu events, %llu in record, %llu in tables", events, (unsigned long long)all,
                   (unsigned long long)rows);
    ras_sql_close(sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *names[NAMES_MOST], *text = malloc(size + 1);
    struct ras_sink *sink;
    struct ras_dial9_writer *w;
    struct ras_trace *t;
    size_t events = 0;
    if (!text || ras_sink_memory(&sink, NULL) < 0 ||
        ras_dial9_writer_open(&w, sink, NULL, NULL) < 0)
        abort();
    memcpy(text, bytes, size);
    text[size] = 0;
    size_t count = split(text, names);
    for (size_t i = 0; i < count; i += 1 + FIELDS)
        events += put_type(w, names + i, count - i < 1 + FIELDS ? count - i : 1 + FIELDS);
    if (ras_dial9_writer_close(w, NULL) == RAS_OK) {
        struct ras_bytes all = ras_sink_bytes(sink);
        if (ras_open_memory(&t, all.at, all.len, NULL, NULL) == RAS_OK) {
            read_all(t, events);
            ras_close(t);
        }
    }
    ras_sink_drop(sink);
    free(text);
    return 0;
}
