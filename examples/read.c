/* read.c - open a trace of any format, walk its records, say how it ends. */
#include <inttypes.h>
#include <rastrum/rastrum.h>
#include <stdio.h>

static void put_record(const struct ras_record *r, const struct ras_schema *schema)
{
    printf("%4" PRIu64 "  %-10s", r->seq, schema->name);
    if (r->flags & RAS_HAS_TICK)
        printf("  tick %" PRIu64, r->tick);
    if (r->flags & RAS_HAS_TIME)
        printf("  %" PRIu64 " ns", r->time_ns);
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct ras_trace *trace = NULL;
    struct ras_cursor *cursor = NULL;
    const struct ras_record *record;
    struct ras_error err;
    int status = ras_open(&trace, argc > 1 ? argv[1] : "", NULL, &err);
    if (status == RAS_OK)
        status = ras_cursor_open(&cursor, trace, NULL, &err);
    while (status == RAS_OK && (status = ras_next(cursor, &record, &err)) == RAS_OK)
        put_record(record, ras_schema_of(cursor));
    int exit_status = 2;
    if (status == RAS_END) {
        struct ras_ending end = ras_ending(trace);
        printf("%s at byte %" PRIu64 "%s%s\n", ras_ending_name(end.kind), end.offset,
               *end.why ? ": " : "", end.why);
        exit_status = end.kind >= RAS_CUT ? 3 : 0; /* something was lost */
    } else {
        fprintf(stderr, "read: %s\n", err.text);
    }
    ras_cursor_close(cursor);
    ras_close(trace);
    return exit_status;
}
