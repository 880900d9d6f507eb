/* cmd_blob.c - the blobs of an AeroGPU trace: a list, the bytes of one, its vertices as a table or
 * its texture as a PNG file. */
#include "cli/pictures.h"
#include "cli/session.h"
#include <rastrum/aerogpu.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const axes[] = {"x", "y", "z", "w"};

static bool is_color(const struct ras_aero_attribute *a)
{
    return !strncasecmp(a->name, "color", 5);
}

static void column_name(const struct ras_aero_attribute *a, uint32_t c, char *to, size_t size)
{
    static const char *const colors[] = {"r", "g", "b", "a"};
    if (a->components == 1)
        snprintf(to, size, "%s", a->name);
    else
        snprintf(to, size, "%s.%s", a->name, is_color(a) ? colors[c & 3] : axes[c & 3]);
}

static void number_text(const struct ras_aero_attribute *a, double value, char *to, size_t size)
{
    if (a->integer)
        snprintf(to, size, "%.0f", value);
    else if (isnan(value))
        snprintf(to, size, "NaN");
    else if (isinf(value))
        snprintf(to, size, "%sInfinity", value < 0 ? "-" : "");
    else
        snprintf(to, size, "%.9g", value);
}

/* One row of cells; those of the head have names. */
static void blob_put_vertex(struct answer *a, const struct ras_aero_vertices *v, uint64_t row,
                            bool head, bool text)
{
    if (head)
        answer_format(a, text ? "%8s" : "%s", "vertex");
    else
        answer_format(a, text ? "%8" PRIu64 : "%" PRIu64, v->first + row);
    for (uint32_t i = 0; i < v->attribute_count; i++)
        for (uint32_t c = 0; c < v->attributes[i].components; c++) {
            char cell[RAS_AERO_NAME + 8];
            if (head)
                column_name(&v->attributes[i], c, cell, sizeof cell);
            else
                number_text(&v->attributes[i], ras_aero_vertex_number(v, row, i, c), cell,
                            sizeof cell);
            answer_format(a, text ? "  %14s" : ",%s", cell);
        }
    answer_format(a, "\n");
}

static void blob_put_vertex_json(struct ras_json *j, const struct ras_aero_vertices *v,
                                 uint64_t row)
{
    ras_json_array(j, NULL);
    ras_json_uint(j, NULL, v->first + row);
    for (uint32_t i = 0; i < v->attribute_count; i++)
        for (uint32_t c = 0; c < v->attributes[i].components; c++) {
            char cell[RAS_AERO_NAME + 8];
            double value = ras_aero_vertex_number(v, row, i, c);
            number_text(&v->attributes[i], value, cell, sizeof cell);
            if (isfinite(value) || v->attributes[i].integer)
                ras_json_raw(j, NULL, cell, strlen(cell));
            else
                ras_json_text(j, NULL, cell);
        }
    ras_json_end(j);
}

static void blob_put_vertices_json(struct ras_json *j, const struct ras_aero_vertices *v)
{
    ras_json_object(j, NULL);
    ras_json_uint(j, "handle", v->handle);
    ras_json_uint(j, "draw_offset", v->draw_offset);
    ras_json_uint(j, "buffer_offset", v->buffer_offset);
    ras_json_uint(j, "stride", v->stride);
    ras_json_array(j, "columns");
    ras_json_text(j, NULL, "vertex");
    for (uint32_t i = 0; i < v->attribute_count; i++)
        for (uint32_t c = 0; c < v->attributes[i].components; c++) {
            char name[RAS_AERO_NAME + 8];
            column_name(&v->attributes[i], c, name, sizeof name);
            ras_json_text(j, NULL, name);
        }
    ras_json_end(j);
    ras_json_array(j, "rows");
    for (uint64_t i = 0; i < v->count; i++) {
        ras_json_line(j, 1);
        blob_put_vertex_json(j, v, i);
    }
    ras_json_end(j);
    ras_json_end(j);
    ras_json_newline(j);
}

/* `format`: NULL, "text" or "csv". Returns an exit status. */
static int put_vertices(const struct common *common, const char *path, struct ras_trace *trace,
                        const struct ras_aero_resource_options *which, const char *format,
                        struct answer *a)
{
    struct ras_aero_vertices *v;
    struct ras_error err;
    if (ras_aero_vertices(&v, trace, which, &err) < 0)
        return trouble_at(path, &err);
    if (common->json) {
        blob_put_vertices_json(answer_json(a), v);
    } else {
        bool text = !format || !strcmp(format, "text");
        blob_put_vertex(a, v, 0, true, text);
        for (uint64_t i = 0; i < v->count; i++)
            blob_put_vertex(a, v, i, false, text);
        answer_flush(a);
        remark(common->quiet,
               "%s: %" PRIu64 " vertices of buffer %" PRIu32 ", %" PRIu32
               " bytes each, as the draw at offset %" PRIu64 " reads them",
               shown_path(path), v->count, v->handle, v->stride, v->draw_offset);
    }
    ras_aero_vertices_free(v);
    return EXIT_YES;
}

