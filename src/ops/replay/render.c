/* render.c - execute a trace of GPU commands again, and hash the pictures. */
#include "core/format.h"
#include "base/struct_size.h"
#include "core/gpu_engine.h"
#include <rastrum/render.h>

#include <stdio.h>

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

int ras_render(struct ras_trace *t, const struct ras_render_options *options,
               struct ras_render *out, struct ras_error *err)
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
