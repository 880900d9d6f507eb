/* sql_fuzz.c - any text as SQL: it is answered, refused or stopped, and nothing is written.
 *
 * The answer is as long with conditions, groups and joins left to SQLite, where the text cannot ask
 * for a different one each time. */
#include "fuzz.h"
#include <rastrum/dial9.h>
#include <rastrum/sql.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { EVENTS = 40 };

/* A trace of two types that have numbers, texts and nulls. */
static struct ras_sink *make_trace(void)
{
    static const struct ras_dial9_field fields[] = {{"a", RAS_DIAL9_VARINT},
                                                    {"b", RAS_DIAL9_STRING},
                                                    {"c", RAS_DIAL9_I64 | RAS_DIAL9_OPTIONAL}};
    static const struct ras_dial9_schema schemas[] = {{"ev", fields, 3, true},
                                                      {"other", fields, 1, true}};
    struct ras_sink *sink;
    struct ras_dial9_writer *w;
    uint16_t ids[2];
    if (ras_sink_memory(&sink, NULL) < 0 || ras_dial9_writer_open(&w, sink, NULL, NULL) < 0)
        abort();
    for (int i = 0; i < 2; i++)
        if (ras_dial9_writer_schema(w, &schemas[i], &ids[i], NULL) < 0)
            abort();
    for (uint64_t i = 0; i < EVENTS; i++) {
        struct ras_dial9_value v[3] = {
            {.type = RAS_DIAL9_VARINT, .u = i % 7},
            {.type = RAS_DIAL9_STRING, .count = 1, .at = (const uint8_t *)"xyzzy" + i % 5},
            {.type = i % 3 ? RAS_DIAL9_I64 : 0, .i = -(int64_t)i}};
        if (ras_dial9_writer_event(w, ids[i % 2], 1000 + i, v, i % 2 ? 1 : 3, NULL) < 0)
            abort();
    }
    if (ras_dial9_writer_close(w, NULL) < 0)
        abort();
    return sink;
}

/* Rows, or -1: refused or stopped. */
static long ask(struct ras_trace *t, const char *text, size_t len, bool plain)
{
    const struct ras_sql_source source = {.trace = t};
    struct ras_sql_options how = {.timeout_ms = 200,
                                  .max_memory = 64 << 20,
                                  .no_grouping = plain,
                                  .no_lookup = plain,
                                  .no_push_down = plain};
    struct ras_sql *sql;
    struct ras_sql_query *query;
    struct ras_error err;
    const struct ras_value *cells;
    size_t used;
    long rows = 0;
    if (ras_sql_open(&sql, &source, 1, &how, &err) < 0)
        fuzz_wrong("the tables cannot be made: %s", err.text);
    int status = ras_sql_prepare(&query, sql, text, len, &used, &err);
    if (used > len)
        fuzz_wrong("%zu bytes of %zu were used", used, len);
    if (status < 0 && err.offset != RAS_NONE && err.offset > len)
        fuzz_wrong("a mistake at %llu of %zu", (unsigned long long)err.offset, len);
    while (status == RAS_OK && query && rows < 10000 &&
           (status = ras_sql_next(query, &cells, &err)) == RAS_OK)
        rows++;
    ras_sql_query_close(query);
    ras_sql_close(sql);
    return status < 0 || rows == 10000 ? -1 : rows;
}

static bool has(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct ras_sink *sink;
    struct ras_trace *t;
    if (!sink)
        sink = make_trace();
    struct ras_bytes all = ras_sink_bytes(sink);
    char *text = malloc(size + 1);
    if (!text || ras_open_memory(&t, all.at, all.len, NULL, NULL) < 0)
        abort();
    memcpy(text, bytes, size);
    text[size] = 0;
    long rows = ask(t, text, strlen(text), false);
    bool varies = has(text, "random") || has(text, "limit") || has(text, "rowid") ||
                  has(text, "now") || has(text, "time") || has(text, "date") ||
                  has(text, "changes") || has(text, "explain") || has(text, "group_concat") ||
                  has(text, "over") || has(text, "_rowid_") || has(text, "oid");
    long plain = varies ? rows : ask(t, text, strlen(text), true);
    if (rows >= 0 && plain >= 0 && rows != plain)
        fuzz_wrong("%ld rows, SQLite finds %ld: %s", rows, plain, text);
    ras_close(t);
    free(text);
    return 0;
}
