/* stats_json.c - figures of a trace as JSON documents. */
#include "base/error.h"
#include "codec/json_write.h"
#include <rastrum/rastrum.h>

#include <string.h>

/* A table with a line for each of its rows. */
static void put_table(struct out *out, const struct ras_value *table)
{
    const struct ras_value *rows = ras_member(table, "rows"), *end = ras_value_next(rows);
    const struct ras_value *left_out = ras_member(table, "left_out");
    out_text(out, ":{\"columns\":");
    json_value(out, ras_member(table, "columns"), 0, false);
    out_text(out, ",\n  \"coverage\":");
    json_value(out, ras_member(table, "coverage"), 0, false);
    if (left_out) {
        out_text(out, ",\"left_out\":");
        json_value(out, left_out, 0, false);
    }
    out_text(out, ",\n  \"rows\":[");
    for (const struct ras_value *row = rows + 1; row < end; row = ras_value_next(row)) {
        out_text(out, row == rows + 1 ? "\n   " : ",\n   ");
        json_value(out, row, 0, false);
    }
    out_text(out, "]}");
}

int ras_json_stats(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                   const struct ras_stats *stats, struct ras_error *err)
{
    struct out out = {0};
    const struct ras_value *tables = stats->tables, *end = ras_value_next(tables);
    out_text(&out, "{\"path\":");
    json_string(&out, path, strlen(path));
    out_text(&out, ",\"format\":");
    json_string(&out, ras_format_of(t)->name, strlen(ras_format_of(t)->name));
    out_text(&out, ",\"tables\":{");
    for (const struct ras_value *name = tables + 1; name < end; name = ras_value_next(name + 1)) {
        out_text(&out, name == tables + 1 ? "\n " : ",\n ");
        json_string(&out, name->at, name->count);
        put_table(&out, name + 1);
    }
    out_text(&out, "}}\n");
    int status = out.failed ? fail_memory(err) : ras_sink_write(sink, out.at, out.len, err);
    out_free(&out);
    return status;
}
