/* build.c - a trace out of records as JSON Lines, and what drivers share when they build one. */
#include "base/memory.h"
#include "base/struct_size.h"
#include "codec/json_write.h"
#include "core/document.h"
#include "core/passes.h"
#include "core/registry.h"
#include "core/sink.h"
#include "ops/build/build_driver.h"
#include "ops/build/exact.h"
#include "ops/rewrite/rewrite_driver.h"
#include "ops/rewrite/rewriter.h"

#include <stdlib.h>
#include <string.h>

void build_note(struct build *b, const char *fmt, ...)
{
    struct ras_rewritten *out = b->out;
    va_list args;
    va_start(args, fmt);
    if (!lines_add(&out->notes, &out->note_count, &b->note_room, NULL, fmt, args))
        b->nomem = true;
    va_end(args);
}

void build_dropped(struct build *b, const char *type, uint64_t records)
{
    if (records && !dropped_add(b->out, &b->dropped_room, type, records))
        b->nomem = true;
    b->out->lost_records += records;
}

struct builder {
    struct build b;
    const struct ras_format *format;
    const struct build_ops *ops;
    const struct ras_build_options *options;
    struct row_reader reader;
    struct ras_bytes lines, rest;
    struct ras_bytes exact;                 /* the last line, with the differences; else empty */
    char format_said[32], dialect_said[32]; /* from the header; "": not given */
    size_t kept_room;
    struct passes passes;
};

/* ---- lines --------------------------------------------------------------------------- */

static bool is_blank(struct ras_bytes line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(" \t\r", line.at[i]))
            return false;
    return true;
}

/* The next line that is not blank: RAS_OK, RAS_END or an error. */
static int next_row(struct builder *k, struct json_row *row, struct ras_error *err)
{
    while (k->rest.len) {
        const uint8_t *end = memchr(k->rest.at, '\n', k->rest.len);
        struct ras_bytes line = {k->rest.at, end ? (size_t)(end - k->rest.at) : k->rest.len};
        size_t step = line.len + (end ? 1 : 0);
        k->rest = (struct ras_bytes){k->rest.at + step, k->rest.len - step};
        if (!is_blank(line))
            return row_read(&k->reader, line, row, err);
        k->reader.line++;
    }
    return RAS_END;
}

static int put_rows(struct builder *k, struct ras_error *err)
{
    struct json_row row;
    int status = next_row(k, &row, err);
    bool header = status == RAS_OK && !strcmp(row.type, "header");
    int begun = status < 0 ? status : k->ops->begin(&k->b, header ? &row : NULL, err);
    if (begun == RAS_OK && header)
        begun = row_check(&row, k->ops->schemas, err);
    if (begun < 0)
        return begun;
    if (header)
        status = next_row(k, &row, err);
    for (; status == RAS_OK; status = next_row(k, &row, err)) {
        if (!passes_at(&k->passes, k->lines.len - k->rest.len, k->lines.len))
            return fail_canceled(err);
        if (!strcmp(row.type, "gap")) {
            build_note(&k->b, "gaps cannot be written: they mark data that a trace has lost");
            build_dropped(&k->b, row.type, 1);
            continue;
        }
        status = k->ops->put(&k->b, &row, err);
        if (status == RAS_OK)
            status = row_check(&row, k->ops->schemas, err);
        if (status < 0)
            return status;
        if (!kept_add(k->b.out, &k->kept_room, row.type, 1))
            k->b.nomem = true;
    }
    if (status == RAS_END)
        status = k->ops->end(&k->b, err);
    dropped_settle(k->b.out);
    return status == RAS_OK && k->b.nomem ? fail_memory(err) : status;
}

/* ---- the format ----------------------------------------------------------------------- */

static bool has_type(const struct build_ops *ops, const char *type)
{
    for (size_t i = 0; ops->types && ops->types[i]; i++)
        if (!strcmp(ops->types[i], type))
            return true;
    return false;
}

/* The format that has a type of this name; else the one whose types are its own. */
static const struct ras_format *format_with(const char *type)
{
    const struct ras_format *f, *any = NULL;
    for (size_t i = 0; (f = registry_at(i)); i++) {
        if (f->build && has_type(f->build, type))
            return f;
        if (f->build && !f->build->types)
            any = f;
    }
    return any;
}

static void keep_word(char to[32], const char *word)
{
    if (word && strlen(word) < 32)
        memcpy(to, word, strlen(word) + 1);
}

