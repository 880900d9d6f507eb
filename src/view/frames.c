/* frames.c - frames of a trace drawn again: kept, made small, as PNG, and who wrote a pixel. */
#include "view/frames.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void frame_free(struct frame_kept *f)
{
    ras_picture_free(&f->picture);
    out_free(&f->remarks);
    *f = (struct frame_kept){0};
}

/* The callbacks of one rendering. */
struct rendering {
    struct frame_kept *kept;
    struct ras_pixel_history *pixel;
    uint32_t width, height; /* of the picture with the pixel; 0: none was shown */
    struct out *strip;
    uint32_t side; /* of thumbnails */
    const struct frame_how *how;
    int status;
    struct ras_error *err;
};

static bool render_goes_on(void *user, uint64_t done, uint64_t total)
{
    const struct rendering *r = user;
    return !r->how->progress || r->how->progress(r->how->user, done, total);
}

static void render_remark(void *user, uint64_t offset, const char *text)
{
    struct frame_kept *f = ((struct rendering *)user)->kept;
    if (!f || f->remark_count == FRAMES_REMARKS_MOST)
        return;
    out_format(&f->remarks, "offset %" PRIu64 ": %s", offset, text);
    out_byte(&f->remarks, 0);
    f->remark_count++;
}

static struct ras_render_options render_options(const struct frame_how *how, struct rendering *r)
{
    return (struct ras_render_options){.gpu = how->gpu,
                                       .width = how->width,
                                       .height = how->height,
                                       .has_frame = true,
                                       .frame = how->frame,
                                       .has_draw = how->draw != 0,
                                       .draw = how->draw,
                                       .limits = {.side = FRAMES_SIDE_MOST},
                                       .remark = render_remark,
                                       .progress = render_goes_on,
                                       .user = r};
}

static int no_frame(const struct frame_how *how, struct ras_error *err)
{
    if (how->draw)
        return fail(err, RAS_ENOTHING, RAS_NONE, "frame %" PRIu64 " has no draw %" PRIu64,
                    how->frame, how->draw);
    return fail(err, RAS_ENOTHING, RAS_NONE, "there is no frame %" PRIu64 " that is presented",
                how->frame);
}

/* ---- one frame ------------------------------------------------------------------------------ */

static bool keep_frame(void *user, const struct ras_rendered *shown)
{
    struct rendering *r = user;
    struct frame_kept *f = r->kept;
    size_t size = (size_t)shown->picture.width * shown->picture.height * 4;
    uint8_t *rgba = malloc(size ? size : 1);
    if (!rgba) {
        r->status = fail_memory(r->err);
        return false;
    }
    memcpy(rgba, shown->picture.rgba, size);
    ras_picture_free(&f->picture);
    f->any = true;
    f->index = shown->frame_index;
    f->draws = shown->draws;
    f->offset = shown->offset;
    f->picture = (struct ras_picture){shown->picture.width, shown->picture.height, rgba};
    memcpy(f->sha256, shown->sha256, sizeof f->sha256);
    snprintf(f->inexact, sizeof f->inexact, "%s", shown->inexact);
    f->backend = shown->backend;
    f->canvas = (struct ras_canvas){shown->picture.width, shown->picture.height, shown->size_from,
                                    shown->size_offset};
    return true;
}

int frame_draw(struct frame_kept *f, struct ras_trace *t, const struct frame_how *how,
               struct ras_error *err)
{
    struct rendering r = {.kept = f, .how = how, .err = err};
    struct ras_render_options options = render_options(how, &r);
    struct ras_render out;
    options.frame_shown = keep_frame;
    int status = ras_render(&out, t, &options, err);
    if (status >= 0)
        status = r.status;
    if (status >= 0 && f->remarks.failed)
        status = fail_memory(err);
    return status >= 0 && !f->any ? no_frame(how, err) : status;
}

int frame_png(struct out *out, const struct ras_picture *picture, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_sink_memory(&sink, err);
    if (status < 0)
        return status;
    status = ras_png_put(sink, picture, err);
    if (status >= 0)
        status = ras_sink_flush(sink, err);
    if (status >= 0) {
        struct ras_bytes file = ras_sink_bytes(sink);
        out_bytes(out, file.at, file.len);
        status = out->failed ? fail_memory(err) : RAS_OK;
    }
    ras_sink_drop(sink);
    return status;
}

/* ---- small ones ----------------------------------------------------------------------------- */

