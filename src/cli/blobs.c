/* blobs.c - what commands make of bytes: vertices as a table, textures as PNG files. */
#include "cli/blobs.h"
#include "cli/pictures.h"

#include <inttypes.h>
#include <math.h>
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

int put_vertices(const struct common *common, const char *path, struct ras_trace *trace,
                 const struct ras_aero_which *which, const char *format, struct answer *a)
{
    struct ras_aero_vertices v;
    struct ras_error err;
    if (ras_aero_vertices(trace, which, &v, &err) < 0)
        return trouble_at(path, &err);
    if (common->json) {
        blob_put_vertices_json(answer_json(a), &v);
    } else {
        bool text = !format || !strcmp(format, "text");
        blob_put_vertex(a, &v, 0, true, text);
        for (uint64_t i = 0; i < v.count; i++)
            blob_put_vertex(a, &v, i, false, text);
        answer_flush(a);
        remark(common->quiet,
               "%s: %" PRIu64 " vertices of buffer %" PRIu32 ", %" PRIu32
               " bytes each, as the draw at offset %" PRIu64 " reads them",
               shown_path(path), v.count, v.handle, v.stride, v.draw_offset);
    }
    ras_aero_vertices_free(&v);
    return EXIT_YES;
}

int put_texture(const struct common *common, const char *path, struct ras_trace *trace,
                const struct ras_aero_which *which, struct answer *a)
{
    struct ras_picture p;
    struct ras_error err;
    bool inexact;
    if (ras_aero_texture(trace, which, &p, &inexact, &err) < 0) {
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
