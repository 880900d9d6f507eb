/* exporter.h - what an output format of records implements. */
#ifndef EXPORT_EXPORTER_H
#define EXPORT_EXPORTER_H

#include "base/out.h"
#include <rastrum/rastrum.h>

struct ras_printer {
    const struct exporter *exporter;
    struct ras_trace *trace;
    struct ras_sink *sink;
    struct ras_printer_options options;
    unsigned axes; /* of the format: bits 1 << RAS_AXIS_... */
    char **types;  /* requested types, names or globs: copies */
    size_t type_count;
    bool began;
    char wrong[240]; /* why a record could not be written */
    struct out out;
    size_t open; /* bytes at the end of `out` that the next record may still change */
    void *state; /* exporter->state_size bytes, zeroed */
};

struct exporter {
    const char *name;
    size_t state_size;
    /* Before the first record; without records, at the end. */
    void (*begin)(struct ras_printer *);
    void (*record)(struct ras_printer *, const struct ras_cursor *, const struct ras_record *);
    void (*end)(struct ras_printer *); /* frees the contents of state; NULL: none */
};

extern const struct exporter text_exporter, jsonl_exporter, csv_exporter;

/* The writer inside the public one, for the library's own use; NULL: it failed. */
struct json *json_of(struct ras_json *);

/* Whether a field was requested: more may be decoded, for a condition. */
bool field_shown(const struct ras_printer *, const char *name);

/* answers.c: ras_report_json() with the number of the record of each finding, as text; RAS_NONE:
 * none. NULL: of none. */
int json_report(struct ras_sink *, const char *path, const struct ras_trace *,
                const struct ras_report *, bool strict, const uint64_t *seqs, struct ras_error *);
#endif
