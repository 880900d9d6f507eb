/* render.c - execute a trace of GPU commands again; pictures: hashed, compared, as PNG files. */
#include "base/out.h"
#include "base/struct_size.h"
#include "codec/png.h"
#include "codec/sha256.h"
#include "core/format.h"
#include "core/gpu_engine.h"
#include <rastrum/render.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pictures --------------------------------------------------------------------------- */

void ras_picture_sha256(const struct ras_picture *p, uint8_t digest[RAS_SHA256_SIZE])
{
    struct sha256 sha = sha256_start();
    uint8_t sides[8];
    store_u32(store_u32(sides, p->width), p->height);
    sha256_add(&sha, sides, sizeof sides);
    sha256_add(&sha, p->rgba, (size_t)p->width * p->height * 4);
    sha256_end(&sha, digest);
}

static void count_pixel(struct ras_picture_difference *d, uint32_t x, uint32_t y, const uint8_t *a,
                        const uint8_t *b)
{
    if (!d->pixels++) {
        d->left = x;
        d->top = y;
    }
    d->left = x < d->left ? x : d->left;
    d->right = x + 1 > d->right ? x + 1 : d->right;
    d->bottom = y + 1;
    for (int i = 0; i < 4; i++) {
        int apart = abs(a[i] - b[i]);
        d->most = apart > d->most ? (uint8_t)apart : d->most;
    }
}

bool ras_picture_compare(const struct ras_picture *a, const struct ras_picture *b,
                         struct ras_picture_difference *d)
{
    *d = (struct ras_picture_difference){.sizes = a->width != b->width || a->height != b->height};
    if (d->sizes)
        return true;
    size_t row = (size_t)a->width * 4;
    const uint8_t *p = a->rgba, *q = b->rgba;
    for (uint32_t y = 0; y < a->height; y++, p += row, q += row) {
        if (!memcmp(p, q, row))
            continue;
        for (uint32_t x = 0; x < a->width; x++)
            if (memcmp(p + (size_t)x * 4, q + (size_t)x * 4, 4) != 0)
                count_pixel(d, x, y, p + (size_t)x * 4, q + (size_t)x * 4);
    }
    return d->pixels != 0;
}

void ras_picture_differences(const struct ras_picture *a, const struct ras_picture *b,
                             uint8_t *rgba)
{
    const uint8_t *p = a->rgba, *q = b->rgba;
    for (size_t left = (size_t)a->width * a->height; left; left--, p += 4, q += 4, rgba += 4) {
        uint8_t gray = (uint8_t)((p[0] * 2 + p[1] * 5 + p[2]) / 32); /* a quarter of the luma */
        bool same = !memcmp(p, q, 4);
        rgba[0] = same ? gray : 255;
        rgba[1] = rgba[2] = same ? gray : 0;
        rgba[3] = 255;
    }
}

int ras_png_put(struct ras_sink *sink, const struct ras_picture *p, struct ras_error *err)
{
    uint8_t *file;
    size_t len;
    int status = png_put(p->width, p->height, p->rgba, &file, &len, err);
    if (status == RAS_OK)
        status = ras_sink_write(sink, file, len, err);
    free(file);
    return status;
}

int ras_png_get(struct ras_bytes file, struct ras_picture *p, struct ras_error *err)
{
    uint8_t *rgba;
    int status = png_get(file, &p->width, &p->height, &rgba, err);
    p->rgba = rgba;
    return status;
}

void ras_picture_free(struct ras_picture *p)
{
    free((void *)(uintptr_t)p->rgba);
    p->rgba = NULL;
}

/* ---- executing -------------------------------------------------------------------------- */

struct hashing {
    const struct ras_render_options *options;
};

static bool hash_frame(void *user, const struct ras_rendered *frame)
{
    const struct hashing *h = user;
    struct ras_rendered hashed = *frame;
    if (!h->options->frame_shown)
        return true;
    ras_picture_sha256(&frame->picture, hashed.sha256);
    return h->options->frame_shown(h->options->user, &hashed);
}

static void pass_drawn(void *user, const struct ras_drawn *drawn)
{
    const struct hashing *h = user;
    h->options->drawn(h->options->user, drawn);
}

static void pass_remark(void *user, uint64_t offset, const char *text)
{
    const struct hashing *h = user;
    if (h->options->remark)
        h->options->remark(h->options->user, offset, text);
}

static bool pass_progress(void *user, uint64_t done, uint64_t total)
{
    const struct hashing *h = user;
    return h->options->progress(h->options->user, done, total);
}

bool ras_can_render(const struct ras_trace *t)
{
    return t->format->render != NULL;
}

int ras_canvas_of(struct ras_trace *t, struct ras_canvas *canvas, struct ras_error *err)
{
    *canvas = (struct ras_canvas){.from = RAS_SIZE_DEFAULT, .offset = RAS_NONE};
    if (!t->format->canvas)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces have no frames to render",
                    t->format->about.name);
    return t->format->canvas(t, canvas, err);
}

struct ras_canvas ras_canvas_of_two(struct ras_canvas a, struct ras_canvas b)
{
    if (a.from != b.from)
        return a.from < b.from ? a : b;
    return (uint64_t)a.width * a.height < (uint64_t)b.width * b.height ? b : a;
}

const char *ras_size_from_name(enum ras_size_from from)
{
    static const char *const names[] = {
        [RAS_SIZE_TARGET] = "target",   [RAS_SIZE_OPTION] = "option",
        [RAS_SIZE_META] = "meta_json",  [RAS_SIZE_VIEWPORT] = "viewport",
        [RAS_SIZE_TARGETS] = "targets", [RAS_SIZE_DEFAULT] = "default"};
    return from < sizeof names / sizeof *names ? names[from] : NULL;
}

void ras_canvas_text(const struct ras_canvas *c, char to[RAS_CANVAS_TEXT])
{
    int len =
        snprintf(to, RAS_CANVAS_TEXT, "canvas %" PRIu32 "x%" PRIu32 ": ", c->width, c->height);
    char *rest = to + len;
    size_t room = RAS_CANVAS_TEXT - (size_t)len;
    if (c->from == RAS_SIZE_META)
        snprintf(rest, room, "canvas_width and canvas_height in meta_json");
    else if (c->from == RAS_SIZE_VIEWPORT)
        snprintf(rest, room,
                 "has room for the viewports of draws (offset %" PRIu64 "), it may be larger",
                 c->offset);
    else if (c->from == RAS_SIZE_TARGETS)
        snprintf(rest, room, "the largest color target (offset %" PRIu64 "), which is a guess",
                 c->offset);
    else if (c->from == RAS_SIZE_DEFAULT)
        snprintf(rest, room, "a default, no size was found in the trace");
    else
        snprintf(rest, room, "%s",
                 c->from == RAS_SIZE_OPTION ? "as requested" : "the color target");
}

int ras_render(struct ras_render *out, struct ras_trace *t,
               const struct ras_render_options *options, struct ras_error *err)
{
    struct ras_render_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct hashing hashing = {options};
    struct ras_render_options inner = *hashing.options;
    *out = (struct ras_render){0};
    if (!t->format->render)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces have no frames to render",
                    t->format->about.name);
    int status = gpu_engine_check(options->gpu, "ras_render_options.gpu", err);
    if (status < 0)
        return status;
    inner.frame_shown = hash_frame;
    inner.drawn = inner.drawn ? pass_drawn : NULL;
    inner.remark = pass_remark;
    inner.progress = inner.progress ? pass_progress : NULL;
    inner.user = &hashing;
    status = source_whole(t->source, err);
    return status == RAS_OK ? t->format->render(t, &inner, out, err) : status;
}
