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

static void number_text(const struct ras_aero_attribute *a, double value, bool json, char *to,
                        size_t size)
{
    const char *quote = json ? "\"" : "";
    if (a->integer)
        snprintf(to, size, "%.0f", value);
    else if (isnan(value))
        snprintf(to, size, "%sNaN%s", quote, quote);
    else if (isinf(value))
        snprintf(to, size, "%s%sInfinity%s", quote, value < 0 ? "-" : "", quote);
    else
        snprintf(to, size, "%.9g", value);
}

/* One row of cells; those of the head have names. */
static void put_row(struct answer *a, const struct ras_aero_vertices *v, uint64_t row, bool head,
                    const char *how)
{
    bool json = !strcmp(how, "json"), text = !strcmp(how, "text");
    const char *quote = json && head ? "\"" : "";
    if (head)
        answer_format(a, text ? "%8s" : "%s%s%s", text ? "vertex" : quote, "vertex", quote);
    else
        answer_format(a, text ? "%8" PRIu64 : "%" PRIu64, v->first + row);
    for (uint32_t i = 0; i < v->attribute_count; i++)
        for (uint32_t c = 0; c < v->attributes[i].components; c++) {
            char cell[RAS_AERO_NAME + 8];
            if (head)
                column_name(&v->attributes[i], c, cell, sizeof cell);
            else
                number_text(&v->attributes[i], ras_aero_vertex_number(v, row, i, c), json, cell,
                            sizeof cell);
            if (text)
                answer_format(a, "  %14s", cell);
            else
                answer_format(a, ",%s%s%s", quote, cell, quote);
        }
}

static void put_json(struct answer *a, const struct ras_aero_vertices *v)
{
    answer_format(a,
                  "{\"handle\":%" PRIu32 ",\"draw_offset\":%" PRIu64 ",\"buffer_offset\":%" PRIu64
                  ",\"stride\":%" PRIu32 ",\"columns\":[",
                  v->handle, v->draw_offset, v->buffer_offset, v->stride);
    put_row(a, v, 0, true, "json");
    answer_format(a, "],\"rows\":[");
    for (uint64_t i = 0; i < v->count; i++) {
        answer_format(a, "%s\n [", i ? "," : "");
        put_row(a, v, i, false, "json");
        answer_format(a, "]");
    }
    answer_format(a, "]}\n");
}

int put_vertices(const struct common *common, const char *path, struct ras_trace *trace,
                 const struct ras_aero_which *which, const char *format, struct answer *a)
{
    struct ras_aero_vertices v;
    struct ras_error err;
    if (ras_aero_vertices(trace, which, &v, &err) < 0)
        return trouble_at(path, &err);
    if (common->json) {
        put_json(a, &v);
    } else {
        const char *how = format ? format : "text";
        put_row(a, &v, 0, true, how);
        answer_format(a, "\n");
        for (uint64_t i = 0; i < v.count; i++) {
            put_row(a, &v, i, false, how);
            answer_format(a, "\n");
        }
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
        return trouble("%s: %s; --size WxH takes its bytes for RGBA pixels", shown_path(path),
                       text_of(&err));
    }
    int status = EXIT_YES;
    if (!a->to_file && isatty(STDOUT_FILENO))
        status = trouble("a PNG file is not text: write it to a file with -o");
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
