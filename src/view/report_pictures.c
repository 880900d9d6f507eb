/* report_pictures.c - frames of both sides and how they differ, as pictures inside the page. */
#include "base/error.h"
#include "codec/base64.h"
#include "ops/compare/compare_driver.h"
#include "ops/rundir/rundir_axes.h"
#include "view/report_page.h"

#include <rastrum/render.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 2, FRAMES_MOST = 6, SIDE_MOST = 512, ZOOM_BOX = 48, ZOOM = 6 };

/* One frame of one side. */
struct shot {
    struct ras_picture picture; /* its pixels are to be freed; NULL: none */
    char inexact[160];
    bool nomem;
};

static bool take_frame(void *user, const struct ras_rendered *f)
{
    struct shot *s = user;
    size_t size = (size_t)f->picture.width * f->picture.height * 4;
    uint8_t *rgba = malloc(size ? size : 1);
    s->nomem = !rgba;
    if (rgba) {
        memcpy(rgba, f->picture.rgba, size);
        s->picture = (struct ras_picture){f->picture.width, f->picture.height, rgba};
        snprintf(s->inexact, sizeof s->inexact, "%s", f->inexact);
    }
    return false;
}

static int render_frame(struct report_page *p, struct ras_trace *trace, uint64_t frame,
                        const struct ras_canvas *canvas, struct shot *s, struct ras_error *err)
{
    const struct ras_render_options how = {.gpu = p->options->gpu,
                                           .width = canvas->width,
                                           .height = canvas->height,
                                           .has_frame = true,
                                           .frame = frame,
                                           .frame_shown = take_frame,
                                           .user = s};
    struct ras_render out;
    *s = (struct shot){0};
    int status = ras_render(&out, trace, &how, err);
    return s->nomem ? fail_memory(err) : status;
}

/* ---- pixels ------------------------------------------------------------------------------ */

/* Every nth pixel of a picture that is larger than the page needs. */
static bool shrink(struct ras_picture *to, const struct ras_picture *from)
{
    uint32_t most = from->width > from->height ? from->width : from->height;
    uint32_t step = (most + SIDE_MOST - 1) / SIDE_MOST;
    step = step ? step : 1;
    uint32_t width = (from->width + step - 1) / step, height = (from->height + step - 1) / step;
    uint8_t *rgba = malloc((size_t)width * height * 4 + 1);
    if (!rgba)
        return false;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            memcpy(rgba + ((size_t)y * width + x) * 4,
                   from->rgba + ((size_t)y * step * from->width + (size_t)x * step) * 4, 4);
    *to = (struct ras_picture){width, height, rgba};
    return true;
}

/* A box of a picture, each pixel as a square. */
static bool enlarge(struct ras_picture *to, const struct ras_picture *from, const uint32_t at[2],
                    uint32_t box)
{
    uint32_t side = box * ZOOM;
    uint8_t *rgba = malloc((size_t)side * side * 4);
    if (!rgba)
        return false;
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++)
            memcpy(rgba + ((size_t)y * side + x) * 4,
                   from->rgba + ((size_t)(at[1] + y / ZOOM) * from->width + at[0] + x / ZOOM) * 4,
                   4);
    *to = (struct ras_picture){side, side, rgba};
    return true;
}

static int put_image(struct report_page *p, const struct ras_picture *picture, const char *class,
                     const char *caption, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_sink_memory(&sink, err);
    if (status < 0)
        return status;
    status = ras_png_put(sink, picture, err);
    if (status == RAS_OK)
        status = ras_sink_flush(sink, err);
    if (status == RAS_OK) {
        out_format(&p->out,
                   "<figure><img class=\"%s\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\" alt=\"",
                   class, picture->width, picture->height);
        html_text(&p->out, caption);
        out_text(&p->out, "\" src=\"data:image/png;base64,");
        base64_put(&p->out, ras_sink_bytes(sink));
        out_text(&p->out, "\"><figcaption>");
        html_text(&p->out, caption);
        out_text(&p->out, "</figcaption></figure>\n");
    }
    ras_sink_drop(sink);
    return status;
}