/* The mean of the pixels [x0, x1) x [y0, y1). */
static void mean_pixel(const struct ras_picture *p, const uint32_t box[4], uint8_t *to)
{
    uint64_t sums[4] = {0}, count = (uint64_t)(box[2] - box[0]) * (box[3] - box[1]);
    for (uint32_t y = box[1]; y < box[3]; y++) {
        const uint8_t *at = p->rgba + ((size_t)y * p->width + box[0]) * 4;
        for (uint32_t x = box[0]; x < box[2]; x++, at += 4)
            for (int i = 0; i < 4; i++)
                sums[i] += at[i];
    }
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)((sums[i] + count / 2) / count);
}

static uint32_t scaled(uint32_t at, uint32_t from, uint32_t to)
{
    return (uint32_t)((uint64_t)at * from / to);
}

int frame_thumb(struct ras_picture *small, const struct ras_picture *p, uint32_t side,
                struct ras_error *err)
{
    uint32_t longer = p->width > p->height ? p->width : p->height;
    uint32_t width = longer > side ? scaled(p->width, side, longer) : p->width;
    uint32_t height = longer > side ? scaled(p->height, side, longer) : p->height;
    width = width ? width : 1;
    height = height ? height : 1;
    uint8_t *rgba = p->width && p->height ? malloc((size_t)width * height * 4) : NULL;
    if (!rgba)
        return fail_memory(err);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            mean_pixel(p,
                       (const uint32_t[]){scaled(x, p->width, width), scaled(y, p->height, height),
                                          scaled(x + 1, p->width, width),
                                          scaled(y + 1, p->height, height)},
                       rgba + ((size_t)y * width + x) * 4);
    *small = (struct ras_picture){width, height, rgba};
    return RAS_OK;
}

/* {u32 frame, u32 length, u64 hash, PNG}. */
static bool put_thumb(void *user, const struct ras_rendered *shown)
{
    struct rendering *r = user;
    struct ras_picture small = {0};
    struct out png = {0};
    uint8_t head[8];
    r->status = frame_thumb(&small, &shown->picture, r->side, r->err);
    if (r->status >= 0)
        r->status = frame_png(&png, &small, r->err);
    if (r->status >= 0) {
        store_u32(store_u32(head, (uint32_t)shown->frame_index), (uint32_t)png.len);
        out_bytes(r->strip, head, sizeof head);
        out_bytes(r->strip, shown->sha256, 8);
        out_bytes(r->strip, png.at, png.len);
        r->status = r->strip->failed ? fail_memory(r->err) : RAS_OK;
    }
    ras_picture_free(&small);
    out_free(&png);
    return r->status >= 0;
}

int frame_strip(struct out *out, struct ras_trace *t, const struct frame_how *how, uint32_t count,
                uint32_t side, struct ras_error *err)
{
    struct rendering r = {.strip = out, .side = side ? side : 1, .how = how, .err = err};
    struct ras_render_options options = render_options(how, &r);
    struct ras_render rendered;
    options.frame_count = count;
    options.frame_shown = put_thumb;
    int status = ras_render(&rendered, t, &options, err);
    return status < 0 ? status : r.status;
}

/* ---- a pixel -------------------------------------------------------------------------------- */

static void pixel_drawn(void *user, const struct ras_drawn *d)
{
    ras_pixel_drawn(((struct rendering *)user)->pixel, d);
}

static bool pixel_shown(void *user, const struct ras_rendered *shown)
{
    struct rendering *r = user;
    r->width = shown->picture.width;
    r->height = shown->picture.height;
    return ras_pixel_shown(r->pixel, &shown->picture);
}

int frame_pixel(struct ras_pixel_history *h, struct ras_trace *t, const struct frame_how *how,
                struct ras_error *err)
{
    struct rendering r = {.pixel = h, .how = how, .err = err};
    struct ras_render_options options = render_options(how, &r);
    struct ras_render out;
    options.frame_shown = pixel_shown;
    options.drawn = pixel_drawn;
    int status = ras_render(&out, t, &options, err);
    if (status < 0)
        return status;
    if (h->nomem)
        return fail_memory(err);
    if (!r.width)
        return no_frame(how, err);
    if (h->x >= r.width || h->y >= r.height)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "pixel %" PRIu32 ", %" PRIu32 " is outside of the frame of %" PRIu32
                    " x %" PRIu32,
                    h->x, h->y, r.width, r.height);
    return RAS_OK;
}
