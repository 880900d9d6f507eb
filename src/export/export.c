/* export.c - records to a sink, in one of several output formats. */
#include "export/exporter.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"

#include <stdlib.h>
#include <string.h>

enum { FLUSH_AT = 32 << 10 };

static const struct exporter *const exporters[] = {&text_exporter, &jsonl_exporter, &csv_exporter};
enum { EXPORTER_COUNT = sizeof exporters / sizeof *exporters };

bool field_shown(const struct ras_printer *x, const char *name)
{
    for (size_t i = 0; x->options.fields && i < x->options.field_count; i++)
        if (!strcmp(x->options.fields[i], name))
            return true;
    return !x->options.fields;
}

/* The types that a scan names; false: out of memory. */
static bool copy_types(struct ras_printer *x, const struct ras_scan *scan)
{
    size_t count = scan ? scan->pick_count : 0;
    x->types = calloc(count + 1, sizeof *x->types);
    for (size_t i = 0; x->types && i < count; i++) {
        const char *type = scan->picks[i].type;
        if (!type)
            continue;
        x->types[x->type_count] = text_copy(type, strlen(type));
        if (!x->types[x->type_count++])
            return false;
    }
    return x->types != NULL;
}

static void free_export(struct ras_printer *x)
{
    for (size_t i = 0; x->types && i < x->type_count; i++)
        free(x->types[i]);
    free(x->types);
    free(x->state);
    out_free(&x->out);
    free(x);
}

int ras_printer_open(struct ras_printer **out, const char *format, struct ras_trace *trace,
                     const struct ras_scan *scan, const struct ras_printer_options *options,
                     struct ras_sink *sink, struct ras_error *err)
{
    *out = NULL;
    struct ras_printer_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct exporter *found = NULL;
    for (size_t i = 0; i < EXPORTER_COUNT; i++)
        if (!strcmp(exporters[i]->name, format))
            found = exporters[i];
    if (!found)
        return fail(err, RAS_EUSAGE, RAS_NONE, "unknown output format '%s'", format);
    struct ras_printer *x = calloc(1, sizeof *x);
    if (!x)
        return fail_memory(err);
    *x = (struct ras_printer){.exporter = found,
                              .trace = trace,
                              .sink = sink,
                              .axes = ras_format_of(trace)->axes,
                              .state = calloc(1, found->state_size + 1)};
    if (!x->state || !copy_types(x, scan)) {
        free_export(x);
        return fail_memory(err);
    }
    x->options = *options;
    *out = x;
    return RAS_OK;
}

static int flush_export(struct ras_printer *x, struct ras_error *err)
{
    if (x->out.failed)
        return fail_memory(err);
    size_t closed = x->out.len - x->open;
    int status = ras_sink_write(x->sink, x->out.at, closed, err);
    if (x->open)
        memmove(x->out.at, x->out.at + closed, x->open);
    x->out.len = x->open;
    return status;
}

int ras_printer_record(struct ras_printer *x, const struct ras_cursor *cursor,
                       const struct ras_record *record, struct ras_error *err)
{
    if (!x->began && x->exporter->begin)
        x->exporter->begin(x);
    x->began = true;
    x->exporter->record(x, cursor, record);
    if (*x->wrong)
        return fail(err, RAS_EUNSUPPORTED, record->offset, "%s", x->wrong);
    return x->out.len < FLUSH_AT && !x->out.failed ? RAS_OK : flush_export(x, err);
}

int ras_printer_flush(struct ras_printer *x, struct ras_error *err)
{
    x->open = 0;
    int status = flush_export(x, err);
    return status < 0 ? status : ras_sink_flush(x->sink, err);
}

int ras_printer_close(struct ras_printer *x, struct ras_error *err)
{
    if (!x)
        return RAS_OK;
    if (!x->began && x->exporter->begin)
        x->exporter->begin(x); /* a table without rows has a header, too */
    x->open = 0;
    int status = flush_export(x, err);
    if (x->exporter->end)
        x->exporter->end(x);
    free_export(x);
    return status;
}