/* `format`: NULL, "text" or "csv". Returns an exit status. */
static int put_texture(const struct common *common, const char *path, struct ras_trace *trace,
                       const struct ras_aero_resource_options *which, struct answer *a)
{
    struct ras_picture p;
    struct ras_error err;
    bool inexact;
    if (ras_aero_texture(&p, &inexact, trace, which, &err) < 0) {
        if (!which->by_blob || err.status != RAS_EFORMAT)
            return trouble_at(path, &err);
        return trouble("%s: %s; --size WxH reads its bytes as RGBA pixels", shown_path(path),
                       text_of(&err));
    }
    int status = EXIT_YES;
    if (!a->to_file && isatty(STDOUT_FILENO))
        status = trouble("PNG output is binary: write it to a file with -o");
    else if (ras_png_put(a->sink, &p, &err) < 0)
        status = trouble_with(&err);
    else if (inexact)
        status = EXIT_LOSS;
    if (status == EXIT_LOSS)
        remark(common->quiet, "%s: inexact: commands that were not executed may have changed it",
               shown_path(path));
    ras_picture_free(&p);
    return status;
}

struct options {
    struct common common;
    bool list, png, vertices;
    const char *size, *format;
    struct number buffer, texture, frame;
};

static const char *kind_of(const struct ras_aero_blob *blob)
{
    const char *name = ras_aero_blob_kind_name(blob->kind);
    return name ? name : "unknown";
}

/* UTF-8 without control characters other than line ends: safe to print on a terminal. */
static bool blob_is_text(struct ras_bytes b)
{
    for (size_t i = 0; i < b.len; i++) {
        i += ras_plain_prefix(b.at + i, b.len - i);
        if (i < b.len && b.at[i] != '\n' && b.at[i] != '\r' && b.at[i] != '\t')
            return false;
    }
    return true;
}

/* The properties of a blob, in a JSON object that stays open. */
static void put_json_blob(struct ras_json *j, const struct ras_aero_blob *blob)
{
    ras_json_object(j, NULL);
    ras_json_uint(j, "blob_id", blob->blob_id);
    ras_json_uint(j, "kind", blob->kind);
    ras_json_text(j, "kind_name", kind_of(blob));
    ras_json_uint(j, "size", blob->data.len);
}

static void blob_put_json_row(struct ras_json *j, const struct ras_aero_blob *blob, uint64_t offset)
{
    ras_json_line(j, 2);
    put_json_blob(j, blob);
    ras_json_uint(j, "offset", offset);
    ras_json_bool(j, "text", blob_is_text(blob->data));
    ras_json_end(j);
}

static void blob_put_row(struct answer *a, size_t i, const struct ras_aero_blob *blob,
                         uint64_t offset)
{
    answer_format(a, "%s%7" PRIu64 " %-17s %10zu %12" PRIu64 "\n",
                  i ? "" : "blob_id kind                    size       offset\n", blob->blob_id,
                  kind_of(blob), blob->data.len, offset);
}

static int list(const struct options *o, struct ras_trace *trace, struct answer *a,
                struct ras_error *err)
{
    struct ras_aero_blob blob;
    uint64_t offset;
    size_t i = 0;
    int status = ras_aero_blob_at(trace, 0, &blob, &offset, err);
    if (status < 0)
        return status;
    struct ras_json *j = o->common.json ? answer_json(a) : NULL;
    ras_json_object(j, NULL);
    ras_json_array(j, "blobs");
    for (; status == RAS_OK; status = ras_aero_blob_at(trace, ++i, &blob, &offset, err)) {
        if (o->common.json)
            blob_put_json_row(j, &blob, offset);
        else
            blob_put_row(a, i, &blob, offset);
    }
    ras_json_end(j);
    ras_json_end(j);
    ras_json_newline(j);
    return status < 0 ? status : RAS_OK;
}

/* Text unchanged, other bytes in hex. */
static int put_document(struct ras_json *j, const struct ras_aero_blob *blob)
{
    bool text = blob_is_text(blob->data);
    put_json_blob(j, blob);
    ras_json_bool(j, "text", text);
    (text ? ras_json_string : ras_json_blob)(j, "data", blob->data.at, blob->data.len);
    ras_json_end(j);
    ras_json_newline(j);
    return EXIT_YES;
}

