/* stats_json.c - figures of a trace as JSON documents. */
#include "codec/json_write.h"
#include "core/sink.h"

/* A table with a line for each of its rows. */
static void put_table(struct json *j, const struct ras_value *table)
{
    const struct ras_value *rows = ras_value_member(table, "rows"), *end = ras_value_next(rows);
    const struct ras_value *left_out = ras_value_member(table, "left_out");
    json_object(j, NULL);
    json_cell(j, "columns", ras_value_member(table, "columns"), 0);
    json_line(j, 2);
    json_cell(j, "coverage", ras_value_member(table, "coverage"), 0);
    if (left_out)
        json_cell(j, "left_out", left_out, 0);
    json_line(j, 2);
    json_array(j, "rows");
    for (const struct ras_value *row = rows + 1; row < end; row = ras_value_next(row)) {
        json_line(j, 3);
        json_cell(j, NULL, row, 0);
    }
    json_close(j);
    json_close(j);
}

int ras_json_stats(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                   const struct ras_stats *stats, struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    const struct ras_value *tables = stats->tables, *end = ras_value_next(tables);
    json_object(&j, NULL);
    json_text(&j, "path", path);
    json_text(&j, "format", ras_format_of(t)->name);
    json_object(&j, "tables");
    for (const struct ras_value *name = tables + 1; name < end; name = ras_value_next(name + 1)) {
        json_line(&j, 1);
        json_key_text(&j, name->at, name->count);
        put_table(&j, name + 1);
    }
    json_close(&j);
    json_close(&j);
    json_newline(&j);
    return sink_write_out(sink, &out, err);
}