/* The three pictures of a frame, as they are or enlarged. */
struct triple {
    const struct ras_picture *pictures[3];
    const char *captions[3];
};

static int put_triple(struct report_page *p, const struct triple *t, const uint32_t *at,
                      uint32_t box, struct ras_error *err)
{
    int status = RAS_OK;
    out_text(&p->out, "<div class=\"pics\">");
    for (int i = 0; i < 3 && status == RAS_OK; i++) {
        struct ras_picture made = {0};
        if (!t->pictures[i])
            continue;
        bool ok = at ? enlarge(&made, t->pictures[i], at, box) : shrink(&made, t->pictures[i]);
        status = ok ? put_image(p, &made, at ? "zoom" : "", t->captions[i], err) : fail_memory(err);
        free((void *)(uintptr_t)made.rgba);
    }
    out_text(&p->out, "</div>\n");
    return status;
}

/* Where to look closer: a square around a small difference. */
static uint32_t box_of(const struct ras_picture_difference *d, const struct ras_picture *of,
                       uint32_t at[2])
{
    uint32_t box = ZOOM_BOX;
    if (!d->pixels || d->right - d->left > box || d->bottom - d->top > box || of->width < box ||
        of->height < box)
        return 0;
    const uint32_t middle[2] = {(d->left + d->right) / 2, (d->top + d->bottom) / 2};
    const uint32_t size[2] = {of->width, of->height};
    for (int i = 0; i < 2; i++) {
        at[i] = middle[i] > box / 2 ? middle[i] - box / 2 : 0;
        at[i] = at[i] + box > size[i] ? size[i] - box : at[i];
    }
    return box;
}

static int put_frame_difference(struct report_page *p, const struct shot shots[2], uint64_t frame,
                                struct ras_error *err)
{
    const struct ras_picture *a = &shots[0].picture, *b = &shots[1].picture;
    struct ras_picture_difference d;
    struct ras_picture where = {a->width, a->height, NULL};
    const struct comparison *c = p->comparison;
    bool differ = ras_picture_compare(a, b, &d);
    uint8_t *rgba = d.sizes ? NULL : malloc((size_t)a->width * a->height * 4 + 1);
    if (!rgba && !d.sizes)
        return fail_memory(err);
    if (rgba)
        ras_picture_differences(a, b, rgba);
    where.rgba = rgba;
    const char *pixels =
        d.pixels == 1 ? "1 pixel"
                      : arena_format(&p->texts, "%s pixels", arena_count(&p->texts, d.pixels));
    const char *found =
        d.sizes ? "the sizes differ"
        : !differ
            ? "no pixel differs"
            : arena_format(&p->texts,
                           "%s of %s differ, box %" PRIu32 ",%" PRIu32 " to %" PRIu32 ",%" PRIu32,
                           pixels, arena_count(&p->texts, (uint64_t)a->width * a->height), d.left,
                           d.top, d.right - 1, d.bottom - 1);
    const char *number = arena_count(&p->texts, frame);
    struct triple t = {{a, b, rgba ? &where : NULL},
                       {arena_format(&p->texts, "expected (%s), frame %s%s%s", c->name[0], number,
                                     *shots[0].inexact ? ", not exact: " : "", shots[0].inexact),
                        arena_format(&p->texts, "actual (%s), frame %s%s%s", c->name[1], number,
                                     *shots[1].inexact ? ", not exact: " : "", shots[1].inexact),
                        found}};
    int status = put_triple(p, &t, NULL, 0, err);
    uint32_t at[2], box = rgba ? box_of(&d, a, at) : 0;
    if (status == RAS_OK && box) {
        for (int i = 0; i < 3; i++)
            t.captions[i] = arena_format(&p->texts, "%s, from %" PRIu32 ",%" PRIu32 ", \xc3\x97%d",
                                         i == 2 ? "what differs"
                                         : i    ? "actual"
                                                : "expected",
                                         at[0], at[1], (int)ZOOM);
        status = put_triple(p, &t, at, box, err);
    }
    free(rgba);
    return status;
}

/* ---- frames ------------------------------------------------------------------------------ */

