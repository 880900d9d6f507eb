/* aerogpu_play_diff.c - two traces compared by the pictures that they draw.
 *
 * Each trace is executed once and its frames are kept as hashes. The pictures of frames that differ
 * are drawn again, to report how. */
#include "base/memory.h"
#include "core/gpu_engine.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_play.h"
#include "ops/compare/place_walk.h"
#include <rastrum/render.h>

#include <stdio.h>
#include <stdlib.h>

enum { DRAWN_AGAIN = 16 }; /* the first of the frames that differ are reported in detail */

struct shown {
    struct compare_place place;
    uint32_t width, height;
    uint8_t sha256[RAS_SHA256_SIZE];
};

struct gallery {
    struct shown *rows;
    size_t count, room;
    size_t at;  /* of the row that is compared */
    bool begun; /* there is one */
    struct compare_place last;
    struct ras_picture picture; /* of the frame that was drawn again */
    const char *name;           /* of the side */
    const struct ras_compare_options *options;
    struct ras_canvas canvas; /* the same for both sides */
    bool used;                /* a picture was drawn on it */
    uint64_t before, total;   /* bytes, of the other side when this one is drawn, and of both */
    struct ras_error *err;
    int status;
};

static bool keep_hash(void *user, const struct ras_rendered *f)
{
    struct gallery *g = user;
    if (*f->inexact) {
        g->status = fail(g->err, RAS_EUNSUPPORTED, f->offset,
                         "frame %" PRIu64 " of the %s trace is inexact (%.100s): it cannot be"
                         " compared",
                         f->frame_index, g->name, f->inexact);
        return false;
    }
    if (!array_grow(&g->rows, &g->room, g->count + 1, sizeof *g->rows)) {
        g->status = fail_memory(g->err);
        return false;
    }
    g->used |= f->size_from != RAS_SIZE_TARGET;
    struct shown *row = &g->rows[g->count++];
    compare_place_next(&g->last, f->frame_index);
    *row = (struct shown){g->last, f->picture.width, f->picture.height, {0}};
    ras_picture_sha256(&f->picture, row->sha256);
    if (!g->options->progress ||
        g->options->progress(g->options->user, g->before + f->offset, g->total))
        return true;
    g->status = fail_canceled(g->err);
    return false;
}

static bool keep_picture(void *user, const struct ras_rendered *f)
{
    struct gallery *g = user;
    size_t size = (size_t)f->picture.width * f->picture.height * 4;
    uint8_t *rgba = malloc(size ? size : 1);
    if (!rgba) {
        g->status = fail_memory(g->err);
        return false;
    }
    memcpy(rgba, f->picture.rgba, size);
    g->picture = (struct ras_picture){f->picture.width, f->picture.height, rgba};
    return true;
}

static int draw(struct gallery *g, struct ras_trace *t, const uint64_t *frame)
{
    const struct ras_render_options how = {.gpu = g->options->gpu,
                                           .width = g->canvas.width,
                                           .height = g->canvas.height,
                                           .has_frame = frame != NULL,
                                           .frame = frame ? *frame : 0,
                                           .frame_shown = frame ? keep_picture : keep_hash,
                                           .remark = aero_no_remark,
                                           .user = g};
    struct ras_render out = {0};
    int status = aero_render(t, &how, &out, g->err);
    return status < 0 ? status : g->status;
}

/* ---- the walk --------------------------------------------------------------------------- */