/* The header's statements about the whole trace. */
static int read_header(struct builder *k, struct ras_error *err)
{
    struct builder ahead = {.rest = k->rest};
    struct json_row row;
    int status = next_row(&ahead, &row, err);
    if (status == RAS_OK && !strcmp(row.type, "header")) {
        keep_word(k->format_said, row.format);
        keep_word(k->dialect_said, row.dialect);
    }
    row_reader_free(&ahead.reader);
    return status;
}

/* Type names that several formats have (Murk's and AeroGPU's frame) are decided by the types that
 * only one has. */
static int guess_format(struct builder *k, struct ras_error *err)
{
    struct builder ahead = {.rest = k->rest};
    struct json_row row;
    int status;
    const struct ras_format *found = NULL;
    bool sure = false;
    for (int n = 0; n < 1000 && !sure && (status = next_row(&ahead, &row, err)) == RAS_OK; n++) {
        size_t owners = 0;
        const struct ras_format *f;
        for (size_t i = 0; (f = registry_at(i)); i++)
            owners += f->build && has_type(f->build, row.type);
        if (!strcmp(row.type, "header") || !strcmp(row.type, "gap"))
            continue;
        found = format_with(row.type);
        sure = owners == 1;
    }
    row_reader_free(&ahead.reader);
    if (status < 0)
        return status;
    k->format = found;
    return found ? RAS_OK
                 : fail(err, RAS_EUSAGE, RAS_NONE, "no records, so the format is not known");
}

static int choose_format(struct builder *k, struct ras_error *err)
{
    const char *name = k->options->format;
    int status = read_header(k, err);
    if (status < 0)
        return status;
    if (!name && *k->format_said)
        name = k->format_said;
    if (!name) {
        status = guess_format(k, err);
        if (status < 0)
            return status;
    } else {
        k->format = registry_find(name);
        if (!k->format)
            return registry_unknown(name, err);
    }
    k->ops = k->format->build;
    if (!k->ops)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be built from values",
                    k->format->about.name);
    const char *want = k->options->dialect ? k->options->dialect : k->ops->targets[0];
    for (size_t i = 0; !k->options->dialect && k->ops->targets[i]; i++)
        if (!strcmp(k->ops->targets[i], k->dialect_said))
            want = k->ops->targets[i];
    for (size_t i = 0; k->ops->targets[i]; i++)
        if (!strcmp(k->ops->targets[i], want))
            k->b.target = k->b.out->target = k->ops->targets[i];
    return k->b.target ? RAS_OK
                       : fail(err, RAS_EUSAGE, RAS_NONE, "%s cannot be written as %s",
                              k->format->about.name, want);
}

/* ---- where it goes -------------------------------------------------------------------- */

static int build_into(struct builder *k, struct ras_error *err)
{
    k->b.priv = calloc(1, k->ops->size + 1);
    if (!k->b.priv)
        return fail_memory(err);
    int status = put_rows(k, err);
    if (k->ops->stop)
        k->ops->stop(&k->b);
    free(k->b.priv);
    return status;
}

/* ---- byte for byte --------------------------------------------------------------------- */

static int put_part(void *user, const char *name, struct ras_bytes bytes, struct ras_error *err)
{
    const struct destination *d = user;
    struct ras_sink *sink = d->sink;
    int status = d->folder ? ras_folder_sink(d->folder, name, &sink, err) : RAS_OK;
    if (status == RAS_OK && bytes.len)
        status = ras_sink_write(sink, bytes.at, bytes.len, err);
    if (status == RAS_OK && d->folder)
        status = ras_folder_finish(d->folder, sink, err);
    return status;
}

static int put_built(const struct exact_built *built, struct destination *d, struct ras_error *err)
{
    size_t count;
    if (!built->folder)
        return put_part(d, "", ras_sink_bytes(built->sink), err);
    const struct ras_part *parts = ras_folder_parts(built->folder, &count);
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < count; i++)
        status = put_part(d, parts[i].name, parts[i].bytes, err);
    return status;
}

static int open_out(struct builder *k, bool to_folder, struct destination *d, struct ras_error *err)
{
    const struct ras_build_options *o = k->options;
    return destination_open(d, to_folder, o->sink, o->folder, o->path, o->replace, err);
}

