/* cat_lines.c - a trace as JSON Lines of which convert --from-jsonl makes it again.
 *
 * The header, every record, and a last line that says how the bytes differ from what is built of
 * the records; the lines are kept in memory until then. */
#include "cli/catting.h"

#include <string.h>

static const char *unwanted(const struct catting *o)
{
    const struct {
        bool given;
        const char *name;
    } rows[] = {{o->types.count, "--type"},
                {o->fields.count, "--fields"},
                {o->condition, "--where"},
                {o->limit.given, "--limit"},
                {o->depth.given, "--depth"},
                {o->merged, "--merged"},
                {o->follow, "--follow"},
                {has_choice(&o->common, "with-detail"), "--with-detail"},
                {range_asked(&o->range), "a range"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return rows[i].name;
    return NULL;
}

int cat_lines_refuse(const struct catting *o)
{
    const char *other = unwanted(o);
    if (!o->header && !o->blobs)
        return 0;
    if (!o->header)
        return trouble("--blobs needs --header; --type blob_bytes prints only the bytes of blobs");
    if (!o->format || strcmp(o->format, "jsonl") != 0)
        return trouble("--header needs JSON Lines: add --json");
    if (o->common.operands.count > 1)
        return trouble("--header takes one trace");
    if (other)
        return trouble("--header prints the whole trace: omit %s, or slice the trace first", other);
    return 0;
}

static size_t add_types(struct ras_pick *picks, size_t count, const char *const *types)
{
    for (; *types; types++)
        picks[count++] = (struct ras_pick){.type = *types};
    return count;
}

static int put_records(struct ras_trace *t, bool blobs, struct ras_sink *to, struct ras_error *err)
{
    struct ras_pick picks[16] = {{0}}; /* the first one: all that are usual */
    struct ras_scan scan = {.picks = picks, .pick_count = 1};
    struct ras_export_options how = {0};
    struct ras_cursor *cursor = NULL;
    struct ras_export *export = NULL;
    const struct ras_record *r;
    scan.pick_count = add_types(picks, scan.pick_count, ras_lines_types(t, false));
    if (blobs)
        scan.pick_count = add_types(picks, scan.pick_count, ras_lines_types(t, true));
    int status = ras_cursor_open(&cursor, t, &scan, err);
    if (status == RAS_OK)
        status = ras_export_open(&export, "jsonl", t, &scan, &how, to, err);
    while (status == RAS_OK && (status = ras_next(cursor, &r, err)) == RAS_OK)
        status = ras_export_record(export, cursor, r, err);
    struct ras_error late;
    if (ras_export_close(export, &late) < 0 && status >= 0) {
        status = late.status;
        *err = late;
    }
    ras_cursor_close(cursor);
    return status == RAS_END ? RAS_OK : status;
}

int cat_lines(const struct catting *o, const char *path, struct ras_trace *t, struct answer *answer)
{
    struct ras_sink *lines;
    struct ras_error err;
    if (ras_sink_memory(&lines, &err) < 0)
        return trouble_with(&err);
    int status = ras_lines_header(t, lines, &err);
    if (status == RAS_OK)
        status = put_records(t, o->blobs, lines, &err);
    struct ras_bytes all = ras_sink_bytes(lines);
    if (status == RAS_OK)
        status = ras_sink_write(answer->sink, all.at, all.len, &err);
    if (status == RAS_OK)
        status = ras_lines_exact(t, all, answer->sink, &err);
    ras_sink_drop(lines);
    struct ras_ending ending = ras_ending(t);
    return status < 0 ? trouble_at(path, &err) : say_ending(path, t, &ending, o->common.quiet);
}