static struct ras_trace *pictures_of(const struct comparison *c, const struct comparison_line *l,
                                     int side)
{
    if (!c->run[side])
        return c->single[side];
    for (size_t i = 0; i < c->run[side]->pen_count; i++)
        if (!strcmp(c->run[side]->pens[i].format, l->format))
            return c->run[side]->pens[i].trace;
    return NULL;
}

/* The frame of a place; false: not known, or beyond what a side has. */
static bool frame_of(const struct comparison *c, const struct comparison_line *l, int64_t place,
                     uint64_t *frame)
{
    if (place < 0 || (uint64_t)place < c->from || (uint64_t)place > c->to)
        return false;
    for (int side = 0; side < 2; side++)
        if (c->range[side][1] == RAS_NONE || (uint64_t)place > c->range[side][1] ||
            (l->last[side] != RAS_NONE && (uint64_t)place > l->last[side]))
            return false;
    *frame = (uint64_t)place;
    if (!c->run[0])
        return true;
    int64_t range[2] = {place, place};
    const struct ras_trace *trace = pictures_of(c, l, 0);
    if (!rundir_on_axis(c->run[0], rundir_report_axis(trace), range) || range[0] < 0)
        return false;
    *frame = (uint64_t)range[1];
    return true;
}

static int put_frame(struct report_page *p, const struct comparison_line *l, uint64_t frame,
                     struct ras_error *err)
{
    struct ras_trace *traces[2] = {pictures_of(p->comparison, l, 0),
                                   pictures_of(p->comparison, l, 1)};
    struct ras_canvas sizes[2], one;
    struct shot shots[2] = {0};
    struct ras_error why = {0};
    int status = ras_canvas_of(traces[0], &sizes[0], &why);
    if (status == RAS_OK)
        status = ras_canvas_of(traces[1], &sizes[1], &why);
    if (status == RAS_OK)
        one = ras_canvas_of_two(sizes[0], sizes[1]);
    for (int side = 0; side < 2 && status == RAS_OK; side++)
        status = render_frame(p, traces[side], frame, &one, &shots[side], &why);
    if (status == RAS_OK && shots[0].picture.rgba && shots[1].picture.rgba) {
        status = put_frame_difference(p, shots, frame, err);
    } else if (status != RAS_EMEMORY) {
        out_text(&p->out, "<p class=\"dim\">");
        html_format(&p->out, "Frame %" PRIu64 ": no picture, %s.", frame,
                    status < 0 ? why.text : "one side did not present it");
        out_text(&p->out, "</p>\n");
        status = RAS_OK;
    }
    free((void *)(uintptr_t)shots[0].picture.rgba);
    free((void *)(uintptr_t)shots[1].picture.rgba);
    return status < 0 ? fail_memory(err) : RAS_OK;
}

int report_pictures(struct report_page *p, struct ras_error *err)
{
    static const int offsets[FRAMES_MOST] = {0, 3, -1, 10, 30, 100};
    const struct comparison *c = p->comparison;
    uint32_t wanted = p->options->has_pictures ? p->options->pictures : FRAMES;
    const struct comparison_line *l = NULL;
    for (size_t i = 0; i < c->line_count; i++)
        if (c->lines[i].kind == LINE_PICTURES && !c->lines[i].missing[0] && !c->lines[i].missing[1])
            l = &c->lines[i];
    if (!l || !wanted || p->place == RAS_NONE || !ras_can_render(pictures_of(c, l, 0)))
        return RAS_OK;
    uint64_t base = p->place;
    if (!p->options->has_tick && l->first != RAS_NONE && l->first > base)
        base = l->first;
    report_heading(p, "What it looks like");
    if (!p->options->gpu) {
        out_text(&p->out, "<p class=\"dim\">No pictures: nothing that draws was given "
                          "(librastrum-gpu).</p>\n");
        return RAS_OK;
    }
    int status = RAS_OK;
    for (uint32_t i = 0; i < wanted && i < FRAMES_MOST && status == RAS_OK; i++) {
        uint64_t frame;
        if (base < INT64_MAX - 100 && frame_of(c, l, (int64_t)base + offsets[i], &frame))
            status = put_frame(p, l, frame, err);
    }
    return status;
}