static void put_side(struct document *d, const struct gallery *g, const struct shown *s)
{
    char hex[2 * RAS_SHA256_SIZE + 1];
    for (size_t i = 0; i < RAS_SHA256_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", s->sha256[i]);
    size_t map = document_put_open(d, g->name, RAS_MAP);
    document_put_uint(d, "height", s->height);
    document_name(d, "sha256");
    document_text(d, hex, sizeof hex - 1);
    document_put_uint(d, "width", s->width);
    document_close(d, map);
}

static void put_difference(struct document *d, const struct ras_picture_difference *p)
{
    const uint32_t box[] = {p->left, p->top, p->right, p->bottom};
    size_t list = document_put_open(d, "box", RAS_LIST);
    for (size_t i = 0; i < 4; i++)
        document_uint(d, box[i]);
    document_close(d, list);
    document_put_uint(d, "most", p->most);
    document_put_uint(d, "pixels", p->pixels);
}

/* Both sides of one comparison, for struct place_walk_ops. */
struct galleries {
    struct compare *compare;
    struct gallery *sides;
};

static const struct shown *row_at(const struct galleries *b, int side)
{
    const struct gallery *g = &b->sides[side];
    return g->at < g->count ? &g->rows[g->at] : NULL;
}

/* Draw the frame again on both sides and report how the pictures differ. */
static int report_pixels(struct galleries *b, uint64_t index, size_t *detail)
{
    struct compare *c = b->compare;
    struct gallery *g = b->sides;
    struct ras_picture_difference p = {.sizes = true};
    int status = RAS_OK;
    for (int i = 0; i < 2 && c->out->divergence_count < DRAWN_AGAIN && status == RAS_OK; i++)
        status = draw(&g[i], c->side[i], &index);
    if (status == RAS_OK && g[0].picture.rgba && g[1].picture.rgba) {
        ras_picture_compare(&g[0].picture, &g[1].picture, &p);
        if (c->options->pictures)
            status = c->options->pictures(c->options->pictures_user, index, &g[0].picture,
                                          &g[1].picture);
    }
    *detail = document_open(&c->doc, RAS_MAP);
    put_side(&c->doc, &g[1], row_at(b, 1));
    if (!p.sizes)
        put_difference(&c->doc, &p);
    put_side(&c->doc, &g[0], row_at(b, 0));
    document_close(&c->doc, *detail);
    ras_picture_free(&g[0].picture);
    ras_picture_free(&g[1].picture);
    return status;
}

static int next_picture(void *user, int side, struct ras_error *err)
{
    struct galleries *b = user;
    struct gallery *g = &b->sides[side];
    (void)err;
    g->at += g->begun;
    g->begun = true;
    return row_at(b, side) ? RAS_OK : RAS_END;
}

static int picture_order(const void *user)
{
    return compare_place_order(&row_at(user, 0)->place, &row_at(user, 1)->place);
}

static int lone_picture(void *user, int side, struct ras_error *err)
{
    struct galleries *b = user;
    struct compare *c = b->compare;
    size_t detail = COMPARE_NO_DETAIL;
    uint64_t index = row_at(b, side)->place.number;
    (void)err;
    if (!compare_in_range(c->options, index))
        return RAS_OK;
    c->out->checked++;
    if (compare_wants_detail(c)) {
        detail = document_open(&c->doc, RAS_MAP);
        document_put_bool(&c->doc, "ended", !row_at(b, !side));
        document_put_name(&c->doc, "missing_in", b->sides[!side].name);
        document_close(&c->doc, detail);
    }
    return compare_diverged(c, "missing_frame", value_of_uint(index), detail) ? RAS_OK : RAS_END;
}

static int compare_pictures(void *user, struct ras_error *err)
{
    struct galleries *b = user;
    struct compare *c = b->compare;
    size_t detail = COMPARE_NO_DETAIL;
    uint64_t index = row_at(b, 0)->place.number;
    int status = RAS_OK;
    (void)err;
    if (!compare_in_range(c->options, index))
        return RAS_OK;
    c->out->checked++;
    if (!memcmp(row_at(b, 0)->sha256, row_at(b, 1)->sha256, RAS_SHA256_SIZE))
        return RAS_OK;
    if (compare_wants_detail(c))
        status = report_pixels(b, index, &detail);
    bool on = compare_diverged(c, "pixel_mismatch", value_of_uint(index), detail);
    return status < 0 || on ? status : RAS_END;
}

static const struct place_walk_ops pictures = {
    .next = next_picture, .order = picture_order, .lone = lone_picture, .pair = compare_pictures};

/* ---- the whole --------------------------------------------------------------------------- */

static int report_endings(struct compare *c, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true, .frames_only = true};
    int status = RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        struct ras_cursor *cursor;
        status = ras_cursor_open(&cursor, c->side[i], &scan, err);
        if (status == RAS_OK)
            status = compare_ending(c, i, cursor, err);
        ras_cursor_close(cursor);
    }
    return status;
}

/* One canvas for both: one side may state what the other does not. */
static int find_canvas(struct compare *c, struct gallery *g, struct ras_error *err)
{
    const struct ras_compare_options *o = c->options;
    struct ras_canvas of[2] = {{o->width, o->height, RAS_SIZE_OPTION, RAS_NONE}};
    of[1] = of[0];
    for (int i = 0; i < 2 && !(o->width && o->height); i++) {
        int status = aero_canvas(c->side[i], &of[i], err);
        if (status < 0)
            return status;
    }
    g[0].canvas = g[1].canvas = ras_canvas_of_two(of[0], of[1]);
    return RAS_OK;
}

int aero_compare_pixels(struct compare *c, struct ras_error *err)
{
    const struct ras_compare_options *o = c->options;
    const uint64_t first = source_bytes(c->side[0]->source, 0).len;
    const uint64_t total = first + source_bytes(c->side[1]->source, 0).len;
    struct gallery g[2] = {
        {.name = "expected", .options = o, .total = total, .err = err},
        {.name = "actual", .options = o, .before = first, .total = total, .err = err}};
    if (o->channel_count || o->ignored_count || o->tolerance_count)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "pictures are compared pixel by pixel: they have no channels and no paths");
    int status = gpu_engine_check(o->gpu, "ras_compare_options.gpu", err);
    if (status == RAS_OK)
        status = find_canvas(c, g, err);
    if (status == RAS_OK)
        status = draw(&g[0], c->side[0], NULL);
    if (status == RAS_OK)
        status = draw(&g[1], c->side[1], NULL);
    if (status == RAS_OK && (g[0].used || g[1].used) && g[0].canvas.from != RAS_SIZE_OPTION) {
        char text[RAS_CANVAS_TEXT];
        ras_canvas_text(&g[0].canvas, text);
        compare_note(c, "%s", text);
    }
    if (status == RAS_OK)
        status = place_walk_run(c, &pictures, &(struct galleries){c, g}, err);
    if (status == RAS_OK)
        status = report_endings(c, err);
    free(g[0].rows);
    free(g[1].rows);
    return status;
}