/* Write the built trace as the last line says, or as it is where the lines were changed. */
static int write_built(struct builder *k, const struct exact_built *built, int failed,
                       struct ras_error *err)
{
    struct row_reader reader = {0};
    struct json_row row;
    struct destination d;
    struct ras_error why = err ? *err : (struct ras_error){0};
    bool lone;
    int status = row_read(&reader, k->exact, &row, err);
    int fits = status == RAS_OK ? exact_check(&row, k->lines, built, &lone, err) : status;
    if (fits == RAS_END && built->failed) { /* faults of the lines are reported */
        if (err)
            *err = why;
        status = failed;
    } else if (fits >= 0) {
        if (fits == RAS_OK) /* the bytes are those of the original, whatever the lines lack */
            k->b.out->made_up_bytes = k->b.out->lost_records = 0;
        status = open_out(k, k->ops->to_folder && !lone, &d, err);
        if (status == RAS_OK && fits == RAS_END)
            build_note(&k->b, "the lines were changed: the trace is built from them");
        if (status == RAS_OK)
            status = destination_close(&d,
                                       fits == RAS_OK ? exact_apply(&row, built, put_part, &d, err)
                                                      : put_built(built, &d, err),
                                       err);
    } else {
        status = fits;
    }
    row_reader_free(&reader);
    return status;
}

/* The records are built in memory first. */
static int write_exact(struct builder *k, struct ras_error *err)
{
    struct exact_built built = {0};
    int status = k->ops->to_folder ? ras_folder_memory(&built.folder, err)
                                   : ras_sink_memory(&built.sink, err);
    if (status < 0)
        return status;
    k->b.sink = built.sink;
    k->b.folder = built.folder;
    status = build_into(k, err);
    built.failed = status < 0;
    if (status != RAS_EMEMORY && status != RAS_ECANCELED)
        status = write_built(k, &built, status, err);
    ras_sink_drop(built.sink);
    ras_folder_drop(built.folder);
    return status;
}

static int write_all(struct builder *k, struct ras_error *err)
{
    struct destination d;
    if (k->exact.len)
        return write_exact(k, err);
    int status = open_out(k, k->ops->to_folder, &d, err);
    if (status < 0)
        return status;
    k->b.sink = d.sink;
    k->b.folder = d.folder;
    return destination_close(&d, build_into(k, err), err);
}

/* Whether the last line is not a record but the differences of the bytes. */
static void split_exact(struct builder *k)
{
    size_t end = k->lines.len;
    while (end && strchr(" \t\r\n", k->lines.at[end - 1]))
        end--;
    size_t start = end;
    while (start && k->lines.at[start - 1] != '\n')
        start--;
    struct ras_bytes last = {k->lines.at + start, end - start};
    if (!exact_is(last))
        return;
    k->exact = last;
    k->lines.len = start;
    k->rest = k->lines;
}

int ras_build(struct ras_rewritten **out, struct ras_bytes jsonl,
              const struct ras_build_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_build_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct builder k = {.options = options,
                        .lines = jsonl,
                        .rest = jsonl,
                        .passes = {.progress = options->progress, .user = options->user}};
    split_exact(&k);
    k.b.out = calloc(1, sizeof *k.b.out);
    int status = k.b.out ? choose_format(&k, err) : fail_memory(err);
    if (status == RAS_OK)
        status = write_all(&k, err);
    row_reader_free(&k.reader);
    if (status < 0) {
        ras_rewritten_free(k.b.out);
        return status;
    }
    char *why = text_copy("", 0);
    k.b.out->ending = (struct ras_ending){.kind = RAS_COMPLETE, .why = why};
    *out = k.b.out;
    return RAS_OK;
}

/* ---- lines that can be built again ------------------------------------------------------- */

int ras_lines_header(struct ras_trace *t, struct ras_sink *sink, struct ras_error *err)
{
    struct document d = {0};
    struct out out = {0};
    struct json j = json_start(&out, 0);
    if (!t->format->build)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be built from values",
                    t->format->about.name);
    size_t map = document_open(&d, RAS_MAP);
    if (t->format->build->header)
        t->format->build->header(t, &d);
    document_close(&d, map);
    json_object(&j, NULL);
    json_text(&j, "type", "header");
    json_text(&j, "format", t->format->about.name);
    if (t->dialect)
        json_text(&j, "dialect", t->dialect);
    if (!d.cells.nomem)
        json_cell(&j, "values", d.cells.items, 0);
    json_close(&j);
    json_newline(&j);
    out.failed |= d.cells.nomem;
    document_free(&d);
    return sink_write_out(sink, &out, err);
}

const char *const *ras_lines_types(const struct ras_trace *t, bool blobs)
{
    static const char *const none[] = {NULL};
    const struct build_ops *ops = t->format->build;
    const char *const *types = !ops ? NULL : blobs ? ops->blob_types : ops->header_types;
    return types ? types : none;
}