/* The kind of the blob does not matter: four bytes per pixel, rows from the top. */
static int put_picture(const struct options *o, const struct ras_aero_blob *blob, struct answer *a)
{
    struct ras_picture p = {0};
    struct ras_error err;
    if (read_size(o->size, &p.width, &p.height))
        return EXIT_TROUBLE;
    uint64_t size = (uint64_t)p.width * p.height * 4;
    if (size != blob->data.len)
        return trouble("blob %" PRIu64 " (%s) has %zu bytes, a picture of %" PRIu32 "x%" PRIu32
                       " RGBA pixels has %" PRIu64,
                       blob->blob_id, kind_of(blob), blob->data.len, p.width, p.height, size);
    if (!a->to_file && isatty(STDOUT_FILENO))
        return trouble("PNG output is binary: write it to a file with -o");
    p.rgba = blob->data.at;
    return ras_png_put(a->sink, &p, &err) < 0 ? trouble_with(&err) : EXIT_YES;
}

/* Text may go to a terminal, other bytes only to a file or a pipe. */
static int extract(const struct options *o, const char *path, struct ras_trace *trace,
                   struct answer *a, uint64_t blob_id)
{
    struct ras_aero_blob blob;
    struct ras_error err;
    int status = ras_aero_blob(trace, blob_id, &blob, &err);
    if (status < 0)
        return trouble_at(path, &err);
    if (status == RAS_END) {
        a->none = true;
        remark(o->common.quiet, "%s: no blob %" PRIu64, shown_path(path), blob_id);
        return EXIT_NO;
    }
    const struct ras_aero_resource_options which = {
        .gpu = ras_gpu(), .by_blob = true, .id = blob_id};
    if (o->vertices)
        return put_vertices(&o->common, path, trace, &which, o->format, a);
    if (o->png)
        return o->size ? put_picture(o, &blob, a) : put_texture(&o->common, path, trace, &which, a);
    if (o->common.json)
        return put_document(answer_json(a), &blob);
    if (!a->to_file && isatty(STDOUT_FILENO) && !blob_is_text(blob.data))
        return trouble("blob %" PRIu64 " (%s) is not text: write it to a file with -o", blob_id,
                       kind_of(&blob));
    return ras_sink_write(a->sink, blob.data.at, blob.data.len, &err) < 0 ? trouble_with(&err)
                                                                          : EXIT_YES;
}

/* The list of blobs needs no walk over the trace, but its ending does. */
static int say_how_it_ends(const struct options *o, const char *path, struct ras_trace *trace)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *record;
    struct ras_cursor *cursor;
    struct ras_error err;
    int status = ras_cursor_open(&cursor, trace, &scan, &err);
    while (status == RAS_OK)
        status = ras_next(cursor, &record, &err);
    ras_cursor_close(cursor);
    if (status < 0)
        return trouble_at(path, &err);
    struct ras_ending ending = ras_ending(trace);
    return say_ending(path, trace, &ending, o->common.quiet);
}

/* A resource by its handle. */
static int show_resource(const struct options *o, const char *path, struct ras_trace *trace,
                         struct answer *a)
{
    const struct ras_aero_resource_options which = {.gpu = ras_gpu(),
                                                    .id = o->texture.given ? o->texture.value
                                                                           : o->buffer.value,
                                                    .has_frame = o->frame.given,
                                                    .frame = o->frame.value};
    return o->texture.given ? put_texture(&o->common, path, trace, &which, a)
                            : put_vertices(&o->common, path, trace, &which, o->format, a);
}

static int answer_with(const struct options *o, const char *path, struct answer *a)
{
    const struct list *words = &o->common.operands;
    struct ras_error err;
    int64_t id = 0;
    bool resource = o->buffer.given || o->texture.given;
    bool listed = words->count == 1 && !resource;
    struct progress progress;
    if (!listed && !resource && (!integer_parse(words->items[1], &id) || id < 0))
        return trouble("%s is not a blob id; `rastrum blob %s` lists them", words->items[1],
                       shown_path(path));
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    if (strcmp(ras_format_of(trace)->name, "aerogpu") != 0) {
        int wrong = only_for("blob", "AeroGPU traces", path, trace, "rastrum cat %s", path);
        ras_close(trace);
        return wrong;
    }
    progress_start(&progress, &o->common, "blob", false);
    int status = listed     ? EXIT_YES
                 : resource ? show_resource(o, path, trace, a)
                            : extract(o, path, trace, a, (uint64_t)id);
    if (listed && list(o, trace, a, &err) < 0)
        status = trouble_at(path, &err);
    answer_flush(a);
    if (status != EXIT_TROUBLE)
        status = worse(status, say_how_it_ends(o, path, trace));
    progress_stop(&progress);
    ras_close(trace);
    return status;
}

