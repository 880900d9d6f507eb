/* pictures.c - frames of a trace as PNG files in a directory. */
#include "cli/pictures.h"
#include "cli/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *frame_path(const char *dir, uint64_t index, const char *what)
{
    char *path = NULL;
    return asprintf(&path, "%s/frame_%" PRIu64 "%s.png", dir, index, what) < 0 ? NULL : path;
}

/* An existing file with the name of a frame is replaced only if it is a PNG file. */
static int check_picture(const char *path)
{
    static const char magic[] = "\x89PNG\r\n\x1a\n";
    char head[sizeof magic - 1];
    FILE *old = fopen(path, "rbe");
    if (!old)
        return 0;
    size_t got = fread(head, 1, sizeof head, old);
    fclose(old);
    if (!got || (got == sizeof head && !memcmp(head, magic, got)))
        return 0;
    return trouble("%s is not a PNG file and is not replaced; choose another directory", path);
}

int write_png(const char *dir, uint64_t index, const char *what, const struct ras_picture *picture)
{
    struct ras_error err;
    struct ras_sink *sink;
    char *path = frame_path(dir, index, what);
    int status = path ? check_picture(path) : trouble("out of memory");
    if (!status)
        status = report_open(&sink, path);
    if (!status) {
        bool written = ras_png_put(sink, picture, &err) == RAS_OK;
        if (!written)
            ras_sink_drop(sink);
        if (!written || ras_sink_close(sink, &err) < 0)
            status = trouble_with(&err);
    }
    free(path);
    return status;
}

int write_pictures(const char *dir, uint64_t index, const struct ras_picture *expected,
                   const struct ras_picture *actual)
{
    int status = write_png(dir, index, ".expected", expected);
    if (!status)
        status = write_png(dir, index, ".actual", actual);
    if (status || expected->width != actual->width || expected->height != actual->height)
        return status;
    uint8_t *rgba = malloc((size_t)expected->width * expected->height * 4);
    if (!rgba)
        return trouble("out of memory");
    const struct ras_picture where = {expected->width, expected->height, rgba};
    ras_picture_differences(expected, actual, rgba);
    status = write_png(dir, index, ".diff", &where);
    free(rgba);
    return status;
}

int read_size(const char *text, uint32_t *width, uint32_t *height)
{
    char rest;
    if (text && (sscanf(text, "%5" SCNu32 "x%5" SCNu32 "%c", width, height, &rest) != 2 ||
                 !*width || !*height))
        return trouble("--size takes WIDTHxHEIGHT, not %s", text);
    return 0;
}

bool say_canvas(const char *path, const struct ras_rendered *f, bool quiet)
{
    const struct ras_canvas canvas = {f->picture.width, f->picture.height, f->size_from,
                                      f->size_offset};
    char text[RAS_CANVAS_TEXT];
    if (f->size_from == RAS_SIZE_TARGET || f->size_from == RAS_SIZE_OPTION)
        return false;
    ras_canvas_text(&canvas, text);
    remark(quiet, "%s: %s%s", shown_path(path), text,
           f->size_from == RAS_SIZE_META ? "" : "; --size WIDTHxHEIGHT gives another");
    return true;
}
