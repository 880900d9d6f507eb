/* builder.c - a trace out of records as JSON Lines. */
#include "base/memory.h"
#include "core/registry.h"
#include "ops/destination.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct build b;
    const struct ras_format *format;
    const struct build_ops *ops;
    const struct ras_build_options *asked;
    struct row_reader reader;
    struct ras_bytes rest;
    size_t kept_room;
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
    if (begun < 0)
        return begun;
    if (header)
        status = next_row(k, &row, err);
    for (; status == RAS_OK; status = next_row(k, &row, err)) {
        if (!strcmp(row.type, "gap")) {
            build_note(&k->b, "gaps are not written: they are what a trace has lost");
            build_dropped(&k->b, row.type, 1);
            continue;
        }
        status = k->ops->put(&k->b, &row, err);
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

/* Types that formats share by name (Murk's and AeroGPU's frame) are settled by those that
 * they do not. */
static int guess_format(struct builder *k, struct ras_error *err)
{
    struct builder look = {.rest = k->rest};
    struct json_row row;
    int status;
    const struct ras_format *found = NULL;
    bool sure = false;
    for (int n = 0; n < 1000 && !sure && (status = next_row(&look, &row, err)) == RAS_OK; n++) {
        size_t owners = 0;
        const struct ras_format *f;
        for (size_t i = 0; (f = registry_at(i)); i++)
            owners += f->build && has_type(f->build, row.type);
        if (!strcmp(row.type, "header") || !strcmp(row.type, "gap"))
            continue;
        found = format_with(row.type);
        sure = owners == 1;
    }
    row_reader_free(&look.reader);
    if (status < 0)
        return status;
    k->format = found;
    return found ? RAS_OK
                 : fail(err, RAS_EUSAGE, RAS_NONE, "there are no records to tell the format by");
}

static int choose_format(struct builder *k, struct ras_error *err)
{
    const char *name = k->asked->format;
    if (!name) {
        int status = guess_format(k, err);
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
    const char *want = k->asked->dialect ? k->asked->dialect : k->ops->targets[0];
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

static int write_all(struct builder *k, struct ras_error *err)
{
    const struct ras_build_options *o = k->asked;
    struct destination d;
    int status =
        destination_open(&d, k->ops->to_folder, o->sink, o->folder, o->path, o->replace, err);
    if (status < 0)
        return status;
    k->b.sink = d.sink;
    k->b.folder = d.folder;
    return destination_close(&d, build_into(k, err), err);
}

int ras_build(struct ras_rewritten **out, struct ras_bytes jsonl,
              const struct ras_build_options *options, struct ras_error *err)
{
    *out = NULL;
    struct builder k = {.asked = options, .rest = jsonl};
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