/* Check the combination of options; 0, or EXIT_TROUBLE. */
static int blob_check(const struct options *o)
{
    size_t words = o->common.operands.count;
    bool resource = o->buffer.given || o->texture.given;
    bool table = o->vertices || o->buffer.given;
    if (!words || words > (o->list || resource ? 1 : 2))
        return trouble("blob takes TRACE to list its blobs, TRACE ID, or TRACE with --buffer or"
                       " --texture");
    if ((o->buffer.given && o->texture.given) || (o->png && table) || (o->list && resource))
        return trouble("--list, --png, --vertices, --buffer and --texture cannot be combined");
    if ((o->png || o->vertices) && words < 2 && !resource)
        return trouble("--%s needs TRACE ID", o->png ? "png" : "vertices");
    if (o->size && !o->png)
        return trouble("--size needs TRACE ID --png");
    if (o->common.json && (o->png || o->texture.given))
        return trouble("PNG output and --json cannot be combined");
    if (o->frame.given && !resource)
        return trouble("--frame needs --buffer or --texture");
    if (o->format && !table)
        return trouble("--format needs --vertices or --buffer");
    if (o->buffer.value > UINT32_MAX || o->texture.value > UINT32_MAX)
        return trouble("a handle is a 32-bit number");
    return 0;
}

static int blob_run(void *options)
{
    const struct options *o = options;
    struct answer a;
    int status = blob_check(o);
    if (!status)
        status = answer_open(&a, &o->common);
    if (status)
        return status;
    return answer_close(&a, answer_with(o, o->common.operands.items[0], &a));
}

static const char *const format_words[] = {"text", "csv", NULL};

static const struct option_row rows[] = {
    {"list", 'l', OPTION_FLAG, NULL, "list all blobs (default without ID): id, kind, size, offset",
     NULL, offsetof(struct options, list)},
    {"vertices", 0, OPTION_FLAG, NULL, "show the blob as vertices, as the next draw reads them",
     NULL, offsetof(struct options, vertices)},
    {"png", 0, OPTION_FLAG, NULL, "write the texture that commands create from it, as PNG", NULL,
     offsetof(struct options, png)},
    {"size", 0, OPTION_TEXT, "WxH", "with --png: read its bytes as RGBA pixels of this size", NULL,
     offsetof(struct options, size)},
    {"buffer", 0, OPTION_NUMBER, "HANDLE", "show a buffer as vertices, as the last draw reads it",
     NULL, offsetof(struct options, buffer)},
    {"texture", 0, OPTION_NUMBER, "HANDLE", "write a texture as a PNG file", NULL,
     offsetof(struct options, texture)},
    {"frame", 0, OPTION_NUMBER, "N", "with these two: after this frame (default: at the end)", NULL,
     offsetof(struct options, frame)},
    {"format", 'F', OPTION_TEXT, "NAME", "vertices as text (default) or csv", format_words,
     offsetof(struct options, format)},
    {0},
};

const struct command cmd_blob = {
    .name = "blob",
    .operands = "TRACE [ID]",
    .about = "list the blobs of an AeroGPU trace, or extract one",
    .text =
        "A blob is data that commands refer to: vertices, textures, shaders, command streams.\n"
        "Its bytes are written unchanged; shader text can be printed on a terminal. If several\n"
        "blobs have the same id, the last one is used.\n\n"
        "Vertices and textures are interpreted by executing the trace: the data is shown as a\n"
        "draw reads it or as the texture holds it. A resource that a command stream uploads\n"
        "is not a blob: name it by its handle, as printed by cat --type command.\n",
    .examples = "rastrum blob game.aerogputrace\n"
                "rastrum blob game.aerogputrace 2\n"
                "rastrum blob game.aerogputrace 1 -o vertices.bin\n"
                "rastrum blob game.aerogputrace 1 --vertices\n"
                "rastrum blob game.aerogputrace --texture 2 --frame 10 -o texture.png\n"
                "rastrum blob game.aerogputrace 7 --png --size 256x256 -o texture.png\n",
    .exits = "0 done; 1 no such blob; 2 error; 3 done, but the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "aerogpu",
    .reads = true,
    .run = blob_run,
};
