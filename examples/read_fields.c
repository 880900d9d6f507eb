/* read_fields.c - values of records: by name, by an index found once, lists cell by cell; and the
 * rows of a CDT trace as structures. The trace may be compressed. */
#include <inttypes.h>
#include <rastrum/cdt.h>
#include <rastrum/rastrum.h>
#include <stdio.h>
#include <string.h>

/* Of one type: its name is resolved to an index when its schema is first met. */
static int put_commands(struct ras_trace *trace, struct ras_error *err)
{
    static const char *const fields[] = {"payload_name", "coord"};
    const struct ras_pick pick = {.type = "command", .fields = fields, .field_count = 2};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    const struct ras_schema *schema = NULL;
    const struct ras_record *record;
    struct ras_cursor *cursor;
    int coord = -1, status = ras_cursor_open(&cursor, trace, &scan, err);
    while (status == RAS_OK && (status = ras_next(cursor, &record, err)) == RAS_OK) {
        if (schema != ras_schema_of(cursor)) {
            schema = ras_schema_of(cursor);
            coord = ras_field_index(schema, "coord");
        }
        const struct ras_value *name = ras_value_of(cursor, "payload_name"); /* or by name */
        if (name && name->kind == RAS_STR)
            printf("tick %" PRIu64 ": %.*s", record->tick, (int)name->count,
                   (const char *)name->at);
        const struct ras_value *list = ras_value_at(cursor, coord);
        if (list && list->kind == RAS_LIST)
            for (const struct ras_value *v = list + 1; v < ras_value_next(list);
                 v = ras_value_next(v))
                printf(" %" PRId64, v->i);
        putchar('\n');
    }
    ras_cursor_close(cursor);
    return status;
}

/* The native reader of a format takes the bytes of an opened trace. */
static int put_ticks(struct ras_trace *trace, struct ras_error *err)
{
    const struct ras_cdt_tick_record *tick;
    struct ras_cdt *cdt = NULL;
    struct ras_bytes bytes;
    int status = ras_part_bytes(trace, 0, &bytes, err);
    if (status == RAS_OK)
        status = ras_cdt_open(&cdt, bytes.at, bytes.len, NULL, err);
    while (status == RAS_OK && (status = ras_cdt_tick_next(cdt, &tick, err)) == RAS_OK)
        printf("tick %" PRId64 ": kills %" PRId64 "\n", tick->tick_index,
               tick->channels.checkpoint.kills);
    ras_cdt_close(cdt);
    return status;
}

int main(int argc, char **argv)
{
    struct ras_trace *trace = NULL;
    struct ras_error err;
    int status = ras_open(&trace, argc > 1 ? argv[1] : "", NULL, &err);
    if (status == RAS_OK)
        status = strcmp(ras_format_of(trace)->name, "cdt") ? put_commands(trace, &err)
                                                           : put_ticks(trace, &err);
    if (status != RAS_END)
        fprintf(stderr, "read_fields: %s\n", err.text);
    int exit_status = status == RAS_END ? 0 : 2;
    ras_close(trace);
    return exit_status;
}
